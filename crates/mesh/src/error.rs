//! Errors of meshes and edits.

use crate::attributes::AttributeError;
use crate::facet::FacetFault;
use crate::id::{Id, NONE};
use std::fmt::{self, Display};
use thiserror::Error;

/// Points of a facet or element, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corners {
    points: [u32; 4],
}

impl Corners {
    /// Up to four points; entries of `u32::MAX` are omitted.
    pub(crate) fn new(listed: &[u32]) -> Self {
        let mut points = [NONE; 4];
        for (slot, &point) in points.iter_mut().zip(listed) {
            *slot = point;
        }
        Self { points }
    }

    /// The indices of the points.
    pub fn points(&self) -> impl Iterator<Item = u32> + '_ {
        self.points.iter().copied().filter(|&point| point != NONE)
    }
}

impl Display for Corners {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, point) in self.points().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(formatter, "{separator}{point}")?;
        }
        Ok(())
    }
}

/// The first fault of a mesh.
#[derive(Clone, PartialEq, Debug, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum MeshError<P: Id, E: Id> {
    /// More elements or points than 32-bit adjacency can index.
    #[error("{points} points and {elements} elements are more than a mesh can hold")]
    TooMany { points: usize, elements: usize },
    #[error("{point} has the position ({}, {}, {}), which is not finite", position[0], position[1], position[2])]
    NotFinite {
        point: P,
        /// Its position (m).
        position: [f64; 3],
    },
    #[error("{element} refers to {point}, but there are only {count}")]
    OutOfRange { element: E, point: P, count: usize },
    #[error("{element} refers to {point} twice")]
    RepeatedPoint { element: E, point: P },
    /// A tetrahedron is degenerate or inverted, or a triangle has no area.
    #[error("{element} has measure {measure:e}, which is not positive")]
    NotPositive {
        element: E,
        /// Its signed volume (m³) or area (m²).
        measure: f64,
    },
    /// A point belongs to no element, so it would have no mass.
    #[error("{point} belongs to no element")]
    Unused { point: P },
    #[error("the facet ({facet}) of {} is shared with {} and {}", elements[0], elements[1], elements[2])]
    FacetShared {
        facet: Corners,
        /// The first three of its elements.
        elements: [E; 3],
    },
    #[error("{} and {} have opposite orientations at their facet ({facet})", elements[0], elements[1])]
    Orientation { facet: Corners, elements: [E; 2] },
    #[error("{} and {} have the same points", elements[0], elements[1])]
    Duplicate { elements: [E; 2] },
    #[error("{element} has a wrong neighbour through the facet opposite corner {corner}")]
    Neighbour {
        element: E,
        /// The facet.
        corner: u8,
    },
    #[error("the list of elements at {point} disagrees with the elements")]
    Incidence { point: P },
    /// An attribute does not match the mesh.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    #[error("{length} saved corners are not a multiple of {corners}")]
    Truncated { length: usize, corners: usize },
}

impl<P: Id, E: Id> From<FacetFault> for MeshError<P, E> {
    fn from(fault: FacetFault) -> Self {
        match fault {
            FacetFault::Shared { facet, elements } => {
                Self::FacetShared { facet: Corners::new(&facet), elements: elements.map(E::new) }
            }
            FacetFault::SameWinding { facet, elements } => {
                Self::Orientation { facet: Corners::new(&facet), elements: elements.map(E::new) }
            }
            FacetFault::Duplicate { elements } => Self::Duplicate { elements: elements.map(E::new) },
        }
    }
}

/// Why an edit failed; the mesh is unchanged.
#[derive(Clone, PartialEq, Debug, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum EditError<P: Id, E: Id> {
    #[error("{point} does not exist")]
    NoSuchPoint { point: P },
    #[error("{element} does not exist")]
    NoSuchElement { element: E },
    #[error("there is no edge between {} and {}", ends[0], ends[1])]
    NoSuchEdge { ends: [P; 2] },
    /// The facet does not exist or has no neighbour.
    #[error("{element} has no neighbour opposite corner {corner}")]
    NoNeighbour { element: E, corner: usize },
    #[error("{what} is {value}, but must be {range}")]
    OutOfRange {
        what: &'static str,
        value: f64,
        /// The range in words.
        range: &'static str,
    },
    #[error("{found} current positions were given for {expected} points")]
    PositionCount { expected: usize, found: usize },
    /// An element would be degenerate or inverted.
    #[error("an element with the points ({corners}) would have measure {measure:e}")]
    Inverts {
        /// The points of the element; indices beyond the mesh's count are new points.
        corners: Corners,
        /// Its signed volume (m³) or area (m²).
        measure: f64,
    },
    /// An element would reverse its orientation.
    #[error("the triangle with the points ({corners}) would be reversed")]
    Reverses { corners: Corners },
    /// The edit would change the shape of the body.
    #[error("the elements of the edit have measure {before:e} and would have {after:e}")]
    MeasureChanges {
        /// Volume (m³) or area (m²) before.
        before: f64,
        /// Volume (m³) or area (m²) after.
        after: f64,
    },
    /// The collapse would change the topology (link condition).
    #[error(
        "{} and {} cannot be merged: their links share ({shared}), which is not in the link of their edge",
        ends[0], ends[1]
    )]
    LinkCondition {
        ends: [P; 2],
        /// The simplex in both links that is not in the link of the edge; empty for the boundary
        /// itself.
        shared: Corners,
    },
    #[error("the edge of {} and {} is on the boundary", ends[0], ends[1])]
    BoundaryEdge { ends: [P; 2] },
    #[error("{found} elements share the edge of {} and {}, but the flip needs {needed}", ends[0], ends[1])]
    Ring { ends: [P; 2], found: usize, needed: usize },
    #[error("{} and {} have an edge already", ends[0], ends[1])]
    EdgeExists { ends: [P; 2] },
    /// The patch would make a facet non-manifold: a third element, or two on the same side.
    #[error("the facet ({facet}) would be non-manifold")]
    NonManifoldFacet { facet: Corners },
    /// One side of the plane is empty: there is nothing to separate.
    #[error("the {side} side of the plane at {point} is empty")]
    SideEmpty { point: P, side: Side },
    #[error("{point} is not a corner of {element}")]
    NotIncident { element: E, point: P },
    /// One side of a partition is empty.
    #[error("{selected} of {all} elements at {point} are selected: one side would be empty")]
    EmptySide { point: P, selected: usize, all: usize },
    /// The elements are connected through facets already.
    #[error("the elements at ({at}) are connected")]
    Connected {
        /// The point or the ends of the edge.
        at: Corners,
    },
    #[error("{point} would move, but its element {element} is not in the patch")]
    MovesOutside { point: P, element: E },
    /// An inconsistent patch.
    #[error("{what} {entry} of the patch {wrong}")]
    Patch { what: &'static str, entry: usize, wrong: &'static str },
    #[error("the mesh cannot hold more elements")]
    TooMany,
}

/// The two sides of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// In direction of the normal.
    Positive,
    /// Against the normal.
    Negative,
}

impl Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
        })
    }
}
