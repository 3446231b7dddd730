//! The table `xfem` of a scene, the options of a body, and what is refused.

use crate::crack::CutError;
use craze_descriptor::Region;
use craze_material::MaterialError;
use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Δt of a body whose scene gives none (s).
pub(crate) const TIME_STEP: f64 = 1.0 / 240.0;

/// How the mass of an element is divided among its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassMatrix {
    /// ∫ρ·N_i·N_j over every part.
    #[default]
    Consistent,
    /// The sums of its rows on the diagonal, part by part: the paper's shortcut, with the term that
    /// it lacks (READINGS 28).
    Diagonal,
}

/// How a body is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct XfemOptions {
    /// Mass matrix.
    pub mass: MassMatrix,
    /// Residual at which the equations of a step count as solved, as a share of their right-hand side. Bodies of fewer than a
    /// thousand nodes are solved by factorisation, which leaves rounding only.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0, "maximum" = 0.1))]
    pub tolerance: f64,
    /// Upper bound on Δt (s). In a scene it is the body's key `time_step`.
    #[schemars(skip)]
    pub longest_time_step: f64,
}

impl Default for XfemOptions {
    fn default() -> Self {
        XfemOptions { mass: MassMatrix::default(), tolerance: 1e-8, longest_time_step: TIME_STEP }
    }
}

impl XfemOptions {
    pub(crate) fn check(&self) -> Result<(), XfemError> {
        // NaN fails the comparisons.
        if !(self.tolerance > 0.0 && self.tolerance <= 0.1) {
            return Err(XfemError::Option { option: "tolerance", value: self.tolerance, range: "above 0, up to 0.1" });
        }
        if !(self.longest_time_step > 0.0) {
            let (option, value) = ("time_step", self.longest_time_step);
            return Err(XfemError::Option { option, value, range: "above 0" });
        }
        Ok(())
    }
}

/// Settings of method xfem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct XfemTable {
    /// How it is computed.
    #[serde(flatten)]
    pub options: XfemOptions,
    /// Straight knives that move through the body, each in a plane.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knives: Vec<KnifeTable>,
    /// Cuts by planes, in the world at t = 0: they stay where they are in the material when the body moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
}

/// A cut by a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// When it is made.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub time: f64,
    /// A point of the plane.
    #[schemars(extend("x-unit" = "m"))]
    pub point: [f64; 3],
    /// The normal of the plane, of any length.
    #[schemars(extend("x-unit" = "1"))]
    pub normal: [f64; 3],
    /// Where it cuts: elements whose share of the plane has its centre there; everywhere if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A knife that moves in a plane of the material, as the body stands at t = 0. What it has passed stays cut when it comes back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnifeTable {
    /// A point of the plane.
    #[schemars(extend("x-unit" = "m"))]
    pub point: [f64; 3],
    /// The normal of the plane, of any length.
    #[schemars(extend("x-unit" = "1"))]
    pub normal: [f64; 3],
    /// The direction in which the knife moves, of any length; its part along the normal does not count.
    #[schemars(extend("x-unit" = "1"))]
    pub direction: [f64; 3],
    /// How far its edge is from the point, along the direction, over time: straight between these keys.
    #[schemars(length(min = 1))]
    pub travel: Vec<TravelKey>,
    /// Where it cuts: elements whose share of the plane has its centre there; everywhere if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// Where a knife is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TravelKey {
    /// The time.
    #[schemars(extend("x-unit" = "s"))]
    pub t: f64,
    /// The distance of the edge from the point of the plane.
    #[schemars(extend("x-unit" = "m"))]
    pub at: f64,
}

/// Why a body cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum XfemError {
    /// The mesh has no tetrahedra.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// An element has no material.
    #[error("element {element} has no material")]
    NoMaterial {
        /// The element.
        element: u32,
    },
    /// A material that cannot exist.
    #[error("material \"{name}\": {error}")]
    Material {
        /// Its name.
        name: String,
        /// What is wrong.
        error: MaterialError,
    },
    /// A material that is not the same in all directions.
    #[error(
        "material \"{name}\" is anisotropic, and this method is for isotropic elasticity: give `young` and `poisson`"
    )]
    Anisotropic {
        /// Its name.
        name: String,
    },
    /// An element without volume.
    #[error("element {element} at ({:.4}, {:.4}, {:.4}) m is too flat to compute with", place.x, place.y, place.z)]
    Flat {
        /// The element.
        element: u32,
        /// Its centre (m).
        place: Vec3,
    },
    /// An option outside its range.
    #[error("{option} is {value}, but must lie {range}")]
    Option {
        /// Which.
        option: &'static str,
        /// Its value.
        value: f64,
        /// Where it may lie.
        range: &'static str,
    },
    /// A velocity that is not a number.
    #[error("the {what} of the body is not a number")]
    NotFinite {
        /// Which.
        what: &'static str,
    },
    /// A cut that cannot be made.
    #[error(transparent)]
    Cut(#[from] CutError),
}
