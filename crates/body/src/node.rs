//! State of a node: everything that a step needs of it in one cache line.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Position (m), mass (kg), velocity (m/s) and inverse mass (1/kg): x, y, z, m, vx, vy, vz, 1/m.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Node(pub [f64; 8]);

impl Node {
    /// A node with a position (m), a velocity (m/s) and a mass (kg).
    pub fn new(position: Vec3, velocity: Vec3, mass: f64) -> Node {
        Node([position.x, position.y, position.z, mass, velocity.x, velocity.y, velocity.z, 1.0 / mass])
    }

    /// Position (m).
    #[inline(always)]
    pub fn position(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    /// Velocity (m/s).
    #[inline(always)]
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    /// Mass (kg).
    #[inline(always)]
    pub fn mass(&self) -> f64 {
        self.0[3]
    }

    /// Inverse mass (1/kg).
    #[inline(always)]
    pub fn inverse_mass(&self) -> f64 {
        self.0[7]
    }

    /// Sets the position (m).
    #[inline(always)]
    pub fn set_position(&mut self, position: &Vec3) {
        self.0[..3].copy_from_slice(position.as_slice());
    }

    /// Sets the velocity (m/s).
    #[inline(always)]
    pub fn set_velocity(&mut self, velocity: &Vec3) {
        self.0[4..7].copy_from_slice(velocity.as_slice());
    }

    /// Returns true if no number is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|number| number.is_finite())
    }
}
