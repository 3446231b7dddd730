//! An error at a key of a scene.

/// An error at a key of a body in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The key, from the body on, such as `clusters.count`; empty for the body itself.
    pub key: String,
    /// The error, in a sentence.
    pub message: String,
    /// What to write instead; may be empty.
    pub help: String,
}

impl Rejection {
    /// An error at `key`, with what to write instead.
    pub fn new(key: impl Into<String>, message: impl ToString, help: impl Into<String>) -> Rejection {
        Rejection { key: key.into(), message: message.to_string(), help: help.into() }
    }

    /// The same error at a key inside of the table `table`.
    pub fn below(self, table: &str) -> Rejection {
        let key = match (table, self.key.as_str()) {
            ("", key) => key.to_owned(),
            (table, "") => table.to_owned(),
            (table, key) => format!("{table}.{key}"),
        };
        Rejection { key, ..self }
    }
}
