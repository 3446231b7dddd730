//! Meshing of a small box of a domain, to measure the number of tetrahedra.

use craze_math::Vec3;
use craze_spatial::Aabb;

use super::classification::CELL_WIDTH_PER_EDGE;
use super::stuff_in_one_lattice;
use super::{Stuffing, StuffingOptions};
use crate::Domain;

/// Cells along a side of a window,
pub(super) const CELLS: f64 = 4.0;
/// and of the margin around it, which keeps the cut away.
const MARGIN_CELLS: f64 = 3.0;
/// Cells of a window with its margin.
pub(super) const CELLS_WITHIN: f64 =
    (CELLS + 2.0 * MARGIN_CELLS) * (CELLS + 2.0 * MARGIN_CELLS) * (CELLS + 2.0 * MARGIN_CELLS);
/// Cells below the sides without features, since the cut creates some.
const IGNORED_DEPTH: f64 = 1.0;

/// Number of tetrahedra with their centroid in a box, from meshing it with a margin.
pub(super) fn count_within(domain: &dyn Domain, inner: &Aabb, options: &StuffingOptions) -> usize {
    let bounds = inner.grown(MARGIN_CELLS * CELL_WIDTH_PER_EDGE * options.edge);
    let window = Window { domain, bounds, ignored_depth: IGNORED_DEPTH * CELL_WIDTH_PER_EDGE * options.edge };
    let Ok(Stuffing { mesh, .. }) = stuff_in_one_lattice(&window, options) else { return 0 };
    let is_within = |corners: &&[u32; 4]| {
        let middle = corners.iter().map(|&corner| mesh.positions()[corner as usize]).sum::<Vec3>() * 0.25;
        (0..3).all(|axis| middle[axis] >= inner.min[axis] && middle[axis] < inner.max[axis])
    };
    mesh.elements().iter().filter(is_within).count()
}

/// The part of a domain within a box.
struct Window<'a> {
    domain: &'a dyn Domain,
    bounds: Aabb,
    /// Depth (m) below the sides without normals.
    ignored_depth: f64,
}

impl Window<'_> {
    /// Depth (m) of a point below the nearest side; negative outside.
    fn depth(&self, point: &Vec3) -> f64 {
        (point - self.bounds.min).min().min((self.bounds.max - point).min())
    }
}

impl Domain for Window<'_> {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn level(&self, point: &Vec3) -> f64 {
        if self.depth(point) > 0.0 { self.domain.level(point) } else { -1.0 }
    }

    fn clearance(&self, point: &Vec3) -> f64 {
        let depth = self.depth(point);
        if depth > 0.0 { self.domain.clearance(point).min(depth) } else { -depth }
    }

    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        if self.depth(point) < self.ignored_depth { None } else { self.domain.normal(point) }
    }

    fn jump(&self, ends: &[Vec3; 2], from: f64) -> Option<f64> {
        let sides = (0..3).flat_map(|axis| {
            let length = ends[1][axis] - ends[0][axis];
            [self.bounds.min[axis], self.bounds.max[axis]].map(|side| (side - ends[0][axis]) / length)
        });
        let jumps = sides.filter(|share| *share > from && *share < 1.0).chain(self.domain.jump(ends, from));
        jumps.min_by(f64::total_cmp)
    }

    fn query_cost(&self) -> f64 {
        self.domain.query_cost()
    }
}
