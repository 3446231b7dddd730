//! Structured tetrahedral mesh of a brick wall: a lattice with planes at every joint.

use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};

use super::steps;
use crate::error::{ShapeError, check_count};

/// Largest aspect ratio of a cell. For R, the angles of a Kuhn tetrahedron are between atan(1/R),
/// 14° here, and 90°.
const MAX_CELL_ASPECT_RATIO: f64 = 4.0;

/// A box about the origin with strips of widths (m) `strips[axis]` along each axis, in cells at
/// most `edge` (m) wide.
pub(crate) fn tetrahedra(strips: &[Vec<f64>; 3], edge: f64) -> Result<TetMesh, ShapeError> {
    let narrowest = strips.iter().flatten().fold(f64::INFINITY, |least, &width| least.min(width));
    let widest = edge.min(MAX_CELL_ASPECT_RATIO * narrowest / steps(narrowest, edge));
    let counts = strips.each_ref().map(|widths| widths.iter().map(|width| steps(*width, widest)).sum::<f64>());
    check_count("edge", edge, "tetrahedra", 6.0 * counts.iter().product::<f64>())?;
    let planes = strips.each_ref().map(|widths| planes(widths, widest));
    // Unit cells give the connectivity.
    let counts = planes.each_ref().map(|planes| planes.len() - 1);
    let lattice = kuhn_box(counts, Vec3::new(counts[0] as f64, counts[1] as f64, counts[2] as f64))?;
    let position = |point: &Vec3| Vec3::from_fn(|axis, _| planes[axis][point[axis].round() as usize]);
    Ok(TetMesh::from_parts(lattice.positions().iter().map(position).collect(), lattice.elements().to_vec())?)
}

/// Positions (m) of the planes across an axis, symmetric about 0.
fn planes(widths: &[f64], widest: f64) -> Vec<f64> {
    let half = 0.5 * widths.iter().sum::<f64>();
    let mut planes = vec![-half];
    let mut start = -half;
    for width in widths {
        let count = steps(*width, widest) as usize;
        planes.extend((1..=count).map(|k| start + width * k as f64 / count as f64));
        start += width;
    }
    planes
}
