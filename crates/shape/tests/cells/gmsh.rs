use crate::write::{Numbers, Sample, gmsh};
use crate::{check_cube, check_shell, message, parse};

const ENCODINGS: [Numbers; 3] = [Numbers::Text, Numbers::Little, Numbers::Big];
const VERSIONS: [&str; 3] = ["2.2", "4.0", "4.1"];

#[test]
fn every_version_and_encoding_gives_the_same_cube() {
    for version in VERSIONS {
        for numbers in ENCODINGS {
            let model = parse(&gmsh(&Sample::cube(), version, numbers), "cube.msh")
                .unwrap_or_else(|error| panic!("{version} {numbers:?}: {error}"));
            check_cube(&model);
            assert_eq!(
                model.remarks,
                ["2 faces left out: the surface is the boundary of the tetrahedra", "1 tetrahedron re-oriented",]
            );
            let shell = parse(&gmsh(&Sample::shell(), version, numbers), "cube.msh").expect("a shell");
            check_shell(&shell);
        }
    }
}

const HEAD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const NODES: &str = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n7 0 0 -1\n$EndNodes\n";

fn of_elements(elements: &str) -> String {
    format!("{HEAD}{NODES}$Elements\n{}\n{elements}\n$EndElements\n", elements.lines().count())
}

#[test]
fn elements_without_groups_have_the_numbers_of_their_entities() {
    let model = parse(of_elements("1 4 2 0 5 1 2 3 4\n2 4 3 0 6 1 1 3 2 7").as_bytes(), "a.msh").expect("two");
    assert_eq!(model.volume.expect("a volume").regions, [5, 6]);
    let model = parse(of_elements("1 4 0 1 2 3 4").as_bytes(), "a.msh").expect("one without tags");
    assert_eq!(model.volume.expect("a volume").regions, [0]);
}

#[test]
fn curved_tetrahedra_give_their_corners_and_other_solids_are_left_out() {
    let text = of_elements("1 11 0 1 2 3 4 7 7 7 7 7 7\n2 5 0 1 1 1 1 1 1 1 1\n3 15 0 1");
    let model = parse(text.as_bytes(), "a.msh").expect("one");
    assert_eq!(model.volume.expect("a volume").tetrahedra, [[0, 1, 2, 3]]);
    assert_eq!(
        model.remarks,
        [
            "1 cell of higher order reduced to corner nodes",
            "1 hexahedron left out: only tetrahedra and triangles are supported",
            "1 node left out, used by no tetrahedron",
        ]
    );
    let hexahedron = message(of_elements("2 5 0 1 1 1 1 1 1 1 1").as_bytes(), "a.msh");
    assert!(hexahedron.starts_with("a.msh uses 1 hexahedron, which is not supported: cut them into"), "{hexahedron}");
}

#[test]
fn nodes_in_gaps_cost_their_tetrahedron_and_nodes_beyond_the_file() {
    let text = of_elements("1 4 0 1 2 3 4\n2 4 0 1 2 3 6");
    let model = parse(text.as_bytes(), "a.msh").expect("one");
    assert_eq!(model.remarks[0], "1 tetrahedron left out: missing nodes");
    let beyond = message(of_elements("1 4 0 1 2 3 4\n2 4 0 1 2 3 8").as_bytes(), "a.msh");
    assert_eq!(beyond, "a.msh:15: the element refers to node 8, but nodes are numbered 1 to 7");
}

#[test]
fn bad_files_are_refused_with_their_place() {
    for (text, expected) in [
        (String::new(), "a.msh is empty: there is no model in it"),
        ("what is this".into(), "a.msh:1: expected a section, found \"what\""),
        (NODES.into(), "a.msh:1: the file does not begin with $MeshFormat"),
        (HEAD.into(), "a.msh, nodes: there is no section $Nodes"),
        (format!("{HEAD}{NODES}"), "a.msh, cells: there are neither tetrahedra nor triangles"),
        (format!("{HEAD}{NODES}{NODES}"), "a.msh:12: the file has a second section $Nodes"),
        (format!("{HEAD}$Elements\n1\n1 15 0 1\n$EndElements\n"), "a.msh:4: the elements come before the nodes"),
        (
            "$NOD\n1\n".into(),
            "a.msh uses version 1 of the Gmsh format, which is not supported: save it as version 4.1 or 2.2",
        ),
        (
            "$MeshFormat\n3 0 8\n".into(),
            "a.msh uses version \"3\" of the Gmsh format, which is not supported: save it as version 4.1 or 2.2",
        ),
        ("$MeshFormat\n4.1 2 8\n".into(), "a.msh:2: the file type is 2: it must be 0 (text) or 1 (binary)"),
        (
            format!("{HEAD}$Nodes\n1000000000\n1 0 0 0\n"),
            "a.msh:5: 1000000000 nodes are declared, but only 9 bytes follow",
        ),
        (format!("{HEAD}$Nodes\n-1\n$EndNodes\n"), "a.msh:5: -1 nodes are declared"),
        (format!("{HEAD}$Nodes\n1\n1 0 0 x\n$EndNodes"), "a.msh:6: \"x\" is not a coordinate"),
        (format!("{HEAD}$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n"), "a.msh, node 1: it is defined twice"),
        (format!("{HEAD}$Nodes\n1\n1 0 0 0\n$EndNods\n"), "a.msh:7: expected \"$EndNodes\", found \"$EndNods\""),
        (of_elements("1 77 0 1"), "a.msh:14: unknown element type 77"),
        (of_elements("1 4 9000 1"), "a.msh:14: 9000 tags are declared, but only 16 bytes follow"),
        (format!("{HEAD}$NodeData\n1 2 3\n"), "a.msh:4: the file ends within its section \"$NodeData\""),
    ] {
        assert_eq!(message(text.as_bytes(), "a.msh"), expected);
    }
}

#[test]
fn announced_counts_of_binary_files_are_held_against_their_bytes() {
    let mut bytes = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    for value in [1u64, 1 << 40, 1, 1 << 40] {
        bytes.extend(value.to_le_bytes());
    }
    let text = message(&bytes, "a.msh");
    assert_eq!(text, "a.msh, byte 55: 1099511627776 nodes are declared, but only 16 bytes follow");
    let order = message(b"$MeshFormat\n4.1 1 8\n\x02\0\0\0\n$EndMeshFormat\n", "a.msh");
    assert_eq!(order, "a.msh:3: the binary 1 that marks the byte order is missing");
}

#[test]
fn blocks_must_add_up() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n0 1 0 1\n1\n0 0 0\n$EndNodes\n";
    assert_eq!(message(text.as_bytes(), "a.msh"), "a.msh, nodes: 2 are declared, but the file has 1");
}

#[test]
fn parts_of_an_entity_belong_to_its_groups() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
        $Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n\
        $PartitionedEntities\n2\n1\n7 1\n0 0 0 1\n2 3 1 1 1 0 0 0 1 1 1 1 5 0\n$EndPartitionedEntities\n\
        $Nodes\n1 4 1 4\n3 2 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
        $Elements\n1 1 1 1\n3 2 4 1\n1 1 2 3 4\n$EndElements\n";
    let model = parse(text.as_bytes(), "a.msh").expect("a tetrahedron");
    assert_eq!(model.volume.expect("a volume").regions, [5]);
}
