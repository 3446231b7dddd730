//! Classification of octants by a descent toward the surface, and signs of lattice points.

use craze_math::Vec3;
use craze_spatial::Aabb;
use rayon::prelude::*;

use super::StuffingOptions;
use super::morton::{BITS, block, centre, contains, corners, decode, encode, sorted, step};
use crate::Domain;
use crate::error::{ShapeError, check_length};

/// Octants and points per parallel chunk, independent of the number of threads.
pub(super) const CHUNK: usize = 1024;

/// Geometry of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Position of the point with key 0 (m).
    origin: Vec3,
    /// Half the width of a finest cell (m), the spacing of points.
    half: f64,
    /// Level of the cells along the surface; thin walls have finer ones.
    pub(super) base: u32,
}

impl Frame {
    pub(super) fn position(&self, point: u64) -> Vec3 {
        let [x, y, z] = decode(point).map(f64::from);
        self.origin + Vec3::new(x, y, z) * self.half
    }

    pub(super) fn width(&self, level: u32) -> f64 {
        2.0 * self.half * (1u64 << level) as f64
    }

    /// The octant of a level that contains a position (m), if within the lattice.
    pub(super) fn octant(&self, level: u32, position: &Vec3) -> Option<u64> {
        let cell = (position - self.origin) / self.width(level);
        let max_index = f64::from(1u32 << (BITS - 1 - level)) - 1.0;
        cell.iter().all(|&c| c >= 1.0 && c < max_index).then(|| encode([cell.x as i32, cell.y as i32, cell.z as i32]))
    }

    #[cfg(test)]
    pub(super) fn unit() -> Self {
        Self { origin: Vec3::zeros(), half: 0.5, base: 0 }
    }
}

#[derive(Debug, Default)]
struct Signs {
    points: Vec<u64>,
    values: Vec<i8>,
}

/// Classified octants and signs of a domain on the lattice.
pub(super) struct Classification {
    pub(super) frame: Frame,
    /// Octants of level `base` that may contain the surface, sorted.
    pub(super) candidates: Vec<u64>,
    /// Octants entirely inside: first finest cell and level; sorted.
    inside: Vec<(u64, u32)>,
    /// One batch for the base level and one per refinement.
    signs: Vec<Signs>,
}

impl Classification {
    /// Descends to the cells that may contain the surface and evaluates their signs.
    pub(super) fn new(domain: &dyn Domain, options: &StuffingOptions) -> Result<Self, ShapeError> {
        let (frame, root) = place_lattice(domain, options)?;
        let bounds = domain.bounds();
        let mut classification = Self { frame, candidates: vec![0], inside: Vec::new(), signs: Vec::new() };
        for level in (frame.base..=root).rev() {
            options.check_count(classification.candidates.len() as f64)?;
            // Circumradius of the octant.
            let radius = 0.5 * 3f64.sqrt() * frame.width(level) * (1.0 + 1e-9);
            let reach = 0.5 * frame.width(level);
            let classify = |&octant: &u64| {
                let middle = frame.position(centre(level, octant));
                let is_outside_bounds = (0..3)
                    .any(|axis| middle[axis] + reach < bounds.min[axis] || middle[axis] - reach > bounds.max[axis]);
                match () {
                    () if is_outside_bounds => OctantState::Outside,
                    () if !(domain.clearance(&middle) > radius) => OctantState::Unknown,
                    () if domain.contains(&middle) => OctantState::Inside,
                    () => OctantState::Outside,
                }
            };
            let found: Vec<OctantState> =
                classification.candidates.par_iter().with_min_len(CHUNK).map(classify).collect();
            let mut next = Vec::new();
            for (&octant, found) in classification.candidates.iter().zip(found) {
                match found {
                    OctantState::Outside => {}
                    OctantState::Inside => classification.inside.push((octant << (3 * level), level)),
                    OctantState::Unknown if level == frame.base => next.push(octant),
                    OctantState::Unknown => next.extend((0..8).map(|child| octant << 3 | child)),
                }
            }
            classification.candidates = next;
        }
        classification.inside.sort_unstable();
        let candidates = std::mem::take(&mut classification.candidates);
        classification.sample_signs(domain, frame.base, &candidates);
        classification.candidates = candidates;
        Ok(classification)
    }

    /// Evaluates the unknown signs at the points of these octants.
    pub(super) fn sample_signs(&mut self, domain: &dyn Domain, level: u32, octants: &[u64]) {
        let points = octants.par_iter().with_min_len(CHUNK).flat_map_iter(|&octant| points_of(level, octant));
        let mut points = sorted(points.collect());
        points.retain(|&point| self.known_sign(point).is_none());
        let values = points.par_iter().with_min_len(CHUNK).map(|&point| {
            let level = domain.level(&self.frame.position(point));
            // NaN counts as outside.
            i8::from(level > 0.0) - i8::from(!(level >= 0.0))
        });
        let values = values.collect();
        self.signs.push(Signs { points, values });
    }

    /// The sign of a point: 1 inside, −1 outside, 0 on the surface.
    pub(super) fn sign(&self, point: u64) -> i8 {
        self.known_sign(point).unwrap_or(-1)
    }

    fn known_sign(&self, point: u64) -> Option<i8> {
        for batch in &self.signs {
            if let Ok(position) = batch.points.binary_search(&point) {
                return Some(batch.values[position]);
            }
        }
        // The cell whose low corner or centre the point is.
        let cell = point >> 3;
        let position = self.inside.partition_point(|&(first, _)| first <= cell);
        let (first, level) = *self.inside.get(position.checked_sub(1)?)?;
        (cell - first < 1 << (3 * level)).then_some(1)
    }

    /// The given octants and neighbours with a lattice edge that crosses the surface; sorted.
    pub(super) fn crossed(&self, level: u32, octants: &[u64]) -> Vec<u64> {
        let classify = |&octant: &u64| {
            let mut found = Vec::new();
            let middle = self.sign(centre(level, octant));
            if corners(level, octant).iter().any(|&corner| self.sign(corner) != middle) {
                found.push(octant);
                // An edge between centres can cross while the other octant's points all agree.
                for axis in 0..3 {
                    let beside = [false, true].map(|forward| step(octant, axis, forward));
                    found.extend(beside.into_iter().filter(|&other| self.sign(centre(level, other)) != middle));
                }
            }
            found
        };
        sorted(octants.par_iter().with_min_len(CHUNK).flat_map_iter(classify).collect())
    }

    /// The octants of a level with some of the inside, given the base-level octants near the
    /// surface; sorted. Fails above the limit.
    pub(super) fn covering(&self, level: u32, near: &[u64], options: &StuffingOptions) -> Result<Vec<u64>, ShapeError> {
        let base = self.frame.base;
        let cells = |&(_, size): &(u64, u32)| 8f64.powi(size.saturating_sub(level) as i32);
        options.check_count(self.inside.iter().map(cells).sum())?;
        let mut found: Vec<u64> = near.iter().map(|octant| octant >> (3 * (level - base))).collect();
        found.dedup();
        for &octant in &self.candidates {
            if self.sign(centre(base, octant)) > 0 {
                found.push(octant >> (3 * (level - base)));
            }
        }
        for &(first, size) in &self.inside {
            let start = first >> (3 * level);
            found.extend(start..start + (1 << (3 * size.saturating_sub(level))));
        }
        Ok(sorted(found))
    }

    /// Whether a leaf of the base level or above is inside or near the surface.
    pub(super) fn is_needed(&self, level: u32, octant: u64, near: &[u64]) -> bool {
        level < self.frame.base
            || (level == self.frame.base && contains(near, octant))
            || self.sign(centre(level, octant)) > 0
    }
}

#[derive(Clone, Copy)]
enum OctantState {
    Outside,
    Inside,
    Unknown,
}

pub(super) fn points_of(level: u32, octant: u64) -> impl Iterator<Item = u64> {
    corners(level, octant).into_iter().chain([centre(level, octant)])
}

/// The octants and their neighbours, sorted.
pub(super) fn grown(octants: &[u64]) -> Vec<u64> {
    sorted(octants.par_iter().with_min_len(CHUNK).flat_map_iter(|&octant| block(octant)).collect())
}

/// Lattice cells along a box of this size (m), with a margin of three for neighbours.
fn cells_along(size: &Vec3, options: &StuffingOptions) -> Vec3 {
    (size / (options.edge * CELL_WIDTH_PER_EDGE)).map(|count| count.ceil() + 6.0)
}

fn max_cells(options: &StuffingOptions) -> f64 {
    f64::from(1u32 << (BITS - 1 - options.refinement))
}

/// Whether one lattice can hold a box.
pub(super) fn fits_one_lattice(bounds: &Aabb, options: &StuffingOptions) -> bool {
    cells_along(&bounds.size(), options).max() <= max_cells(options)
}

/// Places the lattice around the domain; also returns the level of the root octant.
fn place_lattice(domain: &dyn Domain, options: &StuffingOptions) -> Result<(Frame, u32), ShapeError> {
    check_length("edge", options.edge)?;
    let bounds = domain.bounds();
    let size = bounds.size();
    if bounds.is_empty() || !(size.max() > 0.0) || !size.max().is_finite() {
        return Err(ShapeError::BadLength { field: "size of the shape", value: size.max() });
    }
    if !fits_one_lattice(&bounds, options) {
        let min_edge = 1.01 * size.max() / max_cells(options) / CELL_WIDTH_PER_EDGE;
        return Err(ShapeError::TooLong { size: size.max(), edge: options.edge, least: min_edge });
    }
    let width = options.edge * CELL_WIDTH_PER_EDGE;
    let cells = cells_along(&size, options);
    // Lattice planes lie just outside the box and are warped onto its faces; exactly there, signs
    // would be rounding errors.
    let origin = bounds.min.add_scalar(-(3.0 + LATTICE_OFFSET) * width);
    let half = 0.5 * width / f64::from(1u32 << options.refinement);
    let root = (cells.max() as u64).next_power_of_two().trailing_zeros() + options.refinement;
    Ok((Frame { origin, half, base: options.refinement }, root))
}

/// Lattice cell width over the mean surface edge, measured on balls.
pub(super) const CELL_WIDTH_PER_EDGE: f64 = 1.2;

/// Distance (cells) of the box from lattice planes.
const LATTICE_OFFSET: f64 = 0.05;
