//! A plate with holes or a notch: a common fracture specimen.

use std::f64::consts::PI;

use craze_math::Vec3;
use craze_mesh::PlaneDomain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_length, check_that};
use crate::field::{Field, Path, Profile};
use crate::structured::{extruded, steps};

/// A flat plate in the x–y plane with round holes, a notch, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plate {
    /// Extents along x and y.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: [f64; 2],
    /// Extent along z.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub thickness: f64,
    /// Round through holes, disjoint and inside the plate; [] for none.
    #[schemars(length(max = 1000))]
    pub holes: Vec<Hole>,
    /// A notch from the middle of the left side (smallest x) toward +x.
    pub notch: Option<Notch>,
}

/// A round hole through a plate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hole {
    /// Centre: x and y from the middle of the plate.
    #[schemars(extend("x-unit" = "m"))]
    pub at: [f64; 2],
    /// Radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// A slot from a plate's side with a round end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Notch {
    /// Depth, below the plate's width.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub length: f64,
    /// Width, at most its length.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub width: f64,
}

impl Default for Plate {
    fn default() -> Self {
        Self { size: [0.2, 0.1], thickness: 0.01, holes: vec![Hole::default()], notch: None }
    }
}

impl Default for Hole {
    fn default() -> Self {
        Self { at: [0.0; 2], radius: 0.02 }
    }
}

impl Default for Notch {
    fn default() -> Self {
        Self { length: 0.04, width: 0.01 }
    }
}

impl Plate {
    /// The centre line of the notch.
    fn slot(&self, notch: &Notch) -> Path {
        let side = -0.5 * self.size[0];
        Path::new().line(&[[side - notch.width, 0.0], [side + notch.length - 0.5 * notch.width, 0.0]])
    }

    /// Ligament widths (m) of a hole: to the sides, the notch and the preceding holes.
    fn ligaments(&self, index: usize) -> [f64; 3] {
        let Hole { at, radius } = &self.holes[index];
        let side = (0..2).map(|axis| 0.5 * self.size[axis] - at[axis].abs()).fold(f64::INFINITY, f64::min) - radius;
        let slot = self.notch.as_ref().map(|notch| self.slot(notch).distance(*at) - 0.5 * notch.width - radius);
        let apart = |other: &Hole| (at[0] - other.at[0]).hypot(at[1] - other.at[1]) - radius - other.radius;
        [side, slot.unwrap_or(f64::INFINITY), self.holes[..index].iter().map(apart).fold(f64::INFINITY, f64::min)]
    }
}

impl BuiltIn for Plate {
    fn check(&self) -> Result<(), ShapeError> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        check_length("thickness", self.thickness)?;
        if let Some(Notch { length, width }) = self.notch {
            check_length("notch.length", length)?;
            check_length("notch.width", width)?;
            check_that("notch.length", length, length < self.size[0], || format!("below size = {} m", self.size[0]))?;
            check_that("notch.width", width, width <= length && width < self.size[1], || {
                format!("at most its length, {length} m, and below size = {} m", self.size[1])
            })?;
        }
        for (index, Hole { at, radius }) in self.holes.iter().enumerate() {
            let name = |key: &str| format!("holes[{index}].{key}");
            for coordinate in at {
                check_that(name("at"), *coordinate, coordinate.is_finite(), || "a number".to_owned())?;
            }
            check_that(name("radius"), *radius, *radius > 0.0 && radius.is_finite(), || "above 0".to_owned())?;
            let [side, slot, other] = self.ligaments(index);
            let rest = |left: f64, what: &str| {
                check_that(name("radius"), *radius, left > 0.0, || {
                    format!("smaller, or the hole elsewhere: it reaches {what}")
                })
            };
            rest(side, "the plate's side")?;
            rest(slot, "the notch")?;
            rest(other, "another hole")?;
        }
        Ok(())
    }

    fn size(&self) -> Vec3 {
        Vec3::new(self.size[0], self.size[1], self.thickness)
    }

    fn field(&self) -> Field {
        let holes = self.holes.iter().map(|hole| Profile::circle(hole.at, hole.radius));
        let slot = self.notch.iter().map(|notch| Profile::stroke(self.slot(notch), notch.width));
        let cut: Vec<Profile> = holes.chain(slot).collect();
        let plate = Profile::rectangle(self.size);
        let profile = if cut.is_empty() { plate } else { plate.without(Profile::union(cut)) };
        Field::extrusion(profile, self.thickness)
    }

    fn section(&self, axis: usize, edge: f64) -> Option<PlaneDomain> {
        if axis != 2 {
            return None;
        }
        let [x, y] = self.size.map(|length| 0.5 * length);
        let mut outline = vec![[-x, -y], [x, -y], [x, y], [-x, y]];
        if let Some(Notch { length, width }) = self.notch {
            let (center, radius) = (length - x - 0.5 * width, 0.5 * width);
            outline.push([-x, radius]);
            // From the upper to the lower edge of the slot, around its end.
            let count = steps(PI * radius, edge).max(4.0) as usize;
            outline.extend((0..=count).map(|k| {
                let (sine, cosine) = (PI * (0.5 - k as f64 / count as f64)).sin_cos();
                [center + radius * cosine, radius * sine]
            }));
            outline.push([-x, -radius]);
        }
        let holes = self.holes.iter().map(|hole| extruded::circle(hole.at, hole.radius, edge)).collect();
        Some(PlaneDomain { outline, holes, ..PlaneDomain::default() })
    }

    fn thinnest_wall(&self) -> f64 {
        let ligaments = (0..self.holes.len()).flat_map(|index| self.ligaments(index));
        let gap = self.notch.iter().map(|notch| notch.width);
        ligaments.chain(gap).fold(self.size().min(), f64::min)
    }

    fn exact_volume(&self) -> Option<f64> {
        let holes: f64 = self.holes.iter().map(|hole| PI * hole.radius * hole.radius).sum();
        let slot = self
            .notch
            .as_ref()
            .map_or(0.0, |Notch { length, width }| width * (length - 0.5 * width) + PI * width * width / 8.0);
        Some((self.size[0] * self.size[1] - holes - slot) * self.thickness)
    }
}
