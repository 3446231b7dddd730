//! Cracks that a tetrahedral mesh has from the start, in any flat shape.
//!
//! Steps, for all cracks before the next step:
//! 1. nodes near a crack's plane are moved into it, and edges that cross it are split there (`fit`);
//! 2. nodes near the front are moved onto it, and edges in the plane that cross it are split there;
//! 3. faces in the plane and within the outline are opened: nodes between them are doubled (`open`).
//!
//! On a mesh with faces in the plane the first two steps change nothing. Deterministic: nodes are
//! moved and edges split in an order that follows from the mesh.

mod fit;
mod open;
mod outline;

pub use outline::FlatCrack;

use crate::error::EditError;
use crate::facet::Facet;
use crate::id::{NodeId, TetId};
use crate::mesh::TetMesh;
use thiserror::Error;

/// A mesh with open cracks, both faces of which coincide.
#[derive(Clone, Debug, PartialEq)]
pub struct Cracked {
    /// The mesh, without attributes.
    pub mesh: TetMesh,
    /// The element of the original mesh that each element is part of.
    pub parents: Vec<u32>,
    /// Both faces of all cracks, ascending.
    pub facets: Vec<Facet<TetId>>,
    /// The cracks.
    pub cracks: Vec<OpenCrack>,
}

/// What a crack became in the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenCrack {
    /// Area of one face (m²).
    pub area: f64,
    /// Mean length of the edges of its triangles (m).
    pub edge: f64,
}

/// Why a crack cannot be opened.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CrackError {
    /// No part of the body lies in the crack.
    #[error("no part of the body lies in the crack")]
    Outside {
        /// Index of the crack.
        crack: usize,
    },
    /// The crack is too small to contain a face of an element.
    #[error("the crack is {extent:.3e} m long, too short for elements with edges of {edge:.3e} m")]
    Unresolved {
        /// Index of the crack.
        crack: usize,
        /// Its extent (m).
        extent: f64,
        /// Length of the edges around it (m).
        edge: f64,
    },
    /// An edge cannot be split.
    #[error("the mesh cannot be cut along the crack: {error}")]
    Edit {
        /// Index of the crack.
        crack: usize,
        /// Why.
        error: EditError<NodeId, TetId>,
    },
}

/// Opens cracks in a mesh. Fails for a crack outside of the mesh, or too small for its elements.
pub fn open_cracks(mesh: TetMesh, cracks: &[FlatCrack]) -> Result<Cracked, CrackError> {
    let mut fitted = fit::Fitted::new(mesh);
    for (index, crack) in cracks.iter().enumerate() {
        fitted.fit(index, crack, &cracks[..index])?;
    }
    open::open(fitted, cracks)
}

#[cfg(test)]
mod tests;
