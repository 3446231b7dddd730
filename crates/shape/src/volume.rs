//! Volume of any domain by octree subdivision.

use craze_math::{Random, Vec3};
use craze_spatial::Aabb;
use rayon::prelude::*;

use crate::domain::Domain;

/// Subdivision levels of the longest side, to leaves of 1/128.
pub(crate) const DEFAULT_LEVELS: u32 = 7;
/// The same for open surfaces, with few early decisions.
pub(crate) const OPEN_SURFACE_LEVELS: u32 = 6;
/// Fewest levels for one part of a domain.
pub(crate) const MIN_LEVELS: u32 = 3;
/// Levels above which cells are distributed to threads.
const PARALLEL_LEVELS: u32 = 2;

/// Volume (m³) of a domain: as the domain knows it, or measured.
pub fn volume_of(domain: &dyn Domain) -> f64 {
    domain.volume().unwrap_or_else(|| integrated_volume(domain, &domain.bounds(), DEFAULT_LEVELS))
}

/// Volume (m³) of a domain within a box, with this many subdivision levels of the longest side. The
/// error is about one leaf's share of the surface, averaged.
pub(crate) fn integrated_volume(domain: &dyn Domain, bounds: &Aabb, levels: u32) -> f64 {
    let side = bounds.size().max();
    if !(side > 0.0 && side.is_finite()) {
        return 0.0;
    }
    // Cells of the first parallel level, added in index order.
    let cell = side / f64::from(1 << PARALLEL_LEVELS);
    let counts = bounds.size().map(|length| (length / cell - 1e-9).ceil().max(1.0) as usize);
    let first = bounds.centre() - (counts.map(|count| count as f64) * (0.5 * cell)).add_scalar(-0.5 * cell);
    let cells: Vec<f64> = (0..counts.x * counts.y * counts.z)
        .into_par_iter()
        .map(|index| {
            let (i, j, k) = (index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y));
            let centre = first + Vec3::new(i as f64, j as f64, k as f64) * cell;
            volume_in_cube(domain, &centre, 0.5 * cell, levels - PARALLEL_LEVELS)
        })
        .collect();
    cells.iter().sum()
}

fn volume_in_cube(domain: &dyn Domain, centre: &Vec3, half: f64, levels: u32) -> f64 {
    if levels > 0 && domain.clearance(centre) < half * 3.0_f64.sqrt() {
        let child = |corner: usize| {
            let offset = Vec3::from_fn(|axis, _| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 });
            volume_in_cube(domain, &(centre + offset * half), 0.5 * half, levels - 1)
        };
        return (0..8).map(child).sum();
    }
    // One random point decides a leaf that the surface crosses; centres would all miss or all hit a
    // plate aligned with the grid.
    let mut point = *centre;
    if levels == 0 {
        let mix = |seed: u64, value: &f64| Random::new(seed ^ value.to_bits()).bits();
        let mut random = Random::new(centre.iter().fold(0, mix));
        point += Vec3::from_fn(|_, _| random.signed()) * half;
    }
    if domain.contains(&point) { (2.0 * half).powi(3) } else { 0.0 }
}
