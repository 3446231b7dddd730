//! Flips: fill the same space with other elements.

use crate::edit::Inheritance;
use crate::error::{Corners, EditError};
use crate::facet::facet_points;
use crate::id::{Id, NodeId, TetId, VertexId};
use crate::mesh::{SimplexMesh, TetMesh, TriMesh};
use crate::patch::{NewElement, Patch};
use crate::{TetEdit, TetEditError, TriEdit, TriEditError};
use craze_math::triangle::area_vector;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// A patch that replaces old elements by new ones, with old elements as parents in turn.
    fn rearranged(removed: &[E], added: &[[u32; N]]) -> Patch<P, E, N> {
        let mut patch = Patch::new(Inheritance::Patch);
        patch.removed = removed.to_vec();
        for (points, parent) in added.iter().zip(removed.iter().cycle()) {
            patch.added.push(NewElement { points: points.map(P::new), parent: *parent, facets: [None; N] });
        }
        patch
    }

    fn check_no_edge(&self, ends: [u32; 2]) -> Result<(), EditError<P, E>> {
        match self.elements_with(&ends).next() {
            Some(_) => Err(EditError::EdgeExists { ends: ends.map(P::new) }),
            None => Ok(()),
        }
    }
}

impl TetMesh {
    /// 2–3 flip: replaces two tetrahedra that share a face by three that share the edge between the
    /// nodes opposite it.
    ///
    /// Fails if the face has no neighbour, if those nodes have an edge already, or if the two
    /// tetrahedra are not convex, so that a new one would not be positive.
    pub fn flip_face(&mut self, tetrahedron: TetId, corner: usize) -> Result<TetEdit, TetEditError> {
        self.check_element(tetrahedron)?;
        let no_neighbour = TetEditError::NoNeighbour { element: tetrahedron, corner };
        if corner > 3 {
            return Err(no_neighbour);
        }
        let behind = self.neighbour(tetrahedron, corner).ok_or(no_neighbour)?;
        let near = self.elements[tetrahedron.index()];
        let [a, b, c] = facet_points(&near, corner);
        let apex = near[corner];
        let far = self.elements[behind.index()].into_iter().find(|node| ![a, b, c].contains(node)).unwrap_or(apex);
        self.check_no_edge([apex, far])?;
        let patch =
            Self::rearranged(&[tetrahedron, behind], &[[apex, a, b, far], [apex, b, c, far], [apex, c, a, far]]);
        self.replace(&patch)
    }

    /// 3–2 flip: replaces the three tetrahedra at an inner edge by two that share the face of the
    /// three nodes around it.
    ///
    /// Fails unless exactly three tetrahedra share the edge, if it is on the boundary, if the face
    /// exists already, or if a new tetrahedron would not be positive.
    pub fn flip_edge(&mut self, start: NodeId, end: NodeId) -> Result<TetEdit, TetEditError> {
        let around = self.edge_elements(start, end)?;
        let ring = self.ring(start, end, &around)?;
        let [p, q, r] = ring[..] else {
            return Err(TetEditError::Ring { ends: [start, end], found: ring.len(), needed: 3 });
        };
        let patch = Self::rearranged(&around, &[[p, q, r, end.0], [p, r, q, start.0]]);
        self.replace(&patch)
    }

    /// 4–4 flip: replaces the four tetrahedra at an inner edge by four at `diagonal`, between two
    /// opposite nodes of the ring around it.
    ///
    /// Fails unless exactly four tetrahedra share the edge, if it is on the boundary, if the nodes
    /// of the diagonal are not opposite or have an edge already, or if a new tetrahedron would not
    /// be positive.
    pub fn flip_to_diagonal(
        &mut self,
        start: NodeId,
        end: NodeId,
        diagonal: [NodeId; 2],
    ) -> Result<TetEdit, TetEditError> {
        let around = self.edge_elements(start, end)?;
        let ring = self.ring(start, end, &around)?;
        if ring.len() != 4 {
            return Err(TetEditError::Ring { ends: [start, end], found: ring.len(), needed: 4 });
        }
        let first = ring.iter().position(|&node| node == diagonal[0].0);
        let Some([u, v, w, x]) = first.map(|first| [0, 1, 2, 3].map(|step| ring[(first + step) % 4])) else {
            return Err(TetEditError::NoSuchPoint { point: diagonal[0] });
        };
        if w != diagonal[1].0 {
            return Err(TetEditError::NoSuchPoint { point: diagonal[1] });
        }
        self.check_no_edge([u, w])?;
        let (start, end) = (start.0, end.0);
        let patch = Self::rearranged(&around, &[[u, v, w, end], [u, w, v, start], [u, w, x, end], [u, x, w, start]]);
        self.replace(&patch)
    }

    /// The nodes around an inner edge, counterclockwise seen from its end, starting at the lowest.
    fn ring(&self, start: NodeId, end: NodeId, around: &[TetId]) -> Result<Vec<u32>, TetEditError> {
        // In a positive tetrahedron (start, end, p, q) the ring runs from p to q.
        let mut steps: Vec<[u32; 2]> = Vec::with_capacity(around.len());
        for &tetrahedron in around {
            let corners = self.elements[tetrahedron.index()];
            for corner in 0..4 {
                let [a, b, c] = facet_points(&corners, corner);
                let apex = corners[corner];
                // (apex, a, b, c) is positive, and so is each rotation of a, b, c.
                for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                    if apex == start.0 && a == end.0 {
                        steps.push([b, c]);
                    }
                }
            }
        }
        let boundary = TetEditError::BoundaryEdge { ends: [start, end] };
        let Some(lowest) = steps.iter().map(|step| step[0]).min() else { return Err(boundary) };
        let mut ring = vec![lowest];
        loop {
            let here = ring[ring.len() - 1];
            match steps.iter().find(|step| step[0] == here) {
                Some(&[_, next]) if next == lowest => break,
                Some(&[_, next]) if ring.len() < steps.len() => ring.push(next),
                _ => return Err(boundary),
            }
        }
        if ring.len() == steps.len() { Ok(ring) } else { Err(boundary) }
    }
}

impl TriMesh {
    /// 2–2 flip: replaces the edge between two triangles by the other diagonal of their
    /// quadrilateral. Preserves the area of a flat mesh; on a curved surface the shape changes
    /// slightly.
    ///
    /// Fails if the edge is on the boundary, if the other diagonal is an edge already, or if the
    /// quadrilateral is not convex, so that a triangle would be reversed or degenerate.
    pub fn flip_edge(&mut self, start: VertexId, end: VertexId) -> Result<TriEdit, TriEditError> {
        let around = self.edge_elements(start, end)?;
        let [first, second] = around[..] else {
            return Err(TriEditError::BoundaryEdge { ends: [start, end] });
        };
        let apex = |triangle: crate::TriangleId| {
            let corners = self.elements[triangle.index()];
            let index = corners.iter().position(|&vertex| vertex != start.0 && vertex != end.0).unwrap_or(0);
            (corners[index], corners[(index + 1) % 3] == start.0)
        };
        let ((one, forward), (other, _)) = (apex(first), apex(second));
        self.check_no_edge([one, other])?;
        // The first triangle has the edge in the direction start–end, or reversed.
        let (start, end) = if forward { (start.0, end.0) } else { (end.0, start.0) };
        let flipped = [[start, other, one], [end, one, other]];
        let normal = area_vector(&self.corners(first)) + area_vector(&self.corners(second));
        for corners in flipped {
            if area_vector(&corners.map(|vertex| self.positions[vertex as usize])).dot(&normal) <= 0.0 {
                return Err(TriEditError::Reverses { corners: Corners::new(&corners) });
            }
        }
        let patch = Self::rearranged(&around, &flipped);
        self.replace(&patch)
    }
}
