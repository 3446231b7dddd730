//! Contact areas between pieces along cracks.
//!
//! A split creates two coincident faces. Later splits may divide one of them further, so one face
//! can touch several: their common areas are found by clipping one triangle by the other in their
//! common plane.

use craze_frame::Surface;
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh};

use crate::weld::weld;

/// Distance over the size of the body below which points are merged (1): far above rounding, far
/// below the shortest edge.
const WELD_TOLERANCE: f64 = 1e-9;
/// Coincident crack faces of a body at rest.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// The two pieces of every contact, and its area (m²).
    areas: Vec<([u32; 2], f64)>,
    /// Mean edge of the crack faces (m).
    edge: f64,
}

#[derive(Clone, Copy)]
struct Face {
    vertices: [u32; 3],
    piece: u32,
}

impl Contacts {
    /// Contacts of a surface; `rest`: rest positions of its vertices (m).
    pub fn new(surface: &Surface, rest: &[Vec3]) -> Contacts {
        let size = Aabb::from_points(rest).size().max().max(f64::MIN_POSITIVE);
        let tolerance = WELD_TOLERANCE * size;
        let same = weld(rest, tolerance);
        let own = (0..surface.triangles.len()).filter(|&triangle| surface.is_crack(triangle));
        let faces: Vec<Face> = own
            .map(|triangle| {
                let vertices = surface.triangles[triangle].map(|vertex| same[vertex as usize]);
                Face { vertices, piece: surface.piece_of(triangle) }
            })
            .collect();
        let around = |face: &Face| -> f64 {
            let [a, b, c] = face.vertices.map(|vertex| rest[vertex as usize]);
            (b - a).norm() + (c - b).norm() + (a - c).norm()
        };
        let edge = faces.iter().map(around).sum::<f64>() / (3 * faces.len().max(1)) as f64;
        let mut contacts = Contacts { areas: Vec::new(), edge };
        let unmatched = contacts.pair(&faces, rest);
        contacts.overlay(&unmatched, rest, tolerance);
        contacts
    }

    /// Mean edge of the crack faces (m); zero without any.
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Pairs of pieces, with the area (m²) of each contact.
    pub fn areas(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        self.areas.iter().copied()
    }

    /// Adds faces with equal corners on both sides; returns the unmatched faces.
    fn pair(&mut self, faces: &[Face], rest: &[Vec3]) -> Vec<Face> {
        let mut order: Vec<([u32; 3], bool, Face)> = Vec::with_capacity(faces.len());
        for face in faces {
            let mut sorted = face.vertices;
            sorted.sort_unstable();
            if sorted[0] == sorted[1] || sorted[1] == sorted[2] {
                continue;
            }
            let first = face.vertices.iter().position(|vertex| *vertex == sorted[0]).unwrap_or(0);
            order.push((sorted, face.vertices[(first + 1) % 3] == sorted[1], *face));
        }
        order.sort_by_key(|(sorted, forward, face)| (*sorted, *forward, face.piece));
        let mut unmatched = Vec::new();
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            match same {
                [(_, false, one), (_, true, other)] => {
                    self.areas.push(([one.piece, other.piece], 0.5 * normal(rest, &one.vertices).norm()));
                }
                _ => unmatched.extend(same.iter().map(|(_, _, face)| *face)),
            }
        }
        unmatched
    }

    /// Adds the common areas of faces that partly overlap.
    fn overlay(&mut self, faces: &[Face], rest: &[Vec3], tolerance: f64) {
        let corners = |face: &Face| face.vertices.map(|vertex| rest[vertex as usize]);
        let boxes: Vec<Aabb> = faces.iter().map(|face| Aabb::from_points(&corners(face)).grown(tolerance)).collect();
        let Ok(tree) = Bvh::build(&boxes) else { return };
        let mut pairs = Vec::new();
        tree.self_pairs(&boxes, |one, other| pairs.push([one, other]));
        pairs.sort_unstable();
        for [one, other] in pairs.into_iter().map(|pair| pair.map(|face| &faces[face as usize])) {
            if normal(rest, &one.vertices).dot(&normal(rest, &other.vertices)) >= 0.0 {
                continue;
            }
            let area = common_area(&corners(one), &corners(other), tolerance);
            self.areas.extend(area.map(|area| ([one.piece, other.piece], area)));
        }
    }
}

/// Normal with twice the triangle's area as length (m²).
fn normal(rest: &[Vec3], vertices: &[u32; 3]) -> Vec3 {
    let [a, b, c] = vertices.map(|vertex| rest[vertex as usize]);
    (b - a).cross(&(c - a))
}

/// Common area (m²) of two coplanar triangles that face each other.
fn common_area(one: &[Vec3; 3], other: &[Vec3; 3], tolerance: f64) -> Option<f64> {
    let normal = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0);
    let (first, second) = (normal(one)?, normal(other)?);
    let is_flat = |normal: &Vec3, from: &Vec3, points: &[Vec3; 3]| {
        points.iter().all(|point| (point - from).dot(normal).abs() <= 10.0 * tolerance)
    };
    // The larger triangle defines the plane: the normal of a sliver is inaccurate.
    let large = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).norm();
    let flat =
        if large(one) >= large(other) { is_flat(&first, &one[0], other) } else { is_flat(&second, &other[0], one) };
    if !flat {
        return None;
    }
    let mut polygon = one.to_vec();
    for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|edge| edge.map(|corner| other[corner])) {
        let inward = second.cross(&(to - from)).try_normalize(0.0)?;
        polygon = clipped(&polygon, &from, &inward, tolerance);
    }
    if polygon.len() < 3 {
        return None;
    }
    let fan = polygon[1..].windows(2).map(|pair| (pair[0] - polygon[0]).cross(&(pair[1] - polygon[0])));
    let area = 0.5 * fan.sum::<Vec3>().norm();
    // A touching edge gives an area of at most the tolerance times its length; small overlaps
    // exceed that.
    let longest = polygon.iter().map(|point| (point - polygon[0]).norm()).fold(0.0, f64::max);
    (area > 4.0 * tolerance * longest).then_some(area)
}

/// Clips a convex polygon by a line (Sutherland & Hodgman 1974).
fn clipped(polygon: &[Vec3], from: &Vec3, inward: &Vec3, tolerance: f64) -> Vec<Vec3> {
    let height = |point: &Vec3| (point - from).dot(inward);
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (index, point) in polygon.iter().enumerate() {
        let next = &polygon[(index + 1) % polygon.len()];
        let (here, there) = (height(point), height(next));
        if here >= -tolerance {
            kept.push(*point);
        }
        if here.abs() > tolerance && there.abs() > tolerance && (here > 0.0) != (there > 0.0) {
            kept.push(point + here / (here - there) * (next - point));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::{Data, names};

    /// A square crack in the plane z = 0 between piece 0 below and piece 1 above, triangulated
    /// along different diagonals.
    fn crossed() -> (Surface, Vec<Vec3>) {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        let rest = [corners, corners].concat();
        let mut surface = Surface {
            positions: rest.clone(),
            triangles: vec![[0, 1, 2], [0, 2, 3], [4, 7, 5], [5, 7, 6]],
            ..Surface::default()
        };
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1, 1]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 4]));
        (surface, rest)
    }

    #[test]
    fn differently_triangulated_sides_give_their_common_areas() {
        let (surface, rest) = crossed();
        let contacts = Contacts::new(&surface, &rest);
        assert_eq!(contacts.areas().count(), 4);
        assert!(contacts.areas().all(|(sides, area)| sides[0] + sides[1] == 1 && (area - 0.25).abs() < 1e-12));
    }

    #[test]
    fn small_overlaps_count_and_touching_edges_do_not() {
        let triangle = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]].map(Vec3::from);
        let facing = |x: f64| {
            let [a, b, c] = triangle(x);
            [a, c, b]
        };
        // The corner of one triangle lies in the other.
        for size in [1e-2, 1e-5, 1e-7] {
            let area = common_area(&triangle(0.0), &facing(1.0 - size), 1e-9).expect("a common part");
            assert!((area / (0.5 * size * size) - 1.0).abs() < 0.1, "{size} {area}");
        }
        assert!(common_area(&triangle(0.0), &facing(1.0), 1e-9).is_none());
        // Adjacent along an edge.
        let beside = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]].map(Vec3::from);
        assert!(common_area(&triangle(0.0), &beside, 1e-9).is_none());
    }

    #[test]
    fn faces_without_a_partner_have_no_contact() {
        let (mut surface, rest) = crossed();
        surface.triangles.pop();
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 3]));
        let half: f64 = Contacts::new(&surface, &rest).areas().map(|(_, area)| area).sum();
        assert!((half - 0.5).abs() < 1e-12);
        surface.triangles.truncate(2);
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 2]));
        assert_eq!(Contacts::new(&surface, &rest).areas().count(), 0);
    }
}
