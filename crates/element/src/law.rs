//! Constitutive laws: stress from strain and strain rate.

use crate::voigt::{apply, strain_vector, stress_matrix};
use craze_material::{Material, VoigtMatrix, isotropic_matrix};
use craze_math::Mat3;
use serde::{Deserialize, Serialize};

/// Elastic and viscous law of a material, (4)–(8) of O'Brien & Hodgins 1999.
///
/// The paper's ε (1) and ν (3) are twice the true Green strain and its rate, so its σ is twice the
/// true second Piola–Kirchhoff stress (READINGS 1). All functions here take ε and ν as in the paper
/// and return the *true* stress σ/2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)] // few per body, read by every block of elements
pub enum Law {
    /// Isotropic, (7) and (8).
    Isotropic {
        /// First Lamé constant λ (Pa).
        lambda: f64,
        /// Shear modulus μ (Pa).
        mu: f64,
        /// Viscous counterpart of λ, φ (N s/m²).
        phi: f64,
        /// Viscous counterpart of μ, ψ (N s/m²).
        psi: f64,
    },
    /// Anisotropic in the rest axes, (5) and (6).
    Anisotropic {
        /// C (Pa).
        stiffness: VoigtMatrix,
        /// D (N s/m²).
        viscosity: VoigtMatrix,
    },
}

impl Law {
    /// The law of a material; isotropic if its elasticity and its damping are.
    pub fn from_material(material: &Material) -> Law {
        let elasticity = &material.elasticity;
        if elasticity.is_isotropic() && material.damping.is_isotropic(elasticity) {
            let (lambda, mu) = material.lame();
            let (phi, psi) = material.viscosity();
            Law::Isotropic { lambda, mu, phi, psi }
        } else {
            Law::Anisotropic { stiffness: elasticity.stiffness(), viscosity: material.damping.matrix(elasticity) }
        }
    }

    /// The law with its viscosity multiplied by `factor`.
    pub fn with_scaled_viscosity(&self, factor: f64) -> Law {
        match self {
            Law::Isotropic { lambda, mu, phi, psi } => {
                Law::Isotropic { lambda: *lambda, mu: *mu, phi: factor * phi, psi: factor * psi }
            }
            Law::Anisotropic { stiffness, viscosity } => {
                let viscosity = viscosity.map(|row| row.map(|entry| factor * entry));
                Law::Anisotropic { stiffness: *stiffness, viscosity }
            }
        }
    }

    /// True elastic stress σ⁽ᵋ⁾/2 (Pa) at the strain ε (1).
    pub fn elastic_stress(&self, strain: &Mat3) -> Mat3 {
        match self {
            Law::Isotropic { lambda, mu, .. } => isotropic(*lambda, *mu, strain),
            Law::Anisotropic { stiffness, .. } => 0.5 * stress_matrix(&apply(stiffness, &strain_vector(strain))),
        }
    }

    /// True viscous stress σ⁽ᵛ⁾/2 (Pa) at the strain rate ν (3) (1/s).
    pub fn viscous_stress(&self, strain_rate: &Mat3) -> Mat3 {
        match self {
            Law::Isotropic { phi, psi, .. } => isotropic(*phi, *psi, strain_rate),
            Law::Anisotropic { viscosity, .. } => 0.5 * stress_matrix(&apply(viscosity, &strain_vector(strain_rate))),
        }
    }

    /// Upper bound of the Frobenius norm of the true stress (Pa), given the norms of ε and ν (1/s).
    pub fn stress_norm_bound(&self, strain: f64, rate: f64) -> f64 {
        match self {
            // |tr ε| ≤ √3·|ε|, and the trace acts on three axes.
            Law::Isotropic { lambda, mu, phi, psi } => {
                (1.5 * lambda.abs() + mu) * strain + (1.5 * phi.abs() + psi) * rate
            }
            // Engineering shear strains and shear stresses each contribute a factor √2 to the
            // tensor norm.
            Law::Anisotropic { stiffness, viscosity } => norm(stiffness) * strain + norm(viscosity) * rate,
        }
    }

    /// True elastic energy per rest volume (J/m³), η/4 with η of (9).
    pub fn energy_density(&self, strain: &Mat3) -> f64 {
        0.25 * self.elastic_stress(strain).dot(strain)
    }

    /// Stiffness matrix C (Pa).
    pub fn stiffness(&self) -> VoigtMatrix {
        match self {
            Law::Isotropic { lambda, mu, .. } => isotropic_matrix(*lambda, *mu),
            Law::Anisotropic { stiffness, .. } => *stiffness,
        }
    }

    /// Viscosity matrix D (N s/m²).
    pub fn viscosity(&self) -> VoigtMatrix {
        match self {
            Law::Isotropic { phi, psi, .. } => isotropic_matrix(*phi, *psi),
            Law::Anisotropic { viscosity, .. } => *viscosity,
        }
    }

    /// P-wave modulus (Pa), λ + 2μ; for anisotropic laws the largest of the three along the axes.
    pub fn pressure_modulus(&self) -> f64 {
        match self {
            Law::Isotropic { lambda, mu, .. } => lambda + 2.0 * mu,
            Law::Anisotropic { stiffness, .. } => stiffness[0][0].max(stiffness[1][1]).max(stiffness[2][2]),
        }
    }

    /// P-wave viscosity (Pa·s), φ + 2ψ; for anisotropic laws the largest of the three along the
    /// axes.
    pub fn pressure_viscosity(&self) -> f64 {
        match self {
            Law::Isotropic { phi, psi, .. } => phi + 2.0 * psi,
            Law::Anisotropic { viscosity, .. } => viscosity[0][0].max(viscosity[1][1]).max(viscosity[2][2]),
        }
    }
}

fn isotropic(first: f64, second: f64, strain: &Mat3) -> Mat3 {
    Mat3::from_diagonal_element(0.5 * first * strain.trace()) + second * strain
}

fn norm(law: &VoigtMatrix) -> f64 {
    law.iter().flatten().map(|entry| entry * entry).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_material::{Elasticity, Material};

    #[test]
    fn an_anisotropic_law_with_isotropic_numbers_is_isotropic() {
        let plain = Law::Isotropic { lambda: 3.0, mu: 2.0, phi: 0.7, psi: 0.4 };
        let written_out = Law::Anisotropic { stiffness: plain.stiffness(), viscosity: plain.viscosity() };
        let strain = Mat3::new(0.1, 0.2, -0.3, 0.2, -0.5, 0.4, -0.3, 0.4, 0.9);
        assert!((plain.elastic_stress(&strain) - written_out.elastic_stress(&strain)).norm() < 1e-15);
        assert!((plain.viscous_stress(&strain) - written_out.viscous_stress(&strain)).norm() < 1e-15);
        assert!((plain.energy_density(&strain) - written_out.energy_density(&strain)).abs() < 1e-15);
    }

    #[test]
    fn uniaxial_stress_without_contraction_is_young_times_green_strain() {
        let material = Material::elastic("bar", 1.0, Elasticity::from_young(10.0, 0.0));
        let law = Law::from_material(&material);
        let stretch: f64 = 1.2;
        let mut strain = Mat3::zeros();
        strain[(0, 0)] = stretch * stretch - 1.0; // (1), without the factor ½
        let green = 0.5 * strain[(0, 0)];
        assert!((law.elastic_stress(&strain)[(0, 0)] - 10.0 * green).abs() < 1e-14);
        assert!((law.energy_density(&strain) - 0.5 * 10.0 * green * green).abs() < 1e-14);
    }
}
