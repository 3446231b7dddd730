//! Which pieces touch along cracks, and how much.
//!
//! A crack opens two faces with the same corners. Later cracks may cut one of them further: then a face of one side lies on several of the
//! other, and the common parts are found by clipping one by the other in their common plane.

use craze_frame::Surface;
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh};

use crate::weld::weld;

/// Distance (in sizes of the body) within which points are one: far above rounding, far below the smallest edge.
const SAME: f64 = 1e-9;
/// The crack faces of a body at rest that lie on each other.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// The pieces on both sides of every common part, and its area (m²).
    areas: Vec<([u32; 2], f64)>,
    /// Mean edge of the crack faces (m).
    edge: f64,
}

/// A crack face of one piece.
#[derive(Clone, Copy)]
struct Face {
    vertices: [u32; 3],
    piece: u32,
}

impl Contacts {
    /// The contacts of a surface whose vertices were at `rest` (m) before it broke.
    pub fn of(surface: &Surface, rest: &[Vec3]) -> Contacts {
        let size = Aabb::from_points(rest).size().max().max(f64::MIN_POSITIVE);
        let tolerance = SAME * size;
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
        let alone = contacts.pair(&faces, rest);
        contacts.overlay(&alone, rest, tolerance);
        contacts
    }

    /// Mean edge of the crack faces (m); zero without any.
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Pairs of pieces, with the area (m²) of each of their contacts.
    pub fn areas(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        self.areas.iter().copied()
    }

    /// Takes the faces with the same corners on both sides; gives back the others.
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
        let mut alone = Vec::new();
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            match same {
                [(_, false, one), (_, true, other)] => {
                    self.areas.push(([one.piece, other.piece], 0.5 * normal(rest, &one.vertices).norm()));
                }
                _ => alone.extend(same.iter().map(|(_, _, face)| *face)),
            }
        }
        alone
    }

    /// Finds the common parts of faces that lie on each other.
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

/// Twice the area by the normal (m²).
fn normal(rest: &[Vec3], vertices: &[u32; 3]) -> Vec3 {
    let [a, b, c] = vertices.map(|vertex| rest[vertex as usize]);
    (b - a).cross(&(c - a))
}

/// The area (m²) that two triangles in one plane, which face each other, have in common.
fn common_area(one: &[Vec3; 3], other: &[Vec3; 3], tolerance: f64) -> Option<f64> {
    let normal = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0);
    let (first, second) = (normal(one)?, normal(other)?);
    let is_flat = |normal: &Vec3, from: &Vec3, points: &[Vec3; 3]| {
        points.iter().all(|point| (point - from).dot(normal).abs() <= 10.0 * tolerance)
    };
    // A sliver's own normal means little: the larger triangle tells the plane.
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
    // What only touches is as long as it likes but no wider than the tolerance; what is small all over is a part as any other.
    let longest = polygon.iter().map(|point| (point - polygon[0]).norm()).fold(0.0, f64::max);
    (area > 4.0 * tolerance * longest).then_some(area)
}

/// The part of a convex polygon on the inner side of a line.
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

    /// A square crack in the plane z = 0 between piece 0 below, whose face is cut along one diagonal, and piece 1 above, cut along the
    /// other.
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
    fn faces_cut_differently_are_divided_into_what_they_have_in_common() {
        let (surface, rest) = crossed();
        let contacts = Contacts::of(&surface, &rest);
        assert_eq!(contacts.areas().count(), 4);
        assert!(contacts.areas().all(|(sides, area)| sides[0] + sides[1] == 1 && (area - 0.25).abs() < 1e-12));
    }

    #[test]
    fn small_common_parts_of_large_faces_count_and_touching_ones_do_not() {
        let triangle = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]].map(Vec3::from);
        let facing = |x: f64| {
            let [a, b, c] = triangle(x);
            [a, c, b]
        };
        // The corner of one lies in the other: a triangle of this size is common.
        for size in [1e-2, 1e-5, 1e-7] {
            let area = common_area(&triangle(0.0), &facing(1.0 - size), 1e-9).expect("a common part");
            assert!((area / (0.5 * size * size) - 1.0).abs() < 0.1, "{size} {area}");
        }
        assert!(common_area(&triangle(0.0), &facing(1.0), 1e-9).is_none());
        // Side by side along an edge.
        let beside = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]].map(Vec3::from);
        assert!(common_area(&triangle(0.0), &beside, 1e-9).is_none());
    }

    #[test]
    fn what_lies_on_nothing_does_not_count() {
        let (mut surface, rest) = crossed();
        surface.triangles.pop();
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 3]));
        let half: f64 = Contacts::of(&surface, &rest).areas().map(|(_, area)| area).sum();
        assert!((half - 0.5).abs() < 1e-12);
        surface.triangles.truncate(2);
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 2]));
        assert_eq!(Contacts::of(&surface, &rest).areas().count(), 0);
    }
}
