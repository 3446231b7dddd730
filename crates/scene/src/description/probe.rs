//! `[[probe]]`: quantities recorded over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A quantity recorded over time in probes.csv.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenProbe", into = "WrittenProbe")]
pub struct Probe {
    /// Name of the column.
    pub name: String,
    /// What is recorded.
    pub quantity: Quantity,
    /// Time between two records (s); every frame if none.
    pub every: Option<f64>,
}

/// What a probe records.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Shift of a material point since t = 0 (m).
    Displacement(BodyPoint),
    /// Velocity of a material point (m/s).
    Velocity(BodyPoint),
    /// Position of a material point (m).
    Position(BodyPoint),
    /// Force with which a hold acts on its body (N).
    Reaction(HoldName),
    /// Kinetic, elastic and gravitational energy of a body (J).
    Energy(BodyName),
    /// Number of pieces of a body.
    Pieces(BodyName),
}

/// A material point of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyPoint {
    /// Name of the body.
    pub body: String,
    /// Where the point is at t = 0, in world coordinates; the nearest point of the body is taken.
    #[schemars(extend("x-unit" = "m"))]
    pub point: [f64; 3],
}

/// A body by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyName {
    /// Name of the body.
    pub body: String,
}

/// A hold by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldName {
    /// Name of the hold.
    pub hold: String,
}

/// A probe as the file spells it: it records whichever key is there.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-exactly-one" = ["displacement", "velocity", "position", "reaction", "energy", "pieces"]))]
struct WrittenProbe {
    /// Name of the column in probes.csv; unique in the scene.
    #[schemars(length(min = 1))]
    name: String,
    /// Records the shift of a material point since t = 0 (m).
    displacement: Option<BodyPoint>,
    /// Records the velocity of a material point (m/s).
    velocity: Option<BodyPoint>,
    /// Records the position of a material point (m).
    position: Option<BodyPoint>,
    /// Records the force with which a hold acts on its body (N).
    reaction: Option<HoldName>,
    /// Records the kinetic, elastic and gravitational energy of a body (J).
    energy: Option<BodyName>,
    /// Records the number of pieces of a body.
    pieces: Option<BodyName>,
    /// Time between two records; every frame if left out.
    #[schemars(extend("x-unit" = "s", "exclusiveMinimum" = 0))]
    every: Option<f64>,
}

impl TryFrom<WrittenProbe> for Probe {
    type Error = &'static str;

    fn try_from(written: WrittenProbe) -> Result<Self, Self::Error> {
        let mut quantities = [
            written.displacement.map(Quantity::Displacement),
            written.velocity.map(Quantity::Velocity),
            written.position.map(Quantity::Position),
            written.reaction.map(Quantity::Reaction),
            written.energy.map(Quantity::Energy),
            written.pieces.map(Quantity::Pieces),
        ]
        .into_iter()
        .flatten();
        match (quantities.next(), quantities.next()) {
            (Some(quantity), None) => Ok(Self { name: written.name, quantity, every: written.every }),
            _ => Err("a probe records exactly one quantity"),
        }
    }
}

impl From<Probe> for WrittenProbe {
    fn from(probe: Probe) -> Self {
        let mut written = Self { name: probe.name, every: probe.every, ..Self::default() };
        match probe.quantity {
            Quantity::Displacement(point) => written.displacement = Some(point),
            Quantity::Velocity(point) => written.velocity = Some(point),
            Quantity::Position(point) => written.position = Some(point),
            Quantity::Reaction(hold) => written.reaction = Some(hold),
            Quantity::Energy(body) => written.energy = Some(body),
            Quantity::Pieces(body) => written.pieces = Some(body),
        }
        written
    }
}
