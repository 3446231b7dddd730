//! Shape quality of elements.

use crate::id::{TetId, TriangleId};
use crate::mesh::{TetMesh, TriMesh};
use craze_math::{Vec3, tetrahedron, triangle};

/// The six edges of a tetrahedron, by corners; edge `i` is opposite edge `5 − i`.
pub const TETRAHEDRON_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Shape of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetQuality {
    /// Signed volume (m³).
    pub volume: f64,
    /// Smallest dihedral angle (rad); 1.231 in a regular tetrahedron.
    pub smallest_dihedral: f64,
    /// Largest dihedral angle (rad).
    pub largest_dihedral: f64,
    /// Three times the ratio of inradius to circumradius: 1 for a regular tetrahedron, 0 for a flat
    /// one.
    pub radius_ratio: f64,
    /// Smallest height (m), which limits the stable time step.
    pub shortest_altitude: f64,
    /// Shortest edge (m).
    pub shortest_edge: f64,
    /// Longest edge (m).
    pub longest_edge: f64,
}

/// Shape of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleQuality {
    /// Area (m²).
    pub area: f64,
    /// Smallest angle (rad); π/3 in an equilateral triangle.
    pub smallest_angle: f64,
    /// Largest angle (rad).
    pub largest_angle: f64,
    /// Twice the ratio of inradius to circumradius: 1 for an equilateral triangle, 0 for a
    /// degenerate one.
    pub radius_ratio: f64,
    /// Smallest height (m).
    pub shortest_altitude: f64,
    /// Shortest edge (m).
    pub shortest_edge: f64,
    /// Longest edge (m).
    pub longest_edge: f64,
}

/// Shape of a tetrahedron with these corners (m). A flat one has radius ratio and height zero.
pub fn tetrahedron_quality(corners: &[Vec3; 4]) -> TetQuality {
    let volume = tetrahedron::volume(corners);
    let [a, b, c, d] = corners;
    // Outward face normals, with length twice the area.
    let normals = [(c - b).cross(&(d - b)), (d - a).cross(&(c - a)), (b - a).cross(&(d - a)), (c - a).cross(&(b - a))];
    let (mut smallest_dihedral, mut largest_dihedral) = (f64::INFINITY, 0.0f64);
    let (mut shortest_edge, mut longest_edge) = (f64::INFINITY, 0.0f64);
    for (edge, &[start, end]) in TETRAHEDRON_EDGES.iter().enumerate() {
        // The faces at this edge are opposite the corners of the opposite edge.
        let [one, other] = TETRAHEDRON_EDGES[5 - edge];
        let across = normals[one].cross(&normals[other]).norm();
        let dihedral = across.atan2(-normals[one].dot(&normals[other]));
        smallest_dihedral = smallest_dihedral.min(dihedral);
        largest_dihedral = largest_dihedral.max(dihedral);
        let length = (corners[end] - corners[start]).norm();
        shortest_edge = shortest_edge.min(length);
        longest_edge = longest_edge.max(length);
    }
    let largest_face = normals.iter().map(|normal| normal.norm()).fold(0.0, f64::max);
    let surface: f64 = normals.iter().map(|normal| 0.5 * normal.norm()).sum();
    // Crelle's formula for the circumradius: R = √(s(s−p)(s−q)(s−r)) / (6·volume) with the products
    // p, q, r of opposite edges and s half their sum.
    let length = |edge: usize| {
        let [start, end] = TETRAHEDRON_EDGES[edge];
        (corners[end] - corners[start]).norm()
    };
    let [p, q, r] = [length(0) * length(5), length(1) * length(4), length(2) * length(3)];
    let product = (p + q + r) * (q + r - p).max(0.0) * (p + r - q).max(0.0) * (p + q - r).max(0.0) / 16.0;
    let ratio = 3.0 * (3.0 * volume / surface) * (6.0 * volume.abs()) / product.sqrt();
    TetQuality {
        volume,
        smallest_dihedral,
        largest_dihedral,
        radius_ratio: if ratio.is_finite() { ratio } else { 0.0 },
        shortest_altitude: if largest_face > 0.0 { 6.0 * volume / largest_face } else { 0.0 },
        shortest_edge,
        longest_edge,
    }
}

/// Shape of a triangle with these corners (m). A degenerate one has radius ratio and height zero.
pub fn triangle_quality(corners: &[Vec3; 3]) -> TriangleQuality {
    let area = triangle::area(corners);
    let (mut smallest_angle, mut largest_angle) = (f64::INFINITY, 0.0f64);
    let mut lengths = [0.0; 3];
    for corner in 0..3 {
        let [here, next, last] = [0, 1, 2].map(|step| corners[(corner + step) % 3]);
        let (forward, backward) = (next - here, last - here);
        let angle = forward.cross(&backward).norm().atan2(forward.dot(&backward));
        smallest_angle = smallest_angle.min(angle);
        largest_angle = largest_angle.max(angle);
        lengths[corner] = forward.norm();
    }
    let longest_edge = lengths.iter().copied().fold(0.0, f64::max);
    // Inradius 2A/(a+b+c), circumradius abc/(4A).
    let ratio = 16.0 * area * area / (lengths.iter().sum::<f64>() * lengths.iter().product::<f64>());
    TriangleQuality {
        area,
        smallest_angle,
        largest_angle,
        radius_ratio: if ratio.is_finite() { ratio } else { 0.0 },
        shortest_altitude: if longest_edge > 0.0 { 2.0 * area / longest_edge } else { 0.0 },
        shortest_edge: lengths.iter().copied().fold(f64::INFINITY, f64::min),
        longest_edge,
    }
}

impl TetMesh {
    /// Shape of a tetrahedron in the rest state.
    pub fn quality(&self, tetrahedron: TetId) -> TetQuality {
        tetrahedron_quality(&self.corners(tetrahedron))
    }
}

impl TriMesh {
    /// Shape of a triangle in the rest state.
    pub fn quality(&self, triangle: TriangleId) -> TriangleQuality {
        triangle_quality(&self.corners(triangle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tetrahedron_is_perfect() {
        let corners = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
        let quality = tetrahedron_quality(&corners);
        assert!((quality.volume - 8.0 / 3.0).abs() < 1e-14);
        assert!((quality.radius_ratio - 1.0).abs() < 1e-14);
        let dihedral = (1.0f64 / 3.0).acos();
        assert!((quality.smallest_dihedral - dihedral).abs() < 1e-14);
        assert!((quality.largest_dihedral - dihedral).abs() < 1e-14);
        assert!((quality.shortest_altitude - 4.0 / 3f64.sqrt()).abs() < 1e-14);
        assert!((quality.shortest_edge - 8f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn the_corner_tetrahedron_has_known_angles_and_radii() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
        let quality = tetrahedron_quality(&corners);
        // Inradius 1/(3+√3), circumradius √3/2.
        assert!((quality.radius_ratio - 3.0 / (3.0 + 3f64.sqrt()) * 2.0 / 3f64.sqrt()).abs() < 1e-14);
        assert!((quality.largest_dihedral - std::f64::consts::FRAC_PI_2).abs() < 1e-14);
        assert!((quality.smallest_dihedral - (1.0 / 3f64.sqrt()).acos()).abs() < 1e-14);
        assert!((quality.shortest_altitude - 1.0 / 3f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn flat_elements_have_no_quality_and_no_nan() {
        let flat = tetrahedron_quality(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]].map(Vec3::from));
        assert_eq!((flat.radius_ratio, flat.shortest_altitude), (0.0, 0.0));
        let point = tetrahedron_quality(&[Vec3::zeros(); 4]);
        assert_eq!((point.radius_ratio, point.shortest_altitude), (0.0, 0.0));
        assert_eq!(triangle_quality(&[Vec3::zeros(); 3]).radius_ratio, 0.0);
    }

    #[test]
    fn an_equilateral_triangle_is_perfect() {
        let quality = triangle_quality(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from));
        assert!((quality.radius_ratio - 1.0).abs() < 1e-14);
        assert!((quality.smallest_angle - std::f64::consts::FRAC_PI_3).abs() < 1e-14);
        assert!((quality.largest_angle - std::f64::consts::FRAC_PI_3).abs() < 1e-14);
        assert!((quality.shortest_altitude - 1.5f64.sqrt()).abs() < 1e-14);
    }
}
