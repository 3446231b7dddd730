//! Properties of a whole mesh: faults, serialisation, renumbering, memory and time.

mod support;

use craze_math::{Random, Vec3};
use craze_mesh::{
    AttributeError, Blend, EditError, ElementRule, Face, Inherit, Inheritance, Jitter, MeshError, NewElement, NodeId,
    Order, OrderError, Patch, PointRule, Snap, TetId, TetMesh, TriMesh, TriangleId, Values, VertexId, kuhn_box,
    kuhn_box_jittered, kuhn_grid, morton_order,
};

fn corner() -> Vec<Vec3> {
    [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]].map(Vec3::from).to_vec()
}

#[test]
fn the_first_fault_is_named() {
    let build = |elements: &[[u32; 4]]| TetMesh::from_parts(corner(), elements.to_vec()).unwrap_err();
    assert_eq!(
        build(&[[0, 1, 2, 3], [1, 2, 3, 9]]),
        MeshError::OutOfRange { element: TetId(1), point: NodeId(9), count: 5 }
    );
    assert_eq!(build(&[[0, 1, 1, 3]]), MeshError::RepeatedPoint { element: TetId(0), point: NodeId(1) });
    assert_eq!(build(&[[0, 1, 2, 3], [0, 2, 1, 3]]), MeshError::NotPositive { element: TetId(1), measure: -1.0 / 6.0 });
    assert_eq!(build(&[[0, 1, 2, 3]]), MeshError::Unused { point: NodeId(4) });
    assert_eq!(
        build(&[[1, 2, 3, 4], [0, 1, 2, 3], [1, 2, 0, 3]]),
        MeshError::Duplicate { elements: [TetId(1), TetId(2)] }
    );
    // Both are on the same side of the face of nodes 0, 1, 2.
    let same_side = build(&[[0, 1, 2, 3], [0, 1, 2, 4]]);
    assert!(matches!(same_side, MeshError::Orientation { elements: [TetId(0), TetId(1)], .. }), "{same_side}");
    assert_eq!(
        same_side.to_string(),
        "tetrahedron 0 and tetrahedron 1 have opposite orientations at their facet (0, 1, 2)"
    );
    let mut positions = corner();
    positions[2].y = f64::NAN;
    assert!(matches!(
        TetMesh::from_parts(positions, vec![[0, 1, 2, 3]]),
        Err(MeshError::NotFinite { point: NodeId(2), .. })
    ));
}

#[test]
fn faults_of_surfaces_are_named() {
    let build = |elements: &[[u32; 3]]| TriMesh::from_parts(corner(), elements.to_vec()).unwrap_err();
    let three = build(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(three.to_string(), "the facet (0, 1) of triangle 0 is shared with triangle 1 and triangle 2");
    assert!(matches!(
        build(&[[0, 1, 2], [0, 1, 3]]),
        MeshError::Orientation { elements: [TriangleId(0), TriangleId(1)], .. }
    ));
    assert!(matches!(build(&[[0, 1, 2], [0, 2, 1]]), MeshError::Duplicate { .. }));
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]].map(Vec3::from).to_vec();
    assert!(matches!(TriMesh::from_parts(flat, vec![[0, 1, 2]]), Err(MeshError::NotPositive { .. })));
    assert_eq!(build(&[[0, 1, 2]]), MeshError::Unused { point: VertexId(3) });
}

#[test]
fn an_empty_mesh_is_a_mesh() {
    let mesh = TetMesh::from_parts(Vec::new(), Vec::new()).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.pieces().count, mesh.total_measure(), mesh.boundary().triangles.len()), (0, 0.0, 0));
}

#[test]
fn the_surface_is_closed_and_encloses_the_volume() {
    let mesh = kuhn_box_jittered([4, 3, 5], Vec3::new(1.0, 2.0, 0.5), Jitter { amount: 0.1, seed: 1 }).unwrap();
    let surface = mesh.boundary();
    // Divergence theorem: if all triangles face outward, a sixth of the sum of triple products is
    // the volume.
    let volume: f64 = surface
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|node| mesh.position(node));
            a.cross(&b).dot(&c) / 6.0
        })
        .sum();
    assert!((volume - mesh.total_measure()).abs() < 1e-14);
    let triangles = surface.triangles.iter().map(|triangle| triangle.map(|node| node.0)).collect::<Vec<_>>();
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let renamed = |node: u32| used.binary_search(&node).unwrap() as u32;
    let shell = TriMesh::from_parts(
        used.iter().map(|&node| mesh.positions()[node as usize]).collect(),
        triangles.iter().map(|triangle| triangle.map(renamed)).collect(),
    )
    .unwrap();
    assert!(shell.boundary().edges.is_empty());
    for (triangle, facet) in surface.triangles.iter().zip(&surface.facets) {
        assert_eq!(mesh.facet_points(*facet), triangle.map(Some));
    }
}

#[test]
fn lumped_volumes_add_up() {
    let mesh = kuhn_box([3, 3, 3], Vec3::new(1.0, 1.0, 2.0)).unwrap();
    assert!((mesh.point_measures().iter().sum::<f64>() - 2.0).abs() < 1e-14);
    let inner = mesh.positions().iter().position(|position| (position - Vec3::new(1.0, 1.0, 2.0) / 3.0).norm() < 1e-12);
    assert!((mesh.point_measures()[inner.unwrap()] - 2.0 / 27.0).abs() < 1e-15);
}

#[test]
fn pieces_are_numbered_by_their_lowest_element_and_touching_is_not_enough() {
    let mut positions = corner();
    positions.extend([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]].map(Vec3::from));
    // Element 1 shares only node 0 with the others; elements 0 and 2 share a face.
    let mesh = TetMesh::from_parts(positions, vec![[0, 1, 2, 3], [0, 6, 5, 7], [1, 2, 3, 4]]).unwrap();
    let pieces = mesh.pieces();
    assert_eq!((pieces.count, pieces.of_element), (2, vec![0, 1, 0]));
    let mut mesh = mesh;
    let edits = mesh.separate_at_points(&mesh.point_ids().collect::<Vec<_>>()).unwrap();
    mesh.validate().unwrap();
    assert_eq!((edits.len(), mesh.point_count()), (1, 9));
}

#[test]
fn a_saved_mesh_is_the_same_mesh() {
    let mut mesh = kuhn_box_jittered([3, 3, 3], Vec3::repeat(1.0), Jitter { amount: 0.1, seed: 4 }).unwrap();
    mesh.point_attributes_mut().add("weight", PointRule::Interpolate, Values::Scalars(vec![0.25; 64])).unwrap();
    mesh.element_attributes_mut().add("part", ElementRule::Copy, Values::Labels((0..162).collect())).unwrap();
    mesh.facet_attributes_mut().add("paint", Inherit, Values::Labels((0..648).collect())).unwrap();
    let mut random = Random::new(1);
    for _ in 0..50 {
        let current = mesh.positions().to_vec();
        let node = NodeId(random.below(mesh.point_count()) as u32);
        let _ = mesh.cut_star(node, random.direction(), &current, Snap { distance: 0.02, angle: 0.1 });
    }
    let bytes = postcard::to_allocvec(&mesh).unwrap();
    let mut loaded: TetMesh = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(mesh, loaded);
    for step in 0..50 {
        let [node, other] = [0, 1].map(|_| NodeId(random.below(mesh.point_count()) as u32));
        let (normal, current) = (random.direction(), mesh.positions().to_vec());
        let snap = Snap { distance: 0.02, angle: 0.1 };
        assert_eq!(mesh.cut_star(node, normal, &current, snap), loaded.cut_star(node, normal, &current, snap));
        assert_eq!(mesh.collapse_edge(node, other, 0.5, 1e-12), loaded.collapse_edge(node, other, 0.5, 1e-12));
        assert_eq!(mesh, loaded, "step {step}");
    }
}

#[test]
fn invalid_bytes_are_rejected() {
    let mut mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    mesh.point_attributes_mut().add("weight", PointRule::Interpolate, Values::Scalars(vec![1.0; 27])).unwrap();
    let bytes = postcard::to_allocvec(&mesh).unwrap();
    let mut random = Random::new(3);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let index = random.below(damaged.len());
            damaged[index] = random.bits() as u8;
        }
        damaged.truncate(if random.below(4) == 0 { random.below(damaged.len()) } else { damaged.len() });
        match postcard::from_bytes::<TetMesh>(&damaged) {
            Ok(mesh) => mesh.validate().unwrap(),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn mismatched_attributes_are_rejected() {
    let mut mesh = kuhn_grid([1, 1], [1.0, 1.0]).unwrap();
    let points = mesh.point_attributes_mut();
    let short = points.add("weight", PointRule::Heaviest, Values::Scalars(vec![1.0; 3]));
    assert_eq!(short, Err(AttributeError::Length { name: "weight".into(), expected: 4, found: 3 }));
    let labels = points.add("hold", PointRule::Interpolate, Values::Labels(vec![0; 4]));
    assert_eq!(labels, Err(AttributeError::Rule { name: "hold".into() }));
    points.add("hold", PointRule::Common, Values::Labels(vec![3; 4])).unwrap();
    let twice = points.add("hold", PointRule::Heaviest, Values::Labels(vec![0; 4]));
    assert_eq!(twice, Err(AttributeError::Exists { name: "hold".into() }));
    assert_eq!(points.labels("hold"), Some(&[3; 4][..]));
    assert_eq!(points.scalars("hold"), None);
    assert_eq!(points.remove("hold"), Some(Values::Labels(vec![3; 4])));
}

#[test]
fn renumbering_along_the_curve_keeps_the_mesh_and_brings_neighbours_together() {
    let mut mesh = kuhn_box([12, 12, 12], Vec3::repeat(1.0)).unwrap();
    let count = mesh.point_count();
    let positions = Values::Vectors(mesh.positions().to_vec());
    mesh.point_attributes_mut().add("position", PointRule::Interpolate, positions).unwrap();
    let mut random = Random::new(2);
    let mut shuffled =
        Order { points: (0..count as u32).collect(), elements: (0..mesh.element_count() as u32).collect() };
    for list in [&mut shuffled.points, &mut shuffled.elements] {
        for index in (1..list.len()).rev() {
            list.swap(index, random.below(index + 1));
        }
    }
    mesh.renumber(&shuffled).unwrap();
    let spread = |mesh: &TetMesh| -> f64 {
        mesh.elements().iter().flat_map(|tet| tet.map(|node| f64::from(node.abs_diff(tet[0])))).sum::<f64>()
    };
    let scattered = spread(&mesh);
    let order = morton_order(mesh.positions(), mesh.elements());
    let mut outside = mesh.positions().to_vec();
    let mut volumes: Vec<f64> = mesh.element_ids().map(|tet| mesh.measure(tet)).collect();
    mesh.renumber(&order).unwrap();
    order.apply_to_points(&mut outside);
    order.apply_to_elements(&mut volumes);
    mesh.validate().unwrap();
    assert_eq!(mesh.positions(), outside);
    assert_eq!(mesh.point_attributes().vectors("position"), Some(mesh.positions()));
    assert!(mesh.element_ids().all(|tet| mesh.measure(tet) == volumes[tet.index()]));
    assert!(spread(&mesh) < scattered / 4.0);
    let before = mesh.clone();
    let mut twice = order.clone();
    twice.points[3] = twice.points[2];
    assert_eq!(mesh.renumber(&twice), Err(OrderError::NotAPermutation { what: "points", entry: 3 }));
    assert_eq!(mesh, before);
}

#[test]
fn removed_elements_remove_unused_points_and_expose_faces() {
    let mut mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    let corner = NodeId(8);
    let gone: Vec<TetId> = mesh.elements_of(NodeId(2)).collect();
    let volume: f64 = gone.iter().map(|&tet| mesh.measure(tet)).sum();
    let edit = mesh.remove_elements(&gone).unwrap();
    mesh.validate().unwrap();
    assert!((mesh.total_measure() + volume - 1.0).abs() < 1e-15);
    assert_eq!(edit.points_removed, [NodeId(2)]);
    assert!(!edit.exposed.is_empty());
    for &Face { element, corner } in &edit.exposed {
        assert_eq!(mesh.neighbour(element, corner as usize), None);
    }
    assert!(mesh.elements_of(corner).len() > 0);
    let all: Vec<TetId> = mesh.element_ids().collect();
    mesh.remove_elements(&all).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.point_count(), mesh.element_count()), (0, 0));
}

#[test]
fn invalid_edits_return_the_reason() {
    let mut mesh = TetMesh::from_parts(corner()[..4].to_vec(), vec![[0, 1, 2, 3]]).unwrap();
    let [a, b] = [NodeId(0), NodeId(1)];
    assert!(matches!(mesh.collapse_edge(a, b, 0.0, 1.0), Err(EditError::LinkCondition { .. })));
    assert!(matches!(mesh.split_edge(a, a, 0.5), Err(EditError::NoSuchEdge { .. })));
    assert!(matches!(mesh.split_edge(a, b, 1.0), Err(EditError::OutOfRange { .. })));
    assert!(matches!(mesh.split_edge(a, b, f64::NAN), Err(EditError::OutOfRange { .. })));
    assert!(matches!(mesh.split_edge(a, b, 5e-324), Err(EditError::Inverts { .. })));
    assert!(matches!(mesh.split_edge(a, NodeId(7), 0.5), Err(EditError::NoSuchPoint { point: NodeId(7) })));
    assert!(matches!(mesh.flip_edge(a, b), Err(EditError::BoundaryEdge { .. })));
    assert!(matches!(mesh.flip_face(TetId(0), 2), Err(EditError::NoNeighbour { corner: 2, .. })));
    assert!(matches!(mesh.flip_face(TetId(0), 9), Err(EditError::NoNeighbour { corner: 9, .. })));
    assert!(matches!(mesh.duplicate_point(a, &[TetId(0)]), Err(EditError::EmptySide { all: 1, .. })));
    assert!(matches!(mesh.separate_at_edge(a, b), Err(EditError::Connected { .. })));
    assert!(matches!(mesh.remove_elements(&[TetId(1)]), Err(EditError::NoSuchElement { .. })));
    let mut box_mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    // Corner 0 into its neighbour on the edge of the box: allowed by topology, but it would cut off
    // the corner.
    let refused = box_mesh.collapse_edge(NodeId(1), NodeId(0), 0.0, 1e-9);
    assert!(matches!(refused, Err(EditError::MeasureChanges { .. } | EditError::Inverts { .. })), "{refused:?}");
    let inner = NodeId(13);
    let collapsed = box_mesh.collapse_edge(NodeId(4), inner, 0.0, 1e-9).unwrap();
    box_mesh.validate().unwrap();
    assert_eq!(collapsed.points_removed, [inner]);
}

fn content(mesh: &TetMesh) -> Vec<[u32; 4]> {
    let mut elements: Vec<[u32; 4]> = mesh.elements().to_vec();
    elements.iter_mut().for_each(|element| element.sort_unstable());
    elements.sort_unstable();
    elements
}

#[test]
fn a_face_flip_and_its_edge_flip_cancel() {
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, 1.0], [0.3, 0.3, -1.0]];
    let mut mesh = TetMesh::from_parts(positions.map(Vec3::from).to_vec(), vec![[0, 1, 2, 3], [0, 2, 1, 4]]).unwrap();
    let before = content(&mesh);
    mesh.flip_face(TetId(0), 3).unwrap();
    mesh.validate().unwrap();
    assert_eq!(mesh.element_count(), 3);
    assert_eq!(mesh.elements_at_edge(NodeId(3), NodeId(4)).len(), 3);
    let edit = mesh.flip_edge(NodeId(4), NodeId(3)).unwrap();
    mesh.validate().unwrap();
    assert_eq!(content(&mesh), before);
    assert!(edit.crack.is_empty());
    // With the apex beyond the edge of the triangle the two tetrahedra are not convex.
    let reflex = [positions[0], positions[1], positions[2], [2.0, 2.0, 1.0], positions[4]].map(Vec3::from).to_vec();
    let mut mesh = TetMesh::from_parts(reflex, vec![[0, 1, 2, 3], [0, 2, 1, 4]]).unwrap();
    assert!(matches!(mesh.flip_face(TetId(0), 3), Err(EditError::Inverts { .. })));
}

#[test]
fn an_octahedron_flips_from_one_diagonal_to_the_next_and_back() {
    let positions =
        [[0.0, 0.0, 1.1], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.2, 0.0], [-1.0, 0.0, 0.1], [0.0, -1.0, 0.0]];
    let around = [[2, 3], [3, 4], [4, 5], [5, 2]].map(|[one, other]| [1, 0, one, other]).to_vec();
    let mut mesh = TetMesh::from_parts(positions.map(Vec3::from).to_vec(), around).unwrap();
    let (before, volume) = (content(&mesh), mesh.total_measure());
    let neighbours = mesh.flip_to_diagonal(NodeId(0), NodeId(1), [NodeId(2), NodeId(3)]);
    assert!(matches!(neighbours, Err(EditError::NoSuchPoint { .. })), "2 and 3 are next to each other");
    mesh.flip_to_diagonal(NodeId(0), NodeId(1), [NodeId(2), NodeId(4)]).unwrap();
    mesh.validate().unwrap();
    assert_eq!(mesh.elements_at_edge(NodeId(2), NodeId(4)).len(), 4);
    assert!((mesh.total_measure() - volume).abs() < 1e-15);
    mesh.flip_to_diagonal(NodeId(2), NodeId(4), [NodeId(0), NodeId(1)]).unwrap();
    assert_eq!(content(&mesh), before);
    assert!(matches!(mesh.flip_edge(NodeId(0), NodeId(1)), Err(EditError::Ring { found: 4, needed: 3, .. })));
}

#[test]
fn only_convex_quadrilaterals_of_triangles_flip() {
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.2, 1.0, 0.0], [0.3, -1.0, 0.0]];
    let triangles = vec![[0, 1, 2], [1, 0, 3]];
    let mut mesh = TriMesh::from_parts(positions.map(Vec3::from).to_vec(), triangles.clone()).unwrap();
    assert!(matches!(mesh.flip_edge(VertexId(0), VertexId(2)), Err(EditError::BoundaryEdge { .. })));
    mesh.flip_edge(VertexId(0), VertexId(1)).unwrap();
    mesh.validate().unwrap();
    assert_eq!(mesh.elements_at_edge(VertexId(2), VertexId(3)).len(), 2);
    assert!((mesh.total_measure() - 1.0).abs() < 1e-15);
    let reflex = [positions[0], positions[1], positions[2], [2.0, -0.5, 0.0]].map(Vec3::from).to_vec();
    let mut mesh = TriMesh::from_parts(reflex, triangles).unwrap();
    assert!(matches!(mesh.flip_edge(VertexId(0), VertexId(1)), Err(EditError::Reverses { .. })));
}

#[test]
fn inconsistent_patches_are_rejected() {
    let mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    let whole = TetId(0);
    let same = NewElement { points: mesh.points_of(whole), parent: whole, facets: [None; 4] };
    let empty = Patch::new(Inheritance::Parent);
    let refuse = |patch: Patch<NodeId, TetId, 4>| {
        let mut changed = mesh.clone();
        let refusal = changed.replace(&patch).unwrap_err();
        assert_eq!(changed, mesh);
        refusal
    };
    let removed = vec![whole];
    let unused =
        Patch { points: vec![Blend::at(NodeId(0))], removed: removed.clone(), added: vec![same], ..empty.clone() };
    assert!(matches!(refuse(unused), EditError::Patch { what: "new point", entry: 0, .. }));
    let stays = Patch { added: vec![same], ..empty.clone() };
    assert!(matches!(refuse(stays), EditError::Patch { what: "new element", .. }));
    let foreign = NewElement { facets: [Some(Face::new(TetId(999), 1)); 4], ..same };
    let foreign = Patch { removed: removed.clone(), added: vec![foreign], ..empty.clone() };
    assert!(matches!(refuse(foreign), EditError::Patch { what: "new element", .. }));
    let twice = Patch { removed: removed.clone(), added: vec![same, same], ..empty.clone() };
    assert!(matches!(refuse(twice), EditError::NonManifoldFacet { .. }));
    let unknown = NewElement { points: [0, 1, 2, 99].map(NodeId), ..same };
    let unknown = Patch { removed: removed.clone(), added: vec![unknown], ..empty.clone() };
    assert_eq!(refuse(unknown), EditError::NoSuchPoint { point: NodeId(99) });
    let moves = Patch { relocated: vec![(NodeId(0), Blend::at(NodeId(1)))], removed, added: vec![same], ..empty };
    assert!(matches!(refuse(moves), EditError::MovesOutside { point: NodeId(0), .. }));
}

#[test]
fn a_patch_may_change_nothing() {
    let mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    let mut changed = mesh.clone();
    let mut patch = Patch::new(Inheritance::Parent);
    for tet in mesh.element_ids().step_by(3) {
        patch.removed.push(tet);
        patch.added.push(NewElement { points: mesh.points_of(tet), parent: tet, facets: [None; 4] });
    }
    let edit = changed.replace(&patch).unwrap();
    assert_eq!(changed, mesh);
    assert!(edit.crack.is_empty() && edit.exposed.is_empty());
    assert!(edit.elements_added.iter().all(|added| added.element == added.parent && added.share == 1.0));
}

#[test]
fn elements_that_share_only_an_edge_are_separated_at_its_midpoint() {
    let mut mesh = TetMesh::from_parts(
        [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]]
            .map(Vec3::from)
            .to_vec(),
        vec![[0, 2, 3, 1], [0, 4, 5, 1]],
    )
    .unwrap();
    assert_eq!(mesh.pinched_edges(NodeId(0)), [NodeId(1)]);
    let edit = mesh.separate_at_edge(NodeId(0), NodeId(1)).unwrap();
    mesh.validate().unwrap();
    assert_eq!((edit.points_added.len(), mesh.element_count()), (2, 4));
    assert_eq!(mesh.pinched_edges(NodeId(0)), []);
}

#[test]
fn geometry_and_adjacency_need_less_than_150_bytes_a_tetrahedron() {
    let mut mesh = kuhn_box([20, 20, 20], Vec3::repeat(1.0)).unwrap();
    assert!(mesh.bytes() < 80 * mesh.element_count());
    let mut random = Random::new(9);
    for _ in 0..3000 {
        let current = mesh.positions().to_vec();
        let node = NodeId(random.below(mesh.point_count()) as u32);
        let _ = mesh.cut_star(node, random.direction(), &current, Snap { distance: 0.005, angle: 0.1 });
    }
    assert!(mesh.bytes() < 150 * mesh.element_count(), "{}", mesh.bytes() as f64 / mesh.element_count() as f64);
}
