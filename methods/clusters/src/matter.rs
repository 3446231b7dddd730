//! What the method reads of a material, and how toughness varies from cluster to cluster.

use crate::options::Options;
use crate::partition::Clustering;
use craze_material::{Key, Material, MaterialError, MaterialUse, Quantity};
use craze_math::Random;
use serde::{Deserialize, Serialize};

/// The numbers of a material that [`Matter`] takes. Stretches take the place of stresses: shape matching knows no stiffness in pascals.
pub const MATERIAL: MaterialUse = MaterialUse {
    method: crate::KIND,
    reads: &[
        Key::Number(Quantity::Density),
        Key::Number(Quantity::DampingTime),
        Key::Number(Quantity::MassDamping),
        Key::Number(Quantity::GoalStiffness),
        Key::Number(Quantity::ClusterYield),
        Key::Number(Quantity::ClusterFlow),
        Key::Number(Quantity::ClusterHardening),
        Key::Number(Quantity::ClusterToughness),
    ],
    instead: &[
        (Key::Number(Quantity::Young), Quantity::GoalStiffness),
        (Key::Number(Quantity::Lambda), Quantity::GoalStiffness),
        (Key::Number(Quantity::Mu), Quantity::GoalStiffness),
        (Key::Stiffness, Quantity::GoalStiffness),
        (Key::Number(Quantity::Phi), Quantity::DampingTime),
        (Key::Number(Quantity::Psi), Quantity::DampingTime),
        (Key::Viscosity, Quantity::DampingTime),
        (Key::Number(Quantity::YieldStress), Quantity::ClusterYield),
        (Key::Number(Quantity::FlowRate), Quantity::ClusterFlow),
        (Key::Number(Quantity::Hardening), Quantity::ClusterHardening),
        (Key::Number(Quantity::TensileStrength), Quantity::ClusterToughness),
        (Key::Number(Quantity::FractureEnergy), Quantity::ClusterToughness),
        (Key::Number(Quantity::Toughness), Quantity::ClusterToughness),
        (Key::Number(Quantity::SeparationForce), Quantity::ClusterToughness),
    ],
};

/// What the method reads of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Matter {
    pub name: String,
    /// kg/m³.
    pub density: f64,
    /// α (1).
    pub goal_stiffness: f64,
    /// s.
    pub damping_time: f64,
    /// 1/s.
    pub drag: f64,
    /// λ (1); none: never yields.
    pub yield_strain: Option<f64>,
    /// ν (1).
    pub flow: f64,
    /// K (1/s).
    pub hardening: f64,
    /// τ₀ (1); none: never splits.
    pub toughness: Option<f64>,
}

impl Matter {
    pub(crate) fn of(material: &Material) -> Matter {
        Matter {
            name: material.name.clone(),
            density: material.density,
            goal_stiffness: material.cluster.goal_stiffness,
            damping_time: material.damping.time,
            drag: material.damping.mass,
            yield_strain: material.cluster.yield_strain,
            flow: material.cluster.flow,
            hardening: material.cluster.hardening,
            toughness: material.cluster.toughness,
        }
    }

    pub(crate) fn check(&self) -> Result<(), MaterialError> {
        Quantity::Density.check(self.density)?;
        Quantity::GoalStiffness.check(self.goal_stiffness)?;
        Quantity::DampingTime.check(self.damping_time)?;
        Quantity::MassDamping.check(self.drag)?;
        Quantity::ClusterFlow.check(self.flow)?;
        Quantity::ClusterHardening.check(self.hardening)?;
        if let Some(strain) = self.yield_strain {
            Quantity::ClusterYield.check(strain)?;
        }
        self.toughness.map_or(Ok(()), |toughness| Quantity::ClusterToughness.check(toughness))
    }
}

/// Toughness of every cluster, varied as the options ask.
pub(crate) fn toughnesses(matter: &Matter, options: &Options, clusters: usize) -> Vec<Option<f64>> {
    let seed = match options.clustering {
        Clustering::One => 0,
        Clustering::Count { seed, .. } | Clustering::Radius { seed, .. } => seed,
    };
    // Another sequence than the one that chose the centres.
    let mut random = Random::new(!seed);
    let mut vary = |toughness: f64| {
        let varied = 1.0 + (toughness - 1.0) * (1.0 + options.toughness_spread * random.signed());
        // With a spread of one the weakest would bear nothing at all.
        varied.max(1.0 + 1e-3 * (toughness - 1.0))
    };
    (0..clusters).map(|_| matter.toughness.map(&mut vary)).collect()
}
