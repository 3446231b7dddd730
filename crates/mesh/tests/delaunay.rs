//! Triangulations of plane domains: areas, angles, open slits, errors.

use craze_mesh::{ChainName, DelaunayError, PlaneDomain, TriMesh, Triangulation, VertexId, triangulate};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

type Point = [f64; 2];

fn rectangle(width: f64, height: f64) -> Vec<Point> {
    let (x, y) = (0.5 * width, 0.5 * height);
    vec![[-x, -y], [x, -y], [x, y], [-x, y]]
}

fn circle(centre: Point, radius: f64, count: usize) -> Vec<Point> {
    let angle = |k: usize| TAU * k as f64 / count as f64;
    (0..count).map(|k| [centre[0] + radius * angle(k).cos(), centre[1] + radius * angle(k).sin()]).collect()
}

fn area(boundary: &[Point]) -> f64 {
    let cross = |k: usize| {
        let (a, b) = (boundary[k], boundary[(k + 1) % boundary.len()]);
        a[0] * b[1] - b[0] * a[1]
    };
    (0..boundary.len()).map(cross).sum::<f64>().abs() / 2.0
}

fn quality(mesh: &TriMesh) -> (f64, f64) {
    let smallest = mesh.element_ids().map(|t| mesh.quality(t).smallest_angle.to_degrees()).fold(90.0, f64::min);
    let edges = mesh.edges();
    let length = |ends: &[VertexId; 2]| (mesh.position(ends[0]) - mesh.position(ends[1])).norm();
    (smallest, edges.iter().map(length).sum::<f64>() / edges.len() as f64)
}

/// Euler characteristic V − E + F, and the number of boundary loops.
fn topology(mesh: &TriMesh) -> (i64, usize) {
    let euler = mesh.point_count() as i64 - mesh.edges().len() as i64 + mesh.element_count() as i64;
    let boundary = mesh.boundary();
    let mut next = vec![None; mesh.point_count()];
    for [start, end] in &boundary.edges {
        assert!(next[start.index()].replace(end.index()).is_none(), "a rim that touches itself at {start}");
    }
    let mut loops = 0;
    for [start, _] in &boundary.edges {
        let mut here = start.index();
        loops += usize::from(next[here].is_some());
        while let Some(after) = next[here].take() {
            here = after;
        }
    }
    (euler, loops)
}

fn checked(domain: &PlaneDomain, edge: f64) -> Triangulation {
    let made = triangulate(domain, edge).unwrap_or_else(|error| panic!("{error} for {domain:?} at {edge}"));
    made.mesh.validate().expect("a mesh");
    let expected = area(&domain.outline) - domain.holes.iter().map(|hole| area(hole)).sum::<f64>();
    let found = made.mesh.total_measure();
    assert!((found / expected - 1.0).abs() < 1e-10, "{found} of {expected}");
    for triangle in made.mesh.element_ids() {
        let [a, b, c] = made.mesh.corners(triangle);
        assert!((b - a).cross(&(c - a)).z > 0.0, "clockwise");
    }
    made
}

#[test]
fn a_square_is_filled_with_nearly_equilateral_triangles() {
    for edge in [0.5, 0.2, 0.1, 0.03, 0.01] {
        let made = checked(&PlaneDomain { outline: rectangle(1.0, 1.0), ..Default::default() }, edge);
        let (angle, mean) = quality(&made.mesh);
        assert!(angle > 35.0, "{angle} at {edge}");
        // Two edges per side leave no choice.
        assert!((mean / edge - 1.0).abs() < 0.1 || edge == 0.5, "{mean} at {edge}");
        assert_eq!(topology(&made.mesh), (1, 1));
    }
}

#[test]
fn holes_lines_and_slits_keep_quality_and_topology() {
    for edge in [0.2, 0.1, 0.05, 0.02] {
        let domain = PlaneDomain {
            outline: vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]],
            holes: vec![circle([-0.5, -0.5], 0.2, 40), circle([-0.5, 0.55], 0.11, 12), rectangle(0.1, 0.1)],
            lines: vec![vec![[0.3, -0.8], [0.8, -0.8], [0.8, -0.3], [0.3, -0.3], [0.3, -0.8]]],
            slits: vec![vec![[1.0, 0.0], [0.4, 0.1]], vec![[-0.2, 0.5], [0.0, 0.7], [0.3, 0.7]]],
        };
        let made = checked(&domain, edge);
        let (angle, _) = quality(&made.mesh);
        assert!(angle > 25.0, "{angle} at {edge}");
        // Each hole and each inner slit adds a loop; the slit from the boundary only lengthens it.
        assert_eq!(topology(&made.mesh), (1 - 4, 5));
        let length: f64 =
            (made.lines.iter()).map(|ends| (made.mesh.position(ends[0]) - made.mesh.position(ends[1])).norm()).sum();
        assert!((length - 2.0).abs() < 1e-12, "{length} of lines");
    }
}

#[test]
fn a_slit_has_two_faces_that_share_only_the_tip() {
    let outline = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.5]];
    let domain = PlaneDomain { outline, slits: vec![vec![[0.0, 0.5], [1.2, 0.5]]], ..Default::default() };
    let made = checked(&domain, 0.1);
    let on_slit: Vec<_> = (made.mesh.point_ids())
        .map(|vertex| (vertex, made.mesh.position(vertex)))
        .filter(|(_, at)| at.y == 0.5 && at.x <= 1.2 + 1e-12)
        .collect();
    let tips = on_slit.iter().filter(|(_, at)| at.x > 1.2 - 1e-9).count();
    assert_eq!((tips, on_slit.len()), (1, 2 * 12 + 1));
    // No triangle has points above and below the slit: both faces connect behind the tip only.
    for (vertex, at) in &on_slit {
        let above = made.mesh.elements_of(*vertex).any(|t| made.mesh.corners(t).iter().any(|c| c.y > 0.5 + 1e-9));
        let below = made.mesh.elements_of(*vertex).any(|t| made.mesh.corners(t).iter().any(|c| c.y < 0.5 - 1e-9));
        assert_eq!(above && below, at.x > 1.2 - 1e-9);
    }
    assert_eq!(topology(&made.mesh), (1, 1));
}

#[test]
fn narrow_gaps_and_short_segments_refine_what_is_near_them_only() {
    // Two holes at a distance of a hundredth, and a notch of a fiftieth, with edges of a tenth.
    let mut outline = rectangle(2.0, 2.0);
    outline.splice(1..1, [[-0.02, -1.0], [0.0, -0.98], [0.02, -1.0]]);
    let holes = vec![circle([-0.255, 0.0], 0.25, 16), circle([0.255, 0.0], 0.25, 16)];
    let made = checked(&PlaneDomain { outline, holes, ..Default::default() }, 0.1);
    let (angle, _) = quality(&made.mesh);
    assert!(angle > 25.0, "{angle}");
    assert!(made.mesh.element_count() < 6000, "{}", made.mesh.element_count());
    assert_eq!(topology(&made.mesh), (-1, 3));
}

#[test]
fn the_same_domain_gives_the_same_bits() {
    let holes = vec![circle([0.1, 0.2], 0.15, 17)];
    let domain = PlaneDomain { outline: circle([0.0; 2], 0.5, 50), holes, ..Default::default() };
    assert_eq!(checked(&domain, 0.03), checked(&domain, 0.03));
}

#[test]
fn scale_and_position_do_not_matter() {
    for (scale, shift) in [(1e-9, 0.0), (1e9, 0.0), (1e-3, 1e3)] {
        let moved = |boundary: Vec<Point>| boundary.iter().map(|p| p.map(|c| c * scale + shift)).collect::<Vec<_>>();
        let domain = PlaneDomain {
            outline: moved(rectangle(1.0, 1.0)),
            holes: vec![moved(circle([0.0; 2], 0.2, 20))],
            ..Default::default()
        };
        let made = triangulate(&domain, 0.07 * scale).expect("triangles");
        let (angle, mean) = quality(&made.mesh);
        assert!(angle > 25.0 && (mean / (0.07 * scale) - 1.0).abs() < 0.12, "{angle} {mean} at {scale}");
    }
}

#[test]
fn invalid_domains_are_rejected() {
    let square = PlaneDomain { outline: rectangle(1.0, 1.0), ..Default::default() };
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(triangulate(&square, edge), Err(DelaunayError::EdgeLength { .. })));
    }
    for edge in [1e-12, 1e-300] {
        assert!(matches!(triangulate(&square, edge), Err(DelaunayError::TooFine { .. })));
    }
    assert_eq!(triangulate(&square, 1e12).expect("two triangles").mesh.element_count(), 2);
    let outline = |outline: Vec<Point>| triangulate(&PlaneDomain { outline, ..Default::default() }, 0.1);
    assert!(matches!(outline(vec![]), Err(DelaunayError::TooFewPoints { found: 0, needed: 3, .. })));
    let bow = outline(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.9]]);
    assert!(matches!(bow, Err(DelaunayError::Crossing { .. })), "{bow:?}");
    let flat = outline(vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    assert_eq!(flat, Err(DelaunayError::NoArea { chain: ChainName::Outline }));
    let spike = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.5, 2.0], [0.5, 1.0], [0.0, 1.0]]);
    assert!(matches!(spike, Err(DelaunayError::Crossing { .. })), "{spike:?}");
    let twice = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert!(matches!(twice, Err(DelaunayError::RepeatedPoint { index: 1, .. })));
    let nowhere = outline(vec![[0.0, 0.0], [f64::NAN, 0.0], [0.0, 1.0]]);
    assert!(matches!(nowhere, Err(DelaunayError::BadPoint { index: 1, .. })));
    let far = outline(vec![[0.0, 0.0], [1e30, 0.0], [0.0, 1e30]]);
    assert!(matches!(far, Err(DelaunayError::BadPoint { index: 1, .. })));

    let hole = |hole: Vec<Point>| triangulate(&PlaneDomain { holes: vec![hole], ..square.clone() }, 0.1);
    let outside = hole(circle([2.0, 0.0], 0.2, 8));
    assert_eq!(outside, Err(DelaunayError::Outside { chain: ChainName::Hole(0) }));
    assert!(matches!(hole(circle([0.5, 0.0], 0.2, 8)), Err(DelaunayError::Crossing { .. })));
    assert!(matches!(hole(vec![[0.5, 0.5], [0.2, 0.2], [0.3, 0.1]]), Err(DelaunayError::Crossing { .. })));
    let nested = PlaneDomain { holes: vec![circle([0.0; 2], 0.3, 9), circle([0.0; 2], 0.1, 9)], ..square.clone() };
    assert_eq!(triangulate(&nested, 0.1), Err(DelaunayError::Outside { chain: ChainName::Hole(1) }));
    let slit = |slit: Vec<Point>| triangulate(&PlaneDomain { slits: vec![slit], ..square.clone() }, 0.1);
    assert!(matches!(slit(vec![[-0.7, 0.0], [0.2, 0.0]]), Err(DelaunayError::Crossing { .. })));
    assert_eq!(slit(vec![[0.7, 0.0], [0.9, 0.0]]), Err(DelaunayError::Outside { chain: ChainName::Slit(0) }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_stars_with_holes_are_filled(
        radii in proptest::collection::vec(0.5f64..1.0, 3..20),
        hole in 0.02f64..0.3,
        corners in 3usize..24,
        edge in 0.03f64..0.3,
    ) {
        let count = radii.len();
        let outline: Vec<Point> = (radii.iter().enumerate())
            .map(|(k, radius)| {
                let angle = TAU * k as f64 / count as f64;
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        // The inradius of the star is at least half its smallest radius for four or more corners.
        let holes = if count > 4 { vec![circle([0.0; 2], hole, corners)] } else { vec![] };
        let domain = PlaneDomain { outline: outline.clone(), holes, ..Default::default() };
        let made = checked(&domain, edge);
        prop_assert_eq!(topology(&made.mesh).1, 1 + domain.holes.len());
        // Input corners sharper than 60° limit the angles near them.
        let sharp: Vec<Point> = [&outline].into_iter().chain(&domain.holes).flat_map(|boundary| {
            (0..boundary.len()).filter_map(|k| {
                let [a, b, c] = [boundary.len() - 1, 0, 1].map(|step| boundary[(k + step) % boundary.len()]);
                let ([x, y], [u, v]) = ([a[0] - b[0], a[1] - b[1]], [c[0] - b[0], c[1] - b[1]]);
                let angle = (x * v - y * u).abs().atan2(x * u + y * v);
                (angle < PI / 3.0).then_some(b)
            })
        }).collect();
        // Not a proven bound; the worst of 8,000 random stars was between 20° and 25°.
        for triangle in made.mesh.element_ids() {
            let quality = made.mesh.quality(triangle);
            let near = made.mesh.corners(triangle).iter().any(|c| {
                sharp.iter().any(|s| (c.x - s[0]).hypot(c.y - s[1]) < 1.5 * edge)
            });
            prop_assert!(near || quality.smallest_angle.to_degrees() > 20.0, "{:?}", (quality, made.mesh.corners(triangle)));
        }
    }
}
