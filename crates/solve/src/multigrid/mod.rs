//! Multigrid by smoothed aggregation, as preconditioner of conjugate gradients (Vaněk, Mandel &
//! Brezina 1996).
//!
//! Each level aggregates nodes; the six rigid-body modes of an aggregate are the degrees of freedom
//! of the next level, after a step of damped Jacobi iteration has made them smooth. So the number of
//! iterations hardly grows with the mesh. Chebyshev polynomials in the matrix smooth (Adams et al.
//! 2003): unlike Gauss–Seidel they have the same bits for any number of threads.

mod aggregates;
mod level;
mod sparse;

use crate::block::BlockMatrix;
use crate::dense;
use crate::error::SolveError;
use crate::error::expect_length;
use crate::tuning::{MAX_BOTTOM_NODES, MIN_RELATIVE_PIVOT, STRONG_COUPLING};
use aggregates::MODES;
use craze_math::Vec3;
use level::Level;
use sparse::{Block, Sparse};

/// A hierarchy of levels for one matrix.
#[derive(Clone, Debug)]
pub struct Multigrid {
    fine: Level<3>,
    coarse: Vec<Level<MODES>>,
    bottom: Bottom,
}

/// The coarsest level: the factor of its dense matrix. Empty if there is none, or if it would be too
/// large.
#[derive(Clone, Debug, Default)]
struct Bottom {
    /// Lower triangle by columns.
    factor: Vec<f64>,
    right: Vec<[f64; MODES]>,
}

impl Multigrid {
    /// Levels for a symmetric positive definite matrix over nodes at these positions (m), from which
    /// the rigid-body modes follow.
    pub fn new(matrix: &BlockMatrix, positions: &[Vec3]) -> Result<Self, SolveError> {
        expect_length("the list of positions", positions.len(), matrix.nodes())?;
        let mut threshold = STRONG_COUPLING;
        let (fine, mut next) = Level::new(without_zeros(matrix), &rigid_modes(positions), threshold)?;
        let mut coarse = Vec::new();
        let bottom = loop {
            let Some((matrix, modes)) = next else { break Bottom::default() };
            if matrix.height() <= MAX_BOTTOM_NODES {
                break Bottom::new(&matrix)?;
            }
            // Coarse matrices have wider rows with smaller blocks.
            threshold *= 0.5;
            let (level, below) = Level::new(matrix, &modes, threshold)?;
            coarse.push(level);
            next = below;
        };
        Ok(Self { fine, coarse, bottom })
    }

    /// Number of levels, the coarsest included.
    pub fn levels(&self) -> usize {
        1 + self.coarse.len() + usize::from(!self.bottom.factor.is_empty())
    }

    /// Numbers in the matrices of all levels over those of the finest.
    pub fn operator_complexity(&self) -> f64 {
        let coarse: usize = self.coarse.iter().map(|level| MODES * MODES * level.matrix.block_count()).sum();
        1.0 + (coarse + self.bottom.factor.len()) as f64 / (9 * self.fine.matrix.block_count()) as f64
    }

    /// z ← an approximation of A⁻¹·r by one V-cycle: linear in r and symmetric.
    pub fn precondition(&mut self, r: &[Vec3], z: &mut [Vec3]) {
        for (right, r) in self.fine.residual.iter_mut().zip(r) {
            *right = [r.x, r.y, r.z];
        }
        cycle(&mut self.fine, &mut self.coarse, &mut self.bottom);
        for (z, x) in z.iter_mut().zip(&self.fine.x) {
            *z = Vec3::from(*x);
        }
    }
}

/// One V-cycle from a level down. Its residual is the right-hand side, its x becomes the solution.
fn cycle<const B: usize>(level: &mut Level<B>, coarse: &mut [Level<MODES>], bottom: &mut Bottom) {
    level.x.fill([0.0; B]);
    level.smooth();
    level.subtract_direction();
    if let Some((next, below)) = coarse.split_first_mut() {
        level.restrict(&mut next.residual);
        cycle(next, below, bottom);
        level.correct(&next.x);
    } else if !bottom.factor.is_empty() {
        level.restrict(&mut bottom.right);
        bottom.solve();
        level.correct(&bottom.right);
    }
    level.smooth();
}

impl Bottom {
    fn new(matrix: &Sparse<MODES, MODES>) -> Result<Bottom, SolveError> {
        let size = MODES * matrix.height();
        let mut factor = vec![0.0; size * size];
        for row in 0..matrix.height() {
            for (column, block) in matrix.row(row) {
                for (r, entries) in block.iter().enumerate() {
                    for (c, &entry) in entries.iter().enumerate() {
                        factor[(MODES * column + c) * size + MODES * row + r] = entry;
                    }
                }
            }
        }
        let mut pivots = Vec::with_capacity(size);
        for index in 0..size {
            let diagonal = &mut factor[index * size + index];
            // A mode that an aggregate cannot have.
            if *diagonal == 0.0 {
                *diagonal = 1.0;
            }
            pivots.push(MIN_RELATIVE_PIVOT * diagonal.abs());
        }
        let outcome = dense::factorise(&mut factor, size, &pivots, &mut dense::Packed::default());
        outcome.map_err(|bad| SolveError::NotPositiveDefinite { node: bad.column / MODES, pivot: bad.pivot })?;
        Ok(Bottom { factor, right: vec![[0.0; MODES]; matrix.height()] })
    }

    /// Replaces the right-hand side by the solution.
    fn solve(&mut self) {
        let Bottom { factor, right } = self;
        let x = right.as_flattened_mut();
        let size = x.len();
        for column in 0..size {
            let values = &factor[column * size..(column + 1) * size];
            let entry = x[column] / values[column];
            x[column] = entry;
            x[column + 1..].iter_mut().zip(&values[column + 1..]).for_each(|(x, value)| *x -= entry * value);
        }
        for column in (0..size).rev() {
            let values = &factor[column * size..(column + 1) * size];
            let sum: f64 = x[column + 1..].iter().zip(&values[column + 1..]).map(|(x, value)| x * value).sum();
            x[column] = (x[column] - sum) / values[column];
        }
    }
}

/// The matrix without blocks that are zero, as those of constrained nodes.
fn without_zeros(matrix: &BlockMatrix) -> Sparse<3, 3> {
    let mut sparse = Sparse::new(matrix.nodes());
    for row in 0..matrix.nodes() {
        let entries =
            matrix.row(row).filter(|(column, block)| *column == row || block.iter().any(|&entry| entry != 0.0));
        sparse.push_row(
            entries.map(|(column, block)| (column, std::array::from_fn(|r| std::array::from_fn(|c| block[(r, c)])))),
        );
    }
    sparse
}

/// Displacements of nodes in a translation along, and a rotation about, each axis; rotations about
/// the mean position, scaled to the size of the body.
fn rigid_modes(positions: &[Vec3]) -> Vec<Block<3, MODES>> {
    let center = positions.iter().sum::<Vec3>() / positions.len().max(1) as f64;
    let size = positions.iter().map(|position| (position - center).amax()).fold(f64::MIN_POSITIVE, f64::max);
    let modes = |position: &Vec3| {
        let arm = (position - center) / size;
        [[1.0, 0.0, 0.0, 0.0, arm.z, -arm.y], [0.0, 1.0, 0.0, -arm.z, 0.0, arm.x], [0.0, 0.0, 1.0, arm.y, -arm.x, 0.0]]
    };
    positions.iter().map(modes).collect()
}

#[cfg(test)]
mod tests;
