//! Material parameters of all methods, with named presets.
//!
//! A [`Material`] holds numbers in SI units; each method reads those it uses. [`Quantity`] lists
//! every scalar with name, unit and allowed range; presets, checks, overrides and tables are based
//! on that list.

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
pub use elasticity::{Elasticity, VoigtMatrix, isotropic_matrix};
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
