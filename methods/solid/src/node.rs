//! The record of a node: everything a step needs of it in one cache line.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Position (m), mass (kg), velocity (m/s) and one over the mass (1/kg): x, y, z, m, vx, vy, vz, 1/m.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Node(pub [f64; 8]);

impl Node {
    pub fn new(position: Vec3, velocity: Vec3, mass: f64) -> Node {
        Node([position.x, position.y, position.z, mass, velocity.x, velocity.y, velocity.z, 1.0 / mass])
    }

    #[inline(always)]
    pub fn position(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    #[inline(always)]
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    #[inline(always)]
    pub fn mass(&self) -> f64 {
        self.0[3]
    }

    #[inline(always)]
    pub fn inverse_mass(&self) -> f64 {
        self.0[7]
    }

    #[inline(always)]
    pub fn set_position(&mut self, position: &Vec3) {
        self.0[..3].copy_from_slice(position.as_slice());
    }

    #[inline(always)]
    pub fn set_velocity(&mut self, velocity: &Vec3) {
        self.0[4..7].copy_from_slice(velocity.as_slice());
    }

    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|number| number.is_finite())
    }
}
