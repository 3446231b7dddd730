//! A mug with a handle.

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Path, Profile};

/// A mug with a flat bottom, a rounded rim and a handle to the +x side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mug {
    /// Outer radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Thickness of wall and bottom, below a third of the radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub wall: f64,
    /// Handle thickness, at most a sixth of the height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub handle: f64,
}

impl Default for Mug {
    fn default() -> Self {
        Self { radius: 0.042, height: 0.095, wall: 0.005, handle: 0.012 }
    }
}

impl Mug {
    /// Height of the handle's ends above and below the middle (m).
    fn handle_rise(&self) -> f64 {
        0.29 * self.height
    }

    /// Distance of the handle's centre line from the middle of the wall (m).
    fn handle_extent(&self) -> f64 {
        0.3 * self.height
    }
}

impl BuiltIn for Mug {
    fn check(&self) -> Result<(), ShapeError> {
        let lengths = [("radius", self.radius), ("height", self.height), ("wall", self.wall), ("handle", self.handle)];
        for (field, length) in lengths {
            check_length(field, length)?;
        }
        check_that("wall", self.wall, self.wall < self.radius / 3.0, || {
            format!("below a third of radius = {} m", self.radius)
        })?;
        check_that("height", self.height, self.height > 6.0 * self.wall, || {
            format!("more than six times wall = {} m", self.wall)
        })?;
        check_that("handle", self.handle, self.handle <= self.height / 6.0, || {
            format!("at most a sixth of height = {} m", self.height)
        })
    }

    fn size(&self) -> Vec3 {
        let out = self.radius - 0.5 * self.wall + self.handle_extent() + 0.5 * self.handle;
        Vec3::new(self.radius + out, self.height, 2.0 * self.radius)
    }

    fn field(&self) -> Field {
        let half = 0.5 * self.wall;
        let (out, up) = (self.radius - half, 0.5 * self.height - half);
        // Bottom, rounded corner, wall.
        let corner = (0.25 * self.radius).max(self.wall).min(0.5 * self.height - self.wall);
        let path = Path::new()
            .line(&[[0.0, -up], [out - corner, -up]])
            .arc([out - corner, corner - up], corner, [-90.0, 0.0])
            .line(&[[out, corner - up], [out, up]]);
        let body = Field::revolution(Profile::stroke(path, self.wall));
        // The handle starts and ends in the wall and turns through two quarter circles.
        let (rise, extent) = (self.handle_rise(), self.handle_extent());
        let bend = 0.75 * rise.min(extent);
        let (far, near) = (out + extent, out + extent - bend);
        let handle = Path::new()
            .line(&[[out, rise], [near, rise]])
            .arc([near, rise - bend], bend, [0.0, 90.0])
            .line(&[[far, rise - bend], [far, bend - rise]])
            .arc([near, bend - rise], bend, [-90.0, 0.0])
            .line(&[[near, -rise], [out, -rise]]);
        let handle = Field::tube(handle, 0.5 * self.handle);
        // Removes the parts of handle and fillet inside the mug. The bottom edge of the hollow is
        // rounded like the mug's inside.
        let inner = self.radius - self.wall;
        let round = corner - half;
        let size = [2.0 * (inner - round), 2.0 * (self.height - self.wall - round)];
        let hollow = Field::revolution(Profile::rectangle(size)).offset(round);
        let hollow = hollow.translated(Vec3::new(0.0, 0.5 * self.height, 0.0));
        let whole = body.smooth_union(handle, 0.7 * self.handle).without(hollow);
        whole.translated(Vec3::new(self.radius - 0.5 * self.size().x, 0.0, 0.0))
    }

    fn thinnest_wall(&self) -> f64 {
        self.wall.min(self.handle)
    }
}
