//! Strain limiting (Bargteil & Jones 2014): no member strays from its goal by more than a share of its cluster's width.
//!
//! A member beyond the limit is drawn back to it, by its weight in the cluster; the cluster as a whole gives way by as much, so that
//! its momentum stays what it is. A round in which nothing is beyond the limit changes nothing and ends the step.

use crate::chunks::{Span, gather};
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
    /// Whether members were still beyond the limit when rounds ran out.
    pub is_left: bool,
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
        work.is_left = !before.beyond.is_empty();
        if self.may_draw_back(&before.beyond) {
            let energy = before.energy(self.stiffness()).total() - self.external_work();
            if !self.predicted_fits.has_motions {
                self.fit_prediction(true);
            }
            work.is_strained.clear();
            work.is_strained.resize(self.rest.len(), false);
            let mut beyond = before.beyond;
            for round in 1..=self.options.limit_rounds {
                self.draw_back(&beyond, &mut work, step);
                self.give_way(&work.shifts);
                if round == self.options.limit_rounds {
                    break;
                }
                // How clusters move is known well enough from before the first round.
                self.fit_places();
                beyond = self.predicted_fits.beyond(&self.shapes(), &self.prediction);
                if !self.may_draw_back(&beyond) {
                    break;
                }
            }
            let after = self.survey_prediction(true);
            work.is_left = !after.beyond.is_empty();
            let gained = after.energy(self.stiffness()).total() - self.external_work() - energy;
            self.take_out_of_prediction(gained, &work.is_strained);
            self.measure_prediction();
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

    /// Whether a round would change anything: what a hold places is not drawn back.
    fn may_draw_back(&self, beyond: &[u32]) -> bool {
        beyond.iter().any(|&particle| self.external.placed_by(particle as usize).is_none())
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

    /// Lays the clusters over the prediction without a look at their motion: that of the last fit is kept.
    fn fit_places(&mut self) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        fits.fit(&self.shapes(), &self.prediction.positions, None);
        self.predicted_fits = fits;
    }

    /// Draws every member that is beyond the limit back to it, and stops what it does outward on the way; it is not thrown back: an excess
    /// that was there before the step would become a speed of excess/Δt, and energy that nothing has given. Notes how clusters give way.
    fn draw_back(&mut self, beyond: &[u32], work: &mut Limiting, step: &Step) {
        let Limiting { shifts, is_strained, .. } = work;
        shifts.clear();
        shifts.resize(self.rest.len(), Shift::NONE);
        for &particle in beyond {
            let particle = particle as usize;
            if self.external.placed_by(particle).is_some() {
                continue;
            }
            let (place, velocity) = (self.prediction.positions[particle], self.prediction.velocities[particle]);
            let arm = place - self.predicted_fits.anchor;
            for share in self.memberships.of(particle) {
                let cluster = share.cluster as usize;
                let guide = &self.predicted_fits.guides[cluster];
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
                    let factor = -self.particles.masses[particle] / self.rest[cluster].mass;
                    shifts[cluster].add(factor, &way, &velocity);
                    self.prediction.positions[particle] += way;
                    self.prediction.velocities[particle] += velocity;
                }
            }
        }
    }

    /// Moves all particles but placed ones with their clusters.
    fn give_way(&mut self, shifts: &[Shift]) {
        let mut prediction = std::mem::take(&mut self.prediction);
        let (shapes, external) = (self.shapes(), &self.external);
        let give = |span: Span| Instructions::detect().run(GiveWay { shapes: &shapes, shifts, span });
        let placed: Vec<(usize, Vec3, Vec3)> = external
            .placed()
            .map(|particle| (particle, prediction.positions[particle], prediction.velocities[particle]))
            .collect();
        gather(
            Span { first: 0, positions: &mut prediction.positions, velocities: &mut prediction.velocities },
            &give,
            &|_, _| (),
        );
        for (particle, position, velocity) in placed {
            (prediction.positions[particle], prediction.velocities[particle]) = (position, velocity);
        }
        self.prediction = prediction;
        self.is_prediction_fitted = false;
    }

    /// Brings box and check up to date with all of the prediction.
    fn measure_prediction(&mut self) {
        let prediction = &self.prediction;
        let (bounds, broken) = gather(
            0..self.count(),
            &|range| {
                let (mut bounds, mut broken) = (Aabb::EMPTY, None);
                for particle in range {
                    let (position, velocity) = (&prediction.positions[particle], &prediction.velocities[particle]);
                    bounds = bounds.with(position);
                    if broken.is_none() && !(is_finite(position) && is_finite(velocity)) {
                        broken = Some(particle as u32);
                    }
                }
                (bounds, broken)
            },
            &|first: (Aabb, Option<u32>), second| (first.0.union(&second.0), first.1.or(second.1)),
        );
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
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let GiveWay { shapes, shifts, span } = self;
        let count = span.positions.len();
        let (shares, ranges): (&[Share], &[[u32; 2]]) = shapes.memberships.stream(span.first..span.first + count);
        for index in 0..count {
            let [start, length] = ranges[index];
            let mut sum = L::splat(0.0);
            for share in &shares[start as usize..(start + length) as usize] {
                sum = L::splat(share.weight).mul_add(L::new(shifts[share.cluster as usize].0), sum);
            }
            let sum = sum.to_array();
            span.positions[index] += Vec3::new(sum[0], sum[1], sum[2]);
            span.velocities[index] += Vec3::new(sum[4], sum[5], sum[6]);
        }
    }
}
