//! Smoothing and roughness of crack faces.

use craze_math::Vec3;
use craze_spatial::self_intersections;

use crate::cracks::Cracks;
use crate::error::SkinError;
use crate::noise::fractal_noise;

/// Look of crack faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackDetail {
    /// Smoothing steps; each moves a vertex half way to the mean of its neighbours.
    pub smoothing: usize,
    /// Subdivisions of each crack face into four.
    pub subdivisions: usize,
    /// Most crack faces after subdivision.
    pub max_faces: usize,
    /// Amplitude of the roughness, in local edges of the lattice.
    pub height: f64,
    /// Longest wavelength of the roughness, in edges of the lattice.
    pub wavelength: f64,
    /// Seed of the roughness.
    pub seed: u64,
}

impl CrackDetail {
    /// Smooth cracks.
    pub fn smooth() -> CrackDetail {
        CrackDetail { subdivisions: 0, height: 0.0, ..CrackDetail::default() }
    }
}

impl Default for CrackDetail {
    fn default() -> Self {
        CrackDetail { smoothing: 8, subdivisions: 2, max_faces: 250_000, height: 0.4, wavelength: 1.5, seed: 1 }
    }
}

/// Largest displacement by smoothing, in edges of the lattice (1).
const MAX_SMOOTHING_SHIFT: f64 = 0.5;
/// Most rounds of pulling back intersecting crack faces.
const MAX_RESTORE_ROUNDS: usize = 20;
/// Rounds that halve the displacement; later ones remove it.
const HALVING_ROUNDS: usize = 6;
/// Smallest height of a crack face over its undisplaced height (1).
const MIN_HEIGHT_RATIO: f64 = 0.05;
/// Most intersecting pairs handled in one round.
const MAX_PAIRS: usize = 100_000;

impl Cracks {
    /// Smooths, subdivides and roughens the cracks; `None` leaves them unchanged. Faces that would
    /// intersect are pulled back toward their former positions.
    pub fn add_detail(&mut self, detail: Option<&CrackDetail>) -> Result<(), SkinError> {
        let Some(detail) = detail else { return Ok(()) };
        let original = self.positions.clone();
        self.positions = self.smoothed(detail.smoothing);
        self.resolve_intersections(&original)?;
        for _ in 0..detail.subdivisions {
            if 4 * self.triangles.len() > detail.max_faces {
                break;
            }
            self.subdivide();
        }
        let original = self.positions.clone();
        let scale = 1.0 / (detail.wavelength * self.edge);
        for (position, shortest_edge) in self.positions.iter_mut().zip(&self.shortest_edge) {
            *position += detail.height * shortest_edge * fractal_noise(&(scale * *position), detail.seed);
        }
        self.resolve_intersections(&original)
    }

    /// Smoothed positions. Vertices at boundaries and junction lines move along these; ends and
    /// junctions of lines are fixed.
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
                let limit = MAX_SMOOTHING_SHIFT * self.edge;
                self.positions[vertex] + moved * (limit / moved.norm().max(limit))
            };
            positions = neighbours.iter().enumerate().map(mean).collect();
        }
        positions
    }

    /// The vertices that each vertex is smoothed toward.
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
    fn subdivide(&mut self) {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&corners| edges_of(corners)).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = self.positions.len() as u32;
        for &[a, b] in &edges {
            self.positions.push(0.5 * (self.positions[a as usize] + self.positions[b as usize]));
            self.shortest_edge.push(0.5 * (self.shortest_edge[a as usize] + self.shortest_edge[b as usize]));
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

    /// Pulls vertices of intersecting faces back toward `original` (m), which is free of
    /// intersections, until none are left.
    fn resolve_intersections(&mut self, original: &[Vec3]) -> Result<(), SkinError> {
        let moved = self.positions.clone();
        let mut share = vec![1.0; moved.len()];
        let mut left = 0;
        for round in 0..=MAX_RESTORE_ROUNDS {
            let found =
                self_intersections(&self.positions, &self.triangles, MAX_PAIRS).map_err(|_| SkinError::Degenerate)?;
            left = found.pairs.len();
            let mut bad: Vec<u32> = found.pairs.iter().flatten().copied().collect();
            // Nearly degenerate faces would intersect by rounding once divided.
            bad.extend((0..self.triangles.len() as u32).filter(|&triangle| {
                let height =
                    |points: &[Vec3]| height(&self.triangles[triangle as usize].map(|vertex| points[vertex as usize]));
                height(&self.positions) < MIN_HEIGHT_RATIO * height(original)
            }));
            if bad.is_empty() {
                return Ok(());
            }
            let mut is_moved_back = vec![false; moved.len()];
            for &triangle in &bad {
                self.triangles[triangle as usize].iter().for_each(|&vertex| is_moved_back[vertex as usize] = true);
            }
            // After the halving rounds, restore the vertices completely, and their neighbours.
            let restores = round >= HALVING_ROUNDS;
            if restores {
                let touching = self
                    .triangles
                    .iter()
                    .filter(|corners| corners.iter().any(|&vertex| is_moved_back[vertex as usize]));
                let around: Vec<u32> = touching.flatten().copied().collect();
                around.iter().for_each(|&vertex| is_moved_back[vertex as usize] = true);
            }
            for vertex in (0..moved.len()).filter(|&vertex| is_moved_back[vertex]) {
                share[vertex] = if restores { 0.0 } else { 0.5 * share[vertex] };
                self.positions[vertex] = original[vertex] + share[vertex] * (moved[vertex] - original[vertex]);
            }
        }
        Err(SkinError::SelfIntersecting { pairs: left })
    }
}

/// Smallest height of a triangle (m).
fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() / longest.max(f64::MIN_POSITIVE)
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)])
}
