//! Files of tetrahedra: every format and variant with a known result, and the errors of invalid
//! files.

mod damage;
mod gmsh;
mod medit;
mod tetgen;
mod vtu;
mod write;

use std::io;
use std::path::Path;

use craze_shape::{Format, Model, ShapeError, parse_model};
use write::Sample;

/// Reads bytes as a single file of this name.
fn parse(bytes: &[u8], name: &str) -> Result<Model, ShapeError> {
    let path = Path::new(name);
    parse_model(bytes, Format::of_path(path)?, path, &|_| Err(io::Error::other("there are no other files")))
}

fn message(bytes: &[u8], name: &str) -> String {
    parse(bytes, name).expect_err("the file is bad").to_string()
}

/// Asserts that a model is the sample cube: tetrahedra and regions in order, closed boundary.
fn check_cube(model: &Model) {
    let sample = Sample::cube();
    let volume = model.volume.as_ref().expect("a volume");
    assert_eq!(volume.nodes.iter().map(|&node| node.into()).collect::<Vec<[f64; 3]>>(), sample.points);
    for (found, written) in volume.tetrahedra.iter().zip(&sample.tetrahedra) {
        let sorted = |mut nodes: [u32; 4]| {
            nodes.sort_unstable();
            nodes
        };
        assert_eq!(sorted(*found), sorted(*written));
    }
    assert_eq!(volume.tetrahedra.len(), 6);
    assert_eq!(volume.regions, sample.regions);
    check_invariants(model);
    assert!((volume.volume() - 1.0).abs() < 1e-15);
    assert_eq!((model.surface.triangles.len(), model.surface.positions.len()), (12, 8));
    assert!((model.surface.closed_volume().expect("closed") - 1.0).abs() < 1e-15);
}

/// Asserts the invariants of every model.
fn check_invariants(model: &Model) {
    let points = model.surface.positions.len();
    assert!(!model.surface.triangles.is_empty());
    assert!(model.surface.triangles.iter().flatten().all(|&point| (point as usize) < points));
    if let Some(volume) = &model.volume {
        let mesh = volume.mesh().expect("a mesh");
        assert_eq!(mesh.boundary().triangles.len(), model.surface.triangles.len());
        assert!(volume.regions.is_empty() || volume.regions.len() == volume.tetrahedra.len());
        model.surface.check_closed().expect("closed");
    }
}

/// Asserts that a model is the surface of the sample cube.
fn check_shell(model: &Model) {
    assert!(model.volume.is_none());
    assert_eq!(model.surface.triangles.len(), 12);
    assert!((model.surface.closed_volume().expect("closed") - 1.0).abs() < 1e-15);
}
