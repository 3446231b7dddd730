//! Penalty forces between bodies of tetrahedra (O'Brien & Hodgins 1999, §3.3).
//!
//! Two criteria, and one kind of answer, a [`Press`]: a push along a normal at a place, borne on both sides by nodes whose weights lead to
//! that place. Whatever acts there (push and friction alike) has no net force and no net moment on the two together.
//!
//! - *Node penetration*: a push in proportion to the depth of a surface node within the other body, along the normal of the surface
//!   that it has entered, and the reaction spread over the nodes of the tetrahedron that holds it. Fast, depends on the tessellation,
//!   and edges that cross without a node inside go unseen.
//! - *Overlap volume*: a push in proportion to the volume of each [`OverlapRegion`], whatever the tessellation.

use crate::ContactTetrahedra;
use crate::SurfacePoint;
use crate::broad_phase::VolumeTree;
use crate::collisions::overlap::OverlapRegion;
use craze_math::Vec3;
use craze_math::tetrahedron::{shape_gradients, volume};

/// Largest stiffness of a press, in units of mass over Δt², the masses being those that it moves: explicit steps go wild at 4, and other
/// presses act on the same nodes.
const STIFFEST: f64 = 0.25;

/// Speed (m/s) at which things that part have lost what restitution takes: slower ones keep some of their push, so that
/// bodies rest on a steady force.
const SLOWEST_BOUNCE: f64 = 0.02;

/// How two bodies are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Impulses that let nothing pass through anything.
    #[default]
    Impulses,
    /// Forces in proportion to the depth of nodes.
    NodePenalty,
    /// Forces in proportion to the volume in common.
    OverlapPenalty,
}

/// A push between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// Nodes that bear it on each side, ascending, and their weights: they sum to one and lead to the place.
    pub bearers: [Vec<(u32, f64)>; 2],
    /// Where it acts (m).
    pub place: Vec3,
    /// Unit vector along which the first body is pushed, and the second against it.
    pub normal: Vec3,
    /// How hard (N).
    pub force: f64,
    /// How it grows with depth (N/m).
    pub stiffness: f64,
}

/// A body that is pressed.
#[derive(Clone, Copy, Debug)]
pub struct Pressed<'a> {
    /// Its tetrahedra where they are now.
    pub tree: &'a VolumeTree,
    /// Its stiffness and size.
    pub matter: ContactTetrahedra<'a>,
}

/// Finds the presses of nodes of each body within the other. The stiffness is that of two springs in a row, each as stiff as a cube of its body's
/// matter the size of the tetrahedron that is entered.
pub fn nodes(first: &Pressed, second: &Pressed, found: &mut Vec<Press>) {
    let moduli = in_a_row(first.matter.modulus, second.matter.modulus);
    let mut enter = |of: &VolumeTree, into: &VolumeTree, sign: f64| {
        let bounds = into.bounds();
        for &node in of.outer_nodes() {
            let place = of.place(node);
            let holder = if bounds.contains(&place) { into.holding(&place) } else { None };
            let Some((tetrahedron, weights)) = holder else { continue };
            let Some((nearest, outward)) = into.nearest_outside(&place) else { continue };
            let stiffness = moduli * volume(&into.corners(tetrahedron)).abs().cbrt();
            let force = stiffness * nearest.distance_squared.sqrt();
            let alone = vec![(node, 1.0)];
            let around = in_order(into.nodes(tetrahedron).into_iter().zip(weights));
            let bearers = if sign > 0.0 { [alone, around] } else { [around, alone] };
            found.push(Press { bearers, place, normal: sign * outward, force, stiffness });
        }
    };
    enter(first.tree, second.tree, 1.0);
    enter(second.tree, first.tree, -1.0);
}

/// Finds the presses of the regions that two bodies share. Pressure is the depth times the stiffness of two springs in a row, each the body's
/// modulus over its size: nothing of the tessellation is in it.
pub fn overlaps(first: &Pressed, second: &Pressed, found: &mut Vec<Press>) {
    let bed = |body: &Pressed| body.matter.modulus / body.matter.size;
    let stiffness = in_a_row(bed(first), bed(second));
    for region in OverlapRegion::between(first.tree, second.tree) {
        let Some(normal) = region.way_out() else { continue };
        let bearers = [(0, first.tree), (1, second.tree)].map(|(side, tree)| {
            in_order(region.shares.iter().flat_map(|share| {
                let tetrahedron = share.tetrahedra[side];
                let weights = weights_at(&tree.corners(tetrahedron), &share.centroid);
                let part = share.volume / region.volume;
                tree.nodes(tetrahedron).into_iter().zip(weights.map(|weight| part * weight))
            }))
        });
        found.push(Press {
            bearers,
            place: region.centroid,
            normal,
            force: stiffness * region.volume,
            stiffness: stiffness * region.area_normal.norm(),
        });
    }
}

impl Press {
    /// The impulse on the first body over a step of length `time_step` (s), push and friction; the second gets the opposite. `nodes` are
    /// those of the two bodies. What parts is pushed with restitution's square of the force, which gives back restitution of
    /// the speed; friction drags with its share of the push, or less where that already stops the sliding.
    pub fn impulse(&self, nodes: [&[SurfacePoint]; 2], time_step: f64, touch: (f64, f64)) -> Vec3 {
        let Press { normal, force, stiffness, .. } = *self;
        Push { normal, force, stiffness }.impulse([&self.bearers[0], &self.bearers[1]], nodes, time_step, touch)
    }
}

/// A push along a normal.
pub(crate) struct Push {
    /// Unit normal out of the second side.
    pub normal: Vec3,
    /// Force (N).
    pub force: f64,
    /// How the force grows with depth (N/m).
    pub stiffness: f64,
}

impl Push {
    /// See [`Press::impulse`]; the nodes that bear the two sides come with weights that lead to the place.
    pub fn impulse(
        &self,
        bearers: [&[(u32, f64)]; 2],
        nodes: [&[SurfacePoint]; 2],
        time_step: f64,
        (friction, restitution): (f64, f64),
    ) -> Vec3 {
        let [one, other] = [0, 1].map(|side| Borne::by(bearers[side], nodes[side]));
        let mobility = one.mobility + other.mobility;
        if !(mobility > 0.0 && self.force > 0.0 && self.stiffness > 0.0) {
            return Vec3::zeros();
        }
        let parting = ((one.start_velocity - other.start_velocity).dot(&self.normal) / SLOWEST_BOUNCE).clamp(0.0, 1.0);
        let kept = 1.0 - parting * (1.0 - restitution * restitution);
        let bearable = STIFFEST / (mobility * time_step * time_step);
        let push = time_step * self.force * (bearable / self.stiffness).min(1.0) * kept;
        let velocity = one.velocity - other.velocity;
        let sliding = velocity - velocity.dot(&self.normal) * self.normal;
        let stop = sliding.norm() / mobility;
        let drag = if stop > 0.0 { (friction * push).min(stop) / stop } else { 0.0 };
        push * self.normal - drag / mobility * sliding
    }
}

/// What nodes make of a place that they bear together.
#[derive(Default)]
struct Borne {
    /// Speed that a unit impulse makes (1/kg).
    mobility: f64,
    /// Velocity at the start of the step, and the predicted one (m/s).
    start_velocity: Vec3,
    velocity: Vec3,
}

impl Borne {
    #[inline]
    fn by(bearers: &[(u32, f64)], nodes: &[SurfacePoint]) -> Borne {
        let mut borne = Borne::default();
        for &(node, weight) in bearers {
            let point = &nodes[node as usize];
            borne.mobility += weight * weight * point.inverse_mass;
            borne.start_velocity += weight * point.start_velocity;
            borne.velocity += weight * point.velocity;
        }
        borne
    }
}

/// Stiffness of two springs in a row.
fn in_a_row(one: f64, other: f64) -> f64 {
    let sum = one + other;
    if sum > 0.0 { one * other / sum } else { 0.0 }
}

/// Nodes in ascending order, each once with the sum of its weights.
fn in_order(entries: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = entries.collect();
    all.sort_by_key(|entry| entry.0);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all
}

/// Weights of a tetrahedron's nodes at a place: they sum to one and lead to it.
pub(crate) fn weights_at(nodes: &[Vec3; 4], place: &Vec3) -> [f64; 4] {
    let centre = craze_math::tetrahedron::centroid(nodes);
    match shape_gradients(nodes) {
        Some(gradients) => gradients.map(|gradient| 0.25 + gradient.dot(&(place - centre))),
        None => [0.25; 4],
    }
}
