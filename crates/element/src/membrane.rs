//! Stretching of a triangle of a sheet: (1) and (2) of Pfaff et al. 2014.

use craze_math::{Mat2, Mat3, Mat3x2, Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// Smallest height of a rest triangle, relative to its longest edge.
const MIN_RELATIVE_HEIGHT: f64 = 1e-9;

/// A triangle laid into its own plane: corner 0 at the origin, corner 1 on the positive first axis,
/// corner 2 above it (m). This is the frame of all in-plane tensors of the triangle. `None` for a
/// triangle without area.
pub fn plane_coordinates(corners: &[Vec3; 3]) -> Option<[Vec2; 3]> {
    let [along, across] = plane_axes(corners)?;
    let lay = |corner: &Vec3| Vec2::new((corner - corners[0]).dot(&along), (corner - corners[0]).dot(&across));
    Some([Vec2::zeros(), lay(&corners[1]), lay(&corners[2])])
}

/// The unit axes of [`plane_coordinates`] in space.
pub fn plane_axes(corners: &[Vec3; 3]) -> Option<[Vec3; 2]> {
    let edges = [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
    let along = edges[0].try_normalize(0.0)?;
    let away = edges[2] - along * edges[2].dot(&along);
    let longest = edges.iter().map(Vec3::norm).fold(0.0, f64::max);
    // NaN fails the comparison.
    (away.norm() > MIN_RELATIVE_HEIGHT * longest && longest.is_finite()).then(|| [along, -away.normalize()])
}

/// Plane-stress law of a sheet (2): σ = k_s·((1 − ν)·G + ν·tr(G)·I), a force per length (N/m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneStress {
    /// k_s = Y·h/(1 − ν²) (N/m).
    pub stiffness: f64,
    /// Poisson's ratio ν (1).
    pub poisson: f64,
}

impl PlaneStress {
    /// The law of a sheet of Young's modulus (Pa), Poisson's ratio (1) and thickness (m).
    pub fn new(young: f64, poisson: f64, thickness: f64) -> PlaneStress {
        PlaneStress { stiffness: young * thickness / (1.0 - poisson * poisson), poisson }
    }

    /// σ (N/m) of a strain or, for a viscous law, of a strain rate.
    pub fn stress(&self, strain: &Mat2) -> Mat2 {
        let volumetric = self.poisson * strain.trace();
        self.stiffness * ((1.0 - self.poisson) * strain + Mat2::from_diagonal_element(volumetric))
    }

    /// ½·G:σ (J/m²).
    pub fn energy_density(&self, strain: &Mat2) -> f64 {
        0.5 * strain.dot(&self.stress(strain))
    }
}

/// Rest shape of a triangle that stretches: the plastic shape of a triangle that has flowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membrane {
    /// Gradients of the shape functions in the frame of [`plane_coordinates`] (1/m).
    gradients: [Vec2; 3],
    /// Area (m²).
    pub area: f64,
}

impl Membrane {
    /// A triangle with this rest shape (m); `None` if it has no positive area.
    pub fn new(rest: &[Vec2; 3]) -> Option<Membrane> {
        let edges = Mat2::from_columns(&[rest[1] - rest[0], rest[2] - rest[0]]);
        let determinant = edges.determinant();
        let inverse = edges.try_inverse().filter(|_| determinant > 0.0 && determinant.is_finite())?;
        let (first, second) = (inverse.row(0).transpose(), inverse.row(1).transpose());
        Some(Membrane { gradients: [-(first + second), first, second], area: 0.5 * determinant })
    }

    /// The triangle after plastic flow: F_el = F·F_p, with F_p the inverse plastic stretch. Energy
    /// is integrated over the plastic area A/det F_p (READINGS 11 and 13).
    pub fn with_plastic_stretch(&self, inverse_stretch: &Mat2) -> Membrane {
        let gradients = self.gradients.map(|gradient| inverse_stretch.transpose() * gradient);
        Membrane { gradients, area: self.area / inverse_stretch.determinant() }
    }

    /// Deformation gradient F of the corner positions (m); of velocities (m/s) its rate (1/s).
    #[inline]
    pub fn deformation(&self, positions: &[Vec3; 3]) -> Mat3x2 {
        let [_, first, second] = &self.gradients;
        (positions[1] - positions[0]) * first.transpose() + (positions[2] - positions[0]) * second.transpose()
    }

    /// Forces (N) of a stress (N/m) on the corners.
    #[inline]
    pub fn forces(&self, deformation: &Mat3x2, stress: &Mat2) -> [Vec3; 3] {
        let piola = deformation * (-self.area * stress);
        self.gradients.map(|gradient| piola * gradient)
    }

    /// Stiffness (N/m) as 3×3 blocks by corner, with compressive principal stresses left out of the
    /// geometric part, which makes it positive semidefinite. `law` is that of stress for strain,
    /// its viscous part included.
    pub fn stiffness(&self, law: &PlaneStress, deformation: &Mat3x2, stress: &Mat2) -> [[Mat3; 3]; 3] {
        let PlaneStress { stiffness, poisson } = *law;
        let (tension, spread) = (tensile(stress), deformation * deformation.transpose());
        let moved = self.gradients.map(|gradient| deformation * gradient);
        let shear = 0.5 * (1.0 - poisson) * stiffness * self.area;
        let dilation = poisson * stiffness * self.area;
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (row, column) = (&self.gradients[i], &self.gradients[j]);
                shear * (row.dot(column) * spread + moved[j] * moved[i].transpose())
                    + dilation * moved[i] * moved[j].transpose()
                    + Mat3::from_diagonal_element(self.geometric(&tension, i, j))
            })
        })
    }

    /// A·∇Nᵢ·σ·∇Nⱼ (N/m): stiffness between two corners by a stress (N/m), normal to the triangle.
    #[inline]
    pub fn geometric(&self, stress: &Mat2, row: usize, column: usize) -> f64 {
        self.area * self.gradients[row].dot(&(stress * self.gradients[column]))
    }

    /// Largest eigenvalue of Σ ∇N⊗∇N (1/m²), which bounds the frequencies of the triangle.
    pub fn max_squared_gradient(&self) -> f64 {
        let sum: Mat2 = self.gradients.iter().map(|gradient| gradient * gradient.transpose()).sum();
        principal_values(&sum)[0]
    }
}

/// Green strain G = ½(FᵀF − I) (1).
#[inline]
pub fn green_strain(deformation: &Mat3x2) -> Mat2 {
    0.5 * (deformation.transpose() * deformation - Mat2::identity())
}

/// Eigenvalues of a symmetric 2×2 tensor, the larger first.
pub fn principal_values(tensor: &Mat2) -> [f64; 2] {
    let (mean, half) = (0.5 * tensor.trace(), 0.5 * (tensor[(0, 0)] - tensor[(1, 1)]));
    let radius = half.hypot(tensor[(0, 1)]);
    [mean + radius, mean - radius]
}

/// A symmetric 2×2 tensor with `map` applied to its eigenvalues.
pub fn map_principal_values(tensor: &Mat2, map: impl Fn(f64) -> f64) -> Mat2 {
    let [large, small] = principal_values(tensor);
    let (at_large, at_small) = (map(large), map(small));
    if large == small {
        return Mat2::from_diagonal_element(at_large);
    }
    // Eigenprojection of the larger value (Cayley–Hamilton).
    let projection = (tensor - Mat2::from_diagonal_element(small)) / (large - small);
    Mat2::from_diagonal_element(at_small) + (at_large - at_small) * projection
}

/// Tensile part of a stress: negative principal values are set to zero.
pub fn tensile(stress: &Mat2) -> Mat2 {
    map_principal_values(stress, |value| value.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Positions, check_stiffness, gradient_error};

    const LAW: PlaneStress = PlaneStress { stiffness: 7.0, poisson: 0.3 };

    fn rest() -> (Membrane, [Vec3; 3]) {
        let corners = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(1.0, 0.1, 0.3), Vec3::new(0.4, 0.9, -0.2)];
        (Membrane::new(&plane_coordinates(&corners).unwrap()).unwrap(), corners)
    }

    fn energy(membrane: &Membrane, positions: &[Vec3; 3]) -> f64 {
        membrane.area * LAW.energy_density(&green_strain(&membrane.deformation(positions)))
    }

    fn forces(membrane: &Membrane, positions: &[Vec3; 3]) -> [Vec3; 3] {
        let deformation = membrane.deformation(positions);
        membrane.forces(&deformation, &LAW.stress(&green_strain(&deformation)))
    }

    fn stiffness(membrane: &Membrane, positions: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let deformation = membrane.deformation(positions);
        membrane.stiffness(&LAW, &deformation, &LAW.stress(&green_strain(&deformation)))
    }

    #[test]
    fn forces_are_minus_the_gradient_of_energy() {
        let (membrane, corners) = rest();
        let flowed = membrane.with_plastic_stretch(&Mat2::new(0.8, 0.1, 0.1, 1.1));
        for positions in Positions::around(corners, 0.3, 1).take(50) {
            for membrane in [membrane, flowed] {
                let error = gradient_error(&positions, |x| energy(&membrane, x), |x| forces(&membrane, x));
                assert!(error < 1e-8, "{error}");
            }
        }
    }

    #[test]
    fn stiffness_is_the_derivative_of_forces_under_tension_and_never_negative() {
        let (membrane, corners) = rest();
        for positions in Positions::around(corners, 0.2, 2).take(50) {
            check_stiffness(&stiffness(&membrane, &positions));
            // Stretched so that all principal stresses are tensile: nothing is left out.
            let positions = positions.map(|position| 2.0 * position);
            let blocks = stiffness(&membrane, &positions);
            for (column, blocks) in (0..3).map(|j| (j, [0, 1, 2].map(|i| blocks[i][j]))) {
                for axis in 0..3 {
                    let shifted = |shift: f64| {
                        let mut moved = positions;
                        moved[column][axis] += shift;
                        forces(&membrane, &moved)
                    };
                    let (after, before) = (shifted(1e-6), shifted(-1e-6));
                    for i in 0..3 {
                        let slope = (before[i] - after[i]) / 2e-6;
                        assert!((slope - blocks[i].column(axis)).norm() < 1e-6 * (1.0 + slope.norm()));
                    }
                }
            }
        }
    }

    #[test]
    fn rigid_motion_makes_no_force_and_uniaxial_stress_is_young_times_strain() {
        let (membrane, corners) = rest();
        let rotation = craze_math::Rotation::from_euler_angles(0.3, 1.2, -2.0);
        let moved = corners.map(|corner| rotation * corner + Vec3::new(1.0, 2.0, 3.0));
        assert!(forces(&membrane, &moved).iter().all(|force| force.norm() < 1e-14));
        let law = PlaneStress::new(10.0, 0.25, 0.5);
        let strain = Mat2::new(0.1, 0.0, 0.0, -0.025);
        let stress = law.stress(&strain);
        assert!((stress - Mat2::new(0.5, 0.0, 0.0, 0.0)).norm() < 1e-15, "E·h·ε along, nothing across: {stress}");
    }

    #[test]
    fn principal_values_are_mapped_along_their_axes() {
        let tensor = Mat2::new(1.0, 2.0, 2.0, -2.0);
        assert_eq!(principal_values(&tensor), [2.0, -3.0]);
        let squared = map_principal_values(&tensor, |value| value * value);
        assert!((squared - tensor * tensor).norm() < 1e-14);
        assert_eq!(map_principal_values(&Mat2::identity(), f64::exp), Mat2::from_diagonal_element(1f64.exp()));
    }

    #[test]
    fn triangles_without_area_are_refused() {
        let (_, [a, b, _]) = rest();
        assert!(plane_coordinates(&[a, b, 0.5 * (a + b)]).is_none());
        assert!(plane_coordinates(&[a, a, b]).is_none());
        assert!(plane_coordinates(&[a, b, Vec3::repeat(f64::NAN)]).is_none());
        assert!(Membrane::new(&[Vec2::zeros(), Vec2::y(), Vec2::x()]).is_none(), "clockwise");
    }
}
