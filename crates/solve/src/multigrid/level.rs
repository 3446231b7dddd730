//! A level of the hierarchy: smoother, and transfer to the next coarser level.

use super::aggregates::{Aggregates, MODES};
use super::sparse::{Block, Sparse};
use crate::error::SolveError;
use crate::tuning::{
    EIGENVALUE_MARGIN, MAX_COARSENING_RATIO, MIN_RELATIVE_PIVOT, POWER_ITERATIONS, PROLONGATION_DAMPING,
    ROWS_PER_CHUNK, SMOOTHED_RANGE, SMOOTHER_DEGREE,
};
use craze_math::Random;
use rayon::prelude::*;

/// A matrix, its smoother and its transfer.
#[derive(Clone, Debug)]
pub(super) struct Level<const B: usize> {
    pub matrix: Sparse<B, B>,
    /// Inverses of the diagonal blocks D.
    inverses: Vec<Block<B, B>>,
    /// Bound of the eigenvalues of D⁻¹A.
    largest: f64,
    prolongation: Sparse<B, MODES>,
    restriction: Sparse<MODES, B>,
    pub residual: Vec<[f64; B]>,
    pub x: Vec<[f64; B]>,
    /// The last change of x.
    direction: Vec<[f64; B]>,
}

/// Matrix and modes of the next coarser level.
type Coarser = (Sparse<MODES, MODES>, Vec<Block<MODES, MODES>>);

impl<const B: usize> Level<B> {
    /// A level with this matrix, whose aggregates represent these modes; and the next one. None if
    /// aggregates would be hardly fewer than nodes.
    pub fn new(
        matrix: Sparse<B, B>,
        modes: &[Block<B, MODES>],
        threshold: f64,
    ) -> Result<(Self, Option<Coarser>), SolveError> {
        let nodes = matrix.height();
        let inverses = (0..nodes).map(|node| inverse_diagonal(&matrix, node)).collect::<Result<Vec<_>, _>>()?;
        let zero = vec![[0.0; B]; nodes];
        let mut level = Self {
            inverses,
            largest: 0.0,
            prolongation: Sparse::new(0),
            restriction: Sparse::new(nodes),
            residual: zero.clone(),
            x: zero.clone(),
            direction: zero,
            matrix,
        };
        level.largest = EIGENVALUE_MARGIN * level.largest_eigenvalue();
        let aggregates = Aggregates::of(&level.matrix, threshold);
        if aggregates.count == 0 || aggregates.count as f64 > MAX_COARSENING_RATIO * nodes as f64 {
            return Ok((level, None));
        }
        let (tentative, coarse_modes) = aggregates.tentative(modes);
        level.prolongation = level.smoothed(tentative);
        level.restriction = level.prolongation.transpose();
        let coarse = level.restriction.product(&level.matrix.product(&level.prolongation));
        Ok((level, Some((coarse, coarse_modes))))
    }

    /// (1 − ω·D⁻¹A)·tentative.
    fn smoothed(&self, tentative: Sparse<B, MODES>) -> Sparse<B, MODES> {
        let omega = PROLONGATION_DAMPING / self.largest;
        let mut product = self.matrix.product(&tentative);
        for row in 0..product.height() {
            let inverse = &self.inverses[row];
            for (_, block) in product.row_mut(row) {
                let mut scaled = [[0.0; MODES]; B];
                for r in 0..B {
                    for (c, entries) in block.iter().enumerate() {
                        for (sum, entry) in scaled[r].iter_mut().zip(entries) {
                            *sum -= omega * inverse[r][c] * entry;
                        }
                    }
                }
                *block = scaled;
            }
            // The diagonal block of the matrix puts every column of the tentative row into the product.
            for (column, start) in tentative.row(row) {
                for (_, block) in product.row_mut(row).filter(|(other, _)| *other == column) {
                    for (sum, entry) in block.as_flattened_mut().iter_mut().zip(start.as_flattened()) {
                        *sum += entry;
                    }
                }
            }
        }
        product
    }

    /// The largest eigenvalue of D⁻¹A by power iteration, from below. With w = D⁻¹Av, |w|² in the
    /// norm of D is w·Av.
    fn largest_eigenvalue(&mut self) -> f64 {
        let mut random = Random::new(1);
        self.x.iter_mut().flatten().for_each(|entry| *entry = random.signed());
        let (mut size, mut eigenvalue) = (0.0, 1.0);
        for iteration in 0..POWER_ITERATIONS {
            self.residual.fill([0.0; B]);
            self.matrix.add_product(1.0, &self.x, &mut self.residual);
            let mut square = 0.0;
            for ((x, product), inverse) in self.x.iter_mut().zip(&self.residual).zip(&self.inverses) {
                *x = apply(inverse, product);
                square += x.iter().zip(product).map(|(x, product)| x * product).sum::<f64>();
            }
            if iteration > 0 {
                eigenvalue = square.sqrt() / size;
            }
            size = 1.0;
            let inverse = 1.0 / square.sqrt();
            self.x.iter_mut().flatten().for_each(|entry| *entry *= inverse);
        }
        if eigenvalue.is_finite() { eigenvalue } else { 1.0 }
    }

    /// Reduces the residual by a Chebyshev polynomial in D⁻¹A (Saad 2003, algorithm 12.1) and adds
    /// the changes to x. The last one is still in the direction, not in the residual.
    pub fn smooth(&mut self) {
        let lowest = self.largest / SMOOTHED_RANGE;
        let (middle, half) = (0.5 * (self.largest + lowest), 0.5 * (self.largest - lowest));
        let mut ratio = half / middle;
        self.advance(0.0, 1.0 / middle);
        for _ in 1..SMOOTHER_DEGREE {
            self.subtract_direction();
            let next = 1.0 / (2.0 * middle / half - ratio);
            self.advance(next * ratio, 2.0 * next / half);
            ratio = next;
        }
    }

    /// direction ← kept·direction + factor·D⁻¹·residual; x ← x + direction.
    fn advance(&mut self, kept: f64, factor: f64) {
        let (residual, inverses) = (&self.residual, &self.inverses);
        let chunks = self.x.par_chunks_mut(ROWS_PER_CHUNK).zip(self.direction.par_chunks_mut(ROWS_PER_CHUNK));
        chunks.enumerate().for_each(|(chunk, (x, direction))| {
            for (offset, (x, direction)) in x.iter_mut().zip(direction).enumerate() {
                let node = chunk * ROWS_PER_CHUNK + offset;
                let change = apply(&inverses[node], &residual[node]);
                for axis in 0..B {
                    direction[axis] = kept * direction[axis] + factor * change[axis];
                    x[axis] += direction[axis];
                }
            }
        });
    }

    /// residual ← residual − A·direction.
    pub fn subtract_direction(&mut self) {
        self.matrix.add_product(-1.0, &self.direction, &mut self.residual);
    }

    /// The residual as the next coarser level sees it.
    pub fn restrict(&self, coarse: &mut [[f64; MODES]]) {
        coarse.fill([0.0; MODES]);
        self.restriction.add_product(1.0, &self.residual, coarse);
    }

    /// Adds a solution of the next coarser level to x.
    pub fn correct(&mut self, coarse: &[[f64; MODES]]) {
        self.direction.fill([0.0; B]);
        self.prolongation.add_product(1.0, coarse, &mut self.direction);
        for (x, direction) in self.x.iter_mut().flatten().zip(self.direction.as_flattened()) {
            *x += direction;
        }
        self.subtract_direction();
    }
}

fn apply<const B: usize>(block: &Block<B, B>, vector: &[f64; B]) -> [f64; B] {
    std::array::from_fn(|r| block[r].iter().zip(vector).map(|(entry, x)| entry * x).sum())
}

/// Inverse of a node's diagonal block, without modes that the node does not have.
fn inverse_diagonal<const B: usize>(matrix: &Sparse<B, B>, node: usize) -> Result<Block<B, B>, SolveError> {
    let block = matrix.row(node).find(|(column, _)| *column == node).map_or([[0.0; B]; B], |(_, block)| *block);
    let mut inverse = block;
    for k in 0..B {
        let pivot = inverse[k][k];
        if !(pivot >= -MIN_RELATIVE_PIVOT * block[k][k].abs()) {
            return Err(SolveError::NotPositiveDefinite { node, pivot });
        }
        if pivot <= MIN_RELATIVE_PIVOT * block[k][k] {
            for other in 0..B {
                inverse[k][other] = 0.0;
                inverse[other][k] = 0.0;
            }
            continue;
        }
        // Gauss–Jordan elimination in place.
        for other in (0..B).filter(|&other| other != k) {
            inverse[k][other] /= pivot;
        }
        let row = inverse[k];
        for (r, entries) in inverse.iter_mut().enumerate().filter(|(r, _)| *r != k) {
            let factor = entries[k];
            for other in (0..B).filter(|&other| other != k) {
                entries[other] -= factor * row[other];
            }
            entries[k] = -factor / pivot;
            debug_assert!(r != k);
        }
        inverse[k][k] = 1.0 / pivot;
    }
    Ok(inverse)
}
