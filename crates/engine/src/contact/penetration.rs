//! How deep bodies reach into obstacles.

use crate::{World, WorldError};
use craze_contact::SurfacePoint;
use craze_contact::tolerances::MAX_STATIC_PENETRATION;
use craze_math::Vec3;
use craze_spatial::Aabb;

/// A body that reaches into an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The body, as the world numbers them.
    pub body: usize,
    /// The obstacle, likewise.
    pub obstacle: usize,
    /// Depth of the deepest point (m).
    pub depth: f64,
    /// Position of that point (m).
    pub place: Vec3,
    /// Size of the body (m).
    pub size: f64,
}

impl World {
    /// Refuses an equilibrium that reaches into an obstacle: quasi-static mode has no contact.
    pub(crate) fn check_overlaps(&mut self, time_step: f64) -> Result<(), WorldError> {
        let time = self.time + time_step;
        let is_deep = |found: &Penetration| found.depth > MAX_STATIC_PENETRATION * found.size;
        match self.obstacle_penetrations(time).into_iter().find(is_deep) {
            None => Ok(()),
            Some(Penetration { body, obstacle, depth, .. }) => {
                let (body, obstacle) = (self.bodies[body].name.clone(), self.obstacles[obstacle].name.clone());
                Err(WorldError::Overlap { body, obstacle, time, depth })
            }
        }
    }

    /// How deep each body is in each obstacle at its pose of a time (s), where it reaches into it
    /// at all.
    pub fn obstacle_penetrations(&self, time: f64) -> Vec<Penetration> {
        let mut found = Vec::new();
        for (index, body) in self.bodies.iter().enumerate().filter(|_| !self.obstacles.is_empty()) {
            let surface = body.method.collision_geometry().surface();
            let size = Aabb::from_points(surface.points.iter().map(|point| &point.start)).size().norm();
            for (number, obstacle) in self.obstacles.iter().enumerate() {
                let pose = obstacle.pose(time);
                let gap = |point: &SurfacePoint| {
                    let local = pose.inverse_transform_point(&point.start.into()).coords;
                    (obstacle.shape.signed_distance(&local).distance - point.radius, point.start)
                };
                let deepest = surface.points.iter().map(gap).min_by(|one, other| one.0.total_cmp(&other.0));
                let Some((gap, place)) = deepest.filter(|(gap, _)| *gap < 0.0) else { continue };
                found.push(Penetration { body: index, obstacle: number, depth: -gap, place, size });
            }
        }
        found
    }
}
