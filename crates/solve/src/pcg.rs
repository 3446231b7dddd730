//! Conjugate gradients with a block-Jacobi preconditioner.

use crate::block::BlockMatrix;
use crate::error::{SolveError, expect_length};
use crate::tuning::NODES_PER_SUM;
use craze_math::{Mat3, Vec3};
use rayon::prelude::*;

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgSettings {
    /// Residual relative to the right-hand side (2-norm).
    pub tolerance: f64,
    /// Iteration limit.
    pub max_iterations: usize,
}

impl Default for PcgSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 2000 }
    }
}

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgReport {
    /// Iterations used.
    pub iterations: usize,
    /// Final residual relative to the right-hand side.
    pub residual: f64,
}

/// Conjugate gradients with their workspace; allocates nothing once warm.
#[derive(Clone, Debug, Default)]
pub struct Pcg {
    /// Stopping criteria.
    pub settings: PcgSettings,
    inverses: Vec<Mat3>,
    residual: Vec<Vec3>,
    direction: Vec<Vec3>,
    product: Vec<Vec3>,
    preconditioned: Vec<Vec3>,
    partial: Vec<[f64; 2]>,
}

impl Pcg {
    /// A solver with these settings.
    pub fn new(settings: PcgSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Solves matrix·x = right for a symmetric positive definite matrix, starting from the given x.
    ///
    /// For constrained DOFs, use [`BlockMatrix::constrain`] and project the right-hand side. A zero
    /// right-hand side gives zero at once. After [`SolveError::NotConverged`], x is the last
    /// iterate; after other errors it is meaningless.
    pub fn solve(&mut self, matrix: &BlockMatrix, right: &[Vec3], x: &mut [Vec3]) -> Result<PcgReport, SolveError> {
        let nodes = matrix.nodes();
        expect_length("the right-hand side", right.len(), nodes)?;
        expect_length("the solution", x.len(), nodes)?;
        self.prepare(matrix)?;

        let right_square = self.sum_over_chunks(right, |entry| entry.norm_squared());
        if !right_square.is_finite() {
            return Err(SolveError::NotFinite { what: "the right-hand side", iteration: 0 });
        }
        if right_square == 0.0 {
            x.fill(Vec3::zeros());
            return Ok(PcgReport { iterations: 0, residual: 0.0 });
        }
        let size = right_square.sqrt();
        let needed = self.settings.tolerance * size;

        matrix.multiply(x, &mut self.product)?;
        for ((residual, right), product) in self.residual.iter_mut().zip(right).zip(&self.product) {
            *residual = right - product;
        }
        self.direction.fill(Vec3::zeros());
        // A step of length zero preconditions the first residual and computes its dot products.
        let [mut residual_square, mut decrease] = self.advance(0.0, x);
        self.direction.copy_from_slice(&self.preconditioned);
        let mut iteration = 0;
        loop {
            if !(residual_square.is_finite() && decrease.is_finite()) {
                return Err(SolveError::NotFinite { what: "the residual", iteration });
            }
            if residual_square.sqrt() <= needed {
                return Ok(PcgReport { iterations: iteration, residual: residual_square.sqrt() / size });
            }
            if iteration == self.settings.max_iterations {
                let residual = residual_square.sqrt();
                return Err(SolveError::NotConverged { iterations: iteration, residual, needed });
            }
            iteration += 1;
            let curvature = self.multiply_direction(matrix);
            if !curvature.is_finite() {
                return Err(SolveError::NotFinite { what: "the curvature", iteration });
            }
            if curvature <= 0.0 {
                return Err(SolveError::NegativeCurvature { iteration, curvature });
            }
            let previous = decrease;
            [residual_square, decrease] = self.advance(decrease / curvature, x);
            let ratio = decrease / previous;
            self.direction.par_chunks_mut(NODES_PER_SUM).zip(self.preconditioned.par_chunks(NODES_PER_SUM)).for_each(
                |(direction, preconditioned)| {
                    for (direction, preconditioned) in direction.iter_mut().zip(preconditioned) {
                        *direction = preconditioned + *direction * ratio;
                    }
                },
            );
        }
    }

    /// The same with another preconditioner: `precondition` writes an approximation of A⁻¹·r, linear
    /// in r and symmetric, to its second argument.
    pub fn solve_preconditioned(
        &mut self,
        matrix: &BlockMatrix,
        mut precondition: impl FnMut(&[Vec3], &mut [Vec3]),
        right: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<PcgReport, SolveError> {
        let nodes = matrix.nodes();
        expect_length("the right-hand side", right.len(), nodes)?;
        expect_length("the solution", x.len(), nodes)?;
        self.resize(nodes);
        let size = self.dot(right, right).sqrt();
        if !size.is_finite() {
            return Err(SolveError::NotFinite { what: "the right-hand side", iteration: 0 });
        }
        if size == 0.0 {
            x.fill(Vec3::zeros());
            return Ok(PcgReport { iterations: 0, residual: 0.0 });
        }
        let needed = self.settings.tolerance * size;
        let [mut residual, mut direction, mut preconditioned] =
            [&mut self.residual, &mut self.direction, &mut self.preconditioned].map(std::mem::take);
        matrix.multiply(x, &mut residual)?;
        residual.iter_mut().zip(right).for_each(|(residual, right)| *residual = right - *residual);
        let mut decrease = 0.0;
        let mut iteration = 0;
        let outcome = loop {
            let length = self.dot(&residual, &residual).sqrt();
            if !length.is_finite() {
                break Err(SolveError::NotFinite { what: "the residual", iteration });
            }
            if length <= needed {
                break Ok(PcgReport { iterations: iteration, residual: length / size });
            }
            if iteration == self.settings.max_iterations {
                break Err(SolveError::NotConverged { iterations: iteration, residual: length, needed });
            }
            iteration += 1;
            precondition(&residual, &mut preconditioned);
            let previous = std::mem::replace(&mut decrease, self.dot(&residual, &preconditioned));
            let ratio = if iteration == 1 { 0.0 } else { decrease / previous };
            for (direction, preconditioned) in direction.iter_mut().zip(&preconditioned) {
                *direction = preconditioned + *direction * ratio;
            }
            std::mem::swap(&mut self.direction, &mut direction);
            let curvature = self.multiply_direction(matrix);
            std::mem::swap(&mut self.direction, &mut direction);
            if !(curvature > 0.0) {
                break Err(SolveError::NegativeCurvature { iteration, curvature });
            }
            let length = decrease / curvature;
            for (node, product) in self.product.iter().enumerate() {
                x[node] += direction[node] * length;
                residual[node] -= product * length;
            }
        };
        (self.residual, self.direction, self.preconditioned) = (residual, direction, preconditioned);
        outcome
    }

    fn resize(&mut self, nodes: usize) {
        for vector in [&mut self.residual, &mut self.direction, &mut self.product, &mut self.preconditioned] {
            vector.resize(nodes, Vec3::zeros());
        }
        self.partial.resize(nodes.div_ceil(NODES_PER_SUM), [0.0; 2]);
    }

    fn dot(&mut self, a: &[Vec3], b: &[Vec3]) -> f64 {
        let chunks = a.par_chunks(NODES_PER_SUM).zip(b.par_chunks(NODES_PER_SUM));
        chunks.zip(self.partial.par_iter_mut()).for_each(|((a, b), partial)| {
            *partial = [a.iter().zip(b).map(|(a, b)| a.dot(b)).sum(), 0.0];
        });
        self.partial.iter().map(|partial| partial[0]).sum()
    }

    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), SolveError> {
        let nodes = matrix.nodes();
        self.resize(nodes);
        self.inverses.clear();
        for node in 0..nodes {
            let block = matrix.diagonal(node);
            let inverse = block.cholesky().map(|factor| factor.inverse());
            match inverse.filter(|inverse| inverse.iter().all(|entry| entry.is_finite())) {
                Some(inverse) => self.inverses.push(inverse),
                None => return Err(SolveError::NotPositiveDefinite { node, pivot: block.determinant() }),
            }
        }
        Ok(())
    }

    /// x ← x + α·direction, residual ← residual − α·product, preconditioned ← M⁻¹·residual; returns
    /// |residual|² and residual·preconditioned.
    fn advance(&mut self, alpha: f64, x: &mut [Vec3]) -> [f64; 2] {
        let (direction, product, inverses) = (&self.direction, &self.product, &self.inverses);
        x.par_chunks_mut(NODES_PER_SUM)
            .zip(self.residual.par_chunks_mut(NODES_PER_SUM))
            .zip(self.preconditioned.par_chunks_mut(NODES_PER_SUM))
            .zip(self.partial.par_iter_mut())
            .enumerate()
            .for_each(|(chunk, (((x, residual), preconditioned), partial))| {
                *partial = [0.0; 2];
                for (index, ((x, residual), preconditioned)) in
                    x.iter_mut().zip(residual).zip(preconditioned).enumerate()
                {
                    let node = chunk * NODES_PER_SUM + index;
                    *x += direction[node] * alpha;
                    *residual -= product[node] * alpha;
                    *preconditioned = inverses[node] * *residual;
                    partial[0] += residual.norm_squared();
                    partial[1] += residual.dot(preconditioned);
                }
            });
        self.partial.iter().fold([0.0; 2], |sum, partial| [sum[0] + partial[0], sum[1] + partial[1]])
    }

    /// product ← matrix·direction; returns direction·product.
    fn multiply_direction(&mut self, matrix: &BlockMatrix) -> f64 {
        let direction = &self.direction;
        self.product.par_chunks_mut(NODES_PER_SUM).zip(self.partial.par_iter_mut()).enumerate().for_each(
            |(chunk, (product, partial))| {
                *partial = [0.0; 2];
                for (index, product) in product.iter_mut().enumerate() {
                    let node = chunk * NODES_PER_SUM + index;
                    *product = matrix.multiply_row(node, direction);
                    partial[0] += product.dot(&direction[node]);
                }
            },
        );
        self.partial.iter().map(|partial| partial[0]).sum()
    }

    fn sum_over_chunks(&mut self, vector: &[Vec3], term: impl Fn(&Vec3) -> f64 + Sync) -> f64 {
        vector.par_chunks(NODES_PER_SUM).zip(self.partial.par_iter_mut()).for_each(|(chunk, partial)| {
            *partial = [chunk.iter().map(&term).sum(), 0.0];
        });
        self.partial.iter().map(|partial| partial[0]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Constraints;
    use crate::pattern::Pattern;
    use crate::testing::{clamped_box, in_threads, residual_of};
    use std::sync::Arc;

    #[test]
    fn an_elastic_box_is_solved_to_the_tolerance() {
        let (matrix, constraints) = clamped_box(6);
        let mut random = craze_math::Random::new(3);
        let mut right: Vec<Vec3> = (0..matrix.nodes()).map(|_| random.vector()).collect();
        constraints.project(&mut right);
        let mut x = vec![Vec3::zeros(); right.len()];
        let mut pcg = Pcg::default();
        let report = pcg.solve(&matrix, &right, &mut x).expect("positive definite");
        assert!(report.iterations > 5 && report.residual <= 1e-10, "{report:?}");
        assert!(residual_of(&matrix, &x, &right) < 2e-10);
        for node in (0..x.len()).filter(|&node| constraints.projection(node).is_some()) {
            assert_eq!(x[node], Vec3::zeros());
        }
        let again = pcg.solve(&matrix, &right, &mut x).expect("positive definite");
        assert!(again.iterations <= 2, "{again:?}");
    }

    #[test]
    fn solutions_have_the_same_bits_for_any_number_of_threads() {
        let (matrix, constraints) = clamped_box(11);
        let mut right = vec![Vec3::new(0.0, -1.0, 0.3); matrix.nodes()];
        constraints.project(&mut right);
        let run = || {
            let mut x = vec![Vec3::zeros(); right.len()];
            let report = Pcg::default().solve(&matrix, &right, &mut x).expect("positive definite");
            (
                report.iterations,
                x.iter().flat_map(|entry| [entry.x, entry.y, entry.z]).map(f64::to_bits).collect::<Vec<_>>(),
            )
        };
        let one = in_threads(1, run);
        assert!(one == in_threads(2, run) && one == in_threads(3, run));
    }

    #[test]
    fn bad_input_gives_a_named_error() {
        let (matrix, _) = clamped_box(2);
        let nodes = matrix.nodes();
        let mut x = vec![Vec3::zeros(); nodes];
        let mut pcg = Pcg::default();
        assert_eq!(pcg.solve(&matrix, &x.clone(), &mut x), Ok(PcgReport { iterations: 0, residual: 0.0 }));
        let right = vec![Vec3::repeat(f64::NAN); nodes];
        assert!(matches!(pcg.solve(&matrix, &right, &mut x), Err(SolveError::NotFinite { .. })));
        let mut poisoned = vec![Vec3::repeat(f64::INFINITY); nodes];
        assert!(matches!(
            pcg.solve(&matrix, &vec![Vec3::x(); nodes], &mut poisoned),
            Err(SolveError::NotFinite { .. })
        ));
        assert!(matches!(pcg.solve(&matrix, &right[1..], &mut x), Err(SolveError::WrongLength { .. })));

        let mut broken = matrix.clone();
        *broken.diagonal_mut(7) = Mat3::zeros();
        let right = vec![Vec3::x(); nodes];
        assert!(matches!(pcg.solve(&broken, &right, &mut x), Err(SolveError::NotPositiveDefinite { node: 7, .. })));

        let mut pcg = Pcg::new(PcgSettings { max_iterations: 2, ..PcgSettings::default() });
        x.fill(Vec3::zeros());
        assert!(matches!(pcg.solve(&matrix, &right, &mut x), Err(SolveError::NotConverged { iterations: 2, .. })));
    }

    #[test]
    fn indefinite_matrices_are_seen_though_their_diagonal_is_positive() {
        let pattern = Arc::new(Pattern::from_elements(2, &[[0, 1]]).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern);
        let (one, two) = (Mat3::identity(), Mat3::identity() * 2.0);
        matrix.assemble(&[one, two, two, one]).expect("right length");
        let mut x = vec![Vec3::zeros(); 2];
        let result = Pcg::default().solve(&matrix, &[Vec3::x(), -Vec3::x() * 0.5], &mut x);
        assert!(matches!(result, Err(SolveError::NegativeCurvature { .. })), "{result:?}");
    }

    #[test]
    fn an_empty_system_is_solved() {
        let matrix = BlockMatrix::zeros(Arc::new(Pattern::from_elements::<2>(0, &[]).expect("valid")));
        assert!(Pcg::default().solve(&matrix, &[], &mut []).is_ok());
        assert!(Constraints::none(0).is_empty());
    }
}
