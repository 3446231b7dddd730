//! Quadratic bending of a hinge: Bergou et al. 2006, "A Quadratic Bending Model for Inextensible
//! Surfaces".

use crate::hinge::HingePositions;
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Bending energy ½·k_b·∫H² of a hinge as a quadratic form in positions, for sheets that are flat
/// at rest and do not stretch.
///
/// Its Hessian is constant: the outer product of four weights with themselves, times the identity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuadraticBending {
    /// Weights of the four positions (√(N/m)), in the order of [`HingePositions`].
    pub weights: [f64; 4],
}

impl QuadraticBending {
    /// A hinge with this rest shape (m) and rigidity k_b (N·m); `None` if a triangle has no area.
    pub fn new(rest: &HingePositions, rigidity: f64) -> Option<QuadraticBending> {
        // Cotangent of the angle at `corner` between the directions to `a` and `b`.
        let cotangent = |corner: Vec3, a: Vec3, b: Vec3| {
            let (a, b) = (a - corner, b - corner);
            a.dot(&b) / a.cross(&b).norm()
        };
        let [start, end, left, right] = *rest;
        let at_start = [cotangent(start, end, left), cotangent(start, end, right)];
        let at_end = [cotangent(end, start, left), cotangent(end, start, right)];
        let double_areas = (end - start).cross(&(left - start)).norm() + (end - start).cross(&(right - start)).norm();
        let scale = (6.0 * rigidity / double_areas).sqrt();
        let sums = [at_end[0] + at_end[1], at_start[0] + at_start[1]];
        let weights = [sums[0], sums[1], -at_start[0] - at_end[0], -at_start[1] - at_end[1]];
        let weights = weights.map(|weight| scale * weight);
        weights.iter().all(|weight| weight.is_finite()).then_some(QuadraticBending { weights })
    }

    /// Mean curvature vector of the hinge, in the units of the weights (√J).
    fn curvature(&self, positions: &HingePositions) -> Vec3 {
        self.weights.iter().zip(positions).map(|(weight, position)| *weight * position).sum()
    }

    /// Energy (J).
    pub fn energy(&self, positions: &HingePositions) -> f64 {
        0.5 * self.curvature(positions).norm_squared()
    }

    /// Forces (N) on the four positions.
    pub fn forces(&self, positions: &HingePositions) -> [Vec3; 4] {
        let curvature = self.curvature(positions);
        self.weights.map(|weight| -weight * curvature)
    }

    /// Stiffness between two of the positions (N/m), times the identity.
    pub fn stiffness(&self, row: usize, column: usize) -> f64 {
        self.weights[row] * self.weights[column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Positions, check_stiffness, gradient_error};
    use craze_math::Mat3;

    const FLAT: HingePositions =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.2, 1.0, 0.0), Vec3::new(-0.8, 0.4, 0.0), Vec3::new(0.9, 0.7, 0.0)];

    #[test]
    fn forces_are_minus_the_gradient_and_a_flat_sheet_has_none() {
        let hinge = QuadraticBending::new(&FLAT, 2.0).unwrap();
        for positions in Positions::around(FLAT, 0.3, 8).take(20) {
            assert!(gradient_error(&positions, |x| hinge.energy(x), |x| hinge.forces(x)) < 1e-7);
        }
        let blocks =
            std::array::from_fn(|i| std::array::from_fn(|j| Mat3::from_diagonal_element(hinge.stiffness(i, j))));
        check_stiffness::<4>(&blocks);
        let moved = FLAT.map(|x| craze_math::Rotation::from_euler_angles(0.4, 1.0, -2.0) * x + Vec3::repeat(3.0));
        assert!(hinge.forces(&moved).iter().all(|force| force.norm() < 1e-13));
        assert!(QuadraticBending::new(&[FLAT[0], FLAT[1], FLAT[0], FLAT[3]], 1.0).is_none());
    }

    #[test]
    fn the_energy_is_that_of_the_dihedral_angle_where_the_hinge_is_slightly_bent() {
        // Right-angled triangles: 3·|e|²/(A₁ + A₂)·(θ/2)²·k_b/… = ½·k_b·3·|e|²·θ²/(A₁ + A₂).
        let (rigidity, angle) = (2.0, 1e-3f64);
        let rest = [Vec3::zeros(), Vec3::y(), Vec3::new(-1.0, 0.5, 0.0), Vec3::new(1.0, 0.5, 0.0)];
        let hinge = QuadraticBending::new(&rest, rigidity).unwrap();
        let mut bent = rest;
        bent[3] = Vec3::new(angle.cos(), 0.5, -angle.sin());
        let expected = 0.5 * rigidity * 3.0 * angle * angle;
        assert!((hinge.energy(&bent) - expected).abs() < 1e-5 * expected, "{} {expected}", hinge.energy(&bent));
    }
}
