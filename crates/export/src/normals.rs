//! Vertex normals: smooth over gentle bends, sharp at edges.

use craze_frame::corner_normals;
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

/// Duplicates vertices so that each has one normal: see [`corner_normals`]. Crack faces and outer
/// faces share no normals. Without any contribution the normal points up.
pub(crate) fn shade(part: &Part) -> Shaded {
    let normals = corner_normals(&part.positions, &part.triangles, &part.crack, MIN_SMOOTH_COSINE);
    let mut shaded = Shaded { sources: Vec::new(), normals: Vec::new(), triangles: part.triangles.clone() };
    // Corners by vertex.
    let mut corners: Vec<(u32, usize, usize)> = Vec::with_capacity(3 * part.triangles.len());
    for (face, triangle) in part.triangles.iter().enumerate() {
        corners.extend((0..3).map(|corner| (triangle[corner], face, corner)));
    }
    corners.sort_unstable();
    for corners in corners.chunk_by(|one, other| one.0 == other.0) {
        let first = shaded.sources.len();
        for &(vertex, face, corner) in corners {
            let normal = normals[face][corner];
            let normal = if normal == Vec3::zeros() { Vec3::y() } else { normal };
            let normal = normal.map(|coordinate| coordinate as f32).into();
            let known = shaded.normals[first..].iter().position(|other| *other == normal);
            let index = first
                + known.unwrap_or_else(|| {
                    shaded.sources.push(vertex);
                    shaded.normals.push(normal);
                    shaded.normals.len() - 1 - first
                });
            shaded.triangles[face][corner] = index as u32;
        }
    }
    shaded
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
