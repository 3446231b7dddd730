//! Rigid motion, exact where it can be: free obstacles, and pieces that carry no load.

use crate::tuning::{MAX_STAGE_ROTATION, MAX_STAGES};
use craze_math::{Isometry, Mat3, Quaternion, Rotation, Vec3, symmetric_eigen};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A rigid body. Its own frame has the centre of mass as origin and the principal axes of inertia as axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidBody {
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia (kg·m²).
    pub inertia: Vec3,
    /// Centre of mass (m).
    pub position: Vec3,
    /// Turns the principal frame to the world.
    pub orientation: Rotation,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass, in the world (kg·m²/s).
    pub angular_momentum: Vec3,
}

/// Velocities of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Velocities {
    /// Centre of mass (m).
    center: Vec3,
    /// Velocity of the centre (m/s).
    velocity: Vec3,
    /// Angular velocity (rad/s).
    spin: Vec3,
}

impl Velocities {
    /// Velocity at a place in the world (m/s).
    #[inline]
    pub fn at(&self, place: &Vec3) -> Vec3 {
        self.at_arm(&(place - self.center))
    }

    /// Velocity at an arm from the centre of mass (m/s).
    #[inline]
    pub fn at_arm(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }
}

impl RigidBody {
    /// A body at `pose` whose inertia tensor (kg·m²) about its centre of mass is given in the frame of `pose`.
    /// Returns it with the pose of its principal frame inside the frame of `pose`, by which shapes have to be carried.
    pub fn new(mass: f64, inertia: &Mat3, pose: &Isometry, velocity: Vec3, spin: Vec3) -> (RigidBody, Rotation) {
        let eigen = symmetric_eigen(inertia);
        // The vectors are a proper rotation already; an iterative fit would never end on what is not a number.
        let axes: [Vec3; 3] = std::array::from_fn(|axis| eigen.vectors.column(axis).into_owned());
        let principal = Rotation::from_basis_unchecked(&axes);
        let orientation = pose.rotation * principal;
        let mut body = RigidBody {
            mass,
            inertia: eigen.values,
            position: pose.translation.vector,
            orientation,
            velocity,
            angular_momentum: Vec3::zeros(),
        };
        body.angular_momentum = body.inertia_in_world() * spin;
        (body, principal)
    }

    /// A rigid body that moves as the given masses do together: same mass, momentum and angular momentum.
    /// `None` if there is no mass.
    pub fn from_masses(points: impl Iterator<Item = (f64, Vec3, Vec3)> + Clone) -> Option<RigidBody> {
        let (mut mass, mut moment, mut momentum) = (0.0, Vec3::zeros(), Vec3::zeros());
        for (point_mass, position, velocity) in points.clone() {
            mass += point_mass;
            moment += point_mass * position;
            momentum += point_mass * velocity;
        }
        if mass <= 0.0 {
            return None;
        }
        let (center, velocity) = (moment / mass, momentum / mass);
        let (mut inertia, mut angular_momentum) = (Mat3::zeros(), Vec3::zeros());
        for (point_mass, position, point_velocity) in points {
            let arm = position - center;
            inertia += point_mass * (Mat3::identity() * arm.norm_squared() - arm * arm.transpose());
            angular_momentum += point_mass * arm.cross(&(point_velocity - velocity));
        }
        let (mut body, _) = RigidBody::new(
            mass,
            &inertia,
            &Isometry::translation(center.x, center.y, center.z),
            velocity,
            Vec3::zeros(),
        );
        body.angular_momentum = angular_momentum;
        Some(body)
    }

    /// Where its principal frame is.
    pub fn pose(&self) -> Isometry {
        Isometry::from_parts(self.position.into(), self.orientation)
    }

    /// Angular velocity in the world (rad/s). A vanishing moment of inertia takes no spin.
    pub fn spin(&self) -> Vec3 {
        self.inverse_inertia_in_world() * self.angular_momentum
    }

    /// Velocity of the body at a place in the world (m/s).
    pub fn velocity_at(&self, place: &Vec3) -> Vec3 {
        self.velocities().at(place)
    }

    /// Velocities everywhere on it: whoever asks for many of them has its spin worked out once.
    pub fn velocities(&self) -> Velocities {
        Velocities { center: self.position, velocity: self.velocity, spin: self.spin() }
    }

    /// Inertia tensor in the world (kg·m²).
    pub fn inertia_in_world(&self) -> Mat3 {
        let rotation = self.orientation.to_rotation_matrix().into_inner();
        rotation * Mat3::from_diagonal(&self.inertia) * rotation.transpose()
    }

    /// Its inverse (1/(kg·m²)); a moment that vanishes against the largest gives zero.
    pub fn inverse_inertia_in_world(&self) -> Mat3 {
        let rotation = self.orientation.to_rotation_matrix().into_inner();
        rotation * Mat3::from_diagonal(&self.inverse_moments()) * rotation.transpose()
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.norm_squared() + self.spin().dot(&self.angular_momentum))
    }

    /// Moves by `time_step` (s) under gravity (m/s²), with both momenta damped at `damping` (1/s).
    ///
    /// The parabola is exact. The free rotation splits its Hamiltonian Σ mᵢ²/2Iᵢ into turns about the principal axes, each
    /// solved exactly, and composes them to fourth order; angular momentum is kept to rounding, energy to the
    /// order of the method, over any time.
    pub fn advance(&mut self, time_step: f64, gravity: &Vec3, damping: f64) {
        // Velocity over a step under v' = g − d·v, and the way it covers, both exact.
        let decay = (-damping * time_step).exp();
        let (way_of_velocity, way_of_gravity, gain) = if damping * time_step > 1e-8 {
            let covered = (1.0 - decay) / damping;
            (covered, (time_step - covered) / damping, covered)
        } else {
            (time_step, 0.5 * time_step * time_step, time_step)
        };
        self.position += way_of_velocity * self.velocity + way_of_gravity * gravity;
        self.velocity = decay * self.velocity + gain * gravity;
        self.rotate(way_of_velocity);
        self.angular_momentum *= decay;
    }

    fn rotate(&mut self, time_step: f64) {
        let turn = self.spin().norm() * time_step.abs();
        if turn == 0.0 {
            return;
        }
        // The triple jump of Yoshida 1990: two long stages forward, one back.
        let long = 1.0 / (2.0 - 2.0f64.cbrt());
        let stages = (turn / MAX_STAGE_ROTATION).ceil().clamp(1.0, MAX_STAGES);
        let inverse = self.inverse_moments();
        // Seen from the body its angular momentum turns the other way; in the world it stays as it is.
        let mut momentum = self.orientation.inverse_transform_vector(&self.angular_momentum);
        let mut orientation = self.orientation.into_inner();
        for _ in 0..stages as u64 {
            for share in [long, 1.0 - 2.0 * long, long] {
                turn_by_axes(&mut orientation, &mut momentum, &inverse, share * time_step / stages);
            }
        }
        self.orientation = Rotation::new_normalize(orientation);
    }

    fn inverse_moments(&self) -> Vec3 {
        let smallest = 1e-12 * self.inertia.max();
        self.inertia.map(|moment| if moment > smallest { 1.0 / moment } else { 0.0 })
    }
}

/// Turns about the principal axes x, y, z, y, x, second order and symmetric: the orientation, and the angular momentum as seen from the body
/// (kg·m²/s), with inverse moments of inertia (1/(kg·m²)), over a time (s).
fn turn_by_axes(orientation: &mut Quaternion, momentum: &mut Vec3, inverse: &Vec3, time_step: f64) {
    for (axis, share) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        // Whole turns are nothing, but the sine of a number whose square is infinite is no number.
        let angle = (share * time_step * momentum[axis] * inverse[axis]) % TAU;
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let mut turn = Vec3::zeros();
        turn[axis] = sine;
        *orientation *= Quaternion::from_parts(cosine, turn);
        let (across, along) = (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine);
        let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
        let (one, other) = (momentum[next], momentum[last]);
        momentum[next] = along * one + across * other;
        momentum[last] = along * other - across * one;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> RigidBody {
        // Spinning mostly about its middle axis: it tumbles, the hardest case.
        let inertia = Mat3::from_diagonal(&Vec3::new(3.0, 2.0, 1.0));
        RigidBody::new(1.0, &inertia, &Isometry::identity(), Vec3::zeros(), Vec3::new(0.01, 5.0, 0.01)).0
    }

    #[test]
    fn tumbling_keeps_energy_and_angular_momentum() {
        let mut body = book();
        let (energy, momentum) = (body.kinetic_energy(), body.angular_momentum);
        for _ in 0..1000 {
            body.advance(0.04, &Vec3::zeros(), 0.0);
            assert!((body.kinetic_energy() / energy - 1.0).abs() < 1e-7);
            assert_eq!(body.angular_momentum, momentum);
        }
    }

    #[test]
    fn the_answer_does_not_depend_on_the_step() {
        let (mut coarse, mut fine) = (book(), book());
        coarse.advance(2.0, &Vec3::zeros(), 0.0);
        for _ in 0..2000 {
            fine.advance(0.001, &Vec3::zeros(), 0.0);
        }
        assert!(coarse.orientation.angle_to(&fine.orientation) < 1e-6);
    }

    #[test]
    fn a_body_falls_on_an_exact_parabola() {
        let mut body = book();
        body.velocity = Vec3::new(1.0, 2.0, 0.0);
        for _ in 0..10 {
            body.advance(0.1, &Vec3::new(0.0, -9.81, 0.0), 0.0);
        }
        assert!((body.position - Vec3::new(1.0, 2.0 - 0.5 * 9.81, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn damping_slows_both_motions_as_the_exponential_does() {
        let mut body = book();
        body.velocity = Vec3::x();
        let momentum = body.angular_momentum;
        body.advance(0.5, &Vec3::zeros(), 2.0);
        assert!((body.velocity.x - (-1.0f64).exp()).abs() < 1e-12);
        assert!((body.position.x - (1.0 - (-1.0f64).exp()) / 2.0).abs() < 1e-12);
        assert!((body.angular_momentum - momentum * (-1.0f64).exp()).norm() < 1e-12);
    }

    #[test]
    fn what_is_not_a_number_does_not_hang() {
        let inertia = Mat3::identity() * f64::NAN;
        let (mut body, _) = RigidBody::new(1.0, &inertia, &Isometry::identity(), Vec3::zeros(), Vec3::x());
        body.advance(0.01, &Vec3::zeros(), 0.0);
    }

    #[test]
    fn masses_that_move_rigidly_are_matched_point_by_point() {
        let velocity = |place: &Vec3| Vec3::new(1.0, 2.0, 3.0) + Vec3::new(0.3, -0.2, 0.9).cross(place);
        let places =
            [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.1, 1.0, 0.3), Vec3::new(0.2, 0.1, 2.0)];
        let points = places.iter().enumerate().map(|(index, place)| (1.0 + index as f64, *place, velocity(place)));
        let body = RigidBody::from_masses(points).unwrap();
        for place in &places {
            assert!((body.velocity_at(place) - velocity(place)).norm() < 1e-12);
        }
    }

    #[test]
    fn an_absurd_spin_ends_with_its_momentum_kept() {
        for factor in [1e6, 1e18, 1e200] {
            let mut body = book();
            body.angular_momentum *= factor;
            let momentum = body.angular_momentum;
            body.advance(0.01, &Vec3::zeros(), 0.0);
            assert_eq!(body.angular_momentum, momentum);
            assert!((body.orientation.as_vector().norm() - 1.0).abs() < 1e-12, "{factor}");
        }
    }
}
