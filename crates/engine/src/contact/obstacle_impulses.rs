//! Impulses of obstacles on bodies, and bodies that obstacles squeeze.

use crate::tuning::{CRUSHED_TIME_STEP, EXPLICIT_TIME_STEP};
use crate::{World, WorldError};
use craze_contact::SurfacePoint;
use craze_math::Vec3;
use craze_math::tetrahedron::volume;
use craze_spatial::Aabb;

/// What an obstacle did to a body in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleImpulse {
    /// The body, as the world numbers them.
    pub body: usize,
    /// The obstacle, likewise.
    pub obstacle: usize,
    /// Impulse on the body (N·s).
    pub impulse: Vec3,
    /// Work of the obstacle (J): more than the body gained where it slid along or was not as fast.
    pub work: f64,
}

impl World {
    /// Impulses of obstacles on bodies in the last step, by body and obstacle. Those of impact
    /// zones, which move bodies together with obstacles, are not included.
    pub fn obstacle_impulses(&self) -> &[ObstacleImpulse] {
        &self.scratch.obstacle_impulses
    }

    /// The obstacles that push or touch a body in the present step, driven ones before those at
    /// rest.
    fn pressing_on(&self, body: usize) -> Vec<usize> {
        let surface = self.bodies[body].method.collision_geometry().surface();
        let size = Aabb::from_points(surface.points.iter().map(|point| &point.start)).size().norm();
        // Within the contact distance, or, where that is zero, within rounding.
        let near = 2.0 * self.bodies[body].method.collision_geometry().triangles.skin + 1e-3 * size;
        let touches = |obstacle: &usize| {
            // A ball between the points of a body is near none of them, but pushes.
            let is_told = |push: &ObstacleImpulse| (push.body, push.obstacle) == (body, *obstacle);
            let obstacle = &self.obstacles[*obstacle];
            let pose = obstacle.pose(self.time);
            let place = |point: &SurfacePoint| pose.inverse_transform_point(&point.start.into()).coords;
            let gap = |point: &SurfacePoint| obstacle.shape.signed_distance(&place(point)).distance - point.radius;
            self.scratch.obstacle_impulses.iter().any(is_told) || surface.points.iter().any(|point| gap(point) <= near)
        };
        let mut touching: Vec<usize> = (0..self.obstacles.len()).filter(touches).collect();
        touching.sort_by_key(|&obstacle| !self.is_driven(obstacle));
        touching
    }

    /// True if keyframes move an obstacle now.
    pub(crate) fn is_driven(&self, obstacle: usize) -> bool {
        self.obstacles[obstacle].next_key(self.time).is_some()
    }

    /// Names of the obstacles that squeeze a body, also through others that it touches; driven ones
    /// before those at rest.
    pub(crate) fn squeezing(&self, body: usize) -> Vec<String> {
        let heap = self.scratch.detector.around([body as u32]);
        let bodies = heap.into_iter().map(|thing| thing as usize).filter(|&thing| thing < self.bodies.len());
        let mut squeezing: Vec<usize> = bodies.flat_map(|body| self.pressing_on(body)).collect();
        squeezing.sort_unstable_by_key(|&obstacle| (!self.is_driven(obstacle), obstacle));
        squeezing.dedup();
        squeezing.into_iter().map(|obstacle| self.obstacles[obstacle].name.clone()).collect()
    }

    /// The driven obstacle that presses on a body, if any.
    pub(crate) fn driven_against(&self, body: usize) -> Option<usize> {
        self.pressing_on(body).into_iter().find(|&obstacle| self.is_driven(obstacle))
    }

    /// Refuses to continue with a body that asks for steps of a length (s) because a driven
    /// obstacle has crushed its elements.
    pub(crate) fn refuse_crushed(&self, body: usize, asked: f64) -> Result<(), WorldError> {
        let is_pushed = |push: &&ObstacleImpulse| push.body == body && self.is_driven(push.obstacle);
        let Some(push) = self.scratch.obstacle_impulses.iter().find(is_pushed) else { return Ok(()) };
        let matter = self.bodies[body].method.collision_geometry().tetrahedra;
        let through_edge = matter.edge / matter.sound;
        // A body without a speed of sound is never crushed.
        if !through_edge.is_finite() {
            return Ok(());
        }
        // Implicit bodies have no time step limit.
        let asked =
            if asked.is_finite() { asked } else { EXPLICIT_TIME_STEP * self.smallest_height(body) / matter.sound };
        if !(asked < CRUSHED_TIME_STEP * through_edge) {
            return Ok(());
        }
        let (body, obstacle) = (self.bodies[body].name.clone(), self.obstacles[push.obstacle].name.clone());
        Err(WorldError::Crushed { body, obstacle, time: self.time, time_step: asked, through_edge })
    }

    /// Smallest height of a tetrahedron on the surface of a body (m).
    fn smallest_height(&self, body: usize) -> f64 {
        let geometry = self.bodies[body].method.collision_geometry();
        let (matter, nodes) = (geometry.tetrahedra, geometry.nodes());
        let corners = |&element: &u32| {
            let places = matter.tetrahedra.get(element as usize)?.map(|node| nodes.points.get(node as usize));
            let [Some(p), Some(q), Some(r), Some(s)] = places else { return None };
            Some([p.start, q.start, r.start, s.start])
        };
        let height = |corners: [Vec3; 4]| {
            let [p, q, r, s] = corners;
            let twice_area = |a: Vec3, b: Vec3, c: Vec3| (b - a).cross(&(c - a)).norm();
            let faces = [twice_area(p, q, r), twice_area(p, q, s), twice_area(p, r, s), twice_area(q, r, s)];
            6.0 * volume(&corners) / faces.into_iter().fold(0.0, f64::max)
        };
        matter.outer.iter().filter_map(corners).map(height).fold(f64::INFINITY, f64::min)
    }
}

/// Adds an impulse to those of the same two.
pub(super) fn add(list: &mut Vec<ObstacleImpulse>, added: ObstacleImpulse) {
    match list.binary_search_by_key(&(added.body, added.obstacle), |known| (known.body, known.obstacle)) {
        Ok(place) => {
            list[place].impulse += added.impulse;
            list[place].work += added.work;
        }
        Err(place) => list.insert(place, added),
    }
}
