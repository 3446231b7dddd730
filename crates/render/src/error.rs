//! Errors of rendering.

use std::path::PathBuf;

/// Why no picture was made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// Width or height is out of range.
    #[error("a picture of {width} × {height} pixels is not possible: each side must be 1 to {limit}")]
    Size {
        /// Requested width (pixels).
        width: u32,
        /// Requested height (pixels).
        height: u32,
        /// Largest side (pixels).
        limit: u32,
    },
    /// The number of samples is out of range.
    #[error("{samples} samples per pixel are not possible: choose 1 to {limit}")]
    Samples {
        /// Requested samples per pixel.
        samples: u32,
        /// Most samples per pixel.
        limit: u32,
    },
    /// The camera defines no view.
    #[error("the camera is not valid: {reason}")]
    Camera {
        /// The invalid parameter with its value.
        reason: String,
    },
    /// The colour range is empty or not finite.
    #[error("the colour range from {low} to {high} is not valid: both must be finite and the first smaller")]
    Range {
        /// Value of the first colour.
        low: f64,
        /// Value of the last colour.
        high: f64,
    },
    /// No body has the attribute to colour by.
    #[error("no body of frame {frame} has the attribute \"{attribute}\" to colour by; available: {available}")]
    AttributeMissing {
        /// Frame number.
        frame: u32,
        /// The attribute.
        attribute: &'static str,
        /// Attributes of the bodies, separated by commas.
        available: String,
    },
    /// Too many triangles or particles.
    #[error(transparent)]
    Spatial(#[from] craze_spatial::SpatialError),
    /// A GIF without pictures.
    #[error("{path}: an animation needs at least one picture")]
    NoImages {
        /// The file.
        path: PathBuf,
    },
    /// Pictures of a GIF differ in size, or exceed the format.
    #[error(
        "{path}: picture {index} is {width} × {height} pixels, but all must be as large as the first and no side above 65535"
    )]
    ImageSize {
        /// The file.
        path: PathBuf,
        /// Index of the picture.
        index: usize,
        /// Its width (pixels).
        width: u32,
        /// Its height (pixels).
        height: u32,
    },
    /// The time per picture is out of range.
    #[error("{path}: {seconds} s per picture is not possible: the format allows 0.01 s to 655 s")]
    Delay {
        /// The file.
        path: PathBuf,
        /// Requested time per picture (s).
        seconds: f64,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}
