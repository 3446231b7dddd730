//! Spatial queries on a bounding volume hierarchy.
//!
//! [`Bvh`] is a tree over boxes of any primitives and finds overlaps. [`TriangleTree`] casts rays
//! and finds closest points; [`WindingTree`] computes winding numbers; [`SurfaceDistance`] combines
//! both into a signed distance. [`self_intersections`] and [`first_crossing`] use exact predicates.
//! Construction and traversal order depend on the input only, so results are reproducible bit for
//! bit.

mod aabb;
mod build;
mod bvh;
mod closest;
mod crossings;
mod distance;
mod error;
mod intersections;
mod pairs;
pub mod primitives;
mod ray;
mod refit;
#[cfg(test)]
mod testing;
mod traverse;
mod triangles;
mod tuning;
mod update;
mod validate;
mod winding;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use closest::{Closest, closest_on_segment, closest_on_triangle};
pub use crossings::{first_crossing, triangles_cross};
pub use distance::{SignedDistance, SurfaceDistance};
pub use error::{BvhFault, SpatialError};
pub use intersections::{SelfIntersections, segment_intersects_triangle, self_intersections, triangles_intersect};
pub use ray::{Hit, Ray};
pub use traverse::Visit;
pub use triangles::TriangleTree;
pub use update::REMOVED;
pub use winding::{WindingTree, solid_angle, winding_number_exact};
