//! What can go wrong.

use thiserror::Error;

/// Why shards could not be cut from a surface.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SkinError {
    /// Points lie so exactly in each other's planes that sides cannot be told.
    #[error("points of the surface and of the cracks lie in one plane")]
    Degenerate,
    /// Cracks pass through each other.
    #[error("{pairs} pairs of crack faces pass through each other")]
    Tangled {
        /// How many.
        pairs: usize,
    },
    /// Two cracks say different things about whose a part of the surface is.
    #[error("the cracks cross each other on the surface: a part of it would belong to two shards")]
    Disagreement,
    /// A shard is not closed and manifold.
    #[error("shard {label} would not be closed")]
    NotClosed {
        /// Which shard.
        label: u32,
    },
    /// The shards do not fill the surface.
    #[error("the shards fill {shards:e} m³ of {surface:e} m³")]
    Volume {
        /// Sum of the shards' volumes (m³).
        shards: f64,
        /// Volume within the surface (m³).
        surface: f64,
    },
    /// The surface has a hole or a bad number.
    #[error("the surface is not closed and manifold")]
    Surface,
}
