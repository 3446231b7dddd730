//! Looks in the renderer: opaque surfaces, matt with a glossy coat, or metal.

use craze_frame::Look as Matter;

use crate::color::{Light, linear_from_rgb8};

/// Reflection parameters of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// Diffuse reflectance per channel (1).
    pub color: Light,
    /// Roughness: 0 for a mirror, 1 for chalk.
    pub roughness: f64,
    /// Specular reflectance at normal incidence (1).
    pub mirror: f64,
    /// 1 for bare metal, which tints its reflections; 0 otherwise.
    pub metal: f64,
}

impl From<Matter> for Look {
    fn from(matter: Matter) -> Look {
        // Metals have no coat; their reflections have their colour.
        let mirror = matter.mirrored() * (1.0 - matter.metalness);
        Look { color: matter.color, roughness: matter.roughness, mirror, metal: matter.metalness }
    }
}

impl Look {
    /// Look of a body that lacks the attribute to colour by.
    pub fn without_value() -> Look {
        Look { color: linear_from_rgb8([176, 174, 170]), roughness: 0.7, mirror: 0.03, metal: 0.0 }
    }

    /// This look in another colour, without metal.
    pub fn in_color(self, color: Light) -> Look {
        Look { color, roughness: self.roughness.max(0.45), mirror: 0.04, metal: 0.0 }
    }
}
