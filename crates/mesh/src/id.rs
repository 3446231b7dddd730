//! Typed indices.

use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// "None" in packed index arrays; never a valid index.
pub(crate) const NONE: u32 = u32::MAX;

/// Operations of typed indices.
///
/// An id is an index into a dense array: every id below the mesh's count is valid, and an edit that
/// closes a gap logs the ids that changed (see [`crate::Edit`]).
pub trait Id: Copy + Eq + Ord + Hash + Debug + Display + Send + Sync + 'static {
    /// The id of array index `raw`.
    fn new(raw: u32) -> Self;
    /// The stored index.
    fn raw(self) -> u32;
    /// The index, for array access.
    fn index(self) -> usize {
        self.raw() as usize
    }
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The index, for array access.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Id for $name {
            #[inline]
            fn new(raw: u32) -> Self {
                Self(raw)
            }
            #[inline]
            fn raw(self) -> u32 {
                self.0
            }
        }

        impl Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, concat!($noun, " {}"), self.0)
            }
        }
    };
}

typed_id!(
    /// A node of a tetrahedral mesh.
    NodeId,
    "node"
);
typed_id!(
    /// A tetrahedron of a tetrahedral mesh.
    TetId,
    "tetrahedron"
);
typed_id!(
    /// A vertex of a triangle mesh.
    VertexId,
    "vertex"
);
typed_id!(
    /// A triangle of a triangle mesh.
    TriangleId,
    "triangle"
);
