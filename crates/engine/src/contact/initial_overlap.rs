//! Bodies that start inside each other part slowly, where the scene asks for that.
//!
//! Inside each other, surfaces do not tell which way leads out. Two bodies that are tangled therefore do not feel each other; instead each
//! is pushed as a whole along the shortest way on which their boxes part, at a bounded speed and with a bounded acceleration, and
//! at the first frame at which they are free they are like all others.

use super::Intersection;
use super::detection::DetectionInput;
use super::intersection::places;
use crate::{Step, World};
use craze_contact::{ContactSurface, Impulse, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Speed at which they part, in sizes of the smaller one a second (1/s).
const SPEED: f64 = 0.25;

/// Time over which they take up that speed (s).
const TIME_TO_START: f64 = 0.05;

/// What may be added to that acceleration, in units of gravity: a body that lies in another must not sink deeper, and is pushed by its
/// surface only, which has a part of its mass.
const AGAINST_GRAVITY: f64 = 8.0;

/// Two bodies that part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Separation {
    /// The two, the smaller number first.
    pub bodies: [u32; 2],
    /// Unit vector along which the second leaves the first.
    direction: Vec3,
    /// How fast (m/s).
    speed: f64,
}

impl DetectionInput<'_> {
    /// Whether two bodies are still inside each other and do not feel each other.
    pub fn are_separating(&self, pair: &[u32; 2]) -> bool {
        self.separations.iter().any(|separation| separation.bodies == *pair)
    }
}

impl World {
    /// Lets bodies that are inside each other part slowly, from now on. Says which they are; one that passes through itself is not
    /// among them, since nobody knows its way out.
    pub fn separate_intersecting_bodies(&mut self) -> Vec<Intersection> {
        self.separates = true;
        self.find_separations()
    }

    /// Finds who is still to part. Called at every frame boundary: it follows from the state alone.
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
            Separation { bodies, direction: way_out(&first, &second), speed: SPEED * size }
        };
        self.separations = intersections.iter().map(separation).collect();
        intersections
    }

    /// Pushes the predictions of bodies that part.
    pub(crate) fn apply_separations(&mut self, time_step: f64) {
        let gravity = self.settings.gravity.norm();
        for separation in self.separations.clone() {
            let shown = separation.bodies.map(|body| {
                let mut surface = ContactSurface::default();
                self.bodies[body as usize].method.contact_surface(&mut surface);
                surface.points.retain(|point| point.inverse_mass > 0.0);
                surface.points
            });
            let [first, second] = [0, 1].map(|side| momentum(&shown[side]));
            let velocity = |(mass, momentum): (f64, Vec3)| if mass > 0.0 { momentum / mass } else { Vec3::zeros() };
            let leaving = (velocity(second) - velocity(first)).dot(&separation.direction);
            let most = time_step * (separation.speed / TIME_TO_START + AGAINST_GRAVITY * gravity);
            let gain = (separation.speed - leaving).clamp(0.0, most);
            // The heavier one moves less; one that is held does not move.
            let share = |own: f64, other: f64| if other > 0.0 { other / (own + other) } else { 1.0 };
            let gains = [-gain * share(first.0, second.0), gain * share(second.0, first.0)];
            for ((&body, points), gain) in separation.bodies.iter().zip(&shown).zip(gains) {
                let push = |point: &SurfacePoint| Impulse {
                    dof: point.dof,
                    impulse: gain / point.inverse_mass * separation.direction,
                };
                let impulses: Vec<Impulse> = points.iter().map(push).collect();
                let (loads, contacts) = self.scratch.told(body as usize);
                let step = Step { time: self.time, time_step, gravity: self.settings.gravity, loads, contacts };
                self.bodies[body as usize].method.receive(&impulses, &step);
            }
        }
    }
}

/// Mass (kg) and predicted momentum (kg·m/s) of points that can move.
fn momentum(points: &[SurfacePoint]) -> (f64, Vec3) {
    let add = |(mass, sum): (f64, Vec3), point: &SurfacePoint| {
        (mass + 1.0 / point.inverse_mass, sum + point.velocity / point.inverse_mass)
    };
    points.iter().fold((0.0, Vec3::zeros()), add)
}

/// The axis along which the second box leaves the first the shortest way.
fn way_out(first: &Aabb, second: &Aabb) -> Vec3 {
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
    fn the_way_out_is_the_shortest() {
        let cube = |x: f64, y: f64| Aabb { min: Vec3::new(x, y, 0.0), max: Vec3::new(x + 1.0, y + 1.0, 1.0) };
        assert_eq!(way_out(&cube(0.0, 0.0), &cube(0.1, 0.8)), Vec3::y());
        assert_eq!(way_out(&cube(0.0, 0.0), &cube(-0.7, 0.1)), -Vec3::x());
    }
}
