//! Newton's method with a line search: the minimum of an energy over the nodes.

use crate::block::BlockMatrix;
use crate::constraint::Constraints;
use crate::error::{SolveError, expect_length};
use crate::linear::LinearSolver;
use craze_math::Vec3;

/// Armijo's constant: the share of the slope that a step must gain (Nocedal & Wright 2006, eq. 3.4).
const GAIN: f64 = 1e-4;
/// Energies that differ by less than this share cannot be told apart for certain; the slope decides then.
const FLAT: f64 = 1e-10;
/// Halvings of the step before the line search gives up.
const MOST_HALVINGS: usize = 50;
/// The first shift of a matrix that is not positive definite, as a share of its largest diagonal entry, and its growth.
const FIRST_SHIFT: f64 = 1e-8;
const SHIFT_GROWTH: f64 = 100.0;
const MOST_SHIFTS: usize = 6;

/// An energy over the positions (or displacements) of all nodes.
///
/// Methods take `&mut self` so that an objective can keep scratch memory; they must give the same results for the same x.
pub trait Objective {
    /// The energy (J). Infinite or NaN where x is not admissible: the line search turns back there.
    fn energy(&mut self, x: &[Vec3]) -> f64;

    /// The gradient of the energy (N), into `out`.
    fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]);

    /// The Hessian of the energy (N/m), into `out`, projected to be positive semi-definite where the true one is not. What `out` holds
    /// before is of no meaning.
    fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix);

    /// The largest share of the direction that x may go without leaving what is admissible (without inverting an element, say). Steps
    /// beyond are not tried.
    fn largest_step(&mut self, x: &[Vec3], direction: &[Vec3]) -> f64 {
        let _ = (x, direction);
        1.0
    }
}

/// When Newton's method stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Largest entry of the gradient that counts as equilibrium (N).
    pub residual: f64,
    /// Largest entry of the whole Newton step that counts as no more movement (m). Zero leaves the decision to the residual.
    pub step: f64,
    /// Iterations allowed.
    pub most_iterations: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { residual: 1e-6, step: 1e-12, most_iterations: 100 }
    }
}

/// By what the end was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// The gradient is small enough.
    Residual,
    /// The next step would be too small to matter.
    Step,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonReport {
    /// Steps taken.
    pub iterations: usize,
    /// Largest entry of the gradient at the end (N).
    pub residual: f64,
    /// The energy at the end (J).
    pub energy: f64,
    /// By what the end was recognised.
    pub convergence: Convergence,
}

/// The method with its scratch memory: nothing is allocated once warm, apart from new patterns.
#[derive(Clone, Debug)]
pub struct Newton {
    /// When to stop.
    pub settings: NewtonSettings,
    solver: LinearSolver,
    gradient: Vec<Vec3>,
    direction: Vec<Vec3>,
    trial: Vec<Vec3>,
}

impl Newton {
    /// The method with these settings and this linear solver.
    pub fn new(settings: NewtonSettings, solver: LinearSolver) -> Self {
        Self { settings, solver, gradient: Vec::new(), direction: Vec::new(), trial: Vec::new() }
    }

    /// Moves x to a minimum of the energy. Held freedoms stay where x has them. `matrix` is memory for the Hessian and gives its pattern.
    ///
    /// After an error, x is the best point reached, never one with a higher energy or NaN.
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
            let residual = largest(&self.gradient);
            if !residual.is_finite() {
                return Err(SolveError::NotFinite { what: "the gradient", iteration });
            }
            let report = |convergence| NewtonReport { iterations: iteration, residual, energy, convergence };
            if residual <= self.settings.residual {
                return Ok(report(Convergence::Residual));
            }
            if iteration == self.settings.most_iterations {
                return Err(SolveError::NotConverged {
                    iterations: iteration,
                    residual,
                    needed: self.settings.residual,
                });
            }
            let slope = self.find_direction(objective, constraints, matrix, x, iteration)?;
            if largest(&self.direction) <= self.settings.step {
                return Ok(report(Convergence::Step));
            }
            iteration += 1;
            energy = self.search_line(objective, constraints, x, energy, slope).ok_or(SolveError::LineSearch {
                iteration,
                residual,
                slope,
            })?;
            x.copy_from_slice(&self.trial);
        }
    }

    /// The Newton direction; the matrix is shifted where it is not positive definite or leads uphill. Returns the slope along it.
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
            let solved = match self.solver.solve(matrix, &self.gradient, &mut self.direction) {
                // Conjugate gradients from zero lead downhill however early they end.
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
            let size = matrix.largest_diagonal();
            if attempt == MOST_SHIFTS || !size.is_finite() {
                break Err(error);
            }
            let wanted =
                if shift == 0.0 { FIRST_SHIFT * if size > 0.0 { size } else { 1.0 } } else { shift * SHIFT_GROWTH };
            matrix.add_to_diagonal(wanted - shift);
            shift = wanted;
            attempt += 1;
        };
        for entry in &mut self.gradient {
            *entry = -*entry;
        }
        outcome
    }

    /// Halves the step until the energy falls enough. Leaves the point in `trial` and returns its energy; `None` if there is no such step.
    fn search_line<O: Objective>(
        &mut self,
        objective: &mut O,
        constraints: &Constraints,
        x: &[Vec3],
        energy: f64,
        slope: f64,
    ) -> Option<f64> {
        let mut step = objective.largest_step(x, &self.direction).min(1.0);
        if step.is_nan() || step <= 0.0 {
            return None;
        }
        for _ in 0..MOST_HALVINGS {
            for ((trial, x), direction) in self.trial.iter_mut().zip(x).zip(&self.direction) {
                *trial = x + direction * step;
            }
            let reached = objective.energy(&self.trial);
            if reached.is_finite() {
                if reached <= energy + GAIN * step * slope {
                    return Some(reached);
                }
                // So near to the minimum the energy shows only rounding; the slope still knows (Hager & Zhang 2005, approximate Wolfe).
                if (reached - energy).abs() <= FLAT * energy.abs().max(reached.abs()) {
                    objective.gradient(&self.trial, &mut self.gradient);
                    constraints.project(&mut self.gradient);
                    if dot(&self.gradient, &self.direction).abs() <= 0.9 * slope.abs() {
                        return Some(reached);
                    }
                }
            }
            step /= 2.0;
        }
        None
    }
}

/// The largest magnitude of an entry; NaN if any is NaN.
fn largest(vector: &[Vec3]) -> f64 {
    vector.iter().flatten().fold(0.0, |most: f64, entry| if entry.is_nan() { f64::NAN } else { most.max(entry.abs()) })
}

/// The scalar product, summed in the order of nodes.
fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::pcg::PcgSettings;
    use crate::testing::{Numbers, box_mesh};
    use craze_math::Mat3;
    use std::sync::Arc;

    /// Springs along the edges of a mesh, under gravity; Hessians projected by dropping the compressive geometric part.
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
        let settings = NewtonSettings { residual: 1e-11, step: 0.0, most_iterations: 500 };
        let mut numbers = Numbers::new(5);
        let mut start = nodes.clone();
        for x in start.iter_mut().filter(|x| x.z > 0.0) {
            *x += numbers.vector() * 0.1;
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
            self.residuals.push(largest(out));
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
        let mut numbers = Numbers::new(6);
        let mut x: Vec<Vec3> = (0..20).map(|_| numbers.vector() * 100.0).collect();
        let settings = NewtonSettings { residual: 1e-11, step: 0.0, most_iterations: 60 };
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

    /// x − ln x for each coordinate: only positive coordinates are admissible, and the minimum is at one.
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
        fn largest_step(&mut self, x: &[Vec3], direction: &[Vec3]) -> f64 {
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
    fn a_start_outside_the_admissible_is_refused() {
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

    /// −u⁴ along x, without a minimum, and with a Hessian that is not positive definite.
    struct Bottomless;

    impl Objective for Bottomless {
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
                &mut Bottomless,
                &Constraints::none(2),
                &mut matrix.clone(),
                &mut x,
            );
            assert!(result.is_err(), "{result:?}");
            assert!(x.iter().flatten().all(|x| x.is_finite()));
        }
    }
}
