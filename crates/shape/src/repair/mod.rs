//! Making something of dirty surfaces.
//!
//! Points at one place become one, what is no triangle goes, neighbours are turned to face the same way and shells to face
//! outward. Holes, overlaps and crossings stay: [`SurfaceDomain`] decides what is inside by the winding number, which they
//! disturb only where they are.

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

use craze_math::{DisjointSets, Vec3};
use craze_spatial::{Aabb, SelfIntersections, self_intersections};

use crate::error::ShapeError;
use crate::surface::TriangleSurface;
use edges::Edges;

/// Points nearer than this share of the size are one,
const WELD_OF_SIZE: f64 = 1e-9;
/// and than this share of half the edges' length, so that one point far off does not weld all others.
const WELD_OF_EDGE: f64 = 1e-6;
/// Coordinates beyond cannot be put in trees (m).
const FARTHEST: f64 = 1e18;
/// Intersections are counted up to so many for each triangle: more are a tangle, in which nothing can be told apart, and in
/// which every question takes as long as there are triangles.
const INTERSECTIONS_A_TRIANGLE: usize = 4;
/// Small surfaces may have this many in any case.
const INTERSECTIONS_AT_LEAST: usize = 20_000;

/// A surface put right as far as triangles can be, and where its parts come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// The surface.
    pub surface: TriangleSurface,
    /// The input triangle that each triangle was.
    pub source_triangles: Vec<u32>,
    /// Whether each triangle was turned: its corners are then the input's first, third and second.
    pub turned: Vec<bool>,
    /// The first of the input points that each point was.
    pub source_points: Vec<u32>,
    /// What was found and done.
    pub findings: Findings,
}

/// What is wrong with a surface, and what [`repair`] would do.
pub fn examine(surface: &TriangleSurface) -> Result<Findings, ShapeError> {
    Ok(repair(surface)?.findings)
}

/// Welds points, drops what is no triangle or there already, turns neighbours to agree and shells outward.
///
/// Neighbours agree through edges of two triangles; a patch of them keeps the way that most of its area had. A shell that
/// faces inward is turned, unless it is a hollow: the winding number of larger ones is ½ or more there. Any input is taken;
/// triangles may have bad numbers, and none may be left.
pub fn repair(input: &TriangleSurface) -> Result<Repaired, ShapeError> {
    let mut findings =
        Findings { triangles: input.triangles.len(), points: input.positions.len(), ..Findings::default() };
    let is_sound = |point: &Vec3| point.iter().all(|value| value.abs() <= FARTHEST);
    let exists = |point: &u32| input.positions.get(*point as usize).is_some_and(is_sound);
    let mut sound: Vec<(u32, [u32; 3])> =
        (0..).zip(input.triangles.iter().copied()).filter(|(_, t)| t.iter().all(exists)).collect();
    findings.far_point = far::drop_far(&input.positions, &mut sound);
    findings.broken_triangles = input.triangles.len() - sound.len();

    let Welded { triangles, source_points, merged } = welded(input, &sound);
    findings.merged_points = merged;
    let positions: Vec<Vec3> = source_points.iter().map(|&point| input.positions[point as usize]).collect();
    let (faces, taken) = faces::distinct(&triangles, &positions);
    let areas: Vec<f64> = faces.iter().map(|face| area(&positions, &face.corners)).collect();
    findings.duplicate_triangles = taken.duplicate;
    findings.degenerate_triangles = taken.degenerate + areas.iter().filter(|&&area| area == 0.0).count();

    let mut turned = vec![false; faces.len()];
    let patches = orient::agree(&faces, &areas, &mut turned);
    findings.one_sided_patches = patches.one_sided;
    findings.turned_triangles = turned.iter().zip(&faces).filter(|(turned, face)| **turned && !face.both_ways).count();
    let run = |turned: &[bool]| -> Vec<[u32; 3]> {
        faces.iter().zip(turned).map(|(face, &turned)| way(face.corners, turned)).collect()
    };
    let shells = shells::turn_outward(&positions, &run(&turned), &patches, &mut turned)?;
    findings.inside_out_shells = shells.inside_out;
    findings.cavities = shells.cavities;
    findings.nested_shells = shells.nested;

    let surface = TriangleSurface { positions, triangles: run(&turned) };
    measure(&surface, &mut findings)?;
    let source_triangles = faces.iter().map(|face| face.source).collect();
    Ok(Repaired { surface, source_triangles, turned, source_points, findings })
}

/// Triangles over points that are used and different.
struct Welded {
    triangles: Vec<(u32, [u32; 3])>,
    /// The first input point of each.
    source_points: Vec<u32>,
    /// How many points went.
    merged: usize,
}

fn welded(input: &TriangleSurface, sound: &[(u32, [u32; 3])]) -> Welded {
    let mut used: Vec<u32> = sound.iter().flat_map(|(_, t)| *t).collect();
    used.sort_unstable();
    used.dedup();
    let place = |point: u32| input.positions[point as usize];
    let corner = Aabb::around(used.iter().map(|&point| &input.positions[point as usize])).min;
    let points: Vec<Vec3> = used.iter().map(|&point| place(point) - corner).collect();
    let first = weld::first_of_each(&points, weld_tolerance(input, sound, &points));
    let mut number = vec![0_u32; points.len()];
    let mut sources = Vec::new();
    for (index, &first) in first.iter().enumerate() {
        number[index] = if first as usize == index {
            sources.push(used[index]);
            sources.len() as u32 - 1
        } else {
            number[first as usize]
        };
    }
    let renumber = |point: u32| number[used.partition_point(|&known| known < point)];
    Welded {
        triangles: sound.iter().map(|&(source, t)| (source, t.map(renumber))).collect(),
        merged: points.len() - sources.len(),
        source_points: sources,
    }
}

/// How near (m) points are one.
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
    (WELD_OF_EDGE * *median).min(WELD_OF_SIZE * Aabb::around(points).size().max())
}

/// What can be counted and measured on the repaired surface.
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
    let most = INTERSECTIONS_AT_LEAST.max(INTERSECTIONS_A_TRIANGLE * surface.triangles.len());
    let SelfIntersections { pairs, complete } = self_intersections(&surface.positions, &surface.triangles, most)?;
    findings.intersections = pairs.len();
    findings.intersections_complete = complete;
    findings.first_intersection = pairs.first().map(|&[one, other]| {
        // Between the two where they are nearest to each other's middles: a place to look at, no more.
        let [one, other] = [one, other].map(|t| surface.corners(&surface.triangles[t as usize]));
        let middle = (other[0] + other[1] + other[2]) / 3.0;
        craze_spatial::closest_on_triangle(&middle, &one).0
    });
    Ok(())
}

fn way([a, b, c]: [u32; 3], turned: bool) -> [u32; 3] {
    if turned { [a, c, b] } else { [a, b, c] }
}

fn area(positions: &[Vec3], triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|point| positions[point as usize]);
    (b - a).cross(&(c - a)).norm() * 0.5
}

#[cfg(test)]
mod tests;
