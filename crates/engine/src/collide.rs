//! The contact stages of a step: what implicit bodies are told beforehand, and the impulses for all afterwards.

use crate::{Drive, Load, Step, World};
use craze_contact::detect::{Contact, against_shape};
use craze_contact::respond::{MovingPoint, Pair, Pusher, RigidResponse, respond};
use craze_contact::{ContactStiffness, ContactSurface, Impulse, Shape, SurfacePoint};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;

/// Stiffness of a contact in an implicit body, in units of the point's mass over Δt²: the point then ends at a
/// hundredth of the depth that it would reach freely.
const CONTACT_STIFFNESS: f64 = 100.0;

/// Change of friction, as a share of itself, above which a body predicts anew.
const RESTLESS_FRICTION: f64 = 0.1;

/// Whether contacts will be corrected once more in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Early,
    Last,
}

/// Memory that a step uses and nobody needs afterwards.
#[derive(Default)]
pub(crate) struct Scratch {
    pub loads: Vec<Vec<Load>>,
    pub stiffness: Vec<Vec<ContactStiffness>>,
    surface: ContactSurface,
    found: Vec<Contact>,
    pairs: Vec<Pair>,
    points: Vec<MovingPoint>,
    /// For each moving point: its body and freedom.
    owners: Vec<(u32, u32)>,
    /// For each point of the surface under examination: its entry among the moving points, or none.
    slots: Vec<u32>,
    shapes: Vec<RigidResponse>,
    /// Where every obstacle is at the start and at the predicted end of the step.
    poses: Vec<(Isometry, Isometry)>,
    impulses: Vec<Impulse>,
}

impl Scratch {
    /// What a body is told about a step.
    pub fn step(&self, body: usize, time: f64, time_step: f64, gravity: Vec3) -> Step<'_> {
        Step { time, time_step, gravity, loads: &self.loads[body], contacts: &self.stiffness[body] }
    }
}

impl World {
    /// Contacts that implicit bodies take into their equations: points that would end inside an obstacle if they flew on.
    pub(crate) fn find_contacts(&mut self, time_step: f64) {
        for index in 0..self.bodies.len() {
            self.scratch.stiffness[index].clear();
            // No body moves farther than its own size in a step, so that a box grown by that holds where it may be.
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

    /// Looks at the predictions of implicit bodies: contacts that pull are dropped, unless it is the last round; points that ended inside
    /// an obstacle are added; friction follows from push and sliding. Gives the bodies that have to predict anew.
    pub(crate) fn correct_contacts(&mut self, time_step: f64, round: Round) -> Vec<usize> {
        let mut changed = Vec::new();
        for index in 0..self.bodies.len() {
            if !self.may_touch(index, |reach| reach, time_step) {
                continue;
            }
            self.scratch.surface.points.clear();
            self.bodies[index].method.contact_surface(&mut self.scratch.surface);
            let fresh = self.contacts_in_equations(index, time_step);
            let Scratch { stiffness, surface, .. } = &mut self.scratch;
            let stiffness = &mut stiffness[index];
            let mut restless = false;
            // Both lists go by freedom.
            let mut listed = surface.points.iter().peekable();
            stiffness.retain_mut(|contact| {
                while listed.next_if(|point| point.freedom < contact.freedom).is_some() {}
                let Some(point) = listed.peek().filter(|point| point.freedom == contact.freedom) else { return true };
                let keep = contact.push(&point.end) >= 0.0 || round == Round::Last;
                restless |= !keep || contact.drag(&point.end) > RESTLESS_FRICTION;
                keep
            });
            let kept = stiffness.len();
            for contact in fresh {
                if stiffness[..kept].binary_search_by_key(&contact.freedom, |held| held.freedom).is_err() {
                    stiffness.push(contact);
                }
            }
            if restless || stiffness.len() > kept {
                stiffness.sort_by_key(|contact| contact.freedom);
                changed.push(index);
            }
        }
        changed
    }

    /// Whether a body takes contacts into its equations and something within its box, as `grown`, could touch an obstacle.
    fn may_touch(&self, body: usize, grown: impl Fn(Aabb) -> Aabb, time_step: f64) -> bool {
        let method = &self.bodies[body].method;
        if !method.takes_contact_stiffness() || self.obstacles.is_empty() {
            return false;
        }
        let reach = grown(method.reach());
        self.obstacles.iter().any(|obstacle| {
            let poses = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            is_near(&obstacle.shape, &poses, &reach)
        })
    }

    /// The contacts of the surface in the scratch memory, as the equations of its body take them, by freedom.
    fn contacts_in_equations(&self, body: usize, time_step: f64) -> Vec<ContactStiffness> {
        let (surface, mut found, mut contacts) = (&self.scratch.surface, Vec::new(), Vec::new());
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let (start, end) = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            let (friction, _) = self.settings.pairs.get(body, index);
            found.clear();
            against_shape(surface, &obstacle.shape, &start, &end, &mut found);
            contacts.extend(found.iter().filter_map(|contact| {
                let point = &surface.points[contact.point as usize];
                // Where the point would be if it stuck to the obstacle, and from there straight to the surface.
                let stuck = end.transform_point(&start.inverse_transform_point(&point.start.into())).coords;
                let surface_place = point.end - contact.gap_at_end * contact.normal;
                let stiffness = CONTACT_STIFFNESS / (point.inverse_mass * time_step * time_step);
                (point.inverse_mass > 0.0).then(|| ContactStiffness {
                    freedom: point.freedom,
                    anchor: stuck + (surface_place - stuck).dot(&contact.normal) * contact.normal,
                    normal: contact.normal,
                    stiffness: stiffness * contact.normal * contact.normal.transpose(),
                    friction,
                })
            }));
        }
        contacts.sort_by_key(|contact| contact.freedom);
        contacts
    }

    /// Bodies meet obstacles, and free obstacles meet the others; impulses change the predictions.
    pub(crate) fn collide(&mut self, time_step: f64) {
        let (time, end) = (self.time, self.time + time_step);
        let scratch = &mut self.scratch;
        scratch.pairs.clear();
        scratch.points.clear();
        scratch.owners.clear();
        scratch.poses.clear();
        scratch.poses.extend(self.obstacles.iter().map(|obstacle| (obstacle.pose(time), obstacle.predicted_pose(end))));
        for (index, body) in self.bodies.iter().enumerate() {
            let reach = body.method.reach();
            let poses = &scratch.poses;
            let is_near = |obstacle: &usize| is_near(&self.obstacles[*obstacle].shape, &poses[*obstacle], &reach);
            if !(0..self.obstacles.len()).any(|obstacle| is_near(&obstacle)) {
                continue;
            }
            scratch.surface.points.clear();
            body.method.contact_surface(&mut scratch.surface);
            scratch.slots.clear();
            scratch.slots.resize(scratch.surface.points.len(), u32::MAX);
            for obstacle in (0..self.obstacles.len()).filter(is_near) {
                let (start_pose, end_pose) = &poses[obstacle];
                scratch.found.clear();
                let shape = &self.obstacles[obstacle].shape;
                against_shape(&scratch.surface, shape, start_pose, end_pose, &mut scratch.found);
                let (friction, restitution) = self.settings.pairs.get(index, obstacle);
                for contact in &scratch.found {
                    let point = &scratch.surface.points[contact.point as usize];
                    let slot = &mut scratch.slots[contact.point as usize];
                    if *slot == u32::MAX {
                        *slot = scratch.points.len() as u32;
                        scratch.points.push(MovingPoint {
                            velocity: point.velocity,
                            inverse_mass: point.inverse_mass,
                            impulse: Vec3::zeros(),
                        });
                        scratch.owners.push((index as u32, point.freedom));
                    }
                    scratch.pairs.push(Pair {
                        contact: *contact,
                        pusher: Pusher::Point(*slot),
                        shape: obstacle as u32,
                        friction,
                        restitution,
                        carried: carried(&scratch.stiffness[index], point, time_step),
                    });
                }
            }
        }
        self.meet_obstacles(time_step);
        let scratch = &mut self.scratch;
        if scratch.pairs.is_empty() {
            return;
        }
        scratch.shapes.clear();
        scratch.shapes.extend(self.obstacles.iter().map(|obstacle| obstacle.response(time, time_step)));
        respond(&scratch.pairs, &mut scratch.points, &mut scratch.shapes, time_step);
        for (obstacle, response) in self.obstacles.iter_mut().zip(&scratch.shapes) {
            obstacle.receive(response, time_step);
        }
        self.hand_out_impulses(time_step);
    }

    /// Points of free obstacles against all other obstacles.
    fn meet_obstacles(&mut self, time_step: f64) {
        let scratch = &mut self.scratch;
        let poses = &scratch.poses;
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            if !matches!(obstacle.drive, Drive::Free(_)) {
                continue;
            }
            scratch.surface.points.clear();
            let (start, end) = &poses[index];
            for (place, radius) in obstacle.shape.support_points() {
                let (start, end) = (start.transform_point(&place.into()), end.transform_point(&place.into()));
                let velocity = (end - start) / time_step;
                scratch.surface.points.push(SurfacePoint {
                    freedom: 0,
                    start: start.coords,
                    start_velocity: velocity,
                    end: end.coords,
                    velocity,
                    inverse_mass: 1.0,
                    radius,
                });
            }
            for other in (0..self.obstacles.len()).filter(|other| *other != index) {
                scratch.found.clear();
                let shape = &self.obstacles[other].shape;
                against_shape(&scratch.surface, shape, &poses[other].0, &poses[other].1, &mut scratch.found);
                let (friction, restitution) = self.settings.pairs.get(self.bodies.len() + index, other);
                scratch.pairs.extend(scratch.found.iter().map(|contact| Pair {
                    contact: *contact,
                    pusher: Pusher::Rigid(index as u32),
                    shape: other as u32,
                    friction,
                    restitution,
                    carried: None,
                }));
            }
        }
    }

    fn hand_out_impulses(&mut self, time_step: f64) {
        let mut first = 0;
        while first < self.scratch.points.len() {
            let body = self.scratch.owners[first].0;
            let last = first + self.scratch.owners[first..].iter().take_while(|owner| owner.0 == body).count();
            let Scratch { impulses, points, owners, .. } = &mut self.scratch;
            impulses.clear();
            impulses.extend(
                (first..last)
                    .filter(|index| points[*index].impulse != Vec3::zeros())
                    .map(|index| Impulse { freedom: owners[index].1, impulse: points[index].impulse }),
            );
            let index = body as usize;
            let step = self.scratch.step(index, self.time, time_step, self.settings.gravity);
            if !self.scratch.impulses.is_empty() {
                self.bodies[index].method.receive(&self.scratch.impulses, &step);
            }
            first = last;
        }
    }
}

/// Whether something within a box could touch a shape that goes from one pose to another.
fn is_near(shape: &Shape, poses: &(Isometry, Isometry), reach: &Aabb) -> bool {
    let (center, radius) = (reach.centre(), 0.5 * reach.size().norm());
    let clearance = |pose: &Isometry| shape.clearance(&pose.inverse_transform_point(&center.into()).coords, radius);
    // Written so that a box that is not finite counts as near.
    !(clearance(&poses.0) > 0.0 && clearance(&poses.1) > 0.0)
}

/// The impulse that the body's equations have brought up at a contact they already held.
fn carried(known: &[ContactStiffness], point: &SurfacePoint, time_step: f64) -> Option<Vec3> {
    let found = known.binary_search_by_key(&point.freedom, |held| held.freedom).ok()?;
    Some(time_step * known[found].force(&point.end))
}
