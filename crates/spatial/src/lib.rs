//! Where things are: a bounding hierarchy over boxes, and the questions asked of it.
//!
//! [`Bvh`] orders boxes of any primitives and finds overlaps. [`TriangleTree`] puts triangles in it and answers rays and
//! closest points; [`WindingTree`] says how often a surface winds around a point; [`SurfaceDistance`] joins both to a signed
//! distance; [`self_intersections`] finds, exactly, where a surface touches or passes through itself, and [`first_crossing`] whether
//! anything passes through anything. Everything is built and visited in an order that depends on the input only, so results repeat
//! bit for bit.

mod aabb;
mod build;
mod bvh;
mod closest;
mod crossings;
mod distance;
mod error;
mod intersections;
mod mend;
mod pairs;
mod ray;
mod refit;
#[cfg(test)]
mod testing;
mod traverse;
mod triangles;
mod validate;
mod winding;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use closest::{Closest, closest_on_segment, closest_on_triangle};
pub use crossings::{first_crossing, triangles_cross};
pub use distance::{SignedDistance, SurfaceDistance};
pub use error::{BvhFault, SpatialError};
pub use intersections::{SelfIntersections, segment_meets_triangle, self_intersections, triangles_meet};
pub use mend::GONE;
pub use ray::{Hit, Ray};
pub use traverse::Visit;
pub use triangles::TriangleTree;
pub use winding::{WindingTree, solid_angle, winding_number_exact};
