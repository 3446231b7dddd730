//! Results of a test: rows of measured and expected numbers, and plots.

use crate::plot::Plot;
use crate::run::Test;
use serde::Serialize;

/// The requirement for a measured number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// A value with relative tolerance.
    Relative {
        /// The known answer.
        value: f64,
        /// Largest relative deviation (1).
        tolerance: f64,
    },
    /// A value with absolute tolerance.
    Absolute {
        /// The known answer.
        value: f64,
        /// Largest deviation, in the unit of the value.
        tolerance: f64,
    },
    /// Zero up to a limit.
    Zero {
        /// Largest absolute value.
        limit: f64,
    },
    /// A lower bound.
    AtLeast {
        /// The bound.
        bound: f64,
    },
    /// No requirement; the number is only reported.
    Reported,
}

impl Expected {
    /// Deviation of a number from the expected value: relative for [`Expected::Relative`],
    /// otherwise in the unit of the number; `None` without requirement.
    pub fn deviation(&self, measured: f64) -> Option<f64> {
        match *self {
            Expected::Relative { value, .. } => Some((measured - value) / value.abs()),
            Expected::Absolute { value, .. } => Some(measured - value),
            Expected::Zero { .. } => Some(measured),
            Expected::AtLeast { bound } => Some(measured - bound),
            Expected::Reported => None,
        }
    }

    /// True if a number meets the requirement. NaN never does.
    pub fn admits(&self, measured: f64) -> bool {
        let near = |limit: f64| self.deviation(measured).is_some_and(|deviation| deviation.abs() <= limit);
        match *self {
            Expected::Relative { tolerance, .. } | Expected::Absolute { tolerance, .. } => near(tolerance),
            Expected::Zero { limit } => near(limit),
            Expected::AtLeast { bound } => measured >= bound,
            Expected::Reported => measured.is_finite(),
        }
    }
}

/// One number of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The measured quantity.
    pub what: String,
    /// Its unit; empty if dimensionless.
    pub unit: &'static str,
    /// The measured value.
    pub measured: f64,
    /// The requirement.
    pub expected: Expected,
    /// See [`Expected::deviation`].
    pub deviation: Option<f64>,
    /// True if it meets the requirement.
    pub passed: bool,
}

/// Results of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Its numbers.
    pub rows: Vec<Row>,
    /// Plots.
    pub plots: Vec<Plot>,
}

impl Findings {
    /// Records a number with its requirement.
    pub fn compare(&mut self, what: impl Into<String>, unit: &'static str, measured: f64, expected: Expected) {
        let (deviation, passed) = (expected.deviation(measured), expected.admits(measured));
        self.rows.push(Row { what: what.into(), unit, measured, expected, deviation, passed });
    }
}

/// A completed test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The test.
    pub test: &'static Test,
    /// Its results up to its end.
    pub findings: Findings,
    /// The error that ended it, if any.
    pub error: Option<String>,
    /// Its duration (s).
    pub seconds: f64,
}

impl Outcome {
    /// True if it completed and all numbers meet their requirements. A test without numbers has not
    /// passed.
    pub fn passed(&self) -> bool {
        let rows = &self.findings.rows;
        self.error.is_none() && !rows.is_empty() && rows.iter().all(|row| row.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_passes_up_to_its_tolerance_and_not_beyond() {
        let relative = Expected::Relative { value: -200.0, tolerance: 0.02 };
        assert!(relative.admits(-196.1) && relative.admits(-203.9));
        assert!(!relative.admits(-195.9) && !relative.admits(-204.1) && !relative.admits(200.0));
        assert_eq!(relative.deviation(-202.0), Some(-0.01));
        let absolute = Expected::Absolute { value: 2.0, tolerance: 0.1 };
        assert!(absolute.admits(2.05) && !absolute.admits(1.89));
        assert!(Expected::Zero { limit: 1e-10 }.admits(-1e-10) && !Expected::Zero { limit: 1e-10 }.admits(-2e-10));
        assert!(Expected::AtLeast { bound: 1.6 }.admits(1.6) && !Expected::AtLeast { bound: 1.6 }.admits(1.59));
    }

    #[test]
    fn nan_never_passes() {
        for expected in [
            Expected::Relative { value: 1.0, tolerance: 1.0 },
            Expected::Absolute { value: 1.0, tolerance: 1.0 },
            Expected::Zero { limit: 1.0 },
            Expected::AtLeast { bound: 1.0 },
            Expected::Reported,
        ] {
            assert!(!expected.admits(f64::NAN), "{expected:?}");
        }
    }
}
