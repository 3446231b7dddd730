//! Vectors and 3×3 matrices in structure-of-arrays form: one [`Lanes`] for each entry.

use crate::lanes::{Arithmetic, Lanes, Separate, WIDTH};
use crate::{Mat3, Vec3};
use std::ops::{Add, Mul, Sub};

/// `N` vectors side by side: x, y and z.
#[derive(Clone, Copy, Debug)]
pub struct Vec3Lanes<A: Arithmetic = Separate, const N: usize = WIDTH>(pub [Lanes<A, N>; 3]);

/// `N` matrices side by side: their three columns.
#[derive(Clone, Copy, Debug)]
pub struct Mat3Lanes<A: Arithmetic = Separate, const N: usize = WIDTH>(pub [Vec3Lanes<A, N>; 3]);

impl<A: Arithmetic, const N: usize> Vec3Lanes<A, N> {
    /// Lane `i` holds `vector(i)`.
    #[inline(always)]
    pub fn from_fn(vector: impl Fn(usize) -> Vec3) -> Self {
        Self([0, 1, 2].map(|row| Lanes::from_fn(|lane| vector(lane)[row])))
    }

    /// The vector in one lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Vec3 {
        Vec3::new(self.0[0].get(lane), self.0[1].get(lane), self.0[2].get(lane))
    }

    /// The scalar product, each term rounded by itself (the same bits on every instruction set).
    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes<A, N> {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }

    /// Turns −0 into +0: a lane that rests while its neighbours still turn may flip the sign of a zero, and nothing else.
    #[inline(always)]
    pub(crate) fn unsigned_zeros(self) -> Self {
        self.map(|entry| entry + Lanes::splat(0.0))
    }

    #[inline(always)]
    pub(crate) fn map(self, operation: impl Fn(Lanes<A, N>) -> Lanes<A, N>) -> Self {
        Self(self.0.map(operation))
    }

    #[inline(always)]
    pub(crate) fn zip(self, other: Self, operation: impl Fn(Lanes<A, N>, Lanes<A, N>) -> Lanes<A, N>) -> Self {
        Self([0, 1, 2].map(|row| operation(self.0[row], other.0[row])))
    }
}

impl<A: Arithmetic, const N: usize> Add for Vec3Lanes<A, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<A: Arithmetic, const N: usize> Sub for Vec3Lanes<A, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<A: Arithmetic, const N: usize> Mul<Lanes<A, N>> for Vec3Lanes<A, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: Lanes<A, N>) -> Self {
        self.map(|entry| entry * factor)
    }
}

impl<A: Arithmetic, const N: usize> Mat3Lanes<A, N> {
    /// Lane `i` holds `matrix(i)`.
    #[inline(always)]
    pub fn from_fn(matrix: impl Fn(usize) -> Mat3) -> Self {
        Self([0, 1, 2].map(|column| Vec3Lanes([0, 1, 2].map(|row| Lanes::from_fn(|lane| matrix(lane)[(row, column)])))))
    }

    /// The identity in every lane.
    #[inline(always)]
    pub fn identity() -> Self {
        let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
        Self([Vec3Lanes([one, zero, zero]), Vec3Lanes([zero, one, zero]), Vec3Lanes([zero, zero, one])])
    }

    /// The matrix in one lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Mat3 {
        Mat3::from_columns(&[self.0[0].get(lane), self.0[1].get(lane), self.0[2].get(lane)])
    }

    /// self·otherᵀ.
    #[inline(always)]
    pub fn mul_transpose(&self, other: &Self) -> Self {
        let rows = [0, 1, 2].map(|row| Vec3Lanes([0, 1, 2].map(|column| other.0[column].0[row])));
        Self(rows.map(|row| self.0[0] * row.0[0] + self.0[1] * row.0[1] + self.0[2] * row.0[2]))
    }

    /// [`Vec3Lanes::unsigned_zeros`] of each column.
    #[inline(always)]
    pub(crate) fn unsigned_zeros(self) -> Self {
        Self(self.0.map(Vec3Lanes::unsigned_zeros))
    }

    #[inline(always)]
    pub(crate) fn map(self, operation: impl Fn(Lanes<A, N>) -> Lanes<A, N>) -> Self {
        Self(self.0.map(|column| column.map(&operation)))
    }

    /// The power of two that brings the largest entry near one, so that squares neither overflow nor vanish. Multiplying
    /// and dividing by it is exact. Zero matrices get a finite factor as well.
    #[inline(always)]
    pub(crate) fn normalising_factor(&self) -> Lanes<A, N> {
        const EXPONENT: u64 = 0x7ff << 52;
        let largest =
            self.0.iter().flat_map(|column| column.0).fold(Lanes::splat(0.0), |most, entry| most.max(entry.abs()));
        // Capped so that the reciprocal 2^(1023 − e) stays a normal number.
        let capped = largest.min(Lanes::splat(2f64.powi(1022))).to_array();
        Lanes::from_fn(|lane| f64::from_bits((2046 << 52) - (capped[lane].to_bits() & EXPONENT)))
    }
}

/// Rotates the columns p and q by the angle with this cosine and sine: (p, q) ← (c·p − s·q, s·p + c·q).
#[inline(always)]
pub(crate) fn rotate_columns<A: Arithmetic, const N: usize>(
    matrix: &mut Mat3Lanes<A, N>,
    (p, q): (usize, usize),
    (cosine, sine): (Lanes<A, N>, Lanes<A, N>),
) {
    let (old_p, old_q) = (matrix.0[p], matrix.0[q]);
    matrix.0[p] = old_p * cosine - old_q * sine;
    matrix.0[q] = old_p * sine + old_q * cosine;
}

/// Cosine and sine of the Jacobi rotation that makes the symmetric 2×2 matrix \[app, apq; apq, aqq\] diagonal, and its tangent
/// (Golub & Van Loan, Matrix Computations, 4th ed., 8.5.2); the identity where `active` is not set.
#[inline(always)]
pub(crate) fn jacobi_rotation<A: Arithmetic, const N: usize>(
    (app, apq, aqq): (Lanes<A, N>, Lanes<A, N>, Lanes<A, N>),
    active: crate::lanes::Mask<N>,
) -> (Lanes<A, N>, Lanes<A, N>, Lanes<A, N>) {
    let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
    let cotangent_of_double = (aqq - app) / (apq + apq);
    let tangent = one.copysign(cotangent_of_double)
        / (cotangent_of_double.abs() + (one + cotangent_of_double * cotangent_of_double).sqrt());
    let tangent = active.select(tangent, zero);
    let cosine = one / (one + tangent * tangent).sqrt();
    (cosine, tangent * cosine, tangent)
}

/// Exchanges columns p and q where the key of q is the larger, turning one of them round so that determinants keep their sign.
#[inline(always)]
pub(crate) fn order_columns<A: Arithmetic, const N: usize>(
    keys: &mut [Lanes<A, N>; 3],
    (p, q): (usize, usize),
    matrices: &mut [&mut Mat3Lanes<A, N>],
) {
    let exchange = keys[p].less_than(keys[q]);
    let (key_p, key_q) = (keys[p], keys[q]);
    keys[p] = exchange.select(key_q, key_p);
    keys[q] = exchange.select(key_p, key_q);
    for matrix in matrices {
        let (old_p, old_q) = (matrix.0[p], matrix.0[q]);
        matrix.0[p] = old_q.zip(old_p, |from_q, from_p| exchange.select(from_q, from_p));
        matrix.0[q] = old_p.zip(old_q, |from_p, from_q| exchange.select(-from_p, from_q));
    }
}
