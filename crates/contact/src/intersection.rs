//! Whether surfaces pass through each other: what no run may ever contain.
//!
//! Touching is no intersection: boxes that were placed face to face share whole triangles. Two triangles must cross, which exact predicates
//! decide ([`triangles_cross`]), and clearly so, or a place just beneath the skin of one must lie inside the other.

use crate::geometry::MAX_CRACK_FACE_PENETRATION;
use crate::{ContactTriangles, CrackFaces};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, SpatialError, WindingTree, triangles_cross};

/// How deep two triangles must be in each other, in units of the smaller one's size.
const CLEARLY: f64 = 1e-6;

/// Depth of a place just beneath a triangle, in units of the triangle's size.
const BENEATH: f64 = 1e-3;

/// Winding number from which on a point is inside: on a face it is a half, on an edge that points inward three quarters.
const INSIDE: f64 = 0.9;

/// A surface at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Places of its points (m).
    pub places: &'a [Vec3],
    /// How they hang together.
    pub triangles: ContactTriangles<'a>,
}

impl Moment<'_> {
    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles.triangles[triangle as usize].map(|corner| self.places[corner as usize])
    }

    fn boxes(&self) -> Vec<Aabb> {
        (0..self.triangles.triangles.len() as u32).map(|triangle| Aabb::from_points(&self.corners(triangle))).collect()
    }

    /// A place just beneath every triangle, or the points themselves where there is none.
    fn beneath(&self) -> Vec<Vec3> {
        let place = |triangle: u32| {
            let [a, b, c] = self.corners(triangle);
            let outward = (b - a).cross(&(c - a));
            let size = outward.norm().sqrt();
            (a + b + c) / 3.0 - if size > 0.0 { BENEATH / size * outward } else { outward }
        };
        match self.triangles.triangles.len() as u32 {
            0 => self.places.to_vec(),
            _ if !self.triangles.is_closed => Vec::new(),
            count => (0..count).map(place).collect(),
        }
    }
}

/// Where two surfaces pass through each other (m): the first place in the order of their triangles; none if they are apart or only touch.
pub fn between(first: &Moment, second: &Moment) -> Result<Option<Vec3>, SpatialError> {
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

/// Where a surface passes through itself (m).
pub fn within(surface: &Moment) -> Result<Option<Vec3>, SpatialError> {
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
    let crack_faces = CrackFaces::new(triangles, surface.triangles.origins, surface.places.len());
    let crossing = |&[one, other]: &[u32; 2]| {
        let corners = [surface.corners(one), surface.corners(other)];
        let place = crossing(&corners[0], &corners[1])?;
        let are_crack_faces = crack_faces.are_crack_faces(&triangles[one as usize], &triangles[other as usize]);
        (!are_crack_faces || depth(&corners[0], &corners[1]) > MAX_CRACK_FACE_PENETRATION * surface.triangles.skin)
            .then_some(place)
    };
    Ok(pairs.iter().find_map(crossing))
}

/// How deep two triangles that cross are in each other (m): the least of how far each reaches through the other's plane, and of how long they
/// cut each other. CrackFaces of a crack that has not opened lie on each other, and may be in each other by [`MAX_CRACK_FACE_PENETRATION`].
pub fn depth(one: &[Vec3; 3], other: &[Vec3; 3]) -> f64 {
    cut(one, other).map_or(0.0, |cut| cut.depth)
}

/// How two triangles that cross cut each other.
struct Cut {
    /// See [`depth`] (m).
    depth: f64,
    /// The middle of the stretch along which they do (m).
    place: Vec3,
}

/// None if one of them has no area, or if they do not cut each other.
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
    // The line is as long as the sine of the angle between the planes.
    let length = (to - from).dot(&line) / line.norm_squared();
    let length = if length.is_finite() { length.max(0.0) * line.norm() } else { f64::INFINITY };
    Some(Cut { depth: reach.min(other_reach).min(length), place: 0.5 * (from + to) })
}

/// How far the lesser part of a triangle reaches through a plane (m), and the two places where its edges pass through (m).
fn through(triangle: &[Vec3; 3], on: &Vec3, normal: &Vec3) -> Option<(f64, [Vec3; 2])> {
    let heights = triangle.map(|corner| (corner - on).dot(normal));
    let [above, below] = [1.0, -1.0].map(|sign| heights.iter().fold(0.0, |most: f64, height| most.max(sign * height)));
    let sides = [(0, 1), (1, 2), (2, 0)].into_iter().filter(|&(from, to)| (heights[from] > 0.0) != (heights[to] > 0.0));
    let mut places = sides.map(|(from, to)| {
        let share = heights[from] / (heights[from] - heights[to]);
        triangle[from] + share * (triangle[to] - triangle[from])
    });
    Some((above.min(below), [places.next()?, places.next()?]))
}

/// A place of the first within the second.
fn contained(first: &Moment, second: &Moment) -> Result<Option<Vec3>, SpatialError> {
    let triangles = second.triangles.triangles;
    if !second.triangles.is_closed || triangles.is_empty() {
        return Ok(None);
    }
    let bounds = Aabb::from_points(second.places);
    let mut near = first.beneath();
    near.retain(|place| bounds.contains(place));
    if near.is_empty() {
        return Ok(None);
    }
    let tree = WindingTree::new(second.places, triangles)?;
    Ok(near.into_iter().find(|place| tree.winding_number(place) > INSIDE))
}

/// Where two triangles cross, clearly.
fn crossing(one: &[Vec3; 3], other: &[Vec3; 3]) -> Option<Vec3> {
    if !triangles_cross(one, other) {
        return None;
    }
    let size = |[a, b, c]: &[Vec3; 3]| (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let cut = cut(one, other)?;
    (cut.depth > CLEARLY * size(one).min(size(other))).then_some(cut.place)
}
