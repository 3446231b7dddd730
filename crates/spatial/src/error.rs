//! Errors for invalid primitives, and faults of a tree.

/// Input over which no tree can be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpatialError {
    /// A coordinate that is infinite, NaN, or beyond ±1e18 m, where squares overflow `f32`.
    #[error("point {point} is at ({}, {}, {}): coordinates must be finite and within ±1e18 m", at[0], at[1], at[2])]
    BadPoint {
        /// Index of the point.
        point: usize,
        /// Its position (m).
        at: [f64; 3],
    },
    /// A box with NaN, out of range, or with min > max.
    #[error("box {index} from {min:?} to {max:?} must have min ≤ max, all within ±1e18 m")]
    BadBox {
        /// Index of the box.
        index: usize,
        /// Its minimum coordinates (m).
        min: [f64; 3],
        /// Its maximum coordinates (m).
        max: [f64; 3],
    },
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} refers to point {point}, but there are only {count} points, numbered from 0")]
    BadIndex {
        /// Index of the triangle.
        triangle: usize,
        /// The point it refers to.
        point: u32,
        /// Number of points.
        count: usize,
    },
    /// More primitives than `u32` can index.
    #[error("{count} primitives are too many: at most {} are supported", u32::MAX)]
    TooMany {
        /// Their number.
        count: usize,
    },
    /// A refit with a different number of primitives.
    #[error("the tree was built over {built} primitives and cannot be refitted to {given}")]
    CountChanged {
        /// Number of primitives at construction.
        built: usize,
        /// Number given.
        given: usize,
    },
    /// A distance to an empty surface.
    #[error("the surface has no triangles: the distance to it is undefined")]
    Empty,
}

/// The first fault found by [`Bvh::validate`](crate::Bvh::validate).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BvhFault {
    /// A node refers to children or primitives that do not exist.
    #[error("node {node} refers to a child or primitive that does not exist")]
    BadLink {
        /// The node.
        node: usize,
    },
    /// A node is reached twice or never.
    #[error("node {node} is reached {times} times")]
    NotATree {
        /// The node.
        node: usize,
        /// How often.
        times: usize,
    },
    /// A node does not enclose a child or primitive.
    #[error("node {node} does not enclose its child or primitive {content}")]
    NotEnclosing {
        /// The node.
        node: usize,
        /// The child node, or the primitive of a leaf.
        content: usize,
    },
    /// A primitive is in no leaf, or in several.
    #[error("primitive {primitive} is in {times} leaves")]
    PrimitiveCount {
        /// The primitive.
        primitive: usize,
        /// Number of leaves that contain it.
        times: usize,
    },
    /// A tree deeper than the traversal stack.
    #[error("node {node} is deeper than {limit} levels")]
    TooDeep {
        /// The node.
        node: usize,
        /// The depth limit.
        limit: usize,
    },
}
