//! Errors for invalid primitives, and faults of a tree.

/// Input over which no tree can be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum SpatialError {
    /// A coordinate that is infinite, NaN, or beyond ±1e18 m, where squares overflow `f32`.
    #[error("point {point} is at ({}, {}, {}): coordinates must be finite and within ±1e18 m", at[0], at[1], at[2])]
    BadPoint {
        point: usize,
        /// Its position (m).
        at: [f64; 3],
    },
    /// A box with NaN, out of range, or with min > max.
    #[error("box {index} from {min:?} to {max:?} must have min ≤ max, all within ±1e18 m")]
    BadBox { index: usize, min: [f64; 3], max: [f64; 3] },
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} refers to point {point}, but there are only {count} points, numbered from 0")]
    BadIndex { triangle: usize, point: u32, count: usize },
    /// More primitives than `u32` can index.
    #[error("{count} primitives are too many: at most {} are supported", u32::MAX)]
    TooMany { count: usize },
    /// A refit with a different number of primitives.
    #[error("the tree was built over {built} primitives and cannot be refitted to {given}")]
    CountChanged { built: usize, given: usize },
    /// A distance to an empty surface.
    #[error("the surface has no triangles: the distance to it is undefined")]
    Empty,
}

/// The first fault found by [`Bvh::validate`](crate::Bvh::validate).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum BvhFault {
    /// A node refers to children or primitives that do not exist.
    #[error("node {node} refers to a child or primitive that does not exist")]
    BadLink { node: usize },
    /// A node is reached twice or never.
    #[error("node {node} is reached {times} times")]
    NotATree { node: usize, times: usize },
    /// A node does not enclose a child or primitive.
    #[error("node {node} does not enclose its child or primitive {content}")]
    NotEnclosing {
        node: usize,
        /// The child node, or the primitive of a leaf.
        content: usize,
    },
    /// A primitive is in no leaf, or in several.
    #[error("primitive {primitive} is in {times} leaves")]
    PrimitiveCount { primitive: usize, times: usize },
    /// A tree deeper than the traversal stack.
    #[error("node {node} is deeper than {limit} levels")]
    TooDeep { node: usize, limit: usize },
}
