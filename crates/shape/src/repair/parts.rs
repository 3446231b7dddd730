//! Separate parts of a surface, and strays: components far away that enclose nothing.
//!
//! One stray triangle a kilometre from a cup would spoil everything measured relative to the size.

use craze_math::{DisjointSets, Vec3};
use craze_spatial::{Aabb, Bvh, SpatialError, WindingTree};

use super::edges::Edges;
use crate::number_format::{grouped, short};
use crate::surface::TriangleSurface;

/// Excess of the winding number over ½ that proves an inside: behind a plane sheet it is just ½.
const INSIDE_MARGIN: f64 = 0.1;
/// Depths behind triangles at which an inside is searched for, as shares of the size
const PROBE_DEPTHS: [f64; 3] = [1e-4, 1e-3, 1e-2];
/// and of the triangle's size, in case an outlier dominates the size.
const PROBE_DEPTH_PER_TRIANGLE_SIZE: f64 = 0.05;
/// Triangles per component behind which an inside is searched for.
const MAX_INSIDE_PROBES: usize = 64;
/// Overhang beyond the enclosing components, over their size, from which a component that encloses
/// nothing is a stray.
const STRAY_OVERHANG_RATIO: f64 = 0.5;
/// Total span, in sizes of the largest part, from which distant parts are reported.
const REPORTED_SPAN_RATIO: f64 = 100.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Bounding boxes of the parts, at least one; they do not overlap.
    pub boxes: Vec<Aabb>,
    /// The part of each triangle; none for strays.
    pub of_triangle: Vec<Option<u32>>,
    strays: usize,
    /// Position of the farthest stray and its distance to the enclosing components (m).
    farthest: Option<(Vec3, f64)>,
}

impl Parts {
    /// Finds the parts from the components connected through edges.
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
            let around = Aabb::from_points(&surface.corners(&triangles[triangle as usize]));
            boxes[component as usize] = boxes[component as usize].union(&around);
            members[component as usize].push(triangle);
        }
        let mut closed = vec![true; count];
        for side in edges.open_sides() {
            closed[component_of[side.face as usize] as usize] = false;
        }
        let encloses: Vec<bool> = (0..count)
            .map(|component| {
                let step = members[component].len().div_ceil(MAX_INSIDE_PROBES);
                let mut probes = members[component].iter().step_by(step);
                (closed[component] && members[component].len() >= 4)
                    || probes.any(|&triangle| {
                        let corners = surface.corners(&triangles[triangle as usize]);
                        proves_inside(winding, &corners, boxes[component].size().max())
                    })
            })
            .collect();
        if !encloses.contains(&true) {
            return Ok(all());
        }
        let (part_of, parts) = grouped_by_distance(&boxes)?;
        // Bounds of the enclosing components of each part.
        let mut solid = vec![Aabb::EMPTY; parts];
        for component in (0..count).filter(|&component| encloses[component]) {
            let part = part_of[component] as usize;
            solid[part] = solid[part].union(&boxes[component]);
        }
        let is_stray = |component: usize| {
            let solid = &solid[part_of[component] as usize];
            !encloses[component]
                && (solid.is_empty() || overhang(solid, &boxes[component]) > STRAY_OVERHANG_RATIO * solid.size().max())
        };
        let strays: Vec<bool> = (0..count).map(is_stray).collect();
        let mut found = Self { strays: strays.iter().filter(|&&is| is).count(), ..Self::default() };
        let mut kept_boxes = vec![Aabb::EMPTY; parts];
        for component in 0..count {
            if strays[component] {
                let position = boxes[component].centre();
                let nearest =
                    solid.iter().filter(|solid| !solid.is_empty()).map(|solid| solid.distance_squared(&position));
                let distance = nearest.fold(f64::INFINITY, f64::min).sqrt();
                if found.farthest.is_none_or(|(_, known)| distance > known) {
                    found.farthest = Some((position, distance));
                }
            } else {
                let part = part_of[component] as usize;
                kept_boxes[part] = kept_boxes[part].union(&boxes[component]);
            }
        }
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

    /// Volume (m³) of a closed surface by the divergence theorem, relative to each part's centre to
    /// keep precision.
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

    /// Messages about omitted strays and distant parts.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((position, distance)) = self.farthest {
            let parts = if self.strays == 1 {
                "1 part that encloses nothing was dropped".to_owned()
            } else {
                format!("{} parts that enclose nothing were dropped", grouped(self.strays))
            };
            let [x, y, z] = <[f64; 3]>::from(position).map(short);
            warnings.push(format!("{parts}, up to {} m away, near ({x}, {y}, {z}) m", short(distance)));
        }
        let span = self.boxes.iter().fold(Aabb::EMPTY, |all, part| all.union(part)).size().max();
        if self.boxes.len() > 1 && span > REPORTED_SPAN_RATIO * self.largest() {
            let parts = grouped(self.boxes.len());
            let largest = short(self.largest());
            warnings.push(format!("{parts} parts of at most {largest} m lie far apart, over {} m", short(span)));
        }
        warnings
    }
}

/// Whether the winding number clearly exceeds ½ behind a triangle; `size` (m) is the component's.
pub(super) fn proves_inside(winding: &WindingTree, [a, b, c]: &[Vec3; 3], size: f64) -> bool {
    let doubled = (b - a).cross(&(c - a));
    let Some(normal) = doubled.try_normalize(0.0) else { return false };
    let middle = (a + b + c) / 3.0;
    let own = PROBE_DEPTH_PER_TRIANGLE_SIZE * doubled.norm().sqrt();
    let proves = |depth: f64| winding.winding_number(&(middle - normal * depth)) > 0.5 + INSIDE_MARGIN;
    proves(own) || PROBE_DEPTHS.into_iter().any(|depth| proves(depth * size))
}

/// How far (m) the outer box extends beyond the inner one.
fn overhang(inner: &Aabb, outer: &Aabb) -> f64 {
    (inner.min - outer.min).max().max((outer.max - inner.max).max())
}

/// Groups boxes no farther apart than the size of the larger, until none are left; returns the
/// group of each box and the number of groups.
fn grouped_by_distance(boxes: &[Aabb]) -> Result<(Vec<u32>, usize), SpatialError> {
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
        for (part, part_box) in joined.iter().enumerate() {
            let near = part_box.grown(part_box.size().max());
            bvh.overlapping(&near, &joined, |other| sets.join(first[part], first[other as usize]));
        }
        if sets.numbered().1 == count {
            return Ok((number, count));
        }
    }
}
