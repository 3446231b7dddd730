//! The stages of one step, in the order of §6 of Song et al. 2008: velocities and positions are
//! updated by the solution of the last system, contact changes them, and the next system starts
//! from there. A step of the world begins with the solution, so that its prediction has it; the
//! cycle is the same, and contact always comes before a solution.

use crate::model::{Motion, Xfem};
use crate::system::{System, failure};
use craze_body::save::is_finite;
use craze_contact::Impulse;
use craze_engine::{Effect, Failure, Load, Step};
use craze_math::{Isometry, Vec3};

impl Xfem {
    /// Steps 4, 1 and 2 of §6.
    pub(crate) fn predict_step(&mut self, step: &Step) -> Result<(), Failure> {
        self.constraints.begin(step.loads, self.mesh.point_count());
        let mut system = match self.system.take() {
            Some(system) => system,
            None => Box::new(System::new(self).map_err(|error| failure(&error))?),
        };
        let outcome = self.predict_with(&mut system, step);
        self.system = Some(system);
        outcome
    }

    fn predict_with(&mut self, system: &mut System, step: &Step) -> Result<(), Failure> {
        let time_step = step.time_step;
        system.assemble(self, step).map_err(|error| failure(&error))?;
        self.each_load(step.loads, |dof, force| system.push(dof, &(time_step * force)));
        system.add_contacts(step.contacts, &self.state, time_step);
        self.each_placed(step.loads, |_, dof, end| {
            let (start, velocity) = (self.state.positions[dof as usize], self.state.velocities[dof as usize]);
            system.prescribe(dof, (end - start) / time_step - velocity);
        });
        let mut increments = std::mem::take(&mut self.prediction.velocities);
        increments.clone_from(&self.increments);
        let solved = system.solve(self, &mut increments, time_step);
        let state = &self.state;
        increments.iter_mut().zip(&state.velocities).for_each(|(increment, velocity)| *increment += velocity);
        self.prediction.velocities = increments;
        solved.map_err(|error| failure(&error))?;
        for (slot, (start, velocity)) in
            self.prediction.positions.iter_mut().zip(state.positions.iter().zip(&self.prediction.velocities))
        {
            *slot = start + time_step * velocity;
        }
        self.record_work(system, step);
        self.bound();
        self.check_prediction()
    }

    /// Forces of holds, and the work of loads, holds and contact springs in the step (J).
    fn record_work(&mut self, system: &System, step: &Step) {
        self.constraints.record_loads(step.loads);
        let mut work = 0.0;
        let moved = |dof: u32| self.prediction.positions[dof as usize] - self.state.positions[dof as usize];
        self.each_load(step.loads, |dof, force| work += force.dot(&moved(dof)));
        let mut reactions = Vec::new();
        self.each_placed(step.loads, |region, dof, _| reactions.push((region, system.reactions[dof as usize], dof)));
        for (region, force, dof) in reactions {
            work += force.dot(&(self.prediction.positions[dof as usize] - self.state.positions[dof as usize]));
            self.constraints.add_reaction(region, &force);
        }
        for contact in step.contacts {
            let start = contact.position(|dof| self.state.positions[dof]);
            let end = contact.position(|dof| self.prediction.positions[dof]);
            work += contact.force(&end).dot(&(end - start));
        }
        self.pending_work = work;
    }

    /// Step 3 of §6: impulses of contact on the prediction, by the mass that moves with each degree
    /// of freedom.
    pub(crate) fn receive_impulses(&mut self, impulses: &[Impulse], step: &Step) {
        for Impulse { dof, impulse } in impulses {
            let dof = *dof as usize;
            let node = self.enrichment.node_of[dof] as usize;
            if let Some(region) = self.constraints.is_placed(node).then(|| self.constraints.owner(node)).flatten() {
                self.constraints.add_reaction(region, &(-impulse / step.time_step));
                continue;
            }
            let gain = impulse / self.masses[dof];
            let before = self.prediction.velocities[dof];
            self.prediction.velocities[dof] += gain;
            self.prediction.positions[dof] += step.time_step * gain;
            self.bounds = self.bounds.with(&self.prediction.positions[dof]);
            self.pending_work += impulse.dot(&(before + 0.5 * gain));
        }
    }

    pub(crate) fn check_prediction(&self) -> Result<(), Failure> {
        let Motion { positions, velocities } = &self.prediction;
        match positions.iter().zip(velocities).position(|(x, v)| !(is_finite(x) && is_finite(v))) {
            Some(dof) => Err(Failure::NotFinite { node: self.enrichment.node_of[dof] }),
            None => Ok(()),
        }
    }

    /// Makes the prediction the state.
    pub(crate) fn commit_step(&mut self) {
        let changes = self.prediction.velocities.iter().zip(&self.state.velocities);
        for (increment, (after, before)) in self.increments.iter_mut().zip(changes) {
            *increment = after - before;
        }
        std::mem::swap(&mut self.state, &mut self.prediction);
        self.prediction.clone_from(&self.state);
        self.constraints.commit();
        self.work += std::mem::take(&mut self.pending_work);
    }

    /// Makes the planned cuts that are due at a time (s), and moves the knives to where they are then.
    pub(crate) fn make_cuts(&mut self, time: f64) {
        self.move_knives(time);
        while self.planned.first().is_some_and(|cut| cut.time <= time) {
            let cut = self.planned.remove(0);
            if self.cut(&cut).is_err() {
                self.counts.refused += 1;
            }
        }
    }

    /// Calls `push` with every degree of freedom that a load pushes and the force on it (N): that
    /// on a node is divided among its degrees of freedom by mass.
    pub(crate) fn each_load(&self, loads: &[Load], mut push: impl FnMut(u32, Vec3)) {
        let node_mass = |node: u32| self.enrichment.dofs_of(node).map(|dof| self.masses[dof as usize]).sum::<f64>();
        self.constraints.each_load(
            loads,
            |node| node_mass(node as u32),
            |node, force| {
                let total = node_mass(node as u32);
                for dof in self.enrichment.dofs_of(node as u32) {
                    push(dof, self.masses[dof as usize] / total * force);
                }
            },
        );
    }

    /// Calls `visit` with the index of the region, the degree of freedom and its position at the
    /// end of the step (m), for all whose position is prescribed.
    pub(crate) fn each_placed(&self, loads: &[Load], mut visit: impl FnMut(usize, u32, Vec3)) {
        if !loads.iter().any(|load| matches!(load.effect, Effect::Place(_))) {
            return;
        }
        let placed = |node: usize| self.placed(&self.mesh.positions()[node]);
        self.constraints.each_placed(loads, placed, |region, node, end| {
            self.enrichment.dofs_of(node as u32).for_each(|dof| visit(region, dof, end));
        });
    }

    /// Sets positions to those to which a rigid motion takes the rest shape, at rest. For tests and
    /// scenes that begin elsewhere.
    pub fn place(&mut self, motion: &Isometry) {
        self.set_motion(|_, rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros()));
    }
}
