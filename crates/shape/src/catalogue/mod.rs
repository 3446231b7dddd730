//! The built-in shapes: one struct per shape with its scene parameters.
//!
//! Defaults have the size of the real object. The bounding box is centred at the origin, y up.

mod bowl;
mod brick_wall;
mod built_in;
mod cheese;
mod figure;
mod glyphs;
mod heart;
mod hollow;
mod letters;
mod model_file;
mod mug;
mod plate;
mod rabbit;
mod simple;
#[cfg(test)]
mod tests;
mod vase;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ShapeError;
pub use bowl::Bowl;
pub use brick_wall::BrickWall;
pub use built_in::{BuiltIn, Tetrahedra};
pub use cheese::Cheese;
pub use figure::Figure;
pub use heart::Heart;
pub use hollow::{Dome, HollowSphere};
pub use letters::Letters;
pub use model_file::ModelFile;
pub use mug::Mug;
pub use plate::{Hole, Notch, Plate};
pub use rabbit::Rabbit;
pub use simple::{Block, Cylinder, Sphere};
pub use vase::Vase;

/// Shape of a body or obstacle: built-in, or a model from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box centred at the origin.
    Box(Block),
    /// A ball centred at the origin.
    Sphere(Sphere),
    /// A cylinder along y, centred at the origin.
    Cylinder(Cylinder),
    /// A hollow sphere.
    HollowSphere(HollowSphere),
    /// A round bowl on a low foot.
    Bowl(Bowl),
    /// A mug with a handle to the +x side.
    Mug(Mug),
    /// A vase: foot, belly, neck and lip.
    Vase(Vase),
    /// A dome on its flat rim.
    Dome(Dome),
    /// A flat plate in the x–y plane with round holes, a notch, or both.
    Plate(Plate),
    /// A heart that stands on its tip.
    Heart(Heart),
    /// A slice of cheese with holes, its tip toward −z.
    Cheese(Cheese),
    /// A standing figure with its arms out, facing +z.
    Figure(Figure),
    /// A sitting rabbit with its ears up, facing +z.
    Rabbit(Rabbit),
    /// A brick wall in running bond, its joints of `materials.mortar`.
    BrickWall(BrickWall),
    /// Letters in the x–y plane, each a separate piece.
    Letters(Letters),
    /// A model file, its bounding box centred at the origin.
    Mesh(ModelFile),
}

impl Shape {
    /// Every built-in shape at its default size.
    pub fn all() -> Vec<Self> {
        vec![
            Self::Box(Block::default()),
            Self::Sphere(Sphere::default()),
            Self::Cylinder(Cylinder::default()),
            Self::HollowSphere(HollowSphere::default()),
            Self::Bowl(Bowl::default()),
            Self::Mug(Mug::default()),
            Self::Vase(Vase::default()),
            Self::Dome(Dome::default()),
            Self::Plate(Plate::default()),
            Self::Heart(Heart::default()),
            Self::Cheese(Cheese::default()),
            Self::Figure(Figure::default()),
            Self::Rabbit(Rabbit::default()),
            Self::BrickWall(BrickWall::default()),
            Self::Letters(Letters::default()),
        ]
    }

    /// Its scene key.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Cylinder(_) => "cylinder",
            Self::Sphere(_) => "sphere",
            Self::HollowSphere(_) => "hollow_sphere",
            Self::Bowl(_) => "bowl",
            Self::Mug(_) => "mug",
            Self::Vase(_) => "vase",
            Self::Dome(_) => "dome",
            Self::Plate(_) => "plate",
            Self::Heart(_) => "heart",
            Self::Cheese(_) => "cheese",
            Self::Figure(_) => "figure",
            Self::Rabbit(_) => "rabbit",
            Self::BrickWall(_) => "brick_wall",
            Self::Letters(_) => "letters",
            Self::Mesh(_) => "mesh",
        }
    }

    /// The built-in shape, or the model file, which must be read first.
    pub fn built_in(&self) -> Result<&dyn BuiltIn, &ModelFile> {
        Ok(match self {
            Self::Box(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Sphere(shape) => shape,
            Self::HollowSphere(shape) => shape,
            Self::Bowl(shape) => shape,
            Self::Mug(shape) => shape,
            Self::Vase(shape) => shape,
            Self::Dome(shape) => shape,
            Self::Plate(shape) => shape,
            Self::Heart(shape) => shape,
            Self::Cheese(shape) => shape,
            Self::Figure(shape) => shape,
            Self::Rabbit(shape) => shape,
            Self::BrickWall(shape) => shape,
            Self::Letters(shape) => shape,
            Self::Mesh(model) => return Err(model),
        })
    }

    /// Rejects invalid or incompatible parameters; the error names one.
    pub fn check(&self) -> Result<(), ShapeError> {
        match self.built_in() {
            Ok(shape) => shape.check(),
            Err(model) => model.check(),
        }
    }
}
