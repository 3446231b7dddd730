//! Renumbering along a space-filling curve, so that what is near in space is near in memory.

use crate::error::MeshError;
use crate::id::{Id, NONE};
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::Vec3;
use thiserror::Error;

/// A new order of points and elements: entry `i` says which old one comes to place `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Old points in their new order.
    pub points: Vec<u32>,
    /// Old elements in their new order.
    pub elements: Vec<u32>,
}

/// Why a mesh cannot be renumbered.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OrderError<P: Id, E: Id> {
    /// The order does not name each point and each element exactly once.
    #[error("the order of {what} does not name each of them exactly once (entry {entry})")]
    NotAPermutation {
        /// Points or elements.
        what: &'static str,
        /// The first entry that is out of range or named before, or the length if entries are missing.
        entry: usize,
    },
    /// The renumbered mesh is not a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError<P, E>),
}

impl Order {
    /// Puts an array with one entry a point into the new order.
    pub fn apply_to_points<T: Clone>(&self, values: &mut Vec<T>) {
        *values = self.points.iter().map(|&old| values[old as usize].clone()).collect();
    }

    /// Puts an array with one entry an element into the new order.
    pub fn apply_to_elements<T: Clone>(&self, values: &mut Vec<T>) {
        *values = self.elements.iter().map(|&old| values[old as usize].clone()).collect();
    }
}

/// Points along a Morton curve through their bounding box, elements along the same curve by their centroids. Equal
/// places keep their old order.
pub fn morton_order<const N: usize>(positions: &[Vec3], elements: &[[u32; N]]) -> Order {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for position in positions {
        low = low.inf(position);
        high = high.sup(position);
    }
    // One scale for all axes keeps the curve's cells cubes.
    let extent = (high - low).max();
    let scale = if extent > 0.0 { CELLS / extent } else { 0.0 };
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

/// Cells along the longest axis: 21 bits, the most that three axes have room for in 64.
const CELLS: f64 = ((1u64 << 21) - 1) as f64;

/// Puts two empty bits between all bits of the cell's number.
fn spread(cell: f64) -> u64 {
    let mut bits = cell.clamp(0.0, CELLS) as u64;
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
    /// Gives points and elements new numbers; attributes follow. Adjacency is built anew: every entry changes, so this
    /// is for the start and for frame boundaries. The mesh is unchanged if the order is refused.
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
            Some(place) if *place == NONE => *place = new as u32,
            _ => return Err(new),
        }
    }
    if order.len() == count { Ok(inverse) } else { Err(order.len()) }
}
