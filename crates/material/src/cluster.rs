//! Parameters of clustered shape matching, which uses stretches instead of stresses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::quantity::Quantity;

/// Parameters of Jones et al. 2016. They belong to the method, not to a real material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cluster {
    /// Fraction α of the distance to its goal that a particle moves in a reference step Δt₀ (1),
    /// above 0 and at most 1.
    pub goal_stiffness: f64,
    /// Strain ‖F* − I‖ at which plastic flow starts (1): λ of Jones et al. 2016 (13); `None`:
    /// never.
    pub yield_strain: Option<f64>,
    /// Fraction ν of the excess strain that flows in a reference step Δt₀ (1): Jones et al. 2016
    /// (13), READINGS 22. In a step Δt it is 1 − (1 − ν)^(Δt/Δt₀).
    pub flow: f64,
    /// Increase of the yield strain per unit of accumulated strain (1/s): K of Jones et al. 2016
    /// (13), with α of (14) accumulated per second (READINGS 24); negative values soften.
    pub hardening: f64,
    /// Stretch at which a cluster splits (1), above 1: τ of Jones et al. 2016 §4.2; `None`: never.
    pub toughness: Option<f64>,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { goal_stiffness: 1.0, yield_strain: None, flow: 0.0, hardening: 0.0, toughness: None }
    }
}

impl Cluster {
    /// Rejects values for which the method is unstable or undefined.
    pub fn check(&self) -> Result<(), MaterialError> {
        Quantity::GoalStiffness.check(self.goal_stiffness)?;
        if let Some(strain) = self.yield_strain {
            Quantity::ClusterYield.check(strain)?;
        }
        Quantity::ClusterFlow.check(self.flow)?;
        Quantity::ClusterHardening.check(self.hardening)?;
        if let Some(stretch) = self.toughness {
            Quantity::ClusterToughness.check(stretch)?;
        }
        Ok(())
    }
}
