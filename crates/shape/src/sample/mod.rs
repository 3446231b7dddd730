//! Points inside a domain, each with its share of the volume, for bodies of particles.

mod cells;
mod poisson;

pub use poisson::{poisson_points, poisson_points_about};

use craze_math::Vec3;

use crate::domain::Domain;
use crate::points::SampledPoints;
use crate::volume::volume_of;

/// Points with equal shares of the domain's volume.
fn shared(domain: &dyn Domain, positions: Vec<Vec3>, spacing: Vec3) -> SampledPoints {
    let volume = volume_of(domain) / positions.len() as f64;
    SampledPoints { positions, volume, spacing }
}
