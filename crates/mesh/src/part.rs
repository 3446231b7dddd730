//! Parting: elements that touch stop sharing a point.

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
    /// Duplicates a point: the elements named take the new one, the others keep the old.
    ///
    /// Facets between the two sets come apart and are listed in [`Edit::crack`]. Refused unless both sets have
    /// elements.
    pub fn duplicate_point(&mut self, point: P, taking_the_new: &[E]) -> Result<Edit<P, E>, EditError<P, E>> {
        self.check_point(point)?;
        let mut parted = taking_the_new.to_vec();
        parted.sort_unstable();
        parted.dedup();
        let all = self.incidence.of(point.raw()).len();
        for &element in &parted {
            self.check_element(element)?;
            if !self.elements[element.index()].contains(&point.raw()) {
                return Err(EditError::NotIncident { element, point });
            }
        }
        if parted.is_empty() || parted.len() == all {
            return Err(EditError::NothingParted { point, parted: parted.len(), all });
        }
        let mut patch = Patch::new(Inheritance::Parent);
        self.rename(&mut patch, point, &parted);
        self.replace(&patch)
    }

    /// Parts what hangs together at the given points only: where the elements at a point fall into groups that share no
    /// facet at it, each group but the one with the lowest element gets a point of its own.
    ///
    /// One edit for each point that was parted; points whose elements hang together are left alone. Ids of old points
    /// and elements stay.
    pub fn part_at_points(&mut self, points: &[P]) -> Result<Vec<Edit<P, E>>, EditError<P, E>> {
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
                self.rename(&mut patch, point, group);
            }
            edits.push(self.replace(&patch)?);
        }
        Ok(edits)
    }

    /// Parts what hangs together at an edge only, while both of its ends are held together elsewhere: each group of
    /// tetrahedra around the edge gets a point of its own in the edge's middle. At the middle they are apart then.
    ///
    /// Refused if the elements around the edge are one group, as they always are in a triangle mesh.
    pub fn part_at_edge(&mut self, start: P, end: P) -> Result<Edit<P, E>, EditError<P, E>> {
        self.edge_elements(start, end)?;
        let groups = self.groups(&[start.raw(), end.raw()]);
        if groups.len() < 2 {
            return Err(EditError::OnePart { at: Corners::new(&[start.raw(), end.raw()]) });
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

    /// The other ends of edges at a point whose elements fall into several groups (see [`Self::part_at_edge`]),
    /// ascending.
    pub fn pinched_edges(&self, point: P) -> Vec<P> {
        // Elements that hang together around an edge are a ring, which leaves no place for others, or a fan, which ends in two bare facets. So an
        // edge with more bare facets than that is looked at. A triangle's own edge is its only facet there, and counts for a second bare one.
        let mut others: Vec<(u32, u32)> = Vec::with_capacity(N * self.incidence.of(point.raw()).len());
        for &element in self.incidence.of(point.raw()) {
            let (corners, neighbours) = (&self.elements[element as usize], &self.neighbours[element as usize]);
            for &other in corners.iter().filter(|&&other| other != point.raw()) {
                let mut bare = 4 - N as u32;
                for (corner, neighbour) in corners.iter().zip(neighbours) {
                    bare += u32::from(*corner != point.raw() && *corner != other && *neighbour == NONE);
                }
                others.push((other, bare));
            }
        }
        others.sort_unstable();
        let mut pinched = Vec::new();
        for edge in others.chunk_by(|one, other| one.0 == other.0) {
            let ends = edge.iter().map(|(_, bare)| bare).sum::<u32>();
            if ends > 2 && self.groups(&[point.raw(), edge[0].0]).len() > 1 {
                pinched.push(P::new(edge[0].0));
            }
        }
        pinched
    }

    /// The points of the crack that an edit opened, ascending: where parts may be left that touch in a point only.
    pub fn crack_points(&self, edit: &Edit<P, E>) -> Vec<P> {
        let mut points: Vec<P> =
            edit.crack.iter().flatten().flat_map(|&facet| self.facet_points(facet)).flatten().collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Elements that have all the given points, in groups that are connected through facets with those points. Groups
    /// and their elements are in ascending order.
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
                    // A neighbour has all the points if the facet to it has them.
                    let neighbour = self.neighbours[element][corner];
                    if neighbour == NONE || points.contains(&self.elements[element][corner]) {
                        continue;
                    }
                    if let Ok(place) = all.binary_search(&neighbour)
                        && !seen[place]
                    {
                        seen[place] = true;
                        group.push(neighbour);
                    }
                }
            }
            group.sort_unstable();
            groups.push(group.into_iter().map(E::new).collect());
        }
        groups
    }

    /// Adds a copy of `point` to the patch and gives it to the elements.
    fn rename(&self, patch: &mut Patch<P, E, N>, point: P, elements: &[E]) {
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
