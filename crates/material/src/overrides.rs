//! A material as written in a scene: a preset with some numbers replaced, or numbers only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::elasticity::{Elasticity, VoigtMatrix};
use crate::material::Material;
use crate::presets::preset;
use crate::quantity::Quantity;
use crate::usage::{Key, MaterialUse};

/// The `material` table of a scene file. Keys and units are those of [`Quantity`](crate::Quantity).
///
/// With `preset`, other keys replace numbers of the preset. Without, `density` is required and, for
/// methods that read it, an elasticity (`young` and `poisson`, or `lambda` and `mu`, or
/// `stiffness`); what is not given is absent: no damping, no yield, no fracture. A key that the
/// body's method does not read is rejected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// Name of a preset.
    pub preset: Option<String>,
    /// Mass density (kg/m³).
    pub density: Option<f64>,
    /// Young's modulus (Pa).
    pub young: Option<f64>,
    /// Poisson's ratio (1), above −1 and below ½.
    pub poisson: Option<f64>,
    /// First Lamé constant λ (Pa).
    pub lambda: Option<f64>,
    /// Shear modulus μ (Pa).
    pub mu: Option<f64>,
    /// General 6×6 stiffness (Pa) over xx, yy, zz, yz, zx, xy with engineering shear strains.
    pub stiffness: Option<VoigtMatrix>,
    /// Viscous counterpart φ of λ (N s/m²).
    pub phi: Option<f64>,
    /// Viscous counterpart ψ of μ (N s/m²).
    pub psi: Option<f64>,
    /// General 6×6 viscosity (N s/m²), components as for `stiffness`.
    pub viscosity: Option<VoigtMatrix>,
    /// Stiffness-proportional damping (s).
    pub damping_time: Option<f64>,
    /// Mass-proportional damping (1/s).
    pub mass_damping: Option<f64>,
    /// Von Mises stress at which plastic flow starts (Pa).
    pub yield_stress: Option<f64>,
    /// Curvature at which bending of a sheet becomes permanent (1/m).
    pub yield_curvature: Option<f64>,
    /// Rate of plastic flow (1/s).
    pub flow_rate: Option<f64>,
    /// Increase of the yield stress per unit of plastic strain (Pa).
    pub hardening: Option<f64>,
    /// Tensile strength (Pa).
    pub tensile_strength: Option<f64>,
    /// Compressive strength (Pa).
    pub compressive_strength: Option<f64>,
    /// Fracture energy per crack area (J/m²).
    pub fracture_energy: Option<f64>,
    /// Fracture toughness K_Ic (Pa √m).
    pub toughness: Option<f64>,
    /// Nodal failure force τ of O'Brien & Hodgins 1999 (N); depends on the mesh.
    pub separation_force: Option<f64>,
    /// Coefficient of friction (1).
    pub friction: Option<f64>,
    /// Coefficient of restitution (1).
    pub restitution: Option<f64>,
    /// Clusters: fraction of the distance to its goal that a particle moves in one step (1).
    pub goal_stiffness: Option<f64>,
    /// Clusters: strain at which plastic flow starts (1).
    pub cluster_yield: Option<f64>,
    /// Clusters: fraction of the excess strain that flows per `time_step` of the body (1).
    pub cluster_flow: Option<f64>,
    /// Clusters: increase of the yield strain per unit of accumulated strain (1/s).
    pub cluster_hardening: Option<f64>,
    /// Clusters: stretch at which a cluster splits (1).
    pub cluster_toughness: Option<f64>,
}

impl Overrides {
    /// The preset with this name, unchanged.
    pub fn from_preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// The keys given beside `preset`.
    pub fn given(&self) -> impl Iterator<Item = Key> {
        let elasticity = [
            (Quantity::Young, self.young),
            (Quantity::Poisson, self.poisson),
            (Quantity::Lambda, self.lambda),
            (Quantity::Mu, self.mu),
        ];
        let numbers = elasticity.into_iter().chain(self.numbers()).filter(|(_, value)| value.is_some());
        let matrices = [(Key::Stiffness, self.stiffness.is_some()), (Key::Viscosity, self.viscosity.is_some())];
        numbers
            .map(|(quantity, _)| Key::Number(quantity))
            .chain(matrices.into_iter().filter(|(_, given)| *given).map(|(key, _)| key))
    }

    /// The given keys that have no effect on a body of this method.
    pub fn unused(&self, usage: &MaterialUse) -> impl Iterator<Item = Key> {
        self.given().filter(|key| !usage.accepts(*key))
    }

    /// The checked material of a body of this method: the preset, if any, with the given numbers
    /// replaced.
    ///
    /// Rejects keys that the method does not read. Without a preset, elasticity is required only by
    /// methods that read it; for others it is set to E = 1 Pa, ν = 0.
    pub fn resolve_for(&self, usage: &MaterialUse) -> Result<Material, MaterialError> {
        if let Some(key) = self.unused(usage).next() {
            return Err(MaterialError::Unused {
                field: key.name(),
                method: usage.method,
                instead: usage.instead_of(key).map(Quantity::key),
            });
        }
        let unread = Elasticity::from_young(1.0, 0.0);
        self.resolve_from((!usage.reads_elasticity()).then_some(&unread))
    }

    /// The checked material: the preset, if any, with the given numbers replaced.
    pub fn resolve(&self) -> Result<Material, MaterialError> {
        self.resolve_from(None)
    }

    /// `fallback` is the elasticity if neither a preset nor a key gives one.
    fn resolve_from(&self, fallback: Option<&Elasticity>) -> Result<Material, MaterialError> {
        for [(first, one), (second, other)] in [
            [("fracture_energy", self.fracture_energy), ("toughness", self.toughness)],
            // Alternative tensile criteria: the force would override the stress.
            [("separation_force", self.separation_force), ("tensile_strength", self.tensile_strength)],
        ] {
            if one.is_some() && other.is_some() {
                return Err(MaterialError::Conflict { first, second });
            }
        }
        let base = self.preset.as_deref().map(preset).transpose()?;
        let elasticity = self.elasticity(base.as_ref().map(|material| &material.elasticity).or(fallback))?;
        let mut material = match base {
            Some(base) => Material { elasticity, ..base },
            None => {
                let Some(density) = self.density else {
                    return Err(MaterialError::Missing {
                        given: "material",
                        missing: "density or preset",
                        why: "a material without a preset needs a density",
                    });
                };
                Material::elastic("custom", density, elasticity)
            }
        };
        if self.tensile_strength.is_some() {
            material.strength.separation_force = None;
        }
        for (quantity, value) in self.numbers() {
            if let Some(value) = value {
                quantity.assign(&mut material, value);
            }
        }
        if self.viscosity.is_some() {
            material.damping.viscosity = self.viscosity;
        }
        material.check()?;
        self.check_flow(&material)?;
        Ok(material)
    }

    /// Rejects cluster flow parameters that have no effect because another one is missing.
    fn check_flow(&self, material: &Material) -> Result<(), MaterialError> {
        let (yields, flows) = (material.cluster.yield_strain.is_some(), material.cluster.flow > 0.0);
        let (missing, why) = match () {
            () if !yields => ("cluster_yield", "without a yield strain there is no plastic flow"),
            () if !flows && self.cluster_flow.is_none() => {
                ("cluster_flow", "without it none of the excess strain flows")
            }
            () => return Ok(()),
        };
        let given = [
            ("cluster_yield", self.cluster_yield),
            ("cluster_flow", self.cluster_flow),
            ("cluster_hardening", self.cluster_hardening),
        ];
        match given.into_iter().find(|(_, value)| value.is_some()) {
            Some((given, _)) => Err(MaterialError::Missing { given, missing, why }),
            None => Ok(()),
        }
    }

    /// All scalars except the elastic constants, which come in pairs.
    fn numbers(&self) -> [(Quantity, Option<f64>); 21] {
        [
            (Quantity::Density, self.density),
            (Quantity::Phi, self.phi),
            (Quantity::Psi, self.psi),
            (Quantity::DampingTime, self.damping_time),
            (Quantity::MassDamping, self.mass_damping),
            (Quantity::YieldStress, self.yield_stress),
            (Quantity::YieldCurvature, self.yield_curvature),
            (Quantity::FlowRate, self.flow_rate),
            (Quantity::Hardening, self.hardening),
            (Quantity::TensileStrength, self.tensile_strength),
            (Quantity::CompressiveStrength, self.compressive_strength),
            (Quantity::FractureEnergy, self.fracture_energy),
            (Quantity::Toughness, self.toughness),
            (Quantity::SeparationForce, self.separation_force),
            (Quantity::Friction, self.friction),
            (Quantity::Restitution, self.restitution),
            (Quantity::GoalStiffness, self.goal_stiffness),
            (Quantity::ClusterYield, self.cluster_yield),
            (Quantity::ClusterFlow, self.cluster_flow),
            (Quantity::ClusterHardening, self.cluster_hardening),
            (Quantity::ClusterToughness, self.cluster_toughness),
        ]
    }

    fn elasticity(&self, base: Option<&Elasticity>) -> Result<Elasticity, MaterialError> {
        let engineering = [(self.young, "young"), (self.poisson, "poisson")];
        let lame = [(self.lambda, "lambda"), (self.mu, "mu")];
        let general = [(self.stiffness.map(|_| 0.0), "stiffness"), (None, "stiffness")];
        let given =
            |pair: [(Option<f64>, &'static str); 2]| pair.iter().find(|(v, _)| v.is_some()).map(|(_, key)| *key);
        let mut used = [engineering, lame, general].into_iter().filter_map(given);
        let first = used.next();
        if let (Some(first), Some(second)) = (first, used.next()) {
            return Err(MaterialError::Conflict { first, second });
        }
        if let Some(stiffness) = self.stiffness {
            return Ok(Elasticity::Anisotropic { stiffness });
        }
        let isotropic = base.filter(|base| base.is_isotropic());
        match (first, base) {
            (None, Some(base)) => Ok(base.clone()),
            (None, None) => Err(MaterialError::Missing {
                given: "density",
                missing: "young and poisson (or lambda and mu, or stiffness)",
                why: "a material without a preset needs an elasticity",
            }),
            (Some("young" | "poisson"), _) => {
                let young = need(engineering, 0, isotropic.map(Elasticity::young))?;
                let poisson = need(engineering, 1, isotropic.map(Elasticity::poisson))?;
                Ok(Elasticity::Isotropic { young, poisson })
            }
            (Some(_), _) => {
                let lambda = need(lame, 0, isotropic.map(|base| base.lame().0))?;
                let mu = need(lame, 1, isotropic.map(|base| base.lame().1))?;
                Ok(Elasticity::Lame { lambda, mu })
            }
        }
    }
}

/// The constant at `index` of a pair: given, or taken from an isotropic preset.
fn need(pair: [(Option<f64>, &'static str); 2], index: usize, base: Option<f64>) -> Result<f64, MaterialError> {
    pair[index].0.or(base).ok_or(MaterialError::Missing {
        given: pair[1 - index].1,
        missing: pair[index].1,
        why: "an isotropic law needs two constants, and no isotropic preset gives the other",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_is_replaced_and_the_rest_of_the_preset_is_kept() {
        let glass = preset("glass").expect("glass");
        let changed = Overrides { young: Some(1e9), ..Overrides::from_preset("glass") }.resolve().expect("valid");
        assert_eq!(changed.elasticity.young(), 1e9);
        assert_eq!(changed.elasticity.poisson(), glass.elasticity.poisson());
        assert_eq!(changed.density, glass.density);
        assert_eq!(changed.strength, glass.strength);
    }

    #[test]
    fn a_fracture_energy_replaces_a_toughness() {
        let changed =
            Overrides { fracture_energy: Some(3.0), ..Overrides::from_preset("glass") }.resolve().expect("valid");
        assert_eq!(changed.fracture_energy(), Some(3.0));
        let both = Overrides { fracture_energy: Some(3.0), toughness: Some(1e6), ..Overrides::default() };
        assert!(matches!(both.resolve(), Err(MaterialError::Conflict { .. })));
    }

    #[test]
    fn numbers_without_a_preset_need_density_and_elasticity() {
        let bare = Overrides { density: Some(1.0), ..Overrides::default() };
        assert!(matches!(bare.resolve(), Err(MaterialError::Missing { .. })));
        let half = Overrides { young: Some(1.0), ..bare.clone() };
        assert!(matches!(half.resolve(), Err(MaterialError::Missing { missing: "poisson", .. })));
        let mixed = Overrides { young: Some(1.0), mu: Some(1.0), ..bare.clone() };
        assert!(matches!(mixed.resolve(), Err(MaterialError::Conflict { first: "young", second: "mu" })));
        let whole = Overrides { young: Some(1.0), poisson: Some(0.1), ..bare };
        assert_eq!(whole.resolve().expect("valid").density, 1.0);
    }

    #[test]
    fn a_given_criterion_replaces_that_of_the_preset() {
        let by_force = preset("obrien-glass").expect("a preset");
        assert!(by_force.strength.separation_force.is_some());
        let by_stress = Overrides { tensile_strength: Some(3e6), ..Overrides::from_preset("obrien-glass") };
        let strength = by_stress.resolve().expect("valid").strength;
        assert_eq!((strength.tensile, strength.separation_force), (Some(3e6), None));
        let both = Overrides { separation_force: Some(1.0), ..by_stress };
        assert!(matches!(both.resolve(), Err(MaterialError::Conflict { second: "tensile_strength", .. })));
    }

    #[test]
    fn flow_parameters_without_effect_are_rejected() {
        let rubber = Overrides::from_preset("rubber");
        let missing = |overrides: Overrides| match overrides.resolve() {
            Err(MaterialError::Missing { given, missing, .. }) => Some((given, missing)),
            other => panic!("{other:?}"),
        };
        let flow = Overrides { cluster_flow: Some(0.1), ..rubber.clone() };
        assert_eq!(missing(flow.clone()), Some(("cluster_flow", "cluster_yield")));
        let strain = Overrides { cluster_yield: Some(0.1), ..rubber.clone() };
        assert_eq!(missing(strain), Some(("cluster_yield", "cluster_flow")));
        let hardening = Overrides { cluster_hardening: Some(1.0), ..rubber };
        assert_eq!(missing(hardening.clone()), Some(("cluster_hardening", "cluster_yield")));
        let whole = Overrides { cluster_yield: Some(0.1), cluster_flow: Some(0.1), ..hardening };
        assert!(whole.resolve().is_ok());
    }

    #[test]
    fn unread_keys_are_rejected_and_elasticity_is_required_only_if_read() {
        const HEAVY: MaterialUse = MaterialUse {
            method: "heavy",
            reads: &[Key::Number(Quantity::Density)],
            instead: &[(Key::Stiffness, Quantity::Density)],
        };
        let bare = Overrides { density: Some(2.0), friction: Some(0.1), ..Overrides::default() };
        assert_eq!(bare.resolve_for(&HEAVY).expect("valid").density, 2.0);
        let stiff = Overrides { stiffness: Some([[0.0; 6]; 6]), young: Some(1.0), ..bare };
        let unused: Vec<Key> = stiff.unused(&HEAVY).collect();
        assert_eq!(unused, [Key::Number(Quantity::Young), Key::Stiffness]);
        let error = stiff.resolve_for(&HEAVY).expect_err("unused");
        assert_eq!(error.to_string(), "method heavy does not use young");
        let error = Overrides { young: None, ..stiff }.resolve_for(&HEAVY).expect_err("unused");
        assert_eq!(error.to_string(), "method heavy does not use stiffness: use density instead");
        assert!(Overrides::from_preset("glass").resolve_for(&HEAVY).is_ok(), "presets carry all numbers");
    }

    #[test]
    fn an_anisotropic_preset_is_not_replaced_in_part() {
        let half = Overrides { young: Some(1.0), ..Overrides::from_preset("wood") };
        assert!(matches!(half.resolve(), Err(MaterialError::Missing { missing: "poisson", .. })));
    }

    #[test]
    fn every_quantity_is_a_key() {
        let schema = schemars::schema_for!(Overrides);
        let properties = schema.get("properties").and_then(|value| value.as_object()).expect("an object");
        for quantity in Quantity::ALL {
            assert!(properties.contains_key(quantity.key()), "{} is not a key", quantity.key());
        }
        assert_eq!(properties.len(), Quantity::ALL.len() + 3, "preset, stiffness and viscosity are the only others");
    }
}
