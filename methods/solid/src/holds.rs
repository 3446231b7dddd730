//! Holds and loads: nodes that are moved, pushed or pulled.
//!
//! Which nodes a hold has taken is kept as bits in labels of the mesh, so that splits and remeshing carry it along; the
//! lists here follow from them.

use crate::model::Solid;
use craze_engine::{Effect, HoldId, Load, Region, Step};
use craze_math::Vec3;
use craze_mesh::{PointRule, TetMesh, Values};

/// Holds that one column of labels has room for.
const BITS: u32 = 32;

/// All that is held.
#[derive(Default)]
pub(crate) struct Holds {
    pub regions: Vec<HeldRegion>,
    /// The holds that prescribed places in the last prediction.
    placing: Vec<HoldId>,
    /// A bit for each node whose place was prescribed in the last prediction.
    placed: Vec<u64>,
    /// What each region pushed in the last prediction (N): memory to add up in.
    pushes: Vec<Vec3>,
}

/// What one hold has taken hold of.
#[derive(Clone, Debug)]
pub(crate) struct HeldRegion {
    pub id: HoldId,
    /// Its nodes, ascending.
    pub nodes: Vec<u32>,
    /// Share of the force that each node takes, by mass.
    shares: Vec<f64>,
    /// Part of the region's surface at each node, at rest (m²).
    areas: Vec<f64>,
    /// Islands it touches.
    islands: Vec<usize>,
    /// Force on the body in the last committed step, and in the prediction (N).
    pub reaction: Vec3,
    pub pending: Vec3,
}

impl Holds {
    pub fn region(&self, id: HoldId) -> Option<&HeldRegion> {
        self.regions.iter().find(|region| region.id == id)
    }

    /// The region that places a node: where several have taken it, the hold that stands first in the scene.
    pub fn owner(&self, node: usize) -> Option<usize> {
        let owns = |region: &HeldRegion| {
            self.placing.contains(&region.id) && region.nodes.binary_search(&(node as u32)).is_ok()
        };
        self.regions.iter().position(owns)
    }

    /// Forgets which nodes had their place prescribed: a body that was loaded does not know it, either.
    pub fn forget_placed(&mut self) {
        self.placing.clear();
        self.placed.clear();
    }

    /// Whether the place of a node is prescribed.
    #[inline]
    pub fn places(&self, node: usize) -> bool {
        self.placed.get(node / 64).is_some_and(|bits| bits >> (node % 64) & 1 == 1)
    }
}

fn column(id: HoldId) -> String {
    format!("holds{}", id.0 / BITS)
}

/// Marks the nodes as taken by a hold.
pub(crate) fn mark(mesh: &mut TetMesh, id: HoldId, nodes: &[u32]) {
    let (name, count) = (column(id), mesh.point_count());
    let attributes = mesh.point_attributes_mut();
    if attributes.labels(&name).is_none() {
        // A column of another type by that name is not ours to keep.
        attributes.remove(&name);
        if attributes.add(&name, PointRule::Common, Values::Labels(vec![0; count])).is_err() {
            return;
        }
    }
    if let Some(labels) = attributes.labels_mut(&name) {
        for &node in nodes {
            labels[node as usize] |= 1 << (id.0 % BITS);
        }
    }
}

impl Solid {
    /// Takes hold of the nodes inside a region of the placed body; their mean place, or `None` if there are none.
    pub(crate) fn take_hold(&mut self, id: HoldId, region: &Region) -> Option<Vec3> {
        let placed = |node: u32| self.placed(&self.mesh.positions()[node as usize]);
        let nodes: Vec<u32> =
            (0..self.mesh.point_count() as u32).filter(|&node| region.contains(&placed(node))).collect();
        if nodes.is_empty() {
            return None;
        }
        let center = nodes.iter().map(|&node| placed(node)).sum::<Vec3>() / nodes.len() as f64;
        mark(&mut self.mesh, id, &nodes);
        let region = self.held_region(id, nodes);
        for &island in &region.islands {
            // Awake at once: the first step must already be one that an elastic body bears.
            self.wake(island);
            self.flights[island].disturbed = true;
        }
        self.holds.regions.retain(|other| other.id != id);
        self.holds.regions.push(region);
        self.holds.regions.sort_by_key(|region| region.id);
        Some(center)
    }

    /// Lists what the labels of the mesh say.
    pub(crate) fn read_holds(&mut self) {
        let names: Vec<String> = self.mesh.point_attributes().names().map(str::to_owned).collect();
        let mut regions = Vec::new();
        for name in names {
            let Some(number) = name.strip_prefix("holds").and_then(|number| number.parse::<u32>().ok()) else {
                continue;
            };
            let Some(labels) = self.mesh.point_attributes().labels(&name) else { continue };
            for bit in 0..BITS {
                let nodes: Vec<u32> =
                    (0..).zip(labels).filter(|(_, label)| *label >> bit & 1 == 1).map(|(node, _)| node).collect();
                if let Some(id) = number.checked_mul(BITS).and_then(|first| first.checked_add(bit))
                    && !nodes.is_empty()
                {
                    regions.push(self.held_region(HoldId(id), nodes));
                }
            }
        }
        regions.sort_by_key(|region| region.id);
        self.holds.regions = regions;
    }

    /// Brings back what the holds did in the last committed step (N).
    pub(crate) fn set_reactions(&mut self, reactions: &[(HoldId, Vec3)]) {
        for region in &mut self.holds.regions {
            let known = reactions.iter().find(|(id, _)| *id == region.id);
            region.reaction = known.map_or(Vec3::zeros(), |(_, force)| *force);
        }
    }

    fn held_region(&self, id: HoldId, nodes: Vec<u32>) -> HeldRegion {
        let masses: Vec<f64> = nodes.iter().map(|&node| self.state[node as usize].mass()).collect();
        let total: f64 = masses.iter().sum();
        let mut areas = vec![0.0; nodes.len()];
        for triangle in self.mesh.boundary().triangles {
            let places = triangle.map(|node| nodes.binary_search(&node.0));
            if let [Ok(a), Ok(b), Ok(c)] = places {
                let [p, q, r] = triangle.map(|node| self.mesh.position(node));
                let third = (q - p).cross(&(r - p)).norm() / 6.0;
                for place in [a, b, c] {
                    areas[place] += third;
                }
            }
        }
        let mut islands: Vec<usize> = nodes.iter().map(|&node| self.layout.island_of_node(node as usize)).collect();
        islands.dedup();
        let shares = masses.iter().map(|mass| mass / total).collect();
        HeldRegion { id, nodes, shares, areas, islands, reaction: Vec3::zeros(), pending: Vec3::zeros() }
    }

    /// Wakes what is loaded in this step, and notes which nodes have their place prescribed.
    pub(crate) fn begin_loads(&mut self, loads: &[Load]) {
        for load in loads {
            let Some(index) = self.holds.regions.iter().position(|region| region.id == load.hold) else { continue };
            for at in 0..self.holds.regions[index].islands.len() {
                let island = self.holds.regions[index].islands[at];
                self.wake(island);
                self.flights[island].disturbed = true;
            }
        }
        let placing = || loads.iter().filter(|load| matches!(load.effect, Effect::Place(_))).map(|load| load.hold);
        if !placing().eq(self.holds.placing.iter().copied()) {
            self.holds.placing.clear();
            self.holds.placing.extend(placing());
            let Holds { regions, placing, placed, .. } = &mut self.holds;
            placed.clear();
            placed.resize(self.mesh.point_count().div_ceil(64), 0);
            for region in regions.iter().filter(|region| placing.contains(&region.id)) {
                for &node in &region.nodes {
                    placed[node as usize / 64] |= 1 << (node % 64);
                }
            }
        }
        for region in &mut self.holds.regions {
            region.pending = Vec3::zeros();
        }
    }

    /// Calls `push` with every node that a load pushes and the force on it (N).
    pub(crate) fn each_load(&self, loads: &[Load], mut push: impl FnMut(usize, &Vec3)) {
        for load in loads {
            let Some(region) = self.holds.region(load.hold) else { continue };
            let (total, shares) = match &load.effect {
                Effect::Force(force) => (force, &region.shares),
                Effect::Traction(traction) => (traction, &region.areas),
                Effect::Place(_) => continue,
            };
            for (&node, share) in region.nodes.iter().zip(shares) {
                push(node as usize, &(*share * total));
            }
        }
    }

    /// Adds loads to the partial sums, and books them as what their holds do.
    pub(crate) fn add_loads(&mut self, loads: &[Load]) {
        let mut partial = std::mem::take(&mut self.scratch.forces.partial);
        self.each_load(loads, |node, force| {
            let slot = &mut partial[self.layout.slots_of(node)[0] as usize];
            for axis in 0..3 {
                slot[axis] += force[axis];
            }
        });
        self.scratch.forces.partial = partial;
        self.book_loads(loads);
    }

    /// Books the forces of loads as what their holds do.
    pub(crate) fn book_loads(&mut self, loads: &[Load]) {
        for load in loads {
            let Some(region) = self.holds.regions.iter_mut().find(|region| region.id == load.hold) else { continue };
            match &load.effect {
                Effect::Force(force) => region.pending = *force,
                Effect::Traction(traction) => region.pending = region.areas.iter().sum::<f64>() * traction,
                Effect::Place(_) => {}
            }
        }
    }

    /// Calls `place` with every node whose place is prescribed, the region that owns it, and that place at the end of the step (m).
    pub(crate) fn each_placed(&self, loads: &[Load], mut place: impl FnMut(usize, usize, Vec3)) {
        for load in loads {
            let Effect::Place(motion) = &load.effect else { continue };
            let Some(at) = self.holds.regions.iter().position(|region| region.id == load.hold) else { continue };
            for &node in &self.holds.regions[at].nodes {
                let node = node as usize;
                if self.holds.owner(node) == Some(at) {
                    let anchor = self.placed(&self.mesh.positions()[node]);
                    place(at, node, motion.transform_point(&anchor.into()).coords);
                }
            }
        }
    }

    /// Moves held nodes of the prediction to their places, and works out what their holds had to push for it: whatever forces in
    /// the partial sums, gravity and drag did not do.
    pub(crate) fn place_held(&mut self, step: &Step) {
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

    /// What the holds of placed nodes pushed (N), and the work they did, from the forces in the partial sums.
    pub(crate) fn book_reactions(&mut self, step: &Step) {
        let mut pushes = std::mem::take(&mut self.holds.pushes);
        pushes.clear();
        pushes.resize(self.holds.regions.len(), Vec3::zeros());
        let mut work = 0.0;
        self.each_placed(step.loads, |region, node, _| {
            let (start, end) = (&self.state[node], &self.prediction[node]);
            let [x, y, z, _] = self.scratch.forces.of_node(&self.layout, node);
            let drag = self.drag.get(node).copied().unwrap_or(0.0);
            let gained = (end.velocity() - start.velocity()) / step.time_step;
            let own = start.mass() * (gained - step.gravity + drag * start.velocity());
            let push = own - Vec3::new(x, y, z);
            pushes[region] += push;
            work += push.dot(&(end.position() - start.position()));
        });
        self.book_pushes(pushes, work);
    }

    /// Books what the holds of placed nodes pushed (N), by region, and the work that they did (J).
    pub(crate) fn book_pushes(&mut self, pushes: Vec<Vec3>, work: f64) {
        for (region, push) in self.holds.regions.iter_mut().zip(&pushes) {
            region.pending += push;
        }
        self.holds.pushes = pushes;
        self.pending_work += work;
    }

    /// Accelerations of held nodes for the jerk: those of their prescribed motion.
    pub(crate) fn accelerate_held(&mut self, step: &Step) {
        let mut accelerations = std::mem::take(&mut self.scratch.accelerations);
        self.each_placed(step.loads, |_, node, end| {
            let start = &self.state[node];
            let gained = ((end - start.position()) / step.time_step - start.velocity()) / step.time_step;
            accelerations[node] = [gained.x, gained.y, gained.z, 0.0];
        });
        self.scratch.accelerations = accelerations;
    }

    /// Work of the loads over the way that their nodes are predicted to go (J).
    pub(crate) fn work_of_loads(&self, loads: &[Load]) -> f64 {
        let mut work = 0.0;
        self.each_load(loads, |node, force| {
            work += force.dot(&(self.prediction[node].position() - self.state[node].position()));
        });
        work
    }
}
