//! Pieces of a simplicial mesh: components connected through faces (tetrahedra) or edges
//! (triangles).
//!
//! Every element has a *label* in the mesh attribute [`names::PIECE`], which follows edits. A label
//! stands for a piece by its number in the [`Lineage`] of the body. Labels and numbers differ only
//! for pieces that have broken since [`Pieces::settle`]: then the largest part keeps the number of
//! the piece, but the part that is most expensive to walk through keeps the labels.

use crate::Lineage;
use crate::lineage::largest;
use craze_frame::names;
use craze_math::{DisjointSets, Vec3};
use craze_mesh::{ElementRule, Id, Inherit, Measure, Patch, SimplexMesh, Values};
use std::collections::{BTreeMap, BTreeSet};

/// Elements that one part takes in before the next part grows.
const GROWTH_STEP: usize = 16;

/// Stands for the corner opposite a facet in the facet's key.
const NO_POINT: u32 = u32::MAX;

/// Pieces of a body and their history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    /// All pieces that ever were.
    pub lineage: Lineage,
    /// For every label the number of its piece.
    numbers: Vec<u32>,
    /// Rest volume (m³) or area (m²) of the elements with each label; 0 for labels that no element
    /// has.
    measures: Vec<f64>,
    /// Pieces of a smaller volume (m³) or area (m²) do not break.
    pub smallest: f64,
}

/// What [`Pieces::separate`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Separated {
    /// New pieces: the number of the piece that each broke from, and its own.
    pub born: Vec<[u32; 2]>,
    /// Labels whose pieces have lost matter or are new, each with some of its elements.
    pub changed: Vec<(u32, Vec<u32>)>,
}

/// The labels of all elements.
pub fn labels<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>) -> &[u32] {
    mesh.element_attributes().labels(names::PIECE).unwrap_or(&[])
}

impl Pieces {
    /// The pieces of a mesh. Adds the attributes that fracture writes to, unless the mesh has them:
    /// the label of each element, and which facets are crack faces. `smallest_share` is the
    /// smallest volume or area of a piece that may break, as a share of the body's.
    pub fn of<P: Id, E: Id, const N: usize>(mesh: &mut SimplexMesh<P, E, N>, smallest_share: f64) -> Pieces
    where
        [Vec3; N]: Measure,
    {
        let known = mesh.element_attributes().labels(names::PIECE);
        let count = match known.map(|labels| labels.iter().copied().max().unwrap_or(0)) {
            Some(last) => last as usize + 1,
            None => {
                let pieces = mesh.pieces();
                mesh.element_attributes_mut().remove(names::PIECE);
                // Adding fails only for lists of another length.
                let _ = mesh.element_attributes_mut().add(
                    names::PIECE,
                    ElementRule::Copy,
                    Values::Labels(pieces.of_element),
                );
                pieces.count
            }
        };
        if mesh.facet_attributes().labels(names::CRACK).is_none() {
            mesh.facet_attributes_mut().remove(names::CRACK);
            let none = Values::Labels(vec![0; N * mesh.element_count()]);
            let _ = mesh.facet_attributes_mut().add(names::CRACK, Inherit, none);
        }
        let mut measures = vec![0.0; count];
        for (element, &label) in mesh.element_ids().zip(labels(mesh)) {
            measures[label as usize] += mesh.measure(element);
        }
        let smallest = smallest_share * measures.iter().sum::<f64>();
        Pieces { lineage: Lineage::new(count), numbers: (0..count as u32).collect(), measures, smallest }
    }

    /// Takes over a history, under whose numbers the pieces of the mesh are labelled. Fails if
    /// there are labels that the history does not know.
    pub fn set_lineage(&mut self, lineage: Lineage) -> Result<(), String> {
        if self.numbers.len() > lineage.len() || !lineage.is_sound() {
            return Err("its pieces do not fit their history".to_owned());
        }
        self.numbers = (0..lineage.len() as u32).collect();
        self.measures.resize(lineage.len(), 0.0);
        self.lineage = lineage;
        Ok(())
    }

    /// The number of the piece with a label.
    #[inline]
    pub fn number(&self, label: u32) -> u32 {
        self.numbers.get(label as usize).copied().unwrap_or(label)
    }

    /// The number of an element's piece.
    pub fn number_of<P: Id, E: Id, const N: usize>(&self, mesh: &SimplexMesh<P, E, N>, element: E) -> u32 {
        labels(mesh).get(element.index()).map_or(0, |&label| self.number(label))
    }

    /// Rest volume (m³) or area (m²) of the piece with a label.
    #[inline]
    pub fn measure(&self, label: u32) -> f64 {
        self.measures.get(label as usize).copied().unwrap_or(0.0)
    }

    /// Number of pieces whose volume or area is above this share of the body's.
    pub fn count_above(&self, share: f64) -> usize {
        let mut measures = vec![0.0; self.lineage.len()];
        for (&number, measure) in self.numbers.iter().zip(&self.measures) {
            measures[number as usize] += measure;
        }
        let floor = share * measures.iter().sum::<f64>();
        measures.iter().filter(|&&measure| measure > floor).count()
    }

    /// Returns true if the piece with a label is too small to break.
    #[inline]
    pub fn is_debris(&self, label: u32) -> bool {
        self.measure(label) < self.smallest
    }

    /// Makes every label the number of its piece.
    pub fn settle<P: Id, E: Id, const N: usize>(&mut self, mesh: &mut SimplexMesh<P, E, N>) {
        if let Some(labels) = mesh.element_attributes_mut().labels_mut(names::PIECE) {
            labels.iter_mut().for_each(|label| *label = self.numbers[*label as usize]);
        }
        let mut measures = vec![0.0; self.lineage.len()];
        for (&number, measure) in self.numbers.iter().zip(&self.measures) {
            measures[number as usize] += measure;
        }
        self.measures = measures;
        self.numbers = (0..self.lineage.len() as u32).collect();
    }

    /// The numbers of the pieces that there are now, ascending; and for every element the index of
    /// its piece among them.
    pub fn present<P: Id, E: Id, const N: usize>(&self, mesh: &SimplexMesh<P, E, N>) -> (Vec<u32>, Vec<u32>) {
        let of_element: Vec<u32> = labels(mesh).iter().map(|&label| self.numbers[label as usize]).collect();
        let mut present = of_element.clone();
        present.sort_unstable();
        present.dedup();
        let index = |number: &u32| present.partition_point(|other| other < number) as u32;
        let of_element = of_element.iter().map(index).collect();
        (present, of_element)
    }

    /// Labels the pieces that edits have separated. A piece that is connected keeps its number. Of
    /// one that is not, the largest part keeps it, and the others get new numbers with that piece
    /// as their parent. `changed` are the elements on both sides of all facets that were separated.
    /// Takes time in proportion to the smaller parts.
    pub fn separate<P: Id, E: Id, const N: usize>(
        &mut self,
        mesh: &mut SimplexMesh<P, E, N>,
        changed: &[u32],
    ) -> Separated
    where
        [Vec3; N]: Measure,
    {
        let mut seeds: Vec<(u32, u32)> =
            changed.iter().map(|&element| (labels(mesh)[element as usize], element)).collect();
        seeds.sort_unstable();
        let mut separated = Separated::default();
        for seeds in seeds.chunk_by(|one, other| one.0 == other.0) {
            let label = seeds[0].0;
            let mut elements: Vec<u32> = seeds.iter().map(|&(_, element)| element).collect();
            let parts = parts_about(mesh, &elements);
            if parts.is_empty() {
                continue;
            }
            let parent = self.numbers[label as usize];
            let first_new = self.lineage.len() as u32;
            for part in &parts {
                let number = self.lineage.branch(parent);
                separated.born.push([parent, number]);
                let measure: f64 = part.iter().map(|&element| mesh.measure(E::new(element))).sum();
                self.numbers.push(number);
                self.measures.resize(self.lineage.len(), 0.0);
                self.measures[number as usize] = measure;
                self.measures[label as usize] -= measure;
            }
            let new = first_new..self.lineage.len() as u32;
            let candidates: Vec<u32> = std::iter::once(label).chain(new.clone()).collect();
            let keeps = candidates[largest(candidates.iter().map(|&label| self.measures[label as usize]))];
            self.numbers.swap(label as usize, keeps as usize);
            if let Some(labels) = mesh.element_attributes_mut().labels_mut(names::PIECE) {
                for (part, number) in parts.iter().zip(new.clone()) {
                    part.iter().for_each(|&element| labels[element as usize] = number);
                }
            }
            elements.retain(|&element| labels(mesh)[element as usize] == label);
            separated.changed.push((label, elements));
            separated.changed.extend(new.zip(parts));
        }
        separated
    }

    /// Returns true if a patch would detach a part that is smaller than the smallest piece: from
    /// each new element the mesh is walked through until enough is connected.
    pub fn would_detach_debris<P: Id, E: Id, const N: usize>(
        &self,
        mesh: &SimplexMesh<P, E, N>,
        patch: &Patch<P, E, N>,
    ) -> bool
    where
        [Vec3; N]: Measure,
    {
        if self.smallest == 0.0 {
            return false;
        }
        let facets = |points: [u32; N]| (0..N).map(move |corner| facet_key(points, corner));
        // New elements get the numbers behind the last.
        let first_new = mesh.element_count() as u32;
        let added = |element: u32| patch.added.get(element.wrapping_sub(first_new) as usize);
        let mut at_facet: BTreeMap<[u32; N], Vec<u32>> = BTreeMap::new();
        for (added, number) in patch.added.iter().zip(first_new..) {
            for facet in facets(added.points.map(P::raw)) {
                at_facet.entry(facet).or_default().push(number);
            }
        }
        for &removed in &patch.removed {
            for corner in 0..N {
                let neighbour = mesh.neighbour(removed, corner).filter(|other| !patch.removed.contains(other));
                if let Some(other) = neighbour {
                    let key = facet_key(mesh.elements()[removed.index()], corner);
                    at_facet.entry(key).or_default().push(other.raw());
                }
            }
        }
        let points_of = |element: u32| {
            added(element).map_or_else(|| mesh.elements()[element as usize], |added| added.points.map(P::raw))
        };
        let measure_of = |element: u32| match added(element) {
            Some(added) => added.points.map(|point| mesh.planned_position(patch, point)).measure().max(0.0),
            None => mesh.measure(E::new(element)),
        };
        // Elements that are connected to enough.
        let mut sound: BTreeSet<u32> = BTreeSet::new();
        for seed in first_new..first_new + patch.added.len() as u32 {
            let (mut elements, mut known) = (vec![seed], BTreeSet::from([seed]));
            let (mut visited, mut measure) = (0, 0.0);
            let is_sound = loop {
                let Some(&element) = elements.get(visited) else { break false };
                visited += 1;
                measure += measure_of(element);
                if measure >= self.smallest || sound.contains(&element) {
                    break true;
                }
                for (facet, corner) in facets(points_of(element)).zip(0..) {
                    let unchanged = if element < first_new { mesh.neighbour(E::new(element), corner) } else { None };
                    match unchanged.filter(|other| !patch.removed.contains(other)) {
                        Some(other) => elements.extend(Some(other.raw()).filter(|&other| known.insert(other))),
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
}

/// The elements of the component that holds these elements. Takes time in proportion to it.
pub fn component<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, seeds: &[u32]) -> Vec<u32> {
    let mut elements = seeds.to_vec();
    let mut known: BTreeSet<u32> = elements.iter().copied().collect();
    let mut visited = 0;
    while let Some(&element) = elements.get(visited) {
        visited += 1;
        let neighbours = (0..N).filter_map(|corner| mesh.neighbour(E::new(element), corner));
        elements.extend(neighbours.map(E::raw).filter(|&neighbour| known.insert(neighbour)));
    }
    elements
}

/// The points of a facet, ascending, by which both elements at it find each other.
fn facet_key<const N: usize>(mut points: [u32; N], corner: usize) -> [u32; N] {
    points[corner] = NO_POINT;
    points.sort_unstable();
    points
}

/// The components that hold these elements (ascending), all but one of them: each with its
/// elements, in the order of their first among those given. All grow at the same pace, and the last
/// that still grows when the others are complete is left out: the work is that of the smaller
/// components.
fn parts_about<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, seeds: &[u32]) -> Vec<Vec<u32>> {
    let mut owner: BTreeMap<u32, u32> = seeds.iter().copied().zip(0..).collect();
    let mut joined = DisjointSets::new(seeds.len());
    // Elements of each part, and how many of them have been visited.
    let mut parts: Vec<(Vec<u32>, usize)> = seeds.iter().map(|&seed| (vec![seed], 0)).collect();
    let mut growing: Vec<u32> = (0..seeds.len() as u32).collect();
    while growing.len() > 1 {
        for &part in &growing {
            for _ in 0..GROWTH_STEP {
                let (elements, visited) = &mut parts[part as usize];
                if joined.root(part) != part || *visited == elements.len() {
                    break;
                }
                let element = elements[*visited];
                *visited += 1;
                for neighbour in (0..N).filter_map(|corner| mesh.neighbour(E::new(element), corner)) {
                    let here = joined.root(part);
                    match owner.get(&neighbour.raw()).map(|&other| joined.root(other)) {
                        None => {
                            owner.insert(neighbour.raw(), here);
                            parts[here as usize].0.push(neighbour.raw());
                        }
                        Some(other) if other != here => {
                            joined.join(here, other);
                            let (elements, visited) = std::mem::take(&mut parts[here.max(other) as usize]);
                            let (own, own_visited) = &mut parts[here.min(other) as usize];
                            // Visited elements stand first.
                            own.splice(*own_visited..*own_visited, elements[..visited].iter().copied());
                            *own_visited += visited;
                            own.extend(&elements[visited..]);
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        growing.retain(|&part| joined.root(part) == part && parts[part as usize].1 < parts[part as usize].0.len());
    }
    let left_out = growing.first().copied();
    let is_complete = |part: &u32| joined.root(*part) == *part && Some(*part) != left_out;
    let mut found: Vec<Vec<u32>> =
        (0..parts.len() as u32).filter(is_complete).map(|part| std::mem::take(&mut parts[part as usize].0)).collect();
    if left_out.is_none() {
        // All are complete: the largest is left out, the first of several.
        let most = (0..found.len()).max_by_key(|&part| (found[part].len(), usize::MAX - part));
        most.map(|part| found.remove(part));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;
    use craze_mesh::{NodeId, TetId, TetMesh, TriMesh, kuhn_box, kuhn_grid};

    #[test]
    fn a_connected_mesh_has_no_parts() {
        let mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
        for seeds in [vec![0, 383], vec![5], (0..384).collect(), (0..384).step_by(7).collect()] {
            assert!(parts_about(&mesh, &seeds).is_empty());
        }
    }

    /// Boxes of these lengths that share no node.
    fn boxes(lengths: [usize; 4]) -> TetMesh {
        let (mut positions, mut elements) = (Vec::new(), Vec::new());
        for (number, length) in lengths.into_iter().enumerate() {
            let part = kuhn_box([length, 1, 1], Vec3::new(length as f64, 1.0, 1.0)).unwrap();
            let first = positions.len() as u32;
            positions.extend(part.positions().iter().map(|rest| rest + Vec3::new(0.0, 0.0, 2.0 * number as f64)));
            elements.extend(part.elements().iter().map(|corners| corners.map(|corner| corner + first)));
        }
        TetMesh::from_parts(positions, elements).unwrap()
    }

    #[test]
    fn all_parts_but_the_largest_are_found() {
        let mesh = boxes([2, 9, 1, 3]);
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

    #[test]
    fn the_largest_part_keeps_the_number_whatever_its_elements() {
        let mut mesh = boxes([2, 9, 1, 3]);
        // All are labelled as one piece.
        let one_piece = Values::Labels(vec![0; mesh.element_count()]);
        mesh.element_attributes_mut().add(names::PIECE, ElementRule::Copy, one_piece).unwrap();
        let mut pieces = Pieces::of(&mut mesh, 0.1);
        assert!((pieces.measure(0) - 15.0).abs() < 1e-12 && (pieces.smallest - 1.5).abs() < 1e-12);
        let changed: Vec<u32> = (0..90).collect();
        let separated = pieces.separate(&mut mesh, &changed);
        assert_eq!(separated.born, [[0, 1], [0, 2], [0, 3]]);
        assert!(
            separated
                .changed
                .iter()
                .all(|(label, elements)| { elements.iter().all(|&element| labels(&mesh)[element as usize] == *label) })
        );
        let number = |pieces: &Pieces, mesh: &TetMesh, element| pieces.number_of(mesh, TetId(element));
        assert_eq!(number(&pieces, &mesh, 12), 0);
        let before: Vec<u32> = (0..90).map(|element| number(&pieces, &mesh, element)).collect();
        pieces.settle(&mut mesh);
        assert_eq!(labels(&mesh), before);
        let volumes = [0, 1, 2, 3].map(|label| pieces.measure(label).round());
        assert_eq!((volumes[0], volumes.iter().sum::<f64>()), (9.0, 15.0));
        assert_eq!([0, 1, 2, 3].map(|piece| pieces.lineage.parent(piece)), [None, Some(0), Some(0), Some(0)]);
        let debris: Vec<bool> = (0..4).map(|label| pieces.is_debris(label)).collect();
        assert_eq!(debris, volumes.map(|volume| volume < 1.5));
        assert_eq!(pieces.present(&mesh), (vec![0, 1, 2, 3], before));
    }

    #[test]
    fn a_sheet_comes_apart_like_a_solid() {
        // A row of squares, cut through at its third column of vertices.
        let mut mesh: TriMesh = kuhn_grid([6, 1], [6.0, 1.0]).unwrap();
        let mut pieces = Pieces::of(&mut mesh, 0.0);
        for point in mesh.point_ids().collect::<Vec<_>>() {
            if mesh.position(point).x == 2.0 {
                let beyond: Vec<_> = mesh
                    .elements_of(point)
                    .filter(|&element| mesh.corners(element).iter().map(|corner| corner.x).sum::<f64>() > 6.0)
                    .collect();
                mesh.duplicate_point(point, &beyond).unwrap();
            }
        }
        let changed: Vec<u32> = (0..mesh.element_count() as u32).collect();
        assert_eq!(pieces.separate(&mut mesh, &changed).born, [[0, 1]]);
        for element in mesh.element_ids() {
            let x = mesh.corners(element).iter().map(|corner| corner.x).sum::<f64>() / 3.0;
            assert_eq!(pieces.number_of(&mesh, element), u32::from(x < 2.0));
        }
        let left: Vec<u32> = (0..12).filter(|&element| labels(&mesh)[element as usize] == labels(&mesh)[0]).collect();
        let mut component = component(&mesh, &[0]);
        component.sort_unstable();
        assert_eq!(component, left);
    }

    #[test]
    fn a_cut_that_would_detach_debris_is_recognised() {
        let mut mesh = kuhn_box([3, 1, 1], Vec3::new(3.0, 1.0, 1.0)).unwrap();
        let middle = mesh.point_ids().find(|&node| mesh.position(node).x == 1.0).unwrap();
        let snap = craze_mesh::Snap { distance: 0.0, angle: 0.0 };
        let rest = mesh.positions().to_vec();
        let plane = craze_mesh::CutSurface::plane(Vec3::new(1.0, 0.3, 0.2));
        let patch = mesh.plan_cut(middle, &plane, |point: NodeId| rest[point.index()], snap).unwrap();
        // The cut ends inside the box: what is beside it is connected to all of the 3 m³.
        for (share, expected) in [(0.0, false), (0.99, false), (1.01, true)] {
            assert_eq!(Pieces::of(&mut mesh, share).would_detach_debris(&mesh, &patch), expected, "{share}");
        }
    }
}
