//! Edge collapse: two points become one, the elements around their edge vanish.

use crate::edit::{Edit, Inheritance};
use crate::error::{Corners, EditError};
use crate::facet::{Facet, facet_points};
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch};
use craze_math::Vec3;

/// Stands for all that lies outside the mesh: with it as a point behind every open facet the mesh is closed, and one
/// condition serves inside and boundary alike.
const OUTSIDE: u32 = NONE - 1;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Joins the ends of an edge: `removed` goes, `kept` moves along the edge to `parameter` (0: it stays, 1: it goes to
    /// the place of `removed`).
    ///
    /// Refused if the topology would change (the link condition of Dey, Edelsbrunner, Guha & Nekhayev 1999, with the
    /// outside as one more point), if an element would be flat or turn over, or if the volume (area) of the elements
    /// at both points would change by more than the part `tolerance` of it: collapses on the boundary change the
    /// shape of the body unless the boundary is flat there.
    pub fn collapse_edge(
        &mut self,
        kept: P,
        removed: P,
        parameter: f64,
        tolerance: f64,
    ) -> Result<Edit<P, E>, EditError<P, E>> {
        if !(0.0..=1.0).contains(&parameter) {
            return Err(EditError::OutOfRange {
                what: "the place of a collapse on its edge",
                value: parameter,
                range: "from 0 to 1",
            });
        }
        self.edge_elements(kept, removed)?;
        self.check_links([kept, removed])?;
        let blend = Blend::on_edge(kept, removed, parameter);
        let place = self.blended_position(&blend);
        let mut patch = Patch::new(Inheritance::Patch);
        patch.relocated.push((kept, blend));
        patch.removed = self.elements_of(kept).chain(self.elements_of(removed)).collect();
        patch.removed.sort_unstable();
        patch.removed.dedup();
        let (mut before, mut after) = (0.0, 0.0);
        for &element in &patch.removed {
            let points = self.points_of(element);
            let corners = self.corners(element);
            before += corners.measure();
            if points.contains(&kept) && points.contains(&removed) {
                continue;
            }
            let joined = points.map(|point| if point == removed { kept } else { point });
            let mut moved = corners;
            for (corner, position) in moved.iter_mut().enumerate() {
                if joined[corner] == kept {
                    *position = place;
                }
            }
            let measure = moved.measure();
            if measure.is_nan() || measure <= 0.0 {
                return Err(EditError::Inverts { corners: Corners::new(&points.map(Id::raw)), measure });
            }
            if !moved.faces_like(&corners) {
                return Err(EditError::TurnsOver { corners: Corners::new(&points.map(Id::raw)) });
            }
            after += measure;
            patch.added.push(NewElement {
                points: joined,
                parent: element,
                facets: std::array::from_fn(|corner| Some(self.facet_after_collapse(element, corner, [kept, removed]))),
            });
        }
        if (after - before).abs() > tolerance * before {
            return Err(EditError::MeasureChanges { before, after });
        }
        self.replace(&patch)
    }

    /// The old facet that a facet of a surviving element stands for: its own, or, if the element behind it vanishes and
    /// lay at the boundary, the open facet of that one.
    fn facet_after_collapse(&self, element: E, corner: usize, ends: [P; 2]) -> Facet<E> {
        let own = Facet::new(element, corner);
        let Some(behind) = self.neighbour(element, corner) else { return own };
        let points = self.points_of(behind);
        let places = ends.map(|end| points.iter().position(|&point| point == end));
        let [Some(first), Some(second)] = places else { return own };
        // The vanishing element lies between its facets opposite the two ends; the element is behind one of them.
        let other = if self.neighbour(behind, first) == Some(element) { second } else { first };
        match self.neighbour(behind, other) {
            None => Facet::new(behind, other),
            Some(_) => own,
        }
    }

    /// The link condition: what both ends have around them is what the edge has around it.
    fn check_links(&self, ends: [P; 2]) -> Result<(), EditError<P, E>> {
        let [kept, removed] = ends.map(|end| self.link(&[end.raw()]));
        let shared = self.link(&ends.map(Id::raw));
        match kept
            .iter()
            .find(|simplex| removed.binary_search(simplex).is_ok() && shared.binary_search(simplex).is_err())
        {
            Some(simplex) => {
                let points = simplex.map(|point| if point == OUTSIDE { NONE } else { point });
                Err(EditError::LinkCondition { ends, shared: Corners::new(&points) })
            }
            None => Ok(()),
        }
    }

    /// The simplices around some points of an element: what is left of each element, and of each open facet together with
    /// the outside, without those points; and all parts of that. Sorted.
    fn link(&self, points: &[u32]) -> Vec<[u32; 3]> {
        let mut link = Vec::new();
        let mut add = |simplex: &[u32]| {
            let rest: Vec<u32> = simplex.iter().copied().filter(|point| !points.contains(point)).collect();
            for chosen in 1..1u32 << rest.len() {
                let mut part = [NONE; 3];
                let picked = (0..rest.len()).filter(|place| chosen & (1 << place) != 0).map(|place| rest[place]);
                for (slot, point) in part.iter_mut().zip(picked) {
                    *slot = point;
                }
                part.sort_unstable();
                link.push(part);
            }
        };
        for element in self.elements_with(points) {
            let corners = self.elements[element as usize];
            add(&corners);
            for corner in 0..N {
                if self.neighbours[element as usize][corner] == NONE && !points.contains(&corners[corner]) {
                    let mut facet = facet_points(&corners, corner).to_vec();
                    facet.truncate(N - 1);
                    facet.push(OUTSIDE);
                    add(&facet);
                }
            }
        }
        link.sort_unstable();
        link.dedup();
        link
    }
}
