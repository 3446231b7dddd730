//! Vertex normals: smooth over gentle bends, sharp at edges.

use craze_math::Vec3;

use crate::parts::Part;
use crate::tuning::MIN_SMOOTH_COSINE;

/// A part with vertices duplicated where their normals differ.
pub(crate) struct Shaded {
    /// The part's vertex of each vertex.
    pub sources: Vec<u32>,
    /// Unit normal of each vertex.
    pub normals: Vec<[f32; 3]>,
    /// Triangles of the part over the new vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// Computes corner normals: the mean over faces around the vertex, weighted by their corner angles,
/// without faces across a sharp edge or a crack border. Corners with equal normals share a vertex.
///
/// Degenerate triangles do not contribute; without any contribution the normal points up.
pub(crate) fn shade(part: &Part) -> Shaded {
    let face_normals: Vec<Vec3> = part.triangles.iter().map(|triangle| face_normal(part, triangle)).collect();
    let around = corners_around(part);
    let mut shaded = Shaded { sources: Vec::new(), normals: Vec::new(), triangles: part.triangles.clone() };
    for (vertex, corners) in around.chunk_by(|one, other| one.0 == other.0).map(|corners| (corners[0].0, corners)) {
        let first = shaded.sources.len();
        for &(_, face, place) in corners {
            let (face, place) = (face as usize, place as usize);
            let mut sum = Vec3::zeros();
            for &(_, other, other_place) in corners {
                let (other, other_place) = (other as usize, other_place as usize);
                let smooth = face_normals[face].dot(&face_normals[other]) >= MIN_SMOOTH_COSINE;
                if part.crack[face] == part.crack[other] && (smooth || face == other) {
                    sum += face_normals[other] * corner_angle(part, &part.triangles[other], other_place);
                }
            }
            let normal = sum.try_normalize(0.0).unwrap_or(Vec3::y()).map(|coordinate| coordinate as f32).into();
            let known = shaded.normals[first..].iter().position(|other| *other == normal);
            let index = first
                + known.unwrap_or_else(|| {
                    shaded.sources.push(vertex);
                    shaded.normals.push(normal);
                    shaded.normals.len() - 1 - first
                });
            shaded.triangles[face][place] = index as u32;
        }
    }
    shaded
}

/// (vertex, face, corner) of all corners, sorted by vertex.
fn corners_around(part: &Part) -> Vec<(u32, u32, u32)> {
    let mut corners: Vec<(u32, u32, u32)> = Vec::with_capacity(3 * part.triangles.len());
    for (face, triangle) in part.triangles.iter().enumerate() {
        corners.extend((0..3).map(|place| (triangle[place as usize], face as u32, place)));
    }
    corners.sort_unstable();
    corners
}

/// Unit normal by the right-hand rule; zero for a degenerate triangle.
fn face_normal(part: &Part, triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|vertex| part.positions[vertex as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// Angle at a corner of a triangle (rad).
fn corner_angle(part: &Part, triangle: &[u32; 3], place: usize) -> f64 {
    let position = |place: usize| part.positions[triangle[place % 3] as usize];
    let along = position(place + 1) - position(place);
    let back = position(place + 2) - position(place);
    along.cross(&back).norm().atan2(along.dot(&back))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles over a square of edge 1 m; the last corner is lifted by `lift` (m).
    fn fold(lift: f64, crack: [bool; 2]) -> Part {
        Part {
            piece: 0,
            positions: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, lift)],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            crack: crack.to_vec(),
            faces: Vec::new(),
        }
    }

    #[test]
    fn a_flat_surface_keeps_its_vertices_and_has_one_normal() {
        let shaded = shade(&fold(0.0, [false; 2]));
        assert_eq!(shaded.sources, [0, 1, 2, 3]);
        assert_eq!(shaded.normals, [[0.0, 0.0, 1.0]; 4]);
        assert_eq!(shaded.triangles, [[0, 1, 2], [1, 3, 2]]);
    }

    #[test]
    fn a_gentle_bend_is_smooth_and_a_sharp_one_is_split() {
        assert_eq!(shade(&fold(0.2, [false; 2])).sources.len(), 4);
        let sharp = shade(&fold(2.0, [false; 2]));
        assert_eq!(sharp.sources.len(), 6);
        assert_eq!(sharp.normals[sharp.triangles[0][1] as usize], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_border_of_a_crack_is_sharp() {
        assert_eq!(shade(&fold(0.2, [false, true])).sources.len(), 6);
    }

    #[test]
    fn a_degenerate_triangle_gets_a_unit_normal() {
        let mut part = fold(0.0, [false; 2]);
        part.positions = vec![Vec3::zeros(); 4];
        assert!(shade(&part).normals.iter().all(|normal| *normal == [0.0, 1.0, 0.0]));
    }
}
