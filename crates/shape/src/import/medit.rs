//! Medit .mesh text files and .meshb binary files of either byte order.
//!
//! Keywords and codes: libMeshb, "The Gamma Mesh Format". Regions are the references of tetrahedra.

use std::path::Path;

use craze_math::Vec3;

use super::cells::{CellKind, Cells};
use super::cursor::{Cursor, Encoding, ParseError, Width, quote};
use super::model::Model;
use crate::error::ShapeError;

/// Parses a Medit file; errors refer to `path`.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    let cells = match bytes {
        [1, 0, 0, 0, ..] => read_binary(bytes, Encoding::Little),
        [0, 0, 0, 1, ..] => read_binary(bytes, Encoding::Big),
        _ => read_text(bytes),
    };
    cells.map_err(|error| error.in_file(path))?.into_model(path)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Dimension,
    Vertices,
    /// Elements of one kind with this number of nodes.
    Elements(CellKind, usize),
    End,
}

impl Section {
    fn of_word(word: &[u8]) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_slice() {
            b"dimension" => Section::Dimension,
            b"vertices" => Section::Vertices,
            b"triangles" => Section::Elements(CellKind::Face(3), 3),
            b"trianglesp2" => Section::Elements(CellKind::Face(3), 6),
            b"quadrilaterals" => Section::Elements(CellKind::Face(4), 4),
            b"tetrahedra" => Section::Elements(CellKind::Tetrahedron, 4),
            b"tetrahedrap2" => Section::Elements(CellKind::Tetrahedron, 10),
            b"prisms" | b"pentahedra" => Section::Elements(CellKind::Prism, 6),
            b"hexahedra" => Section::Elements(CellKind::Hexahedron, 8),
            b"pyramids" => Section::Elements(CellKind::Pyramid, 5),
            b"end" => Section::End,
            _ => return None,
        })
    }

    fn of_code(code: i64) -> Option<Self> {
        Some(match code {
            3 => Section::Dimension,
            4 => Section::Vertices,
            6 => Section::Elements(CellKind::Face(3), 3),
            24 => Section::Elements(CellKind::Face(3), 6),
            7 => Section::Elements(CellKind::Face(4), 4),
            8 => Section::Elements(CellKind::Tetrahedron, 4),
            30 => Section::Elements(CellKind::Tetrahedron, 10),
            9 => Section::Elements(CellKind::Prism, 6),
            10 => Section::Elements(CellKind::Hexahedron, 8),
            49 => Section::Elements(CellKind::Pyramid, 5),
            54 => Section::End,
            _ => return None,
        })
    }
}

fn read_text(bytes: &[u8]) -> Result<Cells, ParseError> {
    let mut cursor = Cursor::with_comments(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), b'#');
    let first = cursor.word().unwrap_or_default();
    if !first.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        return Err(cursor.error(format!("expected MeshVersionFormatted, found {}", quote(first))));
    }
    cursor.integer(Width::Four, "a version")?;
    let mut reader = Reader { real_width: Width::Eight, integer_width: Width::Eight, ..Reader::default() };
    while let Some(word) = cursor.word() {
        match Section::of_word(word) {
            Some(Section::End) => break,
            Some(section) => reader.read(&mut cursor, section)?,
            // Skips the numbers of unsupported sections.
            None if word[0].is_ascii_alphabetic() || is_number(word) => {}
            None => return Err(cursor.error(format!("expected a keyword, found {}", quote(word)))),
        }
    }
    Ok(reader.cells)
}

fn is_number(word: &[u8]) -> bool {
    word[0].is_ascii_digit() || matches!(word[0], b'+' | b'-' | b'.')
}

fn read_binary(bytes: &[u8], encoding: Encoding) -> Result<Cells, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.encoding = encoding;
    cursor.take(4, "its header")?;
    let version = cursor.integer(Width::Four, "its version")?;
    // Widths of coordinates, integers and file offsets.
    let (real_width, integer_width, offset_width) = match version {
        1 => (Width::Four, Width::Four, Width::Four),
        2 => (Width::Eight, Width::Four, Width::Four),
        3 => (Width::Eight, Width::Four, Width::Eight),
        4 => (Width::Eight, Width::Eight, Width::Eight),
        other => return Err(cursor.error(format!("version {other} of .meshb files is not known"))),
    };
    let mut reader = Reader { real_width, integer_width, ..Reader::default() };
    while cursor.remaining() > 0 {
        let code = cursor.integer(Width::Four, "a keyword")?;
        let section = Section::of_code(code);
        if section == Some(Section::End) {
            break;
        }
        let next = cursor.integer(offset_width, "the offset_width of the next section")?;
        if let Some(section) = section {
            reader.read(&mut cursor, section)?;
        }
        if next == 0 {
            break;
        }
        let next = usize::try_from(next).unwrap_or(0);
        if next < cursor.offset() || next > bytes.len() {
            return Err(cursor.error(format!("section {code} gives the invalid offset {next} of the next section")));
        }
        cursor.seek(next);
    }
    Ok(reader.cells)
}

struct Reader {
    cells: Cells,
    /// Coordinates per vertex, once known.
    dimension: Option<usize>,
    real_width: Width,
    integer_width: Width,
}

impl Default for Reader {
    fn default() -> Self {
        Self { cells: Cells::default(), dimension: None, real_width: Width::Eight, integer_width: Width::Eight }
    }
}

impl Reader {
    fn read(&mut self, cursor: &mut Cursor<'_>, section: Section) -> Result<(), ParseError> {
        match section {
            Section::Dimension => {
                let dimension = cursor.integer(Width::Four, "a dimension")?;
                self.dimension = match dimension {
                    2 => Some(2),
                    3 => Some(3),
                    other => return Err(cursor.error(format!("the dimension is {other}: it must be 2 or 3"))),
                };
                Ok(())
            }
            Section::Vertices => self.read_vertices(cursor),
            Section::Elements(kind, nodes) => self.read_elements(cursor, kind, nodes),
            Section::End => Ok(()),
        }
    }

    fn read_vertices(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let Some(dimension) = self.dimension else {
            return Err(cursor.error("the vertices come before the dimension"));
        };
        let bytes = dimension * self.real_width.bytes() + self.integer_width.bytes();
        let count = cursor.count(self.integer_width, "vertices", dimension + 1, bytes)?;
        if !self.cells.points.is_empty() {
            return Err(cursor.error("the file has a second section of vertices"));
        }
        self.cells.points.reserve(count);
        for _ in 0..count {
            let mut point = Vec3::zeros();
            for value in point.iter_mut().take(dimension) {
                *value = cursor.float(self.real_width, "a coordinate")?;
            }
            self.cells.points.push(point);
            cursor.integer(self.integer_width, "the reference of a vertex")?;
        }
        Ok(())
    }

    fn read_elements(&mut self, cursor: &mut Cursor<'_>, kind: CellKind, nodes: usize) -> Result<(), ParseError> {
        let count =
            cursor.count(self.integer_width, "elements", nodes + 1, (nodes + 1) * self.integer_width.bytes())?;
        let points = self.cells.points.len();
        if points == 0 && count > 0 {
            return Err(cursor.error("the elements come before the vertices"));
        }
        let mut corners = [0u32; 10];
        for _ in 0..count {
            for corner in &mut corners[..nodes] {
                let number = cursor.integer(self.integer_width, "the number of a vertex")?;
                *corner = match usize::try_from(number) {
                    // A file has fewer vertices than bytes; counts above 32 bits are rejected
                    // later.
                    Ok(number) if (1..=points).contains(&number) => (number - 1) as u32,
                    _ => {
                        let problem =
                            format!("the element refers to vertex {number}, but vertices are numbered 1 to {points}");
                        return Err(cursor.error(problem));
                    }
                };
            }
            let reference = cursor.integer(self.integer_width, "the reference of an element")?;
            self.cells.push(kind, &corners[..nodes]);
            if kind == CellKind::Tetrahedron {
                self.cells.regions.push(reference);
            }
        }
        Ok(())
    }
}
