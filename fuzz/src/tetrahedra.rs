//! Model files of tetrahedra.

use craze_shape::{ExternalFiles, Format, parse_model};
use std::io;
use std::path::Path;

/// Reads bytes as a Gmsh file.
pub fn try_gmsh(bytes: &[u8]) -> Result<(), String> {
    try_alone(bytes, Format::Gmsh)
}

/// Reads bytes as a Medit file.
pub fn try_medit(bytes: &[u8]) -> Result<(), String> {
    try_alone(bytes, Format::Medit)
}

/// Reads bytes as a .vtu file.
pub fn try_vtu(bytes: &[u8]) -> Result<(), String> {
    try_alone(bytes, Format::Vtu)
}

/// Reads bytes as a pair of TetGen's files: nodes and, behind a zero byte, elements.
pub fn try_tetgen(bytes: &[u8]) -> Result<(), String> {
    let zero = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let elements = bytes.get(zero + 1..).unwrap_or_default();
    try_bytes(&bytes[..zero], Format::Tetgen, &|_| Ok(elements.to_vec()))
}

fn try_alone(bytes: &[u8], format: Format) -> Result<(), String> {
    try_bytes(bytes, format, &|_| Err(io::Error::other("there are no other files")))
}

/// Reads bytes as a model. Accepted tetrahedra form a mesh, and the surface is its closed
/// boundary.
fn try_bytes(bytes: &[u8], format: Format, side_files: &ExternalFiles<'_>) -> Result<(), String> {
    let path = Path::new("fuzzed").with_extension(format.extensions()[0]);
    let model = parse_model(bytes, format, &path, side_files).map_err(|error| error.to_string())?;
    crate::model::check(&model);
    if let Some(volume) = &model.volume {
        let mesh = volume.mesh().expect("a model's tetrahedra form a mesh");
        assert_eq!(mesh.boundary().triangles.len(), model.surface.triangles.len());
        assert!([0, volume.tetrahedra.len()].contains(&volume.regions.len()));
        model.surface.check_closed().expect("a boundary is closed");
    }
    Ok(())
}
