//! `[[obstacle]]`: rigid bodies without fracture.

use super::body::Place;
use super::hold::Keyframe;
use craze_shape::Shape;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// A rigid obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenObstacle", into = "WrittenObstacle")]
pub struct Obstacle {
    /// Name by which pairs refer to the obstacle; never empty in a checked scene.
    pub name: String,
    /// The obstacle's shape before it is placed.
    pub shape: ObstacleShape,
    /// Where it is and, if it is free, how it moves at t = 0.
    pub place: Place,
    /// How it moves.
    pub motion: RigidMotion,
    /// Coulomb's coefficient of friction (1); that of `[contact]` if none.
    pub friction: Option<f64>,
    /// Speed kept in a bounce (1); that of `[contact]` if none.
    pub restitution: Option<f64>,
}

/// How an obstacle moves.
#[derive(Clone, Debug, PartialEq)]
pub enum RigidMotion {
    /// Not at all.
    Fixed,
    /// Along keyframes, whatever it meets; turns go about where its shape's origin was placed.
    Keyframes(Vec<Keyframe>),
    /// As a free rigid body.
    Free {
        /// Mass (kg), spread evenly over the shape.
        mass: f64,
    },
}

/// The shape of an obstacle before it is placed: whatever a body may be, or a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObstacleShape {
    /// Everything below a plane.
    Plane {
        /// Which plane.
        plane: Plane,
    },
    /// A shape that bodies have, too.
    Solid(Shape),
}

/// Everything below a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of the plane.
    #[schemars(extend("x-unit" = "m"))]
    pub point: [f64; 3],
    /// Direction out of the obstacle; any length.
    #[schemars(extend("x-unit" = "1"))]
    pub normal: [f64; 3],
}

impl JsonSchema for ObstacleShape {
    fn schema_name() -> Cow<'static, str> {
        "ObstacleShape".into()
    }

    /// The choice of [`Shape`] with one more option in front.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let plane = json_schema!({
            "type": "object",
            "description": "Everything below a plane.",
            "properties": { "plane": generator.subschema_for::<Plane>() },
            "required": ["plane"],
            "additionalProperties": false
        });
        let mut schema = Shape::json_schema(generator);
        if let Some(Value::Array(options)) = schema.get_mut("oneOf") {
            options.insert(0, plane.to_value());
        }
        schema
    }
}

/// An obstacle as the file spells it: it moves by whichever key is there.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-at-most-one" = ["motion", "mass"]))]
struct WrittenObstacle {
    /// Name by which pairs refer to the obstacle; numbered if left out.
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// The obstacle's shape before it is placed.
    shape: ObstacleShape,
    /// Where it is and, if it has a mass, how it moves at t = 0.
    #[serde(default)]
    place: Place,
    /// Moves the obstacle whatever it meets; turns go about where its shape's origin was placed.
    #[schemars(length(min = 1))]
    motion: Option<Vec<Keyframe>>,
    /// Mass of an obstacle that moves freely; without mass and motion it is fixed.
    #[schemars(extend("x-unit" = "kg", "exclusiveMinimum" = 0))]
    mass: Option<f64>,
    /// Coulomb's coefficient of friction; that of `[contact]` if left out.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    friction: Option<f64>,
    /// Speed kept in a bounce; that of `[contact]` if left out.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    restitution: Option<f64>,
}

impl TryFrom<WrittenObstacle> for Obstacle {
    type Error = &'static str;

    fn try_from(written: WrittenObstacle) -> Result<Self, Self::Error> {
        let WrittenObstacle { name, shape, place, motion, mass, friction, restitution } = written;
        let motion = match (motion, mass) {
            (None, None) => RigidMotion::Fixed,
            (Some(keyframes), None) => RigidMotion::Keyframes(keyframes),
            (None, Some(mass)) => RigidMotion::Free { mass },
            _ => return Err("an obstacle has at most one of motion and mass"),
        };
        Ok(Self { name: name.unwrap_or_default(), shape, place, motion, friction, restitution })
    }
}

impl From<Obstacle> for WrittenObstacle {
    fn from(obstacle: Obstacle) -> Self {
        let (motion, mass) = match obstacle.motion {
            RigidMotion::Fixed => (None, None),
            RigidMotion::Keyframes(keyframes) => (Some(keyframes), None),
            RigidMotion::Free { mass } => (None, Some(mass)),
        };
        let name = (!obstacle.name.is_empty()).then_some(obstacle.name);
        let Obstacle { shape, place, friction, restitution, .. } = obstacle;
        Self { name, shape, place, motion, mass, friction, restitution }
    }
}
