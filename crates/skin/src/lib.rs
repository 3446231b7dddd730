//! The user's own surface, cut along the cracks of a simulation.
//!
//! A simulation breaks tetrahedra; a person wants the surface that they drew. At rest a broken body is a space divided among shards, and its
//! crack faces are where two shards meet. From them and any closed surface, the drawn one or that of the tetrahedra, the shards follow:
//!
//! 1. [`Contacts`]: which crack faces lie on which, also where one side was cut further than the other.
//! 2. [`Cracks`]: the faces between different shards, each held once for both sides, so that the sides cannot come apart. They end at the
//!    surface of the tetrahedra.
//! 3. [`Cracks::prepare`]: their rim is carried outward past the surface, steps of tetrahedra are smoothed away and the grain of broken
//!    matter is put on.
//! 4. [`cut`]: the closed surface is cut by the cracks and the cracks by the surface. Points where an edge of one passes through a
//!    triangle of the other are decided by exact predicates and belong to both, so that every shard is closed.
//!
//! Whatever cannot be done is an error, never a hole: the caller keeps the tetrahedra's own faces then.

mod contacts;
mod cover;
mod cracks;
mod crossing;
mod cut;
mod detail;
mod divide;
mod drawn;
mod error;
mod grow;
mod noise;
mod parting;
mod transfer;
mod weld;
mod within;

pub use contacts::{Contacts, NOBODY};
pub use cover::cover;
pub use cracks::Cracks;
pub use cut::{CutShard, Outside, Shards, cut};
pub use detail::Grain;
pub use drawn::Drawn;
pub use error::SkinError;
pub use parting::{Background, Carried, Parted, PartedPoint};
pub use transfer::{Corners, transfer};
