//! Choice of the linear solver.

use crate::block::BlockMatrix;
use crate::cholesky::Cholesky;
use crate::error::SolveError;
use crate::multigrid::Multigrid;
use crate::pcg::{Pcg, PcgSettings};
use crate::symbolic::Symbolic;
use crate::tuning::{DIRECT_OPERATIONS_PER_NODE, MAX_FACTOR_NUMBERS};
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
    /// For elastic stiffness: whichever of factorisation and conjugate gradients with multigrid costs
    /// less by an estimate.
    ByCost(Box<ByCost>),
}

/// Factorisation of small and flat meshes, multigrid for others.
#[derive(Clone, Debug)]
pub struct ByCost {
    pcg: Pcg,
    /// The analysis of the last pattern.
    symbolic: Option<Arc<Symbolic>>,
    direct: Option<Box<Cholesky>>,
}

impl ByCost {
    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        positions: &[Vec3],
        right: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<(), SolveError> {
        let known = self.symbolic.take().filter(|symbolic| Arc::ptr_eq(&symbolic.pattern, matrix.pattern()));
        let symbolic = match known {
            Some(symbolic) => symbolic,
            None => {
                self.direct = None;
                Arc::new(Symbolic::analyse(matrix.pattern()))
            }
        };
        self.symbolic = Some(symbolic.clone());
        let is_direct = symbolic.operations() <= DIRECT_OPERATIONS_PER_NODE * matrix.nodes() as f64;
        if !is_direct && self.direct.is_none() {
            let mut multigrid = Multigrid::new(matrix, positions)?;
            let start = x.to_vec();
            let precondition = |r: &[Vec3], z: &mut [Vec3]| multigrid.precondition(r, z);
            match self.pcg.solve_preconditioned(matrix, precondition, right, x) {
                // Slivers may slow it down; the factors are then kept for this pattern.
                Err(SolveError::NotConverged { .. }) if symbolic.factor_size() <= MAX_FACTOR_NUMBERS => {
                    x.copy_from_slice(&start);
                }
                outcome => return outcome.map(|_| ()),
            }
        }
        let direct = self.direct.get_or_insert_with(|| Box::new(Cholesky::new(symbolic)));
        direct.factorise(matrix)?;
        direct.solve(right, x)
    }
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

    /// Factorisation or multigrid; `settings` are those of conjugate gradients with multigrid.
    pub fn by_cost(settings: PcgSettings) -> Self {
        Self::ByCost(Box::new(ByCost { pcg: Pcg::new(settings), symbolic: None, direct: None }))
    }

    /// Solves matrix·x = right for nodes at these positions (m). Conjugate gradients start from the
    /// given x.
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        positions: &[Vec3],
        right: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<(), SolveError> {
        match self {
            Self::ByCost(solver) => solver.solve(matrix, positions, right, x),
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
    use crate::testing::{box_mesh, clamped_box, residual_of};

    #[test]
    fn a_new_pattern_is_analysed_again() {
        let mut solver = LinearSolver::cholesky();
        for cells in [2, 3, 2] {
            let (matrix, constraints) = clamped_box(cells);
            let mut right = vec![Vec3::x(); matrix.nodes()];
            constraints.project(&mut right);
            let mut x = vec![Vec3::zeros(); right.len()];
            let positions = x.clone();
            solver.solve(&matrix, &positions, &right, &mut x).expect("positive definite");
            assert!(residual_of(&matrix, &x, &right) < 1e-12);
        }
    }

    #[test]
    fn small_systems_are_factorised_and_large_ones_are_not() {
        for (cells, is_direct) in [(4, true), (22, false)] {
            let (matrix, constraints) = clamped_box(cells);
            let mut right = vec![Vec3::x(); matrix.nodes()];
            constraints.project(&mut right);
            let mut x = vec![Vec3::zeros(); right.len()];
            let mut solver = LinearSolver::by_cost(PcgSettings::default());
            let (positions, _) = box_mesh(cells);
            solver.solve(&matrix, &positions, &right, &mut x).expect("positive definite");
            assert!(residual_of(&matrix, &x, &right) < 1e-9);
            let LinearSolver::ByCost(solver) = solver else { panic!("another solver") };
            assert_eq!(solver.direct.is_some(), is_direct);
        }
    }
}
