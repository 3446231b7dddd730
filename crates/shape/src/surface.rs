//! Triangle surfaces.

use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_spatial::{Aabb, SpatialError, TriangleTree};

use crate::error::ShapeError;

/// Indexed triangle surface (m), counter-clockwise seen from outside. It may have holes; see
/// [`check_closed`](Self::check_closed).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSurface {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleSurface {
    /// A surface with finite positions and valid indices; fails where [`TriangleTree::new`] fails.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, SpatialError> {
        TriangleTree::new(&positions, &triangles)?;
        Ok(Self { positions, triangles })
    }

    /// The outward boundary of a mesh, without interior nodes.
    pub fn around(mesh: &TetMesh) -> Self {
        let mut number = vec![u32::MAX; mesh.positions().len()];
        let mut positions = Vec::new();
        let mut triangles = mesh.boundary().triangles;
        for corner in triangles.iter_mut().flatten() {
            let number = &mut number[corner.index()];
            if *number == u32::MAX {
                *number = positions.len() as u32;
                positions.push(mesh.positions()[corner.index()]);
            }
            corner.0 = *number;
        }
        Self { positions, triangles: triangles.into_iter().map(|corners| corners.map(|corner| corner.0)).collect() }
    }

    /// The corner positions of a triangle (m).
    pub fn corners(&self, triangle: &[u32; 3]) -> [Vec3; 3] {
        triangle.map(|point| self.positions[point as usize])
    }

    /// The bounding box.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(&self.positions)
    }

    /// Total area (m²).
    pub fn area(&self) -> f64 {
        let doubled = |t| {
            let [a, b, c] = self.corners(t);
            (b - a).cross(&(c - a)).norm()
        };
        self.triangles.iter().map(doubled).sum::<f64>() * 0.5
    }

    /// Enclosed volume (m³) by the divergence theorem; meaningful for closed surfaces only.
    pub fn volume(&self) -> f64 {
        // Relative to the middle, so that a surface far from the origin loses no digits.
        let middle = if self.positions.is_empty() { Vec3::zeros() } else { self.bounds().centre() };
        let sixfold = |t| {
            let [a, b, c] = self.corners(t).map(|corner| corner - middle);
            a.dot(&b.cross(&c))
        };
        self.triangles.iter().map(sixfold).sum::<f64>() / 6.0
    }

    /// Fails unless every edge is traversed equally often in both directions.
    pub fn check_closed(&self) -> Result<(), ShapeError> {
        let mut edges = Vec::with_capacity(3 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push((from.min(to), from.max(to), from > to));
            }
        }
        edges.sort_unstable();
        for run in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let backward = run.iter().filter(|edge| edge.2).count();
            let forward = run.len() - backward;
            let (from, to, _) = run[0];
            if forward != backward && from != to {
                return Err(ShapeError::NotClosed { from, to, forward, backward });
            }
        }
        Ok(())
    }

    /// Enclosed volume (m³); fails unless the surface is closed and faces outward.
    pub fn closed_volume(&self) -> Result<f64, ShapeError> {
        self.check_closed()?;
        let volume = self.volume();
        if volume > 0.0 { Ok(volume) } else { Err(ShapeError::InsideOut { volume }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn};

    #[test]
    fn a_missing_or_flipped_triangle_opens_the_surface() {
        let whole = Block { size: [1.0, 2.0, 3.0] }.surface(1.0).expect("a box");
        whole.check_closed().expect("closed");
        assert!((whole.volume() - 6.0).abs() < 1e-14 && (whole.area() - 22.0).abs() < 1e-14);

        let mut holed = whole.clone();
        holed.triangles.pop();
        assert!(matches!(holed.check_closed(), Err(ShapeError::NotClosed { .. })));

        let mut flipped = whole.clone();
        flipped.triangles[3].swap(0, 1);
        assert!(matches!(flipped.check_closed(), Err(ShapeError::NotClosed { .. })));

        let mut inside_out = whole;
        inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(matches!(inside_out.closed_volume(), Err(ShapeError::InsideOut { .. })));
    }
}
