//! A ball about the origin.

use super::SignedDistance;
use craze_math::Vec3;

/// At the centre, where every direction leads out as fast, the normal is the upward one.
pub(crate) fn signed_distance(point: &Vec3, radius: f64) -> SignedDistance {
    let length = point.norm();
    let normal = if length > 0.0 { point / length } else { Vec3::y() };
    SignedDistance { distance: length - radius, normal }
}
