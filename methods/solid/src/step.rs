//! The trait [`Method`] for a solid: the stages of a step, O'Brien & Hodgins 1999, §3.

use crate::blocks::corners_of;
use crate::model::Solid;
use crate::options::Integrator;
use crate::tuning::{CHECKED_DEFORMATION_CHANGE, CHECKED_DISPLACEMENT, CHECKED_VOLUME_RATIO};
use craze_body::closest::closest_point;
use craze_body::events::report;
use craze_body::rigid_mode::RigidMap;
use craze_body::{IslandMotion, RigidMotion};
use craze_contact::{
    CollisionGeometry, ContactNodes, ContactPoints, ContactRun, ContactRuns, ContactSurface, Impulse, SurfacePoint,
};
use craze_engine::{
    Account, Attachable, CommitLog, Event, Failure, FrameDetail, HoldId, Implicit, MaterialPoint, Method, QuasiStatic,
    Region, Stage, Step,
};
use craze_frame::BodyFrame;
use craze_math::{Mat3, Vec3};
use craze_mesh::NodeId;
use craze_spatial::Aabb;

/// Maps from recorded positions of an island in rigid-body mode to state and prediction.
struct RigidMaps {
    now: Option<RigidMap>,
    predicted: Option<RigidMap>,
}

impl RigidMaps {
    fn new(motion: &IslandMotion) -> RigidMaps {
        let rigid = motion.rigid.as_ref();
        // Once woken, the nodes of the prediction are written.
        RigidMaps {
            now: rigid.map(RigidMotion::map),
            predicted: rigid.filter(|rigid| !rigid.woken).map(RigidMotion::predicted_map),
        }
    }
}

impl Method for Solid {
    fn kind(&self) -> &'static str {
        crate::KIND
    }

    fn time_step_limit(&self) -> f64 {
        self.motion_limit().min(self.options.longest_time_step)
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        self.begin_prediction(step);
        self.begin_loads(step.loads);
        self.wake_for_equations(step.contacts);
        self.predict_rigid_motions(step);
        if self.is_awake() {
            if self.options.integrator == Integrator::Implicit {
                self.solve_step(step)?;
            } else {
                self.sum_forces_for(step)?;
                self.add_loads(step.loads);
                self.integrate(step);
                self.move_placed_nodes(step);
                self.record_reactions(step);
            }
        }
        self.find_reach();
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        CollisionGeometry {
            bounds: self.reach(),
            points: self,
            runs: Some(self),
            triangles: self.surface.contact_triangles(),
            tetrahedra: self.surface.contact_tetrahedra(&self.mesh),
            nodes: Some(self),
            touches_itself: self.options.touches_itself,
        }
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        // Elements of implicit bodies may be thinner than their steps reveal.
        let far = if self.options.integrator == Integrator::Implicit { 0.0 } else { self.far() };
        for Impulse { dof, impulse } in impulses {
            let node = *dof as usize;
            if node >= self.state.len() {
                continue;
            }
            // A node with prescribed position does not move: the impulse is a reaction of its hold.
            if self.constraints.is_placed(node) {
                if let Some(owner) = self.constraints.owner(node) {
                    self.constraints.add_reaction(owner, &(-impulse / step.time_step));
                }
                continue;
            }
            let chunk = self.layout.chunk_of_node(node);
            let island = self.layout.chunks[chunk].island;
            self.wake_prediction(island, step.time_step);
            self.motions[island].disturbed = true;
            let before = self.state[node].velocity();
            let record = &mut self.prediction[node];
            let gained = record.inverse_mass() * impulse;
            let (place, velocity) = (record.position() + step.time_step * gained, record.velocity() + gained);
            // The impulse acts over the whole step, as all other forces do: on a node that contact
            // keeps at rest no work is done, though the forces of its elements moved it first.
            self.pending_work += 0.5 * impulse.dot(&(before + velocity));
            record.set_position(&place);
            record.set_velocity(&velocity);
            if !(step.time_step * gained.norm() <= far) {
                self.scratch.suspects.push(*dof);
            }
            self.scratch.reach = self.scratch.reach.map(|reach| reach.with(&place));
            self.scratch.chunk_reports[chunk].include(&place);
        }
    }

    fn check(&self) -> Result<(), Failure> {
        self.check_rigid_motions()?;
        self.check_numbers()?;
        self.check_watched_blocks()?;
        self.check_suspects()
    }

    fn commit(&mut self, step: &Step, log: &mut CommitLog) {
        self.commit_motion(step);
        log.end_stage(Stage::Commit);
        self.fracture(step, &mut log.events);
        log.end_stage(Stage::Fracture);
    }

    fn settle(&mut self) {
        self.renumber();
        for motion in &mut self.motions {
            motion.needs_short_steps = false;
        }
        self.constraints.forget_placed();
        self.enter_rigid_mode();
        for motion in &mut self.motions {
            motion.disturbed = false;
        }
    }

    fn account(&self, gravity: &Vec3) -> Account {
        self.ledger(gravity)
    }

    fn frame(&self, detail: FrameDetail) -> BodyFrame {
        self.picture(detail)
    }

    fn save(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn implicit(&mut self) -> Option<&mut dyn Implicit> {
        (self.options.integrator == Integrator::Implicit).then_some(self)
    }

    fn quasi_static(&mut self) -> Option<&mut dyn QuasiStatic> {
        Some(self)
    }
}

impl ContactPoints for Solid {
    fn add_points(&self, surface: &mut ContactSurface) {
        let mut rest = self.surface.nodes.as_slice();
        for chunk in &self.layout.chunks {
            let maps = RigidMaps::new(&self.motions[chunk.island]);
            let (own, others) = rest.split_at(rest.partition_point(|&node| (node as usize) < chunk.nodes.end));
            rest = others;
            surface.points.extend(own.iter().map(|&dof| self.contact_point(dof, &maps)));
        }
    }
}

impl ContactRuns for Solid {
    fn add_runs(&self, runs: &mut Vec<ContactRun>) {
        let mut start = 0;
        for (chunk, report) in self.layout.chunks.iter().zip(&self.scratch.chunk_reports) {
            let end = start + self.surface.nodes[start..].partition_point(|&node| (node as usize) < chunk.nodes.end);
            // Impulses have moved nodes of islands that were hit in rigid-body mode beyond the
            // report.
            let bounds = report.reach().union(&self.motions[chunk.island].bounds());
            runs.push(ContactRun { points: start..end, bounds });
            start = end;
        }
    }

    fn write_run(&self, run: usize, points: &mut [SurfacePoint]) {
        let chunk = &self.layout.chunks[run];
        let maps = RigidMaps::new(&self.motions[chunk.island]);
        let first = self.surface.nodes.partition_point(|&node| (node as usize) < chunk.nodes.start);
        for (point, &dof) in points.iter_mut().zip(&self.surface.nodes[first..]) {
            *point = self.contact_point(dof, &maps);
        }
    }
}

impl ContactNodes for Solid {
    fn add_nodes(&self, nodes: &mut ContactSurface) {
        for chunk in &self.layout.chunks {
            let maps = RigidMaps::new(&self.motions[chunk.island]);
            nodes.points.extend(chunk.nodes.clone().map(|node| self.contact_point(node as u32, &maps)));
        }
    }
}

impl QuasiStatic for Solid {
    fn balance(&mut self, step: &Step) -> Result<(), Failure> {
        self.find_balance(step)
    }

    fn failure_ratio(&mut self) -> f64 {
        self.largest_failure_ratio()
    }

    fn split_fronts(&mut self, step: &Step, log: &mut CommitLog) -> u64 {
        let splits = self.split_strongest_of_fronts();
        report(&mut self.events, step.time + step.time_step, &mut log.events);
        splits
    }
}

impl Implicit for Solid {
    fn compliance(&mut self, dofs: &[u32], step: &Step) -> Option<Vec<Mat3>> {
        self.compliance_at(dofs, step)
    }
}

impl Attachable for Solid {
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        self.attach_hold(hold, region)
    }

    fn locate(&mut self, place: &Vec3) -> MaterialPoint {
        self.track_material_point(place)
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        let mut sum = (Vec3::zeros(), Vec3::zeros());
        let Some(tracked) = self.tracked.get(point) else { return sum };
        for (corner, weight) in self.mesh.elements()[tracked.element as usize].iter().zip(&tracked.weights) {
            let (place, velocity) = self.node_now(*corner as usize);
            sum.0 += *weight * place;
            sum.1 += *weight * velocity;
        }
        sum
    }

    fn reaction(&self, hold: HoldId) -> Vec3 {
        self.constraints.reaction(hold)
    }
}

impl Solid {
    /// Makes the prediction the state.
    pub fn commit_motion(&mut self, step: &Step) {
        self.work += self.pending_work + self.work_of_loads(step.loads);
        self.pending_work = 0.0;
        self.constraints.commit();
        self.commit_rigid_motions();
        std::mem::swap(&mut self.state, &mut self.prediction);
    }

    /// Splits what fails in the state at the end of `step`, and adds what happened to `events`.
    pub fn fracture(&mut self, step: &Step, events: &mut Vec<Event>) {
        let time = step.time + step.time_step;
        if self.is_awake() && self.options.is_time_to_look(step.time, time) {
            self.break_apart(time);
        }
        report(&mut self.events, time, events);
    }

    /// Bounding box of state and prediction (m).
    pub(crate) fn reach(&self) -> Aabb {
        self.scratch.reach.unwrap_or_else(|| {
            let awake = self.layout.chunks.iter().filter(|chunk| !self.motions[chunk.island].is_asleep());
            let nodes = awake.flat_map(|chunk| &self.state[chunk.nodes.clone()]);
            nodes.fold(self.rigid_bounds(), |all, node| all.with(&node.position()))
        })
    }

    fn contact_point(&self, dof: u32, maps: &RigidMaps) -> SurfacePoint {
        let node = dof as usize;
        let (now, then) = (&self.state[node], &self.prediction[node]);
        let (start, start_velocity) = match &maps.now {
            Some(map) => map.apply(&now.position()),
            None => (now.position(), now.velocity()),
        };
        let (end, velocity) = match &maps.predicted {
            Some(map) => map.apply(&now.position()),
            None => (then.position(), then.velocity()),
        };
        let inverse_mass = if self.constraints.is_placed(node) { 0.0 } else { now.inverse_mass() };
        SurfacePoint { dof, start, start_velocity, end, velocity, inverse_mass, radius: 0.0 }
    }

    fn begin_prediction(&mut self, step: &Step) {
        self.pending_work = 0.0;
        self.scratch.suspects.clear();
        self.scratch.time_step = step.time_step;
        self.scratch.forces.begin();
    }

    pub(crate) fn is_awake(&self) -> bool {
        self.motions.iter().any(|motion| !motion.is_asleep())
    }

    fn find_reach(&mut self) {
        let awake = self
            .scratch
            .chunk_reports
            .iter()
            .map(|report| report.reach())
            .fold(Aabb::EMPTY, |all, one| all.union(&one));
        let mut reach = if self.is_awake() { awake } else { Aabb::EMPTY };
        for &node in &self.scratch.suspects {
            reach = reach.with(&self.prediction[node as usize].position());
        }
        self.scratch.reach = Some(reach.union(&self.rigid_bounds()));
    }

    /// Displacement by a push in one step above which the elements of a node are checked again (m).
    pub(crate) fn far(&self) -> f64 {
        0.02 * self.smallest_height
    }

    fn check_numbers(&self) -> Result<(), Failure> {
        for (chunk, report) in self.layout.chunks.iter().zip(&self.scratch.chunk_reports) {
            if self.motions[chunk.island].is_asleep() || report.witness.is_finite() {
                continue;
            }
            let bad = chunk.nodes.clone().find(|&node| !self.prediction[node].is_finite());
            if let Some(node) = bad {
                return Err(Failure::NotFinite { node: node as u32 });
            }
        }
        Ok(())
    }

    /// Checks the predicted shape of all elements that could have been inverted in this step.
    fn check_watched_blocks(&self) -> Result<(), Failure> {
        let jump = CHECKED_DISPLACEMENT * self.smallest_height;
        let all = self.scratch.chunk_reports.iter().any(|report| report.largest_jump > jump * jump);
        let change = CHECKED_DEFORMATION_CHANGE / self.scratch.time_step;
        for (block, report) in self.layout.blocks.iter().zip(&self.scratch.forces.reports) {
            let watched = all || report.lowest_ratio < CHECKED_VOLUME_RATIO || report.fastest_change > change * change;
            if watched && !self.motions[block.island].is_asleep() {
                for element in block.elements.clone() {
                    self.check_element(block, element, &self.prediction)?;
                }
            }
        }
        Ok(())
    }

    fn check_suspects(&self) -> Result<(), Failure> {
        for &node in &self.scratch.suspects {
            for element in self.mesh.elements_of(NodeId(node)) {
                self.check_element(self.layout.block_of(element.index()), element.index(), &self.prediction)?;
            }
        }
        Ok(())
    }

    /// Computes the strain and stiffening that bound Δt from the state.
    pub(crate) fn measure(&mut self) {
        let mut strain = 0.0f64;
        let mut stiffening = 0.0f64;
        for block in &self.layout.blocks {
            for element in block.elements.clone() {
                let places = corners_of(&self.state, &self.mesh.elements()[element]);
                let deformation = self.layout.rest(block, element).deformation(&places);
                strain = strain.max(craze_element::strain(&deformation).norm());
                stiffening = stiffening.max(self.guards[block.law].stiffening(&deformation));
            }
        }
        self.spectrum.strain = strain;
        self.spectrum.stiffening = stiffening;
    }

    /// Tracks the material point that is closest to a position (m) of the placed body.
    fn track_material_point(&mut self, position: &Vec3) -> MaterialPoint {
        let rest = self.placement.inverse_transform_point(&(*position).into()).coords;
        let found = closest_point(&self.mesh, &rest);
        self.tracked.track(found, found.weights)
    }
}
