//! Models from files.

mod obj;
mod polygon;

pub use obj::{ImportedModel, parse_obj, read_obj};

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::surface::TriangleSurface;

/// What a file holds, in the file's own unit and axes until it is placed by [`Reading`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Its triangles; of a file of tetrahedra those of their boundary, outward.
    pub surface: TriangleSurface,
    /// Texture coordinates (1) of every triangle's corners; empty where the file has none.
    pub texture_coordinates: Vec<[[f32; 2]; 3]>,
    /// Unit normals of every triangle's corners; empty where the file has none.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Materials of the surface by name and look; what matter a body is made of is the scene's business.
    pub materials: Vec<SurfaceMaterial>,
    /// Number of every triangle's material; empty where the file has none.
    pub material_of_triangle: Vec<u32>,
    /// Nodes (m) and tetrahedra, if the file has any.
    pub volume: Option<ModelVolume>,
    /// What was left out or put right while reading, each a sentence.
    pub remarks: Vec<String>,
}

/// Tetrahedra of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelVolume {
    /// Where the nodes are.
    pub nodes: Vec<Vec3>,
    /// Four nodes each, turned so that every volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The file's number of the region (physical group, reference, cell attribute) of every tetrahedron; empty where the
    /// file has none.
    pub regions: Vec<i32>,
}

/// How a part of a surface looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMaterial {
    /// Its name in the file.
    pub name: String,
    /// Base colour, linear red, green, blue and opacity (1).
    pub colour: Option<[f32; 4]>,
    /// Path or name of its colour texture as it stands in the file.
    pub texture: Option<String>,
}

/// How a model's coordinates become metres with y up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// Largest extent to scale the model to; as in the file if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: Option<f64>,
    /// Unit of the model's coordinates.
    pub unit: Unit,
    /// Which axis of the model points up.
    pub up: UpAxis,
}

/// Unit of a model's coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Metre.
    #[default]
    #[serde(rename = "m")]
    Metre,
    /// Centimetre.
    #[serde(rename = "cm")]
    Centimetre,
    /// Millimetre.
    #[serde(rename = "mm")]
    Millimetre,
    /// Inch.
    #[serde(rename = "in")]
    Inch,
    /// Foot.
    #[serde(rename = "ft")]
    Foot,
}

impl Unit {
    /// Length of the unit (m).
    pub fn in_metres(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Inch => 0.0254,
            Unit::Foot => 0.3048,
        }
    }
}

/// The axis of a model that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// As in Craze.
    #[default]
    Y,
    /// As in Blender and most CAD programs.
    Z,
}
