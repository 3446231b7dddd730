//! Freedoms that are held.

use craze_math::{Mat3, Vec3};

/// Which freedoms of each node may change: all, those in a plane, those on a line, or none.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// For each node, where its projection stands in `projections`.
    places: Vec<Option<u32>>,
    /// Orthogonal projections onto what is free.
    projections: Vec<Mat3>,
}

impl Constraints {
    /// All nodes free.
    pub fn none(nodes: usize) -> Self {
        Self { places: vec![None; nodes], projections: Vec::new() }
    }

    /// The listed nodes fixed, all others free. Nodes that do not exist are left out.
    pub fn fixed(nodes: usize, fixed: impl IntoIterator<Item = usize>) -> Self {
        let mut constraints = Self::none(nodes);
        for node in fixed.into_iter().filter(|&node| node < nodes) {
            constraints.fix(node);
        }
        constraints
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.projections.is_empty()
    }

    /// Fixes a node in all directions. Panics if there is no such node, as all setters do.
    pub fn fix(&mut self, node: usize) {
        self.set(node, Mat3::zeros());
    }

    /// Lets a node move in the plane with this normal only. A normal without direction changes nothing.
    pub fn restrict_to_plane(&mut self, node: usize, normal: Vec3) {
        if let Some(normal) = normal.try_normalize(0.0) {
            self.set(node, Mat3::identity() - normal * normal.transpose());
        }
    }

    /// Lets a node move along this direction only. A zero vector fixes it.
    pub fn restrict_to_line(&mut self, node: usize, direction: Vec3) {
        let direction = direction.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        self.set(node, direction * direction.transpose());
    }

    fn set(&mut self, node: usize, projection: Mat3) {
        match self.places[node] {
            Some(place) => self.projections[place as usize] = projection,
            None => {
                self.places[node] = Some(self.projections.len() as u32);
                self.projections.push(projection);
            }
        }
    }

    /// The projection onto what is free at a node; `None` if all is.
    pub fn projection(&self, node: usize) -> Option<&Mat3> {
        self.places[node].map(|place| &self.projections[place as usize])
    }

    /// Takes the held part out of a vector over all nodes.
    pub fn project(&self, vector: &mut [Vec3]) {
        for (place, entry) in self.places.iter().zip(vector) {
            if let Some(place) = place {
                *entry = self.projections[*place as usize] * *entry;
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
        // The last word counts.
        constraints.fix(1);
        constraints.project(&mut vector);
        assert_eq!(vector[1], Vec3::zeros());
    }
}
