//! The octree: finest along the surface, coarser inside, 2:1 balanced.

use rayon::prelude::*;

use super::StuffingOptions;
use super::classification::{CHUNK, Classification, grown};
use super::morton::{contains, sorted};
use crate::error::ShapeError;

/// Octants by level; each list is sorted.
pub(super) struct Octree {
    /// Childless octants that contribute to the mesh.
    pub(super) leaves: Vec<Vec<u64>>,
    /// Octants with children.
    split: Vec<Vec<u64>>,
}

impl Octree {
    /// Leaves of the base level along the surface, up to `options.grading` levels above inside, and
    /// finer ones in `refined` (a list per level below the base).
    pub(super) fn new(
        classification: &Classification,
        refined: &[Vec<u64>],
        options: &StuffingOptions,
    ) -> Result<Self, ShapeError> {
        let base = classification.frame.base;
        let top = base + options.grading;
        // Only regular tetrahedra may surround a warped point, so all octants next to crossed ones
        // are included.
        let mut near = classification.crossed(base, &classification.candidates);
        // These may find an inside that the base level misses.
        if let Some(finer) = refined.get((base as usize).wrapping_sub(1)) {
            near.extend(finer.iter().map(|octant| octant >> 3));
        }
        let near = grown(&sorted(near));
        let mut split: Vec<Vec<u64>> = vec![Vec::new()];
        for level in 0..top {
            let needed =
                if level == base { near.as_slice() } else { refined.get(level as usize).map_or(&[][..], |list| list) };
            // Neighbours of an octant with children are at least as fine, across edges and corners
            // too.
            let parents =
                grown(&split[level as usize]).into_iter().chain(needed.iter().copied()).map(|octant| octant >> 3);
            split.push(sorted(parents.collect()));
        }
        let mut nodes = classification.covering(top, &near, options)?;
        let mut leaves = vec![Vec::new(); top as usize + 1];
        for level in (0..=top).rev() {
            options.check_count(nodes.len() as f64)?;
            let split = &split[level as usize];
            let is_needed = |octant: &u64| !contains(split, *octant) && classification.is_needed(level, *octant, &near);
            leaves[level as usize] = nodes.par_iter().with_min_len(CHUNK).copied().filter(is_needed).collect();
            nodes = split.iter().flat_map(|&octant| (0..8).map(move |child| octant << 3 | child)).collect();
        }
        let count: usize = leaves.iter().map(Vec::len).sum();
        options.check_count(12.0 * count as f64)?;
        Ok(Self { leaves, split })
    }

    #[cfg(test)]
    pub(super) fn of_leaves(leaves: Vec<u64>) -> Self {
        Self { leaves: vec![sorted(leaves)], split: Vec::new() }
    }

    pub(super) fn is_leaf(&self, level: u32, octant: u64) -> bool {
        self.leaves.get(level as usize).is_some_and(|leaves| contains(leaves, octant))
    }

    pub(super) fn is_split(&self, level: u32, octant: u64) -> bool {
        level > 0 && self.split.get(level as usize).is_some_and(|split| contains(split, octant))
    }
}
