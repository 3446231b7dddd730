//! Which crack faces lie on which.
//!
//! A crack opens two faces with the same corners. Later cracks may cut one of them further: then a face of one side lies on several of the
//! other, and the common parts are found by clipping one by the other in their common plane.

use craze_frame::Surface;
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, TriangleTree};

use crate::weld::weld;

/// Stands for the piece on the far side of a face that lies on none.
pub const NOBODY: u32 = u32::MAX;

/// Distance (in sizes of the body) within which points are one: far above rounding, far below the smallest edge.
const SAME: f64 = 1e-9;
/// Share of a face's area that may stay uncovered for reasons of rounding.
const COVERED: f64 = 1e-5;

/// A convex part of a crack face.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// Counterclockwise seen from before it.
    pub corners: Vec<u32>,
    /// The pieces behind and before it.
    pub sides: [u32; 2],
    /// Area (m²).
    pub area: f64,
}

/// The crack faces of a body at rest, each with the pieces on both sides.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Where the points are (m).
    pub(crate) positions: Vec<Vec3>,
    /// Mean outward normals of the old surface at its points, not normalised; zero within the body.
    pub(crate) outward: Vec<Vec3>,
    pub(crate) cells: Vec<Cell>,
    /// Distance within which points are one (m).
    pub(crate) tolerance: f64,
    /// Mean edge of the crack faces (m).
    pub(crate) edge: f64,
    /// Faces of which only a part lies on the other side.
    pub(crate) uncovered: usize,
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
        let size = Aabb::around(rest).size().max().max(f64::MIN_POSITIVE);
        let tolerance = SAME * size;
        let same = weld(rest, tolerance);
        let welded = |triangle: usize| surface.triangles[triangle].map(|vertex| same[vertex as usize]);
        let mut outward = vec![Vec3::zeros(); rest.len()];
        let (mut faces, mut skin) = (Vec::new(), Vec::new());
        for triangle in 0..surface.triangles.len() {
            let vertices = welded(triangle);
            if surface.is_crack(triangle) {
                faces.push(Face { vertices, piece: surface.piece_of(triangle) });
            } else {
                let [a, b, c] = vertices.map(|vertex| rest[vertex as usize]);
                let normal = (b - a).cross(&(c - a));
                vertices.iter().for_each(|&vertex| outward[vertex as usize] += normal);
                skin.push(vertices);
            }
        }
        let around = |face: &Face| -> f64 {
            let [a, b, c] = face.vertices.map(|vertex| rest[vertex as usize]);
            (b - a).norm() + (c - b).norm() + (a - c).norm()
        };
        let edge = faces.iter().map(around).sum::<f64>() / (3 * faces.len().max(1)) as f64;
        let mut contacts =
            Contacts { positions: rest.to_vec(), outward, cells: Vec::new(), tolerance, edge, uncovered: 0 };
        let rest_of = contacts.pair(&faces);
        contacts.overlay(&rest_of);
        contacts.find_skin(&skin);
        contacts
    }

    /// Pairs of pieces, with the area (m²) of each of their contacts.
    pub fn areas(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        self.cells.iter().filter(|cell| !cell.sides.contains(&NOBODY)).map(|cell| (cell.sides, cell.area))
    }

    /// Finds the points of cracks that lie on the old surface without being corners of it: a crack that runs along an edge may have divided it
    /// for some of the pieces only.
    fn find_skin(&mut self, skin: &[[u32; 3]]) {
        let Ok(tree) = TriangleTree::new(&self.positions, skin) else { return };
        let mut used: Vec<u32> = self.cells.iter().flat_map(|cell| cell.corners.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|&vertex| self.outward[vertex as usize] == Vec3::zeros());
        for vertex in used {
            let within = tree.closest_within(&self.positions[vertex as usize], 10.0 * self.tolerance);
            if let Some(closest) = within {
                let corners = skin[closest.triangle as usize];
                let part = |corner: usize| closest.barycentric[corner] * self.outward[corners[corner] as usize];
                self.outward[vertex as usize] = part(0) + part(1) + part(2);
            }
        }
    }

    /// Takes the faces with the same corners on both sides; gives back the others.
    fn pair(&mut self, faces: &[Face]) -> Vec<Face> {
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
                    let area = 0.5 * self.normal(&one.vertices).norm();
                    let sides = [one.piece, other.piece];
                    self.cells.push(Cell { corners: one.vertices.to_vec(), sides, area });
                }
                _ => alone.extend(same.iter().map(|(_, _, face)| *face)),
            }
        }
        alone
    }

    /// Twice the area by the normal (m²).
    fn normal(&self, vertices: &[u32; 3]) -> Vec3 {
        let [a, b, c] = vertices.map(|vertex| self.positions[vertex as usize]);
        (b - a).cross(&(c - a))
    }

    /// Finds the common parts of faces that lie on each other.
    fn overlay(&mut self, faces: &[Face]) {
        let corners = |face: &Face| face.vertices.map(|vertex| self.positions[vertex as usize]);
        let boxes: Vec<Aabb> = faces.iter().map(|face| Aabb::around(&corners(face)).grown(self.tolerance)).collect();
        let Ok(tree) = Bvh::build(&boxes) else { return };
        let mut pairs = Vec::new();
        tree.self_pairs(&boxes, |one, other| pairs.push([one, other]));
        pairs.sort_unstable();
        let mut covered = vec![0.0; faces.len()];
        let mut found: Vec<(Vec<Vec3>, [u32; 2], f64)> = Vec::new();
        for [one, other] in pairs {
            let (first, second) = (&faces[one as usize], &faces[other as usize]);
            if self.normal(&first.vertices).dot(&self.normal(&second.vertices)) >= 0.0 {
                continue;
            }
            if let Some((polygon, area)) = common(&corners(first), &corners(second), self.tolerance) {
                covered[one as usize] += area;
                covered[other as usize] += area;
                found.push((polygon, [first.piece, second.piece], area));
            }
        }
        let mut points = self.positions.clone();
        for (face, covered) in faces.iter().zip(covered) {
            let area = 0.5 * self.normal(&face.vertices).norm();
            let slack = COVERED * area + 10.0 * self.tolerance * area.sqrt();
            if covered <= slack {
                let corners = face.vertices.to_vec();
                self.cells.push(Cell { corners, sides: [face.piece, NOBODY], area });
            } else if covered < area - slack {
                self.uncovered += 1;
            }
        }
        let first_cell = self.cells.len();
        for (polygon, sides, area) in found {
            let first = points.len() as u32;
            points.extend_from_slice(&polygon);
            self.cells.push(Cell { corners: (first..first + polygon.len() as u32).collect(), sides, area });
        }
        let same = weld(&points, self.tolerance);
        for cell in &mut self.cells[first_cell..] {
            cell.corners.iter_mut().for_each(|corner| *corner = same[*corner as usize]);
            cell.corners.dedup();
            if cell.corners.first() == cell.corners.last() {
                cell.corners.pop();
            }
        }
        self.cells.retain(|cell| cell.corners.len() >= 3);
        self.outward.resize(points.len(), Vec3::zeros());
        self.positions = points;
    }
}

/// The polygon that two triangles in one plane, which face each other, have in common, turning as the first, and its area (m²).
fn common(one: &[Vec3; 3], other: &[Vec3; 3], tolerance: f64) -> Option<(Vec<Vec3>, f64)> {
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
    (area > 4.0 * tolerance * longest).then_some((polygon, area))
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
        assert_eq!((contacts.cells.len(), contacts.uncovered), (4, 0));
        assert!(
            contacts.cells.iter().all(|cell| cell.sides[0] + cell.sides[1] == 1 && (cell.area - 0.25).abs() < 1e-12)
        );
        let mut used: Vec<u32> = contacts.cells.iter().flat_map(|cell| cell.corners.clone()).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 5, "four corners and the middle, once");
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
            let (polygon, area) = common(&triangle(0.0), &facing(1.0 - size), 1e-9).expect("a common part");
            assert!(polygon.len() >= 3 && (area / (0.5 * size * size) - 1.0).abs() < 0.1, "{size} {area}");
        }
        assert!(common(&triangle(0.0), &facing(1.0), 1e-9).is_none());
        // Side by side along an edge.
        let beside = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]].map(Vec3::from);
        assert!(common(&triangle(0.0), &beside, 1e-9).is_none());
    }

    #[test]
    fn a_face_on_nothing_faces_nobody() {
        let (mut surface, rest) = crossed();
        surface.triangles.truncate(2);
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 2]));
        let contacts = Contacts::of(&surface, &rest);
        assert!(contacts.cells.iter().all(|cell| cell.sides == [0, NOBODY]));
        assert_eq!(contacts.areas().count(), 0);
    }

    #[test]
    fn a_face_that_is_partly_covered_is_counted() {
        let (mut surface, rest) = crossed();
        surface.triangles.pop();
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1]));
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 3]));
        assert_eq!(Contacts::of(&surface, &rest).uncovered, 2);
    }
}
