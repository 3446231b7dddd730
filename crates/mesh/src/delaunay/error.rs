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
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum DelaunayError {
    #[error("an edge length of {value} m is out of range: it must be finite and above 0")]
    EdgeLength { value: f64 },
    #[error("point {index} of {chain} is at ({}, {}): coordinates must be finite and within ±1e18 m", at[0], at[1])]
    BadPoint { chain: ChainName, index: usize, at: Point },
    /// A chain with too few points: three if closed, two otherwise.
    #[error("{chain} has {found} points and needs at least {needed}")]
    TooFewPoints { chain: ChainName, found: usize, needed: usize },
    #[error("point {index} of {chain} and the next are both at ({}, {}): remove one", at[0], at[1])]
    RepeatedPoint { chain: ChainName, index: usize, at: Point },
    #[error("{chain} encloses no area")]
    NoArea { chain: ChainName },
    /// Two segments that cross, touch or overlap other than at a common point.
    #[error(
        "{first} and {second} cross or touch near ({}, {}): closed chains must not touch, and lines that meet need a common point",
        at[0], at[1]
    )]
    Crossing {
        first: ChainName,
        second: ChainName,
        /// An end of one of the two segments (m).
        at: Point,
    },
    /// A hole outside the outline or inside another hole, or a line outside the domain.
    #[error("{chain} is not inside the outline and outside of all holes")]
    Outside { chain: ChainName },
    #[error("an edge length of {edge} m needs about {count:.3e} triangles, but at most {limit:e} are supported")]
    TooFine { edge: f64, count: f64, limit: f64 },
    /// Gaps too narrow for floating point.
    #[error("the triangles cover {found} m² of {expected} m²: parts of the domain are too narrow for floating point")]
    Unfilled { expected: f64, found: f64 },
    #[error(transparent)]
    Mesh(#[from] TriMeshError),
}
