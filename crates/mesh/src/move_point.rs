//! Moves a point in the rest shape.

use crate::error::{Corners, EditError};
use crate::id::Id;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::Vec3;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Moves a point to `position` (m). Adjacency and attributes are unchanged; the caller updates
    /// attributes if needed.
    ///
    /// Fails if the position is not finite or if an element would be degenerate or inverted.
    pub fn move_point(&mut self, point: P, position: Vec3) -> Result<(), EditError<P, E>> {
        self.check_point(point)?;
        if let Some(&value) = position.iter().find(|coordinate| !coordinate.is_finite()) {
            return Err(EditError::OutOfRange { what: "a coordinate of the new position", value, range: "finite" });
        }
        for &element in self.incidence.of(point.raw()) {
            let points = self.elements[element as usize];
            let before = points.map(|corner| self.positions[corner as usize]);
            let mut after = before;
            for (corner, moved) in after.iter_mut().enumerate() {
                if points[corner] == point.raw() {
                    *moved = position;
                }
            }
            let measure = after.measure();
            if measure.is_nan() || measure <= 0.0 {
                return Err(EditError::Inverts { corners: Corners::new(&points), measure });
            }
            if !after.has_same_orientation(&before) {
                return Err(EditError::Reverses { corners: Corners::new(&points) });
            }
        }
        self.positions[point.index()] = position;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::error::EditError;
    use crate::id::VertexId;
    use crate::lattice::kuhn_grid;
    use craze_math::Vec3;

    #[test]
    fn a_point_moves_within_its_star_and_no_further() {
        let mut mesh = kuhn_grid([4, 4], [4.0, 4.0]).unwrap();
        let (inner, whole) = (VertexId(12), mesh.total_measure());
        mesh.move_point(inner, mesh.position(inner) + Vec3::new(0.3, 0.2, 0.0)).unwrap();
        assert!((mesh.total_measure() - whole).abs() < 1e-12);
        mesh.validate().unwrap();
        let unchanged = mesh.clone();
        let result = mesh.move_point(inner, mesh.position(inner) + Vec3::new(2.0, 0.0, 0.0));
        assert!(matches!(result, Err(EditError::Reverses { .. } | EditError::Inverts { .. })), "{result:?}");
        assert!(matches!(mesh.move_point(inner, Vec3::repeat(f64::NAN)), Err(EditError::OutOfRange { .. })));
        assert!(matches!(mesh.move_point(VertexId(99), Vec3::zeros()), Err(EditError::NoSuchPoint { .. })));
        assert_eq!(mesh, unchanged);
    }
}
