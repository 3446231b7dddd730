//! Repair of damaged triangle surfaces.
//!
//! Points are welded, degenerate and duplicate triangles dropped, neighbours flipped to agree and
//! shells flipped outward. Holes, overlaps and intersections stay; they disturb the winding number
//! of [`SurfaceDomain`] only locally.

mod closed_parts;
mod domain;
mod edges;
mod faces;
mod far;
mod findings;
mod orient;
mod parts;
mod rim;
mod shells;
mod thickness;
mod weld;

pub use domain::SurfaceDomain;
pub use findings::{FarPoint, Findings};
pub use thickness::Thickness;

use std::collections::HashMap;

use craze_math::{DisjointSets, Vec3};
use craze_spatial::{Aabb, SelfIntersections, self_intersections};

use crate::error::ShapeError;
use crate::surface::TriangleSurface;
use edges::Edges;

/// Weld tolerance as a share of the bounding box's size,
const WELD_OF_SIZE: f64 = 1e-9;
/// and as a share of the median edge length, so that an outlier does not weld all other points.
const WELD_OF_EDGE: f64 = 1e-6;
/// Largest coordinate (m) that the search trees accept.
const MAX_COORDINATE: f64 = 1e18;
/// Limit of the intersection search, in pairs per triangle. Beyond it the surface has no usable
/// inside.
const MAX_INTERSECTIONS_PER_TRIANGLE: usize = 4;
/// The lower bound of this limit.
const MIN_INTERSECTION_LIMIT: usize = 20_000;

/// A repaired surface and its relation to the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// The surface.
    pub surface: TriangleSurface,
    /// The input triangle of each triangle.
    pub source_triangles: Vec<u32>,
    /// Whether each triangle was flipped: its corners are then the input's first, third and second.
    pub flipped: Vec<bool>,
    /// The first of the input points merged into each point.
    pub source_points: Vec<u32>,
    /// Defects and how they were handled.
    pub findings: Findings,
}

/// The defects that [`repair`] would handle.
pub fn examine(surface: &TriangleSurface) -> Result<Findings, ShapeError> {
    Ok(repair(surface)?.findings)
}

/// Welds points, drops degenerate and duplicate triangles, flips neighbours to agree and shells to
/// face outward.
///
/// Points of different closed parts are not welded, unless the parts share a face. Each patch
/// connected through edges of two triangles keeps the orientation of most of its area. A
/// shell that faces inward is flipped unless it is a cavity, where the winding number of larger
/// shells is ½ or more. Accepts any input, including invalid indices; the result may be empty.
pub fn repair(input: &TriangleSurface) -> Result<Repaired, ShapeError> {
    let mut findings =
        Findings { triangles: input.triangles.len(), points: input.positions.len(), ..Findings::default() };
    let is_sound = |point: &Vec3| point.iter().all(|value| value.abs() <= MAX_COORDINATE);
    let exists = |point: &u32| input.positions.get(*point as usize).is_some_and(is_sound);
    let mut sound: Vec<(u32, [u32; 3])> =
        (0..).zip(input.triangles.iter().copied()).filter(|(_, t)| t.iter().all(exists)).collect();
    findings.far_point = far::drop_outliers(&input.positions, &mut sound);
    findings.broken_triangles = input.triangles.len() - sound.len();

    let Welded { triangles, source_points, merged } = welded(input, &sound);
    findings.merged_points = merged;
    let positions: Vec<Vec3> = source_points.iter().map(|&point| input.positions[point as usize]).collect();
    let (faces, removed) = faces::distinct(&triangles, &positions);
    let areas: Vec<f64> = faces.iter().map(|face| area(&positions, &face.corners)).collect();
    findings.duplicate_triangles = removed.duplicate;
    findings.degenerate_triangles = removed.degenerate + areas.iter().filter(|&&area| area == 0.0).count();

    let mut flipped = vec![false; faces.len()];
    let mut patches = orient::orient(&faces, &areas, &mut flipped);
    findings.one_sided_patches = patches.one_sided;
    findings.flipped_triangles =
        flipped.iter().zip(&faces).filter(|(flipped, face)| **flipped && !face.double_sided).count();
    let oriented = |flipped: &[bool]| -> Vec<[u32; 3]> {
        faces.iter().zip(flipped).map(|(face, &flipped)| flip_if(face.corners, flipped)).collect()
    };
    let corners = oriented(&flipped);
    orient::join_at_balanced_edges(&mut patches, &corners, &positions);
    let shells = shells::flip_outward(&positions, &corners, &patches, &mut flipped)?;
    findings.inside_out_shells = shells.inside_out;
    findings.cavities = shells.cavities;
    findings.nested_shells = shells.nested;

    let surface = TriangleSurface { positions, triangles: oriented(&flipped) };
    measure(&surface, &mut findings)?;
    let source_triangles = faces.iter().map(|face| face.source).collect();
    Ok(Repaired { surface, source_triangles, flipped, source_points, findings })
}

/// Triangles over distinct used points.
struct Welded {
    triangles: Vec<(u32, [u32; 3])>,
    /// The first input point of each.
    source_points: Vec<u32>,
    merged: usize,
}

/// Merges coincident points, except those of different closed parts: where a cup stands on a ring,
/// both keep their own points and edges (see [`closed_parts`]).
fn welded(input: &TriangleSurface, sound: &[(u32, [u32; 3])]) -> Welded {
    let mut used: Vec<u32> = sound.iter().flat_map(|(_, t)| *t).collect();
    used.sort_unstable();
    used.dedup();
    let position = |point: u32| input.positions[point as usize];
    let corner = Aabb::from_points(used.iter().map(|&point| &input.positions[point as usize])).min;
    let points: Vec<Vec3> = used.iter().map(|&point| position(point) - corner).collect();
    let rank = |point: u32| used.partition_point(|&known| known < point) as u32;
    let mut triangles: Vec<(u32, [u32; 3])> = sound.iter().map(|&(source, t)| (source, t.map(rank))).collect();
    let first = weld::first_coincident(&points, weld_tolerance(input, sound, &points));
    let part = closed_parts::of_points(&triangles, &first);
    // The lookup is by key only; numbers follow the order of the points.
    let mut number_of: HashMap<(u32, u32), u32> = HashMap::with_capacity(points.len());
    let mut sources = Vec::new();
    let number: Vec<u32> = (0..points.len())
        .map(|index| {
            *number_of.entry((part[index], first[index])).or_insert_with(|| {
                sources.push(used[index]);
                sources.len() as u32 - 1
            })
        })
        .collect();
    triangles.iter_mut().for_each(|(_, t)| *t = t.map(|point| number[point as usize]));
    Welded { triangles, merged: points.len() - sources.len(), source_points: sources }
}

/// Weld tolerance (m).
fn weld_tolerance(input: &TriangleSurface, sound: &[(u32, [u32; 3])], points: &[Vec3]) -> f64 {
    let mut lengths: Vec<f64> = sound
        .iter()
        .flat_map(|(_, t)| {
            let [a, b, c] = input.corners(t);
            [(b - a).norm(), (c - b).norm(), (a - c).norm()]
        })
        .filter(|&length| length > 0.0)
        .collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let half = lengths.len() / 2;
    let (_, median, _) = lengths.select_nth_unstable_by(half, f64::total_cmp);
    (WELD_OF_EDGE * *median).min(WELD_OF_SIZE * Aabb::from_points(points).size().max())
}

fn measure(surface: &TriangleSurface, findings: &mut Findings) -> Result<(), ShapeError> {
    let edges = Edges::of(&surface.triangles);
    let rim = edges.rim();
    findings.open_edges = rim.len();
    findings.open_loops = edges::loops(&rim, surface.positions.len()).1;
    findings.closed = rim.is_empty() && !surface.triangles.is_empty();
    let mut components = DisjointSets::new(surface.triangles.len());
    for sides in edges.iter() {
        findings.non_manifold_edges += usize::from(sides.len() > 2);
        sides.windows(2).for_each(|pair| components.join(pair[0].face, pair[1].face));
    }
    findings.components = components.numbered().1;
    findings.area = surface.area();
    findings.size = if surface.positions.is_empty() { Vec3::zeros() } else { surface.bounds().size() };
    findings.volume = findings.closed.then(|| surface.volume());
    let most = MIN_INTERSECTION_LIMIT.max(MAX_INTERSECTIONS_PER_TRIANGLE * surface.triangles.len());
    let SelfIntersections { pairs, complete } = self_intersections(&surface.positions, &surface.triangles, most)?;
    findings.intersections = pairs.len();
    findings.intersections_complete = complete;
    findings.first_intersection = pairs.first().map(|&[one, other]| {
        // A representative position only.
        let [one, other] = [one, other].map(|t| surface.corners(&surface.triangles[t as usize]));
        let middle = (other[0] + other[1] + other[2]) / 3.0;
        craze_spatial::closest_on_triangle(&middle, &one).0
    });
    Ok(())
}

fn flip_if([a, b, c]: [u32; 3], flipped: bool) -> [u32; 3] {
    if flipped { [a, c, b] } else { [a, b, c] }
}

fn area(positions: &[Vec3], triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|point| positions[point as usize]);
    (b - a).cross(&(c - a)).norm() * 0.5
}

#[cfg(test)]
mod tests;
