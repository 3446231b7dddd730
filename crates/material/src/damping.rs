//! Damping of strain and of motion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;
use crate::elasticity::{Definite, Elasticity, VoigtMatrix, check_voigt, isotropic_matrix, voigt_average};
use crate::quantity::Quantity;

/// Viscous stress, proportional to strain rate, and drag, proportional to velocity. All parts add
/// up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Damping {
    /// φ of O'Brien & Hodgins 1999 (8): viscous counterpart of λ (N s/m²).
    pub phi: f64,
    /// ψ of O'Brien & Hodgins 1999 (8): viscous counterpart of μ (N s/m²).
    pub psi: f64,
    /// Viscous stress per elastic stress rate (s): adds time·C to the viscosity. The damping ratio
    /// of a mode with frequency f is π·f·time, and its loss factor 2π·f·time.
    pub time: f64,
    /// Mass-proportional Rayleigh damping (1/s): force −mass·m·v on every node, also in free fall.
    pub mass: f64,
    /// D of O'Brien & Hodgins 1999 (6) reduced to 6×6 (N s/m²), for anisotropic viscosity;
    /// component order and engineering shear rates as in [`VoigtMatrix`].
    pub viscosity: Option<VoigtMatrix>,
}

impl Damping {
    /// Total isotropic viscosity (φ, ψ) in N s/m², time constant included.
    ///
    /// Anisotropic parts are averaged over all orientations; use [`matrix`](Self::matrix) unless
    /// [`is_isotropic`](Self::is_isotropic).
    pub fn viscosity(&self, elasticity: &Elasticity) -> (f64, f64) {
        let (lambda, mu) = elasticity.lame();
        let (phi, psi) = self.viscosity.as_ref().map_or((0.0, 0.0), voigt_average);
        (self.phi + self.time * lambda + phi, self.psi + self.time * mu + psi)
    }

    /// Total viscosity D (N s/m²); component order and engineering shear rates as in
    /// [`VoigtMatrix`].
    pub fn matrix(&self, elasticity: &Elasticity) -> VoigtMatrix {
        let mut matrix = isotropic_matrix(self.phi, self.psi);
        let stiffness = elasticity.stiffness();
        for i in 0..6 {
            for j in 0..6 {
                matrix[i][j] += self.time * stiffness[i][j];
                if let Some(viscosity) = &self.viscosity {
                    matrix[i][j] += viscosity[i][j];
                }
            }
        }
        matrix
    }

    /// True if two constants describe the total viscosity for this elasticity.
    pub fn is_isotropic(&self, elasticity: &Elasticity) -> bool {
        self.viscosity.is_none() && (self.time == 0.0 || elasticity.is_isotropic())
    }

    /// Rejects damping that would add energy: negative φ, ψ, time or mass, or D not positive
    /// semidefinite.
    pub fn check(&self) -> Result<(), MaterialError> {
        Quantity::Phi.check(self.phi)?;
        Quantity::Psi.check(self.psi)?;
        Quantity::DampingTime.check(self.time)?;
        Quantity::MassDamping.check(self.mass)?;
        match &self.viscosity {
            Some(viscosity) => check_voigt("viscosity", viscosity, Definite::Semi),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_constant_scales_the_lame_constants() {
        let elasticity = Elasticity::from_lame(4.0, 3.0);
        let damping = Damping { phi: 1.0, psi: 2.0, time: 0.5, ..Damping::default() };
        assert_eq!(damping.viscosity(&elasticity), (3.0, 3.5));
        assert_eq!(damping.matrix(&elasticity), isotropic_matrix(3.0, 3.5));
    }

    #[test]
    fn viscosity_may_be_semidefinite_but_not_indefinite() {
        let mut viscosity = [[0.0; 6]; 6];
        viscosity[0][0] = 1.0;
        assert!(Damping { viscosity: Some(viscosity), ..Damping::default() }.check().is_ok());
        viscosity[1][1] = -1.0;
        assert!(Damping { viscosity: Some(viscosity), ..Damping::default() }.check().is_err());
        viscosity[1][1] = 0.0;
        viscosity[1][2] = 0.5;
        viscosity[2][1] = 0.5;
        assert!(Damping { viscosity: Some(viscosity), ..Damping::default() }.check().is_err());
        assert!(Damping { psi: -1.0, ..Damping::default() }.check().is_err());
    }
}
