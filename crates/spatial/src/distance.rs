//! Signed distance to a surface.

use craze_math::Vec3;

use crate::error::SpatialError;
use crate::triangles::TriangleTree;
use crate::winding::WindingTree;

/// Signed distance queries to a triangle surface.
///
/// The sign comes from the winding number, so holes, overlaps and reversed triangles of an imported
/// surface affect it only locally.
#[derive(Clone, Debug)]
pub struct SurfaceDistance {
    winding: WindingTree,
}

/// Result of a signed distance query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Distance to the surface (m), negative inside.
    pub distance: f64,
    /// The closest point on the surface (m).
    pub closest: Vec3,
    /// Unit gradient of the signed distance: away from the surface outside, towards it inside.
    pub normal: Vec3,
    /// The triangle of the closest point.
    pub triangle: u32,
}

impl SurfaceDistance {
    /// Prepares a surface with triangles counterclockwise from outside.
    ///
    /// Fails without triangles, and like [`TriangleTree::new`].
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SpatialError> {
        if triangles.is_empty() {
            return Err(SpatialError::Empty);
        }
        Ok(Self { winding: WindingTree::new(positions, triangles)? })
    }

    /// Signed distance, closest point and normal; `None` for a point with NaN.
    pub fn signed_distance(&self, point: &Vec3) -> Option<SignedDistance> {
        self.signed_distance_within(point, f64::INFINITY)
    }

    /// [`Self::signed_distance`] if the absolute distance is below `max_distance` (m); fast if most
    /// points are farther.
    pub fn signed_distance_within(&self, point: &Vec3, max_distance: f64) -> Option<SignedDistance> {
        let tree = self.winding.triangles();
        let (index, closest) = tree.closest_index_within(point, max_distance)?;
        let distance = closest.distance_squared.sqrt();
        let side = if self.is_inside(point) { -1.0 } else { 1.0 };
        // On the surface the direction is lost to rounding: the face normal replaces it.
        let scale = closest.point.amax().max(point.amax());
        let offset = point - closest.point;
        let normal = if distance > 1e-12 * scale {
            offset * (side / distance)
        } else {
            face_normal(&tree.corners[index]).unwrap_or(Vec3::y())
        };
        Some(SignedDistance { distance: side * distance, closest: closest.point, normal, triangle: closest.triangle })
    }

    /// True if the winding number exceeds one half.
    pub fn is_inside(&self, point: &Vec3) -> bool {
        self.winding.winding_number(point) > 0.5
    }

    /// The winding number; see [`WindingTree::winding_number`].
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point)
    }

    /// The triangle tree, for rays and closest points.
    pub fn triangles(&self) -> &TriangleTree {
        self.winding.triangles()
    }
}

fn face_normal([a, b, c]: &[Vec3; 3]) -> Option<Vec3> {
    (b - a).cross(&(c - a)).try_normalize(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sphere;
    use craze_math::Random;

    #[test]
    fn distance_to_a_fine_sphere_is_that_of_the_sphere() {
        let (positions, triangles) = sphere(0.5, 5);
        let surface = SurfaceDistance::new(&positions, &triangles).expect("sound");
        let mut random = Random::new(11);
        for _ in 0..500 {
            let point = random.vector();
            let expected = point.norm() - 0.5;
            let seen = surface.signed_distance(&point).expect("a number");
            assert!((seen.distance - expected).abs() < 1e-3, "{} {expected}", seen.distance);
            assert_eq!(seen.distance > 0.0, surface.winding_number(&point) < 0.5);
            if expected.abs() > 0.02 {
                assert!(seen.normal.dot(&point.normalize()) > 0.99);
            }
            assert!((seen.normal.norm() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn on_the_surface_the_normal_is_that_of_the_triangle() {
        let (positions, triangles) = sphere(0.5, 2);
        let surface = SurfaceDistance::new(&positions, &triangles).expect("sound");
        let [a, b, c] = triangles[17].map(|p| positions[p as usize]);
        let seen = surface.signed_distance(&((a + b + c) / 3.0)).expect("a number");
        assert!(seen.distance.abs() < 1e-15);
        assert!(seen.normal.dot(&(b - a).cross(&(c - a)).normalize()) > 0.999);
    }

    #[test]
    fn an_empty_surface_is_rejected() {
        assert_eq!(SurfaceDistance::new(&[], &[]).err(), Some(SpatialError::Empty));
        let (positions, triangles) = sphere(0.5, 1);
        let surface = SurfaceDistance::new(&positions, &triangles).expect("sound");
        assert_eq!(surface.signed_distance(&Vec3::repeat(f64::NAN)), None);
        assert_eq!(surface.signed_distance_within(&Vec3::new(5.0, 0.0, 0.0), 1.0), None);
    }
}
