//! Contact detection and response, in stages.
//!
//! 1. [`geometry`]: a body shows its [`CollisionGeometry`]: points with state and prediction,
//!    triangles, tetrahedra, whatever it has. [`CrackFaces`] tells which points
//!    and triangles a crack has made of one. [`obstacles`] are rigid shapes with signed distances.
//! 2. [`broad_phase`]: a [`SurfaceTree`] or [`VolumeTree`] finds primitives whose bounding boxes
//!    overlap.
//! 3. [`Candidates`]: pairs of features that could meet before they have moved by a margin.
//! 4. [`distance`] and [`ccd`]: the distance of two primitives, and the first time at which two
//!    moving ones meet.
//! 5. [`collisions`]: pairs that come too close in a step, each with a normal, the gaps at its
//!    start and end, and the weighted degrees of freedom on both sides.
//! 6. [`solvers`]: impulses, springs and forces in implicit bodies, penalty forces, and impact zones as
//!    the fail-safe. What a solver adds to a collision stands beside it, never in a copy of its
//!    fields. [`friction`] has Coulomb's law.
//! 7. [`responses`]: what a body receives, an [`Impulse`] on its prediction or a [`ContactSpring`] in
//!    its equations.
//! 8. [`intersection`]: an exact test for surfaces that pass through each other.
//!
//! [`tolerances`] has the tolerances of all stages.

pub mod broad_phase;
mod candidates;
pub mod ccd;
pub mod collisions;
pub mod distance;
pub mod friction;
pub mod geometry;
pub mod intersection;
pub mod obstacles;
pub mod responses;
pub mod solvers;
#[cfg(test)]
mod testing;
pub mod tolerances;

pub use broad_phase::{Motion, SurfaceTree, VolumeTree};
pub use candidates::{Candidate, Candidates};
pub use collisions::initial::{PlacedSurface, separate_flush_faces};
pub use collisions::{Collision, Stencil};
pub use friction::ContactMaterial;
pub use geometry::{
    CollisionGeometry, ContactNodes, ContactPoints, ContactRun, ContactRuns, ContactSurface, ContactTetrahedra,
    ContactTriangles, CrackFaces, Features, Fit, PointStencils, Proxy, ProxyTouch, SurfaceDof, SurfacePoint,
};
pub use obstacles::{MeshShape, RigidShape};
pub use responses::{ContactSpring, Impulse};
pub use solvers::self_overlap::SelfOverlaps;
