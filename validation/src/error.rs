//! Why a test could not be carried out at all.

use craze_clusters::ClusterError;
use craze_engine::{Failure, WorldError};
use craze_mesh::{AttributeError, LatticeError, NodeId, TetId, TetMeshError};
use craze_solid::SolidError;

/// Why a test could not be carried out. A test that ends so has failed.
#[derive(Debug, thiserror::Error)]
pub enum ValidationError {
    /// A box could not be divided into tetrahedra.
    #[error("the mesh could not be made: {0}")]
    Lattice(#[from] LatticeError<NodeId, TetId>),
    /// A mesh was refused.
    #[error("the mesh could not be made: {0}")]
    Mesh(#[from] TetMeshError),
    /// A column of numbers was refused.
    #[error("the mesh could not be made: {0}")]
    Attribute(#[from] AttributeError),
    /// A solid was refused.
    #[error("the solid could not be made: {0}")]
    Solid(#[from] SolidError),
    /// A body of clusters was refused.
    #[error("the cluster could not be made: {0}")]
    Clusters(#[from] ClusterError),
    /// A step was refused.
    #[error("a step failed: {0}")]
    Step(#[from] Failure),
    /// The world could not go on.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Something could not be put in a tree.
    #[error(transparent)]
    Spatial(#[from] craze_spatial::SpatialError),
    /// A hold found nothing to take hold of.
    #[error("nothing was found at {0} to take hold of")]
    EmptyRegion(String),
    /// A measurement did not show what it was meant to measure.
    #[error("{0} could not be measured: the run does not show it")]
    NothingMeasured(&'static str),
}
