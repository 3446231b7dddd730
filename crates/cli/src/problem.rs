//! Everything that can end the program early, told to a person or to a program.

use crate::Voice;
use craze_engine::{FolderError, WorldError};
use craze_export::{ExportError, UnknownFormat};
use craze_frame::{FrameFileError, WriteError};
use craze_render::RenderError;
use craze_scene::{SceneErrors, Style};
use craze_shape::ShapeError;
use craze_shape::sheet::SheetError;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:@%,".contains(letter);
    if text.chars().all(plain) && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The scene cannot be used.
    #[error("{}", .0.render(Style::Plain))]
    Scene(#[from] SceneErrors),
    /// The run folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The simulation cannot go on.
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
    /// A picture cannot be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// An export cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// No such format.
    #[error("{0}, shards or animation")]
    Format(#[from] UnknownFormat),
    /// Somebody pressed Ctrl-C.
    #[error("interrupted; {0}")]
    Interrupted(
        /// How to go on.
        String,
    ),
    /// A run whose folder can no longer be written.
    #[error("{cause}\n  help: what was computed is kept; once there is room, continue with: {resume}")]
    Stopped {
        /// What went wrong.
        cause: Box<FolderError>,
        /// The line to type.
        resume: String,
    },
    /// Standard output is gone, or the terminal is.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    /// Anything else that can be said in a sentence.
    #[error("{message}{}", if help.is_empty() { String::new() } else { format!("\n  help: {help}") })]
    Other {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
}

impl Problem {
    /// A problem in a sentence, and what to do about it.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem::Other { message: message.into(), help: help.into() }
    }

    /// 130 after Ctrl-C, as shells have it; otherwise 1.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Problem::Interrupted(_)) { INTERRUPTED } else { 1 }
    }

    /// Tells what is wrong on standard error.
    pub fn report(&self, voice: Voice) {
        // A reader that has left (a closed pipe) is no reason to complain.
        if let Problem::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return;
        }
        let mut stderr = io::stderr().lock();
        let text = match (voice, self) {
            (Voice::Program, Problem::Scene(errors)) => errors.to_json().to_string(),
            (Voice::Program, _) => serde_json::json!({ "error": self.to_string() }).to_string(),
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
