//! A sitting rabbit.

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::Field;

/// A rabbit that sits on the ground with its ears up, facing +z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rabbit {
    /// Height from the ground to the tips of the ears.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Length of the ears, 0.15 to 0.5 of the height.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub ears: f64,
}

impl Default for Rabbit {
    fn default() -> Self {
        Self { height: 0.2, ears: 0.07 }
    }
}

// Dimensions of a rabbit of height 1 up to the roots of its ears.
const EAR_ROOT: Vec3 = Vec3::new(0.07, 1.0, 0.17);
/// Unit direction of an ear: up, slightly outward and back.
const EAR_DIRECTION: Vec3 = Vec3::new(0.12, 0.96, -0.252_982_212_813_470_3);
const EAR_TIP_RADIUS: f64 = 0.05;
const TAIL: Vec3 = Vec3::new(0.0, 0.2, -0.5);
const TAIL_RADIUS: f64 = 0.09;
const HIND_FOOT: Vec3 = Vec3::new(0.235, 0.045, 0.3);
const HIND_FOOT_RADIUS: f64 = 0.075;
const HAUNCH: Vec3 = Vec3::new(0.235, 0.24, -0.1);
const HAUNCH_RADII: Vec3 = Vec3::new(0.135, 0.23, 0.25);
const NOSE_Z: f64 = 0.475;

impl Rabbit {
    /// Height of the ear roots (m): the scale of all other dimensions.
    fn scale(&self) -> f64 {
        (self.height - self.ears * EAR_DIRECTION.y) / (1.0 + EAR_TIP_RADIUS)
    }
}

impl BuiltIn for Rabbit {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("height", self.height)?;
        check_length("ears", self.ears)?;
        let (least, most) = (0.15 * self.height, 0.5 * self.height);
        check_that("ears", self.ears, self.ears >= least && self.ears <= most, || {
            format!("{least} m to {most} m, 0.15 to 0.5 of the height")
        })
    }

    fn size(&self) -> Vec3 {
        let scale = self.scale();
        let x = 2.0 * (HAUNCH.x + HAUNCH_RADII.x) * scale;
        Vec3::new(x, self.height, (NOSE_Z - TAIL.z + TAIL_RADIUS) * scale)
    }

    fn field(&self) -> Field {
        let at = Vec3::new;
        let ellipsoid = |radii: Vec3, centre: Vec3| Field::ellipsoid(radii).translated(centre);
        let rump = ellipsoid(at(0.29, 0.34, 0.36), at(0.0, 0.32, -0.12));
        let chest = ellipsoid(at(0.2, 0.32, 0.2), at(0.0, 0.42, 0.12));
        let head = ellipsoid(at(0.18, 0.185, 0.2), at(0.0, 0.84, 0.2));
        let snout = ellipsoid(at(0.1, 0.09, 0.12), at(0.0, 0.79, NOSE_Z - 0.12));
        let head = head.smooth_union(snout, 0.08);
        let tail = Field::sphere(TAIL_RADIUS).translated(TAIL);
        let trunk = rump.smooth_union(chest, 0.12).smooth_union(head, 0.08).smooth_union(tail, 0.04);
        let haunch = ellipsoid(HAUNCH_RADII, HAUNCH);
        let hind_foot = Field::capsule(at(0.235, HIND_FOOT.y, -0.12), HIND_FOOT, HIND_FOOT_RADIUS);
        let front_leg = Field::round_cone(at(0.11, 0.4, 0.22), at(0.1, 0.045, 0.31), [0.085, 0.065]);
        let root = EAR_ROOT - 0.06 * EAR_DIRECTION;
        let length = self.ears / self.scale();
        let (middle, tip) = (EAR_ROOT + 0.55 * length * EAR_DIRECTION, EAR_ROOT + length * EAR_DIRECTION);
        let ear = Field::round_cone(root, middle, [0.055, 0.07]);
        // Both cones end in the same ball; a blend would thicken the ear there.
        let ear = ear.smooth_union(Field::round_cone(middle, tip, [0.07, EAR_TIP_RADIUS]), 0.0);
        let legs = haunch.smooth_union(hind_foot, 0.05).smooth_union(front_leg, 0.02);
        let pairs = legs.smooth_union(ear, 0.0).mirrored(0);
        let whole = trunk.smooth_union(pairs, 0.045);
        let sitting = Field::intersection(vec![whole, Field::half_space(-Vec3::y(), 0.0)]);
        let middle = 0.5 * (NOSE_Z + TAIL.z - TAIL_RADIUS);
        let scale = self.scale();
        sitting.translated(at(0.0, -0.5 * self.height / scale, -middle)).scaled(scale)
    }

    fn thinnest_wall(&self) -> f64 {
        // Thickness of the ear tips.
        2.0 * EAR_TIP_RADIUS * self.scale()
    }
}
