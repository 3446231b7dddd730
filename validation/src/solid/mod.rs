//! Tests of the brittle solid: O'Brien & Hodgins 1999.

mod bar;
mod branching;
mod cantilever;
mod column;
mod compression;
mod conservation;
mod double_cantilever;
mod edge_crack;
mod fracture_conservation;
mod integrator_order;
mod kink;
mod mesh_edits;
mod objectivity;
mod overlap;
mod patch;
mod plate_with_hole;
mod stack;
mod tension;

use crate::{Test, ValidationError};
use craze_methods::solid::SolidError;

/// Its tests, by number.
pub const TESTS: &[Test] = &[
    patch::TEST,
    objectivity::TEST,
    column::TEST,
    bar::TEST,
    integrator_order::TEST,
    cantilever::TEST,
    conservation::TEST,
    tension::TEST,
    compression::TEST,
    plate_with_hole::TEST,
    edge_crack::TEST,
    kink::TEST,
    double_cantilever::TEST,
    branching::TEST,
    mesh_edits::TEST,
    overlap::TEST,
    stack::TEST,
];

impl From<SolidError> for ValidationError {
    fn from(error: SolidError) -> ValidationError {
        ValidationError::Body(error.to_string())
    }
}
