//! What matter is made of: one set of types for all five fracture methods, with named presets.
//!
//! A [`Material`] holds numbers in SI units; each method reads the part it understands. Every number that a
//! person can set has one name, unit and allowed range, kept in [`Quantity`]; presets, checks, overrides and
//! the printed table all follow from that list.

mod check;
mod cluster;
pub mod color;
mod damping;
mod elasticity;
mod look;
mod material;
pub mod nearest;
mod overrides;
mod plasticity;
pub mod presets;
mod quantity;
mod strength;
mod table;
mod usage;

pub use check::MaterialError;
pub use cluster::Cluster;
pub use damping::Damping;
pub use elasticity::{Elasticity, VoigtMatrix};
pub use look::Look;
pub use material::Material;
pub use nearest::nearest;
pub use overrides::Overrides;
pub use plasticity::Plasticity;
pub use presets::preset;
pub use quantity::Quantity;
pub use strength::{CrackResistance, Strength, plane_strain_modulus};
pub use table::{Row, markdown, rows, table};
pub use usage::{Key, MaterialUse};
