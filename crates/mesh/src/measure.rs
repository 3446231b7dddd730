//! Size and orientation of one element.

use craze_math::{Vec3, tetrahedron, triangle};

/// How much space an element fills: a tetrahedron's signed volume, a triangle's area.
///
/// It is the rounded number that forces and masses are made of, not an exact predicate: an element whose volume rounds
/// to zero is as useless to physics as a flat one.
pub trait Measure {
    /// Signed volume (m³) of a tetrahedron, positive if its corners 1, 2, 3 run counter-clockwise seen from outside;
    /// area (m²) of a triangle.
    fn measure(&self) -> f64;

    /// Whether an element that moved from `before` to here still faces the same way: positive volume for a
    /// tetrahedron, normals less than a right angle apart for a triangle.
    fn faces_like(&self, before: &Self) -> bool;
}

impl Measure for [Vec3; 4] {
    fn measure(&self) -> f64 {
        tetrahedron::volume(self)
    }

    fn faces_like(&self, _before: &Self) -> bool {
        self.measure() > 0.0
    }
}

impl Measure for [Vec3; 3] {
    fn measure(&self) -> f64 {
        triangle::area(self)
    }

    fn faces_like(&self, before: &Self) -> bool {
        triangle::area_vector(self).dot(&triangle::area_vector(before)) > 0.0
    }
}
