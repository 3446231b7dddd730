//! Strain limiting (Bargteil & Jones 2014): no member strays from its goal by more than a share of its cluster's width.
//!
//! A member beyond the limit is drawn back to it, by its weight in the cluster; the cluster as a whole gives way by as much, so that
//! its momentum stays what it is. A round in which nothing is beyond the limit changes nothing and ends the step.

use crate::chunks::gather;
use crate::cluster::{Rows, apply};
use crate::membership::Share;
use crate::model::Clusters;
use craze_engine::Step;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes};

/// What strain limiting works in.
#[derive(Default)]
pub(crate) struct Limiting {
    /// Squares of the largest distance from a goal (m²), by cluster.
    limits: Vec<f64>,
    /// Mass times what members were drawn back, by cluster.
    drawn: Vec<Correction>,
    /// Clusters with members beyond the limit, ascending.
    strained: Vec<u32>,
    /// Whether a cluster had such members in any round of the step.
    is_strained: Vec<bool>,
    /// Correction of each particle; zero but for those listed in `moved`.
    corrections: Vec<Correction>,
    is_moved: Vec<bool>,
    moved: Vec<u32>,
    /// Whether members were still beyond the limit when rounds ran out.
    pub is_left: bool,
}

impl Clusters {
    /// Draws members of the prediction back until none is beyond the limit, or rounds run out.
    pub(crate) fn limit_strain(&mut self, step: &Step) {
        let Some(limit) = self.options.strain_limit else { return };
        let mut work = std::mem::take(&mut self.limiting);
        work.limits.clear();
        work.limits.extend(self.rest.iter().map(|rest| (limit * rest.extent).powi(2)));
        work.is_left = true;
        let mut before = None;
        for _ in 0..self.options.limit_rounds {
            self.fit_prediction();
            work.is_left = self.is_beyond(&work.limits);
            if !work.is_left {
                break;
            }
            if before.is_none() {
                before = Some(self.predicted_energy());
                work.is_strained.clear();
                work.is_strained.resize(self.rest.len(), false);
            }
            self.draw_back(limit, &mut work, step);
            self.is_prediction_fitted = false;
        }
        if let Some(before) = before {
            self.take_out_of_prediction(before, &work.is_strained);
        }
        self.limiting = work;
    }

    /// Energy of the prediction without the work that led to it (J), the clusters being laid over it.
    fn predicted_energy(&self) -> f64 {
        self.energy_of(&self.prediction, &self.predicted_fits).total() - self.external_work()
    }

    /// Drawing members back must not give energy: what the prediction has above `before` (J) goes out of the clusters that gave way.
    fn take_out_of_prediction(&mut self, before: f64, is_strained: &[bool]) {
        if !self.is_prediction_fitted {
            self.fit_prediction();
        }
        let gained = self.predicted_energy() - before;
        // Written so that what is no number takes nothing out.
        if !(gained > 0.0) {
            return;
        }
        let (mut moment, mut fits) = (std::mem::take(&mut self.prediction), std::mem::take(&mut self.predicted_fits));
        fits.fit(&self.shapes(), &moment.positions, Some(&moment.velocities));
        self.take_out(gained, &mut moment, &fits, is_strained);
        (self.prediction, self.predicted_fits) = (moment, fits);
    }

    /// Lays the clusters over the prediction.
    pub(crate) fn fit_prediction(&mut self) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        fits.fit(&self.shapes(), &self.prediction.positions, None);
        self.predicted_fits = fits;
        self.is_prediction_fitted = true;
    }

    /// Whether a member of the prediction is farther from its goal than the limit.
    fn is_beyond(&self, limits: &[f64]) -> bool {
        let fits = &self.predicted_fits;
        gather(
            0..self.count(),
            &|range| {
                let (shares, ranges) = self.memberships.stream(range.clone());
                Instructions::detect().run(Look {
                    shares,
                    ranges,
                    maps: &fits.maps,
                    limits,
                    anchor: fits.anchor,
                    offsets: &self.particles.offsets[range.clone()],
                    positions: &self.prediction.positions[range],
                })
            },
            &|first, second| first | second,
        )
    }

    /// Draws every member that is beyond the limit back to it, and stops what it does outward on the way; it is not thrown back: an excess
    /// that was there before the step would become a speed of excess/Δt, and energy that nothing has given.
    fn draw_back(&mut self, limit: f64, work: &mut Limiting, step: &Step) {
        let Limiting { limits, drawn, strained, is_strained, corrections, is_moved, moved, .. } = work;
        drawn.clear();
        drawn.resize(self.rest.len(), Correction::default());
        corrections.resize(self.count(), Correction::default());
        is_moved.resize(self.count(), false);
        let mut fits = std::mem::take(&mut self.predicted_fits);
        fits.fit(&self.shapes(), &self.prediction.positions, Some(&self.prediction.velocities));
        for particle in 0..self.count() {
            if self.external.placed_by(particle).is_some() {
                continue;
            }
            let arm = self.prediction.positions[particle] - fits.anchor;
            for share in self.memberships.of(particle) {
                let cluster = share.cluster as usize;
                let way = apply(&fits.maps[cluster], &self.particles.offsets[particle]) - arm;
                let square = way.norm_squared();
                if square > limits[cluster] {
                    let length = square.sqrt();
                    let inward = way / length;
                    let back = length - limit * self.rest[cluster].extent;
                    let [x, y, z, turn @ ..] = fits.motions[cluster];
                    let carried = Vec3::new(x, y, z) + Vec3::from(turn).cross(&arm);
                    let outward = (carried - self.prediction.velocities[particle]).dot(&inward);
                    let speed = outward.clamp(0.0, back / step.time_step);
                    let correction =
                        Correction { way: share.weight * back * inward, velocity: share.weight * speed * inward };
                    if drawn[cluster].way == Vec3::zeros() {
                        strained.push(share.cluster);
                    }
                    drawn[cluster].add(self.particles.masses[particle], &correction);
                    note(particle, correction, corrections, is_moved, moved);
                }
            }
        }
        self.predicted_fits = fits;
        strained.sort_unstable();
        strained.dedup();
        for &cluster in strained.iter() {
            is_strained[cluster as usize] = true;
            let back = &drawn[cluster as usize];
            for &member in self.memberships.members(cluster as usize) {
                let share = self.memberships.weight(member, cluster) / self.rest[cluster as usize].mass;
                let correction = Correction { way: -share * back.way, velocity: -share * back.velocity };
                note(member as usize, correction, corrections, is_moved, moved);
            }
        }
        strained.clear();
        for particle in moved.drain(..) {
            let particle = particle as usize;
            let correction = std::mem::take(&mut corrections[particle]);
            is_moved[particle] = false;
            if self.external.placed_by(particle).is_none() {
                self.prediction.positions[particle] += correction.way;
                self.prediction.velocities[particle] += correction.velocity;
                self.note_change(particle);
            }
        }
    }
}

/// A change of a particle, or mass times such a change.
#[derive(Clone, Copy, Default)]
struct Correction {
    /// m.
    way: Vec3,
    /// m/s.
    velocity: Vec3,
}

impl Correction {
    fn add(&mut self, factor: f64, other: &Correction) {
        self.way += factor * other.way;
        self.velocity += factor * other.velocity;
    }
}

fn note(
    particle: usize,
    correction: Correction,
    corrections: &mut [Correction],
    is_moved: &mut [bool],
    moved: &mut Vec<u32>,
) {
    if !is_moved[particle] {
        is_moved[particle] = true;
        moved.push(particle as u32);
    }
    corrections[particle].add(1.0, &correction);
}

/// Looks for members beyond the limit.
struct Look<'a> {
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    maps: &'a [Rows],
    limits: &'a [f64],
    anchor: Vec3,
    offsets: &'a [Vec3],
    positions: &'a [Vec3],
}

impl Kernel for Look<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let count = self.ranges.len();
        let (offsets, positions) = (&self.offsets[..count], &self.positions[..count]);
        let mut is_beyond = false;
        for index in 0..count {
            let [start, length] = self.ranges[index];
            let (arm, offset) = (positions[index] - self.anchor, offsets[index]);
            for share in &self.shares[start as usize..(start + length) as usize] {
                let way = apply(&self.maps[share.cluster as usize], &offset) - arm;
                is_beyond |= way.norm_squared() > self.limits[share.cluster as usize];
            }
        }
        is_beyond
    }
}
