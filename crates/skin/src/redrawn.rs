//! Cracks drawn anew on a lattice.
//!
//! The crack faces of a simulation are a tangle: cut again and again, from either side, with slivers where planes have met. What parts two shards is
//! simpler, namely whose every point in space is. So a lattice of even tetrahedra is laid over the surface and a little beyond, each of its vertices belongs
//! to a shard, and edges between shards are parted where one ends. The lips that follow divide all of the lattice, meet only in common
//! edges, and end outside the surface, whatever the cracks were like.

use craze_math::Vec3;
use craze_spatial::{Aabb, WindingTree};

use crate::cover::cover;
use crate::cracks::Cracks;
use crate::error::SkinError;
use crate::lips::lips;
use crate::parting::{Background, Cutting};

/// How far beyond the surface the lattice goes at least, in edges (1): more than smoothing and roughness take away.
const MARGIN: f64 = 1.0;
/// Halvings by which the end of a shard is found on an edge.
const HALVINGS: usize = 7;
/// Nearest to an end of an edge that it is parted, in its length (1): nearer ones would give slivers.
const NEAREST: f64 = 0.1;
/// Share of a shard's vertices below which a part of it that hangs together with nothing else of it is its neighbour's (1).
const ISLAND: f64 = 0.1;

impl Cracks {
    /// The cracks between shards within a closed surface, on a lattice with edges of about `edge` (m). `label_at` says whose a point (m) is.
    pub fn redrawn(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        edge: f64,
        label_at: impl Fn(&Vec3) -> u32,
    ) -> Result<Cracks, SkinError> {
        let surface = WindingTree::new(positions, triangles).map_err(|_| SkinError::Surface)?;
        let (places, tetrahedra) = cover(&surface, &Aabb::from_points(positions), edge, MARGIN * edge)?;
        let background = Background::new(places, tetrahedra)?;
        let seen: Vec<u32> = background.positions().iter().map(&label_at).collect();
        let labels = without_islands(&background, &seen);
        let share = |&[low, high]: &[u32; 2]| {
            let [own, other] = [low, high].map(|vertex| labels[vertex as usize]);
            let is_true = own == seen[low as usize] && other == seen[high as usize];
            (own != other).then(|| {
                let [from, to] = [low, high].map(|vertex| background.positions()[vertex as usize]);
                if is_true { end_of(own, &from, &to, &label_at) } else { 0.5 }
            })
        };
        let parted: Vec<Option<f64>> = background.edges().iter().map(share).collect();
        let lips = lips(&background, &Cutting::new(&background, &parted));
        let sides = lips.sides.iter().map(|&(tetrahedron, parts)| {
            // A part is named by its first corner.
            parts.map(|part| labels[background.tetrahedra()[tetrahedron as usize][part as usize] as usize])
        });
        let mut cracks = Cracks { sides: sides.collect(), edge, ..Cracks::default() };
        (cracks.positions, cracks.triangles) = (lips.positions, lips.triangles);
        cracks.measure();
        Ok(cracks)
    }
}

/// How far from its start, in its length, a line leaves a shard.
fn end_of(label: u32, from: &Vec3, to: &Vec3, label_at: impl Fn(&Vec3) -> u32) -> f64 {
    let (mut inside, mut beyond) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + beyond);
        let end = if label_at(&(from + middle * (to - from))) == label { &mut inside } else { &mut beyond };
        *end = middle;
    }
    (0.5 * (inside + beyond)).clamp(NEAREST, 1.0 - NEAREST)
}

/// Labels of which each is in one place, but for large parts: small ones apart from the rest go to the neighbour that they touch most.
fn without_islands(background: &Background, seen: &[u32]) -> Vec<u32> {
    let mut together = craze_math::DisjointSets::new(seen.len());
    for &[low, high] in background.edges() {
        if seen[low as usize] == seen[high as usize] {
            together.join(low, high);
        }
    }
    let roots: Vec<u32> = (0..seen.len() as u32).map(|vertex| together.root(vertex)).collect();
    let mut sizes = vec![0u32; seen.len()];
    roots.iter().for_each(|&root| sizes[root as usize] += 1);
    let mut wholes: Vec<(u32, u32)> = seen.iter().map(|&label| (label, 1)).collect();
    wholes.sort_unstable();
    let wholes: Vec<(u32, u32)> =
        wholes.chunk_by(|one, other| one.0 == other.0).map(|same| (same[0].0, same.len() as u32)).collect();
    let whole = |label: u32| wholes[wholes.partition_point(|other| other.0 < label)].1;
    let is_island = |root: u32| f64::from(sizes[root as usize]) < ISLAND * f64::from(whole(seen[root as usize]));
    // Edges from islands to what is around them.
    let mut around: Vec<(u32, u32)> = Vec::new();
    for &[low, high] in background.edges() {
        let [one, other] = [low, high].map(|vertex| roots[vertex as usize]);
        for (from, to) in [(one, other), (other, one)] {
            if one != other && is_island(from) && !is_island(to) {
                around.push((from, seen[to as usize]));
            }
        }
    }
    around.sort_unstable();
    let mut labels = seen.to_vec();
    let mut heirs: Vec<(u32, u32)> = Vec::new();
    for own in around.chunk_by(|one, other| one.0 == other.0) {
        let most = own.chunk_by(|one, other| one.1 == other.1).max_by_key(|same| (same.len(), u32::MAX - same[0].1));
        heirs.extend(most.map(|same| same[0]));
    }
    for (label, root) in labels.iter_mut().zip(&roots) {
        if let Ok(heir) = heirs.binary_search_by_key(root, |heir| heir.0) {
            *label = heirs[heir].1;
        }
    }
    labels
}
