//! Data arrays of a VTK file: storage and decoding.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::super::cursor::{Cursor, Encoding, ParseError, Width};
use super::base64::Decoder;
use super::xml::Tag;
use crate::tuning::{MAX_ARRAY_EXPANSION, MIN_ARRAY_MEMORY};

/// Compression of binary arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Zlib,
    /// An unsupported compressor.
    Other(String),
}

/// Encoding of all binary arrays, from the file header.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Byte order; never text.
    pub(super) order: Encoding,
    /// Width of the sizes before an array's bytes.
    pub(super) header: Width,
    pub(super) compression: Compression,
}

/// The appended data section at the end of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appended {
    /// First byte after the underscore.
    pub(super) start: usize,
    pub(super) is_base64: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    /// Signed integers of this many bytes.
    Signed(usize),
    /// Unsigned integers of this many bytes.
    Unsigned(usize),
    Float32,
    Float64,
}

impl NumberType {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => NumberType::Signed(1),
            "Int16" => NumberType::Signed(2),
            "Int32" => NumberType::Signed(4),
            "Int64" => NumberType::Signed(8),
            "UInt8" => NumberType::Unsigned(1),
            "UInt16" => NumberType::Unsigned(2),
            "UInt32" => NumberType::Unsigned(4),
            "UInt64" => NumberType::Unsigned(8),
            "Float32" => NumberType::Float32,
            "Float64" => NumberType::Float64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            NumberType::Signed(bytes) | NumberType::Unsigned(bytes) => bytes,
            NumberType::Float32 => 4,
            NumberType::Float64 => 8,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// Text in the element.
    Text,
    /// Base64 in the element.
    Base64,
    /// At this offset in the appended data.
    Appended(usize),
}

/// An array as declared by its tag.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) number_type: NumberType,
    pub(super) components: usize,
    storage: Storage,
    /// Offset of its tag.
    at: usize,
    /// Byte range of the text in its element.
    pub(super) text: (usize, usize),
}

impl Array {
    /// Parses a tag; the text range is set later.
    pub(super) fn of_tag(tag: &Tag<'_>, file: &[u8]) -> Result<Self, ParseError> {
        let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
        let name = attribute("Name").into_owned();
        let error = |problem: String| ParseError::at_line(file, tag.at, format!("the array {name:?} {problem}"));
        let type_name = attribute("type");
        let number_type = NumberType::of_name(&type_name)
            .ok_or_else(|| error(format!("has numbers of type {type_name:?}, which is not known")))?;
        let storage = match &*attribute("format") {
            "ascii" | "" => Storage::Text,
            "binary" => Storage::Base64,
            "appended" => match attribute("offset").trim().parse() {
                Ok(offset) => Storage::Appended(offset),
                Err(_) => return Err(error("is appended, but has no valid offset".into())),
            },
            other => return Err(error(format!("has the format {other:?}, which is not known"))),
        };
        let components = match &*attribute("NumberOfComponents") {
            "" => 1,
            number => number.trim().parse().map_err(|_| error(format!("has {number:?} components")))?,
        };
        Ok(Self { name, number_type, components, storage, at: tag.at, text: (tag.at, tag.at) })
    }

    /// Name in errors; the array of points may have none.
    fn display_name(&self) -> String {
        if self.name.is_empty() { "without a name".to_owned() } else { format!("{:?}", self.name) }
    }

    /// Returns true unless the array is in the appended data.
    pub(super) fn is_inline(&self) -> bool {
        !matches!(self.storage, Storage::Appended(_))
    }
}

/// Decodes the arrays of a file.
pub(super) struct ArrayReader<'b> {
    file: &'b [u8],
    layout: Layout,
    appended: Option<Appended>,
    /// Memory left for arrays (bytes).
    memory_left: usize,
}

/// Largest compression ratio of deflate (258 bytes from two bits).
const MAX_ZLIB_RATIO: usize = 1032;

impl<'b> ArrayReader<'b> {
    pub(super) fn new(file: &'b [u8], layout: Layout, appended: Option<Appended>) -> Self {
        let memory_left = file.len().saturating_mul(MAX_ARRAY_EXPANSION).saturating_add(MIN_ARRAY_MEMORY);
        Self { file, layout, appended, memory_left }
    }

    fn error(&self, array: &Array, problem: impl std::fmt::Display) -> ParseError {
        ParseError::at_line(self.file, array.at, format!("the array {} {problem}", array.display_name()))
    }

    /// Reads `count` integers; truncates fractions.
    pub(super) fn integers(&mut self, array: &Array, count: usize) -> Result<Vec<i64>, ParseError> {
        if array.storage == Storage::Text {
            return match array.number_type {
                NumberType::Float32 | NumberType::Float64 => {
                    Ok(self.floats(array, count)?.iter().map(|&value| value as i64).collect())
                }
                _ => self.words(array, count, |cursor| cursor.integer(Width::Eight, "a whole number")),
            };
        }
        let bytes = self.bytes(array, count)?;
        let is_big = self.layout.order == Encoding::Big;
        Ok(match array.number_type {
            NumberType::Signed(1) => bytes.iter().map(|&byte| i64::from(byte as i8)).collect(),
            NumberType::Unsigned(1) => bytes.iter().map(|&byte| i64::from(byte)).collect(),
            NumberType::Signed(2) => decode_words(&bytes, is_big, |word| i64::from(i16::from_le_bytes(word))),
            NumberType::Unsigned(2) => decode_words(&bytes, is_big, |word| i64::from(u16::from_le_bytes(word))),
            NumberType::Signed(4) => decode_words(&bytes, is_big, |word| i64::from(i32::from_le_bytes(word))),
            NumberType::Unsigned(4) => decode_words(&bytes, is_big, |word| i64::from(u32::from_le_bytes(word))),
            // Values above 63 bits become negative, which is an invalid index.
            NumberType::Signed(_) | NumberType::Unsigned(_) => decode_words(&bytes, is_big, i64::from_le_bytes),
            NumberType::Float32 => decode_words(&bytes, is_big, |word| f32::from_le_bytes(word) as i64),
            NumberType::Float64 => decode_words(&bytes, is_big, |word| f64::from_le_bytes(word) as i64),
        })
    }

    /// Reads `count` numbers.
    pub(super) fn floats(&mut self, array: &Array, count: usize) -> Result<Vec<f64>, ParseError> {
        match (array.storage, array.number_type) {
            (Storage::Text, _) => self.words(array, count, |cursor| cursor.float(Width::Eight, "a number")),
            (_, NumberType::Float32) => {
                let bytes = self.bytes(array, count)?;
                Ok(decode_words(&bytes, self.layout.order == Encoding::Big, |word| f64::from(f32::from_le_bytes(word))))
            }
            (_, NumberType::Float64) => {
                let bytes = self.bytes(array, count)?;
                Ok(decode_words(&bytes, self.layout.order == Encoding::Big, f64::from_le_bytes))
            }
            _ => Ok(self.integers(array, count)?.iter().map(|&value| value as f64).collect()),
        }
    }

    /// Reads the words of a text array.
    fn words<T>(
        &self,
        array: &Array,
        count: usize,
        read: impl Fn(&mut Cursor<'b>) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let (start, end) = array.text;
        // Each word takes at least a digit and a separator.
        if count > (end - start).div_ceil(2) {
            return Err(self.error(array, format!("should have {count} numbers, but has {} bytes", end - start)));
        }
        let mut cursor = Cursor::new(&self.file[..end]);
        cursor.seek(start);
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(read(&mut cursor)?);
        }
        match cursor.word() {
            None => Ok(numbers),
            Some(_) => {
                Err(cursor.error(format!("the array {} continues after its {count} numbers", array.display_name())))
            }
        }
    }

    /// Decodes and decompresses the bytes of `count` numbers.
    fn bytes(&mut self, array: &Array, count: usize) -> Result<Vec<u8>, ParseError> {
        let (start, end) = array.text;
        let mut source = match (array.storage, self.appended) {
            (Storage::Appended(_), None) => {
                return Err(self.error(array, "is appended, but the file has no appended data"));
            }
            (Storage::Appended(offset), Some(appended)) => {
                let start = appended.start.saturating_add(offset);
                if start > self.file.len() {
                    return Err(self.error(array, format!("begins at offset {offset}, beyond the end of the file")));
                }
                if appended.is_base64 {
                    Source::Base64(Decoder::new(self.file, start, self.file.len()))
                } else {
                    Source::Raw { file: self.file, at: start }
                }
            }
            _ => Source::Base64(Decoder::new(self.file, start, end)),
        };
        // Each number becomes an 8-byte value.
        let Some(memory_left) = self.memory_left.checked_sub(count.saturating_mul(8)) else {
            return Err(self.error(
                array,
                format!("would decompress to {count} numbers, more than the limit for a file of this size"),
            ));
        };
        self.memory_left = memory_left;
        let expected = count.saturating_mul(array.number_type.bytes());
        match &self.layout.compression {
            Compression::None => {
                let length = self.sizes(&mut source, 1)?[0];
                self.check_length(array, length, expected)?;
                source.take(expected)
            }
            Compression::Zlib => self.decompress(array, &mut source, expected),
            Compression::Other(name) => {
                Err(ParseError::unsupported(format!("the compressor {name:?}"), "save it with zlib or uncompressed"))
            }
        }
    }

    fn check_length(&self, array: &Array, length: usize, expected: usize) -> Result<(), ParseError> {
        if length == expected {
            return Ok(());
        }
        Err(self.error(array, format!("has {length} bytes, but {expected} are needed")))
    }

    /// Reads sizes of the header's width; larger ones saturate at usize.
    fn sizes(&self, source: &mut Source<'b>, count: usize) -> Result<Vec<usize>, ParseError> {
        let width = self.layout.header;
        let bytes = source.take(count.saturating_mul(width.bytes()))?;
        let is_big = self.layout.order == Encoding::Big;
        Ok(match width {
            Width::Four => decode_words(&bytes, is_big, |word| u32::from_le_bytes(word) as usize),
            Width::Eight => {
                decode_words(&bytes, is_big, |word| usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX))
            }
        })
    }

    /// Decompresses zlib blocks. Their header: number of blocks, size of a block, size of the last
    /// block (0 if full), and compressed size of each.
    fn decompress(&self, array: &Array, source: &mut Source<'b>, expected: usize) -> Result<Vec<u8>, ParseError> {
        let blocks = self.sizes(source, 1)?[0];
        if blocks == 0 {
            self.check_length(array, 0, expected)?;
            return Ok(Vec::new());
        }
        let sizes = self.sizes(source, 2)?;
        let (full, last) = (sizes[0], if sizes[1] == 0 { sizes[0] } else { sizes[1] });
        let length = (blocks - 1).saturating_mul(full).saturating_add(last);
        self.check_length(array, length, expected)?;
        if full == 0 || last > full {
            return Err(self.error(array, format!("has blocks of {full} bytes, and a last one of {last}")));
        }
        let compressed_sizes = self.sizes(source, blocks)?;
        let mut compressed = Vec::new();
        for (block, &size) in compressed_sizes.iter().enumerate() {
            let decompressed = if block + 1 == blocks { last } else { full };
            if decompressed > size.saturating_add(8).saturating_mul(MAX_ZLIB_RATIO) {
                return Err(
                    self.error(array, format!("has a block of {size} bytes that cannot decompress to {decompressed}"))
                );
            }
            compressed.push(source.take(size)?);
        }
        let mut decompressed = vec![0; length];
        let failed = decompressed
            .par_chunks_mut(full)
            .zip(&compressed)
            .map(|(decompressed, compressed)| {
                let length = decompressed.len();
                let outcome =
                    decompress_slice_iter_to_slice(decompressed, std::iter::once(&compressed[..]), true, false);
                outcome != Ok(length)
            })
            .collect::<Vec<bool>>();
        match failed.iter().position(|&failed| failed) {
            None => Ok(decompressed),
            Some(block) => Err(self.error(array, format!("has an invalid zlib block, number {block} from 0"))),
        }
    }
}

/// Converts words of `N` bytes from either byte order.
fn decode_words<T, const N: usize>(bytes: &[u8], is_big: bool, convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    let words = bytes.as_chunks::<N>().0.iter();
    if is_big {
        words
            .map(|word| {
                let mut word = *word;
                word.reverse();
                convert(word)
            })
            .collect()
    } else {
        words.map(|word| convert(*word)).collect()
    }
}

enum Source<'b> {
    Raw { file: &'b [u8], at: usize },
    Base64(Decoder<'b>),
}

impl Source<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u8>, ParseError> {
        match self {
            Source::Base64(decoder) => decoder.take(count),
            Source::Raw { file, at } => {
                let Some(taken) = file[*at..].get(..count) else {
                    return Err(ParseError::at_byte(
                        *at,
                        format!("the file ends within an array: {count} bytes should follow"),
                    ));
                };
                *at += count;
                Ok(taken.to_vec())
            }
        }
    }
}
