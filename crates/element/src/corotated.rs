//! Corotated linear tetrahedron: Hooke's law in the frame of the element's rotation.
//!
//! Stiffness warping of Müller & Gross 2004, "Interactive Virtual Materials", as used in (7) of
//! Song et al. 2008: f = −R·K·(Rᵀ·x − X) with the stiffness K at rest and the rotation R of the
//! polar decomposition F = R·S. K·u depends on sym ∇u only, so f follows from the stress
//! 2μ·(S − 1) + λ·tr(S − 1).
//!
//! The law is isotropic: only then does the stress commute with S, so that the forces derive from
//! an energy.

use crate::Tetrahedron;
use craze_math::{Mat3, Svd, Vec3, svd};

/// An isotropic law, linear in the strain of the rotated frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorotatedLaw {
    /// First Lamé constant λ (Pa).
    pub lambda: f64,
    /// Shear modulus μ (Pa).
    pub mu: f64,
}

/// Deformation of a corotated tetrahedron: F = R·S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotation {
    /// R, a proper rotation also where the element is inverted.
    pub rotation: Mat3,
    /// Strain in the rotated frame, S − 1.
    pub strain: Mat3,
    /// F = U·diag(σ)·Vᵀ.
    svd: Svd,
}

impl Corotation {
    /// Decomposes a deformation gradient F.
    pub fn of(deformation: &Mat3) -> Corotation {
        let svd = svd(deformation);
        let rotation = svd.u * svd.v.transpose();
        let strain = svd.v * Mat3::from_diagonal(&svd.sigma.add_scalar(-1.0)) * svd.v.transpose();
        Corotation { rotation, strain, svd }
    }
}

impl CorotatedLaw {
    /// Stress in the rotated frame (Pa): 2μ·ε + λ·tr ε.
    pub fn stress(&self, strain: &Mat3) -> Mat3 {
        2.0 * self.mu * strain + Mat3::from_diagonal_element(self.lambda * strain.trace())
    }

    /// Energy per rest volume (J/m³): μ·ε:ε + λ/2·(tr ε)².
    pub fn energy_density(&self, strain: &Mat3) -> f64 {
        self.mu * strain.norm_squared() + 0.5 * self.lambda * strain.trace() * strain.trace()
    }
}

impl Tetrahedron {
    /// Forces on the corners (N) of a corotated element, the negative gradient of its energy.
    pub fn corotated_forces(&self, law: &CorotatedLaw, corotation: &Corotation) -> [Vec3; 4] {
        let stress = -self.volume * corotation.rotation * law.stress(&corotation.strain);
        self.gradients().map(|gradient| stress * gradient)
    }

    /// R·K·Rᵀ (N/m), positive semidefinite: the stiffness of (7), which leaves out the derivative
    /// of R, so that it is the tangent of the forces only where the strain is zero.
    pub fn warped_stiffness(&self, law: &CorotatedLaw, rotation: &Mat3) -> [[Mat3; 4]; 4] {
        let gradients = self.gradients().map(|gradient| rotation * gradient);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (one, other) = (&gradients[i], &gradients[j]);
                let shear = Mat3::from_diagonal_element(one.dot(other)) + other * one.transpose();
                self.volume * (law.mu * shear + law.lambda * one * other.transpose())
            })
        })
    }

    /// Tangent of [`corotated_forces`](Self::corotated_forces) with the derivative of R, projected
    /// to be positive semidefinite (N/m).
    ///
    /// The Hessian of the energy density with respect to F is 2μ·1 + λ·R⊗R + (λ·tr ε − 2μ)·∂R/∂F,
    /// and ∂R/∂F has the eigenvalue 2/(σ_i + σ_j) for the rotation in the plane of the principal
    /// axes i and j, 0 otherwise (Smith, de Goes & Kim 2019, "Analytic Eigensystems for Isotropic
    /// Distortion Energies").
    pub fn corotated_tangent(&self, law: &CorotatedLaw, corotation: &Corotation) -> [[Mat3; 4]; 4] {
        let Svd { u, sigma, v } = corotation.svd;
        let gradients = self.gradients();
        let factor = 2.0 * (law.lambda * corotation.strain.trace() - 2.0 * law.mu);
        let rotated = gradients.map(|gradient| corotation.rotation * gradient);
        let twisted = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| {
            let sum = sigma[i] + sigma[j];
            let stiffness = if sum > 0.0 { (factor / sum).max(-2.0 * law.mu) } else { -2.0 * law.mu };
            let (ui, uj, vi, vj) = (u.column(i), u.column(j), v.column(i), v.column(j));
            let twist = std::f64::consts::FRAC_1_SQRT_2 * (ui * vj.transpose() - uj * vi.transpose());
            (stiffness, gradients.map(|gradient| twist * gradient))
        });
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut block = Mat3::from_diagonal_element(2.0 * law.mu * gradients[i].dot(&gradients[j]))
                    + law.lambda * rotated[i] * rotated[j].transpose();
                for (stiffness, twist) in &twisted {
                    block += *stiffness * twist[i] * twist[j].transpose();
                }
                self.volume * block
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::{Random, Rotation};

    const LAW: CorotatedLaw = CorotatedLaw { lambda: 1.3, mu: 0.8 };

    fn element() -> (Tetrahedron, [Vec3; 4]) {
        let corners = [Vec3::zeros(), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, -0.1), Vec3::new(0.1, 0.3, 1.1)];
        (Tetrahedron::new(&corners).expect("positive volume"), corners)
    }

    fn energy(element: &Tetrahedron, corners: &[Vec3; 4]) -> f64 {
        element.volume * LAW.energy_density(&Corotation::of(&element.deformation(corners)).strain)
    }

    fn forces(element: &Tetrahedron, corners: &[Vec3; 4]) -> [Vec3; 4] {
        element.corotated_forces(&LAW, &Corotation::of(&element.deformation(corners)))
    }

    fn deformed(random: &mut Random, size: f64) -> [Vec3; 4] {
        let rotation = Rotation::new(2.0 * random.vector());
        element().1.map(|corner| rotation * (corner + size * random.vector()))
    }

    #[test]
    fn forces_are_the_gradient_of_the_energy() {
        let (element, mut random) = (element().0, Random::new(4));
        for _ in 0..50 {
            let corners = deformed(&mut random, 0.15);
            let found = forces(&element, &corners);
            for corner in 0..4 {
                for axis in 0..3 {
                    let shifted = |amount: f64| {
                        let mut moved = corners;
                        moved[corner][axis] += amount;
                        energy(&element, &moved)
                    };
                    let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                    assert!((found[corner][axis] + slope).abs() < 1e-9, "{} {slope}", found[corner][axis]);
                }
            }
        }
    }

    fn largest_error(corners: &[Vec3; 4], tangent: &[[Mat3; 4]; 4]) -> f64 {
        let element = element().0;
        let mut largest: f64 = 0.0;
        for (j, axis) in (0..4).flat_map(|j| (0..3).map(move |axis| (j, axis))) {
            let shifted = |amount: f64| {
                let mut moved = *corners;
                moved[j][axis] += amount;
                forces(&element, &moved)
            };
            let (ahead, behind) = (shifted(1e-5), shifted(-1e-5));
            for i in 0..4 {
                let slope = (ahead[i] - behind[i]) / 2e-5;
                largest = largest.max((tangent[i][j].column(axis) + slope).norm());
            }
        }
        largest
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_forces_under_tension() {
        // Stretched by a tenth, no rotation mode has a negative stiffness, so nothing is projected.
        let (element, mut random) = (element().0, Random::new(5));
        for _ in 0..20 {
            let corners = deformed(&mut random, 0.01).map(|corner| 1.1 * corner);
            let corotation = Corotation::of(&element.deformation(&corners));
            assert!(largest_error(&corners, &element.corotated_tangent(&LAW, &corotation)) < 1e-8);
        }
    }

    #[test]
    fn the_warped_stiffness_is_the_tangent_of_an_unstrained_element() {
        let (element, corners) = element();
        let rotation = Rotation::from_euler_angles(0.4, -2.0, 1.0);
        let corners = corners.map(|corner| rotation * corner);
        let corotation = Corotation::of(&element.deformation(&corners));
        let warped = element.warped_stiffness(&LAW, &corotation.rotation);
        let tangent = element.corotated_tangent(&LAW, &corotation);
        assert!(largest_error(&corners, &warped) < 1e-8);
        for (warped, tangent) in warped.iter().flatten().zip(tangent.iter().flatten()) {
            assert!((warped - tangent).norm() < 1e-14);
        }
    }

    #[test]
    fn both_stiffnesses_are_positive_semidefinite_whatever_the_deformation() {
        let (element, mut random) = (element().0, Random::new(6));
        for _ in 0..200 {
            let corners = deformed(&mut random, 1.0);
            let corotation = Corotation::of(&element.deformation(&corners));
            for blocks in
                [element.corotated_tangent(&LAW, &corotation), element.warped_stiffness(&LAW, &corotation.rotation)]
            {
                let motion = [(); 4].map(|()| random.vector());
                let mut product = 0.0;
                for (one, row) in motion.iter().zip(&blocks) {
                    for (other, block) in motion.iter().zip(row) {
                        product += one.dot(&(block * other));
                    }
                }
                assert!(product > -1e-12, "{product}");
            }
        }
    }

    #[test]
    fn a_rotation_by_ninety_degrees_makes_no_force() {
        let (element, corners) = element();
        for axis in [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()] {
            let rotation = Rotation::from_axis_angle(&axis, std::f64::consts::FRAC_PI_2);
            let moved = corners.map(|corner| rotation * corner + Vec3::new(3.0, -1.0, 2.0));
            assert!(forces(&element, &moved).iter().all(|force| force.norm() < 1e-14));
        }
    }

    #[test]
    fn an_affine_field_leaves_an_inner_node_in_balance() {
        // The tetrahedron with a node inside, as four elements.
        let (_, corners) = element();
        let inside = 0.1 * corners[0] + 0.3 * corners[1] + 0.4 * corners[2] + 0.2 * corners[3];
        let gradient = Mat3::new(1.1, 0.2, 0.0, -0.1, 0.9, 0.3, 0.05, 0.0, 1.2);
        let (mut sum, mut largest) = (Vec3::zeros(), 0.0f64);
        for replaced in 0..4 {
            let mut part = corners;
            part[replaced] = inside;
            let element = Tetrahedron::new(&part).expect("the node is inside");
            let force = forces(&element, &part.map(|corner| gradient * corner));
            sum += force[replaced];
            largest = largest.max(force[replaced].norm());
        }
        assert!(sum.norm() < 1e-14 && largest > 1e-2, "{sum} {largest}");
    }
}
