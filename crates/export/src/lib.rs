//! From frames to the files of other programs.
//!
//! | format | one file a frame | holds |
//! |---|---|---|
//! | [`Format::Obj`] | `name.0001.obj`, and one `name.mtl` | an object a piece, materials for outside and crack faces, particles as points |
//! | [`Format::Ply`] | `name.0001.ply` | everything in one mesh with all attributes; particles as vertices without faces |
//! | [`Format::Stl`] | `name.0001.stl` | triangles |
//! | [`Format::Glb`] | `name.0001.glb` | a node a piece with volume and mass, normals, materials; particles as points |
//! | [`Format::Vtk`] | `name.BODY.0001.vtp`, `.vtu`, and one `name.pvd` | surfaces, tetrahedra and particles with all attributes and times |
//!
//! [`export_shards`] makes one `shards.glb` of one frame: the pieces of its bodies in their rest shape, as parts for other programs.
//! [`export_animation`] makes one `animation.glb`: the same parts as nodes that move, over all frames. [`ShardFilm`] puts them
//! into the frames, for pictures.
//!
//! Obstacles are written like bodies; endless planes are left out. `docs/formats.md` says what each file holds. Only
//! frames are seen here, never a fracture method. Every file appears whole or not at all.

mod check;
mod document;
mod dress;
mod glb;
mod labels;
mod looks;
mod normals;
mod obj;
mod parts;
mod ply;
mod shards;
mod stl;
mod vtk;

use std::path::{Path, PathBuf};

use craze_frame::{Frame, FrameFileError, InvalidFrame, ObstacleShape, WriteError, atomic_write};
use thiserror::Error;

pub use craze_skin::{CornerAttributes, CrackDetail, separate_touching, transfer_attributes};
pub use shards::{
    Outer, Pace, Paint, PaintPicture, ShardFilm, ShardReport, ShardSettings, ShardSummary, export_animation,
    export_shards,
};

/// A format that frames can be exported to.
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
    /// All of them.
    pub const ALL: [Format; 5] = [Format::Obj, Format::Ply, Format::Stl, Format::Glb, Format::Vtk];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Stl => "stl",
            Format::Glb => "glb",
            Format::Vtk => "vtk",
        }
    }

    /// The format of that name, in capitals or not.
    pub fn from_name(name: &str) -> Result<Format, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }

    /// Largest coordinate (m) that a file of this format can hold, with room for differences of two.
    fn largest_coordinate(self) -> f64 {
        match self {
            Format::Obj | Format::Ply | Format::Vtk => f64::MAX,
            Format::Stl | Format::Glb => f64::from(f32::MAX) / 4.0,
        }
    }
}

/// No format has that name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no export format '{name}'; choose one of {}", Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat {
    /// What was asked for.
    pub name: String,
}

/// Why frames could not be exported. Files of earlier frames stay; none is half written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There was nothing to export.
    #[error("there are no frames to export")]
    NoFrames,
    /// A frame could not be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A frame contradicts itself.
    #[error("frame {frame} is not consistent: {cause}")]
    Invalid {
        /// Its number.
        frame: u32,
        /// What is wrong.
        #[source]
        cause: InvalidFrame,
    },
    /// Two frames have one number, so one file would replace the other.
    #[error("frame {number} was given twice; export each frame once")]
    FrameTwice {
        /// The number.
        number: u32,
    },
    /// A position that no program could show.
    #[error(
        "frame {frame}: {element} {index} of {owner} is at ({}, {}, {}); a simulation that gives such a place went wrong \
         before this frame, so export the frames up to {frame} only",
        position[0], position[1], position[2]
    )]
    NotFinite {
        /// Number of the frame.
        frame: u32,
        /// The body or obstacle.
        owner: String,
        /// What kind of point.
        element: &'static str,
        /// Which of them.
        index: usize,
        /// Where it is (m).
        position: [f64; 3],
    },
    /// A position that the format cannot hold.
    #[error(
        "frame {frame}: {element} {index} of {owner} is at ({:e}, {:e}, {:e}) m, too far out for {}; export to ply or vtk",
        position[0], position[1], position[2], format.name()
    )]
    OutOfRange {
        /// Number of the frame.
        frame: u32,
        /// The body or obstacle.
        owner: String,
        /// What kind of point.
        element: &'static str,
        /// Which of them.
        index: usize,
        /// Where it is (m).
        position: [f64; 3],
        /// The format.
        format: Format,
    },
    /// More than the format can count.
    #[error("frame {frame} has {count} {what}, more than a {} file can hold; export to vtk", format.name())]
    TooLarge {
        /// Number of the frame.
        frame: u32,
        /// How many.
        count: usize,
        /// Of what.
        what: &'static str,
        /// The format.
        format: Format,
    },
    /// No body of the frame has shards.
    #[error("frame {frame} has no shards: {reason}")]
    NoShards {
        /// Its number.
        frame: u32,
        /// Why, body by body.
        reason: String,
    },
    /// The folder could not be made.
    #[error("cannot create the folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: std::io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What an export did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of frames.
    pub frames: usize,
    /// The files, in the order they were written.
    pub files: Vec<PathBuf>,
    /// What the frames hold and these files do not, each as a phrase with its reason, for a person.
    pub left_out: Vec<String>,
}

/// Where the files of one export go, and what became of it so far.
struct Output {
    folder: PathBuf,
    base: String,
    report: Report,
}

impl Output {
    /// Writes one file whose name is the base name and `suffix`, and gives that name.
    fn write(&mut self, suffix: &str, bytes: &[u8]) -> Result<String, ExportError> {
        let name = format!("{}.{suffix}", self.base);
        let path = self.folder.join(&name);
        atomic_write(&path, bytes)?;
        self.report.files.push(path);
        Ok(name)
    }

    /// Notes what is left out, once.
    fn leave_out(&mut self, what: String) {
        if !self.report.left_out.contains(&what) {
            self.report.left_out.push(what);
        }
    }
}

/// Exports frames to `folder`, which is created if needed, into files whose names start with `base` (characters that
/// trouble some system or program become `_`). Files of the same names are replaced.
///
/// `outers` are as in [`export_shards`]: surfaces that are made of a model's own triangles carry what those do, in the formats that know it.
pub fn export_sequence(
    frames: impl IntoIterator<Item = Result<Frame, FrameFileError>>,
    outers: &[Vec<Outer>],
    format: Format,
    folder: &Path,
    base: &str,
) -> Result<Report, ExportError> {
    std::fs::create_dir_all(folder).map_err(|cause| ExportError::Folder { path: folder.to_owned(), cause })?;
    let mut output = Output { folder: folder.to_owned(), base: labels::label(base), report: Report::default() };
    let mut numbers = std::collections::BTreeSet::new();
    let mut materials = obj::Materials::default();
    let mut collection = vtk::Collection::default();
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
            Format::Obj => obj::export(&frame, &dressed(&frame, outers), &mut materials, &mut output)?,
            Format::Ply => drop(output.write(&format!("{number:04}.ply"), &ply::encode(&frame)?)?),
            Format::Stl => drop(output.write(&format!("{number:04}.stl"), &stl::encode(&frame))?),
            Format::Glb => {
                drop(output.write(&format!("{number:04}.glb"), &glb::encode(&frame, &dressed(&frame, outers))?)?)
            }
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

/// The model that a body's outside is made of, and what its triangles carry.
pub(crate) struct Dressed<'model> {
    model: &'model Outer,
    worn: Vec<dress::Worn>,
}

/// For every body of the frame what its outside carries, if it is made of a model's triangles.
fn dressed<'model>(frame: &Frame, outers: &'model [Vec<Outer>]) -> Vec<Option<Dressed<'model>>> {
    let of_body = |(index, body): (usize, &craze_frame::BodyFrame)| {
        let wear = |model| Some(Dressed { model, worn: dress::dress(&body.surface, model, dress::At::Frame)? });
        outers.get(index)?.iter().find_map(wear)
    };
    frame.bodies.iter().enumerate().map(of_body).collect()
}

/// Notes what the frame holds and the format does not.
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
        if format != Format::Vtk && body.volume.is_some() {
            output.leave_out(format!("tetrahedra of body '{}': only vtk holds them", body.name));
        }
    }
}
