//! The material of a body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::cluster::Cluster;
use crate::damping::Damping;
use crate::elasticity::Elasticity;
use crate::plasticity::Plasticity;
use crate::quantity::Quantity;
use crate::strength::{Strength, plane_strain_modulus};

/// Material parameters in SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Name of the material.
    pub name: String,
    /// Mass density (kg/m³).
    pub density: f64,
    /// Elastic law.
    pub elasticity: Elasticity,
    /// Damping.
    #[serde(default)]
    pub damping: Damping,
    /// Plastic flow.
    #[serde(default)]
    pub plasticity: Plasticity,
    /// Failure criteria.
    #[serde(default)]
    pub strength: Strength,
    /// Parameters of clustered shape matching.
    #[serde(default)]
    pub cluster: Cluster,
    /// Coefficient of Coulomb friction against the same material (1).
    #[serde(default = "default_friction")]
    pub friction: f64,
    /// Coefficient of restitution (1), from 0 to 1.
    #[serde(default)]
    pub restitution: f64,
}

fn default_friction() -> f64 {
    0.5
}

impl Material {
    /// An undamped elastic material that never yields or fails, with this density (kg/m³).
    pub fn elastic(name: &str, density: f64, elasticity: Elasticity) -> Self {
        Self {
            name: name.to_owned(),
            density,
            elasticity,
            damping: Damping::default(),
            plasticity: Plasticity::default(),
            strength: Strength::default(),
            cluster: Cluster::default(),
            friction: default_friction(),
            restitution: 0.0,
        }
    }

    /// Rejects the first invalid number; the error names it with its allowed range.
    pub fn check(&self) -> Result<(), MaterialError> {
        Quantity::Density.check(self.density)?;
        self.elasticity.check()?;
        self.damping.check()?;
        self.plasticity.check()?;
        self.strength.check()?;
        self.cluster.check()?;
        Quantity::Friction.check(self.friction)?;
        Quantity::Restitution.check(self.restitution)
    }

    /// True Lamé constants (λ, μ) in Pa; see [`Elasticity::lame`].
    pub fn lame(&self) -> (f64, f64) {
        self.elasticity.lame()
    }

    /// Total viscosity (φ, ψ) in N s/m²; see [`Damping::viscosity`].
    pub fn viscosity(&self) -> (f64, f64) {
        self.damping.viscosity(&self.elasticity)
    }

    /// Speed of the fastest elastic wave (m/s); an upper bound for anisotropic laws.
    pub fn wave_speed(&self) -> f64 {
        (self.elasticity.wave_modulus() / self.density).sqrt()
    }

    /// Fracture energy G_c (J/m²), given or by Irwin's relation in plane strain; `None` if no crack
    /// resistance is set.
    pub fn fracture_energy(&self) -> Option<f64> {
        self.strength.crack.map(|crack| crack.energy(self.plane_strain_modulus()))
    }

    /// E/(1 − ν²) (Pa).
    pub fn plane_strain_modulus(&self) -> f64 {
        plane_strain_modulus(self.elasticity.young(), self.elasticity.poisson())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Material {
        Material::elastic("plain", 1000.0, Elasticity::from_young(1e6, 0.3))
    }

    #[test]
    fn invalid_numbers_are_rejected_by_name() {
        assert!(plain().check().is_ok());
        type Spoil = fn(&mut Material);
        let cases: [(&str, Spoil); 12] = [
            ("density", |m| m.density = -1.0),
            ("density", |m| m.density = f64::NAN),
            ("density", |m| m.density = f64::INFINITY),
            ("young", |m| m.elasticity = Elasticity::from_young(0.0, 0.3)),
            ("poisson", |m| m.elasticity = Elasticity::from_young(1.0, 0.5)),
            ("mu", |m| m.elasticity = Elasticity::from_lame(1.0, f64::NAN)),
            ("phi", |m| m.damping.phi = -1e-9),
            ("yield_stress", |m| m.plasticity.yield_stress = Some(0.0)),
            ("tensile_strength", |m| m.strength.tensile = Some(f64::NAN)),
            ("friction", |m| m.friction = -0.1),
            ("restitution", |m| m.restitution = 1.01),
            ("cluster_toughness", |m| m.cluster.toughness = Some(1.0)),
        ];
        for (field, spoil) in cases {
            let mut material = plain();
            spoil(&mut material);
            let error = material.check().expect_err(field);
            assert_eq!(error.field(), field);
            assert!(error.to_string().contains(field), "{error}");
        }
    }

    #[test]
    fn error_text_says_value_unit_and_range() {
        let mut material = plain();
        material.density = -2.0;
        let text = material.check().expect_err("negative density").to_string();
        assert_eq!(text, "density = -2 kg/m³ is out of range: it must be finite and above 0");
    }

    #[test]
    fn wave_speed_of_a_bar_without_contraction() {
        // VALIDATION 4: λ = 0, μ = 1.3e8, ρ = 2588 gives √(E/ρ) = 316.96 m/s.
        let material = Material::elastic("bar", 2588.0, Elasticity::from_lame(0.0, 1.3e8));
        assert!((material.wave_speed() - 316.96).abs() < 0.01);
    }
}
