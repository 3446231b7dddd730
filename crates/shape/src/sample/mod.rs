//! Points inside a domain, each with its share of the volume, for bodies of particles.

mod cells;
pub(crate) mod grid;
mod poisson;

pub use grid::grid_points;
pub use poisson::{poisson_points, poisson_points_about};

use craze_math::Vec3;

use crate::domain::Domain;
use crate::volume::volume_of;

/// Points of a body and what each stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledPoints {
    /// Where they are (m); on a grid x runs fastest, then y, then z.
    pub positions: Vec<Vec3>,
    /// Volume of each (m³); the sum is the domain's volume.
    pub volume: f64,
    /// Distance of neighbours along the axes (m), or the least distance of random points.
    pub spacing: Vec3,
}

impl SampledPoints {
    /// Volume of all points together (m³).
    pub fn total_volume(&self) -> f64 {
        self.volume * self.positions.len() as f64
    }

    /// The same points with equal shares of a volume (m³) that is known better.
    pub fn sharing(self, volume: f64) -> Self {
        Self { volume: volume / self.positions.len().max(1) as f64, ..self }
    }
}

/// Points with equal shares of the domain's volume.
fn shared(domain: &dyn Domain, positions: Vec<Vec3>, spacing: Vec3) -> SampledPoints {
    let volume = volume_of(domain) / positions.len() as f64;
    SampledPoints { positions, volume, spacing }
}
