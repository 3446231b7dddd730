//! Replacement of a patch of elements: the primitive of all edits.
//!
//! An edit is planned as a [`Patch`] on the unchanged mesh, checked, and committed at once. A
//! failed check leaves the mesh unchanged. Adjacency changes only in the patch, at the facets
//! around it and at its points.

use crate::edit::{Edit, ElementAdded, ElementRemoved, Inheritance, Moved, PointPlaced, Resized, Slots};
use crate::error::{Corners, EditError};
use crate::facet::{Facet, Winding, facet_key, facet_points};
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::{MAX_COUNT, SimplexMesh};
use crate::patch::{Blend, Patch};
use craze_math::Vec3;

/// Owner of a facet: a new element, or an element outside that shares it with the patch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    New { index: u32, corner: u8 },
    Outside { element: u32, corner: u8 },
}

type Record = ([u32; 3], Winding, Owner);

/// A checked patch.
struct Plan {
    removed: Vec<u32>,
    /// Facets of new and outside elements, sorted so that equal facets are adjacent.
    records: Vec<Record>,
    /// For each facet of each new element, the old facet (element · N + corner) that contains it,
    /// or `NONE`.
    origins: Vec<[u32; 4]>,
    measures: Vec<f64>,
    points_removed: Vec<u32>,
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Replaces elements and returns the log.
    ///
    /// Fails, with the mesh unchanged, if a new element is not positive, if a facet would have more
    /// than two elements or two on one side, or if a point would move with elements outside of the
    /// patch. Points without elements are removed. The caller ensures that the new elements fill
    /// the same space: uncovered facets of the hole become boundary ([`Edit::exposed`]).
    pub fn replace(&mut self, patch: &Patch<P, E, N>) -> Result<Edit<P, E>, EditError<P, E>> {
        let plan = self.plan(patch)?;
        Ok(self.commit(patch, plan))
    }

    /// Removes elements, for example a crushed zone; the caller accounts for their mass.
    pub fn remove_elements(&mut self, elements: &[E]) -> Result<Edit<P, E>, EditError<P, E>> {
        let mut patch = Patch::new(Inheritance::Patch);
        patch.removed = elements.to_vec();
        self.replace(&patch)
    }

    /// The rest position (m) that a corner of a new element will have; NaN for a point unknown to
    /// the patch.
    pub fn planned_position(&self, patch: &Patch<P, E, N>, point: P) -> Vec3 {
        let blend = match point.index().checked_sub(self.positions.len()) {
            Some(index) => match patch.points.get(index) {
                Some(blend) => *blend,
                None => return Vec3::repeat(f64::NAN),
            },
            None => match patch.relocated.iter().find(|(relocated, _)| *relocated == point) {
                Some((_, blend)) => *blend,
                None => return self.position(point),
            },
        };
        self.blended_position(&blend)
    }

    pub(crate) fn blended_position(&self, blend: &Blend<P>) -> Vec3 {
        blend.sum(|point| self.position(point))
    }

    fn plan(&self, patch: &Patch<P, E, N>) -> Result<Plan, EditError<P, E>> {
        let points_limit = self.positions.len() + patch.points.len();
        if points_limit > MAX_COUNT || self.elements.len() + patch.added.len() > MAX_COUNT {
            return Err(EditError::TooMany);
        }
        let mut removed: Vec<u32> = patch.removed.iter().map(|element| element.raw()).collect();
        removed.sort_unstable();
        removed.dedup();
        if let Some(&element) = removed.last().filter(|&&last| last as usize >= self.elements.len()) {
            return Err(EditError::NoSuchElement { element: E::new(element) });
        }
        let is_removed = |element: u32| removed.binary_search(&element).is_ok();
        let blends = patch.points.iter().chain(patch.relocated.iter().map(|(_, blend)| blend));
        let relocated = patch.relocated.iter().map(|&(point, _)| point);
        if let Some(point) = (blends.flat_map(|blend| blend.iter().map(|(point, _)| point)).chain(relocated))
            .find(|point| point.index() >= self.positions.len())
        {
            return Err(EditError::NoSuchPoint { point });
        }
        for &(point, _) in &patch.relocated {
            if let Some(element) = self.elements_of(point).find(|element| !is_removed(element.raw())) {
                return Err(EditError::MovesOutside { point, element });
            }
        }
        for (entry, added) in patch.added.iter().enumerate() {
            if let Some(&point) = added.points.iter().find(|point| point.index() >= points_limit) {
                return Err(EditError::NoSuchPoint { point });
            }
            if !is_removed(added.parent.raw()) {
                return Err(EditError::Patch { what: "new element", entry, wrong: "has a parent that is not removed" });
            }
            let foreign = |facet: &Facet<E>| !is_removed(facet.element.raw()) || facet.corner as usize >= N;
            if added.facets.iter().flatten().any(foreign) {
                return Err(EditError::Patch {
                    what: "new element",
                    entry,
                    wrong: "inherits from a facet of an element that is not removed",
                });
            }
        }
        self.check_all_used(patch)?;
        let mut measures = Vec::with_capacity(patch.added.len());
        for added in &patch.added {
            let measure = added.points.map(|point| self.planned_position(patch, point)).measure();
            if measure.is_nan() || measure <= 0.0 {
                return Err(EditError::Inverts { corners: Corners::new(&added.points.map(Id::raw)), measure });
            }
            measures.push(measure);
        }
        let old = self.facets_of(&removed);
        let records = self.match_facets(patch, &is_removed, &old, &removed)?;
        let origins = patch.added.iter().map(|added| self.origins(added, &old)).collect();
        let points_removed = self.orphans(patch, &removed);
        Ok(Plan { removed, records, origins, measures, points_removed })
    }

    /// Checks that every new and moved point belongs to a new element, and that none is moved
    /// twice.
    fn check_all_used(&self, patch: &Patch<P, E, N>) -> Result<(), EditError<P, E>> {
        let mut used: Vec<P> = patch.added.iter().flat_map(|added| added.points).collect();
        used.sort_unstable();
        let is_used = |point: P| used.binary_search(&point).is_ok();
        let first_new = self.positions.len();
        if let Some(entry) = (0..patch.points.len()).find(|&entry| !is_used(P::new((first_new + entry) as u32))) {
            return Err(EditError::Patch { what: "new point", entry, wrong: "belongs to no new element" });
        }
        for (entry, &(point, _)) in patch.relocated.iter().enumerate() {
            if !is_used(point) || patch.relocated[..entry].iter().any(|&(other, _)| other == point) {
                let wrong = "belongs to no new element or is moved twice";
                return Err(EditError::Patch { what: "moved point", entry, wrong });
            }
        }
        Ok(())
    }

    fn facets_of(&self, removed: &[u32]) -> Vec<([u32; 3], Winding, u32)> {
        let mut facets: Vec<_> = (removed.iter())
            .flat_map(|&element| (0..N).map(move |corner| (element, corner)))
            .map(|(element, corner)| {
                let (key, winding) = facet_key(facet_points(&self.elements[element as usize], corner));
                (key, winding, element * N as u32 + corner as u32)
            })
            .collect();
        facets.sort_unstable();
        facets
    }

    fn match_facets(
        &self,
        patch: &Patch<P, E, N>,
        is_removed: &impl Fn(u32) -> bool,
        old: &[([u32; 3], Winding, u32)],
        removed: &[u32],
    ) -> Result<Vec<Record>, EditError<P, E>> {
        let mut records: Vec<Record> = Vec::with_capacity((patch.added.len() + removed.len()) * N);
        for (index, added) in patch.added.iter().enumerate() {
            let points = added.points.map(Id::raw);
            for corner in 0..N {
                let (key, winding) = facet_key(facet_points(&points, corner));
                if key[0] == key[1] || key[1] == key[2] {
                    return Err(EditError::NonManifoldFacet { facet: Corners::new(&key) });
                }
                records.push((key, winding, Owner::New { index: index as u32, corner: corner as u8 }));
            }
        }
        for &element in removed {
            for &outside in &self.neighbours[element as usize] {
                if outside == NONE || is_removed(outside) {
                    continue;
                }
                let behind = &self.neighbours[outside as usize];
                if let Some(corner) = behind.iter().position(|&back| back == element) {
                    let (key, winding) = facet_key(facet_points(&self.elements[outside as usize], corner));
                    records.push((key, winding, Owner::Outside { element: outside, corner: corner as u8 }));
                }
            }
        }
        records.sort_unstable();
        for run in records.chunk_by(|one, other| one.0 == other.0) {
            let key = run[0].0;
            let legal = match run {
                [one] => matches!(one.2, Owner::Outside { .. }) || !self.is_outside_facet(key, old, is_removed),
                [one, other] => {
                    let outside = run.iter().any(|record| matches!(record.2, Owner::Outside { .. }));
                    one.1 != other.1 && (outside || !self.is_outside_facet(key, old, is_removed))
                }
                _ => false,
            };
            if !legal {
                return Err(EditError::NonManifoldFacet { facet: Corners::new(&key) });
            }
        }
        Ok(records)
    }

    /// True if a remaining element has this facet and the patch did not.
    fn is_outside_facet(
        &self,
        key: [u32; 3],
        old: &[([u32; 3], Winding, u32)],
        is_removed: &impl Fn(u32) -> bool,
    ) -> bool {
        let points = &key[..N - 1];
        if points.iter().any(|&point| point as usize >= self.positions.len()) {
            return false;
        }
        if old.binary_search_by(|facet| facet.0.cmp(&key)).is_ok() {
            return false;
        }
        self.elements_with(points).any(|element| !is_removed(element))
    }

    fn origins(&self, added: &crate::patch::NewElement<P, E, N>, old: &[([u32; 3], Winding, u32)]) -> [u32; 4] {
        let points = added.points.map(Id::raw);
        let mut origins = [NONE; 4];
        for corner in 0..N {
            origins[corner] = match added.facets[corner] {
                Some(facet) => facet.element.raw() * N as u32 + u32::from(facet.corner),
                None => {
                    let (key, winding) = facet_key(facet_points(&points, corner));
                    match old.binary_search_by(|facet| (facet.0, facet.1).cmp(&(key, winding))) {
                        Ok(found) => old[found].2,
                        Err(_) => NONE,
                    }
                }
            };
        }
        origins
    }

    /// Points that lose their last element, ascending.
    fn orphans(&self, patch: &Patch<P, E, N>, removed: &[u32]) -> Vec<u32> {
        let mut points: Vec<u32> =
            removed.iter().flat_map(|&element| self.elements[element as usize].iter().copied()).collect();
        points.sort_unstable();
        points.dedup();
        let mut kept: Vec<u32> = patch.added.iter().flat_map(|added| added.points.map(Id::raw)).collect();
        kept.sort_unstable();
        points.retain(|&point| {
            kept.binary_search(&point).is_err()
                && self.incidence.of(point).iter().all(|element| removed.binary_search(element).is_ok())
        });
        points
    }

    fn commit(&mut self, patch: &Patch<P, E, N>, plan: Plan) -> Edit<P, E> {
        let element_slots = Slots::plan(
            self.elements.len(),
            &plan.removed,
            &patch.added.iter().map(|added| Some(added.parent.raw())).collect::<Vec<_>>(),
        );
        let point_slots = Slots::plan(self.positions.len(), &plan.points_removed, &vec![None; patch.points.len()]);
        let mut edit = self.describe(patch, &plan, &element_slots, &point_slots);
        let was_open: Vec<bool> = (plan.origins.iter().flatten())
            .map(|&origin| origin != NONE && self.neighbours[origin as usize / N][origin as usize % N] == NONE)
            .collect();
        let old_points = self.positions.len() as u32;
        self.set_positions(&edit, &point_slots);
        self.swap_elements(patch, &plan, &element_slots, old_points, &point_slots.added);
        self.join_neighbours(&plan.records, &element_slots.added);
        self.find_separated(patch, &plan, &element_slots.added, &was_open, &mut edit);
        self.close_gaps(&element_slots, &point_slots);
        let renamed = |facet: &mut Facet<E>| {
            if let Some(moved) = edit.elements.moved.iter().find(|moved| moved.from == facet.element) {
                facet.element = moved.to;
            }
        };
        edit.crack.iter_mut().flatten().chain(&mut edit.exposed).for_each(renamed);
        self.point_attributes.transfer(&edit);
        self.element_attributes.transfer(&edit);
        self.facet_attributes.transfer(&edit, N);
        edit
    }

    fn describe(&self, patch: &Patch<P, E, N>, plan: &Plan, elements: &Slots, points: &Slots) -> Edit<P, E> {
        let moved = |&(from, to): &(u32, u32)| Moved { from: P::new(from), to: P::new(to) };
        let points_moved: Vec<Moved<P>> = points.moved.iter().map(moved).collect();
        let total: f64 = plan.measures.iter().sum();
        // Measure of the parts of each removed element, in the order of removed elements.
        let mut parts = vec![0.0; plan.removed.len()];
        let index = |parent: E| plan.removed.partition_point(|&removed| removed < parent.raw());
        for (added, measure) in patch.added.iter().zip(&plan.measures) {
            parts[index(added.parent)] += measure;
        }
        let share = |parent: E, measure: f64| match patch.inheritance {
            Inheritance::Patch => measure / total,
            Inheritance::Parent => measure / parts[index(parent)],
        };
        let relocated = patch.relocated.iter().map(|&(point, from)| {
            let moved = points_moved.iter().find(|moved| moved.from == point);
            PointPlaced { point: moved.map_or(point, |moved| moved.to), from }
        });
        let added = patch.added.iter().zip(&plan.measures).zip(&elements.added).zip(&plan.origins);
        Edit {
            points_added: (points.added.iter().zip(&patch.points))
                .map(|(&slot, &from)| PointPlaced { point: P::new(slot), from })
                .collect(),
            points_relocated: relocated.collect(),
            points_removed: plan.points_removed.iter().map(|&point| P::new(point)).collect(),
            points: Resized { before: self.positions.len(), after: points.after, moved: points_moved },
            elements: Resized {
                before: self.elements.len(),
                after: elements.after,
                moved: elements.moved.iter().map(|&(from, to)| Moved { from: E::new(from), to: E::new(to) }).collect(),
            },
            elements_removed: (plan.removed.iter().map(|&element| E::new(element)))
                .map(|element| ElementRemoved { element, measure: self.measure(element) })
                .collect(),
            elements_added: added
                .map(|(((added, &measure), &slot), &facets)| ElementAdded {
                    element: E::new(slot),
                    parent: added.parent,
                    share: share(added.parent, measure),
                    facets,
                })
                .collect(),
            inheritance: patch.inheritance,
            crack: Vec::new(),
            exposed: Vec::new(),
        }
    }

    /// Sets the positions of new and moved points; gaps are closed later, when no element refers to
    /// them.
    fn set_positions(&mut self, edit: &Edit<P, E>, slots: &Slots) {
        let placed: Vec<Vec3> = edit.points_added.iter().map(|added| self.blended_position(&added.from)).collect();
        let relocated: Vec<Vec3> =
            edit.points_relocated.iter().map(|moved| self.blended_position(&moved.from)).collect();
        for (&slot, position) in slots.added.iter().zip(placed) {
            if slot as usize == self.positions.len() {
                self.positions.push(position);
                self.incidence.push_point();
            } else {
                self.positions[slot as usize] = position;
            }
        }
        for (moved, position) in edit.points_relocated.iter().zip(relocated) {
            let moved_back = slots.moved.iter().find(|&&(_, to)| to == moved.point.raw());
            self.positions[moved_back.map_or(moved.point.index(), |&(from, _)| from as usize)] = position;
        }
    }

    fn swap_elements(
        &mut self,
        patch: &Patch<P, E, N>,
        plan: &Plan,
        slots: &Slots,
        old_points: u32,
        new_points: &[u32],
    ) {
        for &element in &plan.removed {
            for point in self.elements[element as usize] {
                self.incidence.remove(point, element);
            }
        }
        for (&slot, added) in slots.added.iter().zip(&patch.added) {
            let points = added.points.map(|point| match point.raw().checked_sub(old_points) {
                Some(index) => new_points[index as usize],
                None => point.raw(),
            });
            if slot as usize == self.elements.len() {
                self.elements.push(points);
                self.neighbours.push([NONE; N]);
            } else {
                self.elements[slot as usize] = points;
                self.neighbours[slot as usize] = [NONE; N];
            }
            for point in points {
                self.incidence.insert(point, slot);
            }
        }
    }

    /// Connects elements with a common facet; unmatched facets become boundary.
    fn join_neighbours(&mut self, records: &[Record], slots: &[u32]) {
        let index = |owner: Owner| match owner {
            Owner::New { index, corner } => (slots[index as usize], corner as usize),
            Owner::Outside { element, corner } => (element, corner as usize),
        };
        for run in records.chunk_by(|one, other| one.0 == other.0) {
            let (first, first_corner) = index(run[0].2);
            match run.get(1) {
                Some(other) => {
                    let (second, second_corner) = index(other.2);
                    self.neighbours[first as usize][first_corner] = second;
                    self.neighbours[second as usize][second_corner] = first;
                }
                None => self.neighbours[first as usize][first_corner] = NONE,
            }
        }
    }

    /// Finds facets that became boundary. Two of them with the same points, where a new point is
    /// identified with the point it was split from, were one facet: they are opposite crack faces.
    fn find_separated(
        &self,
        patch: &Patch<P, E, N>,
        plan: &Plan,
        slots: &[u32],
        was_open: &[bool],
        edit: &mut Edit<P, E>,
    ) {
        let old_points = edit.points.before;
        let split_from = |point: u32| match (point as usize).checked_sub(old_points) {
            Some(index) if point != NONE => {
                let blend = patch.points[index];
                let twin = patch.points.iter().position(|other| *other == blend).unwrap_or(index);
                let mut parents = blend.iter();
                match (parents.next(), parents.next()) {
                    (Some((parent, _)), None) => parent.raw(),
                    _ => (old_points + twin) as u32,
                }
            }
            _ => point,
        };
        let mut open = Vec::new();
        for run in plan.records.chunk_by(|one, other| one.0 == other.0) {
            let [(key, _, owner)] = *run else { continue };
            let facet = match owner {
                Owner::New { index, corner } if was_open[index as usize * 4 + corner as usize] => continue,
                Owner::New { index, corner } => Facet::new(E::new(slots[index as usize]), corner as usize),
                Owner::Outside { element, corner } => Facet::new(E::new(element), corner as usize),
            };
            open.push((facet_key(key.map(split_from)).0, key, facet));
        }
        open.sort_unstable_by_key(|&(sides, key, facet)| (sides, key, facet));
        for run in open.chunk_by(|one, other| one.0 == other.0) {
            match run {
                [one, other] => edit.crack.push([one.2, other.2]),
                alone => edit.exposed.extend(alone.iter().map(|side| side.2)),
            }
        }
    }

    fn close_gaps(&mut self, elements: &Slots, points: &Slots) {
        for &(from, to) in &elements.moved {
            let corners = self.elements[from as usize];
            for point in corners {
                self.incidence.remove(point, from);
                self.incidence.insert(point, to);
            }
            let neighbours = self.neighbours[from as usize];
            for neighbour in neighbours {
                if neighbour != NONE {
                    let back = &mut self.neighbours[neighbour as usize];
                    back.iter_mut().filter(|back| **back == from).for_each(|back| *back = to);
                }
            }
            self.elements[to as usize] = corners;
            self.neighbours[to as usize] = neighbours;
        }
        self.elements.truncate(elements.after);
        self.neighbours.truncate(elements.after);
        for &(from, to) in &points.moved {
            for &element in self.incidence.of(from) {
                let corners = &mut self.elements[element as usize];
                corners.iter_mut().filter(|point| **point == from).for_each(|point| *point = to);
            }
            self.incidence.move_point(from, to);
            self.positions[to as usize] = self.positions[from as usize];
        }
        self.positions.truncate(points.after);
        self.incidence.truncate_points(points.after);
    }
}
