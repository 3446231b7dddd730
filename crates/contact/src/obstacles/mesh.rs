//! The inside of a triangle mesh.

use craze_math::Vec3;
use craze_spatial::primitives::DistanceAndNormal;
use craze_spatial::{Aabb, SpatialError, SurfaceDistance};

/// The inside of a triangle mesh, by generalised winding number.
#[derive(Debug)]
pub struct MeshShape {
    distance: SurfaceDistance,
    vertices: Vec<Vec3>,
    bounds: Aabb,
}

impl MeshShape {
    /// From positions (m) and triangles, counter-clockwise seen from outside; a mesh that is inside
    /// out as a whole is reversed. The winding number closes holes, and triangles without area are
    /// ignored.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<MeshShape, SpatialError> {
        let are_valid = triangles.iter().flatten().all(|&corner| (corner as usize) < positions.len());
        let six_volumes = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| positions[corner as usize] - positions[0]);
            a.dot(&b.cross(&c))
        };
        let distance = if are_valid && triangles.iter().map(six_volumes).sum::<f64>() < 0.0 {
            let reversed: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
            SurfaceDistance::new(positions, &reversed)?
        } else {
            SurfaceDistance::new(positions, triangles)?
        };
        Ok(MeshShape { distance, vertices: positions.to_vec(), bounds: Aabb::from_points(positions) })
    }

    pub(super) fn signed_distance(&self, point: &Vec3) -> DistanceAndNormal {
        match self.distance.signed_distance(point) {
            Some(nearest) => DistanceAndNormal { distance: nearest.distance, normal: nearest.normal },
            // A position that is not a number is far from everything: the check of the prediction
            // reports it.
            None => DistanceAndNormal { distance: f64::INFINITY, normal: Vec3::y() },
        }
    }

    /// A lower bound of the distance, from the bounding box.
    pub(super) fn clearance(&self, center: &Vec3, radius: f64) -> f64 {
        self.bounds.distance_squared(center).sqrt() - radius
    }

    /// Its vertices.
    pub(super) fn support_points(&self) -> Vec<(Vec3, f64)> {
        self.vertices.iter().map(|point| (*point, 0.0)).collect()
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.bounds
    }
}
