//! Overlapping pairs: within one tree, and between two.

use std::ops::ControlFlow;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, Node};

impl Bvh {
    /// Finds every pair of primitives of this tree and another whose boxes overlap; each once, this tree's first.
    ///
    /// `boxes` and `other_boxes` are those the trees were built over or refitted to.
    pub fn pairs(&self, boxes: &[Aabb], other: &Self, other_boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        if self.is_empty() || other.is_empty() {
            return;
        }
        let mut stack = vec![(0_usize, 0_usize)];
        while let Some((a, b)) = stack.pop() {
            let (first, second) = (&self.nodes[a], &other.nodes[b]);
            if !overlap(first, second) {
                continue;
            }
            match (first.is_leaf(), second.is_leaf()) {
                (true, true) => {
                    for &p in &self.order[first.range()] {
                        for &q in &other.order[second.range()] {
                            if boxes[p as usize].overlaps(&other_boxes[q as usize]) {
                                found(p, q);
                            }
                        }
                    }
                }
                // Opening the larger box parts the two sooner.
                (false, true) => push_children(&mut stack, first, |child| (child, b)),
                (true, false) => push_children(&mut stack, second, |child| (a, child)),
                (false, false) if first.bounds().half_area() >= second.bounds().half_area() => {
                    push_children(&mut stack, first, |child| (child, b));
                }
                (false, false) => push_children(&mut stack, second, |child| (a, child)),
            }
        }
    }

    /// Finds every pair of different primitives of this tree whose boxes overlap; each once, the smaller number first.
    pub fn self_pairs(&self, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        let _ = self.self_pairs_until(boxes, |p, q| {
            found(p, q);
            ControlFlow::Continue(())
        });
    }

    /// The same, until `found` has had enough.
    pub fn self_pairs_until(
        &self,
        boxes: &[Aabb],
        mut found: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut stack = vec![(0_usize, 0_usize)];
        while let Some((a, b)) = stack.pop() {
            let (first, second) = (&self.nodes[a], &self.nodes[b]);
            if a != b && !overlap(first, second) {
                continue;
            }
            match (first.is_leaf(), second.is_leaf()) {
                (true, true) => {
                    for i in first.range() {
                        let start = if a == b { i + 1 } else { second.range().start };
                        for j in start..second.range().end {
                            let (p, q) = (self.order[i], self.order[j]);
                            if boxes[p as usize].overlaps(&boxes[q as usize]) {
                                found(p.min(q), p.max(q))?;
                            }
                        }
                    }
                }
                (false, _) if a == b => {
                    let child = first.first as usize;
                    stack.extend([(child, child + 1), (child + 1, child + 1), (child, child)]);
                }
                (false, true) => push_children(&mut stack, first, |child| (child, b)),
                (true, false) => push_children(&mut stack, second, |child| (a, child)),
                (false, false) if first.bounds().half_area() >= second.bounds().half_area() => {
                    push_children(&mut stack, first, |child| (child, b));
                }
                (false, false) => push_children(&mut stack, second, |child| (a, child)),
            }
        }
        ControlFlow::Continue(())
    }
}

fn overlap(first: &Node, second: &Node) -> bool {
    (0..3).all(|axis| first.min[axis] <= second.max[axis] && second.min[axis] <= first.max[axis])
}

fn push_children(stack: &mut Vec<(usize, usize)>, node: &Node, pair: impl Fn(usize) -> (usize, usize)) {
    let child = node.first as usize;
    stack.extend([pair(child + 1), pair(child)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_those_of_brute_force(seed in 0_u64..1000, count in 0_usize..150, others in 0_usize..150) {
            let (boxes, other_boxes) = (random_boxes(count, seed), random_boxes(others, seed + 1));
            let bvh = Bvh::build(&boxes).expect("sound boxes");
            let other = Bvh::build(&other_boxes).expect("sound boxes");

            let mut found = Vec::new();
            bvh.pairs(&boxes, &other, &other_boxes, |p, q| found.push((p, q)));
            found.sort_unstable();
            let mut expected = Vec::new();
            for p in 0..count {
                for q in 0..others {
                    if boxes[p].overlaps(&other_boxes[q]) {
                        expected.push((p as u32, q as u32));
                    }
                }
            }
            prop_assert_eq!(found, expected);

            let mut found = Vec::new();
            bvh.self_pairs(&boxes, |p, q| found.push((p, q)));
            found.sort_unstable();
            let mut expected = Vec::new();
            for p in 0..count {
                for q in p + 1..count {
                    if boxes[p].overlaps(&boxes[q]) {
                        expected.push((p as u32, q as u32));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
