//! Choices that a scene makes for a solid, and what is refused.

use craze_material::MaterialError;
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// How a solid moves from one moment to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Integrator {
    /// Velocity first, then position with the new velocity: first order, keeps energy over any
    /// time. The default.
    #[default]
    SymplecticEuler,
    /// Position and velocity with the old rates. First order; it feeds energy into every vibration
    /// that damping does not take out.
    ForwardEuler,
    /// Second-order Taylor series with the jerk (READINGS 4): x + Δt·v + ½Δt²·a, v + Δt·a + ½Δt²·j.
    Taylor,
    /// Backward Euler by Newton's method: stable at any Δt, damps what is faster than Δt.
    Implicit,
}

/// Choices for a solid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolidOptions {
    /// How it moves.
    pub integrator: Integrator,
    /// Share of its rest volume below which an element resists collapse; 0 is the law of the paper.
    /// See [`craze_element::CollapseGuard`].
    pub collapse_guard: f64,
    /// Strain below which a free piece counts as at rest in itself and flies as a rigid body; 0:
    /// never.
    pub rest_strain: f64,
    /// A bound on Δt for accuracy (s); infinite for none.
    pub longest_time_step: f64,
    /// Whether it breaks where its materials say so.
    pub breaks: bool,
    /// Distance from a crack plane up to which a node counts as lying in it, in mean edges about
    /// the crack's node. The paper has 5 mm.
    pub snap_distance: f64,
    /// Angle (rad) likewise, seen from the crack's node.
    pub snap_angle: f64,
    /// Smallest height of an element that a crack may make, in smallest heights of the unbroken
    /// body (its thinnest twentieth aside): thin elements ask for short steps.
    pub thinnest: f64,
    /// Share of critical damping that an element's own fastest vibration may have; elements that
    /// would have more have less viscosity. 0: all of it whatever they have, as in the paper, and
    /// steps that shrink with the square of the thinnest element. Implicit steps need none of it.
    /// What sound crosses in the time by which viscous stress lags should be a typical element at
    /// most, or the whole body is damped less.
    pub most_damping: f64,
    /// Whether a crack that turns sharply may also cut what lies behind its tip, as in the paper
    /// (its Figure 12 b).
    pub turns_back: bool,
    /// Splits that are done in one step at most; what else fails waits for the next.
    pub splits_a_step: u32,
    /// Time (s) from one look at what fails to the next; 0: after every step, as in the paper. With
    /// it, cracks advance by [`splits_a_step`](Self::splits_a_step) in this time at most, however
    /// short the steps are.
    pub look_every: f64,
    /// Speed of cracks at most, in speeds of sound along a thin bar: nodes around a split one wait
    /// for as long as a crack takes to them. What the crack unloads in that time does not fail, so
    /// that it stays a crack and does not become a band of debris. 0: no wait, as in the paper.
    pub crack_speed: f64,
    /// Share of the body's volume below which nothing breaks off, and pieces break no further; 0:
    /// anything may, as in the paper. A split that would part less is refused. What is ground to
    /// debris takes longer to compute than all the rest, and is thrown away.
    pub smallest_piece: f64,
    /// Whether its parts keep each other apart once it has broken. Without, they pass through each
    /// other, and steps are quicker.
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
    /// Whether a step from one moment to another (s) ends with a look at what fails. It follows
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
