//! Flat sheets.

use std::f64::consts::{PI, TAU};

use craze_math::Vec3;
use craze_mesh::{PlaneDomain, TriMesh, triangulate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{check_below, check_length};
use super::{BuiltInSheet, SheetError, SheetMesh};

/// A flat square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Square {
    /// Length of its sides.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: f64,
}

impl Default for Square {
    fn default() -> Self {
        Self { size: 0.3 }
    }
}

impl BuiltInSheet for Square {
    fn check(&self) -> Result<(), SheetError> {
        check_length("size", self.size)
    }

    fn area(&self) -> f64 {
        self.size * self.size
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.size, 0.0, self.size)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        flat_sheet(PlaneDomain { outline: rectangle(self.size, self.size), ..Default::default() }, edge)
    }
}

/// A flat rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Strip {
    /// Length along x.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub length: f64,
    /// Width along z.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub width: f64,
}

impl Default for Strip {
    fn default() -> Self {
        Self { length: 0.3, width: 0.06 }
    }
}

impl BuiltInSheet for Strip {
    fn check(&self) -> Result<(), SheetError> {
        check_length("length", self.length)?;
        check_length("width", self.width)
    }

    fn area(&self) -> f64 {
        self.length * self.width
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.length, 0.0, self.width)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        flat_sheet(PlaneDomain { outline: rectangle(self.length, self.width), ..Default::default() }, edge)
    }
}

/// A flat disc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Disc {
    /// Radius; vertices of the rim lie on it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
}

impl Default for Disc {
    fn default() -> Self {
        Self { radius: 0.15 }
    }
}

impl BuiltInSheet for Disc {
    fn check(&self) -> Result<(), SheetError> {
        check_length("radius", self.radius)
    }

    fn area(&self) -> f64 {
        PI * self.radius * self.radius
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, 0.0, 2.0 * self.radius)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        let outline = circle([0.0, 0.0], self.radius, edge, 6);
        flat_sheet(PlaneDomain { outline, ..Default::default() }, edge)
    }
}

/// A strip with a slit from the middle of its end at −x, for a trouser tear test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Trouser {
    /// Length along x.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub length: f64,
    /// Width along z; each leg has half of it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub width: f64,
    /// Length of the slit and of the legs.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub slit: f64,
}

impl Default for Trouser {
    fn default() -> Self {
        Self { length: 0.15, width: 0.06, slit: 0.05 }
    }
}

impl BuiltInSheet for Trouser {
    fn check(&self) -> Result<(), SheetError> {
        check_length("length", self.length)?;
        check_length("width", self.width)?;
        check_below("slit", self.slit, self.length, "the length of the strip")
    }

    fn area(&self) -> f64 {
        self.length * self.width
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.length, 0.0, self.width)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        flat_sheet(slit_rectangle(self.length, self.width, self.slit), edge)
    }
}

/// A square with a notch from the middle of its side at −x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotchedSquare {
    /// Length of its sides.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: f64,
    /// Depth of the notch.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub notch: f64,
    /// Width of the notch at its open end; 0 makes it a slit.
    #[schemars(extend("x-unit" = "m", "minimum" = 0))]
    pub mouth: f64,
}

impl Default for NotchedSquare {
    fn default() -> Self {
        Self { size: 0.2, notch: 0.05, mouth: 0.004 }
    }
}

impl BuiltInSheet for NotchedSquare {
    fn check(&self) -> Result<(), SheetError> {
        check_length("size", self.size)?;
        check_below("notch", self.notch, self.size, "the size of the square")?;
        if self.mouth == 0.0 { Ok(()) } else { check_below("mouth", self.mouth, self.size, "the size of the square") }
    }

    fn area(&self) -> f64 {
        self.size * self.size - 0.5 * self.notch * self.mouth
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.size, 0.0, self.size)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        if self.mouth == 0.0 {
            return flat_sheet(slit_rectangle(self.size, self.size, self.notch), edge);
        }
        let (half, half_mouth) = (0.5 * self.size, 0.5 * self.mouth);
        let mut outline = rectangle(self.size, self.size);
        outline.extend([[-half, half_mouth], [self.notch - half, 0.0], [-half, -half_mouth]]);
        flat_sheet(PlaneDomain { outline, ..Default::default() }, edge)
    }
}

/// A square with a grid of round holes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HoledSquare {
    /// Length of its sides.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: f64,
    /// Number of holes along x and z, evenly spaced.
    pub holes: [u32; 2],
    /// Radius of each hole; the vertices of its rim lie on it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub hole_radius: f64,
}

impl Default for HoledSquare {
    fn default() -> Self {
        Self { size: 0.3, holes: [2, 2], hole_radius: 0.04 }
    }
}

impl BuiltInSheet for HoledSquare {
    fn check(&self) -> Result<(), SheetError> {
        check_length("size", self.size)?;
        let most = self.holes[0].max(self.holes[1]);
        if !(1..=100).contains(&self.holes[0].min(self.holes[1])) || most > 100 {
            let value = f64::from(if most > 100 { most } else { 0 });
            return Err(SheetError::Misfit { field: "holes", value, allowed: "from 1 to 100 a direction".into() });
        }
        let room = 0.5 * self.size / f64::from(most);
        check_below("hole_radius", self.hole_radius, room, "half the distance of the holes")
    }

    fn area(&self) -> f64 {
        let count = f64::from(self.holes[0]) * f64::from(self.holes[1]);
        self.size * self.size - count * PI * self.hole_radius * self.hole_radius
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.size, 0.0, self.size)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        let coordinate = |number: u32, count: u32| self.size * ((f64::from(number) + 0.5) / f64::from(count) - 0.5);
        let mut holes = Vec::new();
        for row in 0..self.holes[1] {
            for column in 0..self.holes[0] {
                let centre = [coordinate(column, self.holes[0]), coordinate(row, self.holes[1])];
                holes.push(circle(centre, self.hole_radius, edge, 12));
            }
        }
        flat_sheet(PlaneDomain { outline: rectangle(self.size, self.size), holes, ..Default::default() }, edge)
    }
}

fn rectangle(length: f64, width: f64) -> Vec<[f64; 2]> {
    let (x, y) = (0.5 * length, 0.5 * width);
    vec![[-x, -y], [x, -y], [x, y], [-x, y]]
}

fn slit_rectangle(length: f64, width: f64, slit: f64) -> PlaneDomain {
    let start = [-0.5 * length, 0.0];
    let mut outline = rectangle(length, width);
    outline.push(start);
    PlaneDomain { outline, slits: vec![vec![start, [slit - 0.5 * length, 0.0]]], ..Default::default() }
}

/// At least `least` points on a circle, about `edge` apart.
fn circle(centre: [f64; 2], radius: f64, edge: f64, least: usize) -> Vec<[f64; 2]> {
    let count = ((TAU * radius / edge).round() as usize).max(least);
    (0..count)
        .map(|k| {
            let (sine, cosine) = (TAU * k as f64 / count as f64).sin_cos();
            [centre[0] + radius * cosine, centre[1] + radius * sine]
        })
        .collect()
}

/// Triangulates the domain and places it in y = 0, face up, with its second axis along −z.
fn flat_sheet(domain: PlaneDomain, edge: f64) -> Result<SheetMesh, SheetError> {
    let made = triangulate(&domain, edge)?;
    let positions = made.mesh.positions();
    let corner = |vertex: u32| [positions[vertex as usize].x, positions[vertex as usize].y];
    let coordinates = made.mesh.elements().iter().map(|corners| corners.map(corner)).collect();
    let laid = positions.iter().map(|at| Vec3::new(at.x, 0.0, -at.y)).collect();
    let mesh = TriMesh::from_parts(laid, made.mesh.elements().to_vec())?;
    let materials = vec![0; mesh.element_count()];
    Ok(SheetMesh::new(mesh, coordinates, materials, made.lines))
}
