//! Laying the rest shapes of all clusters over the particles: one pass that streams particles and adds to their clusters.
//!
//! With u = x − anchor and o the rest offset, a cluster needs Σ w m u (o, 1)ᵀ, and where damping asks for its motion Σ w m (v, u × v, u uᵀ). The
//! products are made once a particle; a membership costs two or three vectors of multiply-adds into a record that stays in the
//! nearest cache, and no particle is read twice.

use crate::chunks::CHUNK;
use crate::cluster::{Fit, Guide, Record, Rest, Temper};
use crate::membership::{Memberships, Share};
use crate::model::Particles;
use crate::survey::Lead;
use craze_math::batch::{polar_batch, svd_batch};
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};
use craze_math::{Mat3, Polar, Vec3};

/// How all clusters lie over a moment.
#[derive(Clone, Default)]
pub(crate) struct Fits {
    /// Places are reckoned from here (m), so that rounding is relative to the size of the body and not to its distance from
    /// the origin.
    pub anchor: Vec3,
    pub fits: Vec<Fit>,
    /// What members take from each; motions only where they were asked for.
    pub guides: Vec<Guide>,
    pub has_motions: bool,
    /// What particles take from their clusters, if it is up to date: see [`Fits::survey`].
    pub leads: Vec<Lead>,
    pub is_surveyed: bool,
    /// Sums of chunks, cluster by cluster within a chunk.
    partial: Vec<Record>,
}

/// What the clusters of a body are.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub particles: &'a Particles,
    pub memberships: &'a Memberships,
    pub rest: &'a [Rest],
    pub temper: &'a [Temper],
    /// Largest distance of a member from its goal, in extents of its cluster (1); infinite where there is no limit.
    pub limit: f64,
}

/// Clusters that one thread takes at a time: some whole batches of decompositions.
const FEW_CLUSTERS: usize = 32;

/// Moments below this share of the largest take no spin.
const NO_INERTIA: f64 = 1e-12;

/// Determinant by the cube of the trace of an inertia above which it is inverted as it is: the thinnest rod of two particles a side has more.
const WELL_FORMED: f64 = 1e-6;

/// Vectors of a record that hold places alone, and those that hold motions, too.
pub(crate) const PLACES: usize = 2;
pub(crate) const MOTIONS: usize = 3;

impl Fits {
    /// Fits all clusters to positions (m); with velocities (m/s), finds their motion, too.
    pub(crate) fn fit(&mut self, shapes: &Shapes, positions: &[Vec3], velocities: Option<&[Vec3]>) {
        let (count, chunks) = (shapes.rest.len(), positions.len().div_ceil(CHUNK));
        self.anchor = positions[0];
        self.is_surveyed = false;
        self.has_motions = velocities.is_some();
        self.fits.resize(count, Fit::NONE);
        self.guides.resize(count, Guide::ZERO);
        self.partial.resize(count * chunks, Record::ZERO);
        let anchor = self.anchor;
        sum_chunks(&mut self.partial, count, 0..positions.len(), &|range, sums| {
            let (shares, ranges) = shapes.memberships.stream(range.clone());
            let offsets = &shapes.particles.offsets[range.clone()];
            let masses = &shapes.particles.masses[range.clone()];
            let positions = &positions[range.clone()];
            let of = Of { shares, ranges, offsets, masses, positions, anchor };
            match velocities {
                None => Instructions::detect().run(Sum::<PLACES> { of, velocities: &[], sums }),
                Some(all) => Instructions::detect().run(Sum::<MOTIONS> { of, velocities: &all[range], sums }),
            }
        });
        solve(shapes, &self.partial, count, 0, (&mut self.fits, &mut self.guides), velocities.is_some());
    }

    /// Brings decomposition and goals of one cluster up to date with its F^p.
    pub(crate) fn renew(&mut self, shapes: &Shapes, cluster: usize) {
        let (rest, temper) = (&shapes.rest[cluster], &shapes.temper[cluster]);
        self.fits[cluster].decompose(rest, temper);
        self.fits[cluster].guide(rest, temper, shapes.limit, &mut self.guides[cluster]);
        self.is_surveyed = false;
    }

    /// Fits one cluster to positions (m) by its members, after fracture has changed them.
    pub(crate) fn refit(&mut self, shapes: &Shapes, cluster: usize, positions: &[Vec3]) {
        let mut sums = Record::ZERO;
        for &member in shapes.memberships.members(cluster) {
            let weight = shapes.memberships.weight(member, cluster as u32);
            let member = member as usize;
            let arm = positions[member] - self.anchor;
            let product = place_products(shapes.particles.masses[member], &arm, &shapes.particles.offsets[member]);
            for entry in 0..2 * WIDTH {
                sums.0[entry] += weight * product.0[entry];
            }
        }
        self.fits[cluster].measure(&sums, &shapes.rest[cluster]);
        self.renew(shapes, cluster);
    }

    /// Centre of mass of all (m, from the anchor).
    pub(crate) fn centre(&self, rest: &[Rest]) -> Vec3 {
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for (fit, rest) in self.fits.iter().zip(rest) {
            mass += rest.mass;
            moment += rest.mass * fit.centre;
        }
        moment / mass
    }
}

/// Adds chunk by chunk, each to its own stretch of `partial`.
fn sum_chunks(
    partial: &mut [Record],
    clusters: usize,
    particles: std::ops::Range<usize>,
    add: &(impl Fn(std::ops::Range<usize>, &mut [Record]) + Sync),
) {
    let chunks = particles.len().div_ceil(CHUNK);
    if chunks <= 1 {
        partial.fill(Record::ZERO);
        return add(particles, partial);
    }
    let middle = particles.start + chunks / 2 * CHUNK;
    let (first, second) = partial.split_at_mut(chunks / 2 * clusters);
    rayon::join(
        || sum_chunks(first, clusters, particles.start..middle, add),
        || sum_chunks(second, clusters, middle..particles.end, add),
    );
}

/// Adds the sums of chunks in their order, and fits the clusters from `first` on; with their motion where it is asked for.
fn solve(
    shapes: &Shapes,
    partial: &[Record],
    count: usize,
    first: usize,
    (fits, guides): (&mut [Fit], &mut [Guide]),
    with_motion: bool,
) {
    if fits.len() > FEW_CLUSTERS {
        let middle = (fits.len() / 2).next_multiple_of(WIDTH);
        let (fits, later_fits) = fits.split_at_mut(middle);
        let (guides, later_guides) = guides.split_at_mut(middle);
        rayon::join(
            || solve(shapes, partial, count, first, (fits, guides), with_motion),
            || solve(shapes, partial, count, first + middle, (later_fits, later_guides), with_motion),
        );
        return;
    }
    let (mut elastic, mut laid) = ([Mat3::zeros(); FEW_CLUSTERS], [Mat3::zeros(); FEW_CLUSTERS]);
    for (index, (fit, guide)) in fits.iter_mut().zip(guides.iter_mut()).enumerate() {
        let mut sums = Record::ZERO;
        for chunk in partial.chunks_exact(count) {
            for entry in 0..sums.0.len() {
                sums.0[entry] += chunk[first + index].0[entry];
            }
        }
        let (rest, temper) = (&shapes.rest[first + index], &shapes.temper[first + index]);
        fit.measure(&sums, rest);
        (elastic[index], laid[index]) = (fit.elastic_deformation(temper), fit.laid(rest, temper));
        if with_motion {
            set_motion(&sums, &fit.centre, rest.mass, guide);
        }
    }
    let none = Fit::NONE;
    let mut elastics = [none.elastic; FEW_CLUSTERS];
    let mut polars = [Polar { rotation: none.rotation, stretch: none.rotation }; FEW_CLUSTERS];
    let count = fits.len();
    svd_batch(&elastic[..count], &mut elastics);
    polar_batch(&laid[..count], &mut polars);
    for (index, (fit, guide)) in fits.iter_mut().zip(guides).enumerate() {
        (fit.elastic, fit.rotation) = (elastics[index], polars[index].rotation);
        fit.guide(&shapes.rest[first + index], &shapes.temper[first + index], shapes.limit, guide);
    }
}

/// m u (o, 1)ᵀ as columns of four.
#[inline(always)]
pub(crate) fn place_products(mass: f64, arm: &Vec3, offset: &Vec3) -> Record {
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
    let mut products = place_products(mass, arm, offset);
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

/// Writes the rigid motion with the momenta that [`motion_products`] add up to.
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

/// Inverse of an inertia (kg·m²), or its pseudoinverse where that of a line or of a point is next to singular.
fn solve_inertia(inertia: &Mat3) -> Mat3 {
    let size = inertia.trace();
    match inertia.try_inverse().filter(|_| inertia.determinant() > WELL_FORMED * size * size * size) {
        Some(inverse) => inverse,
        None => crate::cluster::pseudo_inverse(inertia, NO_INERTIA).0,
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

/// Adds particles to the records of their clusters, the first N vectors of them.
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
            let products = if N == MOTIONS {
                motion_products(masses[index], &arm, &offsets[index], &self.velocities[index])
            } else {
                place_products(masses[index], &arm, &offsets[index])
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
