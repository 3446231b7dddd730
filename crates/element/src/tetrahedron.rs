//! Linear tetrahedron of O'Brien & Hodgins 1999, §3.2.

use crate::voigt::{VOIGT_INDICES, strain_vector};
use crate::{CollapseGuard, Law};
use craze_material::VoigtMatrix;
use craze_math::batch::symmetric_eigen_batch;
use craze_math::{Eigen, Mat3, Vec3, symmetric_eigen};

/// Green strain without the factor ½, ε = FᵀF − 1, (1).
pub fn strain(deformation: &Mat3) -> Mat3 {
    deformation.transpose() * deformation - Mat3::identity()
}

/// Strain rate ν = FᵀḞ + ḞᵀF (1/s), (3).
pub fn strain_rate(deformation: &Mat3, rate: &Mat3) -> Mat3 {
    let half = deformation.transpose() * rate;
    half + half.transpose()
}

/// Rest geometry of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Inverse of the edge matrix, whose columns are the edges from corner 0 to corners 1, 2 and 3
    /// (1/m). Its rows are the gradients of shape functions 1, 2 and 3: rows of β (16).
    pub inverse_edges: Mat3,
    /// Volume, vol of (25) (m³).
    pub volume: f64,
}

impl Tetrahedron {
    /// Rest geometry for these corners (m); `None` if the volume is not positive or its inverse is
    /// not finite.
    pub fn new(corners: &[Vec3; 4]) -> Option<Tetrahedron> {
        let edges = Self::edges(corners);
        let volume = edges.determinant() / 6.0;
        let inverse_edges = edges.try_inverse()?;
        (volume > 0.0 && inverse_edges.iter().all(|entry| entry.is_finite()))
            .then_some(Tetrahedron { inverse_edges, volume })
    }

    fn edges(corners: &[Vec3; 4]) -> Mat3 {
        Mat3::from_columns(&[corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]])
    }

    /// Gradients of the four shape functions (1/m).
    pub fn gradients(&self) -> [Vec3; 4] {
        let [a, b, c] = [0, 1, 2].map(|row| self.inverse_edges.row(row).transpose());
        [-(a + b + c), a, b, c]
    }

    /// F = ∂x/∂u (21) for the positions of the corners (m); for velocities (m/s) its rate Ḟ (22)
    /// (1/s).
    pub fn deformation(&self, corners: &[Vec3; 4]) -> Mat3 {
        Self::edges(corners) * self.inverse_edges
    }

    /// Forces on the corners (N), (27), for a true second Piola–Kirchhoff stress S = σ/2 (Pa).
    pub fn forces(&self, deformation: &Mat3, stress: &Mat3) -> [Vec3; 4] {
        let scaled_stress = -self.volume * deformation * stress * self.inverse_edges.transpose();
        let [a, b, c] = [0, 1, 2].map(|column| scaled_stress.column(column).into_owned());
        [-(a + b + c), a, b, c]
    }

    /// True total stress S = σ/2 (Pa) at F and its rate (1/s), penalty against collapse included.
    pub fn stress(law: &Law, guard: &CollapseGuard, deformation: &Mat3, rate: &Mat3) -> Mat3 {
        law.elastic_stress(&strain(deformation))
            + law.viscous_stress(&strain_rate(deformation, rate))
            + guard.stress(deformation)
    }

    /// True elastic energy (J), vol·η/4 with η of (9), plus the penalty energy.
    pub fn energy(&self, law: &Law, guard: &CollapseGuard, deformation: &Mat3) -> f64 {
        self.volume * (law.energy_density(&strain(deformation)) + guard.energy_density(deformation.determinant()))
    }

    /// Rate of the forces (N/s) for Ḟ = `rate` (1/s) and F̈ = `second_rate` (1/s²): the jerk term
    /// of the second-order Taylor integrator (READINGS 4).
    pub fn force_rates(
        &self,
        law: &Law,
        guard: &CollapseGuard,
        deformation: &Mat3,
        rate: &Mat3,
        second_rate: &Mat3,
    ) -> [Vec3; 4] {
        let stress = Self::stress(law, guard, deformation, rate);
        let change_of_rate = strain_rate(deformation, second_rate) + 2.0 * rate.transpose() * rate;
        let stress_rate = law.elastic_stress(&strain_rate(deformation, rate))
            + law.viscous_stress(&change_of_rate)
            + guard.stress_rate(deformation, rate);
        let geometric = self.forces(rate, &stress);
        let material = self.forces(deformation, &stress_rate);
        std::array::from_fn(|corner| geometric[corner] + material[corner])
    }

    /// Tangent of the stress with respect to true Green strain (Pa), 6×6: C + D/Δt plus the
    /// penalty's tangent. `inverse_time_step` (1/s) weighs viscosity as backward Euler does; 0
    /// omits it. Positive semidefinite.
    pub fn tangent(law: &Law, guard: &CollapseGuard, deformation: &Mat3, inverse_time_step: f64) -> VoigtMatrix {
        let mut tangent = law.stiffness();
        if inverse_time_step > 0.0 {
            let viscosity = law.viscosity();
            for i in 0..6 {
                for j in 0..6 {
                    tangent[i][j] += inverse_time_step * viscosity[i][j];
                }
            }
        }
        if let Some((inverse, dilation, shear)) = guard.tangent(deformation) {
            for (i, &(a, b)) in VOIGT_INDICES.iter().enumerate() {
                for (j, &(c, d)) in VOIGT_INDICES.iter().enumerate() {
                    let product = 0.5 * (inverse[(a, c)] * inverse[(b, d)] + inverse[(a, d)] * inverse[(b, c)]);
                    tangent[i][j] += dilation * inverse[(a, b)] * inverse[(c, d)] + shear * product;
                }
            }
        }
        tangent
    }

    /// Stiffness of the corners (N/m), −∂f/∂x projected to be positive semidefinite: Bᵀ·T·B with
    /// the `tangent` T, plus the geometric part with `stress` S replaced by its positive
    /// semidefinite part S⁺. Entry \[i\]\[j\] is the block of corners i and j.
    pub fn stiffness(&self, deformation: &Mat3, stress: &Mat3, tangent: &VoigtMatrix) -> [[Mat3; 4]; 4] {
        let gradients = self.gradients();
        let tensile = positive_part(stress);
        // Column k of B for corner i: the strain per unit displacement along axis k, sym(Fᵀ·e_k⊗g).
        let strains = gradients.map(|gradient| {
            [0, 1, 2].map(|axis| {
                let row = deformation.row(axis).transpose();
                let product = row * gradient.transpose();
                strain_vector(&(0.5 * (product + product.transpose())))
            })
        });
        let stresses = strains.map(|columns| columns.map(|column| crate::voigt::apply(tangent, &column)));
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let geometric = gradients[i].dot(&(tensile * gradients[j]));
                let mut block = Mat3::from_diagonal_element(geometric);
                for (row, strain) in strains[i].iter().enumerate() {
                    for (column, stress) in stresses[j].iter().enumerate() {
                        block[(row, column)] += strain.iter().zip(stress).map(|(e, s)| e * s).sum::<f64>();
                    }
                }
                self.volume * block
            })
        })
    }

    /// Largest eigenvalue of BᵀCB at rest (1/m² times the unit of the law) for an isotropic C with
    /// two constants; bounds the frequencies of the element. With γ² the eigenvalues of Σ ∇N⊗∇N, it
    /// is exactly the larger of the largest eigenvalue of λ·γγᵀ + 2μ·diag γ² (stretch) and μ·(γ₁² +
    /// γ₂²) (shear).
    pub fn max_stiffness_eigenvalue(&self, first: f64, second: f64) -> f64 {
        max_eigenvalue(&self.squared_gradients(), first, second)
    }

    /// [`Self::max_stiffness_eigenvalue`] for several isotropic laws, with the gradient of each
    /// corner scaled by the square root of its weight.
    pub fn weighted_stiffness_eigenvalues<const N: usize>(&self, weights: &[f64; 4], laws: [[f64; 2]; N]) -> [f64; N] {
        let outer = |(gradient, weight): (&Vec3, &f64)| *weight * gradient * gradient.transpose();
        let squares = eigenvalues(&self.gradients().iter().zip(weights).map(outer).sum());
        laws.map(
            |[first, second]| if first == 0.0 && second == 0.0 { 0.0 } else { max_eigenvalue(&squares, first, second) },
        )
    }

    /// Eigenvalues of Σ ∇N⊗∇N over the four corners (1/m²), descending.
    pub fn squared_gradients(&self) -> Vec3 {
        let sum = self.gradients().iter().fold(Mat3::zeros(), |sum, gradient| sum + gradient * gradient.transpose());
        eigenvalues(&sum)
    }
}

fn max_eigenvalue(squares: &Vec3, first: f64, second: f64) -> f64 {
    let roots = squares.map(|square| square.max(0.0).sqrt());
    let stretching = first * roots * roots.transpose() + 2.0 * second * Mat3::from_diagonal(squares);
    eigenvalues(&stretching)[0].max(second * (squares[0] + squares[1]))
}

/// Eigenvalues of a symmetric matrix in closed form (Smith 1961), descending. Accurate to about
/// 1e-8 of the largest, enough for a bound, and several times faster than [`symmetric_eigen`].
fn eigenvalues(matrix: &Mat3) -> Vec3 {
    let mean = matrix.trace() / 3.0;
    let deviator = matrix - Mat3::from_diagonal_element(mean);
    let spread = (deviator.norm_squared() / 6.0).sqrt();
    if spread == 0.0 {
        return Vec3::repeat(mean);
    }
    let angle = (0.5 * (deviator / spread).determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    let largest = mean + 2.0 * spread * angle.cos();
    let smallest = mean + 2.0 * spread * (angle + 2.0 * std::f64::consts::FRAC_PI_3).cos();
    Vec3::new(largest, 3.0 * mean - largest - smallest, smallest)
}

pub(crate) fn positive_part(matrix: &Mat3) -> Mat3 {
    positive_part_by_signs(matrix).unwrap_or_else(|| clamp_negative_eigenvalues(&symmetric_eigen(matrix)))
}

/// [`positive_part`] of each matrix, in place, eight eigenvalue problems at a time.
pub(crate) fn positive_parts(matrices: &mut [Mat3]) {
    let mut mixed = Vec::with_capacity(matrices.len());
    for (index, matrix) in matrices.iter_mut().enumerate() {
        match positive_part_by_signs(matrix) {
            Some(part) => *matrix = part,
            None => mixed.push(index),
        }
    }
    let unsolved: Vec<Mat3> = mixed.iter().map(|&index| matrices[index]).collect();
    let mut eigen = vec![Eigen { values: Vec3::zeros(), vectors: Mat3::identity() }; mixed.len()];
    symmetric_eigen_batch(&unsolved, &mut eigen);
    for (index, eigen) in mixed.into_iter().zip(&eigen) {
        matrices[index] = clamp_negative_eigenvalues(eigen);
    }
}

/// Positive part of a matrix whose eigenvalues Gershgorin's theorem shows to have one sign.
fn positive_part_by_signs(matrix: &Mat3) -> Option<Mat3> {
    // Each eigenvalue lies in the Gershgorin interval of a row. Decides most matrices under
    // compression.
    let off_diagonal_sum =
        |row: usize| (0..3).filter(|&column| column != row).map(|column| matrix[(row, column)].abs()).sum::<f64>();
    if (0..3).all(|row| matrix[(row, row)] + off_diagonal_sum(row) <= 0.0) {
        return Some(Mat3::zeros());
    }
    (0..3).all(|row| matrix[(row, row)] >= off_diagonal_sum(row)).then_some(*matrix)
}

fn clamp_negative_eigenvalues(eigen: &Eigen) -> Mat3 {
    eigen.vectors * Mat3::from_diagonal(&eigen.values.map(|value| value.max(0.0))) * eigen.vectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GUARD: CollapseGuard = CollapseGuard { threshold: 0.5, stiffness: 9.0 };

    fn law(anisotropic: bool) -> Law {
        let plain = Law::Isotropic { lambda: 3.0, mu: 2.0, phi: 0.6, psi: 0.5 };
        if !anisotropic {
            return plain;
        }
        let (mut stiffness, mut viscosity) = (plain.stiffness(), plain.viscosity());
        for (i, j, extra) in [(0, 0, 2.0), (1, 4, 0.3), (4, 1, 0.3), (5, 5, 1.0), (0, 5, -0.4), (5, 0, -0.4)] {
            stiffness[i][j] += extra;
            viscosity[i][j] += 0.1 * extra;
        }
        Law::Anisotropic { stiffness, viscosity }
    }

    fn rest() -> (Tetrahedron, [Vec3; 4]) {
        let corners =
            [Vec3::new(0.1, 0.0, 0.1), Vec3::new(1.1, 0.2, 0.0), Vec3::new(0.0, 0.9, 0.1), Vec3::new(0.2, 0.1, 0.8)];
        (Tetrahedron::new(&corners).unwrap(), corners)
    }

    fn positions() -> impl Strategy<Value = [Vec3; 4]> {
        proptest::collection::vec(-0.25..0.25f64, 12).prop_map(|moves| {
            let (_, corners) = rest();
            std::array::from_fn(|i| corners[i] + Vec3::new(moves[3 * i], moves[3 * i + 1], moves[3 * i + 2]))
        })
    }

    fn total_energy(element: &Tetrahedron, law: &Law, positions: &[Vec3; 4]) -> f64 {
        element.energy(law, &GUARD, &element.deformation(positions))
    }

    proptest! {
        #[test]
        fn forces_are_minus_the_gradient_of_energy(positions in positions(), anisotropic: bool) {
            let (element, law) = (rest().0, law(anisotropic));
            let deformation = element.deformation(&positions);
            prop_assume!(deformation.determinant() > 0.1);
            let stress = Tetrahedron::stress(&law, &GUARD, &deformation, &Mat3::zeros());
            let forces = element.forces(&deformation, &stress);
            for corner in 0..4 {
                for axis in 0..3 {
                    let moved = |shift: f64| {
                        let mut positions = positions;
                        positions[corner][axis] += shift;
                        total_energy(&element, &law, &positions)
                    };
                    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    prop_assert!((forces[corner][axis] + slope).abs() < 1e-7 * (1.0 + forces[corner].norm()));
                }
            }
        }

        #[test]
        fn force_rates_are_the_derivative_of_forces(positions in positions(), moves in positions(), anisotropic: bool) {
            let (element, law) = (rest().0, law(anisotropic));
            let (velocity, acceleration) = (moves.map(|v| 0.3 * v), moves.map(|v| Vec3::new(v.z, -v.x, 0.5 * v.y)));
            let gradients = |time: f64| {
                let now = std::array::from_fn(|i| positions[i] + time * velocity[i] + 0.5 * time * time * acceleration[i]);
                let speed = std::array::from_fn(|i| velocity[i] + time * acceleration[i]);
                (element.deformation(&now), element.deformation(&speed))
            };
            let (deformation, rate) = gradients(0.0);
            prop_assume!(deformation.determinant() > 0.1 && (deformation.determinant() - 0.5).abs() > 1e-3);
            let forces = |time: f64| {
                let (deformation, rate) = gradients(time);
                element.forces(&deformation, &Tetrahedron::stress(&law, &GUARD, &deformation, &rate))
            };
            let rates = element.force_rates(&law, &GUARD, &deformation, &rate, &element.deformation(&acceleration));
            let (after, before) = (forces(1e-6), forces(-1e-6));
            for corner in 0..4 {
                let slope = (after[corner] - before[corner]) / 2e-6;
                prop_assert!((slope - rates[corner]).norm() < 1e-6 * (1.0 + slope.norm()), "{slope} {}", rates[corner]);
            }
        }

        #[test]
        fn stiffness_without_projection_is_minus_the_derivative_of_forces(positions in positions(), anisotropic: bool) {
            let (element, law) = (rest().0, law(anisotropic));
            // Stretched so that all principal stresses are tensile: nothing is projected away.
            let positions = positions.map(|position| 1.9 * position);
            let deformation = element.deformation(&positions);
            let stress = Tetrahedron::stress(&law, &GUARD, &deformation, &Mat3::zeros());
            prop_assume!(symmetric_eigen(&stress).values[2] > 0.0 && deformation.determinant() > 0.6);
            let tangent = Tetrahedron::tangent(&law, &GUARD, &deformation, 0.0);
            let blocks = element.stiffness(&deformation, &stress, &tangent);
            for corner in 0..4 {
                for axis in 0..3 {
                    let moved = |shift: f64| {
                        let mut positions = positions;
                        positions[corner][axis] += shift;
                        let deformation = element.deformation(&positions);
                        element.forces(&deformation, &Tetrahedron::stress(&law, &GUARD, &deformation, &Mat3::zeros()))
                    };
                    let (after, before) = (moved(1e-6), moved(-1e-6));
                    for other in 0..4 {
                        let slope = (before[other] - after[other]) / 2e-6;
                        let column = blocks[other][corner].column(axis).into_owned();
                        prop_assert!((slope - column).norm() < 1e-6 * (1.0 + column.norm()));
                    }
                }
            }
        }

        #[test]
        fn stiffness_is_never_negative(positions in positions(), motion in positions(), anisotropic: bool) {
            let (element, law) = (rest().0, law(anisotropic));
            let deformation = element.deformation(&positions);
            prop_assume!(deformation.determinant() > 0.05);
            let stress = Tetrahedron::stress(&law, &GUARD, &deformation, &Mat3::zeros());
            let blocks = element.stiffness(&deformation, &stress, &Tetrahedron::tangent(&law, &GUARD, &deformation, 3.0));
            let mut energy = 0.0;
            for i in 0..4 {
                for j in 0..4 {
                    prop_assert!((blocks[i][j] - blocks[j][i].transpose()).norm() < 1e-9 * (1.0 + blocks[i][j].norm()));
                    energy += motion[i].dot(&(blocks[i][j] * motion[j]));
                }
            }
            prop_assert!(energy >= -1e-9);
        }

        #[test]
        fn damping_never_adds_energy(positions in positions(), velocity in positions(), anisotropic: bool) {
            let (element, law) = (rest().0, law(anisotropic));
            let (deformation, rate) = (element.deformation(&positions), element.deformation(&velocity));
            let forces = element.forces(&deformation, &law.viscous_stress(&strain_rate(&deformation, &rate)));
            let power: f64 = forces.iter().zip(&velocity).map(|(force, velocity)| force.dot(velocity)).sum();
            prop_assert!(power <= 1e-12);
        }

        #[test]
        fn the_largest_eigenvalue_is_reached_and_never_exceeded(motion in positions(), lambda in -1.0..9.0f64) {
            let (element, mu) = (rest().0, 2.0);
            let law = Law::Isotropic { lambda, mu, phi: 0.0, psi: 0.0 };
            let unit = Tetrahedron::tangent(&law, &CollapseGuard { threshold: 0.0, stiffness: 0.0 }, &Mat3::identity(), 0.0);
            let blocks = element.stiffness(&Mat3::identity(), &Mat3::zeros(), &unit);
            let bound = element.max_stiffness_eigenvalue(lambda, mu) * element.volume;
            // Power iteration approaches the largest eigenvalue from below.
            let mut motion = motion;
            let mut value = 0.0;
            for _ in 0..400 {
                let next: [Vec3; 4] =
                    std::array::from_fn(|i| (0..4).fold(Vec3::zeros(), |sum, j| sum + blocks[i][j] * motion[j]));
                let length = next.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
                value = length / motion.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
                motion = next.map(|part| part / length);
            }
            prop_assert!(value <= bound * (1.0 + 1e-7) && value > 0.98 * bound, "{value} {bound}");
        }
    }

    #[test]
    fn flat_and_inverted_rest_shapes_are_refused() {
        let [a, b, c, _] = rest().1;
        assert!(Tetrahedron::new(&[a, b, c, 0.5 * (b + c)]).is_none());
        let [a, b, c, d] = rest().1;
        assert!(Tetrahedron::new(&[a, c, b, d]).is_none());
    }

    #[test]
    fn forces_vanish_under_rigid_motion_and_keep_both_momenta() {
        let (element, corners) = rest();
        let rotation = craze_math::Rotation::from_euler_angles(0.3, 1.2, -2.0);
        let rotated = corners.map(|corner| rotation * corner + Vec3::new(1.0, 2.0, 3.0));
        let deformation = element.deformation(&rotated);
        let stress = Tetrahedron::stress(&law(true), &GUARD, &deformation, &Mat3::zeros());
        assert!(element.forces(&deformation, &stress).iter().all(|force| force.norm() < 1e-14));

        let mut pulled = rotated;
        pulled[2] += Vec3::new(0.1, -0.2, 0.15);
        let deformation = element.deformation(&pulled);
        let stress = Tetrahedron::stress(&law(true), &GUARD, &deformation, &Mat3::from_element(0.1));
        let forces = element.forces(&deformation, &stress);
        let (mut sum, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (force, index) in forces.iter().zip(&pulled) {
            sum += force;
            moment += index.cross(force);
        }
        assert!(sum.norm() < 1e-14 && moment.norm() < 1e-14);
    }
}
