//! Parts of space that select parts of bodies.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// A part of space, in the world, where bodies stand as they were placed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Region {
    /// Everything.
    All,
    /// A box along the axes, its faces included.
    Box {
        /// One corner (m).
        from: Vec3,
        /// The opposite corner (m).
        to: Vec3,
    },
    /// A ball, its surface included.
    Ball {
        /// Its centre (m).
        center: Vec3,
        /// Its radius (m).
        radius: f64,
    },
    /// All on the side of a plane to which its normal points, the plane included.
    HalfSpace {
        /// A point of the plane (m).
        point: Vec3,
        /// The normal, of any length.
        normal: Vec3,
    },
}

impl Region {
    /// Whether a place lies inside. Rounding is forgiven up to a billionth of the region's own
    /// numbers, so that a face at 0.1 m is inside a box that ends at 0.1 m.
    pub fn contains(&self, place: &Vec3) -> bool {
        const BOUNDARY_TOLERANCE: f64 = 1e-9;
        match self {
            Region::All => true,
            Region::Box { from, to } => (0..3).all(|axis| {
                let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
                let slack = BOUNDARY_TOLERANCE * low.abs().max(high.abs());
                low - slack <= place[axis] && place[axis] <= high + slack
            }),
            Region::Ball { center, radius } => {
                (place - center).norm() <= radius + BOUNDARY_TOLERANCE * (radius + center.amax())
            }
            Region::HalfSpace { point, normal } => {
                (place - point).dot(normal) >= -BOUNDARY_TOLERANCE * normal.norm() * (point.amax() + place.amax())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_belong_to_the_region_in_spite_of_rounding() {
        let place = Vec3::new(0.1 + 0.2, 0.0, 0.0); // 0.30000000000000004
        assert!(Region::Box { from: Vec3::zeros(), to: Vec3::new(0.3, 1.0, 1.0) }.contains(&place));
        assert!(Region::Box { from: Vec3::new(0.3, 1.0, 1.0), to: Vec3::zeros() }.contains(&place));
        assert!(Region::Ball { center: Vec3::zeros(), radius: 0.3 }.contains(&place));
        assert!(Region::HalfSpace { point: Vec3::x() * 0.3, normal: -Vec3::x() }.contains(&place));
        assert!(!Region::HalfSpace { point: Vec3::x() * 0.2999, normal: -Vec3::x() }.contains(&place));
    }
}
