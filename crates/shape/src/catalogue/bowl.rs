//! A bowl on a foot.

use std::f64::consts::PI;

use craze_math::Vec3;
use craze_mesh::TetMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_count, check_length, check_that};
use crate::field::{Field, Path, Profile};
use crate::structured::cap::CapShell;

/// A round bowl with a rounded rim on a low foot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bowl {
    /// Outer radius of the rim.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Total height; 0.8 of the radius if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: Option<f64>,
    /// Wall thickness.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub wall: f64,
    /// Height of the foot (radius 0.45 of the bowl's), 0 for none; the wall thickness if left out.
    #[schemars(extend("x-unit" = "m", "minimum" = 0))]
    pub foot: Option<f64>,
}

impl Default for Bowl {
    fn default() -> Self {
        Self { radius: 0.08, height: None, wall: 0.006, foot: None }
    }
}

/// The centre line of the wall: an arc in the x–y plane from the axis to the rim.
struct CentreLine {
    /// Radius of the arc (m).
    radius: f64,
    /// Height of its centre above the origin (m).
    centre: f64,
    /// Angle of the arc from straight down (rad).
    angle: f64,
}

impl Bowl {
    fn height(&self) -> f64 {
        self.height.unwrap_or(0.8 * self.radius)
    }

    fn foot(&self) -> f64 {
        self.foot.unwrap_or(self.wall)
    }

    fn foot_radius(&self) -> f64 {
        0.45 * self.radius
    }

    fn centre_line(&self) -> CentreLine {
        let half = 0.5 * self.wall;
        let (out, up) = (self.radius - half, self.height() - self.foot() - self.wall);
        let radius = (out * out + up * up) / (2.0 * up);
        let bottom = self.foot() + half - 0.5 * self.height();
        CentreLine { radius, centre: bottom + radius, angle: (out / radius).min(1.0).asin() }
    }
}

impl BuiltIn for Bowl {
    fn check(&self) -> Result<(), ShapeError> {
        for (field, length) in [("radius", self.radius), ("wall", self.wall), ("height", self.height())] {
            check_length(field, length)?;
        }
        let foot = self.foot();
        check_that("foot", foot, foot >= 0.0 && foot.is_finite(), || "0 or more".to_owned())?;
        check_that("wall", self.wall, self.wall < 0.5 * self.radius, || {
            format!("below half of radius = {} m", self.radius)
        })?;
        let (least, most) = (foot + 2.0 * self.wall, self.radius + 0.5 * self.wall + foot);
        let height = self.height();
        check_that("height", height, height > least && height <= most, || {
            format!("above {least} m (the foot and twice the wall) and at most {most} m (half a sphere on the foot)")
        })
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, self.height(), 2.0 * self.radius)
    }

    fn field(&self) -> Field {
        let line = self.centre_line();
        let degrees = line.angle.to_degrees();
        let path = Path::new().arc([0.0, line.centre], line.radius, [-90.0, degrees - 90.0]);
        let wall = Field::revolution(Profile::stroke(path, self.wall));
        if self.foot() == 0.0 {
            return wall;
        }
        // The foot is a disc up to the middle of the wall, minus the hollow.
        let bottom = -0.5 * self.height();
        let rise = line.radius - (line.radius.powi(2) - self.foot_radius().powi(2)).max(0.0).sqrt();
        let top = line.centre - line.radius + rise;
        let disc =
            Field::cylinder(self.foot_radius(), top - bottom).translated(Vec3::new(0.0, 0.5 * (top + bottom), 0.0));
        let hollow = Field::sphere(line.radius).translated(Vec3::new(0.0, line.centre, 0.0));
        Field::union(vec![wall, disc.without(hollow)])
    }

    fn thinnest_wall(&self) -> f64 {
        self.wall
    }

    /// Without a foot, thin walls have a structured mesh of rings.
    fn structured_mesh(&self, edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        if self.foot() > 0.0 {
            return None;
        }
        let line = self.centre_line();
        let shell = CapShell { radius: line.radius, wall: self.wall, angle: line.angle };
        let layers = shell.layers(edge)?;
        let count = check_count("edge", edge, "tetrahedra", shell.count(edge, layers));
        Some(count.and_then(|()| {
            let mesh = shell.tetrahedra(edge, layers as usize, self.volume())?;
            let up = Vec3::new(0.0, line.centre, 0.0);
            let positions = mesh.positions().iter().map(|point| point + up).collect();
            Ok(TetMesh::from_parts(positions, mesh.elements().to_vec())?)
        }))
    }

    fn exact_volume(&self) -> Option<f64> {
        let line = self.centre_line();
        let half = 0.5 * self.wall;
        let (outer, inner) = (line.radius + half, line.radius - half);
        let shell = 2.0 / 3.0 * PI * (1.0 - line.angle.cos()) * (outer.powi(3) - inner.powi(3));
        // Revolved half disc (Pappus): its centroid is 4 r / (3 π) from the straight side.
        let centroid = line.radius * line.angle.sin() + 4.0 * half / (3.0 * PI) * line.angle.cos();
        let rim = 2.0 * PI * centroid * (0.5 * PI * half * half);
        let foot = if self.foot() == 0.0 {
            0.0
        } else {
            // The space between the ground and the outer sphere, integrated by rings.
            let radius = self.foot_radius();
            let under = outer.powi(3) - (outer * outer - radius * radius).max(0.0).powf(1.5);
            PI * radius * radius * (line.centre + 0.5 * self.height()) - 2.0 / 3.0 * PI * under
        };
        Some(shell + rim + foot)
    }
}
