//! What run.json says of a run.

use crate::pieces::BrokenBody;
use crate::{Account, SplitCounts, Stage, World};
use serde::{Deserialize, Serialize};

/// The whole of run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of the program.
    pub craze: String,
    /// Name of the scene.
    pub scene: String,
    /// Seed of all that is random.
    pub seed: u64,
    /// The computer.
    pub machine: Machine,
    /// How it went.
    pub result: RunResult,
    /// Frames that the scene asks for, not counting the initial one.
    pub frames: u32,
    /// Frames a second of simulated time.
    pub frames_per_second: f64,
    /// Steps that became state, and steps that were thrown away.
    pub steps: u64,
    /// Steps that were thrown away.
    pub retries: u64,
    /// What fracture has done to all bodies since the start.
    #[serde(default)]
    pub splits: SplitCounts,
    /// Time by stage (s), of this process only.
    pub seconds: Vec<(String, f64)>,
    /// Time from start to now (s), of this process only, without preview pictures.
    pub wall_seconds: f64,
    /// Time that preview pictures took (s), of this process only; 0 if none were made.
    #[serde(default)]
    pub preview_seconds: f64,
    /// What was conserved.
    pub certificate: Certificate,
    /// The pieces of every body that broke, at the end of the run.
    #[serde(default)]
    pub broken: Vec<BrokenBody>,
    /// Hash of the whole state at every frame, from the initial one on, in hexadecimal.
    pub state_hashes: Vec<String>,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunResult {
    /// It is under way, or was killed.
    Running,
    /// All frames are there.
    Complete,
    /// Somebody stopped it; `--resume` goes on.
    Interrupted,
    /// It could not go on.
    Failed(String),
}

/// The computer that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and processor family.
    pub platform: String,
    /// Vector instructions in use: results are the same bits on processors that have the same.
    pub instructions: String,
    /// Threads in use; they change no bit.
    pub threads: usize,
}

/// What was conserved, from the first frame to the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Books at the start.
    pub start: Account,
    /// Books now.
    pub now: Account,
    /// For every body with a surface: whether it is closed in every frame so far; that of a sheet
    /// with its thickness.
    pub watertight: Vec<(String, bool)>,
}

impl RunRecord {
    /// Takes over steps, splits and where the time went.
    pub fn book(&mut self, world: &World) {
        let counters = &world.counters;
        self.splits = world.split_counts();
        self.steps = counters.steps;
        self.retries = counters.retries;
        self.seconds =
            Stage::ALL.iter().map(|stage| (stage.name().to_owned(), counters.spent(*stage).as_secs_f64())).collect();
    }
}
