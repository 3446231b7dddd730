//! Implicit steps and equilibrium of a solid: see [`craze_body::implicit`].

use crate::elastic_model::{SolidElasticity, Workspace};
use crate::integrate::ChunkReport;
use crate::kernel::Report;
use crate::model::Solid;
use crate::options::Integrator;
use craze_body::PieceEvent;
use craze_body::implicit::{ImplicitSolver, Surroundings, TimeStep, failure};
use craze_contact::ContactSpring;
use craze_engine::{Failure, Step};
use craze_math::{Mat3, Vec3};
use craze_solve::{Constraints, LinearSolver, NewtonReport, NewtonSettings, PcgSettings, SolveError};

/// Strain whose stress on an element's face is the tolerance of the force balance (1).
const RESIDUAL_STRAIN: f64 = 1e-12;

/// Conjugate gradients with multigrid, for equilibrium: relative residual, and iterations after which
/// a factorisation takes over.
const EQUILIBRIUM_TOLERANCE: f64 = 1e-10;
const MAX_EQUILIBRIUM_ITERATIONS: usize = 200;

/// Steps are solved by factorisation up to this many nodes: below, it is faster than conjugate
/// gradients.
const MAX_NODES_FACTORED_PER_STEP: usize = 1000;

/// Residual over the tolerance at which a step that has run out of iterations is accepted: its
/// error is invisible.
const ACCEPTED_RESIDUAL_FACTOR: f64 = 1e3;

/// Newton iterations of a step; a step that needs more is better halved.
const MAX_NEWTON_ITERATIONS: usize = 60;

/// Bodies of up to this many nodes report their compliance to contact: factors of larger ones cost
/// more than the rounds that they save.
const MAX_NODES_WITH_COMPLIANCE: usize = 4000;

/// The solver and the workspace of the elements.
pub(crate) struct Implicit {
    solver: ImplicitSolver,
    workspace: Workspace,
}

impl Implicit {
    fn new(solid: &Solid, solver: LinearSolver) -> Result<Implicit, SolveError> {
        let stiffest = solid.laws.iter().map(craze_element::Law::pressure_modulus).fold(0.0, f64::max);
        let settings = NewtonSettings {
            residual: RESIDUAL_STRAIN * stiffest * solid.smallest_height * solid.smallest_height,
            step: RESIDUAL_STRAIN * solid.smallest_height,
            max_iterations: MAX_NEWTON_ITERATIONS,
        };
        let solver = ImplicitSolver::new(solid.state.len(), solid.mesh.elements(), settings, solver)?;
        Ok(Implicit { solver, workspace: Workspace::default() })
    }
}

impl Solid {
    fn surroundings<'a>(&'a self, contacts: &'a [ContactSpring], step: Option<TimeStep>) -> Surroundings<'a> {
        Surroundings { start: &self.state, drag: &self.drag, contacts, step }
    }

    /// Minimises the potential of a step, or of equilibrium, from the positions in the solver.
    fn minimise(
        &self,
        solver: &mut ImplicitSolver,
        workspace: &mut Workspace,
        contacts: &[ContactSpring],
        step: Option<TimeStep>,
    ) -> Result<NewtonReport, SolveError> {
        solver.minimise(SolidElasticity { solid: self, workspace }, self.surroundings(contacts, step))
    }

    fn take_implicit(&mut self, solver: impl FnOnce(usize) -> LinearSolver) -> Result<Box<Implicit>, Failure> {
        let mut implicit = match self.scratch.implicit.take() {
            Some(implicit) => implicit,
            None => Box::new(Implicit::new(self, solver(self.state.len())).map_err(|error| failure(&error))?),
        };
        implicit.solver.begin(&self.state);
        Ok(implicit)
    }

    /// Wakes what takes part in the equations: islands in contact, and those that were hit while
    /// asleep.
    pub(crate) fn wake_for_equations(&mut self, contacts: &[ContactSpring]) {
        if self.options.integrator != Integrator::Implicit {
            return;
        }
        for island in 0..self.motions.len() {
            if self.motions[island].needs_short_steps {
                self.wake(island);
            }
        }
        for (node, _) in contacts.iter().flat_map(ContactSpring::dofs) {
            if node < self.state.len() {
                let island = self.layout.island_of_node(node);
                self.wake(island);
                self.motions[island].disturbed = true;
            }
        }
    }

    /// Columns of the inverse stiffness at some nodes; none if some of them fly, or where factors
    /// would cost too much.
    pub(crate) fn compliance_at(&mut self, nodes: &[u32], step: &Step) -> Option<Vec<Mat3>> {
        let count = self.state.len();
        let is_awake = |&node: &u32| {
            (node as usize) < count && !self.motions[self.layout.island_of_node(node as usize)].is_asleep()
        };
        if count > MAX_NODES_WITH_COMPLIANCE || !nodes.iter().all(is_awake) {
            return None;
        }
        let mut implicit = self.scratch.implicit.take()?;
        let Implicit { solver, workspace } = &mut *implicit;
        let time_step = TimeStep { length: step.time_step, gravity: step.gravity };
        let surroundings = self.surroundings(step.contacts, Some(time_step));
        let blocks = solver.compliance(SolidElasticity { solid: self, workspace }, surroundings, nodes);
        self.scratch.implicit = Some(implicit);
        blocks.ok()
    }

    /// The prediction by backward Euler.
    pub(crate) fn solve_step(&mut self, step: &Step) -> Result<(), Failure> {
        let pcg = PcgSettings { tolerance: 1e-8, ..PcgSettings::default() };
        let mut implicit = self.take_implicit(|nodes| match nodes <= MAX_NODES_FACTORED_PER_STEP {
            true => LinearSolver::cholesky(),
            false => LinearSolver::conjugate_gradients(pcg),
        })?;
        let outcome = self.solve_step_with(&mut implicit, step);
        self.scratch.implicit = Some(implicit);
        outcome
    }

    fn solve_step_with(&mut self, implicit: &mut Implicit, step: &Step) -> Result<(), Failure> {
        let Implicit { solver, workspace } = implicit;
        solver.constraints = self.fixed_nodes(step);
        self.each_load(step.loads, |node, force| solver.external[node] += force);
        self.each_placed(step.loads, |_, node, end| solver.positions[node] = end);
        debug_assert!(step.contacts.iter().flat_map(ContactSpring::dofs).all(|(node, _)| node < self.state.len()));
        let time_step = TimeStep { length: step.time_step, gravity: step.gravity };
        match self.minimise(solver, workspace, step.contacts, Some(time_step)) {
            Err(SolveError::NotConverged { residual, needed, .. }) if residual <= ACCEPTED_RESIDUAL_FACTOR * needed => {
            }
            report => _ = report.map_err(|error| failure(&error))?,
        }
        for chunk in self.layout.chunks.iter().filter(|chunk| !self.motions[chunk.island].is_asleep()) {
            solver.write_prediction(chunk.nodes.clone(), step.time_step, &self.state, &mut self.prediction);
        }
        self.pending_work += solver.work_of_contacts(step.contacts, &self.state);
        self.constraints.record_loads(step.loads);
        self.record_pushes(step, |_, node| solver.gradient[node]);
        self.report_prediction();
        Ok(())
    }

    /// The nodes that do not take part: those whose position is prescribed, and those in rigid-body
    /// mode-body mode.
    fn fixed_nodes(&self, step: &Step) -> Constraints {
        let mut constraints = Constraints::none(self.state.len());
        self.each_placed(step.loads, |_, node, _| constraints.fix(node));
        for chunk in &self.layout.chunks {
            if self.motions[chunk.island].is_asleep() {
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

    /// Moves the state to the balance of the loads at the end of the step, marching from the last
    /// one.
    pub(crate) fn find_balance(&mut self, step: &Step) -> Result<(), Failure> {
        // A body in equilibrium is never in rigid-body mode-body mode. The one that it starts in,
        // at rest before the first load step, is no event.
        self.wake_all();
        self.motions.iter_mut().for_each(|motion| motion.disturbed = true);
        self.events.retain(|event| matches!(event, PieceEvent::Split { .. }));
        self.scratch.forces.begin();
        self.pending_work = 0.0;
        self.begin_loads(step.loads);
        let settings = PcgSettings { tolerance: EQUILIBRIUM_TOLERANCE, max_iterations: MAX_EQUILIBRIUM_ITERATIONS };
        let mut implicit = self.take_implicit(|_| LinearSolver::by_cost(settings))?;
        let outcome = self.find_balance_with(&mut implicit, step);
        self.scratch.implicit = Some(implicit);
        outcome
    }

    fn find_balance_with(&mut self, implicit: &mut Implicit, step: &Step) -> Result<(), Failure> {
        let Implicit { solver, workspace } = implicit;
        let mut loads: Vec<Vec3> = self.state.iter().map(|node| node.mass() * step.gravity).collect();
        self.each_load(step.loads, |node, force| loads[node] += force);
        let mut before = std::mem::take(&mut self.equilibrium);
        before.resize(self.state.len());
        solver.constraints = self.fixed_nodes(step);
        self.support_free_pieces(&mut solver.constraints, &mut loads);
        if step.time_step == 0.0 {
            // Splits have changed the nodes, not the load.
            before.external.clone_from(&loads);
        }
        let mut placed = Vec::new();
        self.each_placed(step.loads, |_, node, end| placed.push((node, end)));
        let minimise = |solver: &mut ImplicitSolver| self.minimise(solver, workspace, step.contacts, None);
        let after = match solver.march(&before, loads, &placed, minimise) {
            Ok(after) => after,
            Err(error) => {
                self.equilibrium = before;
                return Err(failure(&error));
            }
        };
        for (node, position) in self.prediction.iter_mut().zip(&solver.positions) {
            node.set_position(position);
            node.set_velocity(&Vec3::zeros());
        }
        self.constraints.record_loads(step.loads);
        self.record_pushes(step, |_, node| solver.gradient[node]);
        self.pending_work = 0.0;
        after.add_work(&before, &self.state, &solver.positions, &step.gravity, &mut self.work);
        self.equilibrium = after;
        self.constraints.commit();
        self.report_prediction();
        std::mem::swap(&mut self.state, &mut self.prediction);
        self.prediction.clone_from(&self.state);
        self.scratch.reach = None;
        self.measure();
        Ok(())
    }
}

mod support;
#[cfg(test)]
mod tests;
