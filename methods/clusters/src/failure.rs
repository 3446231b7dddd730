//! Fracture: Jones et al. 2016, §3.3.

use crate::cluster::ClusterHistory;
use crate::model::Clusters;
use crate::options::Options;
use crate::pieces::SplitReport;
use crate::tuning::MAX_MEMBER_DISTANCE;
use craze_engine::{Event, EventKind, FailureMeasure, Step};
use craze_math::Vec3;

/// A split of a cluster, before components are known.
pub(crate) struct Split {
    pub place: Vec3,
    pub normal: Vec3,
    pub stretch: f64,
    pub piece: u32,
}

impl Clusters {
    /// Splits clusters that are stretched beyond their toughness, in descending order of the
    /// excess; separates outliers; removes clusters that have become too small.
    pub(crate) fn fracture_clusters(&mut self, step: &Step, events: &mut Vec<Event>) {
        if self.is_rigid() || self.history.iter().all(|history| history.toughness.is_none()) {
            return;
        }
        self.survey_state();
        let now = step.time + step.time_step;
        let mut before = None;
        let mut splits = self.split_overstretched(now, &mut before);
        let through_clusters = splits.len();
        self.part_outliers(&mut before, &mut splits);
        let Some(before) = before.filter(|_| !splits.is_empty()) else { return };
        self.is_whole = false;
        self.snapshot.has_split = true;
        let mut changes: Vec<SplitReport> =
            splits.iter().map(|split| SplitReport { parent: split.piece, children: Vec::new() }).collect();
        let of = self.remove_remains();
        self.name_pieces(&of, &mut changes);
        self.remeasure();
        self.survey_state();
        let is_split: Vec<bool> = self.history.iter().map(|history| history.last_split == Some(now)).collect();
        self.take_out_above(before, &is_split);
        // An outlier that leaves its piece connected is not reported.
        let told = splits.into_iter().zip(changes).enumerate();
        let told = told.filter(|(index, (_, change))| *index < through_clusters || change.children != [change.parent]);
        let known = events.len();
        events.extend(told.map(|(_, (split, change))| Event {
            time: now,
            body: String::new(),
            kind: EventKind::Split {
                place: split.place,
                normal: split.normal,
                measure: FailureMeasure::Stretch(split.stretch),
                parent: change.parent,
                children: change.children,
            },
        }));
        self.counts.splits += (events.len() - known) as u64;
    }

    fn split_overstretched(&mut self, now: f64, before: &mut Option<f64>) -> Vec<Split> {
        let mut queue: Vec<(f64, u32)> = Vec::new();
        for (cluster, history) in self.history.iter_mut().enumerate() {
            let stretch = self.fits.fits[cluster].elastic.sigma.x;
            let Some(toughness) = toughness_now(history, &self.options, now) else { continue };
            if stretch <= toughness {
                history.cooling = false;
            } else if !history.cooling && stretch.is_finite() {
                queue.push((stretch - toughness, cluster as u32));
            }
        }
        if queue.is_empty() {
            return Vec::new();
        }
        // All at once: nothing is put back. Of equal ones the cluster with the lowest number is
        // first.
        queue.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut splits = Vec::new();
        let mut stale = vec![false; self.history.len()];
        for (_, cluster) in queue {
            if stale[cluster as usize] {
                self.refit_cluster(cluster);
            }
            let stretch = self.fits.fits[cluster as usize].elastic.sigma.x;
            let toughness = toughness_now(&self.history[cluster as usize], &self.options, now);
            // NaN fails the comparison.
            if toughness.is_none_or(|toughness| !(stretch > toughness)) {
                continue;
            }
            if splits.len() >= self.options.splits_a_step as usize {
                self.counts.over_budget += 1;
                break;
            }
            match self.split_cluster(cluster, now, &mut stale, before) {
                Some(split) => splits.push(split),
                // Counted once, however often it is tried before it splits.
                None if !std::mem::replace(&mut self.history[cluster as usize].refused, true) => {
                    self.counts.refused += 1
                }
                None => {}
            }
        }
        splits
    }

    /// Separates members that are far from a cluster's centre and are in other clusters: a
    /// duplicate of each stays in that cluster alone. It is reported with the direction from the
    /// centre and the distance in extents at rest.
    fn part_outliers(&mut self, before: &mut Option<f64>, partings: &mut Vec<Split>) {
        let is_outlier = |&(particle, cluster): &(u32, u32)| {
            let shares = self.memberships.of(particle as usize);
            let (rest, history) = (&self.rest[cluster as usize], &self.history[cluster as usize]);
            let far = (MAX_MEMBER_DISTANCE * rest.extent).powi(2) * history.plastic.norm_squared() / 3.0;
            let arm = self.state.positions[particle as usize] - self.fits.anchor;
            shares.len() > 1
                && (arm - self.fits.fits[cluster as usize].centre).norm_squared() > far
                && shares.iter().any(|share| share.cluster == cluster)
        };
        let clusters_of =
            |particle: u32| self.memberships.of(particle as usize).iter().map(move |share| (particle, share.cluster));
        // Members within the strain limit are not far from their centres.
        let outliers: Vec<(u32, u32)> = match self.options.strain_limit {
            Some(_) => {
                let near = self.fits.survey_result.near.iter().map(|near| (near.particle, near.share.cluster));
                near.filter(is_outlier).collect()
            }
            None => (0..self.count() as u32).flat_map(clusters_of).filter(is_outlier).collect(),
        };
        if outliers.is_empty() {
            return;
        }
        before.get_or_insert_with(|| self.energy_of(&self.state, &self.fits).total());
        for (particle, cluster) in outliers {
            if self.memberships.of(particle as usize).len() > 1 {
                let place = self.state.positions[particle as usize];
                let way = place - self.fits.anchor - self.fits.fits[cluster as usize].centre;
                let piece = self.history[cluster as usize].piece;
                let stretch = way.norm() / self.rest[cluster as usize].extent;
                partings.push(Split { place, normal: way.normalize(), stretch, piece });
                self.split_particle(particle, |other| other == cluster);
            }
        }
    }
}

/// τ_c (1): Jones et al. 2016 (16), as in READINGS 22.
fn toughness_now(history: &ClusterHistory, options: &Options, now: f64) -> Option<f64> {
    let toughness = history.toughness?;
    let since = history.last_split.map(|time| (now - time).max(0.0));
    Some(match since {
        Some(since) if options.boost > 0.0 => toughness * (1.0 + options.boost * (-options.boost_decay * since).exp()),
        _ => toughness,
    })
}
