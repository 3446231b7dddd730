//! Sheets: surfaces of triangles with a rim, to bend and to tear.
//!
//! A built-in [`Sheet`] gives a [`SheetMesh`] of any edge length; [`sheet_from_model`] and [`sheet_from_surface`] make
//! one of the user's own surface. Built-in sheets have the middle of their box in the origin, y up; flat ones lie in the plane y = 0, face up, with
//! their first direction along x and their second along −z.

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

/// A sheet as triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetMesh {
    /// The triangles at rest (m), oriented; the two lips of a slit are apart although they lie in the same place.
    pub mesh: TriMesh,
    /// Where each triangle's corners lie in the flat material (m). They are given by corner, so that a closed surface can
    /// be cut open there: neighbours that lie next to each other in the material agree at their edge. Flat and
    /// developable sheets keep every length; see each sheet for the others.
    pub material_coordinates: Vec<[[f64; 2]; 3]>,
    /// Number of each triangle's material.
    pub materials: Vec<u32>,
    /// Edges on lines that remeshing has to keep, other than the rim: folds, seams, borders of materials. Lower vertex
    /// first, ascending.
    pub feature_edges: Vec<[VertexId; 2]>,
    /// The rim: closed loops, each with the sheet on its left, from their lowest vertices on.
    pub boundary: Vec<Vec<VertexId>>,
}

impl SheetMesh {
    /// Triangles with what lies on them; feature edges may come in any order and more than once.
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

/// A built-in sheet: which, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sheet {
    /// A flat square.
    Square(Square),
    /// A flat rectangle.
    Strip(Strip),
    /// A flat disc.
    Disc(Disc),
    /// A strip with a slit that makes two legs, to be torn by pulling them apart.
    Trouser(Trouser),
    /// A square with a slit or a narrow V from one side.
    NotchedSquare(NotchedSquare),
    /// A square with round holes.
    HoledSquare(HoledSquare),
    /// A tube, open at both ends.
    Cylinder(Cylinder),
    /// A hollow ball.
    Sphere(Sphere),
    /// A part of a sphere, open below.
    Dome(Dome),
    /// A box of bars with panes between them.
    BoxFrame(BoxFrame),
}

impl Sheet {
    /// Every built-in sheet with its default sizes.
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

    /// Its name in scenes.
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

    /// Refuses sizes that are no sizes or do not fit together; the error names one.
    pub fn check(&self) -> Result<(), SheetError> {
        self.built_in().check()
    }

    /// Area of the ideal sheet (m²).
    pub fn area(&self) -> f64 {
        self.built_in().area()
    }

    /// Lengths of the smallest box around it (m).
    pub fn size(&self) -> Vec3 {
        self.built_in().size()
    }

    /// Names of its materials; the first is number 0 in [`SheetMesh::materials`].
    pub fn materials(&self) -> &'static [&'static str] {
        self.built_in().materials()
    }

    /// Edge length (m) for about 4,000 triangles, with two digits.
    pub fn default_edge(&self) -> f64 {
        default_edge(self.area())
    }

    /// Triangles with edges of about `edge` (m).
    pub fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        self.check()?;
        error::check_length("edge", edge)?;
        let count = triangle_count(self.area(), edge);
        if !(count <= error::MOST_TRIANGLES) {
            return Err(SheetError::TooFine { edge, count, limit: error::MOST_TRIANGLES });
        }
        self.built_in().mesh(edge)
    }
}

/// Edge length (m) for about 4,000 triangles on an area (m²), with two digits.
pub fn default_edge(area: f64) -> f64 {
    let edge = (area / 4000.0 * 4.0 / 3f64.sqrt()).sqrt();
    format!("{edge:.1e}").parse().unwrap_or(edge)
}

/// How many triangles with edges of a length (m) cover an area (m²), all equilateral.
pub fn triangle_count(area: f64, edge: f64) -> f64 {
    area / (0.25 * 3f64.sqrt() * edge * edge)
}

/// What every built-in sheet offers; sizes have been checked before a mesh is asked for.
trait BuiltInSheet {
    fn check(&self) -> Result<(), SheetError>;
    fn area(&self) -> f64;
    fn size(&self) -> Vec3;
    fn materials(&self) -> &'static [&'static str] {
        &["sheet"]
    }
    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError>;
}
