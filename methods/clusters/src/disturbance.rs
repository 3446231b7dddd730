//! What a step does to a body beside the pull: strain limiting and parts that keep out of each other. Neither may give energy.
//!
//! The energy that the prediction has before the first of them, without the work from outside that led to it, is noted. Once the step is committed and matter has
//! flowed, one look at all memberships tells what the state has, what its books are, and where the next step draws it to; what is above the
//! energy that was noted and all work from outside goes out of the clusters that were disturbed.

use crate::model::Clusters;

/// What must not give energy in a step.
#[derive(Default)]
pub(crate) struct Disturbance {
    /// Energy (J) that the body may have: without the work of the step while it is predicted, with it once that is committed.
    allowed: Option<f64>,
    /// Clusters that were disturbed.
    is_disturbed: Vec<bool>,
    /// Whether the last step was disturbed. No number depends on it.
    pub is_usual: bool,
}

impl Disturbance {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.allowed = None;
    }

    /// Adds the work from outside (J).
    pub(crate) fn commit(&mut self, work: f64) {
        self.allowed = self.allowed.map(|allowed| allowed + work);
        self.is_usual = self.allowed.is_some();
    }
}

impl Clusters {
    /// Notes what the prediction may have, unless it is known already. The clusters must lie over it.
    pub(crate) fn begin_disturbance(&mut self) {
        if self.disturbance.allowed.is_none() {
            let energy = self.energy_of(&self.prediction, &self.predicted_fits).total() - self.external_work();
            self.disturbance.allowed = Some(energy);
            self.disturbance.is_disturbed.clear();
            self.disturbance.is_disturbed.resize(self.cluster_count(), false);
        }
    }

    /// Notes that a cluster is disturbed, after the disturbance has begun.
    pub(crate) fn disturb(&mut self, cluster: u32) {
        self.disturbance.is_disturbed[cluster as usize] = true;
        self.is_prediction_fitted = false;
    }

    /// Looks at all memberships of the state, unless that has been done, and takes out what disturbances have given.
    pub(crate) fn survey_state(&mut self) {
        if !self.fits.is_surveyed {
            let mut fits = std::mem::take(&mut self.fits);
            fits.survey(&self.shapes(), &self.state);
            self.fits = fits;
        }
        if let Some(allowed) = self.disturbance.allowed.take() {
            let is_disturbed = std::mem::take(&mut self.disturbance.is_disturbed);
            self.take_out_above(allowed, &is_disturbed);
            self.disturbance.is_disturbed = is_disturbed;
        }
    }

    /// Takes what the state has above an energy (J) out of the clusters that are involved, and if that is not enough out of all.
    pub(crate) fn take_out_above(&mut self, allowed: f64, is_involved: &[bool]) {
        let gained = self.energy_of(&self.state, &self.fits).total() - allowed;
        // Written so that what is no number takes nothing out.
        if gained > 0.0 {
            let (mut state, mut fits) = (std::mem::take(&mut self.state), std::mem::take(&mut self.fits));
            self.calm(gained, &mut state, &mut fits, is_involved);
            (self.state, self.fits) = (state, fits);
        }
    }
}
