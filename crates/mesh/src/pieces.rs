//! Pieces: connected components through facets.

use crate::id::{Id, NONE};
use crate::mesh::SimplexMesh;

/// The pieces of a mesh, numbered in the order of their lowest element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The piece of each element.
    pub of_element: Vec<u32>,
    /// Number of pieces.
    pub count: usize,
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// The connected components through faces (tetrahedra) or edges (triangles). A shared point, or
    /// a shared edge of two tetrahedra, does not connect.
    pub fn pieces(&self) -> Pieces {
        let mut of_element = vec![NONE; self.elements.len()];
        let mut count = 0;
        let mut stack = Vec::new();
        for first in 0..self.elements.len() {
            if of_element[first] != NONE {
                continue;
            }
            of_element[first] = count;
            stack.push(first);
            while let Some(element) = stack.pop() {
                for &neighbour in &self.neighbours[element] {
                    if neighbour != NONE && of_element[neighbour as usize] == NONE {
                        of_element[neighbour as usize] = count;
                        stack.push(neighbour as usize);
                    }
                }
            }
            count += 1;
        }
        Pieces { of_element, count: count as usize }
    }
}
