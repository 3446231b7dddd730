//! Models from files.
//!
//! A module a format turns bytes into faces or cells; [`faces`] turns those into the triangles of a [`Model`]; [`ModelPlacement`] brings
//! it to metres with y up. All formats are read here rather than by libraries, so that every error can say its place and no
//! number in a header is believed.

mod brightness;
mod cells;
mod cursor;
mod external;
mod faces;
mod format;
mod gltf;
mod gmsh;
mod medit;
mod model;
mod mtl;
mod node_tags;
mod obj;
mod off;
mod picture;
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
pub use model::{Model, ModelVolume, SurfaceMaterial};
pub use picture::Picture;
pub use placement::{ModelPlacement, Unit, UpAxis};

use std::io;
use std::path::Path;

use crate::error::ShapeError;

/// Reads a model and places it: in metres, y up, the middle of its box at the origin.
///
/// The ending of the path says the format, and the content must agree with it. Files beside the model (materials, buffers, pictures) are
/// read from its folder and nowhere else. What was left out or put right is in [`Model::remarks`];
/// [`Model::summary`] says how the file was read.
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

/// Reads the bytes of a model, without placing it. `path` is what errors call it, `external_files` gives what it names beside it.
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
        picture::find_beside(&mut model, external_files);
    }
    model.file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    model.format = Some(format);
    Ok(model)
}
