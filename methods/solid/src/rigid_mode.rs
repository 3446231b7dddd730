//! Rigid-body mode of unloaded islands: see [`craze_body::rigid_mode`]. What counts as unstrained
//! is said here.

use crate::blocks::corners_of;
use crate::model::Solid;
use crate::options::Integrator;
use craze_body::PieceEvent;
use craze_element::strain;
use craze_engine::{Failure, RigidBody, Step};
use craze_math::Vec3;
use craze_spatial::Aabb;

impl Solid {
    /// Position and velocity of a node in the state (m, m/s).
    pub(crate) fn node_now(&self, node: usize) -> (Vec3, Vec3) {
        let record = &self.state[node];
        match &self.motions[self.layout.island_of_node(node)].rigid {
            Some(rigid) => rigid.map().apply(&record.position()),
            None => (record.position(), record.velocity()),
        }
    }

    /// Puts every island into rigid-body mode that carries no load.
    pub(crate) fn enter_rigid_mode(&mut self) {
        for island in 0..self.layout.islands.len() {
            let Some(body) = self.unstrained_motion(island) else { continue };
            let nodes = self.layout.islands[island].nodes.clone();
            self.motions[island].sleep(body, &self.state[nodes.clone()], &mut self.prediction[nodes]);
            self.events.push(PieceEvent::Slept(self.pieces.number(self.layout.islands[island].piece)));
        }
        // What bounds a step fades with the steps that strain the body, and there will be none.
        if !self.is_awake() && !self.events.is_empty() {
            self.measure();
        }
        self.scratch.reach = None;
    }

    /// The rigid motion of an awake island whose elements are unstrained; `None` if it is not such
    /// an island.
    fn unstrained_motion(&self, island: usize) -> Option<RigidBody> {
        let (rest, nodes) = (self.options.rest_strain, self.layout.islands[island].nodes.clone());
        let drag = if self.drag.is_empty() { &[] } else { &self.drag[nodes.clone()] };
        let body = self.motions[island].coherent_motion(&self.state[nodes], drag, rest, self.slowest_sound())?;
        for block in self.layout.blocks.iter().filter(|block| block.island == island) {
            for element in block.elements.clone() {
                let corners = corners_of(&self.state, &self.mesh.elements()[element]);
                let strain = strain(&self.layout.rest(block, element).deformation(&corners));
                // Half of the paper's ε is the true strain.
                if !(0.5 * strain.norm() < rest) {
                    return None;
                }
            }
        }
        Some(body)
    }

    /// Speed of sound along a thin bar, √(E/ρ), in the slowest of the materials (m/s): a velocity
    /// over it is a strain.
    pub(crate) fn slowest_sound(&self) -> f64 {
        let squares = self.materials.iter().map(|material| material.elasticity.young() / material.density);
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Speed of the rim (m/s) below which the spin of a saved island may strain it.
    pub(crate) fn largest_rim_speed(&self) -> f64 {
        2.0 * self.options.rest_strain.sqrt() * self.slowest_sound()
    }

    /// Predicts all rigid motions.
    pub(crate) fn predict_rigid_motions(&mut self, step: &Step) {
        for (motion, island) in self.motions.iter_mut().zip(&self.layout.islands) {
            let nodes = island.nodes.clone();
            let drag = self.drag.get(nodes.start).copied().unwrap_or(0.0);
            motion.predict(step, drag, &self.state[nodes.clone()], &mut self.prediction[nodes]);
        }
    }

    /// Wakes an island in the prediction: an impulse is about to meet it.
    /// [`commit`](craze_engine::Method::commit) makes it so.
    pub(crate) fn wake_prediction(&mut self, island: usize, time_step: f64) {
        let is_short = self.bears_impact(time_step);
        let nodes = self.layout.islands[island].nodes.clone();
        self.motions[island].wake_prediction(is_short, &mut self.state[nodes.clone()], &mut self.prediction[nodes]);
    }

    /// Wakes an island in state and prediction.
    pub(crate) fn wake(&mut self, island: usize) {
        let nodes = self.layout.islands[island].nodes.clone();
        if self.motions[island].wake(&mut self.state[nodes.clone()], &mut self.prediction[nodes]) {
            self.events.push(PieceEvent::Woke(self.pieces.number(self.layout.islands[island].piece)));
            self.scratch.reach = None;
        }
    }

    pub(crate) fn wake_all(&mut self) {
        for island in 0..self.layout.islands.len() {
            self.wake(island);
        }
    }

    /// Makes predicted rigid motions the state, and ends those that were hit. Comes before the
    /// nodes are swapped.
    pub(crate) fn commit_rigid_motions(&mut self) {
        for (number, (motion, island)) in self.motions.iter_mut().zip(&self.layout.islands).enumerate() {
            if motion.commit() {
                self.events.push(PieceEvent::Woke(self.pieces.number(island.piece)));
                self.scratch.forces.suspect(&self.layout, number);
            }
        }
    }

    /// Returns true if an impulse may meet an island in rigid-body mode-body mode in a step of this
    /// length (s). An explicit body must meet it in steps that it can bear; an implicit one takes
    /// it into its equations, awake.
    fn bears_impact(&self, time_step: f64) -> bool {
        self.options.integrator != Integrator::Implicit && time_step <= self.spectrum.limit(self.options.integrator)
    }

    /// Refuses a step in which an island in rigid-body mode-body mode was hit although an elastic
    /// body could not have taken it.
    pub(crate) fn check_rigid_motions(&self) -> Result<(), Failure> {
        for (motion, island) in self.motions.iter().zip(&self.layout.islands) {
            if let Some(rigid) = &motion.rigid
                && rigid.woken
                && !self.bears_impact(self.scratch.time_step)
            {
                let change = self.scratch.time_step * rigid.predicted.velocity.norm() / self.smallest_height;
                return Err(Failure::TooFast {
                    element: island.elements.start as u32,
                    place: rigid.body.position,
                    change,
                });
            }
        }
        Ok(())
    }

    /// The longest step (s) of all islands.
    pub(crate) fn motion_limit(&self) -> f64 {
        let elastic = self.spectrum.limit(self.options.integrator);
        self.motions.iter().map(|motion| motion.time_step_limit(elastic)).fold(f64::INFINITY, f64::min)
    }

    /// Bounding box of the islands in rigid-body mode-body mode, state and prediction (m).
    pub(crate) fn rigid_bounds(&self) -> Aabb {
        self.motions.iter().map(|motion| motion.bounds()).fold(Aabb::EMPTY, |all, one| all.union(&one))
    }
}
