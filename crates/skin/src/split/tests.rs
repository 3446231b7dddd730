use super::*;
use craze_frame::is_manifold;
use craze_math::DisjointSets;
use proptest::prelude::*;

/// A box of cubes, six tetrahedra each.
fn cubes(counts: [u32; 3]) -> BackgroundMesh {
    let [nx, ny, nz] = counts.map(|count| count + 1);
    let number = |x: u32, y: u32, z: u32| (z * ny + y) * nx + x;
    let mut positions = Vec::new();
    for (z, y, x) in (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (z, y, x)))) {
        positions.push(Vec3::new(f64::from(x), f64::from(y), f64::from(z)));
    }
    let mut tetrahedra = Vec::new();
    for (z, y, x) in
        (0..counts[2]).flat_map(|z| (0..counts[1]).flat_map(move |y| (0..counts[0]).map(move |x| (z, y, x))))
    {
        for [one, two, even] in [[0, 1, 1], [1, 0, 0], [1, 2, 1], [2, 1, 0], [2, 0, 1], [0, 2, 0]] {
            let mut offsets = [[0u32; 3]; 4];
            offsets[1][one] = 1;
            offsets[2] = offsets[1];
            offsets[2][two] = 1;
            offsets[3] = [1; 3];
            let mut corners = offsets.map(|[dx, dy, dz]| number(x + dx, y + dy, z + dz));
            if even == 0 {
                corners.swap(2, 3);
            }
            tetrahedra.push(corners);
        }
    }
    BackgroundMesh::new(positions, tetrahedra).unwrap()
}

fn volume(parted: &SplitSurface, of: impl Fn(usize) -> bool) -> f64 {
    let rest = |point: u32| parted.points[point as usize].rest;
    let own = parted.triangles.iter().enumerate().filter(|(triangle, _)| of(*triangle));
    own.map(|(_, &[a, b, c])| rest(a).dot(&rest(b).cross(&rest(c))) / 6.0).sum()
}

/// Splits between vertices of different labels.
fn split_by(background: &BackgroundMesh, label: impl Fn(usize) -> u32, share: impl Fn(usize) -> f64) -> SplitSurface {
    let edges = background.edges().iter().enumerate();
    let parted: Vec<Option<f64>> = edges
        .map(|(edge, ends)| {
            let [one, other] = ends.map(|end| label(end as usize));
            (one != other).then(|| share(edge))
        })
        .collect();
    background.split(&parted)
}

#[test]
fn without_cuts_the_surface_is_the_boundary() {
    let background = cubes([3, 2, 2]);
    let parted = background.split(&vec![None; background.edges().len()]);
    assert!(is_manifold(&parted.triangles));
    assert_eq!(parted.triangles.len(), 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
    assert!((volume(&parted, |_| true) - 12.0).abs() < 1e-12);
    assert!(parted.cracks.iter().all(|crack| !crack));
}

#[test]
fn a_plane_splits_a_box_into_two_with_flat_crack_faces() {
    let background = cubes([4, 3, 2]);
    let position = |vertex: u32| background.positions()[vertex as usize].x;
    let edges = background.edges().iter();
    let parted: Vec<Option<f64>> = edges
        .map(|&[low, high]| {
            let share = (1.3 - position(low)) / (position(high) - position(low));
            (share > 0.0 && share < 1.0).then_some(share)
        })
        .collect();
    let parted = background.split(&parted);
    assert!(is_manifold(&parted.triangles));
    let is_left = |triangle: usize| position(parted.owners[triangle]) < 1.3;
    assert!((volume(&parted, is_left) - 1.3 * 6.0).abs() < 1e-12);
    assert!((volume(&parted, |triangle| !is_left(triangle)) - 2.7 * 6.0).abs() < 1e-12);
    for (triangle, crack) in parted.triangles.iter().zip(&parted.cracks) {
        let on_plane = triangle.iter().all(|&point| (parted.points[point as usize].rest.x - 1.3).abs() < 1e-12);
        assert_eq!(on_plane, *crack);
    }
    // The halves move independently.
    let carried: Vec<VertexMotion> = background
        .positions()
        .iter()
        .map(|rest| VertexMotion {
            position: rest + if rest.x > 1.3 { Vec3::x() } else { Vec3::zeros() },
            deformation: Mat3::identity(),
        })
        .collect();
    for (moved, point) in parted.deformed(&background, &carried).iter().zip(&parted.points) {
        let displacement = moved - point.rest;
        assert!(displacement.norm() < 1e-12 || (displacement - Vec3::x()).norm() < 1e-12);
    }
}

#[test]
fn a_crack_that_ends_inside_opens_one_piece() {
    let background = cubes([4, 4, 2]);
    let positions = background.positions();
    let parted: Vec<Option<f64>> = background
        .edges()
        .iter()
        .map(|ends| {
            let [low, high] = ends.map(|end| positions[end as usize]);
            let crosses = (low.x - 1.5) * (high.x - 1.5) < 0.0;
            (crosses && low.y.max(high.y) <= 2.0).then_some(0.5)
        })
        .collect();
    let parted = background.split(&parted);
    assert!(is_manifold(&parted.triangles));
    assert!((volume(&parted, |_| true) - 32.0).abs() < 1e-12);
    assert!(parted.cracks.iter().any(|crack| *crack));
    let mut sets = DisjointSets::new(parted.points.len());
    parted.triangles.iter().for_each(|&[a, b, c]| {
        sets.join(a, b);
        sets.join(a, c);
    });
    assert!((0..parted.points.len() as u32).all(|point| sets.root(point) == sets.root(0)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_labels_give_closed_surfaces(labels in prop::collection::vec(0u32..5, 80), shares in prop::collection::vec(0.05f64..0.95, 16)) {
        let background = cubes([4, 3, 3]);
        let parted = split_by(&background, |vertex| labels[vertex], |edge| shares[edge % 16]);
        prop_assert!(is_manifold(&parted.triangles));
        let mut sum = 0.0;
        for label in 0..5 {
            let is_own = |triangle: usize| labels[parted.owners[triangle] as usize] == label;
            let own: Vec<[u32; 3]> = (0..parted.triangles.len()).filter(|&one| is_own(one)).map(|one| parted.triangles[one]).collect();
            prop_assert!(is_manifold(&own));
            sum += volume(&parted, is_own);
        }
        prop_assert!((sum - 36.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn any_cut_edges_give_closed_surfaces(flags in prop::collection::vec(prop::bool::weighted(0.6), 400)) {
        let background = cubes([3, 3, 2]);
        let parted: Vec<Option<f64>> = (0..background.edges().len()).map(|edge| flags[edge % 400].then_some(0.5)).collect();
        let parted = background.split(&parted);
        prop_assert!(is_manifold(&parted.triangles));
        prop_assert!((volume(&parted, |_| true) - 18.0).abs() < 1e-9);
    }
}
