//! VTK's XML files of unstructured grids (.vtu): numbers as text, as base64 or appended raw, of either byte order, plain or
//! packed by zlib.
//!
//! The layout is that of "VTK XML Formats" in the VTK documentation. Regions come from the cell array whose name says so.

mod array;
mod base64;
mod xml;

use std::path::Path;

use craze_math::Vec3;

use super::cells::{CellKind, Cells};
use super::cursor::{Encoding, Fault, Width};
use super::model::Model;
use crate::error::ShapeError;
use array::{Appended, Array, Arrays, Layout, Packing};
use xml::{Event, Tag, Xml};

/// Reads the bytes of a .vtu file; `path` is what errors call it.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    read(bytes).map_err(|fault| fault.in_file(path))?.into_model(path)
}

fn read(bytes: &[u8]) -> Result<Cells, Fault> {
    let grid = Grid::read(bytes)?;
    let mut arrays = Arrays::new(bytes, grid.layout, grid.appended);
    let mut cells = Cells::default();
    let region = chosen_region(&grid.pieces);
    for piece in &grid.pieces {
        piece.read(&mut arrays, region.as_deref(), &mut cells)?;
    }
    if let Some(name) = region {
        cells.remarks.push(format!("regions taken from the cell array {name:?}"));
    }
    Ok(cells)
}

/// A grid as its tags describe it.
struct Grid {
    layout: Layout,
    pieces: Vec<Piece>,
    appended: Option<Appended>,
}

/// A part of a grid with points of its own.
struct Piece {
    points: usize,
    cells: usize,
    /// What to say if it lacks an array.
    incomplete: Fault,
    places: Option<Array>,
    connectivity: Option<Array>,
    offsets: Option<Array>,
    types: Option<Array>,
    cell_data: Vec<Array>,
}

/// Which arrays a tag stands among.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    Points,
    Cells,
    CellData,
    /// Arrays that mean nothing here.
    Others,
}

impl Grid {
    fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut xml = Xml::new(bytes);
        let layout = match xml.next()? {
            Some(Event::Start(tag)) if tag.name == b"VTKFile" => read_layout(&tag, &xml)?,
            Some(_) => return Err(xml.fault_at(0, "the file does not begin with <VTKFile>")),
            None => return Err(xml.fault_at(0, "there is no <VTKFile>")),
        };
        let mut grid = Grid { layout, pieces: Vec::new(), appended: None };
        let mut among = Among::Others;
        // The end of the file is not looked for: of some writers it is missing, and behind raw bytes it cannot be found.
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(tag) | Event::Empty(tag) if tag.name == b"Piece" => {
                    grid.pieces.push(Piece::of_tag(&tag, &xml)?);
                }
                Event::Start(tag) if tag.name == b"Points" => among = Among::Points,
                Event::Start(tag) if tag.name == b"Cells" => among = Among::Cells,
                Event::Start(tag) if tag.name == b"CellData" => among = Among::CellData,
                Event::End(b"Points" | b"Cells" | b"CellData") => among = Among::Others,
                Event::Start(tag) | Event::Empty(tag) if tag.name == b"DataArray" && among != Among::Others => {
                    let mut array = match (Array::of_tag(&tag, bytes), among) {
                        (Ok(array), _) => array,
                        // Text and other kinds of data on cells need not be understood.
                        (Err(_), Among::CellData) => continue,
                        (Err(fault), _) => return Err(fault),
                    };
                    if array.is_inline() && matches!(event, Event::Start(_)) {
                        array.text = text_of_array(&mut xml, bytes)?;
                    }
                    if let Some(piece) = grid.pieces.last_mut() {
                        piece.place(array, among);
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
            return Err(xml.fault_at(bytes.len(), "there is no <Piece> of a grid"));
        }
        Ok(grid)
    }
}

fn read_layout(tag: &Tag<'_>, xml: &Xml<'_>) -> Result<Layout, Fault> {
    let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
    let kind = attribute("type");
    if kind != "UnstructuredGrid" {
        return Err(Fault::not_supported(format!("VTK's type {kind:?}"), "save it as an UnstructuredGrid"));
    }
    let packing = match &*attribute("compressor") {
        "" => Packing::Plain,
        "vtkZLibDataCompressor" => Packing::Zlib,
        other => Packing::Other(other.to_owned()),
    };
    let order = match &*attribute("byte_order") {
        "LittleEndian" | "" => Encoding::Little,
        "BigEndian" => Encoding::Big,
        other => return Err(xml.fault_at(tag.at, format!("the byte order {other:?} is not known"))),
    };
    let header = match &*attribute("header_type") {
        "UInt32" | "" => Width::Four,
        "UInt64" => Width::Eight,
        other => return Err(xml.fault_at(tag.at, format!("the header type {other:?} is not known"))),
    };
    Ok(Layout { order, header, packing })
}

/// The first text in an array's element that is not blank; elements before it are passed over.
fn text_of_array(xml: &mut Xml<'_>, bytes: &[u8]) -> Result<(usize, usize), Fault> {
    let mut inside = 0usize;
    loop {
        let text = xml.text();
        if inside == 0 && !bytes[text.0..text.1].trim_ascii().is_empty() {
            return Ok(text);
        }
        let before = xml.at();
        match xml.next()? {
            Some(Event::Start(_)) => inside += 1,
            Some(Event::End(b"DataArray")) => return Ok(text),
            Some(Event::End(_)) => inside = inside.saturating_sub(1),
            Some(Event::Empty(_)) => {}
            None => return Err(xml.fault_at(before, "the file ends within an array")),
        }
    }
}

fn read_appended(tag: &Tag<'_>, xml: &Xml<'_>, bytes: &[u8]) -> Result<Appended, Fault> {
    let is_base64 = match &*tag.attribute("encoding").unwrap_or_default() {
        "base64" => true,
        "raw" => false,
        other => return Err(xml.fault_at(tag.at, format!("data appended in the encoding {other:?} are not known"))),
    };
    let rest = &bytes[xml.at()..];
    let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if rest.get(blank) != Some(&b'_') {
        return Err(xml.fault_at(xml.at() + blank, "appended data must begin with an underscore"));
    }
    Ok(Appended { start: xml.at() + blank + 1, is_base64 })
}

impl Piece {
    fn of_tag(tag: &Tag<'_>, xml: &Xml<'_>) -> Result<Self, Fault> {
        let count = |name: &str| {
            let value = tag.attribute(name).unwrap_or_default();
            let problem = || xml.fault_at(tag.at, format!("the piece has {name} = {value:?}, which is not a number"));
            value.trim().parse().map_err(|_| problem())
        };
        Ok(Self {
            points: count("NumberOfPoints")?,
            cells: count("NumberOfCells")?,
            incomplete: xml
                .fault_at(tag.at, "the piece lacks one of the arrays of points, connectivity, offsets and types"),
            places: None,
            connectivity: None,
            offsets: None,
            types: None,
            cell_data: Vec::new(),
        })
    }

    /// Keeps an array that stands in this piece.
    fn place(&mut self, array: Array, among: Among) {
        match (among, array.name.to_ascii_lowercase().as_str()) {
            (Among::Points, _) => self.places = Some(array),
            (Among::Cells, "connectivity") => self.connectivity = Some(array),
            (Among::Cells, "offsets") => self.offsets = Some(array),
            (Among::Cells, "types") => self.types = Some(array),
            (Among::CellData, _) => self.cell_data.push(array),
            _ => {}
        }
    }

    fn read(&self, arrays: &mut Arrays<'_>, region: Option<&str>, cells: &mut Cells) -> Result<(), Fault> {
        if self.points == 0 && self.cells == 0 {
            return Ok(());
        }
        let (Some(places), Some(connectivity), Some(offsets), Some(types)) =
            (&self.places, &self.connectivity, &self.offsets, &self.types)
        else {
            return Err(self.incomplete.clone());
        };
        if places.components != 3 {
            let problem = format!("they have {} components each, but 3 are needed", places.components);
            return Err(Fault::in_part("points", problem));
        }
        let first_point = cells.points.len();
        let numbers = arrays.reals(places, self.points.saturating_mul(3))?;
        cells.points.extend(numbers.as_chunks().0.iter().map(|&[x, y, z]| Vec3::new(x, y, z)));
        if u32::try_from(cells.points.len()).is_err() {
            return Err(Fault::in_part("points", format!("{} are more than can be numbered", cells.points.len())));
        }
        drop(numbers);

        let types = arrays.wholes(types, self.cells)?;
        let offsets = arrays.wholes(offsets, self.cells)?;
        let corners = usize::try_from(offsets.last().copied().unwrap_or(0)).unwrap_or(usize::MAX);
        let connectivity = arrays.wholes(connectivity, corners)?;
        let regions = match region.and_then(|name| self.cell_data.iter().find(|array| array.name == name)) {
            Some(array) => arrays.wholes(array, self.cells)?,
            None => Vec::new(),
        };

        let mut start = 0;
        let mut nodes: Vec<u32> = Vec::new();
        for (cell, (&kind, &end)) in types.iter().zip(&offsets).enumerate() {
            let fault = |problem: String| Fault::in_part(format!("cell {cell} from 0"), problem);
            let listed = usize::try_from(end).ok().and_then(|end| connectivity.get(start..end));
            let Some(listed) = listed else {
                return Err(fault(format!("its nodes end at {end}, but begin at {start} of {corners}")));
            };
            start += listed.len();
            nodes.clear();
            for &point in listed {
                if !(0..self.points as i64).contains(&point) {
                    return Err(fault(format!("it names point {point}, but the piece has {}, from 0", self.points)));
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

/// What a VTK cell type is (vtkCellType.h).
#[derive(Clone, Copy)]
enum VtkCell {
    Kind(CellKind),
    /// Triangles in a row, each with the last two points of the one before.
    Strip,
    /// A rectangle with its points in rows.
    Pixel,
}

fn cell_kind(number: i64, nodes: usize) -> VtkCell {
    VtkCell::Kind(match number {
        0..=4 | 21 | 35 | 60 | 68 | 75 => CellKind::Thin,
        5 | 22 | 34 | 61 | 69 | 76 => CellKind::Face(3),
        6 => return VtkCell::Strip,
        7 => CellKind::Face(nodes),
        8 => return VtkCell::Pixel,
        9 | 23 | 28 | 30 | 62 | 70 | 77 => CellKind::Face(4),
        // Quadratic polygons list all corners before all middles of edges.
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
            for (place, triangle) in nodes.windows(3).enumerate() {
                let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
                cells.push(CellKind::Face(3), &if place % 2 == 0 { [a, b, c] } else { [b, a, c] });
            }
        }
    }
}

/// Names that programs give to the regions of cells, without case and punctuation, the surest first.
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

/// The name of the cell array that holds regions, if one of any piece does.
fn chosen_region(pieces: &[Piece]) -> Option<String> {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let arrays = || pieces.iter().flat_map(|piece| &piece.cell_data).filter(|array| array.components == 1);
    REGION_NAMES
        .iter()
        .find_map(|wanted| arrays().find(|array| plain(&array.name) == *wanted))
        .map(|array| array.name.clone())
}
