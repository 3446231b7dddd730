use craze_export::Format;
use craze_math::Vec3;

use crate::sample::{self, BALL_VOLUME, EDGE};
use crate::{exported, text_of, volume_inside};

/// A parsed object.
#[derive(Default)]
struct Object {
    name: String,
    group: String,
    triangles: Vec<([Vec3; 3], String)>,
    points: Vec<Vec3>,
}

fn parse(text: &str) -> Vec<Object> {
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut objects: Vec<Object> = Vec::new();
    let mut material = String::new();
    for line in text.lines() {
        let (keyword, rest) = line.split_once(' ').unwrap();
        let vertex = |word: &str| vertices[word.parse::<usize>().unwrap() - 1];
        match keyword {
            "v" => {
                let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
                vertices.push(Vec3::from_column_slice(&numbers));
            }
            "o" => objects.push(Object { name: rest.into(), ..Object::default() }),
            "g" => objects.last_mut().unwrap().group = rest.into(),
            "usemtl" => material = rest.into(),
            "f" => {
                let corners: Vec<Vec3> = rest.split(' ').map(vertex).collect();
                objects.last_mut().unwrap().triangles.push((corners.try_into().unwrap(), material.clone()));
            }
            "p" => objects.last_mut().unwrap().points.push(vertex(rest)),
            "#" | "mtllib" => {}
            other => panic!("unknown keyword {other}"),
        }
    }
    objects
}

#[test]
fn every_piece_is_an_object_with_its_volume() {
    let (folder, report) = exported(sample::frame(3), Format::Obj);
    assert_eq!(report.files, ["scene.0003.obj", "scene.mtl"].map(|name| folder.path().join(name)));
    let objects = parse(&text_of(folder.path(), "scene.0003.obj"));
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "block_piece_0",
            "block_piece_1",
            "cloud_of_dust_particles_0",
            "cloud_of_dust_particles_1",
            "sheet_piece_0",
            "ball"
        ]
    );
    let volume = |object: &Object| volume_inside(object.triangles.iter().map(|triangle| triangle.0));
    for piece in &objects[..2] {
        assert_eq!(piece.triangles.len(), 12);
        assert_eq!(piece.group, "block");
        assert!((volume(piece) - EDGE.powi(3)).abs() < 1e-14);
    }
    assert!((volume(&objects[5]) - BALL_VOLUME).abs() < 1e-15);
    assert_eq!((objects[2].points.len(), objects[3].points.len()), (3, 2));
}

#[test]
fn positions_are_exact() {
    let frame = sample::frame(5);
    let (folder, _) = exported(frame.clone(), Format::Obj);
    let objects = parse(&text_of(folder.path(), "scene.0005.obj"));
    let cloud = frame.bodies[1].particles.as_ref().unwrap();
    assert_eq!(objects[2].points, [1, 2, 4].map(|index| cloud.positions[index]));
    let first = objects[0].triangles[0].0[0];
    assert!(frame.bodies[0].surface.positions.contains(&first));
}

#[test]
fn crack_faces_have_their_own_material_and_all_materials_are_in_the_library() {
    let (folder, _) = exported(sample::frame(1), Format::Obj);
    let text = text_of(folder.path(), "scene.0001.obj");
    assert!(text.contains("\nmtllib scene.mtl\n"));
    let objects = parse(&text);
    let cracked = objects[0].triangles.iter().filter(|(_, material)| material == "block_crack").count();
    assert_eq!(cracked, 2);
    let library = text_of(folder.path(), "scene.mtl");
    for (_, material) in objects.iter().flat_map(|object| &object.triangles) {
        assert!(library.contains(&format!("newmtl {material}\n")), "{material}");
    }
}
