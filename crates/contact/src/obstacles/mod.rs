//! Rigid shapes as signed distances in their own frame.

use craze_math::Vec3;
use craze_spatial::{Aabb, SpatialError, SurfaceDistance};
use std::sync::Arc;

/// A rigid shape in its own frame, y up, centred at the origin.
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
    /// The inside of a surface, by winding number.
    Mesh(Arc<MeshShape>),
}

/// The inside of a surface.
#[derive(Debug)]
pub struct MeshShape {
    distance: SurfaceDistance,
    vertices: Vec<Vec3>,
    bounds: Aabb,
}

impl MeshShape {
    /// From a surface (m), counter-clockwise seen from outside; one that is inside out as a whole is turned. Holes are bridged by the
    /// winding number, triangles without area are nobody's inside.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<MeshShape, SpatialError> {
        let sound = triangles.iter().flatten().all(|&corner| (corner as usize) < positions.len());
        let six_volumes = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| positions[corner as usize] - positions[0]);
            a.dot(&b.cross(&c))
        };
        let distance = if sound && triangles.iter().map(six_volumes).sum::<f64>() < 0.0 {
            let turned: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
            SurfaceDistance::new(positions, &turned)?
        } else {
            SurfaceDistance::new(positions, triangles)?
        };
        Ok(MeshShape { distance, vertices: positions.to_vec(), bounds: Aabb::from_points(positions) })
    }
}

/// The distance to a shape at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Distance to the surface (m), negative inside.
    pub distance: f64,
    /// Unit vector that leads out of the shape the shortest way.
    pub normal: Vec3,
}

impl RigidShape {
    /// Distance and way out at a point in the shape's frame (m). At a centre, where every way out is as short, it is
    /// the upward one.
    pub fn sample(&self, point: &Vec3) -> SignedDistance {
        match self {
            RigidShape::HalfSpace => SignedDistance { distance: point.y, normal: Vec3::y() },
            RigidShape::Ball { radius } => {
                let length = point.norm();
                let normal = if length > 0.0 { point / length } else { Vec3::y() };
                SignedDistance { distance: length - radius, normal }
            }
            RigidShape::Cuboid { half_size } => sample_cuboid(point, half_size),
            RigidShape::Cylinder { radius, half_height } => sample_cylinder(point, *radius, *half_height),
            // A place that is not a number is far from everything: the check of the prediction reports it.
            RigidShape::Mesh(mesh) => match mesh.distance.signed_distance(point) {
                Some(nearest) => SignedDistance { distance: nearest.distance, normal: nearest.normal },
                None => SignedDistance { distance: f64::INFINITY, normal: Vec3::y() },
            },
        }
    }

    /// A lower bound of the distance between the shape and everything within `radius` (m) of `center` (m, shape's frame).
    /// Costs nothing in the number of triangles.
    pub fn clearance(&self, center: &Vec3, radius: f64) -> f64 {
        match self {
            RigidShape::Mesh(mesh) => mesh.bounds.distance_squared(center).sqrt() - radius,
            _ => self.sample(center).distance - radius,
        }
    }

    /// Points that stand for the shape when it meets another one: each with its radius (m).
    pub fn support_points(&self) -> Vec<(Vec3, f64)> {
        match self {
            RigidShape::HalfSpace => Vec::new(),
            RigidShape::Ball { radius } => vec![(Vec3::zeros(), *radius)],
            RigidShape::Cuboid { half_size } => (0..8)
                .map(|corner| {
                    let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
                    (half_size.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0)
                })
                .collect(),
            RigidShape::Cylinder { radius, half_height } => {
                const RIM: usize = 24;
                (0..2 * RIM)
                    .map(|index| {
                        let angle = (index / 2) as f64 * std::f64::consts::TAU / RIM as f64;
                        let height = if index % 2 == 0 { *half_height } else { -half_height };
                        (Vec3::new(radius * angle.cos(), height, radius * angle.sin()), 0.0)
                    })
                    .collect()
            }
            RigidShape::Mesh(mesh) => mesh.vertices.iter().map(|point| (*point, 0.0)).collect(),
        }
    }

    /// The box around the shape in its own frame; endless for a half-space.
    pub fn bounds(&self) -> Aabb {
        let half = match self {
            RigidShape::HalfSpace => {
                let endless = f64::INFINITY;
                return Aabb { min: Vec3::repeat(-endless), max: Vec3::new(endless, 0.0, endless) };
            }
            RigidShape::Mesh(mesh) => return mesh.bounds,
            RigidShape::Ball { radius } => Vec3::repeat(*radius),
            RigidShape::Cuboid { half_size } => *half_size,
            RigidShape::Cylinder { radius, half_height } => Vec3::new(*radius, *half_height, *radius),
        };
        Aabb { min: -half, max: half }
    }
}

fn sample_cuboid(point: &Vec3, half_size: &Vec3) -> SignedDistance {
    let outside = point.abs() - half_size;
    let sign = point.map(|coordinate| if coordinate < 0.0 { -1.0 } else { 1.0 });
    let beyond = outside.sup(&Vec3::zeros());
    let distance = beyond.norm();
    if distance > 0.0 {
        return SignedDistance { distance, normal: beyond.component_mul(&sign) / distance };
    }
    let axis = outside.imax();
    let mut normal = Vec3::zeros();
    normal[axis] = sign[axis];
    SignedDistance { distance: outside[axis], normal }
}

fn sample_cylinder(point: &Vec3, radius: f64, half_height: f64) -> SignedDistance {
    let axial = (point.x * point.x + point.z * point.z).sqrt();
    let radial = if axial > 0.0 { Vec3::new(point.x / axial, 0.0, point.z / axial) } else { Vec3::x() };
    let up = if point.y < 0.0 { -Vec3::y() } else { Vec3::y() };
    let (side, cap) = (axial - radius, point.y.abs() - half_height);
    if side <= 0.0 && cap <= 0.0 {
        return if side > cap {
            SignedDistance { distance: side, normal: radial }
        } else {
            SignedDistance { distance: cap, normal: up }
        };
    }
    let way = side.max(0.0) * radial + cap.max(0.0) * up;
    let distance = way.norm();
    SignedDistance { distance, normal: way / distance }
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
                let sample = shape.sample(&point);
                prop_assert!((sample.normal.norm() - 1.0).abs() < 1e-12);
                let foot = point - sample.distance * sample.normal;
                prop_assert!(shape.sample(&foot).distance.abs() < 1e-12, "{shape:?} {foot:?}");
            }
        }

        #[test]
        fn distance_is_one_lipschitz(a in prop::array::uniform3(-2.0..2.0f64), b in prop::array::uniform3(-2.0..2.0f64)) {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            for shape in shapes() {
                let change = (shape.sample(&a).distance - shape.sample(&b).distance).abs();
                prop_assert!(change <= (a - b).norm() + 1e-12);
            }
        }
    }

    #[test]
    fn support_points_lie_on_the_shape() {
        for shape in shapes() {
            for (point, radius) in shape.support_points() {
                assert!((shape.sample(&point).distance + radius).abs() < 1e-12);
            }
        }
    }
}
