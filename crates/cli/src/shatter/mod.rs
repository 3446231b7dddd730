//! Shattering without a scene file: the load, the scene, and the search for the strength that gives
//! the wanted number of shards.

mod load;
mod material;
mod scene;
mod search;

pub use load::{Axis, GRAVITY, Hit, Load};
pub use material::ImpactMaterial;
pub use scene::{Detail, Model, ShatterScene};
pub use search::{Target, find};
