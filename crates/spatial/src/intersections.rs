//! Self-intersections of triangle meshes, by exact predicates without tolerance.
//!
//! Triangles are closed sets: touching in one point counts. Neighbours always share corners, so
//! between them only intersections beyond the shared corners or edge count. A triangle without area
//! intersects nothing.

use std::ops::ControlFlow;

use craze_math::Vec3;
use craze_math::predicates::{orient2d, orient3d};

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::error::SpatialError;
use crate::triangles::{boxes, check};
use crate::tuning::{MAX_CANDIDATES_PER_TRIANGLE, MIN_CANDIDATE_LIMIT};

/// Pairs of intersecting triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelfIntersections {
    /// Triangle indices, smaller first, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// False if the search stopped at a limit.
    pub complete: bool,
}

/// Finds the pairs of triangles that intersect beyond shared corners, at most `limit`.
///
/// Corners are shared if they have the same index: weld equal points first. Two triangles with the
/// same three corners intersect. Fails like [`TriangleTree::new`](crate::TriangleTree::new).
pub fn self_intersections(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    limit: usize,
) -> Result<SelfIntersections, SpatialError> {
    check(positions, triangles)?;
    let boxes = boxes(positions, triangles);
    let bvh = Bvh::build(&boxes)?;
    Ok(find_pairs(&bvh, &boxes, positions, triangles, limit))
}

fn find_pairs(
    bvh: &Bvh,
    boxes: &[Aabb],
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    limit: usize,
) -> SelfIntersections {
    let mut pairs = Vec::new();
    let candidate_limit = MIN_CANDIDATE_LIMIT.max(MAX_CANDIDATES_PER_TRIANGLE * triangles.len());
    let mut candidates = 0;
    let flow = bvh.self_pairs_until(boxes, |p, q| {
        candidates += 1;
        if intersect_beyond_shared(positions, &triangles[p as usize], &triangles[q as usize]) {
            if pairs.len() == limit {
                return ControlFlow::Break(());
            }
            pairs.push([p, q]);
        }
        if candidates < candidate_limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    pairs.sort_unstable();
    SelfIntersections { pairs, complete: flow.is_continue() }
}

/// True if two triangles of a mesh intersect beyond their shared corners or edge.
fn intersect_beyond_shared(positions: &[Vec3], one: &[u32; 3], other: &[u32; 3]) -> bool {
    let at = |point: u32| &positions[point as usize];
    let rotated = |t: &[u32; 3], first: u32| match t.iter().position(|&point| point == first) {
        Some(1) => [t[1], t[2], t[0]],
        Some(2) => [t[2], t[0], t[1]],
        _ => *t,
    };
    let Some(&shared) = one.iter().find(|point| other.contains(point)) else {
        let corners = (one.map(|p| *at(p)), other.map(|p| *at(p)));
        return !is_separated(&corners.0, &corners.1, 0) && triangles_intersect(&corners.0, &corners.1);
    };
    let (one, other) = (rotated(one, shared), rotated(other, shared));
    let corners = (one.map(|p| *at(p)), other.map(|p| *at(p)));
    match one[1..].iter().filter(|&point| other[1..].contains(point)).count() {
        0 => !is_separated(&corners.0, &corners.1, 1) && intersect_beyond_corner(&corners.0, &corners.1),
        1 => {
            let (a, second) = if other[1..].contains(&one[1]) { (one[2], one[1]) } else { (one[1], one[2]) };
            let b = if other[1] == second { other[2] } else { other[1] };
            is_folded_flat(at(shared), at(second), at(a), at(b))
        }
        _ => plane_axes(&corners.0).is_some(),
    }
}

/// True if, in a projection along some axis, the line through an edge of one triangle separates the
/// two; their first `shared` corners (0 or 1) are the same. A cheap filter: coplanar triangles need
/// the most expensive stage of the predicates, and most of them are separated.
fn is_separated(one: &[Vec3; 3], other: &[Vec3; 3], shared: usize) -> bool {
    [[0, 1], [1, 2], [2, 0]].into_iter().any(|axes| {
        let [one, other] = [one, other].map(|corners| corners.map(|corner| projected(&corner, axes)));
        let separates = |one: &[[f64; 2]; 3], other: &[[f64; 2]; 3]| {
            (0..3).any(|edge| {
                let [u, v, w] = [0, 1, 2].map(|k| one[(edge + k) % 3]);
                let own = sign(orient2d(u, v, w));
                // The shared corner, the first, may lie on the line if it is an end of the edge.
                let is_end = edge == 0 || edge == 2;
                own != 0 && (shared..3).all(|k| sign(orient2d(u, v, other[k])) == -own) && (shared == 0 || is_end)
            })
        };
        separates(&one, &other) || separates(&other, &one)
    })
}

/// True if two triangles with the same first corner also intersect elsewhere. Their intersection is
/// convex and then extends from that corner to the opposite edge of one of them.
fn intersect_beyond_corner(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    if one_side(one, other) || one_side(other, one) {
        return false;
    }
    let (Some(axes_one), Some(axes_other)) = (plane_axes(one), plane_axes(other)) else { return false };
    segment_intersects(&one[1], &one[2], other, axes_other) || segment_intersects(&other[1], &other[2], one, axes_one)
}

/// True if the two far corners are strictly on one side of the triangle's plane.
fn one_side(plane: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let side = |point: &Vec3| orient3d(&plane[0], &plane[1], &plane[2], point);
    side(&other[1]) * side(&other[2]) > 0.0
}

/// True if two triangles with edge u v and third corners a and b are folded onto each other.
fn is_folded_flat(u: &Vec3, v: &Vec3, a: &Vec3, b: &Vec3) -> bool {
    if orient3d(u, v, a, b) != 0.0 {
        return false;
    }
    let Some(axes) = plane_axes(&[*u, *v, *a]) else { return false };
    let [u, v, a, b] = [u, v, a, b].map(|point| projected(point, axes));
    sign(orient2d(u, v, a)) * sign(orient2d(u, v, b)) > 0
}

/// True if two triangles share a point; touching counts, triangles without area intersect nothing.
pub fn triangles_intersect(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
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
    EDGES.iter().any(|&[from, to]| segment_intersects(&one[from], &one[to], other, axes_other))
        || EDGES.iter().any(|&[from, to]| segment_intersects(&other[from], &other[to], one, axes_one))
}

/// True if a segment and a triangle share a point; touching counts, a triangle without area
/// intersects nothing.
pub fn segment_intersects_triangle(from: &Vec3, to: &Vec3, triangle: &[Vec3; 3]) -> bool {
    plane_axes(triangle).is_some_and(|axes| segment_intersects(from, to, triangle, axes))
}

fn segment_intersects(from: &Vec3, to: &Vec3, triangle: &[Vec3; 3], axes: [usize; 2]) -> bool {
    let [a, b, c] = triangle;
    let sides = [from, to].map(|end| sign(orient3d(a, b, c, end)));
    if sides[0] * sides[1] > 0 {
        return false;
    }
    if sides == [0, 0] {
        let flat = triangle.map(|corner| projected(&corner, axes));
        return segment_intersects_flat(projected(from, axes), projected(to, axes), flat);
    }
    // The line intersects the triangle if it passes all edges on the same side.
    let sides = [(a, b), (b, c), (c, a)].map(|(start, end)| sign(orient3d(from, to, start, end)));
    sides.iter().all(|&side| side >= 0) || sides.iter().all(|&side| side <= 0)
}

fn segment_intersects_flat(from: [f64; 2], to: [f64; 2], [a, b, c]: [[f64; 2]; 3]) -> bool {
    let orientation = sign(orient2d(a, b, c));
    let contains = |point| {
        [(a, b), (b, c), (c, a)].iter().all(|&(start, end)| sign(orient2d(start, end, point)) * orientation >= 0)
    };
    contains(from) || [(a, b), (b, c), (c, a)].iter().any(|&(start, end)| segments_intersect_flat(from, to, start, end))
}

fn segments_intersect_flat(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let sides = [orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b)].map(sign);
    if sides == [0; 4] {
        // Collinear: they intersect if their boxes do.
        let overlap =
            |axis: usize| a[axis].min(b[axis]) <= c[axis].max(d[axis]) && c[axis].min(d[axis]) <= a[axis].max(b[axis]);
        return overlap(0) && overlap(1);
    }
    sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0
}

pub(crate) fn sign(value: f64) -> i32 {
    i32::from(value > 0.0) - i32::from(value < 0.0)
}

fn projected(point: &Vec3, axes: [usize; 2]) -> [f64; 2] {
    [point[axes[0]], point[axes[1]]]
}

/// Two axes spanning a projection in which the triangle has area; `None` without area.
fn plane_axes([a, b, c]: &[Vec3; 3]) -> Option<[usize; 2]> {
    const CHOICES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let normal = (b - a).cross(&(c - a));
    let likely = CHOICES[normal.iamax()];
    let has_area = |axes: &[usize; 2]| orient2d(projected(a, *axes), projected(b, *axes), projected(c, *axes)) != 0.0;
    if has_area(&likely) { Some(likely) } else { CHOICES.into_iter().find(has_area) }
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
    fn piercing_touching_and_disjoint_triangles_are_distinguished() {
        let through = [point(0.2, 0.2, -1.0), point(0.2, 0.2, 1.0), point(3.0, 3.0, 0.5)];
        assert!(triangles_intersect(&FLAT, &through) && triangles_intersect(&through, &FLAT));
        let beside = through.map(|p| p + point(0.9, 0.0, 0.0));
        assert!(!triangles_intersect(&FLAT, &beside));
        let standing_on = [point(0.25, 0.25, 0.0), point(0.2, 0.2, 1.0), point(0.3, 0.2, 1.0)];
        assert!(triangles_intersect(&FLAT, &standing_on));
        let just_above = standing_on.map(|p| p + point(0.0, 0.0, f64::MIN_POSITIVE));
        assert!(!triangles_intersect(&FLAT, &just_above));
        let corner_to_corner = [point(1.0, 0.0, 0.0), point(2.0, 0.0, 0.0), point(2.0, 1.0, 0.0)];
        assert!(triangles_intersect(&FLAT, &corner_to_corner));
    }

    #[test]
    fn overlaps_in_one_plane_count() {
        let inside = [point(0.1, 0.1, 0.0), point(0.2, 0.1, 0.0), point(0.1, 0.2, 0.0)];
        assert!(triangles_intersect(&FLAT, &inside) && triangles_intersect(&inside, &FLAT));
        let across = [point(-1.0, 0.3, 0.0), point(2.0, 0.3, 0.0), point(2.0, 0.4, 0.0)];
        assert!(triangles_intersect(&FLAT, &across));
        let apart = [point(0.6, 0.6, 0.0), point(1.0, 1.0, 0.0), point(0.6, 1.0, 0.0)];
        assert!(!triangles_intersect(&FLAT, &apart));
    }

    #[test]
    fn neighbours_intersect_only_beyond_shared_corners() {
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
    fn a_clean_surface_has_none_and_two_overlapping_ones_have_a_ring() {
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
        // On a coarse grid touching and coplanar overlap are frequent, and integer arithmetic is
        // exact.
        #[test]
        fn intersection_is_symmetric_and_agrees_with_sampling(seed in 0_u64..100_000) {
            let mut random = Random::new(seed);
            let mut corner = || Vec3::from_fn(|_, _| (random.number() * 4.0).floor());
            let one = [corner(), corner(), corner()];
            let other = [corner(), corner(), corner()];
            let met = triangles_intersect(&one, &other);
            prop_assert_eq!(met, triangles_intersect(&other, &one));
            let rotated = [other[1], other[0], other[2]];
            prop_assert_eq!(met, triangles_intersect(&one, &rotated));
            let area = |t: &[Vec3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0])).norm();
            if area(&one) == 0.0 || area(&other) == 0.0 {
                prop_assert!(!met);
            } else {
                // Alternating projection: converges to the distance of the convex sets.
                let mut at = (one[0] + one[1] + one[2]) / 3.0;
                let mut gap = f64::INFINITY;
                for _ in 0..20_000 {
                    let there = crate::closest_on_triangle(&at, &other).0;
                    at = crate::closest_on_triangle(&there, &one).0;
                    gap = (at - there).norm();
                }
                // Disjoint triangles on this grid are farther apart than the convergence error.
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
                if triangles_intersect(
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
