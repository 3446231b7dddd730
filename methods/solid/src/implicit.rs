//! Implicit steps and equilibrium: Newton's method on the energy of [`Potential`].

use crate::flight::Change;
use crate::integrate::ChunkReport;
use crate::kernel::Report;
use crate::model::Solid;
use crate::options::Integrator;
use crate::potential::{Memory, Potential};
use craze_contact::ContactSpring;
use craze_engine::{Failure, Step};
use craze_math::{Mat3, Vec3};
use craze_solve::{
    BlockMatrix, Cholesky, Constraints, LinearSolver, MarchSettings, Newton, NewtonReport, NewtonSettings, Objective,
    Pattern, PcgSettings, SolveError, Symbolic, march,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Strain to whose stress forces must be in balance.
const BALANCED_STRAIN: f64 = 1e-12;

/// Equilibrium is found by factorisation up to this many nodes, by conjugate gradients beyond: factors grow faster than meshes.
const MOST_FACTORED_NODES: usize = 60_000;

/// And steps up to this many: small bodies are factored more quickly than conjugate gradients find their way.
const MOST_FACTORED_EACH_STEP: usize = 1000;

/// Share of the balance asked for by which a step may miss it where its iterations have ended: it is far below what anybody could see.
const MISSED: f64 = 1e3;

/// Newton iterations of a step; one that needs more is better halved.
const MOST_ITERATIONS: usize = 60;

/// Up to this many nodes a body tells how it gives way to contact: factors of larger ones cost more than the rounds they save.
const MOST_TELLING_NODES: usize = 4000;

/// Memory of the solver.
pub(crate) struct Implicit {
    matrix: BlockMatrix,
    newton: Newton,
    memory: Memory,
    constraints: Constraints,
    positions: Vec<Vec3>,
    external: Vec<Vec3>,
    gradient: Vec<Vec3>,
    /// Factors of the matrix at the last prediction of which somebody asked how it gives way.
    factors: Option<Box<Cholesky>>,
}

/// Loads and reactions of the last equilibrium, from which the next one is marched to (N).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Balanced {
    pub external: Vec<Vec3>,
    pub reactions: Vec<Vec3>,
}

impl Implicit {
    fn new(solid: &Solid, solver: LinearSolver) -> Result<Implicit, SolveError> {
        let nodes = solid.state.len();
        let pattern = Arc::new(Pattern::from_elements(nodes, solid.mesh.elements())?);
        // A force that strains an element's face by a hair, and a way that is lost in rounding.
        let stiffest = solid.laws.iter().map(craze_element::Law::pressure_modulus).fold(0.0, f64::max);
        let settings = NewtonSettings {
            residual: BALANCED_STRAIN * stiffest * solid.smallest_height * solid.smallest_height,
            step: BALANCED_STRAIN * solid.smallest_height,
            max_iterations: MOST_ITERATIONS,
        };
        Ok(Implicit {
            matrix: BlockMatrix::zeros(pattern),
            newton: Newton::new(settings, solver),
            memory: Memory::default(),
            constraints: Constraints::none(nodes),
            positions: Vec::with_capacity(nodes),
            external: vec![Vec3::zeros(); nodes],
            gradient: vec![Vec3::zeros(); nodes],
            factors: None,
        })
    }

    /// Ways of nodes (m/N) for a force on each of them, about the positions at hand: columns of the inverse stiffness.
    fn give_way(&mut self, solid: &Solid, nodes: &[u32], step: &Step) -> Result<Vec<Mat3>, SolveError> {
        let motion = Some((step.time_step, step.gravity));
        potential(solid, &self.external, step.contacts, motion, &mut self.memory)
            .hessian(&self.positions, &mut self.matrix);
        self.matrix.constrain(&self.constraints)?;
        let pattern = self.matrix.pattern();
        let factors = self.factors.get_or_insert_with(|| Box::new(Cholesky::new(Arc::new(Symbolic::analyse(pattern)))));
        factors.factorise(&self.matrix)?;
        let mut force = vec![Vec3::zeros(); self.positions.len()];
        let mut ways = force.clone();
        let mut blocks = Vec::with_capacity(nodes.len() * nodes.len());
        for &node in nodes {
            let first = blocks.len();
            blocks.resize(first + nodes.len(), Mat3::zeros());
            for axis in 0..3 {
                force[node as usize][axis] = 1.0;
                self.constraints.project(&mut force);
                factors.solve(&force, &mut ways)?;
                force[node as usize] = Vec3::zeros();
                for (block, &other) in blocks[first..].iter_mut().zip(nodes) {
                    block.set_column(axis, &ways[other as usize]);
                }
            }
        }
        Ok(blocks)
    }

    /// Finds the minimum from the positions at hand; leaves the gradient there, held nodes included.
    fn minimise(
        &mut self,
        solid: &Solid,
        contacts: &[ContactSpring],
        motion: Option<(f64, Vec3)>,
    ) -> Result<NewtonReport, SolveError> {
        let mut potential = potential(solid, &self.external, contacts, motion, &mut self.memory);
        if !potential.energy(&self.positions).is_finite() {
            return Err(SolveError::NotFinite { what: "the energy", iteration: 0 });
        }
        let report = self.newton.solve(&mut potential, &self.constraints, &mut self.matrix, &mut self.positions);
        potential.gradient(&self.positions, &mut self.gradient);
        report
    }
}

/// The energy of a body under loads (N), over Δt (s) and with gravity (m/s²), or in balance.
fn potential<'a>(
    solid: &'a Solid,
    external: &'a [Vec3],
    contacts: &'a [ContactSpring],
    motion: Option<(f64, Vec3)>,
    memory: &'a mut Memory,
) -> Potential<'a> {
    Potential {
        layout: &solid.layout,
        elements: solid.mesh.elements(),
        laws: &solid.laws,
        guards: &solid.guards,
        flights: &solid.flights,
        start: &solid.state,
        drag: &solid.drag,
        external,
        contacts,
        motion,
        memory,
    }
}

fn failure(error: &SolveError) -> Failure {
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

impl Solid {
    fn take_implicit(&mut self, solver: impl FnOnce(usize) -> LinearSolver) -> Result<Box<Implicit>, Failure> {
        let mut implicit = match self.scratch.implicit.take() {
            Some(implicit) => implicit,
            None => Box::new(Implicit::new(self, solver(self.state.len())).map_err(|error| failure(&error))?),
        };
        implicit.positions.clear();
        implicit.positions.extend(self.state.iter().map(|node| node.position()));
        implicit.external.fill(Vec3::zeros());
        Ok(implicit)
    }

    /// Wakes what takes part in the equations: islands in contact, and those that were hit while asleep.
    pub(crate) fn wake_for_equations(&mut self, contacts: &[ContactSpring]) {
        if self.options.integrator != Integrator::Implicit {
            return;
        }
        for island in 0..self.flights.len() {
            if self.flights[island].careful {
                self.wake(island);
            }
        }
        for (node, _) in contacts.iter().flat_map(ContactSpring::dofs) {
            if node < self.state.len() {
                let island = self.layout.island_of_node(node);
                self.wake(island);
                self.flights[island].disturbed = true;
            }
        }
    }

    /// Columns of the inverse stiffness at some nodes; none if some of them fly, or where factors would cost too much.
    pub(crate) fn give_way(&mut self, nodes: &[u32], step: &Step) -> Option<Vec<Mat3>> {
        let count = self.state.len();
        let is_awake = |&node: &u32| {
            (node as usize) < count && !self.flights[self.layout.island_of_node(node as usize)].is_asleep()
        };
        if count > MOST_TELLING_NODES || !nodes.iter().all(is_awake) {
            return None;
        }
        let mut implicit = self.scratch.implicit.take()?;
        let blocks = implicit.give_way(self, nodes, step);
        self.scratch.implicit = Some(implicit);
        blocks.ok()
    }

    /// The prediction by backward Euler.
    pub(crate) fn solve_step(&mut self, step: &Step) -> Result<(), Failure> {
        let pcg = PcgSettings { tolerance: 1e-8, ..PcgSettings::default() };
        let mut implicit = self.take_implicit(|nodes| match nodes <= MOST_FACTORED_EACH_STEP {
            true => LinearSolver::cholesky(),
            false => LinearSolver::conjugate_gradients(pcg),
        })?;
        let outcome = self.solve_step_with(&mut implicit, step);
        self.scratch.implicit = Some(implicit);
        outcome
    }

    fn solve_step_with(&mut self, implicit: &mut Implicit, step: &Step) -> Result<(), Failure> {
        implicit.constraints = self.held_nodes(step);
        self.each_load(step.loads, |node, force| implicit.external[node] += force);
        self.each_placed(step.loads, |_, node, end| implicit.positions[node] = end);
        debug_assert!(step.contacts.iter().flat_map(ContactSpring::dofs).all(|(node, _)| node < self.state.len()));
        match implicit.minimise(self, step.contacts, Some((step.time_step, step.gravity))) {
            Err(SolveError::NotConverged { residual, needed, .. }) if residual <= MISSED * needed => {}
            report => _ = report.map_err(|error| failure(&error))?,
        }
        for chunk in &self.layout.chunks {
            if self.flights[chunk.island].is_asleep() {
                continue;
            }
            for node in chunk.nodes.clone() {
                let (start, end) = (self.state[node].position(), implicit.positions[node]);
                self.prediction[node].set_position(&end);
                self.prediction[node].set_velocity(&((end - start) / step.time_step));
            }
        }
        for contact in step.contacts {
            let start = contact.position(|node| self.state[node].position());
            let end = contact.position(|node| implicit.positions[node]);
            self.pending_work += contact.force(&end).dot(&(end - start));
        }
        self.constraints.record_loads(step.loads);
        self.record_pushes(step, |_, node| implicit.gradient[node]);
        self.report_prediction();
        Ok(())
    }

    /// The nodes that do not take part: those whose place is prescribed, and those of sleeping islands.
    fn held_nodes(&self, step: &Step) -> Constraints {
        let mut constraints = Constraints::none(self.state.len());
        self.each_placed(step.loads, |_, node, _| constraints.fix(node));
        for chunk in &self.layout.chunks {
            if self.flights[chunk.island].is_asleep() {
                chunk.nodes.clone().for_each(|node| constraints.fix(node));
            }
        }
        constraints
    }

    /// Boxes around the prediction, and nothing to watch: the solver has looked at every element.
    fn report_prediction(&mut self) {
        self.scratch.forces.reports.fill(Report::QUIET);
        for (chunk, report) in self.layout.chunks.iter().zip(&mut self.scratch.chunk_reports) {
            let nodes = chunk.nodes.clone();
            *report = ChunkReport::around(&self.state[nodes.clone()], &self.prediction[nodes]);
        }
    }

    /// Moves the state to the balance of the loads at the end of the step, marching from the last one.
    pub(crate) fn find_balance(&mut self, step: &Step) -> Result<(), Failure> {
        // A body in equilibrium is never in rigid-body mode. The one that it starts in, at rest before the first load step, is no event.
        self.wake_all();
        self.flights.iter_mut().for_each(|flight| flight.disturbed = true);
        self.happened.retain(|change| matches!(change, Change::Split { .. }));
        self.scratch.forces.begin();
        self.pending_work = 0.0;
        self.begin_loads(step.loads);
        let solver = |nodes: usize| match nodes <= MOST_FACTORED_NODES {
            true => LinearSolver::cholesky(),
            false => LinearSolver::conjugate_gradients(PcgSettings { tolerance: 1e-10, ..PcgSettings::default() }),
        };
        let mut implicit = self.take_implicit(solver)?;
        let outcome = self.find_balance_with(&mut implicit, step);
        self.scratch.implicit = Some(implicit);
        outcome
    }

    fn find_balance_with(&mut self, implicit: &mut Implicit, step: &Step) -> Result<(), Failure> {
        let nodes = self.state.len();
        let mut wanted: Vec<Vec3> = self.state.iter().map(|node| node.mass() * step.gravity).collect();
        self.each_load(step.loads, |node, force| wanted[node] += force);
        let mut before = std::mem::take(&mut self.balanced);
        before.external.resize(nodes, Vec3::zeros());
        before.reactions.resize(nodes, Vec3::zeros());
        let mut placed = Vec::new();
        self.each_placed(step.loads, |_, node, end| placed.push((node, end)));
        implicit.constraints = self.held_nodes(step);

        let settings = MarchSettings { first_step: 1.0, max_step: 1.0, min_step: 1e-4, ..MarchSettings::default() };
        let mut state: Vec<Vec3> = implicit.positions.clone();
        let solve = |factor: f64, state: &mut [Vec3]| {
            for ((external, before), wanted) in implicit.external.iter_mut().zip(&before.external).zip(&wanted) {
                *external = before.lerp(wanted, factor);
            }
            implicit.positions.copy_from_slice(state);
            for &(node, end) in &placed {
                implicit.positions[node] = self.state[node].position().lerp(&end, factor);
            }
            let report = implicit.minimise(self, step.contacts, None)?;
            state.copy_from_slice(&implicit.positions);
            Ok(report)
        };
        let outcome = march(&settings, &mut state, &mut Vec::new(), solve, |_, _| {});
        if let Err(error) = outcome {
            self.balanced = before;
            return Err(failure(&error));
        }
        for (node, place) in self.prediction.iter_mut().zip(&state) {
            node.set_position(place);
            node.set_velocity(&Vec3::zeros());
        }
        self.constraints.record_loads(step.loads);
        self.record_pushes(step, |_, node| implicit.gradient[node]);
        // Trapezoids: forces have grown along the way.
        self.pending_work = 0.0;
        let mut after = Balanced { external: wanted, reactions: vec![Vec3::zeros(); nodes] };
        placed.iter().for_each(|&(node, _)| after.reactions[node] = implicit.gradient[node]);
        for node in 0..nodes {
            let way = self.prediction[node].position() - self.state[node].position();
            let weight = self.state[node].mass() * step.gravity;
            let push =
                0.5 * (before.external[node] + before.reactions[node] + after.external[node] + after.reactions[node]);
            self.work += (push - weight).dot(&way);
        }
        self.balanced = after;
        self.constraints.commit();
        self.report_prediction();
        std::mem::swap(&mut self.state, &mut self.prediction);
        self.prediction.clone_from(&self.state);
        self.scratch.reach = None;
        self.measure();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
