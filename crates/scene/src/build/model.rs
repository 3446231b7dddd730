//! Model files of a scene, brought to metres and y up.

use super::rejected;
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_shape::{Model, ModelFile, ModelPlacement, read_model};
use std::path::Path;

/// Reads a model's file and scales it; the middle of its box becomes the origin. `path` is the key of the model.
pub fn read(model: &ModelFile, document: &SceneDocument, path: &str) -> Result<Model, SceneError> {
    let help = "write the path of a model file, relative to the scene file";
    let reading = ModelPlacement { size: model.size, unit: model.unit, up: model.up };
    read_model(Path::new(&model.file), &reading)
        .map_err(|error| rejected(document, &format!("{path}.file"), error.to_string(), help))
}
