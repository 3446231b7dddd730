//! Invalid scenes: one message with file, line and column, and nothing written.

use crate::workshop::{BLOCK, Workshop};

/// Checks and runs the block's scene with `from` replaced, and expects the same message with these
/// words at the first occurrence of `at` in the file.
#[track_caller]
fn refused(from: &str, to: &str, at: &str, words: &[&str]) {
    let text = BLOCK.replacen(from, to, 1);
    assert_ne!(text, BLOCK, "nothing was replaced");
    let before = &text[..text.find(at).expect("the place is in the scene")];
    let column = before.lines().last().map_or(0, str::len) * usize::from(!before.ends_with('\n'));
    let place = format!("scene.toml:{}:{}", 1 + before.matches('\n').count(), 1 + column);
    let words = [words, &[&place]].concat();
    let workshop = Workshop::with_scene(&text);
    let checked = workshop.craze(&["check", "scene.toml"]).failed_with(&words);
    let run = workshop.craze(&["run", "scene.toml"]).failed_with(&words);
    assert_eq!(checked, run);
    assert_eq!(workshop.files("."), ["scene.toml"], "nothing is left behind");
}

const BOX: &str = "shape.box = { size = [0.1, 0.1, 0.1] }";

#[test]
fn an_unknown_key_is_shown_with_the_nearest_one() {
    refused("duration", "duratoin", "duratoin", &["`duratoin` in `world`", "did you mean `duration`?"]);
    refused("density", "densty", "densty", &["`densty`", "did you mean `density`?"]);
    refused("shape.box", "shape.bx", "bx", &["`bx`", "did you mean `box`?"]);
}

#[test]
fn a_misspelt_method_is_shown_with_the_nearest_one() {
    refused("\"solid\"", "\"sold\"", "\"sold\"", &["did you mean \"solid\"?", "clusters"]);
}

#[test]
fn a_misspelt_preset_is_shown_with_the_nearest_one() {
    let words = ["there is no preset \"rubbr\"", "did you mean \"rubber\"?"];
    refused("density = 1000, young = 1e5, poisson = 0.3", "preset = \"rubbr\"", "\"rubbr\"", &words);
}

#[test]
fn numbers_out_of_range_are_refused() {
    refused("density = 1000", "density = -1000", "-1000", &["density", "-1000", "above 0"]);
    refused("poisson = 0.3", "poisson = 0.5", "0.5 }", &["poisson"]);
    refused("edge = 0.05", "edge = 1e-9", "1e-9", &["edge", "makes about 6e24 tetrahedra", "metres"]);
    refused("fps = 50", "fps = 0", "0\n[[body", &["fps", "above 0"]);
}

#[test]
fn nan_is_refused() {
    refused("young = 1e5", "young = nan", "nan", &["young", "not a finite number"]);
    refused("fps = 50", "fps = inf", "inf", &["fps", "not a finite number"]);
    refused("at = [0, 0.06, 0]", "at = [0, -nan, 0]", "-nan", &["`body[0].place.at[1]`", "not a finite number"]);
}

#[test]
fn a_wrong_type_is_named_at_its_key() {
    let words = ["`body[0].edge` must be a number (metres), not a string", "write 0.05 (metres)"];
    refused("edge = 0.05", "edge = \"5 cm\"", "\"5 cm\"", &words);
    refused("at = [0, 0.06, 0]", "at = 3", "3, vel", &["`body[0].place.at` must be a list of 3 numbers"]);
    // A shape is an enum: the error must point at the wrong key, not say that no variant matched.
    refused(BOX, "shape.box = { size = true }", "true", &["`body[0].shape.box.size` must be a list of 3 numbers"]);
    refused(BOX, "shape = 3", "3\n", &["`body[0].shape` must be a table"]);
}

#[test]
fn a_region_that_selects_nothing_points_at_the_region() {
    let hold = "[[hold]]\nbody = \"block\"\nregion.sphere = { center = [9, 9, 9], radius = 0.1 }\n[[probe]]";
    let words = ["no part of body \"block\" lies in this region", "world coordinates"];
    refused("[[probe]]", hold, "region", &words);
}

#[test]
fn two_bodies_with_the_same_name_are_refused() {
    let twin =
        "name = \"block\" # again\nmethod = \"clusters\"\nshape.sphere = { radius = 0.1 }\nmaterial.preset = \"cork\"";
    let words = ["the name \"block\" is taken by the body on line 6", "give each its own name"];
    refused("[[obstacle]]", &format!("[[body]]\n{twin}\n[[obstacle]]"), "\"block\" # again", &words);
}

#[test]
fn an_empty_scene_is_refused() {
    for text in ["", "\n\n", "# nothing yet\n", "[world]\nduration = 1\n"] {
        let workshop = Workshop::with_scene(text);
        workshop.craze(&["run", "scene.toml"]).failed_with(&["scene.toml", "body"]);
        assert_eq!(workshop.files("."), ["scene.toml"]);
    }
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let workshop = Workshop::with_scene(&BLOCK.replace("duration", "duratoin").replace("0.05", "\"thin\""));
    let answer = workshop.craze(&["check", "scene.toml"]);
    assert_eq!(answer.code, Some(1), "{answer}");
    assert!(answer.stderr.contains("scene.toml:3:1") && answer.stderr.contains("scene.toml:9:8"), "{answer}");
}

#[test]
fn a_truncated_file_is_refused_where_it_ends() {
    let workshop = Workshop::with_scene("[world]\nduration = 1.0\n[[body]]\nname = \"blo");
    workshop.craze(&["run", "scene.toml"]).failed_with(&["not valid TOML", "scene.toml:4:"]);
}

#[test]
fn a_binary_file_is_not_a_scene() {
    let workshop = Workshop::new();
    workshop.write("noise.bin", [b"glTF".as_slice(), &[2, 0, 0, 0, 0xff, 0xfe, 0x80]].concat());
    workshop.craze(&["run", "noise.bin"]).failed_with(&["noise.bin", "not a text file"]);
    workshop.craze(&["check", env!("CARGO_BIN_EXE_craze")]).failed_with(&["craze"]);
    assert_eq!(workshop.files("."), ["noise.bin"]);
}

#[test]
fn a_folder_is_not_a_scene() {
    let workshop = Workshop::with_scene(BLOCK);
    workshop.craze(&["run", "."]).failed_with(&["this is a folder, not a scene file"]);
}

#[test]
fn a_model_is_not_a_scene() {
    let workshop = Workshop::new();
    workshop.write("leaf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    workshop.craze(&["run", "leaf.obj"]).failed_with(&["is a model, not a scene", "`craze inspect leaf.obj`"]);
}

#[test]
fn a_missing_file_is_named() {
    let workshop = Workshop::new();
    workshop.craze(&["run", "bowl.toml"]).failed_with(&["there is no such file", "bowl.toml", "craze new"]);
    workshop.craze(&["check", "no/where"]).failed_with(&["there is no such file", "no/where"]);
    assert!(workshop.files(".").is_empty());
}

#[test]
fn a_misspelt_built_in_scene_is_shown_with_the_nearest_one() {
    let workshop = Workshop::new();
    for call in [["run", "two-bodys"], ["check", "two-bodys"], ["scenes", "two-bodys"]] {
        workshop.craze(&call).failed_with(&["\"two-bodys\"", "did you mean \"two-bodies\"?"]);
    }
    workshop.craze(&["run", "zzzzzz"]).failed_with(&["\"zzzzzz\"", "`craze scenes` lists"]);
}

#[test]
fn a_missing_model_is_named_at_its_key() {
    let words = ["cannot read", "bowl.obj", "relative to the scene file"];
    refused(BOX, "shape.mesh.file = \"bowl.obj\"", "\"bowl.obj\"", &words);
}

#[test]
fn changes_from_the_command_line_are_checked_like_the_file() {
    let workshop = Workshop::with_scene(BLOCK);
    let refused = |change: &str, words: &[&str]| {
        workshop.craze(&["run", "scene.toml", "--set", change]).failed_with(&[&["--set:1:", change], words].concat());
    };
    refused("world.duratoin=1", &["did you mean `duration`?"]);
    refused("body.blok.edge=1", &["there is no body called \"blok\"", "did you mean \"block\"?"]);
    refused("body.block.edge=-1", &["above 0"]);
    refused("body.block.edge=nan", &["not a finite number"]);
    refused("body.block.edge", &["gives no value", "write key=value"]);
    refused("body[7].edge=1", &["there is no number 7"]);
    refused("body.block.material.preset=rubbr", &["did you mean \"rubber\"?"]);
    workshop.craze(&["run", "scene.toml", "--frames", "4000000000"]).failed_with(&["duration", "at most"]);
    workshop.craze(&["run", "scene.toml", "--frames", "0"]).misused_with(&["--frames"]);
    workshop.craze(&["run", "scene.toml", "--frames", "-1"]).misused_with(&["invalid value '-1' for '--frames"]);
    workshop.craze(&["run", "scene.toml", "--seed", "-1"]).misused_with(&["a seed is an integer from 0"]);
    workshop.craze(&["run", "scene.toml", "--seed", "99999999999999999999"]).misused_with(&["an integer"]);
    workshop.craze(&["run", "scene.toml", "--threads", "0"]).misused_with(&["--threads"]);
    workshop.craze(&["run", "scene.toml", "--farmes", "3"]).misused_with(&["--farmes", "--frames"]);
    workshop.craze(&["rum", "scene.toml"]).misused_with(&["'rum'", "'run'"]);
    workshop.craze(&["run"]).misused_with(&["<SCENE>"]);
    assert_eq!(workshop.files("."), ["scene.toml"]);
}

#[test]
fn a_material_that_needs_too_many_steps_is_refused_at_once() {
    let workshop = Workshop::with_scene(BLOCK);
    let stiff = "body.block.material.young=1e30";
    workshop.craze(&["run", "scene.toml", "--set", stiff]).failed_with(&["\"block\"", "asks for steps of"]);
    assert!(workshop.record("out/scene")["result"]["failed"].is_string());
}

#[test]
fn errors_are_json_on_request() {
    let workshop = Workshop::with_scene(&BLOCK.replace("duration", "duratoin"));
    let answer = workshop.craze(&["run", "scene.toml", "--json"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(1), ""), "{answer}");
    let errors: serde_json::Value = serde_json::from_str(&answer.stderr).expect("one object");
    assert_eq!(errors["errors"][0]["line"], 3, "{errors}");
    let answer = workshop.craze(&["render", "nowhere", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&answer.stderr).expect("one object");
    assert!(error["error"].as_str().is_some_and(|text| text.contains("nowhere")), "{error}");
}
