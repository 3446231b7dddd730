//! VTK XML unstructured grids (.vtu): text, base64 or appended raw data of either byte order,
//! uncompressed or zlib.
//!
//! Layout: VTK documentation, "VTK XML Formats". Regions come from the cell array named in
//! [`REGION_NAMES`].

mod array;
mod base64;
mod xml;

use std::path::Path;

use craze_math::Vec3;

use super::cells::{CellKind, Cells};
use super::cursor::{Encoding, ParseError, Width};
use super::model::Model;
use crate::error::ShapeError;
use array::{Appended, Array, ArrayReader, Compression, Layout};
use xml::{Event, Tag, Xml};

/// Parses a .vtu file; errors refer to `path`.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    read(bytes).map_err(|error| error.in_file(path))?.into_model(path)
}

fn read(bytes: &[u8]) -> Result<Cells, ParseError> {
    let grid = Grid::read(bytes)?;
    let mut arrays = ArrayReader::new(bytes, grid.layout, grid.appended);
    let mut cells = Cells::default();
    let region = region_array_name(&grid.pieces);
    for piece in &grid.pieces {
        piece.read(&mut arrays, region.as_deref(), &mut cells)?;
    }
    if let Some(name) = region {
        cells.remarks.push(format!("regions taken from the cell array {name:?}"));
    }
    Ok(cells)
}

struct Grid {
    layout: Layout,
    pieces: Vec<Piece>,
    appended: Option<Appended>,
}

/// A part of a grid with its own points.
struct Piece {
    points: usize,
    cells: usize,
    /// The error if an array is missing.
    incomplete: ParseError,
    positions: Option<Array>,
    connectivity: Option<Array>,
    offsets: Option<Array>,
    types: Option<Array>,
    cell_data: Vec<Array>,
}

/// The section that contains an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Points,
    Cells,
    CellData,
    /// Ignored arrays.
    Others,
}

impl Grid {
    fn read(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut xml = Xml::new(bytes);
        let layout = match xml.next()? {
            Some(Event::Start(tag)) if tag.name == b"VTKFile" => read_layout(&tag, &xml)?,
            Some(_) => return Err(xml.error_at(0, "the file does not begin with <VTKFile>")),
            None => return Err(xml.error_at(0, "there is no <VTKFile>")),
        };
        let mut grid = Grid { layout, pieces: Vec::new(), appended: None };
        let mut section = Section::Others;
        // Does not look for the end tag: some writers omit it, and it cannot be found after raw
        // bytes.
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(tag) | Event::Empty(tag) if tag.name == b"Piece" => {
                    grid.pieces.push(Piece::of_tag(&tag, &xml)?);
                }
                Event::Start(tag) if tag.name == b"Points" => section = Section::Points,
                Event::Start(tag) if tag.name == b"Cells" => section = Section::Cells,
                Event::Start(tag) if tag.name == b"CellData" => section = Section::CellData,
                Event::End(b"Points" | b"Cells" | b"CellData") => section = Section::Others,
                Event::Start(tag) | Event::Empty(tag) if tag.name == b"DataArray" && section != Section::Others => {
                    let mut array = match (Array::of_tag(&tag, bytes), section) {
                        (Ok(array), _) => array,
                        // Cell data of other types is ignored.
                        (Err(_), Section::CellData) => continue,
                        (Err(error), _) => return Err(error),
                    };
                    if array.is_inline() && matches!(event, Event::Start(_)) {
                        array.text = inline_text(&mut xml, bytes)?;
                    }
                    if let Some(piece) = grid.pieces.last_mut() {
                        piece.add(array, section);
                    }
                }
                Event::Start(tag) if tag.name == b"AppendedData" => {
                    grid.appended = Some(read_appended(&tag, &xml, bytes)?);
                    break;
                }
                _ => {}
            }
        }
        if grid.pieces.is_empty() {
            return Err(xml.error_at(bytes.len(), "there is no <Piece> of a grid"));
        }
        Ok(grid)
    }
}

fn read_layout(tag: &Tag<'_>, xml: &Xml<'_>) -> Result<Layout, ParseError> {
    let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
    let kind = attribute("type");
    if kind != "UnstructuredGrid" {
        return Err(ParseError::unsupported(format!("VTK's type {kind:?}"), "save it as an UnstructuredGrid"));
    }
    let compression = match &*attribute("compressor") {
        "" => Compression::None,
        "vtkZLibDataCompressor" => Compression::Zlib,
        other => Compression::Other(other.to_owned()),
    };
    let order = match &*attribute("byte_order") {
        "LittleEndian" | "" => Encoding::Little,
        "BigEndian" => Encoding::Big,
        other => return Err(xml.error_at(tag.at, format!("the byte order {other:?} is not known"))),
    };
    let header = match &*attribute("header_type") {
        "UInt32" | "" => Width::Four,
        "UInt64" => Width::Eight,
        other => return Err(xml.error_at(tag.at, format!("the header type {other:?} is not known"))),
    };
    Ok(Layout { order, header, compression })
}

/// Byte range of the first non-blank text in an array's element; skips child elements.
fn inline_text(xml: &mut Xml<'_>, bytes: &[u8]) -> Result<(usize, usize), ParseError> {
    let mut inside = 0usize;
    loop {
        let text = xml.text();
        if inside == 0 && !bytes[text.0..text.1].trim_ascii().is_empty() {
            return Ok(text);
        }
        let before = xml.offset();
        match xml.next()? {
            Some(Event::Start(_)) => inside += 1,
            Some(Event::End(b"DataArray")) => return Ok(text),
            Some(Event::End(_)) => inside = inside.saturating_sub(1),
            Some(Event::Empty(_)) => {}
            None => return Err(xml.error_at(before, "the file ends within an array")),
        }
    }
}

fn read_appended(tag: &Tag<'_>, xml: &Xml<'_>, bytes: &[u8]) -> Result<Appended, ParseError> {
    let is_base64 = match &*tag.attribute("encoding").unwrap_or_default() {
        "base64" => true,
        "raw" => false,
        other => return Err(xml.error_at(tag.at, format!("the encoding {other:?} of appended data is not known"))),
    };
    let rest = &bytes[xml.offset()..];
    let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if rest.get(blank) != Some(&b'_') {
        return Err(xml.error_at(xml.offset() + blank, "appended data must begin with an underscore"));
    }
    Ok(Appended { start: xml.offset() + blank + 1, is_base64 })
}

impl Piece {
    fn of_tag(tag: &Tag<'_>, xml: &Xml<'_>) -> Result<Self, ParseError> {
        let count = |name: &str| {
            let value = tag.attribute(name).unwrap_or_default();
            let problem = || xml.error_at(tag.at, format!("the piece has {name} = {value:?}, which is not a number"));
            value.trim().parse().map_err(|_| problem())
        };
        Ok(Self {
            points: count("NumberOfPoints")?,
            cells: count("NumberOfCells")?,
            incomplete: xml
                .error_at(tag.at, "the piece lacks one of the arrays of points, connectivity, offsets and types"),
            positions: None,
            connectivity: None,
            offsets: None,
            types: None,
            cell_data: Vec::new(),
        })
    }

    fn add(&mut self, array: Array, section: Section) {
        match (section, array.name.to_ascii_lowercase().as_str()) {
            (Section::Points, _) => self.positions = Some(array),
            (Section::Cells, "connectivity") => self.connectivity = Some(array),
            (Section::Cells, "offsets") => self.offsets = Some(array),
            (Section::Cells, "types") => self.types = Some(array),
            (Section::CellData, _) => self.cell_data.push(array),
            _ => {}
        }
    }

    fn read(&self, arrays: &mut ArrayReader<'_>, region: Option<&str>, cells: &mut Cells) -> Result<(), ParseError> {
        if self.points == 0 && self.cells == 0 {
            return Ok(());
        }
        let (Some(positions), Some(connectivity), Some(offsets), Some(types)) =
            (&self.positions, &self.connectivity, &self.offsets, &self.types)
        else {
            return Err(self.incomplete.clone());
        };
        if positions.components != 3 {
            let problem = format!("they have {} components each, but 3 are needed", positions.components);
            return Err(ParseError::in_part("points", problem));
        }
        let first_point = cells.points.len();
        let numbers = arrays.floats(positions, self.points.saturating_mul(3))?;
        cells.points.extend(numbers.as_chunks().0.iter().map(|&[x, y, z]| Vec3::new(x, y, z)));
        if u32::try_from(cells.points.len()).is_err() {
            return Err(ParseError::in_part("points", format!("{} exceed 32-bit indices", cells.points.len())));
        }
        drop(numbers);

        let types = arrays.integers(types, self.cells)?;
        let offsets = arrays.integers(offsets, self.cells)?;
        let corners = usize::try_from(offsets.last().copied().unwrap_or(0)).unwrap_or(usize::MAX);
        let connectivity = arrays.integers(connectivity, corners)?;
        let regions = match region.and_then(|name| self.cell_data.iter().find(|array| array.name == name)) {
            Some(array) => arrays.integers(array, self.cells)?,
            None => Vec::new(),
        };

        let mut start = 0;
        let mut nodes: Vec<u32> = Vec::new();
        for (cell, (&kind, &end)) in types.iter().zip(&offsets).enumerate() {
            let error = |problem: String| ParseError::in_part(format!("cell {cell} from 0"), problem);
            let listed = usize::try_from(end).ok().and_then(|end| connectivity.get(start..end));
            let Some(listed) = listed else {
                return Err(error(format!("its nodes end at {end}, but begin at {start} of {corners}")));
            };
            start += listed.len();
            nodes.clear();
            for &point in listed {
                if !(0..self.points as i64).contains(&point) {
                    return Err(error(format!("it refers to point {point}, but the piece has {} points", self.points)));
                }
                nodes.push((first_point as i64 + point) as u32);
            }
            let kind = cell_kind(kind, nodes.len());
            let tetrahedra = cells.tetrahedra.len();
            push(cells, kind, &mut nodes);
            if region.is_some() && cells.tetrahedra.len() > tetrahedra {
                cells.regions.push(regions.get(cell).copied().unwrap_or(0));
            }
        }
        Ok(())
    }
}

/// A VTK cell type (vtkCellType.h).
#[derive(Clone, Copy)]
enum VtkCell {
    Kind(CellKind),
    /// A triangle strip.
    Strip,
    /// A rectangle with its points in row order.
    Pixel,
}

fn cell_kind(number: i64, nodes: usize) -> VtkCell {
    VtkCell::Kind(match number {
        0..=4 | 21 | 35 | 60 | 68 | 75 => CellKind::PointOrLine,
        5 | 22 | 34 | 61 | 69 | 76 => CellKind::Face(3),
        6 => return VtkCell::Strip,
        7 => CellKind::Face(nodes),
        8 => return VtkCell::Pixel,
        9 | 23 | 28 | 30 | 62 | 70 | 77 => CellKind::Face(4),
        // Quadratic polygons list all corners before the edge midpoints.
        36 => CellKind::Face(nodes / 2),
        10 | 24 | 64 | 71 | 78 => CellKind::Tetrahedron,
        11 | 12 | 25 | 29 | 33 | 67 | 72 | 79 => CellKind::Hexahedron,
        13 | 26 | 31 | 32 | 65 | 73 | 80 => CellKind::Prism,
        14 | 27 | 37 | 66 | 74 | 81 => CellKind::Pyramid,
        _ => CellKind::Other,
    })
}

fn push(cells: &mut Cells, kind: VtkCell, nodes: &mut [u32]) {
    match kind {
        VtkCell::Kind(kind) => cells.push(kind, nodes),
        VtkCell::Pixel => {
            if nodes.len() == 4 {
                nodes.swap(2, 3);
            }
            cells.push(CellKind::Face(4), nodes);
        }
        VtkCell::Strip => {
            for (index, triangle) in nodes.windows(3).enumerate() {
                let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
                cells.push(CellKind::Face(3), &if index % 2 == 0 { [a, b, c] } else { [b, a, c] });
            }
        }
    }
}

/// Common names of region arrays without case and punctuation, in order of preference.
const REGION_NAMES: [&str; 16] = [
    "gmshphysical",
    "meditref",
    "tetgenref",
    "materialid",
    "materialids",
    "material",
    "materials",
    "regionid",
    "regionids",
    "region",
    "regions",
    "physicalids",
    "cellentityids",
    "attribute",
    "attributes",
    "gmshgeometrical",
];

/// The name of the cell array of regions, if a piece has one.
fn region_array_name(pieces: &[Piece]) -> Option<String> {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let arrays = || pieces.iter().flat_map(|piece| &piece.cell_data).filter(|array| array.components == 1);
    REGION_NAMES
        .iter()
        .find_map(|wanted| arrays().find(|array| plain(&array.name) == *wanted))
        .map(|array| array.name.clone())
}
