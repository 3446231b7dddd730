//! Domains and measures shared by tests.

use craze_math::Vec3;
use craze_mesh::NodeId;
use craze_spatial::Aabb;

use crate::Domain;

/// A domain given by a signed distance (m), negative inside.
pub(super) struct Distance<F> {
    pub(super) distance: F,
    pub(super) bounds: Aabb,
}

impl<F: Fn(&Vec3) -> f64 + Sync> Domain for Distance<F> {
    fn bounds(&self) -> Aabb {
        self.bounds
    }
    fn level(&self, point: &Vec3) -> f64 {
        -(self.distance)(point)
    }
    fn clearance(&self, point: &Vec3) -> f64 {
        (self.distance)(point).abs()
    }
    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        let step = 1e-6 * self.bounds.size().max();
        let slope = |axis: usize| {
            let offset = Vec3::ith(axis, step);
            (self.distance)(&(point + offset)) - (self.distance)(&(point - offset))
        };
        Vec3::new(slope(0), slope(1), slope(2)).try_normalize(1e-3 * step)
    }
}

/// A ball at the origin.
pub(super) fn ball(radius: f64) -> Distance<impl Fn(&Vec3) -> f64 + Sync> {
    let bounds = Aabb { min: Vec3::repeat(-radius), max: Vec3::repeat(radius) };
    Distance { distance: move |point: &Vec3| point.norm() - radius, bounds }
}

/// A cube from −half to half, in general orientation.
pub(super) fn rotated_cube(half: f64) -> Distance<impl Fn(&Vec3) -> f64 + Sync> {
    let bounds = Aabb { min: Vec3::repeat(-2.0 * half), max: Vec3::repeat(2.0 * half) };
    Distance {
        distance: move |point: &Vec3| {
            let beyond = rotation().inverse_transform_vector(point).abs().add_scalar(-half);
            beyond.map(|c| c.max(0.0)).norm() + beyond.max().min(0.0)
        },
        bounds,
    }
}

pub(super) fn rotation() -> craze_math::Rotation {
    craze_math::Rotation::from_euler_angles(0.37, 0.61, 1.13)
}

/// A cylinder along the rotated z axis.
pub(super) fn rotated_cylinder(radius: f64, half: f64) -> Distance<impl Fn(&Vec3) -> f64 + Sync> {
    let reach = radius.hypot(half);
    let bounds = Aabb { min: Vec3::repeat(-reach), max: Vec3::repeat(reach) };
    Distance {
        distance: move |point: &Vec3| {
            let own = rotation().inverse_transform_vector(point);
            let (across, along) = (own.x.hypot(own.y) - radius, own.z.abs() - half);
            across.max(0.0).hypot(along.max(0.0)) + across.max(along).min(0.0)
        },
        bounds,
    }
}

/// How often each edge is traversed in either direction.
pub(super) fn edge_uses(triangles: &[[NodeId; 3]]) -> impl Iterator<Item = (usize, usize)> {
    let mut edges: Vec<(NodeId, NodeId, bool)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(from, to)| (from.min(to), from.max(to), from < to))
        .collect();
    edges.sort_unstable();
    let runs: Vec<(usize, usize)> = edges
        .chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
        .map(|run| {
            let forward = run.iter().filter(|edge| edge.2).count();
            (forward, run.len() - forward)
        })
        .collect();
    runs.into_iter()
}
