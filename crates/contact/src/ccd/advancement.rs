//! Conservative advancement: the first time at which a flat polygon with corners on straight paths
//! comes near the origin.
//!
//! Time advances in intervals, each of which is *certified* free before it is passed. Over an
//! interval from s to e a plane rotates with its normal n(t) linear from n₀ to n₁, unit vectors
//! towards the nearest points at both ends. For every corner c(t), linear from c₀ to c₁, the
//! product n(t)·c(t) is a quadratic polynomial of time with the Bernstein coefficients n₀·c₀,
//! ½(n₀·c₁ + n₁·c₀), n₁·c₁, and lies above the least of them. As |n(t)| ≤ 1, the polygon is farther
//! from the origin than any separation below all coefficients of all corners. Where that fails,
//! planes with a quadratic n(t) and the polygon's own plane are tried in the same way. Where the
//! normals come from, how they were rounded and whether they are the best ones changes how many
//! intervals are needed, never whether the result is safe.
//!
//! For a pair that moves as one rigid body the coefficients stay near the distance, however close
//! it is: common motion costs nothing. Tight inclusion (Wang et al. 2021) bounds the same three
//! functions over boxes of time and both weights; here the plane removes the weights, and only time
//! is divided. Additive advancement (Li et al. 2021) is the special case of a plane that does not
//! rotate and of speeds without direction.
//!
//! **Rounding.** Let u = 2⁻⁵³ and M the largest coordinate of all corners at both ends of the step.
//! A corner at 0 or 1 is one correctly rounded subtraction of given coordinates, off by uM at most;
//! in between, (1−t)·c₀ + t·c₁ adds 4uM. The product with a unit vector, whose coordinates sum to
//! √3 at most, carries that error times √3 and adds 3√3·uM of its own; the mean of two adds √3·uM:
//! below 16uM in all. A normal longer than one by rounding, |n| ≤ 1 + 8u, makes the separation
//! (which is below √3·M wherever the answer is open) seem larger by less than 14uM. [`ROUNDING`] =
//! 64u covers both twice.

use crate::distance::nearest::{Nearest, Part};
use craze_math::Vec3;

/// Bound of the rounding of a certificate, as a share of the largest coordinate of the corners.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// Distance beyond the separation that counts as contact, as a share of the largest coordinate of
/// the corners.
pub(super) const TOLERANCE: f64 = 1e-6;
/// The same, as a share of the gap at the start of the step: a pair that starts close and separates
/// is not held back.
const TOLERANCE_OF_GAP: f64 = 0.1;
/// Most intervals; the time reached after them is reported as that of the contact.
const STRETCHES: usize = 128;

/// The polygon at a time.
pub(super) struct Moment<const K: usize> {
    /// As a share of the step.
    pub time: f64,
    /// Corners (m).
    pub corners: [Vec3; K],
    pub nearest: Nearest<K>,
}

/// A polygon near the origin.
pub(super) struct Arrival<const K: usize> {
    /// Time of arrival: certified free from 0 to here.
    pub moment: Moment<K>,
    /// Rounding of the distance (m).
    pub blur: f64,
}

/// The first arrival within `separation` (m, not negative) of the origin, or a little before it;
/// `None` if there is certainly none, or if the corners' coordinates or their sum are not finite.
pub(super) fn first_arrival<const K: usize>(
    start: &[Vec3; K],
    end: &[Vec3; K],
    separation: f64,
    nearest: impl Fn(&[Vec3; K]) -> Nearest<K>,
) -> Option<Arrival<K>> {
    let largest = overlapping_box(start, end, separation)?;
    let rounding = ROUNDING * largest + f64::MIN_POSITIVE;
    let limit = separation + rounding;
    let middle: Vec3 = start.iter().sum::<Vec3>() + end.iter().sum::<Vec3>();
    if !middle.iter().all(|coordinate| coordinate.is_finite()) {
        return None;
    }
    let farther = limit * (middle.norm() * (1.0 + ROUNDING));
    if beyond(&middle, start, farther) && beyond(&middle, end, farther) {
        return None;
    }

    let mut here = Moment { time: 0.0, corners: *start, nearest: nearest(start) };
    let gap_at_start = here.nearest.distance - separation;
    let tolerance = (TOLERANCE * largest).min(TOLERANCE_OF_GAP * gap_at_start).max(4.0 * rounding);
    let aim = separation + tolerance / 2.0;
    let mut trust = f64::INFINITY;
    // The last time that was too far to be reached with a plane that rotates evenly.
    let mut too_far: Option<Moment<K>> = None;
    for _ in 0..STRETCHES {
        if !(here.nearest.distance - separation > tolerance) {
            break;
        }
        let normal = &here.nearest.normal;
        let left = 1.0 - here.time;
        let heights = here.corners.map(|corner| normal.dot(&corner));
        let heights_at_end = end.map(|corner| normal.dot(&corner));
        let plane_holds = heights.iter().all(|&height| height > limit);
        if plane_holds && heights_at_end.iter().all(|&height| height > limit) {
            return None;
        }
        // Time for which the fixed plane separates all corners; time until contact at the present
        // speeds.
        let mut passage = f64::INFINITY;
        let mut closing = 0.0;
        for k in 0..K {
            let fall = (heights[k] - heights_at_end[k]) / left;
            closing += here.nearest.weights[k] * fall;
            if fall > 0.0 {
                passage = passage.min((heights[k] - aim) / fall);
            }
        }
        let contact = if closing > 0.0 { (here.nearest.distance - aim) / closing } else { f64::INFINITY };
        let ahead = contact.min(trust).max(passage);
        let time = if ahead < left { here.time + ahead } else { 1.0 };
        if !(time > here.time) {
            break;
        }
        let corners = std::array::from_fn(|k| start[k] * (1.0 - time) + end[k] * time);
        let there = Moment { time, corners, nearest: nearest(&corners) };
        let arrived = if let Some(far) =
            too_far.take_if(|far| bending_plane_separates([&here, &there, far], separation, rounding))
        {
            Some(far)
        } else if plane_holds && beyond(normal, &there.corners, limit)
            || turning_plane_separates([&here, &there], limit)
            || here.nearest.part == Part::Inside && own_plane_separates([&here, &there], separation, largest)
        {
            Some(there)
        } else {
            trust = (time - here.time) / 2.0;
            too_far = Some(there);
            None
        };
        if let Some(arrived) = arrived {
            if arrived.time >= 1.0 {
                return None;
            }
            trust = 2.0 * (arrived.time - here.time);
            here = arrived;
            too_far = None;
        }
    }
    Some(Arrival { moment: here, blur: 4.0 * rounding })
}

/// The largest coordinate, if the box around the whole motion comes within the separation of the
/// origin. Differences are correctly rounded and rounding keeps the order, so that comparing them
/// with the separation is exact.
fn overlapping_box<const K: usize>(start: &[Vec3; K], end: &[Vec3; K], separation: f64) -> Option<f64> {
    let mut low = start[0].inf(&end[0]);
    let mut high = start[0].sup(&end[0]);
    for k in 1..K {
        low = low.inf(&start[k].inf(&end[k]));
        high = high.sup(&start[k].sup(&end[k]));
    }
    let near = (0..3).all(|axis| low[axis] <= separation && high[axis] >= -separation);
    near.then(|| low.amax().max(high.amax()))
}

fn beyond<const K: usize>(normal: &Vec3, corners: &[Vec3; K], limit: f64) -> bool {
    corners.iter().all(|corner| normal.dot(corner) > limit)
}

/// True if the plane that rotates evenly from one normal to the other separates: one quadratic
/// polynomial per corner.
fn turning_plane_separates<const K: usize>([from, to]: [&Moment<K>; 2], limit: f64) -> bool {
    let (first, last) = (&from.nearest.normal, &to.nearest.normal);
    (0..K).all(|k| {
        let (before, after) = (&from.corners[k], &to.corners[k]);
        first.dot(before) > limit && last.dot(after) > limit && (first.dot(after) + last.dot(before)) * 0.5 > limit
    })
}

/// True if a plane separates that has a quadratic polynomial of time as its normal, through those
/// of three times: one cubic polynomial per corner. Where normals rotate fast and the gap is small,
/// its interval is much longer than that of an evenly rotating plane.
fn bending_plane_separates<const K: usize>(
    [from, between, to]: [&Moment<K>; 3],
    separation: f64,
    rounding: f64,
) -> bool {
    let share = (between.time - from.time) / (to.time - from.time);
    if !(share > 0.0 && share < 1.0) {
        return false;
    }
    let (first, last) = (&from.nearest.normal, &to.nearest.normal);
    let rest = 1.0 - share;
    let middle = (between.nearest.normal - first * (rest * rest) - last * (share * share)) / (2.0 * share * rest);
    let square = middle.norm_squared();
    // Longer normals would need more allowance for rounding.
    if !(square < 1.5) {
        return false;
    }
    let limit = separation * square.sqrt().max(1.0) + rounding;
    (0..K).all(|k| {
        let (before, after) = (&from.corners[k], &to.corners[k]);
        first.dot(before) > limit
            && last.dot(after) > limit
            && (2.0 * middle.dot(before) + first.dot(after)) / 3.0 > limit
            && (last.dot(before) + 2.0 * middle.dot(after)) / 3.0 > limit
    })
}

/// True if the moving plane of the polygon itself stays away from the origin. The normal N(t) of
/// two sides that change linearly is a quadratic polynomial, N(t)·c(t) a cubic one, the same for
/// all corners; its Bernstein coefficients are compared with the separation times the longest
/// coefficient of N. This separates two faces that are very close and rotate far.
fn own_plane_separates<const K: usize>(moments: [&Moment<K>; 2], separation: f64, largest: f64) -> bool {
    let [[first, second], [first_after, second_after]] =
        moments.map(|Moment { corners, .. }| [corners[1] - corners[0], corners[K - 1] - corners[0]]);
    let [before, after] = moments.map(|moment| &moment.corners[0]);
    let normals = [
        first.cross(&second),
        (first.cross(&second_after) + first_after.cross(&second)) * 0.5,
        first_after.cross(&second_after),
    ];
    let heights = [
        normals[0].dot(before),
        (2.0 * normals[1].dot(before) + normals[0].dot(after)) / 3.0,
        (normals[2].dot(before) + 2.0 * normals[1].dot(after)) / 3.0,
        normals[2].dot(after),
    ];
    // Sides are off by 11uM (see above), so with their length E (by coordinates) normals are off by
    // 50uME and products by 230uM²E.
    let length = first.amax().max(second.amax()).max(first_after.amax()).max(second_after.amax());
    let longest = normals.iter().fold(0.0, |most: f64, normal| most.max(normal.norm_squared())).sqrt();
    let limit = separation * longest * (1.0 + ROUNDING) + 256.0 * f64::EPSILON * largest * largest * length;
    heights.iter().all(|&height| height > limit) || heights.iter().all(|&height| height < -limit)
}
