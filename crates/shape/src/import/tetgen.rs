//! TetGen .node and .ele text files.
//!
//! Layouts: TetGen manual, "File Formats". Nodes are numbered from 0 or 1, given by the first.
//! Regions are the first attribute of tetrahedra.

use std::path::{Path, PathBuf};

use craze_math::Vec3;

use super::cells::{CellKind, Cells};
use super::cursor::{Cursor, ParseError, Width};
use super::external::ExternalFiles;
use super::model::Model;
use crate::error::ShapeError;

/// Parses either file; the other is read from the same folder under the same name.
pub(crate) fn parse(bytes: &[u8], path: &Path, external_files: &ExternalFiles<'_>) -> Result<Model, ShapeError> {
    let extension = path.extension().unwrap_or_default();
    let is_nodes = extension.eq_ignore_ascii_case("node");
    let (other_path, other) = read_other(path, if is_nodes { "ele" } else { "node" }, external_files)?;
    let (given, found) = ((bytes, path), (&other[..], other_path.as_path()));
    let ((nodes, nodes_path), (elements, elements_path)) = if is_nodes { (given, found) } else { (found, given) };

    let mut cells = Cells::default();
    let first = read_nodes(nodes, &mut cells).map_err(|error| error.in_file(nodes_path))?;
    read_elements(elements, first, &mut cells).map_err(|error| error.in_file(elements_path))?;
    cells.into_model(path)
}

/// Reads the other file; its extension has the case of `path`'s.
fn read_other(
    path: &Path,
    extension: &str,
    external_files: &ExternalFiles<'_>,
) -> Result<(PathBuf, Vec<u8>), ShapeError> {
    let is_upper =
        path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with(char::is_uppercase));
    let other = path.with_extension(if is_upper { extension.to_ascii_uppercase() } else { extension.to_owned() });
    match external_files(Path::new(other.file_name().unwrap_or_default())) {
        Ok(bytes) => Ok((other, bytes)),
        Err(source) => {
            let needed = "tetrahedra of TetGen are a .node and an .ele file of the same name";
            let source = std::io::Error::new(source.kind(), format!("{source}; {needed}"));
            Err(ShapeError::Read { path: other, source })
        }
    }
}

/// The next integer of a line, or a default at its end.
fn integer_or(line: &mut Cursor<'_>, otherwise: i64, what: &str) -> Result<i64, ParseError> {
    if line.clone().word().is_none() { Ok(otherwise) } else { line.integer(Width::Eight, what) }
}

/// Reads the nodes; returns the number of the first.
fn read_nodes(bytes: &[u8], cells: &mut Cells) -> Result<i64, ParseError> {
    let mut cursor = Cursor::with_comments(bytes, b'#');
    let count = cursor.count(Width::Eight, "nodes", 4, 1)?;
    let mut line = cursor.words_of_line();
    let dimension = integer_or(&mut line, 3, "a dimension")?;
    if dimension != 3 {
        return Err(line.error(format!("the dimension is {dimension}: it must be 3")));
    }
    let attributes = integer_or(&mut line, 0, "a number of attributes")?;
    let markers = integer_or(&mut line, 0, "a number of boundary markers")?;
    cells.points.reserve(count);
    let mut first = 0;
    for index in 0..count {
        let number = cursor.integer(Width::Eight, "the number of a node")?;
        if index == 0 {
            first = number;
            if first != 0 && first != 1 {
                return Err(cursor.error(format!("the first node has number {first}: it must be 0 or 1")));
            }
        }
        check_number(&cursor, number, first, index, "node")?;
        let mut point = Vec3::zeros();
        for value in point.iter_mut() {
            *value = cursor.float(Width::Eight, "a coordinate")?;
        }
        cells.points.push(point);
        for _ in 0..attributes {
            cursor.float(Width::Eight, "an attribute of a node")?;
        }
        for _ in 0..markers {
            cursor.integer(Width::Eight, "a boundary marker")?;
        }
    }
    Ok(first)
}

/// Rows are numbered consecutively; a mismatch means that the header gives a wrong row length.
fn check_number(cursor: &Cursor<'_>, number: i64, first: i64, index: usize, what: &str) -> Result<(), ParseError> {
    let expected = first + index as i64;
    if number == expected {
        return Ok(());
    }
    Err(cursor.error(format!("expected {what} {expected}, found {what} {number}")))
}

fn read_elements(bytes: &[u8], first: i64, cells: &mut Cells) -> Result<(), ParseError> {
    let mut cursor = Cursor::with_comments(bytes, b'#');
    let count = cursor.count(Width::Eight, "tetrahedra", 5, 1)?;
    let mut line = cursor.words_of_line();
    let nodes = match integer_or(&mut line, 4, "a number of nodes")? {
        4 => 4,
        10 => 10,
        other => return Err(line.error(format!("tetrahedra of {other} nodes: they must have 4 or 10"))),
    };
    let attributes = integer_or(&mut line, 0, "a number of attributes")?;
    let last = first + cells.points.len() as i64 - 1;
    let (mut first_row, mut rounded) = (0, false);
    let mut corners = [0u32; 10];
    for index in 0..count {
        let number = cursor.integer(Width::Eight, "the number of a tetrahedron")?;
        if index == 0 {
            first_row = number.clamp(0, 1);
        }
        check_number(&cursor, number, first_row, index, "tetrahedron")?;
        for corner in &mut corners[..nodes] {
            let node = cursor.integer(Width::Eight, "the number of a node")?;
            if !(first..=last).contains(&node) {
                let problem =
                    format!("the tetrahedron refers to node {node}, but nodes are numbered {first} to {last}");
                return Err(cursor.error(problem));
            }
            *corner = (node - first) as u32;
        }
        cells.push(CellKind::Tetrahedron, &corners[..nodes]);
        for attribute in 0..attributes {
            let value = cursor.float(Width::Eight, "an attribute of a tetrahedron")?;
            if attribute == 0 {
                // Saturates; NaN becomes 0.
                let region = value.round() as i64;
                rounded |= region as f64 != value;
                cells.regions.push(region);
            }
        }
    }
    if rounded {
        cells.remarks.push("attributes of tetrahedra rounded to whole numbers of regions".into());
    }
    Ok(())
}
