//! Edge split: a new point on an edge bisects all elements at the edge.

use crate::edit::{Edit, Inheritance};
use crate::error::EditError;
use crate::id::Id;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch, facets_within};
use craze_math::Vec3;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Adds a point on the edge from `start` to `end` at `parameter` between 0 and 1 and splits all
    /// elements at the edge. The element on the side of `start` keeps its id.
    ///
    /// Fails if the edge does not exist, or if an element would be degenerate.
    pub fn split_edge(&mut self, start: P, end: P, parameter: f64) -> Result<Edit<P, E>, EditError<P, E>> {
        if !(parameter > 0.0 && parameter < 1.0) {
            return Err(EditError::OutOfRange {
                what: "the split parameter",
                value: parameter,
                range: "between 0 and 1",
            });
        }
        let around = self.edge_elements(start, end)?;
        let mut patch = Patch::new(Inheritance::Parent);
        patch.points.push(Blend::on_edge(start, end, parameter));
        for element in around {
            self.split_in_two(&mut patch, element, [start, end], 0);
        }
        self.replace(&patch)
    }

    pub(crate) fn edge_elements(&self, start: P, end: P) -> Result<Vec<E>, EditError<P, E>> {
        self.check_point(start)?;
        self.check_point(end)?;
        let around = self.elements_at_edge(start, end);
        if start == end || around.is_empty() {
            return Err(EditError::NoSuchEdge { ends: [start, end] });
        }
        Ok(around)
    }

    pub(crate) fn check_point(&self, point: P) -> Result<(), EditError<P, E>> {
        if point.index() < self.positions.len() { Ok(()) } else { Err(EditError::NoSuchPoint { point }) }
    }

    pub(crate) fn check_element(&self, element: E) -> Result<(), EditError<P, E>> {
        if element.index() < self.elements.len() { Ok(()) } else { Err(EditError::NoSuchElement { element }) }
    }

    /// Adds the two halves of an element to the patch, split at new point `middle` of the patch.
    pub(crate) fn split_in_two(&self, patch: &mut Patch<P, E, N>, element: E, ends: [P; 2], middle: usize) {
        let first_new = self.positions.len() as u32;
        let old = self.elements[element.index()];
        patch.removed.push(element);
        for replaced in [ends[1], ends[0]] {
            let half = old.map(|point| if point == replaced.raw() { first_new + middle as u32 } else { point });
            patch.added.push(NewElement {
                points: half.map(P::new),
                parent: element,
                facets: facets_within(element, &old, &half, first_new, &patch.points),
            });
        }
    }
}
