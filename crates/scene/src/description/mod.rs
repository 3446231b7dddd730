//! The keys of a scene: these types are the one definition of scene files.
//!
//! Parsing, the JSON Schema, the reference in docs/scenes.md and the written scene all follow from them. Besides serde's
//! attributes three extensions of JSON Schema are used: `x-unit` (the unit of a number), `x-at-most-one` and
//! `x-exactly-one` (keys of which a table may or must have one). Limits (`minimum`, `exclusiveMinimum`, …) on a list
//! hold for each of its numbers.

mod body;
mod crack;
mod hold;
mod look;
mod obstacle;
mod picture;
mod probe;
mod touch;
mod world;

pub use body::{Body, Place, RegionMaterial, RegionMaterials, Tables};
pub use crack::{Crack, CrackShape, Disc, Polygon, Strip};
pub use hold::{Action, AngleKeyframe, Hold, Keyframe, LoadKeyframe, Turning, Twist};
pub use look::LookSettings;
pub use obstacle::{Obstacle, ObstacleShape, Plane, RigidMotion};
pub use picture::{Camera, ColorBy, Output, Picture};
pub use probe::{BodyName, BodyPoint, HoldName, Probe, Quantity};
pub use touch::Touch;
pub use world::{Checked, ContactPair, ContactSettings, Mode, WorldSettings};

pub use craze_descriptor::{Integrator, Painted, Region, Response, Sampling};
pub use craze_shape::{Meshing, Pattern, Shape};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A scene: the world, what is in it, what acts on it, and what to record. SI units, y up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Title in listings.
    pub title: Option<String>,
    /// What the scene shows, in a sentence or two.
    pub description: Option<String>,
    /// Time, gravity and the random seed.
    pub world: WorldSettings,
    /// Friction and restitution of contacts.
    pub contact: ContactSettings,
    /// Bodies that deform and break.
    #[serde(rename = "body")]
    pub bodies: Vec<Body>,
    /// Cracks that bodies have from the start.
    #[serde(rename = "crack")]
    pub cracks: Vec<Crack>,
    /// Pins, handles and loads on regions of bodies.
    #[serde(rename = "hold")]
    pub holds: Vec<Hold>,
    /// Rigid obstacles: fixed, moved by keyframes, or free with a mass.
    #[serde(rename = "obstacle")]
    pub obstacles: Vec<Obstacle>,
    /// Quantities recorded over time.
    #[serde(rename = "probe")]
    pub probes: Vec<Probe>,
    /// Where pictures are taken from; without it the camera frames the scene by itself.
    pub camera: Option<Camera>,
    /// Settings of pictures.
    pub picture: Picture,
    /// What a run writes.
    pub output: Output,
}

impl Scene {
    /// Makes the paths of all model files start at `folder` where they are relative.
    ///
    /// A scene's files are looked for beside the scene file; a written copy that lies elsewhere needs them resolved.
    pub fn resolve_files(&mut self, folder: &Path) {
        let of_bodies = self.bodies.iter_mut().filter_map(|body| match &mut body.shape {
            Shape::Mesh(model) => Some(&mut model.file),
            _ => None,
        });
        let of_obstacles = self.obstacles.iter_mut().filter_map(|obstacle| match &mut obstacle.shape {
            ObstacleShape::Solid(Shape::Mesh(model)) => Some(&mut model.file),
            _ => None,
        });
        for file in of_bodies.chain(of_obstacles) {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
    }
}
