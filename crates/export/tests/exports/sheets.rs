//! Open sheets in every format: corner attributes, slots and lines, and their closed surfaces.

use craze_export::{Format, ShardSettings, export_shards};
use craze_frame::{BodyFrame, Data, Frame, Line, LineKind, Piece, Pose, Sheet, Surface, names};
use craze_math::Vec3;

use crate::glb::parse;
use crate::{bytes_of, exported, sample, text_of, volume_inside};

/// Thickness (m).
const THICKNESS: f64 = 0.02;

/// A pane of 2 × 1 m in two pieces, each of two triangles; it has moved since it was at rest.
fn pane() -> Frame {
    let corners = |x: f64| [[x, 0.0, 0.0], [x, 0.0, 1.0], [x + 1.0, 0.0, 1.0], [x + 1.0, 0.0, 0.0]].map(Vec3::from);
    let rest = [corners(0.0), corners(1.0)].concat();
    let mut surface = Surface {
        positions: rest.iter().enumerate().map(|(v, at)| at + Vec3::y() * if v < 4 { 1.0 } else { 3.0 }).collect(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
        slots: vec!["felt".into(), "trim".into()],
        lines: vec![
            Line { kind: LineKind::Crack, vertices: vec![2, 3] },
            Line { kind: LineKind::Crack, vertices: vec![4, 5] },
            Line { kind: LineKind::Seam, vertices: vec![0, 2] },
        ],
        sheet: Some(Sheet { thickness: THICKNESS }),
        ..Surface::default()
    };
    // The second triangle of each pair has other coordinates at the shared corners: a seam.
    let uv = (0..12).map(|corner| [0.25 * f64::from(corner % 4), 0.5 * f64::from(corner / 6)]).collect();
    surface.corner_attributes.set(names::UV, Data::Pair(uv));
    surface.corner_attributes.set(names::NORMAL, Data::Vector(vec![Vec3::y(); 12]));
    surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1, 1]));
    surface.face_attributes.set(names::SLOT, Data::Index(vec![0, 1, 0, 1]));
    surface.face_attributes.set(names::STRESS_TENSOR, Data::Tensor(vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; 4]));
    surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    let piece = |id, x: f64, y: f64| Piece {
        id,
        volume: THICKNESS,
        mass: 50.0,
        parent: Some(0),
        pose: Pose { position: Vec3::new(x, y, 0.5), ..Pose::default() },
    };
    let pieces = vec![piece(1, 0.5, 1.0), piece(2, 1.5, 3.0)];
    let body = BodyFrame {
        name: "pane".into(),
        method: "sheet".into(),
        materials: vec!["glass".into()],
        surface,
        pieces,
        ..BodyFrame::default()
    };
    Frame { number: 1, time: 0.04, bodies: vec![body], obstacles: Vec::new() }
}

#[test]
fn glb_has_texture_coordinates_and_slots_and_shows_both_sides() {
    let (folder, report) = exported(pane(), Format::Glb);
    assert!(report.left_out.iter().any(|what| what.contains("seams and crack paths")), "{:?}", report.left_out);
    let glb = parse(&bytes_of(folder.path(), "scene.0001.glb"));
    let materials = glb.json["materials"].as_array().unwrap();
    let names: Vec<&str> = materials.iter().filter_map(|material| material["name"].as_str()).collect();
    assert_eq!(names, ["felt", "trim"]);
    assert!(materials.iter().all(|material| material["doubleSided"] == true), "{materials:?}");
    let primitives = glb.primitives(glb.node("pane_piece_0"));
    assert_eq!(primitives.len(), 2);
    for primitive in primitives {
        let texture = glb.vectors::<2>(primitive["attributes"]["TEXCOORD_0"].as_u64().unwrap() as usize);
        assert_eq!(texture.len(), 3);
        let normals = glb.vectors::<3>(primitive["attributes"]["NORMAL"].as_u64().unwrap() as usize);
        assert!(normals.iter().all(|normal| *normal == [0.0, 1.0, 0.0]));
    }
}

#[test]
fn obj_has_slots_corners_and_lines() {
    let (folder, _) = exported(pane(), Format::Obj);
    let text = text_of(folder.path(), "scene.0001.obj");
    for line in
        ["usemtl pane_felt", "usemtl pane_trim", "o pane_seams", "o pane_cracks", "vt 0.25 0.0", "vn 0.0 1.0 0.0"]
    {
        assert!(text.lines().any(|own| own == line), "{line} in\n{text}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("l ")).count(), 3);
    // Lines use the vertices of their own objects, which follow the eight of the pieces.
    assert!(text.contains("l 9 10\n") && text.contains("l 11 12\nl 13 14\n"), "{text}");
    assert!(text_of(folder.path(), "scene.mtl").contains("newmtl pane_felt\n"));
}

#[test]
fn ply_has_texture_coordinates_of_corners_and_components_of_tensors() {
    let (folder, _) = exported(pane(), Format::Ply);
    let bytes = bytes_of(folder.path(), "scene.0001.ply");
    let header = String::from_utf8_lossy(&bytes).into_owned();
    for line in ["property list uchar float texcoord\n", "property double stress_tensor_xy\n"] {
        assert!(header.contains(line), "{line}");
    }
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    // Vertices: position, object, rest; faces: indices, coordinates, object, piece, slot, tensor.
    let (vertex, face) = (3 * 8 + 4 + 3 * 8, 1 + 12 + 1 + 24 + 4 + 4 + 4 + 48);
    assert_eq!(bytes.len() - end, 8 * vertex + 4 * face);
    let second = end + 8 * vertex + face;
    let corner = |part: usize| {
        let from = second + 1 + 12 + 1 + 4 * part;
        f32::from_le_bytes(bytes[from..from + 4].try_into().unwrap())
    };
    assert_eq!([corner(0), corner(1), corner(2)], [0.75, 0.0, 0.0]);
}

/// Volume (m³) enclosed by the triangles of a frame's STL file.
fn stl_volume(frame: Frame) -> f64 {
    let (folder, _) = exported(frame, Format::Stl);
    let bytes = bytes_of(folder.path(), "scene.0001.stl");
    let coordinate = |at: usize| f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
    let corner = |triangle: usize, corner: usize| {
        let at = 84 + 50 * triangle + 12 * (corner + 1);
        Vec3::new(coordinate(at), coordinate(at + 4), coordinate(at + 8))
    };
    volume_inside((0..(bytes.len() - 84) / 50).map(|triangle| [0, 1, 2].map(|k| corner(triangle, k))))
}

#[test]
fn a_thick_sheet_with_a_hole_encloses_its_volume() {
    let frame = Frame { number: 1, bodies: vec![sample::pane()], ..Frame::default() };
    assert!((stl_volume(frame) - sample::PANE_VOLUME).abs() < 1e-6);
}

#[test]
fn thick_sheets_are_closed_in_every_format() {
    let thick = pane().thickened().unwrap();
    assert!(thick.bodies[0].surface.is_closed());
    assert!((stl_volume(thick.clone()) - 2.0 * THICKNESS).abs() < 1e-6);
    let (folder, _) = exported(thick, Format::Glb);
    let glb = parse(&bytes_of(folder.path(), "scene.0001.glb"));
    for piece in 0..2 {
        assert_eq!(glb.node(&format!("pane_piece_{piece}"))["extras"]["closed"], true);
    }
    // Only the rim along the crack is a crack face.
    assert!(glb.json["materials"].as_array().unwrap().iter().any(|material| material["name"] == "pane_crack"));
}

#[test]
fn shards_of_a_sheet_are_closed_and_manifold_with_their_thickness() {
    let folder = tempfile::tempdir().unwrap();
    let report = export_shards(&pane(), &[], &ShardSettings::default(), folder.path()).unwrap();
    assert_eq!(report.shards.len(), 2);
    for shard in &report.shards {
        assert!(shard.is_manifold(), "{shard:?}");
        assert!((shard.volume - THICKNESS).abs() < 1e-12, "{shard:?}");
    }
    let glb = parse(&bytes_of(folder.path(), "shards.glb"));
    let first = glb.node("pane-shard-1");
    // They touch along the crack: 1 m times the thickness.
    let area = first["extras"]["neighbours"][0]["area"].as_f64().unwrap();
    assert!((area - THICKNESS).abs() < 1e-6, "{area}");
}

#[test]
fn a_thickness_of_zero_stops_the_export_of_shards_with_the_vertex() {
    let mut frame = pane();
    frame.bodies[0].surface.vertex_attributes.set(names::THICKNESS, Data::Scalar(vec![0.0; 8]));
    let folder = tempfile::tempdir().unwrap();
    let error = export_shards(&frame, &[], &ShardSettings::default(), folder.path()).unwrap_err().to_string();
    assert!(error.contains("body 'pane'") && error.contains("vertex 0 is 0 m"), "{error}");
}
