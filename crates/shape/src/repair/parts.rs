//! What of a surface lies far apart, and what of it encloses nothing and lies far off.
//!
//! One stray triangle a kilometre from a cup would make everything that is measured along the whole of it a kilometre coarse.

use craze_math::{DisjointSets, Vec3};
use craze_spatial::{Aabb, Bvh, SpatialError, WindingTree};

use super::edges::Edges;
use crate::surface::TriangleSurface;
use crate::words::{grouped, short};

/// How far winding numbers must exceed ½ to prove an inside: a plane sheet has just ½ behind it.
const PROOF: f64 = 0.1;
/// Depths at which an inside is looked for behind triangles, as shares of the size,
const PROBE_DEPTHS: [f64; 3] = [1e-4, 1e-3, 1e-2];
/// and of the triangle: one point far off makes the size a poor measure.
const PROBE_DEPTH_OF_TRIANGLE: f64 = 0.05;
/// Triangles of one component behind which an inside is looked for.
const PROBES: usize = 64;
/// What encloses nothing and sticks out by more than this share of the size of what does is a stray.
const STRAY: f64 = 0.5;
/// Parts farther apart than so many times the size of the largest are worth a warning.
const FAR: f64 = 100.0;

/// What a surface consists of.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Boxes around what lies together; they do not touch. At least one.
    pub boxes: Vec<Aabb>,
    /// The part of each triangle; none for strays.
    pub of_triangle: Vec<Option<u32>>,
    /// Components that enclose nothing and lie far off.
    strays: usize,
    /// A point of the farthest of them (m), and its distance to the rest (m).
    farthest: Option<(Vec3, f64)>,
}

impl Parts {
    /// Looks at what hangs together through edges.
    pub fn of(surface: &TriangleSurface, edges: &Edges, winding: &WindingTree) -> Result<Self, SpatialError> {
        let triangles = &surface.triangles;
        let mut sets = DisjointSets::new(triangles.len());
        for sides in edges.iter() {
            sides.windows(2).for_each(|pair| sets.join(pair[0].face, pair[1].face));
        }
        let (component_of, count) = sets.numbered();
        let all =
            || Self { boxes: vec![surface.bounds()], of_triangle: vec![Some(0); triangles.len()], ..Self::default() };
        if count < 2 {
            return Ok(all());
        }
        let mut boxes = vec![Aabb::EMPTY; count];
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (triangle, &component) in (0..).zip(&component_of) {
            let around = Aabb::around(&surface.corners(&triangles[triangle as usize]));
            boxes[component as usize] = boxes[component as usize].union(&around);
            members[component as usize].push(triangle);
        }
        let mut closed = vec![true; count];
        for side in edges.open_sides() {
            closed[component_of[side.face as usize] as usize] = false;
        }
        let encloses: Vec<bool> = (0..count)
            .map(|component| {
                let step = members[component].len().div_ceil(PROBES);
                let mut looks = members[component].iter().step_by(step);
                (closed[component] && members[component].len() >= 4)
                    || looks.any(|&triangle| {
                        let corners = surface.corners(&triangles[triangle as usize]);
                        proves_inside(winding, &corners, boxes[component].size().max())
                    })
            })
            .collect();
        if !encloses.contains(&true) {
            return Ok(all());
        }
        let (part_of, parts) = together(&boxes)?;
        // What encloses something in each part.
        let mut solid = vec![Aabb::EMPTY; parts];
        for component in (0..count).filter(|&component| encloses[component]) {
            let part = part_of[component] as usize;
            solid[part] = solid[part].union(&boxes[component]);
        }
        let is_stray = |component: usize| {
            let solid = &solid[part_of[component] as usize];
            !encloses[component] && (solid.is_empty() || beyond(solid, &boxes[component]) > STRAY * solid.size().max())
        };
        let strays: Vec<bool> = (0..count).map(is_stray).collect();
        let mut found = Self { strays: strays.iter().filter(|&&is| is).count(), ..Self::default() };
        let mut kept_boxes = vec![Aabb::EMPTY; parts];
        for component in 0..count {
            if strays[component] {
                let place = boxes[component].centre();
                let nearest =
                    solid.iter().filter(|solid| !solid.is_empty()).map(|solid| solid.distance_squared(&place));
                let distance = nearest.fold(f64::INFINITY, f64::min).sqrt();
                if found.farthest.is_none_or(|(_, known)| distance > known) {
                    found.farthest = Some((place, distance));
                }
            } else {
                let part = part_of[component] as usize;
                kept_boxes[part] = kept_boxes[part].union(&boxes[component]);
            }
        }
        // Parts without anything solid are all strays.
        let mut number = vec![None; parts];
        for (part, around) in kept_boxes.iter().enumerate().filter(|(_, around)| !around.is_empty()) {
            number[part] = Some(found.boxes.len() as u32);
            found.boxes.push(*around);
        }
        let part_of = |&component: &u32| {
            let component = component as usize;
            (!strays[component]).then_some(number[part_of[component] as usize]).flatten()
        };
        found.of_triangle = component_of.iter().map(part_of).collect();
        Ok(found)
    }

    /// The surface without strays, if there are any.
    pub fn without_strays(&mut self, surface: &TriangleSurface) -> Option<TriangleSurface> {
        if self.strays == 0 {
            return None;
        }
        let kept = surface.triangles.iter().zip(&self.of_triangle).filter(|(_, part)| part.is_some());
        let mut triangles: Vec<[u32; 3]> = kept.map(|(triangle, _)| *triangle).collect();
        let mut is_used = vec![false; surface.positions.len()];
        triangles.iter().flatten().for_each(|&point| is_used[point as usize] = true);
        let mut number = vec![0; surface.positions.len()];
        let mut positions = Vec::new();
        for point in (0..surface.positions.len()).filter(|&point| is_used[point]) {
            number[point] = positions.len() as u32;
            positions.push(surface.positions[point]);
        }
        triangles.iter_mut().flatten().for_each(|point| *point = number[*point as usize]);
        self.of_triangle.retain(Option::is_some);
        Some(TriangleSurface { positions, triangles })
    }

    /// Volume (m³) of a closed surface by the divergence theorem, each part from its own middle, so that parts far apart lose no digits.
    pub fn volume(&self, surface: &TriangleSurface) -> f64 {
        let middles: Vec<Vec3> = self.boxes.iter().map(Aabb::centre).collect();
        let sixfold = |(triangle, part): (&[u32; 3], &Option<u32>)| {
            let middle = part.map_or_else(Vec3::zeros, |part| middles[part as usize]);
            let [a, b, c] = surface.corners(triangle).map(|corner| corner - middle);
            a.dot(&b.cross(&c))
        };
        surface.triangles.iter().zip(&self.of_triangle).map(sixfold).sum::<f64>() / 6.0
    }

    /// Size (m) of the largest part.
    pub fn largest(&self) -> f64 {
        self.boxes.iter().map(|part| part.size().max()).fold(0.0, f64::max)
    }

    /// What was left out, and what lies far apart, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((place, distance)) = self.farthest {
            let parts = if self.strays == 1 {
                "1 part that encloses nothing lies".to_owned()
            } else {
                format!("{} parts that enclose nothing lie", grouped(self.strays))
            };
            let [x, y, z] = <[f64; 3]>::from(place).map(short);
            warnings.push(format!("{parts} up to {} m off, near ({x}, {y}, {z}) m, and went", short(distance)));
        }
        let span = self.boxes.iter().fold(Aabb::EMPTY, |all, part| all.union(part)).size().max();
        if self.boxes.len() > 1 && span > FAR * self.largest() {
            let parts = grouped(self.boxes.len());
            let largest = short(self.largest());
            warnings.push(format!("{parts} parts of at most {largest} m lie far apart, over {} m", short(span)));
        }
        warnings
    }
}

/// Whether the surface winds clearly more than half around a point behind a triangle of something of this size (m).
pub(super) fn proves_inside(winding: &WindingTree, [a, b, c]: &[Vec3; 3], size: f64) -> bool {
    let doubled = (b - a).cross(&(c - a));
    let Some(normal) = doubled.try_normalize(0.0) else { return false };
    let middle = (a + b + c) / 3.0;
    let own = PROBE_DEPTH_OF_TRIANGLE * doubled.norm().sqrt();
    let proves = |depth: f64| winding.winding_number(&(middle - normal * depth)) > 0.5 + PROOF;
    proves(own) || PROBE_DEPTHS.into_iter().any(|depth| proves(depth * size))
}

/// How far (m) one box sticks out of another.
fn beyond(inner: &Aabb, outer: &Aabb) -> f64 {
    (inner.min - outer.min).max().max((outer.max - inner.max).max())
}

/// Puts boxes together that are no farther apart than the larger is long, until none are; numbers them by their first.
fn together(boxes: &[Aabb]) -> Result<(Vec<u32>, usize), SpatialError> {
    let mut sets = DisjointSets::new(boxes.len());
    let larger = |one: &&Aabb, other: &&Aabb| one.size().max().total_cmp(&other.size().max());
    let largest = boxes.iter().max_by(larger).copied().unwrap_or(Aabb::EMPTY);
    let near = largest.grown(largest.size().max());
    if boxes.iter().all(|other| other.overlaps(&near)) {
        (1..boxes.len() as u32).for_each(|index| sets.join(0, index));
    }
    loop {
        let (number, count) = sets.numbered();
        let mut joined = vec![Aabb::EMPTY; count];
        let mut first = vec![u32::MAX; count];
        for (index, &part) in (0..).zip(&number) {
            joined[part as usize] = joined[part as usize].union(&boxes[index as usize]);
            first[part as usize] = first[part as usize].min(index);
        }
        let bvh = Bvh::build(&joined)?;
        for (part, reach) in joined.iter().enumerate() {
            let near = reach.grown(reach.size().max());
            bvh.overlapping(&near, &joined, |other| sets.join(first[part], first[other as usize]));
        }
        if sets.numbered().1 == count {
            return Ok((number, count));
        }
    }
}
