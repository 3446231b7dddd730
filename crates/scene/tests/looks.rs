//! `look`: names and colours of bodies arrive in frames, and nowhere else.

use craze_frame::{BodyFrame, Look};
use craze_scene::{SceneDocument, build};

/// A block with these keys.
fn scene(keys: &str) -> String {
    format!(
        "[world]\nduration = 0.02\nfps = 50\n[[body]]\nname = \"block\"\nmethod = \"solid\"\n\
         shape.box = {{ size = [0.1, 0.1, 0.1] }}\nedge = 0.05\n{keys}\n"
    )
}

const SOFT: &str = "material = { density = 1000, young = 1e5, poisson = 0.3 }";

/// The body of the first frame after the start, and the hash of the state.
fn body(keys: &str) -> (BodyFrame, u64) {
    let document = SceneDocument::parse(&scene(keys), "block.toml", &[]).expect("a scene");
    let mut world = build(&document).expect("a world").world;
    world.advance_frame(&mut |_| craze_engine::Verdict::Continue).expect("a frame");
    let mut frame = world.frame();
    let body = frame.bodies.remove(0);
    let bare = BodyFrame { look: None, ..body.clone() };
    (body, craze_frame::Frame { bodies: vec![bare], ..frame }.state_hash())
}

fn refusal(keys: &str) -> String {
    SceneDocument::parse(&scene(keys), "block.toml", &[]).expect_err("a wrong scene").to_string()
}

#[test]
fn a_named_look_arrives_in_frames_and_changes_nothing_else() {
    let (plain, hash) = body(SOFT);
    assert_eq!(plain.look, None);
    let (cheese, other) = body(&format!("{SOFT}\nlook.name = \"cheese\""));
    assert_eq!(cheese.look, Look::named("cheese"));
    assert_eq!(cheese.looks(), [Look::named("cheese").unwrap()]);
    assert_eq!(hash, other);
}

#[test]
fn colour_and_roughness_change_the_look_of_the_material() {
    let (body, _) = body("material.preset = \"clay\"\nlook = { color = \"#ff0000\", roughness = 0.25 }");
    let clay = Look::named("clay").unwrap();
    assert_eq!(body.look, Some(Look { color: craze_math::Vec3::x(), roughness: 0.25, ..clay }));
}

#[test]
fn every_preset_is_the_name_of_a_look() {
    for name in craze_material::presets::names() {
        let text = scene(&format!("{SOFT}\nlook.name = \"{name}\""));
        SceneDocument::parse(&text, "block.toml", &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn unknown_names_and_colours_are_refused_with_what_was_meant() {
    let name = refusal(&format!("{SOFT}\nlook.name = \"chese\""));
    assert!(name.contains("chese") && name.contains("did you mean \"cheese\""), "{name}");
    let color = refusal(&format!("{SOFT}\nlook.color = \"yellow\""));
    assert!(color.contains("\"yellow\" is no colour") && color.contains("#f0c45c"), "{color}");
    let roughness = refusal(&format!("{SOFT}\nlook.roughness = 2"));
    assert!(roughness.contains("look.roughness"), "{roughness}");
    let key = refusal(&format!("{SOFT}\nlook.colour = \"#f0c45c\""));
    assert!(key.contains("did you mean `color`"), "{key}");
}
