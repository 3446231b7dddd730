//! `[camera]`, `[picture]` and `[output]`: what a run shows and writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where pictures are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Where the camera is.
    #[schemars(extend("x-unit" = "m"))]
    pub from: [f64; 3],
    /// The point in the middle of the picture.
    #[schemars(extend("x-unit" = "m"))]
    pub to: [f64; 3],
    /// Angle between the lower and the upper edge of the picture.
    #[serde(default = "default_field_of_view")]
    #[schemars(extend("x-unit" = "deg", "minimum" = 1, "maximum" = 170))]
    pub field_of_view: f64,
}

fn default_field_of_view() -> f64 {
    35.0
}

/// How pictures look.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Picture {
    /// Width and height.
    #[schemars(extend("x-unit" = "pixels", "minimum" = 1, "maximum" = 16384))]
    pub size: [u32; 2],
    /// What colours show.
    pub color: ColorBy,
    /// Rays a pixel: more make soft shadows smoother.
    #[schemars(extend("minimum" = 1, "maximum" = 4096))]
    pub samples: u32,
}

impl Default for Picture {
    fn default() -> Self {
        Self { size: [960, 540], color: ColorBy::Material, samples: 16 }
    }
}

/// What the colours of a picture show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColorBy {
    /// What the body is made of.
    #[default]
    Material,
    /// A colour for each piece.
    Piece,
    /// Largest principal stress.
    Stress,
    /// Speed.
    Velocity,
}

/// What a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Whether frames hold tetrahedra besides surfaces.
    pub volume: bool,
    /// Whether preview pictures are made.
    pub preview: bool,
    /// Frames from one checkpoint to the next; 0 keeps none.
    #[schemars(extend("x-unit" = "frames", "minimum" = 0, "maximum" = 1_000_000_000))]
    pub checkpoint_every: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self { volume: false, preview: true, checkpoint_every: 5 }
    }
}
