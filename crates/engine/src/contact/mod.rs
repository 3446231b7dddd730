//! The contact pipeline of a step: detection, contacts in the equations of implicit bodies, and
//! impulses for all.
//!
//! [`detection`] finds collisions, [`obstacle_springs`] and [`implicit`] put contacts into the
//! equations of implicit bodies, and [`World::collide`] solves the rest by impulses. [`penalty`]
//! forces and [`impact_zones`] are the other solvers. Everything else is in `craze-contact`.

mod detection;
mod equations;
mod impact_zones;
mod implicit;
mod initial_overlap;
mod intersection;
mod obstacle_impulses;
mod obstacle_springs;
mod penalty;
mod penetration;

pub(crate) use initial_overlap::Separation;
pub use intersection::Intersection;
pub use obstacle_impulses::ObstacleImpulse;
pub(crate) use obstacle_springs::Round;
pub use penetration::Penetration;

use crate::tuning::MAX_CROSSING_ROUNDS;
use crate::{Body, Drive, Failure, Load, Step, World};
use craze_contact::collisions::features::Detection;
use craze_contact::collisions::obstacle::{find_obstacle_collisions, find_obstacle_collisions_in_runs, is_crossing};
use craze_contact::collisions::{CollisionKey, Parts, PointSum, Side};
use craze_contact::solvers::impulse::{ContactSolver, RigidSolverBody};
use craze_contact::tolerances::{MAX_CORRECTED_PENETRATION, MIN_DISTANCE_LEFT};
use craze_contact::{Collision, ContactSpring, ContactSurface, Impulse, RigidShape, SurfacePoint};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use detection::{CollisionDetector, DetectionInput};
use equations::EquationContacts;
use implicit::ImplicitContacts;
use obstacle_impulses::add;
use penalty::PenaltyForces;

/// Memory of a step that is not state.
#[derive(Default)]
pub(crate) struct Scratch {
    pub loads: Vec<Vec<Load>>,
    /// Contacts in the equations of each body.
    pub equations: Vec<EquationContacts>,
    surface: ContactSurface,
    found: Vec<Collision<PointSum>>,
    /// Collisions between surfaces, with the numbers of both bodies; obstacles come after bodies.
    surface_collisions: Vec<([u32; 2], Collision<PointSum>)>,
    pub collisions: Vec<Collision>,
    pub detector: CollisionDetector,
    pub implicit_contacts: ImplicitContacts,
    solver: ContactSolver,
    pub penalty_forces: PenaltyForces,
    rigid_bodies: Vec<RigidSolverBody>,
    /// Poses of the obstacles at the start and at the predicted end of the step.
    poses: Vec<(Isometry, Isometry)>,
    impulses: Vec<Impulse>,
    /// The body of each impulse.
    receivers: Vec<u32>,
    pub obstacle_impulses: Vec<ObstacleImpulse>,
}

impl Scratch {
    /// Drops what is cached from earlier steps, which is not saved.
    pub fn forget_caches(&mut self) {
        self.detector = CollisionDetector::default();
        self.solver = ContactSolver::default();
        self.penalty_forces = PenaltyForces::default();
    }

    /// The bodies and, after them, obstacles of the present collisions.
    pub fn colliding(&self, bodies: usize) -> Vec<u32> {
        let thing = |side: &Side| match side.rigid() {
            Some(obstacle) => Some(bodies as u32 + obstacle),
            None => self.detector.body_of(side).map(|body| body as u32),
        };
        self.collisions.iter().flat_map(|collision| &collision.sides).filter_map(thing).collect()
    }

    /// Loads and contacts in the equations of a body in this step.
    pub fn loads_and_springs(&self, body: usize) -> (&[Load], &[ContactSpring]) {
        (&self.loads[body], self.equations[body].springs())
    }

    /// What a body needs to know of a step.
    pub fn step(&self, body: usize, time: f64, time_step: f64, gravity: Vec3) -> Step<'_> {
        Step { time, time_step, gravity, loads: &self.loads[body], contacts: self.equations[body].springs() }
    }
}

impl World {
    /// Detects all collisions of the predictions and solves them by impulses, until nothing passes
    /// through anything.
    pub(crate) fn collide(&mut self, time_step: f64) -> Result<(), (usize, Failure)> {
        self.scratch.obstacle_impulses.clear();
        self.finish_implicit_contacts(time_step);
        self.apply_penalty_forces(time_step);
        self.apply_separations(time_step);
        self.scratch.detector.begin(self.bodies.len(), self.obstacles.len());
        self.scratch.collisions.clear();
        self.find_poses(time_step);
        self.detect_against_obstacles(time_step, Detection::Proximity);
        self.detect_between_obstacles(time_step);
        self.detect_between_surfaces(Detection::Proximity);
        // Collisions in the equations of bodies are not solved twice.
        let Scratch { collisions, implicit_contacts, .. } = &mut self.scratch;
        collisions.retain(|collision| !implicit_contacts.contains(&collision.key()));
        self.solve_collisions(time_step, Detection::Proximity);
        // They are checked for crossings like all others.
        let Scratch { detector, equations, .. } = &mut self.scratch;
        let with_springs = equations.iter().enumerate().filter(|(_, contacts)| !contacts.springs().is_empty());
        with_springs.for_each(|(body, _)| detector.changed(body));
        for _ in 0..MAX_CROSSING_ROUNDS {
            if !self.find_crossings(time_step) {
                return Ok(());
            }
            if let Some(crossing) = self.uncorrectable_crossing() {
                return Err(self.crossing_failure(crossing));
            }
            self.solve_collisions(time_step, Detection::Crossings);
        }
        if !self.find_crossings(time_step) {
            return Ok(());
        }
        let failure = self.crossing_failure(0);
        // Impact zones are the last resort before half the time step, unless something crosses that
        // they cannot see.
        let are_seen = self.scratch.collisions.iter().all(|collision| self.zones_see(collision));
        if !(are_seen && self.resolve_by_zones(time_step)) {
            return Err(failure);
        }
        // Zones ignore planes, balls and particles: everything is checked, moved or not.
        self.scratch.detector.mark_all_changed();
        if self.find_crossings(time_step) { Err(failure) } else { Ok(()) }
    }

    /// A crossing of an implicit body with an obstacle that is too deep for a correction: the
    /// equations should have prevented it, and an impulse, which does not know the stiffness of the
    /// body, would do work on it.
    fn uncorrectable_crossing(&self) -> Option<usize> {
        let Scratch { detector, collisions, .. } = &self.scratch;
        collisions.iter().position(|collision| {
            let Some(body) = detector.body_of(&collision.sides[0]) else { return false };
            let Body { method, is_implicit, .. } = &self.bodies[body];
            let in_equations = collision.sides[1].rigid().is_some() && *is_implicit;
            let skin = method.collision_geometry().triangles.skin;
            in_equations && collision.gap_at_end < -MAX_CORRECTED_PENETRATION * skin
        })
    }

    /// The body that cannot go on because of a crossing, and why.
    fn crossing_failure(&self, crossing: usize) -> (usize, Failure) {
        let Scratch { detector, collisions, .. } = &self.scratch;
        let Collision { sides, point: place, .. } = &collisions[crossing];
        let (place, obstacle) = (*place, sides.iter().find_map(Side::rigid));
        let failure = obstacle.map_or(Failure::Crossing { place }, |obstacle| Failure::Pressed { obstacle, place });
        (sides.iter().find_map(|side| detector.body_of(side)).unwrap_or(0), failure)
    }

    /// Finds what would still pass through each other. Returns true if there is any.
    fn find_crossings(&mut self, time_step: f64) -> bool {
        self.scratch.detector.clear_dofs();
        self.scratch.collisions.clear();
        self.find_poses(time_step);
        self.detect_against_obstacles(time_step, Detection::Crossings);
        self.detect_between_surfaces(Detection::Crossings);
        !self.scratch.collisions.is_empty()
    }

    /// Finds collisions between surfaces, as sums of points.
    fn find_surface_collisions(&mut self, detection: Detection) {
        let Scratch { detector, surface_collisions, poses, .. } = &mut self.scratch;
        let (bodies, obstacles, pairs) = (&self.bodies, &self.obstacles, &self.settings.pairs);
        let input = DetectionInput { bodies, obstacles, poses, pairs, separations: &self.separations };
        surface_collisions.clear();
        detector.find(&input, detection, surface_collisions);
    }

    fn detect_between_surfaces(&mut self, detection: Detection) {
        self.find_surface_collisions(detection);
        let Scratch { detector, collisions, surface_collisions, .. } = &mut self.scratch;
        let solved = surface_collisions
            .iter()
            .map(|(pair, collision)| collision.map(|side, sum| detector.side(pair[side], &sum)));
        collisions.extend(solved);
    }

    fn find_poses(&mut self, time_step: f64) {
        let (time, end) = (self.time, self.time + time_step);
        let poses = self.obstacles.iter().map(|obstacle| (obstacle.pose(time), obstacle.predicted_pose(end)));
        self.scratch.poses.clear();
        self.scratch.poses.extend(poses);
    }

    /// Points of bodies against signed distances of obstacles.
    fn detect_against_obstacles(&mut self, time_step: f64, detection: Detection) {
        let Scratch { poses, detector, found, collisions, equations, .. } = &mut self.scratch;
        for (index, body) in self.bodies.iter().enumerate() {
            if !detector.take_is_new_to_obstacles(index) {
                continue;
            }
            let geometry = body.method.collision_geometry();
            let (skin, reach) = (geometry.triangles.skin, geometry.bounds_with_skin());
            let is_near = |obstacle: &usize| is_near_shape(&self.obstacles[*obstacle].shape, &poses[*obstacle], &reach);
            for obstacle in (0..self.obstacles.len()).filter(is_near) {
                let (start_pose, end_pose) = &poses[obstacle];
                found.clear();
                let share = if detection == Detection::Proximity { 1.0 } else { MIN_DISTANCE_LEFT };
                let shape = &self.obstacles[obstacle].shape;
                // Points have no radius where there are boxes around runs of them.
                let is_close = |bounds: &Aabb| is_near_shape(shape, &poses[obstacle], &bounds.grown(skin));
                let (surface, runs) = detector.show_near(index, body, is_close);
                let thing = self.bodies.len() + obstacle;
                let (poses, material) = ([start_pose, end_pose], self.settings.pairs.get(index, thing));
                find_obstacle_collisions_in_runs(surface, runs, shape, poses, (skin, share), material, found);
                if detection == Detection::Crossings {
                    found.retain_mut(|collision| {
                        let point = &surface.points[collision.sides[0].points[0] as usize];
                        // A held particle follows its prescribed motion: there is no surface that
                        // an obstacle could pass through.
                        let can_respond = skin > 0.0 || point.inverse_mass > 0.0;
                        can_respond && is_crossing(collision, point.radius + skin)
                    });
                }
                for collision in found.iter() {
                    let point = detector.surface(index).points[collision.sides[0].points[0] as usize];
                    let names = point_names(index, point.dof, thing);
                    let contact = match detection {
                        Detection::Proximity => equations[index].find(&names),
                        // What the equations have not prevented needs an impulse.
                        Detection::Crossings => None,
                    };
                    let applied = contact.map(|contact| time_step * contact.spring.force(&point.end));
                    let solved = collision.map(|side, sum| match side {
                        0 => Side { name: names[0], ..detector.side(index as u32, &sum) },
                        _ => Side { name: names[1], parts: Parts::Rigid(obstacle as u32) },
                    });
                    collisions.push(Collision { applied, ..solved });
                }
            }
        }
    }

    /// Solves all collisions by impulses and hands these out.
    fn solve_collisions(&mut self, time_step: f64, detection: Detection) {
        let Scratch { collisions, detector, solver, rigid_bodies, obstacle_impulses, .. } = &mut self.scratch;
        if collisions.is_empty() {
            return;
        }
        rigid_bodies.clear();
        rigid_bodies.extend(self.obstacles.iter().map(|obstacle| obstacle.solver_body(self.time, time_step)));
        let dofs = &mut detector.dofs;
        match detection {
            Detection::Proximity => solver.solve(collisions, dofs, rigid_bodies, time_step),
            Detection::Crossings => solver.solve_crossings(collisions, dofs, rigid_bodies, time_step),
        }
        for (collision, impulse) in solver.impulses(collisions) {
            let Some(obstacle) = collision.sides[1].rigid() else { continue };
            let Some(body) = detector.body_of(&collision.sides[0]) else { continue };
            let work = impulse.dot(&rigid_bodies[obstacle as usize].velocity_at(&collision.point));
            add(obstacle_impulses, ObstacleImpulse { body, obstacle: obstacle as usize, impulse, work });
        }
        for (obstacle, solved) in self.obstacles.iter_mut().zip(rigid_bodies.iter()) {
            obstacle.receive(solved, time_step);
        }
        if self.obstacles.iter().any(|obstacle| matches!(obstacle.drive, Drive::Free(_))) {
            detector.obstacles_changed();
        }
        self.hand_out_impulses(time_step);
    }

    /// Support points of obstacles against the signed distances of others, where one of the two is
    /// free.
    fn detect_between_obstacles(&mut self, time_step: f64) {
        let Scratch { poses, surface, found, collisions, .. } = &mut self.scratch;
        let is_free = |obstacle: &crate::Obstacle| matches!(obstacle.drive, Drive::Free(_));
        if !self.obstacles.iter().any(is_free) {
            return;
        }
        let bodies = self.bodies.len();
        // Points of fixed obstacles, too: a box may land on a small ball between its own corners.
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            surface.clear();
            let (start, end) = &poses[index];
            for (point, radius) in obstacle.shape.support_points() {
                let (start, end) = (start.transform_point(&point.into()), end.transform_point(&point.into()));
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
            let collides = |other: &usize| *other != index && (is_free(obstacle) || is_free(&self.obstacles[*other]));
            for other in (0..self.obstacles.len()).filter(collides) {
                found.clear();
                let (shape, poses) = (&self.obstacles[other].shape, [&poses[other].0, &poses[other].1]);
                let material = self.settings.pairs.get(bodies + index, bodies + other);
                find_obstacle_collisions(surface, shape, poses, (0.0, 1.0), material, found);
                collisions.extend(found.iter().map(|collision| {
                    collision.map(|side, sum| match side {
                        0 => obstacle_side(bodies + index, sum.points[0], index),
                        _ => obstacle_side(bodies + other, u32::MAX, other),
                    })
                }));
            }
        }
    }

    fn hand_out_impulses(&mut self, time_step: f64) {
        let Scratch { impulses, receivers, detector, loads, equations, .. } = &mut self.scratch;
        impulses.clear();
        receivers.clear();
        detector.take_impulses(time_step, impulses, receivers);
        let mut rest = impulses.as_slice();
        for own in receivers.chunk_by(|one, other| one == other) {
            let (body, impulses) = (own[0] as usize, rest.split_off(..own.len()).unwrap_or_default());
            let (loads, contacts) = (&loads[body], equations[body].springs());
            let step = Step { time: self.time, time_step, gravity: self.settings.gravity, loads, contacts };
            self.bodies[body].method.receive(impulses, &step);
        }
    }
}

/// Names of the sides of a collision between a point of a body and the signed distance of a thing, an
/// obstacle after all bodies.
fn point_names(body: usize, dof: u32, thing: usize) -> CollisionKey {
    [[body as u32, dof, u32::MAX, u32::MAX], [thing as u32, u32::MAX, u32::MAX, u32::MAX]]
}

/// A side that is an obstacle, which has this number among bodies and obstacles; with one of its
/// support points, or `u32::MAX`.
fn obstacle_side(thing: usize, point: u32, obstacle: usize) -> Side {
    Side { name: [thing as u32, point, u32::MAX, u32::MAX], parts: Parts::Rigid(obstacle as u32) }
}

/// True if something within a box could touch a shape that moves from one pose to another.
fn is_near_shape(shape: &RigidShape, poses: &(Isometry, Isometry), reach: &Aabb) -> bool {
    let (center, half) = (reach.centre(), 0.5 * reach.size());
    let [start, end] = [poses.0, poses.1].map(|pose| pose.inverse_transform_point(&center.into()).coords);
    let radius = half.norm();
    let clearance = |pose: &Isometry, center: &Vec3| match shape {
        // How far the lowest corner of the box is below its centre.
        RigidShape::HalfSpace => {
            shape.clearance(center, (pose.rotation * Vec3::y()).abs().dot(&half) + 1e-12 * center.norm())
        }
        _ => shape.clearance(center, radius),
    };
    let [at_start, at_end] = [clearance(&poses.0, &start), clearance(&poses.1, &end)];
    // A distance changes no faster than its point moves: what is passed on the path is closer than
    // both ends together allow. Written so that a box that is not finite counts as near.
    !(at_start > 0.0 && at_end > 0.0 && at_start + at_end > (end - start).norm())
}
