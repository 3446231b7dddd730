//! Sample points inside a domain with equal shares of its volume, for bodies of particles.

mod cells;
pub(crate) mod grid;
mod poisson;

pub use grid::grid_points;
pub use poisson::{poisson_points, poisson_points_about};

use craze_math::Vec3;

use crate::domain::Domain;
use crate::volume::volume_of;

/// Sample points of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledPoints {
    /// Positions (m); on a grid x varies fastest, then y, then z.
    pub positions: Vec<Vec3>,
    /// Volume of each point (m³); the sum is the domain's volume.
    pub volume: f64,
    /// Distance of neighbours along the axes (m), or the minimum distance of random points.
    pub spacing: Vec3,
}

impl SampledPoints {
    /// Volume of all points (m³).
    pub fn total_volume(&self) -> f64 {
        self.volume * self.positions.len() as f64
    }

    /// The same points with equal shares of a more accurate volume (m³).
    pub fn sharing(self, volume: f64) -> Self {
        Self { volume: volume / self.positions.len().max(1) as f64, ..self }
    }
}

fn with_equal_shares(domain: &dyn Domain, positions: Vec<Vec3>, spacing: Vec3) -> SampledPoints {
    let volume = volume_of(domain) / positions.len() as f64;
    SampledPoints { positions, volume, spacing }
}
