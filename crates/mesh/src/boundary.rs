//! The boundary of a mesh: surface of a tetrahedral mesh, boundary edges of a triangle mesh.

use crate::facet::{Facet, facet_points};
use crate::id::{Id, NONE, NodeId, TetId, TriangleId, VertexId};
use crate::mesh::{SimplexMesh, TetMesh, TriMesh};

/// The surface of a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Triangles, counterclockwise from outside, in the order of their facets.
    pub triangles: Vec<[NodeId; 3]>,
    /// The mesh facet of each triangle.
    pub facets: Vec<Facet<TetId>>,
}

/// The boundary of a triangle mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryEdges {
    /// Edges in the direction of their triangles, in the order of their facets.
    pub edges: Vec<[VertexId; 2]>,
    /// The mesh facet of each edge.
    pub facets: Vec<Facet<TriangleId>>,
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// Facets without a neighbour, ascending.
    pub fn boundary_facets(&self) -> impl Iterator<Item = Facet<E>> + '_ {
        self.neighbours.iter().enumerate().flat_map(|(element, neighbours)| {
            (0..N)
                .filter(|&corner| neighbours[corner] == NONE)
                .map(move |corner| Facet::new(E::new(element as u32), corner))
        })
    }
}

impl TetMesh {
    /// The surface: all faces without a neighbour, oriented outward.
    ///
    /// A node where several cracks end in connected material can have several fans of surface
    /// triangles; [`SimplexMesh::separate_at_points`] on a [`TriMesh`] of the surface separates
    /// them for exports that need a manifold.
    pub fn boundary(&self) -> Surface {
        let facets: Vec<_> = self.boundary_facets().collect();
        let triangles = facets
            .iter()
            .map(|facet| facet_points(&self.elements[facet.element.index()], facet.corner as usize).map(NodeId))
            .collect();
        Surface { triangles, facets }
    }
}

impl TriMesh {
    /// The boundary: all edges with one triangle.
    pub fn boundary(&self) -> BoundaryEdges {
        let facets: Vec<_> = self.boundary_facets().collect();
        let edges = facets
            .iter()
            .map(|facet| {
                let [start, end, _] = facet_points(&self.elements[facet.element.index()], facet.corner as usize);
                [VertexId(start), VertexId(end)]
            })
            .collect();
        BoundaryEdges { edges, facets }
    }
}
