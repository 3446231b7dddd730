//! Penalty forces between the pieces of one body, by the volume in which its tetrahedra overlap
//! (O'Brien & Hodgins 1999, §3.3).
//!
//! The faces of a closed crack coincide: no distance tells their sides, but their tetrahedra do not
//! overlap, so that nothing is in contact before it penetrates. Each pair of tetrahedra that
//! overlaps is pushed apart in proportion to the volume, along the summed normal of the surfaces
//! within each other.
//!
//! The pairs of a tetrahedron are searched for when it is new, when a crack has changed it and when
//! it has moved by a margin. In between, the plane of a face of one of the two separates a pair,
//! and the pair is not checked before the two could have crossed the gap. A volume is measured
//! again when its nodes have moved against each other by a hundredth of an edge. A piece that flies
//! off therefore costs no more than by itself.

use super::penalty::{PenaltySpring, weights_at};
use crate::tolerances::{
    MAX_OVERLAP_MOTION_FACTOR, OVERLAP_MOTION, OVERLAP_MOTION_DEPTHS, OVERLAP_SEARCH_MARGIN, OVERLAP_TOUCHING_DEPTH,
};
use crate::{ContactMaterial, ContactTetrahedra, SurfacePoint};
use craze_math::overlap;
use craze_math::polar::polar;
use craze_math::tetrahedron::volume;
use craze_math::{Mat3, Vec3};
use craze_spatial::{Aabb, Bvh};
use rayon::prelude::*;

/// Share of the margin from which tetrahedra join a search that others need: a search costs about
/// the same for few and for many.
const JOINT_SEARCH_SHARE: f64 = 0.5;

/// All pairs are searched for again when new tetrahedra are more than one in this many of the
/// others.
const FULL_SEARCH_SHARE: usize = 8;

/// Time between two impulses, in times that sound takes through a mean edge. Thin elements make
/// steps many times shorter than contact needs: two overlapping tetrahedra oscillate with a period
/// of about six of these times.
const IMPULSE_INTERVAL: f64 = 0.5;

/// Pairs per task.
const PAIRS_PER_TASK: usize = 512;

/// Volumes per task.
const VOLUMES_PER_TASK: usize = 64;

/// Corners of the four faces, seen counterclockwise from outside; face k is opposite to node k.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The outer tetrahedra of a body and their pairs. An inverted one is in contact with nothing. It
/// is dropped at every frame boundary, so that a resumed run continues with the same bits.
#[derive(Debug, Default)]
pub struct SelfOverlaps {
    version: Option<u64>,
    /// Positions of the nodes (m).
    places: Vec<Vec3>,
    /// Positions in the step before (m), and displacements since then without the mean one (m).
    before: Vec<Vec3>,
    ways: Vec<f64>,
    /// Positions when pairs were searched for (m).
    anchors: Vec<Vec3>,
    /// All tetrahedra that have been outer since all pairs were searched for; those that are new
    /// come after those in the tree.
    tetrahedra: Vec<Outer>,
    /// The present ones: elements of the body, ascending, and their indices in the list.
    present: Vec<(u32, u32)>,
    /// Bounding box of each of the list, grown by its possible displacement.
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// True if the tree contains exactly the present tetrahedra in the order of the list.
    is_grown: bool,
    /// The version of the body when the tree was built. As long as it is the same, the present
    /// tetrahedra have the same order once the list is compacted, and the tree can be refitted.
    built_of: Option<u64>,
    pairs: Vec<Pair>,
    shared: Vec<Shared>,
    /// Unused entries of that list.
    free: Vec<u32>,
}

/// A tetrahedron with a face on the surface.
#[derive(Clone, Copy, Debug)]
struct Outer {
    nodes: [u32; 4],
    /// False once a crack or a search has replaced it.
    is_present: bool,
    /// Upper bound of the path of its nodes since it joined the list (m).
    travelled: f64,
}

/// Two tetrahedra that could overlap before their nodes have moved by the margin.
#[derive(Clone, Copy, Debug)]
struct Pair {
    tetrahedra: [u32; 2],
    /// The face that last separated them: of the first one (0–3) or the second (4–7).
    plane: u8,
    /// They are not checked before the sum of both paths has reached this (m).
    due: f64,
    /// Index of their overlap, or [`NONE`].
    shared: u32,
}

/// No overlap.
const NONE: u32 = u32::MAX;

/// The overlap of two tetrahedra when it was measured.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Positions of the nodes of both (m).
    corners: [[Vec3; 4]; 2],
    /// Nodes of both with their weights at its centroid.
    bearers: [[(u32, f64); 4]; 2],
    /// The volume (m³).
    volume: f64,
    /// Its derivative with a displacement of one into the other (m²).
    area: f64,
    /// Unit normal out of the second.
    normal: Vec3,
}

impl Shared {
    /// Relative displacement of the nodes (m) after which it is measured again, at least the given
    /// one (m).
    fn bears(&self, stale: f64) -> f64 {
        let depth = if self.area > 0.0 { self.volume / self.area } else { 0.0 };
        (OVERLAP_MOTION_DEPTHS * depth).clamp(stale, MAX_OVERLAP_MOTION_FACTOR * stale)
    }
}

impl SelfOverlaps {
    /// Duration (s) for which forces act in a step (s) that starts at a time (s): the step, or,
    /// where steps are short, the time of several steps at once and nothing in between (impulse
    /// method, Grubmüller et al. 1991). It follows from the time alone, so that a repeated step and
    /// a resumed run apply forces at the same times.
    pub fn pulse(matter: &ContactTetrahedra, from: f64, time_step: f64) -> Option<f64> {
        let interval = IMPULSE_INTERVAL * matter.edge / matter.sound;
        // Written so that a body without a speed of sound gets forces in every step.
        if !(time_step < interval && interval.is_finite()) {
            return Some(time_step);
        }
        let passed = ((from + time_step) / interval).floor() - (from / interval).floor();
        (passed > 0.0).then_some(passed * interval)
    }

    /// Finds the impulses of overlapping pairs over a step (s), with friction and restitution.
    /// `nodes` are those of the body; `push` is called with the index of a node and an impulse on
    /// it (N·s), several times per node.
    pub fn press(
        &mut self,
        matter: &ContactTetrahedra,
        nodes: &[SurfacePoint],
        time_step: f64,
        material: ContactMaterial,
        mut push: impl FnMut(u32, Vec3),
    ) {
        self.places.clear();
        self.places.extend(nodes.iter().map(|node| node.start));
        if !self.follow(matter) {
            return;
        }
        self.check_due(OVERLAP_TOUCHING_DEPTH * matter.edge, OVERLAP_MOTION * matter.edge);
        // Two elastic layers in series, each as thick as an edge.
        let bed = 0.5 * matter.modulus / matter.edge;
        let measured =
            self.pairs.iter().filter(|pair| pair.shared != NONE).map(|pair| &self.shared[pair.shared as usize]);
        for Shared { bearers: [first, second], volume, area, normal, .. } in measured {
            let place = |bearers: &[(u32, f64); 4]| -> Vec3 {
                bearers.iter().map(|&(node, weight)| weight * self.places[node as usize]).sum()
            };
            // First-order change of the volume with the separation.
            let left = volume - area * normal.dot(&(place(first) - place(second)));
            if !(left > 0.0) {
                continue;
            }
            let spring = PenaltySpring { force: bed * left, stiffness: bed * area };
            let impulse = spring.impulse([first, second], [nodes, nodes], normal, time_step, material);
            first.iter().for_each(|&(node, weight)| push(node, weight * impulse));
            second.iter().for_each(|&(node, weight)| push(node, -weight * impulse));
        }
    }

    /// Updates the pairs. Returns false if there is none, or if the nodes cannot be put in a tree.
    fn follow(&mut self, matter: &ContactTetrahedra) -> bool {
        self.measure_ways();
        let first_new = self.tetrahedra.len();
        let has_changed = self.version != Some(matter.version);
        if has_changed {
            self.version = Some(matter.version);
            self.find_changes(matter);
        }
        let margin = OVERLAP_SEARCH_MARGIN * matter.edge;
        let known = self.anchors.len().min(self.places.len());
        let drift = Drift::of(&self.places[..known], &self.anchors);
        let moved = |(place, anchor): (&Vec3, &Vec3)| drift.left(place, anchor);
        // Written so that a position which is not a number counts as moved.
        let has_strayed = known == 0 || !self.places.iter().zip(&self.anchors).all(|pair| moved(pair) <= margin);
        let limit = if has_strayed { JOINT_SEARCH_SHARE * margin } else { margin };
        let mut way = 0.0f64;
        if has_strayed || has_changed {
            for (place, anchor) in self.places.iter().zip(&mut self.anchors) {
                let moved = moved((place, anchor));
                if moved <= limit {
                    way = way.max(moved);
                } else {
                    *anchor = Vec3::repeat(f64::NAN);
                }
            }
        }
        if has_strayed {
            self.renew_strayed();
        }
        let many = self.tetrahedra.len() > self.tree.len() + self.tree.len() / FULL_SEARCH_SHARE + PAIRS_PER_TASK;
        if known == 0 || many {
            if !self.search(margin) {
                // Positions that are not numbers: the check of the prediction reports them.
                self.anchors.clear();
                return false;
            }
        } else if has_changed || has_strayed {
            // New nodes have not moved relative to the common motion.
            self.anchors.resize(self.places.len(), Vec3::repeat(f64::NAN));
            for (anchor, place) in self.anchors.iter_mut().zip(&self.places).filter(|(anchor, _)| anchor.x.is_nan()) {
                *anchor = drift.undone(place);
            }
            // A node that has moved by the margin one way may yet move back and by as much the
            // other way.
            self.search_about(first_new, &drift, margin + way);
        }
        !self.pairs.is_empty()
    }

    /// Measures the motion of nodes and tetrahedra since the step before.
    fn measure_ways(&mut self) {
        let known = self.before.len().min(self.places.len());
        // Rotation counts as motion: a measured overlap has its normal of that time.
        let drift = drift(&self.places[..known], &self.before);
        self.ways.clear();
        self.ways.extend(self.places.iter().zip(&self.before).map(|(place, before)| (place - before - drift).norm()));
        // New nodes belong to new tetrahedra only.
        self.ways.resize(self.places.len(), 0.0);
        for &(_, place) in &self.present {
            let outer = &mut self.tetrahedra[place as usize];
            outer.travelled += outer.nodes.map(|node| self.ways[node as usize]).into_iter().fold(0.0, f64::max);
        }
        self.before.clone_from(&self.places);
    }

    /// Replaces tetrahedra of which a node has left its anchor by new ones.
    fn renew_strayed(&mut self) {
        for (_, place) in &mut self.present {
            let outer = self.tetrahedra[*place as usize];
            if outer.nodes.iter().any(|&node| self.anchors.get(node as usize).is_some_and(|anchor| anchor.x.is_nan())) {
                self.tetrahedra[*place as usize].is_present = false;
                *place = self.tetrahedra.len() as u32;
                self.tetrahedra.push(Outer { travelled: 0.0, ..outer });
                self.is_grown = false;
            }
        }
    }

    /// Compares the outer tetrahedra with the former ones; new ones come after the others.
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
            self.tetrahedra.push(Outer { nodes, is_present: true, travelled: 0.0 });
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
        if !self.is_grown {
            let present: Vec<Outer> = self.present.iter().map(|&(_, place)| self.tetrahedra[place as usize]).collect();
            self.tetrahedra = present;
            self.present.iter_mut().enumerate().for_each(|(place, (_, former))| *former = place as u32);
        }
        self.boxes.clear();
        let (tetrahedra, anchors) = (&self.tetrahedra, &self.anchors);
        self.boxes.extend(tetrahedra.iter().map(|outer| Aabb::from_points(&outer.corners(anchors)).grown(margin)));
        let made = match self.built_of == self.version && self.tree.len() == self.boxes.len() {
            true => self.tree.refit(&self.boxes),
            false => Bvh::build(&self.boxes).map(|tree| self.tree = tree),
        };
        self.is_grown = made.is_ok();
        self.built_of = self.version.filter(|_| made.is_ok());
        self.pairs.clear();
        self.shared.clear();
        self.free.clear();
        if made.is_err() {
            return false;
        }
        let reach = 2.0 * margin;
        let parts = self.tree.par_self_pairs(&self.boxes, |found: &mut Vec<Pair>, p, q| {
            found.extend(pair_of(tetrahedra, anchors, [p, q], reach));
        });
        self.pairs.extend(parts.into_iter().flatten());
        // Sums must not depend on the order of the tree.
        self.pairs.sort_unstable_by_key(|pair| pair.tetrahedra);
        true
    }

    /// Searches for the pairs of the tetrahedra from this index of the list on, of which the nodes
    /// may move by a distance (m) beside the common motion. All tetrahedra are tested at their
    /// present positions: with some of its nodes at their anchors a thin one could be inverted.
    fn search_about(&mut self, first_new: usize, drift: &Drift, way: f64) {
        let (tetrahedra, free) = (&self.tetrahedra, &mut self.free);
        self.pairs.retain(|pair| {
            let is_kept = pair.tetrahedra.into_iter().all(|place| tetrahedra[place as usize].is_present);
            free.extend((!is_kept && pair.shared != NONE).then_some(pair.shared));
            is_kept
        });
        let (tetrahedra, places, reach) = (&self.tetrahedra, &self.places, 2.0 * way);
        self.boxes.extend(tetrahedra[self.boxes.len()..].iter().map(|outer| {
            let corners = outer.corners(places).map(|corner| drift.undone(&corner));
            Aabb::from_points(&corners).grown(way)
        }));
        let (tree, boxes) = (&self.tree, &self.boxes);
        let first_pair = self.pairs.len();
        let about = |place: usize| {
            let mut found = Vec::new();
            if !tetrahedra[place].is_present {
                return found;
            }
            let mut test = |other: u32| {
                if tetrahedra[other as usize].is_present {
                    found.extend(pair_of(tetrahedra, places, [other, place as u32], reach));
                }
            };
            tree.overlapping(&boxes[place], &boxes[..tree.len()], &mut test);
            (tree.len()..place)
                .filter(|&other| boxes[other].overlaps(&boxes[place]))
                .for_each(|other| test(other as u32));
            found
        };
        let found: Vec<Vec<Pair>> = (first_new..tetrahedra.len()).into_par_iter().with_min_len(16).map(about).collect();
        self.pairs.extend(found.into_iter().flatten());
        self.pairs[first_pair..].sort_unstable_by_key(|pair| pair.tetrahedra);
    }

    /// Checks all pairs that are due: those that touch within a tolerance (m) are measured, if they
    /// have moved by a distance (m) since the last time.
    fn check_due(&mut self, touching: f64, stale: f64) {
        let (tetrahedra, places, shared) = (&self.tetrahedra, &self.places, &self.shared);
        let find = |(first, pairs): (usize, &mut [Pair])| -> Vec<(u32, Finding)> {
            let check = |(place, pair): (usize, &mut Pair)| {
                let [one, two] = pair.tetrahedra.map(|place| &tetrahedra[place as usize]);
                let travelled = one.travelled + two.travelled;
                if travelled < pair.due {
                    return None;
                }
                let corners = [one.corners(places), two.corners(places)];
                let finding = pair.check(&corners, travelled, shared.get(pair.shared as usize), touching, stale)?;
                Some(((first + place) as u32, finding))
            };
            pairs.iter_mut().enumerate().filter_map(check).collect()
        };
        let found: Vec<Vec<(u32, Finding)>> = match self.pairs.len() <= PAIRS_PER_TASK {
            true => vec![find((0, &mut self.pairs))],
            false => self
                .pairs
                .par_chunks_mut(PAIRS_PER_TASK)
                .enumerate()
                .map(|(k, pairs)| find((k * PAIRS_PER_TASK, pairs)))
                .collect(),
        };
        let (pairs, mut pressed) = (&self.pairs, Vec::new());
        for &(place, finding) in found.iter().flatten() {
            match finding {
                Finding::Pressed => pressed.push(place),
                Finding::Parted => self.free.push(pairs[place as usize].shared),
            }
        }
        let measure = |place: &u32| measure(pairs[*place as usize].tetrahedra.map(|k| &tetrahedra[k as usize]), places);
        let measured: Vec<Option<Shared>> = match pressed.len() <= VOLUMES_PER_TASK {
            true => pressed.iter().map(measure).collect(),
            false => pressed.par_iter().with_min_len(VOLUMES_PER_TASK).map(measure).collect(),
        };
        for &(place, _) in found.iter().flatten().filter(|(_, finding)| *finding == Finding::Parted) {
            self.pairs[place as usize].shared = NONE;
        }
        for (place, measured) in pressed.into_iter().zip(measured) {
            let pair = &mut self.pairs[place as usize];
            let Some(shared) = measured else {
                self.free.extend(Some(std::mem::replace(&mut pair.shared, NONE)).filter(|&place| place != NONE));
                continue;
            };
            pair.due += shared.bears(stale) - stale;
            if pair.shared == NONE {
                pair.shared = self.free.pop().unwrap_or(self.shared.len() as u32);
            }
            match self.shared.get_mut(pair.shared as usize) {
                Some(place) => *place = shared,
                None => self.shared.push(shared),
            }
        }
    }
}

/// Result of the check of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// The overlap has to be measured.
    Pressed,
    /// They no longer overlap.
    Parted,
}

impl Pair {
    /// Checks a pair with these positions of the nodes (m) and this sum of paths (m); none if
    /// nothing has changed. See [`SelfOverlaps::check_due`].
    fn check(
        &mut self,
        corners: &[[Vec3; 4]; 2],
        travelled: f64,
        shared: Option<&Shared>,
        touching: f64,
        stale: f64,
    ) -> Option<Finding> {
        if let Some(shared) = shared {
            let (moved, bears) = (moved_against_each_other(corners, &shared.corners), shared.bears(stale));
            if moved < bears {
                self.due = travelled + (bears - moved);
                return None;
            }
        }
        let mut apart = gap(corners, self.plane);
        if apart < -touching {
            (self.plane, apart) = widest_gap(corners, f64::INFINITY).unwrap_or((self.plane, apart));
        }
        if apart < -touching {
            self.due = travelled + stale;
            return Some(Finding::Pressed);
        }
        // A face of an inverted tetrahedron does not separate for long.
        let is_sound = corners.iter().all(|corners| volume(corners) > 0.0);
        self.due = travelled + if is_sound { apart.max(stale) } else { 0.0 };
        (self.shared != NONE).then_some(Finding::Parted)
    }
}

/// The overlap of two tetrahedra; none if they only touch.
fn measure([one, two]: [&Outer; 2], places: &[Vec3]) -> Option<Shared> {
    let corners = [one.corners(places), two.corners(places)];
    let overlap = overlap::tetrahedra(&corners[0], &corners[1])?;
    let normal = (-overlap.area_normal).try_normalize(0.0)?;
    let bearers = [(0, one), (1, two)].map(|(side, outer): (usize, &Outer)| {
        let weights = weights_at(&corners[side], &overlap.centroid);
        std::array::from_fn(|k| (outer.nodes[k], weights[k]))
    });
    Some(Shared { corners, bearers, volume: overlap.volume, area: overlap.area_normal.norm(), normal })
}

impl Outer {
    #[inline(always)]
    fn corners(&self, places: &[Vec3]) -> [Vec3; 4] {
        let [p, q, r, s] = self.nodes;
        [places[p as usize], places[q as usize], places[r as usize], places[s as usize]]
    }
}

/// Mean displacement (m).
fn drift(places: &[Vec3], former: &[Vec3]) -> Vec3 {
    places.iter().zip(former).map(|(place, former)| place - former).sum::<Vec3>() / places.len().max(1) as f64
}

/// Mean motion: a displacement, and a rotation about the mean position. Otherwise pairs of a
/// rotating body would have to be searched for again every few degrees.
struct Drift {
    way: Vec3,
    turn: Mat3,
    /// Mean of the former positions (m).
    middle: Vec3,
}

impl Drift {
    fn of(places: &[Vec3], former: &[Vec3]) -> Drift {
        let way = drift(places, former);
        let middle = former[..places.len()].iter().sum::<Vec3>() / places.len().max(1) as f64;
        let spread = |(place, former): (&Vec3, &Vec3)| (place - way - middle) * (former - middle).transpose();
        let turn = polar(&places.iter().zip(former).map(spread).sum()).rotation;
        Drift { way, turn, middle }
    }

    /// Displacement of a point from its former position beside the mean motion (m).
    fn left(&self, place: &Vec3, former: &Vec3) -> f64 {
        (self.undone(place) - former).norm()
    }

    /// Position of a point without the mean motion (m).
    fn undone(&self, place: &Vec3) -> Vec3 {
        self.middle + self.turn.tr_mul(&(place - self.way - self.middle))
    }
}

/// Largest displacement of a corner beside the mean one (m).
fn moved_against_each_other(corners: &[[Vec3; 4]; 2], former: &[[Vec3; 4]; 2]) -> f64 {
    let (corners, former) = (corners.as_flattened(), former.as_flattened());
    let drift = drift(corners, former);
    let ways = corners.iter().zip(former).map(|(corner, former)| (corner - former - drift).norm_squared());
    ways.fold(0.0, f64::max).sqrt()
}

/// Two tetrahedra as a pair, if they have no node in common and are not farther apart than a
/// distance (m).
fn pair_of(tetrahedra: &[Outer], places: &[Vec3], [p, q]: [u32; 2], reach: f64) -> Option<Pair> {
    // Ordered by their nodes, which do not depend on when they joined the list.
    let pair = if tetrahedra[p as usize].nodes < tetrahedra[q as usize].nodes { [p, q] } else { [q, p] };
    let [one, two] = pair.map(|place| &tetrahedra[place as usize]);
    if one.nodes.iter().any(|node| two.nodes.contains(node)) {
        return None;
    }
    let corners = [one.corners(places), two.corners(places)];
    // Faces of an inverted tetrahedron do not separate: it may recover in the next step.
    let is_sound = corners.iter().all(|corners| volume(corners) > 0.0);
    let (plane, _) = widest_gap(&corners, if is_sound { reach } else { f64::INFINITY })?;
    Some(Pair { tetrahedra: pair, plane, due: f64::NEG_INFINITY, shared: NONE })
}

/// Height of the lowest corner of the other tetrahedron above the plane of a face, times twice the
/// face's area; and the normal by that area.
fn height_above(corners: &[[Vec3; 4]; 2], plane: u8) -> (f64, Vec3) {
    let (own, other) = (usize::from(plane / 4), usize::from(1 - plane / 4));
    let [a, b, c] = FACES[usize::from(plane % 4)].map(|corner| corners[own][corner]);
    let normal = (b - a).cross(&(c - a));
    let height = |corner: &Vec3| (corner - a).dot(&normal);
    (corners[other].iter().map(height).fold(f64::INFINITY, f64::min), normal)
}

/// Gap between two tetrahedra along the normal of a face (m); negative where it does not separate
/// them, 0 for a face without area.
fn gap(corners: &[[Vec3; 4]; 2], plane: u8) -> f64 {
    let (height, normal) = height_above(corners, plane);
    let area = normal.norm();
    if area > 0.0 { height / area } else { 0.0 }
}

/// The face with the widest gap, and that gap (m), negative where no face separates; none if it is
/// wider than a distance (m).
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
