//! Errors of the solvers.

use thiserror::Error;

/// Why a system could not be built or solved.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum SolveError {
    /// An element refers to a node that does not exist.
    #[error("element {element} refers to node {node}, but there are only {count} nodes")]
    NodeOutOfRange {
        /// Index of the element in its group.
        element: usize,
        node: usize,
        count: usize,
    },
    #[error("{what} has {found} entries where {expected} are needed")]
    WrongLength { what: &'static str, expected: usize, found: usize },
    #[error("the pattern of the matrix differs from the one that was analysed")]
    WrongPattern,
    #[error("no factor: factorise a matrix before solving")]
    NotFactorised,
    /// The matrix is singular or indefinite.
    #[error("the matrix is not positive definite at node {node} (pivot {pivot:e})")]
    NotPositiveDefinite { node: usize, pivot: f64 },
    /// Conjugate gradients found a direction of negative or zero curvature.
    #[error("the matrix is not positive definite: curvature {curvature:e} in iteration {iteration}")]
    NegativeCurvature {
        iteration: usize,
        /// dᵀ·A·d of the direction d.
        curvature: f64,
    },
    /// A number is infinite or NaN.
    #[error("{what} is not finite in iteration {iteration}")]
    NotFinite {
        what: &'static str,
        /// The iteration; 0 for the input.
        iteration: usize,
    },
    #[error("no convergence in {iterations} iterations: residual {residual:e}, needed {needed:e}")]
    NotConverged { iterations: usize, residual: f64, needed: f64 },
    #[error("no step lowers the energy in iteration {iteration}: residual {residual:e}, slope {slope:e}")]
    LineSearch {
        iteration: usize,
        /// Largest entry of the gradient (N).
        residual: f64,
        /// Slope of the energy along the direction (J).
        slope: f64,
    },
    /// Load stepping failed at the minimum step.
    #[error(
        "no equilibrium beyond load factor {factor}: a step of {step:e} failed ({cause}), and half of it is below the minimum"
    )]
    StepTooSmall {
        /// The last load factor in equilibrium.
        factor: f64,
        step: f64,
        cause: Failure,
    },
    /// An invalid setting.
    #[error("{what} is {value}, which is invalid")]
    BadSetting { what: &'static str, value: f64 },
}

/// Why an attempt to reach equilibrium failed, without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The iteration limit was reached.
    #[error("no convergence")]
    NotConverged,
    /// A number is infinite or NaN.
    #[error("not finite")]
    NotFinite,
    /// The matrix is singular or indefinite.
    #[error("not positive definite")]
    NotPositiveDefinite,
    /// No step lowers the energy.
    #[error("line search")]
    LineSearch,
    /// Sizes, patterns or settings are inconsistent.
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

pub(crate) fn expect_length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    if found == expected { Ok(()) } else { Err(SolveError::WrongLength { what, expected, found }) }
}
