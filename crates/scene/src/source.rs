//! Source texts of scene keys, and spans of them.

use std::ops::Range;
use std::sync::Arc;

/// A text with a name that people recognise: a scene file, or a `--set` flag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Path of the file, or `--set`.
    pub name: String,
    /// All of the text.
    pub text: String,
}

/// A stretch of bytes in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub source: Arc<Source>,
    pub bytes: Range<usize>,
}

impl Span {
    pub fn new(source: &Arc<Source>, bytes: Range<usize>) -> Self {
        Self { source: Arc::clone(source), bytes }
    }

    /// Start of the span, moved back to a character's first byte and into the text.
    fn start(&self) -> usize {
        let text = &self.source.text;
        (0..=self.bytes.start.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.source.text[..self.start()].matches('\n').count() + 1
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.source.text[self.line_range().start..self.start()].chars().count() + 1
    }

    /// Bytes of the line that the span starts on, without its end.
    pub fn line_range(&self) -> Range<usize> {
        let text = &self.source.text;
        let start = self.start();
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        line_start..line_end
    }

    /// The line that the span starts on, and the part of the span on it as bytes of that line,
    /// never empty where the line has a character for it.
    pub fn excerpt(&self) -> (&str, Range<usize>) {
        let text = &self.source.text;
        let line = self.line_range();
        let start = self.start();
        let after_first = text[start..].chars().next().map_or(start, |first| start + first.len_utf8());
        let end = self.bytes.end.max(after_first).min(line.end).max(start);
        let end = (end..line.end).find(|&at| text.is_char_boundary(at)).unwrap_or(line.end);
        (&text[line.clone()], start - line.start..end - line.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, bytes: Range<usize>) -> Span {
        Span::new(&Arc::new(Source { name: "a.toml".into(), text: text.into() }), bytes)
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let span = span("a = 1\nµb = 2\n", 8..9);
        assert_eq!((span.line(), span.column()), (2, 2));
        assert_eq!(span.excerpt(), ("µb = 2", 2..3));
    }

    #[test]
    fn spans_past_the_end_or_inside_a_character_stay_in_the_text() {
        for (text, bytes) in [("", 0..0), ("ab", 2..2), ("ab", 5..9), ("µ", 1..1), ("a\n", 2..2), ("a\nb", 0..3)] {
            let span = span(text, bytes);
            let (line, part) = span.excerpt();
            assert!(line.get(part).is_some(), "{text:?}");
            assert!(span.line() >= 1 && span.column() >= 1);
        }
    }
}
