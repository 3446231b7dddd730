//! Errors of the triangulation of a plane domain.

use super::Point;
use crate::TriMeshError;
use std::fmt::{self, Display};
use thiserror::Error;

/// A chain (polyline) of a domain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChainName {
    /// The outer boundary.
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

/// Why a domain is rejected.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DelaunayError {
    /// An edge length that is not positive and finite.
    #[error("an edge length of {value} m is out of range: it must be finite and above 0")]
    EdgeLength {
        /// The value (m).
        value: f64,
    },
    /// A coordinate that is NaN or beyond ±1e18 m.
    #[error("point {index} of {chain} is at ({}, {}): coordinates must be finite and within ±1e18 m", at[0], at[1])]
    BadPoint {
        /// The chain.
        chain: ChainName,
        /// Index of the point.
        index: usize,
        /// Its coordinates (m).
        at: Point,
    },
    /// A chain with too few points: three if closed, two otherwise.
    #[error("{chain} has {found} points and needs at least {needed}")]
    TooFewPoints {
        /// The chain.
        chain: ChainName,
        /// Number of points found.
        found: usize,
        /// Number of points needed.
        needed: usize,
    },
    /// Two successive points are equal.
    #[error("point {index} of {chain} and the next are both at ({}, {}): remove one", at[0], at[1])]
    RepeatedPoint {
        /// The chain.
        chain: ChainName,
        /// Index of the first.
        index: usize,
        /// Their coordinates (m).
        at: Point,
    },
    /// A closed chain that encloses no area.
    #[error("{chain} encloses no area")]
    NoArea {
        /// The chain.
        chain: ChainName,
    },
    /// Two segments that cross, touch or overlap other than at a common point.
    #[error(
        "{first} and {second} cross or touch near ({}, {}): closed chains must not touch, and lines that meet need a common point",
        at[0], at[1]
    )]
    Crossing {
        /// The chain of one segment.
        first: ChainName,
        /// The chain of the other.
        second: ChainName,
        /// An end of one of the two segments (m).
        at: Point,
    },
    /// A hole outside the outline or inside another hole, or a line outside the domain.
    #[error("{chain} is not inside the outline and outside of all holes")]
    Outside {
        /// The chain.
        chain: ChainName,
    },
    /// More triangles than supported.
    #[error("an edge length of {edge} m needs about {count:.3e} triangles, but at most {limit:e} are supported")]
    TooFine {
        /// The target edge length (m).
        edge: f64,
        /// Approximate number of triangles.
        count: f64,
        /// The limit.
        limit: f64,
    },
    /// Gaps too narrow for floating point.
    #[error("the triangles cover {found} m² of {expected} m²: parts of the domain are too narrow for floating point")]
    Unfilled {
        /// Area of the domain (m²).
        expected: f64,
        /// Area of the triangles (m²).
        found: f64,
    },
    /// The triangles form no valid mesh.
    #[error(transparent)]
    Mesh(#[from] TriMeshError),
}
