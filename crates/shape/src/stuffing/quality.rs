//! Dihedral angles of tetrahedra, by their cosines.

use craze_math::Vec3;
use craze_math::tetrahedron::smallest_height;
use craze_mesh::TetMesh;

/// Range of dihedral angles (degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DihedralRange {
    /// Smallest angle; 180 for an empty range.
    pub smallest: f64,
    /// Largest angle; 0 for an empty range.
    pub largest: f64,
}

impl Default for DihedralRange {
    fn default() -> Self {
        Self { smallest: 180.0, largest: 0.0 }
    }
}

impl DihedralRange {
    #[cfg(test)]
    pub(super) fn of_all(positions: &[Vec3], tetrahedra: &[[u32; 4]]) -> Self {
        let range = |corners: &[u32; 4]| DihedralCosines::of(&corners.map(|corner| positions[corner as usize])).range();
        tetrahedra.iter().map(range).fold(Self::default(), Self::combined)
    }

    /// The range of one tetrahedron.
    pub fn of(corners: &[Vec3; 4]) -> Self {
        DihedralCosines::of(corners).range()
    }

    /// The union of both ranges.
    pub(crate) fn combined(self, other: Self) -> Self {
        Self { smallest: self.smallest.min(other.smallest), largest: self.largest.max(other.largest) }
    }
}

/// Cosines of the smallest and largest dihedral angle of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DihedralCosines {
    /// The largest cosine.
    pub(super) of_smallest: f64,
    /// The smallest cosine.
    pub(super) of_largest: f64,
}

impl DihedralCosines {
    /// The cosines of a tetrahedron; 1 and −1 for flat and inverted ones.
    pub(super) fn of(corners: &[Vec3; 4]) -> Self {
        let [a, b, c, d] = corners;
        let (ab, ac, ad) = (b - a, c - a, d - a);
        let (bc, bd) = (c - b, d - b);
        let normals = [bc.cross(&bd), ad.cross(&ac), ab.cross(&ad), ac.cross(&ab)];
        let lengths = normals.map(|normal| normal.norm());
        // The outward normal makes −normal · ad six times the volume.
        if !(-normals[3].dot(&ad) > 0.0) || lengths.contains(&0.0) {
            return Self { of_smallest: 1.0, of_largest: -1.0 };
        }
        let (mut of_smallest, mut of_largest) = (-1.0_f64, 1.0_f64);
        for one in 0..4 {
            for other in one + 1..4 {
                let cosine = -normals[one].dot(&normals[other]) / (lengths[one] * lengths[other]);
                of_smallest = of_smallest.max(cosine);
                of_largest = of_largest.min(cosine);
            }
        }
        Self { of_smallest, of_largest }
    }

    pub(super) fn range(self) -> DihedralRange {
        let degrees = |cosine: f64| cosine.clamp(-1.0, 1.0).acos().to_degrees();
        DihedralRange { smallest: degrees(self.of_smallest), largest: degrees(self.of_largest) }
    }
}

/// Mean edge length (m) of the surface triangles.
pub(super) fn mean_surface_edge(mesh: &TetMesh) -> f64 {
    let triangles = mesh.boundary().triangles;
    let around = |[a, b, c]: &[craze_mesh::NodeId; 3]| {
        let [a, b, c] = [a, b, c].map(|node| mesh.position(*node));
        (b - a).norm() + (c - b).norm() + (a - c).norm()
    };
    triangles.iter().map(around).sum::<f64>() / (3 * triangles.len().max(1)) as f64
}

pub(super) fn smallest_height_of_all(mesh: &TetMesh) -> f64 {
    mesh.element_ids().map(|element| smallest_height(&mesh.corners(element))).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_mesh::tetrahedron_quality;

    #[test]
    fn cosines_agree_with_the_angles_of_the_mesh_crate() {
        let corners = [Vec3::zeros(), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.3, 0.9, -0.1), Vec3::new(0.2, 0.3, 0.4)];
        let quality = tetrahedron_quality(&corners);
        let range = DihedralCosines::of(&corners).range();
        assert!((range.smallest - quality.smallest_dihedral.to_degrees()).abs() < 1e-9);
        assert!((range.largest - quality.largest_dihedral.to_degrees()).abs() < 1e-9);
    }

    #[test]
    fn inverted_and_flat_tetrahedra_have_the_worst_angles() {
        let mut corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        assert!(DihedralCosines::of(&corners).of_largest > -1e-15);
        corners.swap(0, 1);
        assert_eq!(DihedralCosines::of(&corners), DihedralCosines { of_smallest: 1.0, of_largest: -1.0 });
        assert_eq!(DihedralCosines::of(&[Vec3::zeros(); 4]).of_smallest, 1.0);
        assert_eq!(DihedralCosines::of(&[Vec3::repeat(f64::NAN); 4]).of_smallest, 1.0);
    }
}
