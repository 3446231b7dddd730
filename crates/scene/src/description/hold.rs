//! `[[hold]]`: pins, handles and loads on regions of bodies.

use craze_descriptor::Region;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pin, handle or load on a region of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenHold", into = "WrittenHold")]
pub struct Hold {
    /// Name by which probes refer to the hold; never empty in a checked scene.
    pub name: String,
    /// Name of the body that is held.
    pub body: String,
    /// Which part of the body is held.
    pub region: Region,
    /// What the hold does.
    pub action: Action,
    /// Time from which on the hold does nothing (s).
    pub release: Option<f64>,
}

/// What a hold does with its region.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Fixes the region.
    Fixed,
    /// Moves the region rigidly along keyframes, with rotations about the centre of the held
    /// points.
    Motion(Vec<Keyframe>),
    /// Rotates the region about an axis.
    Twist(Twist),
    /// A force shared by the region's points by their mass.
    Force {
        /// Total force (N).
        total: [f64; 3],
        /// Factor over time; 1 throughout if empty.
        ramp: Vec<LoadKeyframe>,
    },
    /// A force per area on the body's surface within the region.
    Traction {
        /// Force per area of the surface at rest (Pa).
        per_area: [f64; 3],
        /// Factor over time; 1 throughout if empty.
        ramp: Vec<LoadKeyframe>,
    },
}

/// Pose of a rigid body at a time, relative to the start; linear in between.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub t: f64,
    /// Displacement from the start.
    #[serde(rename = "move", default)]
    #[schemars(extend("x-unit" = "m"))]
    pub shift: [f64; 3],
    /// Rotation from the start, about the x, then y, then z axis of the world.
    #[serde(default)]
    #[schemars(extend("x-unit" = "deg"))]
    pub turn: [f64; 3],
}

impl Keyframe {
    /// The rotation: about x first, then y, then z, all world axes.
    pub fn rotation(&self) -> craze_math::Rotation {
        super::body::rotation_from_degrees(self.turn)
    }
}

/// Factor of a load at a time; linear in between, constant before the first and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadKeyframe {
    /// Time.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub t: f64,
    /// Factor of the load.
    #[schemars(extend("x-unit" = "1"))]
    pub factor: f64,
}

/// A rotation about an axis, at a constant rate or along keyframes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenTwist", into = "WrittenTwist")]
pub struct Twist {
    /// Direction of the axis; any length.
    pub axis: [f64; 3],
    /// A point on the axis (m).
    pub through: [f64; 3],
    /// Angle over time.
    pub turning: Turning,
}

/// Angle of a twist over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Turning {
    /// At a constant rate (deg/s).
    Rate(f64),
    /// Along keyframes, linear in between.
    Keyframes(Vec<AngleKeyframe>),
}

/// Angle of a twist at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AngleKeyframe {
    /// Time.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub t: f64,
    /// Angle since the start.
    #[schemars(extend("x-unit" = "deg"))]
    pub angle: f64,
}

/// A hold with the keys of the file: its action is the one key that is given.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-at-most-one" = ["motion", "twist", "force", "traction"]))]
struct WrittenHold {
    /// Name by which probes refer to the hold; numbered if left out.
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// Name of the body that is held.
    body: String,
    /// Which part of the placed body is held, in world coordinates at t = 0.
    region: Region,
    /// Moves the region rigidly, with rotations about the centre of the held points.
    #[schemars(length(min = 1))]
    motion: Option<Vec<Keyframe>>,
    /// Rotates the region about an axis.
    twist: Option<Twist>,
    /// Total force on the region, shared by mass.
    #[schemars(extend("x-unit" = "N"))]
    force: Option<[f64; 3]>,
    /// Force per area of the body's surface at rest within the region.
    #[schemars(extend("x-unit" = "Pa"))]
    traction: Option<[f64; 3]>,
    /// Factor over time of `force` or `traction`; 1 throughout if left out.
    #[serde(default)]
    ramp: Vec<LoadKeyframe>,
    /// Time from which on the hold does nothing; never if left out.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    release: Option<f64>,
}

impl TryFrom<WrittenHold> for Hold {
    type Error = &'static str;

    fn try_from(written: WrittenHold) -> Result<Self, Self::Error> {
        let WrittenHold { name, body, region, motion, twist, force, traction, ramp, release } = written;
        let action = match (motion, twist, force, traction) {
            (None, None, Some(total), None) => Action::Force { total, ramp },
            (None, None, None, Some(per_area)) => Action::Traction { per_area, ramp },
            _ if !ramp.is_empty() => return Err("`ramp` goes with `force` or `traction`"),
            (None, None, None, None) => Action::Fixed,
            (Some(keyframes), None, None, None) => Action::Motion(keyframes),
            (None, Some(twist), None, None) => Action::Twist(twist),
            _ => return Err("a hold has at most one of motion, twist, force and traction"),
        };
        Ok(Self { name: name.unwrap_or_default(), body, region, action, release })
    }
}

impl From<Hold> for WrittenHold {
    fn from(hold: Hold) -> Self {
        let Hold { name, body, region, action, release } = hold;
        let name = (!name.is_empty()).then_some(name);
        let (mut motion, mut twist, mut force, mut traction, mut ramp) = (None, None, None, None, Vec::new());
        match action {
            Action::Fixed => {}
            Action::Motion(keyframes) => motion = Some(keyframes),
            Action::Twist(action) => twist = Some(action),
            Action::Force { total, ramp: factors } => (force, ramp) = (Some(total), factors),
            Action::Traction { per_area, ramp: factors } => (traction, ramp) = (Some(per_area), factors),
        }
        Self { name, body, region, motion, twist, force, traction, ramp, release }
    }
}

/// A twist with the keys of the file.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-exactly-one" = ["rate", "keyframes"]))]
struct WrittenTwist {
    /// Direction of the axis; any length.
    #[schemars(extend("x-unit" = "1"))]
    axis: [f64; 3],
    /// A point on the axis.
    #[schemars(extend("x-unit" = "m"))]
    through: [f64; 3],
    /// Constant angular velocity.
    #[schemars(extend("x-unit" = "deg/s"))]
    rate: Option<f64>,
    /// Angle over time; linear in between.
    #[schemars(length(min = 1))]
    keyframes: Option<Vec<AngleKeyframe>>,
}

impl TryFrom<WrittenTwist> for Twist {
    type Error = &'static str;

    fn try_from(written: WrittenTwist) -> Result<Self, Self::Error> {
        let turning = match (written.rate, written.keyframes) {
            (Some(rate), None) => Turning::Rate(rate),
            (None, Some(keyframes)) => Turning::Keyframes(keyframes),
            _ => return Err("a twist has exactly one of rate and keyframes"),
        };
        Ok(Self { axis: written.axis, through: written.through, turning })
    }
}

impl From<Twist> for WrittenTwist {
    fn from(twist: Twist) -> Self {
        let (rate, keyframes) = match twist.turning {
            Turning::Rate(rate) => (Some(rate), None),
            Turning::Keyframes(keyframes) => (None, Some(keyframes)),
        };
        Self { axis: twist.axis, through: twist.through, rate, keyframes }
    }
}
