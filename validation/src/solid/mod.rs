//! Tests of the brittle solid: O'Brien & Hodgins 1999.

pub(crate) mod bar;
pub(crate) mod branching;
pub(crate) mod cantilever;
pub(crate) mod column;
pub(crate) mod compression;
pub(crate) mod conservation;
pub(crate) mod double_cantilever;
pub(crate) mod edge_crack;
pub(crate) mod fracture_conservation;
pub(crate) mod integrator_order;
pub(crate) mod kink;
pub(crate) mod mesh_edits;
pub(crate) mod objectivity;
pub(crate) mod overlap;
pub(crate) mod patch;
pub(crate) mod plate_with_hole;
pub(crate) mod stack;
pub(crate) mod tension;
