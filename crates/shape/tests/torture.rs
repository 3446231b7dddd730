//! Corrupted surfaces give a mesh or an error, never a panic. `torture/mod.rs` has the corruptions;
//! the example `torture` applies them to real models.

#[path = "torture/mod.rs"]
mod corrupted;

use corrupted::{Corruption, Fineness};
use std::path::Path;

use craze_shape::{Block, BuiltIn, Cylinder, Sphere};

#[test]
fn corrupted_shapes_give_a_mesh_or_an_error() {
    let shapes = [
        Block { size: [1.0, 0.5, 0.25] }.surface(0.1).expect("a box"),
        Sphere { radius: 0.5 }.surface(0.1).expect("a ball"),
        Cylinder { radius: 0.1, height: 1.0 }.surface(0.05).expect("a cylinder"),
    ];
    for (which, shape) in shapes.iter().enumerate() {
        for index in 0..corrupted::ALL.len() {
            let fineness = if index.is_multiple_of(2) { Fineness::Cells(12.0) } else { Fineness::Default };
            let outcome = corrupted::torture(shape, fineness, index, which as u64);
            let result = outcome.result.unwrap_or_else(|| panic!("{:?} {index} of shape {which}", outcome.corruption));
            if let Err(reason) = result {
                assert!(reason.len() > 20, "{reason}");
            }
        }
    }
}

#[test]
fn corrupted_files_give_a_mesh_or_an_error() {
    let bytes = corrupted::as_obj(&Block { size: [1.0, 0.5, 0.25] }.surface(0.1).expect("a box"));
    for seed in 0..12 {
        let corruption = [Corruption::GivenCutOff, Corruption::GivenScribbled][seed as usize % 2];
        let outcome = corrupted::torture_file(&bytes, Path::new("box.obj"), Fineness::Cells(8.0), corruption, seed);
        assert!(outcome.result.is_some(), "{corruption:?} {seed}");
    }
}
