//! Overlapping pairs: within one tree, and between two.

use std::ops::ControlFlow;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, Node};
use rayon::prelude::*;

/// Trees with fewer primitives are searched by one thread.
const FEW: usize = 2048;

/// Parts into which the search of larger trees is split: many more than threads, since parts differ, and the same for every number of threads.
const PARTS: usize = 256;

impl Bvh {
    /// Finds every pair of primitives of this tree and another whose boxes overlap; each once, this tree's first.
    ///
    /// `boxes` and `other_boxes` are those the trees were built over or refitted to.
    pub fn pairs(&self, boxes: &[Aabb], other: &Self, other_boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        let search = Search { first: self, boxes, second: other, other_boxes, is_same: false };
        let _ = search.run(search.start(), |p, q| {
            found(p, q);
            ControlFlow::Continue(())
        });
    }

    /// The same by all threads: every part of the search puts what it finds into an answer of its own, and the answers come in the order of
    /// the parts, which depends on the trees alone.
    pub fn pairs_by_parts<T: Default + Send>(
        &self,
        boxes: &[Aabb],
        other: &Self,
        other_boxes: &[Aabb],
        found: impl Fn(&mut T, u32, u32) + Sync,
    ) -> Vec<T> {
        Search { first: self, boxes, second: other, other_boxes, is_same: false }.by_parts(found)
    }

    /// Finds every pair of different primitives of this tree whose boxes overlap; each once, the smaller number first.
    pub fn self_pairs(&self, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        let _ = self.self_pairs_until(boxes, |p, q| {
            found(p, q);
            ControlFlow::Continue(())
        });
    }

    /// The same by all threads; see [`pairs_by_parts`](Self::pairs_by_parts).
    pub fn self_pairs_by_parts<T: Default + Send>(
        &self,
        boxes: &[Aabb],
        found: impl Fn(&mut T, u32, u32) + Sync,
    ) -> Vec<T> {
        Search { first: self, boxes, second: self, other_boxes: boxes, is_same: true }.by_parts(found)
    }

    /// The same, until `found` has had enough.
    pub fn self_pairs_until(&self, boxes: &[Aabb], found: impl FnMut(u32, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let search = Search { first: self, boxes, second: self, other_boxes: boxes, is_same: true };
        search.run(search.start(), found)
    }
}

/// Two trees, or twice the same.
#[derive(Clone, Copy)]
struct Search<'a> {
    first: &'a Bvh,
    boxes: &'a [Aabb],
    second: &'a Bvh,
    other_boxes: &'a [Aabb],
    is_same: bool,
}

impl Search<'_> {
    /// The two roots.
    fn start(&self) -> Vec<(u32, u32)> {
        if self.first.is_empty() || self.second.is_empty() { Vec::new() } else { vec![(0, 0)] }
    }

    /// Whether a pair of nodes is one node with itself.
    fn is_self(&self, (a, b): (u32, u32)) -> bool {
        self.is_same && a == b
    }

    /// Puts the pairs that a pair of nodes opens to on the stack, the first to be visited on top. False for two leaves.
    fn open(&self, pair: (u32, u32), stack: &mut Vec<(u32, u32)>) -> bool {
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
        // Opening the larger box parts the two sooner.
        let opens_first = second.is_leaf() || (!first.is_leaf() && first.half_area() >= second.half_area());
        if opens_first {
            stack.extend([(first.first + 1, b), (first.first, b)]);
        } else {
            stack.extend([(a, second.first + 1), (a, second.first)]);
        }
        true
    }

    /// Whether nothing in the two nodes can overlap.
    fn is_apart(&self, pair: (u32, u32)) -> bool {
        !self.is_self(pair) && !overlap(&self.first.nodes[pair.0 as usize], &self.second.nodes[pair.1 as usize])
    }

    fn run(&self, mut stack: Vec<(u32, u32)>, mut found: impl FnMut(u32, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some(pair) = stack.pop() {
            if self.is_apart(pair) || self.open(pair, &mut stack) {
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

    fn by_parts<T: Default + Send>(&self, found: impl Fn(&mut T, u32, u32) + Sync) -> Vec<T> {
        let visit = |stack: Vec<(u32, u32)>| {
            let mut answer = T::default();
            let _ = self.run(stack, |p, q| {
                found(&mut answer, p, q);
                ControlFlow::Continue(())
            });
            answer
        };
        if self.first.len().max(self.second.len()) < FEW {
            return vec![visit(self.start())];
        }
        // Opens all pairs of a front again and again until there are enough of them.
        let (mut front, mut next) = (self.start(), Vec::new());
        let mut opened = true;
        while opened && front.len() < PARTS {
            opened = false;
            for &pair in front.iter().filter(|pair| !self.is_apart(**pair)) {
                if self.open(pair, &mut next) {
                    opened = true;
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

    #[test]
    fn parts_find_the_same_in_the_same_order_for_any_number_of_threads() {
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
            pool.install(|| (bvh.self_pairs_by_parts(&boxes, add), bvh.pairs_by_parts(&boxes, &other, &others, add)))
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
