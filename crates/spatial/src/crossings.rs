//! Triangles that cross, by exact predicates; touching does not count.
//!
//! Two triangles cross if each has corners strictly on both sides of the other's plane and the two
//! intervals that they cut out of the common line of the planes overlap in more than a point.
//! Coplanar faces, edges on edges and corners on faces do not cross: stacked boxes, the faces of a
//! crack that has just opened, triangles with a common edge.

use std::ops::ControlFlow;

use craze_math::Vec3;
use craze_math::predicates::orient3d;

use crate::bvh::Bvh;
use crate::error::SpatialError;
use crate::intersections::sign;
use crate::triangles::{boxes, check};

/// The first pair of crossing triangles, smaller index first, among the pairs that `counts`
/// accepts. Deterministic.
///
/// Fails like [`TriangleTree::new`](crate::TriangleTree::new).
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

/// True if two triangles cross. Touching does not count; a triangle without area crosses nothing.
///
/// The interval test is that of Guigue & Devillers, "Fast and robust triangle–triangle overlap test
/// using orientation predicates" (2003), §3, with strict signs.
pub fn triangles_cross(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
    let Some((first, first_side)) = with_tip_first(one, other) else { return false };
    let Some((second, second_side)) = with_tip_first(other, one) else { return false };
    // Oriented so that the tip of the other is on the positive side: then both intervals have the
    // same direction.
    let ([a, b, c], [p, q, r]) = (oriented(first, second_side), oriented(second, first_side));
    orient3d(&a, &b, &p, &q) < 0.0 && orient3d(&a, &c, &r, &p) < 0.0
}

/// The triangle rotated so that its first corner is alone on its side of the plane, and the sign of
/// that side; `None` unless it has corners strictly on both sides.
fn with_tip_first(triangle: &[Vec3; 3], [a, b, c]: &[Vec3; 3]) -> Option<([Vec3; 3], i32)> {
    let sides = triangle.map(|corner| sign(orient3d(a, b, c, &corner)));
    if !(sides.contains(&1) && sides.contains(&-1)) {
        return None;
    }
    let is_tip = |&k: &usize| sides[k] != 0 && sides[(k + 1) % 3] != sides[k] && sides[(k + 2) % 3] != sides[k];
    let tip = (0..3).find(is_tip)?;
    Some(([0, 1, 2].map(|k| triangle[(tip + k) % 3]), sides[tip]))
}

/// The triangle, reversed if the other's tip is on its negative side.
fn oriented([tip, left, right]: [Vec3; 3], sign: i32) -> [Vec3; 3] {
    if sign > 0 { [tip, left, right] } else { [tip, right, left] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersections::triangles_intersect;
    use crate::testing::sphere;
    use craze_math::Random;

    fn point(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    const FLAT: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

    /// The answer, which must be the same for every order of corners and triangles.
    fn cross(one: &[Vec3; 3], other: &[Vec3; 3]) -> bool {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let answer = triangles_cross(one, other);
        for order in ORDERS {
            let permuted = order.map(|k| one[k]);
            assert_eq!([triangles_cross(&permuted, other), triangles_cross(other, &permuted)], [answer; 2]);
        }
        answer
    }

    #[test]
    fn random_triangles_cross_where_they_intersect() {
        let mut random = Random::new(7);
        let mut crossing = 0;
        for _ in 0..20_000 {
            let mut triangle = || [random.vector(), random.vector(), random.vector()];
            let (one, other) = (triangle(), triangle());
            let meet = triangles_intersect(&one, &other);
            assert_eq!(cross(&one, &other), meet, "{one:?} {other:?}");
            crossing += usize::from(meet);
        }
        assert!((1000..19_000).contains(&crossing), "{crossing} say nothing");
    }

    #[test]
    fn touching_does_not_cross_but_the_smallest_penetration_does() {
        let standing = [point(0.25, 0.25, 0.0), point(0.2, 0.2, 1.0), point(0.3, 0.2, 1.0)];
        assert!(triangles_intersect(&FLAT, &standing) && !cross(&FLAT, &standing));
        let mut entered = standing;
        entered[0].z = -f64::MIN_POSITIVE;
        assert!(cross(&FLAT, &entered), "the smallest number is enough");
        assert!(!cross(&FLAT, &FLAT), "face to face");
        let over_an_edge = [FLAT[0], FLAT[1], point(0.3, 0.2, 1e-300)];
        assert!(!cross(&FLAT, &over_an_edge), "a common edge");
        let edge_on_edge = [point(0.5, 0.0, 1.0), point(0.5, 0.0, -1.0), point(0.5, -1.0, 0.0)];
        assert!(triangles_intersect(&FLAT, &edge_on_edge) && !cross(&FLAT, &edge_on_edge));
        assert!(!cross(&FLAT, &[FLAT[0], FLAT[0], point(0.2, 0.2, 1.0)]), "no area");
    }

    #[test]
    fn edges_through_edges_and_triangles_with_a_common_corner_cross() {
        // Triangles crossing at right angles; each crossing edge passes exactly through an edge.
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
