//! Strain limiting (Bargteil & Jones 2014): no member strays from its goal by more than a share of its cluster's width.
//!
//! A member beyond the limit is drawn back to it, by its weight in the cluster; the cluster as a whole gives way by as much, so that
//! its momentum stays what it is. A round in which nothing is beyond the limit changes nothing and ends the step.
//!
//! Few members are beyond it, and a round costs what they cost: those that were close to the limit when the step began are looked at, their moves are added to
//! the sums of their clusters, and these alone are laid over their members anew. Clusters give way once, after the last round: where a whole cluster
//! is does not change how far its members are from their goals in it.

use crate::chunks::{Divide, Span, gather};
use crate::fits::Shapes;
use crate::membership::Share;
use crate::model::{Clusters, is_finite};
use crate::survey::Seen;
use craze_engine::Step;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};
use craze_spatial::Aabb;

/// What strain limiting works in.
#[derive(Default)]
pub(crate) struct Limiting {
    /// How clusters give way: change of place (m) and of velocity (m/s), four numbers each.
    shifts: Vec<Shift>,
    /// Whether a cluster had members beyond the limit in any round of the step.
    is_strained: Vec<bool>,
    /// Clusters whose members have moved in this round, as a mark each and as a list.
    is_moved: Vec<bool>,
    moved: Vec<u32>,
    /// Whether members were still beyond the limit when rounds ran out.
    pub is_left: bool,
}

impl Limiting {
    /// Forgets the last step and makes room for clusters.
    fn begin(&mut self, clusters: usize) {
        self.shifts.clear();
        self.shifts.resize(clusters, Shift::NONE);
        self.is_strained.clear();
        self.is_strained.resize(clusters, false);
        self.is_moved.clear();
        self.is_moved.resize(clusters, false);
    }
}

/// A vector of numbers, each on a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Shift([f64; WIDTH]);

impl Shift {
    const NONE: Shift = Shift([0.0; WIDTH]);

    fn add(&mut self, factor: f64, way: &Vec3, velocity: &Vec3) {
        for axis in 0..3 {
            self.0[axis] += factor * way[axis];
            self.0[4 + axis] += factor * velocity[axis];
        }
    }
}

impl Clusters {
    /// Draws members of the prediction back until none is beyond the limit, or rounds run out.
    pub(crate) fn limit_strain(&mut self, step: &Step) {
        if self.options.strain_limit.is_none() {
            return;
        }
        let mut work = std::mem::take(&mut self.limiting);
        let before = self.survey_prediction(false);
        work.is_left = before.is_beyond;
        if before.is_beyond {
            // What a hold places is not drawn back.
            let is_free = |&particle: &u32| self.external.placed_by(particle as usize).is_none();
            let near: Vec<u32> = before.near.iter().copied().filter(is_free).collect();
            let energy = before.energy(self.stiffness()).total() - self.external_work();
            if !near.is_empty() && !self.predicted_fits.has_motions {
                self.fit_prediction(true);
            }
            work.begin(self.rest.len());
            let mut is_changed = false;
            for _ in 0..self.options.limit_rounds {
                self.draw_back(&near, &mut work, step);
                if work.moved.is_empty() {
                    break;
                }
                is_changed = true;
                self.lay_over_moved(&mut work);
            }
            if is_changed {
                self.give_way(&work.shifts);
                let after = self.survey_prediction(true);
                work.is_left = after.is_beyond;
                let gained = after.energy(self.stiffness()).total() - self.external_work() - energy;
                self.take_out_of_prediction(gained, &work.is_strained);
            }
        }
        self.limiting = work;
    }

    /// Lays the clusters over the prediction and looks at all memberships.
    fn survey_prediction(&mut self, with_motion: bool) -> Seen {
        self.fit_prediction(with_motion);
        let mut fits = std::mem::take(&mut self.predicted_fits);
        let seen = fits.survey(&self.shapes(), &self.prediction);
        self.predicted_fits = fits;
        seen
    }

    /// Takes energy (J) that nothing has given out of the prediction, first out of the clusters that are involved.
    pub(crate) fn take_out_of_prediction(&mut self, gained: f64, is_strained: &[bool]) {
        // Written so that what is no number takes nothing out.
        if !(gained > 0.0) {
            return;
        }
        let (mut moment, mut fits) = (std::mem::take(&mut self.prediction), std::mem::take(&mut self.predicted_fits));
        self.calm(gained, &mut moment, &mut fits, is_strained);
        (self.prediction, self.predicted_fits) = (moment, fits);
        // Velocities are others now.
        self.is_prediction_fitted = !self.wants_motions();
    }

    /// Lays the clusters over the prediction; with their motion where damping asks for it, or the caller.
    pub(crate) fn fit_prediction(&mut self, with_motion: bool) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        let velocities = (with_motion || self.wants_motions()).then_some(&self.prediction.velocities[..]);
        fits.fit(&self.shapes(), &self.prediction.positions, velocities);
        self.predicted_fits = fits;
        self.is_prediction_fitted = true;
    }

    /// Lays the clusters whose members have moved over them. How clusters move is known well enough from before the first round.
    fn lay_over_moved(&mut self, work: &mut Limiting) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        fits.follow(&self.shapes(), &work.moved);
        self.predicted_fits = fits;
        for cluster in work.moved.drain(..) {
            work.is_moved[cluster as usize] = false;
        }
    }

    /// Draws every member that is beyond the limit back to it, and stops what it does outward on the way; it is not thrown back: an excess
    /// that was there before the step would become a speed of excess/Δt, and energy that nothing has given. Notes how clusters give way, and
    /// which of them have other places now.
    fn draw_back(&mut self, near: &[u32], work: &mut Limiting, step: &Step) {
        let Limiting { shifts, is_strained, is_moved, moved, .. } = work;
        let mut fits = std::mem::take(&mut self.predicted_fits);
        for &particle in near {
            let particle = particle as usize;
            let (place, velocity) = (self.prediction.positions[particle], self.prediction.velocities[particle]);
            let (arm, mass) = (place - fits.anchor, self.particles.masses[particle]);
            let (mut drawn, mut stopped, mut is_drawn) = (Vec3::zeros(), Vec3::zeros(), false);
            let shares = self.memberships.of(particle);
            for share in shares {
                let cluster = share.cluster as usize;
                let guide = &fits.guides[cluster];
                let way = guide.goal(&self.particles.offsets[particle]) - arm;
                let square = way.norm_squared();
                if square > guide.limit() {
                    let length = square.sqrt();
                    let inward = way / length;
                    let back = length - guide.limit().sqrt();
                    let outward = (guide.velocity(&arm) - velocity).dot(&inward);
                    let speed = outward.clamp(0.0, back / step.time_step);
                    let (way, velocity) = (share.weight * back * inward, share.weight * speed * inward);
                    is_strained[cluster] = true;
                    shifts[cluster].add(-mass / self.rest[cluster].mass, &way, &velocity);
                    drawn += way;
                    stopped += velocity;
                    is_drawn = true;
                }
            }
            if is_drawn {
                self.prediction.positions[particle] = place + drawn;
                self.prediction.velocities[particle] = velocity + stopped;
                fits.shift(&self.shapes(), particle, &drawn);
                for share in shares {
                    if !std::mem::replace(&mut is_moved[share.cluster as usize], true) {
                        moved.push(share.cluster);
                    }
                }
            }
        }
        self.predicted_fits = fits;
    }

    /// Moves all particles but placed ones with their clusters, and brings box and check up to date with all of the prediction.
    fn give_way(&mut self, shifts: &[Shift]) {
        let mut prediction = std::mem::take(&mut self.prediction);
        let (shapes, external) = (self.shapes(), &self.external);
        let give = |span: Span| Instructions::detect().run(GiveWay { shapes: &shapes, shifts, span });
        let placed: Vec<(usize, Vec3, Vec3)> = external
            .placed()
            .map(|particle| (particle, prediction.positions[particle], prediction.velocities[particle]))
            .collect();
        let (bounds, broken) = gather(
            Span { first: 0, positions: &mut prediction.positions, velocities: &mut prediction.velocities },
            &give,
            &|first: (Aabb, Option<u32>), second| (first.0.union(&second.0), first.1.or(second.1)),
        );
        for (particle, position, velocity) in placed {
            (prediction.positions[particle], prediction.velocities[particle]) = (position, velocity);
        }
        self.prediction = prediction;
        self.is_prediction_fitted = false;
        self.bounds = self.bounds.union(&bounds);
        self.broken = self.broken.or(broken);
    }
}

/// Moves particles by the blend of their clusters' shifts.
struct GiveWay<'a> {
    shapes: &'a Shapes<'a>,
    shifts: &'a [Shift],
    span: Span<'a>,
}

impl Kernel for GiveWay<'_> {
    /// The box around them (m), and the first that is no number.
    type Output = (Aabb, Option<u32>);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (Aabb, Option<u32>) {
        let GiveWay { shapes, shifts, span } = self;
        let count = span.count();
        let (shares, ranges): (&[Share], &[[u32; 2]]) = shapes.memberships.stream(span.first..span.first + count);
        let (positions, velocities) = (&mut span.positions[..count], &mut span.velocities[..count]);
        let Aabb { mut min, mut max } = Aabb::EMPTY;
        // Zero times anything but a finite number is no number: one test a chunk in place of one a particle.
        let mut zero = Vec3::zeros();
        for index in 0..count {
            let [start, length] = ranges[index];
            let mut sum = L::splat(0.0);
            for share in &shares[start as usize..(start + length) as usize] {
                sum = L::splat(share.weight).mul_add(L::new(shifts[share.cluster as usize].0), sum);
            }
            let sum = sum.to_array();
            positions[index] += Vec3::new(sum[0], sum[1], sum[2]);
            velocities[index] += Vec3::new(sum[4], sum[5], sum[6]);
            zero += 0.0 * (positions[index] + velocities[index]);
            for axis in 0..3 {
                min[axis] = min[axis].min(positions[index][axis]);
                max[axis] = max[axis].max(positions[index][axis]);
            }
        }
        let is_good = |index: &usize| is_finite(&positions[*index]) && is_finite(&velocities[*index]);
        let broken = if is_finite(&zero) { None } else { (0..count).find(|index| !is_good(index)) };
        (Aabb { min, max }, broken.map(|index| (span.first + index) as u32))
    }
}
