//! Failure criteria and crack resistance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::quantity::Quantity;

/// Failure criteria of a material; the default never fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Strength {
    /// Tensile strength: principal stress at failure (Pa); `None`: no tensile failure.
    pub tensile: Option<f64>,
    /// Compressive strength (Pa, positive); `None`: no compressive failure.
    pub compressive: Option<f64>,
    /// Resistance to crack growth, in either of two units; `None`: strength alone decides.
    pub crack: Option<CrackResistance>,
    /// Toughness τ of O'Brien & Hodgins 1999 §4.2 (N): largest eigenvalue of the separation tensor
    /// (32) without failure. Depends on the mesh (READINGS 2); `None`: the tensile strength
    /// decides.
    pub separation_force: Option<f64>,
}

/// Resistance to crack growth, in one of two units related by Irwin's formula.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrackResistance {
    /// Fracture energy G_c per crack area (J/m²).
    FractureEnergy(f64),
    /// Fracture toughness K_Ic (Pa √m).
    Toughness(f64),
}

impl CrackResistance {
    /// Fracture energy (J/m²), G = K²/E', with E' (Pa) from [`plane_strain_modulus`] (Irwin 1957).
    pub fn energy(self, plane_modulus: f64) -> f64 {
        match self {
            Self::FractureEnergy(energy) => energy,
            Self::Toughness(toughness) => toughness * toughness / plane_modulus,
        }
    }

    /// Fracture toughness (Pa √m), K = √(G·E'), with E' (Pa) from [`plane_strain_modulus`] (Irwin
    /// 1957).
    pub fn toughness(self, plane_modulus: f64) -> f64 {
        match self {
            Self::FractureEnergy(energy) => (energy * plane_modulus).sqrt(),
            Self::Toughness(toughness) => toughness,
        }
    }

    pub(crate) fn quantity(self) -> (Quantity, f64) {
        match self {
            Self::FractureEnergy(energy) => (Quantity::FractureEnergy, energy),
            Self::Toughness(toughness) => (Quantity::Toughness, toughness),
        }
    }
}

/// E' = E/(1 − ν²) (Pa), the modulus of Irwin's relation in plane strain (thick bodies). In plane
/// stress (thin sheets) it is Young's modulus.
pub fn plane_strain_modulus(young: f64, poisson: f64) -> f64 {
    young / (1.0 - poisson * poisson)
}

impl Strength {
    /// Rejects thresholds that are not positive.
    pub fn check(&self) -> Result<(), MaterialError> {
        if let Some(stress) = self.tensile {
            Quantity::TensileStrength.check(stress)?;
        }
        if let Some(stress) = self.compressive {
            Quantity::CompressiveStrength.check(stress)?;
        }
        if let Some(crack) = self.crack {
            let (quantity, value) = crack.quantity();
            quantity.check(value)?;
        }
        if let Some(force) = self.separation_force {
            Quantity::SeparationForce.check(force)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irwin_relation_holds_both_ways() {
        let modulus = plane_strain_modulus(70e9, 0.2);
        let energy = CrackResistance::Toughness(0.75e6).energy(modulus);
        // 0.75e6² · 0.96 / 70e9
        assert!((energy - 7.714_285_714).abs() < 1e-8);
        let toughness = CrackResistance::FractureEnergy(energy).toughness(modulus);
        assert!((toughness - 0.75e6).abs() < 1e-6);
    }
}
