//! Background tetrahedra, which fill the leaves of the octree.
//!
//! Between leaves of one size they are those of the body-centred cubic lattice: an edge from centre
//! to centre, and an edge of the common face. They are bisected where finer leaves split that edge
//! and quadrisected toward smaller leaves; two half pyramids lead to a larger leaf (Labelle &
//! Shewchuk 2007 §4).

use rayon::prelude::*;

use super::classification::{CHUNK, Classification, points_of};
use super::morton::{GridIndex, decode, point, sorted, step};
use super::octree::Octree;

pub(super) struct Background {
    /// Morton keys of the points, sorted.
    pub(super) points: Vec<u64>,
    /// Sign of the level at each point.
    pub(super) signs: Vec<i8>,
    /// Positively oriented tetrahedra.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

impl Background {
    /// The tetrahedra of all leaves with a point inside.
    pub(super) fn new(classification: &Classification, octree: &Octree) -> Self {
        Self::with_signs(octree, |point| classification.sign(point))
    }

    /// The same with given signs.
    pub(super) fn with_signs(octree: &Octree, sign: impl Fn(u64) -> i8 + Sync) -> Self {
        let mut keyed: Vec<[u64; 4]> = Vec::new();
        for (level, leaves) in octree.leaves.iter().enumerate() {
            let level = level as u32;
            let fill = |chunk: &[u64]| {
                let mut filler = Filler { octree, level, found: Vec::new() };
                for &leaf in chunk {
                    filler.fill(leaf);
                }
                filler.found
            };
            let parts: Vec<Vec<[u64; 4]>> = leaves.par_chunks(CHUNK).map(fill).collect();
            keyed.extend(parts.into_iter().flatten());
        }
        // Midpoints of split edges and faces are corners of smaller leaves.
        let points = octree.leaves.iter().zip(0..).map(|(leaves, level)| {
            leaves
                .par_iter()
                .with_min_len(CHUNK)
                .flat_map_iter(move |&leaf| points_of(level, leaf))
                .collect::<Vec<u64>>()
        });
        let points = sorted(points.collect::<Vec<_>>().concat());
        let signs: Vec<i8> = points.par_iter().with_min_len(CHUNK).map(|&point| sign(point)).collect();
        let number = |key: u64| points.binary_search(&key).unwrap_or(0) as u32;
        let tetrahedra = keyed.par_iter().with_min_len(CHUNK).map(|corners| corners.map(number));
        let tetrahedra =
            tetrahedra.filter(|corners| corners.iter().any(|&corner| signs[corner as usize] > 0)).collect();
        Self { points, signs, tetrahedra }
    }
}

struct Filler<'a> {
    octree: &'a Octree,
    level: u32,
    found: Vec<[u64; 4]>,
}

impl Filler<'_> {
    fn fill(&mut self, leaf: u64) {
        let index = decode(leaf);
        for axis in 0..3 {
            for forward in [false, true] {
                let other = step(leaf, axis, forward);
                if self.octree.is_leaf(self.level, other) {
                    // The lower of both leaves fills their face.
                    if forward {
                        self.between_equals(leaf, index, axis);
                    }
                } else if self.octree.is_split(self.level, other) {
                    self.toward_smaller(index, axis, forward);
                } else if self.octree.is_leaf(self.level + 1, other >> 3) {
                    self.toward_larger(index, axis, forward);
                }
            }
        }
    }

    /// Four lattice tetrahedra, each bisected if its outer edge is split.
    fn between_equals(&mut self, leaf: u64, index: GridIndex, axis: usize) {
        let centre = index.map(|c| 2 * c + 1);
        let beyond = offset(centre, axis, 2);
        let middle = offset(centre, axis, 1);
        for [along, across] in [others(axis), [others(axis)[1], others(axis)[0]]] {
            for side in [-1, 1] {
                let edge = offset(middle, across, side);
                let ends = [offset(edge, along, -1), offset(edge, along, 1)];
                if self.is_split_edge(leaf, axis, across, side > 0) {
                    self.push([centre, beyond, ends[0], edge]);
                    self.push([centre, beyond, edge, ends[1]]);
                } else {
                    self.push([centre, beyond, ends[0], ends[1]]);
                }
            }
        }
    }

    /// Whether an octant around the edge on that side of the forward face has children.
    fn is_split_edge(&self, leaf: u64, axis: usize, across: usize, forward: bool) -> bool {
        let beside = step(leaf, across, forward);
        self.octree.is_split(self.level, beside) || self.octree.is_split(self.level, step(beside, axis, true))
    }

    /// Eight quarters of lattice tetrahedra.
    fn toward_smaller(&mut self, index: GridIndex, axis: usize, forward: bool) {
        let centre = index.map(|c| 2 * c + 1);
        let middle = offset(centre, axis, if forward { 1 } else { -1 });
        for [along, across] in [others(axis), [others(axis)[1], others(axis)[0]]] {
            for side in [-1, 1] {
                let edge = offset(middle, across, side);
                for end in [-1, 1] {
                    self.push([centre, middle, edge, offset(edge, along, end)]);
                }
            }
        }
    }

    /// Two half pyramids with a common diagonal to the corner of the larger leaf's face.
    fn toward_larger(&mut self, index: GridIndex, axis: usize, forward: bool) {
        let centre = index.map(|c| 2 * c + 1);
        let face = offset(centre, axis, if forward { 1 } else { -1 });
        let [one, other] = others(axis);
        // The centre of the larger leaf lies toward odd corners.
        let toward = |axis: usize| if index[axis] & 1 == 1 { -1 } else { 1 };
        let corner = |a: i32, b: i32| offset(offset(face, one, a * toward(one)), other, b * toward(other));
        self.push([centre, corner(1, 1), corner(-1, -1), corner(1, -1)]);
        self.push([centre, corner(1, 1), corner(-1, -1), corner(-1, 1)]);
    }

    /// Adds a tetrahedron with positive orientation.
    fn push(&mut self, mut corners: [GridIndex; 4]) {
        let [a, b, c] = [1, 2, 3].map(|i| [0, 1, 2].map(|axis| corners[i][axis] - corners[0][axis]));
        let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        if determinant < 0 {
            corners.swap(2, 3);
        }
        self.found.push(corners.map(|corner| point(self.level, corner)));
    }
}

fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

fn offset(mut index: GridIndex, axis: usize, by: i32) -> GridIndex {
    index[axis] += by;
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stuffing::StuffingOptions;
    use crate::stuffing::quality::DihedralRange;
    use crate::stuffing::stencil::fill;
    use crate::stuffing::testing::ball;
    use crate::stuffing::warp::warp;

    #[test]
    fn a_graded_background_fills_space_without_gaps_or_bad_angles() {
        for grading in 0..3 {
            let options = StuffingOptions { grading, refinement: 0, ..StuffingOptions::with_edge(0.05) };
            let classification = Classification::new(&ball(1.0), &options).expect("a classification");
            let octree = Octree::new(&classification, &[], &options).expect("an octree");
            assert!(octree.leaves.iter().all(|leaves| !leaves.is_empty()), "all {grading} levels are used");
            // All inside: the boundary is that of the leaves.
            let background = Background::with_signs(&octree, |_| 1);
            let filled = fill(&background, &warp(&classification.frame, &background, &[]), |_| false);
            let range = DihedralRange::of_all(&filled.positions, &filled.tetrahedra);
            assert!(range.smallest > 44.9 && range.largest < 120.1, "{range:?}");
            let mesh = craze_mesh::TetMesh::from_parts(filled.positions, filled.tetrahedra).expect("a mesh");
            let outer = mesh.boundary().triangles;
            assert!(outer.iter().flatten().all(|node| mesh.position(*node).norm() > 0.95), "a hole inside");
        }
    }
}
