use craze_export::Format;
use craze_frame::Frame;
use craze_math::Vec3;
use serde_json::Value;

use crate::sample::{self, BALL_VOLUME, DENSITY, EDGE};
use crate::{Reader, bytes_of, exported, volume_inside};

pub struct Glb {
    pub json: Value,
    pub binary: Vec<u8>,
}

/// Reads the chunks and checks their lengths.
pub fn parse(bytes: &[u8]) -> Glb {
    let mut reader = Reader(bytes);
    assert_eq!(&reader.take::<4>(), b"glTF");
    assert_eq!(reader.u32(), 2);
    assert_eq!(reader.u32() as usize, bytes.len());
    let length = reader.u32() as usize;
    assert_eq!(&reader.take::<4>(), b"JSON");
    assert_eq!(length % 4, 0);
    let (text, rest) = reader.0.split_at(length);
    let json = serde_json::from_slice(text).unwrap();
    reader.0 = rest;
    let mut binary = Vec::new();
    if !rest.is_empty() {
        let length = reader.u32() as usize;
        assert_eq!(&reader.take::<4>(), b"BIN\0");
        assert_eq!(length % 4, 0);
        assert_eq!(reader.0.len(), length);
        binary = reader.0.to_vec();
    }
    Glb { json, binary }
}

fn export(frame: Frame) -> Glb {
    let name = format!("scene.{:04}.glb", frame.number);
    let (folder, _) = exported(frame, Format::Glb);
    parse(&bytes_of(folder.path(), &name))
}

impl Glb {
    fn number(&self, pointer: &str) -> usize {
        self.json.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer}")) as usize
    }

    /// Numbers of a scalar accessor.
    pub fn scalars(&self, accessor: usize) -> Vec<f32> {
        self.words(accessor).into_iter().map(f32::from_le_bytes).collect()
    }

    /// Numbers of an accessor as 4-byte words, checked against view and buffer.
    fn words(&self, accessor: usize) -> Vec<[u8; 4]> {
        let path = format!("/accessors/{accessor}");
        let view = self.number(&format!("{path}/bufferView"));
        let offset = self.number(&format!("/bufferViews/{view}/byteOffset"));
        let length = self.number(&format!("/bufferViews/{view}/byteLength"));
        assert_eq!(offset % 4, 0);
        assert!(offset + length <= self.number("/buffers/0/byteLength"));
        assert_eq!(self.number("/buffers/0/byteLength"), self.binary.len());
        let components = match self.json["accessors"][accessor]["type"].as_str() {
            Some("VEC3") => 3,
            Some("VEC2") => 2,
            _ => 1,
        };
        assert_eq!(length, 4 * components * self.number(&format!("{path}/count")));
        self.binary[offset..offset + length].as_chunks::<4>().0.to_vec()
    }

    pub fn vectors<const SIZE: usize>(&self, accessor: usize) -> Vec<[f32; SIZE]> {
        let words: Vec<f32> = self.words(accessor).into_iter().map(f32::from_le_bytes).collect();
        words.as_chunks::<SIZE>().0.to_vec()
    }

    pub fn node(&self, name: &str) -> &Value {
        let nodes = self.json["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["name"] == name).unwrap_or_else(|| panic!("no node {name}"))
    }

    pub fn primitives(&self, node: &Value) -> &Vec<Value> {
        self.json["meshes"][node["mesh"].as_u64().unwrap() as usize]["primitives"].as_array().unwrap()
    }

    /// World-space triangles of all primitives of a node.
    pub fn triangles(&self, node: &Value) -> Vec<[Vec3; 3]> {
        let origin: Vec<f64> = node["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let mut triangles = Vec::new();
        for primitive in self.primitives(node) {
            let positions = self.vectors(primitive["attributes"]["POSITION"].as_u64().unwrap() as usize);
            let indices = self.words(primitive["indices"].as_u64().unwrap() as usize);
            let indices: Vec<usize> = indices.into_iter().map(|word| u32::from_le_bytes(word) as usize).collect();
            let place = |index: usize| Vec3::from_column_slice(&origin) + Vec3::from(positions[index].map(f64::from));
            triangles.extend(indices.as_chunks::<3>().0.iter().map(|corners| corners.map(place)));
        }
        triangles
    }
}

#[test]
fn every_piece_is_a_node_with_volume_mass_and_shape() {
    let glb = export(sample::frame(3));
    for name in ["block_piece_0", "block_piece_1"] {
        let node = glb.node(name);
        assert_eq!(node["extras"]["volume"], EDGE.powi(3));
        assert_eq!(node["extras"]["mass"], DENSITY * EDGE.powi(3));
        assert_eq!(node["extras"]["parent"], 0);
        assert_eq!(node["extras"]["closed"], true);
        let triangles = glb.triangles(node);
        assert_eq!(triangles.len(), 12);
        assert!((volume_inside(triangles) - EDGE.powi(3)).abs() < 1e-6);
    }
    assert!((volume_inside(glb.triangles(glb.node("ball"))) - BALL_VOLUME).abs() < 1e-6);
    assert_eq!(glb.node("sheet_piece_0")["extras"]["closed"], false);
    assert_eq!(glb.json["scenes"][0]["extras"]["time"], 3.0 * sample::TIME_STEP);
}

#[test]
fn the_tree_has_pieces_under_bodies() {
    let glb = export(sample::frame(1));
    let children = glb.node("block")["children"].as_array().unwrap();
    let names: Vec<&Value> =
        children.iter().map(|child| &glb.json["nodes"][child.as_u64().unwrap() as usize]["name"]).collect();
    assert_eq!(names, ["block_piece_0", "block_piece_1"]);
    assert_eq!(glb.json["scenes"][0]["nodes"].as_array().unwrap().len(), 4);
}

#[test]
fn a_node_stands_at_the_centre_of_mass() {
    let frame = sample::frame(3);
    let centre = frame.bodies[0].pieces[1].pose.position;
    let glb = export(frame);
    for axis in 0..3 {
        let place = glb.node("block_piece_1")["translation"][axis].as_f64().unwrap();
        assert!((place - centre[axis]).abs() < 1e-6);
    }
}

#[test]
fn a_small_body_far_away_keeps_its_shape() {
    let mut frame = sample::frame(0);
    let body = &mut frame.bodies[0];
    body.surface.positions.iter_mut().for_each(|position| position.x += 1e6);
    let glb = export(frame);
    let triangles = glb.triangles(glb.node("block_piece_0"));
    let origin = triangles[0][0];
    let volume = volume_inside(triangles.iter().map(|triangle| triangle.map(|corner| corner - origin)));
    assert!((volume - EDGE.powi(3)).abs() < 1e-6, "{volume}");
}

#[test]
fn normals_are_unit_and_cubes_are_sharp() {
    let glb = export(sample::frame(2));
    let node = glb.node("block_piece_0");
    let primitives = glb.primitives(node);
    assert_eq!(primitives.len(), 2, "outside and crack faces apart");
    let normals = glb.vectors(primitives[0]["attributes"]["NORMAL"].as_u64().unwrap() as usize);
    assert_eq!(normals.len(), 24, "four vertices a side");
    for [x, y, z] in normals {
        assert!(((x * x + y * y + z * z).sqrt() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn bounds_of_accessors_are_exact() {
    let glb = export(sample::frame(2));
    for (index, accessor) in glb.json["accessors"].as_array().unwrap().iter().enumerate() {
        if accessor["type"] == "VEC3" {
            let vectors = glb.vectors::<3>(index);
            for axis in 0..3 {
                // In single precision: the JSON reader is inexact in the last digit of double
                // precision.
                let column = || vectors.iter().map(|vector| vector[axis]);
                let written = |bound: &str| accessor[bound][axis].as_f64().unwrap() as f32;
                assert_eq!(written("min"), column().fold(f32::INFINITY, f32::min));
                assert_eq!(written("max"), column().fold(f32::NEG_INFINITY, f32::max));
            }
        }
    }
}

#[test]
fn particles_are_points() {
    let glb = export(sample::frame(2));
    let primitives = glb.primitives(glb.node("cloud_of_dust_particles_0"));
    assert_eq!(primitives[0]["mode"], 0);
    assert_eq!(glb.vectors::<3>(primitives[0]["attributes"]["POSITION"].as_u64().unwrap() as usize).len(), 3);
}

#[test]
fn an_empty_frame_is_a_file_without_empty_lists() {
    let glb = export(Frame::default());
    assert!(glb.json.get("meshes").is_none() && glb.json.get("buffers").is_none());
    assert!(glb.binary.is_empty());
}
