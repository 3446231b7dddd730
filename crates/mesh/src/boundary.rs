//! The surface of a body, the rim of a sheet.

use crate::facet::{Facet, facet_points};
use crate::id::{Id, NONE, NodeId, TetId, TriangleId, VertexId};
use crate::mesh::{SimplexMesh, TetMesh, TriMesh};

/// The surface of a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Triangles, counter-clockwise seen from outside, in the order of their facets.
    pub triangles: Vec<[NodeId; 3]>,
    /// The face that each triangle is.
    pub facets: Vec<Facet<TetId>>,
}

/// The rim of a triangle mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rim {
    /// Edges in the direction of their triangle, in the order of their facets.
    pub edges: Vec<[VertexId; 2]>,
    /// The side that each edge is.
    pub facets: Vec<Facet<TriangleId>>,
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// Facets with nothing behind them, in ascending order.
    pub fn boundary_facets(&self) -> impl Iterator<Item = Facet<E>> + '_ {
        self.neighbours.iter().enumerate().flat_map(|(element, neighbours)| {
            (0..N)
                .filter(|&corner| neighbours[corner] == NONE)
                .map(move |corner| Facet::new(E::new(element as u32), corner))
        })
    }
}

impl TetMesh {
    /// The surface: all faces with nothing behind them, outward.
    ///
    /// Where several cracks end in a node that the material around it holds together, the surface has several fans at
    /// that node; [`SimplexMesh::part_at_points`] on a [`TriMesh`] of the surface parts them for exports that mind.
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
    /// The rim: all edges with one triangle.
    pub fn boundary(&self) -> Rim {
        let facets: Vec<_> = self.boundary_facets().collect();
        let edges = facets
            .iter()
            .map(|facet| {
                let [start, end, _] = facet_points(&self.elements[facet.element.index()], facet.corner as usize);
                [VertexId(start), VertexId(end)]
            })
            .collect();
        Rim { edges, facets }
    }
}
