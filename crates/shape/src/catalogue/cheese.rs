//! A slice of cheese with holes.

use craze_math::{Random, Rotation, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Profile};
use crate::tuning::TRIES_PER_HOLE;

/// A slice of a wheel of cheese, its tip toward −z, with round holes inside and in its sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cheese {
    /// Length from the tip to the rind.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height of the wheel.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
    /// Angle of the slice.
    #[schemars(extend("x-unit" = "deg", "minimum" = 20, "maximum" = 180))]
    pub angle: f64,
    /// Number of holes.
    #[schemars(range(min = 0, max = 100))]
    pub holes: u32,
    /// Radius of the largest holes, at most a quarter of the height; the smallest have half that
    /// radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub hole_radius: f64,
    /// Seed of the holes' positions and sizes.
    #[schemars(range(min = 0, max = 4294967295u32))]
    pub seed: u32,
}

impl Default for Cheese {
    fn default() -> Self {
        Self { radius: 0.12, height: 0.06, angle: 50.0, holes: 14, hole_radius: 0.012, seed: 1 }
    }
}

impl Cheese {
    fn rounding(&self) -> f64 {
        0.05 * self.height.min(self.radius)
    }

    /// Radius (m) of the sector whose offset by the rounding is the slice.
    fn sector(&self) -> f64 {
        self.radius - 2.0 * self.rounding()
    }

    /// Least wall (m) between holes, and between a hole and a side that it does not open.
    fn gap(&self) -> f64 {
        0.4 * self.hole_radius
    }

    /// Depth (m) of a point below top, bottom, rind and both cut sides, positive inside.
    fn depths(&self, point: &Vec3) -> [f64; 5] {
        let half = 0.5 * self.height;
        // Distance from the sector's tip along its axis.
        let along = point.z + 0.5 * self.radius - self.rounding();
        let (sine, cosine) = (0.5 * self.angle).to_radians().sin_cos();
        let side = |x: f64| along * sine - x * cosine + self.rounding();
        [
            half - point.y,
            half + point.y,
            self.sector() + self.rounding() - along.hypot(point.x),
            side(point.x),
            side(-point.x),
        ]
    }

    /// Centres and radii (m) of the holes; fewer than requested if they do not fit.
    fn placed_holes(&self) -> Vec<(Vec3, f64)> {
        let mut random = Random::new(u64::from(self.seed));
        let size = self.size();
        let mut holes: Vec<(Vec3, f64)> = Vec::new();
        for _ in 0..self.holes {
            for _ in 0..TRIES_PER_HOLE {
                let radius = self.hole_radius * (0.5 + 0.5 * random.number());
                let centre = size.map(|length| length * (random.number() - 0.5));
                if self.is_hole_valid(&centre, radius, &holes) {
                    holes.push((centre, radius));
                    break;
                }
            }
        }
        holes
    }

    /// Returns true if the remaining walls can be meshed: the hole lies inside, or clearly opens
    /// one side and no edge.
    fn is_hole_valid(&self, centre: &Vec3, radius: f64, holes: &[(Vec3, f64)]) -> bool {
        let near = radius + self.gap();
        let mut close = self.depths(centre).into_iter().filter(|&depth| depth < near);
        let open = close.next().is_none_or(|depth| depth.abs() < 0.5 * radius) && close.next().is_none();
        open && holes.iter().all(|(other, size)| (other - centre).norm() > near + size)
    }
}

impl BuiltIn for Cheese {
    fn check(&self) -> Result<(), ShapeError> {
        let lengths = [("radius", self.radius), ("height", self.height), ("hole_radius", self.hole_radius)];
        for (field, length) in lengths {
            check_length(field, length)?;
        }
        check_that("angle", self.angle, (20.0..=180.0).contains(&self.angle), || "20° to 180°".to_owned())?;
        check_that("holes", f64::from(self.holes), self.holes <= 100, || "at most 100".to_owned())?;
        check_that("hole_radius", self.hole_radius, self.hole_radius <= 0.25 * self.height, || {
            format!("at most a quarter of height = {} m", self.height)
        })?;
        let fit = self.placed_holes().len();
        check_that("holes", f64::from(self.holes), fit == self.holes as usize, || {
            format!("at most {fit}, for which there is room, or hole_radius smaller")
        })
    }

    fn size(&self) -> Vec3 {
        let sine = (0.5 * self.angle).to_radians().sin();
        Vec3::new(2.0 * (self.sector() * sine + self.rounding()), self.height, self.radius)
    }

    fn field(&self) -> Field {
        let rounding = self.rounding();
        let slice = Field::extrusion(Profile::sector(self.sector(), self.angle), self.height - 2.0 * rounding);
        // Lays the extrusion down: y becomes z, and z becomes −y.
        let slice = slice.offset(rounding).rotated(Rotation::new(Vec3::x() * std::f64::consts::FRAC_PI_2));
        let slice = slice.translated(Vec3::new(0.0, 0.0, rounding - 0.5 * self.radius));
        let holes: Vec<Field> =
            self.placed_holes().into_iter().map(|(centre, radius)| Field::sphere(radius).translated(centre)).collect();
        if holes.is_empty() { slice } else { slice.without(Field::union(holes)) }
    }

    fn thinnest_wall(&self) -> f64 {
        if self.holes == 0 { self.height.min(self.radius) } else { self.gap() }
    }
}
