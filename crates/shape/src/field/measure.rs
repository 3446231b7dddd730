//! Volume by adding up cells.

use craze_math::Vec3;
use rayon::prelude::*;

use super::Field;

/// Cells along the longest side, at least and at most.
const CELLS: [f64; 2] = [128.0, 512.0];
/// Cells across the thinnest wall, as long as they are not too many.
const ACROSS: f64 = 8.0;

/// Volume (m³). Cells that the signed distance shows to be empty or full are taken as a whole, others are divided.
///
/// In the smallest cells, of width h, the share inside is ½ − d/h, cut off at 0 and 1: over a surface this errs to both sides
/// alike, so that plane faces are exact on average and curved ones wrong by O(h²).
pub(super) fn volume(field: &Field, thinnest: f64) -> f64 {
    let bounds = field.bounds;
    let length = bounds.size().max();
    if bounds.is_empty() || !length.is_finite() || length <= 0.0 {
        return 0.0;
    }
    let cells = (ACROSS * length / thinnest).clamp(CELLS[0], CELLS[1]);
    let depth = (cells / 8.0).log2().ceil() as u32;
    // A hair more than the box, so that faces on it are met from both sides; 8³ cells to share among threads.
    let width = length * (1.0 + 1.0 / cells) / 8.0;
    let low = bounds.centre() - Vec3::repeat(4.0 * width);
    let parts: Vec<f64> = (0..512_usize)
        .into_par_iter()
        .map(|index| {
            let steps = Vec3::new((index % 8) as f64, (index / 8 % 8) as f64, (index / 64) as f64);
            filled(field, low + width * steps.add_scalar(0.5), width, depth)
        })
        .collect();
    parts.iter().sum()
}

/// Volume (m³) inside of the cell of this centre and width (m).
fn filled(field: &Field, centre: Vec3, width: f64, depth: u32) -> f64 {
    let distance = field.distance(&centre);
    let reach = 0.5 * 3.0_f64.sqrt() * width;
    if distance >= reach {
        return 0.0;
    }
    if distance <= -reach {
        return width.powi(3);
    }
    if depth == 0 {
        return (0.5 - distance / width).clamp(0.0, 1.0) * width.powi(3);
    }
    let quarter = 0.25 * width;
    let child = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { quarter } else { -quarter });
    (0..8).map(|k| filled(field, centre + child(k), 0.5 * width, depth - 1)).sum()
}
