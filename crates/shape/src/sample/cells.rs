//! Sparse grid for Poisson disk sampling with at most one sample per cell.

use craze_math::Vec3;
use craze_spatial::Aabb;

use crate::domain::Domain;
use crate::error::{ShapeError, check_count};

/// Cells along a side of a block; its occupancy fits into 64 bits.
const BLOCK_SIDE: usize = 4;
/// Cells along a side of a cube, the unit of inside/outside classification.
const CUBE_SIDE: usize = 2;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CubeState {
    Inside,
    Outside,
    /// The surface may pass through.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    cell: [usize; 3],
    block: usize,
    inner: usize,
}

struct Block {
    occupied: u64,
    samples: [u32; BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE],
}

/// Cells of width distance/√3, each with at most one sample, in blocks allocated on demand. A
/// margin of one block ensures that all neighbours exist.
pub(super) struct Cells {
    corner: Vec3,
    width: f64,
    /// Blocks along the axes, including margins.
    counts: [usize; 3],
    /// By cube.
    states: Vec<CubeState>,
    /// Index of each block in `blocks` once it has a sample.
    stored: Vec<u32>,
    blocks: Vec<Block>,
    /// For each cell of a block, masks of the cells within the distance, in the block and its seven
    /// nearest neighbours.
    around: Vec<[u64; 8]>,
}

impl Cells {
    /// Cell width (m), slightly reduced so that rounding never puts two samples into one cell.
    fn width_for(distance: f64) -> f64 {
        distance / 3.0_f64.sqrt() * (1.0 - 1e-9)
    }

    /// Blocks along the sides of a box, including margins and half a block for rounding.
    fn blocks_along(bounds: &Aabb, distance: f64) -> Vec3 {
        let block = Self::width_for(distance) * BLOCK_SIDE as f64;
        bounds.size().map(|length| (length / block + 0.5).ceil().max(1.0) + 2.0)
    }

    /// Number of cubes around a box.
    pub fn count(bounds: &Aabb, distance: f64) -> f64 {
        Self::blocks_along(bounds, distance).product() * ((BLOCK_SIDE / CUBE_SIDE).pow(3) as f64)
    }

    pub fn new(domain: &dyn Domain, distance: f64) -> Result<Self, ShapeError> {
        let bounds = domain.bounds();
        check_count("distance", distance, "cells", Self::count(&bounds, distance))?;
        let width = Self::width_for(distance);
        let block = width * BLOCK_SIDE as f64;
        let counts = Self::blocks_along(&bounds, distance);
        let corner = bounds.centre() - counts * (0.5 * block);
        let counts = [counts.x, counts.y, counts.z].map(|count| count as usize);
        let count: usize = counts.iter().product();
        let mut cells = Self {
            corner,
            width,
            counts,
            states: vec![CubeState::Unknown; count * (BLOCK_SIDE / CUBE_SIDE).pow(3)],
            stored: vec![NONE; count],
            blocks: Vec::new(),
            around: neighbourhoods(),
        };
        cells.classify(domain);
        Ok(cells)
    }

    /// Classifies cubes by recursive bisection.
    fn classify(&mut self, domain: &dyn Domain) {
        let cube = self.width * CUBE_SIDE as f64;
        let cubes = self.counts.map(|count| count * (BLOCK_SIDE / CUBE_SIDE));
        let mut boxes = vec![([0; 3], cubes)];
        while let Some((from, to)) = boxes.pop() {
            let ends = [from, to].map(|end| Vec3::from_fn(|axis, _| end[axis] as f64));
            let centre = self.corner + (ends[0] + ends[1]) * (0.5 * cube);
            let longest = (ends[1] - ends[0]).iamax();
            // The factor absorbs rounding.
            if 0.999_999 * domain.clearance(&centre) > (ends[1] - ends[0]).norm() * 0.5 * cube {
                let state = if domain.contains(&centre) { CubeState::Inside } else { CubeState::Outside };
                for k in from[2]..to[2] {
                    for j in from[1]..to[1] {
                        let row = (k * cubes[1] + j) * cubes[0];
                        self.states[row + from[0]..row + to[0]].fill(state);
                    }
                }
            } else if to[longest] - from[longest] > 1 {
                let middle = (from[longest] + to[longest]) / 2;
                let (mut lower, mut upper) = (to, from);
                (lower[longest], upper[longest]) = (middle, middle);
                boxes.extend([(upper, to), (from, lower)]);
            }
        }
    }

    pub fn width(&self) -> f64 {
        self.width
    }

    pub fn block_count(&self) -> usize {
        self.stored.len()
    }

    /// The empty cells of a block that may hold samples, with their lowest corners (m).
    pub fn empty_cells(&self, block: usize) -> Vec<(Slot, Vec3)> {
        let [nx, ny, nz] = self.counts;
        let first = [block % nx, block / nx % ny, block / (nx * ny)];
        if (0..3).any(|axis| first[axis] == 0 || first[axis] + 1 == [nx, ny, nz][axis]) {
            return Vec::new();
        }
        let occupied = self.blocks.get(self.stored[block] as usize).map_or(0, |block| block.occupied);
        (0..BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE)
            .filter(|inner| occupied >> inner & 1 == 0)
            .map(|inner| {
                let steps = [inner % BLOCK_SIDE, inner / BLOCK_SIDE % BLOCK_SIDE, inner / (BLOCK_SIDE * BLOCK_SIDE)];
                let cell = [0, 1, 2].map(|axis| first[axis] * BLOCK_SIDE + steps[axis]);
                (Slot { cell, block, inner }, self.corner + Vec3::from_fn(|axis, _| cell[axis] as f64) * self.width)
            })
            .filter(|(slot, _)| self.state(slot) != CubeState::Outside)
            .collect()
    }

    /// The cell that contains a point; none beyond the grid.
    pub fn slot(&self, point: &Vec3) -> Option<Slot> {
        let steps = (point - self.corner) / self.width;
        let is_within = |axis: usize| {
            steps[axis] >= BLOCK_SIDE as f64 && steps[axis] < (BLOCK_SIDE * (self.counts[axis] - 1)) as f64
        };
        if !(is_within(0) && is_within(1) && is_within(2)) {
            return None;
        }
        let cell = [steps.x as usize, steps.y as usize, steps.z as usize];
        let [x, y, z] = cell;
        let block = (z / BLOCK_SIDE * self.counts[1] + y / BLOCK_SIDE) * self.counts[0] + x / BLOCK_SIDE;
        Some(Slot { cell, block, inner: (z % BLOCK_SIDE * BLOCK_SIDE + y % BLOCK_SIDE) * BLOCK_SIDE + x % BLOCK_SIDE })
    }

    pub fn state(&self, slot: &Slot) -> CubeState {
        let [x, y, z] = slot.cell.map(|index| index / CUBE_SIDE);
        self.states[(z * self.counts[1] * (BLOCK_SIDE / CUBE_SIDE) + y) * self.counts[0] * (BLOCK_SIDE / CUBE_SIDE) + x]
    }

    /// Whether no sample within the distance of the cell satisfies the predicate.
    pub fn none_near(&self, slot: &Slot, is_too_near: impl Fn(u32) -> bool) -> bool {
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        let around = &self.around[slot.inner];
        (0..8).all(|which| {
            let mut block = slot.block;
            for axis in 0..3 {
                if which >> axis & 1 == 1 {
                    // The margin keeps this within the grid.
                    block = if is_low(slot.cell[axis] % BLOCK_SIDE) {
                        block - strides[axis]
                    } else {
                        block + strides[axis]
                    };
                }
            }
            let stored = self.stored[block];
            if stored == NONE {
                return true;
            }
            let block = &self.blocks[stored as usize];
            let mut left = block.occupied & around[which];
            while left != 0 {
                if is_too_near(block.samples[left.trailing_zeros() as usize]) {
                    return false;
                }
                left &= left - 1;
            }
            true
        })
    }

    pub fn insert(&mut self, slot: &Slot, sample: u32) {
        if self.stored[slot.block] == NONE {
            self.stored[slot.block] = self.blocks.len() as u32;
            self.blocks.push(Block { occupied: 0, samples: [NONE; BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE] });
        }
        let block = &mut self.blocks[self.stored[slot.block] as usize];
        block.occupied |= 1 << slot.inner;
        block.samples[slot.inner] = sample;
    }
}

/// Whether a cell is in the lower half of its block, near the preceding one.
fn is_low(step: usize) -> bool {
    step < BLOCK_SIDE / 2
}

/// A distance is √3 cells, so at most two cells along each axis.
fn neighbourhoods() -> Vec<[u64; 8]> {
    let steps = |inner: usize| [inner % BLOCK_SIDE, inner / BLOCK_SIDE % BLOCK_SIDE, inner / (BLOCK_SIDE * BLOCK_SIDE)];
    let mask = |inner: usize, which: usize| {
        let from = steps(inner);
        let is_in_reach = |other: &usize| {
            let to = steps(*other);
            (0..3).all(|axis| {
                let beyond = if which >> axis & 1 == 0 {
                    0
                } else if is_low(from[axis]) {
                    -(BLOCK_SIDE as isize)
                } else {
                    BLOCK_SIDE as isize
                };
                (to[axis] as isize + beyond - from[axis] as isize).abs() <= 2
            })
        };
        (0..BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE).filter(is_in_reach).fold(0, |mask, other| mask | 1 << other)
    };
    (0..BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE)
        .map(|inner| [0, 1, 2, 3, 4, 5, 6, 7].map(|which| mask(inner, which)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use craze_math::Random;

    #[test]
    fn all_samples_within_the_distance_are_seen() {
        let ball = Field::sphere(1.0);
        let distance = 0.1;
        let mut cells = Cells::new(&ball, distance).expect("cells");
        let mut random = Random::new(5);
        let mut samples: Vec<Vec3> = Vec::new();
        for _ in 0..5000 {
            let point = random.direction() * random.number().cbrt();
            let slot = cells.slot(&point).expect("within the box");
            let is_in_reach = |sample: u32| (samples[sample as usize] - point).norm() < distance;
            let free = cells.none_near(&slot, is_in_reach);
            assert_eq!(free, samples.iter().all(|sample| (sample - point).norm() >= distance));
            if free {
                cells.insert(&slot, samples.len() as u32);
                samples.push(point);
            }
            let state = cells.state(&slot);
            assert!(state == CubeState::Unknown || (state == CubeState::Inside) == (point.norm() < 1.0));
        }
        assert!(samples.len() > 1000);
        assert!(cells.slot(&Vec3::repeat(1.5)).is_none() && cells.slot(&Vec3::repeat(f64::NAN)).is_none());
    }
}
