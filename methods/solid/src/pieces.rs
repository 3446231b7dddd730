//! Which piece is which: every piece has a number in the body's whole history, and knows what it broke from.

use crate::flight::Change;
use crate::model::Solid;
use craze_frame::names;
use craze_mesh::{ElementRule, Inherit, TetId, TetMesh, Values};

/// Gives a mesh the columns that fracture writes to: the piece of each element, and which faces are cracks. A mesh that has them keeps
/// them. Returns how many pieces its history has.
pub(crate) fn name_columns(mesh: &mut TetMesh) -> usize {
    let known = mesh.element_attributes().labels(names::PIECE).map(|labels| labels.iter().copied().max().unwrap_or(0));
    let count = known.map_or_else(
        || {
            let pieces = mesh.pieces();
            mesh.element_attributes_mut().remove(names::PIECE);
            // The length fits and labels are copied, which is all that is asked of a column.
            let added = Values::Labels(pieces.of_element);
            let _ = mesh.element_attributes_mut().add(names::PIECE, ElementRule::Copy, added);
            pieces.count
        },
        |last| last as usize + 1,
    );
    if mesh.facet_attributes().labels(names::CRACK).is_none() {
        mesh.facet_attributes_mut().remove(names::CRACK);
        let none = Values::Labels(vec![0; 4 * mesh.element_count()]);
        let _ = mesh.facet_attributes_mut().add(names::CRACK, Inherit, none);
    }
    count
}

impl Solid {
    /// The piece of an element, by its number in the body's history.
    pub(crate) fn piece_of(&self, element: TetId) -> u32 {
        self.pieces().get(element.index()).copied().unwrap_or(0)
    }

    /// The piece of every element, by its number in the body's history.
    pub(crate) fn pieces(&self) -> &[u32] {
        self.mesh.element_attributes().labels(names::PIECE).unwrap_or(&[])
    }

    /// The pieces that there are now, by their numbers in the history, ascending; for every element, which of them it belongs to.
    pub(crate) fn present_pieces(&self) -> (Vec<u32>, Vec<u32>) {
        let labels = self.pieces();
        let mut present: Vec<u32> = labels.to_vec();
        present.sort_unstable();
        present.dedup();
        let place = |label: &u32| present.partition_point(|number| number < label) as u32;
        (labels.iter().map(place).collect(), present)
    }

    /// Numbers the pieces that splits have parted, and tells of the splits. A piece that hangs together keeps its number;
    /// the parts of one that does not get new ones and know it as their parent.
    pub(crate) fn name_pieces(&mut self, mut splits: Vec<Change>) {
        let found = self.mesh.pieces();
        let mut first_of = vec![u32::MAX; found.count];
        for (element, &piece) in found.of_element.iter().enumerate() {
            if first_of[piece as usize] == u32::MAX {
                first_of[piece as usize] = element as u32;
            }
        }
        let parents: Vec<u32> = first_of.iter().map(|&element| self.piece_of(TetId(element))).collect();
        let mut parts = vec![0u32; self.lineage.len()];
        for &parent in &parents {
            parts[parent as usize] += 1;
        }
        let mut numbers = parents.clone();
        for (number, &parent) in numbers.iter_mut().zip(&parents) {
            if parts[parent as usize] > 1 {
                *number = self.lineage.len() as u32;
                self.lineage.push(Some(parent));
            }
        }
        if let Some(labels) = self.mesh.element_attributes_mut().labels_mut(names::PIECE) {
            for (label, &piece) in labels.iter_mut().zip(&found.of_element) {
                *label = numbers[piece as usize];
            }
        }
        for split in &mut splits {
            if let Change::Split { parent, children, .. } = split {
                let of_parent = parents.iter().zip(&numbers).filter(|(other, _)| *other == parent);
                *children = of_parent.map(|(_, &number)| number).collect();
            }
        }
        self.happened.append(&mut splits);
    }
}
