//! Why a part of the plane cannot be triangulated.

use super::Point;
use crate::TriMeshError;
use std::fmt::{self, Display};
use thiserror::Error;

/// Which chain of a domain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChainName {
    /// The outer rim.
    Outline,
    /// A hole, from 0.
    Hole(usize),
    /// A line, from 0.
    Line(usize),
    /// A slit, from 0.
    Slit(usize),
}

impl Display for ChainName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outline => formatter.write_str("the outline"),
            Self::Hole(number) => write!(formatter, "hole {number}"),
            Self::Line(number) => write!(formatter, "line {number}"),
            Self::Slit(number) => write!(formatter, "slit {number}"),
        }
    }
}

/// Why a domain is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DelaunayError {
    /// An edge length that is not a positive number.
    #[error("an edge length of {value} m is impossible: it must be finite and above 0")]
    EdgeLength {
        /// The value (m).
        value: f64,
    },
    /// A coordinate that is no number or beyond ±1e18 m.
    #[error("point {place} of {chain} lies at ({}, {}), which is no place within ±1e18 m", at[0], at[1])]
    BadPoint {
        /// Which chain.
        chain: ChainName,
        /// Which of its points, from 0.
        place: usize,
        /// Its coordinates (m).
        at: Point,
    },
    /// A chain with too few points: three for a rim, two for a line.
    #[error("{chain} has {found} points and needs at least {needed}")]
    TooFewPoints {
        /// Which chain.
        chain: ChainName,
        /// Points found.
        found: usize,
        /// Points needed.
        needed: usize,
    },
    /// Two successive points in the same place.
    #[error("points {place} and the next of {chain} are both at ({}, {}): leave one out", at[0], at[1])]
    RepeatedPoint {
        /// Which chain.
        chain: ChainName,
        /// The first of the two, from 0.
        place: usize,
        /// Where they are (m).
        at: Point,
    },
    /// A rim that encloses nothing.
    #[error("{chain} encloses no area")]
    NoArea {
        /// Which chain.
        chain: ChainName,
    },
    /// Two segments that cross, touch or overlap where they have no common point.
    #[error(
        "{first} and {second} cross or touch near ({}, {}): rims must stay apart, and lines that meet need a point at the same place",
        at[0], at[1]
    )]
    Crossing {
        /// The chain of the one segment.
        first: ChainName,
        /// The chain of the other.
        second: ChainName,
        /// An end of one of the two segments (m).
        at: Point,
    },
    /// A hole that is not inside the outline, or is inside another hole.
    #[error("{chain} does not lie inside the outline and outside of all holes")]
    Outside {
        /// Which chain.
        chain: ChainName,
    },
    /// More triangles than are made.
    #[error("an edge length of {edge} m needs about {count:.3e} triangles, and at most {limit:e} are made")]
    TooFine {
        /// The edge length asked for (m).
        edge: f64,
        /// About how many triangles it needs.
        count: f64,
        /// How many are made at most.
        limit: f64,
    },
    /// Gaps so narrow that rounding closes them.
    #[error("the triangles fill {found} m² of {expected} m²: parts of the domain are narrower than rounding can tell")]
    Unfilled {
        /// Area of the domain (m²).
        expected: f64,
        /// Area of the triangles (m²).
        found: f64,
    },
    /// Triangles that form no mesh.
    #[error(transparent)]
    Mesh(#[from] TriMeshError),
}
