//! A grid whose cells hold one point each, in blocks that exist only where points are.

use craze_math::Vec3;

use crate::domain::Domain;
use crate::error::{ShapeError, check_count};

/// Cells along a side of a block.
const SIDE: usize = 4;
const EMPTY: u32 = u32::MAX;

/// What is known of all of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inside,
    Outside,
    /// The surface may pass.
    Unknown,
}

/// Cells of width distance/√3: two points in one would be too near.
pub(super) struct Cells {
    corner: Vec3,
    width: f64,
    /// Blocks along the axes.
    blocks: [usize; 3],
    places: Vec<Place>,
    /// Where the cells of a block are stored, once it has a point.
    stored: Vec<u32>,
    cells: Vec<[u32; SIDE * SIDE * SIDE]>,
    /// Offsets of cells that may hold a point within the distance, nearest first.
    around: Vec<[isize; 3]>,
}

impl Cells {
    pub fn new(domain: &dyn Domain, distance: f64) -> Result<Self, ShapeError> {
        let bounds = domain.bounds();
        let width = distance / 3.0_f64.sqrt();
        let block = width * SIDE as f64;
        // Half a block to spare, so that rounding leaves no inside point without a cell.
        let counts = bounds.size().map(|length| (length / block + 0.5).ceil().max(1.0));
        check_count("distance", distance, "cells", counts.product())?;
        let blocks = [counts.x, counts.y, counts.z].map(|count| count as usize);
        let count = blocks.iter().product();
        let mut cells = Self {
            corner: bounds.centre() - counts * (0.5 * block),
            width,
            blocks,
            places: vec![Place::Unknown; count],
            stored: vec![EMPTY; count],
            cells: Vec::new(),
            around: offsets(),
        };
        cells.classify(domain);
        Ok(cells)
    }

    /// Sorts blocks into those inside, those outside and the rest, many at once where the surface is far.
    fn classify(&mut self, domain: &dyn Domain) {
        let block = self.width * SIDE as f64;
        let mut boxes = vec![([0; 3], self.blocks)];
        while let Some((from, to)) = boxes.pop() {
            let ends = [from, to].map(|end| Vec3::from_fn(|axis, _| end[axis] as f64));
            let centre = self.corner + (ends[0] + ends[1]) * (0.5 * block);
            let longest = (ends[1] - ends[0]).iamax();
            // A hair less than the clearance, so that rounding of a cell's corner does not reach the surface.
            if 0.999_999 * domain.clearance(&centre) > (ends[1] - ends[0]).norm() * 0.5 * block {
                let place = if domain.contains(&centre) { Place::Inside } else { Place::Outside };
                for k in from[2]..to[2] {
                    for j in from[1]..to[1] {
                        let row = (k * self.blocks[1] + j) * self.blocks[0];
                        self.places[row + from[0]..row + to[0]].fill(place);
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
        self.places.len()
    }

    /// The cells of a block that may hold points.
    pub fn cells_of(&self, block: usize) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, _] = self.blocks;
        let first = [block % nx, block / nx % ny, block / (nx * ny)].map(|index| index * SIDE);
        let count = if self.places[block] == Place::Outside { 0 } else { SIDE * SIDE * SIDE };
        (0..count)
            .map(move |cell| [first[0] + cell % SIDE, first[1] + cell / SIDE % SIDE, first[2] + cell / (SIDE * SIDE)])
    }

    /// The cell's corner of smallest coordinates (m).
    pub fn corner(&self, cell: [usize; 3]) -> Vec3 {
        self.corner + Vec3::from_fn(|axis, _| cell[axis] as f64) * self.width
    }

    /// The cell of a point, which may lie beyond the grid.
    fn cell(&self, point: &Vec3) -> [isize; 3] {
        let steps = (point - self.corner) / self.width;
        [steps.x, steps.y, steps.z].map(|step| step.floor() as isize)
    }

    /// Whether a point has a cell.
    pub fn holds(&self, point: &Vec3) -> bool {
        self.slot(self.cell(point)).is_some()
    }

    /// Block and cell within it.
    fn slot(&self, cell: [isize; 3]) -> Option<(usize, usize)> {
        let side = SIDE as isize;
        if (0..3).any(|axis| cell[axis] < 0 || cell[axis] >= self.blocks[axis] as isize * side) {
            return None;
        }
        let [x, y, z] = cell.map(|index| index as usize);
        let block = (z / SIDE * self.blocks[1] + y / SIDE) * self.blocks[0] + x / SIDE;
        Some((block, (z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE))
    }

    /// The point that a cell holds.
    pub fn sample(&self, cell: [usize; 3]) -> Option<u32> {
        self.sample_at(cell.map(|index| index as isize))
    }

    fn sample_at(&self, cell: [isize; 3]) -> Option<u32> {
        let (block, inner) = self.slot(cell)?;
        let stored = self.stored[block];
        if stored == EMPTY {
            return None;
        }
        let sample = self.cells[stored as usize][inner];
        (sample != EMPTY).then_some(sample)
    }

    /// What is known of a point's block; beyond the grid all is outside.
    pub fn place(&self, point: &Vec3) -> Place {
        self.slot(self.cell(point)).map_or(Place::Outside, |(block, _)| self.places[block])
    }

    /// Whether no sample that may be within the distance satisfies a test.
    pub fn none_near(&self, point: &Vec3, is_too_near: impl Fn(u32) -> bool) -> bool {
        let [x, y, z] = self.cell(point);
        !self.around.iter().any(|[i, j, k]| self.sample_at([x + i, y + j, z + k]).is_some_and(&is_too_near))
    }

    /// Puts a sample into the cell of its point, which must have one.
    pub fn put(&mut self, point: &Vec3, sample: u32) {
        let Some((block, inner)) = self.slot(self.cell(point)) else { return };
        if self.stored[block] == EMPTY {
            self.stored[block] = self.cells.len() as u32;
            self.cells.push([EMPTY; SIDE * SIDE * SIDE]);
        }
        self.cells[self.stored[block] as usize][inner] = sample;
    }
}

/// A distance is √3 cells: two cells away in all three axes is just too far.
fn offsets() -> Vec<[isize; 3]> {
    let mut offsets = Vec::with_capacity(117);
    for k in -2..=2_isize {
        for j in -2..=2_isize {
            for i in -2..=2_isize {
                let gap = |steps: isize| (steps.abs() - 1).max(0).pow(2);
                if gap(i) + gap(j) + gap(k) < 3 {
                    offsets.push([i, j, k]);
                }
            }
        }
    }
    offsets.sort_by_key(|[i, j, k]| i * i + j * j + k * k);
    offsets
}
