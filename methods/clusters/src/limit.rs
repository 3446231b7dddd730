//! Strain limiting (Bargteil & Jones 2014): the distance of a member from its goal is at most a
//! share of its cluster's extent.
//!
//! A member beyond the limit is moved back to it, in proportion to its weight in the cluster; the
//! cluster as a whole moves by as much, so that momentum is conserved. An iteration in which no
//! member is beyond the limit ends it.
//!
//! Few members are beyond the limit, and the cost is proportional to them and their clusters:
//! members that were close to the limit when the step began are tested, their displacements are
//! added to the sums of their clusters, and only these are fitted again. Clusters as a whole move
//! once, after the last iteration: their position does not change how far members are from goals in
//! them.

use crate::membership::Share;
use crate::model::Clusters;
use crate::survey::Near;
use craze_engine::Step;
use craze_math::Vec3;

/// Workspace of strain limiting.
#[derive(Default)]
pub(crate) struct Limiting {
    /// Motion of each cluster as a whole.
    shifts: Vec<Shift>,
    /// Clusters whose members have moved in this iteration, as flags and as a list.
    is_moved: Vec<bool>,
    moved: Vec<u32>,
}

impl Limiting {
    /// Clears the last step and resizes to a number of clusters.
    fn begin(&mut self, clusters: usize) {
        self.shifts.clear();
        self.shifts.resize(clusters, Shift::default());
        self.is_moved.clear();
        self.is_moved.resize(clusters, false);
    }

    /// Marks the clusters of a particle to be fitted again.
    fn note_moved(&mut self, shares: &[Share]) {
        for share in shares {
            if !std::mem::replace(&mut self.is_moved[share.cluster as usize], true) {
                self.moved.push(share.cluster);
            }
        }
    }
}

/// Motion of a cluster as a whole that conserves momentum.
#[derive(Clone, Copy, Default)]
struct Shift {
    /// Whether it has members beyond the limit.
    is_strained: bool,
    /// Displacement (m).
    way: Vec3,
    /// Change of velocity (m/s).
    velocity: Vec3,
}

impl Shift {
    /// Adds the reaction to a member with a share of the cluster's mass (1) that is moved (m) and
    /// stopped (m/s).
    fn give(&mut self, part: f64, drawn: &Vec3, stopped: &Vec3) {
        self.is_strained = true;
        self.way -= part * drawn;
        self.velocity -= part * stopped;
    }
}

impl Clusters {
    /// Moves members of the prediction back until none is beyond the limit, or the number of
    /// iterations is reached. The clusters must be fitted to the prediction.
    pub(crate) fn limit_strain(&mut self, step: &Step) {
        if self.options.strain_limit.is_none() {
            return;
        }
        self.survey_prediction();
        let survey = &self.predicted_fits.survey_result;
        // Particles with prescribed positions are not moved.
        let is_free = |near: &Near| !self.constraints.is_placed(near.particle as usize);
        let near: Vec<Near> = survey.near.iter().copied().filter(is_free).collect();
        if !survey.is_beyond || near.is_empty() {
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

    /// Surveys all memberships of the prediction. If the last step was disturbed, this one will be,
    /// and the sums over the clusters of each particle are not needed.
    fn survey_prediction(&mut self) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        match self.disturbance.is_usual {
            true => fits.glance(&self.shapes(), &self.prediction),
            false => fits.survey(&self.shapes(), &self.prediction),
        }
        self.predicted_fits = fits;
    }

    /// Fits the clusters to the prediction; with their rigid motion where damping or the caller
    /// needs it.
    pub(crate) fn fit_prediction(&mut self, with_motion: bool) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        let velocities = (with_motion || self.wants_motions()).then_some(&self.prediction.velocities[..]);
        fits.fit(&self.shapes(), &self.prediction.positions, velocities);
        self.predicted_fits = fits;
        self.is_prediction_fitted = true;
    }

    /// Fits the clusters whose members have moved. Their rigid motions are those from before the
    /// first iteration.
    fn lay_over_moved(&mut self, work: &mut Limiting) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        fits.follow(&self.shapes(), &work.moved);
        self.predicted_fits = fits;
        for cluster in work.moved.drain(..) {
            work.is_moved[cluster as usize] = false;
        }
    }

    /// Moves every member that is beyond the limit back to it, and removes its outward velocity. It
    /// is not given the velocity of the displacement: an excess from before the step would become a
    /// velocity of excess/Δt, and energy from nowhere. Records the reactions on clusters, and which
    /// of them have moved members.
    fn draw_back(&mut self, near: &[Near], work: &mut Limiting, step: &Step) {
        let mut fits = std::mem::take(&mut self.predicted_fits);
        for &Near { particle, share } in near {
            let (particle, cluster) = (particle as usize, share.cluster as usize);
            let (place, velocity) = (self.prediction.positions[particle], self.prediction.velocities[particle]);
            let (guide, arm) = (&fits.guides[cluster], place - fits.anchor);
            let way = guide.goal(&self.particles.offsets[particle]) - arm;
            let square = way.norm_squared();
            // NaN fails the comparison.
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

    /// Moves the members of strained clusters with them, except those with prescribed positions.
    fn give_way(&mut self, shifts: &[Shift]) {
        for (cluster, shift) in shifts.iter().enumerate().filter(|(_, shift)| shift.is_strained) {
            for index in 0..self.memberships.members(cluster).len() {
                let member = self.memberships.members(cluster)[index];
                let weight = self.memberships.weight(member, cluster as u32);
                let member = member as usize;
                if !self.constraints.is_placed(member) {
                    self.prediction.positions[member] += weight * shift.way;
                    self.prediction.velocities[member] += weight * shift.velocity;
                    self.note_change(member);
                }
            }
        }
    }
}
