//! `[[crack]]`: cracks that a body has from the start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A crack that a body has at t = 0: both faces coincide, and nothing joins them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenCrack", into = "WrittenCrack")]
pub struct Crack {
    /// Name in messages; never empty in a checked scene.
    pub name: String,
    /// Name of the cracked body.
    pub body: String,
    /// Where the crack is.
    pub shape: CrackShape,
}

/// Shape of a crack.
#[derive(Clone, Debug, PartialEq)]
pub enum CrackShape {
    /// Between two lines.
    Strip(Strip),
    /// Circular.
    Disc(Disc),
    /// With straight sides.
    Polygon(Polygon),
}

/// A crack between two parallel lines without end: a straight slit through a plate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strip {
    /// A point on one front; outside the body for an edge crack.
    #[schemars(extend("x-unit" = "m"))]
    pub from: [f64; 3],
    /// A point on the other front.
    #[schemars(extend("x-unit" = "m"))]
    pub to: [f64; 3],
    /// Direction of both fronts; any length.
    #[serde(default = "Strip::along")]
    #[schemars(extend("x-unit" = "1"))]
    pub along: [f64; 3],
}

impl Strip {
    fn along() -> [f64; 3] {
        [0.0, 0.0, 1.0]
    }
}

/// A penny-shaped crack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Centre.
    #[schemars(extend("x-unit" = "m"))]
    pub center: [f64; 3],
    /// Normal of its plane; any length.
    #[schemars(extend("x-unit" = "1"))]
    pub normal: [f64; 3],
    /// Radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// A flat crack with straight sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polygon {
    /// Corners in order, in one plane; parts outside the body do no harm.
    #[schemars(extend("x-unit" = "m"), length(min = 3, max = 1000))]
    pub points: Vec<[f64; 3]>,
}

/// A crack with the keys of the file: its shape is the one key that is given.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-exactly-one" = ["strip", "disc", "polygon"]))]
struct WrittenCrack {
    /// Name in messages; numbered if left out.
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// Name of the cracked body, of a method with tetrahedra.
    body: String,
    /// Between two parallel lines without end: a straight slit through a plate. In world
    /// coordinates at t = 0, as all cracks.
    strip: Option<Strip>,
    /// A penny-shaped crack.
    disc: Option<Disc>,
    /// A flat crack with straight sides.
    polygon: Option<Polygon>,
}

impl TryFrom<WrittenCrack> for Crack {
    type Error = &'static str;

    fn try_from(written: WrittenCrack) -> Result<Self, Self::Error> {
        let WrittenCrack { name, body, strip, disc, polygon } = written;
        let shape = match (strip, disc, polygon) {
            (Some(strip), None, None) => CrackShape::Strip(strip),
            (None, Some(disc), None) => CrackShape::Disc(disc),
            (None, None, Some(polygon)) => CrackShape::Polygon(polygon),
            _ => return Err("a crack has exactly one of strip, disc and polygon"),
        };
        Ok(Self { name: name.unwrap_or_default(), body, shape })
    }
}

impl From<Crack> for WrittenCrack {
    fn from(crack: Crack) -> Self {
        let Crack { name, body, shape } = crack;
        let name = (!name.is_empty()).then_some(name);
        let (mut strip, mut disc, mut polygon) = (None, None, None);
        match shape {
            CrackShape::Strip(shape) => strip = Some(shape),
            CrackShape::Disc(shape) => disc = Some(shape),
            CrackShape::Polygon(shape) => polygon = Some(shape),
        }
        Self { name, body, strip, disc, polygon }
    }
}
