//! Signed singular value decomposition of 3×3 matrices.
//!
//! One-sided Jacobi rotations (Hestenes 1958) orthogonalise the columns of F·V. FᵀF is never
//! formed, so small singular values keep their accuracy. There are no data-dependent branches, so
//! eight matrices run in SIMD lanes. No fused operations: a matrix gives the same bits alone, in a
//! batch, and on every instruction set.

use crate::columns::{Columns, Vector};
use crate::jacobi::{JacobiRotation, MAX_SWEEPS, order_columns};
use crate::lanes::{Mask, Real};
use crate::{Mat3, Vec3};

/// F = U·diag(σ)·Vᵀ with proper rotations U and V (determinant +1 for any F).
///
/// σ is ordered |σx| ≥ |σy| ≥ |σz|; σx and σy are not negative, and σz has the sign of det F
/// (Irving et al. 2004, section 4), so an inverted element is treated as inverted along its
/// thinnest direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// U, a rotation.
    pub u: Mat3,
    /// σ, in the unit of F.
    pub sigma: Vec3,
    /// V, a rotation.
    pub v: Mat3,
}

/// [`Svd`] of one matrix, or of eight in SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub struct SvdOf<T> {
    /// U, a rotation.
    pub u: Columns<T>,
    /// σ, in the unit of F.
    pub sigma: Vector<T>,
    /// V, a rotation.
    pub v: Columns<T>,
}

/// Cosine between two columns below which they count as orthogonal (2⁻⁵⁰, a few rounding errors of
/// the dot product).
const ORTHOGONALITY_TOLERANCE: f64 = 1.0 / (1u64 << 50) as f64;
/// Length below which a column has no usable direction, after scaling the largest entry to about
/// one: its square would lose digits.
const MIN_COLUMN_LENGTH: f64 = 1e-140;

/// The signed singular value decomposition of any matrix.
///
/// Reconstruction and orthogonality are accurate to about 1e-15 relative to the largest singular
/// value, over the whole range of representable singular values. U and V are proper also for
/// rank-deficient matrices; the zero matrix gives U = V = 1. Infinite or NaN entries give NaN.
pub fn svd(f: &Mat3) -> Svd {
    let SvdOf { u, sigma, v } = svd_of(&Columns::of(f));
    Svd { u: u.to_matrix(), sigma: sigma.to_vector(), v: v.to_matrix() }
}

/// [`svd`] for kernels: one matrix, or eight in lanes with the same bits.
#[inline(always)]
pub fn svd_of<T: Real>(f: &Columns<T>) -> SvdOf<T> {
    let factor = f.normalising_factor();
    let mut columns = f.scale(factor);
    let mut v = Columns::identity();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = orthogonalise(&mut columns, &mut v, (0, 1));
        rotated = rotated.or(orthogonalise(&mut columns, &mut v, (0, 2)));
        rotated = rotated.or(orthogonalise(&mut columns, &mut v, (1, 2)));
        if !rotated.any() {
            break;
        }
    }
    let mut both = [columns.unsigned_zeros(), v.unsigned_zeros()];
    let mut squares = [T::splat(0.0); 3];
    for (square, column) in squares.iter_mut().zip(both[0].0) {
        *square = column.dot(column);
    }
    order_columns(&mut squares, &mut both);
    let [columns, v] = both;

    let x = direction(columns.0[0], Columns::identity().0[0]);
    let y = direction(columns.0[1], perpendicular(x));
    // Reorthogonalised: the columns are orthogonal only up to rounding.
    let y = y - x * x.dot(y);
    let y = y * (T::splat(1.0) / y.dot(y).sqrt());
    let z = x.cross(y);

    // Keeps the order of magnitudes despite rounding.
    let sigma_x = x.dot(columns.0[0]);
    let sigma_y = y.dot(columns.0[1]).max(T::splat(0.0)).min(sigma_x);
    let sigma_z = z.dot(columns.0[2]);
    let sigma_z = sigma_z.abs().min(sigma_y).copysign(sigma_z);
    SvdOf { u: Columns([x, y, z]), sigma: Vector([sigma_x / factor, sigma_y / factor, sigma_z / factor]), v }
}

/// Rotates columns p and q until they are orthogonal; returns where they were not.
#[inline(always)]
fn orthogonalise<T: Real>(columns: &mut Columns<T>, v: &mut Columns<T>, (p, q): (usize, usize)) -> T::Mask {
    let (app, aqq) = (columns.0[p].dot(columns.0[p]), columns.0[q].dot(columns.0[q]));
    let apq = columns.0[p].dot(columns.0[q]);
    let active = (T::splat(ORTHOGONALITY_TOLERANCE * ORTHOGONALITY_TOLERANCE) * app * aqq).less_than(apq * apq);
    let rotation = JacobiRotation::diagonalising((app, apq, aqq), active);
    rotation.apply(columns, (p, q));
    rotation.apply(v, (p, q));
    active
}

/// The normalised vector, or `otherwise` where it is shorter than [`MIN_COLUMN_LENGTH`].
#[inline(always)]
fn direction<T: Real>(vector: Vector<T>, otherwise: Vector<T>) -> Vector<T> {
    let length = vector.dot(vector).sqrt();
    let short = length.less_than(T::splat(MIN_COLUMN_LENGTH));
    let [x, y, z] = vector.0;
    Vector::select(short, otherwise, Vector([x / length, y / length, z / length]))
}

/// A unit vector perpendicular to a unit vector (Duff et al. 2017, Building an Orthonormal Basis,
/// Revisited, listing 3).
#[inline(always)]
fn perpendicular<T: Real>(unit: Vector<T>) -> Vector<T> {
    let [x, y, z] = unit.0;
    let sign = T::splat(1.0).copysign(z);
    let scale = -(T::splat(1.0) / (sign + z));
    Vector([x * y * scale, sign + y * y * scale, -y])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Matrices, largest_entry};
    use proptest::prelude::*;

    fn check(f: &Mat3) {
        let Svd { u, sigma, v } = svd(f);
        let scale = largest_entry(f);
        // A power of two: avoids overflow and underflow of the sums without rounding.
        let factor = if scale > 1.0 { 2f64.powi(-100) } else { 2f64.powi(100) };
        let rebuilt = u * Mat3::from_diagonal(&(sigma * factor)) * v.transpose();
        let error = largest_entry(&(rebuilt - f * factor));
        assert!(error <= 1e-14 * scale * factor + 1e-290, "reconstruction {error:e} of {f:?}");
        for rotation in [u, v] {
            assert!(
                largest_entry(&(rotation.transpose() * rotation - Mat3::identity())) <= 1e-14,
                "orthogonality {f:?}"
            );
            assert!((rotation.determinant() - 1.0).abs() <= 1e-14, "determinant {f:?}");
        }
        assert!(sigma.x >= sigma.y && sigma.y >= sigma.z.abs(), "order {sigma:?} of {f:?}");
    }

    #[test]
    fn a_million_matrices_of_every_kind_come_back() {
        for f in Matrices::new(1).take(1_000_000) {
            check(&f);
        }
    }

    #[test]
    fn special_matrices_come_back() {
        let units = [Vec3::x(), Vec3::y(), Vec3::z()];
        check(&Mat3::zeros());
        check(&Mat3::identity());
        check(&-Mat3::identity());
        check(&Mat3::repeat(1.0));
        check(&Mat3::repeat(f64::MAX / 4.0));
        check(&Mat3::repeat(f64::MIN_POSITIVE));
        check(&Mat3::repeat(f64::from_bits(1)));
        check(&Mat3::new(1.0, 1e-200, 0.0, 0.0, 1e-160, 1e-160, 1e-150, 0.0, 0.0));
        for a in units {
            for b in units {
                check(&(a * b.transpose()));
                check(&(a * b.transpose() + b * a.transpose()));
                check(&(Mat3::identity() - 2.0 * a * b.transpose()));
            }
        }
    }

    #[test]
    fn the_smallest_value_carries_the_sign() {
        let f = Mat3::from_diagonal(&Vec3::new(-3.0, 2.0, 1.0));
        let sigma = svd(&f).sigma;
        assert!((sigma - Vec3::new(3.0, 2.0, -1.0)).norm() < 1e-15, "{sigma:?}");
        let sigma = svd(&-f).sigma;
        assert!((sigma - Vec3::new(3.0, 2.0, 1.0)).norm() < 1e-15, "{sigma:?}");
    }

    #[test]
    fn small_singular_values_keep_their_digits() {
        // A graded matrix, for which FᵀF would lose the smallest value.
        let (u, v) = (crate::Rotation::new(Vec3::new(0.3, -0.8, 0.5)), crate::Rotation::new(Vec3::new(-1.1, 0.2, 0.4)));
        let graded =
            u.to_rotation_matrix() * Mat3::from_diagonal(&Vec3::new(1.0, 1e-4, 1e-11)) * v.to_rotation_matrix();
        let sigma = svd(&graded).sigma;
        assert!((sigma.y - 1e-4).abs() < 1e-15 && (sigma.z - 1e-11).abs() < 1e-15, "{sigma:?}");
    }

    #[test]
    fn nan_and_infinity_come_back_as_nan() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut f = Mat3::identity();
            f[(1, 2)] = bad;
            let result = svd(&f);
            assert!(result.sigma.iter().any(|value| value.is_nan()), "{result:?}");
        }
    }

    proptest! {
        #[test]
        fn any_nine_numbers_come_back(entries in proptest::array::uniform9(proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL)) {
            check(&(Mat3::from_row_slice(&entries) / 4.0));
        }
    }
}
