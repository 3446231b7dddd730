//! Collision detection between bodies, of bodies with themselves, and against the corners and edges
//! of obstacles.

use super::initial_overlap::Separation;
use crate::{Body, Obstacle, PairTable};
use craze_contact::collisions::features::{CollisionMesh, Detection, find_collisions};
use craze_contact::collisions::{Collision, Parts, PointSum, Side, Stencil};
use craze_contact::solvers::impulse::SolverDof;
use craze_contact::solvers::penalty::Response;
use craze_contact::tolerances::{CANDIDATE_MARGIN_EDGES, CANDIDATE_MARGIN_STEPS};
use craze_contact::{
    Candidates, ContactRun, ContactSurface, ContactTriangles, Impulse, Motion, SurfaceDof, SurfacePoint, SurfaceTree,
};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use std::collections::BTreeMap;
use std::ops::Range;

/// A body or an obstacle in collision detection.
#[derive(Default)]
struct DetectedBody {
    surface: ContactSurface,
    tree: SurfaceTree,
    is_closed: bool,
    skin: f64,
    /// Motion of the points since the tree was built, at the start and at the end of the step; none
    /// if the tree must be rebuilt.
    motions: Option<[Motion; 2]>,
    /// True if the surface holds the present prediction.
    is_current: bool,
    /// If it does not, the runs of its points that do.
    current_runs: Vec<bool>,
    /// True if the prediction has changed since the last detection between surfaces.
    is_new: bool,
    /// True if it has changed since the last detection against obstacles.
    is_new_to_obstacles: bool,
    /// Entry of each point among the degrees of freedom of the solver, or `u32::MAX`.
    slots: Vec<u32>,
    /// The same by degree of freedom, for surfaces of which points have several.
    slots_by_dof: BTreeMap<u32, u32>,
}

/// Candidates of a pair, and the generations of the trees in which they were found.
#[derive(Default)]
struct PairCandidates {
    generations: [u64; 2],
    candidates: Candidates,
}

/// Origin of a degree of freedom of the solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub body: u32,
    /// The point that moves with it; `u32::MAX` if several do.
    pub point: u32,
    pub dof: u32,
}

/// All bodies, then all obstacles, in collision detection. Nothing here is state: it is dropped at
/// every frame boundary, so that a resumed run continues with the same bits.
#[derive(Default)]
pub(crate) struct CollisionDetector {
    bodies: usize,
    detected: Vec<DetectedBody>,
    pairs: BTreeMap<[u32; 2], PairCandidates>,
    boxes: Vec<(Aabb, u32)>,
    near: Vec<[u32; 2]>,
    /// Those of the near pairs of which one has changed.
    changed_pairs: Vec<[u32; 2]>,
    collisions: Vec<Collision<PointSum>>,
    /// The degrees of freedom of the solver.
    pub dofs: Vec<SolverDof>,
    owners: Vec<Owner>,
    order: Vec<u32>,
    /// The runs of points of a body, and those of them that are near an obstacle.
    runs: Vec<ContactRun>,
    near_runs: Vec<Range<usize>>,
}

impl CollisionDetector {
    /// Starts a step.
    pub fn begin(&mut self, bodies: usize, obstacles: usize) {
        self.bodies = bodies;
        self.detected.resize_with(bodies + obstacles, DetectedBody::default);
        for detected in &mut self.detected {
            detected.change();
        }
        self.clear_dofs();
    }

    /// Removes all degrees of freedom of the solver.
    pub fn clear_dofs(&mut self) {
        for owner in self.owners.drain(..) {
            let body = &mut self.detected[owner.body as usize];
            match body.slots.get_mut(owner.point as usize) {
                Some(slot) => *slot = u32::MAX,
                None => body.slots_by_dof.clear(),
            }
        }
        self.dofs.clear();
    }

    /// The surface of a body with its present prediction.
    pub fn show(&mut self, index: usize, body: &Body) -> &ContactSurface {
        let detected = &mut self.detected[index];
        if !detected.is_current {
            detected.surface.clear();
            body.method.collision_geometry().points.add_points(&mut detected.surface);
            detected.slots.resize(detected.surface.points.len(), u32::MAX);
            detected.is_current = true;
        }
        &detected.surface
    }

    /// The surface of a body, current at least in those runs of its points whose boxes are near
    /// something; and these runs.
    pub fn show_near(
        &mut self,
        index: usize,
        body: &Body,
        is_near: impl Fn(&Aabb) -> bool,
    ) -> (&ContactSurface, &[Range<usize>]) {
        self.runs.clear();
        self.near_runs.clear();
        let runs = body.method.collision_geometry().runs.inspect(|source| source.add_runs(&mut self.runs));
        let (Some(source), Some(count)) = (runs, self.runs.last().map(|run| run.points.end)) else {
            let all = 0..self.show(index, body).points.len();
            self.near_runs.push(all);
            return (&self.detected[index].surface, &self.near_runs);
        };
        let DetectedBody { surface, slots, is_current, current_runs, .. } = &mut self.detected[index];
        if !*is_current {
            surface.points.resize(count, SurfacePoint::UNSET);
            slots.resize(count, u32::MAX);
            current_runs.resize(self.runs.len(), false);
        }
        for (number, ContactRun { points, .. }) in
            self.runs.iter().enumerate().filter(|(_, run)| !run.points.is_empty() && is_near(&run.bounds))
        {
            if !*is_current && !std::mem::replace(&mut current_runs[number], true) {
                source.write_run(number, &mut surface.points[points.clone()]);
            }
            self.near_runs.push(points.clone());
        }
        (surface, &self.near_runs)
    }

    /// The points of a body, with predictions extrapolated from their velocities until the body
    /// predicts.
    pub fn extrapolate(&mut self, index: usize, body: &Body, time_step: f64) -> &[SurfacePoint] {
        self.show(index, body);
        let points = &mut self.detected[index].surface.points;
        for point in points.iter_mut() {
            point.end = point.start + time_step * point.start_velocity;
        }
        points
    }

    /// The prediction of a body has changed.
    pub fn changed(&mut self, body: usize) {
        self.detected[body].change();
    }

    /// Marks everything as changed, so that the next detection checks all of it.
    pub fn mark_all_changed(&mut self) {
        self.detected.iter_mut().for_each(|detected| (detected.is_new, detected.is_new_to_obstacles) = (true, true));
    }

    /// True if a body has changed since the last call.
    pub fn take_is_new_to_obstacles(&mut self, body: usize) -> bool {
        std::mem::take(&mut self.detected[body].is_new_to_obstacles)
    }

    /// Number of bodies; obstacles come after them.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// Pairs of which the boxes overlapped in the last detection.
    pub fn near(&self) -> &[[u32; 2]] {
        &self.near
    }

    /// True if the surface of a body or an obstacle is current. That of an obstacle is not where
    /// only points are near it.
    pub fn is_current(&self, index: usize) -> bool {
        self.detected[index].is_current
    }

    /// The surface of a body or an obstacle as of the last detection.
    pub fn surface(&self, index: usize) -> &ContactSurface {
        &self.detected[index].surface
    }

    /// The predictions of all obstacles that can be pushed have changed.
    pub fn obstacles_changed(&mut self) {
        self.detected[self.bodies..].iter_mut().for_each(DetectedBody::change);
        // For detection it is the same whether a body moves or an obstacle near it.
        self.detected[..self.bodies].iter_mut().for_each(|body| body.is_new_to_obstacles = true);
    }

    /// The entry of a point of a body, one with its own degree of freedom, in the list of the
    /// solver.
    pub fn slot(&mut self, body: usize, point: u32) -> u32 {
        let detected = &mut self.detected[body];
        let slot = &mut detected.slots[point as usize];
        if *slot == u32::MAX {
            *slot = self.dofs.len() as u32;
            let SurfacePoint { dof, velocity, inverse_mass, .. } = detected.surface.points[point as usize];
            self.dofs.push(SolverDof { body: body as u32, dof, velocity, inverse_mass, impulse: Vec3::zeros() });
            self.owners.push(Owner { body: body as u32, point, dof });
        }
        *slot
    }

    /// A weighted sum of points of a body as one of degrees of freedom of the solver.
    fn stencil(&mut self, body: usize, sum: &PointSum) -> Stencil {
        if self.detected[body].surface.stencils.is_empty() {
            return sum.iter().map(|(point, weight)| (self.slot(body, point), weight)).collect();
        }
        let CollisionDetector { detected, dofs, owners, .. } = self;
        let DetectedBody { surface, slots_by_dof, .. } = &mut detected[body];
        let entries =
            sum.iter().flat_map(|(point, weight)| surface.stencils.of(point).iter().map(move |entry| (weight, entry)));
        let entries = entries.map(|(weight, entry)| {
            let slot = *slots_by_dof.entry(entry.dof).or_insert_with(|| {
                let SurfaceDof { dof, velocity, inverse_mass, .. } = *entry;
                dofs.push(SolverDof { body: body as u32, dof, velocity, inverse_mass, impulse: Vec3::zeros() });
                owners.push(Owner { body: body as u32, point: u32::MAX, dof });
                owners.len() as u32 - 1
            });
            (slot, weight * entry.weight)
        });
        entries.collect()
    }

    /// A side as the solver needs it.
    pub fn side(&mut self, index: u32, sum: &PointSum) -> Side {
        let name = self.name(index, sum.points);
        let parts = match (index as usize).checked_sub(self.bodies) {
            Some(obstacle) => Parts::Rigid(obstacle as u32),
            None => Parts::Dofs(self.stencil(index as usize, sum)),
        };
        Side { name, parts }
    }

    /// Identifies a side from step to step: by degrees of freedom, which keep their numbers where
    /// cracks add points.
    pub fn name(&self, index: u32, points: [u32; 3]) -> [u32; 4] {
        let surface = &self.detected[index as usize].surface.points;
        // An obstacle has no degrees of freedom; its corners never change.
        let name = |point: u32| if (index as usize) < self.bodies { surface[point as usize].dof } else { point };
        let [a, b, c] = points.map(name);
        [index, a, b, c]
    }

    /// The body of a side; none for an obstacle.
    pub fn body_of(&self, side: &Side) -> Option<usize> {
        let &(slot, _) = side.stencil()?.as_slice().first()?;
        self.dofs.get(slot as usize).map(|dof| dof.body as usize)
    }

    /// Adds the impulses to the list, by body and degree of freedom, and the body of each to
    /// another. Surfaces change as [`Method::receive`](crate::Method::receive) does over a step
    /// (s), so that the body need not hand them over again.
    pub fn take_impulses(&mut self, time_step: f64, impulses: &mut Vec<Impulse>, receivers: &mut Vec<u32>) {
        self.order.clear();
        self.order.extend(0..self.dofs.len() as u32);
        self.order.sort_unstable_by_key(|&slot| self.owners[slot as usize]);
        for &slot in &self.order {
            let (Owner { body, point, dof }, impulse) = (self.owners[slot as usize], self.dofs[slot as usize].impulse);
            if impulse == Vec3::zeros() {
                continue;
            }
            impulses.push(Impulse { dof, impulse });
            receivers.push(body);
            let detected = &mut self.detected[body as usize];
            let Some(shown) = detected.surface.points.get_mut(point as usize) else {
                // Several points move with it.
                detected.change();
                continue;
            };
            let gained = shown.inverse_mass * impulse;
            shown.end += time_step * gained;
            shown.velocity += gained;
            (detected.is_new, detected.is_new_to_obstacles) = (true, true);
        }
    }

    /// Adds the collisions between surfaces, with the numbers of both. After the first detection of
    /// a step only pairs of which one has changed are checked.
    pub fn find(
        &mut self,
        input: &DetectionInput,
        detection: Detection,
        found: &mut Vec<([u32; 2], Collision<PointSum>)>,
    ) {
        self.find_near(input);
        let mut due = std::mem::take(&mut self.changed_pairs);
        let is_due = |pair: &&[u32; 2]| pair.iter().any(|&index| self.detected[index as usize].is_new);
        due.clear();
        due.extend(self.near.iter().filter(is_due));
        for &index in due.iter().flatten() {
            if self.detected[index as usize].is_new {
                self.prepare(index as usize, input);
            }
        }
        for &pair in &due {
            self.find_pair(pair, input.pairs, detection, found);
        }
        self.changed_pairs = due;
    }

    /// Pairs whose boxes overlap, and bodies that may touch themselves.
    fn find_near(&mut self, input: &DetectionInput) {
        self.boxes.clear();
        for (body, index) in input.bodies.iter().zip(0..) {
            let grown = body.method.collision_geometry().bounds_with_skin();
            self.boxes.push((grown, index));
        }
        for (obstacle, (start, end)) in input.obstacles.iter().zip(input.poses) {
            let index = self.boxes.len() as u32;
            self.boxes.push((swept(&obstacle.shape.bounds(), start, end), index));
        }
        self.boxes.sort_by(|one, other| one.0.min.x.total_cmp(&other.0.min.x).then(one.1.cmp(&other.1)));
        self.near.clear();
        for (place, (first, one)) in self.boxes.iter().enumerate() {
            let others = self.boxes[place + 1..].iter().take_while(|(second, _)| second.min.x <= first.max.x);
            let pairs = others
                .filter(|(second, _)| first.overlaps(second))
                .map(|(_, other)| [*one.min(other), *one.max(other)]);
            // Obstacles against each other and bodies with penalty forces are handled elsewhere.
            let by_impulses =
                |[one, other]: &[u32; 2]| input.pairs.response(*one as usize, *other as usize) == Response::Impulses;
            // Points of bodies collide with the signed distances of obstacles: here only triangles
            // do.
            let bodies = input.bodies;
            let can_collide = |[one, other]: &[u32; 2]| {
                let has_triangles = |body: &Body| !body.method.collision_geometry().triangles.triangles.is_empty();
                (*one as usize) < bodies.len()
                    && ((*other as usize) < bodies.len() || has_triangles(&bodies[*one as usize]))
            };
            self.near.extend(pairs.filter(can_collide).filter(by_impulses));
        }
        let with_itself = (0..input.bodies.len() as u32).filter(|&body| {
            let index = body as usize;
            input.bodies[index].method.collision_geometry().touches_itself
                && input.pairs.response(index, index) == Response::Impulses
        });
        self.near.extend(with_itself.map(|body| [body, body]));
        self.near.retain(|pair| !input.are_separating(pair));
        self.near.sort_unstable();
        let near = &self.near;
        self.pairs.retain(|pair, _| near.binary_search(pair).is_ok());
    }

    /// Updates the surface and the tree of a body or an obstacle.
    fn prepare(&mut self, index: usize, input: &DetectionInput) {
        let triangles = match index.checked_sub(input.bodies.len()) {
            None => {
                self.show(index, &input.bodies[index]);
                input.bodies[index].method.collision_geometry().triangles
            }
            Some(place) => {
                let obstacle = &input.obstacles[place];
                let detected = &mut self.detected[index];
                if !detected.is_current {
                    show_obstacle(obstacle, &input.poses[place], &mut detected.surface);
                    detected.is_current = true;
                }
                obstacle.contact_triangles()
            }
        };
        let detected = &mut self.detected[index];
        (detected.is_closed, detected.skin, detected.is_new) = (triangles.is_closed, triangles.skin, false);
        detected.tree.follow(&triangles, detected.surface.points.len());
        detected.find_motions();
    }

    /// By how much two surfaces can have approached since their trees were built (m), if that is
    /// within the trees' margins.
    fn approach(&self, [one, other]: [u32; 2]) -> Option<f64> {
        let [first, second] = [one, other].map(|index| &self.detected[index as usize]);
        let (a, b) = (first.motions?, second.motions?);
        let approach = a[0].approach(&b[0]).max(a[1].approach(&b[1]));
        // Written so that a value that is not a number counts as out of date.
        (approach <= first.tree.margin() + second.tree.margin()).then_some(approach)
    }

    fn find_pair(
        &mut self,
        pair: [u32; 2],
        pairs: &PairTable,
        detection: Detection,
        found: &mut Vec<([u32; 2], Collision<PointSum>)>,
    ) {
        let [one, other] = pair;
        let approach = self.approach(pair).or_else(|| {
            self.detected[one as usize].refresh();
            if other != one {
                self.detected[other as usize].refresh();
            }
            self.approach(pair)
        });
        let Some(approach) = approach else { return };
        let [first, second] = pair.map(|index| &self.detected[index as usize]);
        let candidates = self.pairs.entry(pair).or_default();
        let generations = [first.tree.generation(), second.tree.generation()];
        if candidates.generations != generations {
            candidates.generations = generations;
            match one == other {
                true => candidates.candidates.within(&first.tree),
                false => candidates.candidates.between(&first.tree, &second.tree),
            }
            if other as usize >= self.bodies {
                // Points of bodies collide with the signed distance of an obstacle.
                candidates.candidates.point_triangle.clear();
                candidates.candidates.point_point.clear();
            }
        }
        let mut list = std::mem::take(&mut self.collisions);
        list.clear();
        let [a, b] = [first, second].map(DetectedBody::mesh);
        let material = pairs.get(one as usize, other as usize);
        find_collisions([&a, &b], &candidates.candidates, approach, detection, material, &mut list);
        found.extend(list.iter().map(|collision| (pair, *collision)));
        self.collisions = list;
    }
}

/// What detection between surfaces needs.
pub(crate) struct DetectionInput<'a> {
    pub bodies: &'a [Body],
    pub obstacles: &'a [Obstacle],
    /// Where every obstacle is at the start and at the predicted end of the step.
    pub poses: &'a [(Isometry, Isometry)],
    pub pairs: &'a PairTable,
    /// Bodies that started in each other and do not collide yet.
    pub separations: &'a [Separation],
}

impl DetectedBody {
    fn change(&mut self) {
        (self.is_current, self.is_new, self.is_new_to_obstacles) = (false, true, true);
        self.current_runs.clear();
    }

    fn mesh(&self) -> CollisionMesh<'_> {
        CollisionMesh { surface: &self.surface, tree: &self.tree, is_closed: self.is_closed, skin: self.skin }
    }

    fn find_motions(&mut self) {
        let (tree, points) = (&self.tree, &self.surface.points);
        let start = tree.motion(points.iter().map(|point| point.start));
        let end = tree.motion(points.iter().map(|point| point.end));
        self.motions = start.zip(end).map(|(start, end)| [start, end]);
    }

    /// Rebuilds the tree.
    fn refresh(&mut self) {
        let points = &self.surface.points;
        let motion = points.iter().map(|point| (point.end - point.start).norm()).fold(0.0, f64::max);
        let margin =
            (CANDIDATE_MARGIN_EDGES * self.tree.features.mean_edge(points)).max(CANDIDATE_MARGIN_STEPS * motion);
        match self.tree.refresh(points, self.skin, margin) {
            Ok(()) => self.find_motions(),
            // Positions that are not numbers cannot be put in a tree: the check of the prediction
            // reports them.
            Err(_) => self.motions = None,
        }
    }
}

impl Obstacle {
    /// Its corners and edges, which collide with triangles of bodies. A ball and a plane have none.
    pub(crate) fn contact_triangles(&self) -> ContactTriangles<'_> {
        match self.shape {
            craze_contact::RigidShape::HalfSpace | craze_contact::RigidShape::Ball { .. } => {
                ContactTriangles::default()
            }
            _ => {
                // A model may be open or inside out: then its triangles do not tell the outside.
                let is_closed = !matches!(self.shape, craze_contact::RigidShape::Mesh(_));
                ContactTriangles { triangles: &self.surface.triangles, is_closed, ..ContactTriangles::default() }
            }
        }
    }
}

/// The points of the triangles of an obstacle, or the centre of a ball with its radius.
fn show_obstacle(obstacle: &Obstacle, (start, end): &(Isometry, Isometry), surface: &mut ContactSurface) {
    surface.clear();
    let mut show = |place: &Vec3, radius: f64| {
        let [start, end] = [start, end].map(|pose| pose.transform_point(&(*place).into()).coords);
        let still = Vec3::zeros();
        surface.points.push(SurfacePoint {
            dof: 0,
            start,
            start_velocity: still,
            end,
            velocity: still,
            inverse_mass: 0.0,
            radius,
        });
    };
    match obstacle.shape {
        craze_contact::RigidShape::HalfSpace => {}
        craze_contact::RigidShape::Ball { radius } => show(&Vec3::zeros(), radius),
        _ => obstacle.surface.positions.iter().for_each(|place| show(place, 0.0)),
    }
}

/// Bounding box of a box that moves from one pose to another; empty for an infinite one, which has
/// no corners.
fn swept(bounds: &Aabb, start: &Isometry, end: &Isometry) -> Aabb {
    if !(bounds.size().norm() < f64::INFINITY) {
        return Aabb::EMPTY;
    }
    let (middle, half) = (bounds.centre(), 0.5 * bounds.size());
    let at = |pose: &Isometry| {
        let turned = pose.rotation.to_rotation_matrix().into_inner().abs() * half;
        let middle = pose.transform_point(&middle.into()).coords;
        Aabb { min: middle - turned, max: middle + turned }
    };
    // While the box rotates, a corner leaves the boxes at both ends by less than it moves between
    // them.
    let (first, last) = (at(start), at(end));
    let turned = 2.0 * half.norm() * (0.5 * start.rotation.angle_to(&end.rotation)).sin();
    first.union(&last).grown(0.25 * turned)
}
