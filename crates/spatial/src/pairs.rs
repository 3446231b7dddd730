//! Overlapping pairs within one tree and between two.

use std::ops::ControlFlow;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, Node};
use crate::tuning::{MIN_PARALLEL_PAIRS, PARALLEL_TASKS};
use rayon::prelude::*;

impl Bvh {
    /// Calls `found` once for each pair of primitives of this tree and another with overlapping
    /// boxes, this tree's primitive first.
    ///
    /// `boxes` and `other_boxes` are those the trees were built over or refitted to.
    pub fn pairs(&self, boxes: &[Aabb], other: &Self, other_boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        let search = Search { first: self, boxes, second: other, other_boxes, is_same: false };
        let _ = search.run(search.start(), |p, q| {
            found(p, q);
            ControlFlow::Continue(())
        });
    }

    /// [`pairs`](Self::pairs) on all threads: each task collects its own result, returned in an
    /// order that depends on the trees only.
    pub fn par_pairs<T: Default + Send>(
        &self,
        boxes: &[Aabb],
        other: &Self,
        other_boxes: &[Aabb],
        found: impl Fn(&mut T, u32, u32) + Sync,
    ) -> Vec<T> {
        Search { first: self, boxes, second: other, other_boxes, is_same: false }.run_parallel(found)
    }

    /// Calls `found` once for each pair of different primitives of this tree with overlapping
    /// boxes, smaller index first.
    pub fn self_pairs(&self, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        let _ = self.self_pairs_until(boxes, |p, q| {
            found(p, q);
            ControlFlow::Continue(())
        });
    }

    /// [`self_pairs`](Self::self_pairs) on all threads; see [`par_pairs`](Self::par_pairs).
    pub fn par_self_pairs<T: Default + Send>(&self, boxes: &[Aabb], found: impl Fn(&mut T, u32, u32) + Sync) -> Vec<T> {
        Search { first: self, boxes, second: self, other_boxes: boxes, is_same: true }.run_parallel(found)
    }

    /// [`self_pairs`](Self::self_pairs) until `found` breaks.
    pub fn self_pairs_until(&self, boxes: &[Aabb], found: impl FnMut(u32, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let search = Search { first: self, boxes, second: self, other_boxes: boxes, is_same: true };
        search.run(search.start(), found)
    }
}

#[derive(Clone, Copy)]
struct Search<'a> {
    first: &'a Bvh,
    boxes: &'a [Aabb],
    second: &'a Bvh,
    other_boxes: &'a [Aabb],
    is_same: bool,
}

impl Search<'_> {
    fn start(&self) -> Vec<(u32, u32)> {
        if self.first.is_empty() || self.second.is_empty() { Vec::new() } else { vec![(0, 0)] }
    }

    fn is_self(&self, (a, b): (u32, u32)) -> bool {
        self.is_same && a == b
    }

    /// Pushes the child pairs of a pair of nodes on the stack, the first to visit on top. False for
    /// two leaves.
    fn expand(&self, pair: (u32, u32), stack: &mut Vec<(u32, u32)>) -> bool {
        let (a, b) = pair;
        let (first, second) = (&self.first.nodes[a as usize], &self.second.nodes[b as usize]);
        if first.is_leaf() && second.is_leaf() {
            return false;
        }
        if self.is_self(pair) {
            let child = first.first;
            stack.extend([(child, child + 1), (child + 1, child + 1), (child, child)]);
            return true;
        }
        // Descending into the larger box separates the two sooner.
        let expands_first = second.is_leaf() || (!first.is_leaf() && first.half_area() >= second.half_area());
        if expands_first {
            stack.extend([(first.first + 1, b), (first.first, b)]);
        } else {
            stack.extend([(a, second.first + 1), (a, second.first)]);
        }
        true
    }

    fn is_disjoint(&self, pair: (u32, u32)) -> bool {
        !self.is_self(pair) && !overlap(&self.first.nodes[pair.0 as usize], &self.second.nodes[pair.1 as usize])
    }

    fn run(&self, mut stack: Vec<(u32, u32)>, mut found: impl FnMut(u32, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some(pair) = stack.pop() {
            if self.is_disjoint(pair) || self.expand(pair, &mut stack) {
                continue;
            }
            let (first, second) = (&self.first.nodes[pair.0 as usize], &self.second.nodes[pair.1 as usize]);
            for i in first.range() {
                let p = self.first.order[i];
                let bounds = &self.boxes[p as usize];
                let start = if self.is_self(pair) { i + 1 } else { second.range().start };
                for &q in &self.second.order[start..second.range().end] {
                    if bounds.overlaps(&self.other_boxes[q as usize]) {
                        if self.is_same { found(p.min(q), p.max(q))? } else { found(p, q)? }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn run_parallel<T: Default + Send>(&self, found: impl Fn(&mut T, u32, u32) + Sync) -> Vec<T> {
        let visit = |stack: Vec<(u32, u32)>| {
            let mut answer = T::default();
            let _ = self.run(stack, |p, q| {
                found(&mut answer, p, q);
                ControlFlow::Continue(())
            });
            answer
        };
        if self.first.len().max(self.second.len()) < MIN_PARALLEL_PAIRS {
            return vec![visit(self.start())];
        }
        // Expands all pairs level by level until there are enough tasks.
        let (mut front, mut next) = (self.start(), Vec::new());
        let mut expanded = true;
        while expanded && front.len() < PARALLEL_TASKS {
            expanded = false;
            for &pair in front.iter().filter(|pair| !self.is_disjoint(**pair)) {
                if self.expand(pair, &mut next) {
                    expanded = true;
                } else {
                    next.push(pair);
                }
            }
            front.clear();
            std::mem::swap(&mut front, &mut next);
        }
        front.into_par_iter().map(|pair| visit(vec![pair])).collect()
    }
}

fn overlap(first: &Node, second: &Node) -> bool {
    (0..3).all(|axis| first.min[axis] <= second.max[axis] && second.min[axis] <= first.max[axis])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_equal_brute_force(seed in 0_u64..1000, count in 0_usize..150, others in 0_usize..150) {
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

    #[test]
    fn parallel_pairs_have_the_same_order_for_any_number_of_threads() {
        let (boxes, others) = (random_boxes(6000, 3), random_boxes(3000, 4));
        let (bvh, other) = (Bvh::build(&boxes).expect("sound boxes"), Bvh::build(&others).expect("sound boxes"));
        let mut alone = Vec::new();
        bvh.self_pairs(&boxes, |p, q| alone.push((p, q)));
        alone.sort_unstable();
        let mut between = Vec::new();
        bvh.pairs(&boxes, &other, &others, |p, q| between.push((p, q)));
        between.sort_unstable();
        let search = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let add = |list: &mut Vec<(u32, u32)>, p, q| list.push((p, q));
            pool.install(|| (bvh.par_self_pairs(&boxes, add), bvh.par_pairs(&boxes, &other, &others, add)))
        };
        let (one, three) = (search(1), search(3));
        assert_eq!(one, three);
        assert!(one.0.len() > 100);
        let flat = |parts: Vec<Vec<(u32, u32)>>| {
            let mut all = parts.concat();
            all.sort_unstable();
            all
        };
        assert_eq!((flat(one.0), flat(one.1)), (alone, between));
    }
}
