//! Numbers without vector instructions: one `f64`, and an array of eight.

use super::{Lanes, Mask, Real, WIDTH};
use std::array;
use std::ops::{Add, Div, Mul, Neg, Sub};

impl Mask for bool {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

impl Real for f64 {
    type Mask = bool;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        number
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        // Not fused: without hardware support that is a slow function call.
        self * factor + addend
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn rough_sqrt(self) -> Self {
        f64::from((self as f32).sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        f64::copysign(self, sign)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, chosen: Self, otherwise: Self) -> Self {
        if mask { chosen } else { otherwise }
    }
    #[inline(always)]
    fn normalising_power(self) -> Self {
        // The biased exponent e becomes 2046 − e: the reciprocal of the leading power of two.
        f64::from_bits((2046 << 52) - (self.to_bits() & (0x7ff << 52)))
    }
}

/// Eight numbers in an array, for processors without wide vectors. Multiply-add rounds twice.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Portable([f64; WIDTH]);

impl Portable {
    #[inline(always)]
    fn map(self, operation: impl Fn(f64) -> f64) -> Self {
        Self(array::from_fn(|lane| operation(self.0[lane])))
    }
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self(array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident $symbol:tt;)*) => {$(
        impl $operator for Portable {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.zip(other, |a, b| a $symbol b)
            }
        }
    )*};
}
operators! { Add add +; Sub sub -; Mul mul *; Div div /; }

impl Neg for Portable {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl Mask for [bool; WIDTH] {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        array::from_fn(|lane| self[lane] & other[lane])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        array::from_fn(|lane| self[lane] | other[lane])
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.contains(&true)
    }
}

impl Real for Portable {
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number; WIDTH])
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        self * factor + addend
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    #[inline(always)]
    fn rough_sqrt(self) -> Self {
        self.map(Real::rough_sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.zip(sign, f64::copysign)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, Real::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, Real::max)
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> Self::Mask {
        array::from_fn(|lane| self.0[lane] < other.0[lane])
    }
    #[inline(always)]
    fn select(mask: Self::Mask, chosen: Self, otherwise: Self) -> Self {
        Self(array::from_fn(|lane| if mask[lane] { chosen.0[lane] } else { otherwise.0[lane] }))
    }
    #[inline(always)]
    fn normalising_power(self) -> Self {
        self.map(Real::normalising_power)
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn new(numbers: [f64; WIDTH]) -> Self {
        Self(numbers)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        self.0
    }
}
