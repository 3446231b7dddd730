//! Sheets: triangle surfaces with a boundary, for methods that bend and tear them.
//!
//! A built-in [`Sheet`] is meshed with any edge length into a [`SheetMesh`]; [`sheet_from_model`]
//! and [`sheet_from_surface`] make one of an imported surface. Built-in sheets have the centre of
//! their bounding box at the origin, y up. Flat ones lie in the plane y = 0, face up, with their
//! first direction along x and their second along −z.

mod curved;
mod error;
mod flat;
mod frame;
mod import;
mod lines;
mod manifold;
mod remesh;
mod rim;

use craze_math::Vec3;
use craze_mesh::{TriMesh, VertexId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use curved::{Cylinder, Dome, Sphere};
pub use error::SheetError;
pub use flat::{Disc, HoledSquare, NotchedSquare, Square, Strip, Trouser};
pub use frame::BoxFrame;
pub use import::{SheetOptions, SheetReport, sheet_from_model, sheet_from_surface};
use rim::rim_loops;

/// A triangulated sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetMesh {
    /// The rest shape (m), oriented; the two sides of a slit have separate vertices at equal
    /// positions.
    pub mesh: TriMesh,
    /// Positions of each triangle's corners in the flat material (m), by corner, so that closed
    /// surfaces can be cut open; neighbours in the material agree at their edge. Flat and
    /// developable sheets keep every length.
    pub material_coordinates: Vec<[[f64; 2]; 3]>,
    /// Material index of each triangle.
    pub materials: Vec<u32>,
    /// Edges on feature lines other than the rim, lower vertex first, ascending.
    pub feature_edges: Vec<[VertexId; 2]>,
    /// The rim as closed loops with the sheet on the left, from their lowest vertices.
    pub boundary: Vec<Vec<VertexId>>,
}

impl SheetMesh {
    /// A sheet mesh; feature edges may be unsorted and repeated.
    fn new(
        mesh: TriMesh,
        material_coordinates: Vec<[[f64; 2]; 3]>,
        materials: Vec<u32>,
        mut feature_edges: Vec<[VertexId; 2]>,
    ) -> Self {
        feature_edges.iter_mut().for_each(|ends| ends.sort_unstable());
        feature_edges.sort_unstable();
        feature_edges.dedup();
        let boundary = rim_loops(&mesh);
        Self { mesh, material_coordinates, materials, feature_edges, boundary }
    }
}

/// A built-in sheet with its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sheet {
    /// A flat square.
    Square(Square),
    /// A flat rectangle.
    Strip(Strip),
    /// A flat disc.
    Disc(Disc),
    /// A strip with a slit that makes two legs, for a trouser tear test.
    Trouser(Trouser),
    /// A square with a slit or a narrow V-shaped notch in one side.
    NotchedSquare(NotchedSquare),
    /// A square with round holes.
    HoledSquare(HoledSquare),
    /// A tube, open at both ends.
    Cylinder(Cylinder),
    /// A hollow sphere.
    Sphere(Sphere),
    /// A spherical cap, open below.
    Dome(Dome),
    /// A box of bars with panes between them.
    BoxFrame(BoxFrame),
}

impl Sheet {
    /// Every built-in sheet with default dimensions.
    pub fn all() -> [Self; 10] {
        [
            Self::Square(Square::default()),
            Self::Strip(Strip::default()),
            Self::Disc(Disc::default()),
            Self::Trouser(Trouser::default()),
            Self::NotchedSquare(NotchedSquare::default()),
            Self::HoledSquare(HoledSquare::default()),
            Self::Cylinder(Cylinder::default()),
            Self::Sphere(Sphere::default()),
            Self::Dome(Dome::default()),
            Self::BoxFrame(BoxFrame::default()),
        ]
    }

    /// The name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Square(_) => "square",
            Self::Strip(_) => "strip",
            Self::Disc(_) => "disc",
            Self::Trouser(_) => "trouser",
            Self::NotchedSquare(_) => "notched_square",
            Self::HoledSquare(_) => "holed_square",
            Self::Cylinder(_) => "cylinder",
            Self::Sphere(_) => "sphere",
            Self::Dome(_) => "dome",
            Self::BoxFrame(_) => "box_frame",
        }
    }

    fn built_in(&self) -> &dyn BuiltInSheet {
        match self {
            Self::Square(sheet) => sheet,
            Self::Strip(sheet) => sheet,
            Self::Disc(sheet) => sheet,
            Self::Trouser(sheet) => sheet,
            Self::NotchedSquare(sheet) => sheet,
            Self::HoledSquare(sheet) => sheet,
            Self::Cylinder(sheet) => sheet,
            Self::Sphere(sheet) => sheet,
            Self::Dome(sheet) => sheet,
            Self::BoxFrame(sheet) => sheet,
        }
    }

    /// Fails if a dimension is invalid or does not fit the others.
    pub fn check(&self) -> Result<(), SheetError> {
        self.built_in().check()
    }

    /// Area of the ideal sheet (m²).
    pub fn area(&self) -> f64 {
        self.built_in().area()
    }

    /// Size of the bounding box (m).
    pub fn size(&self) -> Vec3 {
        self.built_in().size()
    }

    /// Names of the materials; the first has index 0 in [`SheetMesh::materials`].
    pub fn materials(&self) -> &'static [&'static str] {
        self.built_in().materials()
    }

    /// Edge length (m) for about 4,000 triangles, to two digits.
    pub fn default_edge(&self) -> f64 {
        default_edge(self.area())
    }

    /// Triangulates the sheet with edges of about `edge` (m).
    pub fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        self.check()?;
        error::check_length("edge", edge)?;
        let count = triangle_count(self.area(), edge);
        if !(count <= error::MAX_TRIANGLES) {
            return Err(SheetError::TooFine { edge, count, limit: error::MAX_TRIANGLES });
        }
        self.built_in().mesh(edge)
    }
}

/// Edge length (m) for about 4,000 triangles on an area (m²), to two digits.
pub fn default_edge(area: f64) -> f64 {
    let edge = (area / 4000.0 * 4.0 / 3f64.sqrt()).sqrt();
    format!("{edge:.1e}").parse().unwrap_or(edge)
}

/// Number of equilateral triangles with this edge length (m) that cover an area (m²).
pub fn triangle_count(area: f64, edge: f64) -> f64 {
    area / (0.25 * 3f64.sqrt() * edge * edge)
}

/// Interface of a built-in sheet; sizes are checked before `mesh`.
trait BuiltInSheet {
    fn check(&self) -> Result<(), SheetError>;
    fn area(&self) -> f64;
    fn size(&self) -> Vec3;
    fn materials(&self) -> &'static [&'static str] {
        &["sheet"]
    }
    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError>;
}
