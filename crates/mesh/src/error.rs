//! What can be wrong with a mesh, and why an edit is refused.

use crate::attributes::AttributeError;
use crate::facet::FacetFault;
use crate::id::{Id, NONE};
use std::fmt::{self, Display};
use thiserror::Error;

/// Points of a facet or element, written as a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corners {
    points: [u32; 4],
}

impl Corners {
    /// Up to four points; entries of `u32::MAX` are left out.
    pub(crate) fn new(listed: &[u32]) -> Self {
        let mut points = [NONE; 4];
        for (place, &point) in points.iter_mut().zip(listed) {
            *place = point;
        }
        Self { points }
    }

    /// The points' indices.
    pub fn points(&self) -> impl Iterator<Item = u32> + '_ {
        self.points.iter().copied().filter(|&point| point != NONE)
    }
}

impl Display for Corners {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, point) in self.points().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            write!(formatter, "{separator}{point}")?;
        }
        Ok(())
    }
}

/// The first thing that is wrong with a mesh.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum MeshError<P: Id, E: Id> {
    /// More elements or points than 32-bit adjacency can name.
    #[error("{points} points and {elements} elements are more than a mesh can hold")]
    TooMany {
        /// Points given.
        points: usize,
        /// Elements given.
        elements: usize,
    },
    /// A coordinate is not a finite number.
    #[error("{point} lies at ({}, {}, {}), which is not a place", position[0], position[1], position[2])]
    NotFinite {
        /// The point.
        point: P,
        /// Its position (m).
        position: [f64; 3],
    },
    /// An element names a point that does not exist.
    #[error("{element} names {point}, but there are only {count}")]
    OutOfRange {
        /// The element.
        element: E,
        /// The point it names.
        point: P,
        /// How many points there are.
        count: usize,
    },
    /// An element names a point twice.
    #[error("{element} names {point} twice")]
    RepeatedPoint {
        /// The element.
        element: E,
        /// The point.
        point: P,
    },
    /// A tetrahedron is flat or inside out, or a triangle has no area.
    #[error("{element} has measure {measure:e}, which is not positive")]
    NotPositive {
        /// The element.
        element: E,
        /// Its signed volume (m³) or area (m²).
        measure: f64,
    },
    /// A point belongs to no element: it would have no mass.
    #[error("{point} belongs to no element")]
    Unused {
        /// The point.
        point: P,
    },
    /// More than two elements meet in a facet.
    #[error("the facet ({facet}) of {} is shared with {} and {}", elements[0], elements[1], elements[2])]
    FacetShared {
        /// The facet's points.
        facet: Corners,
        /// The first three elements that have it.
        elements: [E; 3],
    },
    /// Two neighbours are wound against each other.
    #[error("{} and {} are oriented against each other at their facet ({facet})", elements[0], elements[1])]
    Orientation {
        /// The facet's points.
        facet: Corners,
        /// The two elements.
        elements: [E; 2],
    },
    /// Two elements have the same points.
    #[error("{} and {} have the same points", elements[0], elements[1])]
    Duplicate {
        /// The two elements.
        elements: [E; 2],
    },
    /// Stored neighbours are not those of the elements.
    #[error("{element} has a wrong neighbour through the facet opposite corner {corner}")]
    Neighbour {
        /// The element.
        element: E,
        /// The facet.
        corner: u8,
    },
    /// The stored list of a point's elements is not right.
    #[error("the list of elements at {point} disagrees with the elements")]
    Incidence {
        /// The point.
        point: P,
    },
    /// An attribute does not fit the mesh.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// A saved mesh is cut short: its elements do not come in whole numbers of corners.
    #[error("{length} saved corners do not make whole elements of {corners}")]
    Truncated {
        /// Corners saved.
        length: usize,
        /// Corners an element.
        corners: usize,
    },
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

/// Why an edit is refused; the mesh is then exactly as before.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum EditError<P: Id, E: Id> {
    /// The point does not exist.
    #[error("{point} does not exist")]
    NoSuchPoint {
        /// The point.
        point: P,
    },
    /// The element does not exist.
    #[error("{element} does not exist")]
    NoSuchElement {
        /// The element.
        element: E,
    },
    /// No element joins the two points.
    #[error("no edge joins {} and {}", ends[0], ends[1])]
    NoSuchEdge {
        /// The two points.
        ends: [P; 2],
    },
    /// The element has no such facet, or nothing lies behind it.
    #[error("{element} has no neighbour opposite corner {corner}")]
    NoNeighbour {
        /// The element.
        element: E,
        /// The corner that was asked for.
        corner: usize,
    },
    /// A number lies outside its range.
    #[error("{what} is {value}, but must lie {range}")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: f64,
        /// Where it may lie, in words.
        range: &'static str,
    },
    /// Current positions were given for another number of points.
    #[error("{found} current positions were given for {expected} points")]
    PositionCount {
        /// Points of the mesh.
        expected: usize,
        /// Positions given.
        found: usize,
    },
    /// An element would become flat or turn inside out.
    #[error("an element with the points ({corners}) would have measure {measure:e}")]
    Inverts {
        /// The points of the element; points beyond the mesh's count are new ones.
        corners: Corners,
        /// Its signed volume (m³) or area (m²).
        measure: f64,
    },
    /// An element would face the other way.
    #[error("the triangle with the points ({corners}) would turn over")]
    TurnsOver {
        /// The points of the element.
        corners: Corners,
    },
    /// The edit would change the shape of the body.
    #[error("the elements around the edit fill {before:e} and would fill {after:e}")]
    MeasureChanges {
        /// Volume (m³) or area (m²) before.
        before: f64,
        /// Volume (m³) or area (m²) after.
        after: f64,
    },
    /// Collapsing the edge would change the topology (link condition).
    #[error(
        "{} and {} cannot be joined: what they share at ({shared}) is more than their edge's surroundings",
        ends[0], ends[1]
    )]
    LinkCondition {
        /// The ends of the edge.
        ends: [P; 2],
        /// The simplex in both links that is not in the link of the edge; empty for the surface itself.
        shared: Corners,
    },
    /// The edge lies on the boundary, where this flip does not exist.
    #[error("the edge of {} and {} lies on the boundary", ends[0], ends[1])]
    BoundaryEdge {
        /// The ends of the edge.
        ends: [P; 2],
    },
    /// The flip needs another number of elements around its edge.
    #[error("{found} elements surround the edge of {} and {}, the flip needs {needed}", ends[0], ends[1])]
    Ring {
        /// The ends of the edge.
        ends: [P; 2],
        /// Elements around the edge.
        found: usize,
        /// Elements the flip needs.
        needed: usize,
    },
    /// The edge that the flip would make exists already.
    #[error("{} and {} are joined by an edge already", ends[0], ends[1])]
    EdgeExists {
        /// The ends of the edge.
        ends: [P; 2],
    },
    /// The patch would put a third element at a facet, or two on the same side of it.
    #[error("the facet ({facet}) would be shared in a way that no mesh allows")]
    FacetTaken {
        /// The facet's points.
        facet: Corners,
    },
    /// The plane leaves one side of the star empty: there is nothing to separate.
    #[error("the plane at {point} leaves its {side} side empty")]
    SideEmpty {
        /// The point whose star was to be cut.
        point: P,
        /// The side on which nothing lies.
        side: Side,
    },
    /// The element does not touch the point.
    #[error("{element} does not touch {point}")]
    NotIncident {
        /// The element.
        element: E,
        /// The point.
        point: P,
    },
    /// A partition in which one part is empty.
    #[error("{parted} of {all} elements at {point} were named: one part would be empty")]
    NothingParted {
        /// The point.
        point: P,
        /// Elements named.
        parted: usize,
        /// Elements at the point.
        all: usize,
    },
    /// All elements there hang together already.
    #[error("the elements at ({at}) all hang together")]
    OnePart {
        /// The point or the ends of the edge.
        at: Corners,
    },
    /// A point would move although elements that touch it are not part of the patch.
    #[error("{point} would move, but {element} at it is not part of the patch")]
    MovesOutside {
        /// The point.
        point: P,
        /// The element left out.
        element: E,
    },
    /// A patch that contradicts itself.
    #[error("{what} {entry} of the patch {wrong}")]
    Patch {
        /// What kind of entry is wrong.
        what: &'static str,
        /// Which of its kind.
        entry: usize,
        /// What is wrong with it.
        wrong: &'static str,
    },
    /// More elements or points than 32-bit adjacency can name.
    #[error("the mesh cannot hold more elements")]
    TooMany,
}

/// The two sides of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Where the normal points.
    Positive,
    /// Behind the plane.
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
