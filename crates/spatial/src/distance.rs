//! Signed distance to a surface.

use craze_math::Vec3;

use crate::error::SpatialError;
use crate::triangles::TriangleTree;
use crate::winding::WindingTree;

/// A surface that knows how far points are from it and on which side.
///
/// The side comes from the winding number, so cracks, overlaps and turned triangles of an imported surface blur it only near
/// themselves.
#[derive(Clone, Debug)]
pub struct SurfaceDistance {
    winding: WindingTree,
}

/// A point seen from a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Distance to the surface (m), negative inside.
    pub distance: f64,
    /// The closest point of the surface (m).
    pub closest: Vec3,
    /// Unit vector along which the distance grows fastest: away from the surface outside, toward it inside.
    pub normal: Vec3,
    /// The triangle that holds the closest point.
    pub triangle: u32,
}

impl SurfaceDistance {
    /// Prepares a surface whose triangles are seen from outside counter-clockwise.
    ///
    /// Refuses no triangles, and what [`TriangleTree::new`] refuses.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SpatialError> {
        if triangles.is_empty() {
            return Err(SpatialError::Empty);
        }
        Ok(Self { winding: WindingTree::new(positions, triangles)? })
    }

    /// Distance, closest point and normal; none where the point is not a number.
    pub fn signed_distance(&self, point: &Vec3) -> Option<SignedDistance> {
        self.signed_distance_within(point, f64::INFINITY)
    }

    /// The same, for points nearer to the surface than `reach` (m) on either side; fast where most are farther.
    pub fn signed_distance_within(&self, point: &Vec3, reach: f64) -> Option<SignedDistance> {
        let tree = self.winding.triangles();
        let (place, closest) = tree.closest_place_within(point, reach)?;
        let distance = closest.distance_squared.sqrt();
        let side = if self.is_inside(point) { -1.0 } else { 1.0 };
        // On the surface the direction to it is lost in rounding: the triangle knows it.
        let scale = closest.point.amax().max(point.amax());
        let away = point - closest.point;
        let normal = if distance > 1e-12 * scale {
            away * (side / distance)
        } else {
            face_normal(&tree.corners[place]).unwrap_or(Vec3::y())
        };
        Some(SignedDistance { distance: side * distance, closest: closest.point, normal, triangle: closest.triangle })
    }

    /// Whether the surface winds around the point more than half.
    pub fn is_inside(&self, point: &Vec3) -> bool {
        self.winding.winding_number(point) > 0.5
    }

    /// The winding number around a point (1); see [`WindingTree::winding_number`].
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point)
    }

    /// The tree of the triangles, for rays and closest points.
    pub fn triangles(&self) -> &TriangleTree {
        self.winding.triangles()
    }
}

/// Unit normal of a triangle; none where it has no area.
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
    fn nothing_has_no_distance() {
        assert_eq!(SurfaceDistance::new(&[], &[]).err(), Some(SpatialError::Empty));
        let (positions, triangles) = sphere(0.5, 1);
        let surface = SurfaceDistance::new(&positions, &triangles).expect("sound");
        assert_eq!(surface.signed_distance(&Vec3::repeat(f64::NAN)), None);
        assert_eq!(surface.signed_distance_within(&Vec3::new(5.0, 0.0, 0.0), 1.0), None);
    }
}
