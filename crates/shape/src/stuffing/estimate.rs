//! Estimates of the number of tetrahedra without meshing.

use craze_math::{Random, Vec3};
use craze_spatial::Aabb;
use rayon::prelude::*;

use super::classification::{CELL_WIDTH_PER_EDGE, CHUNK};
use super::window::{self, CELLS, count_within};
use super::{Stuffing, StuffingOptions, stuff};
use crate::error::check_length;
use crate::resolution::TETRAHEDRA_PER_SQUARE_EDGE;
use crate::tuning::{MIN_REFINEMENT_BUDGET, REFINEMENT_BUDGET_RATIO};
use crate::{Domain, ShapeError};

/// Estimated size of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingEstimate {
    /// Number of tetrahedra.
    pub tetrahedra: f64,
    /// Memory of the mesh (bytes); meshing takes about five times as much.
    pub bytes: f64,
}

/// Samples along the longest side of the domain's box.
const SAMPLES: f64 = 48.0;
const MIN_SAMPLES: f64 = 6.0;
/// Depth (cells) of the finest cells below the surface, and of each coarser level (in its own
/// cells).
const FINEST_DEPTH: f64 = 3.2;
const LEVEL_DEPTH: f64 = 2.2;
/// Memory of a tetrahedron with its share of nodes and adjacency (bytes).
const BYTES_PER_TETRAHEDRON: f64 = 60.0;

/// Wall thickness in edges below which cells are refined.
const EDGES_PER_UNREFINED_WALL: f64 = 1.1;

/// Limits of boxes in the descent and of meshed windows.
const MAX_BOXES: usize = 2048;
const MAX_WINDOWS: usize = 36;
/// Limit of separate parts that share the windows.
const MAX_PARTS: usize = 6;
/// Lattice tetrahedra per mesh tetrahedron where cells are refined.
const LATTICE_TETRAHEDRA_PER_MESH_TETRAHEDRON: f64 = 2.5;

/// Estimates the mesh from small windows meshed at random positions along the surface, and from
/// depth samples elsewhere; within a factor of 1.5 on all built-in shapes. A domain no larger than
/// all windows is meshed and counted. Independent of the number of threads. Takes as long as a mesh
/// of some hundred thousand tetrahedra; [`quick_estimate`] is immediate, but hardly accounts for
/// refinement.
pub fn estimate(domain: &dyn Domain, options: &StuffingOptions) -> Result<StuffingEstimate, ShapeError> {
    let quick = quick_estimate(domain, options)?.tetrahedra;
    let width = options.edge * CELL_WIDTH_PER_EDGE;
    if domain.bounds().size().map(|length| (length / width).ceil()).product()
        <= MAX_WINDOWS as f64 * window::CELLS_WITHIN
    {
        let bounded = StuffingOptions { limit: options.limit.min(MIN_REFINEMENT_BUDGET), ..*options };
        if let Ok(Stuffing { report, .. }) = stuff(domain, &bounded) {
            let tetrahedra = report.tetrahedra as f64;
            return Ok(StuffingEstimate { tetrahedra, bytes: BYTES_PER_TETRAHEDRON * tetrahedra });
        }
    }
    Ok(estimate_by_windows(domain, quick, options))
}

fn estimate_by_windows(domain: &dyn Domain, quick: f64, options: &StuffingOptions) -> StuffingEstimate {
    let parts = domain.parts();
    let mut found = quick;
    if parts.len() > MAX_PARTS {
        return StuffingEstimate { tetrahedra: found, bytes: BYTES_PER_TETRAHEDRON * found };
    }
    for refinement in (0..=options.refinement).rev() {
        let options = StuffingOptions { refinement, ..*options };
        let tried = parts.iter().map(|part| by_windows(domain, part, MAX_WINDOWS / parts.len(), &options)).sum();
        found = quick.max(tried);
        // The mesher skips refinement beyond the budget.
        if LATTICE_TETRAHEDRA_PER_MESH_TETRAHEDRON * tried
            <= (REFINEMENT_BUDGET_RATIO * quick).max(MIN_REFINEMENT_BUDGET)
        {
            break;
        }
    }
    StuffingEstimate { tetrahedra: found, bytes: BYTES_PER_TETRAHEDRON * found }
}

/// Estimates the mesh from depth samples, with at least one layer along the area. Accounts for
/// refinement only where the whole domain is thin; elsewhere it can multiply the number.
pub fn quick_estimate(domain: &dyn Domain, options: &StuffingOptions) -> Result<StuffingEstimate, ShapeError> {
    check_length("edge", options.edge)?;
    check_length("size of the shape", domain.bounds().size().max())?;
    let parts = domain.parts();
    let samples = (SAMPLES / (parts.len() as f64).cbrt()).max(MIN_SAMPLES);
    let by_volume: f64 = parts.iter().map(|part| by_depth(domain, part, samples, options)).sum();
    let tetrahedra = by_volume.max(layer_count(domain, options));
    Ok(StuffingEstimate { tetrahedra, bytes: BYTES_PER_TETRAHEDRON * tetrahedra })
}

/// Tetrahedra within a box, from windows along the surface and depth samples elsewhere.
fn by_windows(domain: &dyn Domain, bounds: &Aabb, windows: usize, options: &StuffingOptions) -> f64 {
    let mut random = Random::new(1);
    let width = options.edge * CELL_WIDTH_PER_EDGE;
    let mut size = CELLS * width;
    while size < bounds.size().max() + width {
        size *= 2.0;
    }
    // Each box represents `weight` boxes of its size.
    let (mut boxes, mut weight) = (vec![bounds.min.add_scalar(-0.5 * width)], 1.0);
    let mut deep = 0.0;
    loop {
        let radius = 0.5 * 3f64.sqrt() * size;
        let classified = boxes.par_iter().with_min_len(16).map(|corner: &Vec3| {
            let middle = corner.add_scalar(0.5 * size);
            let is_clear = domain.clearance(&middle) > radius;
            let is_outside_bounds =
                (0..3).any(|axis| corner[axis] > bounds.max[axis] || corner[axis] + size < bounds.min[axis]);
            match () {
                () if is_outside_bounds => (false, 0.0),
                () if !is_clear => (true, 0.0),
                () if domain.contains(&middle) => (false, deep_count(domain, corner, size, options)),
                () => (false, 0.0),
            }
        });
        let classified: Vec<(bool, f64)> = classified.collect();
        deep += weight * classified.iter().map(|(_, count)| count).sum::<f64>();
        boxes = boxes
            .into_iter()
            .zip(&classified)
            .filter(|(_, (may_hold_surface, _))| *may_hold_surface)
            .map(|(corner, _)| corner)
            .collect();
        if size <= 1.5 * CELLS * width {
            break;
        }
        weight *= subsample(&mut boxes, MAX_BOXES / 8, &mut random);
        size *= 0.5;
        let children = |corner: &Vec3| {
            let corner = *corner;
            (0..8).map(move |child| corner + Vec3::from_fn(|axis, _| f64::from(child >> axis & 1) * size))
        };
        boxes = boxes.iter().flat_map(children).collect();
    }
    // The inside share of a box predicts its count; the windows calibrate this.
    let share = |corner: &Vec3| {
        const SIDE: usize = 4;
        let inside = (0..SIDE.pow(3)).filter(|index| {
            let position = [index % SIDE, index / SIDE % SIDE, index / SIDE.pow(2)].map(|step| step as f64 + 0.5);
            domain.contains(&(corner + Vec3::from(position) * (size / SIDE as f64)))
        });
        0.02 + inside.count() as f64 / SIDE.pow(3) as f64
    };
    let shares = |boxes: &[Vec3]| -> f64 { boxes.par_iter().map(share).collect::<Vec<_>>().iter().sum() };
    let expected = weight * shares(&boxes);
    subsample(&mut boxes, windows, &mut random);
    let count = |corner: &Vec3| {
        let inner = Aabb { min: *corner, max: corner.add_scalar(size) };
        count_within(domain, &inner, options) as f64
    };
    let counts: Vec<f64> = boxes.par_iter().map(count).collect();
    let sampled = shares(&boxes);
    deep + if sampled > 0.0 { expected * counts.iter().sum::<f64>() / sampled } else { 0.0 }
}

/// Keeps at most `most` evenly spaced entries from a random start; returns how many each
/// represents.
fn subsample(list: &mut Vec<Vec3>, most: usize, random: &mut Random) -> f64 {
    if list.len() <= most {
        return 1.0;
    }
    let step = list.len() as f64 / most as f64;
    let start = random.number() * step;
    *list = (0..most).map(|index| list[((start + index as f64 * step) as usize).min(list.len() - 1)]).collect();
    step
}

/// Tetrahedra of a box inside the domain.
fn deep_count(domain: &dyn Domain, corner: &Vec3, size: f64, options: &StuffingOptions) -> f64 {
    const SIDE: usize = 3;
    let width = options.edge * CELL_WIDTH_PER_EDGE;
    let densities = (0..SIDE.pow(3)).map(|index| {
        let position = [index % SIDE, index / SIDE % SIDE, index / SIDE.pow(2)].map(|step| step as f64 + 0.5);
        density(domain.clearance(&(corner + Vec3::from(position) * (size / SIDE as f64))) / width, options)
    });
    densities.sum::<f64>() / SIDE.pow(3) as f64 * (size / width).powi(3)
}

/// Tetrahedra per finest cell at this depth (cells) below the surface.
fn density(depth: f64, options: &StuffingOptions) -> f64 {
    let mut depth = depth - FINEST_DEPTH;
    let mut density = 12.0;
    for level in 1..=options.grading {
        if depth < 0.0 {
            break;
        }
        density /= 8.0;
        depth -= LEVEL_DEPTH * 2f64.powi(level as i32);
    }
    density
}

/// Tetrahedra within a box, from depth samples.
fn by_depth(domain: &dyn Domain, bounds: &Aabb, samples: f64, options: &StuffingOptions) -> f64 {
    let size = bounds.size();
    let spacing = size.max() / samples;
    let counts = size.map(|length| (length / spacing).ceil().max(1.0) as usize);
    let step = size.component_div(&counts.map(|count| count as f64));
    let width = options.edge * CELL_WIDTH_PER_EDGE;
    let at = |index: usize| {
        let [i, j, k] = [index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y)];
        // Shifted rows do not all miss the walls of a regular shape.
        let shift = 0.25 + 0.5 * ((i + j + k) % 2) as f64;
        let position = bounds.min + Vec3::new(i as f64 + shift, j as f64 + 0.5, k as f64 + shift).component_mul(&step);
        if !domain.contains(&position) {
            return 0.0;
        }
        density(domain.clearance(&position) / width, options)
    };
    let indices = (0..counts.x * counts.y * counts.z).into_par_iter().with_min_len(CHUNK);
    let densities: Vec<f64> = indices.map(at).collect();
    densities.iter().sum::<f64>() * step.product() / width.powi(3)
}

/// Tetrahedra of a single layer of the domain's mean thickness, refined as needed and affordable.
fn layer_count(domain: &dyn Domain, options: &StuffingOptions) -> f64 {
    let (Some(volume), Some(area)) = (domain.volume(), domain.area()) else { return 0.0 };
    let (sheet, wall) = (0.5 * area, 2.0 * volume / area);
    let count = |halvings: u32| TETRAHEDRA_PER_SQUARE_EDGE * sheet * 4f64.powi(halvings as i32) / options.edge.powi(2);
    let is_resolved = |halvings: u32| EDGES_PER_UNREFINED_WALL * options.edge / 2f64.powi(halvings as i32) <= wall;
    let wanted = (0..=options.refinement).find(|&halvings| is_resolved(halvings)).unwrap_or(options.refinement);
    (0..=wanted).rev().map(count).find(|count| *count <= MIN_REFINEMENT_BUDGET).unwrap_or(count(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, Bowl, BuiltIn, Dome, Plate};
    use crate::repair::SurfaceDomain;
    use crate::stuffing::testing::{ball, rotated_cube, rotated_cylinder};

    #[test]
    fn quick_estimates_of_thick_shapes_are_good_to_a_fifth() {
        let domains: [(&dyn Domain, f64); 3] =
            [(&ball(1.0), 0.1), (&rotated_cube(1.0), 0.1), (&rotated_cylinder(1.0, 0.4), 0.08)];
        for (domain, edge) in domains {
            for grading in [0, 2] {
                let options = StuffingOptions { grading, ..StuffingOptions::with_edge(edge) };
                let found = stuff(domain, &options).expect("a mesh").mesh;
                let estimate = quick_estimate(domain, &options).expect("an estimate");
                let ratio = estimate.tetrahedra / found.element_count() as f64;
                assert!((0.8..1.25).contains(&ratio), "{ratio} at {edge}, grading {grading}");
                let ratio = estimate.bytes / found.bytes() as f64;
                assert!((0.7..1.4).contains(&ratio), "{ratio} of the bytes");
            }
        }
    }

    /// Compares estimates of thin shapes with their meshes, with the allowed ratio.
    fn check_thin(shapes: &[(&dyn BuiltIn, f64)]) {
        for (shape, cells) in shapes {
            let options = StuffingOptions::with_edge(shape.size().max() / cells);
            let field = shape.field();
            let found = stuff(&field, &options).expect("a mesh").report;
            let quick = quick_estimate(&field, &options).expect("an estimate").tetrahedra;
            let made = found.tetrahedra as f64;
            assert!(found.thin.halvings > 0 && quick < 0.5 * made, "{quick} {found:?}");
            let by_windows = estimate_by_windows(&field, quick, &options).tetrahedra / made;
            assert!((0.75..1.3).contains(&by_windows), "{by_windows} at {cells}");
            // So small a domain is meshed.
            assert_eq!(estimate(&field, &options).expect("an estimate").tetrahedra, made);
        }
    }

    #[test]
    fn finer_cells_of_thin_shapes_count() {
        check_thin(&[(&Dome::default(), 10.0)]);
    }

    #[test]
    #[ignore = "long: estimates of finer meshes"]
    fn finer_cells_of_thin_and_small_shapes_count() {
        check_thin(&[(&Plate::default(), 20.0), (&Bowl::default(), 12.0)]);
        check_foil(0.02, 0.025, 40.0 / 0.000625);
    }

    /// Compares the estimate of a plate of 1 m × 1 m with a count.
    fn check_foil(thickness: f64, edge: f64, count: f64) {
        let foil = Block { size: [1.0, thickness, 1.0] }.surface(1.0).expect("a plate");
        let (domain, _) = SurfaceDomain::new(&foil).expect("an inside");
        let found = estimate(&domain, &StuffingOptions::with_edge(edge)).expect("an estimate").tetrahedra;
        assert!((0.9..1.6).contains(&(found / count)), "{found} {count}");
    }

    #[test]
    fn a_foil_is_estimated_by_its_area() {
        check_foil(0.05, 0.04, 10.0 / 0.0016);
        check_foil(1e-5, 0.02, 160.0 / 0.0004);
    }
}
