//! STL files, text or binary. Triangles have points of their own; equal points are merged.
//!
//! Normals are ignored: they follow from the triangles.

use std::path::Path;

use craze_math::Vec3;

use super::faces::{Corner, Faces, Welding};
use super::model::{Model, left_out};
use super::text::{decode_text, numbers, shortened};
use crate::error::ShapeError;

/// Header of a binary file: title and number of triangles (bytes).
const HEADER_BYTES: usize = 84;

/// A triangle (bytes): normal and three corners of three 32-bit floats, and two attribute bytes.
const RECORD_BYTES: usize = 50;

/// Returns true if the file length matches the number of triangles in a binary header.
pub(crate) fn has_binary_length(bytes: &[u8]) -> bool {
    declared_triangles(bytes)
        .is_some_and(|triangles| HEADER_BYTES as u64 + RECORD_BYTES as u64 * u64::from(triangles) == bytes.len() as u64)
}

/// The number of triangles in a binary header.
fn declared_triangles(bytes: &[u8]) -> Option<u32> {
    let number = bytes.get(HEADER_BYTES - 4..HEADER_BYTES)?;
    Some(u32::from_le_bytes(number.try_into().ok()?))
}

pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    // Titles of binary files may also start with "solid".
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !has_binary_length(bytes)
        && !bytes[..bytes.len().min(512)].contains(&0);
    let faces = if is_text { parse_text(bytes, path)? } else { parse_binary(bytes, path)? };
    faces.into_model(Welding::Equal, path)
}

fn push_triangle(faces: &mut Faces, corners: [Vec3; 3]) {
    let first = faces.points.len();
    faces.points.extend(corners);
    // More points than u32 are rejected later.
    faces.push([0, 1, 2].map(|k| Corner { point: (first + k) as u32, texture: None, normal: None }), None);
}

fn parse_binary(bytes: &[u8], path: &Path) -> Result<Faces, ShapeError> {
    let bad = |byte: usize, problem: String| ShapeError::BadByte { path: path.to_owned(), byte, problem };
    let triangles = declared_triangles(bytes).ok_or_else(|| {
        let problem = format!("the file ends, but the header of a binary STL file has {HEADER_BYTES} bytes");
        bad(bytes.len(), problem)
    })?;
    let body = &bytes[HEADER_BYTES..];
    let whole = body.len() / RECORD_BYTES;
    if (triangles as usize) > whole {
        let problem = format!("{triangles} triangles are declared, but the file has room for only {whole}");
        return Err(bad(HEADER_BYTES - 4, problem));
    }
    let mut faces = Faces::default();
    let surplus = body.len() - triangles as usize * RECORD_BYTES;
    if surplus > 0 {
        faces.remarks.push(left_out(surplus, "byte", "after the last triangle"));
    }
    faces.points.reserve(3 * triangles as usize);
    for record in body.chunks_exact(RECORD_BYTES).take(triangles as usize) {
        let value = |k: usize| {
            let offset = 12 + 4 * k;
            f64::from(f32::from_le_bytes([record[offset], record[offset + 1], record[offset + 2], record[offset + 3]]))
        };
        push_triangle(&mut faces, [0, 3, 6].map(|k| Vec3::new(value(k), value(k + 1), value(k + 2))));
    }
    Ok(faces)
}

fn parse_text(bytes: &[u8], path: &Path) -> Result<Faces, ShapeError> {
    let text = decode_text(bytes, path, "STL")?;
    let mut reader = TextReader::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        reader.read(line).map_err(|problem| ShapeError::BadLine { path: path.to_owned(), line: last, problem })?;
    }
    if reader.is_in_facet {
        let problem = "the file ends inside a facet".to_owned();
        return Err(ShapeError::BadLine { path: path.to_owned(), line: last, problem });
    }
    if reader.is_in_solid {
        reader.faces.remarks.push("the file ends without \"endsolid\": it may be cut off".into());
    }
    Ok(reader.faces)
}

#[derive(Default)]
struct TextReader {
    faces: Faces,
    corners: Vec<Vec3>,
    is_in_solid: bool,
    is_in_facet: bool,
}

impl TextReader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { return Ok(()) };
        match &word.to_ascii_lowercase()[..] {
            "solid" => self.is_in_solid = true,
            "endsolid" if self.is_in_facet => return Err("the solid ends inside a facet".into()),
            "endsolid" => self.is_in_solid = false,
            "facet" if self.is_in_facet => return Err("a facet begins inside another".into()),
            "facet" => self.is_in_facet = true,
            "vertex" if !self.is_in_facet => return Err("a vertex lies outside all facets".into()),
            "vertex" if self.corners.len() == 3 => return Err("the facet has more than 3 vertices".into()),
            "vertex" => self.corners.push(Vec3::from(numbers(&mut words, "vertex", ["x", "y", "z"])?)),
            "endfacet" if !self.is_in_facet => return Err("a facet ends that has not begun".into()),
            "endfacet" => self.end_facet()?,
            "outer" | "endloop" => {}
            _ => return Err(format!("\"{}\" is not an STL keyword", shortened(word))),
        }
        Ok(())
    }

    fn end_facet(&mut self) -> Result<(), String> {
        let corners = <[Vec3; 3]>::try_from(&self.corners[..])
            .map_err(|_| format!("the facet ends with {} of its 3 vertices", self.corners.len()))?;
        push_triangle(&mut self.faces, corners);
        self.corners.clear();
        self.is_in_facet = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cube() -> Vec<[[f32; 3]; 3]> {
        let surface = crate::BuiltIn::surface(&crate::Block { size: [2.0; 3] }, 2.0).expect("a box");
        let corners = |t: &[u32; 3]| surface.corners(t).map(|p| [p.x as f32, p.y as f32, p.z as f32]);
        surface.triangles.iter().map(corners).collect()
    }

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid by name only".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|value| value.to_le_bytes()));
            bytes.extend([0xff, 0x7f]);
        }
        bytes
    }

    fn text(triangles: &[[[f32; 3]; 3]]) -> String {
        let mut text = "solid a cube\n".to_owned();
        for triangle in triangles {
            text += "  facet normal 0 0 0\n    outer loop\r\n";
            for [x, y, z] in triangle {
                text += &format!("      VERTEX {x} {y:e} {z}\n");
            }
            text += "    endloop\n  endfacet\n";
        }
        text + "endsolid a cube\n"
    }

    fn read(bytes: &[u8]) -> Result<Model, ShapeError> {
        parse(bytes, Path::new("cube.stl"))
    }

    #[test]
    fn both_kinds_of_cube_are_welded_and_closed() {
        let kinds = [binary(&cube()), text(&cube()).into_bytes()];
        for bytes in &kinds {
            let model = read(bytes).expect("a cube");
            assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
            assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);
            assert!(model.remarks.is_empty(), "{:?}", model.remarks);
        }
        assert_eq!(read(&kinds[0]).expect("a cube"), read(&kinds[1]).expect("a cube"));
    }

    #[test]
    fn triangles_with_invalid_coordinates_are_left_out_in_both_kinds() {
        let mut triangles = cube();
        triangles[3][1][2] = f32::NAN;
        triangles[5][0][0] = f32::INFINITY;
        for bytes in [binary(&triangles), text(&triangles).into_bytes()] {
            let model = read(&bytes).expect("the rest");
            assert_eq!(model.surface.triangles.len(), 10);
            assert_eq!(model.remarks, ["2 triangles with points that are not numbers within ±1e18 were left out"]);
        }
    }

    #[test]
    fn wrong_triangle_counts_are_reported() {
        let whole = binary(&cube());
        let mut many = whole.clone();
        many[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut longer = whole.clone();
        longer.extend([0; 7]);
        for (bytes, message) in [
            (&whole[..80], "cube.stl, byte 80: the file ends, but the header of a binary STL file has 84 bytes"),
            (&whole[..400], "cube.stl, byte 80: 12 triangles are declared, but the file has room for only 6"),
            (&many[..], "cube.stl, byte 80: 4294967295 triangles are declared, but the file has room for only 12"),
            (&binary(&[])[..], "cube.stl has no faces (0 points found)"),
            (b"", "cube.stl, byte 0: the file ends, but the header of a binary STL file has 84 bytes"),
        ] {
            // A title of zeros, which is not taken for text.
            let mut bytes = bytes.to_vec();
            let title = bytes.len().min(80);
            bytes[..title].fill(0);
            assert_eq!(read(&bytes).expect_err(message).to_string(), message);
        }
        assert_eq!(read(&longer).expect("a cube").remarks, ["7 bytes after the last triangle were left out"]);
    }

    #[test]
    fn text_errors_report_the_line() {
        let start = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
        for (rest, message) in [
            ("", "cube.stl:5: the file ends inside a facet"),
            ("endloop\nendfacet", "cube.stl:7: the facet ends with 2 of its 3 vertices"),
            ("vertex 1 x 0", "cube.stl:6: y of the vertex is \"x\", which is not a number"),
            ("vertex 1 0", "cube.stl:6: the vertex has no z"),
            ("vertex 1 1 0\nvertex 2 2 2", "cube.stl:7: the facet has more than 3 vertices"),
            ("facet", "cube.stl:6: a facet begins inside another"),
            ("endsolid", "cube.stl:6: the solid ends inside a facet"),
            ("v 0 0 0", "cube.stl:6: \"v\" is not an STL keyword"),
        ] {
            assert_eq!(read(format!("{start}{rest}").as_bytes()).expect_err(message).to_string(), message);
        }
        let cut = format!("{start}vertex 0 1 0\nendloop\nendfacet\n");
        assert_eq!(read(cut.as_bytes()).expect("a triangle").remarks.len(), 1);
    }

    #[test]
    fn truncated_files_are_read_or_rejected() {
        for bytes in [binary(&cube()[..3]), text(&cube()[..3]).into_bytes()] {
            for end in 0..bytes.len() {
                if let Ok(model) = read(&bytes[..end]) {
                    assert!(!model.surface.triangles.is_empty());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn corrupted_bytes_never_panic(changes in proptest::collection::vec((0usize..1000, any::<u8>()), 1..8), is_text: bool) {
            let mut bytes = if is_text { text(&cube()).into_bytes() } else { binary(&cube()) };
            let length = bytes.len();
            for (offset, byte) in changes {
                bytes[offset % length] = byte;
            }
            let _ = read(&bytes);
        }
    }
}
