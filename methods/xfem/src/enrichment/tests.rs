//! Known answers about parts, degrees of freedom and the node set K_nT.

use super::*;
use crate::cut::{CutPlane, planar};
use craze_math::{Random, Vec3};
use craze_mesh::kuhn_box;

fn block(cells: usize) -> TetMesh {
    kuhn_box([cells; 3], Vec3::repeat(1.0)).expect("a block")
}

fn cut_where(
    mesh: &TetMesh,
    enrichment: &mut Enrichment,
    [point, normal]: [Vec3; 2],
    stops: &[(u32, Side)],
    is_inside: impl Fn(&Vec3) -> bool,
) -> usize {
    let plane = CutPlane::new(point, normal).expect("a plane");
    let growth = planar(mesh, enrichment, &plane, stops, is_inside);
    let sources = enrichment.grow(mesh, &growth).expect("few parts");
    sources.len()
}

fn cut(mesh: &TetMesh, enrichment: &mut Enrichment, plane: [Vec3; 2]) -> usize {
    cut_where(mesh, enrichment, plane, &[], |_| true)
}

/// Components of parts that share degrees of freedom.
fn pieces(enrichment: &Enrichment) -> usize {
    let mut sets = DisjointSets::new(enrichment.node_of.len());
    for part in &enrichment.parts {
        part.dofs.iter().for_each(|&dof| sets.join(part.dofs[0], dof));
    }
    sets.numbered().1
}

fn volume(mesh: &TetMesh, enrichment: &Enrichment) -> f64 {
    enrichment.parts.iter().map(|part| part.share * mesh.measure(TetId(part.element))).sum()
}

/// K_nT of §3.1 for a crack that meets no other: step (1) over the edges of its elements, then step
/// (2) for the points of the fringe inside the body. The fringe inside the body is in the cut faces
/// between its elements and others.
fn node_set(mesh: &TetMesh, crack: &Crack) -> BTreeSet<u32> {
    let level = |node: u32| crack.levels[&node];
    let mut set = BTreeSet::new();
    let mut removed = BTreeSet::new();
    for &element in &crack.elements {
        let nodes = mesh.elements()[element as usize];
        for corner in 0..4 {
            let face: Vec<u32> = (0..4).filter(|&other| other != corner).map(|other| nodes[other]).collect();
            let is_fringe =
                mesh.neighbour(TetId(element), corner).is_some_and(|other| !crack.elements.contains(&other.0));
            for pair in [[face[0], face[1]], [face[1], face[2]], [face[0], face[2]]] {
                if level(pair[0]) * level(pair[1]) < 0.0 {
                    set.extend(pair);
                    if is_fringe {
                        removed.extend(pair);
                    }
                }
            }
            for &node in face.iter().filter(|&&node| level(node) == 0.0) {
                set.insert(node);
            }
        }
    }
    &set - &removed
}

#[test]
fn a_plane_through_a_block_enriches_the_nodes_of_the_edges_that_it_cuts() {
    let mesh = block(4);
    let mut enrichment = Enrichment::new(&mesh);
    let added = cut(&mesh, &mut enrichment, [Vec3::new(0.4, 0.5, 0.5), Vec3::new(1.0, 0.2, 0.1)]);
    let set = node_set(&mesh, &enrichment.cracks[0]);
    assert_eq!(added, set.len());
    assert!(enrichment.enriched.keys().eq(&set), "the node set is K_nT");
    assert_eq!(pieces(&enrichment), 2);
    assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
}

#[test]
fn nodes_of_the_edges_at_a_front_are_not_enriched() {
    // §3.1, step (2).
    let mesh = block(4);
    for front in [0.3, 0.55, 0.8] {
        let mut enrichment = Enrichment::new(&mesh);
        let plane = [Vec3::new(0.4, 0.5, 0.5), Vec3::new(1.0, 0.17, 0.11)];
        let added = cut_where(&mesh, &mut enrichment, plane, &[], |center| center.y < front);
        let set = node_set(&mesh, &enrichment.cracks[0]);
        assert!(enrichment.enriched.keys().eq(&set), "front at {front}: {added} and {}", set.len());
        assert!(added > 0 && pieces(&enrichment) == 1);
    }
}

#[test]
fn a_plane_through_nodes_enriches_these_alone() {
    // Step (1a): the layer of nodes in the plane has both sides; no element is divided, since the
    // plane follows faces.
    let mesh = block(4);
    let mut enrichment = Enrichment::new(&mesh);
    let added = cut(&mesh, &mut enrichment, [Vec3::new(0.5, 0.0, 0.0), Vec3::x()]);
    assert_eq!((added, enrichment.parts.len()), (25, mesh.element_count()));
    assert_eq!(pieces(&enrichment), 2);
    // A diagonal plane through nodes and edges, which follows faces of a Kuhn lattice, too.
    let mut enrichment = Enrichment::new(&mesh);
    cut(&mesh, &mut enrichment, [Vec3::repeat(0.5), Vec3::new(1.0, -1.0, 0.0)]);
    assert_eq!(pieces(&enrichment), 2);
    // And one that cuts elements through their nodes.
    let mut enrichment = Enrichment::new(&mesh);
    let added = cut(&mesh, &mut enrichment, [Vec3::repeat(0.5), Vec3::new(1.0, 1.0, 0.0)]);
    assert_eq!((added, pieces(&enrichment)), (node_set(&mesh, &enrichment.cracks[0]).len(), 2));
    assert!(enrichment.parts.len() > mesh.element_count());
    assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
}

#[test]
fn a_crack_that_crosses_an_earlier_one_counts_once_on_either_side() {
    // READINGS 31.
    let mesh = block(5);
    let first = [Vec3::repeat(0.47), Vec3::new(1.0, 0.13, 0.07)];
    let second = [Vec3::repeat(0.51), Vec3::new(0.09, 1.0, 0.12)];
    let mut crossing = Enrichment::new(&mesh);
    let one = cut(&mesh, &mut crossing, first);
    let other = cut(&mesh, &mut crossing, second);
    assert_eq!(pieces(&crossing), 4);
    // The same as two cracks, each stopped by the first one.
    let mut stopped = Enrichment::new(&mesh);
    assert_eq!(cut(&mesh, &mut stopped, first), one);
    let plane = CutPlane::new(first[0], first[1]).unwrap();
    let in_front = |center: &Vec3| plane.normal.dot(&(center - plane.point)) >= 0.0;
    let halves = [
        cut_where(&mesh, &mut stopped, second, &[(0, Side::Positive)], |center| {
            in_front(center) || is_cut(&mesh, center, &plane)
        }),
        cut_where(&mesh, &mut stopped, second, &[(0, Side::Negative)], |center| {
            !in_front(center) || is_cut(&mesh, center, &plane)
        }),
    ];
    assert_eq!(pieces(&stopped), 4);
    assert_eq!(halves[0] + halves[1], other);
    // On a node that both cut, four degrees of freedom: one, the first crack, and twice the second.
    let most = (0..mesh.point_count() as u32).map(|node| crossing.dofs_of(node).count()).max();
    assert_eq!(most, Some(4));
}

/// True if the element about a point is cut by a plane.
fn is_cut(mesh: &TetMesh, center: &Vec3, plane: &CutPlane) -> bool {
    mesh.element_ids().any(|element| {
        let corners = mesh.corners(element);
        tetrahedron::weights_inside(&corners, center).is_some() && {
            let sides = corners.map(|corner| plane.normal.dot(&(corner - plane.point)) >= 0.0);
            sides.contains(&true) && sides.contains(&false)
        }
    })
}

#[test]
fn a_stopped_crack_branches_from_the_earlier_one() {
    let mesh = block(4);
    let mut enrichment = Enrichment::new(&mesh);
    cut(&mesh, &mut enrichment, [Vec3::repeat(0.47), Vec3::new(1.0, 0.13, 0.07)]);
    cut_where(&mesh, &mut enrichment, [Vec3::repeat(0.51), Vec3::y()], &[(0, Side::Positive)], |center| center.x > 0.3);
    assert_eq!(pieces(&enrichment), 3);
    assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
}

#[test]
fn many_random_cuts_keep_volume_and_connectivity() {
    let mesh = block(2);
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mut enrichment = Enrichment::new(&mesh);
        let (mut separated, mut planes) = (1, Vec::new());
        for _ in 0..4 {
            let plane = [Vec3::repeat(0.5) + 0.3 * random.vector(), random.direction()];
            planes.push(CutPlane::new(plane[0], plane[1]).unwrap());
            cut(&mesh, &mut enrichment, plane);
            assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
            assert!(pieces(&enrichment) >= separated);
            separated = pieces(&enrichment);
        }
        // Planes divide the cube into convex cells, one for each combination of sides; chips
        // smaller than a sliver stay with their elements.
        let mut cells = BTreeSet::new();
        for part in enrichment.parts.iter().filter(|part| part.share >= SLIVER) {
            let nodes = mesh.elements()[part.element as usize];
            let center: Vec3 =
                (0..4).map(|corner| part.first[corner] / part.share * mesh.positions()[nodes[corner] as usize]).sum();
            let side = |plane: &CutPlane| plane.normal.dot(&(center - plane.point)) >= 0.0;
            cells.insert(planes.iter().map(side).collect::<Vec<bool>>());
        }
        assert_eq!(pieces(&enrichment), cells.len());
    }
}

#[test]
fn coincident_cuts_change_nothing_and_missing_ones_have_no_elements() {
    let mesh = block(3);
    let mut enrichment = Enrichment::new(&mesh);
    let plane = [Vec3::repeat(0.44), Vec3::new(0.3, 1.0, 0.2)];
    cut(&mesh, &mut enrichment, plane);
    let parts = enrichment.parts.len();
    assert_eq!(cut(&mesh, &mut enrichment, plane), 0);
    assert_eq!((enrichment.parts.len(), pieces(&enrichment)), (parts, 2));
    let missed = planar(&mesh, &enrichment, &CutPlane::new(Vec3::repeat(9.0), Vec3::x()).unwrap(), &[], |_| true);
    assert!(missed.elements.is_empty());
    assert_eq!(CutPlane::new(Vec3::zeros(), Vec3::zeros()), Err(CutError::NoPlane));
}

#[test]
fn a_thousand_cuts_in_one_element_are_refused_with_the_limit() {
    let mesh = block(1);
    let mut enrichment = Enrichment::new(&mesh);
    let mut random = Random::new(2);
    let refused = (0..1000).find_map(|_| {
        let plane = CutPlane::new(Vec3::repeat(0.5) + 0.05 * random.vector(), random.direction()).unwrap();
        let growth = planar(&mesh, &enrichment, &plane, &[], |_| true);
        let before = enrichment.parts.clone();
        let refusal = enrichment.grow(&mesh, &growth).err()?;
        assert_eq!(before, enrichment.parts);
        Some(refusal)
    });
    assert!(matches!(refused, Some(CutError::TooManyParts { limit: MAX_PARTS, .. })), "{refused:?}");
    assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
}

#[test]
fn a_sliver_shares_the_degrees_of_freedom_of_its_neighbour() {
    // The plane passes a node inside at 2e-4 of a cell: elements that have only this node on the
    // positive side have a tip of less than 1e-10 of their volume there.
    let mesh = block(2);
    let normal = Vec3::new(1.0, 0.3, 0.2).normalize();
    let planes = [Vec3::repeat(0.5) - 1e-4 * normal, Vec3::repeat(0.5) + 1e-4 * normal];
    for point in planes {
        let mut enrichment = Enrichment::new(&mesh);
        cut(&mesh, &mut enrichment, [point, normal]);
        assert_eq!(pieces(&enrichment), 2);
        assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
        let slivers: Vec<&Part> = enrichment.parts.iter().filter(|part| !part.is_stiff).collect();
        assert!(!slivers.is_empty() && slivers.iter().all(|part| part.share < SLIVER));
        for part in &enrichment.parts {
            assert!(part.dofs.iter().all(|&dof| (dof as usize) < enrichment.node_of.len()));
        }
    }
    // A chip of 1e-9 of its element, at a corner of the block, stays with its element.
    let mut enrichment = Enrichment::new(&mesh);
    assert_eq!(cut(&mesh, &mut enrichment, [Vec3::repeat(1.0 - 5e-4 / 3.0), Vec3::repeat(1.0)]), 0);
    assert_eq!(pieces(&enrichment), 1);
    assert!((volume(&mesh, &enrichment) - 1.0).abs() < 1e-12);
}
