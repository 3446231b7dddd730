//! Broad phase: bounding volume hierarchies of surfaces and of tetrahedra.

mod surface_tree;
mod volume_tree;

pub use surface_tree::{Motion, SurfaceTree};
pub use volume_tree::VolumeTree;
