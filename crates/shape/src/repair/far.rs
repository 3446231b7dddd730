//! Points so far off that they can only be damage: one wrong digit of an exponent, and a cup has a spike of a thousand kilometres.

use craze_math::Vec3;

use super::findings::FarPoint;

/// A point farther off than so many times nearly all others cannot be meant: no lattice could hold both.
const ABSURD: f64 = 1000.0;
/// One point of so many may be.
const OF_MANY: usize = 50;

/// Drops the triangles that lead from the others to points absurdly far off; says which point is the first. Whole parts that lie
/// far off stay.
pub(super) fn drop_far(positions: &[Vec3], triangles: &mut Vec<(u32, [u32; 3])>) -> Option<FarPoint> {
    let mut used: Vec<u32> = triangles.iter().flat_map(|(_, corners)| *corners).collect();
    used.sort_unstable();
    used.dedup();
    // Fewer points have no others to be far from.
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
    let nearly_all = distances.len() - 1 - (distances.len() / OF_MANY).max(1);
    let others = *distances.select_nth_unstable_by(nearly_all, f64::total_cmp).1;
    let is_far = |point: u32| distance(point) > ABSURD * others;
    if !(others > 0.0) {
        return None;
    }
    let leads_there =
        |corners: &[u32; 3]| corners.iter().any(|&point| is_far(point)) && !corners.iter().all(|&point| is_far(point));
    let far = triangles.iter().filter(|(_, corners)| leads_there(corners)).flat_map(|(_, corners)| *corners);
    let point = far.filter(|&point| is_far(point)).min()?;
    triangles.retain(|(_, corners)| !leads_there(corners));
    Some(FarPoint { point, place: positions[point as usize], distance: distance(point), others })
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{BuiltIn, Sphere};
    use crate::repair::repair;
    use craze_math::Vec3;

    #[test]
    fn a_point_absurdly_far_off_is_named_and_its_triangles_go() {
        let mut ball = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
        ball.positions[7] = Vec3::new(0.0, 4e6, 0.0);
        let repaired = repair(&ball).expect("repaired");
        let far = repaired.findings.far_point.expect("found");
        assert_eq!((far.point, far.place), (7, Vec3::new(0.0, 4e6, 0.0)));
        let lost = ball.triangles.iter().filter(|corners| corners.contains(&7)).count();
        assert_eq!(repaired.findings.broken_triangles, lost);
        let warnings = repaired.findings.warnings().join("; ");
        assert!(
            warnings.contains("point 8 at (0, 4000000, 0) m lies 4000000 m off, the others within 0.5"),
            "{warnings}"
        );
        let (domain, _) = crate::SurfaceDomain::new(&ball).expect("an inside");
        assert!((crate::volume_of(&domain) / (std::f64::consts::PI / 6.0) - 1.0).abs() < 0.05);
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
        let mut needle = ball;
        needle.positions[7] *= 900.0;
        assert_eq!(repair(&needle).expect("repaired").findings.far_point, None);
    }
}
