//! Penalty forces between bodies of tetrahedra (O'Brien & Hodgins 1999, §3.3).
//!
//! Two criteria with one kind of answer, a [`PenaltyForce`]: a force along a normal at a point,
//! which nodes bear on both sides with weights that sum to that point. It has no net force and no
//! net moment on the two bodies together, friction included.
//!
//! - *Node penetration*: a force in proportion to the depth of a surface node within the other
//!   body, along the normal of the surface that it has entered; the nodes of the tetrahedron that
//!   holds it bear the reaction. Fast, depends on the tessellation, and does not see edges that
//!   cross without a node inside.
//! - *Overlap volume*: a force in proportion to the volume of each [`OverlapRegion`], independent
//!   of the tessellation.

use crate::collisions::overlap::OverlapRegion;
use crate::collisions::{Collision, Stencil};
use crate::friction::borne_share;
use crate::tolerances::MIN_BOUNCE_SPEED;
use crate::{ContactMaterial, ContactTetrahedra, SurfacePoint, VolumeTree};
use craze_math::Vec3;
use craze_math::tetrahedron::{shape_gradients, volume};

/// Largest stiffness of a penalty force, in units of the effective mass over Δt²: explicit steps
/// are unstable from 4 on, and several forces act on the same nodes.
const MAX_STIFFNESS_FACTOR: f64 = 0.25;

/// How two bodies are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Impulses with continuous collision detection.
    #[default]
    Impulses,
    /// Forces in proportion to the depth of nodes.
    NodePenalty,
    /// Forces in proportion to the overlap volume.
    OverlapPenalty,
}

/// A penetration of two bodies that a force keeps small.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyForce {
    /// The penetration at the start of the step, whose gap is the negative (mean) depth, between
    /// nodes of both bodies with weights that sum to one. It is not followed to the end of the step.
    pub collision: Collision<Stencil>,
    /// The force and its stiffness.
    pub spring: PenaltySpring,
}

/// A compressed spring along a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySpring {
    /// Force (N).
    pub force: f64,
    /// Its derivative with the depth (N/m).
    pub stiffness: f64,
}

/// A body in the computation of penalty forces.
#[derive(Clone, Copy, Debug)]
pub struct PenaltyBody<'a> {
    /// Its tetrahedra at their present positions.
    pub tree: &'a VolumeTree,
    /// Its stiffness and size.
    pub matter: ContactTetrahedra<'a>,
}

/// Finds the forces on nodes of each body within the other. The stiffness is that of two springs in
/// series, each as stiff as a cube of the body's matter of the size of the entered tetrahedron.
pub fn node_forces(
    first: &PenaltyBody,
    second: &PenaltyBody,
    material: ContactMaterial,
    found: &mut Vec<PenaltyForce>,
) {
    let moduli = in_series(first.matter.modulus, second.matter.modulus);
    let mut enter = |of: &VolumeTree, into: &VolumeTree, sign: f64| {
        let bounds = into.bounds();
        for &node in of.outer_nodes() {
            let point = of.place(node);
            let holder = if bounds.contains(&point) { into.holding(&point) } else { None };
            let Some((tetrahedron, weights)) = holder else { continue };
            let Some((nearest, outward)) = into.nearest_outside(&point) else { continue };
            let stiffness = moduli * volume(&into.corners(tetrahedron)).abs().cbrt();
            let depth = nearest.distance_squared.sqrt();
            let single = Stencil::single(node);
            let holding = in_order(into.nodes(tetrahedron).into_iter().zip(weights));
            let sides = if sign > 0.0 { [single, holding] } else { [holding, single] };
            found.push(PenaltyForce {
                collision: penetration(sides, point, sign * outward, depth, material),
                spring: PenaltySpring { force: stiffness * depth, stiffness },
            });
        }
    };
    enter(first.tree, second.tree, 1.0);
    enter(second.tree, first.tree, -1.0);
}

/// Finds the forces of the regions in which two bodies overlap. The pressure is the depth times the
/// stiffness of two springs in series, each the modulus over the size of the body: it does not
/// depend on the tessellation.
pub fn overlap_forces(
    first: &PenaltyBody,
    second: &PenaltyBody,
    material: ContactMaterial,
    found: &mut Vec<PenaltyForce>,
) {
    let pressure_per_depth = |body: &PenaltyBody| body.matter.modulus / body.matter.size;
    let stiffness = in_series(pressure_per_depth(first), pressure_per_depth(second));
    for region in OverlapRegion::between(first.tree, second.tree) {
        let Some(normal) = region.separation_normal() else { continue };
        let sides = [(0, first.tree), (1, second.tree)].map(|(side, tree)| {
            in_order(region.shares.iter().flat_map(|share| {
                let tetrahedron = share.tetrahedra[side];
                let weights = weights_at(&tree.corners(tetrahedron), &share.centroid);
                let part = share.volume / region.volume;
                tree.nodes(tetrahedron).into_iter().zip(weights.map(|weight| part * weight))
            }))
        });
        let area = region.area_normal.norm();
        found.push(PenaltyForce {
            collision: penetration(sides, region.centroid, normal, region.volume / area, material),
            spring: PenaltySpring { force: stiffness * region.volume, stiffness: stiffness * area },
        });
    }
}

impl PenaltyForce {
    /// The impulse (N·s) on the first body over a step (s), see [`PenaltySpring::impulse`]; the
    /// second gets the opposite. `points` are the nodes of the two bodies.
    pub fn impulse(&self, points: [&[SurfacePoint]; 2], time_step: f64) -> Vec3 {
        let Collision { sides, normal, material, .. } = &self.collision;
        self.spring.impulse(sides.each_ref().map(Stencil::as_slice), points, normal, time_step, *material)
    }
}

/// A penetration of a depth (m) at a point (m), with the normal out of the second body.
fn penetration(
    sides: [Stencil; 2],
    point: Vec3,
    normal: Vec3,
    depth: f64,
    material: ContactMaterial,
) -> Collision<Stencil> {
    Collision { sides, point, normal, gap_at_start: -depth, gap_at_end: -depth, material, applied: None }
}

impl PenaltySpring {
    /// The impulse (N·s) on the first side over a step (s), friction included. Sides that separate
    /// get the square of the restitution of the force, which gives back the restitution of the
    /// speed. `nodes` are weighted entries of the lists `points`; the first ones are pushed along the
    /// unit vector `normal`.
    pub fn impulse(
        &self,
        nodes: [&[(u32, f64)]; 2],
        points: [&[SurfacePoint]; 2],
        normal: &Vec3,
        time_step: f64,
        ContactMaterial { friction, restitution }: ContactMaterial,
    ) -> Vec3 {
        let [one, other] = [0, 1].map(|side| WeightedSum::of(nodes[side], points[side]));
        let mobility = one.mobility + other.mobility;
        if !(mobility > 0.0 && self.force > 0.0 && self.stiffness > 0.0) {
            return Vec3::zeros();
        }
        let separating = (one.start_velocity - other.start_velocity).dot(normal) / MIN_BOUNCE_SPEED;
        let kept = 1.0 - separating.clamp(0.0, 1.0) * (1.0 - restitution * restitution);
        let stable_stiffness = MAX_STIFFNESS_FACTOR / (mobility * time_step * time_step);
        let normal_impulse = time_step * self.force * (stable_stiffness / self.stiffness).min(1.0) * kept;
        let velocity = one.velocity - other.velocity;
        let sliding = velocity - velocity.dot(normal) * normal;
        let stop = sliding.norm() / mobility;
        normal_impulse * normal - borne_share(friction, normal_impulse, stop) / mobility * sliding
    }
}

/// The motion of a weighted sum of nodes.
#[derive(Default)]
struct WeightedSum {
    /// Speed per unit of impulse (1/kg).
    mobility: f64,
    /// Velocity at the start of the step, and the predicted one (m/s).
    start_velocity: Vec3,
    velocity: Vec3,
}

impl WeightedSum {
    #[inline]
    fn of(nodes: &[(u32, f64)], points: &[SurfacePoint]) -> WeightedSum {
        let mut sum = WeightedSum::default();
        for &(node, weight) in nodes {
            let point = &points[node as usize];
            sum.mobility += weight * weight * point.inverse_mass;
            sum.start_velocity += weight * point.start_velocity;
            sum.velocity += weight * point.velocity;
        }
        sum
    }
}

/// Stiffness of two springs in series.
fn in_series(one: f64, other: f64) -> f64 {
    let sum = one + other;
    if sum > 0.0 { one * other / sum } else { 0.0 }
}

/// Nodes in ascending order, each once with the sum of its weights.
fn in_order(entries: impl Iterator<Item = (u32, f64)>) -> Stencil {
    let mut all: Vec<(u32, f64)> = entries.collect();
    all.sort_by_key(|entry| entry.0);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    Stencil::distinct(all)
}

/// Weights of the nodes of a tetrahedron at a point (m): they sum to one, and the weighted sum of
/// the nodes is the point.
pub(crate) fn weights_at(nodes: &[Vec3; 4], point: &Vec3) -> [f64; 4] {
    let centre = craze_math::tetrahedron::centroid(nodes);
    match shape_gradients(nodes) {
        Some(gradients) => gradients.map(|gradient| 0.25 + gradient.dot(&(point - centre))),
        None => [0.25; 4],
    }
}
