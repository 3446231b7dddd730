//! Separation of bodies that start in each other, where the scene asks for it.
//!
//! Inside each other, surfaces do not tell which way leads out. Two intersecting bodies therefore
//! do not collide; instead each is pushed as a whole along the shortest axis on which their
//! bounding boxes separate, at a bounded speed and with a bounded acceleration. From the first
//! frame at which they are free they collide like all others.

use super::Intersection;
use super::detection::DetectionInput;
use super::intersection::places;
use crate::tuning::{SEPARATION_ACCELERATION_TIME, SEPARATION_GRAVITY_FACTOR, SEPARATION_SPEED};
use crate::{Step, World};
use craze_contact::{ContactSurface, Impulse, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Two bodies that separate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Separation {
    /// The two, the smaller number first.
    pub bodies: [u32; 2],
    /// Unit vector along which the second leaves the first.
    direction: Vec3,
    /// Separation speed (m/s).
    speed: f64,
}

impl DetectionInput<'_> {
    /// True if two bodies are still in each other and do not collide.
    pub fn are_separating(&self, pair: &[u32; 2]) -> bool {
        self.separations.iter().any(|separation| separation.bodies == *pair)
    }
}

impl World {
    /// Separates intersecting bodies slowly from now on, and returns them. A body that intersects
    /// itself is not among them: there is no direction that would separate it.
    pub fn separate_intersecting_bodies(&mut self) -> Vec<Intersection> {
        self.separates = true;
        self.find_separations()
    }

    /// Finds the bodies that still have to separate. Called at every frame boundary: it depends on
    /// the state only.
    pub(crate) fn find_separations(&mut self) -> Vec<Intersection> {
        if !self.separates {
            return Vec::new();
        }
        let mut intersections = self.intersections();
        intersections.retain(|intersection| intersection.bodies[0] != intersection.bodies[1]);
        let boxes: Vec<Aabb> = self.bodies.iter().map(|body| Aabb::from_points(&places(body))).collect();
        let separation = |intersection: &Intersection| {
            let [first, second] = intersection.bodies.map(|body| boxes[body]);
            let size = first.size().norm().min(second.size().norm());
            let bodies = intersection.bodies.map(|body| body as u32);
            Separation { bodies, direction: separation_axis(&first, &second), speed: SEPARATION_SPEED * size }
        };
        self.separations = intersections.iter().map(separation).collect();
        intersections
    }

    /// Applies impulses to the predictions of bodies that separate.
    pub(crate) fn apply_separations(&mut self, time_step: f64) {
        let gravity = self.settings.gravity.norm();
        for separation in self.separations.clone() {
            let surface = |body: u32| self.bodies[body as usize].method.collision_geometry().surface();
            let surfaces = separation.bodies.map(surface);
            let [first, second] = surfaces.each_ref().map(momentum);
            let velocity = |(mass, momentum): (f64, Vec3)| if mass > 0.0 { momentum / mass } else { Vec3::zeros() };
            let leaving = (velocity(second) - velocity(first)).dot(&separation.direction);
            let most =
                time_step * (separation.speed / SEPARATION_ACCELERATION_TIME + SEPARATION_GRAVITY_FACTOR * gravity);
            let gain = (separation.speed - leaving).clamp(0.0, most);
            // The heavier one moves less; a held one does not move.
            let share = |own: f64, other: f64| if other > 0.0 { other / (own + other) } else { 1.0 };
            let gains = [-gain * share(first.0, second.0), gain * share(second.0, first.0)];
            for ((&body, surface), gain) in separation.bodies.iter().zip(&surfaces).zip(gains) {
                let moving = surface.points.iter().zip(0..).filter(|(point, _)| point.inverse_mass > 0.0);
                let on_dofs = |(point, number): (&SurfacePoint, u32)| {
                    surface.impulses(number, gain / point.inverse_mass * separation.direction)
                };
                let impulses: Vec<Impulse> = moving.flat_map(on_dofs).collect();
                let (loads, contacts) = self.scratch.loads_and_springs(body as usize);
                let step = Step { time: self.time, time_step, gravity: self.settings.gravity, loads, contacts };
                self.bodies[body as usize].method.receive(&impulses, &step);
            }
        }
    }
}

/// Mass (kg) and predicted momentum (kg·m/s) of the points of a surface that can move.
fn momentum(surface: &ContactSurface) -> (f64, Vec3) {
    let add = |(mass, sum): (f64, Vec3), point: &SurfacePoint| {
        (mass + 1.0 / point.inverse_mass, sum + point.velocity / point.inverse_mass)
    };
    surface.points.iter().filter(|point| point.inverse_mass > 0.0).fold((0.0, Vec3::zeros()), add)
}

/// The axis along which the second box leaves the first on the shortest path.
fn separation_axis(first: &Aabb, second: &Aabb) -> Vec3 {
    let ways = (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]).map(|(axis, sign)| {
        let length = if sign > 0.0 { first.max[axis] - second.min[axis] } else { second.max[axis] - first.min[axis] };
        let mut direction = Vec3::zeros();
        direction[axis] = sign;
        (length, direction)
    });
    ways.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(Vec3::y(), |way| way.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separation_axis_is_the_shortest() {
        let cube = |x: f64, y: f64| Aabb { min: Vec3::new(x, y, 0.0), max: Vec3::new(x + 1.0, y + 1.0, 1.0) };
        assert_eq!(separation_axis(&cube(0.0, 0.0), &cube(0.1, 0.8)), Vec3::y());
        assert_eq!(separation_axis(&cube(0.0, 0.0), &cube(-0.7, 0.1)), -Vec3::x());
    }
}
