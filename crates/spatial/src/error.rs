//! Errors for invalid primitives, and faults of a tree.

/// Input over which no tree can be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
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
    #[error("triangle {triangle} refers to point {point}, but there are only {count} points, numbered from 0")]
    BadIndex { triangle: usize, point: u32, count: usize },
    /// More primitives than `u32` can index.
    #[error("{count} primitives are too many: at most {} are supported", u32::MAX)]
    TooMany { count: usize },
    #[error("the tree was built over {built} primitives and cannot be refitted to {given}")]
    CountChanged { built: usize, given: usize },
    #[error("the surface has no triangles: the distance to it is undefined")]
    Empty,
}

/// The first fault found by [`Bvh::validate`](crate::Bvh::validate).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum BvhFault {
    #[error("node {node} refers to a child or primitive that does not exist")]
    BadLink { node: usize },
    #[error("node {node} is reached {times} times")]
    NotATree { node: usize, times: usize },
    #[error("node {node} does not enclose its child or primitive {content}")]
    NotEnclosing {
        node: usize,
        /// The child node, or the primitive of a leaf.
        content: usize,
    },
    #[error("primitive {primitive} is in {times} leaves")]
    PrimitiveCount { primitive: usize, times: usize },
    /// A tree deeper than the traversal stack.
    #[error("node {node} is deeper than {limit} levels")]
    TooDeep { node: usize, limit: usize },
}
