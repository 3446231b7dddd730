//! Physics that must come out right: known answers from textbooks, standards and experiments, as code.
//!
//! Each file of [`solid`] and [`clusters`] is one test: it builds bodies through the same public doors that scenes use, lets them
//! move, and compares what it measures with the answer of a book. [`run`] runs a [`Selection`] of them; [`report`] and [`svg`]
//! write down what came out.
//!
//! Numbers and letters are those of the project's list of known answers: S solid, T sheet, L layers, C clusters, X XFEM.

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

pub use error::ValidationError;
pub use outcome::{Expected, Findings, Outcome, Row};
pub use plot::{Line, Mark, Plot, Scale};
pub use run::{Depth, MethodLetter, Selection, TESTS, Test, run};
