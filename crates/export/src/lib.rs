//! Export of frames to the files of other programs.
//!
//! | format | one file per frame | content |
//! |---|---|---|
//! | [`Format::Obj`] | `name.0001.obj`; one `name.mtl` | an object per piece, materials, points |
//! | [`Format::Ply`] | `name.0001.ply` | one mesh with all attributes |
//! | [`Format::Stl`] | `name.0001.stl` | triangles |
//! | [`Format::Glb`] | `name.0001.glb` | a node per piece, normals, materials, points |
//! | [`Format::Vtk`] | `name.BODY.0001.vtp`, `.vtu`; one `name.pvd` | everything, with times |
//!
//! [`export_shards`] writes the pieces of one frame in their rest shape to `shards.glb`.
//! [`export_animation`] writes the same shards as moving nodes over all frames to `animation.glb`.
//! [`ShardSequence`] puts them into the frames, for pictures.
//!
//! Obstacles are exported like bodies; infinite planes are left out. `docs/formats.md` describes
//! every file. Files appear atomically.

mod attributes;
mod check;
mod document;
mod glb;
mod jpeg;
mod labels;
mod looks;
mod normals;
mod obj;
mod parts;
mod picture;
mod ply;
mod shards;
mod stl;
mod tuning;
mod vtk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use craze_frame::{
    BodyFrame, Frame, FrameError, FrameFileError, InvalidFrame, ObstacleShape, WriteError, atomic_write, names,
};
use thiserror::Error;

use attributes::{Pose, TriangleAttributes};
pub use craze_skin::{CornerAttributes, CrackDetail, separate_touching, transfer_attributes};
pub use shards::{
    Pace, Paint, PaintPicture, ShardReport, ShardSequence, ShardSettings, ShardSummary, SourceSurface,
    export_animation, export_shards,
};

/// Export format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, binary.
    Ply,
    /// STL, binary.
    Stl,
    /// glTF 2.0 in one binary file.
    Glb,
    /// VTK XML files with a ParaView collection.
    Vtk,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Obj, Format::Ply, Format::Stl, Format::Glb, Format::Vtk];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Stl => "stl",
            Format::Glb => "glb",
            Format::Vtk => "vtk",
        }
    }

    /// Largest coordinate (m) in this format, with room for the difference of two.
    fn largest_coordinate(self) -> f64 {
        match self {
            Format::Obj | Format::Ply | Format::Vtk => f64::MAX,
            Format::Stl | Format::Glb => f64::from(f32::MAX) / 4.0,
        }
    }
}

/// Why an export failed. Files of earlier frames remain, complete.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// No frames were given.
    #[error("there are no frames to export")]
    NoFrames,
    /// A frame file could not be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A frame is inconsistent.
    #[error("frame {frame} is not consistent: {cause}")]
    Invalid {
        /// Frame number.
        frame: u32,
        /// The inconsistency.
        #[source]
        cause: InvalidFrame,
    },
    /// Two frames have the same number and would overwrite each other.
    #[error("frame {number} was given twice; export each frame once")]
    FrameTwice {
        /// Frame number.
        number: u32,
    },
    /// A position is not finite.
    #[error(
        "frame {frame}: {element} {index} of {owner} is at ({}, {}, {}); the simulation failed \
         before this frame: export the frames before {frame} only",
        position[0], position[1], position[2]
    )]
    NotFinite {
        /// Frame number.
        frame: u32,
        /// Body or obstacle.
        owner: String,
        /// Kind of point.
        element: &'static str,
        /// Its index.
        index: usize,
        /// Position (m).
        position: [f64; 3],
    },
    /// A position exceeds the range of the format.
    #[error(
        "frame {frame}: {element} {index} of {owner} is at ({:e}, {:e}, {:e}) m, out of range for {}; export to ply or vtk",
        position[0], position[1], position[2], format.name()
    )]
    OutOfRange {
        /// Frame number.
        frame: u32,
        /// Body or obstacle.
        owner: String,
        /// Kind of point.
        element: &'static str,
        /// Its index.
        index: usize,
        /// Position (m).
        position: [f64; 3],
        /// The format.
        format: Format,
    },
    /// A count exceeds the range of the format.
    #[error("frame {frame} has {count} {what}, more than a {} file can hold; export to vtk", format.name())]
    TooLarge {
        /// Frame number.
        frame: u32,
        /// The count.
        count: usize,
        /// What is counted.
        what: &'static str,
        /// The format.
        format: Format,
    },
    /// A sheet has no closed surface, which shards need.
    #[error("frame {frame}: {cause}")]
    Sheet {
        /// Frame number.
        frame: u32,
        /// The reason.
        #[source]
        cause: FrameError,
    },
    /// No body of the frame has shards.
    #[error("frame {frame} has no shards: {reason}")]
    NoShards {
        /// Frame number.
        frame: u32,
        /// Reason for each body.
        reason: String,
    },
    /// The folder could not be created.
    #[error("cannot create the folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        cause: std::io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of frames.
    pub frames: usize,
    /// Files, in the order they were written.
    pub files: Vec<PathBuf>,
    /// Content of the frames that the files do not hold, each a phrase with its reason.
    pub left_out: Vec<String>,
}

/// Destination and progress of an export.
struct Output {
    folder: PathBuf,
    base: String,
    report: Report,
}

impl Output {
    /// Writes a file named base name plus `suffix`; returns that name.
    fn write(&mut self, suffix: &str, bytes: &[u8]) -> Result<String, ExportError> {
        let name = format!("{}.{suffix}", self.base);
        let path = self.folder.join(&name);
        atomic_write(&path, bytes)?;
        self.report.files.push(path);
        Ok(name)
    }

    /// Records what is left out, once.
    fn leave_out(&mut self, what: String) {
        if !self.report.left_out.contains(&what) {
            self.report.left_out.push(what);
        }
    }
}

/// Exports frames to `folder`, which is created if needed. File names start with `base`; characters
/// that some systems refuse become `_`. Existing files of the same names are replaced.
///
/// `source_surfaces` is as in [`export_shards`]: surfaces built from a model's triangles get its
/// attributes, in formats that support them.
pub fn export_sequence(
    frames: impl IntoIterator<Item = Result<Frame, FrameFileError>>,
    source_surfaces: &[Vec<SourceSurface>],
    format: Format,
    folder: &Path,
    base: &str,
) -> Result<Report, ExportError> {
    std::fs::create_dir_all(folder).map_err(|cause| ExportError::Folder { path: folder.to_owned(), cause })?;
    let mut output = Output { folder: folder.to_owned(), base: labels::label(base), report: Report::default() };
    let mut numbers = BTreeSet::new();
    let mut materials = obj::Materials::default();
    let mut collection = vtk::Collection::default();
    let mut insides = Insides::new();
    for frame in frames {
        let frame = frame?;
        let number = frame.number;
        frame.check().map_err(|cause| ExportError::Invalid { frame: number, cause })?;
        check::positions(&frame, format)?;
        if !numbers.insert(number) {
            return Err(ExportError::FrameTwice { number });
        }
        note_left_out(&frame, format, &mut output);
        match format {
            Format::Obj => obj::export(
                &frame,
                &transferred_attributes(&frame, source_surfaces, &mut insides),
                &mut materials,
                &mut output,
            )?,
            Format::Ply => drop(output.write(&format!("{number:04}.ply"), &ply::encode(&frame)?)?),
            Format::Stl => drop(output.write(&format!("{number:04}.stl"), &stl::encode(&frame))?),
            Format::Glb => drop(output.write(
                &format!("{number:04}.glb"),
                &glb::encode(&frame, &transferred_attributes(&frame, source_surfaces, &mut insides))?,
            )?),
            Format::Vtk => vtk::export(&frame, &mut collection, &mut output)?,
        }
        output.report.frames += 1;
    }
    if output.report.frames == 0 {
        return Err(ExportError::NoFrames);
    }
    match format {
        Format::Obj => drop(output.write("mtl", materials.encode().as_bytes())?),
        Format::Vtk => drop(output.write("pvd", collection.encode().as_bytes())?),
        Format::Ply | Format::Stl | Format::Glb => {}
    }
    Ok(output.report)
}

/// Attributes of the corners of a body's outside: its own, or transferred from the model that it is
/// built from.
pub(crate) struct TransferredAttributes {
    /// Materials that the triangles index.
    paints: Vec<Paint>,
    inside: looks::Inside,
    triangles: Vec<TriangleAttributes>,
}

/// Looks of crack faces by body and source surface, computed once for all frames.
type Insides = BTreeMap<(usize, usize), looks::Inside>;

/// Corner attributes of every body that has its own or is built from a model's triangles.
fn transferred_attributes(
    frame: &Frame,
    source_surfaces: &[Vec<SourceSurface>],
    insides: &mut Insides,
) -> Vec<Option<TransferredAttributes>> {
    let mut of_body = |(index, body): (usize, &BodyFrame)| {
        if let Some(triangles) = attributes::own(&body.surface) {
            let paint = |name: &String| Paint { name: name.clone(), ..Paint::default() };
            let paints = body.surface.slots.iter().map(paint).collect();
            return Some(TransferredAttributes { paints, inside: looks::Inside::AsBody, triangles });
        }
        let transfer = |source| attributes::transferred(&body.surface, source, Pose::Frame);
        let mut sources = source_surfaces.get(index)?.iter().enumerate();
        let (number, source, triangles) =
            sources.find_map(|(number, source)| Some((number, source, transfer(source)?)))?;
        let inside = *insides.entry((index, number)).or_insert_with(|| looks::Inside::of(source));
        Some(TransferredAttributes { paints: source.usable_paints(), inside, triangles })
    };
    frame.bodies.iter().enumerate().map(&mut of_body).collect()
}

/// Records content of the frame that the format does not hold.
fn note_left_out(frame: &Frame, format: Format, output: &mut Output) {
    for obstacle in &frame.obstacles {
        if let ObstacleShape::Plane { .. } = obstacle.shape {
            output.leave_out(format!("obstacle '{}': an endless plane has no triangles", obstacle.name));
        }
    }
    for body in &frame.bodies {
        if format == Format::Stl && body.particles.is_some() {
            output.leave_out(format!("particles of body '{}': stl holds triangles only", body.name));
        }
        if !body.surface.lines.is_empty() && format != Format::Obj {
            output.leave_out(format!("seams and crack paths of body '{}': only obj holds them", body.name));
        }
        let has_corners =
            [names::UV, names::NORMAL].iter().any(|name| body.surface.corner_attributes.get(name).is_some());
        if has_corners && matches!(format, Format::Stl | Format::Vtk) {
            output.leave_out(format!("corner attributes of body '{}': {} has none", body.name, format.name()));
        }
        if format != Format::Vtk && body.volume.is_some() {
            output.leave_out(format!("tetrahedra of body '{}': only vtk holds them", body.name));
        }
    }
}
