//! Failure prefilter: rejects nodes that certainly do not fail, eight at a time.
//!
//! In a body that is near its strength everywhere, every node is a candidate for failure. This pass
//! evaluates [`SeparationLanes`] for all of them block by block, as forces are evaluated: each
//! element once, each eigenvalue problem in lanes. It rounds differently from the exact test, so it
//! only rejects nodes; what comes close to failure, or has an uncertain crack plane, goes on to the
//! exact test.

use crate::blocks::{BLOCK_NODES, Block, Group, Layout, local_node};
use crate::criterion::{ForceBounds, SeparationLanes, directed, positive_part};
use crate::gather::{Three, gather};
use crate::kernel::{
    Anisotropic, Isotropic, LawLanes, determinant, dot, guard_stress, inverse_edges, pulls, strain, strain_rate, times,
    tractions,
};
use crate::model::Solid;
use crate::parallel::over_spans;
use craze_body::Node;
use craze_element::{CollapseGuard, Law};
use craze_math::lanes::{Instructions, Kernel, Lanes, Mask, WIDTH};
use craze_mesh::NodeId;
use rayon::prelude::*;
use std::cell::RefCell;

/// Sums over the elements at a node, as [`SeparationLanes`] needs them: Σ m(f⁺) and two entries of
/// Σ f⁺, the same of the compressive forces (N), Σ vol·F (m³) by columns without its last entry,
/// then the last entries of both force sums and of Σ vol·F.
///
/// Twenty-eight numbers. In fours, since zeroed memory of long arrays is written to when it is
/// allocated.
type Sums = [[f64; 4]; 7];

/// The pass visits whole blocks. It pays if their nodes are fewer than so many times the
/// candidates.
const MAX_NODES_PER_CANDIDATE: usize = 5;
/// Nodes per parallel task.
const NODES_PER_TASK: usize = 512;

thread_local! {
    static LOCAL: RefCell<Box<[[f64; 8]; BLOCK_NODES]>> = RefCell::new(Box::new([[0.0; 8]; BLOCK_NODES]));
}

/// Work memory of the prefilter; empty until there are many candidates for the first time.
#[derive(Default)]
pub(crate) struct Prefilter {
    /// One per slot; see [`Layout`].
    sums: Vec<Sums>,
    /// For each block whether it has a candidate.
    blocks: Vec<bool>,
    /// Index of each node in the list of candidates; [`NO_CANDIDATE`] for others, and between
    /// passes.
    indices: Vec<u32>,
    /// For each candidate the normal of its crack plane at rest and an upper bound of its
    /// separation force (N): 0 if it does not fail, infinite if the normal is uncertain.
    bounds: Vec<[f64; 4]>,
}

const NO_CANDIDATE: u32 = u32::MAX;

impl Prefilter {
    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<Sums>()
            + self.blocks.capacity()
            + self.indices.capacity() * 4
            + self.bounds.capacity() * 32
    }
}

impl Solid {
    /// Removes nodes that do not fail from an ascending list of candidates. A short list is left as
    /// it is.
    pub(crate) fn prefilter(&mut self, nodes: &mut Vec<u32>) {
        let mut work = std::mem::take(&mut self.scratch.prefilter);
        if self.mark_blocks(nodes, &mut work.blocks) < MAX_NODES_PER_CANDIDATE * nodes.len() {
            let slots = self.layout.slot_nodes.len();
            if work.sums.len() < slots {
                // With room for blocks that cracks add. Not resized: untouched zeroed memory takes
                // no space.
                work.sums = vec![Sums::default(); slots + slots / 8];
            }
            work.indices.resize(self.state.len(), NO_CANDIDATE);
            for (&node, index) in nodes.iter().zip(0..) {
                work.indices[node as usize] = index;
            }
            self.sum_separation_forces(&mut work);
            self.bound_separation_forces(&mut work, nodes);
            self.sum_areas(&mut work);
            nodes.iter().for_each(|&node| work.indices[node as usize] = NO_CANDIDATE);
            self.retain_candidates(&work, nodes);
        }
        self.scratch.prefilter = work;
    }

    /// Marks the blocks that these nodes are in; returns the number of nodes in those blocks.
    fn mark_blocks(&self, nodes: &[u32], blocks: &mut Vec<bool>) -> usize {
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

    /// Sums the tensile and compressive forces at the nodes of marked blocks.
    fn sum_separation_forces(&self, work: &mut Prefilter) {
        let sums = &mut work.sums[..self.layout.slot_nodes.len()];
        over_spans(&self.layout.blocks, sums, &mut work.blocks, &|block, sums, marked| {
            let Ok(sums) = <&mut [Sums; BLOCK_NODES]>::try_from(sums) else { return };
            if *marked {
                LOCAL.with_borrow_mut(|local| {
                    Instructions::detect().run(SumForces {
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

    /// Bounds the separation force of each candidate and finds its crack plane.
    fn bound_separation_forces(&self, work: &mut Prefilter, nodes: &[u32]) {
        work.bounds.clear();
        work.bounds.resize(nodes.len(), [0.0; 4]);
        let (layout, critical, sums) = (&self.layout, self.critical_forces.as_slice(), work.sums.as_slice());
        let parts = nodes.par_chunks(NODES_PER_TASK).zip(work.bounds.par_chunks_mut(NODES_PER_TASK));
        parts.for_each(|(nodes, bounds)| {
            Instructions::detect().run(BoundForces { nodes, layout, sums, critical, bounds })
        });
    }

    /// Sums Σ vol·|n̂·∇N| of the candidates, twice the area across their crack planes (m²), into
    /// the first entry of their sums.
    fn sum_areas(&self, work: &mut Prefilter) {
        let Prefilter { sums, blocks, indices, bounds } = work;
        let sums = &mut sums[..self.layout.slot_nodes.len()];
        over_spans(&self.layout.blocks, sums, blocks, &|block, sums, marked| {
            let Ok(sums) = <&mut [Sums; BLOCK_NODES]>::try_from(sums) else { return };
            if *marked {
                LOCAL.with_borrow_mut(|local| {
                    for (near, &node) in local.iter_mut().zip(self.nodes_in(block)) {
                        let bound = bounds.get(indices[node as usize] as usize);
                        let [x, y, z, _] = bound.copied().unwrap_or_default();
                        *near = [x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0];
                    }
                    let groups = &self.layout.groups[block.groups.clone()];
                    Instructions::detect().run(SumAreas { groups, local, sums, count: block.slots.len() });
                });
            }
        });
    }

    /// Keeps the candidates that may fail by the bounds of their separation forces.
    fn retain_candidates(&self, work: &Prefilter, nodes: &mut Vec<u32>) {
        let criterion = self.weakest_criterion();
        let mut bounds = work.bounds.iter();
        nodes.retain(|&node| {
            let Some(&[.., force]) = bounds.next() else { return true };
            let slots = self.layout.slots_of(node as usize);
            let area = 0.5 * slots.iter().map(|&slot| work.sums[slot as usize][0][0]).sum::<f64>();
            !(force < criterion.critical_force(area, self.strength_factor(NodeId(node))))
        });
    }
}

/// Sums of tensile and compressive forces of a block's elements at its nodes.
struct SumForces<'a> {
    groups: &'a [Group],
    law: &'a Law,
    guard: CollapseGuard,
    slots: &'a [u32],
    nodes: &'a [Node],
    local: &'a mut [[f64; 8]; BLOCK_NODES],
    sums: &'a mut [Sums; BLOCK_NODES],
}

impl Kernel for SumForces<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let SumForces { groups, law, guard, slots, nodes, local, sums } = self;
        for ((near, sum), &node) in local.iter_mut().zip(sums.iter_mut()).zip(slots) {
            *near = nodes[node as usize].0;
            *sum = Sums::default();
        }
        match law {
            Law::Isotropic { lambda, mu, phi, psi } => {
                sweep(groups, &Isotropic::<L>::new(*lambda, *mu, *phi, *psi), &guard, local, sums)
            }
            Law::Anisotropic { stiffness, viscosity } => {
                sweep::<L, _>(groups, &Anisotropic { stiffness, viscosity }, &guard, local, sums)
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
        let mut deformation = [zero; 8];
        for entry in 0..8 {
            deformation[entry] = f[entry / 3][entry % 3] * volume;
        }
        let deformation = L::transpose(&deformation);
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
                add(&mut sum[16..24], deformation[lane]);
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

/// m(a) of (28), and two entries of a.
#[inline(always)]
fn directed_and_part<L: Lanes>(a: &[L; 3]) -> [L; 8] {
    let [xx, yy, zz, yz, zx, xy] = directed(a);
    [xx, yy, zz, yz, zx, xy, a[0], a[1]]
}

/// Bounds of the separation forces of nodes, from the sums over their elements.
struct BoundForces<'a> {
    nodes: &'a [u32],
    layout: &'a Layout,
    sums: &'a [Sums],
    /// Separation force (N) from which each node of the body could fail.
    critical: &'a [f64],
    bounds: &'a mut [[f64; 4]],
}

impl Kernel for BoundForces<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let BoundForces { nodes, layout, sums, critical, bounds } = self;
        for (nodes, bounds) in nodes.chunks(WIDTH).zip(bounds.chunks_mut(WIDTH)) {
            let ForceBounds { normal: [x, y, z], force } = bound_eight::<L>(nodes, layout, sums, critical);
            for (lane, bound) in bounds.iter_mut().enumerate() {
                *bound = [x[lane], y[lane], z[lane], force[lane]];
            }
        }
    }
}

#[inline(always)]
fn bound_eight<L: Lanes>(nodes: &[u32], layout: &Layout, sums: &[Sums], critical_forces: &[f64]) -> ForceBounds {
    let zero = L::splat(0.0);
    let mut rows = [[zero; WIDTH]; 4];
    let mut critical = [0.0; WIDTH];
    for (lane, &node) in nodes.iter().enumerate() {
        critical[lane] = critical_forces[node as usize];
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
    let [txx, tyy, tzz, tyz, tzx, txy, tx, ty] = L::transpose(&rows[0]);
    let [cxx, cyy, czz, cyz, czx, cxy, cx, cy] = L::transpose(&rows[1]);
    let [f0, f1, f2, f3, f4, f5, f6, f7] = L::transpose(&rows[2]);
    let [tz, cz, f8, ..] = L::transpose(&rows[3]);
    let sums = SeparationLanes {
        tensile: [txx, tyy, tzz, tyz, tzx, txy],
        compressive: [cxx, cyy, czz, cyz, czx, cxy],
        tensile_sum: [tx, ty, tz],
        compressive_sum: [cx, cy, cz],
        deformation: [[f0, f1, f2], [f3, f4, f5], [f6, f7, f8]],
    };
    sums.bound(&critical)
}

/// Σ vol·|n̂·∇N| of a block's nodes, each with its own normal.
struct SumAreas<'a> {
    groups: &'a [Group],
    /// Normals of its nodes.
    local: &'a [[f64; 8]; BLOCK_NODES],
    sums: &'a mut [Sums; BLOCK_NODES],
    /// How many nodes it has.
    count: usize,
}

impl Kernel for SumAreas<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let SumAreas { groups, local, sums, count } = self;
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
    use crate::testing::{anisotropic, awake, shake, soft, solid};
    use craze_material::{Material, Strength};
    use craze_mesh::NodeId;

    #[test]
    fn every_failing_node_and_hardly_any_other_is_kept() {
        let by_stress = Strength { tensile: Some(4e3), ..Strength::default() };
        let by_force = Strength { separation_force: Some(30.0), ..Strength::default() };
        let (mut candidates, mut kept, mut failing) = (0, 0, 0);
        for (material, strength) in [(soft(), by_stress.clone()), (anisotropic(), by_stress), (soft(), by_force)] {
            for (amount, speed) in [(0.01, 0.0), (0.05, 0.5), (0.3, 0.1)] {
                let material = Material { strength: strength.clone(), ..material.clone() };
                let mut solid = solid([9, 5, 8], 0.2, material, awake(Integrator::Symplectic));
                shake(&mut solid, amount, speed, 5);
                let mut nodes: Vec<u32> = (0..solid.mesh.point_count() as u32).collect();
                candidates += nodes.len();
                solid.prefilter(&mut nodes);
                kept += nodes.len();
                for node in solid.mesh.point_ids() {
                    if solid.failure_state(node).is_some_and(|state| state.ratio > 1.0) {
                        failing += 1;
                        assert!(nodes.binary_search(&node.0).is_ok(), "{node:?}");
                    }
                }
                // A short list is left as it is.
                let mut few = vec![3, 200];
                solid.prefilter(&mut few);
                assert_eq!(few, [3, 200]);
            }
        }
        assert!(
            failing > 100 && failing < candidates / 2 && kept - failing < failing / 50 + 10,
            "{candidates} candidates, {kept} kept, {failing} fail"
        );
    }

    #[test]
    fn bounds_are_close_to_the_exact_separation_force() {
        let strength = Strength { tensile: Some(4e3), ..Strength::default() };
        let mut solid = solid([6, 5, 4], 0.2, Material { strength, ..soft() }, awake(Integrator::Symplectic));
        shake(&mut solid, 0.1, 0.3, 5);
        let mut nodes: Vec<u32> = (0..solid.mesh.point_count() as u32).collect();
        solid.critical_forces.fill(0.0);
        let all = nodes.clone();
        solid.prefilter(&mut nodes);
        let work = &solid.scratch.prefilter;
        let mut seen = 0;
        for (&node, &[.., found]) in all.iter().zip(&work.bounds) {
            let Some(exact) = solid.failure_state(NodeId(node)) else { continue };
            let slots = solid.layout.slots_of(node as usize);
            let area = 0.5 * slots.iter().map(|&slot| work.sums[slot as usize][0][0]).sum::<f64>();
            let ratio = found / (4e3 * area);
            if found == 0.0 {
                assert!(exact.ratio < 1e-9, "{}", exact.ratio);
            } else if found.is_finite() {
                assert!(ratio > exact.ratio, "{ratio} {}", exact.ratio);
                // Where the elements are flat, more area counts than they have across the normal.
                seen += usize::from(ratio < (1.0 + 1e-4) * exact.ratio);
            }
        }
        assert!(10 * seen > 9 * all.len(), "{seen} of {}", all.len());
    }
}
