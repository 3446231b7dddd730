//! Jacobi rotations, shared by the one-sided and the two-sided method.

use crate::columns::Columns;
use crate::lanes::Real;

/// Limit that bounds the run time. Convergence is quadratic; most matrices need five sweeps.
pub(crate) const MAX_SWEEPS: usize = 16;

#[derive(Clone, Copy)]
pub(crate) struct JacobiRotation<T> {
    pub(crate) cosine: T,
    pub(crate) sine: T,
    pub(crate) tangent: T,
}

impl<T: Real> JacobiRotation<T> {
    /// The rotation that diagonalises the symmetric 2×2 matrix \[app, apq; apq, aqq\] (Golub & Van
    /// Loan, Matrix Computations, 4th ed., 8.5.2); the identity where `active` is not set.
    #[inline(always)]
    pub(crate) fn diagonalising((app, apq, aqq): (T, T, T), active: T::Mask) -> Self {
        let one = T::splat(1.0);
        let cotangent_of_double = (aqq - app) / (apq + apq);
        let root = (one + cotangent_of_double * cotangent_of_double).sqrt();
        let tangent = one.copysign(cotangent_of_double) / (cotangent_of_double.abs() + root);
        let tangent = T::select(active, tangent, T::splat(0.0));
        let cosine = one / (one + tangent * tangent).sqrt();
        Self { cosine, sine: tangent * cosine, tangent }
    }

    /// Rotates columns p and q: (p, q) ← (c·p − s·q, s·p + c·q).
    #[inline(always)]
    pub(crate) fn apply(self, matrix: &mut Columns<T>, (p, q): (usize, usize)) {
        let (old_p, old_q) = (matrix.0[p], matrix.0[q]);
        matrix.0[p] = old_p * self.cosine - old_q * self.sine;
        matrix.0[q] = old_p * self.sine + old_q * self.cosine;
    }
}

/// Sorts three keys in descending order, and the columns with them. Each exchange negates one of
/// the two columns, which preserves the determinant.
#[inline(always)]
pub(crate) fn order_columns<T: Real, const COUNT: usize>(keys: &mut [T; 3], matrices: &mut [Columns<T>; COUNT]) {
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let (key_p, key_q) = (keys[p], keys[q]);
        let exchange = key_p.less_than(key_q);
        keys[p] = T::select(exchange, key_q, key_p);
        keys[q] = T::select(exchange, key_p, key_q);
        for matrix in matrices.iter_mut() {
            for row in 0..3 {
                let (old_p, old_q) = (matrix.0[p].0[row], matrix.0[q].0[row]);
                matrix.0[p].0[row] = T::select(exchange, old_q, old_p);
                matrix.0[q].0[row] = T::select(exchange, -old_p, old_q);
            }
        }
    }
}
