//! Top-down construction by the binned surface area heuristic (Wald 2007).

use craze_math::Vec3;

use crate::aabb::Aabb;
use crate::bvh::{Bvh, MAX_DEPTH, Node};
use crate::error::SpatialError;
use crate::tuning::{BINS, MAX_LEAF_PRIMITIVES, MIN_PARALLEL_BUILD, TRAVERSAL_COST};

/// From this depth on sets are split at the median, so 2³² primitives stay within [`MAX_DEPTH`].
const MEDIAN_SPLIT_DEPTH: usize = MAX_DEPTH - 32;
/// Larger coordinates (m) overflow when squared in `f32`.
const MAX_COORDINATE: f64 = 1e18;

#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb,
    count: usize,
}

impl Bvh {
    /// Builds a tree over numbered boxes in O(n log n), deterministically. No boxes give an empty
    /// tree.
    ///
    /// Fails for boxes with NaN, coordinates beyond ±1e18 m or min > max.
    pub fn build(boxes: &[Aabb]) -> Result<Self, SpatialError> {
        check(boxes)?;
        if boxes.is_empty() {
            return Ok(Self::default());
        }
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let nodes = build_subtree(&mut order, 0, 0, boxes);
        Ok(Self { nodes, order, ..Self::default() })
    }
}

/// Builds the subtree over `members`, which start at `start` in the tree's order, with its root at
/// `depth`: root first, then all descendants, left side first. Child indices are relative to the
/// root.
pub(crate) fn build_subtree(members: &mut [u32], start: usize, depth: usize, boxes: &[Aabb]) -> Vec<Node> {
    let mut nodes = vec![Node::EMPTY];
    build_subtree_at(&mut nodes, 0, members, start, depth, boxes);
    nodes
}

/// Builds the subtree in place of a node and appends its descendants. Recursion depth is at most
/// [`MAX_DEPTH`].
fn build_subtree_at(
    nodes: &mut Vec<Node>,
    node: usize,
    members: &mut [u32],
    start: usize,
    depth: usize,
    boxes: &[Aabb],
) {
    let bounds = members.iter().fold(Aabb::EMPTY, |all, &p| all.union(&boxes[p as usize]));
    nodes[node].set_bounds(&bounds);
    let left = if depth < MEDIAN_SPLIT_DEPTH {
        partition_by_cost(members, boxes, &bounds)
    } else {
        partition_at_median(members, boxes)
    };
    let Some(left) = left else {
        nodes[node].first = start as u32;
        nodes[node].count = members.len() as u32;
        return;
    };
    let first = nodes.len();
    nodes[node].first = first as u32;
    nodes.extend([Node::EMPTY; 2]);
    let is_large = members.len() > MIN_PARALLEL_BUILD;
    let (here, there) = members.split_at_mut(left);
    if is_large {
        let (one, other) = rayon::join(
            || build_subtree(here, start, depth + 1, boxes),
            || build_subtree(there, start + left, depth + 1, boxes),
        );
        replace_with_subtree(nodes, first, &one);
        replace_with_subtree(nodes, first + 1, &other);
    } else {
        build_subtree_at(nodes, first, here, start, depth + 1, boxes);
        build_subtree_at(nodes, first + 1, there, start + left, depth + 1, boxes);
    }
}

/// Replaces a node by a subtree with child indices relative to its root, and appends the
/// descendants.
pub(crate) fn replace_with_subtree(nodes: &mut Vec<Node>, node: usize, subtree: &[Node]) {
    let shift = nodes.len() as u32 - 1;
    let moved = |node: &Node| if node.is_leaf() { *node } else { Node { first: node.first + shift, ..*node } };
    let mut subtree = subtree.iter().map(moved);
    nodes[node] = subtree.next().unwrap_or(Node::EMPTY);
    nodes.extend(subtree);
}

pub(crate) fn check(boxes: &[Aabb]) -> Result<(), SpatialError> {
    if boxes.len() > u32::MAX as usize / 2 {
        return Err(SpatialError::TooMany { count: boxes.len() });
    }
    for (index, aabb) in boxes.iter().enumerate() {
        // NaN fails every comparison.
        let valid = (0..3).fold(true, |valid, axis| {
            // Evaluated without branches.
            valid
                & (aabb.min[axis] >= -MAX_COORDINATE)
                & (aabb.max[axis] <= MAX_COORDINATE)
                & (aabb.min[axis] <= aabb.max[axis])
        });
        if !valid {
            return Err(SpatialError::BadBox { index, min: aabb.min.into(), max: aabb.max.into() });
        }
    }
    Ok(())
}

pub(crate) fn is_valid_point(point: &Vec3) -> bool {
    point.iter().all(|value| value.abs() <= MAX_COORDINATE)
}

/// Partitions members at the plane of lowest cost and returns the number on the left; `None` if a
/// leaf is cheaper.
fn partition_by_cost(members: &mut [u32], boxes: &[Aabb], bounds: &Aabb) -> Option<usize> {
    if members.len() <= 2 {
        return None;
    }
    let spread = members.iter().fold(Aabb::EMPTY, |all, &p| all.with(&boxes[p as usize].centre()));
    let axis = spread.size().imax();
    let (low, width) = (spread.min[axis], spread.size()[axis]);
    if width <= 0.0 {
        return partition_at_median(members, boxes);
    }
    let scale = BINS as f64 / width;
    let bin_of = |p: u32| (((boxes[p as usize].centre()[axis] - low) * scale) as usize).min(BINS - 1);
    let mut bins = [Bin { bounds: Aabb::EMPTY, count: 0 }; BINS];
    for &p in members.iter() {
        let bin = &mut bins[bin_of(p)];
        bin.bounds = bin.bounds.union(&boxes[p as usize]);
        bin.count += 1;
    }
    // cost_right[k]: area times count of the bins from k on.
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
        return partition_at_median(members, boxes);
    };
    let area = bounds.half_area();
    if members.len() <= MAX_LEAF_PRIMITIVES && best_cost + TRAVERSAL_COST * area >= members.len() as f64 * area {
        return None;
    }
    Some(partition(members, |p| bin_of(p) < plane))
}

/// Splits at the median along the axis of largest extent; `None` if the set fits in a leaf.
fn partition_at_median(members: &mut [u32], boxes: &[Aabb]) -> Option<usize> {
    if members.len() <= MAX_LEAF_PRIMITIVES {
        return None;
    }
    let spread = members.iter().fold(Aabb::EMPTY, |all, &p| all.with(&boxes[p as usize].centre()));
    let axis = spread.size().imax();
    let half = members.len() / 2;
    // Ties are broken by index: the order is total and the result unique.
    members.select_nth_unstable_by(half, |&a, &b| {
        let centre = |p: u32| boxes[p as usize].centre()[axis];
        centre(a).total_cmp(&centre(b)).then(a.cmp(&b))
    });
    Some(half)
}

/// Moves members that satisfy the predicate to the front and returns their number.
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
    fn trees_are_valid_and_reproducible() {
        for count in [1, 2, 3, 9, 100, 5000] {
            let boxes = random_boxes(count, 7);
            let bvh = Bvh::build(&boxes).expect("valid boxes");
            bvh.validate(&boxes).expect("valid tree");
            let again = Bvh::build(&boxes).expect("valid boxes");
            assert_eq!(bvh.nodes, again.nodes);
            assert_eq!(bvh.order, again.order);
        }
    }

    #[test]
    fn equal_boxes_are_split_at_the_median() {
        let boxes = vec![Aabb::from_point(&Vec3::new(1.0, 2.0, 3.0)); 1000];
        let bvh = Bvh::build(&boxes).expect("valid boxes");
        bvh.validate(&boxes).expect("valid tree");
    }

    #[test]
    fn converging_boxes_stay_within_the_depth_limit() {
        // Each plane of the heuristic splits off one box: without median splits the tree would have
        // 1000 levels.
        let boxes: Vec<Aabb> = (0..1000).map(|k| Aabb::from_point(&Vec3::new(0.5_f64.powi(k), 0.0, 0.0))).collect();
        let bvh = Bvh::build(&boxes).expect("valid boxes");
        bvh.validate(&boxes).expect("valid tree");
    }

    #[test]
    fn invalid_boxes_are_rejected_with_their_index() {
        let good = Aabb::from_point(&Vec3::zeros());
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
