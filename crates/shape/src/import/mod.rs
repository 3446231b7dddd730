//! Import of model files.
//!
//! One module per format reads faces or cells; [`faces`] converts them to the triangles of a
//! [`Model`]; [`ModelPlacement`] transforms it to metres with y up. Readers are our own so that
//! each error has a location and no declared size is trusted.

mod brightness;
mod cells;
mod cursor;
mod external;
mod faces;
mod format;
mod gltf;
mod gmsh;
mod image;
mod medit;
mod model;
mod mtl;
mod node_tags;
mod obj;
mod off;
mod placement;
mod ply;
mod polygon;
mod stl;
mod tetgen;
mod text;
mod volume;
mod vtu;

pub use brightness::BrightnessMap;
pub use external::ExternalFiles;
pub use format::Format;
pub use image::TextureImage;
pub use model::{Model, ModelVolume, SurfaceMaterial};
pub use placement::{ModelPlacement, Unit, UpAxis};

use std::io;
use std::path::Path;

use crate::error::ShapeError;

/// Reads a model and places it: in metres, y up, its bounding box centred at the origin.
///
/// The file extension gives the format, and the content must agree. Referenced files (materials,
/// buffers, images) are read from the model's folder only. [`Model::remarks`] lists what was
/// omitted or repaired, [`Model::summary`] describes the result.
pub fn read_model(path: &Path, placement: &ModelPlacement) -> Result<Model, ShapeError> {
    if path.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a model file in it");
        return Err(ShapeError::Read { path: path.to_owned(), source });
    }
    let format = Format::of_path(path)?;
    let bytes = external::read_file(path).map_err(|source| ShapeError::Read { path: path.to_owned(), source })?;
    let mut model = parse_model(&bytes, format, path, &external::files_beside(path))?;
    placement.apply(&mut model, path)?;
    Ok(model)
}

/// Parses the bytes of a model without placing it. Errors refer to `path`; `external_files` reads
/// the files that the model refers to.
pub fn parse_model(
    bytes: &[u8],
    format: Format,
    path: &Path,
    external_files: &ExternalFiles<'_>,
) -> Result<Model, ShapeError> {
    format.check_content(bytes, path)?;
    let mut model = match format {
        Format::Obj => obj::parse(bytes, path, external_files)?,
        Format::Stl => stl::parse(bytes, path)?,
        Format::Off => off::parse(bytes, path)?,
        Format::Gmsh => gmsh::parse(bytes, path)?,
        Format::Vtu => vtu::parse(bytes, path)?,
        Format::Medit => medit::parse(bytes, path)?,
        Format::Tetgen => tetgen::parse(bytes, path, external_files)?,
        Format::Ply => ply::parse(bytes, path)?,
        Format::Glb | Format::Gltf => gltf::parse(bytes, path, external_files)?,
    };
    if !matches!(format, Format::Glb | Format::Gltf) {
        image::find_beside(&mut model, external_files);
    }
    model.file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    model.format = Some(format);
    Ok(model)
}
