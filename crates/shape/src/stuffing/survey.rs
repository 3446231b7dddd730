//! Where the surface may be: a descent through octants that leaves out what cannot hold it, and the signs of lattice points.

use craze_math::Vec3;
use craze_spatial::Aabb;
use rayon::prelude::*;

use super::StuffingOptions;
use super::key::{BITS, block, centre, corners, decode, encode, holds, sorted, step};
use crate::Domain;
use crate::error::{ShapeError, check_length};

/// Octants and points are asked for in runs of this many, so that the order of results never depends on threads.
pub(super) const CHUNK: usize = 1024;

/// The lattice in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Where the point with key 0 lies (m).
    origin: Vec3,
    /// Half the width of a finest cell (m): the grid of points.
    half: f64,
    /// Level of the cells along the surface; finer ones stand where walls are thin.
    pub(super) base: u32,
}

impl Frame {
    /// Where a point lies (m).
    pub(super) fn position(&self, point: u64) -> Vec3 {
        let [x, y, z] = decode(point).map(f64::from);
        self.origin + Vec3::new(x, y, z) * self.half
    }

    /// Width (m) of an octant.
    pub(super) fn width(&self, level: u32) -> f64 {
        2.0 * self.half * (1u64 << level) as f64
    }

    /// The octant of a level that holds a place (m); none beyond the lattice.
    pub(super) fn octant(&self, level: u32, place: &Vec3) -> Option<u64> {
        let cell = (place - self.origin) / self.width(level);
        let most = f64::from(1u32 << (BITS - 1 - level)) - 1.0;
        cell.iter().all(|&c| c >= 1.0 && c < most).then(|| encode([cell.x as i32, cell.y as i32, cell.z as i32]))
    }

    /// Cells 1 m wide from the origin on.
    #[cfg(test)]
    pub(super) fn unit() -> Self {
        Self { origin: Vec3::zeros(), half: 0.5, base: 0 }
    }
}

/// Signs of lattice points, asked for once each.
#[derive(Debug, Default)]
struct Signs {
    points: Vec<u64>,
    values: Vec<i8>,
}

/// What is known of a domain on the lattice.
pub(super) struct Survey {
    pub(super) frame: Frame,
    /// Octants of level `base` that may hold the surface, sorted.
    pub(super) candidates: Vec<u64>,
    /// Octants without surface that lie inside: their first finest cell, and their level; sorted.
    inside: Vec<(u64, u32)>,
    /// One batch for the base level, then one for each refinement.
    signs: Vec<Signs>,
}

impl Survey {
    /// Descends to the cells that may hold the surface and asks for the signs of their points.
    pub(super) fn new(domain: &dyn Domain, options: &StuffingOptions) -> Result<Self, ShapeError> {
        let (frame, root) = place_lattice(domain, options)?;
        let bounds = domain.bounds();
        let mut survey = Self { frame, candidates: vec![0], inside: Vec::new(), signs: Vec::new() };
        for level in (frame.base..=root).rev() {
            options.check_count(survey.candidates.len() as f64)?;
            // The farthest a point of the octant is from its centre.
            let radius = 0.5 * 3f64.sqrt() * frame.width(level) * (1.0 + 1e-9);
            let reach = 0.5 * frame.width(level);
            let look = |&octant: &u64| {
                let middle = frame.position(centre(level, octant));
                let apart = (0..3)
                    .any(|axis| middle[axis] + reach < bounds.min[axis] || middle[axis] - reach > bounds.max[axis]);
                match () {
                    () if apart => Found::Outside,
                    () if !(domain.clearance(&middle) > radius) => Found::Perhaps,
                    () if domain.contains(&middle) => Found::Inside,
                    () => Found::Outside,
                }
            };
            let found: Vec<Found> = survey.candidates.par_iter().with_min_len(CHUNK).map(look).collect();
            let mut next = Vec::new();
            for (&octant, found) in survey.candidates.iter().zip(found) {
                match found {
                    Found::Outside => {}
                    Found::Inside => survey.inside.push((octant << (3 * level), level)),
                    Found::Perhaps if level == frame.base => next.push(octant),
                    Found::Perhaps => next.extend((0..8).map(|child| octant << 3 | child)),
                }
            }
            survey.candidates = next;
        }
        survey.inside.sort_unstable();
        let candidates = std::mem::take(&mut survey.candidates);
        survey.ask(domain, frame.base, &candidates);
        survey.candidates = candidates;
        Ok(survey)
    }

    /// Asks for the signs of all points of these octants that are not known yet.
    pub(super) fn ask(&mut self, domain: &dyn Domain, level: u32, octants: &[u64]) {
        let points = octants.par_iter().with_min_len(CHUNK).flat_map_iter(|&octant| points_of(level, octant));
        let mut points = sorted(points.collect());
        points.retain(|&point| self.known(point).is_none());
        let values = points.par_iter().with_min_len(CHUNK).map(|&point| {
            let level = domain.level(&self.frame.position(point));
            // What is not a number is not inside.
            i8::from(level > 0.0) - i8::from(!(level >= 0.0))
        });
        let values = values.collect();
        self.signs.push(Signs { points, values });
    }

    /// The sign of a point: 1 inside, −1 outside, 0 on the surface.
    pub(super) fn sign(&self, point: u64) -> i8 {
        self.known(point).unwrap_or(-1)
    }

    fn known(&self, point: u64) -> Option<i8> {
        for batch in &self.signs {
            if let Ok(place) = batch.points.binary_search(&point) {
                return Some(batch.values[place]);
            }
        }
        // The cell whose low corner or centre the point is.
        let cell = point >> 3;
        let place = self.inside.partition_point(|&(first, _)| first <= cell);
        let (first, level) = *self.inside.get(place.checked_sub(1)?)?;
        (cell - first < 1 << (3 * level)).then_some(1)
    }

    /// Octants among the given ones, and beside them, at whose points an edge of the lattice is crossed by the surface; sorted.
    pub(super) fn crossed(&self, level: u32, octants: &[u64]) -> Vec<u64> {
        let look = |&octant: &u64| {
            let mut found = Vec::new();
            let middle = self.sign(centre(level, octant));
            if corners(level, octant).iter().any(|&corner| self.sign(corner) != middle) {
                found.push(octant);
                // An edge from centre to centre can be crossed while all points of the other octant agree.
                for axis in 0..3 {
                    let beside = [false, true].map(|forward| step(octant, axis, forward));
                    found.extend(beside.into_iter().filter(|&other| self.sign(centre(level, other)) != middle));
                }
            }
            found
        };
        sorted(octants.par_iter().with_min_len(CHUNK).flat_map_iter(look).collect())
    }

    /// The octants of a level that hold some of the inside, given those of the base level that the surface crosses or that lie
    /// beside them; sorted. Refuses to list more than the options allow.
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

    /// Whether a leaf of the base level or above has to be meshed: it lies inside, or near the surface.
    pub(super) fn matters(&self, level: u32, octant: u64, near: &[u64]) -> bool {
        level < self.frame.base
            || (level == self.frame.base && holds(near, octant))
            || self.sign(centre(level, octant)) > 0
    }
}

#[derive(Clone, Copy)]
enum Found {
    Outside,
    Inside,
    Perhaps,
}

/// All points of an octant.
pub(super) fn points_of(level: u32, octant: u64) -> impl Iterator<Item = u64> {
    corners(level, octant).into_iter().chain([centre(level, octant)])
}

/// Each octant and its neighbours; sorted.
pub(super) fn grown(octants: &[u64]) -> Vec<u64> {
    sorted(octants.par_iter().with_min_len(CHUNK).flat_map_iter(|&octant| block(octant)).collect())
}

/// Cells of a lattice around a box of this size (m): three of room on all sides, so that neighbours of what matters exist.
fn cells_along(size: &Vec3, options: &StuffingOptions) -> Vec3 {
    (size / (options.edge * CELL_OF_EDGE)).map(|count| count.ceil() + 6.0)
}

/// The most cells along a side of a lattice.
fn most_cells(options: &StuffingOptions) -> f64 {
    f64::from(1u32 << (BITS - 1 - options.refinement))
}

/// Whether one lattice can hold a box.
pub(super) fn holds_all(bounds: &Aabb, options: &StuffingOptions) -> bool {
    cells_along(&bounds.size(), options).max() <= most_cells(options)
}

/// Puts the lattice around the domain; also returns the level of the one octant that holds all.
fn place_lattice(domain: &dyn Domain, options: &StuffingOptions) -> Result<(Frame, u32), ShapeError> {
    check_length("edge", options.edge)?;
    let bounds = domain.bounds();
    let size = bounds.size();
    if bounds.is_empty() || !(size.max() > 0.0) || !size.max().is_finite() {
        return Err(ShapeError::BadLength { field: "size of the shape", value: size.max() });
    }
    if !holds_all(&bounds, options) {
        let least = 1.01 * size.max() / most_cells(options) / CELL_OF_EDGE;
        return Err(ShapeError::TooLong { size: size.max(), edge: options.edge, least });
    }
    let width = options.edge * CELL_OF_EDGE;
    let cells = cells_along(&size, options);
    // Faces of the box lie just inside of lattice planes, which are warped onto them; were they on the planes, signs there would be
    // those of rounding errors.
    let origin = bounds.min.add_scalar(-(3.0 + OFFSET) * width);
    let half = 0.5 * width / f64::from(1u32 << options.refinement);
    let root = (cells.max() as u64).next_power_of_two().trailing_zeros() + options.refinement;
    Ok((Frame { origin, half, base: options.refinement }, root))
}

/// Width of a lattice cell over the mean edge length of the tetrahedra at the surface, as measured on balls.
pub(super) const CELL_OF_EDGE: f64 = 1.2;

/// How far (cells) the lowest faces of the domain's box lie from lattice planes.
const OFFSET: f64 = 0.05;
