//! The checks of a scene: structure against the schema, then meaning, and keys that change nothing.

pub(crate) mod elsewhere;
pub(crate) mod idle;
pub(crate) mod meaning;
pub(crate) mod structure;
pub(crate) mod units;
