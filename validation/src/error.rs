//! Errors that prevent a test.

use craze_clusters::ClusterError;
use craze_engine::{Failure, WorldError};
use craze_mesh::{AttributeError, LatticeError, NodeId, TetId, TetMeshError};
use craze_solid::SolidError;

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
    /// A solid could not be created.
    #[error("cannot create the solid: {0}")]
    Solid(#[from] SolidError),
    /// A body of clusters could not be created.
    #[error("cannot create the clusters: {0}")]
    Clusters(#[from] ClusterError),
    /// A step failed.
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
