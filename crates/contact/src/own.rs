//! The pieces of one body against each other, by the volumes that its tetrahedra share (O'Brien & Hodgins 1999, §3.3).
//!
//! Lips of a crack lie on each other from the start. Their triangles have no distance that could tell their sides, but their tetrahedra share
//! no volume: here nothing is in contact before it presses. Each pair of tetrahedra that overlaps is pushed apart in proportion to
//! the volume, along the normal of the surfaces within each other.
//!
//! Pairs are searched for when something has moved by a margin. In between each is kept apart by a plane, a face of one of the two: as
//! long as the plane holds, the pair costs four dot products. Volumes are measured when something has moved by a two hundredth of an edge.

use crate::penalty::{Push, weights_at};
use crate::{ContactTetrahedra, SurfacePoint};
use craze_math::Vec3;
use craze_math::overlap;
use craze_spatial::{Aabb, Bvh};
use rayon::prelude::*;

/// How far nodes may move before pairs are searched for anew, in mean edges of the surface.
const MARGIN: f64 = 0.1;

/// Depth up to which two tetrahedra only touch, in edges: what lies on each other after it has broken does so everywhere, and hardly presses.
const TOUCHING: f64 = 3e-4;

/// How far nodes may move before volumes are measured anew, in edges. In between volumes follow from how much pairs have parted, to first order.
const STALE: f64 = 5e-3;

/// Pairs that one thread looks at in one go.
const FEW: usize = 512;

/// Corners of the four faces, seen counterclockwise from outside; face k is opposite to node k.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The outer tetrahedra of a body, and which of them are near each other. One that is inside out is in contact with nothing. It is forgotten
/// at every frame boundary, so that a run that resumes there sees what one that never stopped sees.
#[derive(Debug, Default)]
pub struct OwnOverlaps {
    version: Option<u64>,
    /// Nodes of the outer tetrahedra.
    tetrahedra: Vec<[u32; 4]>,
    /// Where the nodes are (m).
    places: Vec<Vec3>,
    /// Where the nodes were when pairs were searched for (m).
    anchors: Vec<Vec3>,
    tree: Bvh,
    boxes: Vec<Aabb>,
    /// Ascending.
    pairs: Vec<Pair>,
    /// Where the nodes were when volumes were measured (m), and what was found.
    measured_at: Vec<Vec3>,
    shared: Vec<Shared>,
}

/// Two tetrahedra that could overlap before their nodes have moved by the margin.
#[derive(Clone, Copy, Debug)]
struct Pair {
    tetrahedra: [u32; 2],
    /// The face that last kept them apart: of the first one (0–3) or the second (4–7).
    plane: u8,
}

/// Two tetrahedra that share a volume, as they were when it was measured.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Nodes of both with weights that led to its centroid.
    bearers: [[(u32, f64); 4]; 2],
    /// The volume (m³).
    volume: f64,
    /// How it grows as one is shifted into the other (m²).
    area: f64,
    /// Unit normal out of the second.
    normal: Vec3,
}

impl OwnOverlaps {
    /// Pushes what overlaps apart over a step (s), with friction and restitution as `touch` has them. `nodes` are those of the body; `push`
    /// is called with a node's number and an impulse on it (N·s), several times for one node.
    pub fn press(
        &mut self,
        matter: &ContactTetrahedra,
        nodes: &[SurfacePoint],
        time_step: f64,
        touch: (f64, f64),
        mut push: impl FnMut(u32, Vec3),
    ) {
        self.places.clear();
        self.places.extend(nodes.iter().map(|node| node.start));
        if !self.follow(matter) {
            return;
        }
        if !are_near(&self.places, &self.measured_at, STALE * matter.edge) {
            self.measure(TOUCHING * matter.edge);
        }
        // Two beds in a row, each as thick as an edge.
        let bed = 0.5 * matter.modulus / matter.edge;
        for Shared { bearers: [first, second], volume, area, normal } in &self.shared {
            let place = |bearers: &[(u32, f64); 4]| -> Vec3 {
                bearers.iter().map(|&(node, weight)| weight * self.places[node as usize]).sum()
            };
            // The volume shrinks by the area as the two part.
            let left = volume - area * normal.dot(&(place(first) - place(second)));
            let pressing = Push { normal: *normal, force: bed * left, stiffness: bed * area };
            let impulse = pressing.impulse([first, second], [nodes, nodes], time_step, touch);
            first.iter().for_each(|&(node, weight)| push(node, weight * impulse));
            second.iter().for_each(|&(node, weight)| push(node, -weight * impulse));
        }
    }

    /// Brings the pairs up to date; false if there is none, or if the nodes cannot be put in a tree.
    fn follow(&mut self, matter: &ContactTetrahedra) -> bool {
        if self.version != Some(matter.version) {
            self.version = Some(matter.version);
            self.tetrahedra.clear();
            let outer = matter.outer.iter().filter_map(|&element| matter.tetrahedra.get(element as usize));
            let is_known = |corners: &&[u32; 4]| corners.iter().all(|&node| (node as usize) < self.places.len());
            self.tetrahedra.extend(outer.filter(is_known));
            self.anchors.clear();
            self.measured_at.clear();
            self.tree = Bvh::default();
        }
        let margin = MARGIN * matter.edge;
        if !are_near(&self.places, &self.anchors, margin) && !self.search(margin) {
            // Places that are not numbers: the check of the prediction names them.
            self.anchors.clear();
            return false;
        }
        !self.pairs.is_empty()
    }

    fn search(&mut self, margin: f64) -> bool {
        self.anchors.clone_from(&self.places);
        let corners_of = |corners: &[u32; 4]| corners.map(|node| self.anchors[node as usize]);
        self.boxes.clear();
        self.boxes.extend(self.tetrahedra.iter().map(|corners| Aabb::around(&corners_of(corners)).grown(margin)));
        let is_new = self.tree.len() != self.boxes.len();
        let made =
            if is_new { Bvh::build(&self.boxes).map(|tree| self.tree = tree) } else { self.tree.refit(&self.boxes) };
        self.pairs.clear();
        if made.is_err() {
            return false;
        }
        let (tetrahedra, reach) = (&self.tetrahedra, 2.0 * margin);
        let parts = self.tree.self_pairs_by_parts(&self.boxes, |found: &mut Vec<Pair>, p, q| {
            let [one, two] = [p.min(q), p.max(q)].map(|place| tetrahedra[place as usize]);
            if one.iter().any(|node| two.contains(node)) {
                return;
            }
            let (plane, distance) = widest_gap(&corners_of(&one), &corners_of(&two));
            // Written so that what is flat stays.
            if !(distance > reach) {
                found.push(Pair { tetrahedra: [p.min(q), p.max(q)], plane });
            }
        });
        self.pairs.extend(parts.into_iter().flatten());
        // The order of the tree must not be seen in sums.
        self.pairs.sort_unstable_by_key(|pair| pair.tetrahedra);
        true
    }

    /// Measures all pairs that share a volume, in ascending order.
    fn measure(&mut self, touching: f64) {
        self.measured_at.clone_from(&self.places);
        let (tetrahedra, places) = (&self.tetrahedra, &self.places);
        let look = |pair: &mut Pair| {
            let [one, two] = pair.tetrahedra;
            let corners = [corners_at(tetrahedra, places, one), corners_at(tetrahedra, places, two)];
            if parts(&corners, pair.plane, touching) {
                return None;
            }
            if let Some(plane) = (0..8).find(|&plane| parts(&corners, plane, touching)) {
                pair.plane = plane;
                return None;
            }
            let overlap = overlap::tetrahedra(&corners[0], &corners[1])?;
            let area = overlap.area_normal.norm();
            let normal = (-overlap.area_normal).try_normalize(0.0)?;
            let bearers = [0, 1].map(|side: usize| {
                let nodes = tetrahedra[pair.tetrahedra[side] as usize];
                let weights = weights_at(&corners[side], &overlap.centroid);
                std::array::from_fn(|k| (nodes[k], weights[k]))
            });
            Some(Shared { bearers, volume: overlap.volume, area, normal })
        };
        self.shared.clear();
        if self.pairs.len() <= FEW {
            self.shared.extend(self.pairs.iter_mut().filter_map(look));
            return;
        }
        let chunks: Vec<Vec<Shared>> =
            self.pairs.par_chunks_mut(FEW).map(|chunk| chunk.iter_mut().filter_map(look).collect()).collect();
        self.shared.extend(chunks.into_iter().flatten());
    }
}

/// Whether no place is farther than a distance (m) from where it was, but for what all have moved.
fn are_near(places: &[Vec3], former: &[Vec3], distance: f64) -> bool {
    if places.len() != former.len() || places.is_empty() {
        return false;
    }
    let ways = || places.iter().zip(former).map(|(place, former)| place - former);
    let drift = ways().sum::<Vec3>() / places.len() as f64;
    // Written so that places which are not numbers are far.
    ways().all(|way| (way - drift).norm_squared() <= distance * distance)
}

#[inline(always)]
fn corners_at(tetrahedra: &[[u32; 4]], places: &[Vec3], tetrahedron: u32) -> [Vec3; 4] {
    let [p, q, r, s] = tetrahedra[tetrahedron as usize];
    [places[p as usize], places[q as usize], places[r as usize], places[s as usize]]
}

/// Height of the lowest corner of the other tetrahedron above the plane of a face, times twice the face's area; and the normal by that area.
fn height_above(corners: &[[Vec3; 4]; 2], plane: u8) -> (f64, Vec3) {
    let (own, other) = (usize::from(plane / 4), usize::from(1 - plane / 4));
    let [a, b, c] = FACES[usize::from(plane % 4)].map(|corner| corners[own][corner]);
    let normal = (b - a).cross(&(c - a));
    let height = |corner: &Vec3| (corner - a).dot(&normal);
    (corners[other].iter().map(height).fold(f64::INFINITY, f64::min), normal)
}

/// Whether the plane of a face keeps two tetrahedra apart, but for a depth (m) up to which they only touch.
fn parts(corners: &[[Vec3; 4]; 2], plane: u8, touching: f64) -> bool {
    let (height, normal) = height_above(corners, plane);
    height >= 0.0 || height * height <= touching * touching * normal.norm_squared()
}

/// The face whose plane keeps two tetrahedra farthest apart, and how far (m); negative where none does.
fn widest_gap(one: &[Vec3; 4], two: &[Vec3; 4]) -> (u8, f64) {
    let corners = [*one, *two];
    let gap = |plane: u8| {
        let (height, normal) = height_above(&corners, plane);
        (plane, height / normal.norm())
    };
    (0..8).map(gap).fold((0, f64::NEG_INFINITY), |widest, next| if next.1 > widest.1 { next } else { widest })
}
