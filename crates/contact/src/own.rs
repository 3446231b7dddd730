//! The pieces of one body against each other, by the volumes that its tetrahedra share (O'Brien & Hodgins 1999, §3.3).
//!
//! Lips of a crack lie on each other from the start. Their triangles have no distance that could tell their sides, but their tetrahedra share
//! no volume: here nothing is in contact before it presses. Each pair of tetrahedra that overlaps is pushed apart in proportion to
//! the volume, along the normal of the surfaces within each other.
//!
//! Pairs are searched for when something has moved by a margin; where a crack has changed the mesh, only those of the tetrahedra that it has
//! changed. In between each pair is kept apart by a plane, a face of one of the two: nothing is looked at before something could have
//! crossed the gap, then it costs four dot products. Volumes are measured when something has moved by a two hundredth of an edge.

use crate::penalty::{Push, weights_at};
use crate::{ContactTetrahedra, SurfacePoint};
use craze_math::Vec3;
use craze_math::overlap;
use craze_math::tetrahedron::volume;
use craze_spatial::{Aabb, Bvh};
use rayon::prelude::*;

/// How far nodes may move before pairs are searched for anew, in mean edges of the surface.
const MARGIN: f64 = 0.1;

/// Depth up to which two tetrahedra only touch, in edges: what lies on each other after it has broken does so everywhere, and hardly presses.
const TOUCHING: f64 = 3e-4;

/// How far nodes may move before volumes are measured anew, in edges. In between volumes follow from how much pairs have parted, to first order.
const STALE: f64 = 5e-3;

/// Everything is searched for anew when what is new is more than one in this many of the rest.
const FRESH_SHARE: usize = 8;

/// Pairs that one thread looks at in one go.
const FEW: usize = 512;

/// Corners of the four faces, seen counterclockwise from outside; face k is opposite to node k.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The outer tetrahedra of a body, and which of them are near each other. One that is inside out is in contact with nothing. It is forgotten
/// at every frame boundary, so that a run that resumes there sees what one that never stopped sees.
#[derive(Debug, Default)]
pub struct OwnOverlaps {
    version: Option<u64>,
    /// Where the nodes are (m).
    places: Vec<Vec3>,
    /// Where the nodes were when pairs were searched for (m).
    anchors: Vec<Vec3>,
    /// Everything that has been outer since all pairs were searched for; what is new stands behind what the tree was built of.
    tetrahedra: Vec<Outer>,
    /// The present ones: elements of the body, ascending, and their places in the list.
    present: Vec<(u32, u32)>,
    /// Around each of the list, grown by the margin.
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// Whether the tree is one of the present tetrahedra, so that it can be refitted.
    is_grown: bool,
    pairs: Vec<Pair>,
    /// Where the nodes were when volumes were measured (m), and what was found.
    measured_at: Vec<Vec3>,
    shared: Vec<Shared>,
    /// A way that no node has exceeded since all pairs were searched for, up to when volumes were measured (m).
    travelled: f64,
}

/// A tetrahedron with a face on the surface.
#[derive(Clone, Copy, Debug)]
struct Outer {
    nodes: [u32; 4],
    /// Whether no crack has changed it.
    is_present: bool,
}

/// Two tetrahedra that could overlap before their nodes have moved by the margin.
#[derive(Clone, Copy, Debug)]
struct Pair {
    tetrahedra: [u32; 2],
    /// The face that last kept them apart: of the first one (0–3) or the second (4–7).
    plane: u8,
    /// They cannot overlap before the nodes have travelled this far (m).
    apart_until: f64,
}

/// Two tetrahedra that share a volume, as they were when it was measured.
#[derive(Clone, Copy, Debug)]
struct Shared {
    tetrahedra: [u32; 2],
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
        let (_, way) = moved(&self.places, &self.measured_at);
        if !(way <= STALE * matter.edge) {
            // Nothing has been measured before, or after all pairs were searched for.
            self.travelled += if self.measured_at.is_empty() { 0.0 } else { way };
            self.measured_at.clone_from(&self.places);
            self.shared.clear();
            self.measure(0, TOUCHING * matter.edge);
        }
        // Two beds in a row, each as thick as an edge.
        let bed = 0.5 * matter.modulus / matter.edge;
        for Shared { bearers: [first, second], volume, area, normal, .. } in &self.shared {
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
        let first_new = self.tetrahedra.len();
        let has_changed = self.version != Some(matter.version);
        if has_changed {
            self.version = Some(matter.version);
            self.find_changes(matter);
        }
        let margin = MARGIN * matter.edge;
        let known = self.anchors.len().min(self.places.len());
        let (drift, way) = moved(&self.places[..known], &self.anchors);
        let many = self.tetrahedra.len() > self.tree.len() + self.tree.len() / FRESH_SHARE + FEW;
        if many || !(way <= margin) {
            if !self.search(margin) {
                // Places that are not numbers: the check of the prediction names them.
                self.anchors.clear();
                return false;
            }
        } else if has_changed {
            // New nodes stand where they are; measured by what all have moved, they have not.
            self.anchors.extend(self.places[known..].iter().map(|place| place - drift));
            let (drift_since, _) = moved(&self.places[..known], &self.measured_at);
            self.measured_at.extend(self.places[known..].iter().map(|place| place - drift_since));
            // A node that has moved by all of the margin one way may yet move back and by as much the other way.
            self.search_about(first_new, drift, margin + way, TOUCHING * matter.edge);
        }
        !self.pairs.is_empty()
    }

    /// Compares the outer tetrahedra with those that were; new ones come behind the others.
    fn find_changes(&mut self, matter: &ContactTetrahedra) {
        let former = std::mem::take(&mut self.present);
        let mut former = former.into_iter().peekable();
        for &element in matter.outer {
            while let Some((_, gone)) = former.next_if(|&(other, _)| other < element) {
                self.tetrahedra[gone as usize].is_present = false;
            }
            let Some(&nodes) = matter.tetrahedra.get(element as usize) else { continue };
            if nodes.iter().any(|&node| node as usize >= self.places.len()) {
                continue;
            }
            if let Some((_, place)) = former.next_if(|&(other, _)| other == element) {
                if self.tetrahedra[place as usize].nodes == nodes {
                    self.present.push((element, place));
                    continue;
                }
                self.tetrahedra[place as usize].is_present = false;
            }
            self.present.push((element, self.tetrahedra.len() as u32));
            self.tetrahedra.push(Outer { nodes, is_present: true });
            self.is_grown = false;
        }
        for (_, gone) in former {
            self.tetrahedra[gone as usize].is_present = false;
            self.is_grown = false;
        }
    }

    /// Searches for all pairs.
    fn search(&mut self, margin: f64) -> bool {
        self.anchors.clone_from(&self.places);
        self.measured_at.clear();
        self.travelled = 0.0;
        if !self.is_grown {
            let present: Vec<Outer> = self.present.iter().map(|&(_, place)| self.tetrahedra[place as usize]).collect();
            self.tetrahedra = present;
            self.present.iter_mut().enumerate().for_each(|(place, (_, former))| *former = place as u32);
        }
        self.boxes.clear();
        let (tetrahedra, anchors) = (&self.tetrahedra, &self.anchors);
        self.boxes.extend(tetrahedra.iter().map(|outer| Aabb::around(&outer.corners(anchors)).grown(margin)));
        let made = match self.is_grown && self.tree.len() == self.boxes.len() {
            true => self.tree.refit(&self.boxes),
            false => Bvh::build(&self.boxes).map(|tree| self.tree = tree),
        };
        self.is_grown = made.is_ok();
        self.pairs.clear();
        if made.is_err() {
            return false;
        }
        let reach = 2.0 * margin;
        let parts = self.tree.self_pairs_by_parts(&self.boxes, |found: &mut Vec<Pair>, p, q| {
            found.extend(pair_of(tetrahedra, anchors, [p, q], reach));
        });
        self.pairs.extend(parts.into_iter().flatten());
        // The order of the tree must not be seen in sums.
        self.pairs.sort_unstable_by_key(|pair| pair.tetrahedra);
        true
    }

    /// Searches for the pairs of the tetrahedra from this one of the list on, whose nodes may move by a way (m) beside the drift, and measures
    /// them. All are taken as they are: with some of its nodes at their anchors a thin one could be inside out.
    fn search_about(&mut self, first_new: usize, drift: Vec3, way: f64, touching: f64) {
        let is_present = |place: u32| self.tetrahedra[place as usize].is_present;
        self.pairs.retain(|pair| pair.tetrahedra.into_iter().all(is_present));
        self.shared.retain(|shared| shared.tetrahedra.into_iter().all(is_present));
        let (tetrahedra, places, reach) = (&self.tetrahedra, &self.places, 2.0 * way);
        self.boxes.extend(tetrahedra[self.boxes.len()..].iter().map(|outer| {
            let corners = outer.corners(places).map(|corner| corner - drift);
            Aabb::around(&corners).grown(way)
        }));
        let (tree, boxes) = (&self.tree, &self.boxes);
        let first_pair = self.pairs.len();
        let about = |place: usize| {
            let mut found = Vec::new();
            let mut look = |other: u32| {
                if tetrahedra[other as usize].is_present {
                    found.extend(pair_of(tetrahedra, places, [other, place as u32], reach));
                }
            };
            tree.overlapping(&boxes[place], &boxes[..tree.len()], &mut look);
            (tree.len()..place)
                .filter(|&other| boxes[other].overlaps(&boxes[place]))
                .for_each(|other| look(other as u32));
            found
        };
        let found: Vec<Vec<Pair>> = (first_new..tetrahedra.len()).into_par_iter().with_min_len(16).map(about).collect();
        self.pairs.extend(found.into_iter().flatten());
        self.pairs[first_pair..].sort_unstable_by_key(|pair| pair.tetrahedra);
        self.measure(first_pair, touching);
    }

    /// Measures the pairs from this one on that share a volume, in their order.
    fn measure(&mut self, first: usize, touching: f64) {
        let (tetrahedra, places, travelled) = (&self.tetrahedra, &self.places, self.travelled);
        let look = |pair: &mut Pair| {
            if pair.apart_until > travelled {
                return None;
            }
            let corners = pair.tetrahedra.map(|place| tetrahedra[place as usize].corners(places));
            let mut apart = gap(&corners, pair.plane);
            if apart < -touching {
                (pair.plane, apart) = widest_gap(&corners, f64::INFINITY)?;
            }
            if !(apart < -touching) {
                // Each of the two may come nearer by half of it. A face of one that is inside out keeps nothing apart for long.
                let is_sound = corners.iter().all(|corners| volume(corners) > 0.0);
                pair.apart_until = if is_sound { travelled + 0.5 * apart } else { travelled };
                return None;
            }
            let overlap = overlap::tetrahedra(&corners[0], &corners[1])?;
            let area = overlap.area_normal.norm();
            let normal = (-overlap.area_normal).try_normalize(0.0)?;
            let bearers = [0, 1].map(|side: usize| {
                let nodes = tetrahedra[pair.tetrahedra[side] as usize].nodes;
                let weights = weights_at(&corners[side], &overlap.centroid);
                std::array::from_fn(|k| (nodes[k], weights[k]))
            });
            Some(Shared { tetrahedra: pair.tetrahedra, bearers, volume: overlap.volume, area, normal })
        };
        let pairs = &mut self.pairs[first..];
        if pairs.len() <= FEW {
            self.shared.extend(pairs.iter_mut().filter_map(look));
            return;
        }
        let chunks: Vec<Vec<Shared>> =
            pairs.par_chunks_mut(FEW).map(|chunk| chunk.iter_mut().filter_map(look).collect()).collect();
        self.shared.extend(chunks.into_iter().flatten());
    }
}

impl Outer {
    #[inline(always)]
    fn corners(&self, places: &[Vec3]) -> [Vec3; 4] {
        let [p, q, r, s] = self.nodes;
        [places[p as usize], places[q as usize], places[r as usize], places[s as usize]]
    }
}

/// What all places have moved by (m), and how far the farthest has moved beside that; infinite where the two do not match or are not numbers.
fn moved(places: &[Vec3], former: &[Vec3]) -> (Vec3, f64) {
    if places.len() != former.len() || places.is_empty() {
        return (Vec3::zeros(), f64::INFINITY);
    }
    let ways = || places.iter().zip(former).map(|(place, former)| place - former);
    let drift = ways().sum::<Vec3>() / places.len() as f64;
    let farthest = ways().map(|way| (way - drift).norm_squared()).fold(0.0, |farthest, square| {
        // Written so that what is not a number is far.
        if square <= farthest { farthest } else { square }
    });
    (drift, if farthest.is_finite() { farthest.sqrt() } else { f64::INFINITY })
}

/// Two tetrahedra as a pair, if they have no node in common and are not farther apart than the reach (m).
fn pair_of(tetrahedra: &[Outer], places: &[Vec3], [p, q]: [u32; 2], reach: f64) -> Option<Pair> {
    // By their nodes, which do not tell when they came into the list.
    let pair = if tetrahedra[p as usize].nodes < tetrahedra[q as usize].nodes { [p, q] } else { [q, p] };
    let [one, two] = pair.map(|place| &tetrahedra[place as usize]);
    if one.nodes.iter().any(|node| two.nodes.contains(node)) {
        return None;
    }
    let (plane, _) = widest_gap(&[one.corners(places), two.corners(places)], reach)?;
    Some(Pair { tetrahedra: pair, plane, apart_until: f64::NEG_INFINITY })
}

/// Height of the lowest corner of the other tetrahedron above the plane of a face, times twice the face's area; and the normal by that area.
fn height_above(corners: &[[Vec3; 4]; 2], plane: u8) -> (f64, Vec3) {
    let (own, other) = (usize::from(plane / 4), usize::from(1 - plane / 4));
    let [a, b, c] = FACES[usize::from(plane % 4)].map(|corner| corners[own][corner]);
    let normal = (b - a).cross(&(c - a));
    let height = |corner: &Vec3| (corner - a).dot(&normal);
    (corners[other].iter().map(height).fold(f64::INFINITY, f64::min), normal)
}

/// How far the plane of a face keeps two tetrahedra apart (m); negative where it does not, 0 where the face has no area.
fn gap(corners: &[[Vec3; 4]; 2], plane: u8) -> f64 {
    let (height, normal) = height_above(corners, plane);
    let area = normal.norm();
    if area > 0.0 { height / area } else { 0.0 }
}

/// The face whose plane keeps two tetrahedra farthest apart, and how far (m), negative where none does; nothing if that is farther than the
/// reach (m).
fn widest_gap(corners: &[[Vec3; 4]; 2], reach: f64) -> Option<(u8, f64)> {
    let mut widest = (0, f64::NEG_INFINITY);
    for plane in 0..8 {
        let gap = gap(corners, plane);
        if gap > reach {
            return None;
        }
        if gap > widest.1 {
            widest = (plane, gap);
        }
    }
    Some(widest)
}
