//! The state of a world as bytes, so that a run can be taken up again with the same bits.

use crate::tables::Lengths;
use crate::throttle::Throttle;
use crate::watch::Watch;
use crate::{Body, Certificate, Drive, Method, RigidBody, World};
use craze_frame::container::{self, ContainerError, Kind};
use craze_frame::hash64;
use serde::{Deserialize, Serialize};

/// Version of the layout below.
const VERSION: u16 = 3;

/// Everything of a world that changes. What does not (shapes, holds, settings) comes from the
/// scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    time: f64,
    frame_number: u32,
    throttle: Throttle,
    watch: Watch,
    steps: u64,
    retries: u64,
    probe_samples: Vec<u64>,
    bodies: Vec<SavedBody>,
    obstacles: Vec<Option<RigidBody>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedBody {
    kind: String,
    bytes: Vec<u8>,
}

/// The world at the beginning of a frame.
pub(crate) struct Beginning {
    world: Saved,
    /// What bodies gave that do not keep their state themselves.
    bodies: Vec<Option<Vec<u8>>>,
}

/// A checkpoint that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Not a checkpoint, or a damaged one.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A checkpoint of another version of the program.
    #[error(
        "the checkpoint has layout {found}, this program reads {VERSION}: finish the run with the program that began it"
    )]
    Version {
        /// Version found.
        found: u16,
    },
    /// The bytes do not describe a world.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(String),
    /// A checkpoint of another scene.
    #[error("the checkpoint belongs to another scene: it has {found}, the scene has {expected}")]
    OtherScene {
        /// What it has.
        found: String,
        /// What the scene has.
        expected: String,
    },
    /// A checkpoint of the scene before somebody edited it, or a file from another run.
    #[error(
        "it belongs to another scene than the scene.toml beside it: put that file back as it was, or start again with --force"
    )]
    ChangedScene,
    /// A table that has lost rows.
    #[error("{0}: put the table back, or start again with --force")]
    MissingRows(String),
    /// Bytes of a body that its method refuses.
    #[error("the saved body \"{body}\" of method \"{kind}\" is damaged: {reason}")]
    Body {
        /// Name of the body.
        body: String,
        /// Its method.
        kind: &'static str,
        /// What is wrong with the bytes.
        reason: String,
    },
}

/// What a checkpoint file holds: the state of the world, and how far the files beside it had come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) scene_hash: u64,
    pub(crate) table_lengths: Lengths,
    pub(crate) state_hashes: Vec<String>,
    pub(crate) certificate: Certificate,
    pub(crate) saved: Saved,
}

/// The saved state of a body, read by its method.
fn load(body: &Body, bytes: &[u8]) -> Result<Box<dyn Method>, CheckpointError> {
    (body.load)(bytes).map_err(|reason| CheckpointError::Body {
        body: body.name.clone(),
        kind: body.method.kind(),
        reason,
    })
}

impl Saved {
    /// The frame that was complete when it was saved.
    pub fn frame_number(&self) -> u32 {
        self.frame_number
    }

    /// A hash of every bit of the state.
    pub fn hash(&self) -> u64 {
        // A state is made of numbers, text and bytes: it always has a byte form.
        hash64(&postcard::to_stdvec(self).unwrap_or_default())
    }
}

impl Checkpoint {
    /// As the bytes of a file.
    pub fn encode(&self) -> Result<Vec<u8>, CheckpointError> {
        let payload = postcard::to_stdvec(self).map_err(|error| CheckpointError::Damaged(error.to_string()))?;
        Ok(container::encode(Kind::CHECKPOINT, VERSION, &payload))
    }

    /// From the bytes of a file. Any bytes may come; what is not a checkpoint is refused.
    pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let (version, payload) = container::decode(bytes, Kind::CHECKPOINT)?;
        if version != VERSION {
            return Err(CheckpointError::Version { found: version });
        }
        postcard::from_bytes(&payload).map_err(|error| CheckpointError::Damaged(error.to_string()))
    }
}

impl World {
    /// Everything that changes, at a frame boundary.
    pub fn save(&self) -> Saved {
        let save_body = |body: &Body| SavedBody { kind: body.method.kind().to_owned(), bytes: body.method.save() };
        self.save_with(self.bodies.iter().map(save_body).collect())
    }

    fn save_with(&self, bodies: Vec<SavedBody>) -> Saved {
        let save_obstacle = |obstacle: &crate::Obstacle| match &obstacle.drive {
            Drive::Free(free) => Some(free.body),
            Drive::Prescribed(_) => None,
        };
        Saved {
            time: self.time,
            frame_number: self.frame_number,
            throttle: self.throttle,
            watch: self.watch.clone(),
            steps: self.counters.steps,
            retries: self.counters.retries,
            probe_samples: self.probe_samples.clone(),
            bodies,
            obstacles: self.obstacles.iter().map(save_obstacle).collect(),
        }
    }

    /// Puts the world, built from the same scene, into a saved state. It is unchanged if that
    /// fails.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), CheckpointError> {
        let kinds = |kinds: Vec<&str>| format!("bodies [{}]", kinds.join(", "));
        let found = kinds(saved.bodies.iter().map(|body| body.kind.as_str()).collect());
        let expected = kinds(self.bodies.iter().map(|body| body.method.kind()).collect());
        if found != expected {
            return Err(CheckpointError::OtherScene { found, expected });
        }
        let free = |drives: Vec<bool>| {
            format!("{} obstacles, {} of them free", drives.len(), drives.iter().filter(|free| **free).count())
        };
        let is_free = |obstacle: &crate::Obstacle| matches!(obstacle.drive, Drive::Free(_));
        let saved_drives: Vec<bool> = saved.obstacles.iter().map(Option::is_some).collect();
        let drives: Vec<bool> = self.obstacles.iter().map(is_free).collect();
        if saved_drives != drives {
            return Err(CheckpointError::OtherScene { found: free(saved_drives), expected: free(drives) });
        }
        let same_probes = saved.probe_samples.len() == self.probe_samples.len();
        if !saved.time.is_finite() || !self.watch.same_bodies(&saved.watch) || !same_probes {
            return Err(CheckpointError::Damaged("its time or its books make no sense".to_owned()));
        }
        let methods = self.bodies.iter().zip(&saved.bodies).map(|(body, saved)| load(body, &saved.bytes));
        let methods = methods.collect::<Result<Vec<_>, _>>()?;
        for (body, method) in self.bodies.iter_mut().zip(methods) {
            body.method = method;
        }
        self.put(saved);
        Ok(())
    }

    /// Takes a snapshot of the world at the beginning of a frame.
    pub(crate) fn snapshot(&mut self) -> Beginning {
        let snapshot = |body: &mut Body| match body.method.rewind() {
            Some(body) => {
                body.snapshot();
                None
            }
            None => Some(body.method.save()),
        };
        let bodies = self.bodies.iter_mut().map(snapshot).collect();
        Beginning { world: self.save_with(Vec::new()), bodies }
    }

    /// Restores the world at the beginning of the frame.
    pub(crate) fn rewind(&mut self, beginning: &Beginning) -> Result<(), CheckpointError> {
        for (body, bytes) in self.bodies.iter_mut().zip(&beginning.bodies) {
            match (bytes, body.method.rewind()) {
                (Some(bytes), _) => body.method = load(body, bytes)?,
                (None, Some(body)) => body.restore(),
                (None, None) => {}
            }
        }
        self.put(&beginning.world);
        Ok(())
    }

    /// Puts all but the bodies into a saved state.
    fn put(&mut self, saved: &Saved) {
        for (obstacle, state) in self.obstacles.iter_mut().zip(&saved.obstacles) {
            if let (Drive::Free(free), Some(state)) = (&mut obstacle.drive, state) {
                (free.body, free.predicted) = (*state, *state);
            }
        }
        self.time = saved.time;
        self.frame_number = saved.frame_number;
        self.throttle = saved.throttle;
        self.watch = saved.watch.clone();
        (self.counters.steps, self.counters.retries) = (saved.steps, saved.retries);
        self.probe_samples.clone_from(&saved.probe_samples);
        self.scratch.forget_caches();
        self.find_separations();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_of_another_version_is_refused_with_both_versions() {
        for found in [VERSION - 1, VERSION + 1] {
            let bytes = container::encode(Kind::CHECKPOINT, found, &[1, 2, 3]);
            let message = Checkpoint::decode(&bytes).expect_err("another version").to_string();
            assert!(message.contains(&format!("layout {found}")), "{message}");
            assert!(message.contains(&format!("reads {VERSION}")), "{message}");
        }
    }
}
