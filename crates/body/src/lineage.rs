//! Lineage: pieces are numbered over the whole history of a body, and each knows the piece that it
//! broke from.

use serde::{Deserialize, Serialize};

/// Sizes whose ratio differs from 1 by less than this are equal: rounding must not decide which
/// part keeps the number of a piece.
const EQUAL_SIZE_TOLERANCE: f64 = 1e-9;

/// All pieces that a body ever had. A number is never given twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lineage {
    parents: Vec<Option<u32>>,
}

impl Lineage {
    /// A history that begins with `count` pieces, none of which has a parent.
    pub fn new(count: usize) -> Lineage {
        Lineage { parents: vec![None; count] }
    }

    /// Number of pieces in the history.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns true if there has been no piece.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The piece that a piece broke from; `None` for one of the first.
    pub fn parent(&self, piece: u32) -> Option<u32> {
        self.parents.get(piece as usize).copied().flatten()
    }

    /// A new piece that broke from `parent`; returns its number.
    pub fn branch(&mut self, parent: u32) -> u32 {
        self.parents.push(Some(parent));
        self.parents.len() as u32 - 1
    }

    /// Returns true if every parent is older than its children. A history from a file may be
    /// anything.
    pub fn is_sound(&self) -> bool {
        (0u32..).zip(&self.parents).all(|(piece, parent)| parent.is_none_or(|parent| parent < piece))
    }
}

/// The part that keeps the number of a piece: the index of the largest of these sizes, the first of
/// equal ones; 0 if there are none.
pub fn largest(sizes: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, size) in sizes.into_iter().enumerate() {
        if index == 0 || size > (1.0 + EQUAL_SIZE_TOLERANCE) * best.1 {
            best = (index, size);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_know_their_parents() {
        let mut lineage = Lineage::new(2);
        assert_eq!([lineage.branch(1), lineage.branch(2)], [2, 3]);
        assert_eq!([0, 1, 2, 3, 9].map(|piece| lineage.parent(piece)), [None, None, Some(1), Some(2), None]);
        assert!(lineage.is_sound());
        assert!(!Lineage { parents: vec![Some(0)] }.is_sound());
        assert!(!Lineage { parents: vec![None, Some(7)] }.is_sound());
    }

    #[test]
    fn the_first_of_equally_large_parts_keeps_the_number() {
        assert_eq!(largest([1.0, 3.0, 3.0 * (1.0 + 1e-12), 2.0]), 1);
        assert_eq!(largest([1.0, 3.0, 3.1]), 2);
        assert_eq!(largest([]), 0);
    }
}
