//! Size and orientation of one element.

use craze_math::Vec3;

/// How much space an element fills: a tetrahedron's signed volume, a triangle's area.
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
        let [a, b, c, d] = self;
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    }

    fn faces_like(&self, _before: &Self) -> bool {
        self.measure() > 0.0
    }
}

impl Measure for [Vec3; 3] {
    fn measure(&self) -> f64 {
        0.5 * doubled_area(self).norm()
    }

    fn faces_like(&self, before: &Self) -> bool {
        doubled_area(self).dot(&doubled_area(before)) > 0.0
    }
}

/// The triangle's normal, as long as twice its area (m²).
pub fn doubled_area([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}
