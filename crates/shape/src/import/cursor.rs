//! Reads numbers from text and binary files and reports errors with their location.

use std::path::Path;

use super::text;
use crate::error::ShapeError;

/// A parse error and its location, without the file path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParseError {
    location: Location,
    problem: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Location {
    Line(usize),
    Byte(usize),
    Part(String),
    /// The file is valid but uses an unsupported feature; this is the remedy.
    UnsupportedFeature(&'static str),
}

impl ParseError {
    /// An error at a byte offset, from 0.
    pub(crate) fn at_byte(byte: usize, problem: impl Into<String>) -> Self {
        Self { location: Location::Byte(byte), problem: problem.into() }
    }

    /// An error at the line of text that contains a byte.
    pub(crate) fn at_line(bytes: &[u8], byte: usize, problem: impl Into<String>) -> Self {
        let before = &bytes[..byte.min(bytes.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Self { location: Location::Line(line), problem: problem.into() }
    }

    /// An error in a part of the file, named as in the format.
    pub(crate) fn in_part(part: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { location: Location::Part(part.into()), problem: problem.into() }
    }

    /// An unsupported feature; `help` is the remedy.
    pub(crate) fn unsupported(what: impl Into<String>, help: &'static str) -> Self {
        Self { location: Location::UnsupportedFeature(help), problem: what.into() }
    }

    pub(crate) fn in_file(self, path: &Path) -> ShapeError {
        let (path, problem) = (path.to_owned(), self.problem);
        match self.location {
            Location::Line(line) => ShapeError::BadLine { path, line, problem },
            Location::Byte(byte) => ShapeError::BadByte { path, byte, problem },
            Location::Part(part) => ShapeError::BadPart { path, part, problem },
            Location::UnsupportedFeature(help) => ShapeError::UnsupportedFeature { path, what: problem, help },
        }
    }
}

/// Encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Words separated by white space.
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Four,
    Eight,
}

impl Width {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::Four => 4,
            Width::Eight => 8,
        }
    }
}

/// A read position in a file. The encoding may change while reading.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Start of the last item read; errors refer to it.
    last_start: usize,
    /// Encoding of the numbers that follow.
    pub(crate) encoding: Encoding,
    /// Starts a comment that extends to the end of the line.
    comment: Option<u8>,
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, last_start: 0, encoding: Encoding::Text, comment: None }
    }

    pub(crate) fn with_comments(bytes: &'b [u8], comment: u8) -> Self {
        Self { comment: Some(comment), ..Self::new(bytes) }
    }

    /// An error at the last item read.
    pub(crate) fn error(&self, problem: impl Into<String>) -> ParseError {
        match self.encoding {
            Encoding::Text => ParseError::at_line(self.bytes, self.last_start, problem),
            Encoding::Little | Encoding::Big => ParseError::at_byte(self.last_start, problem),
        }
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Moves to an offset, at most to the end.
    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next word; `None` at the end of the file.
    pub(crate) fn word(&mut self) -> Option<&'b [u8]> {
        loop {
            while self.at < self.bytes.len() && self.bytes[self.at].is_ascii_whitespace() {
                self.at += 1;
            }
            self.last_start = self.at;
            match self.bytes.get(self.at) {
                None => return None,
                byte if byte == self.comment.as_ref() => {
                    self.line();
                }
                Some(_) => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || Some(*byte) == self.comment;
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// The rest of the line, without the line feed.
    pub(crate) fn line(&mut self) -> &'b [u8] {
        self.last_start = self.at;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        &rest[..length.unwrap_or(rest.len())]
    }

    /// A cursor over the rest of this line.
    pub(crate) fn words_of_line(&mut self) -> Cursor<'b> {
        let start = self.at;
        self.line();
        Cursor { bytes: &self.bytes[..self.at], at: start, last_start: start, ..*self }
    }

    /// Moves past the next occurrence of `mark`; returns false if there is none.
    pub(crate) fn skip_past(&mut self, mark: &[u8]) -> bool {
        let Some(&first) = mark.first() else { return true };
        let mut at = self.at;
        while let Some(found) = self.bytes[at..].iter().position(|&byte| byte == first) {
            at += found;
            if self.bytes[at..].starts_with(mark) {
                self.at = at + mark.len();
                return true;
            }
            at += 1;
        }
        false
    }

    /// The next bytes of a binary file; `what` names the expected item.
    pub(crate) fn take(&mut self, count: usize, what: &str) -> Result<&'b [u8], ParseError> {
        self.last_start = self.at;
        if self.remaining() < count {
            return Err(self.error(format!("the file ends within {what}")));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ParseError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    fn required_word(&mut self, what: &str) -> Result<&'b [u8], ParseError> {
        match self.word() {
            Some(word) => Ok(word),
            None => Err(self.error(format!("the file ends where {what} is expected"))),
        }
    }

    /// An integer; `width` applies to binary numbers.
    pub(crate) fn integer(&mut self, width: Width, what: &str) -> Result<i64, ParseError> {
        let read = match (self.encoding, width) {
            (Encoding::Text, _) => {
                let word = self.required_word(what)?;
                parse_integer(word).ok_or_else(|| self.error(format!("{} is not {what}", quote(word))))?
            }
            (Encoding::Little, Width::Four) => i64::from(i32::from_le_bytes(self.array(what)?)),
            (Encoding::Big, Width::Four) => i64::from(i32::from_be_bytes(self.array(what)?)),
            (Encoding::Little, Width::Eight) => i64::from_le_bytes(self.array(what)?),
            (Encoding::Big, Width::Eight) => i64::from_be_bytes(self.array(what)?),
        };
        Ok(read)
    }

    /// A floating-point number, possibly infinite or NaN; `width` applies to binary numbers.
    pub(crate) fn float(&mut self, width: Width, what: &str) -> Result<f64, ParseError> {
        let read = match (self.encoding, width) {
            (Encoding::Text, _) => {
                let word = self.required_word(what)?;
                parse_float(word).ok_or_else(|| self.error(format!("{} is not {what}", quote(word))))?
            }
            (Encoding::Little, Width::Four) => f64::from(f32::from_le_bytes(self.array(what)?)),
            (Encoding::Big, Width::Four) => f64::from(f32::from_be_bytes(self.array(what)?)),
            (Encoding::Little, Width::Eight) => f64::from_le_bytes(self.array(what)?),
            (Encoding::Big, Width::Eight) => f64::from_be_bytes(self.array(what)?),
        };
        Ok(read)
    }

    /// The number of items that follow, checked against the remaining bytes, so that the caller may
    /// allocate it. Each item takes at least `numbers` digits and separators in text, or `bytes` in
    /// binary.
    pub(crate) fn count(
        &mut self,
        width: Width,
        what: &str,
        numbers: usize,
        bytes: usize,
    ) -> Result<usize, ParseError> {
        let count = self.integer(width, &format!("a number of {what}"))?;
        let least = if self.encoding == Encoding::Text { 2 * numbers } else { bytes };
        // The last word needs no separator.
        let room = (self.remaining() + 1) / least.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= room => Ok(count),
            Ok(_) => {
                Err(self.error(format!("{count} {what} are declared, but only {} bytes follow", self.remaining())))
            }
            Err(_) => Err(self.error(format!("{count} {what} are declared"))),
        }
    }
}

/// A quoted, shortened word for error messages.
pub(crate) fn quote(word: &[u8]) -> String {
    format!("{:?}", text::shortened(&String::from_utf8_lossy(&word[..word.len().min(200)])))
}

fn parse_integer(word: &[u8]) -> Option<i64> {
    let (digits, negative) = match word {
        [b'-', digits @ ..] => (digits, true),
        [b'+', digits @ ..] => (digits, false),
        digits => (digits, false),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

fn parse_float(word: &[u8]) -> Option<f64> {
    text::number(std::str::from_utf8(word).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(error: ParseError) -> String {
        error.in_file(Path::new("file")).to_string()
    }

    #[test]
    fn words_skip_comments_and_errors_report_the_line() {
        let mut cursor = Cursor::with_comments(b" 1 # one\n\r\n-2#two\n# nothing\n2.5 x", b'#');
        assert_eq!(cursor.integer(Width::Four, "a number"), Ok(1));
        assert_eq!(cursor.integer(Width::Four, "a number"), Ok(-2));
        assert_eq!(cursor.float(Width::Eight, "a number"), Ok(2.5));
        let wrong = cursor.float(Width::Eight, "a coordinate").expect_err("a letter");
        assert_eq!(message(wrong), "file:5: \"x\" is not a coordinate");
        let end = cursor.integer(Width::Four, "a number").expect_err("the end");
        assert_eq!(message(end), "file:5: the file ends where a number is expected");
    }

    #[test]
    fn binary_numbers_are_read_in_both_orders() {
        let mut bytes = Vec::new();
        bytes.extend((-3i32).to_le_bytes());
        bytes.extend(7i64.to_be_bytes());
        bytes.extend(0.5f64.to_le_bytes());
        bytes.extend(0.25f32.to_be_bytes());
        bytes.push(9);
        let mut cursor = Cursor::new(&bytes);
        cursor.encoding = Encoding::Little;
        assert_eq!(cursor.integer(Width::Four, "a number"), Ok(-3));
        cursor.encoding = Encoding::Big;
        assert_eq!(cursor.integer(Width::Eight, "a number"), Ok(7));
        cursor.encoding = Encoding::Little;
        assert_eq!(cursor.float(Width::Eight, "a number"), Ok(0.5));
        cursor.encoding = Encoding::Big;
        assert_eq!(cursor.float(Width::Four, "a number"), Ok(0.25));
        let end = cursor.integer(Width::Four, "a number").expect_err("the end");
        assert_eq!(message(end), "file, byte 24: the file ends within a number");
    }

    #[test]
    fn counts_are_checked_against_the_remaining_bytes() {
        let mut cursor = Cursor::new(b"3 1 2 3");
        assert_eq!(cursor.count(Width::Four, "things", 1, 4), Ok(3));
        let mut cursor = Cursor::new(b"1000000000000 1 2 3");
        let many = cursor.count(Width::Four, "things", 1, 4).expect_err("too many");
        assert_eq!(message(many), "file:1: 1000000000000 things are declared, but only 6 bytes follow");
        let mut cursor = Cursor::new(b"-1 1 2 3");
        assert!(cursor.count(Width::Four, "things", 1, 4).is_err());
    }

    #[test]
    fn invalid_integers_are_none() {
        for word in ["", "-", "+", "1.5", "0x1", "99999999999999999999", "1e3"] {
            assert_eq!(parse_integer(word.as_bytes()), None, "{word}");
        }
        assert_eq!(parse_integer(b"+12"), Some(12));
        assert!(parse_float(b"nan").is_some_and(f64::is_nan));
        assert_eq!(parse_float(b"\xff"), None);
    }
}
