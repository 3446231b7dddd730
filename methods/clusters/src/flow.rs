//! Plastic flow: Jones et al. 2016, §3.2, as READINGS 22–24 have it.

use crate::cluster::Rest;
use crate::model::Clusters;
use craze_engine::Step;
use craze_math::{Mat3, Vec3};
use rayon::prelude::*;

/// Stretches beyond which a cluster counts as crushed or torn: its flow would be no number.
const THINNEST: f64 = 1e-3;

/// How often a flow that would raise the energy is halved before the cluster is left as it is.
const HALVINGS: u32 = 6;

/// Clusters that one thread takes at a time.
const FEW_CLUSTERS: usize = 8;

impl Clusters {
    /// Lets every cluster flow that is strained beyond its yield, and looks at what has become of the step.
    pub(crate) fn flow_clusters(&mut self, step: &Step) {
        if self.is_flying() {
            return;
        }
        if let Some(yield_strain) = self.matter.yield_strain {
            let rate = fraction_in(self.matter.flow, step.time_step / self.options.time_step);
            // Asked side by side: to flow changes nothing in other clusters.
            let clusters = (0..self.rest.len()).into_par_iter().with_min_len(FEW_CLUSTERS);
            let asked: Vec<Option<Asked>> = clusters.map(|cluster| self.flow_asked(cluster, yield_strain)).collect();
            for (cluster, asked) in asked.into_iter().enumerate() {
                let flowed = self.flow_cluster(cluster, asked, rate, step.time_step);
                self.is_whole &= !flowed;
            }
        }
        self.survey_state();
    }

    /// Lets a cluster that has just been parted flow down to its yield at once: F^p was that of both parts together, and what it misses
    /// in one of them would come back as energy.
    pub(crate) fn relax(&mut self, cluster: usize) {
        let Some(yield_strain) = self.matter.yield_strain else { return };
        self.flow_cluster(cluster, self.flow_asked(cluster, yield_strain), 1.0, 0.0);
    }

    /// What asks a cluster to flow; nothing asks one that is flat or crushed.
    fn flow_asked(&self, cluster: usize, yield_strain: f64) -> Option<Asked> {
        let sigma = self.fits.fits[cluster].elastic.sigma;
        if self.rest[cluster].is_flat || !(sigma.z > THINNEST && sigma.x.is_finite()) {
            return None;
        }
        let stretches = sigma * (sigma.x * sigma.y * sigma.z).powf(-1.0 / 3.0);
        let strain = stretches.add_scalar(-1.0).norm();
        let excess = strain - yield_strain - self.matter.hardening * self.temper[cluster].hardening;
        let springs = (excess > 0.0).then(|| self.springs_of(cluster));
        Some(Asked { stretches, share: excess / strain, springs })
    }

    /// Updates F^p (9)–(13) by the flow rate ν and α (14) of a cluster; whether it has flowed.
    ///
    /// α gathers ‖Σ^e − I‖ in place of ‖F^e − I‖, which would count a rotation as strain.
    ///
    /// Flow moves the goals, and (12) knows F^e only: where a cluster is squeezed or drawn as a whole, or swings through its rest shape within a
    /// step, the goals that it asks for can lie farther from the members than those that were. Flow never gives energy: it goes as far as
    /// the energy that the method keeps (`energy.rs`) does not rise.
    fn flow_cluster(&mut self, cluster: usize, asked: Option<Asked>, rate: f64, time_step: f64) -> bool {
        let temper = &mut self.temper[cluster];
        if self.rest[cluster].is_flat && !temper.is_fresh() {
            temper.plastic = Mat3::identity();
            self.renew_fit(cluster);
        }
        let Some(Asked { stretches, share, springs }) = asked else { return false };
        let before = self.fits.fits[cluster];
        self.temper[cluster].hardening += time_step * before.elastic.sigma.add_scalar(-1.0).norm();
        let mut share = (rate * share).min(1.0);
        // Written so that NaN does not flow.
        let Some(springs) = springs.filter(|_| share > 0.0) else { return false };
        let (rest, old) = (&self.rest[cluster], self.temper[cluster].plastic);
        let known = springs.energy(&(before.rotation * old), rest);
        for _ in 0..HALVINGS {
            let stretch: Vec3 = stretches.map(|value| value.powf(share));
            let plastic = Mat3::from_diagonal(&stretch) * before.elastic.v.transpose() * old;
            let temper = &mut self.temper[cluster];
            temper.plastic = plastic;
            let mut fit = before;
            fit.decompose(rest, temper);
            if plastic.iter().all(|entry| entry.is_finite()) && springs.energy(&(fit.rotation * plastic), rest) <= known
            {
                self.renew_fit(cluster);
                return true;
            }
            temper.plastic = old;
            share *= 0.5;
        }
        false
    }

    /// Brings the fit of a cluster up to date with its F^p.
    fn renew_fit(&mut self, cluster: usize) {
        let mut fits = std::mem::take(&mut self.fits);
        fits.renew(&self.shapes(), cluster);
        self.fits = fits;
    }

    /// What the springs of a cluster are drawn by.
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
/// step Δt₀. `steps` is Δt/Δt₀. What is left after each reference step does not depend on the number of
/// steps that it is divided into.
pub(crate) fn fraction_in(per_reference_step: f64, steps: f64) -> f64 {
    1.0 - (1.0 - per_reference_step).powf(steps)
}

/// What asks a cluster to flow.
struct Asked {
    /// Σ^e of the same volume as at rest (1): Jones et al. 2016 (10).
    stretches: Vec3,
    /// Share of the strain (11) that is beyond the yield (1), which times the flow rate is γ: Jones et al. 2016 (13).
    share: f64,
    /// Its springs, if that is any.
    springs: Option<Springs>,
}

/// What of a cluster's members decides how the energy of its springs changes with its goals.
struct Springs {
    /// 2·A_xr − Δt·A_vr, A_vr = Σ w m v (r − r̄)ᵀ (kg·m²): A_xr at the end and at the beginning of the last step.
    places: Mat3,
}

impl Springs {
    /// Energy of springs to the goals M·(r − r̄) + x̄ by ½k, but for what does not depend on M (kg·m²).
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
