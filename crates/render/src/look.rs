//! What the renderer shows of a look: matter is opaque here, matt with a glossy coat or metal.

use craze_frame::Look as Matter;

use crate::color::{Light, linear_from_rgb8};

/// A surface as it is drawn.
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

impl From<Matter> for Look {
    fn from(matter: Matter) -> Look {
        // Metals have no coat: what they mirror has their colour.
        let mirror = matter.mirrored() * (1.0 - matter.metalness);
        Look { color: matter.color, roughness: matter.roughness, mirror, metal: matter.metalness }
    }
}

impl Look {
    /// What a body is drawn with where it lacks the attribute that the picture is coloured by.
    pub fn without_value() -> Look {
        Look { color: linear_from_rgb8([176, 174, 170]), roughness: 0.7, mirror: 0.03, metal: 0.0 }
    }

    /// The same matter in another colour.
    pub fn painted(self, color: Light) -> Look {
        Look { color, roughness: self.roughness.max(0.45), mirror: 0.04, metal: 0.0 }
    }
}
