//! Vertex smoothing that increases the smallest heights of tetrahedra, to which the explicit time
//! step is proportional.
//!
//! The angle bounds allow heights of a tenth of an edge; most grow severalfold when one or two
//! points move.

use craze_math::Vec3;
use craze_math::tetrahedron::smallest_height;
use rayon::prelude::*;

use super::classification::CHUNK;
use super::quality::DihedralCosines;
use super::working_mesh::{AngleBounds, PointConstraint, WorkingMesh, project};

/// Height over longest edge below which a tetrahedron is thin; those of the lattice have 0.71.
const THIN_HEIGHT_RATIO: f64 = 0.3;
/// Passes over all thin tetrahedra.
const MAX_PASSES: usize = 4;
/// Moves of a point per pass.
const MAX_MOVES_PER_PASS: usize = 4;
/// Step lengths of a line search, over the lowest tetrahedron's longest edge.
const STEP_LENGTHS: [f64; 4] = [0.12, 0.06, 0.03, 0.015];
/// Relative gain that a move must reach.
const MIN_RELATIVE_GAIN: f64 = 0.02;
/// Largest displacement along the surface, over the same edge.
const MAX_SURFACE_DISPLACEMENT: f64 = 0.2;
/// Largest query cost of a domain for which surface points move.
const MAX_QUERY_COST: f64 = 3.0;
/// Smallest cosine between surface normals before and after a move.
const MIN_NORMAL_COSINE: f64 = 0.9;
/// Tetrahedra up to this many times the lowest height contribute to a move.
const GRADIENT_HEIGHT_RATIO: f64 = 1.2;

/// Increases the lowest heights within the guaranteed angles. Returns the old positions (m) of
/// moved points.
pub(super) fn increase_heights(working: &mut WorkingMesh) -> Vec<Option<Vec3>> {
    let mut before = vec![None; working.positions.len()];
    for _ in 0..MAX_PASSES {
        let all = (0..working.tetrahedra.len() as u32).into_par_iter().with_min_len(CHUNK);
        let thin: Vec<u32> = all.filter(|&index| is_thin(&working.corners(index))).collect();
        let mut moves = 0;
        for index in thin {
            for point in working.tetrahedra[index as usize] {
                if !is_thin(&working.corners(index)) {
                    break;
                }
                for _ in 0..MAX_MOVES_PER_PASS {
                    let origin = before[point as usize].unwrap_or(working.positions[point as usize]);
                    let Some(target) = improved_position(working, point, &origin) else { break };
                    before[point as usize] = Some(origin);
                    working.positions[point as usize] = target;
                    moves += 1;
                }
            }
        }
        if moves == 0 {
            break;
        }
    }
    before
}

/// Moves a point back, if its tetrahedra keep their bounds.
pub(super) fn move_back(working: &mut WorkingMesh, point: u32, target: Vec3) {
    if keeps_angles(working, point, &target) {
        working.positions[point as usize] = target;
    }
}

fn is_thin(corners: &[Vec3; 4]) -> bool {
    smallest_height(corners) < THIN_HEIGHT_RATIO * longest_edge(corners)
}

fn longest_edge([a, b, c, d]: &[Vec3; 4]) -> f64 {
    let squares = [b - a, c - a, d - a, c - b, d - b, d - c].map(|edge| edge.norm_squared());
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// A position that increases the lowest height at a point; on the surface, near its origin (m).
fn improved_position(working: &WorkingMesh, point: u32, origin: &Vec3) -> Option<Vec3> {
    let constraint = working.constraint[point as usize];
    // Queries of a damaged surface are too slow.
    let may_slide = working.domain.query_cost() < MAX_QUERY_COST;
    if constraint == PointConstraint::Fixed || (constraint == PointConstraint::Surface && !may_slide) {
        return None;
    }
    let here = working.positions[point as usize];
    let star = working.star(point);
    let heights = star.iter().map(|&index| smallest_height(&working.corners(index)));
    let (lowest, longest) =
        star.iter().zip(heights.clone()).fold((f64::INFINITY, 0.0), |(lowest, longest), (&index, height)| {
            if height < lowest { (height, longest_edge(&working.corners(index))) } else { (lowest, longest) }
        });
    if !(lowest > 0.0) {
        return None;
    }
    let lowest_ones = star.iter().zip(heights).filter(|(_, height)| *height < GRADIENT_HEIGHT_RATIO * lowest);
    let mut direction: Vec3 = lowest_ones.map(|(&index, _)| height_gradient(working, index, point)).sum();
    let normal = if constraint == PointConstraint::Surface { Some(working.domain.normal(&here)?) } else { None };
    if let Some(normal) = normal {
        direction -= normal * direction.dot(&normal);
    }
    let direction = direction.try_normalize(1e-3)?;
    for step_length in STEP_LENGTHS.map(|step_length| step_length * longest) {
        let target = here + direction * step_length;
        let is_far = normal.is_some() && (target - origin).norm() > MAX_SURFACE_DISPLACEMENT * longest;
        if is_far || !is_higher(working, point, &target, lowest * (1.0 + MIN_RELATIVE_GAIN)) {
            continue;
        }
        // Projection takes many queries, so only promising positions are projected. A changed
        // normal would mean a cut-off ridge.
        let target = match normal {
            Some(normal) => project(working.domain, &target, &normal, 0.5 * step_length).filter(|target| {
                working.domain.normal(target).is_some_and(|new_normal| new_normal.dot(&normal) > MIN_NORMAL_COSINE)
            }),
            None => Some(target),
        };
        let is_good = |target: &Vec3| {
            is_higher(working, point, target, lowest * (1.0 + MIN_RELATIVE_GAIN))
                && keeps_angles(working, point, target)
        };
        if let Some(target) = target.filter(is_good) {
            return Some(target);
        }
    }
    None
}

/// Gradient of a tetrahedron's smallest height with respect to a corner.
fn height_gradient(working: &WorkingMesh, index: u32, point: u32) -> Vec3 {
    let numbers = working.tetrahedra[index as usize];
    let corners = working.corners(index);
    let double_area = |apex: usize| {
        let [a, b, c] = [1, 2, 3].map(|step| corners[(apex + step) % 4]);
        (b - a).cross(&(c - a))
    };
    let (apex, normal) = (0..4)
        .map(|apex| (apex, double_area(apex)))
        .max_by(|one, other| one.1.norm_squared().total_cmp(&other.1.norm_squared()))
        .unwrap_or_default();
    let Some(mut up) = normal.try_normalize(0.0) else { return Vec3::zeros() };
    if up.dot(&(corners[apex] - corners[(apex + 1) % 4])) < 0.0 {
        up = -up;
    }
    if numbers[apex] == point {
        return up;
    }
    // A base corner counts by its barycentric weight at the foot of the height.
    let [a, b, c] = [1, 2, 3].map(|step| corners[(apex + step) % 4]);
    let whole = normal.norm_squared();
    let share = |one: Vec3, other: Vec3| (one - corners[apex]).cross(&(other - corners[apex])).dot(&normal) / whole;
    let shares = [share(b, c), share(c, a), share(a, b)];
    let corner = (1..4).find(|step| numbers[(apex + step) % 4] == point);
    corner.map_or(Vec3::zeros(), |step| up * -shares[step - 1])
}

fn is_higher(working: &WorkingMesh, point: u32, target: &Vec3, height: f64) -> bool {
    working.star(point).iter().all(|&index| smallest_height(&moved(working, index, point, target)) > height)
}

fn keeps_angles(working: &WorkingMesh, point: u32, target: &Vec3) -> bool {
    working.star(point).iter().all(|&index| {
        let now = DihedralCosines::of(&moved(working, index, point, target));
        working.keeps_bounds(index, now, &DihedralCosines::of(&working.corners(index)), AngleBounds::AT_FEATURES)
    })
}

fn moved(working: &WorkingMesh, index: u32, point: u32, target: &Vec3) -> [Vec3; 4] {
    working.tetrahedra[index as usize]
        .map(|corner| if corner == point { *target } else { working.positions[corner as usize] })
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::stuffing::testing::{ball, rotated_cylinder};
    use crate::stuffing::{StuffingOptions, stuff};

    #[test]
    fn no_tetrahedron_of_a_round_body_is_thin() {
        // Without smoothing, 0.18 edges for the ball and 0.15 for the cylinder. Fixed crease points
        // limit a few tetrahedra.
        let cases: [(&dyn Domain, f64, f64); 3] =
            [(&ball(1.0), 0.3, 0.3), (&ball(1.0), 0.1, 0.3), (&rotated_cylinder(1.0, 0.8), 0.1, 0.2)];
        for (domain, edge, least) in cases {
            let report = stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh").report;
            assert!(report.smallest_height > least * edge, "{} of {edge}", report.smallest_height);
            assert!(report.dihedral.smallest > 15.0 && report.dihedral.largest < 150.0, "{report:?}");
        }
    }
}
