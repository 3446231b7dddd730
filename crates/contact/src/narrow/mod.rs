//! Narrow phase: exact looks at one pair of primitives.
//!
//! In the order data flows: [`distance`] says how near a point and a triangle, or two edges, are and which of their parts are
//! closest; [`ccd`] says when two such pairs first meet while their vertices move along straight lines. Both see a pair in
//! the same way: the set of all differences between a point of the one and a point of the other is a flat polygon
//! (a triangle for point and triangle, a parallelogram for two edges), and the two touch where that polygon holds the origin.
//!
//! Every contact point is a weighted sum of vertices: forces on it go back to the vertices by the same weights.

mod advance;
pub mod ccd;
pub mod distance;
mod nearest;
