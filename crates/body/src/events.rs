//! Events of pieces that a body has not reported yet.

use craze_engine::{Event, EventKind, FailureMeasure};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// What happened to a piece. Bodies save unreported events, so the order of variants and fields is
/// part of their format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PieceEvent {
    /// It entered rigid-body mode.
    Slept(u32),
    /// It left rigid-body mode.
    Woke(u32),
    /// See [`EventKind::Split`].
    Split {
        /// Where it split (m).
        place: Vec3,
        /// Unit normal of the plane.
        normal: Vec3,
        /// What failed, and by how much.
        measure: FailureMeasure,
        /// The piece.
        parent: u32,
        /// The pieces that it became.
        children: Vec<u32>,
    },
}

impl From<PieceEvent> for EventKind {
    fn from(event: PieceEvent) -> EventKind {
        match event {
            PieceEvent::Slept(piece) => EventKind::Sleep { piece },
            PieceEvent::Woke(piece) => EventKind::Wake { piece },
            PieceEvent::Split { place, normal, measure, parent, children } => {
                EventKind::Split { place, normal, measure, parent, children }
            }
        }
    }
}

/// Moves events to the list of the world, dated `time` (s). The world fills in the name of the
/// body.
pub fn report(events: &mut Vec<PieceEvent>, time: f64, list: &mut Vec<Event>) {
    list.extend(events.drain(..).map(|event| Event { time, body: String::new(), kind: event.into() }));
}
