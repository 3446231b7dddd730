//! Edge collapse: merges two points and removes the elements at their edge.

use crate::edit::{Edit, Inheritance};
use crate::error::{Corners, EditError};
use crate::facet::{Facet, facet_points};
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch};
use craze_math::Vec3;

/// Virtual point outside the mesh: connected to every boundary facet, it closes the mesh, so that
/// one condition covers inside and boundary.
const OUTSIDE: u32 = NONE - 1;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Merges the ends of an edge: removes `removed` and moves `kept` along the edge to `parameter`
    /// (0: unchanged, 1: at `removed`).
    ///
    /// Fails if the topology would change (link condition of Dey, Edelsbrunner, Guha & Nekhayev
    /// 1999, with the outside as one more point), if an element would be degenerate or inverted, or
    /// if the volume (area) of the elements at both points would change by more than the fraction
    /// `tolerance`: on the boundary, a collapse changes the shape of the body unless the boundary
    /// is flat there.
    pub fn collapse_edge(
        &mut self,
        kept: P,
        removed: P,
        parameter: f64,
        tolerance: f64,
    ) -> Result<Edit<P, E>, EditError<P, E>> {
        if !(0.0..=1.0).contains(&parameter) {
            return Err(EditError::OutOfRange {
                what: "the collapse parameter",
                value: parameter,
                range: "from 0 to 1",
            });
        }
        self.edge_elements(kept, removed)?;
        self.check_links([kept, removed])?;
        let blend = Blend::on_edge(kept, removed, parameter);
        let position = self.blended_position(&blend);
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
            for (corner, moved) in moved.iter_mut().enumerate() {
                if joined[corner] == kept {
                    *moved = position;
                }
            }
            let measure = moved.measure();
            if measure.is_nan() || measure <= 0.0 {
                return Err(EditError::Inverts { corners: Corners::new(&points.map(Id::raw)), measure });
            }
            if !moved.has_same_orientation(&corners) {
                return Err(EditError::Reverses { corners: Corners::new(&points.map(Id::raw)) });
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

    /// The old facet from which a facet of a surviving element inherits: its own, or the boundary
    /// facet of a vanishing neighbour.
    fn facet_after_collapse(&self, element: E, corner: usize, ends: [P; 2]) -> Facet<E> {
        let own = Facet::new(element, corner);
        let Some(behind) = self.neighbour(element, corner) else { return own };
        let points = self.points_of(behind);
        let corners = ends.map(|end| points.iter().position(|&point| point == end));
        let [Some(first), Some(second)] = corners else { return own };
        // The vanishing element lies between its facets opposite the two ends; the element is
        // behind one of them.
        let other = if self.neighbour(behind, first) == Some(element) { second } else { first };
        match self.neighbour(behind, other) {
            None => Facet::new(behind, other),
            Some(_) => own,
        }
    }

    /// Checks the link condition: the links of both ends intersect in the link of the edge.
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

    /// The link of some points of an element, sorted: all faces of the simplices that remain of
    /// each element, and of each boundary facet with the outside, without those points.
    fn link(&self, points: &[u32]) -> Vec<[u32; 3]> {
        let mut link = Vec::new();
        let mut add = |simplex: &[u32]| {
            let rest: Vec<u32> = simplex.iter().copied().filter(|point| !points.contains(point)).collect();
            for chosen in 1..1u32 << rest.len() {
                let mut part = [NONE; 3];
                let picked = (0..rest.len()).filter(|index| chosen & (1 << index) != 0).map(|index| rest[index]);
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
