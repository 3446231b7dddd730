use crate::write::{Numbers, Sample, medit};
use crate::{check_cube, check_shell, message, parse};

#[test]
fn text_and_every_binary_version_give_the_same_cube() {
    let mut variants = vec![(1, Numbers::Text), (2, Numbers::Text)];
    for version in 1..=4 {
        variants.extend([(version, Numbers::Little), (version, Numbers::Big)]);
    }
    for (version, numbers) in variants {
        let name = if numbers == Numbers::Text { "cube.mesh" } else { "cube.meshb" };
        let model = parse(&medit(&Sample::cube(), version, numbers), name)
            .unwrap_or_else(|error| panic!("{version} {numbers:?}: {error}"));
        check_cube(&model);
        check_shell(&parse(&medit(&Sample::shell(), version, numbers), name).expect("a shell"));
    }
}

const HEAD: &str = "MeshVersionFormatted 2\nDimension 3\n";
const VERTICES: &str = "Vertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n";

#[test]
fn a_plane_mesh_is_a_flat_surface() {
    let text = "MeshVersionFormatted 1\nDimension 2\nVertices 3\n0 0 5\n1 0 5\n0 1 5\nTriangles\n1\n1 2 3 0\n";
    let model = parse(text.as_bytes(), "a.mesh").expect("a triangle");
    assert_eq!(model.surface.area(), 0.5);
}

#[test]
fn nodes_that_are_no_numbers_cost_their_tetrahedra() {
    let text = format!(
        "{HEAD}Vertices 5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\nnan 0 -inf 1\nTetrahedra 2\n1 2 3 4 8\n1 2 3 5 9\n"
    );
    let model = parse(text.as_bytes(), "a.mesh").expect("one");
    assert_eq!(model.volume.expect("a volume").regions, [8]);
    assert_eq!(model.remarks[0], "1 tetrahedron left out: coordinates are not numbers within ±1e18");
}

#[test]
fn bad_files_are_refused_with_their_place() {
    for (text, expected) in [
        (String::new(), "a.mesh is empty: there is no model in it"),
        ("hello".into(), "a.mesh:1: expected MeshVersionFormatted, found \"hello\""),
        (HEAD.into(), "a.mesh, cells: there are neither tetrahedra nor triangles"),
        ("MeshVersionFormatted 2\nDimension 4\n".into(), "a.mesh:2: the dimension is 4: it must be 2 or 3"),
        (format!("MeshVersionFormatted 2\n{VERTICES}"), "a.mesh:2: the vertices come before the dimension"),
        (format!("{HEAD}{VERTICES}{VERTICES}"), "a.mesh:8: the file has a second section of vertices"),
        (format!("{HEAD}Tetrahedra 1\n1 2 3 4 0\n"), "a.mesh:3: the elements come before the vertices"),
        (
            format!("{HEAD}Vertices 1000000000\n0 0 0 1\n"),
            "a.mesh:3: 1000000000 vertices are declared, but only 9 bytes follow",
        ),
        (
            format!("{HEAD}{VERTICES}Tetrahedra 1\n1 2 3 5 0\n"),
            "a.mesh:9: the element refers to vertex 5, but vertices are numbered 1 to 4",
        ),
        (
            format!("{HEAD}{VERTICES}Tetrahedra 1\n0 2 3 4 0\n"),
            "a.mesh:9: the element refers to vertex 0, but vertices are numbered 1 to 4",
        ),
        (format!("{HEAD}{VERTICES}?\n"), "a.mesh:8: expected a keyword, found \"?\""),
        (
            format!("{HEAD}{VERTICES}Tetrahedra 1\n1 2 3 4\n"),
            "a.mesh:10: the file ends where the reference of an element is expected",
        ),
        (
            format!("{HEAD}{VERTICES}Hexahedra 1\n1 2 3 4 1 2 3 4 0\n"),
            "a.mesh uses 1 hexahedron, which is not supported: cut them into tetrahedra, such as with Gmsh",
        ),
    ] {
        assert_eq!(message(text.as_bytes(), "a.mesh"), expected);
    }
}

#[test]
fn binary_sections_must_lead_on() {
    let sound = medit(&Sample::cube(), 2, Numbers::Little);
    let mut back = sound.clone();
    back[12..16].copy_from_slice(&4i32.to_le_bytes());
    assert_eq!(message(&back, "a.meshb"), "a.meshb, byte 16: section 3 gives the invalid offset 4 of the next section");
    let mut unknown = sound.clone();
    unknown[4] = 9;
    assert_eq!(message(&unknown, "a.meshb"), "a.meshb, byte 4: version 9 of .meshb files is not known");
    let mut many = sound;
    many[28..32].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(message(&many, "a.meshb").contains("2147483647 vertices are declared"), "{}", message(&many, "a.meshb"));
}
