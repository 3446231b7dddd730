//! Dihedral angle between two triangles of a sheet, and its gradient.

use craze_math::Vec3;

/// Squared double area of a triangle, relative to the fourth power of the hinge, below which its
/// normal counts as unknown: it bounds the gradient of a collapsed triangle.
const MIN_SQUARED_AREA: f64 = 1e-16;

/// Two triangles that share an edge: the ends of the edge, the corner opposite in the triangle on
/// its left, and the corner opposite in the triangle on its right. Seen from outside, the left
/// triangle is (0, 1, 2) and the right one (1, 0, 3).
pub type HingePositions = [Vec3; 4];

/// Area vectors (twice the area, m²) of both triangles.
fn normals(x: &HingePositions) -> [Vec3; 2] {
    let edge = x[1] - x[0];
    [edge.cross(&(x[2] - x[0])), (x[3] - x[0]).cross(&edge)]
}

/// Angle by which the normal turns across the edge (rad), from −π to π: positive where the sheet is
/// convex seen from outside, 0 where it is flat.
pub fn dihedral_angle(x: &HingePositions) -> f64 {
    let [left, right] = normals(x);
    let edge = x[1] - x[0];
    let sine = left.cross(&right).dot(&edge);
    // sin θ and cos θ, both times |n₁|·|n₂|·|e|.
    let cosine = left.dot(&right) * edge.norm();
    sine.atan2(cosine)
}

/// [`dihedral_angle`] and its gradient by the four positions (rad/m) (Bridson et al. 2003; Grinspun
/// et al. 2003).
pub fn dihedral_gradient(x: &HingePositions) -> (f64, [Vec3; 4]) {
    let [left, right] = normals(x);
    let edge = x[1] - x[0];
    let squared = edge.norm_squared();
    let length = squared.sqrt();
    let floor = MIN_SQUARED_AREA * squared * squared;
    let scaled = |normal: &Vec3| {
        let size = normal.norm_squared().max(floor);
        if size > 0.0 { normal / size } else { Vec3::zeros() }
    };
    let (left_rate, right_rate) = (-scaled(&left) * length, -scaled(&right) * length);
    // Where the far corners stand along the edge, from 0 at its start to 1 at its end.
    let along = |corner: &Vec3| if squared > 0.0 { (corner - x[0]).dot(&edge) / squared } else { 0.5 };
    let (left_share, right_share) = (along(&x[2]), along(&x[3]));
    let start = -(1.0 - left_share) * left_rate - (1.0 - right_share) * right_rate;
    let end = -left_share * left_rate - right_share * right_rate;
    let cosine = left.dot(&right) * length;
    let angle = left.cross(&right).dot(&edge).atan2(cosine);
    (angle, [start, end, left_rate, right_rate])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Positions, gradient_error};

    const FLAT: HingePositions =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(-0.8, 0.4, 0.0), Vec3::new(0.9, 0.7, 0.0)];

    #[test]
    fn a_roof_is_convex_and_a_valley_is_not() {
        assert_eq!(dihedral_angle(&FLAT), 0.0);
        for tilt in [0.3f64, -0.3, 1.4] {
            // Both sides slope down from the ridge by the tilt; normals point up (+z).
            let mut roof = FLAT;
            for corner in &mut roof[2..] {
                (corner.x, corner.z) = (corner.x * tilt.cos(), -corner.x.abs() * tilt.sin());
            }
            assert!((dihedral_angle(&roof) - 2.0 * tilt).abs() < 1e-14, "{}", dihedral_angle(&roof));
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_angle() {
        for positions in Positions::around(FLAT, 0.3, 5).take(100) {
            let (angle, gradient) = dihedral_gradient(&positions);
            assert_eq!(angle, dihedral_angle(&positions));
            if angle.abs() > 3.0 {
                continue;
            }
            let error = gradient_error(&positions, dihedral_angle, |x| dihedral_gradient(x).1.map(|rate| -rate));
            assert!(error < 1e-6 * (1.0 + gradient[2].norm()), "{error}");
            let (sum, moment) = gradient
                .iter()
                .zip(&positions)
                .fold((Vec3::zeros(), Vec3::zeros()), |(sum, moment), (rate, x)| (sum + rate, moment + x.cross(rate)));
            assert!(sum.norm() < 1e-12 && moment.norm() < 1e-12, "rigid motion does not change it");
        }
    }

    #[test]
    fn collapsed_triangles_have_finite_angles() {
        for positions in [[Vec3::zeros(); 4], [FLAT[0], FLAT[1], 0.5 * FLAT[1], FLAT[3]]] {
            let (angle, gradient) = dihedral_gradient(&positions);
            assert!(angle.is_finite() && gradient.iter().all(|rate| rate.norm().is_finite()));
        }
    }
}
