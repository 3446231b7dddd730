use super::*;
use crate::bcc_lattice::bcc_tetrahedra;
use crate::split::VertexMotion;
use craze_math::{DisjointSets, Mat3};
use craze_spatial::{Aabb, WindingTree};
use proptest::prelude::*;

/// A dented, wavy ball: rings of vertices between two poles.
fn wavy_ball(rings: u32, around: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let radius = |up: f64, turn: f64| 1.0 + 0.2 * (3.0 * turn).sin() * up.sin() - 0.3 * (-4.0 * up * up).exp();
    let point =
        |up: f64, turn: f64| radius(up, turn) * Vec3::new(up.sin() * turn.cos(), up.cos(), up.sin() * turn.sin());
    let mut positions = vec![point(0.0, 0.0), point(std::f64::consts::PI, 0.0)];
    for ring in 1..rings {
        for step in 0..around {
            let turn = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            positions.push(point(std::f64::consts::PI * f64::from(ring) / f64::from(rings), turn));
        }
    }
    let number = |ring: u32, step: u32| 2 + (ring - 1) * around + step % around;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, number(1, step + 1), number(1, step)]);
        triangles.push([1, number(rings - 1, step), number(rings - 1, step + 1)]);
        for ring in 1..rings - 1 {
            let [a, b] = [number(ring, step), number(ring, step + 1)];
            let [c, d] = [number(ring + 1, step), number(ring + 1, step + 1)];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    (positions, triangles)
}

fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |number: u32| Vec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2));
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    ((0..8).map(corner).collect(), triangles)
}

fn covered((positions, triangles): (Vec<Vec3>, Vec<[u32; 3]>), edge: f64) -> (BackgroundMesh, EmbeddedSurface) {
    let winding = WindingTree::new(&positions, &triangles).unwrap();
    let (nodes, tetrahedra) = bcc_tetrahedra(&winding, &Aabb::from_points(&positions), edge, 0.0).unwrap();
    let background = BackgroundMesh::new(nodes, tetrahedra).unwrap();
    let embedded = EmbeddedSurface::new(&background, positions, triangles, 1.5 * edge).unwrap();
    (background, embedded)
}

fn volume(parted: &SplitSurface, of: impl Fn(usize) -> bool) -> f64 {
    let rest = |point: u32| parted.points[point as usize].rest;
    let own = parted.triangles.iter().enumerate().filter(|(triangle, _)| of(*triangle));
    own.map(|(_, &[a, b, c])| rest(a).dot(&rest(b).cross(&rest(c))) / 6.0).sum()
}

fn enclosed(embedded: &EmbeddedSurface) -> f64 {
    let (positions, triangles) = embedded.input();
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| positions[vertex as usize]);
    triangles.iter().map(corners).map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// Checks that surfaces are closed, that parts of input triangles lie on these and cover them, and
/// that volumes sum to the whole.
fn check(parted: &SplitSurface, embedded: &EmbeddedSurface) {
    assert!(is_manifold(&parted.triangles));
    let (positions, triangles) = embedded.input();
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
    let mut areas = vec![0.0; triangles.len()];
    for (triangle, corners) in parted.triangles.iter().enumerate().filter(|(one, _)| !parted.cracks[*one]) {
        let source = parted.sources[triangle] as usize;
        let [a, b, c] = triangles[source].map(|vertex| positions[vertex as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        let points = corners.map(|point| parted.points[point as usize].rest);
        assert!(points.iter().all(|point| normal.dot(&(point - a)).abs() < 1e-12));
        areas[source] += area(points);
    }
    for (sum, triangle) in areas.iter().zip(triangles) {
        let whole = area(triangle.map(|vertex| positions[vertex as usize]));
        assert!((sum / whole - 1.0).abs() < 1e-9, "{sum} of {whole}");
    }
    assert!((volume(parted, |_| true) / enclosed(embedded) - 1.0).abs() < 1e-9);
    for point in &parted.points {
        let sum: f64 = point.weights.iter().map(|carrier| carrier.1).sum();
        assert!((sum - 1.0).abs() < 1e-12 && point.weights.iter().all(|carrier| carrier.1 >= 0.0));
    }
}

#[test]
fn without_cuts_the_surface_is_the_input_and_follows_its_mesh() {
    let (background, embedded) = covered(wavy_ball(12, 16), 0.4);
    let parted = background.split_embedded(&[], &embedded).unwrap();
    check(&parted, &embedded);
    assert!(parted.cracks.iter().all(|crack| !crack));
    let bend = Mat3::new(1.0, 0.2, 0.0, -0.1, 1.1, 0.0, 0.3, 0.0, 0.9);
    let carry = |rest: &Vec3| VertexMotion { position: bend * rest, deformation: bend };
    let carried: Vec<VertexMotion> = background.positions().iter().map(carry).collect();
    for (moved, point) in parted.deformed(&background, &carried).iter().zip(&parted.points) {
        assert!((moved - bend * point.rest).norm() < 1e-12);
    }
}

#[test]
fn long_triangles_are_divided_and_keep_their_input_triangle() {
    let (background, embedded) = covered(cube(), 0.2);
    let parted = background.split_embedded(&[], &embedded).unwrap();
    check(&parted, &embedded);
    for corners in &parted.triangles {
        let [a, b, c] = corners.map(|point| parted.points[point as usize].rest);
        assert!([b - a, c - b, a - c].iter().all(|edge| edge.norm() <= 0.3));
    }
}

#[test]
fn a_plane_splits_a_cube_into_two_with_flat_crack_faces() {
    let (background, embedded) = covered(cube(), 0.25);
    let position = |vertex: u32| background.positions()[vertex as usize];
    let parted: Vec<Option<f64>> = background
        .edges()
        .iter()
        .map(|&[low, high]| {
            let share = (0.3 - position(low).x) / (position(high).x - position(low).x);
            (share > 0.0 && share < 1.0).then_some(share)
        })
        .collect();
    let parted = background.split_embedded(&parted, &embedded).unwrap();
    check(&parted, &embedded);
    let is_left = |triangle: usize| position(parted.owners[triangle]).x < 0.3;
    assert!((volume(&parted, is_left) - 0.3).abs() < 1e-9);
    assert!((volume(&parted, |triangle| !is_left(triangle)) - 0.7).abs() < 1e-9);
    for (triangle, corners) in parted.triangles.iter().enumerate() {
        let points = corners.map(|point| parted.points[point as usize].rest);
        let on_plane = points.iter().all(|position| (position.x - 0.3).abs() < 1e-9);
        assert_eq!(on_plane, parted.cracks[triangle]);
        // Interpolating vertices are on the point's side.
        for &point in corners {
            let carriers = parted.points[point as usize].weights;
            let on_side =
                |&(vertex, weight): &(u32, f64)| weight == 0.0 || (position(vertex).x < 0.3) == is_left(triangle);
            assert!(carriers.iter().all(on_side));
        }
    }
}

#[test]
fn a_crack_that_ends_inside_opens_one_piece() {
    let (background, embedded) = covered(cube(), 0.2);
    let position = |vertex: u32| background.positions()[vertex as usize];
    let edges = background.edges().iter();
    let parted: Vec<Option<f64>> = edges
        .map(|&[low, high]| {
            let share = (0.4 - position(low).x) / (position(high).x - position(low).x);
            (share > 0.02 && share < 0.98 && position(low).y.max(position(high).y) < 0.6).then_some(share)
        })
        .collect();
    let parted = background.split_embedded(&parted, &embedded).unwrap();
    check(&parted, &embedded);
    assert!(parted.cracks.iter().any(|crack| *crack));
    let mut sets = DisjointSets::new(parted.points.len());
    parted.triangles.iter().for_each(|&[a, b, c]| {
        sets.join(a, b);
        sets.join(a, c);
    });
    assert!((0..parted.points.len() as u32).all(|point| sets.root(point) == sets.root(0)));
    // Points of the surface are doubled where the crack is open.
    let mut points: Vec<[u64; 3]> = parted.points.iter().map(|point| point.rest.map(f64::to_bits).into()).collect();
    let all = points.len();
    points.sort_unstable();
    points.dedup();
    assert!(points.len() < all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_labels_leave_the_surface_closed(labels in prop::collection::vec(0u32..5, 97), shares in prop::collection::vec(0.05f64..0.95, 61)) {
        let (background, embedded) = covered(wavy_ball(9, 13), 0.55);
        let label = |vertex: u32| labels[vertex as usize % 97];
        let edges = background.edges().iter().enumerate();
        let parted: Vec<Option<f64>> = edges.map(|(edge, &[low, high])| (label(low) != label(high)).then(|| shares[edge % 61])).collect();
        let parted = background.split_embedded(&parted, &embedded).unwrap();
        check(&parted, &embedded);
        for own in 0..5 {
            let is_own = |triangle: usize| label(parted.owners[triangle]) == own;
            let triangles: Vec<[u32; 3]> = (0..parted.triangles.len()).filter(|&one| is_own(one)).map(|one| parted.triangles[one]).collect();
            prop_assert!(is_manifold(&triangles));
            prop_assert!(volume(&parted, is_own) >= 0.0);
            // Crack faces and surface interpolate from the same side.
            for corners in &triangles {
                for &point in corners {
                    prop_assert!(parted.points[point as usize].weights.iter().all(|&(vertex, weight)| weight == 0.0 || label(vertex) == own));
                }
            }
        }
    }

    #[test]
    fn any_cut_edges_leave_the_surface_closed(flags in prop::collection::vec(prop::bool::weighted(0.6), 401)) {
        let (background, embedded) = covered(wavy_ball(9, 13), 0.6);
        let parted: Vec<Option<f64>> = (0..background.edges().len()).map(|edge| flags[edge % 401].then_some(0.5)).collect();
        check(&background.split_embedded(&parted, &embedded).unwrap(), &embedded);
    }
}
