//! Eigenvalues and eigenvectors of symmetric 3×3 matrices.
//!
//! Cyclic Jacobi rotations, without branches that depend on one matrix, so that eight go through the same instructions at
//! once. As in [`svd`](crate::svd), a matrix gives the same bits alone, in a batch, and on every instruction set.

use crate::lane_matrix::{Mat3Lanes, Vec3Lanes, jacobi_rotation, order_columns, rotate_columns};
use crate::lanes::{Arithmetic, Lanes, Mask, Separate};
use crate::{Mat3, Vec3};

/// A = V·diag(λ)·Vᵀ with a proper rotation V (determinant +1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// λ, descending, in the unit of A.
    pub values: Vec3,
    /// V: column i belongs to value i.
    pub vectors: Mat3,
}

/// [`Eigen`] of `N` matrices side by side.
#[derive(Clone, Copy, Debug)]
pub struct EigenLanes<A: Arithmetic, const N: usize> {
    /// λ, descending, in the unit of A.
    pub values: Vec3Lanes<A, N>,
    /// V: column i belongs to value i.
    pub vectors: Mat3Lanes<A, N>,
}

/// Entries off the diagonal count as zero below this, beside a largest entry of about one.
const NEGLIGIBLE: f64 = 1e-18;
/// Five sweeps do for most matrices; convergence is quadratic, so that this is never reached but bounds the time.
const MOST_SWEEPS: usize = 16;

/// Eigenvalues and eigenvectors of the symmetric part of a matrix.
///
/// Values are right to about 1e-15 relative to the largest entry, from the smallest to the largest numbers. Where values coincide,
/// the vectors are one orthonormal basis of many; the zero matrix gives V = 1. Infinite or NaN entries give NaN.
pub fn symmetric_eigen(matrix: &Mat3) -> Eigen {
    symmetric_eigen_lanes(&Mat3Lanes::<Separate, 1>::from_fn(|_| *matrix)).get(0)
}

impl<A: Arithmetic, const N: usize> EigenLanes<A, N> {
    /// The decomposition in one lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Eigen {
        Eigen { values: self.values.get(lane), vectors: self.vectors.get(lane) }
    }
}

/// [`symmetric_eigen`] of `N` matrices side by side, for kernels written in lanes; the same bits as one by one.
#[inline(always)]
pub fn symmetric_eigen_lanes<A: Arithmetic, const N: usize>(matrix: &Mat3Lanes<A, N>) -> EigenLanes<A, N> {
    let factor = matrix.normalising_factor();
    let half = Lanes::splat(0.5);
    let entry = |i: usize, j: usize| (matrix.0[i].0[j] * factor) * half + (matrix.0[j].0[i] * factor) * half;
    // off[k] stands opposite to diagonal[k]: the entry in the row and column that are not k.
    let mut diagonal = [entry(0, 0), entry(1, 1), entry(2, 2)];
    let mut off = [entry(1, 2), entry(0, 2), entry(0, 1)];
    let mut vectors = Mat3Lanes::identity();
    for _ in 0..MOST_SWEEPS {
        let turned = eliminate(&mut diagonal, &mut off, &mut vectors, (0, 1, 2))
            .or(eliminate(&mut diagonal, &mut off, &mut vectors, (0, 2, 1)))
            .or(eliminate(&mut diagonal, &mut off, &mut vectors, (1, 2, 0)));
        if !turned.any() {
            break;
        }
    }
    vectors = vectors.unsigned_zeros();
    order_columns(&mut diagonal, (0, 1), &mut [&mut vectors]);
    order_columns(&mut diagonal, (0, 2), &mut [&mut vectors]);
    order_columns(&mut diagonal, (1, 2), &mut [&mut vectors]);
    EigenLanes { values: Vec3Lanes(diagonal.map(|value| value / factor)).unsigned_zeros(), vectors }
}

/// Turns axes p and q until their off-diagonal entry is zero (r is the third axis); says in which lanes it was not.
#[inline(always)]
fn eliminate<A: Arithmetic, const N: usize>(
    diagonal: &mut [Lanes<A, N>; 3],
    off: &mut [Lanes<A, N>; 3],
    vectors: &mut Mat3Lanes<A, N>,
    (p, q, r): (usize, usize, usize),
) -> Mask<N> {
    let apq = off[r];
    let active = Lanes::splat(NEGLIGIBLE).less_than(apq.abs());
    let (cosine, sine, tangent) = jacobi_rotation((diagonal[p], apq, diagonal[q]), active);
    diagonal[p] -= tangent * apq;
    diagonal[q] += tangent * apq;
    off[r] = active.select(Lanes::splat(0.0), apq);
    // The entry of p with r is opposite to q, and the other way round.
    let (apr, aqr) = (off[q], off[p]);
    off[q] = cosine * apr - sine * aqr;
    off[p] = sine * apr + cosine * aqr;
    rotate_columns(vectors, (p, q), (cosine, sine));
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
        // A power of two, so that sums neither overflow nor vanish and nothing is rounded.
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
