//! Cutting and fracture without remeshing: Song et al. 2008, "Cutting and Fracturing Models without
//! Remeshing".
//!
//! The tetrahedra of a body never change. A crack adds degrees of freedom to the nodes about it, so
//! that the parts of every cut element move independently: [`Enrichment`] has the parts and their
//! degrees of freedom, [`cut::planar`] makes cracks, and `step.rs` has the stages of one step in
//! the order of §6.

mod bridge;
mod crack;
pub mod cut;
mod describe;
mod enrichment;
mod equilibrium;
mod frame;
mod knife;
mod ledger;
mod material;
mod method;
mod model;
mod options;
mod parts;
mod pieces;
mod save;
mod step;
mod surface;
mod system;
#[cfg(test)]
mod tests;

pub use crack::{Crack, CutError, Growth, Side};
pub use enrichment::Enrichment;
pub use knife::Knife;
pub use material::MATERIAL;
pub use model::{PlannedCut, Xfem};
pub use options::{Cut, KnifeTable, MassMatrix, TravelKey, XfemError, XfemOptions, XfemTable};
pub use parts::{ElementCrack, MAX_PARTS, Part};
pub use save::load;

/// Name of the method in scene files and checkpoints.
pub const KIND: &str = "xfem";
