//! Extraction of crack surfaces on a lattice.
//!
//! The crack faces of a simulation contain slivers and near-intersections from repeated splits.
//! Here each vertex of a BCC lattice around the surface is labelled with the fragment that contains
//! it, and the interfaces between labels are meshed. They divide the whole lattice, meet only in
//! shared edges, and end outside the surface.

use craze_math::Vec3;
use craze_spatial::{Aabb, WindingTree};

use crate::bcc_lattice::bcc_tetrahedra;
use crate::crack_faces::crack_faces;
use crate::cracks::Cracks;
use crate::error::SkinError;
use crate::split::{BackgroundMesh, Splitter};
use crate::tuning::{EXTRACTION_MARGIN, MAX_ISLAND_FRACTION, MIN_CUT_FRACTION};

/// Bisection steps that locate a fragment boundary on an edge.
const BISECTION_STEPS: usize = 7;

impl Cracks {
    /// Crack surfaces inside a closed surface, on a lattice with edges of about `edge` (m).
    /// `label_at` locates the fragment of a point (m).
    pub fn extract(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        edge: f64,
        label_at: impl Fn(&Vec3) -> u32,
    ) -> Result<Cracks, SkinError> {
        let surface = WindingTree::new(positions, triangles).map_err(|_| SkinError::InvalidSurface)?;
        let (positions, tetrahedra) =
            bcc_tetrahedra(&surface, &Aabb::from_points(positions), edge, EXTRACTION_MARGIN * edge)?;
        let mesh = BackgroundMesh::new(positions, tetrahedra)?;
        let located: Vec<u32> = mesh.positions().iter().map(&label_at).collect();
        let labels = merge_islands(&mesh, &located);
        let share = |&[low, high]: &[u32; 2]| {
            let [own, other] = [low, high].map(|vertex| labels[vertex as usize]);
            let is_unchanged = own == located[low as usize] && other == located[high as usize];
            (own != other).then(|| {
                let [from, to] = [low, high].map(|vertex| mesh.positions()[vertex as usize]);
                if is_unchanged { boundary_fraction(own, &from, &to, &label_at) } else { 0.5 }
            })
        };
        let cuts: Vec<Option<f64>> = mesh.edges().iter().map(share).collect();
        let faces = crack_faces(&mesh, &Splitter::new(&mesh, &cuts));
        let sides = faces.sides.iter().map(|&(tetrahedron, parts)| {
            // A component is numbered by its first corner.
            parts.map(|part| labels[mesh.tetrahedra()[tetrahedron as usize][part as usize] as usize])
        });
        let mut cracks = Cracks { sides: sides.collect(), edge, ..Cracks::default() };
        (cracks.positions, cracks.triangles) = (faces.positions, faces.triangles);
        cracks.measure();
        Ok(cracks)
    }
}

/// Where a line leaves the fragment `label`, as a fraction of its length.
fn boundary_fraction(label: u32, from: &Vec3, to: &Vec3, label_at: impl Fn(&Vec3) -> u32) -> f64 {
    let (mut inside, mut beyond) = (0.0, 1.0);
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (inside + beyond);
        let end = if label_at(&(from + middle * (to - from))) == label { &mut inside } else { &mut beyond };
        *end = middle;
    }
    (0.5 * (inside + beyond)).clamp(MIN_CUT_FRACTION, 1.0 - MIN_CUT_FRACTION)
}

/// Relabels small disconnected components of a label with the neighbour that they share most edges
/// with.
fn merge_islands(mesh: &BackgroundMesh, located: &[u32]) -> Vec<u32> {
    let mut together = craze_math::DisjointSets::new(located.len());
    for &[low, high] in mesh.edges() {
        if located[low as usize] == located[high as usize] {
            together.join(low, high);
        }
    }
    let roots: Vec<u32> = (0..located.len() as u32).map(|vertex| together.root(vertex)).collect();
    let mut sizes = vec![0u32; located.len()];
    roots.iter().for_each(|&root| sizes[root as usize] += 1);
    let mut label_sizes: Vec<(u32, u32)> = located.iter().map(|&label| (label, 1)).collect();
    label_sizes.sort_unstable();
    let label_sizes: Vec<(u32, u32)> =
        label_sizes.chunk_by(|one, other| one.0 == other.0).map(|same| (same[0].0, same.len() as u32)).collect();
    let label_size = |label: u32| label_sizes[label_sizes.partition_point(|other| other.0 < label)].1;
    let is_island = |root: u32| {
        f64::from(sizes[root as usize]) < MAX_ISLAND_FRACTION * f64::from(label_size(located[root as usize]))
    };
    // Edges from islands to their surroundings.
    let mut around: Vec<(u32, u32)> = Vec::new();
    for &[low, high] in mesh.edges() {
        let [one, other] = [low, high].map(|vertex| roots[vertex as usize]);
        for (from, to) in [(one, other), (other, one)] {
            if one != other && is_island(from) && !is_island(to) {
                around.push((from, located[to as usize]));
            }
        }
    }
    around.sort_unstable();
    let mut labels = located.to_vec();
    let mut new_labels: Vec<(u32, u32)> = Vec::new();
    for own in around.chunk_by(|one, other| one.0 == other.0) {
        let most = own.chunk_by(|one, other| one.1 == other.1).max_by_key(|same| (same.len(), u32::MAX - same[0].1));
        new_labels.extend(most.map(|same| same[0]));
    }
    for (label, root) in labels.iter_mut().zip(&roots) {
        if let Ok(new_label) = new_labels.binary_search_by_key(root, |new_label| new_label.0) {
            *label = new_labels[new_label].1;
        }
    }
    labels
}
