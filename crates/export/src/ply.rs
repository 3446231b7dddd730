//! Binary little-endian PLY: one mesh of everything with all attributes.
//!
//! PLY has one row per vertex for all bodies and obstacles, so a column exists if any of them has
//! the attribute. Missing values are NaN (numbers), 0 (piece and crack) or 4294967295 (other
//! indices). Texture coordinates of corners are the face property `texcoord`, 0 where missing.

use craze_frame::{Attributes, Data, Frame, ObstacleShape, Surface, names};
use craze_math::Vec3;

use crate::labels::{Labels, label, unique};
use crate::{ExportError, Format};

/// Names of built-in columns, which attributes may not take.
const RESERVED: [&str; 7] = ["x", "y", "z", "object", "radius", "vertex_indices", "texcoord"];

/// Rows of one table: vertices, particles or triangles of one object.
struct Rows<'frame> {
    /// Index of the body or obstacle.
    object: u32,
    count: usize,
    attributes: &'frame Attributes,
}

/// One number of every row.
struct Column<'frame> {
    attribute: &'frame str,
    /// Component of a pair, vector or tensor; 0 for numbers.
    component: usize,
    /// Name of the component, see [`Data::component_names`].
    suffix: &'static str,
    /// True if all values are indices.
    index: bool,
    name: String,
}

/// Positions (m), their rows, and the particle radius (m).
struct Points<'frame> {
    positions: &'frame [Vec3],
    rows: Rows<'frame>,
    radius: Option<f64>,
}

pub(crate) fn encode(frame: &Frame) -> Result<Vec<u8>, ExportError> {
    let obstacles = frame.obstacles.iter().map(|obstacle| match &obstacle.shape {
        ObstacleShape::Surface(surface) => Some(surface),
        ObstacleShape::Plane { .. } => None,
    });
    let surfaces = frame.bodies.iter().map(|body| Some(&body.surface)).chain(obstacles);
    let surfaces: Vec<(u32, &Surface)> =
        surfaces.enumerate().filter_map(|(object, surface)| Some((object as u32, surface?))).collect();

    let mut points: Vec<Points<'_>> = Vec::new();
    let mut faces: Vec<(Rows<'_>, &Surface, usize)> = Vec::new();
    let mut vertices = 0;
    for &(object, surface) in &surfaces {
        let count = surface.triangles.len();
        faces.push((Rows { object, count, attributes: &surface.face_attributes }, surface, vertices));
        let count = surface.positions.len();
        let rows = Rows { object, count, attributes: &surface.vertex_attributes };
        points.push(Points { positions: &surface.positions, rows, radius: None });
        vertices += count;
    }
    for (object, body) in frame.bodies.iter().enumerate() {
        if let Some(particles) = &body.particles {
            let count = particles.positions.len();
            let rows = Rows { object: object as u32, count, attributes: &particles.attributes };
            points.push(Points { positions: &particles.positions, rows, radius: Some(particles.radius) });
            vertices += count;
        }
    }
    if u32::try_from(vertices).is_err() {
        return Err(ExportError::TooLarge {
            frame: frame.number,
            count: vertices,
            what: "vertices",
            format: Format::Ply,
        });
    }

    let vertex_columns = columns(points.iter().map(|points| points.rows.attributes));
    let face_columns = columns(faces.iter().map(|(rows, ..)| rows.attributes));
    let radii = points.iter().any(|points| points.radius.is_some());
    let textured = surfaces.iter().any(|(_, surface)| surface.corner_attributes.pairs(names::UV).is_some());
    let triangles = faces.iter().map(|(rows, ..)| rows.count).sum();
    let tables = Tables { vertices, triangles, radii, textured, columns: [&vertex_columns, &face_columns] };
    let mut bytes = header(frame, &tables).into_bytes();
    for points in &points {
        let values = columns_of(&vertex_columns, points.rows.attributes);
        for (row, position) in points.positions.iter().enumerate() {
            bytes.extend(position.iter().flat_map(|coordinate| coordinate.to_le_bytes()));
            bytes.extend(points.rows.object.to_le_bytes());
            if radii {
                bytes.extend(points.radius.unwrap_or(f64::NAN).to_le_bytes());
            }
            write_row(&vertex_columns, &values, row, &mut bytes);
        }
    }
    for (rows, surface, first) in &faces {
        let values = columns_of(&face_columns, rows.attributes);
        let uv = surface.corner_attributes.pairs(names::UV);
        for (row, triangle) in surface.triangles.iter().enumerate() {
            bytes.push(3);
            bytes.extend(triangle.iter().flat_map(|vertex| (*first as u32 + vertex).to_le_bytes()));
            if textured {
                let corners = uv.map_or([[0.0; 2]; 3], |uv| [0, 1, 2].map(|corner| uv[3 * row + corner]));
                bytes.push(6);
                bytes.extend(corners.iter().flatten().flat_map(|&part| (part as f32).to_le_bytes()));
            }
            bytes.extend(rows.object.to_le_bytes());
            write_row(&face_columns, &values, row, &mut bytes);
        }
    }
    Ok(bytes)
}

/// Columns for all attributes of some tables, in the order of first appearance.
fn columns<'frame>(tables: impl Iterator<Item = &'frame Attributes>) -> Vec<Column<'frame>> {
    let mut taken: Vec<String> = RESERVED.map(str::to_owned).to_vec();
    let mut columns: Vec<Column<'frame>> = Vec::new();
    for attribute in tables.flat_map(|attributes| &attributes.0) {
        let index = matches!(attribute.data, Data::Index(_));
        for (component, &suffix) in attribute.data.component_names().iter().enumerate() {
            let known = columns.iter_mut().find(|column| {
                column.attribute == attribute.name && (column.component, column.suffix) == (component, suffix)
            });
            match known {
                Some(column) => column.index &= index,
                None => {
                    let name = unique(format!("{}{suffix}", label(&attribute.name)), &mut taken);
                    columns.push(Column { attribute: &attribute.name, component, suffix, index, name });
                }
            }
        }
    }
    columns
}

/// Data of each column in one table, if it has the attribute.
fn columns_of<'frame>(columns: &[Column<'_>], attributes: &'frame Attributes) -> Vec<Option<&'frame Data>> {
    let fits = |column: &Column<'_>, data: &Data| data.component_names().get(column.component) == Some(&column.suffix);
    columns.iter().map(|column| attributes.get(column.attribute).filter(|data| fits(column, data))).collect()
}

fn write_row(columns: &[Column<'_>], values: &[Option<&Data>], row: usize, bytes: &mut Vec<u8>) {
    for (column, data) in columns.iter().zip(values) {
        if column.index {
            let missing = if [names::PIECE, names::CRACK].contains(&column.attribute) { 0 } else { u32::MAX };
            let value = match data {
                Some(Data::Index(values)) => values[row],
                _ => missing,
            };
            bytes.extend(value.to_le_bytes());
        } else {
            let value = match data {
                Some(data) => data.component(row, column.component),
                None => f64::NAN,
            };
            bytes.extend(value.to_le_bytes());
        }
    }
}

/// Sizes and columns of the tables of vertices and faces.
struct Tables<'a> {
    vertices: usize,
    triangles: usize,
    /// True if vertices have a radius.
    radii: bool,
    /// True if faces have texture coordinates.
    textured: bool,
    /// Of vertices and of faces.
    columns: [&'a [Column<'a>]; 2],
}

fn header(frame: &Frame, tables: &Tables<'_>) -> String {
    let &Tables { vertices, triangles, radii, textured, columns: [vertex_columns, face_columns] } = tables;
    let labels = Labels::new(frame);
    let mut lines = vec!["ply".to_owned(), "format binary_little_endian 1.0".to_owned()];
    lines.push(format!("comment Craze, frame {}, time {:?} s, unit m, y up", frame.number, frame.time));
    let named = labels.bodies.iter().map(|label| ("body", label));
    let named = named.chain(labels.obstacles.iter().map(|label| ("obstacle", label)));
    lines.extend(named.enumerate().map(|(object, (what, label))| format!("comment object {object}: {what} {label}")));
    lines.push(format!("element vertex {vertices}"));
    lines.extend(["x", "y", "z"].map(|axis| format!("property double {axis}")));
    lines.push("property uint object".to_owned());
    if radii {
        lines.push("property double radius".to_owned());
    }
    let property = |column: &Column<'_>| {
        let kind = if column.index { "uint" } else { "double" };
        format!("property {kind} {}", column.name)
    };
    lines.extend(vertex_columns.iter().map(property));
    lines.push(format!("element face {triangles}"));
    lines.push("property list uchar uint vertex_indices".to_owned());
    if textured {
        lines.push("property list uchar float texcoord".to_owned());
    }
    lines.push("property uint object".to_owned());
    lines.extend(face_columns.iter().map(property));
    lines.push("end_header\n".to_owned());
    lines.join("\n")
}
