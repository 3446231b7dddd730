//! Points of a surface that would end a step inside an obstacle.

use super::{Collision, PointSum};
use crate::friction::ContactMaterial;
use crate::tolerances::{
    HEIGHT_ROUNDING, MIN_DISTANCE_LEFT, OBSTACLE_DISTANCE_ROUNDING, TOUCHING_DISTANCE, min_distance_left,
};
use crate::{ContactSurface, RigidShape, SurfacePoint};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use craze_spatial::primitives::DistanceAndNormal;
use std::ops::Range;

/// Most steps of sphere tracing.
const TRACING_STEPS: usize = 64;

/// Distance at which sphere tracing has arrived, as a share of the path.
const TRACING_TOLERANCE: f64 = 1e-6;

/// Finds the points of a surface that would end inside a shape which moves from one pose to
/// another.
///
/// A point that enters during the step gets the normal at its entry, so that it never leaves a thin
/// shape on its far side. Every point keeps a share (1) of its radius and the skin (m), given
/// together, as a distance from the shape; gaps are what is left beyond. The first side of a
/// collision is the point. Collisions come in the order of the points. Points with positions that
/// are not finite are skipped: the check of the prediction reports them.
pub fn find_obstacle_collisions(
    surface: &ContactSurface,
    shape: &RigidShape,
    poses: [&Isometry; 2],
    (skin, share): (f64, f64),
    material: ContactMaterial,
    found: &mut Vec<Collision<PointSum>>,
) {
    let all = 0..surface.points.len();
    let runs = std::slice::from_ref(&all);
    find_obstacle_collisions_in_runs(surface, runs, shape, poses, (skin, share), material, found);
}

/// The same for runs of points, ascending.
pub fn find_obstacle_collisions_in_runs(
    surface: &ContactSurface,
    runs: &[Range<usize>],
    shape: &RigidShape,
    poses: [&Isometry; 2],
    (skin, share): (f64, f64),
    material: ContactMaterial,
    found: &mut Vec<Collision<PointSum>>,
) {
    let bounds = SweptBounds::new(shape, poses, skin);
    for (index, point) in runs.iter().flat_map(|run| run.clone().zip(&surface.points[run.clone()])) {
        if bounds.excludes(point) {
            continue;
        }
        let point = SurfacePoint { radius: share * (point.radius + skin), ..*point };
        let side = PointSum::single(index as u32);
        found.extend(point_collision(side, &point, shape, poses, material));
    }
}

/// Whether a collision that was found with [`MIN_DISTANCE_LEFT`] as the share of a contact distance
/// (m) is a crossing: the point goes from outside the shape into it, or closer than
/// [`min_distance_left`]. Its gaps are then counted from there.
///
/// A point that starts inside is brought out gently by the solver of the prediction and is no
/// crossing. One that touches the surface up to rounding is still outside: between two closing
/// shapes it would otherwise end up inside one of them and pass.
pub fn is_crossing(collision: &mut Collision<PointSum>, contact_distance: f64) -> bool {
    let kept = MIN_DISTANCE_LEFT * contact_distance;
    let [start, end] = [collision.gap_at_start + kept, collision.gap_at_end + kept];
    let rounding = OBSTACLE_DISTANCE_ROUNDING * contact_distance;
    if start.abs() <= TOUCHING_DISTANCE * contact_distance {
        (collision.gap_at_start, collision.gap_at_end) = (0.0, end - start);
        return end < start - rounding;
    }
    let left = min_distance_left(start, contact_distance);
    (collision.gap_at_start, collision.gap_at_end) = ((start - left).max(0.0), end - left);
    start > 0.0 && end < left - rounding
}

/// Bounds of a shape over a step. Most points are outside of them, and cost a few comparisons.
enum SweptBounds {
    /// Outward normals of a half-space at both ends of the step, and the heights (m) above which
    /// points are clear of it; how many of the two differ.
    HalfSpaces([(Vec3, f64); 2], usize),
    /// A box around any other shape (m).
    Box(Aabb),
}

impl SweptBounds {
    fn new(shape: &RigidShape, poses: [&Isometry; 2], skin: f64) -> SweptBounds {
        if matches!(shape, RigidShape::HalfSpace) {
            let planes = poses.map(|pose| {
                let normal = pose.rotation * Vec3::y();
                (normal, normal.dot(&pose.translation.vector) + skin)
            });
            return SweptBounds::HalfSpaces(planes, if planes[0] == planes[1] { 1 } else { 2 });
        }
        let local = shape.bounds();
        let corners = poses.into_iter().flat_map(|pose| {
            (0..8).map(move |corner| {
                let end = |axis: usize| if corner >> axis & 1 == 1 { local.max[axis] } else { local.min[axis] };
                pose.transform_point(&Vec3::new(end(0), end(1), end(2)).into()).coords
            })
        });
        let corners: Vec<Vec3> = corners.collect();
        // A rotating shape leaves the box around its two ends by less than its corners move.
        let moved = corners[..8].iter().zip(&corners[8..]).map(|(from, to)| (to - from).norm()).fold(0.0, f64::max);
        SweptBounds::Box(Aabb::from_points(&corners).grown(skin + moved))
    }

    /// True if a point is clear of the shape on its whole path. Positions that are not numbers are
    /// not excluded.
    fn excludes(&self, point: &SurfacePoint) -> bool {
        let positions = [&point.start, &point.end];
        match self {
            SweptBounds::HalfSpaces(planes, count) => {
                let above = |(normal, height): &(Vec3, f64), position: &Vec3| {
                    let over = normal.dot(position) - height - point.radius;
                    over > HEIGHT_ROUNDING * (position.amax() + height.abs())
                };
                planes[..*count].iter().all(|plane| positions.iter().all(|position| above(plane, position)))
            }
            SweptBounds::Box(bounds) => {
                let beyond = |axis: usize, side: f64| {
                    let limit = if side > 0.0 { bounds.max[axis] } else { bounds.min[axis] };
                    positions.iter().all(|position| side * (position[axis] - limit) > point.radius)
                };
                (0..3).any(|axis| beyond(axis, 1.0) || beyond(axis, -1.0))
            }
        }
    }
}

fn point_collision(
    side: PointSum,
    point: &SurfacePoint,
    shape: &RigidShape,
    [pose_at_start, pose_at_end]: [&Isometry; 2],
    material: ContactMaterial,
) -> Option<Collision<PointSum>> {
    let end = pose_at_end.inverse_transform_point(&point.end.into()).coords;
    let at_end = shape.signed_distance(&end);
    let start = pose_at_start.inverse_transform_point(&point.start.into()).coords;
    // Path of the point relative to the shape: it could jump over a shape that is thinner.
    let path = (end - start).norm();
    if at_end.distance - point.radius >= 0.0 && at_end.distance - point.radius >= path {
        return None;
    }
    let at_start = shape.signed_distance(&start);
    let gap_at_start = at_start.distance - point.radius;
    // A point that starts too close, but outside, may still pass through a thin shape: then the
    // side of its entry decides.
    let entry = match (gap_at_start < 0.0, at_start.distance > 0.0) {
        (false, _) => Some(first_entry(shape, &start, &end, point.radius, path)?),
        (true, true) => first_entry(shape, &start, &end, 0.0, path),
        (true, false) => None,
    };
    // The gap along the normal of the entry, after the rest of the path.
    let behind =
        |entry: &Entry| (entry.found.distance - point.radius) + (end - entry.position).dot(&entry.found.normal);
    let (normal, gap_at_end) = entry
        .map_or_else(|| (at_end.normal, at_end.distance - point.radius), |entry| (entry.found.normal, behind(&entry)));
    if !(gap_at_end < 0.0) {
        return None;
    }
    let normal = pose_at_end.rotation * normal;
    let (sides, point) = ([side, PointSum::NONE], point.end - (gap_at_end + point.radius) * normal);
    Some(Collision { sides, point, normal, gap_at_start, gap_at_end, material, applied: None })
}

/// A position on the path of a point, and the signed distance there.
struct Entry {
    position: Vec3,
    found: DistanceAndNormal,
}

/// The first position on a segment that is within a radius (m) of the shape, by sphere tracing
/// (Hart 1996): it advances by the distance, which is free of the surface. None if the end is
/// reached first.
fn first_entry(shape: &RigidShape, start: &Vec3, end: &Vec3, radius: f64, path: f64) -> Option<Entry> {
    let close = TRACING_TOLERANCE * path.max(f64::MIN_POSITIVE);
    let mut traced = 0.0;
    let mut position = *start;
    for _ in 0..TRACING_STEPS {
        let found = shape.signed_distance(&position);
        let gap = found.distance - radius;
        if gap <= close {
            return Some(Entry { position, found });
        }
        traced += gap;
        if traced >= path {
            let found = shape.signed_distance(end);
            return (found.distance - radius < 0.0).then_some(Entry { position: *end, found });
        }
        position = start + (end - start) * (traced / path);
    }
    Some(Entry { position, found: shape.signed_distance(&position) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(start: Vec3, end: Vec3, radius: f64) -> ContactSurface {
        let velocity = end - start;
        let point = SurfacePoint { dof: 0, start, start_velocity: velocity, end, velocity, inverse_mass: 1.0, radius };
        ContactSurface { points: vec![point], ..ContactSurface::default() }
    }

    fn find(surface: &ContactSurface, shape: &RigidShape) -> Vec<Collision<PointSum>> {
        let mut contacts = Vec::new();
        let here = Isometry::identity();
        let material = ContactMaterial::default();
        find_obstacle_collisions(surface, shape, [&here, &here], (0.0, 1.0), material, &mut contacts);
        contacts
    }

    #[test]
    fn what_starts_within_its_radius_is_pushed_back_to_its_own_side_of_a_thin_plate() {
        let plate = RigidShape::Cuboid { half_size: Vec3::new(1.0, 1e-4, 1.0) };
        for height in [0.009, 1e-3, 1.1e-4] {
            let start = Vec3::new(0.1, height, 0.2);
            let end = start - Vec3::new(0.0, 0.05, 0.0);
            let still = Vec3::zeros();
            let point = SurfacePoint {
                dof: 0,
                start,
                start_velocity: still,
                end,
                velocity: still,
                inverse_mass: 1.0,
                radius: 0.01,
            };
            let touches = find(&ContactSurface { points: vec![point], ..ContactSurface::default() }, &plate);
            assert_eq!(touches.len(), 1);
            assert!((touches[0].normal - Vec3::y()).norm() < 1e-12, "{:?}", touches[0]);
            assert!((touches[0].gap_at_end - (end.y - 1e-4 - 0.01)).abs() < 1e-12, "{:?}", touches[0]);
        }
    }

    #[test]
    fn a_point_does_not_jump_over_a_thin_plate() {
        let plate = RigidShape::Cuboid { half_size: Vec3::new(1.0, 0.001, 1.0) };
        let contacts = find(&moving(Vec3::new(0.1, 0.5, 0.2), Vec3::new(0.1, -0.5, 0.2), 0.0), &plate);
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts[0].normal, Vec3::y());
        assert!((contacts[0].gap_at_end + 0.501).abs() < 1e-5);
    }

    #[test]
    fn a_point_that_passes_beside_a_ball_does_not_touch_it() {
        let ball = RigidShape::Ball { radius: 0.1 };
        assert!(find(&moving(Vec3::new(-1.0, 0.11, 0.0), Vec3::new(1.0, 0.11, 0.0), 0.0), &ball).is_empty());
        assert_eq!(find(&moving(Vec3::new(-1.0, 0.05, 0.0), Vec3::new(0.02, 0.05, 0.0), 0.0), &ball).len(), 1);
    }

    #[test]
    fn the_radius_of_a_point_counts() {
        let surface = moving(Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, 0.05, 0.0), 0.1);
        let contacts = find(&surface, &RigidShape::HalfSpace);
        assert!((contacts[0].gap_at_end + 0.05).abs() < 1e-12);
        assert!((contacts[0].gap_at_start - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_shape_that_moves_into_a_resting_point_touches_it() {
        let surface = moving(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 0.0), 0.0);
        let mut contacts = Vec::new();
        let (here, raised) = (Isometry::identity(), Isometry::translation(0.0, 0.6, 0.0));
        let material = ContactMaterial::default();
        find_obstacle_collisions(
            &surface,
            &RigidShape::HalfSpace,
            [&here, &raised],
            (0.0, 1.0),
            material,
            &mut contacts,
        );
        assert!((contacts[0].gap_at_end + 0.1).abs() < 1e-12);
    }
}
