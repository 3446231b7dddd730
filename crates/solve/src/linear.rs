//! The choice between the two linear solvers.

use crate::block::BlockMatrix;
use crate::cholesky::Cholesky;
use crate::error::SolveError;
use crate::pcg::{Pcg, PcgSettings};
use crate::symbolic::Symbolic;
use craze_math::Vec3;
use std::sync::Arc;

/// A solver for symmetric positive definite systems, with its memory.
#[derive(Clone, Debug)]
pub enum LinearSolver {
    /// Conjugate gradients: little memory, parallel, best for large meshes and good starts.
    ConjugateGradients(Box<Pcg>),
    /// Cholesky factorisation: exact to rounding however stiff the system; analysed anew when the pattern changes. Holds nothing before
    /// the first solve.
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

    /// Solves matrix·x = right. Conjugate gradients start from the x given.
    pub fn solve(&mut self, matrix: &BlockMatrix, right: &[Vec3], x: &mut [Vec3]) -> Result<(), SolveError> {
        match self {
            Self::ConjugateGradients(pcg) => pcg.solve(matrix, right, x).map(|_| ()),
            Self::Cholesky(slot) => {
                let kept = slot.take().filter(|held| Arc::ptr_eq(&held.symbolic().pattern, matrix.pattern()));
                let held =
                    kept.unwrap_or_else(|| Box::new(Cholesky::new(Arc::new(Symbolic::analyse(matrix.pattern())))));
                let held = slot.insert(held);
                held.factorise(matrix)?;
                held.solve(right, x)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clamped_box, residual_of};

    #[test]
    fn a_new_pattern_is_analysed_anew() {
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
