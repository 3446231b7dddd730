//! The world: bodies, obstacles, loads and probes in one time loop.
//!
//! Everything a fracture method must know of the world stands in [`Method`]; everything the world does in a step, in
//! order, stands in [`World::step`].

mod account;
mod event;
mod load;
mod method;
mod motion;
mod region;
mod registry;
mod rigid;

pub use account::Account;
pub use event::{Event, EventKind};
pub use load::{Action, Effect, Hold, HoldId, Load, Ramp};
pub use method::{Failure, FrameDetail, MaterialPoint, Method, Step};
pub use motion::{Keyframe, Motion, turned};
pub use region::Region;
pub use registry::{LoadError, Loader, Registry};
pub use rigid::RigidBody;
