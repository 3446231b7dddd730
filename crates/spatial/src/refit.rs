//! Refitting: new boxes in an old order.

use crate::aabb::Aabb;
use crate::build::check;
use crate::bvh::{Bvh, Node};
use crate::error::SpatialError;

impl Bvh {
    /// Fits the tree to moved primitives without changing its order; O(n).
    ///
    /// Stays correct for any motion, but slows down as neighbours part: build anew once they have. On an error the tree is
    /// unchanged.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), SpatialError> {
        if boxes.len() != self.len() {
            return Err(SpatialError::CountChanged { built: self.len(), given: boxes.len() });
        }
        check(boxes)?;
        // Children stand behind their parents, so a backward sweep meets them first.
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            if node.is_leaf() {
                let content = &self.order[node.range()];
                let bounds = content.iter().fold(Aabb::EMPTY, |all, &p| all.union(&boxes[p as usize]));
                self.nodes[index].set_bounds(&bounds);
            } else {
                let first = node.first as usize;
                let bounds = self.nodes[first..first + 2].iter().map(Node::bounds);
                let union = bounds.fold(Aabb::EMPTY, |all, bounds| all.union(&bounds));
                self.nodes[index].set_bounds(&union);
            }
        }
        Ok(())
    }
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
