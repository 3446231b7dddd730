//! What an edit wants: elements to take out, points and elements to put in.

use crate::edit::Inheritance;
use crate::facet::Facet;
use crate::id::Id;
use std::ops::{Add, Mul};

/// Where a point lies between others: a weighted sum of up to four points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend<P> {
    points: [P; 4],
    weights: [f64; 4],
    count: u8,
}

impl<P: Id> Blend<P> {
    /// On top of a point.
    pub fn at(point: P) -> Self {
        Self { points: [point; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// On the edge from `start` to `end`, at `parameter` (0 is the start, 1 is the end).
    pub fn on_edge(start: P, end: P, parameter: f64) -> Self {
        if parameter == 0.0 {
            return Self::at(start);
        }
        if parameter == 1.0 {
            return Self::at(end);
        }
        Self { points: [start, end, end, end], weights: [1.0 - parameter, parameter, 0.0, 0.0], count: 2 }
    }

    /// Inside a tetrahedron, by its barycentric coordinates.
    pub fn inside(points: [P; 4], weights: [f64; 4]) -> Self {
        Self { points, weights, count: 4 }
    }

    /// The parents and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (P, f64)> + '_ {
        self.points.iter().copied().zip(self.weights.iter().copied()).take(self.count as usize)
    }

    /// The weighted sum of something known at the parents. A single parent's value is handed on bit for bit.
    pub fn sum<T: Add<Output = T> + Mul<f64, Output = T>>(&self, value: impl Fn(P) -> T) -> T {
        let mut sum = value(self.points[0]);
        if self.count > 1 {
            sum = sum * self.weights[0];
        }
        self.iter().skip(1).fold(sum, |sum, (point, weight)| sum + value(point) * weight)
    }

    /// The parent with the largest weight, the first of equals.
    pub fn heaviest(&self) -> P {
        let mut best = 0;
        for place in 1..self.count as usize {
            if self.weights[place] > self.weights[best] {
                best = place;
            }
        }
        self.points[best]
    }
}

/// An element that a patch puts in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewElement<P, E, const N: usize> {
    /// Its corners; new point `k` of the patch is named by the mesh's point count plus `k`.
    pub points: [P; N],
    /// The element whose copied attributes it takes.
    pub parent: E,
    /// The old facet that each of its facets is a part of, if any. A facet with the very points of a facet of a removed
    /// element is recognised without.
    pub facets: [Option<Facet<E>>; N],
}

/// A local change of a mesh, applied by [`crate::SimplexMesh::replace`].
#[derive(Clone, Debug, PartialEq)]
pub struct Patch<P, E, const N: usize> {
    /// Elements to take out.
    pub removed: Vec<E>,
    /// Points to put in.
    pub points: Vec<Blend<P>>,
    /// Points that move; all their elements must be among the removed.
    pub relocated: Vec<(P, Blend<P>)>,
    /// Elements to put in.
    pub added: Vec<NewElement<P, E, N>>,
    /// Whose attributes the new elements take.
    pub inheritance: Inheritance,
}

impl<P: Id, E: Id, const N: usize> Patch<P, E, N> {
    /// A patch without content, for elements that inherit as said.
    pub fn new(inheritance: Inheritance) -> Self {
        Self { removed: Vec::new(), points: Vec::new(), relocated: Vec::new(), added: Vec::new(), inheritance }
    }
}

/// Which facets of `parent` the facets of a part of it lie in.
///
/// Each point of the part stands for a set of corners of the parent (itself, or the ends of the edge it lies on); a
/// facet whose points never need corner `c` lies in the facet opposite `c`.
pub(crate) fn facets_within<P: Id, E: Id, const N: usize>(
    parent: E,
    parent_corners: &[u32; N],
    part: &[u32; N],
    first_new: u32,
    new_points: &[Blend<P>],
) -> [Option<Facet<E>>; N] {
    let bit = |point: u32| parent_corners.iter().position(|&corner| corner == point).map_or(0u32, |place| 1 << place);
    let support = part.map(|point| match point.checked_sub(first_new) {
        Some(place) => new_points[place as usize].iter().fold(0, |bits, (point, _)| bits | bit(point.raw())),
        None => bit(point),
    });
    std::array::from_fn(|corner| {
        let needed = (0..N).filter(|&other| other != corner).fold(0, |bits, other| bits | support[other]);
        (0..N).find(|&place| needed & (1 << place) == 0).map(|place| Facet::new(parent, place))
    })
}
