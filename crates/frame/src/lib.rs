//! What a moment of a simulation looks like: surfaces, volumes, particles, pieces, and their attributes.
//!
//! Exporters, pictures and viewers see [`Frame`]s and nothing else, so that none of them knows a fracture method.
//! The native file of a frame ([`write()`], [`read()`]) loses nothing; every other format is an export.
//!
//! Also here, because frames are the first to need them and everything that writes files stands on this crate: the
//! [`container`] of our binary files, files that appear whole or not at all ([`atomic_write`]), and the hash that proves
//! two states equal ([`hash64`]).

mod atomic;
mod block;
mod check;
pub mod container;
mod faults;
mod file;
mod hash;
mod manifold;
mod measure;
mod model;
mod reassemble;
#[cfg(test)]
mod testing;

pub use atomic::{WriteError, atomic_write, is_temporary, remove_leftovers};
pub use check::InvalidFrame;
pub use craze_material::Look;
pub use faults::{Fault, FaultKind, Welded, findings};
pub use file::{FrameError, FrameFileError, decode_frame, encode_frame, read, write};
pub use hash::{Hasher64, hash64};
pub use manifold::{fans, is_manifold};
pub use measure::{Bounds, is_closed};
pub use model::{
    Attribute, Attributes, BodyFrame, Data, Frame, ObstacleFrame, ObstacleShape, Particles, Piece, Pose, Surface,
    Volume, names,
};
