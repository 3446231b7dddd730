//! Whether triangles pass through each other, decided by exact predicates: what touches does not.
//!
//! Two triangles cross if each has corners strictly on both sides of the other's plane and the two stretches they cut out of the line
//! in which the planes meet overlap by more than a point. Whatever lies face to face, edge on edge or corner on face does not:
//! boxes that were stacked, lips of a crack that has just opened, triangles over a common edge.

use std::ops::ControlFlow;

use craze_math::Vec3;
use craze_math::predicates::orient3d;

use crate::bvh::Bvh;
use crate::error::SpatialError;
use crate::intersections::sign;
use crate::triangles::{boxes, check};

/// Two triangles that cross, smaller number first, among the pairs for which `counts` says yes; none if there are none. Which pair it is
/// depends on the input alone.
///
/// Refuses what [`TriangleTree::new`](crate::TriangleTree::new) refuses.
pub fn first_crossing(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    counts: impl Fn(u32, u32) -> bool,
) -> Result<Option<[u32; 2]>, SpatialError> {
    check(positions, triangles)?;
    let boxes = boxes(positions, triangles);
    let corners = |triangle: u32| triangles[triangle as usize].map(|corner| positions[corner as usize]);
    let mut found = None;
    let _ = Bvh::build(&boxes)?.self_pairs_until(&boxes, |p, q| {
        if counts(p, q) && triangles_cross(&corners(p), &corners(q)) {
            found = Some([p.min(q), p.max(q)]);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    Ok(found)
}

/// Whether two triangles pass through each other; touching does not count, and triangles without area cross nothing.
///
/// The test of the two stretches is that of Guigue & Devillers, "Fast and robust triangle–triangle overlap test using orientation
/// predicates" (2003), §3, with strict signs.
pub fn triangles_cross(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let Some((first, first_side)) = tip_in_front(one, other) else { return false };
    let Some((second, second_side)) = tip_in_front(other, one) else { return false };
    // Each seen such that the tip of the other is on its positive side: then both stretches run the same way.
    let ([a, b, c], [p, q, r]) = (seen(first, second_side), seen(second, first_side));
    orient3d(&a, &b, &p, &q) < 0.0 && orient3d(&a, &c, &r, &p) < 0.0
}

/// A triangle turned such that its first corner is alone on its side of another's plane, and the sign of that side; none unless it has
/// corners strictly on both sides.
fn tip_in_front(triangle: &[Vec3; 3], [a, b, c]: &[Vec3; 3]) -> Option<([Vec3; 3], i32)> {
    let sides = triangle.map(|corner| sign(orient3d(a, b, c, &corner)));
    if !(sides.contains(&1) && sides.contains(&-1)) {
        return None;
    }
    let is_tip = |&k: &usize| sides[k] != 0 && sides[(k + 1) % 3] != sides[k] && sides[(k + 2) % 3] != sides[k];
    let tip = (0..3).find(is_tip)?;
    Some(([0, 1, 2].map(|k| triangle[(tip + k) % 3]), sides[tip]))
}

/// A triangle seen from the side on which the other's tip has the sign.
fn seen([tip, left, right]: [Vec3; 3], sign: i32) -> [Vec3; 3] {
    if sign > 0 { [tip, left, right] } else { [tip, right, left] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersections::triangles_meet;
    use crate::testing::sphere;
    use craze_math::Random;

    fn point(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    const FLAT: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

    /// The answer in every order of corners and triangles, which must be one.
    fn cross(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let answer = triangles_cross(one, other);
        for order in ORDERS {
            let turned = order.map(|k| one[k]);
            assert_eq!([triangles_cross(&turned, other), triangles_cross(other, &turned)], [answer; 2]);
        }
        answer
    }

    #[test]
    fn random_triangles_cross_where_they_meet() {
        let mut random = Random::new(7);
        let mut crossing = 0;
        for _ in 0..20_000 {
            let mut triangle = || [random.vector(), random.vector(), random.vector()];
            let (one, other) = (triangle(), triangle());
            let meet = triangles_meet(&one, &other);
            assert_eq!(cross(&one, &other), meet, "{one:?} {other:?}");
            crossing += usize::from(meet);
        }
        assert!((1000..19_000).contains(&crossing), "{crossing} say nothing");
    }

    #[test]
    fn what_touches_does_not_cross_and_a_hair_further_it_does() {
        let standing = [point(0.25, 0.25, 0.0), point(0.2, 0.2, 1.0), point(0.3, 0.2, 1.0)];
        assert!(triangles_meet(&FLAT, &standing) && !cross(&FLAT, &standing));
        let mut entered = standing;
        entered[0].z = -f64::MIN_POSITIVE;
        assert!(cross(&FLAT, &entered), "the smallest number is enough");
        assert!(!cross(&FLAT, &FLAT), "face to face");
        let over_an_edge = [FLAT[0], FLAT[1], point(0.3, 0.2, 1e-300)];
        assert!(!cross(&FLAT, &over_an_edge), "a common edge");
        let edge_on_edge = [point(0.5, 0.0, 1.0), point(0.5, 0.0, -1.0), point(0.5, -1.0, 0.0)];
        assert!(triangles_meet(&FLAT, &edge_on_edge) && !cross(&FLAT, &edge_on_edge));
        assert!(!cross(&FLAT, &[FLAT[0], FLAT[0], point(0.2, 0.2, 1.0)]), "no area");
    }

    #[test]
    fn edges_through_edges_and_triangles_with_a_common_corner_cross() {
        // Two equal squares' halves, crossed at a right angle: every edge that pierces goes exactly through an edge.
        let upright = [point(0.0, 0.0, -1.0), point(1.0, 0.0, 0.0), point(0.0, 0.0, 1.0)];
        let lying = [point(0.0, -1.0, 0.0), point(1.0, 0.0, 0.0), point(0.0, 1.0, 0.0)];
        assert!(cross(&upright, &lying));
        let through = [FLAT[0], point(0.5, 0.5, 1.0), point(0.5, 0.5, -1.0)];
        assert!(cross(&FLAT, &through));
    }

    #[test]
    fn the_first_crossing_is_among_those_that_count() {
        let (positions, triangles) = sphere(1.0, 3);
        let clean = first_crossing(&positions, &triangles, |_, _| true).expect("sound");
        assert_eq!(clean, None);
        let (count, points) = (triangles.len() as u32, positions.len() as u32);
        let both: Vec<Vec3> =
            positions.iter().copied().chain(positions.iter().map(|p| p + point(0.71, 0.13, 0.07))).collect();
        let all: Vec<[u32; 3]> =
            triangles.iter().copied().chain(triangles.iter().map(|t| t.map(|corner| corner + points))).collect();
        let [p, q] = first_crossing(&both, &all, |_, _| true).expect("sound").expect("they overlap");
        assert!(p < count && q >= count);
        assert_eq!(first_crossing(&both, &all, |p, q| (p < count) == (q < count)).expect("sound"), None);
        assert!(first_crossing(&[point(f64::NAN, 0.0, 0.0)], &[[0, 0, 0]], |_, _| true).is_err());
    }
}
