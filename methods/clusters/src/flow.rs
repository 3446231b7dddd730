//! Plastic flow: Jones et al. 2016, §3.2, as READINGS 22–24 have it.

use crate::cluster::{Rest, Temper};
use crate::fits::Fits;
use crate::model::{Clusters, Matter};
use craze_engine::Step;
use craze_math::{Mat3, Vec3};

/// Stretches beyond which a cluster counts as crushed or torn: its flow would be no number.
const THINNEST: f64 = 1e-3;

impl Clusters {
    /// Lets every cluster flow that is strained beyond its yield.
    pub(crate) fn flow_clusters(&mut self, step: &Step) {
        let Some(yield_strain) = self.matter.yield_strain else { return };
        if self.is_flying() {
            return;
        }
        let Clusters { matter, rest, temper, fits, is_whole, .. } = self;
        for (cluster, (rest, temper)) in rest.iter().zip(temper).enumerate() {
            let flowed = flow(yield_strain, matter, rest, temper, fits, cluster, step.time_step);
            *is_whole &= !flowed;
        }
    }
}

impl Clusters {
    /// Lets a cluster that has just been parted flow down to its yield at once: F^p was that of both parts together, and what it misses
    /// in one of them would come back as energy.
    pub(crate) fn relax(&mut self, cluster: usize) {
        let Some(yield_strain) = self.matter.yield_strain else { return };
        let matter = Matter { flow: 1.0, ..self.matter.clone() };
        flow(yield_strain, &matter, &self.rest[cluster], &mut self.temper[cluster], &mut self.fits, cluster, 0.0);
    }
}

/// Updates F^p (9)–(13) and α (14) of a cluster; whether it has flowed.
///
/// α gathers ‖Σ^e − I‖ in place of ‖F^e − I‖, which would count a rotation as strain.
fn flow(
    yield_strain: f64,
    matter: &Matter,
    rest: &Rest,
    temper: &mut Temper,
    fits: &mut Fits,
    cluster: usize,
    time_step: f64,
) -> bool {
    if rest.is_flat {
        if temper.plastic != Mat3::identity() {
            temper.plastic = Mat3::identity();
            fits.renew(cluster, rest, temper);
        }
        return false;
    }
    let elastic = fits.fits[cluster].elastic;
    let sigma = elastic.sigma;
    if !(sigma.z > THINNEST && sigma.x.is_finite()) {
        return false;
    }
    let volume_preserving = sigma * (sigma.x * sigma.y * sigma.z).powf(-1.0 / 3.0);
    let strain = volume_preserving.add_scalar(-1.0).norm();
    let excess = strain - yield_strain - matter.hardening * temper.hardening;
    temper.hardening += time_step * sigma.add_scalar(-1.0).norm();
    let share = (matter.flow * excess / strain).min(1.0);
    // Written so that NaN does not flow.
    if !(share > 0.0) {
        return false;
    }
    let stretch: Vec3 = volume_preserving.map(|value| value.powf(share));
    let plastic = Mat3::from_diagonal(&stretch) * elastic.v.transpose() * temper.plastic;
    if plastic.iter().any(|entry| !entry.is_finite()) {
        return false;
    }
    temper.plastic = plastic;
    fits.renew(cluster, rest, temper);
    true
}
