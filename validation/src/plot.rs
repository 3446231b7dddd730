//! Data of the plots of a test.

use serde::Serialize;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic; values that are not positive are omitted.
    Logarithmic,
}

/// Style of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Solid line.
    Stroke,
    /// Dashed line, for known solutions.
    Dashes,
    /// Solid line with a dot at each point.
    Dots,
    /// Dots only.
    Points,
}

/// A labelled curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Its label.
    pub label: String,
    /// Its style.
    pub mark: Mark,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// Curves in one plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// File name without extension.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// Label of the horizontal axis, with unit.
    pub across: &'static str,
    /// Label of the vertical axis, with unit.
    pub up: &'static str,
    /// Scales of the horizontal and the vertical axis.
    pub scales: [Scale; 2],
    /// The curves.
    pub lines: Vec<Line>,
}
