//! Corners of a box about the origin.

use craze_math::Vec3;

/// Its corners.
pub(super) fn support_points(half_size: &Vec3) -> Vec<(Vec3, f64)> {
    let corner = |index: usize| {
        let sign = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
        (half_size.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0)
    };
    (0..8).map(corner).collect()
}
