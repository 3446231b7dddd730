//! PLY header.

use std::path::Path;

use crate::error::ShapeError;
use crate::import::text::shortened;

/// Encoding of the values after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl NumberType {
    /// Value of full intensity of a colour channel.
    pub fn full_scale(self) -> f64 {
        match self {
            NumberType::I8 => 127.0,
            NumberType::U8 => 255.0,
            NumberType::I16 => 32_767.0,
            NumberType::U16 => 65_535.0,
            // Exporters write byte colours as int.
            NumberType::I32 | NumberType::U32 => 255.0,
            NumberType::F32 | NumberType::F64 => 1.0,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => NumberType::I8,
            "uchar" | "uint8" => NumberType::U8,
            "short" | "int16" => NumberType::I16,
            "ushort" | "uint16" => NumberType::U16,
            "int" | "int32" => NumberType::I32,
            "uint" | "uint32" => NumberType::U32,
            "float" | "float32" => NumberType::F32,
            "double" | "float64" => NumberType::F64,
            _ => return None,
        })
    }

    pub fn size(self) -> usize {
        match self {
            NumberType::I8 | NumberType::U8 => 1,
            NumberType::I16 | NumberType::U16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::F64 => 8,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, NumberType::F32 | NumberType::F64)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub name: String,
    /// Type of the value or of the list items.
    pub kind: NumberType,
    /// Type of the list length; `None` for a scalar.
    pub length: Option<NumberType>,
}

/// An element type: vertices, faces or others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// Least size of one element (bytes).
    pub fn min_bytes(&self, encoding: Encoding) -> usize {
        // A digit and a separator.
        let bytes = |property: &Property| match encoding {
            Encoding::Text => 2,
            _ => property.length.unwrap_or(property.kind).size(),
        };
        self.properties.iter().map(bytes).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Texture files named in comments.
    pub textures: Vec<String>,
    /// Offset of the first value (bytes), and number of header lines.
    pub end: usize,
    pub lines: usize,
}

/// Parses the header up to the end of its last line.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Header, ShapeError> {
    // Lines may end with a lone carriage return.
    let end_of_line = match bytes.get(3..5) {
        Some([b'\r', second]) if *second != b'\n' => b'\r',
        _ => b'\n',
    };
    let mut header = HeaderBuilder::default();
    let mut offset = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == end_of_line).enumerate() {
        offset += line.len();
        let bad = |problem: String| ShapeError::BadLine { path: path.to_owned(), line: index + 1, problem };
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if index == 0 {
            if line != "ply" {
                return Err(bad(format!("a PLY file begins with \"ply\", not with \"{}\"", shortened(line))));
            }
        } else if line == "end_header" {
            let encoding = header.encoding.ok_or_else(|| bad("the header declares no format".into()))?;
            let HeaderBuilder { elements, textures, .. } = header;
            return Ok(Header { encoding, elements, textures, end: offset, lines: index + 1 });
        } else {
            header.read(line).map_err(bad)?;
        }
    }
    let line = bytes.split(|&byte| byte == end_of_line).count();
    let problem = "the file ends before \"end_header\"".to_owned();
    Err(ShapeError::BadLine { path: path.to_owned(), line, problem })
}

#[derive(Default)]
struct HeaderBuilder {
    encoding: Option<Encoding>,
    elements: Vec<Element>,
    textures: Vec<String>,
}

impl HeaderBuilder {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let keyword = words.next();
        let mut word = |what: &str| words.next().ok_or_else(|| format!("the line has no {what}"));
        match keyword {
            Some("format") => {
                self.encoding = Some(match word("format")? {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    other => return Err(format!("unknown format \"{}\"", shortened(other))),
                });
            }
            Some("element") => {
                let name = word("name")?.to_owned();
                let count = word("count")?;
                let count = count.parse().map_err(|_| format!("\"{}\" is not a count", shortened(count)))?;
                if self.elements.iter().any(|element| element.name == name) {
                    return Err(format!("the element {} is declared twice", shortened(&name)));
                }
                self.elements.push(Element { name, count, properties: Vec::new() });
            }
            Some("property") => {
                let mut kind = || -> Result<Option<NumberType>, String> {
                    let name = word("type")?;
                    let unknown = || format!("unknown type \"{}\"", shortened(name));
                    if name == "list" { Ok(None) } else { NumberType::named(name).map(Some).ok_or_else(unknown) }
                };
                let nested = || "a list cannot hold lists".to_owned();
                let (kind, length) = match kind()? {
                    Some(kind) => (kind, None),
                    None => {
                        let length = kind()?.ok_or_else(nested)?;
                        (kind()?.ok_or_else(nested)?, Some(length))
                    }
                };
                if length.is_some_and(|length| !length.is_integer()) {
                    return Err("the length of a list must be a whole number".into());
                }
                let name = word("name")?.to_owned();
                let element = self.elements.last_mut().ok_or("a property precedes all elements")?;
                element.properties.push(Property { name, kind, length });
            }
            Some("comment") => {
                if word("text") == Ok("TextureFile") {
                    let name = line.split_once("TextureFile").map_or("", |(_, name)| name.trim());
                    self.textures.push(name.to_owned());
                }
            }
            Some("obj_info") | None => {}
            Some(other) => return Err(format!("\"{}\" is not a header keyword", shortened(other))),
        }
        Ok(())
    }
}
