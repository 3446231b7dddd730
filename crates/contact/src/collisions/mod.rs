//! Collisions: pairs that come too close in a step.
//!
//! [`features`] follows candidates of two surfaces through the step, [`obstacle`] points against signed distances, [`overlap`] finds the
//! volumes that two bodies of tetrahedra share. [`initial`] moves faces that are placed flush on each other apart before a run.

pub mod features;
pub mod initial;
pub mod obstacle;
pub mod overlap;
