//! Linear and nonlinear systems over the nodes of a mesh, in 3×3 blocks, with the same bits for any number of threads.
//!
//! A [`Pattern`] says which blocks exist; a [`BlockMatrix`] is assembled from element matrices; [`Pcg`] and [`Cholesky`] solve with it;
//! [`Newton`] minimises an energy with either, and [`march()`] raises a load step by step.

pub mod block;
pub mod cholesky;
pub mod constraint;
mod dense;
pub mod error;
pub mod linear;
pub mod march;
pub mod newton;
mod ordering;
pub mod pattern;
pub mod pcg;
pub mod symbolic;
#[cfg(test)]
mod testing;

pub use block::BlockMatrix;
pub use cholesky::Cholesky;
pub use constraint::Constraints;
pub use error::SolveError;
pub use linear::LinearSolver;
pub use march::{MarchReport, MarchSettings, march};
pub use newton::{Convergence, Newton, NewtonReport, NewtonSettings, Objective};
pub use pattern::{Pattern, PatternBuilder};
pub use pcg::{Pcg, PcgReport, PcgSettings};
pub use symbolic::Symbolic;
