//! Patches: the elements to remove and the points and elements to add.

use crate::edit::Inheritance;
use crate::facet::Facet;
use crate::id::Id;
use std::ops::{Add, Mul};

/// A point as a weighted sum of up to four points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend<P> {
    points: [P; 4],
    weights: [f64; 4],
    count: u8,
}

impl<P: Id> Blend<P> {
    /// At a point.
    pub fn at(point: P) -> Self {
        Self { points: [point; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// On the edge from `start` to `end` at `parameter` (0 is the start, 1 the end).
    pub fn on_edge(start: P, end: P, parameter: f64) -> Self {
        if parameter == 0.0 {
            return Self::at(start);
        }
        if parameter == 1.0 {
            return Self::at(end);
        }
        Self { points: [start, end, end, end], weights: [1.0 - parameter, parameter, 0.0, 0.0], count: 2 }
    }

    /// Inside a tetrahedron, by barycentric weights.
    pub fn inside(points: [P; 4], weights: [f64; 4]) -> Self {
        Self { points, weights, count: 4 }
    }

    /// The parents with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (P, f64)> + '_ {
        self.points.iter().copied().zip(self.weights.iter().copied()).take(self.count as usize)
    }

    /// The weighted sum of values at the parents. The value of a single parent is returned bit for
    /// bit.
    pub fn sum<T: Add<Output = T> + Mul<f64, Output = T>>(&self, value: impl Fn(P) -> T) -> T {
        let mut sum = value(self.points[0]);
        if self.count > 1 {
            sum = sum * self.weights[0];
        }
        self.iter().skip(1).fold(sum, |sum, (point, weight)| sum + value(point) * weight)
    }

    /// The parent with the largest weight, the first among equals.
    pub fn heaviest(&self) -> P {
        let mut best = 0;
        for index in 1..self.count as usize {
            if self.weights[index] > self.weights[best] {
                best = index;
            }
        }
        self.points[best]
    }
}

/// An element to add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewElement<P, E, const N: usize> {
    /// Its corners; new point `k` of the patch has the index `k` plus the mesh's point count.
    pub points: [P; N],
    /// The element from which it copies attributes.
    pub parent: E,
    /// The old facet that contains each of its facets, if any. Not needed for a facet with the same
    /// points as one of a removed element.
    pub facets: [Option<Facet<E>>; N],
}

/// A local change of a mesh, applied by [`crate::SimplexMesh::replace`].
#[derive(Clone, Debug, PartialEq)]
pub struct Patch<P, E, const N: usize> {
    /// Elements to remove.
    pub removed: Vec<E>,
    /// Points to add.
    pub points: Vec<Blend<P>>,
    /// Points to move; all their elements must be removed.
    pub relocated: Vec<(P, Blend<P>)>,
    /// Elements to add.
    pub added: Vec<NewElement<P, E, N>>,
    /// Source of the new elements' attributes.
    pub inheritance: Inheritance,
}

impl<P: Id, E: Id, const N: usize> Patch<P, E, N> {
    /// An empty patch.
    pub fn new(inheritance: Inheritance) -> Self {
        Self { removed: Vec::new(), points: Vec::new(), relocated: Vec::new(), added: Vec::new(), inheritance }
    }
}

/// For each facet of a part of `parent`, the facet of `parent` that contains it.
///
/// Each point of the part is supported by corners of the parent (itself, or the ends of its edge);
/// a facet with support without corner `c` is in the facet opposite `c`.
pub(crate) fn facets_within<P: Id, E: Id, const N: usize>(
    parent: E,
    parent_corners: &[u32; N],
    part: &[u32; N],
    first_new: u32,
    new_points: &[Blend<P>],
) -> [Option<Facet<E>>; N] {
    let bit = |point: u32| parent_corners.iter().position(|&corner| corner == point).map_or(0u32, |index| 1 << index);
    let support = part.map(|point| match point.checked_sub(first_new) {
        Some(index) => new_points[index as usize].iter().fold(0, |bits, (point, _)| bits | bit(point.raw())),
        None => bit(point),
    });
    std::array::from_fn(|corner| {
        let needed = (0..N).filter(|&other| other != corner).fold(0, |bits, other| bits | support[other]);
        (0..N).find(|&index| needed & (1 << index) == 0).map(|index| Facet::new(parent, index))
    })
}
