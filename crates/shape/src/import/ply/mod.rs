//! PLY files: text, and binary of either byte order; faces and triangle strips.

mod header;
#[cfg(test)]
mod tests;
mod values;

use std::path::Path;

use craze_math::Vec3;

use self::header::{Element, Encoding, Header, Property};
use self::values::{BinaryValues, TextValues, Values};
use super::brightness::brightness;
use super::faces::{Corner, Faces, Welding};
use super::model::{Model, SurfaceMaterial};
use crate::error::ShapeError;

/// Parses a PLY file. Unknown elements and properties are skipped.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    let header = header::parse(bytes, path)?;
    let offset = header.end;
    match header.encoding {
        Encoding::Text => read(&header, TextValues { bytes, offset, line: header.lines + 1, path }, path),
        Encoding::LittleEndian => read(&header, BinaryValues::<true> { bytes, offset, path }, path),
        Encoding::BigEndian => read(&header, BinaryValues::<false> { bytes, offset, path }, path),
    }
}

fn read<V: Values>(header: &Header, values: V, path: &Path) -> Result<Model, ShapeError> {
    let find = |name: &str| header.elements.iter().find(|element| element.name == name);
    let bad = |problem: &str| ShapeError::BadPart {
        path: path.to_owned(),
        part: "header".into(),
        problem: problem.to_owned(),
    };
    let vertices = find("vertex").ok_or_else(|| bad("there is no element vertex"))?;
    let has = |wanted: Role| vertices.properties.iter().filter_map(role_of).any(|(role, _)| role == wanted);
    if !["x", "y", "z"].iter().all(|name| vertices.properties.iter().any(|property| property.name == *name)) {
        return Err(bad("vertices need the properties x, y and z"));
    }
    let has_wedges =
        find("face").is_some_and(|face| face.properties.iter().any(|property| property.name == "texcoord"));
    let mut reader = Reader {
        values,
        faces: Faces::default(),
        vertices: vertices.count,
        has_texture: has(Role::Texture) && !has_wedges,
        has_wedges,
        has_normals: has(Role::Normal),
        has_colours: has(Role::Colour),
        textures: header.textures.len(),
    };
    let others = header.elements.iter().filter(|element| element.name != "vertex");
    if others.flat_map(|element| &element.properties).any(|property| colour_channel(property).is_some()) {
        reader.faces.remarks.push("colours of faces were left out".into());
    }
    let texture = |name: &String| SurfaceMaterial {
        name: name.clone(),
        texture: Some(name.clone()),
        ..SurfaceMaterial::default()
    };
    reader.faces.materials = header.textures.iter().map(texture).collect();
    for element in &header.elements {
        let least = element.min_bytes(header.encoding) as u64;
        // The last word needs no separator.
        if element.count.saturating_mul(least) > reader.values.remaining() as u64 + 1 {
            let problem =
                format!("{} are declared, but only {} bytes follow", element.count, reader.values.remaining());
            return Err(ShapeError::BadPart {
                path: path.to_owned(),
                part: format!("element {}", element.name),
                problem,
            });
        }
        match &element.name[..] {
            // Elements without properties take no bytes.
            _ if element.properties.is_empty() => {}
            "vertex" => reader.read_vertices(element)?,
            "face" => reader.read_faces(element)?,
            "tristrips" => reader.read_strips(element)?,
            _ => (0..element.count)
                .try_for_each(|_| element.properties.iter().try_for_each(|property| reader.skip(property)))?,
        }
    }
    // Points are duplicated where texture coordinates or normals differ.
    let is_split = reader.has_texture || reader.has_normals;
    reader.faces.into_model(if is_split { Welding::Equal } else { Welding::Keep }, path)
}

/// Attribute that a vertex property belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Point,
    Normal,
    Texture,
    Colour,
}

/// Attribute and component of a vertex property.
fn role_of(property: &Property) -> Option<(Role, usize)> {
    if property.length.is_some() {
        return None;
    }
    Some(match &property.name[..] {
        "x" => (Role::Point, 0),
        "y" => (Role::Point, 1),
        "z" => (Role::Point, 2),
        "nx" => (Role::Normal, 0),
        "ny" => (Role::Normal, 1),
        "nz" => (Role::Normal, 2),
        "s" | "u" | "texture_u" | "texture_s" => (Role::Texture, 0),
        "t" | "v" | "texture_v" | "texture_t" => (Role::Texture, 1),
        _ => (Role::Colour, colour_channel(property)?),
    })
}

/// Colour channel of a property.
fn colour_channel(property: &Property) -> Option<usize> {
    ["red", "green", "blue"].iter().position(|name| property.name.trim_start_matches("diffuse_") == *name)
}

/// Returns true for the vertex list of a face or strip.
fn lists_points(property: &Property) -> bool {
    property.length.is_some() && matches!(&property.name[..], "vertex_indices" | "vertex_index")
}

struct Reader<V> {
    values: V,
    faces: Faces,
    vertices: u64,
    has_texture: bool,
    /// Whether face corners have texture coordinates.
    has_wedges: bool,
    has_normals: bool,
    has_colours: bool,
    textures: usize,
}

impl<V: Values> Reader<V> {
    fn length(&mut self, property: &Property) -> Result<u64, ShapeError> {
        let Some(kind) = property.length else { return Ok(1) };
        let length = self.values.next(kind)?;
        if length >= 0.0 && length.fract() == 0.0 {
            // A length beyond the file fails at its end.
            return Ok(length as u64);
        }
        Err(self.values.bad(format!("a list cannot have {length} items")))
    }

    fn skip(&mut self, property: &Property) -> Result<(), ShapeError> {
        let length = self.length(property)?;
        self.values.skip(property.kind, length)
    }

    fn read_vertices(&mut self, element: &Element) -> Result<(), ShapeError> {
        let roles: Vec<_> = element.properties.iter().map(|property| (property, role_of(property))).collect();
        for _ in 0..element.count {
            let (mut point, mut normal, mut texture) = (Vec3::zeros(), [0.0; 3], [0.0; 2]);
            let mut colour = [1.0; 3];
            for &(property, role) in &roles {
                match role {
                    Some((Role::Point, axis)) => point[axis] = self.values.next(property.kind)?,
                    Some((Role::Normal, axis)) => normal[axis] = self.values.next(property.kind)? as f32,
                    Some((Role::Texture, axis)) => texture[axis] = self.values.next(property.kind)? as f32,
                    Some((Role::Colour, part)) => {
                        colour[part] = self.values.next(property.kind)? / property.kind.full_scale();
                    }
                    None => self.skip(property)?,
                }
            }
            self.faces.points.push(point);
            if self.has_colours {
                self.faces.set_last_brightness(brightness(colour));
            }
            if self.has_normals {
                self.faces.normals.push(normal);
            }
            if self.has_texture {
                self.faces.texture_coordinates.push(texture);
            }
        }
        Ok(())
    }

    /// A point index in a list; −1 gives `None`.
    fn point(&mut self, property: &Property) -> Result<Option<u32>, ShapeError> {
        let value = self.values.next(property.kind)?;
        if value == -1.0 {
            return Ok(None);
        }
        if value >= 0.0 && value < self.vertices as f64 && value.fract() == 0.0 {
            return Ok(Some(value as u32));
        }
        let vertices = self.vertices;
        Err(self.values.bad(format!("point {value} is used, but points are numbered from 0 and there are {vertices}")))
    }

    fn corner(&self, point: u32) -> Corner {
        let (texture, normal) = (self.has_texture.then_some(point), self.has_normals.then_some(point));
        Corner { point, texture, normal }
    }

    fn read_faces(&mut self, element: &Element) -> Result<(), ShapeError> {
        let mut polygon: Vec<Corner> = Vec::new();
        let mut wedges: Vec<f32> = Vec::new();
        for _ in 0..element.count {
            polygon.clear();
            wedges.clear();
            let mut texture_index = 0.0;
            for property in &element.properties {
                if lists_points(property) {
                    for _ in 0..self.length(property)? {
                        let point = self.point(property)?;
                        let point = point.ok_or_else(|| self.values.bad("a face uses point -1".into()))?;
                        polygon.push(self.corner(point));
                    }
                } else if property.name == "texcoord" && property.length.is_some() {
                    for _ in 0..self.length(property)? {
                        wedges.push(self.values.next(property.kind)? as f32);
                    }
                } else if property.name == "texnumber" && property.length.is_none() {
                    texture_index = self.values.next(property.kind)?;
                } else {
                    self.skip(property)?;
                }
            }
            if self.has_wedges && wedges.len() == 2 * polygon.len() {
                for (corner, pair) in polygon.iter_mut().zip(wedges.chunks_exact(2)) {
                    corner.texture = Some(self.faces.texture_coordinates.len() as u32);
                    self.faces.texture_coordinates.push([pair[0], pair[1]]);
                }
            }
            let material =
                (texture_index >= 0.0 && texture_index < self.textures as f64).then_some(texture_index as u32);
            self.faces.push(polygon.iter().copied(), material);
        }
        Ok(())
    }

    /// Triangle strips; −1 restarts, and orientation alternates.
    fn read_strips(&mut self, element: &Element) -> Result<(), ShapeError> {
        for _ in 0..element.count {
            for property in &element.properties {
                if !lists_points(property) {
                    self.skip(property)?;
                    continue;
                }
                let mut last: [Option<u32>; 2] = [None; 2];
                let mut is_turned = false;
                for _ in 0..self.length(property)? {
                    let point = self.point(property)?;
                    if let ([Some(first), Some(second)], Some(third)) = (last, point) {
                        let triangle = if is_turned { [second, first, third] } else { [first, second, third] };
                        let corners = triangle.map(|point| self.corner(point));
                        // Strips contain degenerate triangles.
                        if first != second && second != third && third != first {
                            self.faces.push(corners, None);
                        }
                        is_turned = !is_turned;
                    }
                    last = if point.is_some() { [last[1], point] } else { [None; 2] };
                    is_turned &= point.is_some();
                }
            }
        }
        Ok(())
    }
}
