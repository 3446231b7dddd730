//! Which of many nodes in question do not fail, eight at a time.
//!
//! A body near its strength everywhere leaves all of its nodes in question. What pulls at them is worked out here as [`Separation`](craze_element::Separation)
//! does it, but block by block, as forces are: every eigenvalue problem in lanes, every element once, nothing listed. Rounding differs from what
//! is done one by one, so nobody is found to fail here: who comes near it, or whose direction is not certain, stays in question.

use crate::blocks::{BLOCK_NODES, Block, Group, Layout, local_node};
use crate::gather::{Three, gather};
use crate::kernel::{
    Directional, Isotropic, LawLanes, determinant, dot, guard_stress, inverse_edges, pulls, strain, strain_rate, times,
    tractions,
};
use crate::model::Solid;
use crate::node::Node;
use crate::parallel::over_spans;
use craze_element::{CollapseGuard, Law};
use craze_math::columns::{Columns, Vector};
use craze_math::eigen::symmetric_eigen_of;
use craze_math::lanes::{Instructions, Kernel, Lanes, Mask, WIDTH};
use rayon::prelude::*;
use std::cell::RefCell;

/// What elements add up to at a node. Symmetric tensors are xx, yy, zz, yz, zx, xy: Σ m(f) of the tensile forces f (N) and two entries of their sum, the
/// same of the compressive ones, Σ vol·F (m³) by columns but for its last entry, and the last entries of both sums and of that.
///
/// Twenty-eight numbers. In fours, since zeroed memory of long arrays is written to when it is asked for.
type Sums = [[f64; 4]; 7];

/// One part in so many of the nodes in blocks with nodes in question must be so, or each is better looked at alone.
const WORTH_SWEEPING: usize = 5;
/// Nodes that are judged together.
const TOGETHER: usize = 512;
/// How near to failure (1) somebody stays in question.
const HAIR: f64 = 1e-5;
/// Difference of the first two eigenvalues, as a share of all forces, from which the direction of the first is certain enough.
const APART: f64 = 1e-4;
/// Share of the tensile forces below which compressive ones are left out, and so do not hold together.
const NEGLIGIBLE: f64 = 1e-11;
/// More than rounding leaves of sums of forces, as a share of them.
const ROUNDING: f64 = 1e-9;

thread_local! {
    static LOCAL: RefCell<Box<[[f64; 8]; BLOCK_NODES]>> = RefCell::new(Box::new([[0.0; 8]; BLOCK_NODES]));
}

/// Memory that nodes are sifted in; none before many are in question at once.
#[derive(Default)]
pub(crate) struct Sieve {
    /// One a slot; see [`Layout`].
    sums: Vec<Sums>,
    /// For each block whether it has a node in question.
    blocks: Vec<bool>,
    /// The place of each node in the list of those in question; [`NOBODY`] for others, and between looks.
    places: Vec<u32>,
    /// For each of those the normal at rest of the plane in which it would fail, and what pulls there (N), at most: 0 if it does not fail, infinite if
    /// that is not known.
    verdicts: Vec<[f64; 4]>,
}

const NOBODY: u32 = u32::MAX;

impl Sieve {
    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<Sums>()
            + self.blocks.capacity()
            + self.places.capacity() * 4
            + self.verdicts.capacity() * 32
    }
}

impl Solid {
    /// Takes nodes out of a list (ascending) of those that are in question, if they are many and do not fail.
    pub(crate) fn sift(&mut self, nodes: &mut Vec<u32>) {
        let mut sieve = std::mem::take(&mut self.scratch.sieve);
        if self.nodes_beside(nodes, &mut sieve.blocks) < WORTH_SWEEPING * nodes.len() {
            let slots = self.layout.slot_nodes.len();
            if sieve.sums.len() < slots {
                // With room for blocks that cracks add. Not resized: what nobody writes to takes no memory.
                sieve.sums = vec![Sums::default(); slots + slots / 8];
            }
            sieve.places.resize(self.state.len(), NOBODY);
            for (&node, place) in nodes.iter().zip(0..) {
                sieve.places[node as usize] = place;
            }
            self.sweep_forces(&mut sieve);
            self.judge(&mut sieve, nodes);
            self.sweep_areas(&mut sieve);
            nodes.iter().for_each(|&node| sieve.places[node as usize] = NOBODY);
            self.keep_who_may_fail(&sieve, nodes);
        }
        self.scratch.sieve = sieve;
    }

    /// Finds the blocks that these nodes are in; how many nodes those have.
    fn nodes_beside(&self, nodes: &[u32], blocks: &mut Vec<bool>) -> usize {
        let layout = &self.layout;
        blocks.clear();
        blocks.resize(layout.blocks.len(), false);
        let (mut here, mut count) = (0, 0);
        for &slot in nodes.iter().flat_map(|&node| layout.slots_of(node as usize)) {
            let slot = slot as usize;
            if !layout.blocks[here].room.contains(&slot) {
                here = layout.blocks.partition_point(|block| block.room.end <= slot);
            }
            if !std::mem::replace(&mut blocks[here], true) {
                count += layout.blocks[here].slots.len();
            }
        }
        count
    }

    fn nodes_in(&self, block: &Block) -> &[u32] {
        &self.layout.slot_nodes[block.slots.clone()]
    }

    /// Sums what elements do to the nodes of blocks that are asked for.
    fn sweep_forces(&self, sieve: &mut Sieve) {
        let sums = &mut sieve.sums[..self.layout.slot_nodes.len()];
        over_spans(&self.layout.blocks, sums, &mut sieve.blocks, &|block, sums, asked| {
            let Ok(sums) = <&mut [Sums; BLOCK_NODES]>::try_from(sums) else { return };
            if *asked {
                LOCAL.with_borrow_mut(|local| {
                    Instructions::detect().run(Tensions {
                        groups: &self.layout.groups[block.groups.clone()],
                        law: &self.laws[block.law],
                        guard: self.guards[block.law],
                        slots: self.nodes_in(block),
                        nodes: &self.state,
                        local,
                        sums,
                    });
                });
            }
        });
    }

    /// Finds what pulls at each node, and along which direction.
    fn judge(&self, sieve: &mut Sieve, nodes: &[u32]) {
        sieve.verdicts.clear();
        sieve.verdicts.resize(nodes.len(), [0.0; 4]);
        let (layout, least_pulls, sums) = (&self.layout, self.least_pulls.as_slice(), sieve.sums.as_slice());
        let parts = nodes.par_chunks(TOGETHER).zip(sieve.verdicts.par_chunks_mut(TOGETHER));
        parts.for_each(|(nodes, verdicts)| {
            Instructions::detect().run(Judge { nodes, layout, sums, least_pulls, verdicts })
        });
    }

    /// Sums the areas of the nodes across their directions (m²), twice of them, into the first of their sums.
    fn sweep_areas(&self, sieve: &mut Sieve) {
        let Sieve { sums, blocks, places, verdicts } = sieve;
        let sums = &mut sums[..self.layout.slot_nodes.len()];
        over_spans(&self.layout.blocks, sums, blocks, &|block, sums, asked| {
            let Ok(sums) = <&mut [Sums; BLOCK_NODES]>::try_from(sums) else { return };
            if *asked {
                LOCAL.with_borrow_mut(|local| {
                    for (near, &node) in local.iter_mut().zip(self.nodes_in(block)) {
                        let verdict = verdicts.get(places[node as usize] as usize);
                        let [x, y, z, _] = verdict.copied().unwrap_or_default();
                        *near = [x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0];
                    }
                    let groups = &self.layout.groups[block.groups.clone()];
                    Instructions::detect().run(Areas { groups, local, sums, count: block.slots.len() });
                });
            }
        });
    }

    fn keep_who_may_fail(&self, sieve: &Sieve, nodes: &mut Vec<u32>) {
        let (stress, force) = self.weakest();
        let mut verdicts = sieve.verdicts.iter();
        nodes.retain(|&node| {
            let Some(&[.., pull]) = verdicts.next() else { return true };
            let slots = self.layout.slots_of(node as usize);
            let area = 0.5 * slots.iter().map(|&slot| sieve.sums[slot as usize][0][0]).sum::<f64>();
            !(pull < self.strength_factor(craze_mesh::NodeId(node)) * force.min(stress * area))
        });
    }
}

/// Sums of tensile and compressive forces of a block's elements at its nodes.
struct Tensions<'a> {
    groups: &'a [Group],
    law: &'a Law,
    guard: CollapseGuard,
    slots: &'a [u32],
    nodes: &'a [Node],
    local: &'a mut [[f64; 8]; BLOCK_NODES],
    sums: &'a mut [Sums; BLOCK_NODES],
}

impl Kernel for Tensions<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Tensions { groups, law, guard, slots, nodes, local, sums } = self;
        for ((near, sum), &node) in local.iter_mut().zip(sums.iter_mut()).zip(slots) {
            *near = nodes[node as usize].0;
            *sum = Sums::default();
        }
        match law {
            Law::Isotropic { lambda, mu, phi, psi } => {
                sweep(groups, &Isotropic::<L>::new(*lambda, *mu, *phi, *psi), &guard, local, sums)
            }
            Law::Directional { stiffness, viscosity } => {
                sweep::<L, _>(groups, &Directional { stiffness, viscosity }, &guard, local, sums)
            }
        }
    }
}

#[inline(always)]
fn sweep<L: Lanes, W: LawLanes<L>>(
    groups: &[Group],
    law: &W,
    guard: &CollapseGuard,
    local: &[[f64; 8]; BLOCK_NODES],
    sums: &mut [Sums; BLOCK_NODES],
) {
    let zero = L::splat(0.0);
    for group in groups {
        let (edges, edge_rates) = gather::<L>(group, local);
        let inverse = inverse_edges::<L>(group);
        let f = times(&edges, &inverse);
        let rate = times(&edge_rates, &inverse);
        let mut stress = law.stress(&strain(&f), &strain_rate(&f, &rate), &L::new(group.viscosities()));
        let ratio = determinant(&f);
        if ratio.less_than(L::splat(guard.threshold)).any() {
            guard_stress(guard, &f, &ratio, &mut stress);
        }
        let volume = L::new(group.volume);
        let mut tensile = positive_part(&stress);
        for i in 0..6 {
            stress[i] = stress[i] * -volume;
            tensile[i] = tensile[i] * -volume;
        }
        let pulling = with_first(&pulls(&f, &tractions(&tensile, &inverse)));
        let mut pushing = with_first(&pulls(&f, &tractions(&stress, &inverse)));
        let mut thirds = [[zero; 3]; 4];
        for corner in 0..4 {
            for axis in 0..3 {
                pushing[corner][axis] = pushing[corner][axis] - pulling[corner][axis];
            }
            thirds[corner] = [pulling[corner][2], pushing[corner][2], f[2][2] * volume];
        }
        let mut turning = [zero; 8];
        for entry in 0..8 {
            turning[entry] = f[entry / 3][entry % 3] * volume;
        }
        let turning = L::transpose(&turning);
        let [a, b, c, d] = thirds;
        let front = L::transpose(&[a[0], a[1], a[2], zero, b[0], b[1], b[2], zero]);
        let back = L::transpose(&[c[0], c[1], c[2], zero, d[0], d[1], d[2], zero]);
        for corner in 0..4 {
            let tensile = L::transpose(&directed_and_part(&pulling[corner]));
            let compressive = L::transpose(&directed_and_part(&pushing[corner]));
            let ends = if corner < 2 { &front } else { &back };
            for lane in 0..WIDTH {
                let sum = sums[local_node(group.corners[lane], corner)].as_flattened_mut();
                add(&mut sum[..8], tensile[lane]);
                add(&mut sum[8..16], compressive[lane]);
                add(&mut sum[16..24], turning[lane]);
                let ends = ends[lane].to_array();
                for entry in 0..4 {
                    sum[24 + entry] += ends[4 * (corner % 2) + entry];
                }
            }
        }
    }
}

#[inline(always)]
fn add<L: Lanes>(sum: &mut [f64], numbers: L) {
    if let Ok(sum) = <&mut [f64; 8]>::try_from(sum) {
        *sum = (L::new(*sum) + numbers).to_array();
    }
}

/// Forces on corners 1, 2, 3 after the opposite of their sum, which is that on corner 0.
#[inline(always)]
fn with_first<L: Lanes>([a, b, c]: &Three<L>) -> [[L; 3]; 4] {
    let mut first = *a;
    for axis in 0..3 {
        first[axis] = -(a[axis] + b[axis] + c[axis]);
    }
    [first, *a, *b, *c]
}

/// m(a) of (28), without a division by zero.
#[inline(always)]
fn directed<L: Lanes>(a: &[L; 3]) -> [L; 6] {
    let inverse = L::splat(1.0) / dot(a, a, L::splat(f64::MIN_POSITIVE)).sqrt();
    let [x, y, z] = [a[0] * inverse, a[1] * inverse, a[2] * inverse];
    [a[0] * x, a[1] * y, a[2] * z, a[1] * z, a[2] * x, a[0] * y]
}

/// The same, and two entries of the vector.
#[inline(always)]
fn directed_and_part<L: Lanes>(a: &[L; 3]) -> [L; 8] {
    let [xx, yy, zz, yz, zx, xy] = directed(a);
    [xx, yy, zz, yz, zx, xy, a[0], a[1]]
}

#[inline(always)]
fn columns_of<L: Lanes>(s: &[L; 6]) -> Columns<L> {
    Columns([Vector([s[0], s[5], s[4]]), Vector([s[5], s[1], s[3]]), Vector([s[4], s[3], s[2]])])
}

/// The positive semidefinite part of symmetric tensors.
#[inline(always)]
fn positive_part<L: Lanes>(tensor: &[L; 6]) -> [L; 6] {
    let zero = L::splat(0.0);
    let eigen = symmetric_eigen_of(&columns_of(tensor));
    let mut part = [zero; 6];
    for axis in 0..3 {
        let [x, y, z] = eigen.vectors.0[axis].0;
        let value = eigen.values.0[axis].max(zero);
        let (wx, wy, wz) = (value * x, value * y, value * z);
        let terms = [(wx, x), (wy, y), (wz, z), (wy, z), (wz, x), (wx, y)];
        for entry in 0..6 {
            part[entry] = terms[entry].0.mul_add(terms[entry].1, part[entry]);
        }
    }
    part
}

/// What pulls at nodes, by the sums of their elements.
struct Judge<'a> {
    nodes: &'a [u32],
    layout: &'a Layout,
    sums: &'a [Sums],
    /// Least pull (N) at which each node of the body could fail.
    least_pulls: &'a [f64],
    verdicts: &'a mut [[f64; 4]],
}

impl Kernel for Judge<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Judge { nodes, layout, sums, least_pulls, verdicts } = self;
        for (nodes, verdicts) in nodes.chunks(WIDTH).zip(verdicts.chunks_mut(WIDTH)) {
            let [x, y, z, pull] = judge_eight::<L>(nodes, layout, sums, least_pulls);
            for (lane, verdict) in verdicts.iter_mut().enumerate() {
                *verdict = [x[lane], y[lane], z[lane], pull[lane]];
            }
        }
    }
}

#[inline(always)]
fn judge_eight<L: Lanes>(nodes: &[u32], layout: &Layout, sums: &[Sums], least_pulls: &[f64]) -> [[f64; WIDTH]; 4] {
    let zero = L::splat(0.0);
    let mut rows = [[zero; WIDTH]; 4];
    let mut least = [0.0; WIDTH];
    for (lane, &node) in nodes.iter().enumerate() {
        least[lane] = least_pulls[node as usize];
        for &slot in layout.slots_of(node as usize) {
            let sum = sums[slot as usize].as_flattened();
            for row in 0..4 {
                let mut numbers = [0.0; WIDTH];
                let length = if row < 3 { WIDTH } else { 4 };
                numbers[..length].copy_from_slice(&sum[8 * row..8 * row + length]);
                rows[row][lane] = rows[row][lane] + L::new(numbers);
            }
        }
    }
    let tensile = L::transpose(&rows[0]);
    let compressive = L::transpose(&rows[1]);
    let turning = L::transpose(&rows[2]);
    let ends = L::transpose(&rows[3]);
    let half = L::splat(0.5);
    let unbalanced = directed(&[tensile[6], tensile[7], ends[0]]);
    let mut tensor = [zero; 6];
    for i in 0..6 {
        tensor[i] = half * (tensile[i] - unbalanced[i]);
    }
    let tension = tensile[0] + tensile[1] + tensile[2];
    let compression = compressive[0] + compressive[1] + compressive[2];
    if (L::splat(NEGLIGIBLE) * tension).less_than(compression).any() {
        let unbalanced = directed(&[compressive[6], compressive[7], ends[1]]);
        let mut holding = [zero; 6];
        for i in 0..6 {
            holding[i] = compressive[i] - unbalanced[i];
        }
        let holding = positive_part(&holding);
        for i in 0..6 {
            tensor[i] = tensor[i] - half * holding[i];
        }
    }
    let eigen = symmetric_eigen_of(&columns_of(&tensor));
    let ([largest, second, _], normal) = (eigen.values.0, eigen.vectors.0[0].0);
    // A plane of the world was one with this normal in the body at rest.
    let at_rest = [
        dot(&[turning[0], turning[1], turning[2]], &normal, zero),
        dot(&[turning[3], turning[4], turning[5]], &normal, zero),
        dot(&[turning[6], turning[7], ends[2]], &normal, zero),
    ];
    let inverse = L::splat(1.0) / dot(&at_rest, &at_rest, L::splat(f64::MIN_POSITIVE)).sqrt();
    let scale = tension + compression;
    let pull = largest.mul_add(L::splat(1.0 + HAIR), L::splat(ROUNDING) * scale);
    let certain = (largest - second - L::splat(APART) * scale).to_array();
    let (pull, largest) = (pull.to_array(), largest.to_array());
    let mut verdict = [0.0; WIDTH];
    for lane in 0..WIDTH {
        verdict[lane] = if largest[lane] <= 0.0 || pull[lane] < least[lane] {
            0.0
        } else if certain[lane] > 0.0 {
            pull[lane]
        } else {
            f64::INFINITY
        };
    }
    let [x, y, z] = at_rest;
    [(x * inverse).to_array(), (y * inverse).to_array(), (z * inverse).to_array(), verdict]
}

/// Σ vol·|n̂·∇N| of a block's nodes, each with its own normal.
struct Areas<'a> {
    groups: &'a [Group],
    /// Normals of its nodes.
    local: &'a [[f64; 8]; BLOCK_NODES],
    sums: &'a mut [Sums; BLOCK_NODES],
    /// How many nodes it has.
    count: usize,
}

impl Kernel for Areas<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Areas { groups, local, sums, count } = self;
        for sum in sums.iter_mut().take(count) {
            sum[0][0] = 0.0;
        }
        for group in groups {
            let volume = L::new(group.volume);
            let gradients = with_first(&inverse_edges::<L>(group));
            for corner in 0..4 {
                let mut rows = [volume; WIDTH];
                for lane in 0..WIDTH {
                    rows[lane] = L::new(local[local_node(group.corners[lane], corner)]);
                }
                let [x, y, z, ..] = L::transpose(&rows);
                let across = (dot(&[x, y, z], &gradients[corner], L::splat(0.0)).abs() * volume).to_array();
                for lane in 0..WIDTH {
                    sums[local_node(group.corners[lane], corner)][0][0] += across[lane];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Integrator;
    use crate::testing::{awake, directional, shake, soft, solid};
    use craze_material::{Material, Strength};
    use craze_mesh::NodeId;

    #[test]
    fn nobody_who_fails_goes_through_and_hardly_anybody_else_stays() {
        let by_stress = Strength { tensile: Some(4e3), ..Strength::default() };
        let by_force = Strength { separation_force: Some(30.0), ..Strength::default() };
        let (mut asked, mut kept, mut failing) = (0, 0, 0);
        for (material, strength) in [(soft(), by_stress.clone()), (directional(), by_stress), (soft(), by_force)] {
            for (amount, speed) in [(0.01, 0.0), (0.05, 0.5), (0.3, 0.1)] {
                let material = Material { strength: strength.clone(), ..material.clone() };
                let mut solid = solid([9, 5, 8], 0.2, material, awake(Integrator::SymplecticEuler));
                shake(&mut solid, amount, speed, 5);
                let mut nodes: Vec<u32> = (0..solid.mesh.point_count() as u32).collect();
                asked += nodes.len();
                solid.sift(&mut nodes);
                kept += nodes.len();
                for node in solid.mesh.point_ids() {
                    if solid.pull_at(node).is_some_and(|pull| pull.ratio > 1.0) {
                        failing += 1;
                        assert!(nodes.binary_search(&node.0).is_ok(), "{node:?}");
                    }
                }
                // A few are left alone.
                let mut few = vec![3, 200];
                solid.sift(&mut few);
                assert_eq!(few, [3, 200]);
            }
        }
        println!("{asked} asked about, {kept} kept, {failing} fail");
        assert!(failing > 100 && failing < asked / 2 && kept - failing < failing / 50 + 10, "{asked} {kept} {failing}");
    }

    #[test]
    fn pulls_are_those_of_one_by_one() {
        let strength = Strength { tensile: Some(4e3), ..Strength::default() };
        let mut solid = solid([6, 5, 4], 0.2, Material { strength, ..soft() }, awake(Integrator::SymplecticEuler));
        shake(&mut solid, 0.1, 0.3, 5);
        let mut nodes: Vec<u32> = (0..solid.mesh.point_count() as u32).collect();
        solid.least_pulls.fill(0.0);
        let all = nodes.clone();
        solid.sift(&mut nodes);
        let sieve = &solid.scratch.sieve;
        let mut seen = 0;
        for (&node, &[.., found]) in all.iter().zip(&sieve.verdicts) {
            let Some(pull) = solid.pull_at(NodeId(node)) else { continue };
            let slots = solid.layout.slots_of(node as usize);
            let area = 0.5 * slots.iter().map(|&slot| sieve.sums[slot as usize][0][0]).sum::<f64>();
            let ratio = found / (4e3 * area);
            if found == 0.0 {
                assert!(pull.ratio < 1e-9, "{}", pull.ratio);
            } else if found.is_finite() {
                assert!(ratio > pull.ratio, "{ratio} {}", pull.ratio);
                // Where a star is flat, more area counts than it has across the normal.
                seen += usize::from(ratio < (1.0 + 1e-4) * pull.ratio);
            }
        }
        assert!(10 * seen > 9 * all.len(), "{seen} of {}", all.len());
    }
}
