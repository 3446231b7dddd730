//! Model files.

use craze_shape::{Format, Model, parse_model};
use std::path::Path;

/// Reads bytes as an OBJ file.
pub fn try_obj(bytes: &[u8]) -> Result<(), String> {
    try_bytes(bytes, Format::Obj)
}

/// Reads bytes as an STL file.
pub fn try_stl(bytes: &[u8]) -> Result<(), String> {
    try_bytes(bytes, Format::Stl)
}

/// Reads bytes as a PLY file.
pub fn try_ply(bytes: &[u8]) -> Result<(), String> {
    try_bytes(bytes, Format::Ply)
}

/// Reads bytes as an OFF file.
pub fn try_off(bytes: &[u8]) -> Result<(), String> {
    try_bytes(bytes, Format::Off)
}

/// Reads bytes as a GLB or glTF file, by their first bytes.
pub fn try_gltf(bytes: &[u8]) -> Result<(), String> {
    try_bytes(bytes, if bytes.starts_with(b"glTF") { Format::Glb } else { Format::Gltf })
}

/// Reads bytes as a model. An accepted model has valid indices, consistent attributes and finite
/// measures. Every referenced file exists.
fn try_bytes(bytes: &[u8], format: Format) -> Result<(), String> {
    let side_files = |path: &Path| match path.extension() {
        Some(ending) if ending == "mtl" => Ok(b"newmtl red\nKd 1 0 0\nmap_Kd red.png\n".to_vec()),
        Some(ending) if ending == "png" => Ok(b"\x89PNG\r\n\x1a\n".to_vec()),
        _ => Ok((0..=255).collect()),
    };
    let path = Path::new("fuzzed").with_extension(format.extensions()[0]);
    let model = parse_model(bytes, format, &path, &side_files).map_err(|error| error.to_string())?;
    check(&model);
    Ok(())
}

/// Whether a model keeps the guarantees of every surface.
pub fn check(model: &Model) {
    let surface = &model.surface;
    let (points, triangles) = (surface.positions.len(), surface.triangles.len());
    assert!(triangles > 0);
    assert!(surface.positions.iter().all(|point| point.iter().all(|value| value.abs() <= 1e18)));
    assert!(surface.triangles.iter().flatten().all(|&point| (point as usize) < points));
    assert!(surface.triangles.iter().all(|[a, b, c]| a != b && b != c && c != a));
    assert!([0, triangles].contains(&model.texture_coordinates.len()));
    assert!(model.texture_coordinates.iter().flatten().flatten().all(|value| value.is_finite()));
    assert!([0, triangles].contains(&model.normals.len()));
    let length = |normal: &[f32; 3]| normal.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
    assert!(model.normals.iter().flatten().all(|normal| (length(normal) - 1.0).abs() < 1e-5));
    assert!([0, triangles].contains(&model.material_of_triangle.len()));
    assert!(model.material_of_triangle.iter().all(|&material| (material as usize) < model.materials.len()));
    assert!(surface.area() >= 0.0);
    let _ = surface.closed_volume();
    assert!(!model.summary().is_empty());
}
