//! Implicit steps and equilibrium: Newton's method on the incremental potential of a body.
//!
//! A method implements [`ElasticModel`] for its elements. Inertia, drag, loads, prescribed
//! positions and contact springs are added here.

mod potential;
#[cfg(test)]
mod tests;

pub use potential::{ElasticModel, Surroundings, TimeStep};

use crate::Node;
use craze_contact::ContactSpring;
use craze_engine::Failure;
use craze_math::{Mat3, Vec3};
use craze_solve::{
    BlockMatrix, Cholesky, Constraints, LinearSolver, MarchSettings, Newton, NewtonReport, NewtonSettings, Objective,
    Pattern, SolveError, Symbolic, march,
};
use potential::Potential;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Smallest part of a load step that is tried before equilibrium is given up.
const MIN_LOAD_STEP: f64 = 1e-4;

/// The solver of a body and its memory.
pub struct ImplicitSolver {
    matrix: BlockMatrix,
    newton: Newton,
    /// Nodes that do not take part: those whose position is prescribed, and those in rigid-body
    /// mode.
    pub constraints: Constraints,
    /// Positions of the nodes (m): where the search begins, and what it finds.
    pub positions: Vec<Vec3>,
    /// Loads (N).
    pub external: Vec<Vec3>,
    /// Gradient at the positions found (N). At a node whose position is prescribed it is the force
    /// that is needed for that.
    pub gradient: Vec<Vec3>,
    /// Factors of the matrix at the last prediction for which the compliance was asked.
    factors: Option<Box<Cholesky>>,
}

/// Loads and reactions (N) of the last equilibrium, from which the next one is marched to; empty
/// before the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Equilibrium {
    /// Loads on all nodes, gravity included.
    pub external: Vec<Vec3>,
    /// Forces that prescribe positions.
    pub reactions: Vec<Vec3>,
}

impl Equilibrium {
    /// Adds the work of loads and reactions from one equilibrium to this one, gravity not counted
    /// (J). Forces grow in proportion to the displacement, so that their mean acts (trapezoidal
    /// rule).
    pub fn add_work(&self, before: &Equilibrium, start: &[Node], end: &[Vec3], gravity: &Vec3, work: &mut f64) {
        for (node, (start, end)) in start.iter().zip(end).enumerate() {
            let weight = start.mass() * gravity;
            let push =
                0.5 * (before.external[node] + before.reactions[node] + self.external[node] + self.reactions[node]);
            *work += (push - weight).dot(&(end - start.position()));
        }
    }

    /// Makes room for new nodes, on which nothing acted.
    pub fn resize(&mut self, nodes: usize) {
        self.external.resize(nodes, Vec3::zeros());
        self.reactions.resize(nodes, Vec3::zeros());
    }
}

impl ImplicitSolver {
    /// A solver of a body with elements of `N` nodes.
    pub fn new<const N: usize>(
        nodes: usize,
        elements: &[[u32; N]],
        settings: NewtonSettings,
        solver: LinearSolver,
    ) -> Result<ImplicitSolver, SolveError> {
        Ok(ImplicitSolver::of(Arc::new(Pattern::from_elements(nodes, elements)?), settings, solver))
    }

    /// A solver for matrices of this pattern.
    pub fn of(pattern: Arc<Pattern>, settings: NewtonSettings, solver: LinearSolver) -> ImplicitSolver {
        let nodes = pattern.nodes();
        ImplicitSolver {
            matrix: BlockMatrix::zeros(pattern),
            newton: Newton::new(settings, solver),
            constraints: Constraints::none(nodes),
            positions: Vec::with_capacity(nodes),
            external: vec![Vec3::zeros(); nodes],
            gradient: vec![Vec3::zeros(); nodes],
            factors: None,
        }
    }

    /// Begins a search at the positions of these nodes, without loads.
    pub fn begin(&mut self, state: &[Node]) {
        self.positions.clear();
        self.positions.extend(state.iter().map(Node::position));
        self.external.fill(Vec3::zeros());
    }

    /// Finds the minimum from the current positions.
    pub fn minimise<Model: ElasticModel>(
        &mut self,
        model: Model,
        surroundings: Surroundings,
    ) -> Result<NewtonReport, SolveError> {
        let mut potential = Potential { model, surroundings, external: &self.external };
        if !potential.energy(&self.positions).is_finite() {
            return Err(SolveError::NotFinite { what: "the energy", iteration: 0 });
        }
        let report = self.newton.solve(&mut potential, &self.constraints, &mut self.matrix, &mut self.positions);
        potential.gradient(&self.positions, &mut self.gradient);
        report
    }

    /// Compliance (m/N) about the current positions: columns of the inverse stiffness. For each of
    /// these nodes, blocks with the displacement of all of them per unit force on it.
    pub fn compliance<Model: ElasticModel>(
        &mut self,
        model: Model,
        surroundings: Surroundings,
        nodes: &[u32],
    ) -> Result<Vec<Mat3>, SolveError> {
        Potential { model, surroundings, external: &self.external }.hessian(&self.positions, &mut self.matrix);
        self.matrix.constrain(&self.constraints)?;
        let pattern = self.matrix.pattern();
        let factors = self.factors.get_or_insert_with(|| Box::new(Cholesky::new(Arc::new(Symbolic::analyse(pattern)))));
        factors.factorise(&self.matrix)?;
        let mut force = vec![Vec3::zeros(); self.positions.len()];
        let mut displacement = force.clone();
        let mut blocks = Vec::with_capacity(nodes.len() * nodes.len());
        for &node in nodes {
            let first = blocks.len();
            blocks.resize(first + nodes.len(), Mat3::zeros());
            for axis in 0..3 {
                force[node as usize][axis] = 1.0;
                self.constraints.project(&mut force);
                factors.solve(&force, &mut displacement)?;
                force[node as usize] = Vec3::zeros();
                for (block, &other) in blocks[first..].iter_mut().zip(nodes) {
                    block.set_column(axis, &displacement[other as usize]);
                }
            }
        }
        Ok(blocks)
    }

    /// Marches from one equilibrium toward loads (N) on all nodes, with prescribed positions (m)
    /// that change from those of the current search in proportion. `minimise` calls
    /// [`minimise`](ImplicitSolver::minimise). Returns the new equilibrium.
    pub fn march(
        &mut self,
        before: &Equilibrium,
        loads: Vec<Vec3>,
        prescribed: &[(usize, Vec3)],
        mut minimise: impl FnMut(&mut ImplicitSolver) -> Result<NewtonReport, SolveError>,
    ) -> Result<Equilibrium, SolveError> {
        let settings =
            MarchSettings { first_step: 1.0, max_step: 1.0, min_step: MIN_LOAD_STEP, ..MarchSettings::default() };
        let start: Vec<Vec3> = prescribed.iter().map(|&(node, _)| self.positions[node]).collect();
        let mut state = self.positions.clone();
        let solve = |factor: f64, state: &mut [Vec3]| {
            for ((external, before), load) in self.external.iter_mut().zip(&before.external).zip(&loads) {
                *external = before.lerp(load, factor);
            }
            self.positions.copy_from_slice(state);
            for (&(node, end), start) in prescribed.iter().zip(&start) {
                self.positions[node] = start.lerp(&end, factor);
            }
            let report = minimise(self)?;
            state.copy_from_slice(&self.positions);
            Ok(report)
        };
        march(&settings, &mut state, &mut Vec::new(), solve, |_, _| {})?;
        let mut reactions = vec![Vec3::zeros(); state.len()];
        self.positions = state;
        prescribed.iter().for_each(|&(node, _)| reactions[node] = self.gradient[node]);
        Ok(Equilibrium { external: loads, reactions })
    }

    /// Writes the positions found to the prediction of some nodes, with the velocities of backward
    /// Euler over Δt (s).
    pub fn write_prediction(&self, nodes: Range<usize>, time_step: f64, state: &[Node], prediction: &mut [Node]) {
        for node in nodes {
            let (start, end) = (state[node].position(), self.positions[node]);
            prediction[node].set_position(&end);
            prediction[node].set_velocity(&((end - start) / time_step));
        }
    }

    /// Work of contact springs from the state to the positions found (J).
    pub fn work_of_contacts(&self, contacts: &[ContactSpring], state: &[Node]) -> f64 {
        let work = |contact: &ContactSpring| {
            let start = contact.position(|node| state[node].position());
            let end = contact.position(|node| self.positions[node]);
            contact.force(&end).dot(&(end - start))
        };
        contacts.iter().map(work).sum()
    }
}

/// Why a prediction failed, as the world is told.
pub fn failure(error: &SolveError) -> Failure {
    match error {
        SolveError::NotConverged { iterations, residual, .. } => {
            Failure::NotSolved { residual: *residual, iterations: *iterations as u32 }
        }
        SolveError::LineSearch { iteration, residual, .. } => {
            Failure::NotSolved { residual: *residual, iterations: *iteration as u32 }
        }
        SolveError::StepTooSmall { factor, .. } => Failure::NotBalanced { share: *factor },
        SolveError::NotFinite { iteration, .. } => {
            Failure::NotSolved { residual: f64::NAN, iterations: *iteration as u32 }
        }
        _ => Failure::NotSolved { residual: f64::NAN, iterations: 0 },
    }
}
