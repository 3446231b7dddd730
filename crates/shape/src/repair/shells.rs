//! Shells (patches that enclose a volume), inverted shells and cavities.

use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, WindingTree};

use super::edges::{Edges, loops};
use super::orient::Patches;
use crate::error::ShapeError;

/// Largest |Σ area vectors| / Σ areas of a shell: 0 if closed, 0.5 for a hemisphere, 1 for a plane
/// sheet.
const MAX_OPENNESS: f64 = 0.5;
/// Sample points per shell at which the winding number of larger shells is averaged.
const SAMPLES_PER_SHELL: usize = 32;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shells {
    pub closed: usize,
    pub inside_out: usize,
    pub cavities: usize,
    /// Neither cavities nor outermost.
    pub nested: usize,
}

struct Shell {
    faces: Vec<u32>,
    /// Enclosed volume (m³) with holes closed by triangle fans; negative if it faces inward.
    volume: f64,
    closed: bool,
    winding: WindingTree,
    samples: Vec<Vec3>,
    sign: f64,
}

/// Flips shells to face outward unless they are cavities; marks their faces in `flipped`.
///
/// From the largest down, a shell that faces inward outside all larger ones is flipped with all
/// shells inside it, so that an inverted hollow body keeps its cavity.
pub(super) fn flip_outward(
    positions: &[Vec3],
    faces: &[[u32; 3]],
    patches: &Patches,
    flipped: &mut [bool],
) -> Result<Shells, ShapeError> {
    let mut shells = shells(positions, faces, patches)?;
    shells.sort_by(|one, other| other.volume.abs().total_cmp(&one.volume.abs()));
    let boxes: Vec<Aabb> = shells.iter().map(|shell| shell.winding.triangles().bvh().bounds()).collect();
    let bvh = Bvh::build(&boxes)?;
    // Mean winding number of the larger shells, or of one of them, over a shell's samples.
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
        shell.faces.iter().for_each(|&face| flipped[face as usize] ^= true);
    }
    // If every shell was inside out, the open patches are flipped too.
    if found.inside_out > 0 && shells.iter().all(|shell| shell.sign < 0.0) {
        let mut enclosing = vec![false; faces.len()];
        shells.iter().flat_map(|shell| &shell.faces).for_each(|&face| enclosing[face as usize] = true);
        (0..faces.len()).filter(|&face| !enclosing[face]).for_each(|face| flipped[face] ^= true);
    }
    Ok(found)
}

fn shells(positions: &[Vec3], faces: &[[u32; 3]], patches: &Patches) -> Result<Vec<Shell>, ShapeError> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); patches.count];
    for (face, &patch) in patches.of_face.iter().enumerate() {
        members[patch as usize].push(face as u32);
    }
    let mut shells = Vec::new();
    for members in members.into_iter().filter(|members| members.len() >= 4) {
        let own: Vec<[u32; 3]> = members.iter().map(|&face| faces[face as usize]).collect();
        // Points are renumbered, so that the work is proportional to the patch.
        let mut used: Vec<u32> = own.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let points: Vec<Vec3> = used.iter().map(|&point| positions[point as usize]).collect();
        let own: Vec<[u32; 3]> =
            own.iter().map(|t| t.map(|point| used.partition_point(|&known| known < point) as u32)).collect();
        let (mut area, mut area_vector) = (0.0, Vec3::zeros());
        let mut areas = Vec::with_capacity(own.len());
        for triangle in &own {
            let [a, b, c] = triangle.map(|point| points[point as usize]);
            let vector = (b - a).cross(&(c - a)) * 0.5;
            area_vector += vector;
            area += vector.norm();
            areas.push(vector.norm());
        }
        if !(area_vector.norm() < MAX_OPENNESS * area) {
            continue;
        }
        let rim = Edges::of(&own).rim();
        let volume = capped_volume(&points, &own, &rim);
        let samples = sample_centroids(&points, &own, &areas, area);
        let winding = WindingTree::new(&points, &own)?;
        shells.push(Shell { faces: members, volume, closed: rim.is_empty(), winding, samples, sign: 1.0 });
    }
    Ok(shells)
}

/// Volume (m³) of a patch with its holes closed by triangle fans.
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

fn sample_centroids(points: &[Vec3], faces: &[[u32; 3]], areas: &[f64], total: f64) -> Vec<Vec3> {
    let mut samples = Vec::with_capacity(SAMPLES_PER_SHELL);
    let (mut passed, mut next) = (0.0, 0.5);
    for (triangle, area) in faces.iter().zip(areas) {
        passed += area;
        while next < SAMPLES_PER_SHELL as f64 && passed >= next / SAMPLES_PER_SHELL as f64 * total {
            let [a, b, c] = triangle.map(|point| points[point as usize]);
            samples.push((a + b + c) / 3.0);
            next += 1.0;
        }
    }
    samples
}
