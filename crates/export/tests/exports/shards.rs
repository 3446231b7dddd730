use std::sync::Arc;

use craze_export::{
    CornerAttributes, CrackDetail, ExportError, Pace, Paint, PaintPicture, ShardReport, ShardSequence, ShardSettings,
    SourceSurface, export_animation, export_shards,
};
use craze_frame::{BodyFrame, Data, Frame, Piece, Pose, Surface, names};
use craze_math::Vec3;
use serde_json::Value;

use crate::glb::{Glb, parse};
use crate::sample::{self, DENSITY, EDGE};
use crate::{bytes_of, volume_inside};

/// Slabs of these widths (m) along x, one metre high and deep, with a box around them; `apart`:
/// size and distance (m) of a separate cube.
fn slabs(widths: &[f64], apart: Option<[f64; 2]>) -> (Frame, SourceSurface) {
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let corners = |from: f64, to: f64, height: f64| {
        (0..8).map(move |corner: u32| {
            let end = |axis: u32| f64::from(corner >> axis & 1);
            Vec3::new(from + end(0) * (to - from), height * end(1), height * end(2))
        })
    };
    let split = |&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]];
    let (mut surface, mut pieces, mut from) = (Surface::default(), Vec::new(), 0.0);
    let (mut numbers, mut cracks) = (Vec::new(), Vec::new());
    let whole: f64 = widths.iter().sum();
    let boxes = widths.iter().map(|&width| (width, 1.0)).chain(apart.map(|[size, _]| (size, size)));
    let gap = apart.map_or(0.0, |[_, gap]| gap);
    for (index, (width, height)) in boxes.enumerate() {
        from += if index == widths.len() { gap } else { 0.0 };
        let first = surface.positions.len() as u32;
        surface.positions.extend(corners(from, from + width, height));
        for (face, corners) in faces.iter().enumerate() {
            let is_crack = face == 0 && index > 0 || face == 1 && index + 1 < widths.len();
            for triangle in split(corners) {
                surface.triangles.push(triangle.map(|corner| first + corner));
                numbers.push(index as u32);
                cracks.push(u32::from(is_crack && index < widths.len()));
            }
        }
        let volume = width * height * height;
        pieces.push(Piece {
            id: index as u32 + 1,
            volume,
            mass: DENSITY * volume,
            parent: Some(0),
            pose: Pose::default(),
        });
        from += width;
    }
    surface.vertex_attributes.set(names::REST, Data::Vector(surface.positions.clone()));
    surface.face_attributes.set(names::PIECE, Data::Index(numbers));
    surface.face_attributes.set(names::CRACK, Data::Index(cracks));
    let mut outer = SourceSurface { name: "the box".into(), ..SourceSurface::default() };
    let around = [(0.0, whole, 1.0)].into_iter().chain(apart.map(|[size, _]| (whole + gap, whole + gap + size, size)));
    for (from, to, height) in around {
        let first = outer.positions.len() as u32;
        outer.positions.extend(corners(from, to, height));
        outer.triangles.extend(faces.iter().flat_map(split).map(|triangle| triangle.map(|corner| first + corner)));
    }
    let body = BodyFrame { name: "slabs".into(), surface, pieces, ..BodyFrame::default() };
    (Frame { bodies: vec![body], ..Frame::default() }, outer)
}

/// Volumes (m³) of the shards of slabs, and the number of merged pieces.
fn cut_slabs(widths: &[f64], apart: Option<[f64; 2]>, smallest: f64) -> (Vec<f64>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let (frame, outer) = slabs(widths, apart);
    let settings = ShardSettings { min_volume_fraction: smallest, ..ShardSettings::default() };
    let report = export_shards(&frame, &[vec![outer]], &settings, folder.path()).unwrap();
    assert!(
        report.outside_notes[0].contains("the box") && report.outside_notes[0].contains("rough"),
        "{:?}",
        report.outside_notes
    );
    assert!(report.shards.iter().all(|shard| shard.closed));
    (report.shards.iter().map(|shard| shard.volume).collect(), report.merged)
}

#[test]
fn thin_shards_keep_their_volume() {
    let (volumes, merged) = cut_slabs(&[1.0, 0.5, 1.0], None, 0.0);
    assert!((volumes.len(), merged) == (3, 0) && volumes[1] > 0.25 && volumes[1] < 0.75, "{volumes:?}");
}

#[test]
fn shards_lost_by_cutting_are_merged_and_reported() {
    for smallest in [0.0, 1e-3] {
        let (volumes, merged) = cut_slabs(&[1.0, 0.004, 1.0], None, smallest);
        assert_eq!((volumes.len(), merged), (2, 1), "{volumes:?}");
        assert!((volumes.iter().sum::<f64>() / 2.004 - 1.0).abs() < 1e-9);
    }
}

#[test]
fn small_pieces_without_contacts_stay() {
    let (volumes, merged) = cut_slabs(&[1.0, 1.0], Some([0.05, 1.0]), 1e-3);
    assert_eq!((volumes.len(), merged), (3, 0), "{volumes:?}");
    assert!(volumes[2] > 0.99 * 0.05_f64.powi(3), "{volumes:?}");
}

#[test]
fn solids_stay_separate_however_narrow_the_gap() {
    for gap in [1e-4, 0.01, 0.1, 1.0] {
        for size in [1.0, 0.3] {
            let (volumes, merged) = cut_slabs(&[1.0, 1.0], Some([size, gap]), 1e-3);
            assert_eq!((volumes.len(), merged), (3, 0), "{volumes:?}");
            assert!((volumes[0] + volumes[1] - 2.0).abs() < 1e-9, "gap {gap}, size {size}: {volumes:?}");
            assert!((volumes[2] / size.powi(3) - 1.0).abs() < 1e-9, "gap {gap}, size {size}: {volumes:?}");
        }
    }
}

/// A block with separated halves, pieces 4 and 7 of its history.
pub fn halves() -> Frame {
    let mut frame = sample::frame(3);
    let rest = sample::frame(0).bodies[0].surface.positions.clone();
    frame.bodies[0].surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    frame.bodies[0].pieces[0].id = 4;
    frame.bodies[0].pieces[1].id = 7;
    frame
}

fn export(frame: &Frame, smallest: f64) -> (Glb, ShardReport) {
    let folder = tempfile::tempdir().unwrap();
    let settings = ShardSettings { min_volume_fraction: smallest, ..ShardSettings::default() };
    let report = export_shards(frame, &[], &settings, folder.path()).unwrap();
    assert_eq!(report.file, folder.path().join("shards.glb"));
    (parse(&bytes_of(folder.path(), "shards.glb")), report)
}

fn accessor(primitive: &Value, attribute: &str) -> usize {
    index(&primitive["attributes"][attribute])
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

#[test]
fn shards_lie_at_rest_with_their_properties() {
    let (glb, report) = export(&halves(), 0.0);
    for (name, other, side) in [("block-shard-4", 7, -0.5), ("block-shard-7", 4, 0.5)] {
        let node = glb.node(name);
        let extras = &node["extras"];
        assert_eq!(extras["volume"], EDGE.powi(3));
        assert_eq!(extras["mass"], DENSITY * EDGE.powi(3));
        assert_eq!(extras["parent"], 0);
        assert_eq!(extras["closed"], true);
        assert_eq!(extras["neighbours"].as_array().unwrap().len(), 1);
        assert_eq!(extras["neighbours"][0]["id"], other);
        assert!((extras["neighbours"][0]["area"].as_f64().unwrap() - EDGE * EDGE).abs() < 1e-12);
        assert_eq!(extras["hull"]["points"].as_array().unwrap().len(), 8);
        for (axis, place) in [side * EDGE, 2.0, 0.0].into_iter().enumerate() {
            assert!((node["translation"][axis].as_f64().unwrap() - place).abs() < 1e-6);
            assert!((extras["centre_of_mass"][axis].as_f64().unwrap() - place).abs() < 1e-12);
        }
        let triangles = glb.triangles(node);
        assert_eq!(triangles.len(), 12);
        assert!(triangles.iter().flatten().all(|corner| corner.x * side > -1e-6), "on its own side of the crack");
        assert!((volume_inside(triangles) - EDGE.powi(3)).abs() < 1e-6);
    }
    assert_eq!(report.merged, 0);
    assert!(report.shards.iter().all(|shard| shard.closed && shard.volume == EDGE.powi(3)));
    assert_eq!(report.left_out.len(), 2, "a cloud and a sheet without rest shape: {:?}", report.left_out);
}

#[test]
fn crack_faces_have_a_material_and_texture_coordinates_in_metres() {
    let (glb, _) = export(&halves(), 0.0);
    let [outside, crack] = glb.primitives(glb.node("block-shard-4")).as_slice() else { panic!("two primitives") };
    assert_ne!(outside["material"], crack["material"]);
    assert!(outside["attributes"].get("TEXCOORD_0").is_none());
    let places = glb.vectors::<2>(accessor(crack, "TEXCOORD_0"));
    let positions = glb.vectors::<3>(accessor(crack, "POSITION"));
    assert_eq!((places.len(), positions.len()), (4, 4));
    // The crack faces x, so its texture runs along y and z.
    for (place, position) in places.iter().zip(&positions) {
        assert!((place[0] - (position[1] + 0.5 * EDGE as f32)).abs() < 1e-6);
        assert!((place[1] - (position[2] + 0.5 * EDGE as f32)).abs() < 1e-6);
    }
}

#[test]
fn small_pieces_are_merged_without_a_seam() {
    let mut frame = halves();
    frame.bodies[0].pieces[0].volume *= 0.5;
    let (glb, report) = export(&frame, 0.4);
    assert_eq!(report.merged, 1);
    assert_eq!(report.shards.len(), 1);
    let node = glb.node("block-shard-7");
    assert_eq!(node["extras"]["merged"], serde_json::json!([4]));
    assert_eq!(node["extras"]["mass"], 2.0 * DENSITY * EDGE.powi(3));
    assert_eq!(node["extras"]["neighbours"], serde_json::json!([]));
    assert_eq!(node["extras"]["closed"], true);
    assert_eq!(glb.primitives(node).len(), 1, "no crack face is left");
    let triangles = glb.triangles(node);
    assert_eq!(triangles.len(), 20);
    assert!((volume_inside(triangles) - 2.0 * EDGE.powi(3)).abs() < 1e-6);
}

#[test]
fn a_crack_within_a_piece_is_closed_again() {
    let mut frame = halves();
    let faces = frame.bodies[0].surface.triangles.len();
    frame.bodies[0].surface.face_attributes.set(names::PIECE, Data::Index(vec![1; faces]));
    let (glb, report) = export(&frame, 0.0);
    assert_eq!((report.shards.len(), report.merged), (1, 0));
    let node = glb.node("block-shard-7");
    assert_eq!(node["extras"]["closed"], true);
    assert_eq!(node["extras"]["neighbours"], serde_json::json!([]));
    assert_eq!(glb.triangles(node).len(), 20);
}

#[test]
fn faces_that_do_not_coincide_are_not_in_contact() {
    let mut frame = halves();
    let mut rest = frame.bodies[0].surface.vertex_attributes.vectors(names::REST).unwrap().to_vec();
    rest.iter_mut().take(8).for_each(|place| place.x -= 1e-3 * EDGE);
    frame.bodies[0].surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    let (glb, report) = export(&frame, 0.9);
    assert_eq!(report.merged, 0);
    assert_eq!(glb.node("block-shard-4")["extras"]["neighbours"], serde_json::json!([]));
}

#[test]
fn a_shard_with_a_hole_is_counted() {
    let mut frame = halves();
    let surface = &mut frame.bodies[0].surface;
    surface.triangles[0] = surface.triangles[1];
    let (_, report) = export(&frame, 0.0);
    assert_eq!(report.shards.iter().filter(|shard| shard.closed).count(), 1);
}

#[test]
fn frames_without_rest_shapes_and_inconsistent_frames_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |frame: &Frame| export_shards(frame, &[], &ShardSettings::default(), folder.path()).unwrap_err();
    assert!(refused(&sample::frame(1)).to_string().contains("body 'block': its frames have no rest positions"));
    assert!(matches!(refused(&Frame::default()), ExportError::NoShards { .. }));
    let mut frame = halves();
    frame.bodies[0].surface.vertex_attributes.set(names::REST, Data::Vector(vec![Vec3::repeat(f64::NAN); 16]));
    assert!(matches!(refused(&frame), ExportError::NotFinite { .. }));
    assert!(!folder.path().join("shards.glb").exists());
}

/// A box around the block, 10 % larger, with a texture along x and y and upward normals.
pub fn wrapping() -> SourceSurface {
    let place = |corner: u32| {
        let along = |axis: u32| f64::from(corner >> axis & 1) - 0.5;
        Vec3::new(1.1 * 2.0 * EDGE * along(0), 2.0 + 1.1 * EDGE * along(1), 1.1 * EDGE * along(2))
    };
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let positions: Vec<Vec3> = (0..8).map(place).collect();
    let texture = |corner: u32| [positions[corner as usize].x as f32, positions[corner as usize].y as f32];
    SourceSurface {
        name: "a box".into(),
        corners: CornerAttributes {
            texture: triangles.iter().map(|corners| corners.map(texture)).collect(),
            normals: vec![[[0.0, 1.0, 0.0]; 3]; triangles.len()],
            materials: Vec::new(),
        },
        positions,
        triangles,
        paints: Vec::new(),
    }
}

#[test]
fn the_outside_is_the_given_surface_with_its_texture_and_normals() {
    for crack_detail in [None, Some(CrackDetail::default())] {
        let folder = tempfile::tempdir().unwrap();
        let settings = ShardSettings { crack_detail, ..ShardSettings::default() };
        let report = export_shards(&halves(), &[vec![wrapping()]], &settings, folder.path()).unwrap();
        assert!(
            report.outside_notes[0].contains("a box, with texture coordinates, with normals"),
            "{:?}",
            report.outside_notes
        );
        assert!(report.shards.iter().all(|shard| shard.closed));
        let whole = 1.1_f64.powi(3) * 2.0 * EDGE.powi(3);
        assert!((report.shards.iter().map(|shard| shard.volume).sum::<f64>() / whole - 1.0).abs() < 1e-9);
        let glb = parse(&bytes_of(folder.path(), "shards.glb"));
        for name in ["block-shard-4", "block-shard-7"] {
            let node = glb.node(name);
            let extras = &node["extras"];
            let [volume, mass] = ["volume", "mass"].map(|key| extras[key].as_f64().unwrap());
            assert!((mass / volume - DENSITY).abs() < 1e-9 * DENSITY);
            assert!((volume_inside(glb.triangles(node)) - volume).abs() < 1e-6);
            let [outside, _] = glb.primitives(node).as_slice() else { panic!("two primitives") };
            let places = glb.vectors::<3>(accessor(outside, "POSITION"));
            let texture = glb.vectors::<2>(accessor(outside, "TEXCOORD_0"));
            for (place, texture) in places.iter().zip(&texture) {
                let [x, y] = [0, 1].map(|axis| place[axis] + node["translation"][axis].as_f64().unwrap() as f32);
                assert!((texture[0] - x).abs() < 1e-5 && (texture[1] - (1.0 - y)).abs() < 1e-5);
            }
            assert!(glb.vectors::<3>(accessor(outside, "NORMAL")).iter().all(|normal| *normal == [0.0, 1.0, 0.0]));
        }
    }
}

#[test]
fn the_outside_keeps_the_materials_of_the_given_surface() {
    let bytes: Arc<[u8]> = b"\x89PNG\r\n\x1a\n and more".as_slice().into();
    let picture = PaintPicture { media_type: "image/png", bytes: bytes.clone() };
    let mut outer = wrapping();
    // One material for each side across x, a third for all others; a fourth is unused.
    outer.corners.materials = (0..12).map(|triangle| [0, 1, 2, 2, 2, 2][triangle / 2]).collect();
    outer.paints = vec![
        Paint { name: "tin".into(), colour: Some([0.25, 0.5, 0.75, 0.5]), picture: None },
        Paint { name: "wood".into(), colour: None, picture: Some(picture.clone()) },
        Paint { name: "bark".into(), colour: Some([1.0, 0.5, 0.5, 1.0]), picture: Some(picture) },
        Paint { name: "unused".into(), ..Paint::default() },
    ];
    let folder = tempfile::tempdir().unwrap();
    let settings = ShardSettings { crack_detail: None, ..ShardSettings::default() };
    let export = |outer: &SourceSurface| {
        let report = export_shards(&halves(), &[vec![outer.clone()]], &settings, folder.path()).unwrap();
        assert!(report.outside_notes[0].contains("with materials"), "{:?}", report.outside_notes);
        parse(&bytes_of(folder.path(), "shards.glb"))
    };
    let glb = export(&outer);
    let materials = glb.json["materials"].as_array().unwrap();
    let material_of = |name: &str| -> Vec<&str> {
        let primitives = glb.primitives(glb.node(name));
        primitives.iter().map(|one| materials[index(&one["material"])]["name"].as_str().unwrap()).collect()
    };
    // Each half has one of the sides.
    let mut both = [material_of("block-shard-4"), material_of("block-shard-7")];
    both.sort();
    assert_eq!(both, [["tin", "bark", "block_crack"], ["wood", "bark", "block_crack"]]);
    let named = |name: &str| materials.iter().find(|material| material["name"] == name).unwrap();
    let look = |name: &str| &named(name)["pbrMetallicRoughness"];
    assert_eq!(look("tin")["baseColorFactor"], serde_json::json!([0.25, 0.5, 0.75, 0.5]));
    assert_eq!(named("tin")["alphaMode"], "BLEND");
    assert_eq!(look("wood")["baseColorFactor"], serde_json::json!([1.0, 1.0, 1.0, 1.0]));
    // Two materials share one picture, whose bytes are unchanged.
    assert_eq!(glb.json["images"].as_array().unwrap().len(), 1);
    for name in ["wood", "bark"] {
        let texture = index(&look(name)["baseColorTexture"]["index"]);
        let image = &glb.json["images"][index(&glb.json["textures"][texture]["source"])];
        assert_eq!(image["mimeType"], "image/png");
        let view = &glb.json["bufferViews"][index(&image["bufferView"])];
        let [start, length] = ["byteOffset", "byteLength"].map(|key| index(&view[key]));
        assert_eq!(glb.binary[start..start + length], bytes[..]);
    }
    for view in glb.json["bufferViews"].as_array().unwrap() {
        assert!(index(&view["byteOffset"]).is_multiple_of(4));
    }
    // Without texture coordinates the picture is dropped.
    outer.corners.texture.clear();
    assert!(export(&outer).json.get("images").is_none());
}

#[test]
fn if_a_surface_cannot_be_cut_the_next_is_used_and_reported() {
    let mut open = wrapping();
    open.triangles.pop();
    open.name = "a box with a hole".into();
    let folder = tempfile::tempdir().unwrap();
    let settings = ShardSettings::default();
    let report = export_shards(&halves(), &[vec![open.clone(), wrapping()]], &settings, folder.path()).unwrap();
    assert!(report.outside_notes[0].contains("not a box with a hole") && report.outside_notes[0].contains("closed"));
    assert!(report.outside_notes.last().unwrap().contains("the outside is a box"));
    let report = export_shards(&halves(), &[vec![open]], &settings, folder.path()).unwrap();
    assert!(report.outside_notes.last().unwrap().contains("faces of the tetrahedra"));
    assert!(report.shards.iter().all(|shard| shard.closed && shard.volume == EDGE.powi(3)));
}

/// Frame `number` of the halves, which are one piece unless `broken`.
fn moment(number: u32, broken: bool) -> Frame {
    let mut frame = sample::frame(number);
    let rest = sample::frame(0).bodies[0].surface.positions.clone();
    let block = &mut frame.bodies[0];
    block.surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    block.volume = None;
    if broken {
        (block.pieces[0].id, block.pieces[1].id) = (4, 7);
    } else {
        let faces = block.surface.triangles.len();
        block.pieces.truncate(1);
        (block.pieces[0].id, block.pieces[0].parent) = (0, None);
        block.surface.face_attributes.set(names::PIECE, Data::Index(vec![0; faces]));
    }
    frame
}

#[test]
fn a_sequence_shows_shards_with_their_pieces_and_together_before_the_split() {
    let frames = [moment(0, false), moment(2, true), moment(3, true)];
    let sequence = ShardSequence::new(frames.iter().cloned().map(Ok), &[], &ShardSettings::default()).unwrap();
    assert_eq!(sequence.count(), 2);
    for (place, frame) in frames.iter().enumerate() {
        let mut shown = frame.clone();
        sequence.replace_surfaces(place, &mut shown);
        let (surface, former) = (&shown.bodies[0].surface, &frame.bodies[0].surface);
        assert_eq!(surface.triangles.len(), former.triangles.len());
        shown.check().unwrap();
        // The halves are rigid: every vertex coincides with one of the simulation.
        for place in &surface.positions {
            let nearest = former.positions.iter().map(|other| (other - place).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-9, "{nearest} m");
        }
        let pieces = surface.face_attributes.indices(names::PIECE).unwrap();
        assert_eq!(pieces.iter().max(), Some(&u32::from(place > 0)), "one piece at first");
        let cracks = surface.face_attributes.indices(names::CRACK).unwrap();
        assert_eq!(cracks.iter().sum::<u32>(), 4);
        assert_eq!(shown.bodies[1], frame.bodies[1], "what has no shards stays");
    }
    let folder = tempfile::tempdir().unwrap();
    sequence.write_shards(folder.path()).unwrap();
    sequence.write_animation(Pace::per_frame(), folder.path()).unwrap();
    let written = bytes_of(folder.path(), "shards.glb");
    export_shards(&frames[2], &[], &ShardSettings::default(), folder.path()).unwrap();
    assert!(written == bytes_of(folder.path(), "shards.glb"));
    let animation = parse(&bytes_of(folder.path(), "animation.glb"));
    assert!(animation.node("block-shard-4")["mesh"].is_u64());
}

/// Times of the keys (s) of an animation of frames 0, 2 and 3.
fn key_times(pace: Pace) -> Vec<f32> {
    let frames = [moment(0, false), moment(2, true), moment(3, true)];
    let times: Vec<f64> = frames.iter().map(|frame| frame.time - frames[0].time).collect();
    assert!((times[1] - 0.08).abs() < 1e-12 && (times[2] - 0.12).abs() < 1e-12, "{times:?}");
    let folder = tempfile::tempdir().unwrap();
    let report = export_animation(frames.map(Ok).into_iter(), &[], &ShardSettings::default(), pace, folder.path());
    let glb = parse(&bytes_of(folder.path(), "animation.glb"));
    let samplers = glb.json["animations"][0]["samplers"].as_array().unwrap();
    let input = index(&samplers[0]["input"]);
    assert!(samplers.len() == 4 && samplers.iter().all(|sampler| sampler["input"] == input));
    let keys = glb.scalars(input);
    let accessor = &glb.json["accessors"][input];
    assert_eq!(
        [&accessor["min"][0], &accessor["max"][0]].map(|bound| bound.as_f64().unwrap() as f32),
        [keys[0], keys[2]]
    );
    assert_eq!(report.unwrap().length, Some(f64::from(keys[2])));
    keys
}

#[test]
fn an_animation_has_one_key_per_frame_at_24_per_second() {
    assert_eq!(key_times(Pace::per_frame()), [0.0, 2.0 / 24.0, 3.0 / 24.0]);
    assert_eq!(Pace::default(), Pace::per_frame());
}

#[test]
fn an_animation_may_follow_simulated_time() {
    for (factor, expected) in [(1.0, [0.0, 0.08, 0.12]), (50.0, [0.0, 4.0, 6.0])] {
        let keys = key_times(Pace::stretched(factor).unwrap());
        let is_near =
            keys.iter().zip(expected).all(|(key, expected)| (key - expected).abs() < 1e-6 * expected.max(1.0));
        assert!(is_near, "{keys:?}");
    }
    for factor in [0.0, -1.0, 1e-9, 1e9, f64::NAN, f64::INFINITY] {
        assert_eq!(Pace::stretched(factor), None, "{factor}");
    }
}
