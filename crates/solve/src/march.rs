//! Quasi-static load stepping.

use crate::error::SolveError;
use crate::newton::NewtonReport;
use crate::tuning::STEP_GROWTH;
use craze_math::Vec3;

/// Load steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarchSettings {
    /// Load factor (or time, s) of the initial equilibrium.
    pub from: f64,
    /// Load factor (or time, s) to reach.
    pub to: f64,
    /// The first step.
    pub first_step: f64,
    /// The march fails if it needs a step below this.
    pub min_step: f64,
    /// Maximum step.
    pub max_step: f64,
    /// After a solve with at most this many iterations the step grows.
    pub easy_iterations: usize,
}

impl Default for MarchSettings {
    fn default() -> Self {
        Self { from: 0.0, to: 1.0, first_step: 0.1, min_step: 1e-6, max_step: 0.1, easy_iterations: 6 }
    }
}

/// Statistics of a march.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarchReport {
    /// Steps that reached equilibrium.
    pub steps: usize,
    /// Steps that failed and were retried at half their size.
    pub halvings: usize,
    /// Newton iterations of all successful steps.
    pub iterations: usize,
}

/// Advances the state from one load factor to another.
///
/// `solve` finds equilibrium at a load factor, usually by [`Newton`](crate::newton::Newton) after
/// moving constrained nodes or scaling forces. If it fails, the state is restored and the step
/// halved; after easy solves the step grows. `observe` receives every equilibrium state, the last
/// one exactly at `settings.to`. After an error the state is the last equilibrium. `previous` is
/// workspace of the caller.
pub fn march(
    settings: &MarchSettings,
    state: &mut [Vec3],
    previous: &mut Vec<Vec3>,
    mut solve: impl FnMut(f64, &mut [Vec3]) -> Result<NewtonReport, SolveError>,
    mut observe: impl FnMut(f64, &[Vec3]),
) -> Result<MarchReport, SolveError> {
    check(settings)?;
    let direction = (settings.to - settings.from).signum();
    let mut factor = settings.from;
    let mut step = settings.first_step.min(settings.max_step);
    let mut report = MarchReport { steps: 0, halvings: 0, iterations: 0 };
    while factor != settings.to {
        let left = (settings.to - factor).abs();
        // Ends exactly at `to`, without a last step of rounding size.
        let next = if step >= left * (1.0 - 1e-9) { settings.to } else { factor + direction * step };
        previous.clear();
        previous.extend_from_slice(state);
        match solve(next, state) {
            Ok(solved) => {
                factor = next;
                report.steps += 1;
                report.iterations += solved.iterations;
                observe(factor, state);
                if solved.iterations <= settings.easy_iterations {
                    step = (step * STEP_GROWTH).min(settings.max_step);
                }
            }
            Err(error) => {
                state.copy_from_slice(previous);
                let tried = (next - factor).abs();
                step = tried / 2.0;
                report.halvings += 1;
                if step < settings.min_step {
                    return Err(SolveError::StepTooSmall { factor, step: tried, cause: error.failure() });
                }
            }
        }
    }
    Ok(report)
}

fn check(settings: &MarchSettings) -> Result<(), SolveError> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    let bad = [
        ("the start of the march", settings.from, settings.from.is_finite()),
        ("the end of the march", settings.to, settings.to.is_finite()),
        ("the first step", settings.first_step, positive(settings.first_step)),
        ("the minimum step", settings.min_step, positive(settings.min_step)),
        ("the maximum step", settings.max_step, positive(settings.max_step)),
    ]
    .into_iter()
    .find(|(_, _, valid)| !valid);
    match bad {
        Some((what, value, _)) => Err(SolveError::BadSetting { what, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockMatrix;
    use crate::constraint::Constraints;
    use crate::error::Failure;
    use crate::linear::LinearSolver;
    use crate::newton::{Newton, NewtonSettings, Objective};
    use crate::pattern::Pattern;
    use craze_math::Mat3;
    use std::sync::Arc;

    /// A spring along x with force u + hardening·u³ under a load.
    struct Spring {
        hardening: f64,
        load: f64,
    }

    impl Objective for Spring {
        fn energy(&mut self, x: &[Vec3]) -> f64 {
            let u = x[0].x;
            u * u / 2.0 + self.hardening * u.powi(4) / 4.0 - self.load * u
        }
        fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
            let u = x[0].x;
            out[0] = Vec3::new(u + self.hardening * u * u * u - self.load, 0.0, 0.0);
        }
        fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
            *out.diagonal_mut(0) = Mat3::identity() * (1.0 + 3.0 * self.hardening * x[0].x * x[0].x).max(1e-3);
        }
    }

    fn run(
        hardening: f64,
        full_load: f64,
        settings: &MarchSettings,
    ) -> (Result<MarchReport, SolveError>, Vec<(f64, f64)>) {
        let pattern = Arc::new(Pattern::from_elements::<1>(1, &[]).expect("valid"));
        let mut matrix = BlockMatrix::zeros(pattern);
        let newton_settings = NewtonSettings { residual: 1e-12, step: 0.0, max_iterations: 30 };
        let mut newton = Newton::new(newton_settings, LinearSolver::cholesky());
        let constraints = Constraints::none(1);
        let mut state = vec![Vec3::zeros()];
        let mut path = Vec::new();
        let result = march(
            settings,
            &mut state,
            &mut Vec::new(),
            |factor, x| {
                let mut spring = Spring { hardening, load: factor * full_load };
                newton.solve(&mut spring, &constraints, &mut matrix, x)
            },
            |factor, x| path.push((factor, x[0].x)),
        );
        assert_eq!(path.last().map_or(0.0, |last| last.1), state[0].x);
        (result, path)
    }

    #[test]
    fn a_hardening_spring_is_followed_to_the_full_load() {
        let (result, path) = run(2.0, 50.0, &MarchSettings::default());
        let report = result.expect("has one equilibrium for every load");
        assert_eq!(report.steps, path.len());
        assert!(report.steps >= 10);
        for &(factor, u) in &path {
            assert!((u + 2.0 * u * u * u - factor * 50.0).abs() < 1e-11, "{factor} {u}");
        }
        assert_eq!(path.last().map(|last| last.0), Some(1.0));
    }

    #[test]
    fn a_softening_spring_stops_at_its_limit_load() {
        // u − u³ has its maximum 2/(3√3) at u = 1/√3: no equilibrium beyond.
        let (result, path) = run(-1.0, 1.0, &MarchSettings::default());
        let limit = 2.0 / (3.0 * 3f64.sqrt());
        match result {
            Err(SolveError::StepTooSmall { factor, cause, .. }) => {
                assert!(factor <= limit && factor > limit - 1e-4, "{factor} against {limit}");
                assert!(matches!(cause, Failure::NotConverged | Failure::NotFinite | Failure::LineSearch), "{cause:?}");
            }
            other => panic!("passed a load that nothing carries: {other:?}"),
        }
        assert!(path.iter().all(|&(_, u)| u <= 1.0 / 3f64.sqrt() + 1e-2), "{path:?}");
    }

    #[test]
    fn steps_shrink_when_solves_fail_and_grow_when_they_are_easy() {
        let settings = MarchSettings { first_step: 0.5, max_step: 1.0, ..MarchSettings::default() };
        let mut tried = Vec::new();
        let mut state = vec![Vec3::zeros()];
        let easy = NewtonReport {
            iterations: 1,
            residual: 0.0,
            energy: 0.0,
            convergence: crate::newton::Convergence::Residual,
        };
        let mut last = 0.0;
        let report = march(
            &settings,
            &mut state,
            &mut Vec::new(),
            |factor, x| {
                tried.push(factor);
                x[0].x += 1.0;
                if factor - last > 0.2 {
                    return Err(SolveError::NotFinite { what: "the energy", iteration: 0 });
                }
                last = factor;
                Ok(easy)
            },
            |_, _| (),
        )
        .expect("passes with small steps");
        assert_eq!(&tried[..4], &[0.5, 0.25, 0.125, 0.125 + 0.1875]);
        assert_eq!(*tried.last().expect("tried"), 1.0);
        assert_eq!(report.halvings, tried.len() - report.steps);
        assert_eq!(state[0].x, report.steps as f64, "failed attempts leave no trace");
    }

    #[test]
    fn impossible_settings_are_refused_and_backward_marches_work() {
        let defaults = MarchSettings::default();
        for settings in [
            MarchSettings { first_step: 0.0, ..defaults },
            MarchSettings { min_step: f64::NAN, ..defaults },
            MarchSettings { max_step: -1.0, ..defaults },
            MarchSettings { to: f64::INFINITY, ..defaults },
        ] {
            assert!(matches!(run(1.0, 1.0, &settings).0, Err(SolveError::BadSetting { .. })), "{settings:?}");
        }
        let (result, path) = run(1.0, 1.0, &MarchSettings { to: -1.0, ..defaults });
        assert!(result.is_ok() && path.last().is_some_and(|&(factor, u)| factor == -1.0 && u < -0.6));
    }
}
