//! Triangle tree for rays and closest points.

use craze_math::Vec3;

use crate::aabb::Aabb;
use crate::build::is_valid_point;
use crate::bvh::Bvh;
use crate::error::SpatialError;

/// A tree over triangles, with corners in leaf order: a leaf is one range of memory.
#[derive(Clone, Debug, Default)]
pub struct TriangleTree {
    pub(crate) bvh: Bvh,
    /// Corners of triangle `bvh.order[k]` at k.
    pub(crate) corners: Vec<[Vec3; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl TriangleTree {
    /// Builds the tree. Triangles without area and empty lists are allowed.
    ///
    /// Fails for points with NaN or beyond ±1e18 m, and for point indices out of range.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SpatialError> {
        check(positions, triangles)?;
        let bvh = Bvh::build(&boxes(positions, triangles))?;
        let mut tree = Self { bvh, corners: Vec::new(), triangles: triangles.to_vec() };
        tree.corners = tree.gathered(positions);
        Ok(tree)
    }

    /// Refits the tree to moved points; see [`Bvh::refit`].
    pub fn refit(&mut self, positions: &[Vec3]) -> Result<(), SpatialError> {
        check(positions, &self.triangles)?;
        self.bvh.refit(&boxes(positions, &self.triangles))?;
        self.corners = self.gathered(positions);
        Ok(())
    }

    /// The tree over the boxes of the triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// True without triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The point indices of a triangle; `None` if the triangle does not exist.
    pub fn triangle(&self, triangle: u32) -> Option<[u32; 3]> {
        self.triangles.get(triangle as usize).copied()
    }

    fn gathered(&self, positions: &[Vec3]) -> Vec<[Vec3; 3]> {
        let corners = |&t: &u32| self.triangles[t as usize].map(|point| positions[point as usize]);
        self.bvh.order.iter().map(corners).collect()
    }
}

pub(crate) fn check(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), SpatialError> {
    if let Some(point) = positions.iter().position(|point| !is_valid_point(point)) {
        return Err(SpatialError::BadPoint { point, at: positions[point].into() });
    }
    for (triangle, points) in triangles.iter().enumerate() {
        if let Some(&point) = points.iter().find(|&&point| point as usize >= positions.len()) {
            return Err(SpatialError::BadIndex { triangle, point, count: positions.len() });
        }
    }
    Ok(())
}

pub(crate) fn boxes(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Aabb> {
    triangles.iter().map(|points| Aabb::from_points(points.iter().map(|&point| &positions[point as usize]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_triangles;

    #[test]
    fn bad_points_and_numbers_are_named() {
        let mut positions = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
        assert!(matches!(
            TriangleTree::new(&positions, &[[0, 1, 2], [0, 1, 3]]),
            Err(SpatialError::BadIndex { triangle: 1, point: 3, count: 3 })
        ));
        positions[2].z = f64::NAN;
        let error = TriangleTree::new(&positions, &[[0, 1, 2]]).expect_err("NaN");
        assert!(matches!(error, SpatialError::BadPoint { point: 2, .. }));
        assert_eq!(error.to_string(), "point 2 is at (0, 1, NaN): coordinates must be finite and within ±1e18 m");
    }

    #[test]
    fn refitted_tree_is_that_of_moved_points() {
        let (mut positions, triangles) = random_triangles(100, 3);
        let mut tree = TriangleTree::new(&positions, &triangles).expect("sound");
        positions.iter_mut().for_each(|point| *point *= 2.0);
        tree.refit(&positions).expect("sound");
        tree.bvh.validate(&boxes(&positions, &triangles)).expect("valid");
        let hit = tree.closest(&(positions[100] * 1.0)).expect("not empty");
        assert!(hit.distance_squared < 1e-24);
    }
}
