//! Poisson disk sampling (Bridson 2007, "Fast Poisson Disk Sampling in Arbitrary Dimensions").

use craze_math::{Random, Vec3};

use super::cells::{Cells, CubeState, Slot};
use super::{SampledPoints, with_equal_shares};
use crate::domain::{Domain, Part};
use crate::error::{ShapeError, check_count, check_length};

/// Candidates per active sample (k in Bridson 2007 §2); the sweep over empty cells finds what 30
/// would.
const MAX_CANDIDATES: usize = 16;
/// Typical samples per cube of the distance; a saturated packing has 0.73.
const PACKING_DENSITY: f64 = 0.6;
/// Relative tolerance of a requested count.
const RELATIVE_COUNT_TOLERANCE: f64 = 0.01;

/// Random points inside a domain, no two nearer than `distance` (m), with equal shares of the
/// volume. There are no gaps: every interior point is nearer than two distances to a sample, up to
/// cells of `distance`/√3.
///
/// The same for the same seed, for any number of threads. Time and memory are proportional to the
/// number of points. Thin parts get points too. Fails if there are too many points or none.
pub fn poisson_points(domain: &dyn Domain, distance: f64, seed: u64) -> Result<SampledPoints, ShapeError> {
    let positions = positions(domain, distance, seed)?;
    Ok(with_equal_shares(domain, positions, Vec3::repeat(distance)))
}

/// The same with about `count` points (within 1 % where they fit), by iterating over the distance.
pub fn poisson_points_about(domain: &dyn Domain, count: usize, seed: u64) -> Result<SampledPoints, ShapeError> {
    check_count("count", count as f64, "points", count as f64)?;
    let wanted = count.max(1) as f64;
    let volume = crate::volume::volume_of(domain);
    let mut distance = (PACKING_DENSITY * volume / wanted).cbrt();
    let mut best: Option<(f64, f64, Vec<Vec3>)> = None;
    for _ in 0..8 {
        let positions = positions(domain, distance, seed)?;
        let ratio = positions.len() as f64 / wanted;
        let error = (ratio - 1.0).abs();
        if best.as_ref().is_none_or(|best| error < best.0) {
            best = Some((error, distance, positions));
        }
        if error <= RELATIVE_COUNT_TOLERANCE {
            break;
        }
        distance *= ratio.clamp(0.2, 5.0).cbrt();
    }
    let Some((_, distance, positions)) = best else {
        return Err(ShapeError::NoPoints { spacing: distance, enough: None });
    };
    Ok(with_equal_shares(domain, positions, Vec3::repeat(distance)))
}

fn positions(domain: &dyn Domain, distance: f64, seed: u64) -> Result<Vec<Vec3>, ShapeError> {
    check_length("distance", distance)?;
    let parts = domain.parts();
    let whole = positions_within(domain, distance, seed);
    if !(parts.len() > 1 && matches!(whole, Err(ShapeError::TooFine { .. }))) {
        return whole;
    }
    // Too far apart for one grid, and thus farther than `distance`: each part has its own.
    check_count("distance", distance, "cells", parts.iter().map(|part| Cells::count(part, distance)).sum())?;
    let mut positions = Vec::new();
    for (bounds, number) in parts.into_iter().zip(0..) {
        match positions_within(&Part { domain, bounds }, distance, seed.wrapping_add(number)) {
            Ok(found) => positions.extend(found),
            Err(ShapeError::NoPoints { .. }) => {}
            Err(error) => return Err(error),
        }
        check_count("distance", distance, "points", positions.len() as f64)?;
    }
    if positions.is_empty() { Err(ShapeError::NoPoints { spacing: distance, enough: None }) } else { Ok(positions) }
}

fn positions_within(domain: &dyn Domain, distance: f64, seed: u64) -> Result<Vec<Vec3>, ShapeError> {
    let mut sampler = Sampler {
        cells: Cells::new(domain, distance)?,
        domain,
        distance,
        random: Random::new(seed),
        positions: Vec::new(),
        active: Vec::new(),
    };
    // Trying every empty cell as a start finds all parts of the domain.
    for block in 0..sampler.cells.block_count() {
        for (slot, corner) in sampler.cells.empty_cells(block) {
            sampler.start_in(&slot, corner)?;
        }
    }
    if sampler.positions.is_empty() {
        return Err(ShapeError::NoPoints { spacing: distance, enough: None });
    }
    Ok(sampler.positions)
}

struct Sampler<'a> {
    cells: Cells,
    domain: &'a dyn Domain,
    distance: f64,
    random: Random,
    positions: Vec<Vec3>,
    /// Active samples (Bridson 2007).
    active: Vec<u32>,
}

impl Sampler<'_> {
    /// Tries to start in a cell: at random, at its centre, or just below the surface if that passes
    /// it.
    fn start_in(&mut self, slot: &Slot, corner: Vec3) -> Result<(), ShapeError> {
        let width = self.cells.width();
        let middle = corner.add_scalar(0.5 * width);
        if !self.is_free(slot, &middle) {
            // The cell extends half a distance around its centre.
            return Ok(());
        }
        let share = Vec3::from_fn(|_, _| self.random.number());
        let found = if self.cells.state(slot) == CubeState::Inside || self.domain.contains(&middle) {
            [corner + share * width, middle].into_iter().find(|point| self.free_cell(point).is_some())
        } else {
            self.below_surface(&middle)
        };
        let Some(start) = found else { return Ok(()) };
        if let Some(slot) = self.free_cell(&start) {
            self.add_sample(&slot, start)?;
        }
        while !self.active.is_empty() {
            self.grow()?;
        }
        Ok(())
    }

    /// A point below the surface near an outside point; finds parts thinner than a cell.
    fn below_surface(&self, outside: &Vec3) -> Option<Vec3> {
        let gap = self.domain.clearance(outside);
        if !(gap < 0.5 * self.distance) {
            return None;
        }
        let inward = -self.domain.normal(outside)?;
        (0..8)
            .map(|halvings| outside + inward * (gap + 0.5 * self.distance / f64::from(1 << halvings)))
            .find(|point| self.free_cell(point).is_some())
    }

    /// Places a sample around a random active one (Bridson 2007, step 2).
    fn grow(&mut self) -> Result<(), ShapeError> {
        let index = self.random.below(self.active.len());
        let centre = self.positions[self.active[index] as usize];
        for _ in 0..MAX_CANDIDATES {
            // Uniform in the shell from one to two distances.
            let radius = self.distance * (1.0 + 7.0 * self.random.number()).cbrt();
            let candidate = centre + self.random.direction() * radius;
            if let Some(slot) = self.free_cell(&candidate) {
                return self.add_sample(&slot, candidate);
            }
        }
        self.active.swap_remove(index);
        Ok(())
    }

    /// The cell of a point, if it is inside and far enough from all samples.
    fn free_cell(&self, point: &Vec3) -> Option<Slot> {
        let slot = self.cells.slot(point)?;
        let is_free_inside = match self.cells.state(&slot) {
            CubeState::Outside => false,
            CubeState::Inside => self.is_free(&slot, point),
            CubeState::Unknown => self.is_free(&slot, point) && self.domain.contains(point),
        };
        is_free_inside.then_some(slot)
    }

    fn is_free(&self, slot: &Slot, point: &Vec3) -> bool {
        let limit = self.distance * self.distance;
        self.cells.none_near(slot, |sample| (self.positions[sample as usize] - point).norm_squared() < limit)
    }

    fn add_sample(&mut self, slot: &Slot, point: Vec3) -> Result<(), ShapeError> {
        let number = self.positions.len();
        check_count("distance", self.distance, "points", (number + 1) as f64)?;
        self.cells.insert(slot, number as u32);
        self.active.push(number as u32);
        self.positions.push(point);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::{SurfaceDomain, volume_of};
    use craze_spatial::Aabb;
    use proptest::prelude::*;

    fn nearest(points: &[Vec3], from: &Vec3) -> f64 {
        points.iter().map(|point| (point - from).norm()).fold(f64::INFINITY, f64::min)
    }

    fn check_properties(domain: &dyn Domain, sampled: &SampledPoints, seed: u64) {
        let distance = sampled.spacing.x;
        for (index, point) in sampled.positions.iter().enumerate() {
            assert!(domain.contains(point));
            assert!(nearest(&sampled.positions[..index], point) >= distance);
        }
        let Aabb { min, max } = domain.bounds();
        let mut random = Random::new(seed);
        let mut met = 0;
        while met < 300 {
            let point = min + Vec3::from_fn(|_, _| random.number()).component_mul(&(max - min));
            if domain.contains(&point) {
                met += 1;
                let gap = nearest(&sampled.positions, &point);
                assert!(gap < 2.0 * distance, "{gap} at {point}");
            }
        }
        assert!((sampled.total_volume() / volume_of(domain) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn points_keep_their_distance_and_leave_no_gaps(seed in 0_u64..1000, fineness in 4.0..12.0_f64) {
            let ball = Field::sphere(1.0);
            let sampled = poisson_points(&ball, 2.0 / fineness, seed).expect("points");
            check_properties(&ball, &sampled, seed);
        }

        #[test]
        fn parts_thinner_than_the_distance_are_filled_too(seed in 0_u64..1000, share in 0.02..1.0_f64) {
            let plate = Field::block(Vec3::new(2.0, 0.2 * share, 2.0), 0.0);
            let sampled = poisson_points(&plate, 0.2, seed).expect("points");
            check_properties(&plate, &sampled, seed);
        }
    }

    #[test]
    fn every_part_gets_points() {
        let parts = (0..5).map(|k| Field::sphere(0.01 + 0.1 * f64::from(k)).translated(Vec3::x() * f64::from(2 * k)));
        let parts = Field::union(parts.collect());
        let sampled = poisson_points(&parts, 0.2, 7).expect("points");
        for k in 0..5 {
            let centre = Vec3::x() * f64::from(2 * k);
            assert!(nearest(&sampled.positions, &centre) < 0.5, "ball {k}");
        }
    }

    #[test]
    fn a_surface_is_filled_like_its_shape_and_depends_on_the_seed() {
        let ball = crate::BuiltIn::surface(&crate::Sphere { radius: 1.0 }, 0.1).expect("a ball");
        let (domain, _) = SurfaceDomain::new(&ball).expect("an inside");
        let [one, same, other] = [3, 3, 4].map(|seed| poisson_points(&domain, 0.15, seed).expect("points"));
        check_properties(&domain, &one, 1);
        assert_eq!(one, same);
        assert_ne!(one, other);
    }

    #[test]
    fn a_count_is_met_within_one_percent() {
        for (domain, count) in [
            (Field::sphere(0.5), 20_115),
            (Field::block(Vec3::new(1.0, 0.1, 1.0), 0.0), 3_000),
            (Field::sphere(0.5).shell(0.02), 5_000),
        ] {
            let sampled = poisson_points_about(&domain, count, 1).expect("points");
            let error = sampled.positions.len().abs_diff(count);
            assert!(error * 100 <= count, "{} instead of {count}", sampled.positions.len());
        }
        let few = poisson_points_about(&Field::sphere(0.5), 1, 1).expect("points");
        assert!(!few.positions.is_empty() && few.positions.len() < 4);
    }

    #[test]
    fn too_many_and_impossible_distances_are_refused() {
        let ball = Field::sphere(1.0);
        assert!(matches!(poisson_points(&ball, 1e-6, 1), Err(ShapeError::TooFine { .. })));
        assert!(matches!(poisson_points(&ball, 0.0, 1), Err(ShapeError::BadLength { .. })));
        assert!(matches!(poisson_points(&ball, f64::NAN, 1), Err(ShapeError::BadLength { .. })));
        assert!(matches!(poisson_points_about(&ball, usize::MAX, 1), Err(ShapeError::TooFine { .. })));
        let nothing = Field::intersection(vec![Field::sphere(1.0), Field::sphere(1.0).translated(Vec3::x() * 3.0)]);
        assert!(matches!(poisson_points(&nothing, 0.1, 1), Err(ShapeError::NoPoints { .. })));
    }
}
