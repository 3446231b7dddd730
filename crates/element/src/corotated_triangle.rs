//! Corotated linear elasticity of a triangle of a sheet: its strain is that of the stretch U of the
//! polar decomposition F = R·U, so that its stiffness in its own frame is constant.

use crate::membrane::{Membrane, PlaneStress, map_principal_values, tensile};
use craze_math::{Mat2, Mat3, Mat3x2, Vec3};

/// Smallest stretch for which the rotation is resolved, relative to 1.
const MIN_STRETCH: f64 = 1e-9;

/// Stretch U = √(FᵀF), and R with orthonormal columns. A triangle collapsed to a line has the
/// rotation of a slightly wider one.
pub fn polar_decomposition(deformation: &Mat3x2) -> (Mat3x2, Mat2) {
    let metric = deformation.transpose() * deformation;
    let stretch = map_principal_values(&metric, |value| value.max(0.0).sqrt());
    let inverse = map_principal_values(&metric, |value| 1.0 / value.max(MIN_STRETCH * MIN_STRETCH).sqrt());
    (deformation * inverse, stretch)
}

/// Linear elastic triangle in a frame that rotates with it.
pub struct CorotatedTriangle;

impl CorotatedTriangle {
    /// Energy (J): A/2·ε:σ(ε) with ε = U − I.
    pub fn energy(rest: &Membrane, law: &PlaneStress, positions: &[Vec3; 3]) -> f64 {
        let (_, stretch) = polar_decomposition(&rest.deformation(positions));
        rest.area * law.energy_density(&(stretch - Mat2::identity()))
    }

    /// Forces (N) on the corners: P = R·σ(ε) is the derivative of the energy by F.
    pub fn forces(rest: &Membrane, law: &PlaneStress, positions: &[Vec3; 3]) -> [Vec3; 3] {
        let (rotation, stretch) = polar_decomposition(&rest.deformation(positions));
        rest.forces(&rotation, &law.stress(&(stretch - Mat2::identity())))
    }

    /// Stiffness (N/m) as 3×3 blocks by corner: R·K·Rᵀ with the constant K of linear elasticity in
    /// the plane, and out of the plane that of tensile stress. Positive semidefinite; exact at
    /// rest.
    pub fn stiffness(rest: &Membrane, law: &PlaneStress, positions: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let (rotation, stretch) = polar_decomposition(&rest.deformation(positions));
        let tension = tensile(&law.stress(&(stretch - Mat2::identity())));
        let normal = rotation.column(0).cross(&rotation.column(1));
        let mut blocks = rest.stiffness(law, &rotation, &Mat2::zeros());
        for (row, blocks) in blocks.iter_mut().enumerate() {
            for (column, block) in blocks.iter_mut().enumerate() {
                *block += rest.geometric(&tension, row, column) * normal * normal.transpose();
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membrane::plane_coordinates;
    use crate::testing::{Positions, check_stiffness, gradient_error};

    const LAW: PlaneStress = PlaneStress { stiffness: 7.0, poisson: 0.3 };

    #[test]
    fn forces_are_minus_the_gradient_and_the_stiffness_is_theirs_at_rest() {
        let corners = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(1.0, 0.1, 0.3), Vec3::new(0.4, 0.9, -0.2)];
        let rest = Membrane::new(&plane_coordinates(&corners).unwrap()).unwrap();
        for positions in Positions::around(corners, 0.25, 4).take(50) {
            let error = gradient_error(
                &positions,
                |x| CorotatedTriangle::energy(&rest, &LAW, x),
                |x| CorotatedTriangle::forces(&rest, &LAW, x),
            );
            assert!(error < 1e-6, "{error}");
            check_stiffness(&CorotatedTriangle::stiffness(&rest, &LAW, &positions));
        }
        let blocks = CorotatedTriangle::stiffness(&rest, &LAW, &corners);
        for column in 0..3 {
            for axis in 0..3 {
                let shifted = |shift: f64| {
                    let mut moved = corners;
                    moved[column][axis] += shift;
                    CorotatedTriangle::forces(&rest, &LAW, &moved)
                };
                let (after, before) = (shifted(1e-6), shifted(-1e-6));
                for row in 0..3 {
                    let slope = (before[row] - after[row]) / 2e-6;
                    assert!((slope - blocks[row][column].column(axis)).norm() < 1e-6, "{row} {column}");
                }
            }
        }
    }

    #[test]
    fn a_rotated_triangle_has_no_force_and_a_collapsed_one_finite_forces() {
        let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let rest = Membrane::new(&plane_coordinates(&corners).unwrap()).unwrap();
        let rotation = craze_math::Rotation::from_euler_angles(1.0, -2.0, 0.5);
        let moved = corners.map(|corner| rotation * corner);
        assert!(CorotatedTriangle::forces(&rest, &LAW, &moved).iter().all(|force| force.norm() < 1e-14));
        let line = [Vec3::zeros(), Vec3::x(), 0.5 * Vec3::x()];
        assert!(CorotatedTriangle::forces(&rest, &LAW, &line).iter().all(|force| force.norm().is_finite()));
    }
}
