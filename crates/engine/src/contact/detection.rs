//! Bodies against each other, against themselves and against the corners and edges of obstacles: who is near whom, and what comes
//! too close.

use super::initial_overlap::Separation;
use crate::{Body, Obstacle, PairTable};
use craze_contact::collisions::features::{CollisionMesh, Detection, Meeting, meet};
use craze_contact::solvers::impulse::{Contact, Side, SolverPoint};
use craze_contact::solvers::penalty::Response;
use craze_contact::{
    Candidates, ContactRun, ContactSurface, ContactTriangles, Impulse, Motion, SurfacePoint, SurfaceTree,
};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use std::collections::BTreeMap;
use std::ops::Range;

/// Margin of the search for candidates, as a share of the mean edge (1).
const MARGIN: f64 = 0.25;

/// Margin of the search for candidates, in units of the way of the present step.
const STEPS_AHEAD: f64 = 8.0;

/// What contact knows of a body or an obstacle.
#[derive(Default)]
struct DetectedBody {
    surface: ContactSurface,
    tree: SurfaceTree,
    is_closed: bool,
    skin: f64,
    /// How start and end of the step lie to the boxes of the tree; none if the tree must be made anew.
    motions: Option<[Motion; 2]>,
    /// Whether the surface shows the present prediction.
    is_shown: bool,
    /// Where it does not, which runs of its points do.
    shown_runs: Vec<bool>,
    /// Whether the prediction has changed since it was last looked at.
    is_new: bool,
    /// Whether it has changed since it last met the shapes of obstacles.
    is_unmet: bool,
    /// Entry of every point among the moving points of the response, or none.
    slots: Vec<u32>,
}

/// Candidates of two detected, and the trees they were found in.
#[derive(Default)]
struct Found {
    generations: [u64; 2],
    candidates: Candidates,
}

/// Whose a moving point is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub body: u32,
    pub point: u32,
    pub dof: u32,
}

/// All bodies, then all obstacles, as contact sees them. Nothing here is state: it is forgotten at every frame boundary, so that a run that
/// resumes there sees what one that never stopped sees.
#[derive(Default)]
pub(crate) struct CollisionDetector {
    bodies: usize,
    detected: Vec<DetectedBody>,
    found: BTreeMap<[u32; 2], Found>,
    boxes: Vec<(Aabb, u32)>,
    near: Vec<[u32; 2]>,
    /// Those of the near pairs of which one has changed.
    due: Vec<[u32; 2]>,
    meetings: Vec<Meeting>,
    /// The moving points of the response.
    pub points: Vec<SolverPoint>,
    owners: Vec<Owner>,
    order: Vec<u32>,
    /// The runs of a body's points, and of them those that are near what it meets.
    runs: Vec<ContactRun>,
    near_runs: Vec<Range<usize>>,
}

impl CollisionDetector {
    /// Forgets the last step.
    pub fn begin(&mut self, bodies: usize, obstacles: usize) {
        self.bodies = bodies;
        self.detected.resize_with(bodies + obstacles, DetectedBody::default);
        for detected in &mut self.detected {
            detected.change();
        }
        self.forget_points();
    }

    /// Forgets which points take part in the response.
    pub fn forget_points(&mut self) {
        for owner in self.owners.drain(..) {
            self.detected[owner.body as usize].slots[owner.point as usize] = u32::MAX;
        }
        self.points.clear();
    }

    /// What a body shows at present.
    pub fn show(&mut self, index: usize, body: &Body) -> &ContactSurface {
        let detected = &mut self.detected[index];
        if !detected.is_shown {
            detected.surface.points.clear();
            body.method.contact_surface(&mut detected.surface);
            detected.slots.resize(detected.surface.points.len(), u32::MAX);
            detected.is_shown = true;
        }
        &detected.surface
    }

    /// What a body shows at present, at least in those runs of its points whose boxes are near something; and these.
    pub fn show_near(
        &mut self,
        index: usize,
        body: &Body,
        is_near: impl Fn(&Aabb) -> bool,
    ) -> (&ContactSurface, &[Range<usize>]) {
        self.runs.clear();
        self.near_runs.clear();
        body.method.contact_runs(&mut self.runs);
        let Some(count) = self.runs.last().map(|run| run.points.end) else {
            let all = 0..self.show(index, body).points.len();
            self.near_runs.push(all);
            return (&self.detected[index].surface, &self.near_runs);
        };
        let DetectedBody { surface, slots, is_shown, shown_runs, .. } = &mut self.detected[index];
        if !*is_shown {
            surface.points.resize(count, SurfacePoint::NOWHERE);
            slots.resize(count, u32::MAX);
            shown_runs.resize(self.runs.len(), false);
        }
        for (number, ContactRun { points, .. }) in
            self.runs.iter().enumerate().filter(|(_, run)| !run.points.is_empty() && is_near(&run.bounds))
        {
            if !*is_shown && !std::mem::replace(&mut shown_runs[number], true) {
                body.method.contact_run(number, &mut surface.points[points.clone()]);
            }
            self.near_runs.push(points.clone());
        }
        (surface, &self.near_runs)
    }

    /// The points of a body as they move on by themselves, which it shows until its prediction changes.
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

    /// Everybody counts as changed, so that the next look is at all of them.
    pub fn look_again(&mut self) {
        self.detected.iter_mut().for_each(|detected| (detected.is_new, detected.is_unmet) = (true, true));
    }

    /// Whether a body has changed since it was last asked for.
    pub fn is_unmet(&mut self, body: usize) -> bool {
        std::mem::take(&mut self.detected[body].is_unmet)
    }

    /// Number of bodies; obstacles come after them.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// Pairs whose boxes overlapped at the last look.
    pub fn near(&self) -> &[[u32; 2]] {
        &self.near
    }

    /// Whether what a body or an obstacle showed at the last look is what it shows now. Obstacles show nothing where there are only points near them.
    pub fn is_shown(&self, index: usize) -> bool {
        self.detected[index].is_shown
    }

    /// What a body or an obstacle showed at the last look.
    pub fn shown(&self, index: usize) -> &ContactSurface {
        &self.detected[index].surface
    }

    /// The predictions of all obstacles that can be pushed have changed.
    pub fn obstacles_changed(&mut self) {
        self.detected[self.bodies..].iter_mut().for_each(DetectedBody::change);
        // To a body it is the same whether it moves or the shape before it.
        self.detected[..self.bodies].iter_mut().for_each(|body| body.is_unmet = true);
    }

    /// The entry of a point of a body among the moving points.
    pub fn slot(&mut self, body: usize, point: u32) -> u32 {
        let detected = &mut self.detected[body];
        let slot = &mut detected.slots[point as usize];
        if *slot == u32::MAX {
            *slot = self.points.len() as u32;
            let shown = &detected.surface.points[point as usize];
            let (velocity, inverse_mass) = (shown.velocity, shown.inverse_mass);
            self.points.push(SolverPoint { velocity, inverse_mass, impulse: Vec3::zeros() });
            self.owners.push(Owner { body: body as u32, point, dof: shown.dof });
        }
        *slot
    }

    fn side(&mut self, index: u32, points: [u32; 3], weights: [f64; 3]) -> Side {
        match (index as usize).checked_sub(self.bodies) {
            Some(obstacle) => Side::Rigid(obstacle as u32),
            None => Side::Points { points: points.map(|point| self.slot(index as usize, point)), weights },
        }
    }

    /// What a side is called from step to step: by dofs, which keep their numbers where cracks add points.
    fn identity(&self, index: u32, points: [u32; 3]) -> [u32; 4] {
        let shown = &self.detected[index as usize].surface.points;
        // An obstacle has no dofs; its corners never change.
        let name = |point: u32| if (index as usize) < self.bodies { shown[point as usize].dof } else { point };
        let [a, b, c] = points.map(name);
        [index, a, b, c]
    }

    /// Whose the first point of a side is; none for an obstacle.
    pub fn owner_of(&self, side: &Side) -> Option<Owner> {
        match side {
            Side::Points { points, .. } => self.owners.get(points[0] as usize).copied(),
            Side::Rigid(_) => None,
        }
    }

    /// The body of a side, with places in its surface and their weights; none for an obstacle.
    pub fn points_of(&self, side: &Side) -> Option<(usize, [u32; 3], [f64; 3])> {
        let Side::Points { points, weights } = side else { return None };
        let owners = points.map(|point| self.owners[point as usize]);
        Some((owners[0].body as usize, owners.map(|owner| owner.point), *weights))
    }

    /// Adds the impulses on moving points to the list, body by body and in the order of their dofs, and whom each is for to another. What a body shows follows them as
    /// [`Method::receive`](crate::Method::receive) has it, over a step (s): it need not show all of itself again.
    pub fn take_impulses(&mut self, time_step: f64, impulses: &mut Vec<Impulse>, receivers: &mut Vec<u32>) {
        self.order.clear();
        self.order.extend(0..self.points.len() as u32);
        self.order.sort_unstable_by_key(|&slot| self.owners[slot as usize]);
        for &slot in &self.order {
            let (Owner { body, point, dof }, impulse) =
                (self.owners[slot as usize], self.points[slot as usize].impulse);
            if impulse == Vec3::zeros() {
                continue;
            }
            impulses.push(Impulse { dof, impulse });
            receivers.push(body);
            let detected = &mut self.detected[body as usize];
            let shown = &mut detected.surface.points[point as usize];
            let gained = shown.inverse_mass * impulse;
            shown.end += time_step * gained;
            shown.velocity += gained;
            (detected.is_new, detected.is_unmet) = (true, true);
        }
    }

    /// Adds what comes too close to the contacts. After the first look of a step only those are looked at that have changed.
    pub fn find(&mut self, stage: &DetectionInput, look: Detection, contacts: &mut Vec<Contact>) {
        self.find_near(stage);
        let mut due = std::mem::take(&mut self.due);
        let is_due = |pair: &&[u32; 2]| pair.iter().any(|&index| self.detected[index as usize].is_new);
        due.clear();
        due.extend(self.near.iter().filter(is_due));
        for &index in due.iter().flatten() {
            if self.detected[index as usize].is_new {
                self.prepare(index as usize, stage);
            }
        }
        for &pair in &due {
            self.find_pair(pair, stage.pairs, look, contacts);
        }
        self.due = due;
    }

    /// Pairs whose boxes overlap, and bodies that may touch themselves.
    fn find_near(&mut self, stage: &DetectionInput) {
        self.boxes.clear();
        for (body, index) in stage.bodies.iter().zip(0..) {
            let grown = body.method.reach().grown(body.method.contact_triangles().skin);
            self.boxes.push((grown, index));
        }
        for (obstacle, (start, end)) in stage.obstacles.iter().zip(stage.poses) {
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
            // Obstacles meet each other elsewhere, and so do bodies between which penalty forces act.
            let by_impulses =
                |[one, other]: &[u32; 2]| stage.pairs.response(*one as usize, *other as usize) == Response::Impulses;
            // Points of bodies meet the shapes of obstacles themselves: a body without triangles need not be looked through for them.
            let bodies = stage.bodies;
            let can_meet = |[one, other]: &[u32; 2]| {
                let shows_triangles = |body: &Body| !body.method.contact_triangles().triangles.is_empty();
                (*one as usize) < bodies.len()
                    && ((*other as usize) < bodies.len() || shows_triangles(&bodies[*one as usize]))
            };
            self.near.extend(pairs.filter(can_meet).filter(by_impulses));
        }
        let with_itself = (0..stage.bodies.len() as u32).filter(|&body| {
            let index = body as usize;
            stage.bodies[index].method.touches_itself() && stage.pairs.response(index, index) == Response::Impulses
        });
        self.near.extend(with_itself.map(|body| [body, body]));
        self.near.retain(|pair| !stage.are_separating(pair));
        self.near.sort_unstable();
        let near = &self.near;
        self.found.retain(|pair, _| near.binary_search(pair).is_ok());
    }

    /// Brings what is known of a detected up to date with its surface.
    fn prepare(&mut self, index: usize, stage: &DetectionInput) {
        let triangles = match index.checked_sub(stage.bodies.len()) {
            None => {
                self.show(index, &stage.bodies[index]);
                stage.bodies[index].method.contact_triangles()
            }
            Some(place) => {
                let obstacle = &stage.obstacles[place];
                let detected = &mut self.detected[index];
                if !detected.is_shown {
                    show_obstacle(obstacle, &stage.poses[place], &mut detected.surface);
                    detected.is_shown = true;
                }
                obstacle.contact_triangles()
            }
        };
        let detected = &mut self.detected[index];
        (detected.is_closed, detected.skin, detected.is_new) = (triangles.is_closed, triangles.skin, false);
        detected.tree.follow(&triangles, detected.surface.points.len());
        detected.find_motions();
    }

    /// By how much two detected can have come closer since their trees were made (m), if that is within the trees' margins.
    fn approach(&self, [one, other]: [u32; 2]) -> Option<f64> {
        let [first, second] = [one, other].map(|index| &self.detected[index as usize]);
        let (a, b) = (first.motions?, second.motions?);
        let approach = a[0].approach(&b[0]).max(a[1].approach(&b[1]));
        // Written so that what is not a number is out of date.
        (approach <= first.tree.margin() + second.tree.margin()).then_some(approach)
    }

    fn find_pair(&mut self, pair: [u32; 2], pairs: &PairTable, look: Detection, contacts: &mut Vec<Contact>) {
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
        let found = self.found.entry(pair).or_default();
        let generations = [first.tree.generation(), second.tree.generation()];
        if found.generations != generations {
            found.generations = generations;
            match one == other {
                true => found.candidates.within(&first.tree),
                false => found.candidates.between(&first.tree, &second.tree),
            }
            if other as usize >= self.bodies {
                // Points of bodies meet the shape of an obstacle itself.
                found.candidates.point_triangle.clear();
                found.candidates.point_point.clear();
            }
        }
        let mut meetings = std::mem::take(&mut self.meetings);
        meetings.clear();
        let [a, b] = [first, second].map(DetectedBody::participant);
        meet([&a, &b], &found.candidates, approach, look, &mut meetings);
        let (friction, restitution) = pairs.get(one as usize, other as usize);
        for meeting in &meetings {
            let sides = [
                self.side(one, meeting.points[0], meeting.weights[0]),
                self.side(other, meeting.points[1], meeting.weights[1]),
            ];
            let Meeting { place, normal, gap_at_start, gap_at_end, .. } = *meeting;
            let identity = [self.identity(one, meeting.points[0]), self.identity(other, meeting.points[1])];
            let contact = Contact {
                identity,
                sides,
                place,
                normal,
                gap_at_start,
                gap_at_end,
                friction,
                restitution,
                carried: None,
            };
            contacts.push(contact);
        }
        self.meetings = meetings;
    }
}

/// What a look at all detected needs to see.
pub(crate) struct DetectionInput<'a> {
    pub bodies: &'a [Body],
    pub obstacles: &'a [Obstacle],
    /// Where every obstacle is at the start and at the predicted end of the step.
    pub poses: &'a [(Isometry, Isometry)],
    pub pairs: &'a PairTable,
    /// Bodies that started inside each other and do not feel each other yet.
    pub separations: &'a [Separation],
}

impl DetectedBody {
    fn change(&mut self) {
        (self.is_shown, self.is_new, self.is_unmet) = (false, true, true);
        self.shown_runs.clear();
    }

    fn participant(&self) -> CollisionMesh<'_> {
        CollisionMesh { surface: &self.surface, tree: &self.tree, is_closed: self.is_closed, skin: self.skin }
    }

    fn find_motions(&mut self) {
        let (tree, points) = (&self.tree, &self.surface.points);
        let start = tree.motion(points.iter().map(|point| point.start));
        let end = tree.motion(points.iter().map(|point| point.end));
        self.motions = start.zip(end).map(|(start, end)| [start, end]);
    }

    /// Makes the tree anew.
    fn refresh(&mut self) {
        let points = &self.surface.points;
        let way = points.iter().map(|point| (point.end - point.start).norm()).fold(0.0, f64::max);
        let margin = (MARGIN * self.tree.features.mean_edge(points)).max(STEPS_AHEAD * way);
        match self.tree.refresh(points, self.skin, margin) {
            Ok(()) => self.find_motions(),
            // Places that are not numbers cannot be put in a tree: the check of the prediction names them.
            Err(_) => self.motions = None,
        }
    }
}

impl Obstacle {
    /// Its corners and edges, which bodies meet with their triangles; a round one is met by its shape alone, and so is a plane.
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

/// The points of an obstacle's triangles, or the middle of a ball with its radius.
fn show_obstacle(obstacle: &Obstacle, (start, end): &(Isometry, Isometry), surface: &mut ContactSurface) {
    surface.points.clear();
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

/// A box around a box that moves from one pose to another; empty for an endless one, which has no corners to meet.
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
    // While it turns, a corner may bulge beyond both ends by less than it travels between them.
    let (first, last) = (at(start), at(end));
    let turned = 2.0 * half.norm() * (0.5 * start.rotation.angle_to(&end.rotation)).sin();
    first.union(&last).grown(0.25 * turned)
}
