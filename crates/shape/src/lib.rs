//! Where bodies come from: built-in shapes, imported models, and points inside of them.
//!
//! Shapes are centred at the origin, y up, in metres; the scene places them. A [`Shape`] gives tetrahedra, a closed surface,
//! or grid points; an imported [`TriangleSurface`] gives grid points, and tetrahedra once it is meshed.

mod ball;
mod cylinder;
mod error;
mod icosphere;
mod inertia;
mod obj;
mod points;
mod polygon;
mod shape;
mod surface;

pub use error::ShapeError;
pub use inertia::MassSpread;
pub use obj::{ImportedModel, parse_obj, read_obj};
pub use points::SampledPoints;
pub use shape::Shape;
pub use surface::TriangleSurface;
