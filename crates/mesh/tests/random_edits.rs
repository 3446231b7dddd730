//! Thousands of random edits; all invariants are checked after each (VALIDATION 28).

mod support;

use craze_math::{Random, Vec3};
use craze_mesh::{
    EditError, Id, Jitter, Measure, NodeId, SimplexMesh, Snap, TETRAHEDRON_EDGES, TetId, TetMesh, TriMesh, TriangleId,
    kuhn_box_jittered, kuhn_grid_jittered,
};
use proptest::prelude::*;
use support::Watched;

fn random_edge<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, random: &mut Random) -> [P; 2]
where
    [Vec3; N]: Measure,
{
    let corners = mesh.points_of(E::new(random.below(mesh.element_count()) as u32));
    let first = random.below(N);
    [corners[first], corners[(first + 1 + random.below(N - 1)) % N]]
}

fn common_edit<P: Id, E: Id, const N: usize>(watched: &mut Watched<P, E, N>, random: &mut Random, kind: usize)
where
    [Vec3; N]: Measure,
{
    let [start, end] = random_edge(&watched.mesh, random);
    match kind {
        0 => {
            let parameter = 0.2 + 0.6 * random.number();
            watched.attempt(|mesh| mesh.split_edge(start, end, parameter));
        }
        1 => {
            let parameter = [0.0, 1.0, random.number()][random.below(3)];
            watched.attempt(|mesh| mesh.collapse_edge(start, end, parameter, 1e-12));
        }
        2 => {
            let elements: Vec<E> = watched.mesh.elements_of(start).filter(|_| random.below(2) == 0).collect();
            watched.attempt(|mesh| mesh.duplicate_point(start, &elements));
        }
        3 => {
            let (normal, current) = (random.direction(), watched.mesh.positions().to_vec());
            let snap = Snap { distance: 0.02, angle: 0.1 };
            if let Some(edit) = watched.attempt(|mesh| mesh.cut_star(start, normal, &current, snap)) {
                assert!(!edit.crack.is_empty() || edit.points_added.len() == 1);
                let points = watched.mesh.crack_points(&edit);
                separate(watched, &points);
            }
        }
        4 => {
            let all: Vec<P> = watched.mesh.point_ids().collect();
            separate(watched, &all);
        }
        _ => {
            let count = watched.mesh.point_count();
            let first = random.below(count);
            let points = (0..count).map(|step| P::new(((first + step) % count) as u32));
            let pinched = points
                .flat_map(|point| watched.mesh.pinched_edges(point).into_iter().map(move |end| [point, end]))
                .next();
            let [start, end] = pinched.unwrap_or([start, end]);
            let separated = watched.mesh.clone().separate_at_edge(start, end);
            // Slivers left by earlier edits may be too thin to split.
            let expected = match &separated {
                Ok(_) | Err(EditError::Inverts { .. }) => pinched.is_some(),
                Err(refusal) => pinched.is_none() && matches!(refusal, EditError::Connected { .. }),
            };
            assert!(expected, "{separated:?}");
            watched.attempt(|mesh| mesh.separate_at_edge(start, end));
        }
    }
}

fn separate<P: Id, E: Id, const N: usize>(watched: &mut Watched<P, E, N>, points: &[P])
where
    [Vec3; N]: Measure,
{
    for &point in points {
        let edits = watched.mesh.separate_at_points(&[point]).unwrap();
        for edit in &edits {
            assert!(edit.crack.is_empty(), "what touches in a point only has no facet to lose");
            watched.follow(edit);
        }
        assert!(watched.mesh.separate_at_points(&[point]).unwrap().is_empty(), "separated once, separated for good");
    }
}

/// An edge with `needed` tetrahedra, searched from a random element; any edge if there is none.
fn edge_with_ring(mesh: &TetMesh, random: &mut Random, needed: usize) -> [NodeId; 2] {
    let count = mesh.element_count();
    let first = random.below(count);
    for step in 0..count {
        let corners = mesh.points_of(TetId(((first + step) % count) as u32));
        for [start, end] in TETRAHEDRON_EDGES.map(|ends| ends.map(|corner| corners[corner])) {
            if mesh.elements_at_edge(start, end).len() == needed && random.below(3) == 0 {
                return [start, end];
            }
        }
    }
    random_edge(mesh, random)
}

fn tetrahedral_edit(watched: &mut Watched<NodeId, TetId, 4>, random: &mut Random, kind: usize) {
    match kind {
        0..=5 => common_edit(watched, random, kind),
        6 => {
            let (tet, corner) = (TetId(random.below(watched.mesh.element_count()) as u32), random.below(4));
            watched.attempt(|mesh| mesh.flip_face(tet, corner));
        }
        7 => {
            let [start, end] = edge_with_ring(&watched.mesh, random, 3);
            watched.attempt(|mesh| mesh.flip_edge(start, end));
        }
        _ => {
            let [start, end] = edge_with_ring(&watched.mesh, random, 4);
            let around = watched.mesh.elements_at_edge(start, end);
            let ring =
                |tet: TetId| watched.mesh.points_of(tet).into_iter().filter(move |&node| node != start && node != end);
            // A node of one tetrahedron, and one that shares no tetrahedron at the edge with it.
            let first = ring(around[random.below(around.len())]).next().unwrap();
            let beside: Vec<NodeId> =
                around.iter().filter(|&&tet| ring(tet).any(|node| node == first)).flat_map(|&tet| ring(tet)).collect();
            let second = around.iter().flat_map(|&tet| ring(tet)).find(|node| !beside.contains(node)).unwrap_or(first);
            watched.attempt(|mesh| mesh.flip_to_diagonal(start, end, [first, second]));
        }
    }
}

fn triangle_edit(watched: &mut Watched<craze_mesh::VertexId, TriangleId, 3>, random: &mut Random, kind: usize) {
    match kind {
        0..=5 => common_edit(watched, random, kind),
        _ => {
            let [start, end] = random_edge(&watched.mesh, random);
            watched.attempt(|mesh| mesh.flip_edge(start, end));
        }
    }
}

fn tetrahedra(counts: [usize; 3], seed: u64) -> TetMesh {
    kuhn_box_jittered(counts, Vec3::repeat(1.0), Jitter { amount: 0.15, seed }).unwrap()
}

fn triangles(counts: [usize; 2], seed: u64) -> TriMesh {
    kuhn_grid_jittered(counts, [1.0, 1.0], Jitter { amount: 0.2, seed }).unwrap()
}

#[test]
fn a_thousand_random_edits_keep_every_invariant_of_a_tetrahedral_mesh() {
    for seed in 0..4 {
        let mut watched = Watched::new(tetrahedra([3, 3, 3], seed));
        let mut random = Random::new(seed);
        while watched.edits < 1000 {
            // Collapses and flips fail more often than splits: try them more often.
            let kind = [0, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8][random.below(26)];
            tetrahedral_edit(&mut watched, &mut random, kind);
        }
        assert!(watched.refusals > 100, "refusals were tested too");
    }
}

#[test]
fn each_kind_of_tetrahedral_edit_happens_many_times() {
    let mut happened = [0; 9];
    for seed in 0..20 {
        let mut watched = Watched::new(tetrahedra([3, 3, 3], seed));
        let mut random = Random::new(seed);
        for step in 0..200 {
            // Flips and collapses first, while the mesh is in one piece.
            let kind = if step < 100 { [0, 1, 1, 6, 7, 8][random.below(6)] } else { random.below(9) };
            let before = watched.edits;
            tetrahedral_edit(&mut watched, &mut random, kind);
            happened[kind] += watched.edits - before;
        }
    }
    assert!(happened.iter().all(|&count| count >= 10), "{happened:?}");
}

#[test]
fn a_thousand_random_edits_keep_every_invariant_of_a_triangle_mesh() {
    for seed in 0..4 {
        let mut watched = Watched::new(triangles([6, 6], seed));
        let mut random = Random::new(seed);
        while watched.edits < 1500 {
            let kind = [0, 1, 1, 1, 1, 2, 3, 4, 6, 6, 6][random.below(11)];
            triangle_edit(&mut watched, &mut random, kind);
        }
        assert!(watched.refusals > 100, "refusals were tested too");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_short_row_of_edits_keeps_a_tetrahedral_mesh_whole(
        seed in 0u64..1000,
        edits in prop::collection::vec((0usize..9, any::<u64>()), 1..40),
    ) {
        let mut watched = Watched::new(tetrahedra([2, 2, 2], seed));
        for (kind, choice) in edits {
            tetrahedral_edit(&mut watched, &mut Random::new(choice), kind);
        }
    }

    #[test]
    fn any_short_row_of_edits_keeps_a_triangle_mesh_whole(
        seed in 0u64..1000,
        edits in prop::collection::vec((0usize..7, any::<u64>()), 1..40),
    ) {
        let mut watched = Watched::new(triangles([3, 3], seed));
        for (kind, choice) in edits {
            triangle_edit(&mut watched, &mut Random::new(choice), kind);
        }
    }
}
