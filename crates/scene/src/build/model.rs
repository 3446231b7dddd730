//! Model files of a scene, brought to metres and y up.

use super::rejected;
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_math::Vec3;
use craze_shape::{TriangleSurface, Unit, UpAxis, read_obj};
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
        let file = Path::new(self.file);
        let help = "write the path of an OBJ file, relative to the scene file";
        let refuse = |message: String| rejected(document, &format!("{path}.file"), message, help);
        if !file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj")) {
            return Err(refuse(format!("{} is not an OBJ file", file.display())));
        }
        let mut surface = read_obj(file).map_err(|error| refuse(error.to_string()))?.surface;
        if self.up == UpAxis::Z {
            for position in &mut surface.positions {
                *position = Vec3::new(position.x, position.z, -position.y);
            }
        }
        let bounds = surface.bounds();
        let largest = bounds.size().max();
        let scale = match self.size {
            Some(size) => size / largest,
            None => self.unit.in_metres(),
        };
        if !(scale.is_finite() && scale > 0.0) {
            return Err(refuse(format!("{} has no extent that could be scaled", file.display())));
        }
        let middle = bounds.centre();
        for position in &mut surface.positions {
            *position = scale * (*position - middle);
        }
        Ok(surface)
    }
}
