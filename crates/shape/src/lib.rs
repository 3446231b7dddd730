//! Geometry sources: built-in shapes, imported models, and sampling of points inside them.
//!
//! Shapes are centred at the origin, y up, in metres; the scene places them. A [`BuiltIn`] shape
//! has a signed distance field ([`Field`]), a tetrahedral mesh and a closed surface. [`repair`]
//! turns an imported [`TriangleSurface`] into a [`SurfaceDomain`]. Any [`Domain`] is meshed by
//! [`stuff`] and sampled by [`grid_points`] and [`poisson_points`].

mod catalogue;
mod domain;
mod error;
pub mod field;
mod import;
mod inertia;
mod meshing;
pub mod number_format;
mod repair;
pub mod resolution;
mod sample;
pub mod sheet;
mod structured;
mod stuffing;
mod surface;
mod tuning;
mod volume;

pub use catalogue::{
    Block, Bowl, BrickWall, BuiltIn, Cheese, Cylinder, Dome, Figure, Heart, Hole, HollowSphere, Letters, ModelFile,
    Mug, Notch, Plate, Rabbit, Shape, Sphere, Tetrahedra, Vase,
};
pub use domain::Domain;
pub use error::ShapeError;
pub use field::Field;
pub use import::{
    BrightnessMap, ExternalFiles, Format, Model, ModelPlacement, ModelVolume, SurfaceMaterial, TextureImage, Unit,
    UpAxis, parse_model, read_model,
};
pub use inertia::MassProperties;
pub use meshing::{Meshing, Pattern};
pub use repair::{FarPoint, Findings, Repaired, SurfaceDomain, Thickness, examine, repair};
pub use sample::{SampledPoints, grid_points, poisson_points, poisson_points_about};
pub use stuffing::{
    DihedralRange, FeatureReport, Stuffing, StuffingEstimate, StuffingOptions, StuffingReport, ThinReport, ThinWall,
    estimate, quick_estimate, stuff,
};
pub use surface::TriangleSurface;
pub use volume::volume_of;
