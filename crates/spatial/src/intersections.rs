//! Where triangles pass through each other, decided by exact predicates: no tolerance, no missed touch.
//!
//! Triangles are closed sets: touching in one point is meeting. Neighbours always share their common corners, so between
//! them only what goes beyond those counts. A triangle without area counts as nothing.

use std::ops::ControlFlow;

use craze_math::Vec3;
use craze_math::predicates::{orient2d, orient3d};

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::error::SpatialError;
use crate::triangles::{boxes, check};

/// Pairs of triangles that meet where they should not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelfIntersections {
    /// Numbers of the triangles, smaller first, in order.
    pub pairs: Vec<[u32; 2]>,
    /// Whether these are all; a search that ran into its limit leaves the rest unknown.
    pub complete: bool,
}

/// Most pairs of overlapping boxes that are looked at for each triangle, on average: a clean surface has about ten.
const CANDIDATES_A_TRIANGLE: usize = 1000;
/// Small surfaces may have this many pairs in any case.
const CANDIDATES_AT_LEAST: usize = 10_000_000;

/// Finds the pairs of triangles that meet beyond the corners they share, at most `limit`.
///
/// Corners are shared if they have the same number: weld equal points first. Two triangles with the same three corners meet.
/// Refuses what [`TriangleTree::new`](crate::TriangleTree::new) refuses.
pub fn self_intersections(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    limit: usize,
) -> Result<SelfIntersections, SpatialError> {
    check(positions, triangles)?;
    let boxes = boxes(positions, triangles);
    let bvh = Bvh::build(&boxes)?;
    Ok(among(&bvh, &boxes, positions, triangles, limit))
}

fn among(bvh: &Bvh, boxes: &[Aabb], positions: &[Vec3], triangles: &[[u32; 3]], limit: usize) -> SelfIntersections {
    let mut pairs = Vec::new();
    let most = CANDIDATES_AT_LEAST.max(CANDIDATES_A_TRIANGLE * triangles.len());
    let mut candidates = 0;
    let flow = bvh.self_pairs_until(boxes, |p, q| {
        candidates += 1;
        if meet_beyond_shared(positions, &triangles[p as usize], &triangles[q as usize]) {
            if pairs.len() == limit {
                return ControlFlow::Break(());
            }
            pairs.push([p, q]);
        }
        if candidates < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    pairs.sort_unstable();
    SelfIntersections { pairs, complete: flow.is_continue() }
}

/// Whether two triangles of one surface meet anywhere but in the corners, or along the edge, they share.
fn meet_beyond_shared(positions: &[Vec3], one: &[u32; 3], other: &[u32; 3]) -> bool {
    let at = |point: u32| &positions[point as usize];
    // The first shared corner in front, in both; turning a triangle about does not change it.
    let turned = |t: &[u32; 3], first: u32| match t.iter().position(|&point| point == first) {
        Some(1) => [t[1], t[2], t[0]],
        Some(2) => [t[2], t[0], t[1]],
        _ => *t,
    };
    let Some(&shared) = one.iter().find(|point| other.contains(point)) else {
        let corners = (one.map(|p| *at(p)), other.map(|p| *at(p)));
        return !is_parted(&corners.0, &corners.1, 0) && triangles_meet(&corners.0, &corners.1);
    };
    let (one, other) = (turned(one, shared), turned(other, shared));
    let corners = (one.map(|p| *at(p)), other.map(|p| *at(p)));
    match one[1..].iter().filter(|&point| other[1..].contains(point)).count() {
        0 => !is_parted(&corners.0, &corners.1, 1) && meet_beyond_corner(&corners.0, &corners.1),
        1 => {
            let (a, second) = if other[1..].contains(&one[1]) { (one[2], one[1]) } else { (one[1], one[2]) };
            let b = if other[1] == second { other[2] } else { other[1] };
            fold_flat(at(shared), at(second), at(a), at(b))
        }
        _ => plane_axes(&corners.0).is_some(),
    }
}

/// Whether, seen along some axis, the line through an edge of one parts the two triangles, whose first `shared` corners (0 or 1) are
/// the same. Cheap, where triangles of one plane would cost predicates their most exact stage; most of those are parted.
fn is_parted(one: &[Vec3; 3], other: &[Vec3; 3], shared: usize) -> bool {
    [[0, 1], [1, 2], [2, 0]].into_iter().any(|axes| {
        let [one, other] = [one, other].map(|corners| corners.map(|corner| projected(&corner, axes)));
        let parts = |one: &[[f64; 2]; 3], other: &[[f64; 2]; 3]| {
            (0..3).any(|edge| {
                let [u, v, w] = [0, 1, 2].map(|k| one[(edge + k) % 3]);
                let own = sign(orient2d(u, v, w));
                // The shared corner, the first, may lie on the line if it is an end of the edge.
                let is_end = edge == 0 || edge == 2;
                own != 0 && (shared..3).all(|k| sign(orient2d(u, v, other[k])) == -own) && (shared == 0 || is_end)
            })
        };
        parts(&one, &other) || parts(&other, &one)
    })
}

/// Whether two triangles with the same first corner meet elsewhere too. Where they do, the set they share is convex and
/// reaches from that corner to the far edge of one of them.
fn meet_beyond_corner(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    if one_side(one, other) || one_side(other, one) {
        return false;
    }
    let (Some(axes_one), Some(axes_other)) = (plane_axes(one), plane_axes(other)) else { return false };
    segment_meets(&one[1], &one[2], other, axes_other) || segment_meets(&other[1], &other[2], one, axes_one)
}

/// Whether the far corners lie strictly on one side of a triangle's plane.
fn one_side(plane: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let side = |point: &Vec3| orient3d(&plane[0], &plane[1], &plane[2], point);
    side(&other[1]) * side(&other[2]) > 0.0
}

/// Whether two triangles over the edge u v, with third corners a and b, are folded onto each other.
fn fold_flat(u: &Vec3, v: &Vec3, a: &Vec3, b: &Vec3) -> bool {
    if orient3d(u, v, a, b) != 0.0 {
        return false;
    }
    let Some(axes) = plane_axes(&[*u, *v, *a]) else { return false };
    let [u, v, a, b] = [u, v, a, b].map(|point| projected(point, axes));
    sign(orient2d(u, v, a)) * sign(orient2d(u, v, b)) > 0
}

/// Whether two triangles have a point in common; touching counts, triangles without area meet nothing.
pub fn triangles_meet(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let sides = |plane: &[Vec3; 3], points: &[Vec3; 3]| {
        [0, 1, 2].map(|k| sign(orient3d(&plane[0], &plane[1], &plane[2], &points[k])))
    };
    let apart = |sides: [i32; 3]| sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2];
    let of_other = sides(one, other);
    if apart(of_other) || apart(sides(other, one)) {
        return false;
    }
    let (Some(axes_one), Some(axes_other)) = (plane_axes(one), plane_axes(other)) else { return false };
    const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
    EDGES.iter().any(|&[from, to]| segment_meets(&one[from], &one[to], other, axes_other))
        || EDGES.iter().any(|&[from, to]| segment_meets(&other[from], &other[to], one, axes_one))
}

/// Whether a segment and a triangle have a point in common; touching counts, a triangle without area is never met.
pub fn segment_meets_triangle(from: &Vec3, to: &Vec3, triangle: &[Vec3; 3]) -> bool {
    plane_axes(triangle).is_some_and(|axes| segment_meets(from, to, triangle, axes))
}

fn segment_meets(from: &Vec3, to: &Vec3, triangle: &[Vec3; 3], axes: [usize; 2]) -> bool {
    let [a, b, c] = triangle;
    let sides = [from, to].map(|end| sign(orient3d(a, b, c, end)));
    if sides[0] * sides[1] > 0 {
        return false;
    }
    if sides == [0, 0] {
        let flat = triangle.map(|corner| projected(&corner, axes));
        return segment_meets_flat(projected(from, axes), projected(to, axes), flat);
    }
    // The line goes through the triangle if it passes its edges all on the same hand.
    let hands = [(a, b), (b, c), (c, a)].map(|(start, end)| sign(orient3d(from, to, start, end)));
    hands.iter().all(|&hand| hand >= 0) || hands.iter().all(|&hand| hand <= 0)
}

/// The same in the plane.
fn segment_meets_flat(from: [f64; 2], to: [f64; 2], [a, b, c]: [[f64; 2]; 3]) -> bool {
    let turn = sign(orient2d(a, b, c));
    let holds =
        |point| [(a, b), (b, c), (c, a)].iter().all(|&(start, end)| sign(orient2d(start, end, point)) * turn >= 0);
    holds(from) || [(a, b), (b, c), (c, a)].iter().any(|&(start, end)| segments_meet_flat(from, to, start, end))
}

fn segments_meet_flat(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let hands = [orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b)].map(sign);
    if hands == [0; 4] {
        // On one line: they meet if their boxes do.
        let overlap =
            |axis: usize| a[axis].min(b[axis]) <= c[axis].max(d[axis]) && c[axis].min(d[axis]) <= a[axis].max(b[axis]);
        return overlap(0) && overlap(1);
    }
    hands[0] * hands[1] <= 0 && hands[2] * hands[3] <= 0
}

pub(crate) fn sign(value: f64) -> i32 {
    i32::from(value > 0.0) - i32::from(value < 0.0)
}

fn projected(point: &Vec3, axes: [usize; 2]) -> [f64; 2] {
    [point[axes[0]], point[axes[1]]]
}

/// Two axes along which the triangle keeps an area when seen along the third; none where it has no area.
fn plane_axes([a, b, c]: &[Vec3; 3]) -> Option<[usize; 2]> {
    const CHOICES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let normal = (b - a).cross(&(c - a));
    let likely = CHOICES[normal.iamax()];
    let keeps = |axes: &[usize; 2]| orient2d(projected(a, *axes), projected(b, *axes), projected(c, *axes)) != 0.0;
    if keeps(&likely) { Some(likely) } else { CHOICES.into_iter().find(keeps) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_triangles, sphere};
    use craze_math::Random;
    use proptest::prelude::*;

    fn point(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    const FLAT: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

    #[test]
    fn piercing_touching_and_missing_are_told_apart() {
        let through = [point(0.2, 0.2, -1.0), point(0.2, 0.2, 1.0), point(3.0, 3.0, 0.5)];
        assert!(triangles_meet(&FLAT, &through) && triangles_meet(&through, &FLAT));
        let beside = through.map(|p| p + point(0.9, 0.0, 0.0));
        assert!(!triangles_meet(&FLAT, &beside));
        let standing_on = [point(0.25, 0.25, 0.0), point(0.2, 0.2, 1.0), point(0.3, 0.2, 1.0)];
        assert!(triangles_meet(&FLAT, &standing_on));
        let just_above = standing_on.map(|p| p + point(0.0, 0.0, f64::MIN_POSITIVE));
        assert!(!triangles_meet(&FLAT, &just_above));
        let corner_to_corner = [point(1.0, 0.0, 0.0), point(2.0, 0.0, 0.0), point(2.0, 1.0, 0.0)];
        assert!(triangles_meet(&FLAT, &corner_to_corner));
    }

    #[test]
    fn overlaps_in_one_plane_count() {
        let inside = [point(0.1, 0.1, 0.0), point(0.2, 0.1, 0.0), point(0.1, 0.2, 0.0)];
        assert!(triangles_meet(&FLAT, &inside) && triangles_meet(&inside, &FLAT));
        let across = [point(-1.0, 0.3, 0.0), point(2.0, 0.3, 0.0), point(2.0, 0.4, 0.0)];
        assert!(triangles_meet(&FLAT, &across));
        let apart = [point(0.6, 0.6, 0.0), point(1.0, 1.0, 0.0), point(0.6, 1.0, 0.0)];
        assert!(!triangles_meet(&FLAT, &apart));
    }

    #[test]
    fn neighbours_meet_only_beyond_what_they_share() {
        let mut positions = FLAT.to_vec();
        positions.extend([
            point(1.0, 1.0, 0.0),
            point(0.4, 0.4, 0.0),
            point(0.3, 0.3, 1.0),
            point(0.3, 0.3, -1.0),
            point(0.9, 0.3, 0.0),
        ]);
        let meet = |other: [u32; 3]| {
            let found = self_intersections(&positions, &[[0, 1, 2], other], 10).expect("sound");
            assert!(found.complete);
            !found.pairs.is_empty()
        };
        assert!(!meet([2, 1, 3]), "a flat neighbour");
        assert!(meet([2, 1, 4]), "folded back onto it");
        assert!(!meet([2, 1, 5]), "folded up");
        assert!(!meet([1, 3, 5]), "hanging together in a corner");
        assert!(meet([0, 5, 6]), "through it from a corner");
        assert!(meet([0, 4, 7]), "flat on it from a corner");
        assert!(meet([2, 0, 1]), "the same again");
        assert!(!meet([0, 1, 1]), "without area");
    }

    #[test]
    fn a_clean_surface_has_none_and_two_that_overlap_have_a_ring() {
        let soup = sphere(1.0, 4);
        let (positions, triangles) = welded(&soup.0);
        let clean = self_intersections(&positions, &triangles, 100).expect("sound");
        assert_eq!(clean, SelfIntersections { pairs: vec![], complete: true });
        let shifted = positions.iter().map(|p| p + point(0.5, 0.03, 0.07));
        let both: Vec<Vec3> = positions.iter().copied().chain(shifted).collect();
        let offset = positions.len() as u32;
        let more = triangles.iter().map(|t| t.map(|p| p + offset));
        let all: Vec<[u32; 3]> = triangles.iter().copied().chain(more).collect();
        let crossing = self_intersections(&both, &all, 100_000).expect("sound");
        assert!(crossing.complete && crossing.pairs.len() > 100, "{}", crossing.pairs.len());
        assert!(crossing.pairs.iter().all(|&[p, q]| p < triangles.len() as u32 && q >= triangles.len() as u32));
        let some = self_intersections(&both, &all, 7).expect("sound");
        assert!(!some.complete && some.pairs.len() == 7);
    }

    fn welded(corners: &[Vec3]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut positions: Vec<Vec3> = Vec::new();
        let numbers: Vec<u32> = corners
            .iter()
            .map(|corner| {
                let known = positions.iter().position(|p| (p - corner).norm() < 1e-9);
                known.unwrap_or_else(|| {
                    positions.push(*corner);
                    positions.len() - 1
                }) as u32
            })
            .collect();
        (positions, numbers.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect())
    }

    proptest! {
        // On a coarse grid touches and flat overlaps are frequent, and rational arithmetic in integers is exact.
        #[test]
        fn meeting_is_symmetric_and_agrees_with_a_search_by_samples(seed in 0_u64..100_000) {
            let mut random = Random::new(seed);
            let mut corner = || Vec3::from_fn(|_, _| (random.number() * 4.0).floor());
            let one = [corner(), corner(), corner()];
            let other = [corner(), corner(), corner()];
            let met = triangles_meet(&one, &other);
            prop_assert_eq!(met, triangles_meet(&other, &one));
            let turned = [other[1], other[0], other[2]];
            prop_assert_eq!(met, triangles_meet(&one, &turned));
            let area = |t: &[Vec3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0])).norm();
            if area(&one) == 0.0 || area(&other) == 0.0 {
                prop_assert!(!met);
            } else {
                // Closest points of both, by turns: distance between convex sets goes to its minimum.
                let mut at = (one[0] + one[1] + one[2]) / 3.0;
                let mut gap = f64::INFINITY;
                for _ in 0..20_000 {
                    let there = crate::closest_on_triangle(&at, &other).0;
                    at = crate::closest_on_triangle(&there, &one).0;
                    gap = (at - there).norm();
                }
                // Disjoint triangles on this grid are farther apart than what slow convergence leaves.
                prop_assert_eq!(met, gap < 0.003, "{} {:?} {:?}", gap, one, other);
            }
        }
    }

    #[test]
    fn random_triangles_agree_with_brute_force() {
        let (positions, triangles) = random_triangles(600, 77);
        let found = self_intersections(&positions, &triangles, usize::MAX).expect("sound");
        let mut expected = Vec::new();
        for q in 0..triangles.len() {
            for p in 0..q {
                if triangles_meet(
                    &triangles[p].map(|i| positions[i as usize]),
                    &triangles[q].map(|i| positions[i as usize]),
                ) {
                    expected.push([p as u32, q as u32]);
                }
            }
        }
        expected.sort_unstable();
        assert!(expected.len() > 10);
        assert_eq!(found.pairs, expected);
    }
}
