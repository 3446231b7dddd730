//! Plane cuts of a star: Figs. 7 and 8 of O'Brien & Hodgins 1999, snapping, and complete cracks.

mod support;

use craze_math::{Random, Vec3};
use craze_mesh::{
    CrackTip, CutSurface, EditError, Id, Jitter, Measure, NodeId, Side, SimplexMesh, Snap, TetEditError, TetMesh,
    TriMesh, VertexId, kuhn_box, kuhn_box_jittered, kuhn_grid_jittered,
};
use support::Watched;

const UP: Vec3 = Vec3::new(0.0, 0.0, 1.0);

fn tetrahedra(positions: &[[f64; 3]], elements: &[[u32; 4]]) -> TetMesh {
    TetMesh::from_parts(positions.iter().map(|&position| Vec3::from(position)).collect(), elements.to_vec()).unwrap()
}

fn cut(mesh: &mut TetMesh, node: u32, normal: Vec3, snap: Snap) -> Result<craze_mesh::TetEdit, TetEditError> {
    let volume = mesh.total_measure();
    let current = mesh.positions().to_vec();
    let edit = mesh.cut_star(NodeId(node), normal, &current, snap);
    mesh.validate().unwrap();
    assert!((mesh.total_measure() - volume).abs() <= 1e-15 * volume.max(1.0));
    edit
}

/// Numbers of elements strictly above and below the plane z = 0; none may be on both sides.
fn sides_of(mesh: &TetMesh, elements: impl Iterator<Item = craze_mesh::TetId>) -> [usize; 2] {
    elements.fold([0, 0], |[above, below], tet| {
        let heights = mesh.corners(tet).map(|corner| corner.z);
        let has = [heights.iter().any(|&z| z > 1e-12), heights.iter().any(|&z| z < -1e-12)];
        assert_ne!(has, [true, true], "{tet} lies on both sides");
        [above + usize::from(has[0]), below + usize::from(has[1])]
    })
}

/// Node 0 in the plane, node 1 above, nodes 2 and 3 below.
fn one_above() -> TetMesh {
    tetrahedra(&[[0.0, 0.0, 0.0], [1.0, 0.2, 0.8], [1.0, 1.0, -0.6], [1.0, -0.7, -0.4]], &[[0, 1, 3, 2]])
}

#[test]
fn figure_7_an_element_splits_into_three_one_on_one_side_and_two_on_the_other() {
    let mut mesh = one_above();
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(mesh.element_count(), 3);
    assert_eq!(sides_of(&mesh, mesh.element_ids()), [1, 2]);
    // The element is alone, so the crack reaches the boundary at both cut edges: two nodes on each,
    // and two copies of node 0.
    assert_eq!(edit.points_added.len(), 5);
    assert_eq!(mesh.pieces().count, 2);
    assert_eq!(edit.crack.len(), 1);
    assert_eq!(mesh.elements_of(NodeId(0)).len(), 1, "the positive side keeps the node");
    assert_eq!(edit.points_added[0].point, NodeId(4));
    assert_eq!(mesh.elements_of(NodeId(4)).len(), 2, "both lower elements share its copy");
    assert_eq!(mesh.separate_at_points(&mesh.point_ids().collect::<Vec<_>>()).unwrap(), []);
}

#[test]
fn figure_7_turned_over_two_elements_lie_above() {
    let mut mesh = one_above();
    let edit = cut(&mut mesh, 0, -UP, Snap::NEVER).unwrap();
    assert_eq!(sides_of(&mesh, mesh.element_ids()), [1, 2]);
    assert_eq!(mesh.elements_of(NodeId(0)).len(), 2, "the positive side of −z keeps the node");
    assert_eq!(edit.crack.len(), 1);
}

#[test]
fn figure_7_with_a_node_in_the_plane_the_element_splits_into_two() {
    let mut mesh = tetrahedra(&[[0.0; 3], [1.0, 0.2, 0.8], [1.0, 1.0, 0.0], [1.0, -0.7, -0.4]], &[[0, 1, 3, 2]]);
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(sides_of(&mesh, mesh.element_ids()), [1, 1]);
    assert_eq!(edit.points_added.len(), 3);
    assert_eq!(mesh.pieces().count, 2);
    // Node 2 was in the plane and now connects two elements that share no face.
    let separated = mesh.separate_at_points(&mesh.crack_points(&edit)).unwrap();
    assert_eq!(separated.len(), 1);
    assert_eq!(separated[0].points_added[0].from.heaviest(), NodeId(2));
}

#[test]
fn the_quadrilateral_is_divided_from_its_lowest_node() {
    let [node, above, one, other] = [[0.0; 3], [1.0, 0.2, 0.8], [1.0, 1.0, -0.6], [1.0, -0.7, -0.4]];
    // The same element with two numberings: the diagonal depends on the numbers, not the positions.
    for mut mesh in [
        tetrahedra(&[node, above, one, other], &[[0, 1, 3, 2]]),
        tetrahedra(&[node, above, other, one], &[[0, 1, 2, 3]]),
    ] {
        let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
        let middle_joins = |end: u32, to: u32| {
            let on_edge = edit.points_added.iter().filter(|added| added.from.iter().any(|(point, _)| point.0 == end));
            on_edge.into_iter().any(|added| !mesh.elements_at_edge(added.point, NodeId(to)).is_empty())
        };
        assert!(middle_joins(3, 2));
        assert!(!middle_joins(2, 3));
    }
}

#[test]
fn figure_8_the_face_neighbour_is_split_without_further_nodes() {
    let mut mesh = tetrahedra(
        &[[0.0, 0.0, 0.0], [1.0, 0.2, 0.8], [1.0, 1.0, -0.6], [1.0, -0.7, -0.4], [2.0, 0.1, 0.1]],
        &[[0, 1, 3, 2], [4, 1, 2, 3]],
    );
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(edit.points_added.len(), 3, "a copy and one node on each of the two cut edges");
    assert_eq!(mesh.element_count(), 6);
    assert_eq!(edit.elements_added.iter().filter(|added| added.parent.index() == 1).count(), 3);
    assert_eq!(sides_of(&mesh, mesh.elements_of(NodeId(0))), [1, 0]);
    assert_eq!(sides_of(&mesh, mesh.elements_of(NodeId(5))), [0, 2]);
    assert_eq!(mesh.pieces().count, 1, "the neighbour holds both sides together");
    assert_eq!(edit.crack.len(), 1);
    assert_eq!(mesh.crack_points(&edit).len(), 4, "two nodes at the tip and two copies");
}

#[test]
fn figure_8_the_edge_neighbour_is_split_in_two() {
    // The second element shares only the edge of nodes 1 and 2 with the first.
    let mut mesh = tetrahedra(
        &[[0.0, 0.0, 0.0], [1.0, 0.2, 0.8], [1.0, 1.0, -0.6], [1.0, -0.7, -0.4], [2.0, 1.5, 0.3], [2.0, 1.0, 0.5]],
        &[[0, 1, 3, 2], [1, 2, 4, 5]],
    );
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(mesh.element_count(), 5);
    assert_eq!(edit.elements_added.iter().filter(|added| added.parent.index() == 1).count(), 2);
    // One node on the shared edge, two on the edge of the star only.
    assert_eq!(edit.points_added.len(), 4);
}

#[test]
fn an_outer_element_with_four_cut_edges_fits_its_neighbours() {
    // Three elements at the edge of nodes 3 and 4; node 0 has two of them, the third has two nodes
    // on each side.
    let mut mesh = tetrahedra(
        &[[0.0; 3], [2.0, 1.0, 0.5], [2.0, -1.0, 0.5], [0.6, 0.0, -0.1], [0.4, 0.0, -1.0]],
        &[[4, 3, 1, 0], [4, 3, 2, 1], [4, 3, 0, 2]],
    );
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(edit.elements_added.iter().filter(|added| added.parent.index() == 1).count(), 6, "two prisms");
    assert_eq!(sides_of(&mesh, mesh.element_ids()), [3 + 2, 3 + 4]);
    assert_eq!(edit.points_added.len(), 5, "one node on each of four edges, and the copy");
    assert_eq!(mesh.pieces().count, 1);
}

#[test]
fn snapping_by_distance_flips_between_4_9_and_5_1_millimetres() {
    for (height, nodes) in [(0.0049, 3), (0.0051, 5), (-0.0049, 3), (-0.0051, 5)] {
        let mut mesh = tetrahedra(&[[0.0; 3], [1.0, 0.2, 0.8], [1.0, 1.0, height], [1.0, -0.7, -0.4]], &[[0, 1, 3, 2]]);
        let edit = cut(&mut mesh, 0, UP, Snap { distance: Snap::PAPER.distance, angle: 0.0 }).unwrap();
        assert_eq!(edit.points_added.len(), nodes, "{height}");
        assert_eq!(mesh.element_count(), if nodes == 3 { 2 } else { 3 });
    }
}

#[test]
fn snapping_by_angle_flips_between_0_099_and_0_101_radians() {
    for (angle, nodes) in [(0.099f64, 3), (0.101, 5), (-0.099, 3), (-0.101, 5)] {
        let snapped = [angle.cos(), 1.0 * angle.cos(), 2f64.sqrt() * angle.sin()];
        let mut mesh = tetrahedra(&[[0.0; 3], [1.0, 0.2, 0.8], snapped, [1.0, -0.7, -0.4]], &[[0, 1, 3, 2]]);
        let edit = cut(&mut mesh, 0, UP, Snap { distance: 0.0, angle: Snap::PAPER.angle }).unwrap();
        assert_eq!(edit.points_added.len(), nodes, "{angle}");
    }
}

#[test]
fn a_plane_with_one_empty_side_is_rejected() {
    let mut mesh = one_above();
    let refused = cut(&mut mesh, 0, Vec3::new(1.0, 0.0, 0.0), Snap::NEVER);
    assert_eq!(refused, Err(EditError::SideEmpty { point: NodeId(0), side: Side::Negative }));
    let refused = cut(&mut mesh, 0, Vec3::new(-1.0, 0.0, 0.0), Snap::NEVER);
    assert_eq!(refused, Err(EditError::SideEmpty { point: NodeId(0), side: Side::Positive }));
    // Everything snapped: the element goes to one side, the other is empty.
    let refused = cut(&mut mesh, 0, UP, Snap { distance: 10.0, angle: 0.0 });
    assert_eq!(refused, Err(EditError::SideEmpty { point: NodeId(0), side: Side::Positive }));
    assert_eq!(mesh, one_above());
}

#[test]
fn invalid_cuts_are_rejected() {
    let mut mesh = one_above();
    let current = mesh.positions().to_vec();
    let node = NodeId(0);
    assert!(matches!(mesh.cut_star(NodeId(9), UP, &current, Snap::NEVER), Err(EditError::NoSuchPoint { .. })));
    assert!(matches!(mesh.cut_star(node, Vec3::zeros(), &current, Snap::NEVER), Err(EditError::OutOfRange { .. })));
    assert!(matches!(mesh.cut_star(node, UP * f64::NAN, &current, Snap::NEVER), Err(EditError::OutOfRange { .. })));
    assert!(matches!(mesh.cut_star(node, UP, &current[1..], Snap::NEVER), Err(EditError::PositionCount { .. })));
    let backward = Snap { distance: -1.0, angle: 0.0 };
    assert!(matches!(mesh.cut_star(node, UP, &current, backward), Err(EditError::OutOfRange { .. })));
    let lost = vec![Vec3::repeat(f64::NAN); 4];
    assert!(mesh.cut_star(node, UP, &lost, Snap::NEVER).is_err());
    assert_eq!(mesh, one_above());
}

#[test]
fn two_elements_at_an_edge_are_cut_at_its_end() {
    let mut mesh = tetrahedra(
        &[[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, -0.5], [1.0, 1.0, -0.5], [-1.0, 0.0, -0.5], [-1.0, -1.0, -0.5]],
        &[[0, 2, 3, 1], [0, 4, 5, 1]],
    );
    let edit = cut(&mut mesh, 0, UP, Snap::NEVER).unwrap();
    assert_eq!(mesh.element_count(), 6);
    assert_eq!(edit.crack.len(), 2);
    assert_eq!(mesh.pieces().count, 4);
    assert_eq!(mesh.separate_at_points(&[NodeId(0), edit.points_added[0].point]).unwrap().len(), 2);
}

#[test]
fn a_plane_exactly_through_nodes_makes_no_node_but_the_copy() {
    let mut mesh = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).unwrap();
    let middle = mesh.positions().iter().position(|&position| position == Vec3::repeat(0.5)).unwrap() as u32;
    let edit = cut(&mut mesh, middle, Vec3::new(1.0, 0.0, 0.0), Snap::NEVER).unwrap();
    assert_eq!((edit.points_added.len(), mesh.element_count()), (1, 48));
    assert_eq!(edit.crack.len(), 6, "the triangles of the plane around the node");
    assert_eq!(mesh.pieces().count, 1);
}

/// Cuts at every point in the plane until no star is on both of its sides.
fn cut_through<P: Id, E: Id, const N: usize>(watched: &mut Watched<P, E, N>, at: Vec3, normal: Vec3)
where
    [Vec3; N]: Measure,
{
    let snap = Snap { distance: 1e-9, angle: 0.0 };
    loop {
        let before = watched.edits;
        for index in 0..watched.mesh.point_count() {
            let point = P::new(index as u32);
            if (watched.mesh.position(point) - at).dot(&normal).abs() > 1e-12 {
                continue;
            }
            let current = watched.mesh.positions().to_vec();
            if let Some(edit) = watched.attempt(|mesh| mesh.cut_star(point, normal, &current, snap)) {
                for point in watched.mesh.crack_points(&edit) {
                    let separated = watched.mesh.separate_at_points(&[point]).unwrap();
                    separated.iter().for_each(|edit| watched.follow(edit));
                }
            }
        }
        if watched.edits == before {
            return;
        }
    }
}

/// Volume of the part of the unit cube below n·x = d: Σ ±max(0, d − n·corner)³ / (6 n₁n₂n₃), for
/// positive n.
fn below(normal: Vec3, d: f64) -> f64 {
    let sum: f64 = (0..8)
        .map(|bits: u32| {
            let corner = Vec3::from_fn(|axis, _| f64::from(bits >> axis & 1));
            let sign = if bits.count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * (d - normal.dot(&corner)).max(0.0).powi(3)
        })
        .sum();
    sum / (6.0 * normal.x * normal.y * normal.z)
}

fn measures_of_pieces<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>) -> Vec<f64>
where
    [Vec3; N]: Measure,
{
    let pieces = mesh.pieces();
    let mut measures = vec![0.0; pieces.count];
    for element in mesh.element_ids() {
        measures[pieces.of_element[element.index()] as usize] += mesh.measure(element);
    }
    measures
}

#[test]
fn cuts_along_an_oblique_plane_separate_a_box_in_two_of_the_right_volume() {
    let mesh = kuhn_box_jittered([3, 3, 3], Vec3::repeat(1.0), Jitter { amount: 0.1, seed: 8 }).unwrap();
    let normal = Vec3::new(1.0, 0.3, 0.17);
    let at = mesh.positions()[21];
    let mut watched = Watched::new(mesh);
    cut_through(&mut watched, at, normal.normalize());
    let mut volumes = measures_of_pieces(&watched.mesh);
    volumes.sort_by(f64::total_cmp);
    let low = below(normal, normal.dot(&at));
    assert_eq!(volumes.len(), 2);
    assert!((volumes[0] - low.min(1.0 - low)).abs() < 1e-9, "{volumes:?} {low}");
    for point in watched.mesh.point_ids() {
        assert_eq!(watched.mesh.pinched_edges(point), []);
    }
}

fn separate_everywhere(mesh: &mut TetMesh) {
    loop {
        let nodes: Vec<NodeId> = mesh.point_ids().collect();
        mesh.separate_at_points(&nodes).unwrap();
        let pinched =
            nodes.iter().flat_map(|&node| mesh.pinched_edges(node).into_iter().map(move |end| [node, end])).next();
        match pinched {
            Some([start, end]) => mesh.separate_at_edge(start, end).unwrap(),
            None => return,
        };
    }
}

#[test]
fn after_separation_the_surface_of_a_shattered_box_is_closed_and_manifold() {
    for seed in 0..5 {
        let mut mesh = kuhn_box_jittered([4, 4, 4], Vec3::repeat(1.0), Jitter { amount: 0.1, seed }).unwrap();
        let mut random = Random::new(seed);
        for _ in 0..200 {
            let node = NodeId(random.below(mesh.point_count()) as u32);
            let current = mesh.positions().to_vec();
            if let Ok(edit) = mesh.cut_star(node, random.direction(), &current, Snap { distance: 0.01, angle: 0.1 }) {
                mesh.separate_at_points(&mesh.crack_points(&edit)).unwrap();
            }
        }
        separate_everywhere(&mut mesh);
        mesh.validate().unwrap();
        assert!((mesh.total_measure() - 1.0).abs() < 1e-12);
        assert!(mesh.pieces().count > 1);
        let triangles: Vec<[u32; 3]> = mesh.boundary().triangles.iter().map(|triangle| triangle.map(Id::raw)).collect();
        let mut nodes: Vec<u32> = triangles.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut surface = TriMesh::from_parts(
            nodes.iter().map(|&node| mesh.positions()[node as usize]).collect(),
            triangles.iter().map(|triangle| triangle.map(|node| nodes.binary_search(&node).unwrap() as u32)).collect(),
        )
        .unwrap();
        assert!(surface.boundary().edges.is_empty(), "closed");
        // Two cracks may meet in a node that connects the material around it. Only the void is
        // pinched there, so only the surface is separated.
        let vertices: Vec<VertexId> = surface.point_ids().collect();
        surface.separate_at_points(&vertices).unwrap();
        surface.validate().unwrap();
        assert!(surface.boundary().edges.is_empty(), "still closed");
        let vertices: Vec<VertexId> = surface.point_ids().collect();
        assert!(surface.separate_at_points(&vertices).unwrap().is_empty(), "one fan at every vertex");
    }
}

#[test]
fn cuts_along_a_lattice_plane_separate_a_box_in_halves() {
    let mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
    let mut watched = Watched::new(mesh);
    cut_through(&mut watched, Vec3::repeat(0.5), Vec3::new(0.0, 1.0, 0.0));
    assert_eq!(watched.mesh.element_count(), 384);
    let volumes = measures_of_pieces(&watched.mesh);
    assert_eq!(volumes.len(), 2);
    assert!((volumes[0] - 0.5).abs() < 1e-12);
}

#[test]
fn a_sheet_is_cut_along_a_line() {
    let mesh: TriMesh = kuhn_grid_jittered([5, 5], [1.0, 1.0], Jitter { amount: 0.2, seed: 2 }).unwrap();
    let at = mesh.position(VertexId(14));
    let mut watched = Watched::new(mesh);
    let direction = Vec3::new(0.9, -0.4, 0.0).normalize();
    cut_through(&mut watched, at, direction);
    let areas = measures_of_pieces(&watched.mesh);
    assert_eq!(areas.len(), 2);
    assert!((areas[0] + areas[1] - 1.0).abs() < 1e-12);
}

#[test]
fn a_sheet_vertex_cut_reaches_the_rim_with_two_vertices() {
    let positions = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]].map(Vec3::from).to_vec();
    let mut mesh = TriMesh::from_parts(positions.clone(), vec![[0, 2, 1]]).unwrap();
    let edit = mesh.cut_star(VertexId(0), Vec3::new(0.0, 1.0, 0.0), &positions, Snap::NEVER).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.point_count(), mesh.element_count(), mesh.pieces().count), (6, 2, 2));
    assert_eq!(edit.crack.len(), 1);
    // With a second triangle across the edge the crack stops at one vertex and that triangle is
    // split.
    let mut positions = positions;
    positions.push(Vec3::new(2.0, 0.1, 0.0));
    let mut mesh = TriMesh::from_parts(positions.clone(), vec![[0, 2, 1], [1, 2, 3]]).unwrap();
    mesh.cut_star(VertexId(0), Vec3::new(0.0, 1.0, 0.0), &positions, Snap::NEVER).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.point_count(), mesh.element_count(), mesh.pieces().count), (6, 4, 1));
}

#[test]
fn the_plane_is_one_of_the_current_configuration() {
    // In the rest state the element is above the plane; in the current state the plane cuts it at
    // known points.
    let rest = [[0.0; 3], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]];
    let mut mesh = tetrahedra(&rest, &[[0, 1, 2, 3]]);
    let current = [[0.0; 3], [1.0, 0.0, 0.3], [1.0, 1.0, 0.2], [0.0, 1.0, -0.1]].map(Vec3::from);
    let edit = mesh.cut_star(NodeId(0), UP, &current, Snap::NEVER).unwrap();
    mesh.validate().unwrap();
    for added in &edit.points_added {
        let height: f64 = added.from.sum(|node| current[node.index()].z);
        assert!(height.abs() < 1e-16, "new nodes lie in the plane as things are now");
        assert!(added.from.iter().count() < 2 || mesh.position(added.point).z > 0.9, "and elsewhere at rest");
    }
}

/// A block with a crack through its left half at middle height, up to the nodes at x = 0.
fn cracked_block(jitter: f64) -> TetMesh {
    let mut mesh = kuhn_box_jittered([4, 2, 4], Vec3::new(4.0, 2.0, 4.0), Jitter { amount: jitter, seed: 5 }).unwrap();
    for index in 0..mesh.point_count() {
        let position = mesh.position(NodeId(index as u32));
        if (position.z - 2.0).abs() < 0.5 && position.x < 1.5 {
            let current = mesh.positions().to_vec();
            let snap = Snap { distance: 0.45, angle: 0.3 };
            mesh.cut_star(NodeId(index as u32), UP, &current, snap).unwrap();
        }
    }
    mesh
}

/// The node at the tip of that crack inside the block, and the crack-face points behind it in its
/// star.
fn tip_of(mesh: &TetMesh) -> (NodeId, Vec<(NodeId, Side)>) {
    let near = |position: &Vec3, x: f64, y: f64| (position - Vec3::new(x, y, 2.0)).norm() < 0.45;
    let tip = mesh.point_ids().find(|&point| near(&mesh.position(point), 2.0, 1.0)).unwrap();
    let side = |point: NodeId| {
        let height: f64 =
            mesh.elements_of(point).map(|tet| mesh.corners(tet).map(|corner| corner.z - 2.0).iter().sum::<f64>()).sum();
        if height > 0.0 { Side::Positive } else { Side::Negative }
    };
    let is_on_face = |point: &NodeId| {
        let position = mesh.position(*point);
        position.x < 1.5 && (position.z - 2.0).abs() < 0.45
    };
    let mut face_points: Vec<NodeId> =
        mesh.elements_of(tip).flat_map(|tet| mesh.points_of(tet)).filter(is_on_face).collect();
    face_points.sort_unstable();
    face_points.dedup();
    (tip, face_points.into_iter().map(|point| (point, side(point))).collect())
}

#[test]
fn figure_12_a_kinked_crack_cuts_nothing_behind_its_tip() {
    for jitter in [0.0, 0.15] {
        let mut backward = 0;
        // Other nodes of the front are as far from the planes.
        let snap = Snap { distance: 1.5 * jitter, angle: 0.0 };
        for kink in [-1.1f64, -0.7, -0.3, 0.3, 0.7, 1.1] {
            let mesh = cracked_block(jitter);
            let (node, face_points) = tip_of(&mesh);
            assert!(
                face_points.iter().any(|point| point.1 == Side::Positive)
                    && face_points.iter().any(|point| point.1 == Side::Negative)
            );
            let normal = Vec3::new(kink.sin(), 0.0, kink.cos());
            // Elements divided by a cut with all of their points behind the tip.
            let divided_behind = |tip: Option<CrackTip<NodeId>>| {
                let mut cracked = mesh.clone();
                let surface = CutSurface { normal, tip };
                let patch = cracked.plan_cut(node, &surface, |point| mesh.position(point), snap).unwrap();
                let mut parents: Vec<_> = patch.added.iter().map(|added| added.parent).collect();
                parents.sort_unstable();
                let is_behind =
                    |tet: craze_mesh::TetId| mesh.corners(tet).iter().all(|corner| corner.x < 2.0 + 0.3 * jitter);
                let divided = parents.chunk_by(|one, other| one == other).filter(|parts| parts.len() > 1);
                let count = divided.filter(|parts| is_behind(parts[0])).count();
                let volume = cracked.total_measure();
                cracked.replace(&patch).unwrap();
                cracked.validate().unwrap();
                assert!((cracked.total_measure() - volume).abs() < 1e-14 * volume);
                count
            };
            let tip = CrackTip { normal: UP, backward: -Vec3::x(), face_points: &face_points };
            assert_eq!(divided_behind(Some(tip)), 0, "kink of {kink} rad");
            backward += divided_behind(None);
        }
        assert!(backward > 0, "a plane alone cuts backward");
    }
}

#[test]
fn a_crack_that_continues_straight_or_twisted_changes_nothing() {
    let mesh = cracked_block(0.15);
    let (node, face_points) = tip_of(&mesh);
    let plan = |normal: Vec3, tip: Option<CrackTip<NodeId>>| {
        mesh.plan_cut(node, &CutSurface { normal, tip }, |point| mesh.position(point), Snap::PAPER).unwrap()
    };
    for (normal, tip_normal, backward) in [
        (Vec3::new(0.1, 0.05, 1.0), UP, -Vec3::x()),
        (Vec3::new(0.0, 0.8, 1.0), UP, -Vec3::x()),
        (Vec3::new(0.9, 0.0, 0.1), UP, -Vec3::x()),
        (Vec3::new(0.9, 0.0, 0.9), Vec3::zeros(), -Vec3::x()),
        (Vec3::new(0.9, 0.0, 0.9), UP, Vec3::zeros()),
    ] {
        let bent = plan(normal, Some(CrackTip { normal: tip_normal, backward, face_points: &face_points }));
        assert!(bent == plan(normal, None));
    }
}

#[test]
fn bent_cuts_preserve_the_volume_for_any_input() {
    let mut random = Random::new(17);
    let mut cut = 0;
    for _ in 0..60 {
        let mut mesh = cracked_block(0.15);
        let volume = mesh.total_measure();
        for _ in 0..12 {
            let node = NodeId(random.below(mesh.point_count()) as u32);
            let mut face_points = Vec::new();
            for point in mesh.elements_of(node).flat_map(|tet| mesh.points_of(tet)).filter(|&point| point != node) {
                match random.below(6) {
                    0 => face_points.push((point, Side::Positive)),
                    1 => face_points.push((point, Side::Negative)),
                    _ => {}
                }
            }
            face_points.sort_unstable_by_key(|point| point.0);
            face_points.dedup_by_key(|point| point.0);
            let normal = random.direction();
            let tip = CrackTip {
                normal: normal + 0.8 * random.direction(),
                backward: random.direction(),
                face_points: &face_points,
            };
            let surface = CutSurface { normal, tip: Some(tip) };
            let Ok(patch) =
                mesh.plan_cut(node, &surface, |point| mesh.position(point), Snap { distance: 0.1, angle: 0.1 })
            else {
                continue;
            };
            cut += usize::from(mesh.replace(&patch).is_ok());
            mesh.validate().unwrap();
            assert!((mesh.total_measure() - volume).abs() < 1e-12 * volume);
        }
    }
    assert!(cut > 200, "{cut}");
}
