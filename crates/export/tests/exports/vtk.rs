use std::collections::BTreeMap;

use craze_export::Format;
use craze_frame::Data;
use craze_math::Vec3;

use crate::sample::{self, BALL_VOLUME, EDGE, TIME_STEP};
use crate::{Reader, bytes_of, exported, text_of, volume_inside};

/// A parsed file: numbers of elements, and arrays by "section/name".
struct Vtk {
    counts: BTreeMap<String, usize>,
    arrays: BTreeMap<String, Vec<f64>>,
}

/// Attribute values of an XML tag.
fn values(tag: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = tag.split('"').collect();
    words.as_chunks::<2>().0.iter().map(|[key, value]| (key_of(key), (*value).to_owned())).collect()
}

fn key_of(text: &str) -> String {
    text.trim_end_matches('=').rsplit([' ', '<']).next().unwrap().to_owned()
}

fn parse(bytes: &[u8]) -> Vtk {
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let xml_length = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
    let xml = String::from_utf8(bytes[..xml_length].to_vec()).unwrap();
    assert!(xml.contains("header_type=\"UInt64\"") && xml.contains("byte_order=\"LittleEndian\""));
    assert!(bytes.ends_with(b"\n  </AppendedData>\n</VTKFile>\n"));
    let appended = &bytes[xml_length + mark.len()..];
    let mut vtk = Vtk { counts: BTreeMap::new(), arrays: BTreeMap::new() };
    let mut section = String::new();
    for tag in xml.split('<').skip(1) {
        let name = tag.split([' ', '>', '/']).next().unwrap();
        match name {
            "Piece" => {
                let counts = values(tag).into_iter().map(|(key, value)| (key, value.parse().unwrap()));
                vtk.counts = counts.collect();
            }
            "DataArray" => {
                let values = values(tag);
                let start = &appended[values["offset"].parse::<usize>().unwrap()..];
                let (length, rest) = start.split_first_chunk::<8>().unwrap();
                let mut reader = Reader(&rest[..u64::from_le_bytes(*length) as usize]);
                let mut numbers = Vec::new();
                while !reader.0.is_empty() {
                    numbers.push(match values["type"].as_str() {
                        "Float64" => reader.f64(),
                        "UInt32" => f64::from(reader.u32()),
                        "UInt8" => f64::from(reader.u8()),
                        "Int64" => i64::from_le_bytes(reader.take()) as f64,
                        other => panic!("unknown type {other}"),
                    });
                }
                vtk.arrays.insert(format!("{section}/{}", values["Name"]), numbers);
            }
            "" => {}
            other => section = other.to_owned(),
        }
    }
    vtk
}

impl Vtk {
    fn vectors(&self, name: &str) -> Vec<Vec3> {
        self.arrays[name].as_chunks::<3>().0.iter().map(|vector| Vec3::from(*vector)).collect()
    }

    fn triangles(&self) -> Vec<[Vec3; 3]> {
        let points = self.vectors("Points/Points");
        let corners = self.arrays["Polys/connectivity"].as_chunks::<3>().0.iter();
        corners.map(|corners| corners.map(|vertex| points[vertex as usize])).collect()
    }
}

#[test]
fn surfaces_come_through_with_attributes_and_pieces() {
    let frame = sample::frame(2);
    let (folder, _) = exported(frame.clone(), Format::Vtk);
    let vtk = parse(&bytes_of(folder.path(), "scene.block.0002.vtp"));
    assert_eq!((vtk.counts["NumberOfPoints"], vtk.counts["NumberOfPolys"]), (16, 24));
    assert_eq!(vtk.vectors("Points/Points"), frame.bodies[0].surface.positions);
    assert!((volume_inside(vtk.triangles()) - 2.0 * EDGE.powi(3)).abs() < 1e-14);
    assert_eq!(vtk.arrays["Polys/offsets"].last(), Some(&72.0));
    assert_eq!(vtk.arrays["CellData/crack"].iter().sum::<f64>(), 4.0);
    assert_eq!(vtk.vectors("PointData/velocity")[8], Vec3::new(1.0, -0.5, 0.0));
    assert_eq!(vtk.arrays["FieldData/piece_volume"], [EDGE.powi(3); 2]);
    assert_eq!(vtk.arrays["FieldData/TimeValue"], [2.0 * TIME_STEP]);
    let ball = parse(&bytes_of(folder.path(), "scene.ball.0002.vtp"));
    assert!((volume_inside(ball.triangles()) - BALL_VOLUME).abs() < 1e-15);
}

#[test]
fn tetrahedra_come_through_with_attributes() {
    let (folder, _) = exported(sample::frame(2), Format::Vtk);
    let vtk = parse(&bytes_of(folder.path(), "scene.block.volume.0002.vtu"));
    assert_eq!(vtk.counts["NumberOfCells"], 12);
    assert_eq!(vtk.arrays["Cells/types"], [10.0; 12]);
    let points = vtk.vectors("Points/Points");
    let cells = vtk.arrays["Cells/connectivity"].as_chunks::<4>().0;
    let volumes = cells.iter().map(|cell| {
        let [a, b, c, d] = cell.map(|node| points[node as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    });
    for volume in volumes {
        assert!((volume - EDGE.powi(3) / 6.0).abs() < 1e-14);
    }
    assert_eq!(vtk.arrays["CellData/stress"][11], 8e6);
    assert_eq!(vtk.arrays["CellData/piece"][6], 1.0);
}

#[test]
fn particles_are_vertex_cells_with_a_radius() {
    let (folder, _) = exported(sample::frame(2), Format::Vtk);
    let vtk = parse(&bytes_of(folder.path(), "scene.cloud_of_dust.particles.0002.vtp"));
    assert_eq!((vtk.counts["NumberOfVerts"], vtk.counts["NumberOfPolys"]), (5, 0));
    assert_eq!(vtk.arrays["Verts/offsets"], [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(vtk.arrays["PointData/radius"], [0.05; 5]);
    assert_eq!(vtk.arrays["PointData/piece"], [1.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn names_are_escaped() {
    let mut frame = sample::frame(1);
    frame.bodies[2].surface.vertex_attributes.set("a<b & \"c\"", Data::Index(vec![3; 4]));
    let (folder, _) = exported(frame, Format::Vtk);
    let vtk = parse(&bytes_of(folder.path(), "scene.sheet.0001.vtp"));
    assert_eq!(vtk.arrays["PointData/a&lt;b &amp; &quot;c&quot;"], [3.0; 4]);
}

#[test]
fn the_collection_lists_every_file_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let frames = (1..=3).map(|number| Ok(sample::frame(number)));
    let report = craze_export::export_sequence(frames, &[], Format::Vtk, folder.path(), "scene").unwrap();
    let collection = text_of(folder.path(), "scene.pvd");
    let entries: Vec<BTreeMap<String, String>> =
        collection.split('<').filter(|tag| tag.starts_with("DataSet")).map(values).collect();
    assert_eq!(entries.len(), 3 * 5);
    assert_eq!(report.files.len(), 3 * 5 + 1);
    for (index, entry) in entries.iter().enumerate() {
        assert!(folder.path().join(&entry["file"]).is_file(), "{}", entry["file"]);
        assert_eq!(entry["timestep"].parse::<f64>().unwrap(), (index / 5 + 1) as f64 * TIME_STEP);
        assert_eq!(entry["part"], entries[index % 5]["part"]);
    }
}
