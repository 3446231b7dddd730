//! Strain limiting (Bargteil & Jones 2014): no member strays from its goal by more than a share of its cluster's width.
//!
//! A member beyond the limit is drawn back to it, by its weight in the cluster; the cluster as a whole gives way by as much, so that
//! its momentum stays what it is. A round in which nothing is beyond the limit changes nothing and ends the step.
//!
//! Few members are beyond it, and all of this costs what they and their clusters cost: those that were close to the limit when the step began are looked at, their
//! moves are added to the sums of their clusters, and these alone are laid over their members anew. Clusters give way once, after the last round: where a
//! whole cluster is does not change how far its members are from their goals in it.

use crate::membership::Share;
use crate::model::Clusters;
use crate::survey::Near;
use craze_engine::Step;
use craze_math::Vec3;

/// What strain limiting works in.
#[derive(Default)]
pub(crate) struct Limiting {
    /// How clusters give way.
    shifts: Vec<Shift>,
    /// Clusters whose members have moved in this round, as a mark each and as a list.
    is_moved: Vec<bool>,
    moved: Vec<u32>,
}

impl Limiting {
    /// Forgets the last step and makes room for clusters.
    fn begin(&mut self, clusters: usize) {
        self.shifts.clear();
        self.shifts.resize(clusters, Shift::default());
        self.is_moved.clear();
        self.is_moved.resize(clusters, false);
    }

    /// Notes that the clusters of a particle have to be laid over their members anew.
    fn note_moved(&mut self, shares: &[Share]) {
        for share in shares {
            if !std::mem::replace(&mut self.is_moved[share.cluster as usize], true) {
                self.moved.push(share.cluster);
            }
        }
    }
}

/// How a cluster gives way.
#[derive(Clone, Copy, Default)]
struct Shift {
    /// Whether it has members beyond the limit.
    is_strained: bool,
    /// Change of place (m).
    way: Vec3,
    /// Change of velocity (m/s).
    velocity: Vec3,
}

impl Shift {
    /// Gives way to a member with a part of the cluster's mass (1) that is drawn (m) and stopped (m/s).
    fn give(&mut self, part: f64, drawn: &Vec3, stopped: &Vec3) {
        self.is_strained = true;
        self.way -= part * drawn;
        self.velocity -= part * stopped;
    }
}

impl Clusters {
    /// Draws members of the prediction back until none is beyond the limit, or rounds run out. The clusters must lie over it.
    pub(crate) fn limit_strain(&mut self, step: &Step) {
        if self.options.strain_limit.is_none() {
            return;
        }
        self.survey_prediction();
        let seen = &self.predicted_fits.seen;
        // What a hold places is not drawn back.
        let is_free = |near: &Near| self.external.placed_by(near.particle as usize).is_none();
        let near: Vec<Near> = seen.near.iter().copied().filter(is_free).collect();
        if !seen.is_beyond || near.is_empty() {
            return;
        }
        if !self.predicted_fits.has_motions {
            self.fit_prediction(true);
            self.survey_prediction();
        }
        let mut work = std::mem::take(&mut self.limiting);
        work.begin(self.rest.len());
        self.begin_disturbance();
        for _ in 0..self.options.limit_rounds {
            self.draw_back(&near, &mut work, step);
            if work.moved.is_empty() {
                break;
            }
            self.lay_over_moved(&mut work);
        }
        self.give_way(&work.shifts);
        near.iter().for_each(|near| self.note_change(near.particle as usize));
        self.limiting = work;
    }

    /// Looks at all memberships of the prediction. Where the last step was disturbed this one is going to be, and nobody will ask what particles take
    /// from clusters as they are now.
    fn survey_prediction(&mut self) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        match self.disturbance.is_usual {
            true => fits.glance(&self.shapes(), &self.prediction),
            false => fits.survey(&self.shapes(), &self.prediction),
        }
        self.predicted_fits = fits;
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
    fn draw_back(&mut self, near: &[Near], work: &mut Limiting, step: &Step) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        for &Near { particle, share } in near {
            let (particle, cluster) = (particle as usize, share.cluster as usize);
            let (place, velocity) = (self.prediction.positions[particle], self.prediction.velocities[particle]);
            let (guide, arm) = (&fits.guides[cluster], place - fits.anchor);
            let way = guide.goal(&self.particles.offsets[particle]) - arm;
            let square = way.norm_squared();
            // Written so that what is no number stays as it is.
            if !(square > guide.limit()) {
                continue;
            }
            let length = square.sqrt();
            let inward = way / length;
            let back = length - guide.limit().sqrt();
            let outward = (guide.velocity(&arm) - velocity).dot(&inward);
            let speed = outward.clamp(0.0, back / step.time_step);
            let (drawn, stopped) = (share.weight * back * inward, share.weight * speed * inward);
            work.shifts[cluster].give(self.particles.masses[particle] / self.rest[cluster].mass, &drawn, &stopped);
            self.disturb(share.cluster);
            self.prediction.positions[particle] = place + drawn;
            self.prediction.velocities[particle] = velocity + stopped;
            fits.shift(&self.shapes(), particle, &drawn);
            work.note_moved(self.memberships.of(particle));
        }
        self.predicted_fits = fits;
    }

    /// Moves the members of strained clusters with them, but for placed ones.
    fn give_way(&mut self, shifts: &[Shift]) {
        for (cluster, shift) in shifts.iter().enumerate().filter(|(_, shift)| shift.is_strained) {
            for index in 0..self.memberships.members(cluster).len() {
                let member = self.memberships.members(cluster)[index];
                let weight = self.memberships.weight(member, cluster as u32);
                let member = member as usize;
                if self.external.placed_by(member).is_none() {
                    self.prediction.positions[member] += weight * shift.way;
                    self.prediction.velocities[member] += weight * shift.velocity;
                    self.note_change(member);
                }
            }
        }
    }
}
