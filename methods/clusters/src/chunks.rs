//! Work over particles in fixed chunks, so that sums have the same bits on any number of threads.

use crate::tuning::PARTICLES_PER_CHUNK;
use craze_math::Vec3;
use std::ops::Range;

/// Work that can be divided between two threads.
pub(crate) trait Divide: Send + Sized {
    /// Number of particles.
    fn count(&self) -> usize;
    /// The first `at` particles, and the others.
    fn divide(self, at: usize) -> (Self, Self);
}

impl Divide for Range<usize> {
    fn count(&self) -> usize {
        self.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        (self.start..middle, middle..self.end)
    }
}

/// Positions and velocities of a range of particles, to be written.
pub(crate) struct Span<'a> {
    /// Index of the first particle.
    pub first: usize,
    /// Positions (m).
    pub positions: &'a mut [Vec3],
    /// Velocities (m/s).
    pub velocities: &'a mut [Vec3],
}

impl Divide for Span<'_> {
    fn count(&self) -> usize {
        self.positions.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (positions, later_positions) = self.positions.split_at_mut(at);
        let (velocities, later_velocities) = self.velocities.split_at_mut(at);
        (
            Span { first: self.first, positions, velocities },
            Span { first: self.first + at, positions: later_positions, velocities: later_velocities },
        )
    }
}

/// Applies `leaf` to every chunk and joins the results of neighbours pairwise, first with second.
///
/// The tree of pairs depends on the number of particles alone, and results are on the stack: the
/// same bits for any number of threads, and no allocation.
pub(crate) fn gather<Work: Divide, Part: Send>(
    work: Work,
    leaf: &(impl Fn(Work) -> Part + Sync),
    join: &(impl Fn(Part, Part) -> Part + Sync),
) -> Part {
    let chunks = work.count().div_ceil(PARTICLES_PER_CHUNK);
    if chunks <= 1 {
        return leaf(work);
    }
    let (first, second) = work.divide(chunks / 2 * PARTICLES_PER_CHUNK);
    let (first, second) = rayon::join(|| gather(first, leaf, join), || gather(second, leaf, join));
    join(first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_is_in_one_chunk_and_chunks_are_joined_in_order() {
        for count in [
            0,
            1,
            PARTICLES_PER_CHUNK,
            PARTICLES_PER_CHUNK + 1,
            5 * PARTICLES_PER_CHUNK - 1,
            16 * PARTICLES_PER_CHUNK + 3,
        ] {
            let ranges = gather(0..count, &|range| vec![range], &|mut first, second| {
                first.extend(second);
                first
            });
            let mut next = 0;
            for range in &ranges {
                assert_eq!(range.start, next);
                assert!(range.len() <= PARTICLES_PER_CHUNK);
                next = range.end;
            }
            assert_eq!(next, count);
            assert_eq!(ranges.len(), count.div_ceil(PARTICLES_PER_CHUNK).max(1));
        }
    }
}
