//! Crack faces between fragments.

use craze_math::{Random, Vec3};

use crate::tuning::CRACK_PERTURBATION;

/// Cracks of a body at rest: triangles with a fragment on each side. They meet in shared edges and
/// end only outside the surface of the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cracks {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// The fragments behind and in front of each triangle.
    pub sides: Vec<[u32; 2]>,
    /// Shortest edge at each vertex, at most the mean edge (m).
    pub(crate) shortest_edge: Vec<f64>,
    /// Mean edge (m).
    pub(crate) edge: f64,
}

impl Cracks {
    pub(crate) fn measure(&mut self) {
        self.shortest_edge = vec![self.edge; self.positions.len()];
        for &[a, b, c] in &self.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]].map(|edge| edge.map(|vertex| vertex as usize)) {
                let length = (self.positions[to] - self.positions[from]).norm();
                self.shortest_edge[from] = self.shortest_edge[from].min(length);
                self.shortest_edge[to] = self.shortest_edge[to].min(length);
            }
        }
    }

    /// Labels of the fragments, ascending.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels: Vec<u32> = self.sides.iter().flatten().copied().collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Moves every vertex by 1e-7 edges in a random direction, so that no four points of surface
    /// and cracks are coplanar.
    pub fn perturb(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        for position in &mut self.positions {
            *position += CRACK_PERTURBATION * self.edge * random.direction();
        }
    }
}
