//! Impact zones: whatever was predicted, nothing passes through anything, and momenta are kept.

use craze_contact::solvers::impact_zones::{ZoneError, resolve};
use craze_contact::{ContactTriangles, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::self_intersections;
use proptest::prelude::*;

const THICKNESS: f64 = 1e-3;

fn point(start: Vec3, way: Vec3, mass: f64) -> SurfacePoint {
    SurfacePoint {
        dof: 0,
        start,
        start_velocity: way,
        end: start + way,
        velocity: way,
        inverse_mass: 1.0 / mass,
        radius: 0.0,
    }
}

fn sheet(triangles: &[[u32; 3]]) -> ContactTriangles<'_> {
    ContactTriangles { version: 1, triangles, is_closed: false, skin: 0.0, origins: &[] }
}

/// Linear momentum and angular momentum about the origin, both over the step (kg·m, kg·m²).
fn momenta(points: &[SurfacePoint]) -> [Vec3; 2] {
    let linear = points.iter().map(|point| (point.end - point.start) / point.inverse_mass).sum();
    let angular = points.iter().map(|point| point.start.cross(&(point.end - point.start)) / point.inverse_mass).sum();
    [linear, angular]
}

/// Pairs of triangles that touch or cross at a share of the way.
fn crossings(points: &[SurfacePoint], triangles: &[[u32; 3]], share: f64) -> usize {
    let places: Vec<Vec3> = points.iter().map(|point| point.start + share * (point.end - point.start)).collect();
    self_intersections(&places, triangles, 1000).expect("numbers").pairs.len()
}

/// A stack of triangles above each other, a tenth apart, each turned a little.
fn pile(ways: &[[Vec3; 3]], masses: &[f64]) -> (Vec<SurfacePoint>, Vec<[u32; 3]>) {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (layer, corners) in ways.iter().enumerate() {
        let first = points.len() as u32;
        for (corner, way) in corners.iter().enumerate() {
            let angle = 2.0 * corner as f64 + 0.3 * layer as f64;
            let start = Vec3::new(angle.cos(), 0.1 * layer as f64, angle.sin());
            points.push(point(start, *way, masses[points.len() % masses.len()]));
        }
        triangles.push([first, first + 1, first + 2]);
    }
    (points, triangles)
}

fn way() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-0.4..0.4f64).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_crosses_and_momenta_are_kept(
        ways in prop::collection::vec(prop::array::uniform3(way()), 2..6),
        masses in prop::collection::vec(0.1..10.0f64, 1..7),
    ) {
        let (mut points, triangles) = pile(&ways, &masses);
        let before = points.clone();
        match resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true) {
            Ok(report) => {
                for step in 0..=20 {
                    prop_assert_eq!(crossings(&points, &triangles, f64::from(step) / 20.0), 0);
                }
                let again = resolve(&mut points.clone(), &sheet(&triangles), THICKNESS, |_, _| true);
                prop_assert!(report.rigid_points > 0 || again.is_ok_and(|again| again.rounds == 0), "collisions are left");
                for (now, then) in momenta(&points).iter().zip(momenta(&before)) {
                    prop_assert!((now - then).norm() < 1e-9, "{} instead of {}", now, then);
                }
                let mut repeated = before;
                prop_assert_eq!(resolve(&mut repeated, &sheet(&triangles), THICKNESS, |_, _| true), Ok(report));
                prop_assert!(repeated == points, "not the same bits");
            }
            // Then a shorter step is due, and nothing has changed.
            Err(error) => {
                prop_assert!(matches!(error, ZoneError::Turning { .. } | ZoneError::Unresolved { .. }), "{}", error);
                prop_assert!(points == before);
            }
        }
    }
}

#[test]
fn what_does_not_collide_is_left_alone() {
    let ways = [[Vec3::new(0.1, 0.0, 0.0); 3], [Vec3::new(-0.1, 0.05, 0.0); 3]];
    let (mut points, triangles) = pile(&ways, &[1.0]);
    let before = points.clone();
    let report = resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true).expect("free");
    assert!(report.rounds == 0 && report.points == 0 && points == before);
}

#[test]
fn equal_sheets_that_meet_head_on_stop() {
    let ways = [[Vec3::new(0.0, 0.3, 0.0); 3], [Vec3::new(0.0, -0.3, 0.0); 3]];
    let (mut points, triangles) = pile(&ways, &[1.0]);
    let report = resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true).expect("resolved");
    assert!(report.rounds > 0 && report.points == 6, "{report:?}");
    let way = points.iter().map(|point| (point.end - point.start).norm()).fold(0.0, f64::max);
    assert!(way < 0.3, "{way} m");
    assert_eq!(crossings(&points, &triangles, 1.0), 0);
}

#[test]
fn sheets_that_do_not_meet_pass_through_each_other() {
    let ways = [[Vec3::new(0.0, 0.3, 0.0); 3], [Vec3::new(0.0, -0.3, 0.0); 3]];
    let (mut points, triangles) = pile(&ways, &[1.0]);
    let before = points.clone();
    // Sheets of three points each, which meet only themselves.
    let meet = |one: u32, other: u32| (one < 3) == (other < 3);
    let report = resolve(&mut points, &sheet(&triangles), THICKNESS, meet).expect("nothing meets");
    assert!(report.points == 0 && points == before, "{report:?}");
    let report = resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true).expect("resolved");
    assert!(report.points >= 6, "{report:?}");
}

#[test]
fn held_points_stay_and_stop_what_comes() {
    let ways = [[Vec3::zeros(); 3], [Vec3::new(0.0, -0.3, 0.0); 3]];
    let (mut points, triangles) = pile(&ways, &[1.0]);
    points[..3].iter_mut().for_each(|point| point.inverse_mass = 0.0);
    resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true).expect("resolved");
    assert!(points[..3].iter().all(|point| point.end == point.start));
    assert_eq!(crossings(&points, &triangles, 1.0), 0);
    assert!(points[3..].iter().all(|point| point.end.y > 0.0));
}

#[test]
fn held_points_driven_through_each_other_and_bad_numbers_are_named() {
    let ways = [[Vec3::zeros(); 3], [Vec3::new(0.0, -0.3, 0.0); 3]];
    let (mut points, triangles) = pile(&ways, &[1.0]);
    points.iter_mut().for_each(|point| point.inverse_mass = 0.0);
    let before = points.clone();
    let error = resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true).expect_err("nobody can give way");
    assert!(matches!(error, ZoneError::Held { .. }) && points == before, "{error}");
    points[4].end.x = f64::NAN;
    assert_eq!(resolve(&mut points, &sheet(&triangles), THICKNESS, |_, _| true), Err(ZoneError::NotFinite));
}
