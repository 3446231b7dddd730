//! What keeps an element from being crushed to nothing.

use craze_math::Mat3;
use serde::{Deserialize, Serialize};

/// Extra resistance of an element whose volume falls below a share of its rest volume.
///
/// The stress of O'Brien & Hodgins 1999 loses its grip "as the element is compressed to less than about 30 % of its
/// material volume" (§3.2): a bar of it is weakest at 58 % of its length and gives way altogether at zero. Below
/// J = det F = `threshold` this adds the energy ½·k·ln²(J/J₀) per rest volume, which starts smoothly (energy and force are
/// zero at J₀) and is infinite at J = 0, so that nothing turns inside out. A threshold of 0 is the paper's law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollapseGuard {
    /// J₀: current over rest volume below which it acts, from 0 (never) to 1.
    pub threshold: f64,
    /// k (Pa).
    pub stiffness: f64,
}

impl CollapseGuard {
    /// How far ln J lies below ln J₀, as a negative number; `None` where the guard rests.
    fn depth(&self, volume_ratio: f64) -> Option<f64> {
        (volume_ratio < self.threshold).then(|| (volume_ratio / self.threshold).ln())
    }

    /// Energy per rest volume (J/m³) at J = `volume_ratio`; infinite or NaN where J is not positive.
    pub fn energy_density(&self, volume_ratio: f64) -> f64 {
        self.depth(volume_ratio).map_or(0.0, |depth| 0.5 * self.stiffness * depth * depth)
    }

    /// Second Piola–Kirchhoff stress (Pa) S = k·ln(J/J₀)·(FᵀF)⁻¹; zero where it rests.
    pub fn stress(&self, deformation: &Mat3) -> Mat3 {
        let Some(depth) = self.depth(deformation.determinant()) else { return Mat3::zeros() };
        let inverse = (deformation.transpose() * deformation).try_inverse();
        inverse.map_or(Mat3::zeros(), |inverse| self.stiffness * depth * inverse)
    }

    /// Rate of that stress (Pa/s) while F changes at `rate` (1/s):
    /// Ṡ = k·(tr(F⁻¹Ḟ)·(FᵀF)⁻¹ − ln(J/J₀)·(FᵀF)⁻¹(FᵀḞ + ḞᵀF)(FᵀF)⁻¹).
    pub fn stress_rate(&self, deformation: &Mat3, rate: &Mat3) -> Mat3 {
        let Some(depth) = self.depth(deformation.determinant()) else { return Mat3::zeros() };
        let Some(inverse) = (deformation.transpose() * deformation).try_inverse() else { return Mat3::zeros() };
        let growth = deformation.transpose() * rate;
        let doubled = growth + growth.transpose();
        let dilation = 0.5 * (inverse * doubled).trace();
        self.stiffness * (dilation * inverse - depth * inverse * doubled * inverse)
    }

    /// Change of the stress (Pa) with true Green strain as two symmetric tensors and a factor: C⁻¹ = (FᵀF)⁻¹, the weight k of C⁻¹⊗C⁻¹,
    /// and the weight −2k·ln(J/J₀) of C⁻¹·C⁻¹. Both weights are positive: the tangent is positive semidefinite.
    pub(crate) fn tangent(&self, deformation: &Mat3) -> Option<(Mat3, f64, f64)> {
        let depth = self.depth(deformation.determinant())?;
        let inverse = (deformation.transpose() * deformation).try_inverse()?;
        Some((inverse, self.stiffness, -2.0 * self.stiffness * depth))
    }

    /// How many times the modulus k the guard adds to the stiffness of an element, at most: with dE = sym(FᵀdF), both parts of its
    /// tangent are bounded by |F⁻¹|²·|dF|².
    pub fn stiffening(&self, deformation: &Mat3) -> f64 {
        let bound =
            |(inverse, dilation, shear): (Mat3, f64, f64)| inverse.trace() * (dilation + shear) / self.stiffness;
        self.tangent(deformation).map_or(0.0, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: CollapseGuard = CollapseGuard { threshold: 0.5, stiffness: 3.0 };

    fn crushed(squeeze: f64) -> Mat3 {
        Mat3::new(0.6, 0.1, 0.05, -0.1, 0.7, 0.2, 0.0, 0.1, squeeze)
    }

    #[test]
    fn stress_is_the_gradient_of_the_energy() {
        let (deformation, step) = (crushed(0.4), 1e-6);
        let first_piola = deformation * GUARD.stress(&deformation);
        for i in 0..3 {
            for j in 0..3 {
                let energy = |way: f64| {
                    let mut moved = deformation;
                    moved[(i, j)] += way;
                    GUARD.energy_density(moved.determinant())
                };
                let slope = (energy(step) - energy(-step)) / (2.0 * step);
                assert!((slope - first_piola[(i, j)]).abs() < 1e-8, "({i}, {j}): {slope}");
            }
        }
    }

    #[test]
    fn stress_rate_is_the_derivative_of_stress() {
        let rate = Mat3::new(0.3, -0.2, 0.1, 0.5, -0.6, 0.2, 0.1, 0.2, 0.4);
        let step = 1e-6;
        let numerical =
            (GUARD.stress(&(crushed(0.4) + step * rate)) - GUARD.stress(&(crushed(0.4) - step * rate))) / (2.0 * step);
        assert!((numerical - GUARD.stress_rate(&crushed(0.4), &rate)).norm() < 1e-7 * numerical.norm());
    }

    #[test]
    fn it_starts_smoothly_and_has_no_bottom() {
        assert_eq!(GUARD.energy_density(0.5), 0.0);
        assert_eq!(GUARD.stress(&crushed(2.0)), Mat3::zeros());
        let touch = GUARD.stress(&Mat3::from_diagonal_element(0.5f64.cbrt() * (1.0 - 1e-9)));
        assert!(touch.norm() < 1e-7);
        assert!(GUARD.energy_density(1e-300) > 1e5 * GUARD.energy_density(0.4));
        assert_eq!(CollapseGuard { threshold: 0.0, stiffness: 1.0 }.energy_density(1e-9), 0.0);
    }
}
