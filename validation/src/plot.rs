//! Curves that a test leaves behind, before anyone has drawn them.

use serde::Serialize;

/// How an axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten; what is not positive is left out.
    Logarithmic,
}

/// How the points of a line are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Joined.
    Stroke,
    /// Joined by dashes, as a known answer is.
    Dashes,
    /// Joined, with a dot at each.
    Dots,
    /// Dots that nothing joins.
    Points,
}

/// A named curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What it shows.
    pub label: String,
    /// How.
    pub mark: Mark,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// Curves in one frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// Name of its file, without an ending.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// The horizontal axis, with its unit.
    pub across: &'static str,
    /// The vertical axis, with its unit.
    pub up: &'static str,
    /// How both axes run: across, up.
    pub scales: [Scale; 2],
    /// The curves.
    pub lines: Vec<Line>,
}
