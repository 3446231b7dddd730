//! What happened and when: fracture is data.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Something that happened to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// The body's name; the world fills it in.
    pub body: String,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum EventKind {
    /// Matter failed and was split.
    Split {
        /// Where (m).
        place: Vec3,
        /// Unit normal of the crack plane.
        normal: Vec3,
        /// What exceeded its limit there.
        #[serde(flatten)]
        measure: FailureMeasure,
        /// The piece that was split.
        parent: u32,
        /// The pieces it became: the parent, whose number the largest of them keeps, and those with
        /// new numbers. The parent alone if the crack did not separate it.
        children: Vec<u32>,
    },
    /// A step was thrown away and tried again with half the Δt.
    Retry {
        /// The Δt that failed (s).
        time_step: f64,
        /// Why.
        reason: String,
    },
    /// Quasi-static runs only: matter failed and split at a constant load, until nothing failed.
    LoadDrop {
        /// Nodes that split.
        splits: u64,
        /// Equilibria that were found on the way.
        balances: u32,
        /// Forces of the body's holds.
        holds: Vec<HoldReaction>,
    },
    /// Impulses did not keep surfaces apart: what was about to pass through each other was moved together, as impact zones.
    Zones {
        /// Points in zones.
        points: u64,
        /// Those in zones that were moved as rigid bodies.
        rigid_points: u64,
    },
    /// A body began to fly as a rigid one.
    Sleep {
        /// Its piece.
        piece: u32,
    },
    /// A rigid flight ended.
    Wake {
        /// Its piece.
        piece: u32,
    },
}

/// Force of a hold on its body before and after splits at a constant load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoldReaction {
    /// Name of the hold.
    pub hold: String,
    /// In the equilibrium in which the first node failed (N).
    pub before: Vec3,
    /// In the equilibrium in which nothing fails any more (N).
    pub after: Vec3,
}

/// The quantity that a fracture criterion compares with its limit, as found where matter failed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureMeasure {
    /// Stress across the crack plane (Pa).
    Stress(f64),
    /// Force that separates a node (N): O'Brien & Hodgins 1999, (32).
    Force(f64),
    /// Current over rest length (1).
    Stretch(f64),
}

impl FailureMeasure {
    /// The number, in the unit of its variant.
    pub fn value(&self) -> f64 {
        let (FailureMeasure::Stress(value) | FailureMeasure::Force(value) | FailureMeasure::Stretch(value)) = *self;
        value
    }
}
