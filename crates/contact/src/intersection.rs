//! The exact test for surfaces that pass through each other, which no state may contain.
//!
//! Touching is no intersection: boxes that were placed face to face share whole triangles. Two
//! triangles must cross, which exact predicates decide ([`triangles_cross`]), by more than a
//! tolerance, or a point just below the surface of one must lie inside the other.

use crate::tolerances::{
    INSIDE_PROBE_DEPTH, INSIDE_WINDING_NUMBER, MAX_CRACK_FACE_PENETRATION, MIN_INTERSECTION_DEPTH,
};
use crate::{ContactTriangles, CrackFaces};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, SpatialError, WindingTree, triangles_cross};

/// A surface at given positions.
#[derive(Clone, Copy, Debug)]
pub struct PosedSurface<'a> {
    /// Positions of its points (m).
    pub positions: &'a [Vec3],
    /// Its triangles.
    pub triangles: ContactTriangles<'a>,
}

impl PosedSurface<'_> {
    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles.triangles[triangle as usize].map(|corner| self.positions[corner as usize])
    }

    fn boxes(&self) -> Vec<Aabb> {
        (0..self.triangles.triangles.len() as u32).map(|triangle| Aabb::from_points(&self.corners(triangle))).collect()
    }

    /// A point just below each triangle, or the points themselves where there are none.
    fn beneath(&self) -> Vec<Vec3> {
        let place = |triangle: u32| {
            let [a, b, c] = self.corners(triangle);
            let outward = (b - a).cross(&(c - a));
            let size = outward.norm().sqrt();
            (a + b + c) / 3.0 - if size > 0.0 { INSIDE_PROBE_DEPTH / size * outward } else { outward }
        };
        match self.triangles.triangles.len() as u32 {
            0 => self.positions.to_vec(),
            _ if !self.triangles.is_closed => Vec::new(),
            count => (0..count).map(place).collect(),
        }
    }
}

/// A point in which two surfaces intersect (m): the first one in the order of their triangles; none
/// if they are apart or only touch.
pub fn between(first: &PosedSurface, second: &PosedSurface) -> Result<Option<Vec3>, SpatialError> {
    let (here, there) = (first.boxes(), second.boxes());
    let mut pairs = Vec::new();
    Bvh::build(&here)?.pairs(&here, &Bvh::build(&there)?, &there, |one, other| pairs.push([one, other]));
    pairs.sort_unstable();
    let crossing = pairs.iter().find_map(|&[one, other]| crossing(&first.corners(one), &second.corners(other)));
    match crossing {
        Some(place) => Ok(Some(place)),
        None => Ok(contained(first, second)?.or(contained(second, first)?)),
    }
}

/// A point in which a surface intersects itself (m).
pub fn within(surface: &PosedSurface) -> Result<Option<Vec3>, SpatialError> {
    let boxes = surface.boxes();
    let mut pairs = Vec::new();
    let triangles = surface.triangles.triangles;
    Bvh::build(&boxes)?.self_pairs(&boxes, |one, other| {
        let others = triangles[other as usize];
        if !triangles[one as usize].iter().any(|corner| others.contains(corner)) {
            pairs.push([one.min(other), one.max(other)]);
        }
    });
    pairs.sort_unstable();
    let crack_faces = CrackFaces::new(triangles, surface.triangles.origins, surface.positions.len());
    let crossing = |&[one, other]: &[u32; 2]| {
        let corners = [surface.corners(one), surface.corners(other)];
        let place = crossing(&corners[0], &corners[1])?;
        let are_crack_faces = crack_faces.are_crack_faces(&triangles[one as usize], &triangles[other as usize]);
        (!are_crack_faces || depth(&corners[0], &corners[1]) > MAX_CRACK_FACE_PENETRATION * surface.triangles.skin)
            .then_some(place)
    };
    Ok(pairs.iter().find_map(crossing))
}

/// Depth of the intersection of two triangles that cross (m): the minimum of how far each reaches
/// through the plane of the other, and of the length of their intersection. Faces of a closed crack
/// coincide, and may penetrate by [`MAX_CRACK_FACE_PENETRATION`].
pub fn depth(one: &[Vec3; 3], other: &[Vec3; 3]) -> f64 {
    cut(one, other).map_or(0.0, |cut| cut.depth)
}

/// The intersection of two triangles.
struct Cut {
    /// See [`depth`] (m).
    depth: f64,
    /// The middle of the segment in which they intersect (m).
    place: Vec3,
}

/// None if one of them has no area, or if they do not intersect.
fn cut(one: &[Vec3; 3], other: &[Vec3; 3]) -> Option<Cut> {
    let across = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0);
    let (first, second) = (across(one)?, across(other)?);
    let line = first.cross(&second);
    let (reach, stretch) = through(one, &other[0], &second)?;
    let (other_reach, other_stretch) = through(other, &one[0], &first)?;
    let in_order = |[from, to]: [Vec3; 2]| if from.dot(&line) <= to.dot(&line) { [from, to] } else { [to, from] };
    let ([a, b], [p, q]) = (in_order(stretch), in_order(other_stretch));
    let from = if a.dot(&line) >= p.dot(&line) { a } else { p };
    let to = if b.dot(&line) <= q.dot(&line) { b } else { q };
    // The direction is as long as the sine of the angle between the planes.
    let length = (to - from).dot(&line) / line.norm_squared();
    let length = if length.is_finite() { length.max(0.0) * line.norm() } else { f64::INFINITY };
    Some(Cut { depth: reach.min(other_reach).min(length), place: 0.5 * (from + to) })
}

/// How far the smaller part of a triangle reaches through a plane (m), and the two points in which
/// its edges pass through it (m).
fn through(triangle: &[Vec3; 3], on: &Vec3, normal: &Vec3) -> Option<(f64, [Vec3; 2])> {
    let heights = triangle.map(|corner| (corner - on).dot(normal));
    let [above, below] = [1.0, -1.0].map(|sign| heights.iter().fold(0.0, |most: f64, height| most.max(sign * height)));
    let sides = [(0, 1), (1, 2), (2, 0)].into_iter().filter(|&(from, to)| (heights[from] > 0.0) != (heights[to] > 0.0));
    let mut positions = sides.map(|(from, to)| {
        let share = heights[from] / (heights[from] - heights[to]);
        triangle[from] + share * (triangle[to] - triangle[from])
    });
    Some((above.min(below), [positions.next()?, positions.next()?]))
}

/// A point of the first within the second.
fn contained(first: &PosedSurface, second: &PosedSurface) -> Result<Option<Vec3>, SpatialError> {
    let triangles = second.triangles.triangles;
    if !second.triangles.is_closed || triangles.is_empty() {
        return Ok(None);
    }
    let bounds = Aabb::from_points(second.positions);
    let mut near = first.beneath();
    near.retain(|place| bounds.contains(place));
    if near.is_empty() {
        return Ok(None);
    }
    let tree = WindingTree::new(second.positions, triangles)?;
    Ok(near.into_iter().find(|place| tree.winding_number(place) > INSIDE_WINDING_NUMBER))
}

/// A point in which two triangles cross by more than the tolerance.
fn crossing(one: &[Vec3; 3], other: &[Vec3; 3]) -> Option<Vec3> {
    if !triangles_cross(one, other) {
        return None;
    }
    let size = |[a, b, c]: &[Vec3; 3]| (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let cut = cut(one, other)?;
    (cut.depth > MIN_INTERSECTION_DEPTH * size(one).min(size(other))).then_some(cut.place)
}
