//! What makes a crack look like broken matter rather than like tetrahedra.

use craze_math::Vec3;
use craze_spatial::self_intersections;

use crate::cracks::Cracks;
use crate::error::SkinError;
use crate::noise::grain;

/// The look of crack faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Times that every vertex goes half way to the mean of its neighbours.
    pub smoothing: usize,
    /// Times that every crack face is divided into four.
    pub levels: usize,
    /// Crack faces at most that dividing may make.
    pub most_faces: usize,
    /// Height of the roughness, in edges of the tetrahedra nearby.
    pub height: f64,
    /// Length of its longest waves, in edges of the tetrahedra.
    pub wave: f64,
    /// Seed of the roughness.
    pub seed: u64,
}

impl Grain {
    /// Cracks without roughness.
    pub fn smooth() -> Grain {
        Grain { levels: 0, height: 0.0, ..Grain::default() }
    }
}

impl Default for Grain {
    fn default() -> Self {
        Grain { smoothing: 8, levels: 2, most_faces: 250_000, height: 0.4, wave: 1.5, seed: 1 }
    }
}

/// Farthest that smoothing moves a vertex, in edges of the tetrahedra.
const FARTHEST: f64 = 0.5;
/// Times that crack faces which have come to cross each other are brought back,
const ROUNDS: usize = 20;
/// and how many of them half of the way.
const HALVINGS: usize = 6;
/// Share of its height that a crack face keeps at least (1).
const FLATTEST: f64 = 0.05;
/// Crossing pairs that are taken back at once.
const PAIRS: usize = 100_000;

impl Cracks {
    /// Smooths the cracks, divides their faces and roughens them. Without a look they stay as they are. Where faces would come to cross each
    /// other, they are brought back toward where they were.
    pub fn prepare(&mut self, look: Option<&Grain>) -> Result<(), SkinError> {
        let Some(look) = look else { return Ok(()) };
        let home = self.positions.clone();
        self.positions = self.smoothed(look.smoothing);
        self.untangle(&home)?;
        for _ in 0..look.levels {
            if 4 * self.triangles.len() > look.most_faces {
                break;
            }
            self.divide();
        }
        let home = self.positions.clone();
        let scale = 1.0 / (look.wave * self.edge);
        for (position, reach) in self.positions.iter_mut().zip(&self.reach) {
            *position += look.height * reach * grain(&(scale * *position), look.seed);
        }
        self.untangle(&home)
    }

    /// Where the vertices go. Those at the rim or where three shards meet go along that line only, and stay where such lines meet.
    fn smoothed(&self, steps: usize) -> Vec<Vec3> {
        let neighbours = self.neighbours();
        let mut positions = self.positions.clone();
        for _ in 0..steps {
            let mean = |(vertex, around): (usize, &Vec<u32>)| {
                let here = positions[vertex];
                if around.is_empty() {
                    return here;
                }
                let sum: Vec3 = around.iter().map(|&neighbour| positions[neighbour as usize]).sum();
                let moved = 0.5 * (here + sum / around.len() as f64) - self.positions[vertex];
                let limit = FARTHEST * self.edge;
                self.positions[vertex] + moved * (limit / moved.norm().max(limit))
            };
            positions = neighbours.iter().enumerate().map(mean).collect();
        }
        positions
    }

    /// For every vertex those that it is smoothed toward.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&corners| edges_of(corners)).collect();
        edges.sort_unstable();
        let (mut plain, mut lines) = (vec![Vec::new(); self.positions.len()], vec![Vec::new(); self.positions.len()]);
        for together in edges.chunk_by(|one, other| one == other) {
            let [a, b] = together[0];
            let list = if together.len() == 2 { &mut plain } else { &mut lines };
            list[a as usize].push(b);
            list[b as usize].push(a);
        }
        let chosen = |(plain, lines): (Vec<u32>, Vec<u32>)| match lines.len() {
            0 => plain,
            2 => lines,
            _ => Vec::new(),
        };
        plain.into_iter().zip(lines).map(chosen).collect()
    }

    /// Divides every triangle into four.
    fn divide(&mut self) {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&corners| edges_of(corners)).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = self.positions.len() as u32;
        for &[a, b] in &edges {
            self.positions.push(0.5 * (self.positions[a as usize] + self.positions[b as usize]));
            self.reach.push(0.5 * (self.reach[a as usize] + self.reach[b as usize]));
        }
        let middle = |edge: [u32; 2]| first + edges.binary_search(&edge).map_or(0, |index| index as u32);
        let mut triangles = Vec::with_capacity(4 * self.triangles.len());
        for &corners in &self.triangles {
            let [a, b, c] = corners;
            let [ab, bc, ca] = edges_of(corners).map(middle);
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        self.triangles = triangles;
        self.sides = self.sides.iter().flat_map(|&sides| [sides; 4]).collect();
    }

    /// Brings vertices of faces that cross each other back toward `home` (m), where none do, until none do.
    fn untangle(&mut self, home: &[Vec3]) -> Result<(), SkinError> {
        let moved = self.positions.clone();
        let mut share = vec![1.0; moved.len()];
        let mut left = 0;
        for round in 0..=ROUNDS {
            let found =
                self_intersections(&self.positions, &self.triangles, PAIRS).map_err(|_| SkinError::Degenerate)?;
            left = found.pairs.len();
            let mut bad: Vec<u32> = found.pairs.iter().flatten().copied().collect();
            // Needles cross by rounding as soon as they are divided.
            bad.extend((0..self.triangles.len() as u32).filter(|&triangle| {
                let height =
                    |places: &[Vec3]| height(&self.triangles[triangle as usize].map(|vertex| places[vertex as usize]));
                height(&self.positions) < FLATTEST * height(home)
            }));
            if bad.is_empty() {
                return Ok(());
            }
            let mut is_tangled = vec![false; moved.len()];
            for &triangle in &bad {
                self.triangles[triangle as usize].iter().for_each(|&vertex| is_tangled[vertex as usize] = true);
            }
            // What halving does not mend goes home altogether, and what is around it.
            let goes_home = round >= HALVINGS;
            if goes_home {
                let touching =
                    self.triangles.iter().filter(|corners| corners.iter().any(|&vertex| is_tangled[vertex as usize]));
                let around: Vec<u32> = touching.flatten().copied().collect();
                around.iter().for_each(|&vertex| is_tangled[vertex as usize] = true);
            }
            for vertex in (0..moved.len()).filter(|&vertex| is_tangled[vertex]) {
                share[vertex] = if goes_home { 0.0 } else { 0.5 * share[vertex] };
                self.positions[vertex] = home[vertex] + share[vertex] * (moved[vertex] - home[vertex]);
            }
        }
        Err(SkinError::Tangled { pairs: left })
    }
}

/// The smallest height of a triangle (m).
fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() / longest.max(f64::MIN_POSITIVE)
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)])
}
