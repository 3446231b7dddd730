//! Errors that end the program, as text or JSON.

use crate::OutputMode;
use craze_engine::{FolderError, WorldError};
use craze_export::ExportError;
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
    #[error("{}", .0.render(Style::Plain))]
    Scene(#[from] SceneErrors),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Sheet(#[from] SheetError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("interrupted; {0}")]
    Interrupted(
        /// How to continue.
        String,
    ),
    /// The run folder can no longer be written.
    #[error("{cause}\n  help: what was computed is kept; once there is space, continue with: {resume}")]
    Stopped {
        cause: Box<FolderError>,
        /// Command to continue.
        resume: String,
    },
    /// Standard output is closed.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    #[error("{message}{}", if help.is_empty() { String::new() } else { format!("\n  help: {help}") })]
    Other { message: String, help: String },
}

impl Problem {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem::Other { message: message.into(), help: help.into() }
    }

    /// 130 after Ctrl-C, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Problem::Interrupted(_)) { INTERRUPTED } else { 1 }
    }

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
