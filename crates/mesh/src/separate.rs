//! Separation of elements: duplicates shared points.

use crate::edit::{Edit, Inheritance};
use crate::error::{Corners, EditError};
use crate::facet::Facet;
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use crate::patch::{Blend, NewElement, Patch};
use craze_math::Vec3;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Duplicates a point: the listed elements get the copy, the others keep the original.
    ///
    /// Facets between the two sets separate and are listed in [`Edit::crack`]. Fails if one of the
    /// sets is empty.
    pub fn duplicate_point(&mut self, point: P, moved_elements: &[E]) -> Result<Edit<P, E>, EditError<P, E>> {
        self.check_point(point)?;
        let mut selected = moved_elements.to_vec();
        selected.sort_unstable();
        selected.dedup();
        let all = self.incidence.of(point.raw()).len();
        for &element in &selected {
            self.check_element(element)?;
            if !self.elements[element.index()].contains(&point.raw()) {
                return Err(EditError::NotIncident { element, point });
            }
        }
        if selected.is_empty() || selected.len() == all {
            return Err(EditError::EmptySide { point, selected: selected.len(), all });
        }
        let mut patch = Patch::new(Inheritance::Parent);
        self.reassign(&mut patch, point, &selected);
        self.replace(&patch)
    }

    /// Separates elements connected only by the given points: if the elements at a point form
    /// groups that share no facet at it, each group except the one with the lowest element gets a
    /// copy of the point.
    ///
    /// Returns one edit per separated point; other points are unchanged. Ids of old points and
    /// elements are kept.
    pub fn separate_at_points(&mut self, points: &[P]) -> Result<Vec<Edit<P, E>>, EditError<P, E>> {
        for &point in points {
            self.check_point(point)?;
        }
        let mut edits = Vec::new();
        for &point in points {
            let groups = self.groups(&[point.raw()]);
            if groups.len() < 2 {
                continue;
            }
            let mut patch = Patch::new(Inheritance::Parent);
            for group in &groups[1..] {
                self.reassign(&mut patch, point, group);
            }
            edits.push(self.replace(&patch)?);
        }
        Ok(edits)
    }

    /// Separates tetrahedra connected only by an edge, where both ends are also connected
    /// elsewhere: each group of tetrahedra at the edge gets its own point at the midpoint.
    ///
    /// Fails if the elements at the edge form one group, as they always do in a triangle mesh.
    pub fn separate_at_edge(&mut self, start: P, end: P) -> Result<Edit<P, E>, EditError<P, E>> {
        self.edge_elements(start, end)?;
        let groups = self.groups(&[start.raw(), end.raw()]);
        if groups.len() < 2 {
            return Err(EditError::Connected { at: Corners::new(&[start.raw(), end.raw()]) });
        }
        let mut patch = Patch::new(Inheritance::Parent);
        for (middle, group) in groups.iter().enumerate() {
            patch.points.push(Blend::on_edge(start, end, 0.5));
            for &element in group {
                self.split_in_two(&mut patch, element, [start, end], middle);
            }
        }
        self.replace(&patch)
    }

    /// The other ends of edges at a point with elements in several groups (see
    /// [`Self::separate_at_edge`]), ascending.
    pub fn pinched_edges(&self, point: P) -> Vec<P> {
        // Connected elements at an edge form a closed ring, or a fan with two boundary facets, so
        // an edge with more boundary facets is examined. In a triangle mesh the edge itself is the
        // only facet and counts twice.
        let mut others: Vec<(u32, u32)> = Vec::with_capacity(N * self.incidence.of(point.raw()).len());
        for &element in self.incidence.of(point.raw()) {
            let (corners, neighbours) = (&self.elements[element as usize], &self.neighbours[element as usize]);
            for &other in corners.iter().filter(|&&other| other != point.raw()) {
                let mut boundary = 4 - N as u32;
                for (corner, neighbour) in corners.iter().zip(neighbours) {
                    boundary += u32::from(*corner != point.raw() && *corner != other && *neighbour == NONE);
                }
                others.push((other, boundary));
            }
        }
        others.sort_unstable();
        let mut pinched = Vec::new();
        for edge in others.chunk_by(|one, other| one.0 == other.0) {
            let boundary_facets = edge.iter().map(|(_, boundary)| boundary).sum::<u32>();
            if boundary_facets > 2 && self.groups(&[point.raw(), edge[0].0]).len() > 1 {
                pinched.push(P::new(edge[0].0));
            }
        }
        pinched
    }

    /// The points of the crack that an edit opened, ascending: candidates for
    /// [`Self::separate_at_points`].
    pub fn crack_points(&self, edit: &Edit<P, E>) -> Vec<P> {
        let mut points: Vec<P> =
            edit.crack.iter().flatten().flat_map(|&facet| self.facet_points(facet)).flatten().collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Elements that have all the given points, in groups connected through facets with those
    /// points. Groups and their elements are ascending.
    fn groups(&self, points: &[u32]) -> Vec<Vec<E>> {
        let all: Vec<u32> = self.elements_with(points).collect();
        let mut seen = vec![false; all.len()];
        let mut groups = Vec::new();
        for first in 0..all.len() {
            if seen[first] {
                continue;
            }
            seen[first] = true;
            let mut group = vec![all[first]];
            let mut next = 0;
            while next < group.len() {
                let element = group[next] as usize;
                next += 1;
                for corner in 0..N {
                    // A neighbour has all the points if the shared facet has.
                    let neighbour = self.neighbours[element][corner];
                    if neighbour == NONE || points.contains(&self.elements[element][corner]) {
                        continue;
                    }
                    if let Ok(index) = all.binary_search(&neighbour)
                        && !seen[index]
                    {
                        seen[index] = true;
                        group.push(neighbour);
                    }
                }
            }
            group.sort_unstable();
            groups.push(group.into_iter().map(E::new).collect());
        }
        groups
    }

    fn reassign(&self, patch: &mut Patch<P, E, N>, point: P, elements: &[E]) {
        let copy = P::new((self.positions.len() + patch.points.len()) as u32);
        patch.points.push(Blend::at(point));
        for &element in elements {
            patch.removed.push(element);
            patch.added.push(NewElement {
                points: self.points_of(element).map(|corner| if corner == point { copy } else { corner }),
                parent: element,
                facets: std::array::from_fn(|corner| Some(Facet::new(element, corner))),
            });
        }
    }
}
