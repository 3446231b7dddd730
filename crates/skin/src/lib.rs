//! Cuts closed surfaces along the cracks of a simulation.
//!
//! A simulation splits tetrahedra; users want fragments of their own surface. The rest space of a
//! broken body is divided among its fragments:
//!
//! 1. [`FragmentLocator`] locates the fragment that contains a rest-space point.
//! 2. [`Cracks::extract`] meshes the interfaces between fragments on a BCC lattice. Both sides
//!    share the same faces, which end outside the surface.
//! 3. [`Cracks::add_detail`] smooths and roughens them.
//! 4. [`cut`] intersects the surface and the cracks with exact predicates. Both share the
//!    intersection points, so every fragment is closed.
//!
//! [`Contacts`] lists which pieces touch, with their common area.
//!
//! Every failure is an error, never a hole; the caller then falls back to the faces of the
//! tetrahedra.

mod bcc_lattice;
mod contacts;
mod crack_detail;
mod crack_extraction;
mod crack_faces;
mod cracks;
mod crossing;
mod cut;
mod embedded_split;
mod embedded_surface;
mod error;
mod fragment_locator;
mod noise;
mod separate_touching;
mod solids;
mod split;
mod transfer;
mod triangulate;
mod tuning;
mod weld;
pub use bcc_lattice::bcc_tetrahedra;
pub use contacts::Contacts;
pub use crack_detail::CrackDetail;
pub use cracks::Cracks;
pub use cut::{CutShard, Shards, SurfacePart, cut};
pub use embedded_surface::EmbeddedSurface;
pub use error::SkinError;
pub use fragment_locator::FragmentLocator;
pub use separate_touching::separate_touching;
pub use solids::solids;
pub use split::{BackgroundMesh, SplitPoint, SplitSurface, VertexMotion};
pub use transfer::{CornerAttributes, transfer_attributes};
