//! `[world]` and `[contact]`: what holds everywhere.

use craze_descriptor::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time, gravity and the random seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorldSettings {
    /// Simulated time.
    #[schemars(extend("x-unit" = "s", "exclusiveMinimum" = 0, "maximum" = 1e6))]
    pub duration: f64,
    /// Frames written a simulated second.
    #[schemars(extend("x-unit" = "1/s", "exclusiveMinimum" = 0, "maximum" = 1e6))]
    pub fps: f64,
    /// Acceleration of gravity.
    #[schemars(extend("x-unit" = "m/s²"))]
    pub gravity: [f64; 3],
    /// Seed of everything random, below 2⁶³; the same seed gives the same bits.
    pub seed: u64,
    /// Upper bound on the time step of all bodies; without it the bodies' stability decides.
    #[schemars(extend("x-unit" = "s", "exclusiveMinimum" = 0))]
    pub time_step: Option<f64>,
    /// Whether bodies move in time or march through equilibria.
    pub mode: Mode,
    /// Load steps a frame, in quasi-static mode only; 1 if left out.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub steps: Option<u32>,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            duration: 1.0,
            fps: 25.0,
            gravity: [0.0, -9.81, 0.0],
            seed: 1,
            time_step: None,
            mode: Mode::Dynamic,
            steps: None,
        }
    }
}

impl WorldSettings {
    /// Number of frames after the first: the last one lies at or just past the end of `duration`.
    pub fn frames(&self) -> u64 {
        // The tolerance keeps 0.1 s at 30 frames per second (3.0000000000000004) at three frames.
        (self.duration * self.fps * (1.0 - 1e-12)).ceil().max(1.0) as u64
    }
}

/// How time is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Bodies move by Newton's law.
    #[default]
    Dynamic,
    /// The load advances in steps; after each the bodies are at rest in equilibrium.
    QuasiStatic,
}

/// Friction and restitution of contacts for which neither the bodies nor a pair give values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Coulomb's coefficient of friction.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub friction: f64,
    /// Coefficient of restitution: 0 sticks, 1 loses no speed.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub restitution: f64,
    /// Which triangles are tested exactly for intersections in every frame; the run stops at the first.
    pub check_intersections: Checked,
    /// Whether bodies that intersect at t = 0 are separated slowly before contact acts between them, instead of being refused.
    pub separate_at_start: bool,
    /// Values for two named bodies or obstacles; they take precedence over all others.
    #[serde(rename = "pair")]
    pub pairs: Vec<ContactPair>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            check_intersections: Checked::Nothing,
            separate_at_start: false,
            pairs: Vec::new(),
        }
    }
}

/// Which triangles are tested for intersections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Checked {
    /// None.
    #[default]
    Nothing,
    /// Those of bodies, each against itself and all others.
    Bodies,
    /// Those of bodies, against obstacles too.
    Everything,
}

/// Friction, restitution and contact response between two named bodies or obstacles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactPair {
    /// Names of two bodies or obstacles; the same name twice means a body against itself.
    pub between: [String; 2],
    /// Coulomb's coefficient of friction; as without the pair if left out.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution; as without the pair if left out.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub restitution: Option<f64>,
    /// Contact response of two bodies; penalty forces need tetrahedra in both. As without the pair if left out.
    pub response: Option<Response>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_cover_the_duration_without_one_too_many() {
        let frames = |duration, fps| WorldSettings { duration, fps, ..WorldSettings::default() }.frames();
        assert_eq!(frames(1.0, 25.0), 25);
        assert_eq!(frames(0.1, 30.0), 3);
        assert_eq!(frames(0.11, 30.0), 4);
        assert_eq!(frames(1e-9, 25.0), 1);
    }
}
