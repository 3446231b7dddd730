//! Frames: surfaces, volumes, particles, pieces and attributes at one moment of a simulation.
//!
//! Exporters, pictures and viewers depend on [`Frame`]s only, never on a fracture method. The
//! native file ([`write()`], [`read()`]) is lossless; all other formats are exports.
//!
//! Also here, because every writer depends on this crate: the binary [`container`], atomic file
//! writes ([`atomic_write`]), and the hash of states ([`hash64`]).

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
mod normals;
mod reassemble;
#[cfg(test)]
mod testing;
mod thick;
mod version3;

pub use atomic::{WriteError, atomic_write, is_temporary, remove_leftovers};
pub use check::InvalidFrame;
pub use craze_material::Look;
pub use faults::{Fault, FaultKind, WeldedSurface, describe_faults};
pub use file::{
    FRAME_VERSION, FrameError, FrameFileError, OLDEST_FRAME_VERSION, decode_frame, encode_frame, read, read_thick,
    write,
};
pub use hash::{Hasher64, hash64};
pub use manifold::{fans, is_manifold};
pub use measure::{Bounds, is_closed};
pub use model::{
    Attribute, Attributes, BodyFrame, Data, Frame, Line, LineKind, ObstacleFrame, ObstacleShape, Particles, Piece,
    Pose, Sheet, Surface, Volume, names,
};
pub use normals::corner_normals;
pub use thick::{SheetSide, ThickError};
