//! What can be wrong with a sheet.

use craze_mesh::{DelaunayError, TriMeshError};

use crate::error::ShapeError;

/// Most triangles that a sheet may have.
pub(super) const MOST_TRIANGLES: f64 = 1e7;

/// A sheet that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// A length that is not a positive number.
    #[error("{field} = {value} m is impossible: it must be finite and above 0")]
    BadLength {
        /// Which length.
        field: &'static str,
        /// The value found (m).
        value: f64,
    },
    /// A size that does not fit the others.
    #[error("{field} = {value} does not fit: it must be {allowed}")]
    Misfit {
        /// Which parameter.
        field: &'static str,
        /// The value found.
        value: f64,
        /// What it may be, in words.
        allowed: String,
    },
    /// A resolution that would need more triangles than are made.
    #[error("edge = {edge} m is too fine: it needs about {count:.3e} triangles, and at most {limit:e} are made")]
    TooFine {
        /// The edge length asked for (m).
        edge: f64,
        /// How many triangles it would need.
        count: f64,
        /// How many are made at most.
        limit: f64,
    },
    /// A resolution that would leave nothing of the surface.
    #[error("edge = {edge} m is too coarse for a surface {size} m large: take at most half of that")]
    TooCoarse {
        /// The edge length asked for (m).
        edge: f64,
        /// Diagonal of the surface's box (m).
        size: f64,
    },
    /// A surface of which nothing is left.
    #[error("the surface has no triangle with an area ({triangles} were given)")]
    Empty {
        /// Triangles given.
        triangles: usize,
    },
    /// Data on triangles for another number of them.
    #[error("{what} are given for {found} triangles, but there are {expected}")]
    Count {
        /// Which data.
        what: &'static str,
        /// Triangles of the surface.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// A flat sheet that cannot be triangulated.
    #[error(transparent)]
    Plane(#[from] DelaunayError),
    /// Triangles that form no mesh.
    #[error(transparent)]
    Mesh(#[from] TriMeshError),
    /// A surface that cannot be put right.
    #[error(transparent)]
    Surface(#[from] ShapeError),
}

/// Refuses lengths that are not positive numbers.
pub(super) fn check_length(field: &'static str, value: f64) -> Result<(), SheetError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(SheetError::BadLength { field, value }) }
}

/// Refuses values below or equal to zero and at or above `limit`, which `what` explains.
pub(super) fn check_below(field: &'static str, value: f64, limit: f64, what: &str) -> Result<(), SheetError> {
    check_length(field, value)?;
    if value < limit {
        Ok(())
    } else {
        Err(SheetError::Misfit { field, value, allowed: format!("below {limit} m, {what}") })
    }
}
