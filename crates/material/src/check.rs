//! What is wrong with a material, in words that name the number.

/// A number or name that no material can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A number outside its allowed range, or not a number.
    #[error("{field} = {value}{} is impossible: it must be {allowed}", with_space(unit))]
    OutOfRange {
        /// Key of the number, as in [`Overrides`](crate::Overrides).
        field: &'static str,
        /// The value found.
        value: f64,
        /// Its unit; empty for pure numbers.
        unit: &'static str,
        /// The allowed range in words.
        allowed: &'static str,
    },
    /// A matrix entry that is infinite or not a number.
    #[error("{field}[{row}][{column}] = {value} is not a finite number")]
    MatrixNotFinite {
        /// Key of the matrix.
        field: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A matrix that differs from its mirror image.
    #[error("{field} must be symmetric, but entry [{row}][{column}] is {value} and [{column}][{row}] is {mirrored}")]
    NotSymmetric {
        /// Key of the matrix.
        field: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value found.
        value: f64,
        /// The value at the mirrored place.
        mirrored: f64,
    },
    /// A matrix with a direction in which energy falls.
    #[error(
        "{field} must be positive definite, but once the rows before it are taken out, row {row} keeps {pivot:e} on its diagonal"
    )]
    NotPositiveDefinite {
        /// Key of the matrix.
        field: &'static str,
        /// Row, from 0 in the order xx, yy, zz, yz, zx, xy.
        row: usize,
        /// What is left of the diagonal entry.
        pivot: f64,
    },
    /// A preset that does not exist.
    #[error("there is no material \"{name}\"{}", suggestion(nearest))]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// The most similar name that exists, if one is similar.
        nearest: Option<&'static str>,
    },
    /// Two keys that say the same thing in two ways.
    #[error("{first} and {second} cannot both be given: they set the same property")]
    Conflict {
        /// One key.
        first: &'static str,
        /// The other key.
        second: &'static str,
    },
    /// A key that the method of the body does not read.
    #[error("method {method} does not use {field}{}", in_place(instead))]
    Unused {
        /// The key that was given.
        field: &'static str,
        /// The method's name in scene files.
        method: &'static str,
        /// The key that sets for this method what was probably meant.
        instead: Option<&'static str>,
    },
    /// A key that makes sense only together with another.
    #[error("{given} needs {missing} beside it: {why}")]
    Missing {
        /// The key that was given.
        given: &'static str,
        /// The key that is missing.
        missing: &'static str,
        /// The reason in words.
        why: &'static str,
    },
}

fn with_space(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn in_place(instead: &Option<&'static str>) -> String {
    instead.map_or(String::new(), |key| format!(": give {key} in its place"))
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => "; `craze materials` lists all".to_owned(),
    }
}

impl MaterialError {
    /// The key to point at in a scene file; none where the error is about the preset's name.
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
