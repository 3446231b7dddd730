//! Which patches enclose something, which of them are inside out, and which are hollows in others.

use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, WindingTree};

use super::edges::{Edges, loops};
use super::orient::Patches;
use crate::error::ShapeError;

/// A patch with a larger share of its area facing one way than this encloses nothing by itself: a half sphere has 0.5, a
/// plane sheet 1, a closed surface 0.
const OPENNESS_LIMIT: f64 = 0.5;
/// Points at which a patch is asked whether it lies inside of others.
const SAMPLES: usize = 32;

/// What was found about patches that enclose something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shells {
    /// Closed ones.
    pub closed: usize,
    /// Inside out: turned.
    pub inside_out: usize,
    /// Hollows in others.
    pub cavities: usize,
    /// Ones that lie within others without being hollows.
    pub nested: usize,
}

struct Shell {
    faces: Vec<u32>,
    /// Enclosed volume (m³) with holes closed by fans, negative if it faces inward.
    volume: f64,
    closed: bool,
    winding: WindingTree,
    samples: Vec<Vec3>,
    sign: f64,
}

/// Turns whole patches outward, unless they are hollows. Marks what it turns in `turned`; `faces` run as marked before.
///
/// From the largest down: what faces inward without lying inside of larger ones is turned, and all that lies inside of it
/// with it, so that a hollow body which is inside out keeps its hollow.
pub(super) fn turn_outward(
    positions: &[Vec3],
    faces: &[[u32; 3]],
    patches: &Patches,
    turned: &mut [bool],
) -> Result<Shells, ShapeError> {
    let mut shells = shells(positions, faces, patches)?;
    shells.sort_by(|one, other| other.volume.abs().total_cmp(&one.volume.abs()));
    let boxes: Vec<Aabb> = shells.iter().map(|shell| shell.winding.triangles().bvh().bounds()).collect();
    let bvh = Bvh::build(&boxes)?;
    // How often larger shells, or one of them, wind around a shell, on average over its samples.
    let around = |shells: &[Shell], inner: usize, only: Option<usize>| {
        let samples = &shells[inner].samples;
        let mut sum = 0.0;
        for point in samples {
            bvh.overlapping(&Aabb::from_point(point), &boxes, |outer| {
                let outer = outer as usize;
                if outer < inner && only.is_none_or(|wanted| wanted == outer) {
                    sum += shells[outer].sign * shells[outer].winding.winding_number(point);
                }
            });
        }
        sum / samples.len().max(1) as f64
    };
    let mut found = Shells::default();
    for index in 0..shells.len() {
        let inside = around(&shells, index, None) >= 0.5;
        if shells[index].sign * shells[index].volume < 0.0 && !inside {
            found.inside_out += 1;
            let is_within: Vec<usize> = (index + 1..shells.len())
                .filter(|&inner| boxes[inner].overlaps(&boxes[index]))
                .filter(|&inner| around(&shells, inner, Some(index)).abs() >= 0.5)
                .collect();
            shells[index].sign *= -1.0;
            is_within.into_iter().for_each(|inner| shells[inner].sign *= -1.0);
        }
        let shell = &shells[index];
        found.closed += usize::from(shell.closed);
        if inside && shell.sign * shell.volume < 0.0 {
            found.cavities += 1;
        } else if inside {
            found.nested += 1;
        }
    }
    for shell in shells.iter().filter(|shell| shell.sign < 0.0) {
        shell.faces.iter().for_each(|&face| turned[face as usize] ^= true);
    }
    // If all that encloses anything was inside out, so was the rest.
    if found.inside_out > 0 && shells.iter().all(|shell| shell.sign < 0.0) {
        let mut enclosing = vec![false; faces.len()];
        shells.iter().flat_map(|shell| &shell.faces).for_each(|&face| enclosing[face as usize] = true);
        (0..faces.len()).filter(|&face| !enclosing[face]).for_each(|face| turned[face] ^= true);
    }
    Ok(found)
}

/// The patches that enclose something.
fn shells(positions: &[Vec3], faces: &[[u32; 3]], patches: &Patches) -> Result<Vec<Shell>, ShapeError> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); patches.count];
    for (face, &patch) in patches.of_face.iter().enumerate() {
        members[patch as usize].push(face as u32);
    }
    let mut shells = Vec::new();
    for members in members.into_iter().filter(|members| members.len() >= 4) {
        let own: Vec<[u32; 3]> = members.iter().map(|&face| faces[face as usize]).collect();
        // Points renumbered, so that the work is in proportion to the patch.
        let mut used: Vec<u32> = own.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let points: Vec<Vec3> = used.iter().map(|&point| positions[point as usize]).collect();
        let own: Vec<[u32; 3]> =
            own.iter().map(|t| t.map(|point| used.partition_point(|&known| known < point) as u32)).collect();
        let (mut area, mut facing) = (0.0, Vec3::zeros());
        let mut areas = Vec::with_capacity(own.len());
        for triangle in &own {
            let [a, b, c] = triangle.map(|point| points[point as usize]);
            let vector = (b - a).cross(&(c - a)) * 0.5;
            facing += vector;
            area += vector.norm();
            areas.push(vector.norm());
        }
        if !(facing.norm() < OPENNESS_LIMIT * area) {
            continue;
        }
        let rim = Edges::of(&own).rim();
        let volume = capped_volume(&points, &own, &rim);
        let samples = spread(&points, &own, &areas, area);
        let winding = WindingTree::new(&points, &own)?;
        shells.push(Shell { faces: members, volume, closed: rim.is_empty(), winding, samples, sign: 1.0 });
    }
    Ok(shells)
}

/// Volume (m³) of a patch whose holes are closed by fans from their middles.
fn capped_volume(points: &[Vec3], faces: &[[u32; 3]], rim: &[super::edges::RimEdge]) -> f64 {
    let middle = Aabb::from_points(points).centre();
    let at = |point: u32| points[point as usize] - middle;
    let mut sixfold: f64 = faces.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c)))).sum();
    let (of_edge, count) = loops(rim, points.len());
    let mut middles = vec![(Vec3::zeros(), 0.0); count];
    for (edge, &which) in rim.iter().zip(&of_edge) {
        middles[which as usize].0 += at(edge.from) + at(edge.to);
        middles[which as usize].1 += 2.0;
    }
    for (edge, &which) in rim.iter().zip(&of_edge) {
        let (sum, weight) = middles[which as usize];
        sixfold += f64::from(edge.times) * (sum / weight).dot(&at(edge.to).cross(&at(edge.from)));
    }
    sixfold / 6.0
}

/// Centroids of faces spread evenly over the area.
fn spread(points: &[Vec3], faces: &[[u32; 3]], areas: &[f64], total: f64) -> Vec<Vec3> {
    let mut samples = Vec::with_capacity(SAMPLES);
    let (mut passed, mut next) = (0.0, 0.5);
    for (triangle, area) in faces.iter().zip(areas) {
        passed += area;
        while next < SAMPLES as f64 && passed >= next / SAMPLES as f64 * total {
            let [a, b, c] = triangle.map(|point| points[point as usize]);
            samples.push((a + b + c) / 3.0);
            next += 1.0;
        }
    }
    samples
}
