//! Errors of cutting a surface.

use thiserror::Error;

/// Why a surface could not be cut.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SkinError {
    /// Four points are coplanar within rounding: the exact predicates return zero.
    #[error("points of the surface and of the cracks are coplanar")]
    Degenerate,
    /// Crack faces intersect each other.
    #[error("{pairs} pairs of crack faces intersect")]
    SelfIntersecting {
        /// Number of intersecting pairs.
        pairs: usize,
    },
    /// Two cracks assign the same part of the surface to different fragments.
    #[error("the cracks cross on the surface: a part of it would belong to two fragments")]
    InconsistentLabels,
    /// A fragment is not closed and manifold.
    #[error("fragment {label} would not be closed")]
    NotClosed {
        /// The fragment.
        label: u32,
    },
    /// The volumes of the fragments do not sum to that of the surface.
    #[error("the fragments fill {shards:e} m³ of {surface:e} m³")]
    Volume {
        /// Sum of the fragments' volumes (m³).
        shards: f64,
        /// Volume enclosed by the surface (m³).
        surface: f64,
    },
    /// The surface is open, not manifold, or has coordinates that are not finite.
    #[error("the surface is not closed and manifold")]
    InvalidSurface,
}
