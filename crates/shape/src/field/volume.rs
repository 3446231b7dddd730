//! Volume by adding up cells.

use craze_math::Vec3;
use rayon::prelude::*;

use super::Field;

/// Smallest cells along the longest side, at least and at most.
const CELLS_ALONG_LONGEST_SIDE: [f64; 2] = [128.0, 400.0];
/// Smallest cells across the thinnest wall, as long as they are not too many.
const CELLS_ACROSS_WALL: f64 = 8.0;
/// How often the cells that are shared among threads are halved.
const SUBDIVISIONS: u32 = 4;

/// Volume (m³). Cells that the signed distance shows to be empty or full are taken as a whole, others are divided.
///
/// In the smallest cells, of width h, the partial inside is ½ − d/h, cut off at 0 and 1: over a surface this errs to both sides
/// alike, so that plane faces are exact on average and curved ones and edges wrong by O(h²), which Richardson's extrapolation
/// from cells twice as wide removes.
pub(super) fn volume(field: &Field, thinnest: f64) -> f64 {
    let bounds = field.bounds;
    let length = bounds.size().max();
    if bounds.is_empty() || !length.is_finite() || length <= 0.0 {
        return 0.0;
    }
    let cells = (CELLS_ACROSS_WALL * length / thinnest).clamp(CELLS_ALONG_LONGEST_SIDE[0], CELLS_ALONG_LONGEST_SIDE[1]);
    let count = (cells / f64::from(1 << SUBDIVISIONS)).ceil() as usize;
    // A hair more than the box, so that faces on it are met from both sides.
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

/// Volume (m³) inside of the cell of this centre and width (m), from the smallest cells and from those twice as wide.
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
