//! Behaviour of `craze inspect`.

use crate::workshop::Workshop;
use serde_json::Value;
use std::fs;

/// A cube of 2 units; the face toward −z is missing if it is open.
fn cube(open: bool) -> String {
    let mut text = block([-1.0; 3], [1.0; 3]);
    if open {
        text = text.replace("f -5 -6 -7 -8\n", "");
    }
    text
}

/// A block between two corners, appendable to others.
fn block(from: [f64; 3], to: [f64; 3]) -> String {
    let corner = |x: bool, y: bool, z: bool| {
        let [x, y, z] = [x, y, z].map(usize::from);
        format!("v {} {} {}\n", [from, to][x][0], [from, to][y][1], [from, to][z][2])
    };
    let round = |z| [(false, false), (true, false), (true, true), (false, true)].map(|(x, y)| corner(x, y, z)).concat();
    let faces = "f -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\nf -5 -6 -7 -8\n";
    round(false) + &round(true) + faces
}

fn inspected(workshop: &Workshop, arguments: &[&str]) -> Value {
    let arguments = [&["inspect", "--json", "--no-picture"], arguments].concat();
    serde_json::from_str(&workshop.craze(&arguments).succeeded()).expect("JSON")
}

#[test]
fn a_cube_is_measured_in_the_given_unit() {
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
    let memory =
        |key: &str| told["memory"][key].as_f64().expect("bytes") / tetrahedra["count"].as_f64().expect("a count");
    assert!((100.0..400.0).contains(&memory("solid")) && (100.0..400.0).contains(&memory("meshing")), "{told}");
}

#[test]
fn unit_and_axis_are_applied() {
    let workshop = Workshop::new();
    workshop.write("block.obj", block([0.0; 3], [1.0, 2.0, 3.0]));
    for (unit, up, size) in [
        ("m", "y", [1.0, 2.0, 3.0]),
        ("m", "z", [1.0, 3.0, 2.0]),
        ("m", "x", [2.0, 1.0, 3.0]),
        ("um", "y", [1e-6, 2e-6, 3e-6]),
        ("km", "y", [1e3, 2e3, 3e3]),
        ("in", "z", [0.0254, 0.0762, 0.0508]),
    ] {
        let told = inspected(&workshop, &["block.obj", "--unit", unit, "--up", up, "--edge", "1e9"]);
        let found = told["size"].as_array().expect("lengths");
        let near = |(found, want): (&Value, f64)| (found.as_f64().expect("a length") / want - 1.0).abs() < 1e-9;
        assert!(found.iter().zip(size).all(near), "{unit} {up}: {told}");
    }
    let told = workshop.craze(&["inspect", "--no-picture", "block.obj", "--up", "z", "--unit", "mm"]).succeeded();
    assert!(told.contains("0.001 × 0.003 × 0.002 m (unit mm, z up)"), "{told}");
}

#[test]
fn tetrahedra_of_a_file_are_kept_and_measured() {
    let workshop = Workshop::new();
    let corner = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
        Tetrahedra 1\n1 2 3 4 0\nEnd\n";
    workshop.write("corner.mesh", corner);
    let told = inspected(&workshop, &["corner.mesh"]);
    assert_eq!(told["tetrahedra"]["count"], 1);
    assert!((told["volume"].as_f64().expect("a volume") - 1.0 / 6.0).abs() < 1e-12, "{told}");
    assert_eq!(told["surface"]["closed"], true);
    assert!(told["memory"]["meshing"].is_null() && told["memory"]["solid"].is_number(), "{told}");
    // As in a scene, a requested edge replaces them.
    let told = inspected(&workshop, &["corner.mesh", "--edge", "0.1"]);
    assert_eq!(told["tetrahedra"]["edge"], 0.1);
    assert!(told["tetrahedra"]["count"].as_u64().expect("a number") > 100, "{told}");
    assert!(told["memory"]["meshing"].is_number() && told["regions"].is_null(), "{told}");
}

#[test]
fn a_mesh_too_large_for_a_report_is_estimated() {
    let workshop = Workshop::new();
    workshop.write("cube.obj", cube(false));
    let fine = ["inspect", "--no-picture", "cube.obj", "--size", "1", "--edge", "0.004"];
    let told = workshop.craze(&fine).succeeded();
    assert!(told.contains("tetrahedra  about ") && told.contains(",000 at an edge of 0.004 m\n"), "{told}");
    assert!(told.contains("GB as a solid, about ") && told.contains("GB before that while it is meshed"), "{told}");
    let told = inspected(&workshop, &["cube.obj", "--size", "1", "--edge", "1e-5"]);
    assert_eq!((&told["tetrahedra"]["estimated"], &told["tetrahedra"]["too_fine"]), (&true.into(), &true.into()));
    for shape in ["mug", "box"] {
        let told = workshop.craze(&["inspect", "--no-picture", shape, "--edge", "1e-9"]).succeeded();
        assert!(told.contains("too fine, at most 50,000,000 are made"), "{told}");
    }
}

#[test]
fn the_thinnest_wall_is_reported_once_and_thin_places_are_counted() {
    let workshop = Workshop::new();
    let fin = block([-0.01, 0.4, -0.3], [0.01, 1.0, 0.3]);
    workshop.write("fin.obj", block([-0.5; 3], [0.5; 3]) + &fin);
    let arguments = ["inspect", "--no-picture", "fin.obj", "--edge", "0.06"];
    let told = workshop.craze(&arguments).succeeded();
    assert_eq!(told.matches("thinnest").count(), 1, "{told}");
    assert!(told.contains("cells were halved there"), "{told}");
    let told = inspected(&workshop, &["fin.obj", "--edge", "0.06"]);
    let thinnest = &told["thinnest"];
    assert!((thinnest["thickness"].as_f64().expect("a wall") - 0.02).abs() < 1e-9, "{told}");
    assert!(thinnest["place"][1].as_f64().is_some_and(|height| height > 0.0), "{told}");
    assert!(thinnest["median"].as_f64().is_some_and(|half| half > 0.9), "{told}");
    assert!(told["thin"]["found"].as_u64().is_some_and(|found| found > 0), "{told}");
}

#[test]
fn an_open_model_is_reported_and_still_has_an_inside() {
    let workshop = Workshop::new();
    workshop.write("box.obj", cube(true));
    let told = inspected(&workshop, &["box.obj", "--size", "0.1"]);
    assert_eq!(told["surface"]["closed"], false);
    assert!(told["repairs"][0].as_str().is_some_and(|text| text.contains("open")), "{told}");
    let volume = told["volume"].as_f64().expect("a volume");
    assert!((0.8e-3..1.2e-3).contains(&volume), "{volume}");
    assert_eq!((&told["sheet"]["rims"], &told["sheet"]["non_manifold_edges"]), (&1.into(), &0.into()), "{told}");
    // A single triangle has no inside, which is not an error.
    workshop.write("leaf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let told = workshop.craze(&["inspect", "--no-picture", "leaf.obj"]).succeeded();
    assert!(told.contains("inside") && told.contains("1 rim, about 4,000 triangles at an edge of 0.017 m"), "{told}");
    // Three pages that share an edge.
    workshop.write("book.obj", "v 0 0 0\nv 0 1 0\nv 1 0 0\nv -1 0 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n");
    let told = inspected(&workshop, &["book.obj", "--edge", "0.1"]);
    assert_eq!((&told["sheet"]["non_manifold_edges"], &told["sheet"]["edge"]), (&1.into(), &0.1.into()), "{told}");
    assert!((told["sheet"]["triangles"].as_f64().expect("a count") / 346.4 - 1.0).abs() < 1e-3, "{told}");
    // A closed surface is not a sheet.
    workshop.write("cube.obj", cube(false));
    assert!(inspected(&workshop, &["cube.obj", "--edge", "0.5"])["sheet"].is_null());
}

#[test]
fn shapes_and_sheets_are_known_by_name_and_pictured() {
    let workshop = Workshop::new();
    let told = workshop.craze(&["inspect", "cylinder"]).succeeded();
    assert!(told.contains("tetrahedra") && told.contains("cylinder.inspect.png"), "{told}");
    let told = workshop.craze(&["inspect", "sheet.disc", "-o", "round.png"]).succeeded();
    assert!(told.contains("triangles"), "{told}");
    for picture in ["cylinder.inspect.png", "round.png"] {
        assert!(fs::read(workshop.path(picture)).expect("a picture").starts_with(b"\x89PNG"));
    }
    workshop.craze(&["inspect", "mugg"]).failed_with(&["did you mean \"mug\"?"]);
    workshop.craze(&["inspect", "sheet.disc", "--material", "steel"]).failed_with(&["no thickness", "--material"]);
}

#[test]
fn the_picture_does_not_replace_files_beside_the_model() {
    let workshop = Workshop::new();
    workshop.write("cube.obj", cube(false));
    workshop.write("cube.png", "a texture");
    let told = workshop.craze(&["inspect", "cube.obj", "--edge", "0.5"]).succeeded();
    assert!(told.contains("picture     cube.inspect.png"), "{told}");
    assert_eq!(fs::read(workshop.path("cube.png")).expect("the texture"), b"a texture");
    assert!(fs::read(workshop.path("cube.inspect.png")).expect("a picture").starts_with(b"\x89PNG"));
    workshop.craze(&["inspect", "cube.obj", "-o", "cube.obj"]).misused_with(&["ends in .png"]);
    // Facts are printed even if the picture cannot be written.
    let outcome = workshop.craze(&["inspect", "cube.obj", "--edge", "0.5", "-o", "nowhere/cube.png"]);
    assert!(outcome.stdout.contains("closed, 1 component"));
    outcome.failed_with(&["nowhere"]);
}

#[test]
fn files_that_are_not_models_are_reported() {
    let workshop = Workshop::new();
    workshop.write("noise.stl", [7u8; 300]);
    workshop.write("words.obj", "this is not a model\n");
    workshop.write("empty.ply", "");
    workshop.write("cube.stl", cube(false));
    workshop.write("cube.png", "");
    workshop.write("tiny.obj", block([0.0; 3], [2e-200; 3]));
    for folder in ["folder.obj", "folder"] {
        fs::create_dir(workshop.path(folder)).expect("a folder");
    }
    for (model, words) in [
        ("missing.obj", "cannot read"),
        ("noise.stl", "noise.stl"),
        ("words.obj", "words.obj"),
        ("empty.ply", "empty.ply"),
        ("cube.stl", "rename it to cube.obj"),
        ("cube.png", "unsupported file extension"),
        ("folder.obj", "it is a folder"),
        ("folder", "it is a folder"),
        ("mine.toml", "`craze check mine.toml` looks at it"),
        ("tiny.obj", "2.00e-200 units large"),
    ] {
        workshop.craze(&["inspect", "--no-picture", model]).failed_with(&[words]);
    }
    workshop.craze(&["inspect", "--no-picture", "mug", "--material", "glas"]).failed_with(&["did you mean \"glass\"?"]);
    for wrong in [["--unit", "parsec"], ["--up", "w"], ["--size", "-1"], ["--edge", "0"], ["--edge", "fine"]] {
        workshop.craze(&["inspect", "mug", wrong[0], wrong[1]]).misused_with(&[wrong[0]]);
    }
}
