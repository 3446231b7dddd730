//! Energy bound of a step: strain limiting and self-contact may not add energy.
//!
//! The energy of the prediction before the first of them, without external work, is recorded. After
//! commit and plastic flow one pass over all memberships computes the energy of the state, its
//! ledger and the next goals. Energy above the recorded one and the external work is removed from
//! the clusters that were disturbed.

use crate::model::Clusters;

/// Energy bound of a step.
#[derive(Default)]
pub(crate) struct Disturbance {
    /// Largest energy (J) that the body may have: without external work in the prediction, with it
    /// after commit.
    allowed: Option<f64>,
    /// Clusters that were disturbed.
    is_disturbed: Vec<bool>,
    /// Whether the last step was disturbed. No result depends on it.
    pub is_usual: bool,
}

impl Disturbance {
    /// Removes the bound.
    pub(crate) fn clear(&mut self) {
        self.allowed = None;
    }

    /// Adds external work (J).
    pub(crate) fn commit(&mut self, work: f64) {
        self.allowed = self.allowed.map(|allowed| allowed + work);
        self.is_usual = self.allowed.is_some();
    }
}

impl Clusters {
    /// Records the energy of the prediction, unless there is a bound already. The clusters must be
    /// fitted to it.
    pub(crate) fn begin_disturbance(&mut self) {
        if self.disturbance.allowed.is_none() {
            let energy = self.energy_of(&self.prediction, &self.predicted_fits).total() - self.external_work();
            self.disturbance.allowed = Some(energy);
            self.disturbance.is_disturbed.clear();
            self.disturbance.is_disturbed.resize(self.cluster_count(), false);
        }
    }

    /// Marks a cluster as disturbed, after [`begin_disturbance`](Clusters::begin_disturbance).
    pub(crate) fn disturb(&mut self, cluster: u32) {
        self.disturbance.is_disturbed[cluster as usize] = true;
        self.is_prediction_fitted = false;
    }

    /// Surveys all memberships of the state, unless that is done, and removes energy above the
    /// bound.
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

    /// Removes energy above `allowed` (J) from the involved clusters, and if that is not enough
    /// from all.
    pub(crate) fn take_out_above(&mut self, allowed: f64, is_involved: &[bool]) {
        let gained = self.energy_of(&self.state, &self.fits).total() - allowed;
        // NaN fails the comparison.
        if gained > 0.0 {
            let (mut state, mut fits) = (std::mem::take(&mut self.state), std::mem::take(&mut self.fits));
            self.calm(gained, &mut state, &mut fits, is_involved);
            (self.state, self.fits) = (state, fits);
        }
    }
}
