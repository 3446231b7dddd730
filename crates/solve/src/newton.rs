//! Newton's method with line search, for the minimum of an energy over the nodes.

use crate::block::BlockMatrix;
use crate::constraint::Constraints;
use crate::error::{SolveError, expect_length};
use crate::linear::LinearSolver;
use crate::tuning::{
    ARMIJO_CONSTANT, ENERGY_ROUNDING, INITIAL_RELATIVE_SHIFT, MAX_SHIFTS, MAX_STEP_HALVINGS, SHIFT_GROWTH,
    WOLFE_CONSTANT,
};
use craze_math::Vec3;

/// An energy as a function of the positions (or displacements) of all nodes.
///
/// Methods take `&mut self` for workspace; equal x must give equal results.
pub trait Objective {
    /// The energy (J). Infinite or NaN where x is inadmissible, which the line search rejects.
    fn energy(&mut self, x: &[Vec3]) -> f64;

    /// Writes the gradient of the energy (N) to `out`.
    fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]);

    /// Writes the Hessian of the energy (N/m), projected to be positive semidefinite, to `out`.
    /// `out` holds arbitrary values before.
    fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix);

    /// Largest fraction of `direction` for which x stays admissible (for example without inverted
    /// elements). Longer steps are not tried.
    fn max_step(&mut self, x: &[Vec3], direction: &[Vec3]) -> f64 {
        let _ = (x, direction);
        1.0
    }
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Equilibrium tolerance: largest entry of the gradient (N).
    pub residual: f64,
    /// Step tolerance: largest entry of the full Newton step (m). With zero, only the residual
    /// decides.
    pub step: f64,
    /// Iteration limit.
    pub max_iterations: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { residual: 1e-6, step: 1e-12, max_iterations: 100 }
    }
}

/// The criterion that stopped the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// The residual tolerance.
    Residual,
    /// The step tolerance.
    Step,
}

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonReport {
    /// Steps taken.
    pub iterations: usize,
    /// Largest entry of the final gradient (N).
    pub residual: f64,
    /// The final energy (J).
    pub energy: f64,
    /// The criterion that stopped the iteration.
    pub convergence: Convergence,
}

/// Newton's method with its workspace; allocates nothing once warm, except for new patterns.
#[derive(Clone, Debug)]
pub struct Newton {
    /// Stopping criteria.
    pub settings: NewtonSettings,
    solver: LinearSolver,
    gradient: Vec<Vec3>,
    direction: Vec<Vec3>,
    trial: Vec<Vec3>,
}

impl Newton {
    /// Newton's method with these settings and this linear solver.
    pub fn new(settings: NewtonSettings, solver: LinearSolver) -> Self {
        Self { settings, solver, gradient: Vec::new(), direction: Vec::new(), trial: Vec::new() }
    }

    /// Moves x to a minimum of the energy. Constrained DOFs keep their value in x. `matrix`
    /// provides the pattern and the memory of the Hessian.
    ///
    /// After an error, x is the last accepted iterate, never one with a higher energy or NaN.
    pub fn solve<O: Objective>(
        &mut self,
        objective: &mut O,
        constraints: &Constraints,
        matrix: &mut BlockMatrix,
        x: &mut [Vec3],
    ) -> Result<NewtonReport, SolveError> {
        expect_length("the list of positions", x.len(), matrix.nodes())?;
        expect_length("the list of constraints", constraints.nodes(), matrix.nodes())?;
        for vector in [&mut self.gradient, &mut self.direction, &mut self.trial] {
            vector.resize(x.len(), Vec3::zeros());
        }
        let mut energy = objective.energy(x);
        if !energy.is_finite() {
            return Err(SolveError::NotFinite { what: "the energy", iteration: 0 });
        }
        let mut iteration = 0;
        loop {
            objective.gradient(x, &mut self.gradient);
            constraints.project(&mut self.gradient);
            let residual = max_abs(&self.gradient);
            if !residual.is_finite() {
                return Err(SolveError::NotFinite { what: "the gradient", iteration });
            }
            let report = |convergence| NewtonReport { iterations: iteration, residual, energy, convergence };
            if residual <= self.settings.residual {
                return Ok(report(Convergence::Residual));
            }
            if iteration == self.settings.max_iterations {
                return Err(SolveError::NotConverged {
                    iterations: iteration,
                    residual,
                    needed: self.settings.residual,
                });
            }
            let slope = self.find_direction(objective, constraints, matrix, x, iteration)?;
            if max_abs(&self.direction) <= self.settings.step {
                return Ok(report(Convergence::Step));
            }
            iteration += 1;
            energy = self.line_search(objective, constraints, x, energy, slope).ok_or(SolveError::LineSearch {
                iteration,
                residual,
                slope,
            })?;
            x.copy_from_slice(&self.trial);
        }
    }

    /// Computes the Newton direction and returns the slope along it. Shifts the diagonal if the
    /// matrix is not positive definite or the direction is not one of descent.
    fn find_direction<O: Objective>(
        &mut self,
        objective: &mut O,
        constraints: &Constraints,
        matrix: &mut BlockMatrix,
        x: &[Vec3],
        iteration: usize,
    ) -> Result<f64, SolveError> {
        objective.hessian(x, matrix);
        matrix.constrain(constraints)?;
        for entry in &mut self.gradient {
            *entry = -*entry;
        }
        let mut shift = 0.0;
        let mut attempt = 0;
        let outcome = loop {
            self.direction.fill(Vec3::zeros());
            let solved = match self.solver.solve(matrix, x, &self.gradient, &mut self.direction) {
                // Iterates of conjugate gradients started from zero are descent directions.
                Err(SolveError::NotConverged { .. }) => Ok(()),
                other => other,
            };
            constraints.project(&mut self.direction);
            let slope = -dot(&self.gradient, &self.direction);
            let error = match solved {
                Ok(()) if slope < 0.0 && slope.is_finite() => break Ok(slope),
                Ok(()) => SolveError::NotFinite { what: "the Newton direction", iteration },
                Err(error) => error,
            };
            let size = matrix.max_diagonal();
            if attempt == MAX_SHIFTS || !size.is_finite() {
                break Err(error);
            }
            let next = if shift == 0.0 {
                INITIAL_RELATIVE_SHIFT * if size > 0.0 { size } else { 1.0 }
            } else {
                shift * SHIFT_GROWTH
            };
            matrix.add_to_diagonal(next - shift);
            shift = next;
            attempt += 1;
        };
        for entry in &mut self.gradient {
            *entry = -*entry;
        }
        outcome
    }

    /// Backtracking line search: halves the step until the energy decreases sufficiently. Leaves
    /// the point in `trial` and returns its energy; `None` if no step succeeds.
    fn line_search<O: Objective>(
        &mut self,
        objective: &mut O,
        constraints: &Constraints,
        x: &[Vec3],
        energy: f64,
        slope: f64,
    ) -> Option<f64> {
        let mut step = objective.max_step(x, &self.direction).min(1.0);
        if step.is_nan() || step <= 0.0 {
            return None;
        }
        for _ in 0..MAX_STEP_HALVINGS {
            for ((trial, x), direction) in self.trial.iter_mut().zip(x).zip(&self.direction) {
                *trial = x + direction * step;
            }
            let reached = objective.energy(&self.trial);
            if reached.is_finite() {
                if reached <= energy + ARMIJO_CONSTANT * step * slope {
                    return Some(reached);
                }
                // Energies equal up to rounding: the slope decides (Hager & Zhang 2005, approximate
                // Wolfe conditions).
                if (reached - energy).abs() <= ENERGY_ROUNDING * energy.abs().max(reached.abs()) {
                    objective.gradient(&self.trial, &mut self.gradient);
                    constraints.project(&mut self.gradient);
                    if dot(&self.gradient, &self.direction).abs() <= WOLFE_CONSTANT * slope.abs() {
                        return Some(reached);
                    }
                }
            }
            step /= 2.0;
        }
        None
    }
}

/// Largest absolute entry; NaN if any is NaN.
fn max_abs(vector: &[Vec3]) -> f64 {
    vector.iter().flatten().fold(0.0, |most: f64, entry| if entry.is_nan() { f64::NAN } else { most.max(entry.abs()) })
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::pcg::PcgSettings;
    use crate::testing::box_mesh;
    use craze_math::Mat3;
    use std::sync::Arc;

    /// Springs along the edges of a mesh under gravity. The Hessian omits the compressive geometric
    /// part.
    struct Springs {
        edges: Vec<[u32; 2]>,
        lengths: Vec<f64>,
        weight: Vec3,
    }

    impl Springs {
        fn of_box(cells: usize) -> (Self, Vec<Vec3>, Arc<Pattern>) {
            let (nodes, elements) = box_mesh(cells);
            let mut edges: Vec<[u32; 2]> = elements
                .iter()
                .flat_map(|e| {
                    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|[i, j]| [e[i].min(e[j]), e[i].max(e[j])])
                })
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let lengths = edges.iter().map(|&[a, b]| (nodes[a as usize] - nodes[b as usize]).norm()).collect();
            let pattern = Arc::new(Pattern::from_elements(nodes.len(), &edges).expect("valid"));
            (Self { edges, lengths, weight: Vec3::new(0.0, 0.002, -0.01) }, nodes, pattern)
        }
    }

    impl Objective for Springs {
        fn energy(&mut self, x: &[Vec3]) -> f64 {
            let springs: f64 = self
                .edges
                .iter()
                .zip(&self.lengths)
                .map(|(&[a, b], length)| ((x[a as usize] - x[b as usize]).norm() - length).powi(2) / 2.0)
                .sum();
            springs - x.iter().map(|x| x.dot(&self.weight)).sum::<f64>()
        }

        fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
            out.fill(-self.weight);
            for (&[a, b], length) in self.edges.iter().zip(&self.lengths) {
                let edge = x[a as usize] - x[b as usize];
                let force = edge * (1.0 - length / edge.norm());
                out[a as usize] += force;
                out[b as usize] -= force;
            }
        }

        fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
            let mut blocks = Vec::new();
            for (&[a, b], length) in self.edges.iter().zip(&self.lengths) {
                let edge = x[a as usize] - x[b as usize];
                let along = edge.normalize() * edge.normalize().transpose();
                let across = (1.0 - length / edge.norm()).max(0.0);
                let block = along + (Mat3::identity() - along) * across;
                blocks.extend([block, -block, -block, block]);
            }
            out.assemble(&blocks).expect("as many blocks as edges");
        }
    }

    fn held_bottom(nodes: &[Vec3]) -> Constraints {
        Constraints::fixed(nodes.len(), (0..nodes.len()).filter(|&node| nodes[node].z == 0.0))
    }

    #[test]
    fn both_linear_solvers_find_the_same_equilibrium_from_a_bad_start() {
        let (mut springs, nodes, pattern) = Springs::of_box(3);
        let constraints = held_bottom(&nodes);
        let mut matrix = BlockMatrix::zeros(pattern);
        let settings = NewtonSettings { residual: 1e-11, step: 0.0, max_iterations: 500 };
        let mut random = craze_math::Random::new(5);
        let mut start = nodes.clone();
        for x in start.iter_mut().filter(|x| x.z > 0.0) {
            *x += random.vector() * 0.1;
        }
        let mut results = Vec::new();
        for solver in [LinearSolver::cholesky(), LinearSolver::conjugate_gradients(PcgSettings::default())] {
            let mut x = start.clone();
            let report =
                Newton::new(settings, solver).solve(&mut springs, &constraints, &mut matrix, &mut x).expect("settles");
            assert!(report.residual <= 1e-11 && report.convergence == Convergence::Residual, "{report:?}");
            for node in (0..x.len()).filter(|&node| nodes[node].z == 0.0) {
                assert_eq!(x[node], start[node], "held nodes stay");
            }
            results.push(x);
        }
        let apart = results[0].iter().zip(&results[1]).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(apart < 1e-8, "{apart:e}");
    }

    /// Σ |u|⁴/4 + |u|²/2 + coupling to the next node − load·u: convex, smooth, nonlinear.
    struct Quartic {
        load: Vec3,
        residuals: Vec<f64>,
    }

    impl Objective for Quartic {
        fn energy(&mut self, x: &[Vec3]) -> f64 {
            let own: f64 =
                x.iter().map(|x| x.norm_squared().powi(2) / 4.0 + x.norm_squared() / 2.0 - x.dot(&self.load)).sum();
            own + x.windows(2).map(|pair| (pair[1] - pair[0]).norm_squared() / 2.0).sum::<f64>()
        }
        fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
            for (out, x) in out.iter_mut().zip(x) {
                *out = x * (x.norm_squared() + 1.0) - self.load;
            }
            for i in 1..x.len() {
                out[i] += x[i] - x[i - 1];
                out[i - 1] -= x[i] - x[i - 1];
            }
            self.residuals.push(max_abs(out));
        }
        fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
            let one = Mat3::identity();
            out.assemble(&[one, -one, -one, one].repeat(x.len() - 1)).expect("one link between neighbours");
            for (node, x) in x.iter().enumerate() {
                *out.diagonal_mut(node) += one * (x.norm_squared() + 1.0) + x * x.transpose() * 2.0;
            }
        }
    }

    fn chain(nodes: usize) -> BlockMatrix {
        let links: Vec<[u32; 2]> = (1..nodes as u32).map(|i| [i - 1, i]).collect();
        BlockMatrix::zeros(Arc::new(Pattern::from_elements(nodes, &links).expect("valid")))
    }

    #[test]
    fn convergence_is_quadratic() {
        let mut objective = Quartic { load: Vec3::new(3.0, -1.0, 0.5), residuals: Vec::new() };
        let mut random = craze_math::Random::new(6);
        let mut x: Vec<Vec3> = (0..20).map(|_| random.vector() * 100.0).collect();
        let settings = NewtonSettings { residual: 1e-11, step: 0.0, max_iterations: 60 };
        let report = Newton::new(settings, LinearSolver::cholesky())
            .solve(&mut objective, &Constraints::none(20), &mut chain(20), &mut x)
            .expect("convex");
        assert!(report.iterations < 25, "{report:?}");
        let tail: Vec<f64> = objective.residuals.iter().copied().filter(|r| (1e-12..1e-1).contains(r)).collect();
        assert!(tail.len() >= 2, "{:?}", objective.residuals);
        for pair in tail.windows(2) {
            assert!(pair[1] <= 10.0 * pair[0] * pair[0] + 1e-13, "{:?}", objective.residuals);
        }
    }

    /// x − ln x per coordinate: admissible if positive, with its minimum at one.
    struct Barrier(StepFilter);

    #[derive(PartialEq)]
    enum StepFilter {
        Exact,
        None,
        Stuck,
    }

    impl Objective for Barrier {
        fn energy(&mut self, x: &[Vec3]) -> f64 {
            x.iter().flatten().map(|x| if *x > 0.0 { x - x.ln() } else { f64::INFINITY }).sum()
        }
        fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
            for (out, x) in out.iter_mut().zip(x) {
                *out = x.map(|x| 1.0 - 1.0 / x);
            }
        }
        fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
            for (node, x) in x.iter().enumerate() {
                *out.diagonal_mut(node) = Mat3::from_diagonal(&x.map(|x| 1.0 / (x * x)));
            }
        }
        fn max_step(&mut self, x: &[Vec3], direction: &[Vec3]) -> f64 {
            match self.0 {
                StepFilter::None => 1.0,
                StepFilter::Stuck => 0.0,
                StepFilter::Exact => {
                    let pairs = x.iter().flatten().zip(direction.iter().flatten());
                    pairs.map(|(x, d)| if *d < 0.0 { -0.9 * x / d } else { 1.0 }).fold(1.0, f64::min)
                }
            }
        }
    }

    #[test]
    fn inadmissible_steps_are_cut_back_with_and_without_a_filter() {
        let matrix = BlockMatrix::zeros(Arc::new(Pattern::from_elements::<1>(3, &[]).expect("valid")));
        for filter in [StepFilter::Exact, StepFilter::None] {
            let mut x = vec![Vec3::new(1e-3, 5.0, 40.0), Vec3::repeat(1.9), Vec3::repeat(300.0)];
            let report = Newton::new(NewtonSettings::default(), LinearSolver::cholesky())
                .solve(&mut Barrier(filter), &Constraints::none(3), &mut matrix.clone(), &mut x)
                .expect("convex");
            assert!(report.residual <= 1e-6);
            assert!(x.iter().all(|x| (x - Vec3::repeat(1.0)).amax() < 1e-5), "{x:?}");
        }
        let mut x = vec![Vec3::repeat(2.5); 3];
        let result = Newton::new(NewtonSettings::default(), LinearSolver::cholesky()).solve(
            &mut Barrier(StepFilter::Stuck),
            &Constraints::none(3),
            &mut matrix.clone(),
            &mut x,
        );
        assert!(matches!(result, Err(SolveError::LineSearch { iteration: 1, .. })), "{result:?}");
        assert_eq!(x, vec![Vec3::repeat(2.5); 3]);
    }

    #[test]
    fn an_inadmissible_start_is_refused() {
        let mut matrix = BlockMatrix::zeros(Arc::new(Pattern::from_elements::<1>(1, &[]).expect("valid")));
        let mut newton = Newton::new(NewtonSettings::default(), LinearSolver::cholesky());
        for start in [-1.0, f64::NAN] {
            let mut x = vec![Vec3::repeat(start)];
            let result = newton.solve(&mut Barrier(StepFilter::None), &Constraints::none(1), &mut matrix, &mut x);
            assert!(matches!(result, Err(SolveError::NotFinite { iteration: 0, .. })), "{result:?}");
        }
        let mut short = vec![];
        let result = newton.solve(&mut Barrier(StepFilter::None), &Constraints::none(1), &mut matrix, &mut short);
        assert!(matches!(result, Err(SolveError::WrongLength { .. })));
    }

    /// −u⁴ along x: no minimum, and an indefinite Hessian.
    struct UnboundedBelow;

    impl Objective for UnboundedBelow {
        fn energy(&mut self, x: &[Vec3]) -> f64 {
            x.iter().map(|x| -x.norm_squared().powi(2)).sum()
        }
        fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
            for (out, x) in out.iter_mut().zip(x) {
                *out = x * (-4.0 * x.norm_squared());
            }
        }
        fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
            for (node, x) in x.iter().enumerate() {
                *out.diagonal_mut(node) = Mat3::identity() * (-4.0 * x.norm_squared());
            }
        }
    }

    #[test]
    fn an_energy_without_a_minimum_ends_in_an_error_and_never_in_nan() {
        let matrix = BlockMatrix::zeros(Arc::new(Pattern::from_elements::<1>(2, &[]).expect("valid")));
        for solver in [LinearSolver::cholesky(), LinearSolver::conjugate_gradients(PcgSettings::default())] {
            let mut x = vec![Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 1.0)];
            let result = Newton::new(NewtonSettings::default(), solver).solve(
                &mut UnboundedBelow,
                &Constraints::none(2),
                &mut matrix.clone(),
                &mut x,
            );
            assert!(result.is_err(), "{result:?}");
            assert!(x.iter().flatten().all(|x| x.is_finite()));
        }
    }
}
