//! A model file in a scene.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ShapeError, check_length};
use crate::import::{Unit, UpAxis};

/// A surface or solid read from a model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Path of the model, relative to the scene file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Largest extent after scaling; unscaled if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: Option<f64>,
    /// Unit of the model's coordinates.
    #[serde(default)]
    pub unit: Unit,
    /// Up axis of the model.
    #[serde(default)]
    pub up: UpAxis,
}

impl ModelFile {
    /// Rejects an empty path or an invalid size.
    pub fn check(&self) -> Result<(), ShapeError> {
        if self.file.is_empty() {
            return Err(ShapeError::BadText {
                field: "file",
                problem: "it is empty: write the path of a model".into(),
            });
        }
        self.size.map_or(Ok(()), |size| check_length("size", size))
    }
}
