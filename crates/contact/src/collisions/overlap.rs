//! Regions that two bodies of tetrahedra share (O'Brien & Hodgins 1999, §3.3).
//!
//! Volumes and area normals of all tetrahedra that overlap within a region are summed, and one
//! force follows, in proportion to the volume and along the summed normal. With a force per pair of
//! tetrahedra the result would depend on the mesh, since the normals of single pairs point in all
//! directions. Regions are connected: a clamp presses on both sides of what it holds, and these
//! normals must not cancel.

use crate::broad_phase::VolumeTree;
use craze_math::{DisjointSets, Vec3, overlap};

/// The overlap of two tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The two, as their bodies number them.
    pub tetrahedra: [u32; 2],
    /// Volume of the overlap (m³).
    pub volume: f64,
    /// Its centroid (m).
    pub centroid: Vec3,
}

/// A connected region in which two bodies overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapRegion {
    /// Volume (m³).
    pub volume: f64,
    /// Centroid (m).
    pub centroid: Vec3,
    /// Integral of the outward normal over the first body's surface within the second (m²): the
    /// gradient of the volume with a displacement of the first. An inner face of one that lies
    /// exactly in the surface of the other counts half.
    pub area_normal: Vec3,
    /// Its overlaps of tetrahedra, ascending.
    pub shares: Vec<Share>,
}

impl OverlapRegion {
    /// The regions between two bodies, in the order of their first tetrahedra.
    pub fn between(first: &VolumeTree, second: &VolumeTree) -> Vec<OverlapRegion> {
        let mut pairs = Vec::new();
        first.pairs(second, &mut pairs);
        let (mut shares, mut normals) = (Vec::new(), Vec::new());
        for tetrahedra in pairs {
            let [one, two] = tetrahedra;
            if let Some(common) = overlap::tetrahedra(&first.corners(one), &second.corners(two)) {
                shares.push(Share { tetrahedra, volume: common.volume, centroid: common.centroid });
                normals.push(common.area_normal);
            }
        }
        let mut regions: Vec<OverlapRegion> = Vec::new();
        for (place, number) in region_of(&shares, first, second).into_iter().enumerate() {
            let share = &shares[place];
            if number == regions.len() {
                let (volume, centroid, area_normal) = (0.0, Vec3::zeros(), Vec3::zeros());
                regions.push(OverlapRegion { volume, centroid, area_normal, shares: Vec::new() });
            }
            let region = &mut regions[number];
            region.volume += share.volume;
            region.centroid += share.volume * share.centroid;
            region.area_normal += normals[place];
            region.shares.push(*share);
        }
        for region in &mut regions {
            region.centroid /= region.volume;
        }
        regions
    }

    /// Unit vector along which the first body leaves the second; none where one contains the other.
    pub fn separation_normal(&self) -> Option<Vec3> {
        (-self.area_normal).try_normalize(0.0)
    }

    /// Force on the first body (N), at the centroid; the second feels the opposite. `stiffness` is
    /// the force per volume (N/m³).
    pub fn force(&self, stiffness: f64) -> Vec3 {
        stiffness * self.volume * self.separation_normal().unwrap_or_default()
    }
}

/// The region of each overlap, numbered in the order of their first one. Two overlaps are connected
/// if their tetrahedra have a node in common on both sides.
fn region_of(shares: &[Share], first: &VolumeTree, second: &VolumeTree) -> Vec<usize> {
    let mut keys: Vec<([u32; 2], u32)> = Vec::with_capacity(16 * shares.len());
    for (place, share) in shares.iter().enumerate() {
        let [one, two] = share.tetrahedra;
        for node in first.nodes(one) {
            keys.extend(second.nodes(two).map(|other| ([node, other], place as u32)));
        }
    }
    keys.sort_unstable();
    let mut sets = DisjointSets::new(shares.len());
    for run in keys.chunk_by(|one, other| one.0 == other.0) {
        for pair in run.windows(2) {
            sets.join(pair[0].1, pair[1].1);
        }
    }
    let mut number_of = vec![usize::MAX; shares.len()];
    let mut regions = 0;
    (0..shares.len() as u32)
        .map(|share| {
            let number = &mut number_of[sets.root(share) as usize];
            if *number == usize::MAX {
                *number = regions;
                regions += 1;
            }
            *number
        })
        .collect()
}
