//! Minimal XML reader: elements, attributes and text, without declarations.
//!
//! Our own, since files with raw appended data are not valid XML; this reader stops before them.

use std::borrow::Cow;

use super::super::cursor::{ParseError, quote};

/// A read position between tags.
#[derive(Clone, Debug)]
pub(super) struct Xml<'b> {
    bytes: &'b [u8],
    at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'b> {
    pub(super) name: &'b [u8],
    /// The text after its name.
    attributes: &'b [u8],
    /// Offset of the tag.
    pub(super) at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'b> {
    Start(Tag<'b>),
    Empty(Tag<'b>),
    End(&'b [u8]),
}

impl<'b> Xml<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// An error at a byte.
    pub(super) fn error_at(&self, at: usize, problem: impl Into<String>) -> ParseError {
        ParseError::at_line(self.bytes, at, problem)
    }

    /// Byte range of the text up to the next tag.
    pub(super) fn text(&self) -> (usize, usize) {
        let length = self.bytes[self.at..].iter().position(|&byte| byte == b'<');
        (self.at, length.map_or(self.bytes.len(), |length| self.at + length))
    }

    /// The next tag; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Event<'b>>, ParseError> {
        loop {
            let (_, start) = self.text();
            self.at = start;
            let rest = &self.bytes[start..];
            if rest.is_empty() {
                return Ok(None);
            }
            if rest.starts_with(b"<!--") {
                self.skip_past(start, b"-->")?;
            } else if rest.starts_with(b"<?") {
                self.skip_past(start, b"?>")?;
            } else if rest.starts_with(b"<!") {
                return Err(self.error_at(start, "declarations and character data have no index in a VTK file"));
            } else {
                return self.tag(start).map(Some);
            }
        }
    }

    fn skip_past(&mut self, start: usize, end: &[u8]) -> Result<(), ParseError> {
        let rest = &self.bytes[start..];
        match rest.windows(end.len()).position(|window| window == end) {
            Some(found) => self.at = start + found + end.len(),
            None => return Err(self.error_at(start, "the file ends within a comment")),
        }
        Ok(())
    }

    fn tag(&mut self, start: usize) -> Result<Event<'b>, ParseError> {
        let mut quoted = None;
        let inside = &self.bytes[start + 1..];
        let ends = |&byte: &u8| {
            match (quoted, byte) {
                (Some(quote), _) if quote == byte => quoted = None,
                (None, b'"' | b'\'') => quoted = Some(byte),
                (None, b'>') => return true,
                _ => {}
            }
            false
        };
        let Some(length) = inside.iter().position(ends) else {
            return Err(self.error_at(start, "the file ends within a tag"));
        };
        self.at = start + 1 + length + 1;
        let inside = &inside[..length];
        if let Some(name) = inside.strip_prefix(b"/") {
            return Ok(Event::End(name.trim_ascii()));
        }
        let (inside, is_empty) = inside.strip_suffix(b"/").map_or((inside, false), |inside| (inside, true));
        let name_length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_length);
        if name.is_empty() || !name[0].is_ascii_alphabetic() {
            return Err(self.error_at(start, format!("{} is not a tag", quote(inside))));
        }
        let tag = Tag { name, attributes, at: start };
        Ok(if is_empty { Event::Empty(tag) } else { Event::Start(tag) })
    }
}

impl<'b> Tag<'b> {
    /// The value of an attribute; stops at the first malformed one.
    pub(super) fn attribute(&self, wanted: &str) -> Option<Cow<'b, str>> {
        let mut rest = self.attributes.trim_ascii();
        while !rest.is_empty() {
            let equals = rest.iter().position(|&byte| byte == b'=')?;
            let name = rest[..equals].trim_ascii();
            let value = rest[equals + 1..].trim_ascii_start();
            let (&quote, value) = value.split_first()?;
            if quote != b'"' && quote != b'\'' {
                return None;
            }
            let length = value.iter().position(|&byte| byte == quote)?;
            if name == wanted.as_bytes() {
                return Some(unescaped(&value[..length]));
            }
            rest = value[length + 1..].trim_ascii_start();
        }
        None
    }
}

/// Replaces the five predefined entities.
fn unescaped(text: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(text);
    if !text.contains('&') {
        return text;
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Cow::Owned(entities.iter().fold(text.into_owned(), |text, (entity, plain)| text.replace(entity, plain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_text_are_found() {
        let file = b"<?xml version='1.0'?><!-- <no> -->\n<A x=\"1 > 0\" y = 'a&amp;&lt;'>text<B/></A >";
        let mut xml = Xml::new(file);
        let Ok(Some(Event::Start(a))) = xml.next() else { panic!("a start") };
        assert_eq!(a.name, b"A");
        assert_eq!(a.attribute("x").as_deref(), Some("1 > 0"));
        assert_eq!(a.attribute("y").as_deref(), Some("a&<"));
        assert_eq!(a.attribute("z"), None);
        let (start, end) = xml.text();
        assert_eq!(&file[start..end], b"text");
        assert!(matches!(xml.next(), Ok(Some(Event::Empty(tag))) if tag.name == b"B"));
        assert!(matches!(xml.next(), Ok(Some(Event::End(b"A")))));
        assert!(matches!(xml.next(), Ok(None)));
    }

    #[test]
    fn truncated_and_invalid_tags_are_rejected() {
        for file in ["<", "<A", "<A x='>", "<!-- x", "<?xml", "<!DOCTYPE x>", "<1>", "<>", "< A>", "<![CDATA[x]]>"] {
            Xml::new(file.as_bytes()).next().expect_err(file);
        }
    }
}
