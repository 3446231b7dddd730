//! The log of an edit, for arrays stored outside the mesh.

use crate::facet::Facet;
use crate::id::Id;
use crate::patch::Blend;

/// A point that is new or moved in the rest shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointPlaced<P> {
    /// The point, by its id after the edit.
    pub point: P,
    /// Its weights over points, by their ids before the edit.
    pub from: Blend<P>,
}

/// A removed element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementRemoved<E> {
    /// The element, by its id before the edit.
    pub element: E,
    /// Its volume (m³) or area (m²).
    pub measure: f64,
}

/// An added element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementAdded<E> {
    /// The element, by its id after the edit.
    pub element: E,
    /// The element that it is part of or replaces, by its id before the edit.
    pub parent: E,
    /// Its fraction of the parent ([`Inheritance::Parent`]) or of the patch
    /// ([`Inheritance::Patch`]), by volume or area.
    pub share: f64,
    /// Old facets (element · corners + corner) that its facets are part of, or `NONE`.
    pub(crate) facets: [u32; 4],
}

/// Source of the attributes of new elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// The parent: old elements were subdivided or renumbered.
    Parent,
    /// All removed elements: the same space was filled again (flip, collapse).
    Patch,
}

/// An id changed by closing a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved<I> {
    /// The id before.
    pub from: I,
    /// The id after.
    pub to: I,
}

/// Change of length of an array, and moved entries.
///
/// Points and elements are dense. An edit puts new elements into the slots of removed ones (into
/// the parent's slot if possible), appends the rest, and closes gaps by moving the last elements,
/// in descending order of id, into ascending gaps; points likewise. An edit that only adds, such as
/// a split or a cut, never changes the id of anything outside of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Resized<I> {
    /// Length before.
    pub before: usize,
    /// Length after.
    pub after: usize,
    /// Entries moved into gaps, none of them new.
    pub moved: Vec<Moved<I>>,
}

/// The complete log of an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit<P, E> {
    /// Array of points.
    pub points: Resized<P>,
    /// New points.
    pub points_added: Vec<PointPlaced<P>>,
    /// Points moved in the rest shape.
    pub points_relocated: Vec<PointPlaced<P>>,
    /// Removed points, by their ids before the edit.
    pub points_removed: Vec<P>,
    /// Array of elements.
    pub elements: Resized<E>,
    /// Removed elements, ascending.
    pub elements_removed: Vec<ElementRemoved<E>>,
    /// New elements.
    pub elements_added: Vec<ElementAdded<E>>,
    /// Source of the new elements' attributes.
    pub inheritance: Inheritance,
    /// Pairs of facets separated by the edit, by their ids after it: the crack faces. The first of
    /// a pair is on the side that kept the old point.
    pub crack: Vec<[Facet<E>; 2]>,
    /// Facets, by their ids after the edit, exposed because their neighbour was removed.
    pub exposed: Vec<Facet<E>>,
}

impl<P: Id, E: Id> Edit<P, E> {
    /// Updates an array with one entry per point. `value` computes the value of a new or moved
    /// point from the old array.
    pub fn apply_to_points<T: Clone>(&self, values: &mut Vec<T>, mut value: impl FnMut(&[T], &Blend<P>) -> T) {
        let placed: Vec<(usize, T)> = (self.points_added.iter().chain(&self.points_relocated))
            .map(|placed| (placed.point.index(), value(values, &placed.from)))
            .collect();
        apply(values, &self.points, placed, |id| id.index());
    }

    /// Updates an array with one entry per element. `inherit` computes the value of a new element
    /// from the old array.
    pub fn apply_to_elements<T: Clone>(
        &self,
        values: &mut Vec<T>,
        mut inherit: impl FnMut(&[T], &ElementAdded<E>) -> T,
    ) {
        let placed: Vec<(usize, T)> =
            self.elements_added.iter().map(|added| (added.element.index(), inherit(values, added))).collect();
        apply(values, &self.elements, placed, |id| id.index());
    }
}

/// Moved entries first, as they refer to old positions; then new entries, of which none is moved.
fn apply<I: Id, T: Clone>(
    values: &mut Vec<T>,
    resized: &Resized<I>,
    placed: Vec<(usize, T)>,
    index: impl Fn(I) -> usize,
) {
    for moved in &resized.moved {
        values[index(moved.to)] = values[index(moved.from)].clone();
    }
    values.truncate(resized.after);
    if let Some(filler) = placed.first().map(|(_, value)| value.clone()) {
        values.resize(resized.after, filler);
    }
    for (index, value) in placed {
        values[index] = value;
    }
}

pub(crate) struct Slots {
    pub(crate) after: usize,
    pub(crate) added: Vec<u32>,
    pub(crate) moved: Vec<(u32, u32)>,
}

impl Slots {
    /// Plans the slots for `before` entries without `removed` (ascending) and with one new entry
    /// per entry of `preferred`, its preferred removed slot.
    pub(crate) fn plan(before: usize, removed: &[u32], preferred: &[Option<u32>]) -> Self {
        let after = before - removed.len() + preferred.len();
        let mut gaps: Vec<Option<u32>> =
            removed.iter().copied().take_while(|&slot| (slot as usize) < after).map(Some).collect();
        let mut added: Vec<Option<u32>> = preferred
            .iter()
            .map(|preferred| preferred.and_then(|slot| gaps.get_mut(removed.binary_search(&slot).ok()?)?.take()))
            .collect();
        let mut free = gaps.into_iter().flatten().chain(before as u32..);
        for slot in &mut added {
            if slot.is_none() {
                *slot = free.next();
            }
        }
        let added = added.into_iter().flatten().collect();
        let last = (after..before).rev().map(|slot| slot as u32).filter(|slot| removed.binary_search(slot).is_err());
        let moved = last.zip(free).collect();
        Self { after, added, moved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_entries_take_their_parents_slot_and_the_rest_is_appended() {
        let slots = Slots::plan(10, &[2, 5], &[Some(5), Some(5), Some(2), None]);
        assert_eq!((slots.after, slots.added, slots.moved), (12, vec![5, 10, 2, 11], vec![]));
    }

    #[test]
    fn gaps_are_closed_from_the_end() {
        let slots = Slots::plan(10, &[1, 4, 8], &[]);
        assert_eq!((slots.after, slots.added, slots.moved), (7, vec![], vec![(9, 1), (7, 4)]));
        let slots = Slots::plan(5, &[1, 2, 4], &[Some(4)]);
        assert_eq!((slots.after, slots.added, slots.moved), (3, vec![1], vec![(3, 2)]));
    }
}
