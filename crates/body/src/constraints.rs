//! Boundary conditions and loads: the regions of a body whose positions are prescribed, or that are
//! pushed.
//!
//! On a mesh, membership is kept as bits in point attributes, so that edits carry it along: a new
//! point on an edge is in a region if both ends are. The lists here follow from those bits. After
//! an edit [`ConstrainedRegions::follow`] updates them around the changed nodes.

use craze_engine::{Effect, HoldId, Load};
use craze_math::{Isometry, Vec3};
use craze_mesh::{Id, PointRule, SimplexMesh, Values};

/// Regions per attribute of labels.
const REGIONS_PER_ATTRIBUTE: u32 = u32::BITS;

/// Name of the attributes, before their number. Saved meshes have it.
const ATTRIBUTE: &str = "holds";

/// A region of a body, named by the hold of the scene that acts on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedRegion {
    /// The hold.
    pub id: HoldId,
    /// Its nodes or particles, ascending; never empty.
    pub members: Vec<u32>,
    /// Area on which a traction acts at each member (m²): its share of the region's surface at rest.
    /// For particles see [`ConstrainedRegions::measure_particles`].
    pub areas: Vec<f64>,
    /// Islands that it touches; empty for a body that is not divided into islands.
    pub islands: Vec<usize>,
    /// Force on the body in the last committed step (N).
    pub reaction: Vec3,
    /// The same in the prediction (N).
    pub predicted_reaction: Vec3,
}

impl ConstrainedRegion {
    /// A region of particles, ascending.
    pub fn of_particles(id: HoldId, members: Vec<u32>) -> ConstrainedRegion {
        let zero = Vec3::zeros();
        ConstrainedRegion {
            id,
            members,
            areas: Vec::new(),
            islands: Vec::new(),
            reaction: zero,
            predicted_reaction: zero,
        }
    }

    /// Returns true if a node or particle is in the region.
    #[inline]
    pub fn contains(&self, member: u32) -> bool {
        self.members.binary_search(&member).is_ok()
    }
}

/// All regions of a body on which holds act, by increasing number of the hold.
#[derive(Clone, Debug, Default)]
pub struct ConstrainedRegions {
    regions: Vec<ConstrainedRegion>,
    /// Holds that prescribe positions in the current prediction.
    placing: Vec<HoldId>,
    /// A bit for each node whose position is prescribed in the current prediction.
    placed: Vec<u64>,
    /// Workspace: the force of each region on the nodes that it places (N).
    pushes: Vec<Vec3>,
}

impl ConstrainedRegions {
    /// Regions in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ConstrainedRegion> {
        self.regions.iter()
    }

    /// Number of regions.
    #[inline]
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Returns true if no hold acts on the body.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Index of a hold's region.
    #[inline]
    pub fn index(&self, id: HoldId) -> Option<usize> {
        self.regions.binary_search_by_key(&id, |region| region.id).ok()
    }

    /// The region with an index.
    #[inline]
    pub fn at(&self, index: usize) -> &ConstrainedRegion {
        &self.regions[index]
    }

    /// Adds a region, in place of an earlier one of the same hold.
    pub fn set(&mut self, region: ConstrainedRegion) {
        match self.regions.binary_search_by_key(&region.id, |other| other.id) {
            Ok(index) => self.regions[index] = region,
            Err(index) => self.regions.insert(index, region),
        }
    }

    /// Removes the region of a hold.
    pub fn remove(&mut self, id: HoldId) {
        self.regions.retain(|region| region.id != id);
    }

    /// Force of a hold on the body in the last committed step (N).
    pub fn reaction(&self, id: HoldId) -> Vec3 {
        self.index(id).map_or(Vec3::zeros(), |index| self.regions[index].reaction)
    }

    /// Forces of all holds in the last committed step (N).
    pub fn reactions(&self) -> Vec<(HoldId, Vec3)> {
        self.regions.iter().map(|region| (region.id, region.reaction)).collect()
    }

    /// Sets the forces of all holds in the last committed step (N); zero for those without an
    /// entry.
    pub fn set_reactions(&mut self, reactions: &[(HoldId, Vec3)]) {
        for region in &mut self.regions {
            let known = reactions.iter().find(|(id, _)| *id == region.id);
            region.reaction = known.map_or(Vec3::zeros(), |(_, force)| *force);
        }
    }

    /// Adds a force (N) to what a region's hold does in the prediction.
    #[inline]
    pub fn add_reaction(&mut self, index: usize, force: &Vec3) {
        self.regions[index].predicted_reaction += force;
    }

    /// Starts a prediction: no hold has pushed yet.
    pub fn clear_prediction(&mut self) {
        self.regions.iter_mut().for_each(|region| region.predicted_reaction = Vec3::zeros());
    }

    /// Makes the predicted forces those of the last committed step.
    pub fn commit(&mut self) {
        self.regions.iter_mut().for_each(|region| region.reaction = region.predicted_reaction);
    }
}

/// Particles.
impl ConstrainedRegions {
    /// Sets the `area` (m²) of each particle on which a traction among the loads acts. Particles have
    /// no surface, so the method says what their areas are.
    pub fn measure_particles(&mut self, loads: &[Load], area: impl Fn(usize) -> f64) {
        for load in loads.iter().filter(|load| matches!(load.effect, Effect::Traction(_))) {
            let Some(index) = self.index(load.hold) else { continue };
            let region = &mut self.regions[index];
            region.areas.clear();
            region.areas.extend(region.members.iter().map(|&particle| area(particle as usize)));
        }
    }

    /// Adds a copy of a particle to all regions of the particle. The copy has the highest number of
    /// all.
    pub fn add_copy(&mut self, particle: u32, copy: u32) {
        self.regions.iter_mut().filter(|region| region.contains(particle)).for_each(|region| region.members.push(copy));
        self.forget_placed();
    }

    /// Gives particles their new numbers after some have been removed, and drops regions that have
    /// none left. The order of the others stays.
    pub fn renumber(&mut self, new_numbers: &[Option<u32>]) {
        for region in &mut self.regions {
            region.members = region.members.iter().filter_map(|&member| new_numbers[member as usize]).collect();
        }
        self.regions.retain(|region| !region.members.is_empty());
        self.forget_placed();
    }
}

/// Meshes.
impl ConstrainedRegions {
    /// Lets a hold act on these nodes (ascending, at least one), in place of an earlier region of
    /// the same hold.
    pub fn attach<P: Id, E: Id, const N: usize>(
        &mut self,
        mesh: &mut SimplexMesh<P, E, N>,
        id: HoldId,
        nodes: Vec<u32>,
        island_of: impl Fn(u32) -> usize,
    ) {
        mark(mesh, id, &nodes);
        self.set(region_of(mesh, id, nodes, island_of));
    }

    /// Lists all regions from the attributes of a mesh. Takes time in proportion to the mesh: for a
    /// mesh that was loaded or renumbered. Reactions are zero.
    pub fn read<P: Id, E: Id, const N: usize>(
        &mut self,
        mesh: &SimplexMesh<P, E, N>,
        island_of: impl Fn(u32) -> usize,
    ) {
        let names: Vec<String> = mesh.point_attributes().names().map(str::to_owned).collect();
        self.regions.clear();
        for name in names {
            let Some(number) = name.strip_prefix(ATTRIBUTE).and_then(|number| number.parse::<u32>().ok()) else {
                continue;
            };
            let Some(labels) = mesh.point_attributes().labels(&name) else { continue };
            for bit in 0..REGIONS_PER_ATTRIBUTE {
                let nodes: Vec<u32> =
                    (0..).zip(labels).filter(|(_, label)| *label >> bit & 1 == 1).map(|(node, _)| node).collect();
                let id = number.checked_mul(REGIONS_PER_ATTRIBUTE).and_then(|first| first.checked_add(bit));
                if let Some(id) = id.filter(|_| !nodes.is_empty()) {
                    self.set(region_of(mesh, HoldId(id), nodes, &island_of));
                }
            }
        }
        self.forget_placed();
    }

    /// Updates the lists after edits that only add nodes. `nodes` (ascending) are those of all
    /// elements that are new, have other nodes or a newly exposed face. Takes time in proportion to
    /// their number, for each region.
    pub fn follow<P: Id, E: Id, const N: usize>(&mut self, mesh: &SimplexMesh<P, E, N>, nodes: &[u32]) {
        for region in &mut self.regions {
            let Some(labels) = mesh.point_attributes().labels(&attribute(region.id)) else { continue };
            let is_member = |node: u32| labels[node as usize] >> bit(region.id) & 1 == 1;
            for &node in nodes.iter().filter(|&&node| is_member(node)) {
                let area = area_at(mesh, P::new(node), &is_member);
                match region.members.binary_search(&node) {
                    Ok(index) => region.areas[index] = area,
                    Err(index) => {
                        region.members.insert(index, node);
                        region.areas.insert(index, area);
                    }
                }
            }
        }
        self.forget_placed();
    }
}

/// Loads of a step.
impl ConstrainedRegions {
    /// Notes which of so many nodes have their position prescribed in the prediction that begins,
    /// and forgets all forces of the last.
    pub fn begin(&mut self, loads: &[Load], nodes: usize) {
        let placing = || loads.iter().filter(|load| matches!(load.effect, Effect::Place(_))).map(|load| load.hold);
        if !placing().eq(self.placing.iter().copied()) {
            self.placing.clear();
            self.placing.extend(placing());
            self.placed.clear();
            self.placed.resize(nodes.div_ceil(64), 0);
            for region in self.regions.iter().filter(|region| self.placing.contains(&region.id)) {
                for &node in &region.members {
                    self.placed[node as usize / 64] |= 1 << (node % 64);
                }
            }
        }
        self.clear_prediction();
    }

    /// Forgets which nodes have their position prescribed, as a body does that was loaded: the next
    /// prediction finds out.
    pub fn forget_placed(&mut self) {
        self.placing.clear();
        self.placed.clear();
    }

    /// Returns true if the position of a node is prescribed in the current prediction.
    #[inline]
    pub fn is_placed(&self, node: usize) -> bool {
        self.placed.get(node / 64).is_some_and(|bits| bits >> (node % 64) & 1 == 1)
    }

    /// Index of the region that prescribes the position of a node: of several the first.
    #[inline]
    pub fn owner(&self, node: usize) -> Option<usize> {
        let owns = |region: &ConstrainedRegion| self.placing.contains(&region.id) && region.contains(node as u32);
        self.regions.iter().position(owns)
    }

    /// Calls `push` with every node that a load pushes and the force on it (N). A force is spread
    /// by `mass` (kg), a traction by rest area.
    pub fn each_load(&self, loads: &[Load], mass: impl Fn(usize) -> f64, mut push: impl FnMut(usize, &Vec3)) {
        for load in loads {
            let Some(region) = self.index(load.hold).map(|index| &self.regions[index]) else { continue };
            match &load.effect {
                Effect::Force(force) => {
                    let total: f64 = region.members.iter().map(|&node| mass(node as usize)).sum();
                    for &node in &region.members {
                        push(node as usize, &(mass(node as usize) / total * force));
                    }
                }
                Effect::Traction(traction) => {
                    for (&node, area) in region.members.iter().zip(&region.areas) {
                        push(node as usize, &(*area * traction));
                    }
                }
                Effect::Place(_) => {}
            }
        }
    }

    /// Records the forces of loads as those of their holds.
    pub fn record_loads(&mut self, loads: &[Load]) {
        for load in loads {
            let Some(index) = self.index(load.hold) else { continue };
            let region = &mut self.regions[index];
            match &load.effect {
                Effect::Force(force) => region.predicted_reaction = *force,
                Effect::Traction(traction) => {
                    region.predicted_reaction = region.areas.iter().sum::<f64>() * traction;
                }
                Effect::Place(_) => {}
            }
        }
    }

    /// Calls `visit` with every node whose position is prescribed, the index of the region that
    /// prescribes it, and that position at the end of the step (m). `placed` is where a node was
    /// placed at rest (m).
    pub fn each_placed(
        &self,
        loads: &[Load],
        placed: impl Fn(usize) -> Vec3,
        mut visit: impl FnMut(usize, usize, Vec3),
    ) {
        for load in loads {
            let Effect::Place(motion) = &load.effect else { continue };
            let Some(index) = self.index(load.hold) else { continue };
            for &node in &self.regions[index].members {
                let node = node as usize;
                if self.owner(node) == Some(index) {
                    visit(index, node, transform(motion, &placed(node)));
                }
            }
        }
    }

    /// Calls `push` with every node whose position is prescribed, and that position at the end of
    /// the step (m), and records the force (N) that it returns as that of the hold on the node.
    pub fn push_placed(
        &mut self,
        loads: &[Load],
        placed: impl Fn(usize) -> Vec3,
        mut push: impl FnMut(usize, Vec3) -> Vec3,
    ) {
        let mut pushes = std::mem::take(&mut self.pushes);
        pushes.clear();
        pushes.resize(self.regions.len(), Vec3::zeros());
        self.each_placed(loads, placed, |region, node, end| pushes[region] += push(node, end));
        for (region, push) in self.regions.iter_mut().zip(&pushes) {
            region.predicted_reaction += push;
        }
        self.pushes = pushes;
    }
}

fn transform(motion: &Isometry, position: &Vec3) -> Vec3 {
    motion.transform_point(&(*position).into()).coords
}

/// Name of the attribute that has the bit of a hold.
fn attribute(id: HoldId) -> String {
    format!("{ATTRIBUTE}{}", id.0 / REGIONS_PER_ATTRIBUTE)
}

/// The bit of a hold in its attribute.
fn bit(id: HoldId) -> u32 {
    id.0 % REGIONS_PER_ATTRIBUTE
}

/// Marks nodes as those of a hold.
fn mark<P: Id, E: Id, const N: usize>(mesh: &mut SimplexMesh<P, E, N>, id: HoldId, nodes: &[u32]) {
    let (name, count) = (attribute(id), mesh.point_count());
    let attributes = mesh.point_attributes_mut();
    if attributes.labels(&name).is_none() {
        // An imported attribute of another type by that name is not ours to keep.
        attributes.remove(&name);
        if attributes.add(&name, PointRule::Common, Values::Labels(vec![0; count])).is_err() {
            return;
        }
    }
    if let Some(labels) = attributes.labels_mut(&name) {
        for &node in nodes {
            labels[node as usize] |= 1 << bit(id);
        }
    }
}

/// A region of nodes (ascending).
fn region_of<P: Id, E: Id, const N: usize>(
    mesh: &SimplexMesh<P, E, N>,
    id: HoldId,
    nodes: Vec<u32>,
    island_of: impl Fn(u32) -> usize,
) -> ConstrainedRegion {
    let is_member = |node: u32| nodes.binary_search(&node).is_ok();
    let areas = nodes.iter().map(|&node| area_at(mesh, P::new(node), &is_member)).collect();
    let mut islands: Vec<usize> = nodes.iter().map(|&node| island_of(node)).collect();
    islands.dedup();
    ConstrainedRegion { areas, islands, ..ConstrainedRegion::of_particles(id, nodes) }
}

/// A third of the area (m²) of the surface triangles at a node whose corners are all in the region.
fn area_at<P: Id, E: Id, const N: usize>(
    mesh: &SimplexMesh<P, E, N>,
    node: P,
    is_member: &impl Fn(u32) -> bool,
) -> f64 {
    let mut area = 0.0;
    for element in mesh.elements_of(node) {
        let mut add = |triangle: [P; 3]| {
            if triangle.contains(&node) && triangle.iter().all(|corner| is_member(corner.raw())) {
                let [p, q, r] = triangle.map(|corner| mesh.position(corner));
                area += (q - p).cross(&(r - p)).norm() / 6.0;
            }
        };
        let corners = mesh.points_of(element);
        if N == 3 {
            // A sheet is its own surface.
            add([0, 1, 2].map(|corner| corners[corner]));
            continue;
        }
        for corner in (0..N).filter(|&corner| mesh.neighbour(element, corner).is_none()) {
            if let [Some(a), Some(b), Some(c)] = mesh.facet_points(craze_mesh::Facet::new(element, corner)) {
                add([a, b, c]);
            }
        }
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;
    use craze_mesh::{CutSurface, NodeId, Snap, TetMesh, kuhn_box, kuhn_grid};

    fn nodes_where<P: Id, E: Id, const N: usize>(
        mesh: &SimplexMesh<P, E, N>,
        is_inside: impl Fn(&Vec3) -> bool,
    ) -> Vec<u32> {
        (0..).zip(mesh.positions()).filter(|(_, position)| is_inside(position)).map(|(node, _)| node).collect()
    }

    #[test]
    fn lists_follow_cuts_as_if_they_had_been_read_again() {
        let mut mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
        let mut regions = ConstrainedRegions::default();
        let island_of = |_| 0;
        for (id, from) in [(0, 0.7), (3, 0.2), (40, 0.0)] {
            let nodes = nodes_where(&mesh, |position| position.x >= from);
            regions.attach(&mut mesh, HoldId(id), nodes, island_of);
        }
        let mut random = Random::new(8);
        let mut cuts = 0;
        for _ in 0..60 {
            let node = NodeId(random.below(mesh.point_count()) as u32);
            let rest = mesh.positions().to_vec();
            let plane = CutSurface::plane(random.direction());
            let Ok(patch) = mesh.plan_cut(node, &plane, |point: NodeId| rest[point.index()], Snap::PAPER) else {
                continue;
            };
            let mut nodes: Vec<u32> =
                patch.removed.iter().flat_map(|&element| mesh.elements()[element.index()]).collect();
            let edit = mesh.replace(&patch).unwrap();
            nodes.extend(edit.elements_added.iter().flat_map(|added| mesh.elements()[added.element.index()]));
            let faces = edit.crack.iter().flatten();
            nodes.extend(faces.flat_map(|facet| mesh.elements()[facet.element.index()]));
            nodes.sort_unstable();
            nodes.dedup();
            regions.follow(&mesh, &nodes);
            cuts += 1;
            let mut read = ConstrainedRegions::default();
            read.read(&mesh, island_of);
            assert_eq!(read.regions, regions.regions);
        }
        assert!(cuts > 30);
    }

    #[test]
    fn areas_are_those_of_the_surface() {
        let mut mesh = kuhn_box([3, 2, 4], Vec3::new(3.0, 1.0, 2.0)).unwrap();
        let mut regions = ConstrainedRegions::default();
        let bottom = nodes_where(&mesh, |position| position.y == 0.0);
        regions.attach(&mut mesh, HoldId(2), bottom, |_| 0);
        assert!((regions.at(0).areas.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        let mut sheet = kuhn_grid([4, 2], [2.0, 1.0]).unwrap();
        let half = nodes_where(&sheet, |position| position.x <= 1.0);
        let mut regions = ConstrainedRegions::default();
        regions.attach(&mut sheet, HoldId(0), half, |_| 0);
        assert!((regions.at(0).areas.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn loads_are_spread_and_the_first_of_two_holds_prescribes() {
        let mut mesh: TetMesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
        let mut regions = ConstrainedRegions::default();
        let (all, left) = (nodes_where(&mesh, |_| true), nodes_where(&mesh, |position| position.x == 0.0));
        regions.attach(&mut mesh, HoldId(1), all, |_| 0);
        regions.attach(&mut mesh, HoldId(0), left.clone(), |_| 0);
        let load = |hold, effect| Load { hold: HoldId(hold), effect };
        let force = Vec3::new(1.0, 2.0, -3.0);
        let loads = [load(0, Effect::Force(force)), load(1, Effect::Traction(force)), load(7, Effect::Force(force))];
        let mut sum = Vec3::zeros();
        regions.each_load(&loads, |node| 1.0 + node as f64, |_, push| sum += push);
        assert!((sum - 7.0 * force).norm() < 1e-12, "1 and 6 m²");
        regions.record_loads(&loads);
        regions.commit();
        assert_eq!(regions.reaction(HoldId(0)), force);
        assert!((regions.reaction(HoldId(1)) - 6.0 * force).norm() < 1e-12);

        let loads = [1, 0].map(|hold| load(hold, Effect::Place(Isometry::translation(f64::from(hold), 0.0, 0.0))));
        regions.begin(&loads, mesh.point_count());
        let mut visited = 0;
        regions.each_placed(
            &loads,
            |node| mesh.positions()[node],
            |index, node, end| {
                visited += 1;
                assert_eq!(index, usize::from(!left.contains(&(node as u32))));
                assert_eq!(end, mesh.positions()[node] + Vec3::new(index as f64, 0.0, 0.0));
            },
        );
        assert_eq!(visited, mesh.point_count());
        assert!(regions.is_placed(3));
        regions.forget_placed();
        assert!(!regions.is_placed(3));
    }

    #[test]
    fn particles_are_copied_and_renumbered() {
        let mut regions = ConstrainedRegions::default();
        regions.set(ConstrainedRegion::of_particles(HoldId(4), vec![2]));
        regions.set(ConstrainedRegion::of_particles(HoldId(1), vec![0, 2, 3]));
        regions.add_copy(2, 5);
        assert_eq!([0, 1].map(|index| regions.at(index).members.clone()), [vec![0, 2, 3, 5], vec![2, 5]]);
        regions.renumber(&[Some(0), None, None, Some(1), Some(2), None]);
        assert_eq!((regions.len(), regions.at(0).members.as_slice()), (1, [0, 1].as_slice()));
    }
}
