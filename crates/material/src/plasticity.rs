//! Plastic flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::quantity::Quantity;

/// Plasticity parameters; the default never yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plasticity {
    /// Von Mises stress at which plastic flow starts (Pa): σ₀ of Pfaff et al. 2014 (9); `None`:
    /// never.
    pub yield_stress: Option<f64>,
    /// Curvature at which bending of a sheet becomes permanent (1/m): κ₀ of Pfaff et al. 2014 (10);
    /// `None`: never. Valid for one thickness: a plate of thickness h yields at 2·(1 −
    /// ν²)·σ₀/(E·h).
    pub yield_curvature: Option<f64>,
    /// Rate of plastic flow (1/s) at which the relative excess over the yield stress decays. μ of
    /// Pfaff et al. 2014 (9) is this divided by the yield stress (1/(Pa s)).
    pub flow_rate: f64,
    /// Increase of the yield stress per unit of plastic strain (Pa); negative values soften.
    pub hardening: f64,
}

impl Plasticity {
    /// Rejects thresholds that are not positive and rates that are negative or not finite.
    pub fn check(&self) -> Result<(), MaterialError> {
        if let Some(stress) = self.yield_stress {
            Quantity::YieldStress.check(stress)?;
        }
        if let Some(curvature) = self.yield_curvature {
            Quantity::YieldCurvature.check(curvature)?;
        }
        Quantity::FlowRate.check(self.flow_rate)?;
        Quantity::Hardening.check(self.hardening)
    }
}
