//! Plasticity: when and how fast a deformation stays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::quantity::Quantity;

/// Permanent deformation; the default never yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plasticity {
    /// Von Mises stress at which flow starts (Pa); none: never. σ₀ of Pfaff et al. 2014 (9).
    pub yield_stress: Option<f64>,
    /// Curvature at which a sheet keeps a bend (1/m); none: never. κ₀ of Pfaff et al. 2014 (10). It belongs to one
    /// thickness: a plate of thickness h starts to yield at 2·(1 − ν²)·σ₀/(E·h).
    pub yield_curvature: Option<f64>,
    /// Speed of flow (1/s): the relative excess over the yield stress decays at this rate. μ of Pfaff et al. 2014 (9)
    /// is this divided by the yield stress (1/(Pa s)).
    pub flow_rate: f64,
    /// Rise of the yield stress per unit of plastic strain (Pa); negative softens.
    pub hardening: f64,
}

impl Plasticity {
    /// Refuses thresholds that are not positive and rates that are negative or not numbers.
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
