//! Fits of all clusters: one pass that streams particles and adds to the sums of their clusters.
//!
//! With u = x − anchor and o the rest offset, a cluster needs Σ w m u (o, 1)ᵀ, and for damping Σ w
//! m (v, u × v, u uᵀ). The products are computed once per particle; a membership costs two or three
//! vectors of multiply-adds into a record that stays in the first-level cache, and no particle is
//! read twice.

use crate::cluster::{ClusterHistory, Fit, Guide, MIN_INERTIA_RATIO, Record, Rest};
use crate::membership::{Memberships, Share};
use crate::model::Particles;
use crate::survey::{Lead, SurveyResult};
use crate::tuning::{CLUSTERS_PER_FIT_TASK, MAX_PARTIAL_SUMS, PARTICLES_PER_CHUNK};
use craze_math::batch::{polar_batch, svd_batch};
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};
use craze_math::{Mat3, Polar, Vec3};

/// Fits of all clusters to a state.
#[derive(Clone, Default)]
pub(crate) struct Fits {
    /// Anchor of all positions (m), so that rounding is relative to the size of the body and not to
    /// its distance from the origin.
    pub anchor: Vec3,
    pub fits: Vec<Fit>,
    /// What members need of each cluster; rigid motions only where they were asked for.
    pub guides: Vec<Guide>,
    pub has_motions: bool,
    /// Weighted sums over the clusters of each particle, if up to date: see [`Fits::survey`].
    pub leads: Vec<Lead>,
    pub is_surveyed: bool,
    /// Other results of the survey, if up to date.
    pub survey_result: SurveyResult,
    pub has_survey_result: bool,
    /// Whether energy was removed from velocities since the survey: motions and energies are those
    /// before.
    pub is_calmed: bool,
    /// Sums over ranges of particles, cluster by cluster in each range.
    partial: Vec<Record>,
    /// Sums of each cluster, from which it was fitted.
    sums: Vec<Record>,
}

/// Constants of the clusters of a body.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub particles: &'a Particles,
    pub memberships: &'a Memberships,
    pub rest: &'a [Rest],
    pub history: &'a [ClusterHistory],
    /// Strain limit: largest distance of a member from its goal, in extents of its cluster (1);
    /// infinite without a limit.
    pub limit: f64,
}

/// Workspace of decompositions.
const NO_POLAR: Polar = Polar { rotation: Fit::NONE.rotation, stretch: Fit::NONE.rotation };

/// Ratio of determinant to cubed trace of an inertia above which it is inverted without
/// pseudoinverse; the thinnest rod with two particles per side has more.
const MIN_INVERTIBLE_RATIO: f64 = 1e-6;

/// Vectors of a record with sums of positions, and with those of motions too.
const POSITION_VECTORS: usize = 2;
const MOTION_VECTORS: usize = 3;

impl Fits {
    /// Fits all clusters to positions (m), and with velocities (m/s) computes their rigid motions.
    pub(crate) fn fit(&mut self, shapes: &Shapes, positions: &[Vec3], velocities: Option<&[Vec3]>) {
        let count = shapes.rest.len();
        let stretch = positions.len().div_ceil(MAX_PARTIAL_SUMS).next_multiple_of(PARTICLES_PER_CHUNK);
        self.anchor = positions[0];
        self.invalidate_survey();
        self.is_calmed = false;
        self.has_motions = velocities.is_some();
        self.fits.resize(count, Fit::NONE);
        self.guides.resize(count, Guide::ZERO);
        self.sums.resize(count, Record::ZERO);
        self.partial.resize(count * positions.len().div_ceil(stretch), Record::ZERO);
        let anchor = self.anchor;
        sum_stretches(&mut self.partial, (count, stretch), 0..positions.len(), &|range, sums| {
            let (shares, ranges) = shapes.memberships.stream(range.clone());
            let offsets = &shapes.particles.offsets[range.clone()];
            let masses = &shapes.particles.masses[range.clone()];
            let positions = &positions[range.clone()];
            let of = Of { shares, ranges, offsets, masses, positions, anchor };
            match velocities {
                None => Instructions::detect().run(Sum::<POSITION_VECTORS> { of, velocities: &[], sums }),
                Some(all) => Instructions::detect().run(Sum::<MOTION_VECTORS> { of, velocities: &all[range], sums }),
            }
        });
        let found = Found { fits: &mut self.fits, guides: &mut self.guides, sums: &mut self.sums };
        solve(shapes, &self.partial, count, 0, found, velocities.is_some());
    }

    /// Invalidates the survey: clusters have changed.
    fn invalidate_survey(&mut self) {
        (self.is_surveyed, self.has_survey_result) = (false, false);
    }

    /// Moves one particle by a displacement (m) in the sums of its clusters; [`Fits::follow`] then
    /// updates their fits.
    pub(crate) fn shift(&mut self, shapes: &Shapes, particle: usize, way: &Vec3) {
        let products = position_products(shapes.particles.masses[particle], way, &shapes.particles.offsets[particle]);
        for share in shapes.memberships.of(particle) {
            let sums = &mut self.sums[share.cluster as usize].0;
            for entry in 0..2 * WIDTH {
                sums[entry] += share.weight * products.0[entry];
            }
        }
    }

    /// Updates centres and goals of some clusters from their sums; F^e and rigid motions stay those
    /// of the last fit.
    pub(crate) fn follow(&mut self, shapes: &Shapes, clusters: &[u32]) {
        let (mut laid, mut polars) = ([Mat3::zeros(); WIDTH], [NO_POLAR; WIDTH]);
        for clusters in clusters.chunks(WIDTH) {
            for (laid, &cluster) in laid.iter_mut().zip(clusters) {
                let cluster = cluster as usize;
                self.fits[cluster].measure(&self.sums[cluster], &shapes.rest[cluster]);
                *laid = self.fits[cluster].laid(&shapes.rest[cluster], &shapes.history[cluster]);
            }
            polar_batch(&laid[..clusters.len()], &mut polars);
            for (polar, &cluster) in polars.iter().zip(clusters) {
                let (cluster, guide) = (cluster as usize, &mut self.guides[cluster as usize]);
                self.fits[cluster].rotation = polar.rotation;
                self.fits[cluster].guide(&shapes.rest[cluster], &shapes.history[cluster], shapes.limit, guide);
            }
        }
        self.invalidate_survey();
    }

    /// Updates decomposition and goals of one cluster after a change of F^p.
    pub(crate) fn renew(&mut self, shapes: &Shapes, cluster: usize) {
        let (rest, history) = (&shapes.rest[cluster], &shapes.history[cluster]);
        self.fits[cluster].decompose(rest, history);
        self.fits[cluster].guide(rest, history, shapes.limit, &mut self.guides[cluster]);
        self.invalidate_survey();
    }

    /// Fits one cluster to positions (m) by its members, after fracture has changed them.
    pub(crate) fn refit(&mut self, shapes: &Shapes, cluster: usize, positions: &[Vec3]) {
        let mut sums = Record::ZERO;
        for &member in shapes.memberships.members(cluster) {
            let weight = shapes.memberships.weight(member, cluster as u32);
            let member = member as usize;
            let arm = positions[member] - self.anchor;
            let product = position_products(shapes.particles.masses[member], &arm, &shapes.particles.offsets[member]);
            for entry in 0..2 * WIDTH {
                sums.0[entry] += weight * product.0[entry];
            }
        }
        self.fits[cluster].measure(&sums, &shapes.rest[cluster]);
        self.renew(shapes, cluster);
    }

    /// Centre of mass of the body (m, relative to the anchor).
    pub(crate) fn centre(&self, rest: &[Rest]) -> Vec3 {
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for (fit, rest) in self.fits.iter().zip(rest) {
            mass += rest.mass;
            moment += rest.mass * fit.centre;
        }
        moment / mass
    }
}

/// Sums ranges of particles, each into its own part of `partial`.
fn sum_stretches(
    partial: &mut [Record],
    (clusters, stretch): (usize, usize),
    particles: std::ops::Range<usize>,
    add: &(impl Fn(std::ops::Range<usize>, &mut [Record]) + Sync),
) {
    let count = particles.len().div_ceil(stretch);
    if count <= 1 {
        partial.fill(Record::ZERO);
        return add(particles, partial);
    }
    let middle = particles.start + count / 2 * stretch;
    let (first, second) = partial.split_at_mut(count / 2 * clusters);
    rayon::join(
        || sum_stretches(first, (clusters, stretch), particles.start..middle, add),
        || sum_stretches(second, (clusters, stretch), middle..particles.end, add),
    );
}

/// Results for a range of clusters.
struct Found<'a> {
    fits: &'a mut [Fit],
    guides: &'a mut [Guide],
    sums: &'a mut [Record],
}

impl<'a> Found<'a> {
    fn divide(self, at: usize) -> [Found<'a>; 2] {
        let (fits, later_fits) = self.fits.split_at_mut(at);
        let (guides, later_guides) = self.guides.split_at_mut(at);
        let (sums, later_sums) = self.sums.split_at_mut(at);
        [Found { fits, guides, sums }, Found { fits: later_fits, guides: later_guides, sums: later_sums }]
    }
}

/// Adds the sums of ranges in their order, and fits the clusters from `first` on, with their rigid
/// motion where it is asked for.
fn solve(shapes: &Shapes, partial: &[Record], count: usize, first: usize, found: Found, with_motion: bool) {
    if found.fits.len() > CLUSTERS_PER_FIT_TASK {
        let middle = (found.fits.len() / 2).next_multiple_of(WIDTH);
        let [found, later] = found.divide(middle);
        rayon::join(
            || solve(shapes, partial, count, first, found, with_motion),
            || solve(shapes, partial, count, first + middle, later, with_motion),
        );
        return;
    }
    let Found { fits, guides, sums } = found;
    let (mut elastic, mut laid) = ([Mat3::zeros(); CLUSTERS_PER_FIT_TASK], [Mat3::zeros(); CLUSTERS_PER_FIT_TASK]);
    for (index, (fit, sums)) in fits.iter_mut().zip(sums).enumerate() {
        *sums = Record::ZERO;
        for stretch in partial.chunks_exact(count) {
            for entry in 0..sums.0.len() {
                sums.0[entry] += stretch[first + index].0[entry];
            }
        }
        let (rest, history) = (&shapes.rest[first + index], &shapes.history[first + index]);
        fit.measure(sums, rest);
        (elastic[index], laid[index]) = (fit.elastic_deformation(history), fit.laid(rest, history));
        if with_motion {
            set_motion(sums, &fit.centre, rest.mass, &mut guides[index]);
        }
    }
    let mut elastics = [Fit::NONE.elastic; CLUSTERS_PER_FIT_TASK];
    let mut polars = [NO_POLAR; CLUSTERS_PER_FIT_TASK];
    let count = fits.len();
    svd_batch(&elastic[..count], &mut elastics);
    polar_batch(&laid[..count], &mut polars);
    for (index, (fit, guide)) in fits.iter_mut().zip(guides).enumerate() {
        (fit.elastic, fit.rotation) = (elastics[index], polars[index].rotation);
        fit.guide(&shapes.rest[first + index], &shapes.history[first + index], shapes.limit, guide);
    }
}

/// m u (o, 1)ᵀ as columns of four.
#[inline(always)]
pub(crate) fn position_products(mass: f64, arm: &Vec3, offset: &Vec3) -> Record {
    let [x, y, z] = [mass * arm.x, mass * arm.y, mass * arm.z];
    let [a, b, c] = [offset.x, offset.y, offset.z];
    let mut products = Record::ZERO;
    products.0[..16].copy_from_slice(&[
        x * a,
        y * a,
        z * a,
        0.0,
        x * b,
        y * b,
        z * b,
        0.0,
        x * c,
        y * c,
        z * c,
        0.0,
        x,
        y,
        z,
        0.0,
    ]);
    products
}

/// The same, with m (v, u × v, u uᵀ) in the fourth places and behind.
#[inline(always)]
fn motion_products(mass: f64, arm: &Vec3, offset: &Vec3, velocity: &Vec3) -> Record {
    let mut products = position_products(mass, arm, offset);
    let momentum = mass * velocity;
    let turning = arm.cross(&momentum);
    let weighted = mass * arm;
    products.0[3] = momentum.x;
    products.0[7] = momentum.y;
    products.0[11] = momentum.z;
    products.0[15] = turning.x;
    products.0[16..].copy_from_slice(&[
        turning.y,
        turning.z,
        weighted.x * arm.x,
        weighted.y * arm.y,
        weighted.z * arm.z,
        weighted.x * arm.y,
        weighted.x * arm.z,
        weighted.y * arm.z,
    ]);
    products
}

/// Writes the rigid motion with the momenta that [`motion_products`] sums.
fn set_motion(sums: &Record, centre: &Vec3, mass: f64, guide: &mut Guide) {
    let all = &sums.0;
    let momentum = Vec3::new(all[3], all[7], all[11]);
    let [ly, lz, xx, yy, zz, xy, xz, yz] = [16, 17, 18, 19, 20, 21, 22, 23].map(|entry| all[entry]);
    let second = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) - mass * centre * centre.transpose();
    let inertia = Mat3::identity() * second.trace() - second;
    let turning = Vec3::new(all[15], ly, lz) - centre.cross(&momentum);
    let spin = solve_inertia(&inertia) * turning;
    guide.set_motion(&(momentum / mass - spin.cross(centre)), &spin);
}

/// Inverse of an inertia (kg·m²), or its pseudoinverse where it is almost that of a line or a
/// point.
fn solve_inertia(inertia: &Mat3) -> Mat3 {
    let size = inertia.trace();
    match inertia.try_inverse().filter(|_| inertia.determinant() > MIN_INVERTIBLE_RATIO * size * size * size) {
        Some(inverse) => inverse,
        None => crate::cluster::pseudo_inverse(inertia, MIN_INERTIA_RATIO).0,
    }
}

/// Particles and their clusters.
struct Of<'a> {
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    offsets: &'a [Vec3],
    masses: &'a [f64],
    positions: &'a [Vec3],
    anchor: Vec3,
}

/// Adds particles to the first N vectors of the records of their clusters.
struct Sum<'a, const N: usize> {
    of: Of<'a>,
    velocities: &'a [Vec3],
    sums: &'a mut [Record],
}

impl<const N: usize> Kernel for Sum<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Of { shares, ranges, offsets, masses, positions, anchor } = self.of;
        let count = ranges.len();
        let (offsets, masses, positions) = (&offsets[..count], &masses[..count], &positions[..count]);
        for index in 0..count {
            let arm = positions[index] - anchor;
            let products = if N == MOTION_VECTORS {
                motion_products(masses[index], &arm, &offsets[index], &self.velocities[index])
            } else {
                position_products(masses[index], &arm, &offsets[index])
            };
            let (products, _) = products.0.as_chunks::<WIDTH>();
            let mut lanes = [L::splat(0.0); N];
            for vector in 0..N {
                lanes[vector] = L::new(products[vector]);
            }
            let [start, length] = ranges[index];
            for share in &shares[start as usize..(start + length) as usize] {
                let weight = L::splat(share.weight);
                let (sum, _) = self.sums[share.cluster as usize].0.as_chunks_mut::<WIDTH>();
                for vector in 0..N {
                    sum[vector] = weight.mul_add(lanes[vector], L::new(sum[vector])).to_array();
                }
            }
        }
    }
}
