//! Where bodies come from: built-in shapes, imported models, and points inside of them.
//!
//! Shapes are centred at the origin, y up, in metres; the scene places them. A [`BuiltIn`] shape gives a signed
//! distance ([`Field`]), tetrahedra, a closed surface, or grid points; an imported [`TriangleSurface`] gives
//! grid points, and tetrahedra once it is meshed.

mod catalogue;
mod domain;
mod error;
pub mod field;
mod import;
mod inertia;
mod points;
mod random;
mod repair;
pub mod resolution;
mod sample;
pub mod sheet;
mod structured;
mod stuffing;
mod surface;
mod volume;

pub use catalogue::{
    Block, Bowl, BrickWall, BuiltIn, Cheese, Cylinder, Dome, Figure, Heart, Hole, HollowSphere, Letters, ModelFile,
    Mug, Notch, Plate, Rabbit, Shape, Sphere, Tetrahedra, Vase,
};
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
pub use stuffing::{DihedralRange, FeatureReport, Stuffing, StuffingOptions, StuffingReport, stuff};
pub use surface::TriangleSurface;
pub use volume::volume_of;
