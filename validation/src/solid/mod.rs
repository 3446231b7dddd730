//! Tests of the brittle solid: O'Brien & Hodgins 1999.

pub(crate) mod bar;
pub(crate) mod branch;
pub(crate) mod bursting;
pub(crate) mod cantilever;
pub(crate) mod cantilevers;
pub(crate) mod column;
pub(crate) mod conservation;
pub(crate) mod edge_crack;
pub(crate) mod edits;
pub(crate) mod hole;
pub(crate) mod kink;
pub(crate) mod objectivity;
pub(crate) mod order;
pub(crate) mod overlap;
pub(crate) mod patch;
pub(crate) mod squeezed;
pub(crate) mod stack;
pub(crate) mod tension;
