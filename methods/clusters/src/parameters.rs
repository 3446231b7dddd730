//! Material parameters of the method, and variation of toughness between clusters.

use crate::options::Options;
use crate::partition::Clustering;
use craze_material::{Key, Material, MaterialError, MaterialUse, Quantity};
use craze_math::Random;
use serde::{Deserialize, Serialize};

/// The material keys that the method reads. Stretches take the place of stresses: shape matching
/// has no stiffness in pascals.
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

/// Material parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parameters {
    pub name: String,
    /// kg/m³.
    pub density: f64,
    /// α (1).
    pub goal_stiffness: f64,
    /// s.
    pub damping_time: f64,
    /// 1/s.
    pub drag: f64,
    /// λ (1); `None`: never yields.
    pub yield_strain: Option<f64>,
    /// ν (1).
    pub flow: f64,
    /// K (1/s).
    pub hardening: f64,
    /// τ₀ (1); `None`: never splits.
    pub toughness: Option<f64>,
}

impl Parameters {
    pub(crate) fn of(material: &Material) -> Parameters {
        Parameters {
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

/// Toughness of every cluster, with the variation that the options ask for.
pub(crate) fn toughnesses(parameters: &Parameters, options: &Options, clusters: usize) -> Vec<Option<f64>> {
    let seed = match options.clustering {
        Clustering::One => 0,
        Clustering::Count { seed, .. } | Clustering::Radius { seed, .. } => seed,
    };
    // A sequence different from the one that chose the centres.
    let mut random = Random::new(!seed);
    let mut vary = |toughness: f64| {
        let varied = 1.0 + (toughness - 1.0) * (1.0 + options.toughness_spread * random.signed());
        // With a spread of one the weakest would have no strength.
        varied.max(1.0 + 1e-3 * (toughness - 1.0))
    };
    (0..clusters).map(|_| parameters.toughness.map(&mut vary)).collect()
}
