//! Rigid things that bodies meet: fixed, moved by keyframes, or free.

use crate::{Motion, RigidBody};
use craze_contact::RigidShape;
use craze_contact::solvers::impulse::RigidSolverBody;
use craze_frame::{ObstacleFrame, ObstacleShape, Surface};
use craze_math::{Isometry, Mat3, Rotation, Vec3};

/// A rigid thing.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its name.
    pub name: String,
    /// Its shape, in its own frame.
    pub shape: RigidShape,
    /// Its surface for pictures, in its own frame; unused for a half-space.
    pub surface: Surface,
    /// Where it was placed.
    pub place: Isometry,
    /// What moves it.
    pub drive: Drive,
}

/// What moves an obstacle.
#[derive(Clone, Debug)]
pub enum Drive {
    /// Nothing, or keyframes; turns go about where it was placed.
    Prescribed(Motion),
    /// Gravity and contact.
    Free(Box<Free>),
}

/// A rigid body that carries the shape of an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    /// State.
    pub body: RigidBody,
    /// Prediction for the end of the step.
    pub predicted: RigidBody,
    /// Turns shape coordinates to the body's principal ones.
    turn: Rotation,
    /// Centre of mass in shape coordinates (m).
    center: Vec3,
}

impl Free {
    /// Where the shape is when the body is there.
    fn carry(&self, body: &RigidBody) -> Isometry {
        let rotation = body.orientation * self.turn;
        Isometry::from_parts((body.position - rotation * self.center).into(), rotation)
    }
}

impl Obstacle {
    /// Lets the obstacle go as a rigid body of a mass (kg) with an inertia (kg·m²) about its centre
    /// of mass (m), both in its own frame.
    pub fn release(&mut self, mass: f64, center: Vec3, inertia: &Mat3, velocity: Vec3, spin: Vec3) {
        let middle = self.place.transform_point(&center.into());
        let pose = Isometry::from_parts(middle.coords.into(), self.place.rotation);
        let (body, principal) = RigidBody::new(mass, inertia, &pose, velocity, spin);
        self.drive = Drive::Free(Box::new(Free { body, predicted: body, turn: principal.inverse(), center }));
    }

    /// Where it is at a time (s), for a prescribed one, or in its state.
    pub fn pose(&self, time: f64) -> Isometry {
        match &self.drive {
            Drive::Prescribed(motion) => motion.at(time, &self.place.translation.vector) * self.place,
            Drive::Free(free) => free.carry(&free.body),
        }
    }

    /// Where it will be at the end of a step that ends at a time (s).
    pub fn predicted_pose(&self, end: f64) -> Isometry {
        match &self.drive {
            Drive::Prescribed(_) => self.pose(end),
            Drive::Free(free) => free.carry(&free.predicted),
        }
    }

    /// The first keyframe after a time (s): a step must not run over it, or a swing out and back
    /// would never be seen.
    pub fn next_key(&self, time: f64) -> Option<f64> {
        match &self.drive {
            Drive::Prescribed(motion) => motion.next_key(time),
            Drive::Free(_) => None,
        }
    }

    /// How fast it turns (rad/s) after a time (s).
    pub fn turn_rate(&self, time: f64) -> f64 {
        match &self.drive {
            Drive::Prescribed(motion) => motion.turn_rate(time),
            Drive::Free(free) => free.body.spin().norm(),
        }
    }

    /// Moves the prediction of a free obstacle.
    pub fn predict(&mut self, time_step: f64, gravity: &Vec3) {
        if let Drive::Free(free) = &mut self.drive {
            free.predicted = free.body;
            free.predicted.advance(time_step, gravity, 0.0);
        }
    }

    /// The rigid body that contact solves for in a step (s).
    pub fn solver_body(&self, time: f64, time_step: f64) -> RigidSolverBody {
        match &self.drive {
            Drive::Prescribed(_) => {
                let (start, end) = (self.pose(time), self.pose(time + time_step));
                let angular_velocity = (end.rotation * start.rotation.inverse()).scaled_axis() / time_step;
                let center = end.translation.vector;
                let velocity = (center - start.translation.vector) / time_step;
                RigidSolverBody {
                    center,
                    velocity,
                    angular_velocity,
                    inverse_mass: 0.0,
                    inverse_inertia: Mat3::zeros(),
                }
            }
            Drive::Free(free) => RigidSolverBody {
                center: free.predicted.position,
                velocity: free.predicted.velocity,
                angular_velocity: free.predicted.spin(),
                inverse_mass: 1.0 / free.predicted.mass,
                inverse_inertia: free.predicted.inverse_inertia_in_world(),
            },
        }
    }

    /// Applies the velocities that contact has solved for.
    pub fn receive(&mut self, solved: &RigidSolverBody, time_step: f64) {
        if let Drive::Free(free) = &mut self.drive {
            let predicted = &mut free.predicted;
            let gain = solved.velocity - predicted.velocity;
            let turn = solved.angular_velocity - predicted.spin();
            if gain == Vec3::zeros() && turn == Vec3::zeros() {
                return;
            }
            predicted.position += time_step * gain;
            predicted.velocity = solved.velocity;
            predicted.angular_momentum += predicted.inertia_in_world() * turn;
            predicted.orientation = Rotation::from_scaled_axis(time_step * turn) * predicted.orientation;
        }
    }

    /// Makes the prediction the state.
    pub fn commit(&mut self) {
        if let Drive::Free(free) = &mut self.drive {
            free.body = free.predicted;
        }
    }

    /// What it looks like at a time (s).
    pub fn frame(&self, time: f64) -> ObstacleFrame {
        let pose = self.pose(time);
        let shape = match self.shape {
            RigidShape::HalfSpace => {
                ObstacleShape::Plane { point: pose.translation.vector, normal: pose.rotation * Vec3::y() }
            }
            _ => {
                let mut surface = self.surface.clone();
                for position in &mut surface.positions {
                    *position = pose.transform_point(&(*position).into()).coords;
                }
                ObstacleShape::Surface(surface)
            }
        };
        ObstacleFrame { name: self.name.clone(), shape }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_obstacle_starts_where_it_was_placed() {
        let place = Isometry::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, -0.4, 0.9));
        let mut obstacle = Obstacle {
            name: "block".into(),
            shape: RigidShape::Cuboid { half_size: Vec3::new(0.1, 0.2, 0.3) },
            surface: Surface::default(),
            place,
            drive: Drive::Prescribed(Motion::still()),
        };
        let inertia = Mat3::new(2.0, 0.3, 0.1, 0.3, 3.0, 0.2, 0.1, 0.2, 4.0);
        obstacle.release(1.0, Vec3::new(0.05, 0.0, 0.02), &inertia, Vec3::zeros(), Vec3::zeros());
        let pose = obstacle.pose(0.0);
        assert!((pose.translation.vector - place.translation.vector).norm() < 1e-12);
        assert!(pose.rotation.angle_to(&place.rotation) < 1e-7);
    }
}
