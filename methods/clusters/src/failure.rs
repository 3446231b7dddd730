//! What breaks where: Jones et al. 2016, §3.3.

use crate::cluster::Temper;
use crate::model::Clusters;
use crate::options::Options;
use crate::pieces::Parted;
use craze_engine::{Event, EventKind, Step};
use craze_math::Vec3;

/// A member farther from its cluster's centre than this many largest distances at rest is an outlier (1).
const OUTLIER: f64 = 2.0;

/// A split of a cluster, before it is known what hangs together.
pub(crate) struct Split {
    pub place: Vec3,
    pub normal: Vec3,
    pub stretch: f64,
    pub piece: u32,
}

impl Clusters {
    /// Splits clusters that are stretched beyond their toughness, those by most first; parts outliers; removes what has become too small.
    pub(crate) fn fracture_clusters(&mut self, step: &Step, events: &mut Vec<Event>) {
        if self.is_flying() || self.temper.iter().all(|temper| temper.toughness.is_none()) {
            return;
        }
        let now = step.time + step.time_step;
        let mut before = None;
        let mut splits = self.split_overstretched(now, &mut before);
        let through_clusters = splits.len();
        self.part_outliers(&mut before, &mut splits);
        let Some(before) = before.filter(|_| !splits.is_empty()) else { return };
        self.is_whole = false;
        let mut changes: Vec<Parted> =
            splits.iter().map(|split| Parted { parent: split.piece, children: Vec::new() }).collect();
        self.remove_remains();
        self.name_pieces(&mut changes);
        self.measure_anew();
        self.take_out_gain(before, now);
        // An outlier that leaves its piece whole is none to tell of.
        let told = splits.into_iter().zip(changes).enumerate();
        let told = told.filter(|(index, (_, change))| *index < through_clusters || change.children != [change.parent]);
        events.extend(told.map(|(_, (split, change))| Event {
            time: now,
            body: String::new(),
            kind: EventKind::Split {
                place: split.place,
                normal: split.normal,
                strength: split.stretch,
                parent: change.parent,
                children: change.children,
            },
        }));
    }

    /// Takes what the state has above `before` (J) out of the clusters that split just `now` (s), and if that is not enough out of all.
    fn take_out_gain(&mut self, before: f64, now: f64) {
        let gained = self.energy_of(&self.state, &self.fits).total() - before;
        // Written so that what is no number takes nothing out.
        if !(gained > 0.0) {
            return;
        }
        let is_split: Vec<bool> = self.temper.iter().map(|temper| temper.last_split == Some(now)).collect();
        let (mut state, mut fits) = (std::mem::take(&mut self.state), std::mem::take(&mut self.fits));
        self.calm(gained, &mut state, &mut fits, &is_split);
        (self.state, self.fits) = (state, fits);
        if self.wants_motions() {
            self.fit_state();
        }
    }

    fn split_overstretched(&mut self, now: f64, before: &mut Option<f64>) -> Vec<Split> {
        let mut queue: Vec<(f64, u32)> = Vec::new();
        for (cluster, temper) in self.temper.iter_mut().enumerate() {
            let stretch = self.fits.fits[cluster].elastic.sigma.x;
            let Some(toughness) = toughness_now(temper, &self.options, now) else { continue };
            if stretch <= toughness {
                temper.cooling = false;
            } else if !temper.cooling && stretch.is_finite() {
                queue.push((stretch - toughness, cluster as u32));
            }
        }
        if queue.is_empty() {
            return Vec::new();
        }
        // A heap in one go: nothing is put back. Of equals the cluster with the lowest number goes first.
        queue.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut splits = Vec::new();
        let mut stale = vec![false; self.temper.len()];
        for (_, cluster) in queue {
            if splits.len() >= self.options.splits_a_step as usize {
                break;
            }
            if stale[cluster as usize] {
                self.refit_cluster(cluster);
            }
            let stretch = self.fits.fits[cluster as usize].elastic.sigma.x;
            let toughness = toughness_now(&self.temper[cluster as usize], &self.options, now);
            if toughness.is_some_and(|toughness| stretch > toughness) {
                splits.extend(self.split_cluster(cluster, now, &mut stale, before));
            }
        }
        splits
    }

    /// Gives members that are far from a cluster's centre, and are in others, to that cluster alone as particles of their own. A parting is
    /// told by the way from the centre and its length in extents at rest.
    fn part_outliers(&mut self, before: &mut Option<f64>, partings: &mut Vec<Split>) {
        if self.options.strain_limit.is_some() && !self.limiting.is_left {
            return;
        }
        // Centre and square of the farthest, close together: every membership is looked at.
        let balls: Vec<(Vec3, f64)> = self
            .rest
            .iter()
            .zip(&self.temper)
            .zip(&self.fits.fits)
            .map(|((rest, temper), fit)| {
                (fit.centre, (OUTLIER * rest.extent).powi(2) * temper.plastic.norm_squared() / 3.0)
            })
            .collect();
        let mut outliers = Vec::new();
        for (particle, position) in self.state.positions.iter().enumerate() {
            let shares = self.memberships.of(particle);
            if shares.len() < 2 {
                continue;
            }
            let arm = position - self.fits.anchor;
            for share in shares {
                let (centre, far) = &balls[share.cluster as usize];
                if (arm - centre).norm_squared() > *far {
                    outliers.push((particle as u32, share.cluster));
                }
            }
        }
        if outliers.is_empty() {
            return;
        }
        before.get_or_insert_with(|| self.energy_of(&self.state, &self.fits).total());
        for (particle, cluster) in outliers {
            if self.memberships.of(particle as usize).len() > 1 {
                let place = self.state.positions[particle as usize];
                let way = place - self.fits.anchor - self.fits.fits[cluster as usize].centre;
                let piece = self.temper[cluster as usize].piece;
                let stretch = way.norm() / self.rest[cluster as usize].extent;
                partings.push(Split { place, normal: way.normalize(), stretch, piece });
                self.part_particle(particle, |other| other == cluster);
            }
        }
    }
}

/// τ_c (1): Jones et al. 2016 (16) as READINGS 22 has it.
fn toughness_now(temper: &Temper, options: &Options, now: f64) -> Option<f64> {
    let toughness = temper.toughness?;
    let since = temper.last_split.map(|time| (now - time).max(0.0));
    Some(match since {
        Some(since) if options.boost > 0.0 => toughness * (1.0 + options.boost * (-options.boost_decay * since).exp()),
        _ => toughness,
    })
}
