//! Models of obstacles that are damaged: the scene says what is wrong with them, and a block still comes to rest on top.

use craze_engine::Verdict;
use craze_scene::{SceneDocument, build};
use std::path::Path;

/// The corners and triangles of a slab of 0.2 × 0.04 × 0.2 m, seen counter-clockwise from outside.
fn slab() -> (Vec<String>, Vec<[usize; 3]>) {
    let end = |index: usize, axis: usize, half: f64| if index >> axis & 1 == 1 { half } else { -half };
    let corner = |index| format!("{} {} {}", end(index, 0, 0.1), end(index, 1, 0.02), end(index, 2, 0.1));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    ((0..8).map(corner).collect(), quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

fn write(folder: &Path, (corners, triangles): &(Vec<String>, Vec<[usize; 3]>)) {
    let points: String = corners.iter().map(|corner| format!("v {corner}\n")).collect();
    let faces: String = triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1)).collect();
    std::fs::write(folder.join("slab.obj"), points + &faces).expect("a file");
}

/// Lets a block fall on the slab. Gives what was said of the slab, and how high the block lies in the end (m).
fn fall(folder: &Path) -> (String, f64) {
    let text = r#"
        [world]
        duration = 1
        fps = 50
        [contact]
        check_intersections = "everything"
        [[obstacle]]
        name = "slab"
        shape.mesh = { file = "slab.obj" }
        [[body]]
        name = "block"
        method = "solid"
        shape.box = { size = [0.06, 0.06, 0.06] }
        edge = 0.03
        material = { density = 1000, young = 3e5, poisson = 0.3, damping_time = 1e-3 }
        place.at = [0.01, 0.06, 0.004]
    "#;
    let mut document = SceneDocument::parse(text, "scene.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    document.scene.resolve_files(folder);
    let built = build(&document).unwrap_or_else(|errors| panic!("{errors}"));
    let mut world = built.world;
    for _ in 0..15 {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
    let said = built.summary.into_iter().find(|line| line.starts_with("slab: ")).expect("a line about the slab");
    (said, world.bodies[0].method.collision_geometry().bounds.min.y)
}

#[test]
fn a_damaged_obstacle_is_told_and_still_bears() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corners, triangles) = slab();
    let flipped = |[a, b, c]: [usize; 3]| [a, c, b];
    let inside_out: Vec<_> = triangles.iter().map(|&triangle| flipped(triangle)).collect();
    let mixed =
        triangles.iter().enumerate().map(|(k, &triangle)| if k % 3 == 0 { flipped(triangle) } else { triangle });
    let open = triangles[..10].to_vec();
    let empty = [triangles.as_slice(), &[[0, 0, 1], [2, 2, 2]]].concat();
    // A corner of the lower face.
    let mut lost = corners.clone();
    lost[0] = "nan 0 0".to_owned();
    for (model, words) in [
        ((corners.clone(), inside_out), "inside out and flipped"),
        ((corners.clone(), mixed.collect()), "4 triangles were flipped"),
        ((corners.clone(), open), "the surface is open: 4 edges"),
        ((corners.clone(), empty), "2 faces with fewer than three distinct points"),
        ((lost, triangles.clone()), "6 triangles with points that are not numbers"),
    ] {
        write(folder.path(), &model);
        let (said, height) = fall(folder.path());
        assert!(said.contains(words), "{said}");
        // The middle of the model's box is the origin.
        assert!((height - 0.02).abs() < 1e-4, "{words}: it lies at {height} m");
    }
}
