//! Named materials with a source for each number.

mod handbook;
mod obrien;
mod references;

use crate::check::MaterialError;
use crate::elasticity::Elasticity;
use crate::material::Material;
use crate::nearest::nearest;
use crate::quantity::Quantity;

pub use references::Reference;

/// A named material.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name in scene files.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// All numbers that are set, with sources.
    pub entries: &'static [Entry],
    /// Orthotropic elasticity of a material with grain; then no entry holds an elastic constant.
    pub grain: Option<Grain>,
}

/// One number of a preset.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The quantity, which implies the unit.
    pub quantity: Quantity,
    /// The value.
    pub value: f64,
    /// Its source.
    pub reference: Reference,
    /// Typical range, or how the value was chosen; empty if the source gives this value.
    pub note: &'static str,
}

/// Nine orthotropic constants, as in [`Elasticity::Orthotropic`].
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Young's moduli along x, y, z (Pa).
    pub young: [f64; 3],
    /// Shear moduli yz, zx, xy (Pa).
    pub shear: [f64; 3],
    /// Poisson's ratios ν_yz, ν_xz, ν_xy (1).
    pub poisson: [f64; 3],
    /// Their source.
    pub reference: Reference,
    /// Meaning of the axes, and derivation from the source.
    pub note: &'static str,
}

const fn entry(quantity: Quantity, value: f64, reference: Reference, note: &'static str) -> Entry {
    Entry { quantity, value, reference, note }
}

impl Preset {
    /// The material with these numbers.
    pub fn material(&self) -> Material {
        let mut material = Material::elastic(self.name, 1.0, Elasticity::from_young(1.0, 0.0));
        for entry in self.entries {
            entry.quantity.assign(&mut material, entry.value);
        }
        if let Some(Grain { young, shear, poisson, .. }) = self.grain {
            material.elasticity = Elasticity::Orthotropic { young, shear, poisson };
        }
        material
    }
}

/// All presets: everyday materials in alphabetical order, then those of Table 1 of O'Brien &
/// Hodgins 1999.
pub fn all() -> impl Iterator<Item = &'static Preset> {
    handbook::PRESETS.iter().chain(obrien::PRESETS)
}

/// All names, in the order of [`all`].
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|preset| preset.name)
}

/// All sources.
pub fn references() -> &'static [Reference] {
    references::ALL
}

/// The material with this name; the error suggests the most similar name.
pub fn preset(name: &str) -> Result<Material, MaterialError> {
    all()
        .find(|preset| preset.name == name)
        .map(Preset::material)
        .ok_or_else(|| MaterialError::UnknownPreset { name: name.to_owned(), nearest: nearest(name, names()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_complete() {
        for preset in all() {
            let material = preset.material();
            material.check().unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            let has = |quantity| preset.entries.iter().filter(|entry| entry.quantity == quantity).count();
            assert_eq!(has(Quantity::Density), 1, "{}", preset.name);
            for quantity in Quantity::ALL {
                assert!(has(quantity) <= 1, "{} gives {} twice", preset.name, quantity.key());
            }
            let pairs = [has(Quantity::Young), has(Quantity::Poisson), has(Quantity::Lambda), has(Quantity::Mu)];
            let elastic = pairs == [1, 1, 0, 0] || pairs == [0, 0, 1, 1];
            assert_ne!(elastic, preset.grain.is_some(), "{} needs exactly one elasticity", preset.name);
            for entry in preset.entries {
                assert_eq!(
                    entry.quantity.of(&material),
                    Some(entry.value),
                    "{}: {}",
                    preset.name,
                    entry.quantity.key()
                );
                assert!(!entry.reference.citation.is_empty());
            }
            assert!(
                material.strength.tensile.is_some() || material.strength.separation_force.is_some(),
                "{} must break",
                preset.name
            );
        }
    }

    #[test]
    fn names_are_unique_and_every_asked_material_is_there() {
        let mut sorted: Vec<_> = names().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names().count());
        for name in [
            "glass",
            "ceramic",
            "adobe",
            "concrete",
            "paper",
            "cardboard",
            "foil",
            "steel",
            "aluminium",
            "rubber",
            "vinyl",
            "cork",
            "acrylic",
            "wood",
            "cheese",
            "clay",
        ] {
            assert!(preset(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn misspelt_names_suggest_the_nearest() {
        let error = preset("ceramics").expect_err("no such preset");
        assert_eq!(error.to_string(), "there is no material \"ceramics\"; did you mean \"ceramic\"?");
    }

    #[test]
    fn yield_comes_before_rupture_in_ductile_presets() {
        for preset in all() {
            let material = preset.material();
            if let (Some(stress), Some(tensile)) = (material.plasticity.yield_stress, material.strength.tensile) {
                assert!(stress <= tensile || preset.name == "clay", "{}", preset.name);
            }
        }
    }

    #[test]
    fn table_1_is_entered_exactly() {
        let expected = [
            ("obrien-glass", 1.04e8, 1.04e8, 0.0, 6760.0, 2588.0, 10140.0),
            ("obrien-wall-1", 6.03e8, 1.21e8, 3015.0, 6030.0, 2309.0, 6030.0),
            ("obrien-wall-2", 0.0, 1.81e8, 0.0, 18090.0, 2309.0, 6030.0),
            ("obrien-bowl-1", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 52.9),
            ("obrien-bowl-2", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 39.6),
            ("obrien-bowl-3", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 33.1),
            ("obrien-bowl-4", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 13.2),
            ("obrien-comparison-bowl", 0.0, 5.29e7, 0.0, 198.0, 1013.0, 106.0),
            ("obrien-the-end", 0.0, 9.21e6, 0.0, 9.2, 705.0, 73.6),
        ];
        for (name, lambda, mu, phi, psi, density, tau) in expected {
            let material = preset(name).expect(name);
            assert_eq!(material.lame(), (lambda, mu));
            assert_eq!((material.damping.phi, material.damping.psi), (phi, psi));
            assert_eq!((material.density, material.strength.separation_force), (density, Some(tau)));
        }
    }
}
