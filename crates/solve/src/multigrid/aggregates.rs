//! Aggregates of nodes, which become the nodes of the next coarser level (Vaněk, Mandel & Brezina
//! 1996), and the rigid-body modes that they represent exactly.

use super::sparse::{Block, Sparse};

/// Modes of a node: three translations and three rotations.
pub(crate) const MODES: usize = 6;

/// Stands for no aggregate.
const NONE: u32 = u32::MAX;

/// Length of a mode in an aggregate, relative to its length before the others were projected out,
/// below which it depends on them.
const DEPENDENT: f64 = 1e-8;

/// For every node its aggregate.
#[derive(Clone, Debug)]
pub(crate) struct Aggregates {
    of_node: Vec<u32>,
    pub count: usize,
}

impl Aggregates {
    /// Aggregates nodes that are coupled by blocks of at least `threshold` times the geometric mean
    /// of their diagonal blocks. Nodes that nothing couples belong to none.
    pub fn of<const B: usize>(matrix: &Sparse<B, B>, threshold: f64) -> Aggregates {
        let strong = strong_couplings(matrix, threshold);
        let nodes = matrix.height();
        let neighbours = |node: usize| strong.1[strong.0[node]..strong.0[node + 1]].iter().map(|&other| other as usize);
        let mut of_node = vec![NONE; nodes];
        let mut count = 0;
        // Nodes with all their neighbours, where none of these is taken.
        for node in 0..nodes {
            let is_free = of_node[node] == NONE && neighbours(node).all(|other| of_node[other] == NONE);
            if is_free && neighbours(node).next().is_some() {
                of_node[node] = count;
                neighbours(node).for_each(|other| of_node[other] = count);
                count += 1;
            }
        }
        // Others join an aggregate of the first pass next to them.
        let first_pass = of_node.clone();
        for node in 0..nodes {
            if of_node[node] == NONE {
                of_node[node] =
                    neighbours(node).map(|other| first_pass[other]).find(|&one| one != NONE).unwrap_or(NONE);
            }
        }
        // What is left is aggregated with what is left around it.
        for node in 0..nodes {
            if of_node[node] == NONE && neighbours(node).next().is_some() {
                of_node[node] = count;
                for other in neighbours(node) {
                    if of_node[other] == NONE {
                        of_node[other] = count;
                    }
                }
                count += 1;
            }
        }
        Aggregates { of_node, count: count as usize }
    }

    /// The prolongation that represents these modes of the nodes exactly, and the modes of the
    /// aggregates: Q and R of a Gram–Schmidt orthogonalisation in each aggregate.
    pub fn tentative<const B: usize>(&self, modes: &[Block<B, MODES>]) -> (Sparse<B, MODES>, Vec<Block<MODES, MODES>>) {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.count];
        for (node, &aggregate) in self.of_node.iter().enumerate().filter(|(_, aggregate)| **aggregate != NONE) {
            members[aggregate as usize].push(node);
        }
        let mut orthogonal = modes.to_vec();
        let coarse = members.iter().map(|nodes| orthogonalise(nodes, &mut orthogonal)).collect();
        let mut prolongation = Sparse::new(self.count);
        for (&aggregate, block) in self.of_node.iter().zip(orthogonal) {
            prolongation.push_row((aggregate != NONE).then_some((aggregate as usize, block)));
        }
        (prolongation, coarse)
    }
}

/// Orthogonalises the modes of some nodes against each other, in order; returns R. Modes that
/// depend on earlier ones become zero.
fn orthogonalise<const B: usize>(nodes: &[usize], modes: &mut [Block<B, MODES>]) -> Block<MODES, MODES> {
    let dot = |modes: &[Block<B, MODES>], one: usize, other: usize| -> f64 {
        nodes.iter().flat_map(|&node| &modes[node]).map(|row| row[one] * row[other]).sum()
    };
    let mut upper = [[0.0; MODES]; MODES];
    for mode in 0..MODES {
        let size = dot(modes, mode, mode).sqrt();
        // Twice, for orthogonality to rounding.
        for _ in 0..2 {
            for earlier in 0..mode {
                let part = dot(modes, earlier, mode);
                upper[earlier][mode] += part;
                for &node in nodes {
                    for row in &mut modes[node] {
                        row[mode] -= part * row[earlier];
                    }
                }
            }
        }
        let length = dot(modes, mode, mode).sqrt();
        let inverse = if length > DEPENDENT * size { 1.0 / length } else { 0.0 };
        upper[mode][mode] = if inverse > 0.0 { length } else { 0.0 };
        for &node in nodes {
            modes[node].iter_mut().for_each(|row| row[mode] *= inverse);
        }
    }
    upper
}

/// Strongly coupled neighbours of every node: where each list starts, and the lists.
fn strong_couplings<const B: usize>(matrix: &Sparse<B, B>, threshold: f64) -> (Vec<usize>, Vec<u32>) {
    let square = |block: &Block<B, B>| block.iter().flatten().map(|entry| entry * entry).sum::<f64>();
    let diagonal = |node: usize| matrix.row(node).find(|(column, _)| *column == node).map_or(0.0, |(_, b)| square(b));
    let sizes: Vec<f64> = (0..matrix.height()).map(|node| diagonal(node).sqrt()).collect();
    let (mut starts, mut lists) = (vec![0], Vec::new());
    for node in 0..matrix.height() {
        for (other, block) in matrix.row(node).filter(|(other, _)| *other != node) {
            if square(block) > threshold * threshold * sizes[node] * sizes[other] {
                lists.push(other as u32);
            }
        }
        starts.push(lists.len());
    }
    (starts, lists)
}
