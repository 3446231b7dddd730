//! Linear elasticity.
//!
//! All forms describe S = C : E with the second Piola–Kirchhoff stress S (Pa) and the true Green
//! strain E = ½(FᵀF − I). O'Brien & Hodgins 1999 use ε = 2E in (1); their force (24) with that ε
//! equals the force of these constants (READINGS 1), so λ and μ of their Table 1 are used
//! unchanged.

use craze_math::{Mat3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::MaterialError;

/// A 6×6 matrix over the components xx, yy, zz, yz, zx, xy.
///
/// Rows are stress components. Columns multiply E_xx, E_yy, E_zz and the *engineering* shears
/// 2E_yz, 2E_zx, 2E_xy, so the shear diagonal of an isotropic material is μ, not 2μ.
pub type VoigtMatrix = [[f64; 6]; 6];

/// Linear elastic law, in one of four parametrisations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "a body has one; a box would only make it harder to build")]
pub enum Elasticity {
    /// Isotropic, with the constants of handbooks.
    Isotropic {
        /// Young's modulus (Pa), positive.
        young: f64,
        /// Poisson's ratio (1), between −1 and ½, both excluded.
        poisson: f64,
    },
    /// Isotropic, with the constants of the papers.
    Lame {
        /// First Lamé constant λ (Pa), above −⅔μ.
        lambda: f64,
        /// Shear modulus μ (Pa), positive.
        mu: f64,
    },
    /// Orthotropic along the rest axes x, y, z, as wood and rolled sheet.
    Orthotropic {
        /// Young's moduli along x, y, z (Pa).
        young: [f64; 3],
        /// Shear moduli G_yz, G_zx, G_xy (Pa).
        shear: [f64; 3],
        /// Poisson's ratios ν_yz, ν_xz, ν_xy (1): ν_ab is the contraction along b under tension
        /// along a.
        poisson: [f64; 3],
    },
    /// Any symmetric positive definite law.
    Anisotropic {
        /// C of O'Brien & Hodgins 1999 (5) reduced to 6×6 (Pa), as in [`VoigtMatrix`].
        stiffness: VoigtMatrix,
    },
}

impl Elasticity {
    /// Isotropic elasticity from the true Lamé constants λ and μ (Pa), kept bit for bit.
    pub fn from_lame(lambda: f64, mu: f64) -> Self {
        Self::Lame { lambda, mu }
    }

    /// Isotropic elasticity from Young's modulus (Pa) and Poisson's ratio.
    pub fn from_young(young: f64, poisson: f64) -> Self {
        Self::Isotropic { young, poisson }
    }

    /// True for an isotropic law.
    pub fn is_isotropic(&self) -> bool {
        matches!(self, Self::Isotropic { .. } | Self::Lame { .. })
    }

    /// The true Lamé constants (λ, μ) in Pa.
    ///
    /// For an anisotropic law, those of its average over all orientations (Voigt 1889); see
    /// [`is_isotropic`](Self::is_isotropic) and [`stiffness`](Self::stiffness).
    pub fn lame(&self) -> (f64, f64) {
        match *self {
            Self::Isotropic { young, poisson } => {
                let mu = young / (2.0 * (1.0 + poisson));
                (2.0 * mu * poisson / (1.0 - 2.0 * poisson), mu)
            }
            Self::Lame { lambda, mu } => (lambda, mu),
            Self::Orthotropic { .. } | Self::Anisotropic { .. } => voigt_average(&self.stiffness()),
        }
    }

    /// Young's modulus (Pa); of the orientation average for an anisotropic law.
    pub fn young(&self) -> f64 {
        if let Self::Isotropic { young, .. } = *self {
            return young;
        }
        let (lambda, mu) = self.lame();
        mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
    }

    /// Poisson's ratio (1); of the orientation average for an anisotropic law.
    pub fn poisson(&self) -> f64 {
        if let Self::Isotropic { poisson, .. } = *self {
            return poisson;
        }
        let (lambda, mu) = self.lame();
        lambda / (2.0 * (lambda + mu))
    }

    /// The stiffness matrix C (Pa), as in [`VoigtMatrix`].
    pub fn stiffness(&self) -> VoigtMatrix {
        match *self {
            Self::Isotropic { .. } | Self::Lame { .. } => {
                let (lambda, mu) = self.lame();
                isotropic_matrix(lambda, mu)
            }
            Self::Orthotropic { young, shear, poisson } => orthotropic_matrix(young, shear, poisson),
            Self::Anisotropic { stiffness } => stiffness,
        }
    }

    /// Upper bound of the modulus (Pa) of the fastest elastic wave, with speed √(modulus/density).
    ///
    /// Exact for isotropic laws: λ + 2μ, or μ if λ is sufficiently negative. Otherwise the largest
    /// absolute row sum of C with shear scaled to the tensor norm, which bounds its eigenvalues
    /// (Gershgorin 1931) and thus all waves.
    pub fn wave_modulus(&self) -> f64 {
        if self.is_isotropic() {
            let (lambda, mu) = self.lame();
            return (lambda + 2.0 * mu).max(mu);
        }
        let stiffness = self.stiffness();
        let scale = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
        (0..6).map(|i| (0..6).map(|j| (stiffness[i][j] * scale(i) * scale(j)).abs()).sum()).fold(0.0, f64::max)
    }

    /// Rejects laws that are not finite or not stable (positive definite).
    pub fn check(&self) -> Result<(), MaterialError> {
        use crate::quantity::Quantity::{Lambda, Mu, Poisson, Young};
        match *self {
            Self::Isotropic { young, poisson } => {
                Young.check(young)?;
                Poisson.check(poisson)
            }
            Self::Lame { lambda, mu } => {
                Mu.check(mu)?;
                Lambda.check(lambda)?;
                if lambda <= -2.0 / 3.0 * mu {
                    return Err(MaterialError::OutOfRange {
                        field: Lambda.key(),
                        value: lambda,
                        unit: Lambda.unit(),
                        allowed: "above -2/3 of mu",
                    });
                }
                Ok(())
            }
            Self::Orthotropic { young, shear, poisson } => {
                for modulus in young {
                    Young.check(modulus)?;
                }
                for modulus in shear {
                    Mu.check(modulus)?;
                }
                if let Some(&value) = poisson.iter().find(|value| !value.is_finite()) {
                    return Poisson.check(value);
                }
                check_voigt("orthotropic", &self.stiffness(), Definite::Strictly)
            }
            Self::Anisotropic { ref stiffness } => check_voigt("stiffness", stiffness, Definite::Strictly),
        }
    }
}

/// Required definiteness of a matrix.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Definite {
    /// Positive definite.
    Strictly,
    /// Positive semidefinite (viscosity).
    Semi,
}

/// The isotropic 6×6 matrix of two constants, (7) and (8) of O'Brien & Hodgins 1999 in true strain.
pub fn isotropic_matrix(lambda: f64, mu: f64) -> VoigtMatrix {
    let mut matrix = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            matrix[i][j] = lambda;
        }
        matrix[i][i] += 2.0 * mu;
        matrix[i + 3][i + 3] = mu;
    }
    matrix
}

/// Inverts the compliance of nine orthotropic constants; NaN if singular, which `check` rejects.
fn orthotropic_matrix(young: [f64; 3], shear: [f64; 3], poisson: [f64; 3]) -> VoigtMatrix {
    let [x, y, z] = young;
    let [yz, xz, xy] = poisson;
    let compliance = Mat3::new(1.0 / x, -xy / x, -xz / x, -xy / x, 1.0 / y, -yz / y, -xz / x, -yz / y, 1.0 / z);
    let normal = compliance.try_inverse().unwrap_or(Mat3::from_diagonal(&Vec3::repeat(f64::NAN)));
    let mut matrix = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            // Symmetrised: the inverse is symmetric only up to rounding.
            matrix[i][j] = 0.5 * (normal[(i, j)] + normal[(j, i)]);
        }
        matrix[i + 3][i + 3] = shear[i];
    }
    matrix
}

/// λ and μ of the average of C over all orientations (Voigt 1889).
pub(crate) fn voigt_average(matrix: &VoigtMatrix) -> (f64, f64) {
    let on_axis = (matrix[0][0] + matrix[1][1] + matrix[2][2]) / 3.0;
    let cross = (matrix[0][1] + matrix[1][2] + matrix[0][2]) / 3.0;
    let shear = (matrix[3][3] + matrix[4][4] + matrix[5][5]) / 3.0;
    ((on_axis + 4.0 * cross - 2.0 * shear) / 5.0, (on_axis - cross + 3.0 * shear) / 5.0)
}

/// Rejects a matrix that is not finite, not symmetric (relative 1e-9), or not positive
/// (semi)definite.
pub(crate) fn check_voigt(field: &'static str, matrix: &VoigtMatrix, definite: Definite) -> Result<(), MaterialError> {
    let mut largest = 0.0_f64;
    for (row, values) in matrix.iter().enumerate() {
        for (column, &value) in values.iter().enumerate() {
            if !value.is_finite() {
                return Err(MaterialError::MatrixNotFinite { field, row, column, value });
            }
            largest = largest.max(value.abs());
        }
    }
    for row in 0..6 {
        for column in 0..row {
            let (value, transposed) = (matrix[row][column], matrix[column][row]);
            if (value - transposed).abs() > 1e-9 * largest {
                return Err(MaterialError::NotSymmetric { field, row, column, value, transposed });
            }
        }
    }
    // Cholesky factorisation.
    let tolerance = match definite {
        Definite::Strictly => 0.0,
        Definite::Semi => 1e-12 * largest,
    };
    let mut factor = [[0.0; 6]; 6];
    for j in 0..6 {
        let pivot = matrix[j][j] - (0..j).map(|k| factor[j][k] * factor[j][k]).sum::<f64>();
        let fails = match definite {
            Definite::Strictly => pivot <= 0.0,
            Definite::Semi => pivot < -tolerance,
        };
        if fails {
            return Err(MaterialError::NotPositiveDefinite { field, row: j, pivot });
        }
        let root = pivot.max(0.0).sqrt();
        factor[j][j] = root;
        for i in j + 1..6 {
            let left = matrix[i][j] - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
            if pivot <= tolerance {
                // A null direction must have no coupling, or the energy is unbounded below.
                if left.abs() > 1e-6 * largest {
                    return Err(MaterialError::NotPositiveDefinite { field, row: j, pivot });
                }
            } else {
                factor[i][j] = left / root;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lame_constants_of_handbook_numbers_and_back() {
        let (lambda, mu) = Elasticity::from_young(210e9, 0.3).lame();
        assert!((mu - 80.769_230_769e9).abs() < 1e3);
        assert!((lambda - 121.153_846_154e9).abs() < 1e3);
        let back = Elasticity::from_lame(lambda, mu);
        assert!((back.young() / 210e9 - 1.0).abs() < 1e-14);
        assert!((back.poisson() - 0.3).abs() < 1e-14);
    }

    #[test]
    fn isotropic_stiffness_averages_to_its_own_constants() {
        let law = Elasticity::Anisotropic { stiffness: isotropic_matrix(3.0, 2.0) };
        let (lambda, mu) = law.lame();
        assert!((lambda - 3.0).abs() < 1e-15 && (mu - 2.0).abs() < 1e-15);
        assert_eq!(Elasticity::from_lame(3.0, 2.0).stiffness(), law.stiffness());
    }

    #[test]
    fn orthotropic_with_equal_constants_is_isotropic() {
        let (young, poisson) = (5.0, 0.2);
        let shear = young / (2.0 * (1.0 + poisson));
        let law = Elasticity::Orthotropic { young: [young; 3], shear: [shear; 3], poisson: [poisson; 3] };
        let expected = Elasticity::from_young(young, poisson).stiffness();
        for (row, expected_row) in law.stiffness().iter().zip(expected) {
            for (value, expected) in row.iter().zip(expected_row) {
                assert!((value - expected).abs() < 1e-14);
            }
        }
        assert!(law.check().is_ok());
    }

    #[test]
    fn orthotropic_tension_contracts_by_poissons_ratio() {
        let law =
            Elasticity::Orthotropic { young: [10.0, 2.0, 1.0], shear: [0.1, 0.5, 0.6], poisson: [0.4, 0.3, 0.35] };
        // Tension along x: strain (1, −ν_xy, −ν_xz)/E_x must give σ_xx = 1 and no other stress.
        let strain = [0.1, -0.035, -0.03];
        let stiffness = law.stiffness();
        let stress: Vec<f64> = (0..3).map(|i| (0..3).map(|j| stiffness[i][j] * strain[j]).sum()).collect();
        assert!((stress[0] - 1.0).abs() < 1e-13 && stress[1].abs() < 1e-13 && stress[2].abs() < 1e-13);
    }

    #[test]
    fn unstable_and_unsymmetric_laws_are_refused() {
        let mut stiffness = isotropic_matrix(1.0, 1.0);
        stiffness[0][1] = 1.1;
        assert!(matches!(
            Elasticity::Anisotropic { stiffness }.check(),
            Err(MaterialError::NotSymmetric { row: 1, column: 0, .. })
        ));
        let stiffness = isotropic_matrix(-0.7, 1.0);
        assert!(matches!(
            Elasticity::Anisotropic { stiffness }.check(),
            Err(MaterialError::NotPositiveDefinite { .. })
        ));
        assert!(Elasticity::from_lame(-0.66, 1.0).check().is_ok());
        assert!(Elasticity::from_lame(-0.67, 1.0).check().is_err());
        let mut stiffness = isotropic_matrix(1.0, 1.0);
        stiffness[4][4] = f64::NAN;
        assert!(matches!(
            Elasticity::Anisotropic { stiffness }.check(),
            Err(MaterialError::MatrixNotFinite { row: 4, column: 4, .. })
        ));
    }

    #[test]
    fn wave_modulus_of_an_anisotropic_law_bounds_the_isotropic_one() {
        let isotropic = Elasticity::from_lame(2.0, 1.0);
        assert_eq!(isotropic.wave_modulus(), 4.0);
        let general = Elasticity::Anisotropic { stiffness: isotropic.stiffness() };
        assert!(general.wave_modulus() >= 4.0 && general.wave_modulus() <= 8.0 + 1e-12);
    }
}
