//! From a model to shards without a scene file: what is asked, the scene that answers it, and the strength that gives the wanted number.

mod blow;
mod matter;
mod search;
mod stage;

pub use blow::{Axis, Blow, GRAVITY, Hit};
pub use matter::Matter;
pub use search::{Wanted, find};
pub use stage::{Detail, Model, Stage};
