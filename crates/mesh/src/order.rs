//! Renumbering along a space-filling curve, for memory locality.

use crate::error::MeshError;
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::Vec3;
use thiserror::Error;

/// A permutation of points and elements: entry `i` is the old index of new index `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Old indices of points in their new order.
    pub points: Vec<u32>,
    /// Old indices of elements in their new order.
    pub elements: Vec<u32>,
}

/// Why a mesh cannot be renumbered.
#[derive(Clone, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum OrderError<P: Id, E: Id> {
    #[error("the order of {what} is not a permutation (entry {entry})")]
    NotAPermutation {
        what: &'static str,
        /// The first entry that is out of range or repeated, or the length if entries are missing.
        entry: usize,
    },
    #[error(transparent)]
    Mesh(#[from] MeshError<P, E>),
}

impl Order {
    /// Permutes an array with one entry per point.
    pub fn apply_to_points<T: Clone>(&self, values: &mut Vec<T>) {
        *values = self.points.iter().map(|&old| values[old as usize].clone()).collect();
    }

    /// Permutes an array with one entry per element.
    pub fn apply_to_elements<T: Clone>(&self, values: &mut Vec<T>) {
        *values = self.elements.iter().map(|&old| values[old as usize].clone()).collect();
    }
}

/// Sorts points along a Morton curve through their bounding box, and elements by their centroids
/// along the same curve. Ties keep their order.
pub fn morton_order<const N: usize>(positions: &[Vec3], elements: &[[u32; N]]) -> Order {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for position in positions {
        low = low.inf(position);
        high = high.sup(position);
    }
    // Equal scale on all axes: the cells are cubes.
    let extent = (high - low).max();
    let scale = if extent > 0.0 { MORTON_CELLS / extent } else { 0.0 };
    let code = |position: Vec3| {
        let cell = (position - low) * scale;
        spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
    };
    let sorted = |codes: Vec<u64>| {
        let mut keyed: Vec<(u64, u32)> = codes.into_iter().zip(0..).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, index)| index).collect()
    };
    let centroid = |element: &[u32; N]| {
        element.iter().fold(Vec3::zeros(), |sum, &point| sum + positions[point as usize]) / N as f64
    };
    Order {
        points: sorted(positions.iter().map(|&position| code(position)).collect()),
        elements: sorted(elements.iter().map(|element| code(centroid(element))).collect()),
    }
}

/// Cells along the longest axis: 21 bits, so that three axes fit in 64.
const MORTON_CELLS: f64 = ((1u64 << 21) - 1) as f64;

/// Inserts two zero bits between the bits of a cell index.
fn spread(cell: f64) -> u64 {
    let mut bits = cell.clamp(0.0, MORTON_CELLS) as u64;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Renumbers points and elements with their attributes. Adjacency is rebuilt completely:
    /// intended for the start and for frame boundaries. The mesh is unchanged on an error.
    pub fn renumber(&mut self, order: &Order) -> Result<(), OrderError<P, E>> {
        let new_point = inverse(&order.points, self.positions.len())
            .map_err(|entry| OrderError::NotAPermutation { what: "points", entry })?;
        inverse(&order.elements, self.elements.len())
            .map_err(|entry| OrderError::NotAPermutation { what: "elements", entry })?;
        let positions = order.points.iter().map(|&old| self.positions[old as usize]).collect();
        let elements = (order.elements.iter())
            .map(|&old| self.elements[old as usize].map(|point| new_point[point as usize]))
            .collect();
        let mut renumbered = Self::from_parts(positions, elements)?;
        let facets: Vec<u32> =
            order.elements.iter().flat_map(|&old| (0..N as u32).map(move |corner| old * N as u32 + corner)).collect();
        self.point_attributes.reorder(&order.points);
        self.element_attributes.reorder(&order.elements);
        self.facet_attributes.reorder(&facets);
        std::mem::swap(&mut renumbered.point_attributes, &mut self.point_attributes);
        std::mem::swap(&mut renumbered.element_attributes, &mut self.element_attributes);
        std::mem::swap(&mut renumbered.facet_attributes, &mut self.facet_attributes);
        *self = renumbered;
        Ok(())
    }
}

fn inverse(order: &[u32], count: usize) -> Result<Vec<u32>, usize> {
    let mut inverse = vec![NONE; count];
    for (new, &old) in order.iter().enumerate() {
        match inverse.get_mut(old as usize) {
            Some(slot) if *slot == NONE => *slot = new as u32,
            _ => return Err(new),
        }
    }
    if order.len() == count { Ok(inverse) } else { Err(order.len()) }
}
