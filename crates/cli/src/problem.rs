//! Errors that end the program, as text or JSON.

use crate::OutputMode;
use craze_engine::{FolderError, WorldError};
use craze_export::{ExportError, UnknownFormat};
use craze_frame::{FrameFileError, WriteError};
use craze_render::RenderError;
use craze_scene::{SceneErrors, Style};
use craze_shape::ShapeError;
use craze_shape::sheet::SheetError;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Exit code after Ctrl-C, as in shells.
pub const INTERRUPTED: u8 = 130;

/// A path, quoted for a shell if necessary.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:@%,".contains(letter);
    if text.chars().all(plain) && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The scene is not valid.
    #[error("{}", .0.render(Style::Plain))]
    Scene(#[from] SceneErrors),
    /// The run folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The simulation failed.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A model cannot be read or meshed.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A sheet cannot be meshed.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A picture cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// An export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Unknown export format.
    #[error("{0}, shards or animation")]
    Format(#[from] UnknownFormat),
    /// Interrupted by Ctrl-C.
    #[error("interrupted; {0}")]
    Interrupted(
        /// How to continue.
        String,
    ),
    /// The run folder can no longer be written.
    #[error("{cause}\n  help: what was computed is kept; once there is space, continue with: {resume}")]
    Stopped {
        /// The error.
        cause: Box<FolderError>,
        /// Command to continue.
        resume: String,
    },
    /// Standard output is closed.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    /// Any other problem.
    #[error("{message}{}", if help.is_empty() { String::new() } else { format!("\n  help: {help}") })]
    Other {
        /// The problem.
        message: String,
        /// Advice.
        help: String,
    },
}

impl Problem {
    /// A problem with advice.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem::Other { message: message.into(), help: help.into() }
    }

    /// 130 after Ctrl-C, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Problem::Interrupted(_)) { INTERRUPTED } else { 1 }
    }

    /// Prints the problem to standard error.
    pub fn report(&self, mode: OutputMode) {
        // A closed pipe is not reported.
        if let Problem::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return;
        }
        let mut stderr = io::stderr().lock();
        let text = match (mode, self) {
            (OutputMode::Json, Problem::Scene(errors)) => errors.to_json().to_string(),
            (OutputMode::Json, _) => serde_json::json!({ "error": self.to_string() }).to_string(),
            (_, Problem::Scene(errors)) => {
                let style = if stderr.is_terminal() { Style::Color } else { Style::Plain };
                errors.render(style)
            }
            _ => format!("error: {self}"),
        };
        let _ = writeln!(stderr, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(quoted(Path::new("out/two-bodies")), "out/two-bodies");
        assert_eq!(quoted(Path::new("my runs/it's")), r"'my runs/it'\''s'");
    }
}
