//! Everything below y = 0.

use craze_math::Vec3;
use craze_spatial::Aabb;
use craze_spatial::primitives::DistanceAndNormal;

pub(super) fn signed_distance(point: &Vec3) -> DistanceAndNormal {
    DistanceAndNormal { distance: point.y, normal: Vec3::y() }
}

pub(super) fn bounds() -> Aabb {
    let endless = f64::INFINITY;
    Aabb { min: Vec3::repeat(-endless), max: Vec3::new(endless, 0.0, endless) }
}
