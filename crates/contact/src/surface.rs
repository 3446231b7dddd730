//! What a body shows to contact, and what it gets back.

use craze_math::{Mat3, Vec3};

/// The points of a body that can touch something, filled anew whenever contact looks at the body.
#[derive(Clone, Debug, Default)]
pub struct ContactSurface {
    /// The points, in an order that the body's state alone decides.
    pub points: Vec<SurfacePoint>,
}

/// One point that can touch. It moves with one freedom of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The freedom, as the body numbers it; impulses come back under this number.
    pub freedom: u32,
    /// Where it is at the start of the step (m).
    pub start: Vec3,
    /// Velocity at the start of the step (m/s).
    pub start_velocity: Vec3,
    /// Where it is predicted to be at the end of the step (m).
    pub end: Vec3,
    /// Predicted velocity at the end of the step (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg); 0 for a point that is held.
    pub inverse_mass: f64,
    /// How far matter reaches around the point (m).
    pub radius: f64,
}

/// A push on one freedom over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// The freedom, as the body numbered it in its surface.
    pub freedom: u32,
    /// The impulse (N·s).
    pub impulse: Vec3,
}

impl ContactStiffness {
    /// Force along the normal (N) on a point that is at `place` (m); negative if the contact pulls.
    pub fn push(&self, place: &Vec3) -> f64 {
        (self.stiffness * (self.anchor - place)).dot(&self.normal)
    }
}

/// A contact as an implicit body wants it: a force at the predicted place and how it changes as the point moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStiffness {
    /// The freedom, as the body numbered it in its surface.
    pub freedom: u32,
    /// Where the point feels no force (m).
    pub anchor: Vec3,
    /// Unit normal out of the thing that is touched: a contact may push along it, never pull.
    pub normal: Vec3,
    /// Force a metre away from the anchor, symmetric positive semidefinite (N/m).
    pub stiffness: Mat3,
}
