//! Incremental updates of a tree while primitives move, appear and disappear.
//!
//! The quality of a node is the sum of its children's surface areas relative to its own. Where that
//! ratio has grown since the children were built, they overlap more, and the subtree is rebuilt;
//! the rest of the tree is copied. Scaling and larger margins do not change the ratio.

use crate::aabb::Aabb;
use crate::build::{build_subtree, check, replace_with_subtree};
use crate::bvh::{Bvh, MAX_DEPTH, Node};
use crate::error::SpatialError;
use crate::tuning::{MAX_AREA_RATIO_GROWTH, MAX_LEAF_PRIMITIVES, REBUILD_FRACTION};
use std::ops::Range;

/// New index of a removed primitive, for [`Bvh::remap`].
pub const REMOVED: u32 = u32::MAX;

impl Bvh {
    /// Refits the tree to moved primitives and rebuilds degraded subtrees. A different number of
    /// primitives rebuilds the tree. On an error the tree is unchanged. Returns the number of
    /// primitives in rebuilt subtrees.
    pub fn update(&mut self, boxes: &[Aabb]) -> Result<usize, SpatialError> {
        if boxes.len() != self.len() || self.child_area_ratios.len() != self.nodes.len() {
            *self = Self::build(boxes)?;
            self.child_area_ratios = (0..self.nodes.len()).map(|node| child_area_ratio(&self.nodes, node)).collect();
            return Ok(boxes.len());
        }
        self.refit(boxes)?;
        Ok(self.rebuild_degraded(boxes))
    }

    /// Updates the tree after primitives were removed, renumbered and added. `new_indices` holds
    /// the new index of each former primitive, or [`REMOVED`]; `boxes` are those of the current
    /// primitives. New primitives join the leaf whose box grows least. If the mapping is invalid or
    /// many primitives are new, the tree is rebuilt.
    pub fn remap(&mut self, new_indices: &[u32], boxes: &[Aabb]) -> Result<(), SpatialError> {
        check(boxes)?;
        let mut kept = vec![false; boxes.len()];
        let mut is_valid = new_indices.len() == self.len() && self.child_area_ratios.len() == self.nodes.len();
        for &new_index in new_indices.iter().filter(|&&new_index| new_index != REMOVED) {
            match kept.get_mut(new_index as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => is_valid = false,
            }
        }
        let new = || (0..boxes.len() as u32).filter(|&p| !kept[p as usize]);
        if !is_valid || new().count() as f64 >= REBUILD_FRACTION * boxes.len() as f64 {
            *self = Self::default();
            return self.update(boxes).map(|_| ());
        }
        let mut inserted: Vec<(u32, u32)> = new().map(|p| (self.leaf_for(&boxes[p as usize]), p)).collect();
        inserted.sort_unstable();
        let mut remap =
            Remap { old: self, new_indices, inserted, boxes, counts: Vec::new(), new: Bvh::default(), deepest: 0 };
        remap.count();
        remap.new.push_empty();
        remap.copy_subtree(0, 0, 0);
        let (new, deepest) = (remap.new, remap.deepest);
        *self = if deepest > MAX_DEPTH { Self::default() } else { new };
        self.update(boxes).map(|_| ())
    }

    /// Rebuilds degraded subtrees and returns the number of their primitives.
    fn rebuild_degraded(&mut self, boxes: &[Aabb]) -> usize {
        let mut degraded = Vec::new();
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if node.is_leaf() {
                continue;
            }
            if child_area_ratio(&self.nodes, index) > self.child_area_ratios[index] + MAX_AREA_RATIO_GROWTH {
                degraded.push(index);
            } else {
                stack.extend([node.first as usize, node.first as usize + 1]);
            }
        }
        if degraded.is_empty() {
            return 0;
        }
        degraded.sort_unstable();
        let mut rebuilt = Bvh { order: std::mem::take(&mut self.order), ..Bvh::default() };
        rebuilt.push_empty();
        let mut count = 0;
        self.copy(0, 0, 0, &degraded, boxes, &mut rebuilt, &mut count);
        *self = rebuilt;
        count
    }

    /// Copies the subtree below a node into another tree and rebuilds its degraded parts.
    #[expect(clippy::too_many_arguments, reason = "a recursion over two trees")]
    fn copy(
        &self,
        from: usize,
        to: usize,
        depth: usize,
        degraded: &[usize],
        boxes: &[Aabb],
        into: &mut Bvh,
        count: &mut usize,
    ) {
        let node = self.nodes[from];
        into.nodes[to] = node;
        into.child_area_ratios[to] = self.child_area_ratios[from];
        if node.is_leaf() {
            return;
        }
        if degraded.binary_search(&from).is_ok() {
            let range = self.members(from);
            *count += range.len();
            into.build_into(to, range, depth, boxes);
            return;
        }
        let first = into.push_empty();
        into.push_empty();
        into.nodes[to].first = first as u32;
        self.copy(node.first as usize, first, depth + 1, degraded, boxes, into, count);
        self.copy(node.first as usize + 1, first + 1, depth + 1, degraded, boxes, into, count);
    }

    /// Builds a range of the order in place of a node.
    fn build_into(&mut self, node: usize, range: Range<usize>, depth: usize, boxes: &[Aabb]) {
        let subtree = build_subtree(&mut self.order[range.clone()], range.start, depth, boxes);
        let behind = self.nodes.len();
        replace_with_subtree(&mut self.nodes, node, &subtree);
        self.child_area_ratios[node] = child_area_ratio(&self.nodes, node);
        self.child_area_ratios.extend((behind..self.nodes.len()).map(|node| child_area_ratio(&self.nodes, node)));
    }

    fn push_empty(&mut self) -> usize {
        self.nodes.push(Node::EMPTY);
        self.child_area_ratios.push(0.0);
        self.nodes.len() - 1
    }

    /// The primitives below a node: a contiguous range in leaf order.
    fn members(&self, node: usize) -> Range<usize> {
        let (mut left, mut right) = (&self.nodes[node], &self.nodes[node]);
        while !left.is_leaf() {
            left = &self.nodes[left.first as usize];
        }
        while !right.is_leaf() {
            right = &self.nodes[right.first as usize + 1];
        }
        left.range().start..right.range().end
    }

    /// The leaf reached by descending into the child whose area grows less.
    fn leaf_for(&self, inserted: &Aabb) -> u32 {
        let growth = |child: u32| {
            let bounds = self.nodes[child as usize].bounds();
            bounds.union(inserted).half_area() - bounds.half_area()
        };
        let mut leaf = 0;
        while let Some(node) = self.nodes.get(leaf as usize).filter(|node| !node.is_leaf()) {
            leaf = if growth(node.first + 1) < growth(node.first) { node.first + 1 } else { node.first };
        }
        leaf
    }
}

/// Sum of the areas of a node's children relative to its own; 0 for a leaf or a node without area.
fn child_area_ratio(nodes: &[Node], index: usize) -> f32 {
    let node = &nodes[index];
    if node.is_leaf() {
        return 0.0;
    }
    let first = node.first as usize;
    let (children, own) = (nodes[first].half_area() + nodes[first + 1].half_area(), node.half_area());
    if own > 0.0 { children / own } else { 0.0 }
}

fn levels_below(nodes: &[Node], index: usize) -> usize {
    let node = &nodes[index];
    if node.is_leaf() {
        return 0;
    }
    let first = node.first as usize;
    1 + levels_below(nodes, first).max(levels_below(nodes, first + 1))
}

/// State of [`Bvh::remap`].
struct Remap<'a> {
    old: &'a Bvh,
    new_indices: &'a [u32],
    /// (old leaf, new index), ascending.
    inserted: Vec<(u32, u32)>,
    boxes: &'a [Aabb],
    /// Number of primitives each old node will hold.
    counts: Vec<u32>,
    new: Bvh,
    deepest: usize,
}

impl Remap<'_> {
    fn inserted_into(&self, leaf: usize) -> Range<usize> {
        let node = |leaf: usize| self.inserted.partition_point(|entry| (entry.0 as usize) < leaf);
        node(leaf)..node(leaf + 1)
    }

    fn count(&mut self) {
        self.counts = vec![0; self.old.nodes.len()];
        for (index, node) in self.old.nodes.iter().enumerate().rev() {
            self.counts[index] = if node.is_leaf() {
                let kept =
                    self.old.order[node.range()].iter().filter(|&&p| self.new_indices[p as usize] != REMOVED).count();
                (kept + self.inserted_into(index).len()) as u32
            } else {
                self.counts[node.first as usize] + self.counts[node.first as usize + 1]
            };
        }
    }

    /// Copies the subtree below a node into the new tree.
    fn copy_subtree(&mut self, from: usize, to: usize, depth: usize) {
        let Some(&node) = self.old.nodes.get(from) else { return };
        self.deepest = self.deepest.max(depth);
        if node.is_leaf() {
            let start = self.new.order.len();
            let kept = self.old.order[node.range()].iter().map(|&p| self.new_indices[p as usize]);
            self.new.order.extend(kept.filter(|&new_index| new_index != REMOVED));
            let inserted = self.inserted_into(from);
            self.new.order.extend(self.inserted[inserted].iter().map(|entry| entry.1));
            let range = start..self.new.order.len();
            if range.len() > MAX_LEAF_PRIMITIVES {
                self.new.build_into(to, range, depth, self.boxes);
                self.deepest = self.deepest.max(depth + levels_below(&self.new.nodes, to));
            } else {
                self.new.nodes[to] = Node { first: start as u32, count: range.len() as u32, ..node };
            }
            return;
        }
        let children = [node.first as usize, node.first as usize + 1];
        // A node with only one non-empty child is replaced by it.
        if let Some(side) = children.iter().position(|&child| self.counts[child] == 0) {
            return self.copy_subtree(children[1 - side], to, depth);
        }
        let first = self.new.push_empty();
        self.new.push_empty();
        self.new.nodes[to] = Node { first: first as u32, ..node };
        self.new.child_area_ratios[to] = self.old.child_area_ratios[from];
        self.copy_subtree(children[0], first, depth + 1);
        self.copy_subtree(children[1], first + 1, depth + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;
    use craze_math::Random;
    use craze_math::Vec3;
    use proptest::prelude::*;

    fn brute(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let numbers = 0..boxes.len();
        let pairs = numbers.clone().flat_map(|p| numbers.clone().skip(p + 1).map(move |q| (p, q)));
        pairs.filter(|&(p, q)| boxes[p].overlaps(&boxes[q])).map(|(p, q)| (p as u32, q as u32)).collect()
    }

    fn found(tree: &Bvh, boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        tree.self_pairs(boxes, |p, q| pairs.push((p, q)));
        pairs.sort_unstable();
        pairs
    }

    fn moved(aabb: &Aabb, offset: Vec3) -> Aabb {
        Aabb { min: aabb.min + offset, max: aabb.max + offset }
    }

    /// Sum of all node areas: the expected cost of a query.
    fn cost(tree: &Bvh) -> f64 {
        tree.nodes.iter().map(|node| f64::from(node.half_area())).sum()
    }

    #[test]
    fn only_the_subtree_of_scrambled_boxes_is_rebuilt() {
        let mut boxes = random_boxes(4000, 3);
        let mut tree = Bvh::default();
        assert_eq!(tree.update(&boxes).expect("valid boxes"), 4000);
        assert_eq!(tree.update(&boxes).expect("valid boxes"), 0, "nothing has moved");
        // All primitives below a grandchild of the root.
        let side = tree.nodes[tree.nodes[0].first as usize].first as usize;
        let scrambled: Vec<usize> = tree.order[tree.members(side)].iter().map(|&p| p as usize).collect();
        let mut random = Random::new(5);
        for &k in &scrambled {
            let other = scrambled[(random.number() * scrambled.len() as f64) as usize % scrambled.len()];
            boxes.swap(k, other);
        }
        let again = tree.update(&boxes).expect("valid boxes");
        tree.validate(&boxes).expect("valid");
        assert!(again > 0 && again <= scrambled.len(), "{again} of 4000, where {} have moved", scrambled.len());
        let built = Bvh::build(&boxes).expect("valid boxes");
        assert!(cost(&tree) < 1.3 * cost(&built), "{} {}", cost(&tree), cost(&built));
        assert_eq!(found(&tree, &boxes), brute(&boxes));
    }

    #[test]
    fn scaling_and_margins_rebuild_nothing() {
        let boxes = random_boxes(1000, 4);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("valid boxes");
        let scaled: Vec<Aabb> = boxes.iter().map(|b| Aabb { min: 3.0 * b.min, max: 3.0 * b.max }).collect();
        assert_eq!(tree.update(&scaled).expect("valid boxes"), 0);
    }

    proptest! {
        #[test]
        fn pairs_equal_brute_force_after_moves_insertions_and_removals(
            seed in 0_u64..10_000, count in 0_usize..300, rounds in 1_usize..8,
        ) {
            let mut random = Random::new(seed + 1);
            let mut boxes = random_boxes(count, seed);
            let mut tree = Bvh::default();
            tree.update(&boxes).expect("valid boxes");
            for round in 0..rounds {
                let size = 0.3 * random.number();
                for aabb in &mut boxes {
                    *aabb = moved(aabb, size * random.vector());
                }
                // Removes some, keeps or closes the gaps, adds some.
                let leaving = 0.3 * random.number();
                let (mut new_indices, mut kept) = (Vec::new(), Vec::new());
                for aabb in &boxes {
                    if random.number() < leaving {
                        new_indices.push(REMOVED);
                    } else {
                        new_indices.push(kept.len() as u32);
                        kept.push(*aabb);
                    }
                }
                if round % 2 == 1 {
                    kept.reverse();
                    let last = kept.len() as u32;
                    new_indices.iter_mut().filter(|new_index| **new_index != REMOVED).for_each(|new_index| *new_index = last - 1 - *new_index);
                }
                kept.extend(random_boxes((0.3 * random.number() * count as f64) as usize, seed + 77 + round as u64));
                boxes = kept;
                tree.remap(&new_indices, &boxes).expect("valid boxes");
                prop_assert_eq!(tree.validate(&boxes), Ok(()));
                prop_assert_eq!(found(&tree, &boxes), brute(&boxes));
            }
        }
    }

    #[test]
    fn repeated_insertion_at_one_position_stays_within_the_depth_limit() {
        let mut boxes = random_boxes(64, 9);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("valid boxes");
        for k in 0..3000 {
            let new_indices: Vec<u32> = (0..boxes.len() as u32).collect();
            boxes.push(Aabb::from_point(&Vec3::new(0.5_f64.powi(k % 1000), 0.0, 0.0)));
            tree.remap(&new_indices, &boxes).expect("valid boxes");
            if k % 100 == 0 {
                tree.validate(&boxes).expect("valid");
            }
        }
    }

    #[test]
    fn invalid_mappings_and_boxes_are_handled() {
        let boxes = random_boxes(50, 1);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("valid boxes");
        for new_indices in [vec![0; 50], vec![7; 3], vec![99; 50]] {
            tree.remap(&new_indices, &boxes[..40]).expect("valid boxes");
            tree.validate(&boxes[..40]).expect("valid");
        }
        let mut bad = boxes.clone();
        bad[3].max.y = f64::NAN;
        assert!(tree.update(&bad).is_err() && tree.remap(&[], &bad).is_err());
        tree.validate(&boxes[..40]).expect("unchanged");
        tree.remap(&[REMOVED; 40], &[]).expect("nothing");
        assert!(tree.is_empty());
        tree.validate(&[]).expect("valid");
    }
}
