//! The incremental potential whose minimum is the end of an implicit step, or the equilibrium of
//! forces.
//!
//! For backward Euler: ½·Σ m·|x − x̃|²/Δt² with x̃ = x₀ + Δt·v₀ + Δt²·g, what the [`ElasticModel`]
//! stores and dissipates, the work of loads, contact springs, and drag. For equilibrium there is no
//! inertia, and gravity is a load.

use crate::Node;
use craze_contact::ContactSpring;
use craze_math::{Mat3, Vec3};
use craze_solve::{BlockMatrix, Objective};
use std::ops::Range;

/// Time step of an implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStep {
    /// Δt (s).
    pub length: f64,
    /// Acceleration of free fall (m/s²).
    pub gravity: Vec3,
}

/// What the elements of a body contribute. `step` is `None` for equilibrium.
pub trait ElasticModel {
    /// Elastic energy, and for a step the incremental viscous potential (J), at positions (m);
    /// infinite where an element is inverted.
    fn energy(&mut self, positions: &[Vec3], step: Option<&TimeStep>) -> f64;

    /// Subtracts elastic and viscous forces (N) from the gradient.
    fn subtract_forces(&mut self, positions: &[Vec3], step: Option<&TimeStep>, gradient: &mut [Vec3]);

    /// Sets the matrix to the tangent stiffness (N/m), projected to be positive semidefinite.
    fn assemble(&mut self, positions: &[Vec3], step: Option<&TimeStep>, stiffness: &mut BlockMatrix);

    /// Ranges of nodes that take part, ascending: all but those of islands in rigid-body mode.
    fn awake_nodes(&self) -> impl Iterator<Item = Range<usize>>;
}

/// What acts on a body beside its elements.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Nodes at the start of the step.
    pub start: &'a [Node],
    /// Drag on each node (1/s), or empty.
    pub drag: &'a [f64],
    /// Contact springs. The nodes of each share an element on either side, or their blocks are left
    /// out.
    pub contacts: &'a [ContactSpring],
    /// The time step; `None` for equilibrium.
    pub step: Option<TimeStep>,
}

/// The potential of a body under loads (N).
pub(super) struct Potential<'a, Model> {
    pub model: Model,
    pub surroundings: Surroundings<'a>,
    pub external: &'a [Vec3],
}

impl<Model: ElasticModel> Potential<'_, Model> {
    /// Calls `each` with every node that has inertia or drag, its displacement from where these
    /// draw it (m) and their stiffness (N/m).
    fn each_anchor(&self, positions: &[Vec3], mut each: impl FnMut(usize, Vec3, f64)) {
        let Surroundings { start, drag, step, .. } = self.surroundings;
        let Some(TimeStep { length, gravity }) = step else { return };
        for node in self.model.awake_nodes().flatten() {
            let start = &start[node];
            let inertial = start.position() + length * (start.velocity() + length * gravity);
            each(node, positions[node] - inertial, start.mass() / (length * length));
            if let Some(&drag) = drag.get(node) {
                each(node, positions[node] - start.position(), start.mass() * drag / length);
            }
        }
    }
}

impl<Model: ElasticModel> Objective for Potential<'_, Model> {
    fn energy(&mut self, x: &[Vec3]) -> f64 {
        let mut sum = self.model.energy(x, self.surroundings.step.as_ref());
        self.each_anchor(x, |_, away, stiffness| sum += 0.5 * stiffness * away.norm_squared());
        for (force, position) in self.external.iter().zip(x) {
            sum -= force.dot(position);
        }
        for contact in self.surroundings.contacts {
            sum += contact.energy(&contact.position(|node| x[node]));
        }
        sum
    }

    fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
        for (node, out) in out.iter_mut().enumerate() {
            *out = -self.external.get(node).copied().unwrap_or_else(Vec3::zeros);
        }
        self.model.subtract_forces(x, self.surroundings.step.as_ref(), out);
        self.each_anchor(x, |node, away, stiffness| out[node] += stiffness * away);
        for contact in self.surroundings.contacts {
            let force = contact.force(&contact.position(|node| x[node]));
            contact.dofs().for_each(|(node, weight)| out[node] -= weight * force);
        }
    }

    fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
        self.model.assemble(x, self.surroundings.step.as_ref(), out);
        self.each_anchor(x, |node, _, stiffness| *out.diagonal_mut(node) += Mat3::from_diagonal_element(stiffness));
        for contact in self.surroundings.contacts {
            for (row, weight) in contact.dofs() {
                for (column, other) in contact.dofs() {
                    if let Some(block) = out.block_mut(row, column) {
                        *block += weight * other * contact.stiffness;
                    }
                }
            }
        }
    }
}
