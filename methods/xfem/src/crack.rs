//! Cracks as level sets at nodes of the rest configuration, and what cannot be cut.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A side of a crack. H(0) = 1 (3): nodes on the crack are on the positive side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Where the level set is negative.
    Negative,
    /// Where the level set is positive or zero.
    Positive,
}

impl Side {
    /// The sign of the level set there.
    pub fn sign(self) -> f64 {
        match self {
            Side::Negative => -1.0,
            Side::Positive => 1.0,
        }
    }
}

/// A crack: f(X) = 0 for a function f that is linear in every element (2), within some elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Crack {
    /// f at nodes (m), for all nodes of its elements. A value never changes, so that f is
    /// continuous across elements however the crack grows.
    pub levels: BTreeMap<u32, f64>,
    /// Its elements, in the order in which it has cut them.
    pub elements: Vec<u32>,
    /// Earlier cracks that stop it (6): it lies on that side of each of them.
    pub stops: Vec<(u32, Side)>,
}

/// Growth of a crack by some elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The crack; the number of cracks for a new one.
    pub crack: u32,
    /// Earlier cracks that stop it; empty for a crack that exists.
    pub stops: Vec<(u32, Side)>,
    /// f (m) at nodes that have no value yet.
    pub levels: Vec<(u32, f64)>,
    /// Elements that it cuts, ascending.
    pub elements: Vec<u32>,
}

/// Why a cut is refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CutError {
    /// An element would have too many parts.
    #[error(
        "the cut would divide element {element} at ({:.4}, {:.4}, {:.4}) m into {parts} parts, and an element has at most {limit}: cut fewer times, or use a smaller `edge`",
        center.x, center.y, center.z
    )]
    TooManyParts {
        /// The element.
        element: u32,
        /// Its centre at rest (m).
        center: Vec3,
        /// Parts that it would have.
        parts: usize,
        /// Parts that it may have.
        limit: usize,
    },
    /// The growth does not fit the body: only from a damaged file.
    #[error("crack {crack} does not fit the body")]
    Unsound {
        /// The crack.
        crack: u32,
    },
    /// A plane whose normal has no direction, or numbers that are not finite.
    #[error("the plane of the cut has no direction: `point` and `normal` must be finite, and `normal` not zero")]
    NoPlane,
}
