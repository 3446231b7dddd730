//! Errors that prevent a test.

use craze_engine::{Failure, WorldError};
use craze_mesh::{AttributeError, LatticeError, NodeId, TetId, TetMeshError};

/// Why a test could not be completed. Such a test has failed.
#[derive(Debug, thiserror::Error)]
pub enum ValidationError {
    /// A box mesh could not be generated.
    #[error("cannot create the mesh: {0}")]
    Lattice(#[from] LatticeError<NodeId, TetId>),
    /// A mesh is invalid.
    #[error("cannot create the mesh: {0}")]
    Mesh(#[from] TetMeshError),
    /// An attribute is invalid.
    #[error("cannot create the mesh: {0}")]
    Attribute(#[from] AttributeError),
    /// A body was refused.
    #[error("the body could not be made: {0}")]
    Body(String),
    /// A step was refused.
    #[error("a step failed: {0}")]
    Step(#[from] Failure),
    /// The world failed.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Geometry is invalid for a spatial tree.
    #[error(transparent)]
    Spatial(#[from] craze_spatial::SpatialError),
    /// A boundary condition selects nothing.
    #[error("the region at {0} selects nothing")]
    EmptyRegion(String),
    /// The run does not show the quantity to measure.
    #[error("{0} could not be measured in the run")]
    NothingMeasured(&'static str),
}
