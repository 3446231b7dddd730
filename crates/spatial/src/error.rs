//! What can be wrong with a set of primitives, or with a tree over it.

/// Input that no tree can be built over.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpatialError {
    /// A coordinate that is infinite, not a number, or beyond ±1e18 m, where squares leave the range of `f32`.
    #[error("point {point} is at ({}, {}, {}): coordinates must be numbers within ±1e18 m", at[0], at[1], at[2])]
    BadPoint {
        /// Which point, from 0.
        point: usize,
        /// Where it is (m).
        at: [f64; 3],
    },
    /// A box whose sides are not numbers, too far off, or the wrong way round.
    #[error("box {index} from {min:?} to {max:?} must have min ≤ max, all within ±1e18 m")]
    BadBox {
        /// Which box, from 0.
        index: usize,
        /// Its smallest coordinates (m).
        min: [f64; 3],
        /// Its largest coordinates (m).
        max: [f64; 3],
    },
    /// A triangle that names a point which does not exist.
    #[error("triangle {triangle} uses point {point}, but there are only {count} points, numbered from 0")]
    BadIndex {
        /// Which triangle, from 0.
        triangle: usize,
        /// The point it names.
        point: u32,
        /// How many points there are.
        count: usize,
    },
    /// More primitives than a `u32` can number.
    #[error("{count} primitives are too many: at most {} are supported", u32::MAX)]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A refit with another number of primitives than the tree was built over.
    #[error("the tree was built over {built} primitives and cannot be refitted to {given}")]
    CountChanged {
        /// How many it was built over.
        built: usize,
        /// How many were given.
        given: usize,
    },
    /// A distance to nothing.
    #[error("the surface has no triangles, so no distance to it exists")]
    Empty,
}

/// The first fault that [`Bvh::validate`](crate::Bvh::validate) finds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BvhFault {
    /// A node whose children or primitives do not exist.
    #[error("node {node} points outside of the tree")]
    BadLink {
        /// Which node.
        node: usize,
    },
    /// A node that is reached twice or never.
    #[error("node {node} is reached {times} times")]
    NotATree {
        /// Which node.
        node: usize,
        /// How often.
        times: usize,
    },
    /// A child or primitive that sticks out of its node.
    #[error("node {node} does not enclose its content {content}")]
    NotEnclosing {
        /// Which node.
        node: usize,
        /// The child node, or the primitive of a leaf.
        content: usize,
    },
    /// A primitive that is in no leaf, or in several.
    #[error("primitive {primitive} is in {times} leaves")]
    PrimitiveCount {
        /// Which primitive.
        primitive: usize,
        /// In how many leaves.
        times: usize,
    },
    /// A tree deeper than its traversal stack.
    #[error("node {node} lies deeper than {limit} levels")]
    TooDeep {
        /// Which node.
        node: usize,
        /// The deepest level that traversal can reach.
        limit: usize,
    },
}
