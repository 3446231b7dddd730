//! Symmetric sparse matrices of 3×3 blocks.

use crate::constraint::Constraints;
use crate::error::{SolveError, expect_length};
use crate::pattern::Pattern;
use crate::tuning::ROWS_PER_CHUNK;
use craze_math::{Mat3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// A symmetric matrix of 3×3 blocks (N/m for stiffness) in block CSR format, both triangles stored.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pattern: Arc<Pattern>,
    blocks: Vec<Mat3>,
}

impl BlockMatrix {
    /// The zero matrix of this pattern.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let blocks = vec![Mat3::zeros(); pattern.blocks()];
        Self { pattern, blocks }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of nodes (block rows).
    pub fn nodes(&self) -> usize {
        self.pattern.nodes()
    }

    /// A block, if it is in the pattern.
    pub fn block(&self, row: usize, column: usize) -> Option<&Mat3> {
        self.pattern.find(row, column).map(|block| &self.blocks[block])
    }

    /// A block for writing, if it is in the pattern. The caller keeps the matrix symmetric.
    pub fn block_mut(&mut self, row: usize, column: usize) -> Option<&mut Mat3> {
        self.pattern.find(row, column).map(|block| &mut self.blocks[block])
    }

    /// The blocks of a row and their columns, ascending.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Mat3)> {
        let columns = self.pattern.row_columns(row).iter().map(|&column| column as usize);
        columns.zip(&self.blocks[self.pattern.row(row)])
    }

    /// The diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> &Mat3 {
        &self.blocks[self.pattern.diagonal(row)]
    }

    /// The diagonal block of a row for writing.
    pub fn diagonal_mut(&mut self, row: usize) -> &mut Mat3 {
        &mut self.blocks[self.pattern.diagonal(row)]
    }

    /// Sets the matrix to the sum of element matrices, given block by block in the order of the
    /// [`Pattern`]. Each block sums its contributions in element order, so the result has the same
    /// bits for any number of threads.
    pub fn assemble(&mut self, element_blocks: &[Mat3]) -> Result<(), SolveError> {
        expect_length("the list of element blocks", element_blocks.len(), self.pattern.element_blocks())?;
        let pattern = &self.pattern;
        self.blocks.par_chunks_mut(ROWS_PER_CHUNK).enumerate().for_each(|(chunk, blocks)| {
            for (index, block) in blocks.iter_mut().enumerate() {
                let sources = pattern.sources(chunk * ROWS_PER_CHUNK + index);
                *block = sources.iter().fold(Mat3::zeros(), |sum, &source| sum + element_blocks[source as usize]);
            }
        });
        Ok(())
    }

    /// y ← matrix·x.
    pub fn multiply(&self, x: &[Vec3], y: &mut [Vec3]) -> Result<(), SolveError> {
        expect_length("the vector to multiply", x.len(), self.nodes())?;
        expect_length("the vector for the product", y.len(), self.nodes())?;
        y.par_chunks_mut(ROWS_PER_CHUNK).enumerate().for_each(|(chunk, y)| {
            for (index, y) in y.iter_mut().enumerate() {
                *y = self.multiply_row(chunk * ROWS_PER_CHUNK + index, x);
            }
        });
        Ok(())
    }

    #[inline]
    pub(crate) fn multiply_row(&self, row: usize, x: &[Vec3]) -> Vec3 {
        let range = self.pattern.row(row);
        let mut sum = Vec3::zeros();
        for (block, &column) in self.blocks[range].iter().zip(self.pattern.row_columns(row)) {
            sum += block * x[column as usize];
        }
        sum
    }

    /// Replaces the matrix A by P·A·P + s·(1 − P), where P projects out the constrained DOFs and s
    /// is the mean diagonal entry of the node. If A is positive definite on the free DOFs, the
    /// result is positive definite; with a projected right-hand side, the solution has no
    /// constrained part (Baraff & Witkin 1998, section 5.3, applied to the matrix so that every
    /// solver can use it).
    pub fn constrain(&mut self, constraints: &Constraints) -> Result<(), SolveError> {
        expect_length("the list of constraints", constraints.nodes(), self.nodes())?;
        if constraints.is_empty() {
            return Ok(());
        }
        let pattern = &self.pattern;
        let mut rest: &mut [Mat3] = &mut self.blocks;
        for row in 0..pattern.nodes() {
            let (blocks, others) = rest.split_at_mut(pattern.row(row).len());
            rest = others;
            let left = constraints.projection(row);
            for (block, &column) in blocks.iter_mut().zip(pattern.row_columns(row)) {
                let right = constraints.projection(column as usize);
                if left.is_none() && right.is_none() {
                    continue;
                }
                let mut result = *block;
                if let Some(left) = left {
                    result = left * result;
                }
                if let Some(right) = right {
                    result *= right;
                }
                if let (Some(left), true) = (left, column as usize == row) {
                    let trace = block.trace();
                    let size = if trace > 0.0 && trace.is_finite() { trace / 3.0 } else { 1.0 };
                    result += (Mat3::identity() - left) * size;
                }
                *block = result;
            }
        }
        Ok(())
    }

    /// Adds `shift` (N/m) times the identity.
    pub fn add_to_diagonal(&mut self, shift: f64) {
        for row in 0..self.nodes() {
            for axis in 0..3 {
                self.diagonal_mut(row)[(axis, axis)] += shift;
            }
        }
    }

    /// Largest diagonal entry (N/m); zero for an empty matrix.
    pub fn max_diagonal(&self) -> f64 {
        (0..self.nodes()).map(|row| self.diagonal(row).diagonal().max()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{box_mesh, elastic_blocks, in_threads};

    #[test]
    fn assembly_and_product_agree_with_a_sum_over_elements() {
        let (nodes, elements) = box_mesh(4);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let element_blocks = elastic_blocks(&nodes, &elements);
        let mut matrix = BlockMatrix::zeros(pattern);
        matrix.assemble(&element_blocks).expect("right length");
        let mut random = craze_math::Random::new(1);
        let x: Vec<Vec3> = nodes.iter().map(|_| random.vector()).collect();
        let mut y = vec![Vec3::zeros(); x.len()];
        matrix.multiply(&x, &mut y).expect("right length");
        let mut expected = vec![Vec3::zeros(); x.len()];
        for (element, corners) in elements.iter().enumerate() {
            for i in 0..4 {
                for j in 0..4 {
                    expected[corners[i] as usize] += element_blocks[element * 16 + i * 4 + j] * x[corners[j] as usize];
                }
            }
        }
        let scale = expected.iter().map(|entry| entry.amax()).fold(0.0, f64::max);
        for (found, expected) in y.iter().zip(&expected) {
            assert!((found - expected).amax() <= 1e-14 * scale);
        }
        for row in 0..matrix.nodes() {
            for (column, block) in matrix.row(row) {
                let mirrored = matrix.block(column, row).expect("symmetric pattern").transpose();
                assert!((block - mirrored).amax() < 1e-14 * scale);
            }
        }
    }

    #[test]
    fn assembly_and_product_have_the_same_bits_for_any_number_of_threads() {
        let (nodes, elements) = box_mesh(9);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let element_blocks = elastic_blocks(&nodes, &elements);
        let mut random = craze_math::Random::new(2);
        let x: Vec<Vec3> = nodes.iter().map(|_| random.vector()).collect();
        let run = || {
            let mut matrix = BlockMatrix::zeros(pattern.clone());
            matrix.assemble(&element_blocks).expect("right length");
            let mut y = vec![Vec3::zeros(); x.len()];
            matrix.multiply(&x, &mut y).expect("right length");
            y.iter()
                .flat_map(|entry| entry.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
                .collect::<Vec<u64>>()
        };
        assert_eq!(in_threads(1, run), in_threads(2, run));
    }

    #[test]
    fn constrained_dofs_are_projected_out_and_symmetry_is_kept() {
        let (nodes, elements) = box_mesh(2);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern);
        matrix.assemble(&elastic_blocks(&nodes, &elements)).expect("right length");
        let mut constraints = Constraints::none(nodes.len());
        constraints.fix(0);
        constraints.restrict_to_plane(5, Vec3::new(1.0, 2.0, -1.0));
        matrix.constrain(&constraints).expect("right length");
        let normal = Vec3::new(1.0, 2.0, -1.0).normalize();
        for (column, block) in matrix.row(5) {
            let expected = if column == 5 { normal * (block * normal).norm() } else { Vec3::zeros() };
            assert!((block.transpose() * normal - expected).amax() < 1e-12 * matrix.max_diagonal());
        }
        for (column, block) in matrix.row(0) {
            assert!(column == 0 || *block == Mat3::zeros());
        }
        assert!(matrix.diagonal(0)[(0, 0)] > 0.0);
        for row in 0..matrix.nodes() {
            for (column, block) in matrix.row(row) {
                let mirrored = matrix.block(column, row).expect("symmetric pattern").transpose();
                assert!((block - mirrored).amax() < 1e-12 * matrix.max_diagonal());
            }
        }
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let pattern = Arc::new(Pattern::from_elements(2, &[[0, 1]]).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern);
        assert!(matches!(
            matrix.assemble(&[Mat3::zeros(); 3]),
            Err(SolveError::WrongLength { expected: 4, found: 3, .. })
        ));
        assert!(matrix.multiply(&[Vec3::zeros()], &mut [Vec3::zeros(); 2]).is_err());
        assert!(matrix.multiply(&[Vec3::zeros(); 2], &mut []).is_err());
        assert!(matrix.constrain(&Constraints::none(3)).is_err());
    }
}
