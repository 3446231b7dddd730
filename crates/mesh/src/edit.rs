//! What an edit did: the log that arrays kept outside the mesh follow.

use crate::facet::Facet;
use crate::id::Id;
use crate::patch::Blend;

/// A point that is new or has moved in the rest shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointPlaced<P> {
    /// The point, as named after the edit.
    pub point: P,
    /// Where it lies between the points as named before the edit.
    pub from: Blend<P>,
}

/// An element that was taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementRemoved<E> {
    /// The element, as named before the edit.
    pub element: E,
    /// Its volume (m³) or area (m²) then.
    pub measure: f64,
}

/// An element that was put in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementAdded<E> {
    /// The element, as named after the edit.
    pub element: E,
    /// The element that it is part of or stands for, as named before the edit.
    pub parent: E,
    /// Its part of the parent ([`Inheritance::Parent`]) or of the patch ([`Inheritance::Patch`]), by volume or area.
    pub share: f64,
    /// Old facets (element · corners + corner) that its facets are part of, or `NONE`.
    pub(crate) facets: [u32; 4],
}

/// From whom the new elements of an edit inherit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// From the parent: the old elements were subdivided or renamed.
    Parent,
    /// From all removed elements: the same space was filled anew (flip, collapse).
    Patch,
}

/// An id that changed because a gap was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved<I> {
    /// The id before.
    pub from: I,
    /// The id after.
    pub to: I,
}

/// How an array changes its length, and what moves in it.
///
/// Points and elements lie dense in their arrays. An edit puts new elements into the slots of removed ones (an element
/// into its parent's slot where it can), appends what is left, and closes remaining gaps by moving the last elements
/// down, in descending order of id into ascending gaps. Points do the same. An edit that only adds, such as a split or a
/// cut, therefore never changes the id of anything it does not touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Resized<I> {
    /// Length before.
    pub before: usize,
    /// Length after.
    pub after: usize,
    /// Entries that moved into gaps. None of them is new.
    pub moved: Vec<Moved<I>>,
}

/// What an edit did, in full.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit<P, E> {
    /// The points' array.
    pub points: Resized<P>,
    /// Points that are new.
    pub points_added: Vec<PointPlaced<P>>,
    /// Points that moved in the rest shape.
    pub points_relocated: Vec<PointPlaced<P>>,
    /// Points that are gone, as named before the edit.
    pub points_removed: Vec<P>,
    /// The elements' array.
    pub elements: Resized<E>,
    /// Elements that are gone, ascending.
    pub elements_removed: Vec<ElementRemoved<E>>,
    /// Elements that are new.
    pub elements_added: Vec<ElementAdded<E>>,
    /// From whom the new elements inherit.
    pub inheritance: Inheritance,
    /// Pairs of facets, as named after the edit, that the edit separated: the crack. The first of a pair belongs to the
    /// side that kept the old point.
    pub crack: Vec<[Facet<E>; 2]>,
    /// Facets, as named after the edit, that lie open now because what lay behind them was taken out.
    pub exposed: Vec<Facet<E>>,
}

impl<P: Id, E: Id> Edit<P, E> {
    /// Lets an array with one entry a point follow. `place` makes the value of a new or moved point from the old array.
    pub fn carry_points<T: Clone>(&self, values: &mut Vec<T>, mut place: impl FnMut(&[T], &Blend<P>) -> T) {
        let placed: Vec<(usize, T)> = (self.points_added.iter().chain(&self.points_relocated))
            .map(|placed| (placed.point.index(), place(values, &placed.from)))
            .collect();
        carry(values, &self.points, placed, |id| id.index());
    }

    /// Lets an array with one entry an element follow. `inherit` makes the value of a new element from the old array.
    pub fn carry_elements<T: Clone>(&self, values: &mut Vec<T>, mut inherit: impl FnMut(&[T], &ElementAdded<E>) -> T) {
        let placed: Vec<(usize, T)> =
            self.elements_added.iter().map(|added| (added.element.index(), inherit(values, added))).collect();
        carry(values, &self.elements, placed, |id| id.index());
    }
}

/// Moved entries first, for they are named by old positions; then the new ones, of which none is moved.
fn carry<I: Id, T: Clone>(
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
    for (place, value) in placed {
        values[place] = value;
    }
}

/// Where removed, new and moved entries of a dense array go.
pub(crate) struct Slots {
    pub(crate) after: usize,
    /// The slot of each new entry.
    pub(crate) added: Vec<u32>,
    pub(crate) moved: Vec<(u32, u32)>,
}

impl Slots {
    /// Plans for `before` entries of which `removed` (ascending) go, and one new entry for each of `preferred`, which
    /// names the removed slot that it would like best.
    pub(crate) fn plan(before: usize, removed: &[u32], preferred: &[Option<u32>]) -> Self {
        let after = before - removed.len() + preferred.len();
        let mut gaps: Vec<Option<u32>> =
            removed.iter().copied().take_while(|&slot| (slot as usize) < after).map(Some).collect();
        let mut added: Vec<Option<u32>> = preferred
            .iter()
            .map(|wish| wish.and_then(|slot| gaps.get_mut(removed.binary_search(&slot).ok()?)?.take()))
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
