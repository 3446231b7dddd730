//! The two checks of a scene: structure against the schema, then meaning.

pub(crate) mod elsewhere;
pub(crate) mod meaning;
pub(crate) mod structure;
pub(crate) mod units;
