//! Quasi-static mode: equilibrium of the elastic forces of all parts with loads and gravity.

use crate::model::Xfem;
use crate::system::{failure, pattern};
use craze_body::Node;
use craze_body::implicit::{ElasticModel, ImplicitSolver, Surroundings, TimeStep};
use craze_element::Corotation;
use craze_engine::{Failure, Step};
use craze_math::{Mat3, Vec3};
use craze_solve::{BlockMatrix, LinearSolver, NewtonSettings, PcgSettings};
use rayon::prelude::*;
use std::ops::Range;

/// Strain whose stress on an element's face is the tolerance of the force balance (1).
const RESIDUAL_STRAIN: f64 = 1e-12;

/// Newton iterations of a load step.
const MAX_NEWTON_ITERATIONS: usize = 60;

/// Equilibrium is solved by factorisation up to this many degrees of freedom.
const MAX_DOFS_FACTORED: usize = 60_000;

/// The parts of a body as an elastic model.
struct XfemElasticity<'a> {
    body: &'a Xfem,
    blocks: Vec<Mat3>,
}

impl XfemElasticity<'_> {
    fn corotation(&self, part: usize, positions: &[Vec3]) -> Corotation {
        let part = &self.body.enrichment.parts[part];
        Corotation::of(&self.body.rest[part.element as usize].deformation(&self.body.corners(part, positions)))
    }
}

impl ElasticModel for XfemElasticity<'_> {
    fn energy(&mut self, positions: &[Vec3], _step: Option<&TimeStep>) -> f64 {
        let body = self.body;
        let of_part = |index: usize| {
            let part = &body.enrichment.parts[index];
            let element = part.element as usize;
            let law = &body.laws[body.material_of[element] as usize];
            let strain = self.corotation(index, positions).strain;
            if part.is_stiff { part.share * body.rest[element].volume * law.energy_density(&strain) } else { 0.0 }
        };
        let energies: Vec<f64> = (0..body.enrichment.parts.len()).into_par_iter().map(of_part).collect();
        let of_bridges: f64 = body.bridges.iter().map(|bridge| bridge.energy(&bridge.corners(body, positions))).sum();
        energies.iter().sum::<f64>() + of_bridges
    }

    fn subtract_forces(&mut self, positions: &[Vec3], _step: Option<&TimeStep>, gradient: &mut [Vec3]) {
        let body = self.body;
        let of_part = |index: usize| {
            let part = &body.enrichment.parts[index];
            let element = part.element as usize;
            let law = &body.laws[body.material_of[element] as usize];
            body.rest[element].corotated_forces(law, &self.corotation(index, positions))
        };
        let forces: Vec<[Vec3; 4]> = (0..body.enrichment.parts.len()).into_par_iter().map(of_part).collect();
        for (part, forces) in body.enrichment.parts.iter().zip(&forces).filter(|(part, _)| part.is_stiff) {
            for (&dof, force) in part.dofs.iter().zip(forces) {
                gradient[dof as usize] -= part.share * force;
            }
        }
        for bridge in &body.bridges {
            let forces = bridge.forces(&bridge.corners(body, positions));
            for (&dof, force) in bridge.dofs(&body.enrichment.parts).iter().zip(&forces) {
                gradient[dof as usize] -= force;
            }
        }
    }

    fn assemble(&mut self, positions: &[Vec3], _step: Option<&TimeStep>, stiffness: &mut BlockMatrix) {
        let body = self.body;
        let mut blocks = std::mem::take(&mut self.blocks);
        let count = 16 * body.enrichment.parts.len();
        blocks.resize(count + 64 * body.bridges.len(), Mat3::zeros());
        for (bridge, blocks) in body.bridges.iter().zip(blocks[count..].chunks_mut(64)) {
            for (index, block) in blocks.iter_mut().enumerate() {
                *block = Mat3::from_diagonal_element(bridge.entry(index / 8, index % 8));
            }
        }
        blocks[..count].par_chunks_mut(16).enumerate().for_each(|(index, blocks)| {
            let part = &body.enrichment.parts[index];
            let element = part.element as usize;
            let law = &body.laws[body.material_of[element] as usize];
            let share = if part.is_stiff { part.share } else { 0.0 };
            let tangent = body.rest[element].corotated_tangent(law, &self.corotation(index, positions));
            for (block, tangent) in blocks.iter_mut().zip(tangent.as_flattened()) {
                *block = share * tangent;
            }
        });
        // The lists are those of the parts for which the solver was made.
        let assembled = stiffness.assemble(&blocks);
        debug_assert!(assembled.is_ok());
        self.blocks = blocks;
    }

    fn awake_nodes(&self) -> impl Iterator<Item = Range<usize>> {
        std::iter::once(0..self.body.enrichment.node_of.len())
    }
}

impl Xfem {
    /// Moves the state to the balance of the loads at the end of the step, marching from the last
    /// one.
    pub(crate) fn find_balance(&mut self, step: &Step) -> Result<(), Failure> {
        self.constraints.begin(step.loads, self.mesh.point_count());
        let count = self.enrichment.node_of.len();
        let stiffest = self.laws.iter().map(|law| law.lambda + 2.0 * law.mu).fold(0.0, f64::max);
        let height = self.mesh.elements().iter().map(|nodes| {
            craze_math::tetrahedron::smallest_height(&nodes.map(|node| self.mesh.positions()[node as usize]))
        });
        let height = height.fold(f64::INFINITY, f64::min);
        let settings = NewtonSettings {
            residual: RESIDUAL_STRAIN * stiffest * height * height,
            step: RESIDUAL_STRAIN * height,
            max_iterations: MAX_NEWTON_ITERATIONS,
        };
        let linear = match count <= MAX_DOFS_FACTORED {
            true => LinearSolver::cholesky(),
            false => LinearSolver::conjugate_gradients(PcgSettings { tolerance: 1e-10, ..PcgSettings::default() }),
        };
        let pattern = pattern(self).map_err(|error| failure(&error))?;
        let mut solver = ImplicitSolver::of(pattern, settings, linear);
        let node = |(position, mass): (&Vec3, &f64)| Node::new(*position, Vec3::zeros(), *mass);
        let start: Vec<Node> = self.state.positions.iter().zip(&self.masses).map(node).collect();
        solver.begin(&start);

        let mut loads: Vec<Vec3> = self.masses.iter().map(|mass| *mass * step.gravity).collect();
        self.each_load(step.loads, |dof, force| loads[dof as usize] += force);
        let mut before = std::mem::take(&mut self.equilibrium);
        before.resize(count);
        let (mut prescribed, mut regions) = (Vec::new(), Vec::new());
        self.each_placed(step.loads, |region, dof, end| {
            prescribed.push((dof as usize, end));
            regions.push(region);
        });
        prescribed.iter().for_each(|&(dof, _)| solver.constraints.fix(dof));
        let surroundings = Surroundings { start: &start, drag: &[], contacts: step.contacts, step: None };
        let body = &*self;
        let minimise =
            |solver: &mut ImplicitSolver| solver.minimise(XfemElasticity { body, blocks: Vec::new() }, surroundings);
        let after = match solver.march(&before, loads, &prescribed, minimise) {
            Ok(after) => after,
            Err(error) => {
                self.equilibrium = before;
                return Err(failure(&error));
            }
        };
        self.constraints.record_loads(step.loads);
        for (&(dof, _), &region) in prescribed.iter().zip(&regions) {
            self.constraints.add_reaction(region, &solver.gradient[dof]);
        }
        after.add_work(&before, &start, &solver.positions, &step.gravity, &mut self.work);
        self.equilibrium = after;
        self.constraints.commit();
        self.state.positions.copy_from_slice(&solver.positions);
        self.state.velocities.fill(Vec3::zeros());
        self.increments.fill(Vec3::zeros());
        self.prediction.clone_from(&self.state);
        self.bound();
        Ok(())
    }
}
