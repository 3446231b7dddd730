//! Measures of a piece: mass, volume, and the pose that maps its rest shape to its current shape
//! best.

use craze_frame::Pose;
use craze_math::{Mat3, Rotation, Vec3, polar};

/// Sums over the matter of a piece. Positions are taken relative to an anchor each, so that no
/// digits are lost far from the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PieceMeasure {
    /// Mass (kg).
    pub mass: f64,
    /// Volume at rest (m³).
    pub volume: f64,
    /// Rest and current position of the anchor (m), once there is one.
    anchor: Option<[Vec3; 2]>,
    /// Σ m·X (kg·m).
    rest_moment: Vec3,
    /// Σ m·x (kg·m).
    moment: Vec3,
    /// Σ m·x·Xᵀ (kg·m²).
    mixed: Mat3,
}

impl PieceMeasure {
    /// Adds mass (kg) and rest volume (m³). Where they are is added by
    /// [`add_point`](PieceMeasure::add_point).
    pub fn add_matter(&mut self, mass: f64, volume: f64) {
        self.mass += mass;
        self.volume += volume;
    }

    /// Adds a point mass (kg) at a rest and a current position (m). The masses of all points
    /// together are the mass of the piece.
    pub fn add_point(&mut self, mass: f64, rest: &Vec3, position: &Vec3) {
        let [rest_anchor, anchor] = *self.anchor.get_or_insert([*rest, *position]);
        let (rest, position) = (rest - rest_anchor, position - anchor);
        self.rest_moment += mass * rest;
        self.moment += mass * position;
        self.mixed += mass * position * rest.transpose();
    }

    /// Centre of mass (m).
    pub fn center(&self) -> Vec3 {
        self.anchor.map_or(Vec3::zeros(), |[_, anchor]| anchor + self.moment / self.mass)
    }

    /// The rotation from the rest shape to the current shape with the least Σ m·|R(X − X̄) − (x −
    /// x̄)|² (Kabsch 1976).
    pub fn rotation(&self) -> Rotation {
        let central = self.mixed - self.moment * self.rest_moment.transpose() / self.mass;
        let rotation = polar(&central).rotation;
        Rotation::from_basis_unchecked(&[0, 1, 2].map(|axis| rotation.column(axis).into_owned()))
    }
}

/// The pose of a piece in a frame.
pub fn pose(position: Vec3, rotation: &Rotation) -> Pose {
    Pose { position, rotation: [rotation.i, rotation.j, rotation.k, rotation.w] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::{Isometry, Random};

    #[test]
    fn a_rigid_motion_is_found_far_from_the_origin() {
        let mut random = Random::new(3);
        let motion = Isometry::new(Vec3::new(1e6, -2e6, 3e5), Vec3::new(0.4, -2.0, 1.0));
        let mut measure = PieceMeasure::default();
        let (mut moment, mut total) = (Vec3::zeros(), 0.0);
        for _ in 0..20 {
            let (mass, rest) = (1.0 + random.number(), random.vector());
            measure.add_matter(mass, 0.5);
            measure.add_point(mass, &rest, &motion.transform_point(&rest.into()).coords);
            moment += mass * rest;
            total += mass;
        }
        assert_eq!((measure.mass, measure.volume), (total, 10.0));
        assert!(measure.rotation().angle_to(&motion.rotation) < 1e-9);
        let center = motion.transform_point(&(moment / total).into()).coords;
        assert!((measure.center() - center).norm() < 1e-8);
    }
}
