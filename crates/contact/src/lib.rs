//! What touches, and what follows from it.
//!
//! In the order data flows:
//!
//! 1. A body shows its [`ContactSurface`] (points with state and prediction) and its [`ContactTriangles`] (how they hang together; none
//!    for a body of particles). Obstacles are signed-distance [`Shape`]s at a pose. [`Lips`] of cracks are told apart by which points were one.
//!    Bodies that a scene places face to face are [set back](set_back) first, so that every distance starts positive.
//! 2. A [`SurfaceTree`] finds the [`Candidates`]: pairs of features that could meet before they have moved by a margin.
//! 3. [`meeting`] follows candidates along their way through the step, [`detect`] points against shapes. [`narrow`] serves both with
//!    distances and the times at which moving primitives first meet.
//! 4. [`respond`] finds the impulses that keep all of them apart, with friction and restitution. A side of a contact is a weighted sum of
//!    points or a place on a rigid shape, and impulses go back by the same weights.
//!
//! [`zones`] is the fail-safe where impulses find no way out: what collides moves as one.
//!
//! [`penalty`] is the other way to push: forces in proportion to the depth of nodes, or to the volume that tetrahedra share
//! ([`overlap`]), found in a [`VolumeTree`] of the [`ContactTetrahedra`]; [`OwnOverlaps`] keeps the pieces of one body apart that way. [`proxy`] is what a cluster of particles is to contact: a ball cut by
//! planes. [`tangle`] says, exactly, whether
//! surfaces pass through each other.

mod broad;
mod candidates;
pub mod detect;
mod features;
mod flush;
pub mod joint;
mod lips;
pub mod meeting;
pub mod narrow;
pub mod overlap;
mod own;
pub mod penalty;
pub mod proxy;
pub mod respond;
mod shape;
mod surface;
pub mod tangle;
#[cfg(test)]
mod testing;
mod volume;
pub mod zones;

pub use broad::{Motion, SurfaceTree};
pub use candidates::{Candidate, Candidates};
pub use features::Features;
pub use flush::{PlacedSurface, set_back};
pub use lips::{LIP_DEPTH, Lips};
pub use own::OwnOverlaps;
pub use shape::{MeshShape, Sample, Shape};
pub use surface::{
    ContactRun, ContactStiffness, ContactSurface, ContactTetrahedra, ContactTriangles, Impulse, SurfacePoint,
};
pub use volume::VolumeTree;
