//! Constrained degrees of freedom.

use craze_math::{Mat3, Vec3};

/// The free DOFs of each node: all, those in a plane, those on a line, or none.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    projection_indices: Vec<Option<u32>>,
    /// Orthogonal projections onto the free DOFs.
    projections: Vec<Mat3>,
}

impl Constraints {
    /// All nodes free.
    pub fn none(nodes: usize) -> Self {
        Self { projection_indices: vec![None; nodes], projections: Vec::new() }
    }

    /// The listed nodes fixed, all others free. Nodes out of range are ignored.
    pub fn fixed(nodes: usize, fixed: impl IntoIterator<Item = usize>) -> Self {
        let mut constraints = Self::none(nodes);
        for node in fixed.into_iter().filter(|&node| node < nodes) {
            constraints.fix(node);
        }
        constraints
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.projection_indices.len()
    }

    /// True if nothing is constrained.
    pub fn is_empty(&self) -> bool {
        self.projections.is_empty()
    }

    /// Fixes a node in all directions. Panics if the node is out of range, as do all setters.
    pub fn fix(&mut self, node: usize) {
        self.set(node, Mat3::zeros());
    }

    /// Restricts a node to the plane with this normal. A zero normal changes nothing.
    pub fn restrict_to_plane(&mut self, node: usize, normal: Vec3) {
        if let Some(normal) = normal.try_normalize(0.0) {
            self.set(node, Mat3::identity() - normal * normal.transpose());
        }
    }

    /// Restricts a node to this direction. A zero vector fixes it.
    pub fn restrict_to_line(&mut self, node: usize, direction: Vec3) {
        let direction = direction.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        self.set(node, direction * direction.transpose());
    }

    fn set(&mut self, node: usize, projection: Mat3) {
        match self.projection_indices[node] {
            Some(index) => self.projections[index as usize] = projection,
            None => {
                self.projection_indices[node] = Some(self.projections.len() as u32);
                self.projections.push(projection);
            }
        }
    }

    /// The projection onto the free DOFs of a node; `None` if all are free.
    pub fn projection(&self, node: usize) -> Option<&Mat3> {
        self.projection_indices[node].map(|index| &self.projections[index as usize])
    }

    /// Projects a vector over all nodes onto the free DOFs.
    pub fn project(&self, vector: &mut [Vec3]) {
        for (index, entry) in self.projection_indices.iter().zip(vector) {
            if let Some(index) = index {
                *entry = self.projections[*index as usize] * *entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_keep_only_what_is_free() {
        let mut constraints = Constraints::fixed(5, [0, 99]);
        constraints.restrict_to_plane(1, Vec3::new(0.0, 2.0, 0.0));
        constraints.restrict_to_line(2, Vec3::new(0.0, 0.0, -3.0));
        constraints.restrict_to_plane(3, Vec3::zeros());
        let mut vector = vec![Vec3::new(1.0, 2.0, 3.0); 5];
        constraints.project(&mut vector);
        let expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]];
        assert_eq!(vector, expected.map(Vec3::from));
        // A later constraint replaces an earlier one.
        constraints.fix(1);
        constraints.project(&mut vector);
        assert_eq!(vector[1], Vec3::zeros());
    }
}
