//! Model files of a scene, brought to metres and y up.

use super::rejected;
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_shape::{Reading, TriangleSurface, Unit, UpAxis, read_model};
use std::path::Path;

/// What a scene says of a model.
pub struct Model<'scene> {
    pub file: &'scene str,
    pub size: Option<f64>,
    pub unit: Unit,
    pub up: UpAxis,
}

impl Model<'_> {
    /// Reads the file and scales it; the middle of its box becomes the origin. `path` is the key of the model.
    pub fn read(&self, document: &SceneDocument, path: &str) -> Result<TriangleSurface, SceneError> {
        let help = "write the path of a model file, relative to the scene file";
        let reading = Reading { size: self.size, unit: self.unit, up: self.up };
        let model = read_model(Path::new(self.file), &reading);
        Ok(model.map_err(|error| rejected(document, &format!("{path}.file"), error.to_string(), help))?.surface)
    }
}
