//! Collision geometry: what a body hands over to contact.

mod crack_faces;
mod features;
mod proxy;
mod surface;
mod view;

pub use crack_faces::CrackFaces;
pub(crate) use crack_faces::{CrackFacePair, SecondPart};
pub use features::Features;
pub use proxy::{Fit, Proxy, ProxyTouch};
pub use surface::{
    ContactRun, ContactSurface, ContactTetrahedra, ContactTriangles, PointStencils, SurfaceDof, SurfacePoint,
};
pub use view::{CollisionGeometry, ContactNodes, ContactPoints, ContactRuns};
