//! Appearance of materials, for rendering and export.
//!
//! Parameters of glTF 2.0's metallic-roughness model with KHR_materials_transmission and
//! KHR_materials_ior. Chosen by eye; no simulation uses them.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

use crate::color::{linear_from_oklch, linear_from_rgb8};

/// Appearance of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Reflectance by colour: linear RGB from 0 to 1.
    pub color: Vec3,
    /// 0 for a mirror, 1 for a matt surface.
    pub roughness: f64,
    /// 1 for bare metal, with reflections in its colour; 0 otherwise.
    pub metalness: f64,
    /// Fraction of the entering light that is transmitted: 1 for clear glass, 0 if opaque.
    pub transmission: f64,
    /// Index of refraction (1), at least 1. For opaque materials it sets the reflectance at normal
    /// incidence.
    pub ior: f64,
}

/// Minimum roughness of a crack face.
const CRACK_ROUGHNESS: f64 = 0.85;
/// Minimum roughness of a crack face of a transparent material, almost as smooth as its outer
/// surface.
const CLEAR_CRACK_ROUGHNESS: f64 = 0.30;
/// Shift of the colour of a crack face towards white: fracture surfaces scatter more light.
const CRACK_WHITENING: f64 = 0.10;
/// Lightening factor of a crack face.
const CRACK_LIGHTENING: f64 = 1.2;
/// Typical number of surfaces along a line of sight through a transparent fragment; together they
/// tint the background with its colour.
const SURFACES_ALONG_VIEW: f64 = 4.0;

impl Look {
    /// Look of obstacles: neutral, darker than most bodies.
    pub fn obstacle() -> Look {
        OBSTACLE.look()
    }

    /// The look for a material name: the first table entry with words contained in the name; `None`
    /// if there is none.
    pub fn for_material(name: &str) -> Option<Look> {
        let name = words(name);
        let is_in = |entry: &&Entry| {
            let wanted = words(entry.name);
            name.windows(wanted.len()).any(|part| part == wanted)
        };
        TABLE.iter().find(is_in).map(Entry::look)
    }

    /// The look with exactly this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Look> {
        TABLE.iter().find(|entry| entry.name == name).map(Entry::look)
    }

    /// All names of the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|entry| entry.name)
    }

    /// A muted colour that depends on the name only, for materials not in the table.
    pub fn for_unknown(name: &str) -> Look {
        // FNV-1a: the same on every platform, unlike the standard library's hasher.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let hue = (hash >> 40) as f64 / (1u64 << 24) as f64;
        Look { color: linear_from_oklch(0.70, 0.07, hue), roughness: 0.55, metalness: 0.0, transmission: 0.0, ior: 1.5 }
    }

    /// The look of crack faces of this material.
    pub fn cracked(self) -> Look {
        let roughness = CRACK_ROUGHNESS + self.transmission * (CLEAR_CRACK_ROUGHNESS - CRACK_ROUGHNESS);
        Look {
            color: (self.color * CRACK_LIGHTENING)
                .lerp(&Vec3::repeat(0.9), CRACK_WHITENING)
                .map(|value| value.min(1.0)),
            roughness: self.roughness.max(roughness),
            metalness: 0.5 * self.metalness,
            ..self
        }
    }

    /// The look without transmission.
    pub fn opaque(self) -> Look {
        Look { transmission: 0.0, ..self }
    }

    /// Reflectance at normal incidence (A.-J. Fresnel 1823), except for the colour of metals.
    pub fn mirrored(&self) -> f64 {
        ((self.ior - 1.0) / (self.ior + 1.0)).powi(2)
    }

    /// The colour for renderers that trace light through the material: that of a single surface,
    /// paler than the colour as seen.
    pub fn surface_color(&self) -> Vec3 {
        let transparent = self.color.map(|value| value.max(0.0).powf(1.0 / SURFACES_ALONG_VIEW));
        self.color.lerp(&transparent, self.transmission)
    }

    /// True if all numbers are in range.
    pub fn is_possible(&self) -> bool {
        let values = self.color.iter().chain([&self.roughness, &self.metalness, &self.transmission]);
        values.into_iter().all(|value| (0.0..=1.0).contains(value)) && (1.0..=5.0).contains(&self.ior)
    }
}

fn words(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

struct Entry {
    name: &'static str,
    /// 8-bit sRGB.
    color: [u8; 3],
    roughness: f64,
    metalness: f64,
    transmission: f64,
    ior: f64,
}

impl Entry {
    fn look(&self) -> Look {
        let Entry { roughness, metalness, transmission, ior, .. } = *self;
        Look { color: linear_from_rgb8(self.color), roughness, metalness, transmission, ior }
    }
}

const fn opaque(name: &'static str, color: [u8; 3], roughness: f64, ior: f64) -> Entry {
    Entry { name, color, roughness, metalness: 0.0, transmission: 0.0, ior }
}

const fn transparent(name: &'static str, color: [u8; 3], roughness: f64, transmission: f64, ior: f64) -> Entry {
    Entry { name, color, roughness, metalness: 0.0, transmission, ior }
}

const fn metal(name: &'static str, color: [u8; 3], roughness: f64) -> Entry {
    Entry { name, color, roughness, metalness: 1.0, transmission: 0.0, ior: 1.5 }
}

const OBSTACLE: Entry = opaque("obstacle", [112, 112, 114], 0.65, 1.42);

/// Names of presets, of which the first match counts, and of other materials.
const TABLE: &[Entry] = &[
    transparent("acrylic", [214, 226, 232], 0.08, 1.0, 1.49),
    transparent("plexiglass", [214, 226, 232], 0.08, 1.0, 1.49),
    transparent("glass", [176, 212, 206], 0.06, 1.0, 1.52),
    transparent("ice", [206, 226, 236], 0.12, 0.9, 1.31),
    transparent("jelly", [196, 74, 82], 0.15, 0.4, 1.35),
    opaque("ceramic", [243, 235, 214], 0.25, 1.58),
    opaque("porcelain", [240, 238, 232], 0.20, 1.58),
    opaque("adobe", [168, 120, 84], 0.95, 1.33),
    // The walls, bowls and letters of O'Brien & Hodgins 1999.
    opaque("obrien-wall", [168, 120, 84], 0.95, 1.33),
    opaque("obrien-bowl", [206, 196, 178], 0.5, 1.92),
    opaque("obrien-comparison-bowl", [206, 196, 178], 0.5, 1.92),
    opaque("obrien-the-end", [176, 82, 62], 0.8, 1.42),
    opaque("brick", [164, 86, 66], 0.90, 1.33),
    opaque("concrete", [158, 156, 151], 0.90, 1.33),
    opaque("stone", [150, 146, 138], 0.85, 1.42),
    opaque("plaster", [232, 228, 220], 0.90, 1.42),
    opaque("chalk", [240, 238, 232], 0.95, 1.33),
    opaque("paper", [240, 237, 230], 0.85, 1.42),
    opaque("cardboard", [190, 152, 108], 0.85, 1.42),
    metal("foil", [222, 222, 224], 0.28),
    metal("steel", [176, 180, 186], 0.38),
    metal("aluminium", [206, 208, 212], 0.34),
    metal("iron", [150, 150, 154], 0.45),
    metal("copper", [214, 144, 110], 0.32),
    opaque("rubber", [58, 58, 62], 0.60, 1.5),
    opaque("vinyl", [44, 44, 50], 0.30, 1.58),
    opaque("cork", [196, 152, 104], 0.90, 1.33),
    opaque("wood", [186, 138, 90], 0.60, 1.5),
    opaque("cheese", [240, 196, 92], 0.50, 1.45),
    opaque("clay", [190, 108, 78], 0.80, 1.42),
    opaque("dough", [234, 209, 162], 0.75, 1.42),
    opaque("chocolate", [98, 58, 38], 0.35, 1.5),
    opaque("flesh", [188, 40, 48], 0.35, 1.45),
    opaque("wax", [226, 206, 164], 0.40, 1.5),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::luminance;
    use crate::presets;

    #[test]
    fn every_preset_has_a_look_and_all_looks_are_valid() {
        for name in presets::names() {
            assert!(Look::for_material(name).is_some(), "{name} has no look");
        }
        for name in Look::names() {
            let look = Look::named(name).expect(name);
            assert!(look.is_possible() && look.cracked().is_possible(), "{name}: {look:?}");
            assert_eq!(Look::for_material(name), Some(look), "{name} is hidden by an entry before it");
        }
        assert!(Look::for_unknown("").is_possible() && Look::obstacle().is_possible());
    }

    #[test]
    fn names_are_matched_by_words() {
        assert_eq!(Look::for_material("soda-lime Glass"), Look::named("glass"));
        assert_ne!(Look::for_material("plexiglass"), Look::named("glass"));
        assert_eq!(Look::for_material("obrien-bowl-3"), Look::named("obrien-bowl"));
        assert_eq!(Look::for_material("obrien-glass"), Look::named("glass"));
        for name in ["slice", "environment", "custom", "", "-"] {
            assert_eq!(Look::for_material(name), None, "{name}");
        }
    }

    #[test]
    fn glass_is_clear_and_metal_is_metal() {
        let [glass, steel, clay] = ["glass", "steel", "clay"].map(|name| Look::named(name).expect(name));
        assert_eq!((glass.transmission, steel.metalness, clay.transmission), (1.0, 1.0, 0.0));
        assert!((glass.mirrored() - 0.0426).abs() < 1e-4, "{}", glass.mirrored());
        assert!(luminance(&glass.surface_color()) > luminance(&glass.color));
        assert_eq!(clay.surface_color(), clay.color);
    }

    #[test]
    fn unknown_names_keep_their_own_color() {
        assert_eq!(Look::for_unknown("unobtainium"), Look::for_unknown("unobtainium"));
        assert_ne!(Look::for_unknown("unobtainium").color, Look::for_unknown("kryptonite").color);
    }

    #[test]
    fn cracks_are_lighter_and_rougher() {
        for name in ["clay", "glass"] {
            let outer = Look::named(name).expect(name);
            let inner = outer.cracked();
            assert!(luminance(&inner.color) > luminance(&outer.color));
            assert!(inner.roughness > outer.roughness);
        }
    }
}
