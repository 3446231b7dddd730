//! Polar decomposition into a rotation and a symmetric stretch.

use crate::Mat3;
use crate::columns::{Columns, Vector};
use crate::lanes::Real;
use crate::svd::svd_of;

/// F = R·S with a proper rotation R and a symmetric stretch S.
///
/// R is the nearest rotation to F with determinant +1 (Kabsch 1976), so S has a negative eigenvalue
/// if F is inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polar {
    /// R, a rotation (determinant +1, whatever F is).
    pub rotation: Mat3,
    /// S, exactly symmetric, in the unit of F.
    pub stretch: Mat3,
}

/// [`Polar`] of one matrix, or of eight in SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub struct PolarOf<T> {
    /// R, a rotation.
    pub rotation: Columns<T>,
    /// S, symmetric, in the unit of F.
    pub stretch: Columns<T>,
}

/// The polar decomposition of any matrix by [`svd`](crate::svd::svd): R = U·Vᵀ, S = V·diag(σ)·Vᵀ.
///
/// Accurate to about 1e-15 relative to the largest entry. The zero matrix gives R = 1; if F is
/// rank-deficient, R is one of several nearest rotations. Infinite or NaN entries give NaN.
pub fn polar(f: &Mat3) -> Polar {
    let PolarOf { rotation, stretch } = polar_of(&Columns::of(f));
    Polar { rotation: rotation.to_matrix(), stretch: stretch.to_matrix() }
}

/// [`polar`] for kernels: one matrix, or eight in lanes with the same bits.
#[inline(always)]
pub fn polar_of<T: Real>(f: &Columns<T>) -> PolarOf<T> {
    let svd = svd_of(f);
    let [a, b, c] = svd.v.0;
    let scaled = Columns([a * svd.sigma.0[0], b * svd.sigma.0[1], c * svd.sigma.0[2]]);
    let [Vector([xx, xy, xz]), Vector([_, yy, yz]), Vector([_, _, zz])] = scaled.mul_transpose(&svd.v).0;
    let stretch = Columns([Vector([xx, xy, xz]), Vector([xy, yy, yz]), Vector([xz, yz, zz])]);
    PolarOf { rotation: svd.u.mul_transpose(&svd.v), stretch }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Matrices, largest_entry};
    use crate::{Rotation, Vec3};

    #[test]
    fn a_million_matrices_of_every_kind_are_rotation_times_stretch() {
        for f in Matrices::new(2).take(1_000_000) {
            let Polar { rotation, stretch } = polar(&f);
            assert!(largest_entry(&(rotation * stretch - f)) <= 1e-13 * largest_entry(&f), "reconstruction of {f:?}");
            assert!((rotation.determinant() - 1.0).abs() <= 1e-14, "determinant for {f:?}");
            assert!(largest_entry(&(rotation.transpose() * rotation - Mat3::identity())) <= 1e-14, "{f:?}");
            assert_eq!(stretch, stretch.transpose());
        }
    }

    #[test]
    fn rotation_and_stretch_are_told_apart() {
        let rotation = Rotation::new(Vec3::new(0.9, -0.4, 1.3)).to_rotation_matrix().into_inner();
        let stretch = Mat3::new(2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 0.7);
        let result = polar(&(rotation * stretch));
        assert!(largest_entry(&(result.rotation - rotation)) < 1e-15 * 4.0);
        assert!(largest_entry(&(result.stretch - stretch)) < 1e-15 * 8.0);
    }

    #[test]
    fn inversion_flips_the_thinnest_direction_only() {
        let squashed_through = Mat3::from_diagonal(&Vec3::new(1.0, -0.1, 1.2));
        let result = polar(&squashed_through);
        assert!(largest_entry(&(result.rotation - Mat3::identity())) < 1e-15);
        assert!(largest_entry(&(result.stretch - squashed_through)) < 1e-15);
    }
}
