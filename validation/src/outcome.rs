//! What a test found: rows of measured and expected numbers, and curves to look at.

use crate::plot::Plot;
use crate::run::Test;
use serde::Serialize;

/// What a measured number must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// This value, up to a share of it.
    Relative {
        /// The known answer.
        value: f64,
        /// Largest deviation as a share of it (1).
        tolerance: f64,
    },
    /// This value, up to a difference.
    Absolute {
        /// The known answer.
        value: f64,
        /// Largest difference, in the unit of the value.
        tolerance: f64,
    },
    /// Nothing, up to a limit.
    Zero {
        /// Largest magnitude.
        limit: f64,
    },
    /// At least this.
    AtLeast {
        /// The bound.
        bound: f64,
    },
    /// Nothing is demanded: the number is told because somebody will want to know it.
    Told,
}

impl Expected {
    /// How far a number is from what is expected: a share for [`Expected::Relative`], otherwise in the number's own unit; none where
    /// nothing is demanded.
    pub fn deviation(&self, measured: f64) -> Option<f64> {
        match *self {
            Expected::Relative { value, .. } => Some((measured - value) / value.abs()),
            Expected::Absolute { value, .. } => Some(measured - value),
            Expected::Zero { .. } => Some(measured),
            Expected::AtLeast { bound } => Some(measured - bound),
            Expected::Told => None,
        }
    }

    /// Whether a number is what it must be. What is not a number never is.
    pub fn admits(&self, measured: f64) -> bool {
        let near = |limit: f64| self.deviation(measured).is_some_and(|deviation| deviation.abs() <= limit);
        match *self {
            Expected::Relative { tolerance, .. } | Expected::Absolute { tolerance, .. } => near(tolerance),
            Expected::Zero { limit } => near(limit),
            Expected::AtLeast { bound } => measured >= bound,
            Expected::Told => measured.is_finite(),
        }
    }
}

/// One number of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// The number that came out.
    pub measured: f64,
    /// What it must be.
    pub expected: Expected,
    /// See [`Expected::deviation`].
    pub deviation: Option<f64>,
    /// Whether it is what it must be.
    pub passed: bool,
}

/// What a test found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Its numbers.
    pub rows: Vec<Row>,
    /// Curves to look at.
    pub plots: Vec<Plot>,
}

impl Findings {
    /// Compares a number with what it must be.
    pub fn compare(&mut self, what: impl Into<String>, unit: &'static str, measured: f64, expected: Expected) {
        let (deviation, passed) = (expected.deviation(measured), expected.admits(measured));
        self.rows.push(Row { what: what.into(), unit, measured, expected, deviation, passed });
    }
}

/// A test that was run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which.
    pub test: &'static Test,
    /// What it found before it ended.
    pub findings: Findings,
    /// Why it ended early, if it did.
    pub error: Option<String>,
    /// How long it took (s).
    pub seconds: f64,
}

impl Outcome {
    /// Whether it came to its end and every number is what it must be. A test without numbers has shown nothing.
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
    fn what_is_not_a_number_never_passes() {
        for expected in [
            Expected::Relative { value: 1.0, tolerance: 1.0 },
            Expected::Absolute { value: 1.0, tolerance: 1.0 },
            Expected::Zero { limit: 1.0 },
            Expected::AtLeast { bound: 1.0 },
            Expected::Told,
        ] {
            assert!(!expected.admits(f64::NAN), "{expected:?}");
        }
    }
}
