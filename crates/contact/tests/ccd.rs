//! Continuous detection: known answers, and that nothing is ever missed.

mod queries;

use craze_contact::{
    ccd::{self, Impact},
    distance,
};
use craze_math::Random;
use craze_math::predicates::orient3d;
use craze_math::{Isometry, Rotation, Vec3};
use queries::{KINDS, Pair, Query, point, query};

fn ask(query: &Query) -> Option<Impact> {
    match query.pair {
        Pair::PointTriangle => ccd::point_triangle(&query.start, &query.end, query.separation),
        Pair::EdgeEdge => ccd::edge_edge(&query.start, &query.end, query.separation),
    }
}

fn at(query: &Query, time: f64) -> [Vec3; 4] {
    std::array::from_fn(|i| query.start[i] * (1.0 - time) + query.end[i] * time)
}

fn distance_of(pair: Pair, [a, b, c, d]: &[Vec3; 4]) -> f64 {
    match pair {
        Pair::PointTriangle => distance::point_triangle(a, &[*b, *c, *d]).distance,
        Pair::EdgeEdge => distance::edge_edge(&[*a, *b], &[*c, *d]).distance,
    }
}

/// Coordinates of the differences between the two: the scale on which everything happens (m).
fn largest(query: &Query) -> f64 {
    let pairs: &[[usize; 2]] = match query.pair {
        Pair::PointTriangle => &[[0, 1], [0, 2], [0, 3]],
        Pair::EdgeEdge => &[[0, 2], [0, 3], [1, 2], [1, 3]],
    };
    let size =
        |vertices: &[Vec3; 4]| pairs.iter().map(|&[i, j]| (vertices[i] - vertices[j]).amax()).fold(0.0, f64::max);
    size(&query.start).max(size(&query.end))
}

const TRIANGLE: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

fn drop_on_triangle(from: Vec3, to: Vec3, separation: f64) -> Option<Impact> {
    let [a, b, c] = TRIANGLE;
    ccd::point_triangle(&[from, a, b, c], &[to, a, b, c], separation)
}

#[test]
fn a_falling_point_meets_the_triangle_when_and_where_it_should() {
    let impact = drop_on_triangle(Vec3::new(0.2, 0.3, 1.0), Vec3::new(0.2, 0.3, -1.0), 0.0).expect("hits");
    assert!(impact.time < 0.5 && impact.time > 0.5 - 1e-5, "{impact:?}");
    assert!((impact.normal - Vec3::z()).norm() < 1e-12);
    for (found, expected) in impact.weights.iter().zip([1.0, -0.5, -0.2, -0.3]) {
        assert!((found - expected).abs() < 1e-5, "{impact:?}");
    }
    let thick = drop_on_triangle(Vec3::new(0.2, 0.3, -1.0), Vec3::new(0.2, 0.3, 1.0), 0.5).expect("hits");
    assert!(thick.time < 0.25 && thick.time > 0.25 - 1e-5 && thick.normal.z < -0.999, "{thick:?}");
    assert_eq!(drop_on_triangle(Vec3::new(0.6, 0.6, 1.0), Vec3::new(0.6, 0.6, -1.0), 0.0), None, "beside it");
    assert_eq!(drop_on_triangle(Vec3::new(0.2, 0.3, 1.0), Vec3::new(0.2, 0.3, 0.01), 0.0), None, "stops above it");
    let corner = drop_on_triangle(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0), 0.0).expect("meets the corner");
    assert!(corner.time < 1.0 / 3.0 && corner.time > 0.3333);
}

#[test]
fn crossing_edges_meet() {
    let start =
        [Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let mut end = start;
    end[0].z = -3.0;
    end[1].z = -3.0;
    let impact = ccd::edge_edge(&start, &end, 0.0).expect("they cross");
    assert!(impact.time < 0.25 && impact.time > 0.25 - 1e-5);
    assert!((impact.normal - Vec3::z()).norm() < 1e-12);
    assert!((impact.weights[0] - 0.5).abs() < 1e-9 && (impact.weights[2] + 0.5).abs() < 1e-9);
    // Parallel edges that fall onto each other, sideways and end to end.
    let mut start =
        [Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(-2.0, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0)];
    let mut end = start;
    end[0].z = -1.0;
    end[1].z = -1.0;
    let impact = ccd::edge_edge(&start, &end, 0.0).expect("they fall onto each other");
    assert!(impact.time < 0.5 && impact.time > 0.5 - 1e-5);
    start[0].x = 1.5;
    start[1].x = 3.0;
    start[0].z = 0.0;
    start[1].z = 0.0;
    end[0] = start[0] - Vec3::x() * 2.0;
    end[1] = start[1] - Vec3::x() * 2.0;
    let impact = ccd::edge_edge(&start, &end, 0.0).expect("end to end");
    assert!(impact.time < 0.5 && impact.time > 0.5 - 1e-5);
    assert!((impact.normal - Vec3::x()).norm() < 1e-9);
}

#[test]
fn what_touches_at_the_start_is_reported_at_once_with_a_normal_against_the_motion() {
    for way in [-1.0, 1.0] {
        let impact = drop_on_triangle(Vec3::new(0.2, 0.3, 0.0), Vec3::new(0.2, 0.3, way), 0.0).expect("touches");
        assert_eq!(impact.time, 0.0);
        assert_eq!(impact.normal, -Vec3::z() * way);
    }
    let point = Vec3::new(1.0, 2.0, 3.0);
    let nothing = ccd::point_triangle(&[point; 4], &[point; 4], 0.0).expect("touches");
    assert_eq!((nothing.time, nothing.normal), (0.0, Vec3::zeros()));
    assert!(ccd::edge_edge(&[point; 4], &[point + Vec3::x(); 4], 0.0).is_some());
    let close =
        drop_on_triangle(Vec3::new(0.2, 0.3, 0.05), Vec3::new(0.2, 0.3, 5.0), 0.1).expect("within the separation");
    assert_eq!((close.time, close.normal), (0.0, Vec3::z()));
}

#[test]
fn what_starts_near_and_moves_away_is_free() {
    for gap in [1e-3, 1e-6, 1e-9, 1e-12] {
        let from = Vec3::new(0.2, 0.3, gap);
        assert_eq!(drop_on_triangle(from, from + Vec3::new(0.3, -0.1, 1.0), 0.0), None, "{gap}");
        let onto = drop_on_triangle(from, from - Vec3::z(), 0.0).expect("hits");
        assert!(onto.time > 0.0 && onto.time < gap, "{onto:?}");
    }
}

#[test]
fn numbers_that_are_none_are_no_contact() {
    let mut start = [Vec3::z(), TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]];
    let mut end = start;
    end[0] = -Vec3::z();
    for bad in [f64::NAN, f64::INFINITY] {
        for vertex in 0..4 {
            let mut broken = end;
            broken[vertex].y = bad;
            assert_eq!(ccd::point_triangle(&start, &broken, 0.0), None);
            assert_eq!(ccd::edge_edge(&broken, &start, 0.0), None);
        }
    }
    start[0] *= 1e200;
    end[0] *= 1e200;
    assert!(ccd::point_triangle(&start, &end, 0.0).is_some());
}

#[test]
fn a_report_is_never_late_and_never_far_from_contact() {
    let mut hits = [0; KINDS.len()];
    let mut far = 0;
    let count = 60_000;
    for number in 0..count {
        let query = query(number);
        let Some(impact) = ask(&query) else { continue };
        hits[query.kind] += 1;
        assert!((0.0..=1.0).contains(&impact.time), "{number} {impact:?}");
        let sums = impact.weights.iter().fold((0.0, 0.0), |(sum, size), w| (sum + w, size + w.abs()));
        assert!(sums.0.abs() < 1e-14 && (sums.1 - 2.0).abs() < 1e-14, "{number} {impact:?}");
        assert!((impact.normal.norm() - 1.0).abs() < 1e-9 || impact.normal == Vec3::zeros(), "{number} {impact:?}");
        let scale = largest(&query);
        let blur = 1e-15 * (scale + query.start.iter().chain(&query.end).map(Vec3::amax).fold(0.0, f64::max));
        let found = distance_of(query.pair, &at(&query, impact.time));
        far += u64::from(found - query.separation > ccd::TOLERANCE * scale + blur);
        // Up to the report nobody came within the separation.
        if impact.time > 0.0 {
            for sample in 0..=64 {
                let time = impact.time * f64::from(sample) / 64.0;
                let distance = distance_of(query.pair, &at(&query, time));
                assert!(distance > query.separation - blur, "{number} at {time}: {distance} {impact:?}");
            }
        }
    }
    assert_eq!(far, 0, "reports that are outside of the tolerance");
    assert!(hits.iter().all(|&hits| hits > 50), "kinds that prove little: {hits:?}");
}

#[test]
fn what_passes_without_report_stays_apart_at_all_samples() {
    for number in 100_000..160_000 {
        let query = query(number);
        if ask(&query).is_some() {
            continue;
        }
        let blur = 1e-15 * (largest(&query) + query.start.iter().chain(&query.end).map(Vec3::amax).fold(0.0, f64::max));
        for sample in 0..=128 {
            let distance = distance_of(query.pair, &at(&query, f64::from(sample) / 128.0));
            assert!(distance > query.separation - blur, "{number} {query:?}");
        }
    }
}

/// Whether a segment passes through a triangle's inside, by exact signs.
fn pierces(from: &Vec3, to: &Vec3, [a, b, c]: [&Vec3; 3]) -> bool {
    let (below, above) = (orient3d(a, b, c, from), orient3d(a, b, c, to));
    let turns = [orient3d(from, to, a, b), orient3d(from, to, b, c), orient3d(from, to, c, a)];
    below * above < 0.0 && (turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0))
}

#[test]
fn exact_predicates_see_no_passage_that_was_not_reported() {
    // A resting triangle and a point with grid coordinates: its path pierces the triangle, or does
    // not, exactly. The same motion seen from the point, where the triangle moves, is a second
    // query with the same answer.
    let random = &mut Random::new(3);
    let (mut through, mut reported) = (0, 0);
    let grid = |point: Vec3, size: f64| point.map(|coordinate| (coordinate * size).round() / size);
    for round in 0..200_000 {
        let size = [4.0, 16.0, 1024.0, 1e6][round % 4];
        let [a, b, c, from, to] = std::array::from_fn(|_| grid(point(random), size));
        let scale = 2f64.powi([0, -30, 20][round % 3]);
        let [a, b, c, from, to] = [a, b, c, from, to].map(|point| point * scale);
        let hit = ccd::point_triangle(&[from, a, b, c], &[to, a, b, c], 0.0);
        let way = to - from;
        let moving = ccd::point_triangle(&[from, a, b, c], &[from, a - way, b - way, c - way], 0.0);
        if pierces(&from, &to, [&a, &b, &c]) {
            through += 1;
            assert!(hit.is_some() && moving.is_some(), "{from} {to} {a} {b} {c}");
        }
        reported += i32::from(hit.is_some());
    }
    assert!(through > 1000 && reported < through + through / 2, "{through} {reported}");
    // An edge that sweeps a parallelogram pierces with its ends or is pierced by the other edge,
    // exactly.
    let mut through = 0;
    for round in 0..100_000 {
        let size = [4.0, 16.0, 1024.0, 1e6][round % 4];
        let [a, b, c, d, way] = std::array::from_fn(|_| grid(point(random), size));
        let swept = [&a, &b, &(b + way), &(a + way)];
        if pierces(&c, &d, [swept[0], swept[1], swept[2]]) || pierces(&c, &d, [swept[0], swept[2], swept[3]]) {
            through += 1;
            assert!(ccd::edge_edge(&[a, b, c, d], &[a + way, b + way, c, d], 0.0).is_some(), "{a} {b} {c} {d} {way}");
        }
    }
    assert!(through > 1000);
}

#[test]
fn moving_turning_and_scaling_both_changes_nothing_but_rounding() {
    let random = &mut Random::new(17);
    for number in 0..20_000 {
        let mut query = query(number);
        if matches!(KINDS[query.kind], "tiny" | "huge") {
            continue; // their offsets alone round more than the tolerance
        }
        let before = ask(&query);
        let pose = Isometry::from_parts(point(random).into(), Rotation::new(point(random) * 3.0));
        let tolerance = ccd::TOLERANCE * largest(&query);
        let original = query;
        for vertex in query.start.iter_mut().chain(&mut query.end) {
            *vertex = pose.transform_point(&(*vertex).into()).coords;
        }
        let after = ask(&query);
        match (before, after) {
            (Some(before), Some(after)) => {
                let (one, other) = (at(&original, before.time), at(&original, after.time));
                let moved = (0..4).map(|i| (one[i] - other[i]).amax()).fold(0.0, f64::max);
                let gaps = [before.distance - query.separation, after.distance - query.separation];
                // Times may differ where contact is approached slowly; gaps may not.
                assert!(
                    moved < 1e-6 || gaps.iter().all(|&gap| gap <= 2.0 * tolerance),
                    "{number} {before:?} {after:?}"
                );
            }
            (None, None) => {}
            (Some(impact), None) | (None, Some(impact)) => {
                assert!(impact.distance - query.separation <= 2.0 * tolerance, "{number} {impact:?}");
            }
        }
        let scaled = Query {
            start: original.start.map(|v| v * 1024.0),
            end: original.end.map(|v| v * 1024.0),
            separation: original.separation * 1024.0,
            ..original
        };
        let scaled = ask(&scaled);
        assert_eq!(
            before.map(|impact| (impact.time, impact.weights)),
            scaled.map(|impact| (impact.time, impact.weights)),
            "{number}"
        );
    }
}

#[test]
fn common_motion_is_no_contact_however_near_and_fast() {
    for gap in [1e-2, 1e-5, 1e-9] {
        let start = [Vec3::new(0.2, 0.3, gap), TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]];
        for way in [1.0, 1e3, 1e6] {
            // Rounding of the far end must not swallow the gap.
            if way * 1e-16 < gap * 1e-2 {
                let end = start.map(|vertex| vertex + Vec3::new(-0.4, 0.8, 0.2) * way);
                assert_eq!(ccd::point_triangle(&start, &end, 0.0), None, "{gap} {way}");
            }
        }
        for angle in [0.1, 1.0, 2.0] {
            let turn = Rotation::new(Vec3::new(0.3, -0.5, 0.8).normalize() * angle);
            let end = start.map(|vertex| turn * vertex);
            assert_eq!(ccd::point_triangle(&start, &end, 0.0), None, "{gap} turned by {angle}");
        }
    }
}
