//! Where the time goes, by stage.

use crate::Event;
use std::time::{Duration, Instant};

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Contacts for implicit bodies, and impulses for all.
    Contact,
    /// Forces and integration.
    Predict,
    /// Checks of the prediction.
    Check,
    /// Prediction to state.
    Commit,
    /// Plastic flow.
    Flow,
    /// Failure and splitting.
    Fracture,
    /// Remeshing.
    Adapt,
    /// Accounts, probes and the watch.
    Observe,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 8] = [
        Stage::Contact,
        Stage::Predict,
        Stage::Check,
        Stage::Commit,
        Stage::Flow,
        Stage::Fracture,
        Stage::Adapt,
        Stage::Observe,
    ];

    /// Its name in stats.csv.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Contact => "contact",
            Stage::Predict => "predict",
            Stage::Check => "check",
            Stage::Commit => "commit",
            Stage::Flow => "flow",
            Stage::Fracture => "fracture",
            Stage::Adapt => "adapt",
            Stage::Observe => "observe",
        }
    }
}

/// Time spent by stage since the last reset, and steps taken and thrown away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    spent: [Duration; 8],
    /// Steps that became state.
    pub steps: u64,
    /// Steps that were thrown away.
    pub retries: u64,
}

impl Counters {
    /// Books the time since `start` on a stage, and gives the start of the next one.
    pub fn book(&mut self, stage: Stage, start: Instant) -> Instant {
        let now = Instant::now();
        self.spent[stage as usize] += now - start;
        now
    }

    /// Time spent in a stage.
    pub fn spent(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }
}

/// What a body reports while it commits a step: its events, and the time of each stage.
#[derive(Clone, Debug)]
pub struct CommitLog {
    /// Events in the order in which they happened. The world fills in the name of the body.
    pub events: Vec<Event>,
    counters: Counters,
    clock: Instant,
}

impl Default for CommitLog {
    fn default() -> CommitLog {
        CommitLog { events: Vec::new(), counters: Counters::default(), clock: Instant::now() }
    }
}

impl CommitLog {
    /// Starts the clock of the first stage.
    pub(crate) fn start(&mut self) {
        self.clock = Instant::now();
    }

    /// Books the time since the last stage ended on `stage`.
    pub fn end_stage(&mut self, stage: Stage) {
        self.clock = self.counters.book(stage, self.clock);
    }

    /// Moves the times of all stages into `counters`.
    pub(crate) fn drain_times(&mut self, counters: &mut Counters) {
        for (sum, spent) in counters.spent.iter_mut().zip(&mut self.counters.spent) {
            *sum += std::mem::take(spent);
        }
    }
}
