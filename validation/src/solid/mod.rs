//! Tests of the elastic solid: O'Brien & Hodgins 1999, §3.1–3.2.

pub(crate) mod bar;
pub(crate) mod cantilever;
pub(crate) mod column;
pub(crate) mod conservation;
pub(crate) mod objectivity;
pub(crate) mod order;
pub(crate) mod overlap;
pub(crate) mod patch;
pub(crate) mod stack;
