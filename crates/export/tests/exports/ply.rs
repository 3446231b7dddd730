use std::collections::BTreeMap;

use craze_export::Format;
use craze_math::Vec3;

use crate::sample::{self, BALL_VOLUME, EDGE};
use crate::{Reader, bytes_of, exported, volume_inside};

/// A row: values by name, and the vertex list.
#[derive(Default)]
struct Row {
    values: BTreeMap<String, f64>,
    list: Vec<u32>,
}

struct Ply {
    header: String,
    tables: BTreeMap<String, Vec<Row>>,
}

fn parse(bytes: &[u8]) -> Ply {
    let end = b"end_header\n";
    let length = bytes.windows(end.len()).position(|window| window == end).unwrap() + end.len();
    let header = String::from_utf8(bytes[..length].to_vec()).unwrap();
    let mut tables: Vec<(String, usize, Vec<Vec<String>>)> = Vec::new();
    for line in header.lines().skip(2) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match words[0].as_str() {
            "element" => tables.push((words[1].clone(), words[2].parse().unwrap(), Vec::new())),
            "property" => tables.last_mut().unwrap().2.push(words[1..].to_vec()),
            _ => {}
        }
    }
    let mut reader = Reader(&bytes[length..]);
    let mut parsed = BTreeMap::new();
    for (name, count, properties) in tables {
        let mut rows = Vec::new();
        for _ in 0..count {
            let mut row = Row::default();
            for property in &properties {
                match property[0].as_str() {
                    "double" => drop(row.values.insert(property[1].clone(), reader.f64())),
                    "uint" => drop(row.values.insert(property[1].clone(), f64::from(reader.u32()))),
                    "list" => row.list = (0..reader.u8()).map(|_| reader.u32()).collect(),
                    other => panic!("unknown type {other}"),
                }
            }
            rows.push(row);
        }
        parsed.insert(name, rows);
    }
    assert!(reader.0.is_empty(), "bytes follow the last row");
    Ply { header, tables: parsed }
}

fn sample_ply() -> Ply {
    let (folder, _) = exported(sample::frame(2), Format::Ply);
    parse(&bytes_of(folder.path(), "scene.0002.ply"))
}

#[test]
fn everything_is_in_one_mesh_with_its_object() {
    let ply = sample_ply();
    let (vertices, faces) = (&ply.tables["vertex"], &ply.tables["face"]);
    assert_eq!(vertices.len(), 16 + 4 + 6 + 5);
    assert_eq!(faces.len(), 24 + 2 + 8);
    assert!(ply.header.contains("comment object 1: body cloud_of_dust\n"));
    assert!(ply.header.contains("comment object 4: obstacle ball\n"));
    let position = |index: u32| {
        let row = &vertices[index as usize].values;
        Vec3::new(row["x"], row["y"], row["z"])
    };
    let volume = |object: f64, piece: f64| {
        let of_piece = |row: &&Row| row.values["object"] == object && row.values["piece"] == piece;
        let corners = |row: &Row| [position(row.list[0]), position(row.list[1]), position(row.list[2])];
        volume_inside(faces.iter().filter(of_piece).map(corners))
    };
    assert!((volume(0.0, 0.0) - EDGE.powi(3)).abs() < 1e-14);
    assert!((volume(0.0, 1.0) - EDGE.powi(3)).abs() < 1e-14);
    assert!((volume(4.0, 0.0) - BALL_VOLUME).abs() < 1e-15);
}

#[test]
fn attributes_come_through_and_missing_ones_are_marked() {
    let ply = sample_ply();
    let (vertices, faces) = (&ply.tables["vertex"], &ply.tables["face"]);
    assert_eq!(vertices[0].values["velocity_x"], -1.0);
    assert_eq!(vertices[8].values["velocity_x"], 1.0);
    assert!(vertices[0].values["thickness"].is_nan());
    assert_eq!(vertices[17].values["thickness"], 2e-3);
    assert!(vertices[17].values["velocity_x"].is_nan());
    assert!(vertices[0].values["radius"].is_nan());
    let last = vertices.last().unwrap();
    assert_eq!((last.values["radius"], last.values["velocity_y"], last.values["object"]), (0.05, 4.0, 1.0));
    assert_eq!(faces.iter().filter(|row| row.values["crack"] == 1.0).count(), 4);
}

#[test]
fn attributes_with_names_of_columns_are_renamed() {
    let mut frame = sample::frame(1);
    let attributes = &mut frame.bodies[2].surface.vertex_attributes;
    attributes.set("x", craze_frame::Data::Index(vec![7; 4]));
    attributes.set("a b", craze_frame::Data::Index(vec![8; 4]));
    attributes.set("a_b", craze_frame::Data::Index(vec![9; 4]));
    let (folder, _) = exported(frame, Format::Ply);
    let ply = parse(&bytes_of(folder.path(), "scene.0001.ply"));
    let row = &ply.tables["vertex"][16].values;
    assert_eq!((row["x"], row["x_2"], row["a_b"], row["a_b_2"]), (0.0, 7.0, 8.0, 9.0));
    assert_eq!(ply.tables["vertex"][0].values["x_2"], f64::from(u32::MAX));
}
