//! Thin tetrahedra: points move until the thinnest are as high as their neighbours let them be.
//!
//! Explicit steps of the whole body are as short as sound takes through its thinnest tetrahedron. Stuffing promises angles, but
//! within them leaves heights of a tenth of an edge; most of these come to a multiple of it when a point or two give way.

use craze_math::Vec3;
use craze_math::tetrahedron::smallest_height;
use rayon::prelude::*;

use super::quality::Cosines;
use super::shaping::{Freedom, Guard, Shaping, project};
use super::survey::CHUNK;

/// Tetrahedra lower than this, in their own longest edges, are thin. Those of the lattice have 0.71.
const THIN: f64 = 0.3;
/// How often all thin ones are gone through.
const ROUNDS: usize = 4;
/// Moves of a point in a round.
const MOVES: usize = 4;
/// Lengths to try for a move, in the longest edge of the lowest tetrahedron.
const REACHES: [f64; 4] = [0.12, 0.06, 0.03, 0.015];
/// What a move has to gain, in the present lowest height.
const GAIN: f64 = 0.02;
/// How far points may slide along the surface, in the same: triangles are to stay where the surface has them.
const FARTHEST: f64 = 0.2;
/// Times as slow as a sound one that a domain may answer for points to slide along its surface.
const MOST_EFFORT: f64 = 3.0;
/// Cosine of the angle by which the surface may turn along a move.
const FLAT: f64 = 0.9;
/// Tetrahedra up to so many times as high as the lowest of a point have a say in where it goes.
const NEAR: f64 = 1.2;

/// Moves the points of thin tetrahedra to where the lowest height around them is higher, within the angles that are promised; where those
/// that have moved were before (m).
pub(super) fn thicken(shaping: &mut Shaping) -> Vec<Option<Vec3>> {
    let mut before = vec![None; shaping.positions.len()];
    for _ in 0..ROUNDS {
        let all = (0..shaping.tetrahedra.len() as u32).into_par_iter().with_min_len(CHUNK);
        let thin: Vec<u32> = all.filter(|&index| is_thin(&shaping.corners(index))).collect();
        let mut moves = 0;
        for index in thin {
            for point in shaping.tetrahedra[index as usize] {
                if !is_thin(&shaping.corners(index)) {
                    break;
                }
                for _ in 0..MOVES {
                    let origin = before[point as usize].unwrap_or(shaping.positions[point as usize]);
                    let Some(there) = better_place(shaping, point, &origin) else { break };
                    before[point as usize] = Some(origin);
                    shaping.positions[point as usize] = there;
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

/// Puts a point back to where it was, if its tetrahedra keep their angles.
pub(super) fn put_back(shaping: &mut Shaping, point: u32, there: Vec3) {
    if keeps_angles(shaping, point, &there) {
        shaping.positions[point as usize] = there;
    }
}

fn is_thin(corners: &[Vec3; 4]) -> bool {
    smallest_height(corners) < THIN * longest_edge(corners)
}

fn longest_edge([a, b, c, d]: &[Vec3; 4]) -> f64 {
    let squares = [b - a, c - a, d - a, c - b, d - b, d - c].map(|edge| edge.norm_squared());
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// Where the lowest tetrahedron at a point would be higher; not far from its origin (m) along the surface.
fn better_place(shaping: &Shaping, point: u32, origin: &Vec3) -> Option<Vec3> {
    let freedom = shaping.freedom[point as usize];
    // A damaged surface is slow to ask, and not worth the time.
    let may_slide = shaping.domain.query_cost() < MOST_EFFORT;
    if freedom == Freedom::Fixed || (freedom == Freedom::Surface && !may_slide) {
        return None;
    }
    let here = shaping.positions[point as usize];
    let star = shaping.star(point);
    let heights = star.iter().map(|&index| smallest_height(&shaping.corners(index)));
    let (lowest, longest) =
        star.iter().zip(heights.clone()).fold((f64::INFINITY, 0.0), |(lowest, longest), (&index, height)| {
            if height < lowest { (height, longest_edge(&shaping.corners(index))) } else { (lowest, longest) }
        });
    if !(lowest > 0.0) {
        return None;
    }
    // The steepest way up for each of the lowest ones, all together.
    let near = star.iter().zip(heights).filter(|(_, height)| *height < NEAR * lowest);
    let mut way: Vec3 = near.map(|(&index, _)| steepest(shaping, index, point)).sum();
    let normal = if freedom == Freedom::Surface { Some(shaping.domain.normal(&here)?) } else { None };
    if let Some(normal) = normal {
        way -= normal * way.dot(&normal);
    }
    let way = way.try_normalize(1e-3)?;
    for reach in REACHES.map(|reach| reach * longest) {
        let there = here + way * reach;
        let is_far = normal.is_some() && (there - origin).norm() > FARTHEST * longest;
        if is_far || !is_higher(shaping, point, &there, lowest * (1.0 + GAIN)) {
            continue;
        }
        // Only a good place of the tangent plane is brought back to the surface, which takes many questions to the domain. Where that
        // bends away, it is left: the ridge would be cut off.
        let there = match normal {
            Some(normal) => project(shaping.domain, &there, &normal, 0.5 * reach)
                .filter(|there| shaping.domain.normal(there).is_some_and(|turned| turned.dot(&normal) > FLAT)),
            None => Some(there),
        };
        let is_good = |there: &Vec3| {
            is_higher(shaping, point, there, lowest * (1.0 + GAIN)) && keeps_angles(shaping, point, there)
        };
        if let Some(there) = there.filter(is_good) {
            return Some(there);
        }
    }
    None
}

/// The derivative of a tetrahedron's smallest height by the place of one of its corners.
fn steepest(shaping: &Shaping, index: u32, point: u32) -> Vec3 {
    let numbers = shaping.tetrahedra[index as usize];
    let corners = shaping.corners(index);
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
    // The base tilts under the foot of the height, by the corner's share there.
    let [a, b, c] = [1, 2, 3].map(|step| corners[(apex + step) % 4]);
    let whole = normal.norm_squared();
    let share = |one: Vec3, other: Vec3| (one - corners[apex]).cross(&(other - corners[apex])).dot(&normal) / whole;
    let shares = [share(b, c), share(c, a), share(a, b)];
    let corner = (1..4).find(|step| numbers[(apex + step) % 4] == point);
    corner.map_or(Vec3::zeros(), |step| up * -shares[step - 1])
}

/// Whether all tetrahedra at a point would be higher than `height` (m) if it were there.
fn is_higher(shaping: &Shaping, point: u32, there: &Vec3, height: f64) -> bool {
    shaping.star(point).iter().all(|&index| smallest_height(&moved(shaping, index, point, there)) > height)
}

/// Whether all tetrahedra at a point would keep their angles if it were there.
fn keeps_angles(shaping: &Shaping, point: u32, there: &Vec3) -> bool {
    shaping.star(point).iter().all(|&index| {
        let now = Cosines::of(&moved(shaping, index, point, there));
        shaping.keeps(index, now, &Cosines::of(&shaping.corners(index)), Guard::WEAK)
    })
}

/// The corners of a tetrahedron with a point elsewhere.
fn moved(shaping: &Shaping, index: u32, point: u32, there: &Vec3) -> [Vec3; 4] {
    shaping.tetrahedra[index as usize]
        .map(|corner| if corner == point { *there } else { shaping.positions[corner as usize] })
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::stuffing::testing::{ball, turned_cylinder};
    use crate::stuffing::{StuffingOptions, stuff};

    #[test]
    fn no_tetrahedron_of_a_round_body_is_thin() {
        // Unmoved, the lowest of the ball has 0.18 edges and that of the cylinder 0.15. Points on creases do not move, which holds up
        // a few tetrahedra of a coarse cylinder.
        let cases: [(&dyn Domain, f64, f64); 3] =
            [(&ball(1.0), 0.3, 0.3), (&ball(1.0), 0.1, 0.3), (&turned_cylinder(1.0, 0.8), 0.1, 0.2)];
        for (domain, edge, least) in cases {
            let report = stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh").report;
            assert!(report.lowest > least * edge, "{} of {edge}", report.lowest);
            assert!(report.dihedral.smallest > 15.0 && report.dihedral.largest < 150.0, "{report:?}");
        }
    }
}
