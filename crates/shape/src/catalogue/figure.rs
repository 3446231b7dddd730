//! A standing figure.

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::Field;

/// A figure that stands on two feet and holds its arms out to both sides, facing +z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Figure {
    /// Height from the soles to the crown.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Angle of the arms from straight down; 90° is level.
    #[schemars(extend("x-unit" = "deg", "minimum" = 20, "maximum" = 110))]
    pub arms: f64,
}

impl Default for Figure {
    fn default() -> Self {
        Self { height: 0.3, arms: 80.0 }
    }
}

// Dimensions of a figure of height 1 with its soles at y = 0.
const SHOULDER: Vec3 = Vec3::new(0.105, 0.775, 0.0);
const ARM_LENGTH: f64 = 0.34;
const HAND_RADIUS: f64 = 0.034;
const FOOT_HALF_LENGTH: f64 = 0.085;

impl Figure {
    fn hand(&self) -> Vec3 {
        let (sine, cosine) = self.arms.to_radians().sin_cos();
        SHOULDER + ARM_LENGTH * Vec3::new(sine, -cosine, 0.0)
    }
}

impl BuiltIn for Figure {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("height", self.height)?;
        check_that("arms", self.arms, (20.0..=110.0).contains(&self.arms), || "20° to 110°".to_owned())
    }

    fn size(&self) -> Vec3 {
        self.height * Vec3::new(2.0 * (self.hand().x + HAND_RADIUS), 1.0, 2.0 * FOOT_HALF_LENGTH)
    }

    fn field(&self) -> Field {
        let at = Vec3::new;
        let ellipsoid = |radii: Vec3, centre: Vec3| Field::ellipsoid(radii).translated(centre);
        let head = ellipsoid(at(0.066, 0.085, 0.074), at(0.0, 0.915, 0.0));
        let neck = Field::capsule(at(0.0, 0.76, -0.004), at(0.0, 0.88, 0.0), 0.036);
        let chest = ellipsoid(at(0.112, 0.13, 0.066), at(0.0, 0.715, 0.0));
        let belly = ellipsoid(at(0.088, 0.13, 0.06), at(0.0, 0.58, 0.0));
        let hips = ellipsoid(at(0.1, 0.085, 0.066), at(0.0, 0.49, 0.0));
        let trunk = chest.smooth_union(belly, 0.06).smooth_union(hips, 0.06).smooth_union(neck, 0.04);
        let trunk = trunk.smooth_union(head, 0.02);
        let (hand, shoulder) = (self.hand(), SHOULDER);
        let elbow = shoulder + 0.5 * (hand - shoulder);
        let upper = Field::round_cone(shoulder, elbow, [0.044, 0.034]);
        let lower = Field::round_cone(elbow, hand, [0.034, 0.026]);
        let arm = upper.smooth_union(lower, 0.01).smooth_union(Field::sphere(HAND_RADIUS).translated(hand), 0.02);
        let (hip, knee, ankle) = (at(0.06, 0.47, 0.0), at(0.088, 0.26, 0.004), at(0.11, 0.055, -0.02));
        let thigh = Field::round_cone(hip, knee, [0.062, 0.045]);
        let shin = Field::round_cone(knee, ankle, [0.045, 0.032]);
        // The round underside of the foot is cut flat at the ground.
        let sole = 0.012;
        let foot = Field::round_cone(
            at(0.11, sole, -FOOT_HALF_LENGTH + 0.033),
            at(0.12, sole, FOOT_HALF_LENGTH - 0.036),
            [0.033, 0.036],
        );
        let leg = thigh.smooth_union(shin, 0.02).smooth_union(foot, 0.035);
        let limbs = arm.smooth_union(leg, 0.0).mirrored(0);
        let whole = trunk.smooth_union(limbs, 0.035);
        let standing = Field::intersection(vec![whole, Field::half_space(-Vec3::y(), 0.0)]);
        standing.translated(at(0.0, -0.5, 0.0)).scaled(self.height)
    }

    fn thinnest_wall(&self) -> f64 {
        // Thickness of the wrist.
        0.05 * self.height
    }
}
