//! Tetrahedra that fill the octree's leaves: the background that the surface cuts.
//!
//! Between two leaves of one size stand the tetrahedra of the body-centred cubic lattice: an edge from centre to centre, and an edge
//! of their common face. Where finer leaves halve that edge the tetrahedron is halved; toward smaller leaves it is quartered,
//! and toward a larger one a leaf fills its face with two half pyramids (Labelle & Shewchuk 2007 §4).

use rayon::prelude::*;

use super::key::{Place, decode, point, sorted, step};
use super::octree::Octree;
use super::survey::{CHUNK, Survey, points_of};

/// Tetrahedra over lattice points.
pub(super) struct Background {
    /// Keys of the points, sorted.
    pub(super) points: Vec<u64>,
    /// Sign of the level at each point.
    pub(super) signs: Vec<i8>,
    /// Positive tetrahedra.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

impl Background {
    /// The tetrahedra of all leaves that have a point inside.
    pub(super) fn new(survey: &Survey, octree: &Octree) -> Self {
        Self::with_signs(octree, |point| survey.sign(point))
    }

    /// The same with signs from elsewhere.
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
        // Middles of halved edges and quartered faces are corners of the smaller leaves.
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
        let place = decode(leaf);
        for axis in 0..3 {
            for forward in [false, true] {
                let other = step(leaf, axis, forward);
                if self.octree.is_leaf(self.level, other) {
                    // Both leaves see this face: the lower one fills it.
                    if forward {
                        self.between_equals(leaf, place, axis);
                    }
                } else if self.octree.is_split(self.level, other) {
                    self.toward_smaller(place, axis, forward);
                } else if self.octree.is_leaf(self.level + 1, other >> 3) {
                    self.toward_larger(place, axis, forward);
                }
            }
        }
    }

    /// Four lattice tetrahedra, each halved if its outer edge is.
    fn between_equals(&mut self, leaf: u64, place: Place, axis: usize) {
        let centre = place.map(|c| 2 * c + 1);
        let beyond = shifted(centre, axis, 2);
        let middle = shifted(centre, axis, 1);
        for [along, across] in [others(axis), [others(axis)[1], others(axis)[0]]] {
            for side in [-1, 1] {
                let edge = shifted(middle, across, side);
                let ends = [shifted(edge, along, -1), shifted(edge, along, 1)];
                if self.is_halved(leaf, axis, across, side > 0) {
                    self.push([centre, beyond, ends[0], edge]);
                    self.push([centre, beyond, edge, ends[1]]);
                } else {
                    self.push([centre, beyond, ends[0], ends[1]]);
                }
            }
        }
    }

    /// Whether the edge of the forward face on that side has a point in its middle: then an octant around it has children.
    fn is_halved(&self, leaf: u64, axis: usize, across: usize, forward: bool) -> bool {
        let beside = step(leaf, across, forward);
        self.octree.is_split(self.level, beside) || self.octree.is_split(self.level, step(beside, axis, true))
    }

    /// Eight quarters of lattice tetrahedra.
    fn toward_smaller(&mut self, place: Place, axis: usize, forward: bool) {
        let centre = place.map(|c| 2 * c + 1);
        let middle = shifted(centre, axis, if forward { 1 } else { -1 });
        for [along, across] in [others(axis), [others(axis)[1], others(axis)[0]]] {
            for side in [-1, 1] {
                let edge = shifted(middle, across, side);
                for end in [-1, 1] {
                    self.push([centre, middle, edge, shifted(edge, along, end)]);
                }
            }
        }
    }

    /// Two half pyramids that meet along the diagonal from the middle of the larger leaf's face to its corner.
    fn toward_larger(&mut self, place: Place, axis: usize, forward: bool) {
        let centre = place.map(|c| 2 * c + 1);
        let face = shifted(centre, axis, if forward { 1 } else { -1 });
        let [one, other] = others(axis);
        // The larger leaf's middle lies toward odd corners.
        let toward = |axis: usize| if place[axis] & 1 == 1 { -1 } else { 1 };
        let corner = |a: i32, b: i32| shifted(shifted(face, one, a * toward(one)), other, b * toward(other));
        self.push([centre, corner(1, 1), corner(-1, -1), corner(1, -1)]);
        self.push([centre, corner(1, 1), corner(-1, -1), corner(-1, 1)]);
    }

    /// Adds a tetrahedron, turned if it is negative.
    fn push(&mut self, mut corners: [Place; 4]) {
        let [a, b, c] = [1, 2, 3].map(|i| [0, 1, 2].map(|axis| corners[i][axis] - corners[0][axis]));
        let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        if determinant < 0 {
            corners.swap(2, 3);
        }
        self.found.push(corners.map(|corner| point(self.level, corner)));
    }
}

/// The other two axes.
fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

fn shifted(mut place: Place, axis: usize, by: i32) -> Place {
    place[axis] += by;
    place
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
            let survey = Survey::new(&ball(1.0), &options).expect("a survey");
            let octree = Octree::new(&survey, &[], &options).expect("an octree");
            assert!(octree.leaves.iter().all(|leaves| !leaves.is_empty()), "all {grading} levels are used");
            // All points inside: the boundary is that of the leaves, far from the changes of level.
            let background = Background::with_signs(&octree, |_| 1);
            let filled = fill(&background, &warp(&survey.frame, &background, &[]), |_| false);
            let range = DihedralRange::of_all(&filled.positions, &filled.tetrahedra);
            assert!(range.smallest > 44.9 && range.largest < 120.1, "{range:?}");
            let mesh = craze_mesh::TetMesh::from_parts(filled.positions, filled.tetrahedra).expect("a mesh");
            let outer = mesh.boundary().triangles;
            assert!(outer.iter().flatten().all(|node| mesh.position(*node).norm() > 0.95), "a hole inside");
        }
    }
}
