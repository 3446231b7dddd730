//! What can be wrong with a shape or a model.

use std::path::PathBuf;

use craze_mesh::{LatticeError, NodeId, TetEditError, TetId, TetMeshError};
use craze_spatial::SpatialError;

use crate::repair::FarPoint;
use crate::words::{self, short};

/// A shape that cannot be made, or a model that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// A length that is not a positive number.
    #[error("{field} = {value} m is impossible: it must be finite and above 0")]
    BadLength {
        /// Which length.
        field: &'static str,
        /// The value found (m).
        value: f64,
    },
    /// A parameter of a shape that does not fit the others.
    #[error("{field} = {value} is impossible: it must be {allowed}")]
    BadParameter {
        /// Which parameter, as in `holes[1].radius`.
        field: String,
        /// The value found, in the parameter's unit.
        value: f64,
        /// What it may be.
        allowed: String,
    },
    /// A text that does not name or spell anything.
    #[error("{field}: {problem}")]
    BadText {
        /// Which parameter.
        field: &'static str,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A resolution that would need more elements or points than memory has room for.
    #[error(
        "{field} = {value} m is too fine for this shape: it needs about {count:.3e} {what}, and at most {limit:e} are made"
    )]
    TooFine {
        /// Which length.
        field: &'static str,
        /// The value found (m).
        value: f64,
        /// What there would be too many of.
        what: &'static str,
        /// How many there would be.
        count: f64,
        /// How many there may be.
        limit: f64,
    },
    /// Samples that all miss the shape.
    #[error("no point of spacing {spacing} m lies inside the shape: {}", advice(*enough))]
    NoPoints {
        /// Distance of points (m).
        spacing: f64,
        /// A distance that would do (m), if one was found.
        enough: Option<f64>,
    },
    /// A shape that is longer than a lattice can be.
    #[error(
        "the shape is {} m long, too much for edges of {} m: if a point or a part of it lies far off, take that away; otherwise take edges of at least {} m",
        short(*size), short(*edge), short(*least)
    )]
    TooLong {
        /// Longest side of the box around it (m).
        size: f64,
        /// Edge length asked for (m).
        edge: f64,
        /// The shortest for which there is a lattice (m).
        least: f64,
    },
    /// A lattice that misses the inside.
    #[error("tetrahedra with edges of {} m find no inside: {}", words::short(*edge), missed(*edge, *thinnest))]
    InteriorMissed {
        /// Edge length asked for (m).
        edge: f64,
        /// The thinnest thing known of it (m).
        thinnest: f64,
    },
    /// A shape so thin that tetrahedra of the asked size miss most of it.
    #[error(
        "the shape is like a sheet, {} m thin{}: tetrahedra with edges of {} m miss much of it; it takes edges of {} m, about {} of them. Model it as a sheet, make it thicker, or ask for that edge",
        short(*thickness), near(place), short(*edge), short(*thickness), rough(*count)
    )]
    ThinSheet {
        /// Edge length asked for (m).
        edge: f64,
        /// How thin it is (m).
        thickness: f64,
        /// Where this was found (m).
        place: Option<[f64; 3]>,
        /// How many tetrahedra it would take.
        count: f64,
    },
    /// A model with a point far from all others, of which tetrahedra of the asked size miss most.
    #[error(
        "{}, so that tetrahedra with edges of {} m miss the rest: it is probably damaged. Mend it, or ask for an edge that suits the rest",
        far.told(), short(*edge)
    )]
    OutlierPoint {
        /// Edge length asked for (m).
        edge: f64,
        /// The point.
        far: FarPoint,
    },
    /// A surface with a hole, or with triangles turned against their neighbours.
    #[error(
        "the surface is not closed: the edge between points {from} and {to} is used {forward} times in this direction and {backward} times in the other"
    )]
    NotClosed {
        /// One end of the edge, from 0.
        from: u32,
        /// The other end, from 0.
        to: u32,
        /// Triangles that run from → to.
        forward: usize,
        /// Triangles that run to → from.
        backward: usize,
    },
    /// A closed surface whose triangles face inward, or that encloses nothing.
    #[error("the surface encloses {volume} m³: its triangles must run counter-clockwise seen from outside")]
    InsideOut {
        /// Enclosed volume (m³), not positive.
        volume: f64,
    },
    /// A file without a byte.
    #[error("{} is empty: there is no model in it", path.display())]
    EmptyFile {
        /// Which file.
        path: PathBuf,
    },
    /// A surface around which nothing can be called inside.
    #[error(
        "the surface has no inside: {}, {} in {}, {}; a solid needs a surface that closes around something",
        words::counted(*triangles, "triangle"), words::counted(*open_edges, "open edge"),
        words::counted(*open_loops, "loop"), words::counted(*one_sided, "one-sided part")
    )]
    NoInterior {
        /// How many triangles are left after repair.
        triangles: usize,
        /// Edges that border one triangle only.
        open_edges: usize,
        /// Loops that these form.
        open_loops: usize,
        /// Patches like a Möbius strip.
        one_sided: usize,
    },
    /// A surface that crosses itself everywhere.
    #[error(
        "the surface is a tangle: its {triangles} triangles cross each other in more than {intersections} pairs, so nothing can be called inside; its points or their numbers are probably damaged"
    )]
    SelfIntersecting {
        /// How many triangles there are after repair.
        triangles: usize,
        /// Crossings found before the search was given up.
        intersections: usize,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is no text.
    #[error("{} is not a sound {format} file: byte {byte} is not text", path.display())]
    NotText {
        /// Which file.
        path: PathBuf,
        /// What it should be.
        format: &'static str,
        /// First byte that stands in no text, from 0.
        byte: usize,
    },
    /// A file whose ending names no format that is read.
    #[error("{}: models are read from files that end in {known}", path.display())]
    UnknownExtension {
        /// Which file.
        path: PathBuf,
        /// The endings that are known.
        known: String,
    },
    /// A file that is not what its ending says.
    #[error("{} looks like {looks_like}: rename it to {name}", path.display())]
    WrongExtension {
        /// Which file.
        path: PathBuf,
        /// What it looks like, with its article.
        looks_like: &'static str,
        /// The name it should have.
        name: String,
    },
    /// A file of a kind that is not read, whatever its ending says.
    #[error("{} looks like {looks_like}, which is not read: save it as GLB or OBJ", path.display())]
    UnsupportedFormat {
        /// Which file.
        path: PathBuf,
        /// What it looks like, with its article.
        looks_like: &'static str,
    },
    /// A file that uses a part of its format that is not read.
    #[error("{} uses {what}, which is not read: {help}", path.display())]
    UnsupportedFeature {
        /// Which file.
        path: PathBuf,
        /// What it uses.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// Bytes of a binary file that cannot be understood.
    #[error("{}, byte {byte}: {problem}", path.display())]
    BadByte {
        /// Which file.
        path: PathBuf,
        /// Which byte, from 0.
        byte: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A part of a file that is at odds with the rest.
    #[error("{}, {place}: {problem}", path.display())]
    BadPart {
        /// Which file.
        path: PathBuf,
        /// Which part, as the format calls it.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A line that cannot be understood.
    #[error("{}:{line}: {problem}", path.display())]
    BadLine {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A model without triangles.
    #[error("{} has no faces ({} found)", path.display(), words::counted(*points, "point"))]
    NoFaces {
        /// Which file.
        path: PathBuf,
        /// How many points it has.
        points: usize,
    },
    /// A model of which no triangle can be used.
    #[error("{} has no usable faces among its {faces}: {reason}", path.display())]
    NoUsableFaces {
        /// Which file.
        path: PathBuf,
        /// How many faces it has.
        faces: usize,
        /// Why they were left out.
        reason: String,
    },
    /// A model whose points all lie at one place.
    #[error("{} has no extent: all of its points lie at one place", path.display())]
    NoExtent {
        /// Which file.
        path: PathBuf,
    },
    /// A model whose lengths are no use in squares and cubes.
    #[error(
        "{} is {} {unit} large: from 1e-18 to 1e19 can be computed with; say another unit or size, or scale it",
        path.display(), words::short(*extent)
    )]
    OutOfScale {
        /// Which file.
        path: PathBuf,
        /// Its largest extent,
        extent: f64,
        /// in metres (m) or in the units of the file.
        unit: &'static str,
    },
    /// Points or triangles that are not sound.
    #[error(transparent)]
    Surface(#[from] SpatialError),
    /// Parts of a mesh that could not be taken apart.
    #[error(transparent)]
    Edit(#[from] TetEditError),
    /// Tetrahedra that do not form a mesh.
    #[error(transparent)]
    Mesh(#[from] TetMeshError),
    /// A lattice that does not form a mesh.
    #[error(transparent)]
    Lattice(#[from] LatticeError<NodeId, TetId>),
}

impl ShapeError {
    /// The parameter of the shape that is wrong, as in `holes[1].radius`; none if it is something else.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::BadLength { field, .. } | Self::TooFine { field, .. } | Self::BadText { field, .. } => Some(field),
            Self::BadParameter { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// Refuses a parameter unless it is all right; else the words say what is allowed.
pub(crate) fn check_that(
    field: impl Into<String>,
    value: f64,
    all_right: bool,
    allowed: impl FnOnce() -> String,
) -> Result<(), ShapeError> {
    if all_right { Ok(()) } else { Err(ShapeError::BadParameter { field: field.into(), value, allowed: allowed() }) }
}

/// Why a lattice finds no inside, and what to do.
fn missed(edge: f64, thinnest: f64) -> String {
    if thinnest < edge {
        let thin = words::short(thinnest);
        format!("the shape is only {thin} m thick; ask for edges of {thin} m or shorter")
    } else {
        "the shape encloses nothing, or only places thinner than that; ask for shorter edges".to_owned()
    }
}

/// Where something is, in words.
fn near(place: &Option<[f64; 3]>) -> String {
    place.map_or_else(String::new, |place| {
        let [x, y, z] = place.map(short);
        format!(" near ({x}, {y}, {z}) m")
    })
}

/// A large number in words.
fn rough(count: f64) -> String {
    if count < 1e9 { format!("{} million", short((1e-5 * count).ceil() / 10.0)) } else { format!("{count:.0e}") }
}

fn advice(enough: Option<f64>) -> String {
    enough.map_or_else(
        || "it is too thin for any that is not far smaller".to_owned(),
        |enough| format!("a spacing of {enough} m would do"),
    )
}

/// Refuses lengths that are not positive numbers.
pub(crate) fn check_length(field: &'static str, value: f64) -> Result<(), ShapeError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ShapeError::BadLength { field, value }) }
}

/// Most elements or points that one shape may have.
pub(crate) const MAX_ELEMENTS: f64 = 5e7;

/// Refuses resolutions that would fill the memory.
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
    fn an_inside_that_was_missed_is_told_with_what_to_do() {
        let told = |thinnest| ShapeError::InteriorMissed { edge: 0.1, thinnest }.to_string();
        assert_eq!(
            told(0.00123),
            "tetrahedra with edges of 0.1 m find no inside: the shape is only 0.00123 m thick; ask for edges of 0.00123 m or shorter"
        );
        assert!(
            told(2.0).ends_with("the shape encloses nothing, or only places thinner than that; ask for shorter edges")
        );
    }
}
