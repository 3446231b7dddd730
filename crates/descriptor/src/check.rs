//! What a method finds wrong with its options before a body is built.

use crate::{Integrator, Rejection};
use craze_material::Material;

/// The keys of a body that are not options of its method.
#[derive(Clone, Debug)]
pub struct BodyFacts {
    /// Whether the world computes a sequence of equilibria, without contact.
    pub is_quasi_static: bool,
    /// Time integration.
    pub integrator: Integrator,
    /// Its material; none if the scene's numbers are invalid.
    pub material: Option<Material>,
    /// Materials of its regions.
    pub region_materials: Vec<Material>,
}

impl BodyFacts {
    /// All valid materials.
    pub fn materials(&self) -> impl Iterator<Item = &Material> {
        self.material.iter().chain(&self.region_materials)
    }
}

/// A finding of a method about its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Keys that exclude each other.
    Impossible(Rejection),
    /// A key without effect. It is reported if the scene file has it: accepting it would hide a
    /// mistake.
    Idle {
        /// The key, from the body on, such as `solid.thinnest`.
        key: String,
        /// Why it changes nothing.
        reason: &'static str,
        /// What to write instead.
        help: &'static str,
    },
}

impl Finding {
    /// The keys of `table` that stand in the list with `true` and have no effect.
    pub fn idle<'a>(
        table: &'a str,
        reason: &'static str,
        help: &'static str,
        keys: impl IntoIterator<Item = (&'a str, bool)>,
    ) -> impl Iterator<Item = Finding> {
        let given = keys.into_iter().filter(|(_, is_given)| *is_given);
        given.map(move |(key, _)| Finding::Idle { key: format!("{table}.{key}"), reason, help })
    }
}
