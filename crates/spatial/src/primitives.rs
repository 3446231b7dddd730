//! Signed distances of the simplest shapes (m), negative inside. Shapes that are filled with elements
//! and obstacles of contact are built from the same ones.

use craze_math::Vec3;

/// The signed distance of a point to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceAndNormal {
    /// Distance to the surface (m), negative inside.
    pub distance: f64,
    /// Unit vector along which a point leaves the shape by the shortest path.
    pub normal: Vec3,
}

/// Distance to a ball about the origin.
#[inline]
pub fn ball_distance(point: &Vec3, radius: f64) -> f64 {
    point.norm() - radius
}

/// Distance and normal of a ball about the origin. At the centre, where every direction is as short,
/// the normal points up.
#[inline]
pub fn ball(point: &Vec3, radius: f64) -> DistanceAndNormal {
    let length = point.norm();
    let normal = if length > 0.0 { point / length } else { Vec3::y() };
    DistanceAndNormal { distance: length - radius, normal }
}

/// Distance to a box about the origin of which `half_size` is half the extent along each axis (m).
#[inline]
pub fn cuboid_distance(point: &Vec3, half_size: &Vec3) -> f64 {
    let beyond = point.abs() - half_size;
    beyond.sup(&Vec3::zeros()).norm() + beyond.max().min(0.0)
}

/// Distance and normal of the same box. Inside, the normal is that of the nearest face, of several as
/// near the one of the first axis.
#[inline]
pub fn cuboid(point: &Vec3, half_size: &Vec3) -> DistanceAndNormal {
    let outside = point.abs() - half_size;
    let sign = point.map(|coordinate| if coordinate < 0.0 { -1.0 } else { 1.0 });
    let distance = cuboid_distance(point, half_size);
    if distance > 0.0 {
        let beyond = outside.sup(&Vec3::zeros());
        return DistanceAndNormal { distance, normal: beyond.component_mul(&sign) / distance };
    }
    let axis = outside.imax();
    let mut normal = Vec3::zeros();
    normal[axis] = sign[axis];
    DistanceAndNormal { distance, normal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_know_corners_edges_faces_and_the_inside() {
        let half = Vec3::new(0.5, 0.3, 0.9);
        let found = cuboid(&Vec3::new(0.8, -0.7, 0.9), &half);
        assert!((found.distance - 0.5).abs() < 1e-15 && (found.normal - Vec3::new(0.6, -0.8, 0.0)).norm() < 1e-15);
        let inside = cuboid(&Vec3::new(0.0, -0.2, 0.1), &half);
        assert!((inside.distance + 0.1).abs() < 1e-15);
        assert_eq!(inside.normal, -Vec3::y());
        assert_eq!(cuboid(&Vec3::new(0.5, 0.0, 0.0), &half).distance, 0.0);
    }

    #[test]
    fn balls_point_outward_and_up_at_their_centre() {
        let found = ball(&Vec3::new(0.0, 0.0, -3.0), 2.0);
        assert_eq!((found.distance, found.normal), (1.0, -Vec3::z()));
        assert_eq!(ball(&Vec3::zeros(), 2.0), DistanceAndNormal { distance: -2.0, normal: Vec3::y() });
        assert_eq!(ball_distance(&Vec3::new(3.0, 4.0, 0.0), 1.0), 4.0);
    }
}
