//! Linear and nonlinear systems over the nodes of a mesh, in 3×3 blocks, with the same bits for any
//! number of threads.
//!
//! A [`Pattern`] lists the non-zero blocks; a [`BlockMatrix`] is assembled from element matrices;
//! [`Pcg`] and [`Cholesky`] solve linear systems; [`Newton`] minimises an energy; [`march()`]
//! raises a load in steps.

pub mod block;
pub mod cholesky;
pub mod constraint;
mod dense;
pub mod error;
pub mod linear;
pub mod march;
pub mod multigrid;
pub mod newton;
mod ordering;
pub mod pattern;
pub mod pcg;
pub mod symbolic;
#[cfg(test)]
mod testing;
mod tuning;

pub use block::BlockMatrix;
pub use cholesky::Cholesky;
pub use constraint::Constraints;
pub use error::SolveError;
pub use linear::{ByCost, LinearSolver};
pub use march::{MarchReport, MarchSettings, march};
pub use multigrid::Multigrid;
pub use newton::{Convergence, Newton, NewtonReport, NewtonSettings, Objective};
pub use pattern::{Pattern, PatternBuilder};
pub use pcg::{Pcg, PcgReport, PcgSettings};
pub use symbolic::Symbolic;
