//! What hangs together: elements joined through facets.

use crate::id::{Id, NONE};
use crate::mesh::SimplexMesh;

/// The pieces of a mesh, numbered in the order of their lowest element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The piece of each element.
    pub of_element: Vec<u32>,
    /// How many pieces there are.
    pub count: usize,
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N> {
    /// The pieces: what hangs together through faces (tetrahedra) or edges (triangles). Touching in a point, or two
    /// tetrahedra in an edge, is not hanging together.
    pub fn pieces(&self) -> Pieces {
        let mut of_element = vec![NONE; self.elements.len()];
        let mut count = 0;
        let mut waiting = Vec::new();
        for first in 0..self.elements.len() {
            if of_element[first] != NONE {
                continue;
            }
            of_element[first] = count;
            waiting.push(first);
            while let Some(element) = waiting.pop() {
                for &neighbour in &self.neighbours[element] {
                    if neighbour != NONE && of_element[neighbour as usize] == NONE {
                        of_element[neighbour as usize] = count;
                        waiting.push(neighbour as usize);
                    }
                }
            }
            count += 1;
        }
        Pieces { of_element, count: count as usize }
    }
}
