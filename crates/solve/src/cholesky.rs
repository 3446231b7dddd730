//! Sparse Cholesky factorisation in 3×3 blocks: multifrontal, with supernodes (Duff & Reid 1983;
//! Liu 1992).
//!
//! The elimination tree is traversed from the leaves up. Each supernode assembles its matrix
//! entries and the update matrices of its children in a dense frontal matrix, eliminates its own
//! columns and passes the Schur complement to its parent. The order of operations is fixed.
//! Rejected: faer, which takes minutes to build and has a parallel factorisation that is not
//! bit-stable.

use crate::block::BlockMatrix;
use crate::dense::{self, Packed};
use crate::error::{SolveError, expect_length};
use crate::symbolic::Symbolic;
use crate::tuning::MIN_RELATIVE_PIVOT;
use craze_math::Vec3;
use std::sync::Arc;

/// The factor L of A = L·Lᵀ with workspace for refactorisation; allocates nothing once warm.
#[derive(Clone, Debug)]
pub struct Cholesky {
    symbolic: Arc<Symbolic>,
    /// One dense panel per supernode, by columns.
    values: Vec<f64>,
    state: State,
    /// Update matrices of children not yet assembled, last on top: lower triangles by columns.
    stack: Vec<f64>,
    /// The supernode of each update matrix on the stack.
    owners: Vec<usize>,
    front: Vec<f64>,
    front_positions: Vec<u32>,
    min_pivots: Vec<f64>,
    packed: Packed,
    solution: Vec<f64>,
    gathered: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Empty,
    Factorised,
}

impl Cholesky {
    /// An empty factor for matrices with this pattern.
    pub fn new(symbolic: Arc<Symbolic>) -> Self {
        let nodes = symbolic.order.len();
        Self {
            values: vec![0.0; symbolic.values],
            state: State::Empty,
            stack: Vec::new(),
            owners: Vec::new(),
            front: Vec::new(),
            front_positions: vec![0; nodes],
            min_pivots: Vec::new(),
            packed: Packed::default(),
            solution: vec![0.0; 3 * nodes],
            gathered: Vec::new(),
            symbolic,
        }
    }

    /// The symbolic analysis.
    pub fn symbolic(&self) -> &Arc<Symbolic> {
        &self.symbolic
    }

    /// Factorises a matrix. For a singular or indefinite matrix the error names the node at which
    /// the factorisation fails, and there is no factor.
    pub fn factorise(&mut self, matrix: &BlockMatrix) -> Result<(), SolveError> {
        let symbolic = self.symbolic.clone();
        if !Arc::ptr_eq(matrix.pattern(), &symbolic.pattern) && *matrix.pattern() != symbolic.pattern {
            return Err(SolveError::WrongPattern);
        }
        self.state = State::Empty;
        self.stack.clear();
        self.owners.clear();
        for (index, supernode) in symbolic.supernodes.iter().enumerate() {
            let (width, height) = (supernode.width(), supernode.height());
            self.front.clear();
            self.front.resize(height * height, 0.0);
            for (offset, column) in supernode.columns.clone().enumerate() {
                self.front_positions[column] = offset as u32;
            }
            for (offset, &row) in supernode.rows.iter().enumerate() {
                self.front_positions[row as usize] = (supernode.columns.len() + offset) as u32;
            }
            self.gather_matrix(&symbolic, index, matrix);
            for _ in 0..supernode.children {
                self.gather_child(&symbolic, height);
            }
            dense::factorise(&mut self.front, height, &self.min_pivots, &mut self.packed).map_err(|bad| {
                let node = symbolic.order[supernode.columns.start + bad.column / 3] as usize;
                SolveError::NotPositiveDefinite { node, pivot: bad.pivot }
            })?;
            self.values[supernode.start..supernode.start + width * height]
                .copy_from_slice(&self.front[..width * height]);
            if height > width {
                for column in width..height {
                    self.stack.extend_from_slice(&self.front[column * height + column..(column + 1) * height]);
                }
                self.owners.push(index);
            }
        }
        self.state = State::Factorised;
        Ok(())
    }

    /// Adds the matrix entries of a supernode's columns to the front, and sets their pivot
    /// thresholds.
    fn gather_matrix(&mut self, symbolic: &Symbolic, index: usize, matrix: &BlockMatrix) {
        let supernode = &symbolic.supernodes[index];
        let height = supernode.height();
        self.min_pivots.clear();
        for column in supernode.columns.clone() {
            let offset = 3 * (column - supernode.columns.start);
            for (other, block) in matrix.row(symbolic.order[column] as usize) {
                let position = symbolic.position[other] as usize;
                if position < column {
                    continue;
                }
                let row = 3 * self.front_positions[position] as usize;
                for b in 0..3 {
                    for a in 0..3 {
                        // Stored in the row of this node; the lower triangle needs its transpose.
                        self.front[(offset + b) * height + row + a] = block[(b, a)];
                    }
                }
                if position == column {
                    self.min_pivots.extend((0..3).map(|axis| MIN_RELATIVE_PIVOT * block[(axis, axis)].abs()));
                }
            }
        }
    }

    /// Adds the topmost update matrix to the front and pops it from the stack.
    fn gather_child(&mut self, symbolic: &Symbolic, height: usize) {
        let Some(child) = self.owners.pop() else { return };
        let rows = &symbolic.supernodes[child].rows;
        let size = 3 * rows.len();
        let start = self.stack.len() - size * (size + 1) / 2;
        let mut column = &self.stack[start..];
        for (j, &node) in rows.iter().enumerate() {
            for b in 0..3 {
                let offset = (3 * self.front_positions[node as usize] as usize + b) * height;
                let target = &mut self.front[offset..offset + height];
                let (first, rest) = column.split_at(3 - b);
                let diagonal = 3 * self.front_positions[node as usize] as usize;
                for (target, value) in target[diagonal + b..diagonal + 3].iter_mut().zip(first) {
                    *target += value;
                }
                let (blocks, _) = rest[..size - 3 * j - 3].as_chunks::<3>();
                for (&row, block) in rows[j + 1..].iter().zip(blocks) {
                    let row = 3 * self.front_positions[row as usize] as usize;
                    for (target, value) in target[row..row + 3].iter_mut().zip(block) {
                        *target += value;
                    }
                }
                column = &rest[size - 3 * j - 3..];
            }
        }
        self.stack.truncate(start);
    }

    /// x ← A⁻¹·right, with the last factor.
    pub fn solve(&mut self, right: &[Vec3], x: &mut [Vec3]) -> Result<(), SolveError> {
        let symbolic = self.symbolic.clone();
        expect_length("the right-hand side", right.len(), symbolic.order.len())?;
        expect_length("the solution", x.len(), symbolic.order.len())?;
        if self.state == State::Empty {
            return Err(SolveError::NotFactorised);
        }
        for (offset, &node) in symbolic.order.iter().enumerate() {
            self.solution[3 * offset..3 * offset + 3].copy_from_slice(right[node as usize].as_slice());
        }
        for index in 0..symbolic.supernodes.len() {
            self.forward(&symbolic, index);
        }
        for index in (0..symbolic.supernodes.len()).rev() {
            self.backward(&symbolic, index);
        }
        for (offset, &node) in symbolic.order.iter().enumerate() {
            x[node as usize].copy_from_slice(&self.solution[3 * offset..3 * offset + 3]);
        }
        Ok(())
    }

    /// Gathers the entries of the solution that a supernode touches.
    fn gather_solution(&mut self, symbolic: &Symbolic, index: usize) {
        let supernode = &symbolic.supernodes[index];
        self.gathered.clear();
        self.gathered.extend_from_slice(&self.solution[3 * supernode.columns.start..3 * supernode.columns.end]);
        for &row in &supernode.rows {
            self.gathered.extend_from_slice(&self.solution[3 * row as usize..3 * row as usize + 3]);
        }
    }

    fn forward(&mut self, symbolic: &Symbolic, index: usize) {
        self.gather_solution(symbolic, index);
        let supernode = &symbolic.supernodes[index];
        let (width, height) = (supernode.width(), supernode.height());
        for (column, values) in self.values[supernode.start..].chunks_exact(height).take(width).enumerate() {
            let entry = self.gathered[column] / values[column];
            self.gathered[column] = entry;
            for (target, value) in self.gathered[column + 1..].iter_mut().zip(&values[column + 1..]) {
                *target -= entry * value;
            }
        }
        self.solution[3 * supernode.columns.start..3 * supernode.columns.end].copy_from_slice(&self.gathered[..width]);
        for (&row, block) in supernode.rows.iter().zip(self.gathered[width..].as_chunks::<3>().0) {
            self.solution[3 * row as usize..3 * row as usize + 3].copy_from_slice(block);
        }
    }

    fn backward(&mut self, symbolic: &Symbolic, index: usize) {
        self.gather_solution(symbolic, index);
        let supernode = &symbolic.supernodes[index];
        let (width, height) = (supernode.width(), supernode.height());
        for column in (0..width).rev() {
            let values = &self.values[supernode.start + column * height..][..height];
            let sum: f64 = values[column + 1..].iter().zip(&self.gathered[column + 1..]).map(|(a, b)| a * b).sum();
            self.gathered[column] = (self.gathered[column] - sum) / values[column];
        }
        self.solution[3 * supernode.columns.start..3 * supernode.columns.end].copy_from_slice(&self.gathered[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::pcg::{Pcg, PcgSettings};
    use crate::testing::{box_mesh, clamped_box, elastic_blocks, residual_of};
    use craze_math::Mat3;
    use proptest::prelude::*;
    use std::time::Instant;

    fn difference(a: &[Vec3], b: &[Vec3]) -> f64 {
        let size = a.iter().map(|entry| entry.amax()).fold(0.0, f64::max);
        a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max) / size
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn random_systems_agree_with_conjugate_gradients(nodes in 1usize..150, seed in 0u64..1000) {
            let mut random = craze_math::Random::new(seed);
            let links: Vec<[u32; 2]> = (0..nodes * 3)
                .map(|_| [(); 2].map(|()| ((random.signed() + 1.0) / 2.0 * nodes as f64) as u32 % nodes as u32))
                .collect();
            let pattern = Arc::new(Pattern::from_elements(nodes, &links).expect("valid"));
            // Each link adds the positive semidefinite B·Bᵀ; the diagonal makes the sum definite.
            let mut blocks = Vec::new();
            for _ in &links {
                let [a, b] =
                    [(); 2].map(|()| Mat3::from_columns(&[random.vector(), random.vector(), random.vector()]));
                blocks.extend([a * a.transpose(), a * b.transpose(), b * a.transpose(), b * b.transpose()]);
            }
            let mut matrix = BlockMatrix::zeros(pattern.clone());
            matrix.assemble(&blocks).expect("right length");
            matrix.add_to_diagonal(0.5);
            let right: Vec<Vec3> = (0..nodes).map(|_| random.vector()).collect();
            let (mut direct, mut iterated) = (vec![Vec3::zeros(); nodes], vec![Vec3::zeros(); nodes]);
            let mut cholesky = Cholesky::new(Arc::new(Symbolic::analyse(&pattern)));
            cholesky.factorise(&matrix).expect("positive definite");
            cholesky.solve(&right, &mut direct).expect("factorised");
            let mut pcg = Pcg::new(PcgSettings { tolerance: 1e-13, max_iterations: 5000 });
            pcg.solve(&matrix, &right, &mut iterated).expect("positive definite");
            assert!(residual_of(&matrix, &direct, &right) < 1e-13);
            assert!(difference(&direct, &iterated) < 1e-10);
        }
    }

    #[test]
    fn an_elastic_box_agrees_with_conjugate_gradients() {
        let (matrix, constraints) = clamped_box(8);
        let mut right = vec![Vec3::new(0.1, -1.0, 0.4); matrix.nodes()];
        constraints.project(&mut right);
        let mut direct = vec![Vec3::zeros(); right.len()];
        let mut iterated = direct.clone();
        let mut cholesky = Cholesky::new(Arc::new(Symbolic::analyse(matrix.pattern())));
        cholesky.factorise(&matrix).expect("positive definite");
        cholesky.solve(&right, &mut direct).expect("factorised");
        Pcg::new(PcgSettings { tolerance: 1e-13, max_iterations: 5000 })
            .solve(&matrix, &right, &mut iterated)
            .expect("spd");
        assert!(residual_of(&matrix, &direct, &right) < 1e-12);
        assert!(difference(&direct, &iterated) < 1e-10);
        let mut softer = matrix.clone();
        softer.add_to_diagonal(0.7);
        cholesky.factorise(&softer).expect("positive definite");
        cholesky.solve(&right, &mut direct).expect("factorised");
        assert!(residual_of(&softer, &direct, &right) < 1e-12);
    }

    #[test]
    fn a_free_body_is_singular_and_an_indefinite_matrix_names_its_node() {
        let (nodes, elements) = box_mesh(3);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern.clone());
        let mut cholesky = Cholesky::new(Arc::new(Symbolic::analyse(&pattern)));
        let mut x = vec![Vec3::zeros(); nodes.len()];
        assert_eq!(cholesky.solve(&x.clone(), &mut x), Err(SolveError::NotFactorised));
        assert!(matches!(cholesky.factorise(&matrix), Err(SolveError::NotPositiveDefinite { .. })), "zero");
        matrix.assemble(&elastic_blocks(&nodes, &elements)).expect("right length");
        assert!(matches!(cholesky.factorise(&matrix), Err(SolveError::NotPositiveDefinite { .. })), "rigid motions");
        assert_eq!(cholesky.solve(&x.clone(), &mut x), Err(SolveError::NotFactorised));
        matrix.add_to_diagonal(1.0);
        assert_eq!(cholesky.factorise(&matrix), Ok(()));
        matrix.diagonal_mut(13)[(1, 1)] = -5.0;
        assert!(matches!(cholesky.factorise(&matrix), Err(SolveError::NotPositiveDefinite { node: 13, .. })));
        *matrix.diagonal_mut(13) = Mat3::repeat(f64::NAN);
        assert!(matches!(cholesky.factorise(&matrix), Err(SolveError::NotPositiveDefinite { node: 13, .. })));
        let (other, _) = clamped_box(2);
        assert_eq!(cholesky.factorise(&other), Err(SolveError::WrongPattern));
    }

    #[test]
    fn separate_bodies_and_lone_nodes_are_solved_together() {
        let (nodes, elements) = box_mesh(3);
        let shifted: Vec<[u32; 4]> =
            elements.iter().map(|element| element.map(|node| node + nodes.len() as u32)).collect();
        let both: Vec<[u32; 4]> = elements.iter().chain(&shifted).copied().collect();
        let all: Vec<Vec3> = nodes.iter().chain(&nodes).copied().collect();
        let count = 2 * nodes.len() + 5;
        let pattern = Arc::new(Pattern::from_elements(count, &both).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern.clone());
        matrix.assemble(&elastic_blocks(&all, &both)).expect("right length");
        matrix.add_to_diagonal(0.3);
        let right = vec![Vec3::new(1.0, 2.0, -1.0); count];
        let mut x = vec![Vec3::zeros(); count];
        let mut cholesky = Cholesky::new(Arc::new(Symbolic::analyse(&pattern)));
        cholesky.factorise(&matrix).expect("positive definite");
        cholesky.solve(&right, &mut x).expect("factorised");
        assert!(residual_of(&matrix, &x, &right) < 1e-12);
    }

    /// Prints the times for a mesh of 10,648 nodes (with `--nocapture`).
    #[test]
    fn ten_thousand_nodes_take_seconds() {
        let (matrix, constraints) = clamped_box(21);
        let start = Instant::now();
        let symbolic = Arc::new(Symbolic::analyse(matrix.pattern()));
        let analysed = start.elapsed();
        let mut cholesky = Cholesky::new(symbolic.clone());
        let start = Instant::now();
        cholesky.factorise(&matrix).expect("positive definite");
        let factorised = start.elapsed();
        let mut right = vec![Vec3::new(0.0, -1.0, 0.0); matrix.nodes()];
        constraints.project(&mut right);
        let mut x = right.clone();
        let start = Instant::now();
        cholesky.solve(&right, &mut x).expect("factorised");
        println!(
            "{} nodes: analysis {analysed:?}, factor {factorised:?} ({} MB), solution {:?}",
            matrix.nodes(),
            symbolic.factor_size() * 8 / 1_000_000,
            start.elapsed()
        );
        let flops = symbolic.operations();
        println!("{:.1} Gflop, {:.1} Gflop/s", flops / 1e9, flops / 1e9 / factorised.as_secs_f64());
        let start = Instant::now();
        let mut iterated = vec![Vec3::zeros(); right.len()];
        let report = Pcg::default().solve(&matrix, &right, &mut iterated).expect("positive definite");
        println!("conjugate gradients: {} iterations, {:?}", report.iterations, start.elapsed());
        assert!(residual_of(&matrix, &x, &right) < 1e-11);
        assert!(difference(&x, &iterated) < 1e-7);
    }
}
