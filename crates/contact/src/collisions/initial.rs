//! Bodies that are placed face to face are set back before the run, so that every pair of surfaces
//! starts with a positive distance.
//!
//! Continuous collision detection needs that: at distance zero the line between two features does
//! not tell their sides, and a relative velocity would carry rim points into the other body. The
//! points of faces that touch are moved inward by the contact distance of their body, so that the
//! two surfaces start at exactly the distance that contact keeps, and nothing pushes.
//!
//! Rejected: a rule for distance zero in the narrow phase (faces of equal outline that slide by
//! rounding are then inside each other with no way to tell), and moving whole bodies (a body in a
//! snug cavity has nowhere to go).

use crate::tolerances::{FLUSH_DISTANCE, SAME_DIRECTION};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, SpatialError};

/// Rounds of projections onto the directions in which a point is moved; three orthogonal faces need
/// one.
const MAX_PROJECTION_ROUNDS: usize = 32;

/// The surface of a body as it is placed.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSurface<'a> {
    /// Points in the world (m).
    pub positions: &'a [Vec3],
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Half of the distance that it keeps from others like it (m): the `skin` of
    /// [`ContactTriangles`](crate::ContactTriangles).
    pub skin: f64,
}

/// The distance that a point has to move along a direction.
#[derive(Clone, Copy, Debug)]
struct Setback {
    point: u32,
    direction: Vec3,
    distance: f64,
}

/// For each surface, the points of faces that lie flush on a face of another surface, ascending,
/// with the displacement (m) after which the two are apart by the sum of their skins. Empty for
/// surfaces that touch no other one.
///
/// Triangles touch if all corners of one that are within the tolerance of the other's plane overlap
/// the other's inside, and all else of it is on the outer side: a corner, an edge or a whole face
/// of opposite normal. Coplanar side faces of bodies that stand side by side do not. Positions must
/// be finite; fails if one is farther than 1e18 m from the origin.
pub fn separate_flush_faces(surfaces: &[PlacedSurface]) -> Result<Vec<Vec<(u32, Vec3)>>, SpatialError> {
    let mut setbacks: Vec<Vec<Setback>> = vec![Vec::new(); surfaces.len()];
    let bodies: Vec<Aabb> = (surfaces.iter())
        .map(|surface| Aabb::from_points(surface.positions.iter()).grown(FLUSH_DISTANCE * surface.skin))
        .collect();
    let mut neighbours = Vec::new();
    Bvh::build(&bodies)?.self_pairs(&bodies, |one, other| neighbours.push([one.min(other), one.max(other)]));
    neighbours.sort_unstable();
    let mut trees: Vec<Option<(Bvh, Vec<Aabb>)>> = vec![None; surfaces.len()];
    for pair in neighbours {
        let [first, second] = pair.map(|surface| surface as usize);
        // Two that keep no distance, obstacles, are not set back.
        if surfaces[first].skin + surfaces[second].skin <= 0.0 {
            continue;
        }
        for surface in [first, second] {
            if trees[surface].is_none() {
                trees[surface] = Some(tree_of(&surfaces[surface])?);
            }
        }
        let (Some((one, boxes)), Some((other, other_boxes))) = (&trees[first], &trees[second]) else { continue };
        one.pairs(boxes, other, other_boxes, |p, q| {
            find_touch([(first, p), (second, q)], surfaces, &mut setbacks);
            find_touch([(second, q), (first, p)], surfaces, &mut setbacks);
        });
    }
    Ok(setbacks.into_iter().map(displacements).collect())
}

fn tree_of(surface: &PlacedSurface) -> Result<(Bvh, Vec<Aabb>), SpatialError> {
    let around = |triangle: &[u32; 3]| Aabb::from_points(&triangle.map(|corner| surface.positions[corner as usize]));
    let boxes: Vec<Aabb> =
        surface.triangles.iter().map(|triangle| around(triangle).grown(FLUSH_DISTANCE * surface.skin)).collect();
    Ok((Bvh::build(&boxes)?, boxes))
}

/// Records the displacements of a triangle that touches the inside of another one with a corner, an
/// edge or its face, and of that other one.
fn find_touch([(on, p), (under, q)]: [(usize, u32); 2], surfaces: &[PlacedSurface], setbacks: &mut [Vec<Setback>]) {
    let [first, second] = [&surfaces[on], &surfaces[under]];
    let [points, base_points] = [first.triangles[p as usize], second.triangles[q as usize]];
    let corners = points.map(|corner| first.positions[corner as usize]);
    let base = base_points.map(|corner| second.positions[corner as usize]);
    let distance = first.skin + second.skin;
    let tolerance = FLUSH_DISTANCE * distance;
    let Some(normal) = (base[1] - base[0]).cross(&(base[2] - base[0])).try_normalize(0.0) else { return };
    let heights = corners.map(|corner| normal.dot(&(corner - base[0])));
    if heights.iter().any(|&height| !(height >= -tolerance)) {
        return;
    }
    let touching: Vec<usize> = (0..3).filter(|&corner| heights[corner] <= tolerance).collect();
    let is_face = touching.len() == 3;
    if touching.is_empty() || is_face && (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).dot(&normal) >= 0.0
    {
        return;
    }
    let touched: Vec<Vec3> = touching.iter().map(|&corner| corners[corner]).collect();
    if !overlap_in_plane(&touched, &base, &normal, distance) {
        return;
    }
    let gap = touching.iter().map(|&corner| heights[corner]).sum::<f64>() / touching.len() as f64;
    let share = 1.0 - gap / distance;
    setbacks[on].extend(touching.iter().map(|&corner| Setback {
        point: points[corner],
        direction: normal,
        distance: share * first.skin,
    }));
    setbacks[under].extend(base_points.map(|point| Setback {
        point,
        direction: -normal,
        distance: share * second.skin,
    }));
}

/// True if a convex polygon of up to three corners and a triangle in the same plane overlap by more
/// than `margin` (m): no line in the plane separates them (separating axes: the normals of all
/// edges in the plane).
fn overlap_in_plane(polygon: &[Vec3], triangle: &[Vec3; 3], normal: &Vec3, margin: f64) -> bool {
    let edges_of_polygon = (0..polygon.len()).map(|k| polygon[(k + 1) % polygon.len()] - polygon[k]);
    let edges_of_triangle = (0..3).map(|k| triangle[(k + 1) % 3] - triangle[k]);
    edges_of_polygon.chain(edges_of_triangle).all(|edge| {
        // A single corner has no edge.
        let Some(axis) = normal.cross(&edge).try_normalize(0.0) else { return true };
        let range = |points: &[Vec3]| {
            let along = points.iter().map(|point| axis.dot(&(point - triangle[0])));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let ([low, high], [base_low, base_high]) = (range(polygon), range(triangle));
        (high - base_low).min(base_high - low) > margin
    })
}

/// The displacement of each point that goes at least as far along each of its directions as asked.
fn displacements(mut setbacks: Vec<Setback>) -> Vec<(u32, Vec3)> {
    setbacks.sort_by_key(|setback| setback.point);
    let mut all = Vec::new();
    for of_point in setbacks.chunk_by(|one, other| one.point == other.point) {
        let mut distinct: Vec<Setback> = Vec::new();
        for setback in of_point {
            match distinct.iter_mut().find(|one| (one.direction - setback.direction).norm() < SAME_DIRECTION) {
                Some(one) => one.distance = one.distance.max(setback.distance),
                None => distinct.push(*setback),
            }
        }
        let mut displacement = Vec3::zeros();
        for _ in 0..MAX_PROJECTION_ROUNDS {
            for Setback { direction, distance, .. } in &distinct {
                displacement += (distance - displacement.dot(direction)).max(0.0) * direction;
            }
        }
        all.push((of_point[0].point, displacement));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::{Isometry, Rotation};

    const SKIN: f64 = 1e-3;

    /// A box from `low` to `high`: corners by bits x, y, z; twelve triangles.
    fn block(low: [f64; 3], high: [f64; 3]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corner = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    fn displaced(bodies: &[(Vec<Vec3>, Vec<[u32; 3]>)], pose: &Isometry) -> Vec<Vec<(u32, Vec3)>> {
        let placed: Vec<Vec<Vec3>> = bodies
            .iter()
            .map(|(points, _)| points.iter().map(|p| pose.transform_point(&(*p).into()).coords).collect())
            .collect();
        let surfaces: Vec<PlacedSurface> = (placed.iter().zip(bodies))
            .map(|(positions, (_, triangles))| PlacedSurface { positions, triangles, skin: SKIN })
            .collect();
        let back = pose.rotation.inverse();
        let found = separate_flush_faces(&surfaces).unwrap();
        found.into_iter().map(|points| points.into_iter().map(|(point, way)| (point, back * way)).collect()).collect()
    }

    fn turned() -> Isometry {
        Isometry::from_parts(Vec3::new(3.3, -1.0, 0.7).into(), Rotation::new(Vec3::new(0.4, -1.1, 0.3)))
    }

    #[test]
    fn equal_faces_are_set_back_along_their_normal_alone() {
        let bodies = [block([-1.0, 0.0, 0.0], [0.0, 1.0, 1.0]), block([0.0, 0.0, 0.0], [2.0, 1.0, 1.0])];
        for pose in [Isometry::identity(), turned()] {
            let found = displaced(&bodies, &pose);
            assert_eq!(found[0].iter().map(|one| one.0).collect::<Vec<_>>(), [1, 3, 5, 7]);
            assert_eq!(found[1].iter().map(|one| one.0).collect::<Vec<_>>(), [0, 2, 4, 6]);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                assert!(found[side].iter().all(|one| (one.1 - sign * SKIN * Vec3::x()).norm() < 1e-9), "{found:?}");
            }
        }
    }

    #[test]
    fn a_corner_of_a_room_sets_back_in_three_directions() {
        let bodies = [
            block([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
            block([-1.0, -1.0, -1.0], [0.0, 2.0, 2.0]),
            block([0.0, -1.0, -1.0], [2.0, 0.0, 2.0]),
            block([0.0, 0.0, -1.0], [2.0, 2.0, 0.0]),
        ];
        let found = displaced(&bodies, &turned());
        let corner = found[0].iter().find(|one| one.0 == 0).unwrap().1;
        assert!((corner - SKIN * Vec3::repeat(1.0)).norm() < 1e-9, "{corner}");
        let edge = found[0].iter().find(|one| one.0 == 1).unwrap().1;
        assert!((edge - SKIN * Vec3::new(0.0, 1.0, 1.0)).norm() < 1e-9, "{edge}");
    }

    #[test]
    fn bodies_that_stand_side_by_side_or_apart_stay_where_they_are() {
        let first = block([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
        // Beside it with a common edge, with a gap, and inside a wide distance.
        for other in [
            block([1.0, 1.0, 0.0], [2.0, 2.0, 1.0]),
            block([1.0 + 2.0 * SKIN, 0.0, 0.0], [2.0, 1.0, 1.0]),
            block([5.0, 0.0, 0.0], [6.0, 1.0, 1.0]),
        ] {
            let found = displaced(&[first.clone(), other], &turned());
            assert!(found.iter().all(Vec::is_empty), "{found:?}");
        }
    }

    #[test]
    fn a_narrow_face_crosses_a_wide_one_and_gaps_of_rounding_count() {
        let beam = block([0.2, 1.0 + 1e-5, -1.0], [0.8, 2.0, 2.0]);
        let found = displaced(&[block([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]), beam], &turned());
        assert_eq!((found[0].len(), found[1].len()), (4, 4), "{found:?}");
        let gap = 1e-5 + found[1][0].1.y - found[0][0].1.y;
        assert!((gap - 2.0 * SKIN).abs() < 1e-9, "{gap}");
    }

    #[test]
    fn a_corner_on_a_face_is_lifted() {
        let top = (
            vec![
                Vec3::new(0.5, 1.0, 0.4),
                Vec3::new(0.2, 2.0, 0.2),
                Vec3::new(0.8, 2.0, 0.2),
                Vec3::new(0.5, 2.0, 0.9),
            ],
            vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
        );
        let found = displaced(&[block([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]), top], &turned());
        assert_eq!(found[1].len(), 1);
        assert!((found[1][0].1 - SKIN * Vec3::y()).norm() < 1e-9);
    }

    #[test]
    fn what_is_too_far_away_is_an_error() {
        let (points, triangles) = block([0.0; 3], [1e19; 3]);
        assert!(
            separate_flush_faces(&[PlacedSurface { positions: &points, triangles: &triangles, skin: SKIN }]).is_err()
        );
    }
}
