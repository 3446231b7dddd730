//! The user's own surface, cut along the cracks of a simulation.
//!
//! A simulation breaks tetrahedra; a person wants the surface that they drew. At rest a broken body is a space divided among shards. From that
//! and any closed surface, the drawn one or that of the tetrahedra, the shards follow:
//!
//! 1. [`Whose`]: which shard every point in space belongs to.
//! 2. [`Cracks::redrawn`]: the faces between shards on an even lattice, each held once for both sides, so that the sides cannot come apart.
//!    They end outside the surface.
//! 3. [`Cracks::prepare`]: they are smoothed, and the grain of broken matter is put on.
//! 4. [`cut`]: the closed surface is cut by the cracks and the cracks by the surface. Points where an edge of one passes through a
//!    triangle of the other are decided by exact predicates and belong to both, so that every shard is closed.
//!
//! [`Contacts`] tell beside that which pieces touch, and with how much area.
//!
//! Whatever cannot be done is an error, never a hole: the caller keeps the tetrahedra's own faces then.

mod apart;
mod contacts;
mod cover;
mod cracks;
mod crossing;
mod cut;
mod detail;
mod divide;
mod drawn;
mod error;
mod lips;
mod noise;
mod parting;
mod redrawn;
mod solids;
mod transfer;
mod weld;
mod whose;
mod within;

pub use apart::part_touching;
pub use contacts::Contacts;
pub use cover::cover;
pub use cracks::Cracks;
pub use cut::{CutShard, Outside, Shards, cut};
pub use detail::Grain;
pub use drawn::Drawn;
pub use error::SkinError;
pub use parting::{Background, Carried, Parted, PartedPoint};
pub use solids::solids;
pub use transfer::{Corners, transfer};
pub use whose::Whose;
