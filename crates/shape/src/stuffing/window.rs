//! A piece of a domain, cut out by a box: what a part of a mesh will be is found by making it.

use craze_math::Vec3;
use craze_spatial::Aabb;

use super::stuff_together;
use super::survey::CELL_OF_EDGE;
use super::{Stuffing, StuffingOptions};
use crate::Domain;

/// Cells along the side of a window,
pub(super) const CELLS: f64 = 4.0;
/// and around it, so that tetrahedra within do not feel where it was cut out.
const MARGIN: f64 = 3.0;
/// Cells of a window with those around it.
pub(super) const CELLS_WITHIN: f64 = (CELLS + 2.0 * MARGIN) * (CELLS + 2.0 * MARGIN) * (CELLS + 2.0 * MARGIN);
/// Cells below the sides in which creases and thin places are not looked for: there the cut made them.
const ROUGH: f64 = 1.0;

/// How many tetrahedra have their middle in a box, if a domain is filled there and around it.
pub(super) fn count_within(domain: &dyn Domain, inner: &Aabb, options: &StuffingOptions) -> usize {
    let bounds = inner.grown(MARGIN * CELL_OF_EDGE * options.edge);
    let window = Window { domain, bounds, rough: ROUGH * CELL_OF_EDGE * options.edge };
    let Ok(Stuffing { mesh, .. }) = stuff_together(&window, options) else { return 0 };
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
    /// How deep (m) below the sides nothing has a direction.
    rough: f64,
}

impl Window<'_> {
    /// How deep (m) a point lies below the nearest side of the box; negative outside.
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
        if self.depth(point) < self.rough { None } else { self.domain.normal(point) }
    }

    fn jump(&self, ends: &[Vec3; 2], from: f64) -> Option<f64> {
        let sides = (0..3).flat_map(|axis| {
            let way = ends[1][axis] - ends[0][axis];
            [self.bounds.min[axis], self.bounds.max[axis]].map(|side| (side - ends[0][axis]) / way)
        });
        let jumps = sides.filter(|share| *share > from && *share < 1.0).chain(self.domain.jump(ends, from));
        jumps.min_by(f64::total_cmp)
    }

    fn query_cost(&self) -> f64 {
        self.domain.query_cost()
    }
}
