//! Which piece is which: every piece has a number in the body's whole history, and knows what it broke from.

use crate::flight::Change;
use crate::model::Solid;
use craze_element::Tetrahedron;
use craze_frame::names;
use craze_math::DisjointSets;
use craze_mesh::{ElementRule, Inherit, NodeId, Patch, TetId, TetMesh, Values};
use std::collections::{BTreeMap, BTreeSet};

/// Parts whose volumes differ by less than this share are equally large (1): rounding does not
/// decide which keeps the number.
const EQUALLY_LARGE: f64 = 1e-9;

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

/// The points of a tetrahedron but for that of one corner, ascending.
fn facet_of(points: [u32; 4], corner: usize) -> [u32; 3] {
    let mut facet = [1, 2, 3].map(|step| points[(corner + step) % 4]);
    facet.sort_unstable();
    facet
}

/// Volume (m³) of each of so many pieces.
pub(crate) fn volumes_of_pieces(mesh: &TetMesh, count: usize) -> Vec<f64> {
    let mut volumes = vec![0.0; count];
    for (element, &piece) in mesh.element_attributes().labels(names::PIECE).unwrap_or(&[]).iter().enumerate() {
        volumes[piece as usize] += mesh.measure(TetId(element as u32));
    }
    volumes
}

impl Solid {
    /// Whether a node belongs to a piece that is too small to break.
    pub(crate) fn is_dust(&self, node: NodeId) -> bool {
        let label = self.mesh.elements_of(node).next().map(|element| self.piece_labels()[element.index()]);
        label.is_some_and(|label| self.piece_volumes[label as usize] < self.smallest_volume)
    }

    /// Whether a cut would break off less than the smallest piece: what hangs together with a new element is walked through until it is large
    /// enough.
    pub(crate) fn would_chip(&self, patch: &Patch<NodeId, TetId, 4>) -> bool {
        if self.smallest_volume == 0.0 {
            return false;
        }
        let facets = |points: [u32; 4]| (0..4).map(move |corner| facet_of(points, corner));
        // New elements have the numbers behind the last. A facet is known by its points.
        let first_new = self.mesh.element_count() as u32;
        let mut at_facet: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
        for (added, number) in patch.added.iter().zip(first_new..) {
            for facet in facets(added.points.map(|point| point.0)) {
                at_facet.entry(facet).or_default().push(number);
            }
        }
        for &removed in &patch.removed {
            for corner in 0..4 {
                let Some(other) = self.mesh.neighbour(removed, corner).filter(|other| !patch.removed.contains(other))
                else {
                    continue;
                };
                at_facet.entry(facet_of(self.mesh.elements()[removed.index()], corner)).or_default().push(other.0);
            }
        }
        let points_of = |element: u32| match patch.added.get(element.wrapping_sub(first_new) as usize) {
            Some(added) => added.points.map(|point| point.0),
            None => self.mesh.elements()[element as usize],
        };
        let volume_of = |element: u32| match patch.added.get(element.wrapping_sub(first_new) as usize) {
            Some(added) => {
                let places = added.points.map(|point| self.mesh.planned_position(patch, point));
                Tetrahedron::new(&places).map_or(0.0, |rest| rest.volume)
            }
            None => self.mesh.measure(TetId(element)),
        };
        let is_removed = |element: &TetId| patch.removed.contains(element);
        // Elements that hang together with enough.
        let mut sound: BTreeSet<u32> = BTreeSet::new();
        for seed in first_new..first_new + patch.added.len() as u32 {
            let (mut elements, mut known) = (vec![seed], BTreeSet::from([seed]));
            let (mut looked, mut volume) = (0, 0.0);
            let is_sound = loop {
                let Some(&element) = elements.get(looked) else { break false };
                looked += 1;
                volume += volume_of(element);
                if volume >= self.smallest_volume || sound.contains(&element) {
                    break true;
                }
                for (facet, corner) in facets(points_of(element)).zip(0..) {
                    let unchanged =
                        if element < first_new { self.mesh.neighbour(TetId(element), corner) } else { None };
                    match unchanged.filter(|other| !is_removed(other)) {
                        Some(other) => elements.extend(Some(other.0).filter(|&other| known.insert(other))),
                        None => {
                            let beyond = at_facet.get(&facet).into_iter().flatten().copied();
                            elements.extend(beyond.filter(|&other| known.insert(other)));
                        }
                    }
                }
            };
            if !is_sound {
                return true;
            }
            sound.append(&mut known);
        }
        false
    }

    /// Lets the nodes of the piece that these elements belong to be, if it has become too small to break.
    fn spare_dust(&mut self, label: u32, seeds: &[u32]) {
        if self.piece_volumes[label as usize] >= self.smallest_volume {
            return;
        }
        let labels = self.piece_labels();
        let mut elements: Vec<u32> = seeds.iter().copied().filter(|&seed| labels[seed as usize] == label).collect();
        let mut known: BTreeSet<u32> = elements.iter().copied().collect();
        let mut looked = 0;
        while let Some(&element) = elements.get(looked) {
            looked += 1;
            let neighbours = (0..4).filter_map(|corner| self.mesh.neighbour(TetId(element), corner));
            elements.extend(neighbours.map(|neighbour| neighbour.0).filter(|&neighbour| known.insert(neighbour)));
        }
        let mut nodes: Vec<u32> = elements.iter().flat_map(|&element| self.mesh.elements()[element as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        self.update_critical_loads(&nodes);
    }

    /// The piece of an element, by its number in the body's history.
    pub(crate) fn piece_of(&self, element: TetId) -> u32 {
        self.piece_labels().get(element.index()).map_or(0, |&label| self.piece_numbers[label as usize])
    }

    /// A label for the piece of every element; [`Solid::piece_numbers`] has the numbers in the body's history.
    pub(crate) fn piece_labels(&self) -> &[u32] {
        self.mesh.element_attributes().labels(names::PIECE).unwrap_or(&[])
    }

    /// Makes the labels the numbers.
    pub(crate) fn settle_labels(&mut self) {
        let numbers = &self.piece_numbers;
        if let Some(labels) = self.mesh.element_attributes_mut().labels_mut(names::PIECE) {
            labels.iter_mut().for_each(|label| *label = numbers[*label as usize]);
        }
        let mut volumes = vec![0.0; self.lineage.len()];
        for (&number, volume) in self.piece_numbers.iter().zip(&self.piece_volumes) {
            volumes[number as usize] += volume;
        }
        self.piece_volumes = volumes;
        self.piece_numbers = (0..self.lineage.len() as u32).collect();
    }

    /// The pieces that there are now, by their numbers in the history, ascending; for every element, which of them it belongs to.
    pub(crate) fn present_pieces(&self) -> (Vec<u32>, Vec<u32>) {
        let labels: Vec<u32> = self.piece_labels().iter().map(|&label| self.piece_numbers[label as usize]).collect();
        let mut present = labels.clone();
        present.sort_unstable();
        present.dedup();
        let place = |label: &u32| present.partition_point(|number| number < label) as u32;
        (labels.iter().map(place).collect(), present)
    }

    /// Numbers the pieces that splits have separated, and reports the splits. A piece that is
    /// connected keeps its number. Of one that is not, the part with the largest volume keeps it,
    /// and the others get new numbers and know it as their parent. `changed` are the elements on
    /// both sides of all that has been separated.
    pub(crate) fn name_pieces(&mut self, mut splits: Vec<Change>, changed: &[u32]) {
        let mut seeds: Vec<(u32, u32)> =
            changed.iter().map(|&element| (self.piece_labels()[element as usize], element)).collect();
        seeds.sort_unstable();
        let mut born: Vec<(u32, u32)> = Vec::new();
        for seeds in seeds.chunk_by(|one, other| one.0 == other.0) {
            let label = seeds[0].0;
            let elements: Vec<u32> = seeds.iter().map(|&(_, element)| element).collect();
            let parts = parts_about(&self.mesh, &elements);
            if parts.is_empty() {
                continue;
            }
            let parent = self.piece_numbers[label as usize];
            let next = |_| {
                let number = self.lineage.len() as u32;
                self.lineage.push(Some(parent));
                self.piece_numbers.push(number);
                born.push((parent, number));
                number
            };
            // What is left, the largest part as a rule, keeps its label: it need not be walked through.
            let numbers: Vec<u32> = parts.iter().map(next).collect();
            self.piece_volumes.resize(self.lineage.len(), 0.0);
            for (part, &number) in parts.iter().zip(&numbers) {
                let volume: f64 = part.iter().map(|&element| self.mesh.measure(TetId(element))).sum();
                self.piece_volumes[number as usize] = volume;
                self.piece_volumes[label as usize] -= volume;
            }
            let mut largest = label;
            for &number in &numbers {
                if self.piece_volumes[number as usize] > (1.0 + EQUALLY_LARGE) * self.piece_volumes[largest as usize] {
                    largest = number;
                }
            }
            self.piece_numbers.swap(label as usize, largest as usize);
            if let Some(labels) = self.mesh.element_attributes_mut().labels_mut(names::PIECE) {
                for (part, &number) in parts.iter().zip(&numbers) {
                    part.iter().for_each(|&element| labels[element as usize] = number);
                }
            }
            self.spare_dust(label, &elements);
            for (part, &number) in parts.iter().zip(&numbers) {
                self.spare_dust(number, part);
            }
        }
        for split in &mut splits {
            if let Change::Split { parent, children, .. } = split {
                children.push(*parent);
                children.extend(born.iter().filter(|(other, _)| other == parent).map(|(_, number)| *number));
            }
        }
        self.happened.append(&mut splits);
    }
}

/// Elements that one part takes in before it is the turn of the next.
const TURN: usize = 16;

/// The parts that what holds these elements (ascending) has come into, all but one of them: each with its elements, in the order of their
/// first among those given. All grow at the same pace, and the last that still grows when the others are whole is the one that is left out: the
/// work is that of the smaller parts.
fn parts_about(mesh: &TetMesh, seeds: &[u32]) -> Vec<Vec<u32>> {
    let mut owner: BTreeMap<u32, usize> = seeds.iter().enumerate().map(|(part, &seed)| (seed, part)).collect();
    let mut joined = DisjointSets::new(seeds.len());
    // Elements of each part, and how many of them have been looked about.
    let mut parts: Vec<(Vec<u32>, usize)> = seeds.iter().map(|&seed| (vec![seed], 0)).collect();
    let mut growing: Vec<usize> = (0..seeds.len()).collect();
    while growing.len() > 1 {
        for &part in &growing {
            for _ in 0..TURN {
                if joined.root(part as u32) != part as u32 || parts[part].1 == parts[part].0.len() {
                    break;
                }
                let element = parts[part].0[parts[part].1];
                parts[part].1 += 1;
                for neighbour in (0..4).filter_map(|corner| mesh.neighbour(TetId(element), corner)) {
                    let here = joined.root(part as u32) as usize;
                    match owner.get(&neighbour.0).map(|&other| joined.root(other as u32) as usize) {
                        None => {
                            owner.insert(neighbour.0, here);
                            parts[here].0.push(neighbour.0);
                        }
                        Some(other) if other != here => {
                            let (keeps, goes) = (here.min(other), here.max(other));
                            joined.join(keeps as u32, goes as u32);
                            let (elements, seen) = std::mem::take(&mut parts[goes]);
                            let (own, own_seen) = &mut parts[keeps];
                            // What has been looked about stands first.
                            own.splice(*own_seen..*own_seen, elements[..seen].iter().copied());
                            *own_seen += seen;
                            own.extend(&elements[seen..]);
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        growing.retain(|&part| joined.root(part as u32) == part as u32 && parts[part].1 < parts[part].0.len());
    }
    let left_out = growing.first().copied();
    let whole = |part: &usize| joined.root(*part as u32) == *part as u32 && Some(*part) != left_out;
    let mut found: Vec<Vec<u32>> =
        (0..parts.len()).filter(whole).map(|part| std::mem::take(&mut parts[part].0)).collect();
    if left_out.is_none() {
        // All are whole: the largest is left out, the first of several.
        let largest = (0..found.len()).max_by_key(|&part| (found[part].len(), usize::MAX - part));
        largest.map(|part| found.remove(part));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;
    use craze_mesh::kuhn_box;

    #[test]
    fn what_hangs_together_has_no_parts() {
        let mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
        for seeds in [vec![0, 383], vec![5], (0..384).collect(), (0..384).step_by(7).collect()] {
            assert!(parts_about(&mesh, &seeds).is_empty());
        }
    }

    #[test]
    fn all_parts_but_the_largest_are_found() {
        // Boxes of different lengths that share no node.
        let (mut positions, mut elements) = (Vec::new(), Vec::new());
        for (number, length) in [2usize, 9, 1, 3].into_iter().enumerate() {
            let part = kuhn_box([length, 1, 1], Vec3::repeat(1.0)).unwrap();
            let first = positions.len() as u32;
            positions.extend(part.positions().iter().map(|place| place + Vec3::new(0.0, 0.0, 2.0 * number as f64)));
            elements.extend(part.elements().iter().map(|corners| corners.map(|corner| corner + first)));
        }
        let mesh = TetMesh::from_parts(positions, elements).unwrap();
        let expected = mesh.pieces().of_element;
        for seeds in [(0..90).collect::<Vec<u32>>(), vec![0, 30, 66, 75], vec![3, 4, 13, 60, 67, 80, 89]] {
            let parts = parts_about(&mesh, &seeds);
            assert_eq!(parts.len(), 3);
            for part in parts {
                let piece = expected[part[0] as usize];
                assert!(piece != 1 && part.iter().all(|&element| expected[element as usize] == piece));
                assert_eq!(part.len(), expected.iter().filter(|&&other| other == piece).count());
            }
        }
    }
}
