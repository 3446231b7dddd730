//! Where bodies come from: built-in shapes, imported models, and points inside of them.
//!
//! Shapes are centred at the origin, y up, in metres; the scene places them. A [`Shape`] gives tetrahedra, a closed surface,
//! or grid points; an imported [`TriangleSurface`] gives grid points, and tetrahedra once it is meshed.

mod ball;
mod cylinder;
mod domain;
mod error;
pub mod field;
mod icosphere;
mod import;
mod inertia;
mod points;
mod repair;
mod sample;
mod shape;
pub mod sheet;
mod stuffing;
mod surface;
mod volume;

pub use domain::Domain;
pub use error::ShapeError;
pub use field::Field;
pub use import::{
    Format, Model, ModelVolume, Reading, SideFiles, SurfaceMaterial, Unit, UpAxis, parse_model, read_model,
};
pub use inertia::MassSpread;
pub use points::SampledPoints;
pub use repair::{Findings, Repaired, SurfaceDomain, Thickness, examine, repair};
pub use sample::{poisson_points, poisson_points_about};
pub use shape::Shape;
pub use stuffing::{DihedralRange, Stuffing, StuffingOptions, StuffingReport, stuff};
pub use surface::TriangleSurface;
pub use volume::volume_of;
