//! The faces between shards, each once for both sides.

use craze_math::{Random, Vec3};

/// A hair (in edges) by which vertices are moved so that no four points lie in one plane.
const HAIR: f64 = 1e-7;

/// The cracks of a body at rest: triangles with a shard on each side. They meet in common edges, and end outside its surface and nowhere else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cracks {
    /// Where the vertices are (m).
    pub positions: Vec<Vec3>,
    /// Counterclockwise seen from before them.
    pub triangles: Vec<[u32; 3]>,
    /// The shards behind and before each triangle.
    pub sides: Vec<[u32; 2]>,
    /// Length of the shortest edge at each vertex, at most the mean edge (m).
    pub(crate) reach: Vec<f64>,
    /// Mean edge (m).
    pub(crate) edge: f64,
}

impl Cracks {
    /// Finds the shortest edges.
    pub(crate) fn measure(&mut self) {
        self.reach = vec![self.edge; self.positions.len()];
        for &[a, b, c] in &self.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]].map(|edge| edge.map(|vertex| vertex as usize)) {
                let length = (self.positions[to] - self.positions[from]).norm();
                self.reach[from] = self.reach[from].min(length);
                self.reach[to] = self.reach[to].min(length);
            }
        }
    }

    /// The shards that they part, ascending.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels: Vec<u32> = self.sides.iter().flatten().copied().collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Moves every vertex by a hair.
    pub fn unsettle(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        for position in &mut self.positions {
            *position += HAIR * self.edge * random.direction();
        }
    }
}
