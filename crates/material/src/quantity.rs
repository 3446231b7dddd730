//! Every scalar of a material: key, unit, range and storage.

use crate::check::MaterialError;
use crate::elasticity::Elasticity;
use crate::material::Material;
use crate::strength::CrackResistance;

/// A scalar that a preset or a user can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`Overrides` documents the keys")]
pub enum Quantity {
    Density,
    Young,
    Poisson,
    Lambda,
    Mu,
    Phi,
    Psi,
    DampingTime,
    MassDamping,
    YieldStress,
    YieldCurvature,
    FlowRate,
    Hardening,
    TensileStrength,
    CompressiveStrength,
    FractureEnergy,
    Toughness,
    SeparationForce,
    Friction,
    Restitution,
    GoalStiffness,
    ClusterYield,
    ClusterFlow,
    ClusterHardening,
    ClusterToughness,
}

enum Range {
    Finite,
    Positive,
    NotNegative,
    PoissonRatio,
    ZeroToOne,
    AboveZeroToOne,
    AboveOne,
}

impl Quantity {
    /// All quantities, in table order.
    pub const ALL: [Self; 25] = [
        Self::Density,
        Self::Young,
        Self::Poisson,
        Self::Lambda,
        Self::Mu,
        Self::Phi,
        Self::Psi,
        Self::DampingTime,
        Self::MassDamping,
        Self::YieldStress,
        Self::YieldCurvature,
        Self::FlowRate,
        Self::Hardening,
        Self::TensileStrength,
        Self::CompressiveStrength,
        Self::FractureEnergy,
        Self::Toughness,
        Self::SeparationForce,
        Self::Friction,
        Self::Restitution,
        Self::GoalStiffness,
        Self::ClusterYield,
        Self::ClusterFlow,
        Self::ClusterHardening,
        Self::ClusterToughness,
    ];

    const fn facts(self) -> (&'static str, &'static str, Range) {
        match self {
            Self::Density => ("density", "kg/m³", Range::Positive),
            Self::Young => ("young", "Pa", Range::Positive),
            Self::Poisson => ("poisson", "", Range::PoissonRatio),
            Self::Lambda => ("lambda", "Pa", Range::Finite),
            Self::Mu => ("mu", "Pa", Range::Positive),
            Self::Phi => ("phi", "N s/m²", Range::NotNegative),
            Self::Psi => ("psi", "N s/m²", Range::NotNegative),
            Self::DampingTime => ("damping_time", "s", Range::NotNegative),
            Self::MassDamping => ("mass_damping", "1/s", Range::NotNegative),
            Self::YieldStress => ("yield_stress", "Pa", Range::Positive),
            Self::YieldCurvature => ("yield_curvature", "1/m", Range::Positive),
            Self::FlowRate => ("flow_rate", "1/s", Range::NotNegative),
            Self::Hardening => ("hardening", "Pa", Range::Finite),
            Self::TensileStrength => ("tensile_strength", "Pa", Range::Positive),
            Self::CompressiveStrength => ("compressive_strength", "Pa", Range::Positive),
            Self::FractureEnergy => ("fracture_energy", "J/m²", Range::Positive),
            Self::Toughness => ("toughness", "Pa √m", Range::Positive),
            Self::SeparationForce => ("separation_force", "N", Range::Positive),
            Self::Friction => ("friction", "", Range::NotNegative),
            Self::Restitution => ("restitution", "", Range::ZeroToOne),
            Self::GoalStiffness => ("goal_stiffness", "", Range::AboveZeroToOne),
            Self::ClusterYield => ("cluster_yield", "", Range::NotNegative),
            Self::ClusterFlow => ("cluster_flow", "", Range::ZeroToOne),
            Self::ClusterHardening => ("cluster_hardening", "1/s", Range::Finite),
            Self::ClusterToughness => ("cluster_toughness", "", Range::AboveOne),
        }
    }

    /// The key in scene files and tables.
    pub const fn key(self) -> &'static str {
        self.facts().0
    }

    /// The SI unit; empty if dimensionless.
    pub const fn unit(self) -> &'static str {
        self.facts().1
    }

    /// The allowed range in words.
    pub const fn allowed(self) -> &'static str {
        match self.facts().2 {
            Range::Finite => "a finite number",
            Range::Positive => "finite and above 0",
            Range::NotNegative => "finite and at least 0",
            Range::PoissonRatio => "above -1 and below 0.5",
            Range::ZeroToOne => "from 0 to 1",
            Range::AboveZeroToOne => "above 0 and at most 1",
            Range::AboveOne => "finite and above 1",
        }
    }

    /// Rejects a value outside the allowed range, NaN and infinity included.
    pub fn check(self, value: f64) -> Result<(), MaterialError> {
        let inside = value.is_finite()
            && match self.facts().2 {
                Range::Finite => true,
                Range::Positive => value > 0.0,
                Range::NotNegative => value >= 0.0,
                Range::PoissonRatio => value > -1.0 && value < 0.5,
                Range::ZeroToOne => (0.0..=1.0).contains(&value),
                Range::AboveZeroToOne => value > 0.0 && value <= 1.0,
                Range::AboveOne => value > 1.0,
            };
        if inside {
            return Ok(());
        }
        Err(MaterialError::OutOfRange { field: self.key(), value, unit: self.unit(), allowed: self.allowed() })
    }

    /// The value in a material, in [`unit`](Self::unit); `None` if it is not set, or set in other
    /// terms (Young's modulus of a material given by λ and μ).
    pub fn of(self, material: &Material) -> Option<f64> {
        let plasticity = &material.plasticity;
        let strength = &material.strength;
        let cluster = &material.cluster;
        match self {
            Self::Density => Some(material.density),
            Self::Young | Self::Poisson | Self::Lambda | Self::Mu => match (self, &material.elasticity) {
                (Self::Young, Elasticity::Isotropic { young, .. }) => Some(*young),
                (Self::Poisson, Elasticity::Isotropic { poisson, .. }) => Some(*poisson),
                (Self::Lambda, Elasticity::Lame { lambda, .. }) => Some(*lambda),
                (Self::Mu, Elasticity::Lame { mu, .. }) => Some(*mu),
                _ => None,
            },
            Self::Phi => Some(material.damping.phi),
            Self::Psi => Some(material.damping.psi),
            Self::DampingTime => Some(material.damping.time),
            Self::MassDamping => Some(material.damping.mass),
            Self::YieldStress => plasticity.yield_stress,
            Self::YieldCurvature => plasticity.yield_curvature,
            Self::FlowRate => Some(plasticity.flow_rate),
            Self::Hardening => Some(plasticity.hardening),
            Self::TensileStrength => strength.tensile,
            Self::CompressiveStrength => strength.compressive,
            Self::FractureEnergy | Self::Toughness => {
                strength.crack.map(CrackResistance::quantity).filter(|(q, _)| *q == self).map(|(_, value)| value)
            }
            Self::SeparationForce => strength.separation_force,
            Self::Friction => Some(material.friction),
            Self::Restitution => Some(material.restitution),
            Self::GoalStiffness => Some(cluster.goal_stiffness),
            Self::ClusterYield => cluster.yield_strain,
            Self::ClusterFlow => Some(cluster.flow),
            Self::ClusterHardening => Some(cluster.hardening),
            Self::ClusterToughness => cluster.toughness,
        }
    }

    /// Sets the value in a material, without a check; the inverse of [`of`](Self::of).
    ///
    /// Setting an elastic constant makes the law isotropic and keeps the other constant of the same
    /// pair.
    pub fn assign(self, material: &mut Material, value: f64) {
        let law = &mut material.elasticity;
        let plasticity = &mut material.plasticity;
        let strength = &mut material.strength;
        let cluster = &mut material.cluster;
        match self {
            Self::Density => material.density = value,
            Self::Young => *law = Elasticity::Isotropic { young: value, poisson: law.poisson() },
            Self::Poisson => *law = Elasticity::Isotropic { young: law.young(), poisson: value },
            Self::Lambda => *law = Elasticity::Lame { lambda: value, mu: law.lame().1 },
            Self::Mu => *law = Elasticity::Lame { lambda: law.lame().0, mu: value },
            Self::Phi => material.damping.phi = value,
            Self::Psi => material.damping.psi = value,
            Self::DampingTime => material.damping.time = value,
            Self::MassDamping => material.damping.mass = value,
            Self::YieldStress => plasticity.yield_stress = Some(value),
            Self::YieldCurvature => plasticity.yield_curvature = Some(value),
            Self::FlowRate => plasticity.flow_rate = value,
            Self::Hardening => plasticity.hardening = value,
            Self::TensileStrength => strength.tensile = Some(value),
            Self::CompressiveStrength => strength.compressive = Some(value),
            Self::FractureEnergy => strength.crack = Some(CrackResistance::FractureEnergy(value)),
            Self::Toughness => strength.crack = Some(CrackResistance::Toughness(value)),
            Self::SeparationForce => strength.separation_force = Some(value),
            Self::Friction => material.friction = value,
            Self::Restitution => material.restitution = value,
            Self::GoalStiffness => cluster.goal_stiffness = value,
            Self::ClusterYield => cluster.yield_strain = Some(value),
            Self::ClusterFlow => cluster.flow = value,
            Self::ClusterHardening => cluster.hardening = value,
            Self::ClusterToughness => cluster.toughness = Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_values_are_read_back() {
        for (index, quantity) in Quantity::ALL.into_iter().enumerate() {
            let mut material = Material::elastic("probe", 1.0, Elasticity::from_young(1.0, 0.1));
            let value = 0.25 + index as f64 / 128.0;
            quantity.assign(&mut material, value);
            assert_eq!(quantity.of(&material), Some(value), "{}", quantity.key());
        }
    }
}
