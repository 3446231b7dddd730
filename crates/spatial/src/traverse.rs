//! Traversal of a tree from the root, controlled by the caller.

use craze_math::Vec3;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, MAX_DEPTH};

/// Decision about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Visit its content.
    Enter,
    /// Skip it and its content.
    Skip,
}

impl Bvh {
    /// Calls `choose` for boxes from the root down, and `found` for the primitives of entered
    /// leaves, in tree order.
    ///
    /// Allocates nothing. Boxes are rounded outward.
    pub fn traverse(&self, mut choose: impl FnMut(&Aabb) -> Visit, mut found: impl FnMut(u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = [0_u32; MAX_DEPTH + 1];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            if choose(&node.bounds()) == Visit::Skip {
                continue;
            }
            if node.is_leaf() {
                self.order[node.range()].iter().for_each(|&primitive| found(primitive));
            } else {
                stack[height] = node.first + 1;
                stack[height + 1] = node.first;
                height += 2;
            }
        }
    }

    /// Finds the primitives with a box in `boxes` (those the tree was built over or refitted to)
    /// that overlaps `query`.
    pub fn overlapping(&self, query: &Aabb, boxes: &[Aabb], mut found: impl FnMut(u32)) {
        let choose = |aabb: &Aabb| if aabb.overlaps(query) { Visit::Enter } else { Visit::Skip };
        self.traverse(choose, |primitive| {
            if boxes[primitive as usize].overlaps(query) {
                found(primitive);
            }
        });
    }

    /// Finds the primitives with a box in `boxes` within `distance` (m) of a point.
    pub fn within(&self, point: &Vec3, distance: f64, boxes: &[Aabb], mut found: impl FnMut(u32)) {
        let limit = distance * distance;
        let choose = |aabb: &Aabb| if aabb.distance_squared(point) <= limit { Visit::Enter } else { Visit::Skip };
        self.traverse(choose, |primitive| {
            if boxes[primitive as usize].distance_squared(point) <= limit {
                found(primitive);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn overlapping_finds_what_brute_force_finds(seed in 0_u64..1000, count in 0_usize..200) {
            let boxes = random_boxes(count, seed);
            let bvh = Bvh::build(&boxes).expect("sound boxes");
            for query in random_boxes(10, seed + 5000) {
                let query = query.grown(0.05);
                let mut found = Vec::new();
                bvh.overlapping(&query, &boxes, |p| found.push(p));
                found.sort_unstable();
                let expected: Vec<u32> = (0..count as u32).filter(|&p| boxes[p as usize].overlaps(&query)).collect();
                prop_assert_eq!(found, expected);

                let (centre, radius) = (query.centre(), query.size().x);
                let mut found = Vec::new();
                bvh.within(&centre, radius, &boxes, |p| found.push(p));
                found.sort_unstable();
                let near = |p: &u32| boxes[*p as usize].distance_squared(&centre) <= radius * radius;
                let expected: Vec<u32> = (0..count as u32).filter(near).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
