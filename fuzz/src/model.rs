//! A model in an OBJ file.

use craze_shape::parse_obj;
use std::path::Path;

/// Reads bytes as an OBJ file. A model that is taken has triangles over points that are there, and its measures can be taken.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let model = parse_obj(&text, Path::new("fuzzed.obj")).map_err(|error| error.to_string())?;
    let surface = &model.surface;
    let points = surface.positions.len();
    assert!(surface.triangles.iter().flatten().all(|&point| (point as usize) < points));
    assert!(model.degenerate_faces <= model.faces);
    assert!(surface.area() >= 0.0);
    let _ = surface.closed_volume();
    Ok(())
}
