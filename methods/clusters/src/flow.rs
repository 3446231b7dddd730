//! Plastic flow: Jones et al. 2016, §3.2, with READINGS 22–24.

use crate::cluster::Rest;
use crate::model::Clusters;
use crate::tuning::{CLUSTERS_PER_FLOW_TASK, MAX_FLOW_HALVINGS};
use craze_engine::Step;
use craze_math::{Mat3, Vec3};
use rayon::prelude::*;

/// Stretches beyond which a cluster is crushed or torn: its flow would not be finite.
const MIN_STRETCH: f64 = 1e-3;

impl Clusters {
    /// Flows all clusters that are strained beyond their yield strain, and surveys the state.
    pub(crate) fn flow_clusters(&mut self, step: &Step) {
        if self.is_rigid() {
            return;
        }
        if let Some(yield_strain) = self.parameters.yield_strain {
            let rate = fraction_in(self.parameters.flow, step.time_step / self.options.time_step);
            // In parallel: flow does not change other clusters.
            let clusters = (0..self.rest.len()).into_par_iter().with_min_len(CLUSTERS_PER_FLOW_TASK);
            let asked: Vec<Option<Asked>> = clusters.map(|cluster| self.flow_asked(cluster, yield_strain)).collect();
            for (cluster, asked) in asked.into_iter().enumerate() {
                let flowed = self.flow_cluster(cluster, asked, rate, step.time_step);
                self.is_whole &= !flowed;
            }
        }
        self.survey_state();
    }

    /// Flows a cluster that has just been split down to its yield strain at once: F^p was that of
    /// both parts together, and its error in one part would return as energy.
    pub(crate) fn relax(&mut self, cluster: usize) {
        let Some(yield_strain) = self.parameters.yield_strain else { return };
        self.flow_cluster(cluster, self.flow_asked(cluster, yield_strain), 1.0, 0.0);
    }

    /// The demand for flow of a cluster; none for one that is flat or crushed.
    fn flow_asked(&self, cluster: usize, yield_strain: f64) -> Option<Asked> {
        let sigma = self.fits.fits[cluster].elastic.sigma;
        if self.rest[cluster].is_flat || !(sigma.z > MIN_STRETCH && sigma.x.is_finite()) {
            return None;
        }
        let stretches = sigma * (sigma.x * sigma.y * sigma.z).powf(-1.0 / 3.0);
        let strain = stretches.add_scalar(-1.0).norm();
        let excess = strain - yield_strain - self.parameters.hardening * self.history[cluster].hardening;
        let springs = (excess > 0.0).then(|| self.springs_of(cluster));
        Some(Asked { stretches, share: excess / strain, springs })
    }

    /// Updates F^p (9)–(13) by the flow rate ν and α (14) of a cluster; returns true if it has
    /// flowed.
    ///
    /// α accumulates ‖Σ^e − I‖ in place of ‖F^e − I‖, which would count a rotation as strain.
    ///
    /// Flow moves the goals, and (12) depends on F^e only: where a cluster is compressed or
    /// stretched as a whole, or passes through its rest shape within a step, the new goals can be
    /// farther from the members than the old ones. Flow must not add energy: it goes as far as the
    /// energy of `energy.rs` does not increase.
    fn flow_cluster(&mut self, cluster: usize, asked: Option<Asked>, rate: f64, time_step: f64) -> bool {
        let history = &mut self.history[cluster];
        if self.rest[cluster].is_flat && !history.is_fresh() {
            history.plastic = Mat3::identity();
            self.renew_fit(cluster);
        }
        let Some(Asked { stretches, share, springs }) = asked else { return false };
        let before = self.fits.fits[cluster];
        self.history[cluster].hardening += time_step * before.elastic.sigma.add_scalar(-1.0).norm();
        let mut share = (rate * share).min(1.0);
        // NaN fails the comparison.
        let Some(springs) = springs.filter(|_| share > 0.0) else { return false };
        let (rest, old) = (&self.rest[cluster], self.history[cluster].plastic);
        let known = springs.energy(&(before.rotation * old), rest);
        for _ in 0..MAX_FLOW_HALVINGS {
            let stretch: Vec3 = stretches.map(|value| value.powf(share));
            let plastic = Mat3::from_diagonal(&stretch) * before.elastic.v.transpose() * old;
            let history = &mut self.history[cluster];
            history.plastic = plastic;
            let mut fit = before;
            fit.decompose(rest, history);
            if plastic.iter().all(|entry| entry.is_finite()) && springs.energy(&(fit.rotation * plastic), rest) <= known
            {
                self.renew_fit(cluster);
                return true;
            }
            history.plastic = old;
            share *= 0.5;
        }
        false
    }

    /// Updates the fit of a cluster after a change of F^p.
    fn renew_fit(&mut self, cluster: usize) {
        let mut fits = std::mem::take(&mut self.fits);
        fits.renew(&self.shapes(), cluster);
        self.fits = fits;
    }

    /// Springs of a cluster.
    fn springs_of(&self, cluster: usize) -> Springs {
        let rest = &self.rest[cluster];
        let mut motion = Mat3::zeros();
        for &member in self.memberships.members(cluster) {
            let weight = self.memberships.weight(member, cluster as u32);
            let member = member as usize;
            let momentum = weight * self.particles.masses[member] * self.state.velocities[member];
            motion += momentum * (self.particles.offsets[member] - rest.centre).transpose();
        }
        let places = self.fits.fits[cluster].deformation * rest.moment;
        Springs { places: 2.0 * places - self.state.time_step * motion }
    }
}

/// Fraction applied in a step (1), if a fraction `per_reference_step` is applied in each reference
/// step Δt₀. `steps` is Δt/Δt₀. The remainder after each reference step does not depend on the
/// number of steps into which it is divided.
pub(crate) fn fraction_in(per_reference_step: f64, steps: f64) -> f64 {
    1.0 - (1.0 - per_reference_step).powf(steps)
}

/// Demand for flow of a cluster.
struct Asked {
    /// Σ^e scaled to the volume at rest (1): Jones et al. 2016 (10).
    stretches: Vec3,
    /// Share of the strain (11) beyond the yield strain (1); times the flow rate it is γ: Jones et
    /// al. 2016 (13).
    share: f64,
    /// Its springs, if they have energy.
    springs: Option<Springs>,
}

/// What determines the change of a cluster's spring energy with its goals.
struct Springs {
    /// 2·A_xr − Δt·A_vr, A_vr = Σ w m v (r − r̄)ᵀ (kg·m²): the sum of A_xr at the end and at the
    /// beginning of the last step.
    places: Mat3,
}

impl Springs {
    /// Spring energy for the goals M·(r − r̄) + x̄, divided by ½k, without terms that do not depend
    /// on M (kg·m²).
    fn energy(&self, goals: &Mat3, rest: &Rest) -> f64 {
        (goals * rest.moment).dot(goals) - goals.dot(&self.places)
    }
}

#[cfg(test)]
mod tests {
    use super::fraction_in;

    #[test]
    fn steps_that_make_up_a_reference_step_let_as_much_flow_as_it() {
        for rate in [1e-6, 0.1, 0.5, 0.9, 0.999] {
            assert!((fraction_in(rate, 1.0) - rate).abs() < 1e-15);
            for parts in [2, 3, 4, 100] {
                let left = (1.0 - fraction_in(rate, 1.0 / f64::from(parts))).powi(parts);
                assert!((left - (1.0 - rate)).abs() < 1e-13, "{rate} in {parts}: {left}");
            }
        }
        // Half a step of ν = 0.75 leaves the square root of a quarter.
        assert_eq!(fraction_in(0.75, 0.5), 0.5);
        for steps in [1e-9, 0.25, 1.0] {
            assert_eq!((fraction_in(0.0, steps), fraction_in(1.0, steps)), (0.0, 1.0));
        }
    }
}
