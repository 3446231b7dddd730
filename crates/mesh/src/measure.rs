//! Size and orientation of an element.

use craze_math::{Vec3, tetrahedron, triangle};

/// Signed volume of a tetrahedron, area of a triangle.
///
/// The rounded value from which forces and masses are computed, not an exact predicate: an element
/// with a volume that rounds to zero is degenerate for the physics.
pub trait Measure {
    /// Signed volume (m³) of a tetrahedron, positive if corners 1, 2, 3 are counterclockwise seen
    /// from outside; area (m²) of a triangle.
    fn measure(&self) -> f64;

    /// True if an element that moved from `before` has the same orientation: positive volume of a
    /// tetrahedron, normals less than 90° apart for a triangle.
    fn has_same_orientation(&self, before: &Self) -> bool;
}

impl Measure for [Vec3; 4] {
    fn measure(&self) -> f64 {
        tetrahedron::volume(self)
    }

    fn has_same_orientation(&self, _before: &Self) -> bool {
        self.measure() > 0.0
    }
}

impl Measure for [Vec3; 3] {
    fn measure(&self) -> f64 {
        triangle::area(self)
    }

    fn has_same_orientation(&self, before: &Self) -> bool {
        triangle::area_vector(self).dot(&triangle::area_vector(before)) > 0.0
    }
}
