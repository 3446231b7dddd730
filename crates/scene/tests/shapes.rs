//! Shapes become bodies and obstacles: built-in ones, models, and models that bring their own
//! tetrahedra.

use craze_scene::{Built, SceneDocument, build};
use std::fs;
use std::path::Path;

/// A cube of 0.2 m; the last side is missing if it is open.
const CUBE: &str = "v 0 0 0\nv 0.2 0 0\nv 0.2 0.2 0\nv 0 0.2 0\nv 0 0 0.2\nv 0.2 0 0.2\nv 0.2 0.2 0.2\nv 0 0.2 0.2\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";
const LAST_SIDE: &str = "f 4 1 5 8\n";

/// Two tetrahedra of two regions in Medit's format.
const TETRAHEDRA: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n\
                          Tetrahedra\n2\n1 2 3 4 7\n2 3 4 5 9\nEnd\n";

fn built(text: &str, folder: &Path) -> Result<Built, String> {
    let mut document = SceneDocument::parse(text, "scene.toml", &[]).map_err(|errors| errors.to_string())?;
    document.scene.resolve_files(folder);
    build(&document).map_err(|errors| errors.to_string())
}

fn body(shape: &str, rest: &str) -> String {
    format!("[[body]]\nname = \"thing\"\nmethod = \"solid\"\nshape.{shape}\nmaterial.preset = \"glass\"\n{rest}\n")
}

#[test]
fn a_brick_wall_is_of_two_materials() {
    let wall = "brick_wall = { bricks = [2, 2] }";
    let folder = Path::new(".");
    let frame = |rest: &str| built(&body(wall, rest), folder).expect("a wall").world.frame();
    let two = &frame("materials.mortar.preset = \"concrete\"").bodies[0];
    assert_eq!(two.materials, ["glass", "concrete"]);
    // Mortar weighs what its own volume does: the joints of two courses of two.
    let (brick, mortar): (f64, f64) = (0.24 * 0.071 * 0.115, 0.01);
    let (long, high) = (2.0 * 0.24 + mortar, 2.0 * 0.071 + mortar);
    let one = &frame("").bodies[0];
    let mass = |body: &craze_frame::BodyFrame| body.pieces.iter().map(|piece| piece.mass).sum::<f64>();
    let density = |name: &str| craze_material::Overrides::from_preset(name).resolve().expect("a preset").density;
    // The upper course has three joints' worth of bricks less: two halves and one whole.
    let bricks = 2.0 * brick + brick + 2.0 * (0.115 * 0.071 * 0.115);
    let joints = long * high * 0.115 - bricks;
    let expected = bricks * density("glass") + joints * density("concrete");
    assert!((mass(two) / expected - 1.0).abs() < 1e-9, "{} for {expected}", mass(two));
    assert!((mass(one) / (long * high * 0.115 * density("glass")) - 1.0).abs() < 1e-9);
}

#[test]
fn models_are_filled_and_the_line_says_how_they_were_read() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("cube.obj"), format!("{CUBE}{LAST_SIDE}")).expect("written");
    fs::write(folder.path().join("open.obj"), CUBE).expect("written");
    let line = |shape: &str, rest: &str| built(&body(shape, rest), folder.path()).expect("a body").summary[0].clone();
    let whole = line("mesh = { file = \"cube.obj\" }", "edge = 0.05");
    assert!(whole.contains("cube.obj: OBJ") && whole.contains("tetrahedra") && !whole.contains("open"), "{whole}");
    let open = line("mesh = { file = \"open.obj\" }", "edge = 0.05");
    assert!(open.contains("the surface is open"), "{open}");
    // Half of its size is an eighth of its mass, whatever the unit.
    let small = line("mesh = { file = \"cube.obj\", size = 0.1 }", "");
    assert!(small.contains("0.1 × 0.1 × 0.1 m"), "{small}");
}

#[test]
fn models_with_tetrahedra_keep_them_unless_an_edge_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("two.mesh"), TETRAHEDRA).expect("written");
    let text = |rest: &str| body("mesh = { file = \"two.mesh\" }", rest);
    let line = built(&text(""), folder.path()).expect("a body").summary[0].clone();
    assert!(line.contains("2 tetrahedra") && line.contains("2 regions are all of one material"), "{line}");
    let anew = built(&text("edge = 0.1"), folder.path()).expect("a body").summary[0].clone();
    assert!(anew.contains("its own 2 tetrahedra are replaced by others"), "{anew}");
    let regions = "edge = 0.1\nmaterials.regions = [{ number = 9, material.preset = \"steel\" }]";
    let error = built(&text(regions), folder.path()).err().expect("refused");
    assert!(error.contains("which `edge` replaces") && error.contains("remove `edge`"), "{error}");
}

#[test]
fn regions_of_a_model_are_of_their_own_materials() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("two.mesh"), TETRAHEDRA).expect("written");
    fs::write(folder.path().join("cube.obj"), format!("{CUBE}{LAST_SIDE}")).expect("written");
    let with = |file: &str, rest: &str| built(&body(&format!("mesh = {{ file = \"{file}\" }}"), rest), folder.path());
    let steel = "materials.regions = [{ number = 9, material.preset = \"steel\" }]";
    let two = &with("two.mesh", steel).expect("a body").world.frame().bodies[0];
    assert_eq!(two.materials, ["glass", "steel"]);
    let density = |name: &str| craze_material::Overrides::from_preset(name).resolve().expect("a preset").density;
    // The first tetrahedron is a sixth of a cube, the second a third.
    let expected = density("glass") / 6.0 + density("steel") / 3.0;
    let mass = two.pieces.iter().map(|piece| piece.mass).sum::<f64>();
    assert!((mass / expected - 1.0).abs() < 1e-9, "{mass} for {expected}");

    let refused = |file: &str, rest: &str| with(file, rest).err().expect("refused");
    let error = refused("two.mesh", &steel.replace('9', "8"));
    assert!(error.contains("two.mesh has no region 8") && error.contains("it has 7, 9"), "{error}");
    assert!(refused("cube.obj", steel).contains("cube.obj has no region 9"));
    let twice = "materials.regions = [{ number = 9, material.preset = \"steel\" }, { number = 9, material.preset = \"glass\" }]";
    assert!(refused("two.mesh", twice).contains("region 9 has a material already"));
    let error = built(&body("mug = {}", steel), folder.path()).err().expect("refused");
    assert!(error.contains("shape.mug has no numbered regions"), "{error}");
}

#[test]
fn built_in_shapes_stand_as_obstacles_and_fall_with_a_mass() {
    let text =
        "[[obstacle]]\nshape.bowl = { wall = 0.02 }\nmass = 2\n\n[[obstacle]]\nshape.letters = { text = \"I\" }\n";
    let world = built(text, Path::new(".")).expect("a world").world;
    let frame = world.frame();
    assert_eq!(frame.obstacles.len(), 2);
}

#[test]
fn thin_walls_are_named() {
    let line =
        |edge: &str| built(&body("hollow_sphere = {}", edge), Path::new(".")).expect("a body").summary[0].clone();
    assert!(line("edge = 0.005").contains("walls of 0.005 m are only 1 edges thick"));
    assert!(!line("").contains("thick"));
}
