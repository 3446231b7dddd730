//! Boundary conditions and loads of a solid: see [`craze_body::constraints`].

use crate::model::Solid;
use craze_engine::{HoldId, Load, Region, Step};
use craze_math::Vec3;

impl Solid {
    /// Lets a hold act on the nodes inside a region of the placed body; returns their mean position
    /// (m), or `None` if there are none.
    pub(crate) fn attach_hold(&mut self, id: HoldId, region: &Region) -> Option<Vec3> {
        let placed = |node: u32| self.placed(&self.mesh.positions()[node as usize]);
        let nodes: Vec<u32> =
            (0..self.mesh.point_count() as u32).filter(|&node| region.contains(&placed(node))).collect();
        if nodes.is_empty() {
            return None;
        }
        let center = nodes.iter().map(|&node| placed(node)).sum::<Vec3>() / nodes.len() as f64;
        self.constraints.attach(&mut self.mesh, id, nodes, |node| self.layout.island_of_node(node as usize));
        // Awake at once: the first step must already be one that an elastic body bears.
        self.wake_region(id);
        Some(center)
    }

    /// Lists the regions from the attributes of the mesh.
    pub(crate) fn read_constraints(&mut self) {
        self.constraints.read(&self.mesh, |node| self.layout.island_of_node(node as usize));
    }

    /// Wakes the islands that a hold acts on.
    fn wake_region(&mut self, id: HoldId) {
        let Some(index) = self.constraints.index(id) else { return };
        for at in 0..self.constraints.at(index).islands.len() {
            let island = self.constraints.at(index).islands[at];
            self.wake(island);
            self.motions[island].disturbed = true;
        }
    }

    /// Wakes what is loaded in this step, and notes which nodes have their position prescribed.
    pub(crate) fn begin_loads(&mut self, loads: &[Load]) {
        loads.iter().for_each(|load| self.wake_region(load.hold));
        self.constraints.begin(loads, self.mesh.point_count());
    }

    /// Calls `push` with every node that a load pushes and the force on it (N).
    pub(crate) fn each_load(&self, loads: &[Load], push: impl FnMut(usize, &Vec3)) {
        self.constraints.each_load(loads, |node| self.state[node].mass(), push);
    }

    /// Calls `visit` with every node whose position is prescribed, the region that prescribes it,
    /// and that position at the end of the step (m).
    pub(crate) fn each_placed(&self, loads: &[Load], visit: impl FnMut(usize, usize, Vec3)) {
        self.constraints.each_placed(loads, |node| self.placed(&self.mesh.positions()[node]), visit);
    }

    /// Adds loads to the partial sums, and records them as forces of their holds.
    pub(crate) fn add_loads(&mut self, loads: &[Load]) {
        let mut partial = std::mem::take(&mut self.scratch.forces.partial);
        self.each_load(loads, |node, force| {
            let slot = &mut partial[self.layout.slots_of(node)[0] as usize];
            for axis in 0..3 {
                slot[axis] += force[axis];
            }
        });
        self.scratch.forces.partial = partial;
        self.constraints.record_loads(loads);
    }

    /// Moves the nodes of the prediction whose positions are prescribed.
    pub(crate) fn move_placed_nodes(&mut self, step: &Step) {
        let dt = step.time_step;
        let mut prediction = std::mem::take(&mut self.prediction);
        let mut suspects = std::mem::take(&mut self.scratch.suspects);
        let mut reports = std::mem::take(&mut self.scratch.chunk_reports);
        let far = self.far();
        self.each_placed(step.loads, |_, node, end| {
            let start = &self.state[node];
            if (end - start.position() - dt * start.velocity()).norm() > far {
                suspects.push(node as u32);
            }
            prediction[node].set_position(&end);
            prediction[node].set_velocity(&((end - start.position()) / dt));
            reports[self.layout.chunk_of_node(node)].include(&end);
        });
        self.scratch.chunk_reports = reports;
        self.prediction = prediction;
        self.scratch.suspects = suspects;
    }

    /// Records the forces with which holds moved their nodes (N), and the work that they did:
    /// whatever the forces in the partial sums, gravity and drag did not do.
    pub(crate) fn record_reactions(&mut self, step: &Step) {
        self.record_pushes(step, |solid, node| {
            let (start, end) = (&solid.state[node], &solid.prediction[node]);
            let [x, y, z, _] = solid.scratch.forces.of_node(&solid.layout, node);
            let drag = solid.drag.get(node).copied().unwrap_or(0.0);
            let gained = (end.velocity() - start.velocity()) / step.time_step;
            let own = start.mass() * (gained - step.gravity + drag * start.velocity());
            own - Vec3::new(x, y, z)
        });
    }

    /// Records the force with which holds push each of the nodes that they place (N), and the work
    /// that they do.
    pub(crate) fn record_pushes(&mut self, step: &Step, push_on: impl Fn(&Solid, usize) -> Vec3) {
        let mut constraints = std::mem::take(&mut self.constraints);
        let mut work = 0.0;
        let placed = |node: usize| self.placed(&self.mesh.positions()[node]);
        constraints.push_placed(step.loads, placed, |node, _| {
            let push = push_on(self, node);
            work += push.dot(&(self.prediction[node].position() - self.state[node].position()));
            push
        });
        self.constraints = constraints;
        self.pending_work += work;
    }

    /// Accelerations of held nodes for the jerk: those of their prescribed motion.
    pub(crate) fn accelerate_placed_nodes(&mut self, step: &Step) {
        let mut accelerations = std::mem::take(&mut self.scratch.accelerations);
        self.each_placed(step.loads, |_, node, end| {
            let start = &self.state[node];
            let gained = ((end - start.position()) / step.time_step - start.velocity()) / step.time_step;
            accelerations[node] = [gained.x, gained.y, gained.z, 0.0];
        });
        self.scratch.accelerations = accelerations;
    }

    /// Work of the loads over the predicted displacement of their nodes (J).
    pub(crate) fn work_of_loads(&self, loads: &[Load]) -> f64 {
        let mut work = 0.0;
        self.each_load(loads, |node, force| {
            work += force.dot(&(self.prediction[node].position() - self.state[node].position()));
        });
        work
    }
}
