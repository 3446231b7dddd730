//! What touches, and what follows from it.
//!
//! In the order data flows: a body shows its [`ContactSurface`], obstacles are signed-distance [`Shape`]s at a pose;
//! [`detect`] finds the points that would end a step inside a shape, [`respond`] finds the impulses that keep them out, with friction.
//! [`narrow`] looks at pairs of moving primitives: distances, and the time at which they first meet.

mod broad;
pub mod detect;
pub mod meeting;
pub mod narrow;
pub mod respond;
mod shape;
mod surface;

pub use broad::{Candidate, Candidates, Features, Motion, SurfaceTree};
pub use shape::{MeshShape, Sample, Shape};
pub use surface::{ContactStiffness, ContactSurface, ContactTriangles, Impulse, SurfacePoint};
