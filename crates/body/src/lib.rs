//! What every deformable body has, whatever its method: implemented once, for meshes of triangles
//! and tetrahedra and for particles.
//!
//! | module | content |
//! |---|---|
//! | [`constraints`] | regions on which boundary conditions and loads act, their forces and reactions |
//! | [`lineage`] | numbers of pieces over the history of a body, and the piece that each broke from |
//! | [`pieces`] | pieces of a simplicial mesh; after an edit they are relabelled at a cost proportional to the smaller parts |
//! | [`measure`] | mass, volume and pose of a piece |
//! | [`tracked`] | material points that probes observe, tracked through edits |
//! | [`momenta`] | momenta of some nodes, and how they are restored after an edit |
//! | [`rigid_mode`] | islands that carry no load move as rigid bodies |
//! | [`implicit`] | implicit steps and equilibrium of an elastic model, with constraints, drag and contact springs |
//! | [`ledger`] | conserved quantities of nodes |
//! | [`events`] | events of pieces that are not reported yet |
//! | [`node`] | state of a node: position, velocity and mass in one cache line |
//! | [`save`] | header and checks of saved bodies |
//!
//! Everything here is deterministic: sums run in index order, and nothing depends on the number of
//! threads.

pub mod closest;
pub mod constraints;
mod contact_boundary;
pub mod events;
pub mod implicit;
pub mod ledger;
pub mod lineage;
pub mod measure;
pub mod momenta;
pub mod node;
pub mod pieces;
pub mod rigid_mode;
pub mod save;
pub mod tracked;

pub use constraints::{ConstrainedRegion, ConstrainedRegions};
pub use contact_boundary::{CONTACT_SKIN, contact_boundary, contact_skin};
pub use events::PieceEvent;
pub use lineage::Lineage;
pub use measure::PieceMeasure;
pub use momenta::Momenta;
pub use node::Node;
pub use pieces::Pieces;
pub use rigid_mode::{IslandMotion, RigidMotion};
pub use tracked::TrackedPoints;
