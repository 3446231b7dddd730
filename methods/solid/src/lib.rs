//! Brittle solids of linear tetrahedra: O'Brien & Hodgins 1999, "Graphical Modeling and Animation
//! of Brittle Fracture".
//!
//! [`Solid`] is the body, [`load`] reads a saved one, [`elastic_step_cost`] counts the cost of an
//! explicit step. `step.rs` has the stages of one step in order.

mod blocks;
mod cost;
mod criterion;
mod describe;
mod elastic_model;
mod failure;
mod forces;
#[cfg(test)]
mod fracture_tests;
mod frame;
mod fronts;
mod gather;
mod implicit;
mod integrate;
mod kernel;
mod laws;
mod ledger;
mod limit;
mod loads;
mod material;
mod model;
mod options;
mod order;
mod parallel;
mod peaks;
mod prefilter;
mod rigid_mode;
mod save;
mod split;
mod step;
mod strength;
mod surface;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tuning;

pub use cost::{StepCost, elastic_step_cost};
pub use criterion::FailureState;
pub use failure::STRENGTH;
pub use material::MATERIAL;
pub use model::Solid;
pub use options::{Integrator, Seam, SolidError, SolidOptions, SolidTable};
pub use save::load;

/// Name of the method in scene files and checkpoints.
pub const KIND: &str = "solid";
