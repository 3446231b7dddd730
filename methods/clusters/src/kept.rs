//! The state at the beginning of a frame, to go back to: copied into memory that is there already, and of what only splits change nothing as long as
//! there are none.

use crate::cluster::{Rest, Temper};
use crate::membership::Memberships;
use crate::model::{Clusters, Moment, Particles, Phase, Whole};
use crate::skin::Cut;
use craze_body::{ConstrainedRegions, Lineage, TrackedPoints};
use craze_engine::SplitCounts;

/// A state to go back to.
#[derive(Default)]
pub(crate) struct Kept {
    state: Moment,
    temper: Vec<Temper>,
    constraints: ConstrainedRegions,
    work: f64,
    is_whole: bool,
    lineage: Lineage,
    counts: SplitCounts,
    tracked: TrackedPoints<u32>,
    topology: Option<Topology>,
    /// Whether anything has split since.
    pub is_parted: bool,
}

/// What splits change, and nothing else.
#[derive(Clone)]
struct Topology {
    particles: Particles,
    memberships: Memberships,
    rest: Vec<Rest>,
    whole: Whole,
    owners: Vec<u32>,
    cuts: Vec<Cut>,
}

impl Moment {
    /// Becomes a copy of another moment, in the memory that it has.
    fn copy_from(&mut self, other: &Moment) {
        let (mut positions, mut velocities) =
            (std::mem::take(&mut self.positions), std::mem::take(&mut self.velocities));
        positions.clone_from(&other.positions);
        velocities.clone_from(&other.velocities);
        *self = Moment { positions, velocities, ..*other };
    }
}

impl Clusters {
    /// Keeps the state for [`Clusters::return_to_kept`].
    pub(crate) fn keep_state(&mut self) {
        if self.kept.is_parted || self.kept.topology.is_none() {
            self.kept.topology = Some(self.topology());
            self.kept.is_parted = false;
        }
        let kept = &mut self.kept;
        kept.state.copy_from(&self.state);
        kept.temper.clone_from(&self.temper);
        kept.constraints.clone_from(&self.constraints);
        (kept.work, kept.is_whole) = (self.work, self.is_whole);
        kept.lineage.clone_from(&self.lineage);
        kept.counts = self.counts;
        kept.tracked.clone_from(&self.tracked);
    }

    fn topology(&self) -> Topology {
        let skin = self.skin.as_ref();
        Topology {
            particles: self.particles.clone(),
            memberships: self.memberships.clone(),
            rest: self.rest.clone(),
            whole: self.whole.clone(),
            owners: skin.map(|skin| skin.owners.clone()).unwrap_or_default(),
            cuts: skin.map(|skin| skin.cuts.clone()).unwrap_or_default(),
        }
    }

    /// Goes back to the state that was kept last; nothing happens if none was.
    pub(crate) fn return_to_kept(&mut self) {
        let Some(topology) = &self.kept.topology else { return };
        if self.kept.is_parted {
            let Topology { particles, memberships, rest, whole, owners, cuts } = topology.clone();
            (self.particles, self.memberships, self.rest, self.whole) = (particles, memberships, rest, whole);
            if let Some(skin) = &mut self.skin {
                (skin.owners, skin.cuts) = (owners, cuts);
            }
            self.kept.is_parted = false;
        }
        let kept = &self.kept;
        self.state.copy_from(&kept.state);
        self.prediction.copy_from(&kept.state);
        self.temper.clone_from(&kept.temper);
        self.constraints.clone_from(&kept.constraints);
        (self.work, self.is_whole) = (kept.work, kept.is_whole);
        self.lineage.clone_from(&kept.lineage);
        self.counts = kept.counts;
        self.tracked.clone_from(&kept.tracked);
        self.phase = Phase::Committed;
        self.external.resize(self.count());
        self.disturbance.clear();
        self.bounds = self.bounds_of_state();
        if !self.is_flying() {
            self.fit_state();
        }
    }
}
