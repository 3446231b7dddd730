//! A box about the origin.

use super::SignedDistance;
use craze_math::Vec3;

pub(super) fn signed_distance(point: &Vec3, half_size: &Vec3) -> SignedDistance {
    let outside = point.abs() - half_size;
    let sign = point.map(|coordinate| if coordinate < 0.0 { -1.0 } else { 1.0 });
    let beyond = outside.sup(&Vec3::zeros());
    let distance = beyond.norm();
    if distance > 0.0 {
        return SignedDistance { distance, normal: beyond.component_mul(&sign) / distance };
    }
    let axis = outside.imax();
    let mut normal = Vec3::zeros();
    normal[axis] = sign[axis];
    SignedDistance { distance: outside[axis], normal }
}

/// Its corners.
pub(super) fn support_points(half_size: &Vec3) -> Vec<(Vec3, f64)> {
    let corner = |index: usize| {
        let sign = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
        (half_size.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0)
    };
    (0..8).map(corner).collect()
}
