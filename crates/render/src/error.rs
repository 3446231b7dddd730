//! What can go wrong when a picture is made.

use std::path::PathBuf;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The picture has no pixels, or more than can be held.
    #[error("a picture of {width} × {height} pixels cannot be made: each side must be from 1 to {limit}")]
    Size {
        /// Asked width (pixels).
        width: u32,
        /// Asked height (pixels).
        height: u32,
        /// Longest side that is allowed (pixels).
        limit: u32,
    },
    /// No sample, or too many, for a pixel.
    #[error("{samples} samples a pixel cannot be taken: ask for 1 to {limit}")]
    Samples {
        /// Asked samples a pixel.
        samples: u32,
        /// Most samples that are allowed.
        limit: u32,
    },
    /// The camera does not look anywhere.
    #[error("the camera cannot see: {reason}")]
    Camera {
        /// Which of its numbers is impossible, with its value.
        reason: String,
    },
    /// The range of the colour map is not a range.
    #[error("the colour range from {low} to {high} is not a range: both must be finite and the first the smaller")]
    Range {
        /// Value of the first colour.
        low: f64,
        /// Value of the last colour.
        high: f64,
    },
    /// No body has the attribute that the picture is to be coloured by.
    #[error("no body of frame {frame} has the attribute \"{attribute}\" to colour by; there are: {available}")]
    AttributeMissing {
        /// Number of the frame.
        frame: u32,
        /// Name of the attribute.
        attribute: &'static str,
        /// Names of the attributes that the bodies have, separated by commas.
        available: String,
    },
    /// There are too many triangles or particles for one picture.
    #[error(transparent)]
    Spatial(#[from] craze_spatial::SpatialError),
    /// The name of a colouring is not known.
    #[error("unknown colouring \"{name}\": use material, piece, stress, velocity or plastic-strain")]
    UnknownColoring {
        /// What was asked for.
        name: String,
    },
    /// A moving picture without pictures.
    #[error("{path}: a moving picture needs at least one picture")]
    NoImages {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// Pictures of one moving picture differ in size, or are larger than the format can hold.
    #[error(
        "{path}: picture {index} is {width} × {height} pixels, but all must be like the first and no side above 65535"
    )]
    ImageSize {
        /// The file that was to be written.
        path: PathBuf,
        /// Which picture, from 0.
        index: usize,
        /// Its width (pixels).
        width: u32,
        /// Its height (pixels).
        height: u32,
    },
    /// The time that a picture stays cannot be stored.
    #[error("{path}: a picture cannot stay for {seconds} s: the format allows 0.01 s to 655 s")]
    Delay {
        /// The file that was to be written.
        path: PathBuf,
        /// Asked time a picture (s).
        seconds: f64,
    },
    /// The file system refused.
    #[error("cannot write {path}: {source}")]
    File {
        /// The file that was to be written.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
