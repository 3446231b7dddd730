//! Hollow sphere and dome.

use std::f64::consts::PI;

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::Field;

/// A hollow sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HollowSphere {
    /// Outer radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Wall thickness, below the radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub wall: f64,
}

impl Default for HollowSphere {
    fn default() -> Self {
        Self { radius: 0.05, wall: 0.005 }
    }
}

impl BuiltIn for HollowSphere {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("radius", self.radius)?;
        check_length("wall", self.wall)?;
        check_that("wall", self.wall, self.wall < self.radius, || format!("below radius = {} m", self.radius))
    }

    fn size(&self) -> Vec3 {
        Vec3::repeat(2.0 * self.radius)
    }

    fn field(&self) -> Field {
        Field::sphere(self.radius - 0.5 * self.wall).shell(self.wall)
    }

    fn thinnest_wall(&self) -> f64 {
        self.wall
    }

    fn exact_volume(&self) -> Option<f64> {
        Some(4.0 / 3.0 * PI * (self.radius.powi(3) - (self.radius - self.wall).powi(3)))
    }
}

/// A dome on its flat rim: part of a hollow sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dome {
    /// Outer radius of the rim.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height, at most the radius (a hemisphere).
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Wall thickness, below the height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub wall: f64,
}

impl Default for Dome {
    fn default() -> Self {
        Self { radius: 0.1, height: 0.08, wall: 0.008 }
    }
}

impl Dome {
    /// Radius of the outer sphere (m).
    fn sphere(&self) -> f64 {
        (self.radius * self.radius + self.height * self.height) / (2.0 * self.height)
    }
}

impl BuiltIn for Dome {
    fn check(&self) -> Result<(), ShapeError> {
        for (field, length) in [("radius", self.radius), ("height", self.height), ("wall", self.wall)] {
            check_length(field, length)?;
        }
        check_that("height", self.height, self.height <= self.radius, || {
            format!("at most radius = {} m", self.radius)
        })?;
        check_that("wall", self.wall, self.wall < self.height, || format!("below height = {} m", self.height))
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, self.height, 2.0 * self.radius)
    }

    fn field(&self) -> Field {
        let sphere = self.sphere();
        let half = 0.5 * self.height;
        let shell = Field::sphere(sphere).without(Field::sphere(sphere - self.wall));
        let shell = shell.translated(Vec3::new(0.0, half - sphere, 0.0));
        Field::intersection(vec![Field::cylinder(self.radius, self.height), shell])
    }

    fn thinnest_wall(&self) -> f64 {
        self.wall
    }

    fn exact_volume(&self) -> Option<f64> {
        let sphere = self.sphere();
        let (inner, inner_height) = (sphere - self.wall, self.height - self.wall);
        Some(cap(sphere, self.height) - cap(inner, inner_height))
    }
}

/// Volume (m³) of a spherical cap (radius and height in m).
fn cap(sphere: f64, height: f64) -> f64 {
    PI * height * height * (sphere - height / 3.0)
}
