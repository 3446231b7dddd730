//! The mesh: points, elements and adjacency.

use crate::attributes::{Attributes, ElementRule, Inherit, PointRule};
use crate::error::MeshError;
use crate::facet::{Facet, build_neighbours, facet_points};
use crate::id::{Id, NONE, NodeId, TetId, TriangleId, VertexId};
use crate::incidence::Incidence;
use crate::measure::Measure;
use craze_math::Vec3;
use std::marker::PhantomData;

/// Limit of points and of elements: packed 32-bit facets and incidence pools cannot index more.
pub(crate) const MAX_COUNT: usize = 1 << 28;

/// A mesh of elements with `N` corners; see [`TetMesh`] and [`TriMesh`].
///
/// Points and elements are dense arrays. Adjacency is stored and updated locally by edits. All of
/// it depends on positions and elements only.
#[derive(Clone, Debug, PartialEq)]
pub struct SimplexMesh<P: Id, E: Id, const N: usize> {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) elements: Vec<[u32; N]>,
    pub(crate) neighbours: Vec<[u32; N]>,
    pub(crate) incidence: Incidence,
    pub(crate) point_attributes: Attributes<PointRule>,
    pub(crate) element_attributes: Attributes<ElementRule>,
    pub(crate) facet_attributes: Attributes<Inherit>,
    pub(crate) ids: PhantomData<(P, E)>,
}

/// A tetrahedral mesh: positive tetrahedra, each face shared by at most two.
///
/// Tetrahedra connected by a node or an edge only are valid (cracks produce them);
/// [`SimplexMesh::separate_at_points`] and [`SimplexMesh::separate_at_edge`] separate them.
pub type TetMesh = SimplexMesh<NodeId, TetId, 4>;

/// A triangle mesh in space: consistently oriented, each edge shared by at most two triangles.
///
/// Triangles connected by a vertex only are valid; [`SimplexMesh::separate_at_points`] separates
/// them. Edges with three or more triangles and non-orientable surfaces are rejected.
pub type TriMesh = SimplexMesh<VertexId, TriangleId, 3>;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// A mesh of rest positions (m) and elements. Checks everything that [`Self::validate`] checks.
    ///
    /// Takes about a second for a million tetrahedra.
    pub fn from_parts(positions: Vec<Vec3>, elements: Vec<[u32; N]>) -> Result<Self, MeshError<P, E>> {
        if positions.len() > MAX_COUNT || elements.len() > MAX_COUNT {
            return Err(MeshError::TooMany { points: positions.len(), elements: elements.len() });
        }
        crate::validate::check_elements::<P, E, N>(&positions, &elements)?;
        let neighbours = build_neighbours(positions.len(), &elements)?;
        let incidence = Incidence::build(positions.len(), &elements);
        crate::validate::check_used::<P, E>(&incidence)?;
        Ok(Self {
            point_attributes: Attributes::new(positions.len()),
            element_attributes: Attributes::new(elements.len()),
            facet_attributes: Attributes::new(elements.len() * N),
            positions,
            elements,
            neighbours,
            incidence,
            ids: PhantomData,
        })
    }

    /// Corner positions (m) of an element.
    #[inline]
    pub fn corners(&self, element: E) -> [Vec3; N] {
        self.elements[element.index()].map(|point| self.positions[point as usize])
    }

    /// Signed volume (m³) of a tetrahedron, area (m²) of a triangle.
    #[inline]
    pub fn measure(&self, element: E) -> f64 {
        self.corners(element).measure()
    }

    /// Total volume (m³) or area (m²), summed in order.
    pub fn total_measure(&self) -> f64 {
        self.element_ids().map(|element| self.measure(element)).sum()
    }

    /// Lumped volume (m³) or area (m²) of each point: an equal share of each of its elements. Times
    /// density, the lumped mass.
    pub fn point_measures(&self) -> Vec<f64> {
        let mut lumped = vec![0.0; self.positions.len()];
        for element in &self.elements {
            let part = element.map(|point| self.positions[point as usize]).measure() / N as f64;
            for &point in element {
                lumped[point as usize] += part;
            }
        }
        lumped
    }
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// Number of points (nodes, vertices).
    #[inline]
    pub fn point_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of elements (tetrahedra, triangles).
    #[inline]
    pub fn element_count(&self) -> usize {
        self.elements.len()
    }

    /// All points in order.
    pub fn point_ids(&self) -> impl ExactSizeIterator<Item = P> + use<P, E, N> {
        (0..self.positions.len() as u32).map(P::new)
    }

    /// All elements in order.
    pub fn element_ids(&self) -> impl ExactSizeIterator<Item = E> + use<P, E, N> {
        (0..self.elements.len() as u32).map(E::new)
    }

    /// Rest positions (m) of all points.
    #[inline]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// The rest position (m) of a point.
    #[inline]
    pub fn position(&self, point: P) -> Vec3 {
        self.positions[point.index()]
    }

    /// Corners of all elements as plain indices, for loops over all of them.
    #[inline]
    pub fn elements(&self) -> &[[u32; N]] {
        &self.elements
    }

    /// The corners of an element.
    #[inline]
    pub fn points_of(&self, element: E) -> [P; N] {
        self.elements[element.index()].map(P::new)
    }

    /// The elements at a point, ascending.
    #[inline]
    pub fn elements_of(&self, point: P) -> impl ExactSizeIterator<Item = E> + '_ {
        self.incidence.of(point.raw()).iter().map(|&element| E::new(element))
    }

    /// The element across the facet opposite `corner`, if any. `corner` is below `N`.
    #[inline]
    pub fn neighbour(&self, element: E, corner: usize) -> Option<E> {
        let found = self.neighbours[element.index()][corner];
        (found != NONE).then(|| E::new(found))
    }

    /// The points of a facet, outward: three for a face, two and `None` for an edge.
    pub fn facet_points(&self, facet: Facet<E>) -> [Option<P>; 3] {
        facet_points(&self.elements[facet.element.index()], facet.corner as usize)
            .map(|point| (point != NONE).then(|| P::new(point)))
    }

    /// The elements that have both points, ascending.
    pub fn elements_at_edge(&self, first: P, second: P) -> Vec<E> {
        self.elements_with(&[first.raw(), second.raw()]).map(E::new).collect()
    }

    /// All edges, lower point first, ascending.
    pub fn edges(&self) -> Vec<[P; 2]> {
        let mut edges = Vec::new();
        let mut others: Vec<u32> = Vec::new();
        for point in 0..self.positions.len() as u32 {
            others.clear();
            for &element in self.incidence.of(point) {
                others.extend(self.elements[element as usize].iter().filter(|&&other| other > point));
            }
            others.sort_unstable();
            others.dedup();
            edges.extend(others.iter().map(|&other| [P::new(point), P::new(other)]));
        }
        edges
    }

    pub(crate) fn elements_with<'a>(&'a self, points: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let shortest = points.iter().copied().min_by_key(|&point| self.incidence.of(point).len());
        shortest.into_iter().flat_map(|point| self.incidence.of(point).iter().copied()).filter(move |&element| {
            let corners = &self.elements[element as usize];
            points.iter().all(|point| corners.contains(point))
        })
    }

    /// Data on points, transferred through every edit.
    pub fn point_attributes(&self) -> &Attributes<PointRule> {
        &self.point_attributes
    }

    /// Data on points, mutable.
    pub fn point_attributes_mut(&mut self) -> &mut Attributes<PointRule> {
        &mut self.point_attributes
    }

    /// Data on elements, transferred through every edit.
    pub fn element_attributes(&self) -> &Attributes<ElementRule> {
        &self.element_attributes
    }

    /// Data on elements, mutable.
    pub fn element_attributes_mut(&mut self) -> &mut Attributes<ElementRule> {
        &mut self.element_attributes
    }

    /// Data on facets, `N` entries per element in the order of its corners, transferred through
    /// every edit.
    pub fn facet_attributes(&self) -> &Attributes<Inherit> {
        &self.facet_attributes
    }

    /// Data on facets, mutable.
    pub fn facet_attributes_mut(&mut self) -> &mut Attributes<Inherit> {
        &mut self.facet_attributes
    }

    /// Memory of geometry and adjacency in bytes, without attributes.
    pub fn bytes(&self) -> usize {
        self.positions.capacity() * size_of::<Vec3>()
            + (self.elements.capacity() + self.neighbours.capacity()) * size_of::<[u32; N]>()
            + self.incidence.bytes()
    }
}
