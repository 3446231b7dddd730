//! 3×3 matrices of [`Real`]s stored by columns: one matrix, or eight as structure of arrays.

use crate::lanes::{Lanes, Real, WIDTH};
use crate::{Mat3, Vec3};
use std::ops::{Add, Mul, Sub};

/// A vector: x, y and z.
#[derive(Clone, Copy, Debug)]
pub struct Vector<T>(pub [T; 3]);

/// A matrix: its three columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns<T>(pub [Vector<T>; 3]);

impl<T: Real> Vector<T> {
    /// The dot product, each term rounded separately (the same bits on every instruction set).
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    /// The cross product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }

    /// `chosen` where the mask is set, `otherwise` elsewhere.
    #[inline(always)]
    pub fn select(mask: T::Mask, chosen: Self, otherwise: Self) -> Self {
        let (a, b) = (chosen.0, otherwise.0);
        Self([T::select(mask, a[0], b[0]), T::select(mask, a[1], b[1]), T::select(mask, a[2], b[2])])
    }

    /// Replaces −0 by +0: an inactive lane may flip the sign of a zero while other lanes still
    /// rotate.
    #[inline(always)]
    pub(crate) fn unsigned_zeros(self) -> Self {
        let zero = T::splat(0.0);
        self + Self([zero, zero, zero])
    }
}

impl<T: Real> Add for Vector<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1], self.0[2] + other.0[2]])
    }
}

impl<T: Real> Sub for Vector<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1], self.0[2] - other.0[2]])
    }
}

impl<T: Real> Mul<T> for Vector<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        Self([self.0[0] * factor, self.0[1] * factor, self.0[2] * factor])
    }
}

impl<T: Real> Columns<T> {
    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        let (zero, one) = (T::splat(0.0), T::splat(1.0));
        Self([Vector([one, zero, zero]), Vector([zero, one, zero]), Vector([zero, zero, one])])
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.0;
        Self([Vector([a.0[0], b.0[0], c.0[0]]), Vector([a.0[1], b.0[1], c.0[1]]), Vector([a.0[2], b.0[2], c.0[2]])])
    }

    /// The product with a vector.
    #[inline(always)]
    pub fn apply(&self, vector: Vector<T>) -> Vector<T> {
        self.0[0] * vector.0[0] + self.0[1] * vector.0[1] + self.0[2] * vector.0[2]
    }

    /// self·otherᵀ.
    #[inline(always)]
    pub fn mul_transpose(&self, other: &Self) -> Self {
        let rows = other.transpose().0;
        Self([self.apply(rows[0]), self.apply(rows[1]), self.apply(rows[2])])
    }

    /// Every entry times the factor.
    #[inline(always)]
    pub fn scale(self, factor: T) -> Self {
        Self([self.0[0] * factor, self.0[1] * factor, self.0[2] * factor])
    }

    #[inline(always)]
    pub(crate) fn unsigned_zeros(self) -> Self {
        Self([self.0[0].unsigned_zeros(), self.0[1].unsigned_zeros(), self.0[2].unsigned_zeros()])
    }

    /// The power of two that scales the largest entry to about one, so that squares neither
    /// overflow nor underflow. Multiplication and division by it are exact. Finite also for the
    /// zero matrix.
    #[inline(always)]
    pub(crate) fn normalising_factor(&self) -> T {
        let mut largest = T::splat(0.0);
        for column in self.0 {
            for entry in column.0 {
                largest = largest.max(entry.abs());
            }
        }
        largest.min(T::splat(2f64.powi(1022))).normalising_power()
    }
}

impl Columns<f64> {
    /// The columns of one matrix.
    #[inline]
    pub fn of(matrix: &Mat3) -> Self {
        let m: &[[f64; 3]; 3] = matrix.as_ref();
        Self([Vector(m[0]), Vector(m[1]), Vector(m[2])])
    }

    /// The matrix.
    #[inline]
    pub fn to_matrix(self) -> Mat3 {
        Mat3::from([self.0[0].0, self.0[1].0, self.0[2].0])
    }
}

impl Vector<f64> {
    /// The vector.
    #[inline]
    pub fn to_vector(self) -> Vec3 {
        Vec3::from(self.0)
    }
}

impl<L: Lanes> Columns<L> {
    /// Eight matrices in lanes.
    #[inline(always)]
    pub fn gather(matrices: &[Mat3; WIDTH]) -> Self {
        let mut columns = [Vector([L::splat(0.0); 3]); 3];
        for (j, column) in columns.iter_mut().enumerate() {
            for (i, entry) in column.0.iter_mut().enumerate() {
                let mut numbers = [0.0; WIDTH];
                for (number, matrix) in numbers.iter_mut().zip(matrices) {
                    *number = matrix[(i, j)];
                }
                *entry = L::new(numbers);
            }
        }
        Self(columns)
    }

    /// The eight matrices as one array per entry: \[column\]\[row\]\[lane\].
    #[inline(always)]
    pub fn to_arrays(self) -> [[[f64; WIDTH]; 3]; 3] {
        [self.0[0].to_arrays(), self.0[1].to_arrays(), self.0[2].to_arrays()]
    }
}

impl<L: Lanes> Vector<L> {
    /// The eight vectors as one array per entry: \[row\]\[lane\].
    #[inline(always)]
    pub fn to_arrays(self) -> [[f64; WIDTH]; 3] {
        [self.0[0].to_array(), self.0[1].to_array(), self.0[2].to_array()]
    }
}
