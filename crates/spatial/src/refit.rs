//! Refitting: updates boxes without changing the tree structure.

use crate::aabb::Aabb;
use crate::build::check;
use crate::bvh::{Bounds, Bvh, Node};
use crate::error::SpatialError;
use crate::tuning::REFIT_CHUNK_NODES;
use rayon::prelude::*;
use std::ops::Range;

impl Bvh {
    /// Refits the tree to moved primitives in O(n), with the same structure.
    ///
    /// Correct for any motion, but queries slow down as neighbours move apart;
    /// [`update`](Bvh::update) also repairs that. On an error the tree is unchanged.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), SpatialError> {
        if boxes.len() != self.len() {
            return Err(SpatialError::CountChanged { built: self.len(), given: boxes.len() });
        }
        check(boxes)?;
        self.refit_unchecked(boxes);
        Ok(())
    }

    /// [`refit`](Bvh::refit) for boxes that were checked.
    pub(crate) fn refit_unchecked(&mut self, boxes: &[Aabb]) {
        // First gathers the boxes in leaf order: these random reads are independent and overlap in
        // the memory system. The sweep over the nodes then reads sequentially.
        self.gathered.resize(self.order.len(), Bounds::EMPTY);
        let gather = |(gathered, order): (&mut [Bounds], &[u32])| {
            for (bounds, &primitive) in gathered.iter_mut().zip(order) {
                *bounds = Bounds::from_aabb(&boxes[primitive as usize]);
            }
        };
        if self.nodes.len() <= REFIT_CHUNK_NODES {
            gather((&mut self.gathered, &self.order));
            return refit_range(&mut self.nodes, 0, &self.gathered);
        }
        self.gathered.par_chunks_mut(REFIT_CHUNK_NODES).zip(self.order.par_chunks(REFIT_CHUNK_NODES)).for_each(gather);
        // The descendants of a node are a contiguous range behind it: ranges of about chunk size
        // are refitted in parallel, then the nodes above.
        let (mut parts, mut above) = (Vec::new(), Vec::new());
        let mut stack = Vec::from([Range { start: 0, end: self.nodes.len() }]);
        // A range starts with two siblings; the root has none.
        while let Some(run) = stack.pop() {
            if run.len() <= REFIT_CHUNK_NODES {
                parts.push(run);
                continue;
            }
            let siblings = if run.start == 0 { 0..1 } else { run.start..run.start + 2 };
            above.push(siblings.clone());
            let mut end = run.end;
            for sibling in siblings.rev() {
                if !self.nodes[sibling].is_leaf() {
                    let first = self.nodes[sibling].first as usize;
                    stack.push(first..end);
                    end = first;
                }
            }
        }
        parts.sort_unstable_by_key(|run| run.start);
        let mut pieces = Vec::with_capacity(parts.len());
        let (mut rest, mut passed) = (self.nodes.as_mut_slice(), 0);
        for run in parts {
            let (piece, behind) = rest.split_at_mut(run.start - passed).1.split_at_mut(run.len());
            (rest, passed) = (behind, run.end);
            pieces.push((run.start, piece));
        }
        pieces.into_par_iter().for_each(|(start, piece)| refit_range(piece, start, &self.gathered));
        above.sort_unstable_by_key(|run| std::cmp::Reverse(run.start));
        for index in above.into_iter().flatten() {
            self.nodes[index] = refitted(&self.nodes[index], &self.gathered, |child| &self.nodes[child]);
        }
    }
}

/// Refits a contiguous range of nodes, closed under descendants, that starts at `start`.
fn refit_range(nodes: &mut [Node], start: usize, gathered: &[Bounds]) {
    // Children are behind their parents: a backward sweep visits them first.
    for index in (0..nodes.len()).rev() {
        nodes[index] = refitted(&nodes[index], gathered, |child| &nodes[child - start]);
    }
}

fn refitted<'a>(node: &Node, gathered: &[Bounds], node_at: impl Fn(usize) -> &'a Node) -> Node {
    let bounds = |node: &Node| Bounds { min: node.min, max: node.max };
    let Bounds { min, max } = if node.is_leaf() {
        gathered[node.range()].iter().fold(Bounds::EMPTY, |all, one| all.union(one))
    } else {
        bounds(node_at(node.first as usize)).union(&bounds(node_at(node.first as usize + 1)))
    };
    Node { min, max, ..*node }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boxes;
    use craze_math::Vec3;

    #[test]
    fn refitted_tree_encloses_moved_boxes() {
        let mut boxes = random_boxes(777, 1);
        let mut bvh = Bvh::build(&boxes).expect("sound boxes");
        for (index, aabb) in boxes.iter_mut().enumerate() {
            let shift = Vec3::new((index as f64).sin(), (index as f64).cos(), 0.1 * index as f64);
            *aabb = Aabb { min: aabb.min + shift, max: aabb.max + shift };
        }
        assert!(bvh.validate(&boxes).is_err());
        bvh.refit(&boxes).expect("same count");
        bvh.validate(&boxes).expect("valid tree");
    }

    #[test]
    fn refit_without_motion_changes_nothing() {
        let boxes = random_boxes(300, 2);
        let bvh = Bvh::build(&boxes).expect("sound boxes");
        let mut again = bvh.clone();
        again.refit(&boxes).expect("same count");
        assert_eq!(bvh.nodes, again.nodes);
    }

    #[test]
    fn refit_refuses_another_count_and_bad_boxes() {
        let boxes = random_boxes(10, 3);
        let mut bvh = Bvh::build(&boxes).expect("sound boxes");
        assert!(matches!(bvh.refit(&boxes[..9]), Err(SpatialError::CountChanged { built: 10, given: 9 })));
        let mut bad = boxes.clone();
        bad[4].min.x = f64::NAN;
        assert!(matches!(bvh.refit(&bad), Err(SpatialError::BadBox { index: 4, .. })));
        bvh.validate(&boxes).expect("unchanged");
    }
}
