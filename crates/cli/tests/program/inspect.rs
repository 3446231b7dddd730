//! `craze inspect`: what people point it at.

use crate::workshop::Workshop;
use serde_json::Value;
use std::fs;

/// A cube of 2 units, the side toward −z missing if it is open.
fn cube(open: bool) -> String {
    let mut text = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
        f 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
        .to_owned();
    if !open {
        text += "f 4 3 2 1\n";
    }
    text
}

fn inspected(workshop: &Workshop, arguments: &[&str]) -> Value {
    let arguments = [&["inspect", "--json", "--no-picture"], arguments].concat();
    serde_json::from_str(&workshop.craze(&arguments).succeeded()).expect("JSON")
}

#[test]
fn a_cube_is_measured_in_the_unit_that_was_said() {
    let workshop = Workshop::new();
    workshop.write("cube.obj", cube(false));
    let told = inspected(&workshop, &["cube.obj", "--unit", "cm", "--material", "glass", "--edge", "0.004"]);
    let near = |value: &Value, expected: f64| (value.as_f64().expect("a number") / expected - 1.0).abs() < 1e-9;
    assert!(near(&told["volume"], 8e-6) && near(&told["area"], 24e-4), "{told}");
    assert!((0..3).all(|axis| near(&told["size"][axis], 0.02)), "{told}");
    assert_eq!(told["surface"]["closed"], true);
    assert_eq!(told["repairs"], serde_json::json!([]));
    assert!(near(&told["thinnest"]["thickness"], 0.02), "{told}");
    let density = told["mass"].as_f64().expect("a mass") / 8e-6;
    assert!((2000.0..3000.0).contains(&density), "{density}");
    let tetrahedra = &told["tetrahedra"];
    assert!(tetrahedra["count"].as_u64().is_some_and(|count| count > 300), "{told}");
    assert!((tetrahedra["volume"].as_f64().expect("a volume") / 8e-6 - 1.0).abs() < 0.03, "{told}");
}

#[test]
fn an_open_model_says_so_and_still_has_an_inside() {
    let workshop = Workshop::new();
    workshop.write("box.obj", cube(true));
    let told = inspected(&workshop, &["box.obj", "--size", "0.1"]);
    assert_eq!(told["surface"]["closed"], false);
    assert!(told["repairs"][0].as_str().is_some_and(|text| text.contains("open")), "{told}");
    let volume = told["volume"].as_f64().expect("a volume");
    assert!((0.8e-3..1.2e-3).contains(&volume), "{volume}");
    // A single triangle has no inside, and that is no reason to fail.
    workshop.write("leaf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let told = workshop.craze(&["inspect", "--no-picture", "leaf.obj"]).succeeded();
    assert!(told.contains("inside"), "{told}");
}

#[test]
fn shapes_and_sheets_are_known_by_name_and_pictured() {
    let workshop = Workshop::new();
    let told = workshop.craze(&["inspect", "cylinder"]).succeeded();
    assert!(told.contains("tetrahedra") && told.contains("cylinder.png"), "{told}");
    let told = workshop.craze(&["inspect", "sheet.disc", "-o", "round.png"]).succeeded();
    assert!(told.contains("triangles"), "{told}");
    for picture in ["cylinder.png", "round.png"] {
        assert!(fs::read(workshop.path(picture)).expect("a picture").starts_with(b"\x89PNG"));
    }
    workshop.craze(&["inspect", "mugg"]).failed_with(&["did you mean \"mug\"?"]);
}

#[test]
fn what_is_no_model_is_named() {
    let workshop = Workshop::new();
    workshop.write("noise.stl", [7u8; 300]);
    workshop.write("words.obj", "this is not a model\n");
    workshop.write("empty.ply", "");
    for (model, words) in [
        ("missing.obj", "cannot read"),
        ("noise.stl", "noise.stl"),
        ("words.obj", "words.obj"),
        ("empty.ply", "empty.ply"),
    ] {
        workshop.craze(&["inspect", "--no-picture", model]).failed_with(&[words]);
    }
    workshop.craze(&["inspect", "--no-picture", "mug", "--edge", "1e-9"]).failed_with(&["too fine"]);
    workshop.craze(&["inspect", "--no-picture", "mug", "--material", "glas"]).failed_with(&["did you mean \"glass\"?"]);
    for wrong in [["--unit", "parsec"], ["--size", "-1"], ["--edge", "0"]] {
        workshop.craze(&["inspect", "mug", wrong[0], wrong[1]]).misused_with(&[wrong[0]]);
    }
}
