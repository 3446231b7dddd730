//! Where things are in space: bounding boxes and hierarchies, distances, rays, winding numbers.

mod aabb;

pub use aabb::Aabb;
