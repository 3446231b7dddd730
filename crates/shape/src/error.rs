//! Errors of shapes and models.

use std::path::PathBuf;

use craze_mesh::{DelaunayError, LatticeError, NodeId, TetEditError, TetId, TetMeshError};
use craze_spatial::SpatialError;

use crate::number_format::{self, short};
use crate::repair::FarPoint;

/// A shape that cannot be built, or a model that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// A length that is not finite and positive.
    #[error("{field} = {value} m is impossible: it must be finite and above 0")]
    BadLength {
        /// Which length.
        field: &'static str,
        /// The value found (m).
        value: f64,
    },
    /// A shape parameter outside its range.
    #[error("{field} = {value} is impossible: it must be {allowed}")]
    BadParameter {
        /// Which parameter, as in `holes[1].radius`.
        field: String,
        /// The value found, in the parameter's unit.
        value: f64,
        /// The allowed range.
        allowed: String,
    },
    /// A text parameter that is invalid.
    #[error("{field}: {problem}")]
    BadText {
        /// Which parameter.
        field: &'static str,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// A resolution that exceeds the limit on elements or points.
    #[error(
        "{field} = {value} m is too fine for this shape: it needs about {count:.3e} {what}, and the limit is {limit:e}"
    )]
    TooFine {
        /// Which length.
        field: &'static str,
        /// The value found (m).
        value: f64,
        /// What is counted: elements or points.
        what: &'static str,
        /// How many the resolution needs.
        count: f64,
        /// The limit.
        limit: f64,
    },
    /// A spacing at which no sample lies inside the shape.
    #[error("no point of spacing {spacing} m lies inside the shape: {}", spacing_help(*enough))]
    NoPoints {
        /// Spacing of points (m).
        spacing: f64,
        /// A spacing that is small enough (m), if one was found.
        enough: Option<f64>,
    },
    /// A shape too long for a lattice of this edge length.
    #[error(
        "the shape is {} m long, too long for edges of {} m: remove distant points or parts, or use edges of at least {} m",
        short(*size), short(*edge), short(*least)
    )]
    TooLong {
        /// Longest side of its bounding box (m).
        size: f64,
        /// Requested edge length (m).
        edge: f64,
        /// The shortest possible edge length (m).
        least: f64,
    },
    /// A background lattice with no vertex inside.
    #[error("a mesh with edges of {} m has no point inside: {}", number_format::short(*edge), missed_help(*edge, *thinnest))]
    InteriorMissed {
        /// Requested edge length (m).
        edge: f64,
        /// The smallest thickness found (m).
        thinnest: f64,
    },
    /// A shape too thin for tetrahedra of the requested size.
    #[error(
        "the shape is like a sheet, {} m thick{}: tetrahedra with edges of {} m miss much of it; edges of {} m give about {} of them. Model it as a sheet, make it thicker, or set that edge",
        short(*thickness), position_text(position), short(*edge), short(*thickness), millions(*count)
    )]
    ThinSheet {
        /// Requested edge length (m).
        edge: f64,
        /// Its thickness (m).
        thickness: f64,
        /// Where the thickness was measured (m).
        position: Option<[f64; 3]>,
        /// Number of tetrahedra needed to resolve it.
        count: f64,
    },
    /// A model with an outlying point whose other points are too small for the requested size.
    #[error(
        "{}, and tetrahedra with edges of {} m miss the other points: the model is probably damaged. Repair it, or set an edge that suits the other points",
        far.description(), short(*edge)
    )]
    OutlierPoint {
        /// Requested edge length (m).
        edge: f64,
        /// The outlying point.
        far: FarPoint,
    },
    /// A surface with a hole or with inconsistently oriented triangles.
    #[error(
        "the surface is not closed: the edge between points {from} and {to} is used {forward} times in this direction and {backward} times in the other"
    )]
    NotClosed {
        /// One end of the edge: point index from 0.
        from: u32,
        /// The other end: point index from 0.
        to: u32,
        /// Number of triangles that traverse from → to.
        forward: usize,
        /// Number of triangles that traverse to → from.
        backward: usize,
    },
    /// A closed surface that is inside out or encloses no volume.
    #[error("the surface encloses {volume} m³: its triangles must run counter-clockwise seen from outside")]
    InsideOut {
        /// Enclosed volume (m³), not positive.
        volume: f64,
    },
    /// An empty file.
    #[error("{} is empty: there is no model in it", path.display())]
    EmptyFile {
        /// Which file.
        path: PathBuf,
    },
    /// A surface that encloses nothing.
    #[error(
        "the surface has no inside: {}, {} in {}, {}; a solid needs a closed surface",
        number_format::counted(*triangles, "triangle"), number_format::counted(*open_edges, "open edge"),
        number_format::counted(*open_loops, "loop"), number_format::counted(*one_sided, "one-sided part")
    )]
    NoInterior {
        /// Triangles left after repair.
        triangles: usize,
        /// Edges with one triangle only.
        open_edges: usize,
        /// Loops formed by open edges.
        open_loops: usize,
        /// Non-orientable patches, such as a Möbius strip.
        one_sided: usize,
    },
    /// A surface that intersects itself almost everywhere.
    #[error(
        "the surface intersects itself almost everywhere: its {triangles} triangles cross in more than {intersections} pairs; its points or indices are probably damaged"
    )]
    SelfIntersecting {
        /// Triangles left after repair.
        triangles: usize,
        /// Intersecting pairs found before the search stopped.
        intersections: usize,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A binary file where text is expected.
    #[error("{} is not a valid {format} file: byte {byte} is not text", path.display())]
    NotText {
        /// Which file.
        path: PathBuf,
        /// The expected format.
        format: &'static str,
        /// First byte that is not text, from 0.
        byte: usize,
    },
    /// A file extension that names no supported format.
    #[error("{}: unsupported file extension; supported are {known}", path.display())]
    UnknownExtension {
        /// Which file.
        path: PathBuf,
        /// The supported extensions.
        known: String,
    },
    /// A file with the extension of another format.
    #[error("{} looks like {looks_like}: rename it to {name}", path.display())]
    WrongExtension {
        /// Which file.
        path: PathBuf,
        /// The format found, with its article.
        looks_like: &'static str,
        /// The file name with the right extension.
        name: String,
    },
    /// A file in an unsupported format.
    #[error("{} looks like {looks_like}, which is not supported: save it as GLB or OBJ", path.display())]
    UnsupportedFormat {
        /// Which file.
        path: PathBuf,
        /// The format found, with its article.
        looks_like: &'static str,
    },
    /// A file that uses an unsupported feature of its format.
    #[error("{} uses {what}, which is not supported: {help}", path.display())]
    UnsupportedFeature {
        /// Which file.
        path: PathBuf,
        /// The feature.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// Invalid bytes in a binary file.
    #[error("{}, byte {byte}: {problem}", path.display())]
    BadByte {
        /// Which file.
        path: PathBuf,
        /// Byte offset, from 0.
        byte: usize,
        /// What is wrong.
        problem: String,
    },
    /// An inconsistent part of a file.
    #[error("{}, {part}: {problem}", path.display())]
    BadPart {
        /// Which file.
        path: PathBuf,
        /// The part, as the format names it.
        part: String,
        /// What is wrong.
        problem: String,
    },
    /// An invalid line in a text file.
    #[error("{}:{line}: {problem}", path.display())]
    BadLine {
        /// Which file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A model without triangles.
    #[error("{} has no faces ({} found)", path.display(), number_format::counted(*points, "point"))]
    NoFaces {
        /// Which file.
        path: PathBuf,
        /// Number of points in it.
        points: usize,
    },
    /// A model without a usable triangle.
    #[error("{} has no usable faces among its {faces}: {reason}", path.display())]
    NoUsableFaces {
        /// Which file.
        path: PathBuf,
        /// Number of faces in it.
        faces: usize,
        /// Why they were skipped.
        reason: String,
    },
    /// A model whose points all coincide.
    #[error("{} has no extent: all of its points coincide", path.display())]
    NoExtent {
        /// Which file.
        path: PathBuf,
    },
    /// A model so large or small that powers of its lengths overflow or underflow.
    #[error(
        "{} is {} {unit} large: extents from 1e-18 to 1e19 are supported; set another unit or size, or scale it",
        path.display(), number_format::short(*extent)
    )]
    OutOfScale {
        /// Which file.
        path: PathBuf,
        /// Its largest extent, in `unit`.
        extent: f64,
        /// `m`, or `units` of the file.
        unit: &'static str,
    },
    /// Invalid points or triangles.
    #[error(transparent)]
    Surface(#[from] SpatialError),
    /// A mesh that could not be divided into parts.
    #[error(transparent)]
    Edit(#[from] TetEditError),
    /// Tetrahedra that do not form a valid mesh.
    #[error(transparent)]
    Mesh(#[from] TetMeshError),
    /// A lattice that does not form a valid mesh.
    #[error(transparent)]
    Lattice(#[from] LatticeError<NodeId, TetId>),
    /// A section that cannot be triangulated.
    #[error(transparent)]
    Section(#[from] DelaunayError),
}

impl ShapeError {
    /// The invalid parameter, as in `holes[1].radius`; `None` for other errors.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::BadLength { field, .. } | Self::TooFine { field, .. } | Self::BadText { field, .. } => Some(field),
            Self::BadParameter { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// Rejects a parameter unless `valid`; `allowed` describes its range.
pub(crate) fn check_that(
    field: impl Into<String>,
    value: f64,
    valid: bool,
    allowed: impl FnOnce() -> String,
) -> Result<(), ShapeError> {
    if valid { Ok(()) } else { Err(ShapeError::BadParameter { field: field.into(), value, allowed: allowed() }) }
}

fn missed_help(edge: f64, thinnest: f64) -> String {
    if thinnest < edge {
        let thin = number_format::short(thinnest);
        format!("the shape is only {thin} m thick; use edges of {thin} m or shorter")
    } else {
        "the shape encloses nothing, or is thinner than that everywhere; use shorter edges".to_owned()
    }
}

fn position_text(position: &Option<[f64; 3]>) -> String {
    position.map_or_else(String::new, |position| {
        let [x, y, z] = position.map(short);
        format!(" near ({x}, {y}, {z}) m")
    })
}

fn millions(count: f64) -> String {
    if count < 1e9 { format!("{} million", short((1e-5 * count).ceil() / 10.0)) } else { format!("{count:.0e}") }
}

fn spacing_help(enough: Option<f64>) -> String {
    enough
        .map_or_else(|| "use a much smaller spacing".to_owned(), |enough| format!("a spacing of {enough} m is enough"))
}

/// Rejects lengths that are not finite and positive.
pub(crate) fn check_length(field: &'static str, value: f64) -> Result<(), ShapeError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ShapeError::BadLength { field, value }) }
}

/// Most elements or points of one shape; bounds memory.
pub(crate) const MAX_ELEMENTS: f64 = 5e7;

/// Rejects resolutions that exceed [`MAX_ELEMENTS`].
pub(crate) fn check_count(field: &'static str, value: f64, what: &'static str, count: f64) -> Result<(), ShapeError> {
    if count <= MAX_ELEMENTS {
        Ok(())
    } else {
        Err(ShapeError::TooFine { field, value, what, count, limit: MAX_ELEMENTS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_interior_is_reported_with_help() {
        let message = |thinnest| ShapeError::InteriorMissed { edge: 0.1, thinnest }.to_string();
        assert_eq!(
            message(0.00123),
            "a mesh with edges of 0.1 m has no point inside: the shape is only 0.00123 m thick; use edges of 0.00123 m or shorter"
        );
        assert!(
            message(2.0).ends_with("the shape encloses nothing, or is thinner than that everywhere; use shorter edges")
        );
    }
}
