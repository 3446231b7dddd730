//! Probes: what a run measures.

use crate::{HoldId, MaterialPoint, World};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Something that is measured over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// Its name: the head of its columns.
    pub name: String,
    /// What it measures.
    pub measure: Measure,
}

/// What a probe measures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// Where a material point is (m).
    Position {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
    },
    /// How far a material point has moved (m).
    Displacement {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
        /// Where it started (m).
        start: Vec3,
    },
    /// How fast a material point moves (m/s).
    Velocity {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
    },
    /// Force of a hold on its body (N).
    Reaction {
        /// The hold.
        hold: HoldId,
    },
    /// Kinetic and elastic energy of a body (J).
    Energy {
        /// Index of the body.
        body: usize,
    },
    /// Number of pieces of a body.
    Pieces {
        /// Index of the body.
        body: usize,
    },
}

impl Probe {
    /// Heads of its columns.
    pub fn columns(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.measure {
            Measure::Position { .. } => &["x_m", "y_m", "z_m"],
            Measure::Displacement { .. } => &["dx_m", "dy_m", "dz_m"],
            Measure::Velocity { .. } => &["vx_m_s", "vy_m_s", "vz_m_s"],
            Measure::Reaction { .. } => &["fx_N", "fy_N", "fz_N"],
            Measure::Energy { .. } => &["kinetic_J", "elastic_J"],
            Measure::Pieces { .. } => &["count"],
        };
        suffixes.iter().map(|suffix| format!("{}.{suffix}", self.name)).collect()
    }

    /// What it measures now, one number a column.
    pub fn measure(&self, world: &World) -> Vec<f64> {
        let vector = |value: Vec3| vec![value.x, value.y, value.z];
        match &self.measure {
            Measure::Position { body, point } => vector(world.bodies[*body].method.observe(point).0),
            Measure::Displacement { body, point, start } => vector(world.bodies[*body].method.observe(point).0 - start),
            Measure::Velocity { body, point } => vector(world.bodies[*body].method.observe(point).1),
            Measure::Reaction { hold } => {
                let body = world.holds[hold.0 as usize].body;
                vector(world.bodies[body].method.reaction(*hold))
            }
            Measure::Energy { body } => {
                let account = world.bodies[*body].method.account(&world.settings.gravity);
                vec![account.kinetic, account.elastic]
            }
            Measure::Pieces { body } => {
                vec![world.bodies[*body].method.account(&world.settings.gravity).pieces as f64]
            }
        }
    }
}
