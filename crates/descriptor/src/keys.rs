//! Keys and choices of scene files that several methods have.

use crate::Rejection;
use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// Velocity first, then position with the new velocity: first order, keeps energy bounded.
    #[default]
    Symplectic,
    /// Forward Euler: first order, gains energy; for comparison.
    Euler,
    /// Taylor series with the jerk term: second order.
    Taylor,
    /// Backward Euler by Newton's method: large steps, loses energy.
    Implicit,
}

/// Contact response between two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Impulses with continuous collision detection: no penetration.
    #[default]
    Impulses,
    /// Penalty forces in proportion to the penetration of nodes.
    NodePenalty,
    /// Penalty forces in proportion to the overlap volume, the same on every mesh.
    OverlapPenalty,
}

/// How particles fill a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// At the centres of cubes `spacing` wide, along the axes of the shape.
    #[default]
    Grid,
    /// At random, no two nearer than `spacing` (Bridson 2007); the world's seed decides. No
    /// direction is preferred.
    Poisson,
}

/// A factor that depends on the brightness of the vertex colours of a model: the mean of red, green
/// and blue at the nearest point of its surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Painted {
    /// Factor where the model is black.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub black: f64,
    /// Factor where the model is white or has no vertex colours.
    #[serde(default = "Painted::white")]
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub white: f64,
}

impl Painted {
    fn white() -> f64 {
        1.0
    }

    /// The factor at a brightness (1).
    pub fn factor(&self, brightness: f64) -> f64 {
        self.black + brightness * (self.white - self.black)
    }
}

/// A region of space; it selects the part of the placed body inside it at t = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// A block along the axes, its faces included.
    Box {
        /// Corner with the smallest coordinates.
        #[schemars(extend("x-unit" = "m"))]
        from: [f64; 3],
        /// Corner with the largest coordinates.
        #[schemars(extend("x-unit" = "m"))]
        to: [f64; 3],
    },
    /// A ball, its surface included.
    Sphere {
        /// Centre.
        #[schemars(extend("x-unit" = "m"))]
        center: [f64; 3],
        /// Radius.
        #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A plane and the side that its normal points to.
    HalfSpace {
        /// A point of the plane.
        #[schemars(extend("x-unit" = "m"))]
        point: [f64; 3],
        /// Direction into the half-space; any length.
        #[schemars(extend("x-unit" = "1"))]
        normal: [f64; 3],
    },
    /// The whole body.
    All {},
}

impl Region {
    /// Why the region is invalid, at a key relative to the region.
    pub fn check(&self) -> Result<(), Rejection> {
        match self {
            Region::Box { from, to } => match (0..3).find(|&axis| from[axis] > to[axis]) {
                Some(axis) => {
                    let name = ["x", "y", "z"][axis];
                    let message = format!("the box is inside out: `from` is above `to` in {name}");
                    Err(Rejection::new(format!("box.from[{axis}]"), message, "`from` has the smaller coordinates"))
                }
                None => Ok(()),
            },
            Region::HalfSpace { normal, .. } => {
                check_direction(*normal).map_err(|error| error.below("half_space.normal"))
            }
            Region::Sphere { .. } | Region::All {} => Ok(()),
        }
    }
}

/// Refuses a direction without length.
pub fn check_direction(direction: [f64; 3]) -> Result<(), Rejection> {
    let length = Vec3::from(direction).norm();
    let has_length = length > 1e-150 && length.is_finite();
    let refuse = || Rejection::new("", "the direction has no length", "a direction needs a length, such as [0, 1, 0]");
    if has_length { Ok(()) } else { Err(refuse()) }
}

impl From<&Region> for craze_engine::Region {
    fn from(region: &Region) -> craze_engine::Region {
        match region {
            Region::All {} => craze_engine::Region::All,
            Region::Box { from, to } => craze_engine::Region::Box { from: Vec3::from(*from), to: Vec3::from(*to) },
            Region::Sphere { center, radius } => {
                craze_engine::Region::Ball { center: Vec3::from(*center), radius: *radius }
            }
            Region::HalfSpace { point, normal } => {
                craze_engine::Region::HalfSpace { point: Vec3::from(*point), normal: Vec3::from(*normal) }
            }
        }
    }
}
