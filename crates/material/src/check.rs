//! Errors of material parameters.

/// An invalid material parameter or name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum MaterialError {
    /// A number outside its allowed range, or not finite.
    #[error("{field} = {value}{} is out of range: it must be {allowed}", with_space(unit))]
    OutOfRange {
        /// Key of the number, as in [`Overrides`](crate::Overrides).
        field: &'static str,
        value: f64,
        /// Its unit; empty if dimensionless.
        unit: &'static str,
        allowed: &'static str,
    },
    #[error("{field}[{row}][{column}] = {value} is not a finite number")]
    MatrixNotFinite { field: &'static str, row: usize, column: usize, value: f64 },
    #[error("{field} must be symmetric, but entry [{row}][{column}] is {value} and [{column}][{row}] is {transposed}")]
    NotSymmetric { field: &'static str, row: usize, column: usize, value: f64, transposed: f64 },
    /// A matrix that is not positive definite.
    #[error("{field} must be positive definite, but the pivot of row {row} is {pivot:e}")]
    NotPositiveDefinite {
        field: &'static str,
        /// Row, from 0 in the order xx, yy, zz, yz, zx, xy.
        row: usize,
        /// The pivot of the Cholesky factorisation.
        pivot: f64,
    },
    /// An unknown preset.
    #[error("there is no material \"{name}\"{}", suggestion(nearest))]
    UnknownPreset {
        name: String,
        /// The most similar name, if any is similar.
        nearest: Option<&'static str>,
    },
    #[error("{first} and {second} cannot both be given: they set the same property")]
    Conflict { first: &'static str, second: &'static str },
    /// A key that the method of the body does not read.
    #[error("method {method} does not use {field}{}", suggested_key(instead))]
    Unused {
        field: &'static str,
        /// The method's name in scene files.
        method: &'static str,
        /// The method's own key for the same purpose.
        instead: Option<&'static str>,
    },
    /// A key that requires another one.
    #[error("{given} requires {missing}: {why}")]
    Missing { given: &'static str, missing: &'static str, why: &'static str },
}

fn with_space(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn suggested_key(instead: &Option<&'static str>) -> String {
    instead.map_or(String::new(), |key| format!(": use {key} instead"))
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => "; `craze materials` lists all names".to_owned(),
    }
}

impl MaterialError {
    /// The key to point at in a scene file.
    pub fn field(&self) -> &'static str {
        match self {
            Self::OutOfRange { field, .. }
            | Self::MatrixNotFinite { field, .. }
            | Self::NotSymmetric { field, .. }
            | Self::NotPositiveDefinite { field, .. } => field,
            Self::Unused { field, .. } => field,
            Self::UnknownPreset { .. } => "preset",
            Self::Conflict { second, .. } => second,
            Self::Missing { given, .. } => given,
        }
    }
}
