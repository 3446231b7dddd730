//! Whether surfaces pass through each other: what no run may ever contain.
//!
//! Touching is no tangle: boxes that were placed face to face share whole triangles. An edge must pass clearly through the inside of a
//! triangle, or a place just beneath the skin of one must lie inside the other.

use crate::{ContactTriangles, Lips};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, SpatialError, WindingTree};

/// How far both ends of an edge must be off a triangle's plane, as a share of the edge, and the place between them off the triangle's
/// edges, as a weight of its corners.
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
        (0..self.triangles.triangles.len() as u32).map(|triangle| Aabb::around(&self.corners(triangle))).collect()
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
    let lips = Lips::new(triangles, surface.triangles.origins, surface.places.len());
    let crossing = |&[one, other]: &[u32; 2]| {
        let corners = [surface.corners(one), surface.corners(other)];
        let place = crossing(&corners[0], &corners[1])?;
        let are_kin = lips.are_kin(&triangles[one as usize], &triangles[other as usize]);
        (!are_kin || depth(&corners[0], &corners[1]) > 2.0 * surface.triangles.skin).then_some(place)
    };
    Ok(pairs.iter().find_map(crossing))
}

/// How deep two triangles that cross are in each other (m): the least of how far each reaches through the other's plane, and of how long they
/// cut each other. Lips of a crack that has not opened lie on each other, and may be in each other by the distance that surfaces keep.
pub fn depth(one: &[Vec3; 3], other: &[Vec3; 3]) -> f64 {
    let across = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0);
    let (Some(first), Some(second)) = (across(one), across(other)) else { return 0.0 };
    let line = first.cross(&second);
    let (reach, stretch) = cut(one, &other[0], &second, &line);
    let (other_reach, other_stretch) = cut(other, &one[0], &first, &line);
    let common = stretch[1].min(other_stretch[1]) - stretch[0].max(other_stretch[0]);
    // The line is as long as the sine of the angle between the planes.
    let length = common / line.norm_squared();
    reach.min(other_reach).min(if length.is_finite() { length.max(0.0) * line.norm() } else { f64::INFINITY })
}

/// How far the lesser part of a triangle reaches through a plane (m), and from where to where along a line in that plane it cuts it.
fn cut(triangle: &[Vec3; 3], on: &Vec3, normal: &Vec3, line: &Vec3) -> (f64, [f64; 2]) {
    let heights = triangle.map(|corner| (corner - on).dot(normal));
    let [above, below] = [1.0, -1.0].map(|sign| heights.iter().fold(0.0, |most: f64, height| most.max(sign * height)));
    let mut stretch = [f64::INFINITY, f64::NEG_INFINITY];
    for (from, to) in [(0, 1), (1, 2), (2, 0)].into_iter().filter(|&(from, to)| heights[from] * heights[to] < 0.0) {
        let share = heights[from] / (heights[from] - heights[to]);
        let along = (triangle[from] + share * (triangle[to] - triangle[from])).dot(line);
        stretch = [stretch[0].min(along), stretch[1].max(along)];
    }
    (above.min(below), stretch)
}

/// A place of the first within the second.
fn contained(first: &Moment, second: &Moment) -> Result<Option<Vec3>, SpatialError> {
    let triangles = second.triangles.triangles;
    if !second.triangles.is_closed || triangles.is_empty() {
        return Ok(None);
    }
    let bounds = Aabb::around(second.places);
    let mut near = first.beneath();
    near.retain(|place| bounds.contains(place));
    if near.is_empty() {
        return Ok(None);
    }
    let tree = WindingTree::new(second.places, triangles)?;
    Ok(near.into_iter().find(|place| tree.winding_number(place) > INSIDE))
}

/// Where an edge of one triangle passes through the other.
fn crossing(one: &[Vec3; 3], other: &[Vec3; 3]) -> Option<Vec3> {
    let through = |edges: &[Vec3; 3], triangle: &[Vec3; 3]| {
        (0..3).find_map(|side| piercing(&edges[side], &edges[(side + 1) % 3], triangle))
    };
    through(one, other).or_else(|| through(other, one))
}

fn piercing(from: &Vec3, to: &Vec3, triangle: &[Vec3; 3]) -> Option<Vec3> {
    let [a, b, c] = triangle;
    let across = (b - a).cross(&(c - a));
    let [above, below] = [from, to].map(|end| (end - a).dot(&across));
    let clearly = CLEARLY * (to - from).norm() * across.norm();
    // Written so that places which are not numbers do not count: the check of the prediction names them.
    if !(above * below < 0.0 && above.abs() > clearly && below.abs() > clearly) {
        return None;
    }
    let place = from + (to - from) * (above / (above - below));
    let weight = |one: &Vec3, other: &Vec3| (one - place).cross(&(other - place)).dot(&across) / across.norm_squared();
    [weight(b, c), weight(c, a), weight(a, b)].into_iter().all(|weight| weight > CLEARLY).then_some(place)
}
