//! Tests on generated PLY files.

use std::path::Path;

use proptest::prelude::*;

use super::*;

fn read(bytes: &[u8]) -> Result<Model, ShapeError> {
    parse(bytes, Path::new("cube.ply"))
}

/// Writes numbers of a type in an encoding.
struct Writer {
    encoding: &'static str,
    bytes: Vec<u8>,
}

impl Writer {
    fn new(encoding: &'static str, header: &str) -> Self {
        let bytes = format!("ply\nformat {encoding} 1.0\n{header}end_header\n").into_bytes();
        Self { encoding, bytes }
    }

    fn put(&mut self, kind: &str, value: f64) {
        let mut bytes = match kind {
            "char" | "uchar" => vec![value as i16 as u8],
            "short" | "ushort" => (value as i32 as u16).to_le_bytes().to_vec(),
            "int" | "uint" => (value as i64 as u32).to_le_bytes().to_vec(),
            "float" => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        match self.encoding {
            "ascii" => bytes = format!("{value} ").into_bytes(),
            "binary_big_endian" => bytes.reverse(),
            _ => {}
        }
        self.bytes.extend(bytes);
    }

    fn end_line(&mut self) {
        if self.encoding == "ascii" {
            self.bytes.push(b'\n');
        }
    }
}

const ENCODINGS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

fn corner(k: usize) -> [f64; 3] {
    [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 })
}

const FACES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

/// A cube of quads with normals, texture coordinates, colours and an unknown element.
fn cube(encoding: &'static str, real: &str, length: &str, index: &str) -> Vec<u8> {
    let mut writer = Writer::new(
        encoding,
        &format!(
            "comment TextureFile my wood.png\nobj_info none\nelement camera 1\nproperty list uchar short lens\n\
             element vertex 8\nproperty {real} x\nproperty {real} y\nproperty {real} z\nproperty {real} nx\n\
             property {real} ny\nproperty {real} nz\nproperty uchar red\nproperty {real} s\nproperty {real} t\n\
             element face 6\nproperty uchar flags\nproperty list {length} {index} vertex_indices\n"
        ),
    );
    for value in [2.0, -5.0, 7.0] {
        writer.put(if value == 2.0 { "uchar" } else { "short" }, value);
    }
    writer.end_line();
    for k in 0..8 {
        let [x, y, z] = corner(k);
        for value in [x, y, z, 0.0, 0.0, 4.0] {
            writer.put(real, value);
        }
        writer.put("uchar", 51.0);
        writer.put(real, 0.5);
        writer.put(real, k as f64);
        writer.end_line();
    }
    for face in FACES {
        writer.put("uchar", 1.0);
        writer.put(length, 4.0);
        face.iter().for_each(|&point| writer.put(index, point as f64));
        writer.end_line();
    }
    writer.bytes
}

#[test]
fn cubes_of_all_encodings_and_types_are_read() {
    for encoding in ENCODINGS {
        for real in ["float", "double", "short", "char"] {
            for (length, index) in [("uchar", "int"), ("int", "uint"), ("ushort", "uchar"), ("char", "short")] {
                let model = read(&cube(encoding, real, length, index)).expect(encoding);
                assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
                assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);
                assert!(model.normals.iter().flatten().all(|normal| *normal == [0.0, 0.0, 1.0]));
                let half = if real.starts_with(['f', 'd']) || encoding == "ascii" { 0.5 } else { 0.0 };
                for (triangle, textures) in model.surface.triangles.iter().zip(&model.texture_coordinates) {
                    assert_eq!(*textures, triangle.map(|point| [half, point as f32]));
                }
                assert_eq!(model.materials[0].texture.as_deref(), Some("my wood.png"));
                assert_eq!(model.material_of_triangle, [0; 12]);
                // Red is 0.2; missing green and blue are 1.
                assert!(
                    model.vertex_brightness.iter().all(|&brightness| (brightness - 2.2 / 3.0).abs() < 1e-6),
                    "{:?}",
                    model.vertex_brightness
                );
                assert!(model.vertex_brightness.len() == 8 && model.remarks.is_empty());
            }
        }
    }
}

#[test]
fn faces_may_have_texture_coordinates_at_their_corners() {
    let text = "ply\r\nformat ascii 1.0\r\ncomment TextureFile a.png\r\ncomment TextureFile b.png\r\nelement face 2\r\n\
        property list uchar int vertex_index\r\nproperty list uchar float texcoord\r\nproperty int texnumber\r\n\
        element vertex 4\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n\
        3 0 1 2 6 0 0 1 0 1 1 1\r\n3 0 2 3 0 7\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0";
    for text in [text.to_owned(), text.replace("\r\n", "\n"), text.replace("\r\n", "\r")] {
        let model = read(text.as_bytes()).expect("two triangles");
        assert_eq!(model.surface.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(model.texture_coordinates, [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [[0.0; 2]; 3]]);
        assert_eq!(model.material_of_triangle, [1, 2]);
        assert_eq!(model.remarks, ["3 corners without texture coordinates got (0, 0)"]);
    }
}

#[test]
fn strips_alternate_orientation() {
    let mut text = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        .to_owned();
    for k in 0..8 {
        text += &corner(k).map(|value| value.to_string()).join(" ");
        text.push('\n');
    }
    // One strip of two triangles per side, the last two joined by a repeated point.
    let strips = "29 0 2 1 3 -1 4 5 6 7 -1 0 1 4 5 -1 2 6 3 7 -1 0 4 2 6 -1 1 3 5 7";
    let model = read((text + strips).as_bytes()).expect("a cube");
    assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);
    assert_eq!(model.surface.triangles.len(), 12);
}

#[test]
fn points_that_are_split_by_their_normals_are_welded() {
    let text = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
        property float nx\nproperty float ny\nproperty float nz\nelement face 2\nproperty list uchar int vertex_indices\n\
        end_header\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n0 0 0 1 0 0\n0 1 0 1 0 0\n0 0 1 1 0 0\n3 0 1 2\n3 3 4 5\n";
    let model = read(text.as_bytes()).expect("a corner");
    assert_eq!((model.surface.positions.len(), &model.surface.triangles[1]), (4, &[0, 2, 3]));
    assert_eq!((model.normals[0][0], model.normals[1][0]), ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]));
}

#[test]
fn errors_report_their_location() {
    let xyz = "property float x\nproperty float y\nproperty float z\n";
    let triangle = |rest: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\n{xyz}element face 1\nproperty list char int vertex_indices\n\
             end_header\n0 0 0\n1 0 0\n0 1 0\n{rest}"
        )
    };
    for (text, message) in [
        (String::new(), "cube.ply:1: the file ends before \"end_header\""),
        ("plywood".into(), "cube.ply:1: a PLY file begins with \"ply\", not with \"plywood\""),
        ("ply\nend_header\n".into(), "cube.ply:2: the header declares no format"),
        ("ply\nformat ascii 1.0\n".into(), "cube.ply:3: the file ends before \"end_header\""),
        ("ply\nformat binary 1.0\n".into(), "cube.ply:2: unknown format \"binary\""),
        ("ply\nelement vertex -1\n".into(), "cube.ply:2: \"-1\" is not a count"),
        ("ply\nproperty int x\n".into(), "cube.ply:2: a property precedes all elements"),
        ("ply\nelement a 1\nelement a 1\n".into(), "cube.ply:3: the element a is declared twice"),
        ("ply\nelement a 1\nproperty text x\n".into(), "cube.ply:3: unknown type \"text\""),
        (
            "ply\nelement a 1\nproperty list float int x\n".into(),
            "cube.ply:3: the length of a list must be a whole number",
        ),
        ("ply\nelement a 1\nproperty list list int x\n".into(), "cube.ply:3: a list cannot hold lists"),
        ("ply\nelement a 1\nproperty int\n".into(), "cube.ply:3: the line has no name"),
        ("ply\nvertices 3\n".into(), "cube.ply:2: \"vertices\" is not a header keyword"),
        ("ply\nformat ascii 1.0\nend_header\n".into(), "cube.ply, header: there is no element vertex"),
        (
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n".into(),
            "cube.ply, header: vertices need the properties x, y and z",
        ),
        (
            format!("ply\nformat binary_little_endian 1.0\nelement vertex 1000000000\n{xyz}end_header\n0123456789"),
            "cube.ply, element vertex: 1000000000 are declared, but only 10 bytes follow",
        ),
        (
            format!("ply\nformat ascii 1.0\nelement vertex 18446744073709551615\n{xyz}end_header\n"),
            "cube.ply, element vertex: 18446744073709551615 are declared, but only 0 bytes follow",
        ),
        (triangle("3 0 1 3\n"), "cube.ply:13: point 3 is used, but points are numbered from 0 and there are 3"),
        (triangle("3 0 1 -2\n"), "cube.ply:13: point -2 is used, but points are numbered from 0 and there are 3"),
        (triangle("3 0 1 -1\n"), "cube.ply:13: a face uses point -1"),
        (triangle("3 0 1 1.5\n"), "cube.ply:13: point 1.5 is used, but points are numbered from 0 and there are 3"),
        (triangle("3 0 x 1\n"), "cube.ply:13: \"x\" is not a number"),
        (triangle("-3 0 1\n"), "cube.ply:13: a list cannot have -3 items"),
        (triangle("3 0 1"), "cube.ply:13: the file ends within its elements"),
        (triangle("99 0 1"), "cube.ply:13: the file ends within its elements"),
        (
            format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}end_header\n0 0 0"),
            "cube.ply has no faces (1 point found)",
        ),
        (
            format!("ply\nformat ascii 1.0\nelement face 99999999999999\nelement vertex 1\n{xyz}end_header\n0 0 0"),
            "cube.ply has no faces (1 point found)",
        ),
    ] {
        assert_eq!(read(text.as_bytes()).expect_err(message).to_string(), message);
    }
    let mut cut = cube("binary_big_endian", "float", "uchar", "int");
    let length = cut.len() - 3;
    cut.truncate(length);
    let message = format!("cube.ply, byte {length}: the file ends within its elements");
    assert_eq!(read(&cut).expect_err("cut").to_string(), message);
}

#[test]
fn triangles_with_invalid_coordinates_are_left_out() {
    for encoding in ENCODINGS {
        let mut bytes = cube(encoding, "double", "uchar", "int");
        // The first coordinate follows the header and the camera: 5 bytes, or "2 -5 7 " and a line
        // end.
        let header = bytes.windows(11).position(|window| window == b"end_header\n").expect("a header") + 11;
        let (offset, length, nan) = match encoding {
            "ascii" => (8, 2, b"-nan".to_vec()),
            "binary_little_endian" => (5, 8, f64::NAN.to_le_bytes().to_vec()),
            _ => (5, 8, f64::NAN.to_be_bytes().to_vec()),
        };
        bytes.splice(header + offset..header + offset + length, nan);
        let model = read(&bytes).expect(encoding);
        assert_eq!(model.surface.triangles.len(), 6);
        assert_eq!(model.remarks[0], "6 triangles with points that are not numbers within ±1e18 were left out");
    }
}

#[test]
fn truncated_files_are_rejected() {
    for encoding in ENCODINGS {
        let bytes = cube(encoding, "float", "uchar", "int");
        for end in 0..bytes.len() - 3 {
            read(&bytes[..end]).expect_err("cut");
        }
    }
}

proptest! {
    #[test]
    fn corrupted_bytes_never_panic(
        changes in proptest::collection::vec((0usize..1000, any::<u8>()), 1..8),
        encoding in 0usize..3,
    ) {
        let mut bytes = cube(ENCODINGS[encoding], "float", "uchar", "int");
        let length = bytes.len();
        for (offset, byte) in changes {
            bytes[offset % length] = byte;
        }
        let _ = read(&bytes);
    }
}
