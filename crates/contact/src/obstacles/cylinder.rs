//! A cylinder about the y axis, centred at the origin.

use craze_math::Vec3;
use craze_spatial::primitives::DistanceAndNormal;
use std::f64::consts::TAU;

/// Support points on each rim.
const RIM_POINTS: usize = 24;

pub(super) fn signed_distance(point: &Vec3, radius: f64, half_height: f64) -> DistanceAndNormal {
    let axial = (point.x * point.x + point.z * point.z).sqrt();
    let radial = if axial > 0.0 { Vec3::new(point.x / axial, 0.0, point.z / axial) } else { Vec3::x() };
    let up = if point.y < 0.0 { -Vec3::y() } else { Vec3::y() };
    let (side, cap) = (axial - radius, point.y.abs() - half_height);
    if side <= 0.0 && cap <= 0.0 {
        return if side > cap {
            DistanceAndNormal { distance: side, normal: radial }
        } else {
            DistanceAndNormal { distance: cap, normal: up }
        };
    }
    let outward = side.max(0.0) * radial + cap.max(0.0) * up;
    let distance = outward.norm();
    DistanceAndNormal { distance, normal: outward / distance }
}

/// Points on both rims.
pub(super) fn support_points(radius: f64, half_height: f64) -> Vec<(Vec3, f64)> {
    let point = |index: usize| {
        let angle = (index / 2) as f64 * TAU / RIM_POINTS as f64;
        let height = if index.is_multiple_of(2) { half_height } else { -half_height };
        (Vec3::new(radius * angle.cos(), height, radius * angle.sin()), 0.0)
    };
    (0..2 * RIM_POINTS).map(point).collect()
}
