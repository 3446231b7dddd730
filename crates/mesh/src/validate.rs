//! Validation of all invariants.

use crate::error::MeshError;
use crate::facet::build_neighbours;
use crate::id::Id;
use crate::incidence::Incidence;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::Vec3;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Checks all invariants and returns the first fault: finite positions, corners in range and
    /// distinct, positive measure, no unused points, no duplicate elements, facets shared by at
    /// most two elements in opposite directions, neighbours and incidence lists equal to rebuilt
    /// ones, attributes of the right length.
    ///
    /// Linear in the size of the mesh. Edits preserve the invariants; intended for tests and
    /// external data.
    pub fn validate(&self) -> Result<(), MeshError<P, E>> {
        check_elements::<P, E, N>(&self.positions, &self.elements)?;
        let neighbours = build_neighbours(self.positions.len(), &self.elements)?;
        if self.neighbours.len() != neighbours.len() {
            return Err(MeshError::Neighbour {
                element: E::new(self.neighbours.len().min(neighbours.len()) as u32),
                corner: 0,
            });
        }
        for (element, (stored, fresh)) in self.neighbours.iter().zip(&neighbours).enumerate() {
            if let Some(corner) = (0..N).find(|&corner| stored[corner] != fresh[corner]) {
                return Err(MeshError::Neighbour { element: E::new(element as u32), corner: corner as u8 });
            }
        }
        let incidence = Incidence::build(self.positions.len(), &self.elements);
        let points = self.positions.len() as u32;
        if self.incidence.point_count() != self.positions.len() {
            return Err(MeshError::Incidence { point: P::new(self.incidence.point_count() as u32) });
        }
        if let Some(point) = (0..points).find(|&point| self.incidence.of(point) != incidence.of(point)) {
            return Err(MeshError::Incidence { point: P::new(point) });
        }
        check_used::<P, E>(&self.incidence)?;
        self.point_attributes.check(self.positions.len())?;
        self.element_attributes.check(self.elements.len())?;
        self.facet_attributes.check(self.elements.len() * N)?;
        Ok(())
    }
}

/// Checks that positions are finite and corners in range, distinct and of positive measure.
pub(crate) fn check_elements<P: Id, E: Id, const N: usize>(
    positions: &[Vec3],
    elements: &[[u32; N]],
) -> Result<(), MeshError<P, E>>
where
    [Vec3; N]: Measure,
{
    for (point, position) in positions.iter().enumerate() {
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return Err(MeshError::NotFinite { point: P::new(point as u32), position: (*position).into() });
        }
    }
    for (index, corners) in elements.iter().enumerate() {
        let element = E::new(index as u32);
        for (corner, &point) in corners.iter().enumerate() {
            if point as usize >= positions.len() {
                return Err(MeshError::OutOfRange { element, point: P::new(point), count: positions.len() });
            }
            if corners[..corner].contains(&point) {
                return Err(MeshError::RepeatedPoint { element, point: P::new(point) });
            }
        }
        let measure = corners.map(|point| positions[point as usize]).measure();
        if measure.is_nan() || measure <= 0.0 {
            return Err(MeshError::NotPositive { element, measure });
        }
    }
    Ok(())
}

pub(crate) fn check_used<P: Id, E: Id>(incidence: &Incidence) -> Result<(), MeshError<P, E>> {
    match (0..incidence.point_count() as u32).find(|&point| incidence.of(point).is_empty()) {
        Some(point) => Err(MeshError::Unused { point: P::new(point) }),
        None => Ok(()),
    }
}
