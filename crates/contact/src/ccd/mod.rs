//! Continuous collision detection: the first time at which two primitives with vertices on straight
//! paths meet.
//!
//! Conservative: if the two ever come within the separation during the step, an [`Impact`] is
//! returned and its time is not later than the first such time. It may be earlier, and an impact
//! may be returned that is none, where the two come closer than the separation plus a
//! [`TOLERANCE`]. This holds for exact motion of the given coordinates: rounding is bounded and
//! included (see the module `advancement`). Parallel, coplanar and degenerate primitives need no
//! special treatment.

mod advancement;

use self::advancement::{Arrival, Moment, first_arrival};
use crate::distance::nearest;
use crate::distance::{differences, edge_weights};
use craze_math::Vec3;

/// Distance beyond the separation that counts as contact, as a share of the largest coordinate of
/// all differences between a vertex of the one and a vertex of the other primitive, at the start
/// and at the end of the step. A pair that starts closer than that and separates is not held back:
/// the tolerance is then a tenth of the gap at the start, as long as the work for it is bounded.
pub const TOLERANCE: f64 = advancement::TOLERANCE;

/// Two primitives that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a share of the step from 0 to 1. The two are farther apart than the separation at
    /// all times from 0 to here, unless this is 0.
    pub time: f64,
    /// Weights of the four vertices at the contact, those of the second primitive negative: Σ
    /// weight·vertex leads from the second's closest point to the first's. The first's sum to 1,
    /// the second's to −1.
    pub weights: [f64; 4],
    /// Unit vector from the second's closest point to the first's at that time. Where the two
    /// already touch at the start and nothing tells the sides apart, against their relative
    /// velocity; zero if that is zero and both are degenerate.
    pub normal: Vec3,
    /// Distance at that time (m).
    pub distance: f64,
}

/// The first contact of a point with a triangle. Vertices are the point and then the corners, at
/// the start and at the end of the step (m); `separation` (m, not negative) is the distance that
/// counts as contact.
pub fn point_triangle(start: &[Vec3; 4], end: &[Vec3; 4], separation: f64) -> Option<Impact> {
    let corners = |[point, a, b, c]: &[Vec3; 4]| [point - a, point - b, point - c];
    let (start, end) = (corners(start), corners(end));
    let arrival = first_arrival(&start, &end, separation, nearest::triangle)?;
    let [a, b, c] = arrival.moment.nearest.weights;
    Some(impact(&arrival, &start, &end, [1.0, -a, -b, -c]))
}

/// The first contact of two edges. Vertices are the ends of the first and then of the second, at
/// the start and at the end of the step (m); `separation` (m, not negative) is the distance that
/// counts as contact.
pub fn edge_edge(start: &[Vec3; 4], end: &[Vec3; 4], separation: f64) -> Option<Impact> {
    let corners = |[a, b, c, d]: &[Vec3; 4]| differences(&[*a, *b], &[*c, *d]);
    let (start, end) = (corners(start), corners(end));
    let arrival = first_arrival(&start, &end, separation, nearest::parallelogram)?;
    let weights = edge_weights(&arrival.moment.nearest.weights);
    Some(impact(&arrival, &start, &end, weights))
}

fn impact<const K: usize>(arrival: &Arrival<K>, start: &[Vec3; K], end: &[Vec3; K], weights: [f64; 4]) -> Impact {
    let Moment { time, corners, nearest } = &arrival.moment;
    let mut normal = nearest.normal;
    if nearest.distance <= arrival.blur {
        // The difference is rounding: only the shape of the pair and its motion tell a direction.
        let velocity: Vec3 = (0..K).map(|k| (end[k] - start[k]) * nearest.weights[k]).sum();
        let [first, second] = [corners[1] - corners[0], corners[K - 1] - corners[0]];
        let across = unit(&unit(&first).cross(&unit(&second)));
        normal = if across == Vec3::zeros() {
            -unit(&velocity)
        } else if across.dot(&velocity) > 0.0 {
            -across
        } else {
            across
        };
    }
    Impact { time: *time, weights, normal, distance: nearest.distance }
}

fn unit(vector: &Vec3) -> Vec3 {
    let largest = vector.amax();
    if largest > 0.0 { (vector / largest).normalize() } else { Vec3::zeros() }
}
