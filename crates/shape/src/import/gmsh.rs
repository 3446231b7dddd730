//! Gmsh .msh files, versions 2 and 4 (4.0 and 4.1), text and binary of either byte order.
//!
//! Layouts: Gmsh reference manual, "MSH file format". Regions are physical groups, or geometrical
//! entities in files without groups.

use std::collections::BTreeMap;
use std::path::Path;

use craze_math::Vec3;

use super::cells::{CellKind, Cells};
use super::cursor::{Cursor, Encoding, ParseError, Width, quote};
use super::model::Model;
use super::node_tags::NodeTags;
use crate::error::ShapeError;

/// Parses a Gmsh file; errors refer to `path`.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    read(bytes).map_err(|error| error.in_file(path))?.into_model(path)
}

/// Versions with different layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    FourZero,
    FourOne,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    version: Version,
    encoding: Encoding,
    /// Width of counts, and of tags in version 4.1.
    size: Width,
}

const HELP: &str = "save it as version 4.1 or 2.2";

fn read(bytes: &[u8]) -> Result<Cells, ParseError> {
    let mut cursor = Cursor::new(bytes);
    let mut reader = Reader::default();
    while let Some(section) = cursor.word() {
        match section {
            b"$MeshFormat" => reader.header = Some(read_header(&mut cursor)?),
            b"$NOD" | b"$ELM" => return Err(ParseError::unsupported("version 1 of the Gmsh format", HELP)),
            b"$Entities" => reader.read(&mut cursor, section, Reader::read_entities)?,
            b"$PartitionedEntities" if reader.version() == Some(Version::FourOne) => {
                reader.read(&mut cursor, section, Reader::read_partitioned_entities)?;
            }
            b"$Nodes" => reader.read(&mut cursor, section, Reader::read_nodes)?,
            b"$Elements" => reader.read(&mut cursor, section, Reader::read_elements)?,
            [b'$', name @ ..] => {
                let end = [b"$End", name].concat();
                if !cursor.skip_past(&end) {
                    return Err(cursor.error(format!("the file ends within its section {}", quote(section))));
                }
            }
            other => return Err(cursor.error(format!("expected a section, found {}", quote(other)))),
        }
    }
    if reader.header.is_none() {
        return Err(ParseError::in_part("header", "there is no section $MeshFormat"));
    }
    if reader.node_tags.is_none() {
        return Err(ParseError::in_part("nodes", "there is no section $Nodes"));
    }
    Ok(reader.finish())
}

fn read_header(cursor: &mut Cursor<'_>) -> Result<Header, ParseError> {
    let word = cursor.word().unwrap_or_default();
    let version = match word {
        b"2" | b"2.0" | b"2.1" | b"2.2" => Version::Two,
        b"4" | b"4.0" => Version::FourZero,
        b"4.1" => Version::FourOne,
        b"" => return Err(cursor.error("the file ends within its header")),
        other => return Err(ParseError::unsupported(format!("version {} of the Gmsh format", quote(other)), HELP)),
    };
    let is_binary = match cursor.integer(Width::Four, "a file type")? {
        0 => false,
        1 => true,
        other => return Err(cursor.error(format!("the file type is {other}: it must be 0 (text) or 1 (binary)"))),
    };
    let size = match (cursor.integer(Width::Four, "a data size")?, version) {
        (8, _) => Width::Eight,
        (4, Version::FourOne) => Width::Four,
        _ if !is_binary => Width::Eight,
        (other, _) => return Err(ParseError::unsupported(format!("numbers of {other} bytes"), HELP)),
    };
    cursor.line();
    let mut encoding = Encoding::Text;
    if is_binary {
        encoding = match cursor.take(4, "its header")? {
            [1, 0, 0, 0] => Encoding::Little,
            [0, 0, 0, 1] => Encoding::Big,
            _ => return Err(cursor.error("the binary 1 that marks the byte order is missing")),
        };
    }
    end_section(cursor, b"$MeshFormat")?;
    Ok(Header { version, encoding, size })
}

fn end_section(cursor: &mut Cursor<'_>, section: &[u8]) -> Result<(), ParseError> {
    let end = [b"$End", &section[1..]].concat();
    match cursor.word() {
        Some(word) if word == end => Ok(()),
        Some(word) => Err(cursor.error(format!("expected {}, found {}", quote(&end), quote(word)))),
        None => Err(cursor.error(format!("the file ends before {}", quote(&end)))),
    }
}

#[derive(Default)]
struct Reader {
    header: Option<Header>,
    cells: Cells,
    node_tags: Option<NodeTags>,
    /// First physical group of an entity, by its dimension and tag.
    physical_of_entity: BTreeMap<(i64, i64), i64>,
    /// Physical group of each tetrahedron; 0: none.
    physical: Vec<i64>,
    /// Geometrical entity of each tetrahedron.
    entities: Vec<i64>,
    nodes: Vec<u32>,
}

impl Reader {
    /// Reads a section in the file's encoding.
    fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        section: &[u8],
        read: fn(&mut Self, &mut Cursor<'_>, Header) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        let Some(header) = self.header else {
            return Err(cursor.error("the file does not begin with $MeshFormat"));
        };
        cursor.line();
        if header.version != Version::Two {
            cursor.encoding = header.encoding;
        }
        read(self, cursor, header)?;
        cursor.encoding = Encoding::Text;
        end_section(cursor, section)
    }

    fn version(&self) -> Option<Version> {
        self.header.map(|header| header.version)
    }

    fn finish(mut self) -> Cells {
        let has_groups = self.physical.iter().any(|&group| group != 0);
        self.cells.regions = if has_groups { self.physical } else { self.entities };
        self.cells
    }

    /// Reads the physical groups of entities (version 4).
    fn read_entities(&mut self, cursor: &mut Cursor<'_>, header: Header) -> Result<(), ParseError> {
        self.read_entities_with(cursor, header, |_| Ok(()))
    }

    /// Reads the physical groups of partitioned entities, to which elements then refer.
    fn read_partitioned_entities(&mut self, cursor: &mut Cursor<'_>, header: Header) -> Result<(), ParseError> {
        let size = header.size;
        cursor.integer(size, "a number of partitions")?;
        let ghosts = cursor.count(size, "ghost entities", 2, 8)?;
        skip_integers(cursor, 2 * ghosts)?;
        self.read_entities_with(cursor, header, |cursor| {
            skip_integers(cursor, 2)?;
            let partitions = cursor.count(size, "partitions", 1, 4)?;
            skip_integers(cursor, partitions)
        })
    }

    /// Reads entities; `read_parent` reads what follows the tag of each.
    fn read_entities_with(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: Header,
        read_parent: impl Fn(&mut Cursor<'_>) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        if header.version == Version::Two {
            return Err(cursor.error("a file of version 2 has no entities"));
        }
        let size = header.size;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = cursor.count(size, "entities", 4, 20)?;
        }
        for (dimension, count) in (0i64..).zip(counts) {
            for _ in 0..count {
                let tag = cursor.integer(Width::Four, "the number of an entity")?;
                read_parent(cursor)?;
                let bounds = if dimension == 0 && header.version == Version::FourOne { 3 } else { 6 };
                for _ in 0..bounds {
                    cursor.float(Width::Eight, "a bound of an entity")?;
                }
                let groups = cursor.count(size, "physical groups", 1, 4)?;
                if groups > 0 {
                    let group = cursor.integer(Width::Four, "the number of a physical group")?;
                    self.physical_of_entity.insert((dimension, tag), group);
                    skip_integers(cursor, groups - 1)?;
                }
                if dimension > 0 {
                    let bounding = cursor.count(size, "bounding entities", 1, 4)?;
                    skip_integers(cursor, bounding)?;
                }
            }
        }
        Ok(())
    }

    fn read_nodes(&mut self, cursor: &mut Cursor<'_>, header: Header) -> Result<(), ParseError> {
        if self.node_tags.is_some() {
            return Err(cursor.error("the file has a second section $Nodes"));
        }
        let mut tags = Vec::new();
        match header.version {
            Version::Two => {
                let count = cursor.count(Width::Four, "nodes", 4, 28)?;
                if header.encoding != Encoding::Text {
                    cursor.line();
                    cursor.encoding = header.encoding;
                }
                self.read_nodes_with_tags(cursor, count, 0, &mut tags)?;
            }
            Version::FourZero | Version::FourOne => self.read_node_blocks(cursor, header, &mut tags)?,
        }
        self.node_tags = Some(NodeTags::new(&tags)?);
        Ok(())
    }

    /// Reads nodes: a tag, coordinates and parameters each.
    fn read_nodes_with_tags(
        &mut self,
        cursor: &mut Cursor<'_>,
        count: usize,
        parameters: i64,
        tags: &mut Vec<i64>,
    ) -> Result<(), ParseError> {
        tags.reserve(count);
        self.cells.points.reserve(count);
        for _ in 0..count {
            tags.push(cursor.integer(Width::Four, "the number of a node")?);
            self.read_point(cursor, parameters)?;
        }
        Ok(())
    }

    fn read_point(&mut self, cursor: &mut Cursor<'_>, parameters: i64) -> Result<(), ParseError> {
        let mut point = Vec3::zeros();
        for value in point.iter_mut() {
            *value = cursor.float(Width::Eight, "a coordinate")?;
        }
        self.cells.points.push(point);
        for _ in 0..parameters {
            cursor.float(Width::Eight, "a parameter of a node")?;
        }
        Ok(())
    }

    fn read_node_blocks(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: Header,
        tags: &mut Vec<i64>,
    ) -> Result<(), ParseError> {
        let size = header.size;
        let (blocks, declared) = read_block_counts(cursor, header, "nodes")?;
        for _ in 0..blocks {
            let block = read_block(cursor, header)?;
            let parameters = match block.kind {
                0 => 0,
                _ => block.dimension.clamp(0, 3),
            };
            if header.version == Version::FourZero {
                let count = cursor.count(size, "nodes", 4, 28)?;
                self.read_nodes_with_tags(cursor, count, parameters, tags)?;
                continue;
            }
            let count = cursor.count(size, "nodes", 4, size.bytes() + 24)?;
            tags.reserve(count);
            self.cells.points.reserve(count);
            for _ in 0..count {
                tags.push(cursor.integer(size, "the number of a node")?);
            }
            for _ in 0..count {
                self.read_point(cursor, parameters)?;
            }
        }
        check_announced(declared, tags.len(), "nodes")
    }

    fn read_elements(&mut self, cursor: &mut Cursor<'_>, header: Header) -> Result<(), ParseError> {
        let Some(node_tags) = self.node_tags.take() else {
            return Err(cursor.error("the elements come before the nodes"));
        };
        match (header.version, header.encoding) {
            (Version::Two, Encoding::Text) => self.read_listed_elements(cursor, &node_tags)?,
            (Version::Two, encoding) => self.read_binary_elements(cursor, encoding, &node_tags)?,
            _ => self.read_element_blocks(cursor, header, &node_tags)?,
        }
        self.node_tags = Some(node_tags);
        Ok(())
    }

    /// Text elements of version 2: number, type, tags and nodes each.
    fn read_listed_elements(&mut self, cursor: &mut Cursor<'_>, node_tags: &NodeTags) -> Result<(), ParseError> {
        let count = cursor.count(Width::Four, "elements", 4, 1)?;
        for _ in 0..count {
            cursor.integer(Width::Four, "the number of an element")?;
            let element = ElementType::read(cursor)?;
            let tags = cursor.count(Width::Four, "tags", 1, 4)?;
            let (group, entity) = read_tags(cursor, tags)?;
            self.read_nodes_of(cursor, Width::Four, &element, node_tags)?;
            self.record_regions(&element, group, entity);
        }
        Ok(())
    }

    /// Binary elements of version 2: blocks of equal type and number of tags.
    fn read_binary_elements(
        &mut self,
        cursor: &mut Cursor<'_>,
        encoding: Encoding,
        node_tags: &NodeTags,
    ) -> Result<(), ParseError> {
        let declared = cursor.count(Width::Four, "elements", 1, 8)?;
        cursor.line();
        cursor.encoding = encoding;
        let mut found = 0;
        while found < declared {
            let element = ElementType::read(cursor)?;
            let count = cursor.integer(Width::Four, "a number of elements")?;
            let tags = cursor.count(Width::Four, "tags", 1, 4)?;
            if count < 1 {
                return Err(cursor.error(format!("a block of {count} elements")));
            }
            for _ in 0..count {
                cursor.integer(Width::Four, "the number of an element")?;
                let (group, entity) = read_tags(cursor, tags)?;
                self.read_nodes_of(cursor, Width::Four, &element, node_tags)?;
                self.record_regions(&element, group, entity);
                found += 1;
            }
        }
        check_announced(declared, found, "elements")
    }

    /// Elements of version 4: blocks of one type in one entity.
    fn read_element_blocks(
        &mut self,
        cursor: &mut Cursor<'_>,
        header: Header,
        node_tags: &NodeTags,
    ) -> Result<(), ParseError> {
        let tag = if header.version == Version::FourOne { header.size } else { Width::Four };
        let (blocks, declared) = read_block_counts(cursor, header, "elements")?;
        let mut found = 0;
        for _ in 0..blocks {
            let block = read_block(cursor, header)?;
            let element = ElementType::new(block.kind, cursor)?;
            let numbers = 1 + element.nodes;
            let count = cursor.count(header.size, "elements", numbers, numbers * tag.bytes())?;
            let group = self.physical_of_entity.get(&(block.dimension, block.entity)).copied().unwrap_or(0);
            for _ in 0..count {
                cursor.integer(tag, "the number of an element")?;
                self.read_nodes_of(cursor, tag, &element, node_tags)?;
                self.record_regions(&element, group, block.entity);
            }
            found += count;
        }
        check_announced(declared, found, "elements")
    }

    /// Reads and stores the nodes of an element.
    fn read_nodes_of(
        &mut self,
        cursor: &mut Cursor<'_>,
        width: Width,
        element: &ElementType,
        node_tags: &NodeTags,
    ) -> Result<(), ParseError> {
        self.nodes.clear();
        for _ in 0..element.nodes {
            let tag = cursor.integer(width, "the number of a node")?;
            let node = node_tags.find(tag).ok_or_else(|| {
                cursor.error(format!("the element refers to node {tag}, but nodes are numbered {node_tags}"))
            })?;
            self.nodes.push(node);
        }
        self.cells.push(element.kind, &self.nodes);
        Ok(())
    }

    fn record_regions(&mut self, element: &ElementType, group: i64, entity: i64) {
        if element.kind == CellKind::Tetrahedron {
            self.physical.push(group);
            self.entities.push(entity);
        }
    }
}

fn skip_integers(cursor: &mut Cursor<'_>, count: usize) -> Result<(), ParseError> {
    for _ in 0..count {
        cursor.integer(Width::Four, "the number of an entity")?;
    }
    Ok(())
}

/// Header of a block of nodes or elements (version 4).
struct Block {
    dimension: i64,
    entity: i64,
    /// Whether nodes have parameters, or the element type.
    kind: i64,
}

fn read_block(cursor: &mut Cursor<'_>, header: Header) -> Result<Block, ParseError> {
    let first = cursor.integer(Width::Four, "the head of a block")?;
    let second = cursor.integer(Width::Four, "the head of a block")?;
    let kind = cursor.integer(Width::Four, "the head of a block")?;
    let (dimension, entity) = if header.version == Version::FourOne { (first, second) } else { (second, first) };
    Ok(Block { dimension, entity, kind })
}

/// Number of blocks, and of nodes or elements in all of them.
fn read_block_counts(cursor: &mut Cursor<'_>, header: Header, what: &str) -> Result<(usize, usize), ParseError> {
    let blocks = cursor.count(header.size, "blocks", 4, 12 + header.size.bytes())?;
    let declared = cursor.count(header.size, what, 2, 8)?;
    if header.version == Version::FourOne {
        cursor.integer(header.size, "the lowest number")?;
        cursor.integer(header.size, "the highest number")?;
    }
    Ok((blocks, declared))
}

fn check_announced(declared: usize, found: usize, what: &str) -> Result<(), ParseError> {
    if declared == found {
        return Ok(());
    }
    Err(ParseError::in_part(what, format!("{declared} are declared, but the file has {found}")))
}

/// The first two tags of an element of version 2: physical group and entity.
fn read_tags(cursor: &mut Cursor<'_>, count: usize) -> Result<(i64, i64), ParseError> {
    let mut tags = [0; 2];
    for index in 0..count {
        let tag = cursor.integer(Width::Four, "a tag of an element")?;
        if let Some(kept) = tags.get_mut(index) {
            *kept = tag;
        }
    }
    Ok((tags[0], tags[1]))
}

#[derive(Clone, Copy, Debug)]
struct ElementType {
    kind: CellKind,
    nodes: usize,
}

impl ElementType {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let number = cursor.integer(Width::Four, "the type of an element")?;
        Self::new(number, cursor)
    }

    /// The type with this number (reference manual, "Low order elements" and "High order
    /// elements").
    fn new(number: i64, cursor: &Cursor<'_>) -> Result<Self, ParseError> {
        let (kind, nodes) = match number {
            15 => (CellKind::PointOrLine, 1),
            1 => (CellKind::PointOrLine, 2),
            8 => (CellKind::PointOrLine, 3),
            26..=28 => (CellKind::PointOrLine, number as usize - 22),
            2 => (CellKind::Face(3), 3),
            9 => (CellKind::Face(3), 6),
            20 => (CellKind::Face(3), 9),
            21 => (CellKind::Face(3), 10),
            22 => (CellKind::Face(3), 12),
            23 | 24 => (CellKind::Face(3), 15),
            25 => (CellKind::Face(3), 21),
            3 => (CellKind::Face(4), 4),
            10 => (CellKind::Face(4), 9),
            16 => (CellKind::Face(4), 8),
            36 => (CellKind::Face(4), 16),
            37 => (CellKind::Face(4), 25),
            4 => (CellKind::Tetrahedron, 4),
            11 => (CellKind::Tetrahedron, 10),
            29 => (CellKind::Tetrahedron, 20),
            30 => (CellKind::Tetrahedron, 35),
            31 => (CellKind::Tetrahedron, 56),
            5 => (CellKind::Hexahedron, 8),
            12 => (CellKind::Hexahedron, 27),
            17 => (CellKind::Hexahedron, 20),
            92 => (CellKind::Hexahedron, 64),
            93 => (CellKind::Hexahedron, 125),
            6 => (CellKind::Prism, 6),
            13 => (CellKind::Prism, 18),
            18 => (CellKind::Prism, 15),
            7 => (CellKind::Pyramid, 5),
            14 => (CellKind::Pyramid, 14),
            19 => (CellKind::Pyramid, 13),
            other => return Err(cursor.error(format!("unknown element type {other}"))),
        };
        Ok(Self { kind, nodes })
    }
}
