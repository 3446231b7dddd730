//! Volume by cell integration.

use craze_math::Vec3;
use rayon::prelude::*;

use super::Field;
use crate::tuning::{CELLS_ACROSS_WALL, CELLS_ALONG_LONGEST_SIDE};

/// Subdivision levels below the cells that are distributed among threads.
const SUBDIVISIONS: u32 = 4;

/// Volume (m³). Cells that the signed distance shows to be empty or full are not subdivided.
///
/// A smallest-level cell of width h is filled to the fraction ½ − d/h, clamped to [0, 1]. This is
/// exact on average for planes and O(h²) for curved surfaces and edges; Richardson extrapolation
/// with cells of twice the width removes that term.
pub(super) fn volume(field: &Field, thinnest: f64) -> f64 {
    let bounds = field.bounds;
    let length = bounds.size().max();
    if bounds.is_empty() || !length.is_finite() || length <= 0.0 {
        return 0.0;
    }
    let cells = (CELLS_ACROSS_WALL * length / thinnest).clamp(CELLS_ALONG_LONGEST_SIDE[0], CELLS_ALONG_LONGEST_SIDE[1]);
    let count = (cells / f64::from(1 << SUBDIVISIONS)).ceil() as usize;
    // Slightly larger than the box, so that cells straddle faces on it.
    let width = length * (1.0 + 1.0 / cells) / count as f64;
    let low = bounds.centre().add_scalar(-0.5 * count as f64 * width);
    let parts: Vec<[f64; 2]> = (0..count.pow(3))
        .into_par_iter()
        .map(|index| {
            let steps = [index % count, index / count % count, index / count / count];
            let centre = low + width * Vec3::from(steps.map(|step| step as f64 + 0.5));
            cell_volume(field, centre, width, SUBDIVISIONS)
        })
        .collect();
    let [fine, coarse] = parts.into_iter().fold([0.0; 2], add);
    (4.0 * fine - coarse) / 3.0
}

/// Filled volume (m³) of a cell (centre and width in m), from smallest-level cells and from cells
/// twice as wide.
fn cell_volume(field: &Field, centre: Vec3, width: f64, depth: u32) -> [f64; 2] {
    let distance = field.distance(&centre);
    let circumradius = 0.5 * 3.0_f64.sqrt() * width;
    if distance >= circumradius {
        return [0.0; 2];
    }
    if distance <= -circumradius {
        return [width.powi(3); 2];
    }
    let partial = (0.5 - distance / width).clamp(0.0, 1.0) * width.powi(3);
    if depth == 0 {
        return [partial, 0.0];
    }
    let quarter = 0.25 * width;
    let child = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { quarter } else { -quarter });
    let [fine, coarse] =
        (0..8).map(|k| cell_volume(field, centre + child(k), 0.5 * width, depth - 1)).fold([0.0; 2], add);
    [fine, if depth == 1 { partial } else { coarse }]
}

fn add(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}
