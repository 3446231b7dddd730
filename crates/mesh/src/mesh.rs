//! The mesh itself: points, elements, and who touches whom.

use crate::attributes::{Attributes, ElementRule, Inherit, PointRule};
use crate::error::MeshError;
use crate::facet::{Facet, build_neighbours, facet_points};
use crate::id::{Id, NONE, NodeId, TetId, TriangleId, VertexId};
use crate::incidence::Incidence;
use crate::measure::Measure;
use craze_math::Vec3;
use std::marker::PhantomData;

/// Elements beyond this many cannot be named by packed 32-bit facets and incidence pools.
pub(crate) const MAXIMUM_COUNT: usize = 1 << 28;

/// A mesh of elements with `N` corners; see [`TetMesh`] and [`TriMesh`].
///
/// Points and elements lie in dense arrays, so that hot loops run over slices. Who touches whom is kept beside them and
/// is updated around an edit, never rebuilt for it. All of it is a function of positions and elements alone.
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

/// A tetrahedral mesh: positively oriented tetrahedra, each face shared by two at most.
///
/// Tetrahedra that touch in a node or an edge only are legal (a crack leaves such places behind);
/// [`SimplexMesh::part_at_points`] and [`SimplexMesh::part_at_edge`] part them.
pub type TetMesh = SimplexMesh<NodeId, TetId, 4>;

/// A triangle mesh in space: consistently oriented, each edge shared by two triangles at most.
///
/// Triangles that touch in a vertex only are legal; [`SimplexMesh::part_at_points`] parts them. Edges with three or
/// more triangles and surfaces that cannot be oriented are refused by name.
pub type TriMesh = SimplexMesh<VertexId, TriangleId, 3>;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// A mesh of rest positions (m) and elements, checked: everything that [`Self::validate`] demands holds.
    ///
    /// Takes about a second for a million tetrahedra.
    pub fn from_parts(positions: Vec<Vec3>, elements: Vec<[u32; N]>) -> Result<Self, MeshError<P, E>> {
        if positions.len() > MAXIMUM_COUNT || elements.len() > MAXIMUM_COUNT {
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

    /// The positions (m) of an element's corners.
    #[inline]
    pub fn corners(&self, element: E) -> [Vec3; N] {
        self.elements[element.index()].map(|point| self.positions[point as usize])
    }

    /// Signed volume (m³) of a tetrahedron, area (m²) of a triangle.
    #[inline]
    pub fn measure(&self, element: E) -> f64 {
        self.corners(element).measure()
    }

    /// Volume (m³) or area (m²) of all elements, summed in order.
    pub fn total_measure(&self) -> f64 {
        self.element_ids().map(|element| self.measure(element)).sum()
    }

    /// What each point carries when every element gives each corner the same part: volume/4 (m³) or area/3 (m²).
    ///
    /// Times density it is the lumped mass.
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
    /// How many points (nodes, vertices) there are.
    #[inline]
    pub fn point_count(&self) -> usize {
        self.positions.len()
    }

    /// How many elements (tetrahedra, triangles) there are.
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

    /// Rest positions (m), by point.
    #[inline]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// The rest position (m) of a point.
    #[inline]
    pub fn position(&self, point: P) -> Vec3 {
        self.positions[point.index()]
    }

    /// Corners of all elements as plain indices, for loops that run over everything.
    #[inline]
    pub fn elements(&self) -> &[[u32; N]] {
        &self.elements
    }

    /// The corners of an element.
    #[inline]
    pub fn points_of(&self, element: E) -> [P; N] {
        self.elements[element.index()].map(P::new)
    }

    /// The elements at a point, in ascending order.
    #[inline]
    pub fn elements_of(&self, point: P) -> impl ExactSizeIterator<Item = E> + '_ {
        self.incidence.of(point.raw()).iter().map(|&element| E::new(element))
    }

    /// The element behind the facet opposite `corner`, if any.
    ///
    /// `corner` is below `N`.
    #[inline]
    pub fn neighbour(&self, element: E, corner: usize) -> Option<E> {
        let found = self.neighbours[element.index()][corner];
        (found != NONE).then(|| E::new(found))
    }

    /// The points of a facet in outward order: three for a face; for an edge two, and the third is `None`.
    pub fn facet_points(&self, facet: Facet<E>) -> [Option<P>; 3] {
        facet_points(&self.elements[facet.element.index()], facet.corner as usize)
            .map(|point| (point != NONE).then(|| P::new(point)))
    }

    /// The elements that have both points, in ascending order.
    pub fn elements_at_edge(&self, first: P, second: P) -> Vec<E> {
        self.elements_with(&[first.raw(), second.raw()]).map(E::new).collect()
    }

    /// All edges, each once with its lower point first, in ascending order.
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

    /// Elements that have all the given points, ascending.
    pub(crate) fn elements_with<'a>(&'a self, points: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let shortest = points.iter().copied().min_by_key(|&point| self.incidence.of(point).len());
        shortest.into_iter().flat_map(|point| self.incidence.of(point).iter().copied()).filter(move |&element| {
            let corners = &self.elements[element as usize];
            points.iter().all(|point| corners.contains(point))
        })
    }

    /// Data on points; it follows every edit.
    pub fn point_attributes(&self) -> &Attributes<PointRule> {
        &self.point_attributes
    }

    /// Data on points, to add to or to change.
    pub fn point_attributes_mut(&mut self) -> &mut Attributes<PointRule> {
        &mut self.point_attributes
    }

    /// Data on elements; it follows every edit.
    pub fn element_attributes(&self) -> &Attributes<ElementRule> {
        &self.element_attributes
    }

    /// Data on elements, to add to or to change.
    pub fn element_attributes_mut(&mut self) -> &mut Attributes<ElementRule> {
        &mut self.element_attributes
    }

    /// Data on facets, `N` entries an element in the order of its corners; it follows every edit.
    pub fn facet_attributes(&self) -> &Attributes<Inherit> {
        &self.facet_attributes
    }

    /// Data on facets, to add to or to change.
    pub fn facet_attributes_mut(&mut self) -> &mut Attributes<Inherit> {
        &mut self.facet_attributes
    }

    /// Memory held by geometry and adjacency (bytes), attributes not counted.
    pub fn bytes(&self) -> usize {
        self.positions.capacity() * size_of::<Vec3>()
            + (self.elements.capacity() + self.neighbours.capacity()) * size_of::<[u32; N]>()
            + self.incidence.bytes()
    }
}
