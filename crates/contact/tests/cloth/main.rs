//! A cloth of masses and springs meets things and itself: after every step no triangles touch or
//! cross, exactly.

mod cloth;

use cloth::Cloth;
use craze_math::Vec3;

#[test]
fn a_sheet_drapes_over_a_sphere() {
    let mut cloth = Cloth::default();
    cloth.add_sheet(12, 0.6, 0.1, |u, v| Vec3::new(u + 0.013, 0.23, v + 0.007));
    cloth.add_sphere(Vec3::zeros(), 0.2, 2, Vec3::zeros(), f64::INFINITY);
    cloth.run(200, 2e-3, Vec3::new(0.0, -9.81, 0.0));
    let (lowest, middle) = (cloth.lowest(0..144), cloth.places[6 * 12 + 6].y);
    assert!(lowest < 0.1 && middle > 0.15, "it hangs to {lowest} m, and lies at {middle} m");
}

#[test]
fn a_sheet_folds_on_itself() {
    let mut cloth = Cloth::default();
    // A hairpin: two halves above each other, the lower one held.
    cloth.add_sheet(12, 0.4, 0.1, |u, v| {
        let bend = (u / 0.05).clamp(-1.0, 1.0) * std::f64::consts::FRAC_PI_2;
        Vec3::new(0.05 * bend.cos() - (u.abs() - 0.05).max(0.0), 0.05 * bend.sin(), v + 0.1 * u)
    });
    (0..60).for_each(|point| cloth.hold(point));
    cloth.run(200, 2e-3, Vec3::new(0.0, -9.81, 0.0));
    // The upper half is a little askew: its rim may hang over that of the lower one, its middle may
    // not.
    let heights: Vec<f64> = (8..12).map(|row| cloth.lowest(12 * row + 4..12 * row + 8)).collect();
    assert!(heights.iter().all(|height| (-0.05..0.0).contains(height)), "it lies on the lower half: {heights:?} m");
}

#[test]
fn a_sheet_is_pulled_through_a_ring() {
    let mut cloth = Cloth::default();
    cloth.add_sheet(12, 0.4, 0.1, |u, v| Vec3::new(u + 0.013, 0.05, v + 0.007));
    cloth.add_ring(0.12, 0.03);
    cloth.pull(6 * 12 + 6, Vec3::new(0.0, -1.0, 0.0));
    cloth.run(125, 2e-3, Vec3::zeros());
    assert!(cloth.lowest(0..144) < -0.19, "the middle is through, where it is pulled");
}

#[test]
fn a_ball_at_100_metres_a_second_does_not_pass_a_sheet() {
    let mut cloth = Cloth::default();
    cloth.thickness = 1e-4;
    cloth.add_sheet(12, 0.5, 0.1, |u, v| Vec3::new(u, 0.0, v));
    cloth.add_sphere(Vec3::new(0.011, 0.3, 0.007), 0.05, 1, Vec3::new(0.0, -100.0, 0.0), 0.2);
    cloth.run(5, 10e-3, Vec3::zeros());
    let (sheet, ball) = (cloth.lowest(0..144), cloth.lowest(144..cloth.places.len()));
    assert!(sheet < ball && ball < 0.0, "the sheet is dragged along in front: {sheet} m, {ball} m");
}
