//! Eigenvalues and eigenvectors of symmetric 3×3 matrices.
//!
//! Cyclic Jacobi rotations without data-dependent branches, so eight matrices run in SIMD lanes. As
//! in [`svd`](mod@crate::svd), a matrix gives the same bits alone, in a batch, and on every
//! instruction set.

use crate::columns::{Columns, Vector};
use crate::jacobi::{JacobiRotation, MAX_SWEEPS, order_columns};
use crate::lanes::{Mask, Real};
use crate::{Mat3, Vec3};

/// A = V·diag(λ)·Vᵀ with a proper rotation V (determinant +1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// λ, descending, in the unit of A.
    pub values: Vec3,
    /// V: column i belongs to eigenvalue i.
    pub vectors: Mat3,
}

/// [`Eigen`] of one matrix, or of eight in SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub struct EigenOf<T> {
    /// λ, descending, in the unit of A.
    pub values: Vector<T>,
    /// V: column i belongs to eigenvalue i.
    pub vectors: Columns<T>,
}

/// Off-diagonal entries below this count as zero, after scaling the largest entry to about one.
const OFF_DIAGONAL_TOLERANCE: f64 = 1e-18;

/// Eigenvalues and eigenvectors of the symmetric part of a matrix.
///
/// Eigenvalues are accurate to about 1e-15 relative to the largest entry, over the whole range of
/// `f64`. For repeated eigenvalues the vectors are one of many orthonormal bases; the zero matrix
/// gives V = 1. Infinite or NaN entries give NaN.
pub fn symmetric_eigen(matrix: &Mat3) -> Eigen {
    let EigenOf { values, vectors } = symmetric_eigen_of(&Columns::of(matrix));
    Eigen { values: values.to_vector(), vectors: vectors.to_matrix() }
}

/// [`symmetric_eigen`] for kernels: one matrix, or eight in lanes with the same bits.
#[inline(always)]
pub fn symmetric_eigen_of<T: Real>(matrix: &Columns<T>) -> EigenOf<T> {
    let factor = matrix.normalising_factor();
    let half = matrix.scale(factor).scale(T::splat(0.5));
    let transposed = half.transpose();
    let [Vector([xx, xy, xz]), Vector([_, yy, yz]), Vector([_, _, zz])] =
        [half.0[0] + transposed.0[0], half.0[1] + transposed.0[1], half.0[2] + transposed.0[2]];
    let mut diagonal = [xx, yy, zz];
    // off[k] is the entry in the row and column other than k.
    let mut off = [yz, xz, xy];
    let mut vectors = Columns::identity();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = eliminate(&mut diagonal, &mut off, &mut vectors, (0, 1, 2));
        rotated = rotated.or(eliminate(&mut diagonal, &mut off, &mut vectors, (0, 2, 1)));
        rotated = rotated.or(eliminate(&mut diagonal, &mut off, &mut vectors, (1, 2, 0)));
        if !rotated.any() {
            break;
        }
    }
    let mut vectors = [vectors.unsigned_zeros()];
    order_columns(&mut diagonal, &mut vectors);
    let [x, y, z] = diagonal;
    EigenOf { values: Vector([x / factor, y / factor, z / factor]).unsigned_zeros(), vectors: vectors[0] }
}

/// Rotates axes p and q until their off-diagonal entry is zero (r is the third axis); returns where
/// it was not.
#[inline(always)]
fn eliminate<T: Real>(
    diagonal: &mut [T; 3],
    off: &mut [T; 3],
    vectors: &mut Columns<T>,
    (p, q, r): (usize, usize, usize),
) -> T::Mask {
    let apq = off[r];
    let active = T::splat(OFF_DIAGONAL_TOLERANCE).less_than(apq.abs());
    let rotation = JacobiRotation::diagonalising((diagonal[p], apq, diagonal[q]), active);
    diagonal[p] = diagonal[p] - rotation.tangent * apq;
    diagonal[q] = diagonal[q] + rotation.tangent * apq;
    off[r] = T::select(active, T::splat(0.0), apq);
    // The entry (p, r) is off[q], and (q, r) is off[p].
    let (apr, aqr) = (off[q], off[p]);
    off[q] = rotation.cosine * apr - rotation.sine * aqr;
    off[p] = rotation.sine * apr + rotation.cosine * aqr;
    rotation.apply(vectors, (p, q));
    active
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Matrices, largest_entry};
    use proptest::prelude::*;

    fn check(matrix: &Mat3) {
        let Eigen { values, vectors } = symmetric_eigen(matrix);
        let scale = largest_entry(matrix);
        // A power of two: avoids overflow and underflow of the sums without rounding.
        let factor = if scale > 1.0 { 2f64.powi(-100) } else { 2f64.powi(100) };
        let rebuilt = vectors * Mat3::from_diagonal(&(values * factor)) * vectors.transpose();
        let error = largest_entry(&(rebuilt - matrix * factor));
        assert!(error <= 1e-14 * scale * factor + 1e-300, "reconstruction {error:e} of {matrix:?}");
        let identity = vectors.transpose() * vectors;
        assert!(largest_entry(&(identity - Mat3::identity())) <= 1e-14, "orthogonality {matrix:?}");
        assert!((vectors.determinant() - 1.0).abs() <= 1e-14, "determinant {matrix:?}");
        assert!(values.x >= values.y && values.y >= values.z, "order {values:?}");
    }

    fn symmetric(matrix: &Mat3) -> Mat3 {
        matrix * 0.5 + matrix.transpose() * 0.5
    }

    #[test]
    fn a_million_matrices_of_every_kind_come_back() {
        for matrix in Matrices::new(3).take(1_000_000) {
            check(&symmetric(&matrix));
        }
    }

    #[test]
    fn special_matrices_come_back() {
        for matrix in [
            Mat3::zeros(),
            Mat3::identity(),
            Mat3::repeat(1.0),
            Mat3::repeat(f64::MAX / 4.0),
            Mat3::repeat(-f64::MIN_POSITIVE),
            Mat3::new(1.0, 1e-20, 0.0, 1e-20, 1.0, 1e-20, 0.0, 1e-20, 1.0),
            Mat3::from_diagonal(&Vec3::new(-5.0, 1e-300, 1e300)),
        ] {
            check(&matrix);
        }
    }

    #[test]
    fn known_values_are_found() {
        let values = symmetric_eigen(&Mat3::new(2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0)).values;
        let root = 2f64.sqrt();
        assert!((values - Vec3::new(2.0 + root, 2.0, 2.0 - root)).norm() < 1e-15 * 4.0, "{values:?}");
    }

    #[test]
    fn only_the_symmetric_part_counts() {
        let matrix = Mat3::new(1.0, 5.0, -2.0, 1.0, 3.0, 0.5, 2.0, -0.5, -1.0);
        assert_eq!(symmetric_eigen(&matrix), symmetric_eigen(&symmetric(&matrix)));
    }

    #[test]
    fn nan_comes_back_as_nan() {
        let mut matrix = Mat3::identity();
        matrix[(0, 1)] = f64::NAN;
        matrix[(1, 0)] = f64::NAN;
        let Eigen { values, vectors } = symmetric_eigen(&matrix);
        assert!(values.iter().chain(vectors.iter()).any(|value| value.is_nan()));
    }

    proptest! {
        #[test]
        fn any_six_numbers_come_back(e in proptest::array::uniform6(proptest::num::f64::NORMAL | proptest::num::f64::ZERO)) {
            check(&(Mat3::new(e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]) / 4.0));
        }
    }
}
