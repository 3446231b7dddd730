//! Validation of a tree.

use crate::aabb::Aabb;
use crate::bvh::{Bvh, MAX_DEPTH};
use crate::error::BvhFault;

impl Bvh {
    /// Checks the tree against the boxes it was built over or refitted to, and returns the first
    /// fault.
    ///
    /// Each node is reached once, each primitive is in one leaf, each node encloses its content,
    /// and the depth is within the limit.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), BvhFault> {
        let mut reached = vec![0_usize; self.nodes.len()];
        let mut leaf_counts = vec![0_usize; boxes.len().max(self.order.len())];
        let mut stack = if self.nodes.is_empty() { vec![] } else { vec![(0_usize, 0_usize)] };
        while let Some((index, depth)) = stack.pop() {
            let node = &self.nodes[index];
            reached[index] += 1;
            if reached[index] > 1 {
                return Err(BvhFault::NotATree { node: index, times: reached[index] });
            }
            if depth > MAX_DEPTH {
                return Err(BvhFault::TooDeep { node: index, limit: MAX_DEPTH });
            }
            let bounds = node.bounds();
            if node.is_leaf() {
                let content = self.order.get(node.range()).ok_or(BvhFault::BadLink { node: index })?;
                for &primitive in content {
                    let primitive = primitive as usize;
                    let aabb = boxes.get(primitive).ok_or(BvhFault::BadLink { node: index })?;
                    leaf_counts[primitive] += 1;
                    if !(bounds.contains(&aabb.min) && bounds.contains(&aabb.max)) {
                        return Err(BvhFault::NotEnclosing { node: index, content: primitive });
                    }
                }
            } else {
                let first = node.first as usize;
                if first <= index || first + 1 >= self.nodes.len() {
                    return Err(BvhFault::BadLink { node: index });
                }
                for child in [first, first + 1] {
                    let inner = self.nodes[child].bounds();
                    if !(bounds.contains(&inner.min) && bounds.contains(&inner.max)) {
                        return Err(BvhFault::NotEnclosing { node: index, content: child });
                    }
                    stack.push((child, depth + 1));
                }
            }
        }
        if let Some(node) = reached.iter().position(|&times| times != 1) {
            return Err(BvhFault::NotATree { node, times: reached[node] });
        }
        match leaf_counts.iter().position(|&times| times != 1) {
            Some(primitive) => Err(BvhFault::PrimitiveCount { primitive, times: leaf_counts[primitive] }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;

    #[test]
    fn corrupted_trees_are_detected() {
        let boxes = random_boxes(100, 4);
        let bvh = Bvh::build(&boxes).expect("sound boxes");

        let mut shrunk = bvh.clone();
        shrunk.nodes[1].max[0] = shrunk.nodes[1].min[0];
        assert!(matches!(shrunk.validate(&boxes), Err(BvhFault::NotEnclosing { .. })));

        let mut doubled = bvh.clone();
        doubled.order[0] = doubled.order[1];
        assert!(doubled.validate(&boxes).is_err());

        let mut looped = bvh.clone();
        looped.nodes[0].first = 0;
        assert_eq!(looped.validate(&boxes), Err(BvhFault::BadLink { node: 0 }));

        let mut more = boxes.clone();
        more.push(boxes[0]);
        assert_eq!(bvh.validate(&more), Err(BvhFault::PrimitiveCount { primitive: 100, times: 0 }));
    }
}
