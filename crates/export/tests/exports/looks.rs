//! Looks in files: from the material table, the scene, or the model's own materials.

use craze_export::{Format, Paint, PaintPicture, ShardSettings, SourceSurface, export_shards};
use craze_frame::{Data, Frame, Look, names};
use craze_math::Vec3;
use serde_json::Value;

use crate::glb::{Glb, parse};
use crate::shards::{halves, wrapping};
use crate::{bytes_of, exported, sample, text_of};

fn glb(frame: Frame) -> Glb {
    let (folder, _) = exported(frame, Format::Glb);
    parse(&bytes_of(folder.path(), "scene.0001.glb"))
}

fn material<'a>(glb: &'a Glb, name: &str) -> &'a Value {
    let materials = glb.json["materials"].as_array().expect("materials");
    materials.iter().find(|material| material["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

fn color(material: &Value) -> Vec3 {
    let factor = &material["pbrMetallicRoughness"]["baseColorFactor"];
    Vec3::from([0, 1, 2].map(|channel| factor[channel].as_f64().expect("a number")))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn glass_lets_light_through_and_clay_does_not() {
    let glb = glb(sample::frame(1));
    let glass = material(&glb, "block");
    assert_eq!(glass["extensions"]["KHR_materials_transmission"]["transmissionFactor"], 1.0);
    assert!((number(&glass["extensions"]["KHR_materials_ior"]["ior"]) - 1.52).abs() < 1e-6);
    assert!(number(&glass["pbrMetallicRoughness"]["roughnessFactor"]) < 0.1);
    let crack = material(&glb, "block_crack");
    assert!(number(&crack["pbrMetallicRoughness"]["roughnessFactor"]) > 0.2);
    let clay = material(&glb, "cloud_of_dust");
    assert!(clay["extensions"].get("KHR_materials_transmission").is_none());
    assert!((color(clay) - Look::named("clay").unwrap().color).norm() < 1e-6);
    let used = glb.json["extensionsUsed"].as_array().expect("extensions");
    assert_eq!(*used, ["KHR_materials_transmission", "KHR_materials_ior"]);
}

#[test]
fn metal_is_metal_and_a_file_without_glass_does_not_name_transmission() {
    let mut frame = sample::frame(1);
    frame.bodies.truncate(1);
    frame.bodies[0].materials = vec!["steel".into()];
    let glb = glb(frame);
    assert_eq!(material(&glb, "block")["pbrMetallicRoughness"]["metallicFactor"], 1.0);
    assert!(material(&glb, "block").get("extensions").is_none());
    assert_eq!(material(&glb, "block_crack")["pbrMetallicRoughness"]["metallicFactor"], 0.5);
}

#[test]
fn a_look_of_the_scene_counts_in_glb_and_obj_alike() {
    let mut frame = sample::frame(1);
    let cheese = Look::named("cheese").unwrap();
    frame.bodies[0].look = Some(cheese);
    assert!((color(material(&glb(frame.clone()), "block")) - cheese.color).norm() < 1e-6);
    let (folder, _) = exported(frame, Format::Obj);
    let library = text_of(folder.path(), "scene.mtl");
    let of_block = library.split("newmtl ").find(|part| part.starts_with("block\n")).expect("block");
    // Cheese is [240, 196, 92] on the screen.
    assert!(of_block.contains("\nKd 0.9412 0.7686 0.3608\n"), "{of_block}");
    assert!(of_block.contains("\nPr 0.500\n") && of_block.contains("\nillum 2\n"), "{of_block}");
}

#[test]
fn bodies_of_two_materials_have_both_in_every_file() {
    let mut frame = halves();
    frame.number = 1;
    let body = &mut frame.bodies[0];
    body.materials = vec!["brick".into(), "plaster".into()];
    let kinds = (0..body.surface.triangles.len() as u32).map(|triangle| triangle % 2).collect();
    body.surface.face_attributes.set(names::MATERIAL, Data::Index(kinds));
    let folder = tempfile::tempdir().unwrap();
    export_shards(&frame, &[], &ShardSettings::default(), folder.path()).unwrap();
    let shards = parse(&bytes_of(folder.path(), "shards.glb"));
    for glb in [glb(frame.clone()), shards] {
        for (name, look) in [("block", "brick"), ("block_material_1", "plaster")] {
            assert!((color(material(&glb, name)) - Look::named(look).unwrap().color).norm() < 1e-6, "{name}");
        }
        let triangles: usize = ["block", "block_material_1", "block_crack", "block_material_1_crack"]
            .iter()
            .filter_map(|name| glb.json["materials"].as_array()?.iter().position(|material| material["name"] == *name))
            .map(|number| triangles_of(&glb, number))
            .sum();
        assert_eq!(triangles, frame.bodies[0].surface.triangles.len());
    }
    let (folder, _) = exported(frame, Format::Obj);
    let library = text_of(folder.path(), "scene.mtl");
    assert!(library.contains("newmtl block\n") && library.contains("newmtl block_material_1\n"), "{library}");
}

/// Number of triangles with a material.
fn triangles_of(glb: &Glb, material: usize) -> usize {
    let meshes = glb.json["meshes"].as_array().expect("meshes").iter();
    let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().expect("primitives"));
    let own = primitives.filter(|primitive| primitive["material"] == material && primitive["mode"] == 4);
    let count = |primitive: &Value| {
        let accessor = primitive["indices"].as_u64().expect("indices") as usize;
        glb.json["accessors"][accessor]["count"].as_u64().expect("a count") as usize / 3
    };
    own.map(count).sum()
}

#[test]
fn bodies_of_unknown_materials_have_distinct_colours() {
    let mut frame = sample::frame(1);
    for (body, name) in frame.bodies.iter_mut().zip(["block", "cloud"]) {
        body.materials = vec!["custom".into()];
        body.name = name.into();
    }
    let glb = glb(frame);
    assert!((color(material(&glb, "block")) - color(material(&glb, "cloud"))).norm() > 0.05);
}

/// Material of the crack faces of glass with a model material outside.
fn inside(paint: Paint) -> Value {
    let mut outer: SourceSurface = wrapping();
    outer.corners.materials = vec![0; outer.triangles.len()];
    // All triangles show the picture from 0.05 to 0.45 across, over its whole height.
    let triangles = [[[0.05, 0.0], [0.45, 0.0], [0.45, 1.0]], [[0.05, 0.0], [0.45, 1.0], [0.05, 1.0]]];
    outer.corners.texture = triangles.repeat(outer.triangles.len() / 2);
    outer.paints = vec![paint];
    let folder = tempfile::tempdir().unwrap();
    let settings = ShardSettings { crack_detail: None, ..ShardSettings::default() };
    export_shards(&halves(), &[vec![outer]], &settings, folder.path()).unwrap();
    material(&parse(&bytes_of(folder.path(), "shards.glb")), "block_crack").clone()
}

#[test]
fn the_inside_of_a_model_with_materials_matches_its_outside() {
    let red = inside(Paint { name: "red".into(), colour: Some([0.5, 0.1, 0.1, 1.0]), picture: None });
    let matching = Look { color: Vec3::new(0.5, 0.1, 0.1), ..Look::named("clay").unwrap() }.cracked();
    assert!((color(&red) - matching.color).norm() < 1e-6, "{red}");
    assert!(red["extensions"].get("KHR_materials_transmission").is_none(), "{red}");
    let bytes = b"\x89PNG\r\n\x1a\n and more".as_slice().into();
    let picture = Some(PaintPicture { media_type: "image/png", bytes });
    let pictured = inside(Paint { name: "photo".into(), colour: None, picture });
    assert!((color(&pictured) - Look::named("glass").unwrap().opaque().cracked().color).norm() < 1e-6, "{pictured}");
    assert!(pictured["extensions"].get("KHR_materials_transmission").is_none(), "{pictured}");
    let plain = inside(Paint { name: "plain".into(), ..Paint::default() });
    assert_eq!(plain["extensions"]["KHR_materials_transmission"]["transmissionFactor"], 1.0, "{plain}");
}

/// A picture of 4 × 4 texels: rows of white and black on the left, blue on the right.
fn striped() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 4);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let row = |value: u8| [[value; 3], [value; 3], [0, 0, 255], [0, 0, 255]].concat();
    let rows = [255, 0, 255, 0].map(row).concat();
    encoder.write_header().unwrap().write_image_data(&rows).unwrap();
    bytes
}

#[test]
fn the_inside_of_a_model_with_a_picture_has_the_mean_colour_of_what_is_seen_of_it() {
    let picture = PaintPicture { media_type: "image/png", bytes: striped().into() };
    for (factor, mean) in [(None, [0.5, 0.5, 0.5]), (Some([1.0, 0.5, 0.2, 1.0]), [0.5, 0.25, 0.1])] {
        let crack = inside(Paint { name: "stripes".into(), colour: factor, picture: Some(picture.clone()) });
        let matching = Look { color: Vec3::from(mean), ..Look::named("clay").unwrap() }.cracked();
        assert!((color(&crack) - matching.color).amax() < 0.01, "{crack}");
        assert!(number(&crack["pbrMetallicRoughness"]["roughnessFactor"]) > 0.2, "{crack}");
        assert!(crack["extensions"].get("KHR_materials_transmission").is_none(), "{crack}");
    }
}
