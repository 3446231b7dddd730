//! Which points would end a step inside a shape.

use crate::{ContactSurface, RigidShape, SignedDistance, SurfacePoint};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use std::ops::Range;

/// A point that would end the step inside a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the point in its surface.
    pub point: u32,
    /// Where it touches, in the world (m).
    pub place: Vec3,
    /// Unit normal out of the shape, in the world.
    pub normal: Vec3,
    /// Distance to the shape at the start of the step (m), beyond radius and skin: negative for what is too close or inside.
    pub gap_at_start: f64,
    /// The same at the predicted end of the step, along the normal (m).
    pub gap_at_end: f64,
}

/// Finds the points of a surface that would end inside a shape which moves from one pose to another.
///
/// A point that enters during the step is pushed back along the normal where it entered, so that it never leaves a thin shape on
/// its far side. Every point keeps a share (1) of its radius and the skin (m) away from the shape; gaps are what is left beyond. Points are reported in the order of the surface. Points with non-finite places are skipped: the check of
/// the prediction reports them.
pub fn find_obstacle_collisions(
    surface: &ContactSurface,
    shape: &RigidShape,
    pose_at_start: &Isometry,
    pose_at_end: &Isometry,
    skin: f64,
    share: f64,
    touches: &mut Vec<Touch>,
) {
    let all = 0..surface.points.len();
    find_obstacle_collisions_in_runs(
        surface,
        std::slice::from_ref(&all),
        shape,
        [pose_at_start, pose_at_end],
        (skin, share),
        touches,
    );
}

/// The same of some of its points: runs of places in its list, ascending. Skin (m) and the share (1) that is kept of it are given together.
pub fn find_obstacle_collisions_in_runs(
    surface: &ContactSurface,
    runs: &[Range<usize>],
    shape: &RigidShape,
    [pose_at_start, pose_at_end]: [&Isometry; 2],
    (skin, share): (f64, f64),
    touches: &mut Vec<Touch>,
) {
    let zone = Zone::new(shape, [pose_at_start, pose_at_end], skin);
    for (index, point) in runs.iter().flat_map(|run| run.clone().zip(&surface.points[run.clone()])) {
        if zone.is_far(point) {
            continue;
        }
        let point = SurfacePoint { radius: share * (point.radius + skin), ..*point };
        if let Some(touch) = point_against_shape(&point, shape, pose_at_start, pose_at_end) {
            touches.push(Touch { point: index as u32, ..touch });
        }
    }
}

/// Where a shape is during a step, roughly: most points are far from it, and cost a few comparisons.
enum Zone {
    /// Outward normals of a half-space at both ends of the step, and the heights (m) above which points are clear of it; how many of the two differ.
    Below([(Vec3, f64); 2], usize),
    /// A box around everything else (m).
    Within(Aabb),
}

impl Zone {
    fn new(shape: &RigidShape, poses: [&Isometry; 2], skin: f64) -> Zone {
        if matches!(shape, RigidShape::HalfSpace) {
            let planes = poses.map(|pose| {
                let normal = pose.rotation * Vec3::y();
                (normal, normal.dot(&pose.translation.vector) + skin)
            });
            return Zone::Below(planes, if planes[0] == planes[1] { 1 } else { 2 });
        }
        let local = shape.bounds();
        let corners = poses.into_iter().flat_map(|pose| {
            (0..8).map(move |corner| {
                let end = |axis: usize| if corner >> axis & 1 == 1 { local.max[axis] } else { local.min[axis] };
                pose.transform_point(&Vec3::new(end(0), end(1), end(2)).into()).coords
            })
        });
        let corners: Vec<Vec3> = corners.collect();
        // What turns leaves the box of its two ends, by less than what its corners move.
        let turned = corners[..8].iter().zip(&corners[8..]).map(|(from, to)| (to - from).norm()).fold(0.0, f64::max);
        Zone::Within(Aabb::from_points(&corners).grown(skin + turned))
    }

    /// Whether a point is clear of the shape on all of its way. Written so that places which are not numbers count as near.
    fn is_far(&self, point: &SurfacePoint) -> bool {
        let places = [&point.start, &point.end];
        match self {
            Zone::Below(planes, count) => {
                // A hair more, since heights are rounded.
                let above = |(normal, height): &(Vec3, f64), place: &Vec3| {
                    let over = normal.dot(place) - height - point.radius;
                    over > 1e-9 * (place.amax() + height.abs())
                };
                planes[..*count].iter().all(|plane| places.iter().all(|place| above(plane, place)))
            }
            Zone::Within(bounds) => {
                let beyond = |axis: usize, side: f64| {
                    let limit = if side > 0.0 { bounds.max[axis] } else { bounds.min[axis] };
                    places.iter().all(|place| side * (place[axis] - limit) > point.radius)
                };
                (0..3).any(|axis| beyond(axis, 1.0) || beyond(axis, -1.0))
            }
        }
    }
}

fn point_against_shape(
    point: &SurfacePoint,
    shape: &RigidShape,
    pose_at_start: &Isometry,
    pose_at_end: &Isometry,
) -> Option<Touch> {
    let end = pose_at_end.inverse_transform_point(&point.end.into()).coords;
    let sample_at_end = shape.sample(&end);
    let start = pose_at_start.inverse_transform_point(&point.start.into()).coords;
    // How far the point travels relative to the shape: a shape thinner than that could be jumped over.
    let travel = (end - start).norm();
    if sample_at_end.distance - point.radius >= 0.0 && sample_at_end.distance - point.radius >= travel {
        return None;
    }
    let sample_at_start = shape.sample(&start);
    let gap_at_start = sample_at_start.distance - point.radius;
    // What starts too close, but outside, may still go through a thin shape: then the side on which it goes in decides.
    let entry = match (gap_at_start < 0.0, sample_at_start.distance > 0.0) {
        (false, _) => Some(first_entry(shape, &start, &end, point.radius, travel)?),
        (true, true) => first_entry(shape, &start, &end, 0.0, travel),
        (true, false) => None,
    };
    // Along the entry's normal, the gap at the end is what is left of it after the way on from there.
    let behind = |entry: &Entry| (entry.sample.distance - point.radius) + (end - entry.place).dot(&entry.sample.normal);
    let (normal, gap_at_end) = entry.map_or_else(
        || (sample_at_end.normal, sample_at_end.distance - point.radius),
        |entry| (entry.sample.normal, behind(&entry)),
    );
    if !(gap_at_end < 0.0) {
        return None;
    }
    let normal = pose_at_end.rotation * normal;
    Some(Touch { point: 0, place: point.end - (gap_at_end + point.radius) * normal, normal, gap_at_start, gap_at_end })
}

struct Entry {
    place: Vec3,
    sample: SignedDistance,
}

/// Walks from outside along the segment by the distance that is free for certain, until the surface is reached
/// (sphere tracing); `None` if the end is reached first.
fn first_entry(shape: &RigidShape, start: &Vec3, end: &Vec3, radius: f64, travel: f64) -> Option<Entry> {
    const STEPS: usize = 64;
    let close = 1e-6 * travel.max(f64::MIN_POSITIVE);
    let mut walked = 0.0;
    let mut place = *start;
    for _ in 0..STEPS {
        let sample = shape.sample(&place);
        let gap = sample.distance - radius;
        if gap <= close {
            return Some(Entry { place, sample });
        }
        walked += gap;
        if walked >= travel {
            let sample = shape.sample(end);
            return (sample.distance - radius < 0.0).then_some(Entry { place: *end, sample });
        }
        place = start + (end - start) * (walked / travel);
    }
    Some(Entry { place, sample: shape.sample(&place) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(start: Vec3, end: Vec3, radius: f64) -> ContactSurface {
        let velocity = end - start;
        let point = SurfacePoint { dof: 0, start, start_velocity: velocity, end, velocity, inverse_mass: 1.0, radius };
        ContactSurface { points: vec![point] }
    }

    fn find(surface: &ContactSurface, shape: &RigidShape) -> Vec<Touch> {
        let mut contacts = Vec::new();
        find_obstacle_collisions(surface, shape, &Isometry::identity(), &Isometry::identity(), 0.0, 1.0, &mut contacts);
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
            let (mut touches, here) = (Vec::new(), Isometry::identity());
            find_obstacle_collisions(
                &ContactSurface { points: vec![point] },
                &plate,
                &here,
                &here,
                0.0,
                1.0,
                &mut touches,
            );
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
        let raised = Isometry::translation(0.0, 0.6, 0.0);
        find_obstacle_collisions(
            &surface,
            &RigidShape::HalfSpace,
            &Isometry::identity(),
            &raised,
            0.0,
            1.0,
            &mut contacts,
        );
        assert!((contacts[0].gap_at_end + 0.1).abs() < 1e-12);
    }
}
