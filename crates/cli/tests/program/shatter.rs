//! Behaviour of `craze shatter`, including misuse.

use crate::workshop::Workshop;
use serde_json::Value;
use std::fs;

/// A block standing on its tip, and a square sheet.
const BLOCK: &str = "v 0 -1 0\nv 1 0 0\nv 0 0 1\nv -1 0 0\nv 0 0 -1\nv 0 1 0\n\
    f 2 3 1\nf 3 4 1\nf 4 5 1\nf 5 2 1\nf 3 2 6\nf 4 3 6\nf 5 4 6\nf 2 5 6\n";
const SHEET: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n";

/// A workshop with models.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("block.obj", BLOCK);
    workshop.write("sheet.obj", SHEET);
    workshop
}

/// Expects a usage error.
fn misused(arguments: &[&str], words: &[&str]) {
    workshop().craze(&[&["shatter"], arguments].concat()).misused_with(words);
}

/// Expects a failure.
fn refused(arguments: &[&str], words: &[&str]) {
    workshop().craze(&[&["shatter"], arguments].concat()).failed_with(words);
}

#[test]
fn invalid_numbers_are_refused_with_advice() {
    misused(&["block.obj", "--drop", "-1"], &["nothing falls from -1 m", "above 0"]);
    misused(&["block.obj", "--drop", "0"], &["above 0"]);
    misused(&["block.obj", "--pieces", "1"], &["one piece is the model itself", "2 or more"]);
    misused(&["block.obj", "--pieces", "0"], &["2 or more"]);
    misused(&["block.obj", "--pieces", "-3"], &["2 or more"]);
    misused(&["block.obj", "--pieces", "1000000"], &["too many"]);
    misused(&["block.obj", "--size", "0"], &["above 0"]);
    misused(&["block.obj", "--hit", "0,1,0"], &["0,0.1,0@8"]);
    misused(&["block.obj", "--hit", "0,1,0@-2"], &["above 0"]);
    misused(&["block.obj", "--hit", "0,0,0@5"], &["toward its surface"]);
    misused(&["block.obj", "--pull", "w"], &["x, y or z"]);
}

#[test]
fn loads_are_exclusive() {
    misused(&["block.obj", "--drop", "1", "--hit", "0,1,0@5"], &["--drop", "--hit", "cannot be used with"]);
    misused(&["block.obj", "--pull", "y", "--hit", "0,1,0@5"], &["--pull", "--hit", "cannot be used with"]);
}

#[test]
fn models_that_cannot_be_shattered_are_reported() {
    refused(&["missing.obj"], &["missing.obj"]);
    refused(&["bowll"], &["did you mean \"bowl\"?"]);
    refused(&["sheet.obj"], &["a solid needs a closed surface"]);
    refused(&["bowl", "--size", "2"], &["built in"]);
    refused(&["block.obj", "--material", "glas"], &["did you mean \"glass\"?"]);
}

#[test]
fn invalid_loads_are_refused_before_meshing() {
    refused(&["block.obj", "--drop", "1e9"], &["exceeds the speed of sound in glass", "lower height"]);
    refused(&["block.obj", "--hit", "0,1,0@1e6"], &["speed of sound"]);
    refused(&["block.obj", "--detail", "draft", "--drop", "1e-6"], &["too slow", "let it fall from 0.039"]);
    refused(&["block.obj", "--detail", "draft", "--hit", "0,1,0@0.001"], &["too slow", "m/s or more"]);
    refused(&["block.obj", "--detail", "draft", "--size", "9000", "--pull", "y"], &["too slow", "--size 0.3"]);
}

#[test]
fn invalid_folders_are_reported_before_meshing() {
    refused(&["block.obj", "-o", "sheet.obj/shards"], &["cannot create the folder", "-o"]);
    // The name is too long; its parent folders are removed.
    let workshop = workshop();
    let place = format!("on/the/way/{}", "long".repeat(100));
    workshop.craze(&["shatter", "block.obj", "-o", &place]).failed_with(&["cannot create the folder", "-o"]);
    assert!(!workshop.path("on").exists());
}

#[test]
#[ignore = "a whole run with its trials: a minute"]
fn a_block_becomes_closed_shards_and_a_run_that_can_be_repeated() {
    let workshop = workshop();
    let asked = ["shatter", "block.obj", "--size", "0.2", "--detail", "draft", "-o", "run", "--json"];
    let lines = workshop.craze(&asked).succeeded();
    let told: Value = lines.lines().last().map(|line| serde_json::from_str(line).expect("JSON")).expect("a line");
    assert!(told["shards"].as_u64() >= Some(2), "{told}");
    assert_eq!(told["open"], 0, "{told}");
    // A busy machine has no time for preview.gif.
    for file in ["shards.glb", "animation.glb", "scene.toml", "run.json", "preview.png"] {
        assert!(workshop.path("run").join(file).is_file(), "{file}");
    }
    let broken = &workshop.record("run")["broken"][0];
    assert_eq!(broken["body"], "block", "{broken}");
    // All pieces are closed. A crack may leave a piece that touches itself in a point, which the
    // record names.
    let pieces = broken["pieces"].as_array().expect("a list");
    assert!(pieces.len() >= 2 && pieces.iter().all(|piece| piece["closed"] == true), "{broken}");
    let faults = || pieces.iter().flat_map(|piece| piece["faults"].as_array().expect("a list"));
    assert!(faults().all(|fault| fault["kind"] == "pinch-point" || fault["kind"] == "pinched-edge"), "{broken}");
    let [start, end] = ["volume_at_start", "volume"].map(|name| broken[name].as_f64().expect("a volume"));
    assert!((start - end).abs() < 1e-12 * start, "{start} {end}");
    let scene = fs::read_to_string(workshop.path("run/scene.toml")).expect("a scene");
    assert!(scene.contains("tensile_strength") && scene.contains("look_every"), "{scene}");
    workshop.craze(&["check", "run/scene.toml"]).succeeded();
    // It exists now and is not replaced without --force.
    workshop.craze(&asked[..asked.len() - 1]).failed_with(&["--force"]);
}
