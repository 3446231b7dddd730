//! A heart, as on playing cards, with rounded edges.

use std::f64::consts::FRAC_1_SQRT_2;

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Profile};

/// A heart that stands on its tip, flat in z, with rounded edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Heart {
    /// Extent along x; the height is 0.95 to 1 of it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub width: f64,
    /// Extent along z, at most half of the width.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub thickness: f64,
}

impl Default for Heart {
    fn default() -> Self {
        Self { width: 0.1, thickness: 0.035 }
    }
}

impl Heart {
    /// Radius of its rounded edges (m).
    fn rounding(&self) -> f64 {
        0.35 * self.thickness
    }

    /// Side (m) of the square that, standing on a corner with a disc on each upper side, forms the
    /// heart.
    fn side(&self) -> f64 {
        (self.width - 2.0 * self.rounding()) / (1.0 + FRAC_1_SQRT_2)
    }

    /// Height before the edges are rounded (m).
    fn inner_height(&self) -> f64 {
        self.side() * (1.5 * FRAC_1_SQRT_2 + 0.5)
    }
}

impl BuiltIn for Heart {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("width", self.width)?;
        check_length("thickness", self.thickness)?;
        check_that("thickness", self.thickness, self.thickness <= 0.5 * self.width, || {
            format!("at most half of width = {} m", self.width)
        })
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.width, self.inner_height() + 2.0 * self.rounding(), self.thickness)
    }

    fn field(&self) -> Field {
        let side = self.side();
        let tip = -0.5 * self.inner_height();
        let diagonal = side * FRAC_1_SQRT_2;
        let square = Profile::polygon(vec![
            [0.0, tip],
            [diagonal, tip + diagonal],
            [0.0, tip + 2.0 * diagonal],
            [-diagonal, tip + diagonal],
        ]);
        let lobe = |x: f64| Profile::circle([x * 0.5 * diagonal, tip + 1.5 * diagonal], 0.5 * side);
        let heart = Profile::union(vec![square, lobe(-1.0), lobe(1.0)]);
        Field::extrusion(heart, self.thickness - 2.0 * self.rounding()).offset(self.rounding())
    }

    fn thinnest_wall(&self) -> f64 {
        self.thickness
    }
}
