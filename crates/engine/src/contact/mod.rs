//! The contact stages of a step: what implicit bodies are told beforehand, and the impulses for all afterwards.

mod detection;
mod impact_zones;
mod implicit;
mod initial_overlap;
mod intersection;
mod obstacle_impulses;
mod penalty;

pub(crate) use initial_overlap::Separation;
pub use intersection::Intersection;
pub use obstacle_impulses::ObstacleImpulse;

use crate::{Body, Drive, Failure, Load, Step, World, WorldError};
use craze_contact::collisions::features::Detection;
use craze_contact::collisions::obstacle::{Touch, find_obstacle_collisions, find_obstacle_collisions_in_runs};
use craze_contact::solvers::impulse::{Contact, ContactSolver, RigidSolverBody, Side};
use craze_contact::{ContactSpring, ContactSurface, Impulse, RigidShape, SurfacePoint};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use detection::{CollisionDetector, DetectionInput};
use implicit::ImplicitContacts;
use obstacle_impulses::add;
use penalty::PenaltyForces;
use std::collections::BTreeSet;

/// Stiffness of a contact in an implicit body, in units of the point's mass over Δt²: the point then ends at a
/// hundredth of the depth that it would reach freely.
const CONTACT_STIFFNESS: f64 = 100.0;

/// Mass that rests on a point, in units of the point's own.
pub(crate) const STACK: f64 = 10.0;

/// Share of the distance to keep that it may use up.
const DEEPEST_AT_REST: f64 = 0.25;

/// Share of the distance to keep that the springs of contacts may use up.
pub(crate) const DEEPEST: f64 = 0.5;

/// How much stiffer springs that use up more become at once.
pub(crate) const HARDER: f64 = 4.0;

/// Largest stiffness of a contact, in units of [`World::contact_stiffness`]. A heavy, stiff body that lands on one
/// corner presses with all of its mass on the contact of a single node: 256 let a steel cylinder through.
pub(crate) const HARDEST: f64 = 65_536.0;

/// Change of friction, as a share of itself, above which a body predicts anew.
pub(crate) const RESTLESS_FRICTION: f64 = 0.1;

/// How often what would still pass through each other is pushed apart before the step is given up.
const CROSSING_ROUNDS: usize = 16;

/// How deep, in distances to keep, the equations of an implicit body may have let it into an obstacle for an impulse to push it out.
const UNHELD: f64 = 2.0;

/// Share of the distance to an obstacle that must be left at the end of a step, of the distance to keep where they are farther apart.
const LEFT: f64 = 0.1;

/// Distance to an obstacle, in units of the distance to keep, below which almost all of it must be left: or what is pressed against it would come
/// closer tenfold at every step, until nothing told its side any more.
const CLOSE: f64 = 0.02;

/// What must be left then.
const LEFT_WHEN_CLOSE: f64 = 0.9;

/// Distance, likewise, within which a point touches an obstacle, and comes no closer.
const TOUCHING: f64 = 1e-6;

/// Change of that distance, likewise, that is rounding.
const ROUNDING: f64 = 1e-9;

/// Whether contacts will be corrected once more in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Early,
    Last,
}

/// A body that reaches into an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The body, as the world numbers them.
    pub body: usize,
    /// The obstacle, likewise.
    pub obstacle: usize,
    /// Depth of the deepest point (m).
    pub depth: f64,
    /// Where that is (m).
    pub place: Vec3,
    /// Size of the body (m).
    pub size: f64,
}

/// Memory that a step uses and nobody needs afterwards.
#[derive(Default)]
pub(crate) struct Scratch {
    pub loads: Vec<Vec<Load>>,
    pub stiffness: Vec<Vec<ContactSpring>>,
    surface: ContactSurface,
    found: Vec<Touch>,
    pub contacts: Vec<Contact>,
    pub detector: CollisionDetector,
    pub implicit_contacts: ImplicitContacts,
    solver: ContactSolver,
    pub penalty_forces: PenaltyForces,
    shapes: Vec<RigidSolverBody>,
    /// Where every obstacle is at the start and at the predicted end of the step.
    poses: Vec<(Isometry, Isometry)>,
    impulses: Vec<Impulse>,
    /// The body that each impulse is for.
    receivers: Vec<u32>,
    pub obstacle_impulses: Vec<ObstacleImpulse>,
}

impl Scratch {
    /// Forgets what is known of detected and of the last step's impulses, which nobody saves.
    pub fn forget_caches(&mut self) {
        self.detector = CollisionDetector::default();
        self.solver = ContactSolver::default();
        self.penalty_forces = PenaltyForces::default();
    }

    /// The bodies and, after them, obstacles of the present contacts.
    pub fn colliding(&self, bodies: usize) -> Vec<u32> {
        let thing = |side: &Side| match side {
            Side::Rigid(obstacle) => Some(bodies as u32 + obstacle),
            Side::Points { .. } => self.detector.owner_of(side).map(|owner| owner.body),
        };
        self.contacts.iter().flat_map(|contact| &contact.sides).filter_map(thing).collect()
    }

    /// What holds and contacts in its equations do to a body in this step.
    pub fn told(&self, body: usize) -> (&[Load], &[ContactSpring]) {
        (&self.loads[body], &self.stiffness[body])
    }

    /// What a body is told about a step.
    pub fn step(&self, body: usize, time: f64, time_step: f64, gravity: Vec3) -> Step<'_> {
        Step { time, time_step, gravity, loads: &self.loads[body], contacts: &self.stiffness[body] }
    }
}

impl World {
    /// Contacts that implicit bodies take into their equations: points that would end inside an obstacle if they flew on.
    pub(crate) fn find_contacts(&mut self, time_step: f64) {
        self.scratch.implicit_contacts.clear();
        for index in 0..self.bodies.len() {
            self.scratch.stiffness[index].clear();
            // A body that moves farther than its own size in a step is found when its prediction is looked at.
            let far = |reach: Aabb| reach.grown(reach.size().norm());
            if !self.may_touch(index, far, time_step) {
                continue;
            }
            let surface = &mut self.scratch.surface;
            surface.points.clear();
            self.bodies[index].method.contact_surface(surface);
            let fall = 0.5 * time_step * self.settings.gravity;
            for point in &mut surface.points {
                point.end = point.start + time_step * (point.start_velocity + fall);
            }
            self.scratch.stiffness[index] = self.contacts_in_equations(index, time_step);
        }
    }

    /// Looks at the predictions of implicit bodies: contacts with obstacles that pull are dropped, unless it is the last round; points that
    /// ended inside an obstacle or too close to another body are added; friction follows from push and sliding, and so do the forces between
    /// bodies. Bodies for which that changes anything predict anew. Says whether there were any.
    pub(crate) fn correct_contacts(&mut self, time_step: f64, round: Round) -> Result<bool, (usize, Failure)> {
        self.find_implicit_contacts(time_step);
        let mut restless = BTreeSet::new();
        for index in 0..self.bodies.len() {
            if self.correct_obstacle_contacts(index, time_step, round) {
                restless.insert(index);
            }
        }
        self.correct_implicit_contacts(&mut restless, time_step)?;
        let is_implicit = |index: &&usize| self.bodies[**index].is_implicit;
        let implicit: Vec<usize> = restless.iter().filter(is_implicit).copied().collect();
        for &index in &implicit {
            self.predict([index], time_step)?;
            self.follow_implicit_contacts(index);
        }
        Ok(!implicit.is_empty())
    }

    /// The same for a body's contacts with obstacles. Says whether it has to predict anew.
    fn correct_obstacle_contacts(&mut self, index: usize, time_step: f64, round: Round) -> bool {
        if !self.may_touch(index, |reach| reach, time_step) {
            return false;
        }
        self.scratch.surface.points.clear();
        self.bodies[index].method.contact_surface(&mut self.scratch.surface);
        let fresh = self.contacts_in_equations(index, time_step);
        let skin = self.bodies[index].method.contact_triangles().skin;
        let mut stiffness = std::mem::take(&mut self.scratch.stiffness[index]);
        let usual = |mobility: f64, kept: f64| self.contact_stiffness(mobility, time_step, kept);
        let mut restless = false;
        // Both lists go by dof.
        let mut listed = self.scratch.surface.points.iter().peekable();
        stiffness.retain_mut(|contact| {
            if contact.obstacle.is_none() {
                return true;
            }
            let dof = contact.dofs[0];
            while listed.next_if(|point| point.dof < dof).is_some() {}
            let Some(point) = listed.peek().filter(|point| point.dof == dof) else { return true };
            let keep = contact.push(&point.end) >= 0.0 || round == Round::Last;
            // A hard blow must not use up the distance to keep: what then passes the surface would have to be pushed out again.
            let (hardest, kept) = (contact.normal.dot(&(contact.stiffness * contact.normal)), skin + point.radius);
            let is_too_deep = (contact.anchor - point.end).dot(&contact.normal) > DEEPEST * kept;
            if is_too_deep && hardest < HARDEST * usual(point.inverse_mass, kept) {
                contact.stiffness *= HARDER;
                restless = true;
            }
            restless |= !keep || contact.drag(&point.end) > RESTLESS_FRICTION;
            keep
        });
        let kept = stiffness.len();
        for contact in fresh {
            if contact.obstacle.and_then(|obstacle| find(&stiffness[..kept], contact.dofs[0], obstacle)).is_none() {
                stiffness.push(contact);
            }
        }
        let has_changed = restless || stiffness.len() > kept;
        sort(&mut stiffness);
        self.scratch.stiffness[index] = stiffness;
        has_changed
    }

    /// Whether a body takes contacts into its equations and something within its box, as `grown`, could touch an obstacle.
    fn may_touch(&self, body: usize, grown: impl Fn(Aabb) -> Aabb, time_step: f64) -> bool {
        let Body { method, is_implicit, .. } = &self.bodies[body];
        if !is_implicit || self.obstacles.is_empty() {
            return false;
        }
        let reach = grown(method.reach()).grown(method.contact_triangles().skin);
        self.obstacles.iter().any(|obstacle| {
            let poses = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            is_near_shape(&obstacle.shape, &poses, &reach)
        })
    }

    /// The contacts of the surface in the scratch memory, as the equations of its body take them, by dof.
    fn contacts_in_equations(&self, body: usize, time_step: f64) -> Vec<ContactSpring> {
        let (surface, mut found, mut contacts) = (&self.scratch.surface, Vec::new(), Vec::new());
        let skin = self.bodies[body].method.contact_triangles().skin;
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let (start, end) = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            let (friction, _) = self.settings.pairs.get(body, self.bodies.len() + index);
            found.clear();
            find_obstacle_collisions(surface, &obstacle.shape, &start, &end, skin, 1.0, &mut found);
            contacts.extend(found.iter().filter_map(|contact| {
                let point = &surface.points[contact.point as usize];
                // Where the point would be if it stuck to the obstacle, and from there straight to the surface.
                let stuck = end.transform_point(&start.inverse_transform_point(&point.start.into())).coords;
                let surface_place = point.end - contact.gap_at_end * contact.normal;
                let stiffness = self.contact_stiffness(point.inverse_mass, time_step, skin + point.radius);
                (point.inverse_mass > 0.0).then(|| ContactSpring {
                    dofs: [point.dof; 3],
                    weights: [1.0, 0.0, 0.0],
                    obstacle: Some(index as u32),
                    force: Vec3::zeros(),
                    anchor: stuck + (surface_place - stuck).dot(&contact.normal) * contact.normal,
                    normal: contact.normal,
                    stiffness: stiffness * contact.normal * contact.normal.transpose(),
                    friction,
                })
            }));
        }
        sort(&mut contacts);
        contacts
    }

    /// Stiffness (N/m) of the contact of a point on which a unit impulse makes a speed of `mobility` (1/kg), in an implicit body that keeps a
    /// distance (m): [`CONTACT_STIFFNESS`], or as stiff as leaves most of the distance under the weight of a stack. Δt is that of a
    /// step of which nothing has been halved: or what lies as deep as bears its weight in a long step would be shot out by the springs of a
    /// short one.
    pub(crate) fn contact_stiffness(&self, mobility: f64, time_step: f64, kept: f64) -> f64 {
        let longest = time_step * self.throttle.divisor();
        let by_inertia = CONTACT_STIFFNESS / (longest * longest);
        let by_weight = if kept > 0.0 { STACK * self.settings.gravity.norm() / (DEEPEST_AT_REST * kept) } else { 0.0 };
        by_inertia.max(by_weight) / mobility
    }

    /// Refuses an equilibrium that reaches into an obstacle: quasi-static mode has no contact.
    pub(crate) fn check_overlaps(&mut self, time_step: f64) -> Result<(), WorldError> {
        let time = self.time + time_step;
        match self.obstacle_penetrations(time).into_iter().find(|sunk| sunk.depth > 1e-6 * sunk.size) {
            // Standing on the ground is no overlap, nor is rounding.
            None => Ok(()),
            Some(Penetration { body, obstacle, depth, .. }) => {
                let (body, obstacle) = (self.bodies[body].name.clone(), self.obstacles[obstacle].name.clone());
                Err(WorldError::Overlap { body, obstacle, time, depth })
            }
        }
    }

    /// How deep each body is in each obstacle, as that stands at a time (s), where it reaches into it at all.
    pub fn obstacle_penetrations(&self, time: f64) -> Vec<Penetration> {
        let mut found = Vec::new();
        for (index, body) in self.bodies.iter().enumerate().filter(|_| !self.obstacles.is_empty()) {
            let mut surface = ContactSurface::default();
            body.method.contact_surface(&mut surface);
            let size = Aabb::from_points(surface.points.iter().map(|point| &point.start)).size().norm();
            for (number, obstacle) in self.obstacles.iter().enumerate() {
                let pose = obstacle.pose(time);
                let gap = |point: &SurfacePoint| {
                    let local = pose.inverse_transform_point(&point.start.into()).coords;
                    (obstacle.shape.sample(&local).distance - point.radius, point.start)
                };
                let deepest = surface.points.iter().map(gap).min_by(|one, other| one.0.total_cmp(&other.0));
                let Some((gap, place)) = deepest.filter(|(gap, _)| *gap < 0.0) else { continue };
                found.push(Penetration { body: index, obstacle: number, depth: -gap, place, size });
            }
        }
        found
    }

    /// Everything meets everything; impulses change the predictions until nothing passes through anything.
    pub(crate) fn collide(&mut self, time_step: f64) -> Result<(), (usize, Failure)> {
        self.scratch.obstacle_impulses.clear();
        self.finish_implicit_contacts(time_step);
        self.press(time_step);
        self.apply_separations(time_step);
        self.scratch.detector.begin(self.bodies.len(), self.obstacles.len());
        self.scratch.contacts.clear();
        self.find_poses(time_step);
        self.detect_against_obstacles(time_step, Detection::Proximity);
        self.detect_between_obstacles(time_step);
        self.detect_between_surfaces(Detection::Proximity);
        // What the equations of a body hold apart is not pushed twice.
        let Scratch { contacts, implicit_contacts, .. } = &mut self.scratch;
        contacts.retain(|contact| !implicit_contacts.hold(&contact.identity));
        self.respond(time_step, Detection::Proximity);
        // What equations hold apart gets no impulse, but is looked at for crossings like all that did.
        let Scratch { detector, stiffness, .. } = &mut self.scratch;
        let holds = stiffness.iter().enumerate().filter(|(_, held)| !held.is_empty());
        holds.for_each(|(body, _)| detector.changed(body));
        for _ in 0..CROSSING_ROUNDS {
            if !self.find_crossings(time_step) {
                return Ok(());
            }
            if let Some(unheld) = self.unheld() {
                return Err(self.crossing_failure(unheld));
            }
            self.respond(time_step, Detection::Crossings);
        }
        if !self.find_crossings(time_step) {
            return Ok(());
        }
        let failure = self.crossing_failure(0);
        // The last way out before the step is tried again with half the Δt, unless something crosses that zones do not see and would leave as it is.
        let is_seen = self.scratch.contacts.iter().all(|contact| self.zones_see(contact));
        if !(is_seen && self.resolve_by_zones(time_step)) {
            return Err(failure);
        }
        // Zones know nothing of planes, balls and particles: everything is looked at, moved or not.
        self.scratch.detector.look_again();
        if self.find_crossings(time_step) { Err(failure) } else { Ok(()) }
    }

    /// A crossing of an implicit body with an obstacle that its equations should have held, and have not by far: an impulse knows nothing of how stiff the
    /// body is, and would do work on it that nobody does.
    fn unheld(&self) -> Option<usize> {
        let Scratch { detector, contacts, .. } = &self.scratch;
        contacts.iter().position(|contact| {
            let Some(owner) = detector.owner_of(&contact.sides[0]) else { return false };
            let Body { method, is_implicit, .. } = &self.bodies[owner.body as usize];
            let is_held = matches!(contact.sides[1], Side::Rigid(_)) && *is_implicit;
            is_held && contact.gap_at_end < -UNHELD * method.contact_triangles().skin
        })
    }

    /// The body that cannot go on because of a crossing, and why.
    fn crossing_failure(&self, contact: usize) -> (usize, Failure) {
        let Scratch { detector, contacts, .. } = &self.scratch;
        let contact = &contacts[contact];
        let owner = contact.sides.iter().find_map(|side| detector.owner_of(side));
        let place = contact.place;
        let rigid = |side: &Side| if let Side::Rigid(obstacle) = side { Some(*obstacle) } else { None };
        let obstacle = contact.sides.iter().find_map(rigid);
        let failure = obstacle.map_or(Failure::Crossing { place }, |obstacle| Failure::Pressed { obstacle, place });
        (owner.map_or(0, |owner| owner.body as usize), failure)
    }

    /// Looks for what would still pass through each other.
    fn find_crossings(&mut self, time_step: f64) -> bool {
        self.scratch.detector.forget_points();
        self.scratch.contacts.clear();
        self.find_poses(time_step);
        self.detect_against_obstacles(time_step, Detection::Crossings);
        self.detect_between_surfaces(Detection::Crossings);
        !self.scratch.contacts.is_empty()
    }

    pub(crate) fn detect_between_surfaces(&mut self, look: Detection) {
        let Scratch { detector, contacts, poses, .. } = &mut self.scratch;
        let (bodies, obstacles, pairs) = (&self.bodies, &self.obstacles, &self.settings.pairs);
        detector.find(
            &DetectionInput { bodies, obstacles, poses, pairs, separations: &self.separations },
            look,
            contacts,
        );
    }

    pub(crate) fn find_poses(&mut self, time_step: f64) {
        let (time, end) = (self.time, self.time + time_step);
        let poses = self.obstacles.iter().map(|obstacle| (obstacle.pose(time), obstacle.predicted_pose(end)));
        self.scratch.poses.clear();
        self.scratch.poses.extend(poses);
    }

    /// Points of bodies against obstacles.
    fn detect_against_obstacles(&mut self, time_step: f64, look: Detection) {
        let Scratch { poses, detector, found, contacts, stiffness, .. } = &mut self.scratch;
        for (index, body) in self.bodies.iter().enumerate() {
            let skin = body.method.contact_triangles().skin;
            if !detector.is_unmet(index) {
                continue;
            }
            let reach = body.method.reach().grown(skin);
            let is_near = |obstacle: &usize| is_near_shape(&self.obstacles[*obstacle].shape, &poses[*obstacle], &reach);
            for obstacle in (0..self.obstacles.len()).filter(is_near) {
                let (start_pose, end_pose) = &poses[obstacle];
                found.clear();
                let share = if look == Detection::Proximity { 1.0 } else { LEFT };
                let shape = &self.obstacles[obstacle].shape;
                // Points have no radius where there are boxes around them.
                let is_close = |bounds: &Aabb| is_near_shape(shape, &poses[obstacle], &bounds.grown(skin));
                let (surface, runs) = detector.show_near(index, body, is_close);
                find_obstacle_collisions_in_runs(surface, runs, shape, [start_pose, end_pose], (skin, share), found);
                if look == Detection::Crossings {
                    found.retain_mut(|touch| {
                        let point = &surface.points[touch.point as usize];
                        // A held particle goes where it is told to: there is no surface that an obstacle could tear.
                        let can_answer = skin > 0.0 || point.inverse_mass > 0.0;
                        can_answer && passes(touch, LEFT * (point.radius + skin))
                    });
                }
                let (friction, restitution) = self.settings.pairs.get(index, self.bodies.len() + obstacle);
                for touch in found.iter() {
                    let point = detector.shown(index).points[touch.point as usize];
                    let thing = (self.bodies.len() + obstacle) as u32;
                    let carried = match look {
                        Detection::Proximity => find(&stiffness[index], point.dof, obstacle as u32),
                        // What the equations have not kept out needs a push of its own.
                        Detection::Crossings => None,
                    };
                    contacts.push(Contact {
                        identity: [
                            [index as u32, point.dof, u32::MAX, u32::MAX],
                            [thing, u32::MAX, u32::MAX, u32::MAX],
                        ],
                        sides: [Side::point(detector.slot(index, touch.point)), Side::Rigid(obstacle as u32)],
                        place: touch.place,
                        normal: touch.normal,
                        gap_at_start: touch.gap_at_start,
                        gap_at_end: touch.gap_at_end,
                        friction,
                        restitution,
                        carried: carried.map(|held| time_step * held.force(&point.end)),
                    });
                }
            }
        }
    }

    /// Finds the impulses of all contacts and hands them out.
    fn respond(&mut self, time_step: f64, look: Detection) {
        let Scratch { contacts, detector, solver, shapes, obstacle_impulses, .. } = &mut self.scratch;
        if contacts.is_empty() {
            return;
        }
        shapes.clear();
        shapes.extend(self.obstacles.iter().map(|obstacle| obstacle.response(self.time, time_step)));
        let points = &mut detector.points;
        match look {
            Detection::Proximity => solver.respond(contacts, points, shapes, time_step),
            Detection::Crossings => solver.correct(contacts, points, shapes, time_step),
        }
        for (contact, impulse) in solver.exerted(contacts) {
            let Side::Rigid(obstacle) = contact.sides[1] else { continue };
            let Some(owner) = detector.owner_of(&contact.sides[0]) else { continue };
            let work = impulse.dot(&shapes[obstacle as usize].velocity_at(&contact.place));
            add(
                obstacle_impulses,
                ObstacleImpulse { body: owner.body as usize, obstacle: obstacle as usize, impulse, work },
            );
        }
        for (obstacle, response) in self.obstacles.iter_mut().zip(shapes.iter()) {
            obstacle.receive(response, time_step);
        }
        if self.obstacles.iter().any(|obstacle| matches!(obstacle.drive, Drive::Free(_))) {
            detector.obstacles_changed();
        }
        self.hand_out_impulses(time_step);
    }

    /// Points of obstacles against all others, where one of the two is free.
    fn detect_between_obstacles(&mut self, time_step: f64) {
        let Scratch { poses, surface, found, contacts, .. } = &mut self.scratch;
        let is_free = |obstacle: &crate::Obstacle| matches!(obstacle.drive, Drive::Free(_));
        if !self.obstacles.iter().any(is_free) {
            return;
        }
        let bodies = self.bodies.len();
        // Points of fixed obstacles, too: a box may land on a small ball between its own corners.
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            surface.points.clear();
            let (start, end) = &poses[index];
            for (place, radius) in obstacle.shape.support_points() {
                let (start, end) = (start.transform_point(&place.into()), end.transform_point(&place.into()));
                let velocity = (end - start) / time_step;
                surface.points.push(SurfacePoint {
                    dof: 0,
                    start: start.coords,
                    start_velocity: velocity,
                    end: end.coords,
                    velocity,
                    inverse_mass: 1.0,
                    radius,
                });
            }
            let meets = |other: &usize| *other != index && (is_free(obstacle) || is_free(&self.obstacles[*other]));
            for other in (0..self.obstacles.len()).filter(meets) {
                found.clear();
                find_obstacle_collisions(
                    surface,
                    &self.obstacles[other].shape,
                    &poses[other].0,
                    &poses[other].1,
                    0.0,
                    1.0,
                    found,
                );
                let (friction, restitution) = self.settings.pairs.get(bodies + index, bodies + other);
                let [one, two] = [index, other].map(|place| (bodies + place) as u32);
                contacts.extend(found.iter().map(|touch| Contact {
                    identity: [[one, touch.point, u32::MAX, u32::MAX], [two, u32::MAX, u32::MAX, u32::MAX]],
                    sides: [Side::Rigid(index as u32), Side::Rigid(other as u32)],
                    place: touch.place,
                    normal: touch.normal,
                    gap_at_start: touch.gap_at_start,
                    gap_at_end: touch.gap_at_end,
                    friction,
                    restitution,
                    carried: None,
                }));
            }
        }
    }

    fn hand_out_impulses(&mut self, time_step: f64) {
        let Scratch { impulses, receivers, detector, loads, stiffness, .. } = &mut self.scratch;
        impulses.clear();
        receivers.clear();
        detector.take_impulses(time_step, impulses, receivers);
        let mut rest = impulses.as_slice();
        for own in receivers.chunk_by(|one, other| one == other) {
            let (body, impulses) = (own[0] as usize, rest.split_off(..own.len()).unwrap_or_default());
            let (loads, contacts) = (&loads[body], &stiffness[body]);
            let step = Step { time: self.time, time_step, gravity: self.settings.gravity, loads, contacts };
            self.bodies[body].method.receive(impulses, &step);
        }
    }
}

/// Whether something within a box could touch a shape that goes from one pose to another.
fn is_near_shape(shape: &RigidShape, poses: &(Isometry, Isometry), reach: &Aabb) -> bool {
    let (center, half) = (reach.centre(), 0.5 * reach.size());
    let [start, end] = [poses.0, poses.1].map(|pose| pose.inverse_transform_point(&center.into()).coords);
    let radius = half.norm();
    let clearance = |pose: &Isometry, center: &Vec3| match shape {
        // How far the lowest corner is below the middle.
        RigidShape::HalfSpace => {
            shape.clearance(center, (pose.rotation * Vec3::y()).abs().dot(&half) + 1e-12 * center.norm())
        }
        _ => shape.clearance(center, radius),
    };
    let [at_start, at_end] = [clearance(&poses.0, &start), clearance(&poses.1, &end)];
    // Distance changes no faster than its point moves: what is passed on the way is nearer than both ends together allow. Written
    // so that a box that is not finite counts as near.
    !(at_start > 0.0 && at_end > 0.0 && at_start + at_end > (end - start).norm())
}

/// Whether a touch that was found with a share of the distance to keep (m) goes from the outside of the shape into it, or as good as that; its gaps are
/// then counted from what must be left. What starts inside comes out gently, by the first look; what touches, up to rounding, is still outside, or a
/// point between two shapes that close would be in one of them one day, and pass.
fn passes(touch: &mut Touch, kept: f64) -> bool {
    let [start, end] = [touch.gap_at_start + kept, touch.gap_at_end + kept];
    let distance = kept / LEFT;
    if start.abs() <= TOUCHING * distance {
        (touch.gap_at_start, touch.gap_at_end) = (0.0, end - start);
        return end < start - ROUNDING * distance;
    }
    let share = if start < CLOSE * distance { LEFT_WHEN_CLOSE } else { LEFT };
    let left = kept.min(share * start);
    (touch.gap_at_start, touch.gap_at_end) = ((start - left).max(0.0), end - left);
    start > 0.0 && end < left - ROUNDING * distance
}

/// The contact that a body's equations hold at a dof with an obstacle.
fn find(held: &[ContactSpring], dof: u32, obstacle: u32) -> Option<&ContactSpring> {
    let found = held.binary_search_by_key(&(dof, Some(obstacle)), |contact| (contact.dofs[0], contact.obstacle));
    found.ok().map(|index| &held[index])
}

/// Puts the contacts that a body's equations hold in order; stable, so that those with bodies stay in the order in which they came.
pub(crate) fn sort(held: &mut [ContactSpring]) {
    held.sort_by_key(|contact| (contact.dofs[0], contact.obstacle));
}
