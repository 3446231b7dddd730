//! Keeping a tree good while its primitives move, come and go: only what has decayed or changed is built anew.
//!
//! A node is good if its children share little of it: if the sum of their surfaces is not much more than its own. Where that sum has
//! grown since the children were made, they have drifted into each other, and everything below the node is built anew; the
//! rest of the tree is copied as it is. Scaling and growing margins decay nothing.

use crate::aabb::Aabb;
use crate::build::{MAX_LEAF, check, grow, splice};
use crate::bvh::{Bvh, MAX_DEPTH, Node};
use crate::error::SpatialError;
use std::ops::Range;

/// By how much the children's surfaces may have grown, in units of their parent's, before they are built anew.
const DECAY: f32 = 0.25;

/// Share of newcomers from which on a tree is built anew as a whole.
const MANY: f64 = 0.25;

/// What has become of a primitive that is gone, for [`Bvh::change`].
pub const GONE: u32 = u32::MAX;

impl Bvh {
    /// Follows moved primitives: fits the tree and builds anew what has decayed. Another number of primitives is a new tree. On an error the
    /// tree is unchanged. Gives how many primitives were put in order anew.
    pub fn update(&mut self, boxes: &[Aabb]) -> Result<usize, SpatialError> {
        if boxes.len() != self.len() || self.sharing.len() != self.nodes.len() {
            *self = Self::build(boxes)?;
            self.sharing = (0..self.nodes.len()).map(|node| shared(&self.nodes, node)).collect();
            return Ok(boxes.len());
        }
        self.refit(boxes)?;
        Ok(self.mend(boxes))
    }

    /// Follows primitives of which some are gone and others are new: `fates` holds the present number of every former primitive, or
    /// [`GONE`], and `boxes` are those of the present ones. Newcomers join the leaf that they make larger by the least. Where the
    /// fates make no sense, or where much is new, the tree is built as a whole.
    pub fn change(&mut self, fates: &[u32], boxes: &[Aabb]) -> Result<(), SpatialError> {
        check(boxes)?;
        let mut stayed = vec![false; boxes.len()];
        let mut makes_sense = fates.len() == self.len() && self.sharing.len() == self.nodes.len();
        for &fate in fates.iter().filter(|&&fate| fate != GONE) {
            match stayed.get_mut(fate as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => makes_sense = false,
            }
        }
        let new = || (0..boxes.len() as u32).filter(|&p| !stayed[p as usize]);
        if !makes_sense || new().count() as f64 >= MANY * boxes.len() as f64 {
            *self = Self::default();
            return self.update(boxes).map(|_| ());
        }
        let mut newcomers: Vec<(u32, u32)> = new().map(|p| (self.leaf_for(&boxes[p as usize]), p)).collect();
        newcomers.sort_unstable();
        let mut change =
            Change { old: self, fates, newcomers, boxes, held: Vec::new(), new: Bvh::default(), deepest: 0 };
        change.count();
        change.new.push_empty();
        change.carry(0, 0, 0);
        let (new, deepest) = (change.new, change.deepest);
        *self = if deepest > MAX_DEPTH { Self::default() } else { new };
        self.update(boxes).map(|_| ())
    }

    /// Builds anew what has decayed; gives how many primitives that are.
    fn mend(&mut self, boxes: &[Aabb]) -> usize {
        let mut decayed = Vec::new();
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if node.is_leaf() {
                continue;
            }
            if shared(&self.nodes, index) > self.sharing[index] + DECAY {
                decayed.push(index);
            } else {
                stack.extend([node.first as usize, node.first as usize + 1]);
            }
        }
        if decayed.is_empty() {
            return 0;
        }
        decayed.sort_unstable();
        let mut mended = Bvh { order: std::mem::take(&mut self.order), ..Bvh::default() };
        mended.push_empty();
        let mut count = 0;
        self.copy(0, 0, 0, &decayed, boxes, &mut mended, &mut count);
        *self = mended;
        count
    }

    /// Copies what is below a node to a place in another tree, and builds anew what has decayed.
    #[expect(clippy::too_many_arguments, reason = "a recursion over two trees")]
    fn copy(
        &self,
        from: usize,
        to: usize,
        depth: usize,
        decayed: &[usize],
        boxes: &[Aabb],
        into: &mut Bvh,
        count: &mut usize,
    ) {
        let node = self.nodes[from];
        into.nodes[to] = node;
        into.sharing[to] = self.sharing[from];
        if node.is_leaf() {
            return;
        }
        if decayed.binary_search(&from).is_ok() {
            let range = self.members(from);
            *count += range.len();
            into.grow_into(to, range, depth, boxes);
            return;
        }
        let first = into.push_empty();
        into.push_empty();
        into.nodes[to].first = first as u32;
        self.copy(node.first as usize, first, depth + 1, decayed, boxes, into, count);
        self.copy(node.first as usize + 1, first + 1, depth + 1, decayed, boxes, into, count);
    }

    /// Builds a run of the order at the place of a node.
    fn grow_into(&mut self, place: usize, range: Range<usize>, depth: usize, boxes: &[Aabb]) {
        let subtree = grow(&mut self.order[range.clone()], range.start, depth, boxes);
        let behind = self.nodes.len();
        splice(&mut self.nodes, place, &subtree);
        self.sharing[place] = shared(&self.nodes, place);
        self.sharing.extend((behind..self.nodes.len()).map(|node| shared(&self.nodes, node)));
    }

    fn push_empty(&mut self) -> usize {
        self.nodes.push(Node::EMPTY);
        self.sharing.push(0.0);
        self.nodes.len() - 1
    }

    /// What is below a node, in leaf order: one run.
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

    /// The leaf that a newcomer makes larger by the least on the way down.
    fn leaf_for(&self, newcomer: &Aabb) -> u32 {
        let growth = |child: u32| {
            let bounds = self.nodes[child as usize].bounds();
            bounds.union(newcomer).half_area() - bounds.half_area()
        };
        let mut leaf = 0;
        while let Some(node) = self.nodes.get(leaf as usize).filter(|node| !node.is_leaf()) {
            leaf = if growth(node.first + 1) < growth(node.first) { node.first + 1 } else { node.first };
        }
        leaf
    }
}

/// The surfaces of a node's children, in units of its own; 0 for a leaf or a node without surface.
fn shared(nodes: &[Node], index: usize) -> f32 {
    let node = &nodes[index];
    if node.is_leaf() {
        return 0.0;
    }
    let first = node.first as usize;
    let (children, own) = (nodes[first].half_area() + nodes[first + 1].half_area(), node.half_area());
    if own > 0.0 { children / own } else { 0.0 }
}

/// How many levels are below a node.
fn levels_below(nodes: &[Node], index: usize) -> usize {
    let node = &nodes[index];
    if node.is_leaf() {
        return 0;
    }
    let first = node.first as usize;
    1 + levels_below(nodes, first).max(levels_below(nodes, first + 1))
}

/// A tree on its way to other primitives.
struct Change<'a> {
    old: &'a Bvh,
    fates: &'a [u32],
    /// Old leaf and present number, ascending.
    newcomers: Vec<(u32, u32)>,
    boxes: &'a [Aabb],
    /// How many primitives every old node will hold.
    held: Vec<u32>,
    new: Bvh,
    deepest: usize,
}

impl Change<'_> {
    fn newcomers_of(&self, leaf: usize) -> Range<usize> {
        let place = |leaf: usize| self.newcomers.partition_point(|entry| (entry.0 as usize) < leaf);
        place(leaf)..place(leaf + 1)
    }

    fn count(&mut self) {
        self.held = vec![0; self.old.nodes.len()];
        for (index, node) in self.old.nodes.iter().enumerate().rev() {
            self.held[index] = if node.is_leaf() {
                let stay = self.old.order[node.range()].iter().filter(|&&p| self.fates[p as usize] != GONE).count();
                (stay + self.newcomers_of(index).len()) as u32
            } else {
                self.held[node.first as usize] + self.held[node.first as usize + 1]
            };
        }
    }

    /// Carries what is below a node over to a place in the new tree.
    fn carry(&mut self, from: usize, to: usize, depth: usize) {
        let Some(&node) = self.old.nodes.get(from) else { return };
        self.deepest = self.deepest.max(depth);
        if node.is_leaf() {
            let start = self.new.order.len();
            let stay = self.old.order[node.range()].iter().map(|&p| self.fates[p as usize]);
            self.new.order.extend(stay.filter(|&fate| fate != GONE));
            let newcomers = self.newcomers_of(from);
            self.new.order.extend(self.newcomers[newcomers].iter().map(|entry| entry.1));
            let range = start..self.new.order.len();
            if range.len() > MAX_LEAF {
                self.new.grow_into(to, range, depth, self.boxes);
                self.deepest = self.deepest.max(depth + levels_below(&self.new.nodes, to));
            } else {
                self.new.nodes[to] = Node { first: start as u32, count: range.len() as u32, ..node };
            }
            return;
        }
        let children = [node.first as usize, node.first as usize + 1];
        // A node with one child left is that child.
        if let Some(side) = children.iter().position(|&child| self.held[child] == 0) {
            return self.carry(children[1 - side], to, depth);
        }
        let first = self.new.push_empty();
        self.new.push_empty();
        self.new.nodes[to] = Node { first: first as u32, ..node };
        self.new.sharing[to] = self.old.sharing[from];
        self.carry(children[0], first, depth + 1);
        self.carry(children[1], first + 1, depth + 1);
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

    fn moved(aabb: &Aabb, way: Vec3) -> Aabb {
        Aabb { min: aabb.min + way, max: aabb.max + way }
    }

    /// Sum of all surfaces: what a search has to look at.
    fn cost(tree: &Bvh) -> f64 {
        tree.nodes.iter().map(|node| f64::from(node.half_area())).sum()
    }

    #[test]
    fn a_corner_that_is_stirred_is_built_anew_and_the_rest_is_not() {
        let mut boxes = random_boxes(4000, 3);
        let mut tree = Bvh::default();
        assert_eq!(tree.update(&boxes).expect("sound boxes"), 4000);
        assert_eq!(tree.update(&boxes).expect("sound boxes"), 0, "nothing has moved");
        // All that is on one side of one side of the root.
        let side = tree.nodes[tree.nodes[0].first as usize].first as usize;
        let places: Vec<usize> = tree.order[tree.members(side)].iter().map(|&p| p as usize).collect();
        let mut random = Random::new(5);
        for &k in &places {
            let other = places[(random.number() * places.len() as f64) as usize % places.len()];
            boxes.swap(k, other);
        }
        let again = tree.update(&boxes).expect("sound boxes");
        tree.validate(&boxes).expect("valid");
        assert!(again > 0 && again <= places.len(), "{again} of 4000, where {} have moved", places.len());
        let built = Bvh::build(&boxes).expect("sound boxes");
        assert!(cost(&tree) < 1.3 * cost(&built), "{} {}", cost(&tree), cost(&built));
        assert_eq!(found(&tree, &boxes), brute(&boxes));
    }

    #[test]
    fn scaling_and_margins_decay_nothing() {
        let boxes = random_boxes(1000, 4);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("sound boxes");
        let scaled: Vec<Aabb> = boxes.iter().map(|b| Aabb { min: 3.0 * b.min, max: 3.0 * b.max }).collect();
        assert_eq!(tree.update(&scaled).expect("sound boxes"), 0);
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_brute_force_however_primitives_move_come_and_go(
            seed in 0_u64..10_000, count in 0_usize..300, rounds in 1_usize..8,
        ) {
            let mut random = Random::new(seed + 1);
            let mut boxes = random_boxes(count, seed);
            let mut tree = Bvh::default();
            tree.update(&boxes).expect("sound boxes");
            for round in 0..rounds {
                let size = 0.3 * random.number();
                for aabb in &mut boxes {
                    *aabb = moved(aabb, size * random.vector());
                }
                // Some go, the others close up or not, some come.
                let leaving = 0.3 * random.number();
                let (mut fates, mut kept) = (Vec::new(), Vec::new());
                for aabb in &boxes {
                    if random.number() < leaving {
                        fates.push(GONE);
                    } else {
                        fates.push(kept.len() as u32);
                        kept.push(*aabb);
                    }
                }
                if round % 2 == 1 {
                    kept.reverse();
                    let last = kept.len() as u32;
                    fates.iter_mut().filter(|fate| **fate != GONE).for_each(|fate| *fate = last - 1 - *fate);
                }
                kept.extend(random_boxes((0.3 * random.number() * count as f64) as usize, seed + 77 + round as u64));
                boxes = kept;
                tree.change(&fates, &boxes).expect("sound boxes");
                prop_assert_eq!(tree.validate(&boxes), Ok(()));
                prop_assert_eq!(found(&tree, &boxes), brute(&boxes));
            }
        }
    }

    #[test]
    fn ever_new_primitives_in_one_place_stay_within_the_stack() {
        let mut boxes = random_boxes(64, 9);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("sound boxes");
        for k in 0..3000 {
            let fates: Vec<u32> = (0..boxes.len() as u32).collect();
            boxes.push(Aabb::of_point(&Vec3::new(0.5_f64.powi(k % 1000), 0.0, 0.0)));
            tree.change(&fates, &boxes).expect("sound boxes");
            if k % 100 == 0 {
                tree.validate(&boxes).expect("valid");
            }
        }
    }

    #[test]
    fn fates_that_make_no_sense_and_bad_boxes_are_survived() {
        let boxes = random_boxes(50, 1);
        let mut tree = Bvh::default();
        tree.update(&boxes).expect("sound boxes");
        for fates in [vec![0; 50], vec![7; 3], vec![99; 50]] {
            tree.change(&fates, &boxes[..40]).expect("sound boxes");
            tree.validate(&boxes[..40]).expect("valid");
        }
        let mut bad = boxes.clone();
        bad[3].max.y = f64::NAN;
        assert!(tree.update(&bad).is_err() && tree.change(&[], &bad).is_err());
        tree.validate(&boxes[..40]).expect("unchanged");
        tree.change(&[GONE; 40], &[]).expect("nothing");
        assert!(tree.is_empty());
        tree.validate(&[]).expect("valid");
    }
}
