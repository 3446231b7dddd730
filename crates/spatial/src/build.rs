//! Building a tree: top down, by the surface area heuristic over bins (Wald 2007).

use craze_math::Vec3;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, MAX_DEPTH, Node};
use crate::error::SpatialError;

/// Candidate planes along the longest axis are the borders of this many bins.
const BINS: usize = 16;
/// Larger sets are always split.
pub(crate) const MAX_LEAF: usize = 8;
/// Cost of visiting two child boxes, in units of testing one primitive.
const VISIT_COST: f64 = 1.0;
/// From this level on sets are halved: 2³² primitives then end within [`MAX_DEPTH`].
const HALVING_DEPTH: usize = MAX_DEPTH - 32;
/// The two sides of larger sets are built at the same time.
const LARGE: usize = 8192;
/// Coordinates beyond would overflow when squared in `f32`.
const LARGEST_COORDINATE: f64 = 1e18;

#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb,
    count: usize,
}

impl Bvh {
    /// Builds a tree over boxes, numbered in their order; O(n log n), the same for the same input.
    ///
    /// Refuses boxes that are not numbers, lie beyond ±1e18 m or have min > max. No boxes give an empty tree.
    pub fn build(boxes: &[Aabb]) -> Result<Self, SpatialError> {
        check(boxes)?;
        if boxes.is_empty() {
            return Ok(Self::default());
        }
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let nodes = grow(&mut order, 0, 0, boxes);
        Ok(Self { nodes, order, ..Self::default() })
    }
}

/// The subtree over `members`, which start at `start` in the order of the tree, its root `depth` levels deep: root first, then all below
/// it, the left side before the right. Children are numbered from the root.
pub(crate) fn grow(members: &mut [u32], start: usize, depth: usize, boxes: &[Aabb]) -> Vec<Node> {
    let mut nodes = vec![Node::EMPTY];
    grow_at(&mut nodes, 0, members, start, depth, boxes);
    nodes
}

/// The same at the place of a node, all below it appended. Levels are at most [`MAX_DEPTH`], and so is the recursion.
fn grow_at(nodes: &mut Vec<Node>, node: usize, members: &mut [u32], start: usize, depth: usize, boxes: &[Aabb]) {
    let bounds = members.iter().fold(Aabb::EMPTY, |all, &p| all.union(&boxes[p as usize]));
    nodes[node].set_bounds(&bounds);
    let left = if depth < HALVING_DEPTH {
        partition_by_cost(members, boxes, &bounds)
    } else {
        partition_in_halves(members, boxes)
    };
    let Some(left) = left else {
        nodes[node].first = start as u32;
        nodes[node].count = members.len() as u32;
        return;
    };
    let first = nodes.len();
    nodes[node].first = first as u32;
    nodes.extend([Node::EMPTY; 2]);
    let is_large = members.len() > LARGE;
    let (here, there) = members.split_at_mut(left);
    if is_large {
        let (one, other) =
            rayon::join(|| grow(here, start, depth + 1, boxes), || grow(there, start + left, depth + 1, boxes));
        splice(nodes, first, &one);
        splice(nodes, first + 1, &other);
    } else {
        grow_at(nodes, first, here, start, depth + 1, boxes);
        grow_at(nodes, first + 1, there, start + left, depth + 1, boxes);
    }
}

/// Puts a subtree whose children are numbered from its root at the place of a node, and all below its root at the end.
pub(crate) fn splice(nodes: &mut Vec<Node>, place: usize, subtree: &[Node]) {
    let shift = nodes.len() as u32 - 1;
    let moved = |node: &Node| if node.is_leaf() { *node } else { Node { first: node.first + shift, ..*node } };
    let mut subtree = subtree.iter().map(moved);
    nodes[place] = subtree.next().unwrap_or(Node::EMPTY);
    nodes.extend(subtree);
}

/// Refuses what cannot be put in a tree.
pub(crate) fn check(boxes: &[Aabb]) -> Result<(), SpatialError> {
    if boxes.len() > u32::MAX as usize / 2 {
        return Err(SpatialError::TooMany { count: boxes.len() });
    }
    for (index, aabb) in boxes.iter().enumerate() {
        // NaN fails every comparison.
        let sound = (0..3).fold(true, |sound, axis| {
            // All of them without a branch.
            sound
                & (aabb.min[axis] >= -LARGEST_COORDINATE)
                & (aabb.max[axis] <= LARGEST_COORDINATE)
                & (aabb.min[axis] <= aabb.max[axis])
        });
        if !sound {
            return Err(SpatialError::BadBox { index, min: aabb.min.into(), max: aabb.max.into() });
        }
    }
    Ok(())
}

/// Whether a point can be put in a tree.
pub(crate) fn is_sound(point: &Vec3) -> bool {
    point.iter().all(|value| value.abs() <= LARGEST_COORDINATE)
}

/// Orders members along the cheapest plane and returns how many are left of it; none where a leaf is cheaper.
fn partition_by_cost(members: &mut [u32], boxes: &[Aabb], bounds: &Aabb) -> Option<usize> {
    if members.len() <= 2 {
        return None;
    }
    let spread = members.iter().fold(Aabb::EMPTY, |all, &p| all.with(&boxes[p as usize].centre()));
    let axis = spread.size().imax();
    let (low, width) = (spread.min[axis], spread.size()[axis]);
    if width <= 0.0 {
        return partition_in_halves(members, boxes);
    }
    let scale = BINS as f64 / width;
    let bin_of = |p: u32| (((boxes[p as usize].centre()[axis] - low) * scale) as usize).min(BINS - 1);
    let mut bins = [Bin { bounds: Aabb::EMPTY, count: 0 }; BINS];
    for &p in members.iter() {
        let bin = &mut bins[bin_of(p)];
        bin.bounds = bin.bounds.union(&boxes[p as usize]);
        bin.count += 1;
    }
    // cost_right[k]: area times count of all bins from k on.
    let mut cost_right = [0.0; BINS];
    let mut right = Bin { bounds: Aabb::EMPTY, count: 0 };
    for k in (1..BINS).rev() {
        right.bounds = right.bounds.union(&bins[k].bounds);
        right.count += bins[k].count;
        cost_right[k] = right.bounds.half_area() * right.count as f64;
    }
    let mut left = Bin { bounds: Aabb::EMPTY, count: 0 };
    let (mut best_cost, mut best) = (f64::INFINITY, None);
    for k in 1..BINS {
        left.bounds = left.bounds.union(&bins[k - 1].bounds);
        left.count += bins[k - 1].count;
        let cost = left.bounds.half_area() * left.count as f64 + cost_right[k];
        if left.count > 0 && left.count < members.len() && cost < best_cost {
            (best_cost, best) = (cost, Some(k));
        }
    }
    let Some(plane) = best else {
        return partition_in_halves(members, boxes);
    };
    let area = bounds.half_area();
    if members.len() <= MAX_LEAF && best_cost + VISIT_COST * area >= members.len() as f64 * area {
        return None;
    }
    Some(partition(members, |p| bin_of(p) < plane))
}

/// Splits at the median along the axis of largest spread; none for sets that fit a leaf.
fn partition_in_halves(members: &mut [u32], boxes: &[Aabb]) -> Option<usize> {
    if members.len() <= MAX_LEAF {
        return None;
    }
    let spread = members.iter().fold(Aabb::EMPTY, |all, &p| all.with(&boxes[p as usize].centre()));
    let axis = spread.size().imax();
    let half = members.len() / 2;
    // The number breaks ties, so that the order is total and the result unique.
    members.select_nth_unstable_by(half, |&a, &b| {
        let centre = |p: u32| boxes[p as usize].centre()[axis];
        centre(a).total_cmp(&centre(b)).then(a.cmp(&b))
    });
    Some(half)
}

/// Moves members that satisfy the predicate to the front and returns how many they are.
fn partition(members: &mut [u32], is_left: impl Fn(u32) -> bool) -> usize {
    let mut left = 0;
    for k in 0..members.len() {
        if is_left(members[k]) {
            members.swap(left, k);
            left += 1;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;

    #[test]
    fn trees_are_valid_and_repeat() {
        for count in [1, 2, 3, 9, 100, 5000] {
            let boxes = random_boxes(count, 7);
            let bvh = Bvh::build(&boxes).expect("sound boxes");
            bvh.validate(&boxes).expect("valid tree");
            let again = Bvh::build(&boxes).expect("sound boxes");
            assert_eq!(bvh.nodes, again.nodes);
            assert_eq!(bvh.order, again.order);
        }
    }

    #[test]
    fn equal_boxes_are_halved() {
        let boxes = vec![Aabb::of_point(&Vec3::new(1.0, 2.0, 3.0)); 1000];
        let bvh = Bvh::build(&boxes).expect("sound boxes");
        bvh.validate(&boxes).expect("valid tree");
    }

    #[test]
    fn ever_closer_boxes_stay_within_the_stack() {
        // Each plane of the heuristic takes off a single box: without halving this would be 1000 levels deep.
        let boxes: Vec<Aabb> = (0..1000).map(|k| Aabb::of_point(&Vec3::new(0.5_f64.powi(k), 0.0, 0.0))).collect();
        let bvh = Bvh::build(&boxes).expect("sound boxes");
        bvh.validate(&boxes).expect("valid tree");
    }

    #[test]
    fn impossible_boxes_are_refused_by_number() {
        let good = Aabb::of_point(&Vec3::zeros());
        for bad in [
            Aabb { min: Vec3::new(f64::NAN, 0.0, 0.0), ..good },
            Aabb { max: Vec3::new(0.0, f64::INFINITY, 0.0), ..good },
            Aabb { min: Vec3::new(0.0, 0.0, 1.0), ..good },
            Aabb::EMPTY,
        ] {
            assert!(matches!(Bvh::build(&[good, bad]), Err(SpatialError::BadBox { index: 1, .. })));
        }
        assert!(Bvh::build(&[]).expect("no boxes").is_empty());
    }
}
