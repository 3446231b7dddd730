use std::io;
use std::path::Path;

use craze_shape::{Format, Model, ModelPlacement, ShapeError, parse_model, read_model};

use crate::check_cube;
use crate::write::{Sample, tetgen};

/// Reads a pair of files by the name of the node file.
pub fn parse_pair(nodes: &[u8], elements: &[u8]) -> Result<Model, ShapeError> {
    let beside = |name: &Path| {
        if name == Path::new("a.1.ele") { Ok(elements.to_vec()) } else { Err(io::Error::other("no such file")) }
    };
    parse_model(nodes, Format::Tetgen, Path::new("folder/a.1.node"), &beside)
}

fn message(nodes: &str, elements: &str) -> String {
    parse_pair(nodes.as_bytes(), elements.as_bytes()).expect_err("a bad pair").to_string()
}

#[test]
fn pairs_numbered_from_0_and_from_1_give_the_same_cube() {
    for first in [0, 1] {
        let (nodes, elements) = tetgen(&Sample::cube(), first);
        let model = parse_pair(&nodes, &elements).expect("a cube");
        check_cube(&model);
        assert_eq!(model.format, Some(Format::Tetgen));
    }
}

#[test]
fn either_file_name_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (nodes, elements) = tetgen(&Sample::cube(), 1);
    let [nodes_path, elements_path] = ["cube.1.node", "cube.1.ele"].map(|name| folder.path().join(name));
    std::fs::write(&nodes_path, nodes).expect("written");
    let alone = read_model(&nodes_path, &ModelPlacement::default()).expect_err("its other half is missing").to_string();
    assert!(alone.contains("cube.1.ele"), "{alone}");
    std::fs::write(&elements_path, elements).expect("written");
    for path in [nodes_path, elements_path] {
        let model = read_model(&path, &ModelPlacement::default()).expect("a cube");
        let volume = model.volume.expect("a volume");
        assert!((volume.volume() - 1.0).abs() < 1e-15 && volume.mesh().is_ok());
    }
}

#[test]
fn curved_tetrahedra_and_fractions_of_regions_are_remarked() {
    let nodes = "5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 9 9 9\n";
    let model = parse_pair(nodes.as_bytes(), b"1 10 2\n1 1 2 3 4 5 5 5 5 5 5 2.5 7\n").expect("one");
    assert_eq!(model.volume.expect("a volume").regions, [3]);
    assert_eq!(
        model.remarks,
        [
            "attributes of tetrahedra rounded to whole numbers of regions",
            "1 cell of higher order reduced to corner nodes",
            "1 node left out, used by no tetrahedron",
        ]
    );
    let without = parse_pair(nodes.as_bytes(), b"1\n1 1 2 3 4\n").expect("one");
    assert!(without.volume.expect("a volume").regions.is_empty());
}

#[test]
fn bad_pairs_are_refused_with_file_and_line() {
    let nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    for (nodes, elements, expected) in [
        ("", "", "folder/a.1.node is empty: there is no model in it"),
        (nodes, "", "folder/a.1.ele:1: the file ends where a number of tetrahedra is expected"),
        (nodes, "0 4 0\n", "folder/a.1.node, cells: there are neither tetrahedra nor triangles"),
        (
            nodes,
            "1 4 0\n1 1 2 3 5\n",
            "folder/a.1.ele:2: the tetrahedron refers to node 5, but nodes are numbered 1 to 4",
        ),
        (
            nodes,
            "1 4 0\n1 0 2 3 4\n",
            "folder/a.1.ele:2: the tetrahedron refers to node 0, but nodes are numbered 1 to 4",
        ),
        (nodes, "1 5 0\n1 1 2 3 4 4\n", "folder/a.1.ele:1: tetrahedra of 5 nodes: they must have 4 or 10"),
        (nodes, "2 4 0\n1 1 2 3 4 9\n2 1 2 3 4 9\n", "folder/a.1.ele:2: expected tetrahedron 2, found tetrahedron 9"),
        (
            nodes,
            "1000000000 4 0\n1 1 2 3 4\n",
            "folder/a.1.ele:1: 1000000000 tetrahedra are declared, but only 15 bytes follow",
        ),
        ("2 2 0 0\n1 0.25 0.25\n2 1.25 1.25\n", "", "folder/a.1.node:1: the dimension is 2: it must be 3"),
        ("1 3 0 0\n5 0 0 0\n", "", "folder/a.1.node:2: the first node has number 5: it must be 0 or 1"),
        ("2 3 0 0\n1 0 0 0\n3 0 0 0\n", "", "folder/a.1.node:3: expected node 2, found node 3"),
    ] {
        assert_eq!(message(nodes, elements), expected);
    }
}
