//! Penalty energy against the collapse of an element.

use craze_math::Mat3;
use serde::{Deserialize, Serialize};

/// Penalty energy for elements compressed below a fraction of their rest volume.
///
/// The stress of O'Brien & Hodgins 1999 weakens "as the element is compressed to less than about 30
/// % of its material volume" (§3.2): in uniaxial compression it peaks at 58 % of the rest length
/// and vanishes at zero length. Below J = det F = `threshold` this adds the energy ½·k·ln²(J/J₀)
/// per rest volume. Energy and force start from zero at J₀, and the energy is infinite at J = 0,
/// which prevents inversion. A threshold of 0 gives the paper's law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollapseGuard {
    /// J₀: ratio of current to rest volume below which the penalty acts, from 0 (never) to 1.
    pub threshold: f64,
    /// k (Pa).
    pub stiffness: f64,
}

impl CollapseGuard {
    /// ln(J/J₀), negative; `None` where the penalty is inactive.
    fn depth(&self, volume_ratio: f64) -> Option<f64> {
        (volume_ratio < self.threshold).then(|| (volume_ratio / self.threshold).ln())
    }

    /// Energy per rest volume (J/m³) at J = `volume_ratio`; infinite or NaN if J is not positive.
    pub fn energy_density(&self, volume_ratio: f64) -> f64 {
        self.depth(volume_ratio).map_or(0.0, |depth| 0.5 * self.stiffness * depth * depth)
    }

    /// Second Piola–Kirchhoff stress (Pa) S = k·ln(J/J₀)·(FᵀF)⁻¹; zero where inactive.
    pub fn stress(&self, deformation: &Mat3) -> Mat3 {
        let Some(depth) = self.depth(deformation.determinant()) else { return Mat3::zeros() };
        let inverse = (deformation.transpose() * deformation).try_inverse();
        inverse.map_or(Mat3::zeros(), |inverse| self.stiffness * depth * inverse)
    }

    /// Rate of the stress (Pa/s) for the rate Ḟ of the deformation gradient (1/s): Ṡ =
    /// k·(tr(F⁻¹Ḟ)·(FᵀF)⁻¹ − ln(J/J₀)·(FᵀF)⁻¹(FᵀḞ + ḞᵀF)(FᵀF)⁻¹).
    pub fn stress_rate(&self, deformation: &Mat3, rate: &Mat3) -> Mat3 {
        let Some(depth) = self.depth(deformation.determinant()) else { return Mat3::zeros() };
        let Some(inverse) = (deformation.transpose() * deformation).try_inverse() else { return Mat3::zeros() };
        let growth = deformation.transpose() * rate;
        let doubled = growth + growth.transpose();
        let dilation = 0.5 * (inverse * doubled).trace();
        self.stiffness * (dilation * inverse - depth * inverse * doubled * inverse)
    }

    /// Tangent of the stress with respect to true Green strain (Pa): C⁻¹ = (FᵀF)⁻¹, the weight k of
    /// C⁻¹⊗C⁻¹ and the weight −2k·ln(J/J₀) of C⁻¹·C⁻¹. Both weights are positive, so the tangent is
    /// positive semidefinite.
    pub(crate) fn tangent(&self, deformation: &Mat3) -> Option<(Mat3, f64, f64)> {
        let depth = self.depth(deformation.determinant())?;
        let inverse = (deformation.transpose() * deformation).try_inverse()?;
        Some((inverse, self.stiffness, -2.0 * self.stiffness * depth))
    }

    /// Bound on the stiffness added by the penalty, in units of k: with dE = sym(FᵀdF), both parts
    /// of the tangent are bounded by |F⁻¹|²·|dF|².
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

    fn compressed(squeeze: f64) -> Mat3 {
        Mat3::new(0.6, 0.1, 0.05, -0.1, 0.7, 0.2, 0.0, 0.1, squeeze)
    }

    #[test]
    fn stress_is_the_gradient_of_the_energy() {
        let (deformation, step) = (compressed(0.4), 1e-6);
        let first_piola = deformation * GUARD.stress(&deformation);
        for i in 0..3 {
            for j in 0..3 {
                let energy = |shift: f64| {
                    let mut moved = deformation;
                    moved[(i, j)] += shift;
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
        let numerical = (GUARD.stress(&(compressed(0.4) + step * rate))
            - GUARD.stress(&(compressed(0.4) - step * rate)))
            / (2.0 * step);
        assert!((numerical - GUARD.stress_rate(&compressed(0.4), &rate)).norm() < 1e-7 * numerical.norm());
    }

    #[test]
    fn energy_starts_smoothly_and_is_unbounded_at_zero_volume() {
        assert_eq!(GUARD.energy_density(0.5), 0.0);
        assert_eq!(GUARD.stress(&compressed(2.0)), Mat3::zeros());
        let touch = GUARD.stress(&Mat3::from_diagonal_element(0.5f64.cbrt() * (1.0 - 1e-9)));
        assert!(touch.norm() < 1e-7);
        assert!(GUARD.energy_density(1e-300) > 1e5 * GUARD.energy_density(0.4));
        assert_eq!(CollapseGuard { threshold: 0.0, stiffness: 1.0 }.energy_density(1e-9), 0.0);
    }
}
