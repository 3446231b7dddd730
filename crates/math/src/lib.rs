//! Small matrices and exact geometry.
//!
//! [`svd`](svd::svd), [`polar`](polar::polar) and [`symmetric_eigen`] accept any matrix (inverted,
//! degenerate, huge or tiny) and return proper rotations. [`batch`] decomposes eight matrices at a
//! time with the same bits; [`lanes`] is the SIMD abstraction for other kernels.

pub mod batch;
pub mod cells;
pub mod columns;
pub mod cut;
mod disjoint_sets;
pub mod eigen;
pub mod hull;
mod jacobi;
pub mod lanes;
pub mod overlap;
pub mod polar;
pub mod predicates;
pub mod random;
pub mod svd;
#[cfg(test)]
mod testing;
pub mod tetrahedron;
pub mod triangle;

pub use disjoint_sets::DisjointSets;
pub use eigen::{Eigen, symmetric_eigen};
pub use hull::{Hull, convex_hull};
pub use polar::{Polar, polar};
pub use random::Random;
pub use svd::{Svd, svd};

/// A point or vector; its owner states the unit.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix, column-major.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A point or vector in a plane; its owner states the unit.
pub type Vec2 = nalgebra::Vector2<f64>;
/// A 2×2 matrix, column-major: a tensor in the plane of a triangle.
pub type Mat2 = nalgebra::Matrix2<f64>;
/// A 3×2 matrix, column-major: the deformation gradient of a triangle in space.
pub type Mat3x2 = nalgebra::Matrix3x2<f64>;
/// A rotation as a unit quaternion.
pub type Rotation = nalgebra::UnitQuaternion<f64>;
/// A quaternion of any length.
pub type Quaternion = nalgebra::Quaternion<f64>;
/// A rigid transform: rotation, then translation (m).
pub type Isometry = nalgebra::Isometry3<f64>;
