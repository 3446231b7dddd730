//! The forces of a block, eight elements at a time: (21)–(27) of O'Brien & Hodgins 1999.
//!
//! The same physics as [`Tetrahedron`](craze_element::Tetrahedron), against which it is tested, in
//! structure-of-arrays form.

use crate::blocks::{BLOCK_NODES, Group};
use crate::gather::{Three, gather, gather_accelerations, scatter};
use crate::tuning::{PREFETCHED_GROUPS, PREFETCHED_NODES_PER_GROUP};
use craze_body::Node;
use craze_element::{CollapseGuard, Law};
use craze_math::Mat3;
use craze_math::lanes::{Kernel, Lanes, Mask, WIDTH, prefetch};

/// Workspace of a block, in the first-level cache.
#[repr(C, align(64))]
pub(crate) struct Local {
    /// Records of the block's nodes; see [`Node`](craze_body::Node).
    pub nodes: [[f64; 8]; BLOCK_NODES],
    /// Their forces (N), or rates of force (N/s). The fourth entry is Σ vol·|S·∇N| over the
    /// elements at the node (N), an upper bound for the failure prefilter, or 0 beside rates.
    pub forces: [[f64; 4]; BLOCK_NODES],
    /// Their accelerations (m/s²), for the jerk; the fourth entry is padding.
    pub accelerations: [[f64; 4]; BLOCK_NODES],
}

impl Local {
    pub const fn new() -> Local {
        Local {
            nodes: [[0.0; 8]; BLOCK_NODES],
            forces: [[0.0; 4]; BLOCK_NODES],
            accelerations: [[0.0; 4]; BLOCK_NODES],
        }
    }

    /// Copies the records of the block's nodes, and clears their forces.
    #[inline(always)]
    fn fetch(&mut self, slots: &[u32], nodes: &[Node]) {
        for ((near, force), &node) in self.nodes.iter_mut().zip(&mut self.forces).zip(slots) {
            *near = nodes[node as usize].0;
            *force = [0.0; 4];
        }
    }
}

/// Report of a force pass over a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Report {
    /// Smallest det F.
    pub lowest_ratio: f64,
    /// Largest norm of ε (1), squared.
    pub largest_strain: f64,
    /// Largest norm of Ḟ (1/s), squared.
    pub fastest_change: f64,
    /// Largest factor by which the collapse guard stiffens an element.
    pub stiffening: f64,
    /// A sum of everything: not finite if anything was not.
    pub witness: f64,
}

impl Report {
    pub const QUIET: Report =
        Report { lowest_ratio: 1.0, largest_strain: 0.0, fastest_change: 0.0, stiffening: 0.0, witness: 0.0 };
}

/// Sums the forces of a block (N) into its partial sums.
pub(crate) struct Forces<'a> {
    pub groups: &'a [Group],
    pub law: &'a Law,
    pub guard: CollapseGuard,
    /// Nodes of the block.
    pub slots: &'a [u32],
    /// Records of all nodes.
    pub nodes: &'a [Node],
    /// Whether fourth entries are computed; for isotropic laws they are 0 if not.
    pub pulls: bool,
    /// What the next block needs: its first constants and its nodes.
    pub next_groups: &'a [Group],
    pub next_slots: &'a [u32],
    pub local: &'a mut Local,
    /// One sum per node of the block.
    pub partial: &'a mut [[f64; 4]],
}

/// Sums the rates of force of a block (N/s) into its partial sums.
pub(crate) struct ForceRates<'a> {
    pub forces: Forces<'a>,
    /// Accelerations of all nodes (m/s²).
    pub accelerations: &'a [[f64; 4]],
}

impl Kernel for Forces<'_> {
    type Output = Report;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Report {
        let Forces { groups, law, guard, slots, nodes, pulls, next_groups, next_slots, local, partial } = self;
        let soon = Soon { groups: next_groups, slots: next_slots, nodes };
        local.fetch(slots, nodes);
        let report = match law {
            Law::Isotropic { lambda, mu, phi, psi } => {
                let law = Isotropic::<L>::new(*lambda, *mu, *phi, *psi);
                match pulls {
                    true => sweep::<L, _, true>(groups, &soon, &law, &guard, local),
                    false => sweep::<L, _, false>(groups, &soon, &law, &guard, local),
                }
            }
            Law::Anisotropic { stiffness, viscosity } => {
                sweep::<L, _, true>(groups, &soon, &Anisotropic { stiffness, viscosity }, &guard, local)
            }
        };
        partial[..slots.len()].copy_from_slice(&local.forces[..slots.len()]);
        report
    }
}

impl Kernel for ForceRates<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Forces { groups, law, guard, slots, nodes, local, partial, .. } = self.forces;
        local.fetch(slots, nodes);
        for (near, &node) in local.accelerations.iter_mut().zip(slots) {
            *near = self.accelerations[node as usize];
        }
        match law {
            Law::Isotropic { lambda, mu, phi, psi } => {
                sweep_rates(groups, &Isotropic::<L>::new(*lambda, *mu, *phi, *psi), &guard, local)
            }
            Law::Anisotropic { stiffness, viscosity } => {
                sweep_rates::<L, _>(groups, &Anisotropic { stiffness, viscosity }, &guard, local)
            }
        }
        partial[..slots.len()].copy_from_slice(&local.forces[..slots.len()]);
    }
}

/// Data to be prefetched for the next block.
struct Soon<'a> {
    groups: &'a [Group],
    slots: &'a [u32],
    nodes: &'a [Node],
}

impl Soon<'_> {
    /// Prefetches constants some groups ahead, and a part of the next block's nodes.
    #[inline(always)]
    fn ask(&self, groups: &[Group], index: usize) {
        let ahead = index + PREFETCHED_GROUPS;
        if let Some(group) = groups.get(ahead).or_else(|| self.groups.get(ahead - groups.len())) {
            prefetch(group);
        }
        let first = PREFETCHED_NODES_PER_GROUP * index;
        for &node in self.slots.iter().skip(first).take(PREFETCHED_NODES_PER_GROUP) {
            prefetch(&self.nodes[node as usize]);
        }
    }
}

/// A stress law on lanes. Symmetric tensors are xx, yy, zz, yz, zx, xy.
pub(crate) trait LawLanes<L: Lanes> {
    /// True stress σ/2 at the ε and ν of the paper, with a share of the viscosity.
    fn stress(&self, strain: &[L; 6], rate: &[L; 6], viscosity: &L) -> [L; 6];
}

pub(crate) struct Isotropic<L> {
    half_lambda: L,
    mu: L,
    half_phi: L,
    psi: L,
}

impl<L: Lanes> Isotropic<L> {
    #[inline(always)]
    pub fn new(lambda: f64, mu: f64, phi: f64, psi: f64) -> Self {
        Isotropic {
            half_lambda: L::splat(0.5 * lambda),
            mu: L::splat(mu),
            half_phi: L::splat(0.5 * phi),
            psi: L::splat(psi),
        }
    }
}

impl<L: Lanes> LawLanes<L> for Isotropic<L> {
    #[inline(always)]
    fn stress(&self, strain: &[L; 6], rate: &[L; 6], viscosity: &L) -> [L; 6] {
        let (half_phi, psi) = (self.half_phi * *viscosity, self.psi * *viscosity);
        let dilation = strain[0] + strain[1] + strain[2];
        let dilation_rate = rate[0] + rate[1] + rate[2];
        let pressure = self.half_lambda.mul_add(dilation, half_phi * dilation_rate);
        let mut stress = [pressure; 6];
        for i in 0..3 {
            stress[i] = self.mu.mul_add(strain[i], psi.mul_add(rate[i], pressure));
            stress[i + 3] = self.mu.mul_add(strain[i + 3], psi * rate[i + 3]);
        }
        stress
    }
}

pub(crate) struct Anisotropic<'a> {
    pub stiffness: &'a [[f64; 6]; 6],
    pub viscosity: &'a [[f64; 6]; 6],
}

impl<L: Lanes> LawLanes<L> for Anisotropic<'_> {
    #[inline(always)]
    fn stress(&self, strain: &[L; 6], rate: &[L; 6], viscosity: &L) -> [L; 6] {
        // Half of C times ε with engineering shears: normal strains count half, shears once.
        let half = L::splat(0.5);
        let (mut strain, mut rate) = (*strain, *rate);
        for i in 0..3 {
            strain[i] = half * strain[i];
            rate[i] = half * rate[i];
        }
        for rate in &mut rate {
            *rate = *rate * *viscosity;
        }
        let mut stress = [L::splat(0.0); 6];
        for i in 0..6 {
            for j in 0..6 {
                stress[i] = L::splat(self.stiffness[i][j]).mul_add(strain[j], stress[i]);
                stress[i] = L::splat(self.viscosity[i][j]).mul_add(rate[j], stress[i]);
            }
        }
        stress
    }
}

#[inline(always)]
fn sweep<L: Lanes, W: LawLanes<L>, const PULLS: bool>(
    groups: &[Group],
    soon: &Soon,
    law: &W,
    guard: &CollapseGuard,
    local: &mut Local,
) -> Report {
    let zero = L::splat(0.0);
    let (mut lowest, mut largest, mut fastest, mut witness) = (L::splat(1.0), zero, zero, zero);
    let threshold = L::splat(guard.threshold);
    let mut stiffening = 0.0f64;
    for (index, group) in groups.iter().enumerate() {
        soon.ask(groups, index);
        let (edges, edge_rates) = gather(group, &local.nodes);
        let inverse = inverse_edges::<L>(group);
        let f = times(&edges, &inverse);
        let rate = times(&edge_rates, &inverse);
        let strain = strain(&f);
        let mut stress = law.stress(&strain, &strain_rate(&f, &rate), &L::new(group.viscosities()));
        let ratio = determinant(&f);
        if ratio.less_than(threshold).any() {
            stiffening = stiffening.max(guard_stress(guard, &f, &ratio, &mut stress));
        }
        let minus_volume = -L::new(group.volume);
        for component in &mut stress {
            *component = *component * minus_volume;
        }
        let tractions = tractions(&stress, &inverse);
        let norms = if PULLS { corner_norms(&tractions) } else { [zero; 4] };
        scatter(group, &pulls(&f, &tractions), &norms, &mut local.forces);

        lowest = ratio.min(lowest);
        let size = squared(&strain);
        largest = size.max(largest);
        fastest = squared_norm(&rate).max(fastest);
        witness = witness + size;
    }
    Report {
        lowest_ratio: fold(lowest.to_array(), f64::min),
        largest_strain: fold(largest.to_array(), f64::max),
        fastest_change: fold(fastest.to_array(), f64::max),
        stiffening,
        witness: witness.sum(),
    }
}

#[inline(always)]
fn sweep_rates<L: Lanes, W: LawLanes<L>>(groups: &[Group], law: &W, guard: &CollapseGuard, local: &mut Local) {
    let threshold = L::splat(guard.threshold);
    let zero = [L::splat(0.0); 6];
    for group in groups {
        let (edges, edge_rates) = gather(group, &local.nodes);
        let edge_accelerations = gather_accelerations(group, &local.accelerations);
        let inverse = inverse_edges::<L>(group);
        let f = times(&edges, &inverse);
        let rate = times(&edge_rates, &inverse);
        let second_rate = times(&edge_accelerations, &inverse);
        let nu = strain_rate(&f, &rate);
        let viscosity = L::new(group.viscosities());
        let mut stress = law.stress(&strain(&f), &nu, &viscosity);
        // ν̇ = FᵀF̈ + F̈ᵀF + 2ḞᵀḞ
        let mut change = strain_rate(&f, &second_rate);
        let turning = strain_rate(&rate, &rate); // twice ḞᵀḞ
        for i in 0..6 {
            change[i] = change[i] + turning[i];
        }
        let mut stress_rate = law.stress(&nu, &change, &viscosity);
        let ratio = determinant(&f);
        if ratio.less_than(threshold).any() {
            guard_stress(guard, &f, &ratio, &mut stress);
            let mut extra = zero;
            guard_stress_rate(guard, &f, &rate, &mut extra);
            for i in 0..6 {
                stress_rate[i] = stress_rate[i] + extra[i];
            }
        }
        let minus_volume = -L::new(group.volume);
        for i in 0..6 {
            stress[i] = stress[i] * minus_volume;
            stress_rate[i] = stress_rate[i] * minus_volume;
        }
        let (by_turn, by_stress) =
            (pulls(&rate, &tractions(&stress, &inverse)), pulls(&f, &tractions(&stress_rate, &inverse)));
        let mut sum = by_turn;
        for corner in 0..3 {
            for axis in 0..3 {
                sum[corner][axis] = by_turn[corner][axis] + by_stress[corner][axis];
            }
        }
        scatter(group, &sum, &[L::splat(0.0); 4], &mut local.forces);
    }
}

/// Rows of the inverse edge matrices.
#[inline(always)]
pub(crate) fn inverse_edges<L: Lanes>(group: &Group) -> Three<L> {
    let mut rows = [[L::splat(0.0); 3]; 3];
    for row in 0..3 {
        for column in 0..3 {
            rows[row][column] = L::new(group.inverse_edges[3 * row + column]);
        }
    }
    rows
}

/// Columns of E·B for edges E given as columns and B given as rows: (21), (22).
#[inline(always)]
pub(crate) fn times<L: Lanes>(edges: &Three<L>, rows: &Three<L>) -> Three<L> {
    let mut product = [[L::splat(0.0); 3]; 3];
    for column in 0..3 {
        for axis in 0..3 {
            let sum = edges[0][axis] * rows[0][column];
            let sum = edges[1][axis].mul_add(rows[1][column], sum);
            product[column][axis] = edges[2][axis].mul_add(rows[2][column], sum);
        }
    }
    product
}

#[inline(always)]
pub(crate) fn dot<L: Lanes>(a: &[L; 3], b: &[L; 3], start: L) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul_add(b[2], start)))
}

/// ε of (1).
#[inline(always)]
pub(crate) fn strain<L: Lanes>(f: &Three<L>) -> [L; 6] {
    let (zero, minus) = (L::splat(0.0), L::splat(-1.0));
    [
        dot(&f[0], &f[0], minus),
        dot(&f[1], &f[1], minus),
        dot(&f[2], &f[2], minus),
        dot(&f[1], &f[2], zero),
        dot(&f[2], &f[0], zero),
        dot(&f[0], &f[1], zero),
    ]
}

/// ν of (3).
#[inline(always)]
pub(crate) fn strain_rate<L: Lanes>(f: &Three<L>, rate: &Three<L>) -> [L; 6] {
    let zero = L::splat(0.0);
    let (x, y, z) = (dot(&f[0], &rate[0], zero), dot(&f[1], &rate[1], zero), dot(&f[2], &rate[2], zero));
    [
        x + x,
        y + y,
        z + z,
        dot(&f[1], &rate[2], dot(&f[2], &rate[1], zero)),
        dot(&f[2], &rate[0], dot(&f[0], &rate[2], zero)),
        dot(&f[0], &rate[1], dot(&f[1], &rate[0], zero)),
    ]
}

/// Columns of S·Bᵀ: what S·∇N is at corners 1, 2, 3.
#[inline(always)]
pub(crate) fn tractions<L: Lanes>(s: &[L; 6], rows: &Three<L>) -> Three<L> {
    times_columns(&[[s[0], s[5], s[4]], [s[5], s[1], s[3]], [s[4], s[3], s[2]]], rows)
}

/// Forces on corners 1, 2, 3: columns of F·S·Bᵀ with S scaled by −vol, (27).
#[inline(always)]
pub(crate) fn pulls<L: Lanes>(f: &Three<L>, tractions: &Three<L>) -> Three<L> {
    times_columns(f, tractions)
}

/// A matrix of these columns times three vectors.
#[inline(always)]
fn times_columns<L: Lanes>(columns: &Three<L>, vectors: &Three<L>) -> Three<L> {
    let mut products = [[L::splat(0.0); 3]; 3];
    for (product, vector) in products.iter_mut().zip(vectors) {
        for axis in 0..3 {
            let sum = columns[0][axis] * vector[0];
            let sum = columns[1][axis].mul_add(vector[1], sum);
            product[axis] = columns[2][axis].mul_add(vector[2], sum);
        }
    }
    products
}

/// Norms of vectors at corners 1, 2, 3, after that of their sum, which is the norm at corner 0, in
/// single precision: they are upper bounds of forces at a node, and in double precision took a
/// third of the pass.
#[inline(always)]
fn corner_norms<L: Lanes>([a, b, c]: &Three<L>) -> [L; 4] {
    let zero = L::splat(0.0);
    let mut first = [zero; 3];
    for axis in 0..3 {
        first[axis] = a[axis] + b[axis] + c[axis];
    }
    let mut norms = [zero; 4];
    // A loop instead of a map: closures over arrays are compiled without wide instructions, and
    // become calls.
    for (norm, vector) in norms.iter_mut().zip([&first, a, b, c]) {
        *norm = dot(vector, vector, zero).rough_sqrt();
    }
    norms
}

#[inline(always)]
pub(crate) fn determinant<L: Lanes>(f: &Three<L>) -> L {
    let [a, b, c] = f;
    let cross =
        [b[1].mul_add(c[2], -(b[2] * c[1])), b[2].mul_add(c[0], -(b[0] * c[2])), b[0].mul_add(c[1], -(b[1] * c[0]))];
    dot(a, &cross, L::splat(0.0))
}

/// Squared norm of a symmetric tensor.
#[inline(always)]
fn squared<L: Lanes>(tensor: &[L; 6]) -> L {
    let diagonal = [tensor[0], tensor[1], tensor[2]];
    let shear = [tensor[3], tensor[4], tensor[5]];
    let twice = dot(&shear, &shear, L::splat(0.0));
    dot(&diagonal, &diagonal, twice + twice)
}

#[inline(always)]
fn squared_norm<L: Lanes>(f: &Three<L>) -> L {
    dot(&f[0], &f[0], dot(&f[1], &f[1], dot(&f[2], &f[2], L::splat(0.0))))
}

fn fold(numbers: [f64; WIDTH], choose: fn(f64, f64) -> f64) -> f64 {
    numbers.into_iter().fold(numbers[0], choose)
}

#[inline(always)]
fn to_arrays<L: Lanes>(f: &Three<L>) -> [[[f64; WIDTH]; 3]; 3] {
    let mut arrays = [[[0.0; WIDTH]; 3]; 3];
    for column in 0..3 {
        for axis in 0..3 {
            arrays[column][axis] = f[column][axis].to_array();
        }
    }
    arrays
}

/// Adds the guard's stress where it acts, which is rare: element by element. Returns the largest
/// stiffening.
#[inline(always)]
pub(crate) fn guard_stress<L: Lanes>(guard: &CollapseGuard, f: &Three<L>, ratio: &L, stress: &mut [L; 6]) -> f64 {
    let mut numbers = [[0.0; WIDTH]; 6];
    for i in 0..6 {
        numbers[i] = stress[i].to_array();
    }
    let stiffening = add_guard_stress(guard, &to_arrays(f), &ratio.to_array(), &mut numbers);
    for i in 0..6 {
        stress[i] = L::new(numbers[i]);
    }
    stiffening
}

#[inline(always)]
fn guard_stress_rate<L: Lanes>(guard: &CollapseGuard, f: &Three<L>, rate: &Three<L>, extra: &mut [L; 6]) {
    let mut numbers = [[0.0; WIDTH]; 6];
    add_guard_stress_rate(guard, &to_arrays(f), &to_arrays(rate), &mut numbers);
    for i in 0..6 {
        extra[i] = L::new(numbers[i]);
    }
}

fn lane_matrix(columns: &[[[f64; WIDTH]; 3]; 3], lane: usize) -> Mat3 {
    Mat3::from_fn(|row, column| columns[column][row][lane])
}

fn add_symmetric(numbers: &mut [[f64; WIDTH]; 6], lane: usize, tensor: &Mat3) {
    for (i, place) in [(0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
        numbers[i][lane] += tensor[place];
    }
}

#[cold]
#[inline(never)]
fn add_guard_stress(
    guard: &CollapseGuard,
    f: &[[[f64; WIDTH]; 3]; 3],
    ratio: &[f64; WIDTH],
    stress: &mut [[f64; WIDTH]; 6],
) -> f64 {
    let mut stiffening = 0.0f64;
    for lane in 0..WIDTH {
        // For non-positive determinants the law is undefined; the report says so and the step is
        // discarded.
        if ratio[lane] < guard.threshold && ratio[lane] > 0.0 {
            let deformation = lane_matrix(f, lane);
            add_symmetric(stress, lane, &guard.stress(&deformation));
            stiffening = stiffening.max(guard.stiffening(&deformation));
        }
    }
    stiffening
}

#[cold]
#[inline(never)]
fn add_guard_stress_rate(
    guard: &CollapseGuard,
    f: &[[[f64; WIDTH]; 3]; 3],
    rate: &[[[f64; WIDTH]; 3]; 3],
    stress: &mut [[f64; WIDTH]; 6],
) {
    for lane in 0..WIDTH {
        let deformation = lane_matrix(f, lane);
        if deformation.determinant() > 0.0 {
            add_symmetric(stress, lane, &guard.stress_rate(&deformation, &lane_matrix(rate, lane)));
        }
    }
}

#[cfg(test)]
mod tests;
