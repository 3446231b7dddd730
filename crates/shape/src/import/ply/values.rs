//! The values after a PLY header.

use std::path::Path;

use super::header::NumberType;
use crate::error::ShapeError;
use crate::import::text::{number, shortened};

/// A source of numbers. An f64 represents all types exactly.
pub(super) trait Values {
    fn next(&mut self, kind: NumberType) -> Result<f64, ShapeError>;

    fn skip(&mut self, kind: NumberType, count: u64) -> Result<(), ShapeError>;

    fn remaining(&self) -> usize;

    /// An error at the last number read.
    fn bad(&self, problem: String) -> ShapeError;
}

/// Binary numbers of either byte order.
pub(super) struct BinaryValues<'f, const LITTLE: bool> {
    pub bytes: &'f [u8],
    pub offset: usize,
    pub path: &'f Path,
}

impl<const LITTLE: bool> BinaryValues<'_, LITTLE> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ShapeError> {
        let Some(&array) = self.bytes[self.offset..].first_chunk::<N>() else {
            return Err(self.unexpected_end());
        };
        self.offset += N;
        let mut array = array;
        if !LITTLE {
            array.reverse();
        }
        Ok(array)
    }

    fn unexpected_end(&self) -> ShapeError {
        let problem = "the file ends within its elements".to_owned();
        ShapeError::BadByte { path: self.path.to_owned(), byte: self.bytes.len(), problem }
    }
}

impl<const LITTLE: bool> Values for BinaryValues<'_, LITTLE> {
    fn next(&mut self, kind: NumberType) -> Result<f64, ShapeError> {
        Ok(match kind {
            NumberType::I8 => i8::from_le_bytes(self.take()?).into(),
            NumberType::U8 => u8::from_le_bytes(self.take()?).into(),
            NumberType::I16 => i16::from_le_bytes(self.take()?).into(),
            NumberType::U16 => u16::from_le_bytes(self.take()?).into(),
            NumberType::I32 => i32::from_le_bytes(self.take()?).into(),
            NumberType::U32 => u32::from_le_bytes(self.take()?).into(),
            NumberType::F32 => f32::from_le_bytes(self.take()?).into(),
            NumberType::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn skip(&mut self, kind: NumberType, count: u64) -> Result<(), ShapeError> {
        match count.checked_mul(kind.size() as u64).filter(|&length| length <= self.remaining() as u64) {
            Some(length) => self.offset += length as usize,
            None => return Err(self.unexpected_end()),
        }
        Ok(())
    }

    fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn bad(&self, problem: String) -> ShapeError {
        ShapeError::BadByte { path: self.path.to_owned(), byte: self.offset, problem }
    }
}

/// Numbers separated by white space.
pub(super) struct TextValues<'f> {
    pub bytes: &'f [u8],
    pub offset: usize,
    /// Line at the offset, from 1.
    pub line: usize,
    pub path: &'f Path,
}

impl<'f> TextValues<'f> {
    fn word(&mut self) -> Result<&'f [u8], ShapeError> {
        let rest = &self.bytes[self.offset..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
        self.line += rest[..start].iter().filter(|&&byte| byte == b'\n').count();
        let length = rest[start..].iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len() - start);
        self.offset += start + length;
        if length == 0 {
            return Err(self.bad("the file ends within its elements".into()));
        }
        Ok(&rest[start..start + length])
    }
}

impl Values for TextValues<'_> {
    fn next(&mut self, _kind: NumberType) -> Result<f64, ShapeError> {
        let word = self.word()?;
        let value = std::str::from_utf8(word).ok().and_then(number);
        value.ok_or_else(|| self.bad(format!("\"{}\" is not a number", shortened(&String::from_utf8_lossy(word)))))
    }

    fn skip(&mut self, _kind: NumberType, count: u64) -> Result<(), ShapeError> {
        (0..count).try_for_each(|_| self.word().map(|_| ()))
    }

    fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn bad(&self, problem: String) -> ShapeError {
        ShapeError::BadLine { path: self.path.to_owned(), line: self.line, problem }
    }
}
