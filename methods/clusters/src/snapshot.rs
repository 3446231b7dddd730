//! Snapshot of the state at the beginning of a frame. It is copied into memory that is there
//! already; what only splits change is copied after splits only.

use crate::cluster::{ClusterHistory, Rest};
use crate::membership::Memberships;
use crate::model::{Clusters, ParticleState, Particles, Phase, Whole};
use crate::skin::Cut;
use craze_body::{ConstrainedRegions, Lineage, TrackedPoints};
use craze_engine::SplitCounts;

/// A snapshot.
#[derive(Default)]
pub(crate) struct Snapshot {
    state: ParticleState,
    history: Vec<ClusterHistory>,
    constraints: ConstrainedRegions,
    work: f64,
    is_whole: bool,
    lineage: Lineage,
    counts: SplitCounts,
    tracked: TrackedPoints<u32>,
    topology: Option<Topology>,
    /// Whether anything has split since.
    pub has_split: bool,
}

/// What only splits change.
#[derive(Clone)]
struct Topology {
    particles: Particles,
    memberships: Memberships,
    rest: Vec<Rest>,
    whole: Whole,
    owners: Vec<u32>,
    cuts: Vec<Cut>,
}

impl ParticleState {
    /// Becomes a copy of another state, in the memory that it has.
    fn copy_from(&mut self, other: &ParticleState) {
        let (mut positions, mut velocities) =
            (std::mem::take(&mut self.positions), std::mem::take(&mut self.velocities));
        positions.clone_from(&other.positions);
        velocities.clone_from(&other.velocities);
        *self = ParticleState { positions, velocities, ..*other };
    }
}

impl Clusters {
    /// Takes a snapshot for [`Clusters::restore_snapshot`].
    pub(crate) fn take_snapshot(&mut self) {
        if self.snapshot.has_split || self.snapshot.topology.is_none() {
            self.snapshot.topology = Some(self.topology());
            self.snapshot.has_split = false;
        }
        let snapshot = &mut self.snapshot;
        snapshot.state.copy_from(&self.state);
        snapshot.history.clone_from(&self.history);
        snapshot.constraints.clone_from(&self.constraints);
        (snapshot.work, snapshot.is_whole) = (self.work, self.is_whole);
        snapshot.lineage.clone_from(&self.lineage);
        snapshot.counts = self.counts;
        snapshot.tracked.clone_from(&self.tracked);
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

    /// Restores the last snapshot; nothing happens without one.
    pub(crate) fn restore_snapshot(&mut self) {
        let Some(topology) = &self.snapshot.topology else { return };
        if self.snapshot.has_split {
            let Topology { particles, memberships, rest, whole, owners, cuts } = topology.clone();
            (self.particles, self.memberships, self.rest, self.whole) = (particles, memberships, rest, whole);
            if let Some(skin) = &mut self.skin {
                (skin.owners, skin.cuts) = (owners, cuts);
            }
            self.snapshot.has_split = false;
        }
        let snapshot = &self.snapshot;
        self.state.copy_from(&snapshot.state);
        self.prediction.copy_from(&snapshot.state);
        self.history.clone_from(&snapshot.history);
        self.constraints.clone_from(&snapshot.constraints);
        (self.work, self.is_whole) = (snapshot.work, snapshot.is_whole);
        self.lineage.clone_from(&snapshot.lineage);
        self.counts = snapshot.counts;
        self.tracked.clone_from(&snapshot.tracked);
        self.phase = Phase::Committed;
        self.forget_loads();
        self.disturbance.clear();
        self.bounds = self.bounds_of_state();
        if !self.is_rigid() {
            self.fit_state();
        }
    }
}
