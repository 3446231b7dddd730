//! How matter looks: one table for pictures and for the files of other programs.
//!
//! Numbers are those of glTF 2.0's metallic-roughness model and its extensions KHR_materials_transmission and KHR_materials_ior. They are chosen by eye: no method
//! computes with them.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

use crate::color::{light, perceived};

/// The surface of a kind of matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Share of light that comes back, by colour: linear red, green and blue from 0 to 1.
    pub color: Vec3,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f64,
    /// 1 for bare metal, whose reflections have its colour; 0 for all else.
    pub metalness: f64,
    /// Share of the light that enters and passes through: 1 for clear glass, 0 for what is opaque.
    pub transmission: f64,
    /// Index of refraction (1), from 1 on. Of opaque matter it says how much of the light that comes straight on is mirrored.
    pub ior: f64,
}

/// Roughness of a face that a crack opened, at least.
const CRACK_ROUGHNESS: f64 = 0.85;
/// The same of clear matter, whose cracks are almost as smooth as its outside.
const CLEAR_CRACK_ROUGHNESS: f64 = 0.30;
/// How far the colour of a face that a crack opened goes toward white: broken matter scatters more light.
const CRACK_WHITENING: f64 = 0.10;
/// How much lighter a face that a crack opened is.
const CRACK_LIGHTENING: f64 = 1.2;
/// Surfaces that a look through a shard of clear matter passes, about: all together tint what is behind it with its colour.
const SURFACES_IN_SIGHT: f64 = 4.0;

impl Look {
    /// Obstacles: neutral, darker than most bodies.
    pub fn obstacle() -> Look {
        OBSTACLE.look()
    }

    /// The look of a material by its name: that of the table whose words the name contains; none where there is none.
    pub fn of_material(name: &str) -> Option<Look> {
        let name = words(name);
        let is_in = |entry: &&Entry| {
            let wanted = words(entry.name);
            name.windows(wanted.len()).any(|part| part == wanted)
        };
        TABLE.iter().find(is_in).map(Entry::look)
    }

    /// The look of this very name in the table; none where there is none.
    pub fn named(name: &str) -> Option<Look> {
        TABLE.iter().find(|entry| entry.name == name).map(Entry::look)
    }

    /// All names of the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|entry| entry.name)
    }

    /// A quiet colour that depends on the name only, for matter that the table does not have.
    pub fn of_unknown(name: &str) -> Look {
        // FNV-1a: the same on every machine, unlike the standard library's hasher.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let hue = (hash >> 40) as f64 / (1u64 << 24) as f64;
        Look { color: perceived(0.70, 0.07, hue), roughness: 0.55, metalness: 0.0, transmission: 0.0, ior: 1.5 }
    }

    /// The same matter where a crack opened it.
    pub fn cracked(self) -> Look {
        let roughness = CRACK_ROUGHNESS + self.transmission * (CLEAR_CRACK_ROUGHNESS - CRACK_ROUGHNESS);
        Look {
            color: (self.color * CRACK_LIGHTENING)
                .lerp(&Vec3::repeat(0.9), CRACK_WHITENING)
                .map(|share| share.min(1.0)),
            roughness: self.roughness.max(roughness),
            metalness: 0.5 * self.metalness,
            ..self
        }
    }

    /// The same where no light passes through.
    pub fn opaque(self) -> Look {
        Look { transmission: 0.0, ..self }
    }

    /// Share of light that a surface of it mirrors straight on (A.-J. Fresnel 1823), but for the colour of metals.
    pub fn mirrored(&self) -> f64 {
        ((self.ior - 1.0) / (self.ior + 1.0)).powi(2)
    }

    /// The colour for programs that follow light through matter: that of one surface, paler than the colour as seen.
    pub fn surface_color(&self) -> Vec3 {
        let clear = self.color.map(|share| share.max(0.0).powf(1.0 / SURFACES_IN_SIGHT));
        self.color.lerp(&clear, self.transmission)
    }

    /// Whether all numbers are possible.
    pub fn is_possible(&self) -> bool {
        let shares = self.color.iter().chain([&self.roughness, &self.metalness, &self.transmission]);
        shares.into_iter().all(|share| (0.0..=1.0).contains(share)) && (1.0..=5.0).contains(&self.ior)
    }
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

struct Entry {
    name: &'static str,
    /// As on the screen.
    color: [u8; 3],
    roughness: f64,
    metalness: f64,
    transmission: f64,
    ior: f64,
}

impl Entry {
    fn look(&self) -> Look {
        let Entry { roughness, metalness, transmission, ior, .. } = *self;
        Look { color: light(self.color), roughness, metalness, transmission, ior }
    }
}

const fn matter(name: &'static str, color: [u8; 3], roughness: f64, ior: f64) -> Entry {
    Entry { name, color, roughness, metalness: 0.0, transmission: 0.0, ior }
}

const fn clear(name: &'static str, color: [u8; 3], roughness: f64, transmission: f64, ior: f64) -> Entry {
    Entry { name, color, roughness, metalness: 0.0, transmission, ior }
}

const fn metal(name: &'static str, color: [u8; 3], roughness: f64) -> Entry {
    Entry { name, color, roughness, metalness: 1.0, transmission: 0.0, ior: 1.5 }
}

const OBSTACLE: Entry = matter("obstacle", [112, 112, 114], 0.65, 1.42);

/// Names of presets, of which the first that fits counts, and of other matter that scenes are about.
const TABLE: &[Entry] = &[
    clear("acrylic", [214, 226, 232], 0.08, 1.0, 1.49),
    clear("plexiglass", [214, 226, 232], 0.08, 1.0, 1.49),
    clear("glass", [176, 212, 206], 0.06, 1.0, 1.52),
    clear("ice", [206, 226, 236], 0.12, 0.9, 1.31),
    clear("jelly", [196, 74, 82], 0.15, 0.4, 1.35),
    matter("ceramic", [243, 235, 214], 0.25, 1.58),
    matter("porcelain", [240, 238, 232], 0.20, 1.58),
    matter("adobe", [168, 120, 84], 0.95, 1.33),
    // The walls, bowls and letters of O'Brien & Hodgins.
    matter("obrien-wall", [168, 120, 84], 0.95, 1.33),
    matter("obrien-bowl", [206, 196, 178], 0.5, 1.92),
    matter("obrien-comparison-bowl", [206, 196, 178], 0.5, 1.92),
    matter("obrien-the-end", [176, 82, 62], 0.8, 1.42),
    matter("brick", [164, 86, 66], 0.90, 1.33),
    matter("concrete", [158, 156, 151], 0.90, 1.33),
    matter("stone", [150, 146, 138], 0.85, 1.42),
    matter("plaster", [232, 228, 220], 0.90, 1.42),
    matter("chalk", [240, 238, 232], 0.95, 1.33),
    matter("paper", [240, 237, 230], 0.85, 1.42),
    matter("cardboard", [190, 152, 108], 0.85, 1.42),
    metal("foil", [222, 222, 224], 0.28),
    metal("steel", [176, 180, 186], 0.38),
    metal("aluminium", [206, 208, 212], 0.34),
    metal("iron", [150, 150, 154], 0.45),
    metal("copper", [214, 144, 110], 0.32),
    matter("rubber", [58, 58, 62], 0.60, 1.5),
    matter("vinyl", [44, 44, 50], 0.30, 1.58),
    matter("cork", [196, 152, 104], 0.90, 1.33),
    matter("wood", [186, 138, 90], 0.60, 1.5),
    matter("cheese", [240, 196, 92], 0.50, 1.45),
    matter("clay", [190, 108, 78], 0.80, 1.42),
    matter("dough", [234, 209, 162], 0.75, 1.42),
    matter("chocolate", [98, 58, 38], 0.35, 1.5),
    matter("flesh", [188, 40, 48], 0.35, 1.45),
    matter("wax", [226, 206, 164], 0.40, 1.5),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::luminance;
    use crate::presets;

    #[test]
    fn every_preset_has_a_look_and_all_looks_are_possible() {
        for name in presets::names() {
            assert!(Look::of_material(name).is_some(), "{name} has no look");
        }
        for name in Look::names() {
            let look = Look::named(name).expect(name);
            assert!(look.is_possible() && look.cracked().is_possible(), "{name}: {look:?}");
            assert_eq!(Look::of_material(name), Some(look), "{name} is hidden by an entry before it");
        }
        assert!(Look::of_unknown("").is_possible() && Look::obstacle().is_possible());
    }

    #[test]
    fn names_are_compared_word_by_word() {
        assert_eq!(Look::of_material("soda-lime Glass"), Look::named("glass"));
        assert_ne!(Look::of_material("plexiglass"), Look::named("glass"));
        assert_eq!(Look::of_material("obrien-bowl-3"), Look::named("obrien-bowl"));
        assert_eq!(Look::of_material("obrien-glass"), Look::named("glass"));
        for name in ["slice", "environment", "custom", "", "-"] {
            assert_eq!(Look::of_material(name), None, "{name}");
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
        assert_eq!(Look::of_unknown("unobtainium"), Look::of_unknown("unobtainium"));
        assert_ne!(Look::of_unknown("unobtainium").color, Look::of_unknown("kryptonite").color);
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
