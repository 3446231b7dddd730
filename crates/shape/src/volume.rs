//! Volume of any domain, by halving boxes until they lie on one side of its surface.

use craze_math::{Random, Vec3};
use craze_spatial::Aabb;
use rayon::prelude::*;

use crate::domain::Domain;

/// Halvings of the longest side before a box counts as one point of it does: 1/128.
pub(crate) const FINE: u32 = 7;
/// The same where boxes are seldom known to lie on one side: 1/64.
pub(crate) const COARSE: u32 = 6;
/// The fewest for any part of a domain.
pub(crate) const COARSEST: u32 = 3;
/// Halvings at which work is handed to threads.
const PARALLEL_LEVELS: u32 = 2;

/// Volume (m³) of a domain: as it knows it, or measured.
pub fn volume_of(domain: &dyn Domain) -> f64 {
    domain.volume().unwrap_or_else(|| integrated_volume(domain, &domain.bounds(), FINE))
}

/// Volume (m³) of what a domain has within a box whose longest side is halved so often; the error is about one box's share of the surface, averaged
/// out.
pub(crate) fn integrated_volume(domain: &dyn Domain, bounds: &Aabb, levels: u32) -> f64 {
    let side = bounds.size().max();
    if !(side > 0.0 && side.is_finite()) {
        return 0.0;
    }
    // Cubes of the first parallel level that reach into the bounds, each integrated alone and added in order.
    let cell = side / f64::from(1 << PARALLEL_LEVELS);
    let counts = bounds.size().map(|length| (length / cell - 1e-9).ceil().max(1.0) as usize);
    let first = bounds.centre() - (counts.map(|count| count as f64) * (0.5 * cell)).add_scalar(-0.5 * cell);
    let cells: Vec<f64> = (0..counts.x * counts.y * counts.z)
        .into_par_iter()
        .map(|index| {
            let (i, j, k) = (index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y));
            let centre = first + Vec3::new(i as f64, j as f64, k as f64) * cell;
            inside(domain, &centre, 0.5 * cell, levels - PARALLEL_LEVELS)
        })
        .collect();
    cells.iter().sum()
}

/// Volume (m³) inside of a cube.
fn inside(domain: &dyn Domain, centre: &Vec3, half: f64, levels: u32) -> f64 {
    if levels > 0 && domain.clearance(centre) < half * 3.0_f64.sqrt() {
        let child = |corner: usize| {
            let way = Vec3::from_fn(|axis, _| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 });
            inside(domain, &(centre + way * half), 0.5 * half, levels - 1)
        };
        return (0..8).map(child).sum();
    }
    // A box that the surface crosses counts as a random point of it does: middles would all miss, or all meet, a plate that lies along
    // the boxes.
    let mut point = *centre;
    if levels == 0 {
        let mix = |seed: u64, value: &f64| Random::new(seed ^ value.to_bits()).bits();
        let mut random = Random::new(centre.iter().fold(0, mix));
        point += Vec3::from_fn(|_, _| random.signed()) * half;
    }
    if domain.contains(&point) { (2.0 * half).powi(3) } else { 0.0 }
}
