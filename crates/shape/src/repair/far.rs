//! Detection of outlying points. A point far beyond all others is damage, for example a wrong
//! exponent; less distant outliers are only reported.

use craze_math::Vec3;

use super::findings::FarPoint;

/// Distance beyond which a point is damage, over the radius of nearly all points: no lattice could
/// span both.
const DAMAGED_DISTANCE_RATIO: f64 = 1000.0;
/// The same, beyond which a point is reported.
const REPORTED_DISTANCE_RATIO: f64 = 20.0;
/// One point in this many may be an outlier.
const POINTS_PER_OUTLIER: usize = 50;

/// Drops triangles between damaged points and others. Returns the first damaged point or else the
/// farthest outlier. Separate distant parts are kept.
pub(super) fn drop_outliers(positions: &[Vec3], triangles: &mut Vec<(u32, [u32; 3])>) -> Option<FarPoint> {
    let mut used: Vec<u32> = triangles.iter().flat_map(|(_, corners)| *corners).collect();
    used.sort_unstable();
    used.dedup();
    // Too few points to define what is typical.
    if used.len() < 5 {
        return None;
    }
    let middle = Vec3::from_fn(|axis, _| {
        let mut values: Vec<f64> = used.iter().map(|&point| positions[point as usize][axis]).collect();
        let half = values.len() / 2;
        *values.select_nth_unstable_by(half, f64::total_cmp).1
    });
    let distance = |point: u32| (positions[point as usize] - middle).norm();
    let mut distances: Vec<f64> = used.iter().map(|&point| distance(point)).collect();
    let nearly_all = distances.len() - 1 - (distances.len() / POINTS_PER_OUTLIER).max(1);
    let others = *distances.select_nth_unstable_by(nearly_all, f64::total_cmp).1;
    if !(others > 0.0) {
        return None;
    }
    let outliers = |triangles: &[(u32, [u32; 3])], times: f64| -> Vec<u32> {
        let is_far = |point: &u32| distance(*point) > times * others;
        let leading = triangles.iter().filter(|(_, t)| t.iter().any(is_far) && !t.iter().all(is_far));
        leading.flat_map(|(_, t)| *t).filter(is_far).collect()
    };
    let finding = |point: u32, dropped: bool| FarPoint {
        point,
        position: positions[point as usize],
        middle,
        distance: distance(point),
        others,
        dropped,
    };
    if let Some(first) = outliers(triangles, DAMAGED_DISTANCE_RATIO).into_iter().min() {
        let is_far = |point: &u32| distance(*point) > DAMAGED_DISTANCE_RATIO * others;
        triangles.retain(|(_, corners)| !corners.iter().any(is_far) || corners.iter().all(is_far));
        return Some(finding(first, true));
    }
    let reported = outliers(triangles, REPORTED_DISTANCE_RATIO).into_iter();
    reported.max_by(|one, other| distance(*one).total_cmp(&distance(*other))).map(|point| finding(point, false))
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{BuiltIn, Sphere};
    use crate::repair::repair;
    use craze_math::Vec3;
    use std::f64::consts::PI;

    #[test]
    fn a_damaged_point_is_reported_and_its_triangles_are_dropped() {
        let mut ball = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
        ball.positions[7] = Vec3::new(0.0, 4e6, 0.0);
        let repaired = repair(&ball).expect("repaired");
        let far = repaired.findings.far_point.expect("found");
        assert_eq!((far.point, far.position), (7, Vec3::new(0.0, 4e6, 0.0)));
        let lost = ball.triangles.iter().filter(|corners| corners.contains(&7)).count();
        assert_eq!(repaired.findings.broken_triangles, lost);
        let warnings = repaired.findings.warnings().join("; ");
        assert!(
            warnings.contains("point 8 at (0, 4000000, 0) m lies 4000000 m away, the others within 0.5"),
            "{warnings}"
        );
        let (domain, _) = crate::SurfaceDomain::new(&ball).expect("an inside");
        assert!((crate::volume_of(&domain) / (PI / 6.0) - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_far_part_and_a_needle_stay() {
        let ball = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
        let mut two = ball.clone();
        let offset = two.positions.len() as u32;
        let tetrahedron = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        two.positions.extend(tetrahedron.map(|corner| corner.add_scalar(1e4)));
        two.triangles.extend([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(|t| t.map(|point| point + offset)));
        assert_eq!(repair(&two).expect("repaired").findings.far_point, None);
        let mut needle = ball.clone();
        needle.positions[7] *= 900.0;
        let repaired = repair(&needle).expect("repaired");
        assert_eq!((repaired.findings.broken_triangles, repaired.surface.triangles.len()), (0, ball.triangles.len()));
        let mut cone = ball;
        cone.positions[7] *= 15.0;
        assert_eq!(repair(&cone).expect("repaired").findings.far_point, None);
    }

    #[test]
    fn a_far_point_does_not_change_the_measured_volume() {
        // Two intersecting balls, so that the volume has to be measured.
        let mut balls = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
        let other: Vec<Vec3> = balls.positions.iter().map(|point| point + 0.5 * Vec3::x()).collect();
        let offset = other.len() as u32;
        balls.positions.extend(other);
        balls.triangles.extend(balls.triangles.clone().iter().map(|t| t.map(|point| point + offset)));
        balls.positions[7] *= 600.0;
        let (domain, findings) = crate::SurfaceDomain::new(&balls).expect("an inside");
        assert!(findings.intersections > 0 && findings.far_point.is_some_and(|far| !far.dropped), "{findings:?}");
        let (volume, lens) = (crate::volume_of(&domain), PI * 2.5 * 0.25 / 12.0);
        assert!((volume / (PI / 3.0 - lens) - 1.0).abs() < 0.05, "{volume}");
    }

    #[test]
    fn a_point_that_makes_a_needle_is_reported() {
        let mut needle = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
        needle.positions[7] *= 30.0;
        needle.positions[9] *= 300.0;
        let (domain, findings) = crate::SurfaceDomain::new(&needle).expect("an inside");
        let far = findings.far_point.expect("found");
        assert_eq!((far.point, far.dropped), (9, false));
        let warnings = findings.warnings().join("; ");
        assert!(
            warnings.contains("point 10 at (") && warnings.contains("150 m away, the others within 0.5"),
            "{warnings}"
        );
        // The error names the point, not a thin sheet.
        let error = crate::stuff(&domain, &crate::StuffingOptions::with_edge(8.0)).expect_err("too coarse").to_string();
        assert!(error.starts_with("point 10 at (") && error.contains("probably damaged"), "{error}");
    }
}
