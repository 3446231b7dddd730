//! ArrayReader of a VTK file: where their numbers stand, and how they are decoded.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::super::cursor::{Cursor, Encoding, ParseError, Width};
use super::base64::Decoder;
use super::xml::Tag;

/// How the bytes of arrays are compressed; words of text never are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Zlib,
    /// By a compressor of this name, which is not read.
    Other(String),
}

/// What the head of the file says of all arrays.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Byte order; never text.
    pub(super) order: Encoding,
    /// Width of the sizes that stand before an array's bytes.
    pub(super) header: Width,
    pub(super) compression: Compression,
}

/// The section in which arrays are gathered at the end of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appended {
    /// Its first byte behind the underscore.
    pub(super) start: usize,
    pub(super) is_base64: bool,
}

/// Type of an array's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    /// Whole numbers of so many bytes, with a sign.
    Signed(usize),
    /// Whole numbers of so many bytes, without one.
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

/// Where an array's numbers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// As words in the element.
    Text,
    /// As base64 in the element.
    Base64,
    /// In the appended section, so many bytes behind its start.
    Appended(usize),
}

/// An array as its tag describes it.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) number_type: NumberType,
    pub(super) components: usize,
    storage: Storage,
    /// Where its tag stands.
    at: usize,
    /// The text in its element: first byte, and last + 1.
    pub(super) text: (usize, usize),
}

impl Array {
    /// An array by its tag; the text of its element is not known yet.
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
                Err(_) => return Err(error("is appended, but says not where".into())),
            },
            other => return Err(error(format!("has the format {other:?}, which is not known"))),
        };
        let components = match &*attribute("NumberOfComponents") {
            "" => 1,
            number => number.trim().parse().map_err(|_| error(format!("has {number:?} components")))?,
        };
        Ok(Self { name, number_type, components, storage, at: tag.at, text: (tag.at, tag.at) })
    }

    /// What errors call it: that of the points needs no name.
    fn display_name(&self) -> String {
        if self.name.is_empty() { "without a name".to_owned() } else { format!("{:?}", self.name) }
    }

    /// Whether its numbers stand in its own element.
    pub(super) fn is_inline(&self) -> bool {
        !matches!(self.storage, Storage::Appended(_))
    }
}

/// Decodes the arrays of a file.
pub(super) struct ArrayReader<'b> {
    file: &'b [u8],
    layout: Layout,
    appended: Option<Appended>,
    /// Memory that arrays may still take (bytes).
    memory_left: usize,
}

/// How many times as large as its file all of its arrays may become in memory. Meshes shrink to a tenth or so; an array of one
/// number over and over shrinks a thousandfold, and many pieces can name the same appended bytes.
const MAX_EXPANSION: usize = 100;

/// What the arrays of any file may take (bytes), however small it is.
const MIN_MEMORY: usize = 1 << 20;

/// How many times smaller zlib can make bytes at the very most (deflate: 258 bytes from two bits).
const MAX_ZLIB_RATIO: usize = 1032;

impl<'b> ArrayReader<'b> {
    pub(super) fn new(file: &'b [u8], layout: Layout, appended: Option<Appended>) -> Self {
        let memory_left = file.len().saturating_mul(MAX_EXPANSION).saturating_add(MIN_MEMORY);
        Self { file, layout, appended, memory_left }
    }

    fn error(&self, array: &Array, problem: impl std::fmt::Display) -> ParseError {
        ParseError::at_line(self.file, array.at, format!("the array {} {problem}", array.display_name()))
    }

    /// The numbers of an array, so many; fractions are cut off.
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
            // Beyond 63 bits they become negative, which no node has for a number.
            NumberType::Signed(_) | NumberType::Unsigned(_) => decode_words(&bytes, is_big, i64::from_le_bytes),
            NumberType::Float32 => decode_words(&bytes, is_big, |word| f32::from_le_bytes(word) as i64),
            NumberType::Float64 => decode_words(&bytes, is_big, |word| f64::from_le_bytes(word) as i64),
        })
    }

    /// The numbers of an array, so many.
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

    /// Words in the array's element, one for each number.
    fn words<T>(
        &self,
        array: &Array,
        count: usize,
        read: impl Fn(&mut Cursor<'b>) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let (start, end) = array.text;
        // The shortest word is a digit and a space.
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
                Err(cursor.error(format!("the array {} goes on behind its {count} numbers", array.display_name())))
            }
        }
    }

    /// The decoded and decompressed bytes of so many numbers.
    fn bytes(&mut self, array: &Array, count: usize) -> Result<Vec<u8>, ParseError> {
        let (start, end) = array.text;
        let mut source = match (array.storage, self.appended) {
            (Storage::Appended(_), None) => return Err(self.error(array, "is appended, but nothing is")),
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
        // Every number becomes one of eight bytes, whatever it was.
        let Some(memory_left) = self.memory_left.checked_sub(count.saturating_mul(8)) else {
            return Err(self.error(array, format!("would decompress to {count} numbers: no mesh shrinks so far")));
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

    /// Sizes of the width that the file has for them; those beyond the memory's are as large as that.
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

    /// Unpacks the blocks of a zlib array. Their head says how many there are, how large they and the last one become (0 if
    /// it is as large as the others), and how large each is in the file.
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
                return Err(self.error(array, format!("has a block of {size} bytes that cannot become {decompressed}")));
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
            Some(block) => Err(self.error(array, format!("has a zlib block that is not sound, number {block} from 0"))),
        }
    }
}

/// Numbers of `N` bytes each, lowest first once they are turned.
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

/// Where an array's bytes come from.
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
