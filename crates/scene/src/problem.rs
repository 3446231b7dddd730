//! Errors in scenes, with remedies.

use thiserror::Error;

/// Largest scene file that is read (bytes).
pub const LARGEST_FILE: u64 = 16 << 20;

/// An error at a key of a scene.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Problem {
    /// Not TOML.
    #[error("not valid TOML: {message}")]
    Syntax {
        /// Message of the TOML reader.
        message: String,
    },
    /// An integer beyond 64 bits.
    #[error("the integer {number} is too big")]
    TooBig {
        /// The integer as written, shortened.
        number: String,
    },
    /// A key that does not exist.
    #[error("unknown key `{key}`{}", in_table(table))]
    UnknownKey {
        /// The key as written.
        key: String,
        /// Path of its table; empty at the top.
        table: String,
        /// The nearest valid name.
        suggestion: Option<String>,
        /// Keys of the table.
        allowed: Vec<String>,
    },
    /// A missing required key.
    #[error("missing key `{key}`{}", in_table(table))]
    MissingKey {
        /// The key.
        key: String,
        /// Path of its table.
        table: String,
        /// The key's meaning.
        meaning: String,
    },
    /// None of several keys where one is needed.
    #[error("`{table}` is empty: give one of {}", list(choices))]
    MissingChoice {
        /// Path of the table.
        table: String,
        /// Keys to choose from.
        choices: Vec<String>,
    },
    /// Two of several keys that exclude each other.
    #[error("`{second}` beside `{first}`{}: only one of them can be given", in_table(table))]
    TwoChoices {
        /// Path of the table.
        table: String,
        /// The key that comes first.
        first: String,
        /// The key that comes second.
        second: String,
        /// Keys that exclude each other.
        choices: Vec<String>,
    },
    /// A string where a number is meant, and the like.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// Path of the key.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: &'static str,
        /// How to write it.
        hint: Option<String>,
    },
    /// A list of the wrong length.
    #[error("`{key}` must have {expected}, not {found}")]
    WrongCount {
        /// Path of the key.
        key: String,
        /// How many it must have.
        expected: String,
        /// How many it has.
        found: usize,
    },
    /// A name that is none of those allowed.
    #[error("there is no {what} \"{name}\"")]
    UnknownName {
        /// The kind of name: method, preset, body…
        what: String,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All names that exist.
        allowed: Vec<String>,
    },
    /// A number outside its limits.
    #[error("`{key}` = {value} is impossible: it must be {allowed}")]
    OutOfRange {
        /// Path of the key.
        key: String,
        /// The number and its unit.
        value: String,
        /// The limits.
        allowed: String,
    },
    /// NaN or infinity.
    #[error("`{key}` = {value} is not a finite number")]
    NotFinite {
        /// Path of the key.
        key: String,
        /// As written: nan, inf or a number beyond 1.8e308.
        value: String,
    },
    /// A name that is used twice.
    #[error("the name \"{name}\" is taken by the {what} on line {line}")]
    DuplicateName {
        /// The name.
        name: String,
        /// Its first use.
        what: String,
        /// Line of the first.
        line: usize,
    },
    /// Nothing to simulate.
    #[error("the scene is empty: it has no body and no obstacle")]
    EmptyScene,
    /// An invalid `--set` flag.
    #[error("--set: {message}")]
    Override {
        /// What is wrong with it.
        message: String,
        /// What to write.
        help: String,
    },
    /// Keys that are valid alone but not together, or that the builder refuses.
    #[error("{message}")]
    Rejected {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// No such file.
    #[error("there is no such file")]
    NoFile,
    /// A folder instead of a file.
    #[error("this is a folder, not a scene file")]
    Folder,
    /// Bytes that are not text.
    #[error("this is not a text file: byte {byte} is not UTF-8")]
    NotText {
        /// Position of the first bad byte, from 0.
        byte: usize,
    },
    /// Too large to be meant as a scene.
    #[error("the file has {bytes} bytes; a scene has at most {LARGEST_FILE}")]
    TooLarge {
        /// Size of the file (bytes).
        bytes: u64,
    },
    /// A file that the system refuses to read.
    #[error("the file cannot be read: {message}")]
    Unreadable {
        /// Message of the operating system.
        message: String,
    },
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Problem::Syntax { .. } => None,
            Problem::TooBig { .. } => Some(format!("the largest integer is {}", i64::MAX)),
            Problem::UnknownKey { suggestion, allowed, .. } => {
                let allowed = if allowed.is_empty() {
                    "no keys are allowed here".to_owned()
                } else {
                    format!("allowed here: {}", allowed.join(", "))
                };
                Some(match suggestion {
                    Some(suggestion) => format!("did you mean `{suggestion}`? {allowed}"),
                    None => allowed,
                })
            }
            Problem::MissingKey { key, meaning, .. } => Some(format!("`{key}`: {meaning}")),
            Problem::MissingChoice { .. } => None,
            Problem::TwoChoices { choices, .. } => Some(format!("choose one of {}", list(choices))),
            Problem::WrongType { hint, .. } => hint.clone(),
            Problem::WrongCount { .. } => None,
            Problem::UnknownName { nearest, allowed, what, .. } => {
                let allowed = if allowed.is_empty() { format!("there is no {what} at all") } else { some_of(allowed) };
                Some(match nearest {
                    Some(nearest) => format!("did you mean \"{nearest}\"? {allowed}"),
                    None => allowed,
                })
            }
            Problem::OutOfRange { .. } | Problem::NotFinite { .. } => None,
            Problem::DuplicateName { .. } => Some("give each its own name".to_owned()),
            Problem::EmptyScene => Some("add a [[body]]; `craze new` writes a scene to start from".to_owned()),
            Problem::Override { help, .. } | Problem::Rejected { help, .. } => (!help.is_empty()).then(|| help.clone()),
            Problem::NoFile => Some("`craze scenes` lists the built-in scenes, `craze new` writes a file".to_owned()),
            Problem::Folder => Some("name the scene file in it".to_owned()),
            Problem::NotText { .. } => Some("a scene is a TOML text; a model goes into one as `shape.mesh`".to_owned()),
            Problem::TooLarge { .. } => Some("models belong into their own files, named by `shape.mesh`".to_owned()),
            Problem::Unreadable { .. } => None,
        }
    }
}

fn in_table(table: &str) -> String {
    if table.is_empty() { String::new() } else { format!(" in `{table}`") }
}

/// Names for a message: all of a few, the first of many.
fn some_of(names: &[String]) -> String {
    const MOST: usize = 32;
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len() {
        1 => format!("there is only {shown}"),
        count if count > MOST => format!("there are {shown} and {} more", count - MOST),
        _ => format!("there are {shown}"),
    }
}

/// Keys as a person lists them: `a`, `b` or `c`.
fn list(keys: &[String]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
