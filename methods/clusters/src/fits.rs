//! Laying the rest shapes of all clusters over the particles: one pass that streams particles and adds to their clusters.
//!
//! With u = x − anchor and o the rest offset, a cluster needs Σ w m u (o, 1)ᵀ only. The product is made once a particle; a membership
//! costs twelve multiply-adds into a record that stays in the nearest cache, and no particle is read twice.

use crate::chunks::CHUNK;
use crate::cluster::{Fit, Rest, Rows, Temper};
use crate::membership::{Memberships, Share};
use crate::model::Particles;
use craze_math::lanes::{Instructions, Kernel, Lanes};
use craze_math::{Mat3, Vec3};

/// How all clusters lie over a moment.
#[derive(Clone, Default)]
pub(crate) struct Fits {
    /// Places are reckoned from here (m), so that rounding is relative to the size of the body and not to its distance from
    /// the origin.
    pub anchor: Vec3,
    pub fits: Vec<Fit>,
    /// [`Fit::goal_map`] of each.
    pub maps: Vec<Rows>,
    /// Motion of each cluster, where damping asks for it: velocity at the anchor (m/s) and spin (rad/s).
    pub motions: Vec<[f64; 6]>,
    /// Sums of chunks, cluster by cluster within a chunk.
    partial: Vec<Rows>,
    /// The same for velocities.
    partial_motion: Vec<Rows>,
}

/// What the clusters of a body are.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub particles: &'a Particles,
    pub memberships: &'a Memberships,
    pub rest: &'a [Rest],
    pub temper: &'a [Temper],
}

/// Clusters that one thread takes at a time.
const FEW_CLUSTERS: usize = 64;

/// Moments below this share of the largest take no spin.
const NO_INERTIA: f64 = 1e-12;

impl Fits {
    /// Fits all clusters to positions (m); with velocities (m/s), finds their motion, too.
    pub(crate) fn fit(&mut self, shapes: &Shapes, positions: &[Vec3], velocities: Option<&[Vec3]>) {
        let (count, chunks) = (shapes.rest.len(), positions.len().div_ceil(CHUNK));
        self.anchor = positions[0];
        self.fits.resize(count, Fit::NONE);
        self.maps.resize(count, [0.0; 12]);
        self.motions.resize(count, [0.0; 6]);
        self.partial.resize(count * chunks, [0.0; 12]);
        let anchor = self.anchor;
        sum_chunks(&mut self.partial, count, 0..positions.len(), &|range, sums| {
            let (shares, ranges) = shapes.memberships.stream(range.clone());
            let offsets = &shapes.particles.offsets[range.clone()];
            let masses = &shapes.particles.masses[range.clone()];
            let positions = &positions[range];
            Instructions::detect().run(SumPlaces { shares, ranges, offsets, masses, positions, anchor, sums });
        });
        if let Some(velocities) = velocities {
            self.partial_motion.resize(count * chunks, [0.0; 12]);
            sum_chunks(&mut self.partial_motion, count, 0..positions.len(), &|range, sums| {
                let (shares, ranges) = shapes.memberships.stream(range.clone());
                let masses = &shapes.particles.masses[range.clone()];
                let (positions, velocities) = (&positions[range.clone()], &velocities[range]);
                Instructions::detect().run(SumMotions { shares, ranges, masses, positions, velocities, anchor, sums });
            });
        }
        let motions = velocities.is_some().then_some(&mut self.motions[..]);
        let partial = (&self.partial[..], &self.partial_motion[..]);
        solve(shapes, partial, count, 0, (&mut self.fits, &mut self.maps, motions));
    }

    /// Brings decomposition and goals of one cluster up to date with its F^p.
    pub(crate) fn renew(&mut self, cluster: usize, rest: &Rest, temper: &Temper) {
        self.fits[cluster].decompose(rest, temper);
        self.maps[cluster] = self.fits[cluster].goal_map(rest, temper);
    }

    /// Fits one cluster to positions (m) by its members, after fracture has changed them.
    pub(crate) fn refit(&mut self, shapes: &Shapes, cluster: usize, positions: &[Vec3]) {
        let mut sums = [0.0; 12];
        for &member in shapes.memberships.members(cluster) {
            let weight = shapes.memberships.weight(member, cluster as u32);
            let member = member as usize;
            let product = outer(
                shapes.particles.masses[member],
                &(positions[member] - self.anchor),
                &shapes.particles.offsets[member],
            );
            for entry in 0..12 {
                sums[entry] += weight * product[entry];
            }
        }
        self.fits[cluster] = Fit::new(&sums, &shapes.rest[cluster], &shapes.temper[cluster]);
        self.maps[cluster] = self.fits[cluster].goal_map(&shapes.rest[cluster], &shapes.temper[cluster]);
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
    partial: &mut [Rows],
    clusters: usize,
    particles: std::ops::Range<usize>,
    add: &(impl Fn(std::ops::Range<usize>, &mut [Rows]) + Sync),
) {
    let chunks = particles.len().div_ceil(CHUNK);
    if chunks <= 1 {
        partial.fill([0.0; 12]);
        return add(particles, partial);
    }
    let middle = particles.start + chunks / 2 * CHUNK;
    let (first, second) = partial.split_at_mut(chunks / 2 * clusters);
    rayon::join(
        || sum_chunks(first, clusters, particles.start..middle, add),
        || sum_chunks(second, clusters, middle..particles.end, add),
    );
}

/// Fits, goal maps and, where they are asked for, motions of clusters.
type Found<'a> = (&'a mut [Fit], &'a mut [Rows], Option<&'a mut [[f64; 6]]>);

/// Adds the sums of chunks in their order, and fits.
fn solve(shapes: &Shapes, partial: (&[Rows], &[Rows]), count: usize, first: usize, (fits, maps, motions): Found) {
    if fits.len() > FEW_CLUSTERS {
        let middle = fits.len() / 2;
        let (fits, later_fits) = fits.split_at_mut(middle);
        let (maps, later_maps) = maps.split_at_mut(middle);
        let (motions, later_motions) = motions.map(|motions| motions.split_at_mut(middle)).unzip();
        rayon::join(
            || solve(shapes, partial, count, first, (fits, maps, motions)),
            || solve(shapes, partial, count, first + middle, (later_fits, later_maps, later_motions)),
        );
        return;
    }
    let total = |partial: &[Rows], cluster: usize| {
        let mut sums = [0.0; 12];
        for chunk in partial.chunks_exact(count) {
            for entry in 0..12 {
                sums[entry] += chunk[cluster][entry];
            }
        }
        sums
    };
    for (index, (fit, map)) in fits.iter_mut().zip(maps).enumerate() {
        let (rest, temper) = (&shapes.rest[first + index], &shapes.temper[first + index]);
        *fit = Fit::new(&total(partial.0, first + index), rest, temper);
        *map = fit.goal_map(rest, temper);
    }
    if let Some(motions) = motions {
        for (index, motion) in motions.iter_mut().enumerate() {
            *motion = motion_of(&total(partial.1, first + index), &fits[index].centre, shapes.rest[first + index].mass);
        }
    }
}

/// m u (o, 1)ᵀ as rows of four.
#[inline(always)]
fn outer(mass: f64, arm: &Vec3, offset: &Vec3) -> Rows {
    let [x, y, z] = [mass * arm.x, mass * arm.y, mass * arm.z];
    let [a, b, c] = [offset.x, offset.y, offset.z];
    [x * a, x * b, x * c, x, y * a, y * b, y * c, y, z * a, z * b, z * c, z]
}

/// The rigid motion with the momenta that Σ w m (v, u × v, u uᵀ) tells: velocity at the anchor and spin.
fn motion_of(sums: &Rows, centre: &Vec3, mass: f64) -> [f64; 6] {
    let [px, py, pz, lx, ly, lz, xx, yy, zz, xy, xz, yz] = *sums;
    let momentum = Vec3::new(px, py, pz);
    let second = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) - mass * centre * centre.transpose();
    let inertia = Mat3::identity() * second.trace() - second;
    let turning = Vec3::new(lx, ly, lz) - centre.cross(&momentum);
    let spin = crate::cluster::pseudo_inverse(&inertia, NO_INERTIA).0 * turning;
    let velocity = momentum / mass - spin.cross(centre);
    [velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z]
}

struct SumPlaces<'a> {
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    offsets: &'a [Vec3],
    masses: &'a [f64],
    positions: &'a [Vec3],
    anchor: Vec3,
    sums: &'a mut [Rows],
}

impl Kernel for SumPlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let count = self.ranges.len();
        let (offsets, masses, positions) = (&self.offsets[..count], &self.masses[..count], &self.positions[..count]);
        for index in 0..count {
            let product = outer(masses[index], &(positions[index] - self.anchor), &offsets[index]);
            add_to_clusters(self.shares, self.ranges[index], &product, self.sums);
        }
    }
}

struct SumMotions<'a> {
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    masses: &'a [f64],
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    anchor: Vec3,
    sums: &'a mut [Rows],
}

impl Kernel for SumMotions<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let count = self.ranges.len();
        let (masses, positions, velocities) =
            (&self.masses[..count], &self.positions[..count], &self.velocities[..count]);
        for index in 0..count {
            let (arm, mass) = (positions[index] - self.anchor, masses[index]);
            let momentum = mass * velocities[index];
            let turning = arm.cross(&momentum);
            let [x, y, z] = [mass * arm.x, mass * arm.y, mass * arm.z];
            let product = [
                momentum.x,
                momentum.y,
                momentum.z,
                turning.x,
                turning.y,
                turning.z,
                x * arm.x,
                y * arm.y,
                z * arm.z,
                x * arm.y,
                x * arm.z,
                y * arm.z,
            ];
            add_to_clusters(self.shares, self.ranges[index], &product, self.sums);
        }
    }
}

#[inline(always)]
fn add_to_clusters(shares: &[Share], [start, count]: [u32; 2], product: &Rows, sums: &mut [Rows]) {
    for share in &shares[start as usize..(start + count) as usize] {
        let sum = &mut sums[share.cluster as usize];
        for entry in 0..12 {
            sum[entry] += share.weight * product[entry];
        }
    }
}
