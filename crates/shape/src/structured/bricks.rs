//! Tetrahedra of a wall of bricks: a lattice of unequal cells whose planes hold every joint.

use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};

use super::steps;
use crate::error::{ShapeError, check_count};

/// A cell's longest side over its shortest. In a Kuhn tetrahedron of a box with sides at a ratio R the smallest angle is
/// atan(1/R), 14° here, and none is larger than 90°.
const LONGEST_OVER_SHORTEST: f64 = 4.0;

/// A box about the origin, cut along each axis into strips of these widths (m), in turn `strips[axis]`: cells are at most
/// `edge` (m) wide, and few times wider than the narrowest.
pub(crate) fn tetrahedra(strips: &[Vec<f64>; 3], edge: f64) -> Result<TetMesh, ShapeError> {
    let narrowest = strips.iter().flatten().fold(f64::INFINITY, |least, &width| least.min(width));
    let widest = edge.min(LONGEST_OVER_SHORTEST * narrowest / steps(narrowest, edge));
    let counts = strips.each_ref().map(|widths| widths.iter().map(|width| steps(*width, widest)).sum::<f64>());
    check_count("edge", edge, "tetrahedra", 6.0 * counts.iter().product::<f64>())?;
    let planes = strips.each_ref().map(|widths| planes(widths, widest));
    // The lattice with cells of width 1 knows how tetrahedra fit together; its points are then moved to their planes.
    let counts = planes.each_ref().map(|planes| planes.len() - 1);
    let lattice = kuhn_box(counts, Vec3::new(counts[0] as f64, counts[1] as f64, counts[2] as f64))?;
    let place = |point: &Vec3| Vec3::from_fn(|axis, _| planes[axis][point[axis].round() as usize]);
    Ok(TetMesh::from_parts(lattice.positions().iter().map(place).collect(), lattice.elements().to_vec())?)
}

/// Where the planes across an axis lie (m), symmetric about 0.
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
