//! How matter looks: a colour, how rough it is, how much it mirrors.

use crate::color::{Light, light, perceived};

/// The surface of a kind of matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// Share of light that comes back, by colour.
    pub color: Light,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f64,
    /// Share of light that a surface seen straight on mirrors.
    pub mirror: f64,
    /// 1 for bare metal, whose reflections have its colour; 0 for all else.
    pub metal: f64,
}

/// Roughness of a face that a crack opened, at least.
const CRACK_ROUGHNESS: f64 = 0.85;
/// How far the colour of a face that a crack opened goes toward white: broken matter scatters more light.
const CRACK_WHITENING: f64 = 0.10;
/// How much lighter a face that a crack opened is.
const CRACK_LIGHTENING: f64 = 1.2;

impl Look {
    const fn new(color: Light, roughness: f64, mirror: f64) -> Look {
        Look { color, roughness, mirror, metal: 0.0 }
    }

    /// Obstacles: neutral, darker than most bodies.
    pub fn obstacle() -> Look {
        Look::new(light([112, 112, 114]), 0.65, 0.03)
    }

    /// What a body is drawn with where it lacks the attribute that the picture is coloured by.
    pub fn without_value() -> Look {
        Look::new(light([176, 174, 170]), 0.7, 0.03)
    }

    /// The look of a material by its name: by the preset whose name is a part of it, or else a colour made of the name.
    pub fn of_material(name: &str) -> Look {
        let name = name.to_lowercase();
        let preset = PRESETS.iter().find(|preset| name.contains(preset.name));
        preset.map_or_else(|| Look::hashed(&name), Preset::look)
    }

    /// A quiet colour that depends on the name only.
    fn hashed(name: &str) -> Look {
        // FNV-1a: the same on every machine, unlike the standard library's hasher.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let hue = (hash >> 40) as f64 / (1u64 << 24) as f64;
        Look::new(perceived(0.70, 0.07, hue), 0.55, 0.04)
    }

    /// The same matter in another colour.
    pub fn painted(self, color: Light) -> Look {
        Look { color, roughness: self.roughness.max(0.45), mirror: 0.04, metal: 0.0 }
    }

    /// The same matter where a crack opened it.
    pub fn cracked(self) -> Look {
        let color = (self.color * CRACK_LIGHTENING).lerp(&Light::repeat(0.9), CRACK_WHITENING);
        Look {
            color,
            roughness: self.roughness.max(CRACK_ROUGHNESS),
            mirror: 0.5 * self.mirror,
            metal: 0.5 * self.metal,
        }
    }
}

struct Preset {
    name: &'static str,
    color: [u8; 3],
    roughness: f64,
    mirror: f64,
    metal: f64,
}

impl Preset {
    fn look(&self) -> Look {
        Look { metal: self.metal, ..Look::new(light(self.color), self.roughness, self.mirror) }
    }
}

const fn matter(name: &'static str, color: [u8; 3], roughness: f64, mirror: f64) -> Preset {
    Preset { name, color, roughness, mirror, metal: 0.0 }
}

const fn metal(name: &'static str, color: [u8; 3], roughness: f64) -> Preset {
    Preset { name, color, roughness, mirror: 0.0, metal: 1.0 }
}

/// Names as in the material presets. "plexiglass" and the like come before "glass".
const PRESETS: [Preset; 31] = [
    matter("acrylic", [214, 226, 232], 0.18, 0.05),
    matter("plexiglass", [214, 226, 232], 0.18, 0.05),
    matter("glass", [176, 212, 206], 0.12, 0.06),
    matter("ceramic", [243, 235, 214], 0.25, 0.05),
    matter("porcelain", [240, 238, 232], 0.20, 0.05),
    matter("adobe", [168, 120, 84], 0.95, 0.02),
    // The walls, bowls and letters of O'Brien & Hodgins.
    matter("obrien-wall", [168, 120, 84], 0.95, 0.02),
    matter("obrien-bowl", [206, 196, 178], 0.5, 0.1),
    matter("obrien-comparison-bowl", [206, 196, 178], 0.5, 0.1),
    matter("obrien-the-end", [176, 82, 62], 0.8, 0.03),
    matter("brick", [164, 86, 66], 0.90, 0.02),
    matter("concrete", [158, 156, 151], 0.90, 0.02),
    matter("stone", [150, 146, 138], 0.85, 0.03),
    matter("plaster", [232, 228, 220], 0.90, 0.03),
    matter("chalk", [240, 238, 232], 0.95, 0.02),
    matter("paper", [240, 237, 230], 0.85, 0.03),
    matter("cardboard", [190, 152, 108], 0.85, 0.03),
    metal("foil", [222, 222, 224], 0.28),
    metal("steel", [176, 180, 186], 0.38),
    metal("alumin", [206, 208, 212], 0.34),
    metal("iron", [150, 150, 154], 0.45),
    metal("copper", [214, 144, 110], 0.32),
    matter("rubber", [58, 58, 62], 0.60, 0.04),
    matter("vinyl", [44, 44, 50], 0.30, 0.05),
    matter("cork", [196, 152, 104], 0.90, 0.02),
    matter("wood", [186, 138, 90], 0.60, 0.04),
    matter("cheese", [240, 196, 92], 0.50, 0.04),
    matter("clay", [190, 108, 78], 0.80, 0.03),
    matter("jelly", [196, 74, 82], 0.15, 0.05),
    matter("wax", [226, 206, 164], 0.40, 0.04),
    matter("ice", [206, 226, 236], 0.15, 0.05),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::luminance;

    #[test]
    fn presets_are_found_inside_longer_names() {
        assert_eq!(Look::of_material("soda-lime Glass"), Look::of_material("glass"));
        assert_ne!(Look::of_material("plexiglass"), Look::of_material("glass"));
        assert_eq!(Look::of_material("steel").metal, 1.0);
    }

    #[test]
    fn unknown_names_keep_their_own_color() {
        assert_eq!(Look::of_material("unobtainium"), Look::of_material("unobtainium"));
        assert_ne!(Look::of_material("unobtainium").color, Look::of_material("kryptonite").color);
    }

    #[test]
    fn cracks_are_lighter_and_rougher() {
        let outer = Look::of_material("clay");
        let inner = outer.cracked();
        assert!(luminance(&inner.color) > luminance(&outer.color));
        assert!(inner.roughness > outer.roughness);
    }
}
