//! Small matrices and exact geometry that every method of Craze stands on.

/// A point or vector in space (m, m/s or N, as its owner says).
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix, column-major.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A rotation as a unit quaternion.
pub type Rotation = nalgebra::UnitQuaternion<f64>;
/// A turn and a shift: where a rigid thing is.
pub type Isometry = nalgebra::Isometry3<f64>;
