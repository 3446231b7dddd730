//! Warping: lattice points that the surface passes too closely are moved onto it.

use craze_math::Vec3;

use super::background::Background;
use super::crossing::Crossing;
use super::survey::Frame;

/// A crossing nearer to an end than this part of a long lattice edge moves that end.
///
/// Labelle & Shewchuk 2007 give 0.24999 and 0.41189; with the diagonals of our stencils this pair is better: over millions of random
/// and extreme lattices all angles stay between 10.6° and 164°, where theirs goes down to 9.3°.
pub(super) const ALPHA_LONG: f64 = 0.285;
/// The same for short edges, which join a corner to a centre.
pub(super) const ALPHA_SHORT: f64 = 0.395;

/// The background once no crossing is too near to a point.
pub(super) struct Warped {
    /// Places of the background's points (m).
    pub(super) positions: Vec<Vec3>,
    /// Signs; points moved onto the surface have 0.
    pub(super) signs: Vec<i8>,
    /// Crossings that are left, sorted by edge.
    pub(super) crossings: Vec<Crossing>,
}

/// Moves each point that a crossing is too near to onto the nearest one; crossings of all its edges are gone then.
///
/// Points are looked at in order, as in the paper: a point whose crossings have gone with its neighbours stays.
pub(super) fn warp(frame: &Frame, background: &Background, crossings: &[Crossing]) -> Warped {
    let mut positions: Vec<Vec3> = background.points.iter().map(|&point| frame.position(point)).collect();
    let mut signs = background.signs.clone();
    let mut is_left = vec![true; crossings.len()];
    let mut at_points: Vec<(u32, u32)> =
        crossings.iter().zip(0..).flat_map(|(crossing, index)| crossing.ends.map(|end| (end, index))).collect();
    at_points.sort_unstable();
    for run in at_points.chunk_by(|one, other| one.0 == other.0) {
        let here = run[0].0;
        let mut nearest: Option<(f64, Vec3)> = None;
        for &(_, index) in run.iter().filter(|&&(_, index)| is_left[index as usize]) {
            let Crossing { ends, share } = crossings[index as usize];
            // Crossings that are left have both ends where they were.
            let [start, end] = ends.map(|end| frame.position(background.points[end as usize]));
            let length = (end - start).norm();
            let part = if ends[0] == here { share } else { 1.0 - share };
            let alpha = if is_long(background, ends) { ALPHA_LONG } else { ALPHA_SHORT };
            if part < alpha && nearest.is_none_or(|(distance, _)| part * length < distance) {
                nearest = Some((part * length, start + (end - start) * share));
            }
        }
        if let Some((_, place)) = nearest {
            positions[here as usize] = place;
            signs[here as usize] = 0;
            for &(_, index) in run {
                is_left[index as usize] = false;
            }
        }
    }
    let left = crossings.iter().zip(&is_left).filter(|(_, left)| **left).map(|(crossing, _)| *crossing).collect();
    Warped { positions, signs, crossings: left }
}

/// Whether an edge runs along an axis, from corner to corner or from centre to centre.
fn is_long(background: &Background, ends: [u32; 2]) -> bool {
    let [one, other] = ends.map(|end| super::key::decode(background.points[end as usize]));
    (0..3).filter(|&axis| one[axis] != other[axis]).count() == 1
}
