//! Choice of the linear solver.

use crate::block::BlockMatrix;
use crate::cholesky::Cholesky;
use crate::error::SolveError;
use crate::pcg::{Pcg, PcgSettings};
use crate::symbolic::Symbolic;
use craze_math::Vec3;
use std::sync::Arc;

/// A solver for symmetric positive definite systems, with its workspace.
#[derive(Clone, Debug)]
pub enum LinearSolver {
    /// Preconditioned conjugate gradients: little memory, parallel; best for large meshes and good
    /// initial values.
    ConjugateGradients(Box<Pcg>),
    /// Cholesky factorisation: accurate to rounding for any stiffness. Analysed again when the
    /// pattern changes; empty before the first solve.
    Cholesky(Option<Box<Cholesky>>),
}

impl LinearSolver {
    /// Conjugate gradients with these settings.
    pub fn conjugate_gradients(settings: PcgSettings) -> Self {
        Self::ConjugateGradients(Box::new(Pcg::new(settings)))
    }

    /// Cholesky factorisation.
    pub fn cholesky() -> Self {
        Self::Cholesky(None)
    }

    /// Solves matrix·x = right. Conjugate gradients start from the given x.
    pub fn solve(&mut self, matrix: &BlockMatrix, right: &[Vec3], x: &mut [Vec3]) -> Result<(), SolveError> {
        match self {
            Self::ConjugateGradients(pcg) => pcg.solve(matrix, right, x).map(|_| ()),
            Self::Cholesky(slot) => {
                let matching =
                    slot.take().filter(|cholesky| Arc::ptr_eq(&cholesky.symbolic().pattern, matrix.pattern()));
                let cholesky =
                    matching.unwrap_or_else(|| Box::new(Cholesky::new(Arc::new(Symbolic::analyse(matrix.pattern())))));
                let cholesky = slot.insert(cholesky);
                cholesky.factorise(matrix)?;
                cholesky.solve(right, x)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clamped_box, residual_of};

    #[test]
    fn a_new_pattern_is_analysed_again() {
        let mut solver = LinearSolver::cholesky();
        for cells in [2, 3, 2] {
            let (matrix, constraints) = clamped_box(cells);
            let mut right = vec![Vec3::x(); matrix.nodes()];
            constraints.project(&mut right);
            let mut x = vec![Vec3::zeros(); right.len()];
            solver.solve(&matrix, &right, &mut x).expect("positive definite");
            assert!(residual_of(&matrix, &x, &right) < 1e-12);
        }
    }
}
