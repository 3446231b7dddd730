//! What a body receives from contact: impulses on its prediction, or springs in its own equations.

use crate::collisions::Stencil;
use craze_math::{Mat3, Vec3};

/// An impulse on a degree of freedom over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// The degree of freedom, as the body numbers them.
    pub dof: u32,
    /// The impulse (N·s).
    pub impulse: Vec3,
}

/// A contact in the equations of an implicit body: a force at the predicted position of the contact
/// point, and how it changes as that point moves.
///
/// A stencil may be signed: with the weights of one side and the negative ones of another side of the
/// same body, which sum to zero, the contact point is the vector between the two sides.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSpring {
    /// The degrees of freedom of which the contact point is a weighted sum, as the body numbers
    /// them: those of one node, edge or face.
    pub stencil: Stencil,
    /// Constant part of the force (N).
    pub force: Vec3,
    /// Position at which the spring is at rest (m).
    pub anchor: Vec3,
    /// Stiffness (N/m), symmetric positive semidefinite.
    pub stiffness: Mat3,
}

impl ContactSpring {
    /// The degrees of freedom with their weights.
    pub fn dofs(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        self.stencil.as_slice().iter().map(|&(dof, weight)| (dof as usize, weight))
    }

    /// Position of the contact point (m), from those of the degrees of freedom (m).
    pub fn position(&self, positions: impl Fn(usize) -> Vec3) -> Vec3 {
        self.dofs().map(|(dof, weight)| weight * positions(dof)).sum()
    }

    /// Energy (J) at a position of the contact point (m), up to a constant: its gradient is the
    /// negative force.
    pub fn energy(&self, position: &Vec3) -> f64 {
        let away = position - self.anchor;
        0.5 * away.dot(&(self.stiffness * away)) - self.force.dot(position)
    }

    /// Force (N) at a position of the contact point (m).
    pub fn force(&self, position: &Vec3) -> Vec3 {
        self.force + self.stiffness * (self.anchor - position)
    }
}
