//! Serialisation: positions, elements and attributes; adjacency is rebuilt.
//!
//! Reading checks everything: invalid bytes give an error, never an invalid mesh.

use crate::attributes::{Attributes, ElementRule, Inherit, PointRule};
use crate::error::MeshError;
use crate::id::Id;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::Vec3;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

#[derive(serde::Serialize)]
struct SavedRef<'a> {
    positions: &'a [Vec3],
    corners: &'a [u32],
    point_attributes: &'a Attributes<PointRule>,
    element_attributes: &'a Attributes<ElementRule>,
    facet_attributes: &'a Attributes<Inherit>,
}

#[derive(serde::Deserialize)]
struct Saved {
    positions: Vec<Vec3>,
    corners: Vec<u32>,
    point_attributes: Attributes<PointRule>,
    element_attributes: Attributes<ElementRule>,
    facet_attributes: Attributes<Inherit>,
}

impl<P: Id, E: Id, const N: usize> Serialize for SimplexMesh<P, E, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = SavedRef {
            positions: &self.positions,
            corners: self.elements.as_flattened(),
            point_attributes: &self.point_attributes,
            element_attributes: &self.element_attributes,
            facet_attributes: &self.facet_attributes,
        };
        saved.serialize(serializer)
    }
}

impl<'de, P: Id, E: Id, const N: usize> Deserialize<'de> for SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        from_saved(saved).map_err(D::Error::custom)
    }
}

fn from_saved<P: Id, E: Id, const N: usize>(saved: Saved) -> Result<SimplexMesh<P, E, N>, MeshError<P, E>>
where
    [Vec3; N]: Measure,
{
    let (elements, rest) = saved.corners.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(MeshError::Truncated { length: saved.corners.len(), corners: N });
    }
    let mut mesh = SimplexMesh::from_parts(saved.positions, elements.to_vec())?;
    saved.point_attributes.check(mesh.positions.len())?;
    saved.element_attributes.check(mesh.elements.len())?;
    saved.facet_attributes.check(mesh.elements.len() * N)?;
    mesh.point_attributes = saved.point_attributes;
    mesh.element_attributes = saved.element_attributes;
    mesh.facet_attributes = saved.facet_attributes;
    Ok(mesh)
}
