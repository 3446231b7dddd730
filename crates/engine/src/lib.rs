//! The world: bodies, obstacles, loads and probes in one time loop.
//!
//! Everything a fracture method must know of the world stands in [`Method`]; everything the world does in a step, in
//! order, stands in [`World::step`].

mod account;
mod checkpoint;
mod contact;
mod counters;
mod event;
mod folder;
mod load;
mod load_path;
mod method;
mod motion;
mod obstacle;
mod pieces;
mod probe;
mod record;
mod region;
mod rigid;
mod step;
mod tables;
mod throttle;
mod tuning;
mod watch;
mod world;

pub use account::{Account, LARGE_PIECE, SplitCounts};
pub use checkpoint::{Checkpoint, CheckpointError, Saved};
pub use contact::{Intersection, ObstacleImpulse, Penetration};
pub use counters::{CommitLog, Counters, Stage};
pub use event::{Event, EventKind, FailureMeasure, HoldReaction};
pub use folder::{Existing, FolderError, RunFolder, read_record};
pub use load::{Action, Effect, Hold, HoldId, Load, Ramp};
pub use method::{Attachable, Failure, FrameDetail, Implicit, MaterialPoint, Method, QuasiStatic, Rewind, Step};
pub use motion::{Keyframe, Motion, Turning, turned};
pub use obstacle::{Drive, Free, Obstacle};
pub use pieces::{BrokenBody, CertifiedPiece};
pub use probe::{Measure, Probe, Sample};
pub use record::{Certificate, Machine, RunRecord, RunResult};
pub use region::Region;
pub use rigid::{RigidBody, Velocities};
pub use step::{Progress, Verdict};
pub use world::{Body, Checked, Loader, Mode, PairTable, Settings, World, WorldError};
