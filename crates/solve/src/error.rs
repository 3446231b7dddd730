//! What can go wrong in a solve.

use thiserror::Error;

/// Why a system could not be built or solved.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SolveError {
    /// An element names a node that does not exist.
    #[error("element {element} names node {node}, but there are only {count} nodes")]
    NodeOutOfRange {
        /// Index of the element in its group.
        element: usize,
        /// The node it names.
        node: usize,
        /// How many nodes there are.
        count: usize,
    },
    /// An array has the wrong length.
    #[error("{what} has {found} entries where {expected} are needed")]
    WrongLength {
        /// Which array.
        what: &'static str,
        /// The length that is needed.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The matrix belongs to another pattern than the one analysed.
    #[error("the matrix has another pattern than the one that was analysed")]
    WrongPattern,
    /// A solution is asked for before a matrix was factorised.
    #[error("there is no factor to solve with: factorise a matrix first")]
    NotFactorised,
    /// The matrix is singular or indefinite, as seen at one node.
    #[error("the matrix is not positive definite at node {node} (pivot {pivot:e})")]
    NotPositiveDefinite {
        /// The node at which it shows.
        node: usize,
        /// The pivot that should have been positive.
        pivot: f64,
    },
    /// Conjugate gradients met a direction of negative or no curvature.
    #[error("the matrix is not positive definite: curvature {curvature:e} in iteration {iteration}")]
    NegativeCurvature {
        /// In which iteration.
        iteration: usize,
        /// Direction · matrix · direction.
        curvature: f64,
    },
    /// A number is infinite or NaN.
    #[error("{what} is not finite in iteration {iteration}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// In which iteration; 0 is the input.
        iteration: usize,
    },
    /// The iterations ran out.
    #[error("no convergence in {iterations} iterations: residual {residual:e}, needed {needed:e}")]
    NotConverged {
        /// How many were allowed.
        iterations: usize,
        /// The residual reached.
        residual: f64,
        /// The residual needed.
        needed: f64,
    },
    /// No step along the search direction lowers the energy.
    #[error("no step lowers the energy in iteration {iteration}: residual {residual:e}, slope {slope:e}")]
    LineSearch {
        /// In which iteration.
        iteration: usize,
        /// The largest entry of the gradient (N).
        residual: f64,
        /// The slope of the energy along the direction (J).
        slope: f64,
    },
    /// Marching could not pass a load however small its step.
    #[error(
        "equilibrium lost at load factor {factor}: the step fell to {step:e}, below the smallest allowed ({cause})"
    )]
    StepTooSmall {
        /// The last load factor in equilibrium.
        factor: f64,
        /// The step that failed.
        step: f64,
        /// Why the last attempt failed.
        cause: Failure,
    },
    /// Settings that cannot work.
    #[error("{what} is {value}, which cannot work")]
    BadSetting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

/// Why one attempt at equilibrium failed, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// Iterations ran out.
    #[error("no convergence")]
    NotConverged,
    /// Numbers went out of range.
    #[error("not finite")]
    NotFinite,
    /// The matrix is singular or indefinite.
    #[error("not positive definite")]
    NotPositiveDefinite,
    /// No step lowers the energy.
    #[error("line search")]
    LineSearch,
    /// Sizes, patterns or settings do not fit together.
    #[error("inconsistent input")]
    Inconsistent,
}

impl SolveError {
    /// The kind of failure.
    pub fn failure(&self) -> Failure {
        match self {
            Self::NotConverged { .. } => Failure::NotConverged,
            Self::NotFinite { .. } => Failure::NotFinite,
            Self::NotPositiveDefinite { .. } | Self::NegativeCurvature { .. } => Failure::NotPositiveDefinite,
            Self::LineSearch { .. } => Failure::LineSearch,
            Self::StepTooSmall { cause, .. } => *cause,
            Self::NodeOutOfRange { .. }
            | Self::WrongLength { .. }
            | Self::WrongPattern
            | Self::NotFactorised
            | Self::BadSetting { .. } => Failure::Inconsistent,
        }
    }
}

/// An error unless the array has the length needed.
pub(crate) fn expect_length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    if found == expected { Ok(()) } else { Err(SolveError::WrongLength { what, expected, found }) }
}
