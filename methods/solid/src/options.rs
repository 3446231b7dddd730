//! The table `solid` of a scene, the options of a solid, and what is refused.

pub use craze_descriptor::Integrator;
use craze_descriptor::{Painted, Region, Response};
use craze_material::MaterialError;
use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of the simulation of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SolidOptions {
    /// Time integration. In a scene it is the body's key `integrator`.
    #[schemars(skip)]
    pub integrator: Integrator,
    /// Share of its rest volume below which a tetrahedron resists collapse; 0 is the law of the paper.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "exclusiveMaximum" = 1))]
    pub collapse_guard: f64,
    /// Strain below which a piece without contact and load counts as unstrained and moves as a rigid body; 0: never.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 0.1))]
    pub rest_strain: f64,
    /// Upper bound on Δt (s); infinite for none. In a scene it is the body's key `time_step`.
    #[schemars(skip)]
    pub longest_time_step: f64,
    /// Whether it breaks where stress exceeds the strength of its material (`tensile_strength` or `separation_force`).
    pub breaks: bool,
    /// Distance from a crack plane up to which a node counts as lying in it, in mean lengths of the edges around the crack.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub snap_distance: f64,
    /// Angle between the crack plane and the line from the splitting node to another node up to which that node counts as lying in the plane.
    #[schemars(extend("x-unit" = "rad", "minimum" = 0, "maximum" = 1.5))]
    pub snap_angle: f64,
    /// Smallest height of a tetrahedron that a crack may make, in smallest heights of the unbroken body. Thinner tetrahedra need
    /// shorter time steps.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub thinnest: f64,
    /// Largest damping ratio of the fastest vibration of a single tetrahedron; the viscosity of thin tetrahedra that would exceed it is
    /// reduced, so that they do not shorten the time step. 0: all have the viscosity of their material, as in the paper. Use it where only thin
    /// tetrahedra are so strongly damped: otherwise the whole body is damped less.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub most_damping: f64,
    /// Whether a crack that changes direction sharply may also cut the material behind its tip, as in the paper.
    pub turns_back: bool,
    /// Largest number of splits in one step; further splits wait for the next step.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub splits_a_step: u32,
    /// Time between fracture checks; 0: after every step. It bounds the speed of cracks: at most `splits_a_step` splits in this
    /// time, however short the steps are.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub look_every: f64,
    /// Largest speed of cracks, in speeds of sound along a thin bar (√(E/ρ)); 0: no limit, as in the paper. Nodes around a split wait until
    /// a crack can have reached them, and nodes unloaded by then do not fail: the result is a single crack instead of a band of debris. Real materials have 0.3 to 0.6.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub crack_speed: f64,
    /// Smallest share of the body's volume that may break off; 0: any, as in the paper. It prevents debris, which takes longer to compute than
    /// everything else.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "exclusiveMaximum" = 1))]
    pub smallest_piece: f64,
    /// Whether its pieces have contact with each other. Without, they pass through each other, and steps are faster.
    pub touches_itself: bool,
}

impl Default for SolidOptions {
    fn default() -> Self {
        SolidOptions {
            integrator: Integrator::default(),
            collapse_guard: 0.5,
            rest_strain: 1e-6,
            longest_time_step: f64::INFINITY,
            breaks: true,
            snap_distance: 0.1,
            snap_angle: 0.1,
            thinnest: 0.3,
            most_damping: 0.0,
            turns_back: false,
            splits_a_step: 10_000,
            look_every: 0.0,
            crack_speed: 0.0,
            smallest_piece: 0.0,
            touches_itself: true,
        }
    }
}

/// Settings of method solid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SolidTable {
    /// Options of the simulation.
    #[serde(flatten)]
    pub options: SolidOptions,
    /// Random variation of the strength over the body, as a share of it, from the world's seed.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub strength_spread: f64,
    /// Correlation length of `strength_spread`; a tenth of the body's largest extent if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub strength_grain: Option<f64>,
    /// Regions of the body that are weaker or stronger than the rest, such as the joint of a handle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<Seam>,
    /// Strength from the vertex colours of its model, an OBJ, PLY or glTF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub painted: Option<Painted>,
    /// Contact response to other bodies of this method, unless a pair of `[contact]` gives one; if two bodies differ, the later of
    /// these applies. Penalty forces need a penetration in proportion to their load.
    pub response: Response,
}

/// A region of a solid that is stronger or weaker than the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// The region, in world coordinates at t = 0.
    pub region: Region,
    /// Factor of the strength.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub strength: f64,
}

/// Why a solid cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// The mesh has no tetrahedra.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// No material was given.
    #[error("a solid needs at least one material")]
    NoMaterial,
    /// An element names a material that does not exist.
    #[error("element {element} names material {index}, but there are only {count}")]
    UnknownMaterial {
        /// The element.
        element: u32,
        /// The material it names.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// A material that cannot exist.
    #[error("material \"{name}\": {error}")]
    Material {
        /// Its name.
        name: String,
        /// What is wrong.
        error: MaterialError,
    },
    /// An element without volume.
    #[error("element {element} at ({:.4}, {:.4}, {:.4}) m is too flat to compute with", place.x, place.y, place.z)]
    Flat {
        /// The element.
        element: u32,
        /// Its centre (m).
        place: Vec3,
    },
    /// A number of the options lies outside its range.
    #[error("{option} is {value}, but must lie {range}")]
    Option {
        /// Which.
        option: &'static str,
        /// Its value.
        value: f64,
        /// Where it may lie.
        range: &'static str,
    },
    /// A placement or velocity that is not a number.
    #[error("the {what} of the solid is not a number")]
    NotFinite {
        /// Which.
        what: &'static str,
    },
    /// The mesh cannot be brought into order.
    #[error("the mesh cannot be renumbered: {0}")]
    Order(String),
}

impl SolidOptions {
    /// Whether a step from one time to another (s) ends with a fracture check. It follows
    /// from the clock alone, so that a run that goes on looks when one that never stopped does.
    pub(crate) fn is_time_to_look(&self, from: f64, to: f64) -> bool {
        self.look_every == 0.0 || (from / self.look_every).floor() != (to / self.look_every).floor()
    }

    pub(crate) fn check(&self) -> Result<(), SolidError> {
        let refuse = |option, value, range| Err(SolidError::Option { option, value, range });
        if !(0.0..1.0).contains(&self.collapse_guard) {
            return refuse("collapse_guard", self.collapse_guard, "from 0 to below 1");
        }
        if !(0.0..=0.1).contains(&self.rest_strain) {
            return refuse("rest_strain", self.rest_strain, "from 0 to 0.1");
        }
        if self.longest_time_step.is_nan() || self.longest_time_step <= 0.0 {
            return refuse("longest_time_step", self.longest_time_step, "above 0");
        }
        if !(0.0..=1.0).contains(&self.snap_distance) {
            return refuse("snap_distance", self.snap_distance, "from 0 to 1");
        }
        if !(0.0..=1.5).contains(&self.snap_angle) {
            return refuse("snap_angle", self.snap_angle, "from 0 to 1.5");
        }
        if !(0.0..=1.0).contains(&self.thinnest) {
            return refuse("thinnest", self.thinnest, "from 0 to 1");
        }
        if !(self.most_damping >= 0.0 && self.most_damping.is_finite()) {
            return refuse("most_damping", self.most_damping, "from 0");
        }
        if !(self.look_every >= 0.0 && self.look_every.is_finite()) {
            return refuse("look_every", self.look_every, "from 0");
        }
        if !(self.crack_speed >= 0.0 && self.crack_speed.is_finite()) {
            return refuse("crack_speed", self.crack_speed, "from 0");
        }
        if !(0.0..1.0).contains(&self.smallest_piece) {
            return refuse("smallest_piece", self.smallest_piece, "from 0 to below 1");
        }
        Ok(())
    }
}
