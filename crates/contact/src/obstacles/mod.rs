//! Rigid obstacles as signed distances, one file per shape; those of balls and boxes are in
//! [`primitives`].

mod cuboid;
mod cylinder;
mod half_space;
mod mesh;

pub use self::mesh::MeshShape;
use craze_math::Vec3;
use craze_spatial::Aabb;
use craze_spatial::primitives::{self, DistanceAndNormal};
use std::sync::Arc;

/// The shape of an obstacle in its own frame: y up, centred at the origin.
#[derive(Clone, Debug)]
pub enum RigidShape {
    /// Everything below y = 0.
    HalfSpace,
    /// A ball about the origin.
    Ball {
        /// Radius (m).
        radius: f64,
    },
    /// A box about the origin.
    Cuboid {
        /// Half the extent along each axis (m).
        half_size: Vec3,
    },
    /// A cylinder about the y axis.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Half its height (m).
        half_height: f64,
    },
    /// The inside of a triangle mesh.
    Mesh(Arc<MeshShape>),
}

impl RigidShape {
    /// Signed distance at a point in the shape's frame (m).
    pub fn signed_distance(&self, point: &Vec3) -> DistanceAndNormal {
        match self {
            RigidShape::HalfSpace => half_space::signed_distance(point),
            RigidShape::Ball { radius } => primitives::ball(point, *radius),
            RigidShape::Cuboid { half_size } => primitives::cuboid(point, half_size),
            RigidShape::Cylinder { radius, half_height } => cylinder::signed_distance(point, *radius, *half_height),
            RigidShape::Mesh(mesh) => mesh.signed_distance(point),
        }
    }

    /// A lower bound of the distance (m) between the shape and all points within `radius` (m) of
    /// `center` (m, shape's frame). Its cost does not depend on the number of triangles.
    pub fn clearance(&self, center: &Vec3, radius: f64) -> f64 {
        match self {
            RigidShape::Mesh(mesh) => mesh.clearance(center, radius),
            _ => self.signed_distance(center).distance - radius,
        }
    }

    /// Points that represent the shape in contact with another obstacle (m), each with its radius
    /// (m).
    pub fn support_points(&self) -> Vec<(Vec3, f64)> {
        match self {
            RigidShape::HalfSpace => Vec::new(),
            RigidShape::Ball { radius } => vec![(Vec3::zeros(), *radius)],
            RigidShape::Cuboid { half_size } => cuboid::support_points(half_size),
            RigidShape::Cylinder { radius, half_height } => cylinder::support_points(*radius, *half_height),
            RigidShape::Mesh(mesh) => mesh.support_points(),
        }
    }

    /// The bounding box in the shape's frame; infinite for a half-space.
    pub fn bounds(&self) -> Aabb {
        let half = match self {
            RigidShape::HalfSpace => return half_space::bounds(),
            RigidShape::Mesh(mesh) => return mesh.bounds(),
            RigidShape::Ball { radius } => Vec3::repeat(*radius),
            RigidShape::Cuboid { half_size } => *half_size,
            RigidShape::Cylinder { radius, half_height } => Vec3::new(*radius, *half_height, *radius),
        };
        Aabb { min: -half, max: half }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shapes() -> [RigidShape; 4] {
        [
            RigidShape::HalfSpace,
            RigidShape::Ball { radius: 0.7 },
            RigidShape::Cuboid { half_size: Vec3::new(0.5, 0.3, 0.9) },
            RigidShape::Cylinder { radius: 0.4, half_height: 0.6 },
        ]
    }

    proptest! {
        #[test]
        fn walking_the_distance_along_the_normal_reaches_the_surface(x in -2.0..2.0f64, y in -2.0..2.0f64, z in -2.0..2.0f64) {
            let point = Vec3::new(x, y, z);
            for shape in shapes() {
                let found = shape.signed_distance(&point);
                prop_assert!((found.normal.norm() - 1.0).abs() < 1e-12);
                let foot = point - found.distance * found.normal;
                prop_assert!(shape.signed_distance(&foot).distance.abs() < 1e-12, "{shape:?} {foot:?}");
            }
        }

        #[test]
        fn distance_is_one_lipschitz(a in prop::array::uniform3(-2.0..2.0f64), b in prop::array::uniform3(-2.0..2.0f64)) {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            for shape in shapes() {
                let change = (shape.signed_distance(&a).distance - shape.signed_distance(&b).distance).abs();
                prop_assert!(change <= (a - b).norm() + 1e-12);
            }
        }
    }

    #[test]
    fn support_points_lie_on_the_shape() {
        for shape in shapes() {
            for (point, radius) in shape.support_points() {
                assert!((shape.signed_distance(&point).distance + radius).abs() < 1e-12);
            }
        }
    }
}
