//! Attributes of surfaces built from a model's triangles, at rest and in motion.

use craze_export::{CornerAttributes, Format, ShardSettings, SourceSurface, export_sequence, export_shards};
use craze_frame::{Data, Frame, names};

use crate::glb::parse;
use crate::sample;
use crate::{bytes_of, text_of};

/// A block with separated halves, and a model with the triangles of the whole block, textured along
/// x and y.
fn halves() -> (Frame, SourceSurface) {
    let mut frame = sample::frame(3);
    let rest = sample::frame(0).bodies[0].surface.positions.clone();
    let surface = &mut frame.bodies[0].surface;
    let triangles = surface.triangles.clone();
    let texture = |corner: u32| [rest[corner as usize].x as f32, rest[corner as usize].y as f32];
    let model = SourceSurface {
        name: "the model".into(),
        corners: CornerAttributes {
            texture: triangles.iter().map(|corners| corners.map(texture)).collect(),
            normals: vec![[[0.0, 0.6, 0.8]; 3]; triangles.len()],
            materials: Vec::new(),
        },
        positions: rest.clone(),
        triangles,
        paints: Vec::new(),
    };
    let numbers = (0..surface.triangles.len() as u32).collect();
    surface.face_attributes.set(names::SOURCE, Data::Index(numbers));
    surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    (frame, model)
}

#[test]
fn a_moving_piece_keeps_texture_coordinates_and_normals() {
    let (frame, model) = halves();
    let folder = tempfile::tempdir().unwrap();
    let outers = [vec![model.clone()]];
    export_sequence([Ok(frame.clone())], &outers, Format::Glb, folder.path(), "scene").unwrap();
    let glb = parse(&bytes_of(folder.path(), "scene.0003.glb"));
    let (mut seen, surface) = (0, &frame.bodies[0].surface);
    for piece in 0..2 {
        let node = glb.node(&format!("block_piece_{piece}"));
        let primitives = glb.primitives(node);
        assert_eq!(primitives.len(), 2, "outside and crack");
        let texture = primitives.iter().filter_map(|primitive| primitive["attributes"]["TEXCOORD_0"].as_u64());
        for [across, up] in texture.flat_map(|accessor| glb.vectors::<2>(accessor as usize)) {
            let is_own = |rest: &craze_math::Vec3| {
                (rest.x as f32 - across).abs() < 1e-6 && (1.0 - rest.y as f32 - up).abs() < 1e-6
            };
            assert!(model.positions.iter().any(is_own));
            seen += 1;
        }
        let normals = glb.vectors::<3>(primitives[0]["attributes"]["NORMAL"].as_u64().unwrap() as usize);
        assert!(normals.iter().all(|normal| (normal.iter().map(|part| part * part).sum::<f32>() - 1.0).abs() < 1e-5));
    }
    assert!(seen > 0);
    export_sequence([Ok(frame.clone())], &outers, Format::Obj, folder.path(), "scene").unwrap();
    let text = text_of(folder.path(), "scene.0003.obj");
    let outside = (0..surface.triangles.len()).filter(|&triangle| !surface.is_crack(triangle)).count();
    assert_eq!(text.lines().filter(|line| line.starts_with("f ") && line.contains('/')).count(), outside);
    assert!(text.lines().any(|line| line.starts_with("vt ")) && text.lines().any(|line| line.starts_with("vn ")));
}

#[test]
fn shards_of_a_surface_with_sources_are_not_cut_again() {
    let (frame, model) = halves();
    let folder = tempfile::tempdir().unwrap();
    let report = export_shards(&frame, &[vec![model]], &ShardSettings::default(), folder.path()).unwrap();
    assert_eq!(report.outside_notes, ["block: the outside is the model, with texture coordinates, with normals"]);
    assert!(report.shards.iter().all(|shard| shard.closed));
    let glb = parse(&bytes_of(folder.path(), "shards.glb"));
    let node = glb.node(&report.shards[0].name);
    let outside = &glb.primitives(node)[0];
    let [places, texture] =
        ["POSITION", "TEXCOORD_0"].map(|name| outside["attributes"][name].as_u64().unwrap() as usize);
    for (place, texture) in glb.vectors::<3>(places).iter().zip(glb.vectors::<2>(texture)) {
        let [x, y] = [0, 1].map(|axis| place[axis] + node["translation"][axis].as_f64().unwrap() as f32);
        assert!((texture[0] - x).abs() < 1e-5 && (texture[1] - (1.0 - y)).abs() < 1e-5);
    }
}
