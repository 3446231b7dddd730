//! Validation of the physics against textbooks, standards and experiments.
//!
//! Each file of [`solid`], [`clusters`] and [`xfem`] is one test: it builds bodies through the public
//! interface that scenes use, simulates them, and compares measurements with known answers. [`run`]
//! runs a [`Selection`] of tests; [`report`] and [`svg`] write the results.
//!
//! Numbers and letters follow the project's list of known answers: S solid, T sheet, L layers, C
//! clusters, X XFEM.

pub mod clusters;
mod error;
mod measure;
mod outcome;
mod plot;
pub mod report;
mod run;
mod setup;
pub mod solid;
pub mod svg;
pub mod xfem;

pub use error::ValidationError;
pub use outcome::{Expected, Findings, Outcome, Row};
pub use plot::{Line, Mark, Plot, Scale};
pub use run::{Depth, Selection, Test, run, tests};

/// The tests of each method.
pub(crate) const SUITES: &[&[Test]] = &[solid::TESTS, clusters::TESTS, xfem::TESTS];
