//! Warping: lattice points too close to the surface are moved onto it.

use craze_math::Vec3;

use super::background::Background;
use super::classification::Frame;
use super::crossing::Crossing;

/// Share of a long lattice edge: a crossing nearer to an end moves that end.
///
/// Labelle & Shewchuk 2007 give 0.24999 and 0.41189. With the diagonals of these stencils, over
/// millions of random and extreme lattices, angles stay between 10.6° and 164°, theirs go down to
/// 9.3°.
pub(super) const ALPHA_LONG: f64 = 0.285;
/// The same for short edges, from a corner to a centre.
pub(super) const ALPHA_SHORT: f64 = 0.395;

/// The background after warping.
pub(super) struct WarpedLattice {
    /// Positions of the background points (m).
    pub(super) positions: Vec<Vec3>,
    /// Signs; 0 for points moved onto the surface.
    pub(super) signs: Vec<i8>,
    /// The remaining crossings, sorted by edge.
    pub(super) crossings: Vec<Crossing>,
}

/// Moves each point with a crossing too near onto the nearest one, which removes all crossings of
/// its edges. Points are processed in order, as in the paper.
pub(super) fn warp(frame: &Frame, background: &Background, crossings: &[Crossing]) -> WarpedLattice {
    let mut positions: Vec<Vec3> = background.points.iter().map(|&point| frame.position(point)).collect();
    let mut signs = background.signs.clone();
    let mut is_remaining = vec![true; crossings.len()];
    let mut at_points: Vec<(u32, u32)> =
        crossings.iter().zip(0..).flat_map(|(crossing, index)| crossing.ends.map(|end| (end, index))).collect();
    at_points.sort_unstable();
    for run in at_points.chunk_by(|one, other| one.0 == other.0) {
        let here = run[0].0;
        let mut nearest: Option<(f64, Vec3)> = None;
        for &(_, index) in run.iter().filter(|&&(_, index)| is_remaining[index as usize]) {
            let Crossing { ends, share } = crossings[index as usize];
            // Ends of remaining crossings have not moved.
            let [start, end] = ends.map(|end| frame.position(background.points[end as usize]));
            let length = (end - start).norm();
            let part = if ends[0] == here { share } else { 1.0 - share };
            let alpha = if is_long(background, ends) { ALPHA_LONG } else { ALPHA_SHORT };
            if part < alpha && nearest.is_none_or(|(distance, _)| part * length < distance) {
                nearest = Some((part * length, start + (end - start) * share));
            }
        }
        if let Some((_, position)) = nearest {
            positions[here as usize] = position;
            signs[here as usize] = 0;
            for &(_, index) in run {
                is_remaining[index as usize] = false;
            }
        }
    }
    let remaining = crossings
        .iter()
        .zip(&is_remaining)
        .filter(|(_, remaining)| **remaining)
        .map(|(crossing, _)| *crossing)
        .collect();
    WarpedLattice { positions, signs, crossings: remaining }
}

/// Whether an edge is parallel to an axis.
fn is_long(background: &Background, ends: [u32; 2]) -> bool {
    let [one, other] = ends.map(|end| super::morton::decode(background.points[end as usize]));
    (0..3).filter(|&axis| one[axis] != other[axis]).count() == 1
}
