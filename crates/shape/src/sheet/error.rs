//! Errors of sheet construction.

use craze_mesh::{DelaunayError, TriMeshError};

use crate::error::ShapeError;

/// Largest number of triangles in a sheet.
pub(super) const MAX_TRIANGLES: f64 = 1e7;

/// A sheet that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// A length that is not positive and finite.
    #[error("{field} = {value} m is invalid: it must be finite and above 0")]
    BadLength {
        /// The parameter.
        field: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// A parameter that does not fit the others.
    #[error("{field} = {value} does not fit: it must be {allowed}")]
    Misfit {
        /// The parameter.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The allowed values.
        allowed: String,
    },
    /// An edge length that needs too many triangles.
    #[error("edge = {edge} m is too fine: it needs about {count:.3e} triangles, but at most {limit:e} are allowed")]
    TooFine {
        /// Requested edge length (m).
        edge: f64,
        /// Number of triangles it needs.
        count: f64,
        /// Largest allowed number.
        limit: f64,
    },
    /// An edge length too large for the surface.
    #[error("edge = {edge} m is too coarse for a surface of size {size} m: use at most half of that")]
    TooCoarse {
        /// Requested edge length (m).
        edge: f64,
        /// Diagonal of the surface's bounding box (m).
        size: f64,
    },
    /// A surface without any triangle of positive area.
    #[error("the surface has no triangle with an area ({triangles} were given)")]
    Empty {
        /// Number of input triangles.
        triangles: usize,
    },
    /// Per-triangle data of the wrong length.
    #[error("{what} are given for {found} triangles, but there are {expected}")]
    Count {
        /// The data.
        what: &'static str,
        /// Number of triangles.
        expected: usize,
        /// Number of entries.
        found: usize,
    },
    /// A flat sheet that cannot be triangulated.
    #[error(transparent)]
    Plane(#[from] DelaunayError),
    /// Triangles that do not form a valid mesh.
    #[error(transparent)]
    Mesh(#[from] TriMeshError),
    /// A surface that cannot be repaired.
    #[error(transparent)]
    Surface(#[from] ShapeError),
}

pub(super) fn check_length(field: &'static str, value: f64) -> Result<(), SheetError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(SheetError::BadLength { field, value }) }
}

pub(super) fn check_below(field: &'static str, value: f64, limit: f64, what: &str) -> Result<(), SheetError> {
    check_length(field, value)?;
    if value < limit {
        Ok(())
    } else {
        Err(SheetError::Misfit { field, value, allowed: format!("below {limit} m, {what}") })
    }
}
