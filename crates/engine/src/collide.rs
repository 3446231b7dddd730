//! The contact stages of a step: what implicit bodies are told beforehand, and the impulses for all afterwards.

use crate::{Drive, Load, Step, World, WorldError};
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
                if find(&stiffness[..kept], contact.freedom, contact.obstacle).is_none() {
                    stiffness.push(contact);
                }
            }
            if restless || stiffness.len() > kept {
                stiffness.sort_by_key(|contact| (contact.freedom, contact.obstacle));
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
                    obstacle: index as u32,
                    anchor: stuck + (surface_place - stuck).dot(&contact.normal) * contact.normal,
                    normal: contact.normal,
                    stiffness: stiffness * contact.normal * contact.normal.transpose(),
                    friction,
                })
            }));
        }
        contacts.sort_by_key(|contact| (contact.freedom, contact.obstacle));
        contacts
    }

    /// Refuses an equilibrium that reaches into an obstacle: quasi-static mode has no contact.
    pub(crate) fn check_overlaps(&mut self, time_step: f64) -> Result<(), WorldError> {
        let time = self.time + time_step;
        for (index, body) in self.bodies.iter().enumerate() {
            if self.obstacles.is_empty() {
                break;
            }
            self.scratch.surface.points.clear();
            body.method.contact_surface(&mut self.scratch.surface);
            let points = &self.scratch.surface.points;
            let size = Aabb::around(points.iter().map(|point| &point.start)).size().norm();
            for obstacle in &self.obstacles {
                let pose = obstacle.pose(time);
                let gap = |point: &SurfacePoint| {
                    obstacle.shape.sample(&pose.inverse_transform_point(&point.start.into()).coords).distance
                        - point.radius
                };
                let depth = -points.iter().map(gap).fold(f64::INFINITY, f64::min);
                // Standing on the ground is no overlap, nor is rounding.
                if depth > 1e-6 * size {
                    let (body, obstacle) = (self.bodies[index].name.clone(), obstacle.name.clone());
                    return Err(WorldError::Overlap { body, obstacle, time, depth });
                }
            }
        }
        Ok(())
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
                        carried: find(&scratch.stiffness[index], point.freedom, obstacle as u32)
                            .map(|held| time_step * held.force(&point.end)),
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

    /// Points of obstacles against all others, where one of the two is free.
    fn meet_obstacles(&mut self, time_step: f64) {
        let scratch = &mut self.scratch;
        let poses = &scratch.poses;
        let is_free = |obstacle: &crate::Obstacle| matches!(obstacle.drive, Drive::Free(_));
        if !self.obstacles.iter().any(is_free) {
            return;
        }
        // Points of fixed obstacles, too: a box may land on a small ball between its own corners.
        for (index, obstacle) in self.obstacles.iter().enumerate() {
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
            let meets = |other: &usize| *other != index && (is_free(obstacle) || is_free(&self.obstacles[*other]));
            for other in (0..self.obstacles.len()).filter(meets) {
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
    let [start, end] = [poses.0, poses.1].map(|pose| pose.inverse_transform_point(&center.into()).coords);
    let [at_start, at_end] = [start, end].map(|center| shape.clearance(&center, radius));
    // Distance changes no faster than its point moves: what is passed on the way is nearer than both ends together allow. Written
    // so that a box that is not finite counts as near.
    !(at_start > 0.0 && at_end > 0.0 && at_start + at_end > (end - start).norm())
}

/// The contact that a body's equations hold at a freedom with an obstacle.
fn find(held: &[ContactStiffness], freedom: u32, obstacle: u32) -> Option<&ContactStiffness> {
    let found = held.binary_search_by_key(&(freedom, obstacle), |contact| (contact.freedom, contact.obstacle));
    found.ok().map(|index| &held[index])
}
