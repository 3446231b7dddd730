//! What every deformable body has, whatever its method: implemented once, for meshes of triangles and tetrahedra and for particles.
//!
//! | module | content |
//! |---|---|
//! | [`constraints`] | regions on which boundary conditions and loads act, their forces and reactions |
//! | [`lineage`] | numbers of pieces over the history of a body, and the piece that each broke from |
//! | [`pieces`] | pieces of a simplicial mesh; after an edit they are relabelled at a cost proportional to the smaller parts |
//! | [`measure`] | mass, volume and pose of a piece |
//! | [`tracked`] | material points that probes observe, tracked through edits |
//! | [`momenta`] | momenta of some nodes, and how they are restored after an edit |
//! | [`node`] | state of a node: position, velocity and mass in one cache line |
//! | [`save`] | header and checks of saved bodies |
//!
//! Everything here is deterministic: sums run in index order, and nothing depends on the number of threads.

pub mod closest;
pub mod constraints;
pub mod lineage;
pub mod measure;
pub mod momenta;
pub mod node;
pub mod pieces;
pub mod save;
pub mod tracked;

pub use constraints::{ConstrainedRegion, ConstrainedRegions};
pub use lineage::Lineage;
pub use measure::PieceMeasure;
pub use momenta::Momenta;
pub use node::Node;
pub use pieces::Pieces;
pub use tracked::TrackedPoints;
