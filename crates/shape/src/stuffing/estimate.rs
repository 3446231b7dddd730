//! How many tetrahedra there will be, without making them.

use craze_math::Vec3;
use craze_spatial::Aabb;
use rayon::prelude::*;

use super::survey::{CELL_OF_EDGE, CHUNK};
use super::{MOST_REFINED, StuffingOptions};
use crate::error::check_length;
use crate::resolution::TETRAHEDRA_A_SQUARE;
use crate::{Domain, ShapeError};

/// What a mesh will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingEstimate {
    /// How many tetrahedra.
    pub tetrahedra: f64,
    /// Memory of the mesh (bytes); about three times as much is in use while it is made.
    pub bytes: f64,
}

/// Samples along the longest side of the domain's box.
const SAMPLES: f64 = 48.0;
const FEWEST_SAMPLES: f64 = 6.0;
/// Depth (cells) below the surface to which cells are finest, and how much deeper (cells of its own size) each coarser level goes.
const FINEST_DEPTH: f64 = 3.2;
const LEVEL_DEPTH: f64 = 2.2;
/// Memory of a tetrahedron with its share of nodes and adjacency (bytes).
const BYTES: f64 = 78.0;

/// Walls of fewer edges have finer cells.
const WHOLE: f64 = 1.1;

/// Estimates a mesh from samples of how deep the domain is, to about a fifth, and no fewer than one layer along its area. Where all of it
/// is thin, finer cells count; thin places elsewhere come on top.
pub fn estimate(domain: &dyn Domain, options: &StuffingOptions) -> Result<StuffingEstimate, ShapeError> {
    check_length("edge", options.edge)?;
    check_length("size of the shape", domain.bounds().size().max())?;
    let parts = domain.parts();
    // Many parts share the samples of one.
    let samples = (SAMPLES / (parts.len() as f64).cbrt()).max(FEWEST_SAMPLES);
    let by_volume: f64 = parts.iter().map(|part| by_depth(domain, part, samples, options)).sum();
    let tetrahedra = by_volume.max(layer(domain, options));
    Ok(StuffingEstimate { tetrahedra, bytes: BYTES * tetrahedra })
}

/// Tetrahedra within a box, by samples of how deep the domain is there.
fn by_depth(domain: &dyn Domain, bounds: &Aabb, samples: f64, options: &StuffingOptions) -> f64 {
    let size = bounds.size();
    let spacing = size.max() / samples;
    let counts = size.map(|length| (length / spacing).ceil().max(1.0) as usize);
    let step = size.component_div(&counts.map(|count| count as f64));
    let width = options.edge * CELL_OF_EDGE;
    let density = |index: usize| {
        let [i, j, k] = [index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y)];
        // Every other row is shifted, so that samples do not fall between the walls of a regular shape.
        let shift = 0.25 + 0.5 * ((i + j + k) % 2) as f64;
        let place = bounds.min + Vec3::new(i as f64 + shift, j as f64 + 0.5, k as f64 + shift).component_mul(&step);
        if !domain.contains(&place) {
            return 0.0;
        }
        let mut depth = domain.clearance(&place) / width - FINEST_DEPTH;
        let mut density = 12.0;
        for level in 1..=options.grading {
            if depth < 0.0 {
                break;
            }
            density /= 8.0;
            depth -= LEVEL_DEPTH * 2f64.powi(level as i32);
        }
        density
    };
    let indices = (0..counts.x * counts.y * counts.z).into_par_iter().with_min_len(CHUNK);
    let densities: Vec<f64> = indices.map(density).collect();
    densities.iter().sum::<f64>() * step.product() / width.powi(3)
}

/// Tetrahedra of a layer as thick as the domain is on average, with cells halved as often as that asks for and may be paid for.
fn layer(domain: &dyn Domain, options: &StuffingOptions) -> f64 {
    let (Some(volume), Some(area)) = (domain.volume(), domain.area()) else { return 0.0 };
    let (sheet, wall) = (0.5 * area, 2.0 * volume / area);
    let count = |halvings: u32| TETRAHEDRA_A_SQUARE * sheet * 4f64.powi(halvings as i32) / options.edge.powi(2);
    let holds = |halvings: u32| WHOLE * options.edge / 2f64.powi(halvings as i32) <= wall;
    let wanted = (0..=options.refinement).find(|&halvings| holds(halvings)).unwrap_or(options.refinement);
    (0..=wanted).rev().map(count).find(|count| *count <= MOST_REFINED).unwrap_or(count(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn};
    use crate::repair::SurfaceDomain;
    use crate::stuffing::stuff;
    use crate::stuffing::testing::{ball, turned_cube, turned_cylinder};

    #[test]
    fn estimates_are_good_to_a_fifth() {
        let domains: [(&dyn Domain, f64); 4] =
            [(&ball(1.0), 0.1), (&ball(1.0), 0.05), (&turned_cube(1.0), 0.1), (&turned_cylinder(1.0, 0.4), 0.06)];
        for (domain, edge) in domains {
            for grading in [0, 2] {
                let options = StuffingOptions { grading, ..StuffingOptions::with_edge(edge) };
                let found = stuff(domain, &options).expect("a mesh").mesh;
                let estimate = estimate(domain, &options).expect("an estimate");
                let ratio = estimate.tetrahedra / found.element_count() as f64;
                assert!((0.8..1.25).contains(&ratio), "{ratio} at {edge}, grading {grading}");
                let ratio = estimate.bytes / found.bytes() as f64;
                assert!((0.7..1.4).contains(&ratio), "{ratio} of the bytes");
            }
        }
    }

    #[test]
    fn a_foil_counts_by_its_area() {
        for (thickness, edge, count) in
            [(0.05, 0.04, 10.0 / 0.0016), (0.02, 0.025, 40.0 / 0.000625), (1e-5, 0.02, 160.0 / 0.0004)]
        {
            let foil = Block { size: [1.0, thickness, 1.0] }.surface(1.0).expect("a plate");
            let (domain, _) = SurfaceDomain::new(&foil).expect("an inside");
            let found = estimate(&domain, &StuffingOptions::with_edge(edge)).expect("an estimate").tetrahedra;
            assert!((0.9..1.6).contains(&(found / count)), "{found} {count}");
        }
    }
}
