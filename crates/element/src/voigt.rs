//! Symmetric tensors in Voigt notation, in the order of [`VoigtMatrix`].

use craze_material::VoigtMatrix;
use craze_math::Mat3;

/// Row and column of each of the six components.
pub(crate) const VOIGT_INDICES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)];

/// Strain in Voigt notation: xx, yy, zz and the *engineering* shears 2yz, 2zx, 2xy.
pub fn strain_vector(strain: &Mat3) -> [f64; 6] {
    let e = strain;
    [e[(0, 0)], e[(1, 1)], e[(2, 2)], 2.0 * e[(1, 2)], 2.0 * e[(2, 0)], 2.0 * e[(0, 1)]]
}

/// Stress tensor from Voigt notation: xx, yy, zz, yz, zx, xy.
pub fn stress_matrix(s: &[f64; 6]) -> Mat3 {
    Mat3::new(s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2])
}

pub(crate) fn apply(matrix: &VoigtMatrix, vector: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..6).map(|j| matrix[i][j] * vector[j]).sum())
}
