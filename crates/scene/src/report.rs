//! Errors with line and column, for people and for programs.

use crate::problem::Problem;
use crate::source::Span;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::json;
use std::fmt;

/// Most errors that are reported at once.
pub const MOST_ERRORS: usize = 10;

/// A problem and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// What is wrong.
    pub problem: Box<Problem>,
    /// Path of the key it is about, such as `hold[2].region`; empty where it is about the file.
    pub path: String,
    /// The scene file, or `--set`.
    pub file: String,
    /// Line, from 1; none where the problem has no line.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    excerpt: Option<Box<Excerpt>>,
}

/// The line with the problem, and the bytes of it to underline.
#[derive(Clone, Debug, PartialEq)]
struct Excerpt {
    line: String,
    marked: std::ops::Range<usize>,
}

/// How errors are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For files and pipes.
    Plain,
    /// For terminals.
    Color,
}

impl SceneError {
    pub(crate) fn at(span: &Span, path: impl fmt::Display, problem: Problem) -> Self {
        let (line, marked) = span.excerpt();
        Self {
            problem: Box::new(problem),
            path: path.to_string(),
            file: span.source.name.clone(),
            line: Some(span.line()),
            column: Some(span.column()),
            excerpt: Some(Box::new(Excerpt { line: line.trim_end_matches('\r').to_owned(), marked })),
        }
    }

    /// An error about a file as a whole.
    pub(crate) fn of_file(file: &str, problem: Problem) -> Self {
        Self {
            problem: Box::new(problem),
            path: String::new(),
            file: file.to_owned(),
            line: None,
            column: None,
            excerpt: None,
        }
    }

    /// The same error with a line and column, from 1, of a text that cannot be shown.
    pub(crate) fn at_line(self, line: usize, column: usize) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }

    /// What is wrong, in a sentence.
    pub fn message(&self) -> String {
        self.problem.to_string()
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        self.problem.help()
    }

    /// The error with the line it is about.
    pub fn render(&self, style: Style) -> String {
        let title = Level::ERROR.primary_title(self.message());
        let mut group: Group<'_> = match (&self.excerpt, self.line) {
            (Some(excerpt), Some(line)) => {
                let end = excerpt.marked.end.min(excerpt.line.len());
                let start = excerpt.marked.start.min(end);
                title.element(
                    Snippet::source(excerpt.line.as_str())
                        .path(self.file.as_str())
                        .line_start(line)
                        .annotation(AnnotationKind::Primary.span(start..end)),
                )
            }
            _ => {
                let mut origin = Origin::path(self.file.as_str());
                if let (Some(line), Some(column)) = (self.line, self.column) {
                    origin = origin.line(line).char_column(column);
                }
                title.element(origin)
            }
        };
        if let Some(help) = self.help() {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Color => Renderer::styled(),
        };
        renderer.render(&[group])
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, ":{line}:{column}")?;
        }
        write!(formatter, ": {}", self.problem)?;
        match self.help() {
            Some(help) => write!(formatter, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SceneError {}

/// All that is wrong with a scene; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneErrors {
    /// The first errors, at most [`MOST_ERRORS`], in the order of the text.
    pub errors: Vec<SceneError>,
    /// Number of errors left out.
    pub left_out: usize,
}

impl SceneErrors {
    /// All errors with the lines they are about.
    pub fn render(&self, style: Style) -> String {
        let mut text: Vec<String> = self.errors.iter().map(|error| error.render(style)).collect();
        if self.left_out > 0 {
            text.push(format!("and {} more", self.left_out));
        }
        text.join("\n\n")
    }

    /// `{"errors": [{file, line, column, path, message, help}], "left_out": n}` for programs.
    pub fn to_json(&self) -> serde_json::Value {
        let errors: Vec<_> = self
            .errors
            .iter()
            .map(|error| {
                json!({
                    "file": error.file,
                    "line": error.line,
                    "column": error.column,
                    "path": error.path,
                    "message": error.message(),
                    "help": error.help(),
                })
            })
            .collect();
        json!({ "errors": errors, "left_out": self.left_out })
    }
}

/// Collects errors while a scene is checked.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    errors: Vec<SceneError>,
    count: usize,
}

impl Collector {
    /// Finding line and column takes time in a long text: further errors are only counted.
    const MOST_PLACED: usize = 100;

    pub fn push(&mut self, span: &Span, path: impl fmt::Display, problem: Problem) {
        self.count += 1;
        if self.errors.len() < Self::MOST_PLACED {
            self.errors.push(SceneError::at(span, path, problem));
        }
    }

    /// The value, if nothing was wrong; otherwise the first errors in the order of the text.
    pub fn finish<T>(self, value: T) -> Result<T, SceneErrors> {
        if self.count == 0 {
            return Ok(value);
        }
        let mut errors = self.errors;
        errors.sort_by_key(|error| (error.line, error.column));
        errors.truncate(MOST_ERRORS);
        Err(SceneErrors { left_out: self.count - errors.len(), errors })
    }
}

impl From<SceneError> for SceneErrors {
    fn from(error: SceneError) -> Self {
        Self { errors: vec![error], left_out: 0 }
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.errors.iter().enumerate() {
            if position > 0 {
                writeln!(formatter)?;
            }
            write!(formatter, "{error}")?;
        }
        if self.left_out > 0 {
            write!(formatter, "\nand {} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneErrors {}
