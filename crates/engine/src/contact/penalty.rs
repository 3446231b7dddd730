//! Bodies that are kept apart by penalty forces (O'Brien & Hodgins 1999, §3.3) instead of impulses.
//!
//! The forces are those of the state at the start of the step, as a body's own explicit forces are,
//! and reach the prediction as impulses over the step. Bodies then penetrate each other by the
//! depth that bears their load.

use crate::{Body, World};
use craze_contact::solvers::penalty::{PenaltyBody, PenaltyForce, Response, node_forces, overlap_forces};
use craze_contact::{CollisionGeometry, ContactMaterial, ContactSurface, Impulse, SelfOverlaps, VolumeTree};
use craze_math::Vec3;

/// A body in the computation of penalty forces.
#[derive(Default)]
struct Volume {
    nodes: ContactSurface,
    tree: VolumeTree,
    own: SelfOverlaps,
    /// True if the nodes are those of the present step.
    has_nodes: bool,
    /// True if the tree is, too.
    is_shown: bool,
    /// True if the nodes can be put in a tree.
    is_sound: bool,
}

impl Volume {
    fn show_nodes(&mut self, body: &Body) {
        if !self.has_nodes {
            self.has_nodes = true;
            self.nodes.clear();
            if let Some(source) = body.method.collision_geometry().nodes {
                source.add_nodes(&mut self.nodes);
            }
        }
    }

    fn show(&mut self, body: &Body) {
        if self.is_shown {
            return;
        }
        self.is_shown = true;
        self.show_nodes(body);
        self.tree.follow(&body.method.collision_geometry().tetrahedra);
        // Positions that are not numbers cannot be put in a tree: the check of the prediction
        // reports them.
        self.is_sound = self.tree.refresh(self.nodes.points.iter().map(|point| point.start)).is_ok();
    }
}

/// Memory of the penalty forces, none of which is state.
#[derive(Default)]
pub(crate) struct PenaltyForces {
    volumes: Vec<Volume>,
    forces: Vec<PenaltyForce>,
    /// Impulses on the nodes of a body with itself (N·s).
    sums: Vec<Vec3>,
    /// Body, dof and impulse (N·s).
    shares: Vec<(u32, u32, Vec3)>,
    impulses: Vec<Impulse>,
}

impl World {
    /// Applies the penalty forces of all pairs that ask for them.
    pub(crate) fn apply_penalty_forces(&mut self, time_step: f64) {
        let pairs = &self.settings.pairs;
        if pairs.all_by_impulses() {
            return;
        }
        let PenaltyForces { volumes, forces, sums, shares, .. } = &mut self.scratch.penalty_forces;
        volumes.resize_with(self.bodies.len(), Volume::default);
        volumes.iter_mut().for_each(|volume| (volume.has_nodes, volume.is_shown) = (false, false));
        shares.clear();
        for one in 0..self.bodies.len() {
            let (body, volume) = (&self.bodies[one], &mut volumes[one]);
            let CollisionGeometry { touches_itself, tetrahedra: matter, .. } = body.method.collision_geometry();
            let own = touches_itself && pairs.response(one, one) != Response::Impulses;
            if let Some(pulse) = own.then(|| SelfOverlaps::pulse(&matter, self.time, time_step)).flatten() {
                volume.show_nodes(body);
                let nodes = volume.nodes.points.as_slice();
                sums.clear();
                sums.resize(nodes.len(), Vec3::zeros());
                let add = |node: u32, impulse: Vec3| sums[node as usize] += impulse;
                volume.own.press(&matter, nodes, pulse, pairs.get(one, one), add);
                let pushed = nodes.iter().zip(sums.iter()).filter(|(_, impulse)| **impulse != Vec3::zeros());
                shares.extend(pushed.map(|(node, impulse)| (one as u32, node.dof, *impulse)));
            }
            for other in one + 1..self.bodies.len() {
                let find = match pairs.response(one, other) {
                    Response::Impulses => continue,
                    Response::NodePenalty => {
                        node_forces as fn(&PenaltyBody, &PenaltyBody, ContactMaterial, &mut Vec<PenaltyForce>)
                    }
                    Response::OverlapPenalty => overlap_forces,
                };
                let [bounds, others] = [one, other].map(|index| self.bodies[index].method.collision_geometry().bounds);
                if !bounds.overlaps(&others) {
                    continue;
                }
                for index in [one, other] {
                    volumes[index].show(&self.bodies[index]);
                }
                if ![one, other].iter().all(|&index| volumes[index].is_sound) {
                    continue;
                }
                let [first, second] = [one, other].map(|index| PenaltyBody {
                    tree: &volumes[index].tree,
                    matter: self.bodies[index].method.collision_geometry().tetrahedra,
                });
                forces.clear();
                find(&first, &second, pairs.get(one, other), forces);
                let points = [one, other].map(|index| volumes[index].nodes.points.as_slice());
                for force in forces.iter() {
                    let impulse = force.impulse(points, time_step);
                    for (side, (index, sign)) in [(one, 1.0), (other, -1.0)].into_iter().enumerate() {
                        shares.extend(force.collision.sides[side].as_slice().iter().map(|&(node, weight)| {
                            let dof = points[side][node as usize].dof;
                            (index as u32, dof, sign * weight * impulse)
                        }));
                    }
                }
            }
        }
        let mut shares = std::mem::take(&mut self.scratch.penalty_forces.shares);
        self.hand_out(&mut shares, time_step);
        self.scratch.penalty_forces.shares = shares;
    }

    /// Hands out impulses (N·s) by body and degree of freedom.
    pub(crate) fn hand_out(&mut self, shares: &mut [(u32, u32, Vec3)], time_step: f64) {
        let mut impulses = std::mem::take(&mut self.scratch.penalty_forces.impulses);
        // Stable, so that the sum over the shares of a node goes by their order.
        shares.sort_by_key(|&(body, dof, _)| (body, dof));
        for of_body in shares.chunk_by(|one, other| one.0 == other.0) {
            impulses.clear();
            impulses.extend(of_body.chunk_by(|one, other| one.1 == other.1).map(|of_freedom| Impulse {
                dof: of_freedom[0].1,
                impulse: of_freedom.iter().map(|share| share.2).sum(),
            }));
            let body = of_body[0].0 as usize;
            let step = self.scratch.step(body, self.time, time_step, self.settings.gravity);
            self.bodies[body].method.receive(&impulses, &step);
        }
        self.scratch.penalty_forces.impulses = impulses;
    }
}
