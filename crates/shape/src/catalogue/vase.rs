//! A vase with belly, neck and lip.

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Path, Point2, Profile};

/// A vase: foot, belly, neck and lip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vase {
    /// Outer radius of the belly.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Outer radius of the neck, at most 0.7 of the belly's; the lip is a third wider.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub neck: f64,
    /// Thickness of wall and bottom, at most half of the neck's radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub wall: f64,
}

impl Default for Vase {
    fn default() -> Self {
        Self { radius: 0.06, height: 0.22, neck: 0.028, wall: 0.006 }
    }
}

impl Vase {
    /// The centre line of the wall from foot to lip.
    fn centre_line(&self) -> Vec<Point2> {
        /// Line segments between two knots.
        const SEGMENTS_PER_SPAN: usize = 12;
        let half = 0.5 * self.wall;
        // Height fraction and outer radius of foot, belly, neck and lip.
        let knots = [[0.0, 0.55 * self.radius], [0.4, self.radius], [0.82, self.neck], [1.0, self.neck * 4.0 / 3.0]];
        let mut points = Vec::new();
        for pair in knots.windows(2) {
            for k in 0..=SEGMENTS_PER_SPAN {
                let t = k as f64 / SEGMENTS_PER_SPAN as f64;
                let ease = t * t * (3.0 - 2.0 * t);
                let height = pair[0][0] + (pair[1][0] - pair[0][0]) * t;
                let radius = pair[0][1] + (pair[1][1] - pair[0][1]) * ease;
                points.push([radius - half, (height - 0.5) * (self.height - self.wall)]);
            }
        }
        points.dedup();
        points
    }
}

impl BuiltIn for Vase {
    fn check(&self) -> Result<(), ShapeError> {
        let lengths = [("radius", self.radius), ("height", self.height), ("neck", self.neck), ("wall", self.wall)];
        for (field, length) in lengths {
            check_length(field, length)?;
        }
        check_that("neck", self.neck, self.neck <= 0.7 * self.radius, || {
            format!("at most 0.7 of radius = {} m", self.radius)
        })?;
        check_that("wall", self.wall, self.wall <= 0.5 * self.neck, || {
            format!("at most half of neck = {} m", self.neck)
        })?;
        check_that("height", self.height, self.height >= self.radius, || format!("at least radius = {} m", self.radius))
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, self.height, 2.0 * self.radius)
    }

    fn field(&self) -> Field {
        let line = self.centre_line();
        let [foot, bottom] = line[0];
        let path = Path::new().line(&[[0.0, bottom], [foot, bottom]]).line(&line);
        Field::revolution(Profile::stroke(path, self.wall))
    }

    fn thinnest_wall(&self) -> f64 {
        self.wall
    }
}
