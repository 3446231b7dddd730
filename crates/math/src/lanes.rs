//! SIMD over eight `f64`, with the instruction set chosen at run time.
//!
//! A kernel is a function generic over [`Lanes`]. [`Instructions::run`] compiles it for each
//! instruction set and selects one at run time, so one portable program is fast on all processors.
//! Code that works on one number as well as on eight, like the decompositions of this crate, is
//! generic over [`Real`].
//!
//! ```
//! use craze_math::lanes::{Instructions, Kernel, Lanes};
//!
//! struct Axpy<'a> { scale: f64, x: &'a [[f64; 8]], y: &'a mut [[f64; 8]] }
//!
//! impl Kernel for Axpy<'_> {
//!     type Output = ();
//!     #[inline(always)]
//!     fn run<L: Lanes>(self) {
//!         let scale = L::splat(self.scale);
//!         for (y, x) in self.y.iter_mut().zip(self.x) {
//!             *y = scale.mul_add(L::new(*x), L::new(*y)).to_array();
//!         }
//!     }
//! }
//!
//! let mut y = [[1.0; 8]];
//! Instructions::detect().run(Axpy { scale: 2.0, x: &[[3.0; 8]], y: &mut y });
//! assert_eq!(y, [[7.0; 8]]);
//! ```
//!
//! **Every function that uses lanes inside a kernel must be `#[inline(always)]`**: only inlined
//! code is compiled for the instruction set. Closures and `array::map` cannot carry the attribute,
//! and one of them in a hot loop costs a factor of ten: write loops, or the three lines out.
//! Rejected: plain arrays of eight numbers; the compiler does not vectorise a body of several
//! hundred operations, and the SVD was slower than one matrix at a time.

use std::ops::{Add, Div, Mul, Neg, Sub};

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use portable::Portable;

/// Number of lanes: one 512-bit register of `f64`.
pub const WIDTH: usize = 8;

/// One number, or several processed in lanes.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Result of a comparison, per lane.
    type Mask: Mask;

    /// `number` in every lane.
    fn splat(number: f64) -> Self;
    /// self·factor + addend, rounded once if the processor has fused multiply-add, otherwise twice.
    /// The only operation with bits that depend on the instruction set.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// The square root; NaN for negative numbers.
    fn sqrt(self) -> Self;
    /// The square root in single precision, for bounds: relative error 1e-7, several times as fast.
    fn rough_sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// The smaller of both; `other` if either is NaN.
    fn min(self, other: Self) -> Self;
    /// The larger of both; `other` if either is NaN.
    fn max(self, other: Self) -> Self;
    /// Set where `self < other`; not set where either is NaN.
    fn less_than(self, other: Self) -> Self::Mask;
    /// `chosen` where the mask is set, `otherwise` elsewhere.
    fn select(mask: Self::Mask, chosen: Self, otherwise: Self) -> Self;
    /// The power of two that scales numbers in \[0, 2¹⁰²²\] into \[1, 2), or below one if they are
    /// subnormal.
    fn normalising_power(self) -> Self;
}

/// Result of a comparison, per lane.
pub trait Mask: Copy {
    /// Set where both are set.
    fn and(self, other: Self) -> Self;
    /// Set where either is set.
    fn or(self, other: Self) -> Self;
    /// True if any lane is set.
    fn any(self) -> bool;
}

/// Eight numbers in lanes.
pub trait Lanes: Real {
    /// Lanes holding these numbers.
    fn new(numbers: [f64; WIDTH]) -> Self;
    /// The numbers.
    fn to_array(self) -> [f64; WIDTH];

    /// Transposes eight rows of eight numbers.
    #[inline(always)]
    fn transpose(rows: &[Self; WIDTH]) -> [Self; WIDTH] {
        let mut columns = [[0.0; WIDTH]; WIDTH];
        for row in 0..WIDTH {
            let numbers = rows[row].to_array();
            for column in 0..WIDTH {
                columns[column][row] = numbers[column];
            }
        }
        let mut transposed = *rows;
        for column in 0..WIDTH {
            transposed[column] = Self::new(columns[column]);
        }
        transposed
    }

    /// The sum of all lanes, with the same order of additions on every instruction set.
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.to_array();
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

/// Prefetches a value into the cache. Hardware prefetchers follow sequential access only within a
/// page. Has no effect on results.
#[inline(always)]
pub fn prefetch<T>(thing: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        const LINE: usize = 64;
        let start = std::ptr::from_ref(thing).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: every x86-64 processor has the instruction, it never faults, and the address
            // lies within a live reference.
            #[allow(unsafe_code)]
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(start.add(line * LINE));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = thing;
}

/// A computation that [`Instructions::run`] compiles for each instruction set.
pub trait Kernel {
    /// The return type.
    type Output;

    /// The computation. Mark it and everything in its loops `#[inline(always)]`.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Vector instruction sets, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// The baseline of the build target (SSE2 on x86-64, NEON on ARM).
    Baseline,
    /// 256-bit vectors with fused multiply-add.
    Avx2Fma,
    /// 512-bit vectors with fused multiply-add.
    Avx512,
}

impl Instructions {
    /// All sets, from narrow to wide.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2Fma, Self::Avx512];

    /// The widest set that this processor supports.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2") {
                let wide = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                return if wide { Self::Avx512 } else { Self::Avx2Fma };
            }
        }
        Self::Baseline
    }

    /// Runs the kernel compiled for this set, or for the widest supported set if that is narrower.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.min(Self::detect()) {
            Self::Baseline => kernel.run::<Portable>(),
            // SAFETY: the set is no wider than `detect` found, and these functions require nothing
            // else. For the gain see `wide_instructions_pay` in batch.rs.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Self::Avx2Fma => unsafe { x86::run_avx2_fma(kernel) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Self::Avx512 => unsafe { x86::run_avx512(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2Fma | Self::Avx512 => kernel.run::<Portable>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything([f64; 8], [f64; 8]);

    impl Kernel for Everything {
        type Output = [[f64; 8]; 14];
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let (a, b) = (L::new(self.0), L::new(self.1));
            let (a_less, b_less) = (a.less_than(b), b.less_than(a));
            [
                (a + b).to_array(),
                (a - b).to_array(),
                (a * b).to_array(),
                (a / b).to_array(),
                a.min(b).to_array(),
                a.max(b).to_array(),
                a.abs().sqrt().to_array(),
                (-a).to_array(),
                L::select(a_less, a, b).to_array(),
                a.copysign(b).to_array(),
                a.abs().min(L::splat(1e300)).normalising_power().to_array(),
                L::select(a_less.or(b_less), a, L::splat(5.0)).to_array(),
                a.abs().rough_sqrt().to_array(),
                [f64::from(u8::from(a_less.and(b_less).any())), a.sum(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            ]
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_plain_numbers_to_the_bit() {
        let a = [1.5, -2.25, 0.1, 1e300, -0.0, f64::INFINITY, 3.0, f64::NAN];
        let b = [0.3, 1.75, -0.7, 1e-300, 2.0, 1.0, 3.0, -9.1];
        for instructions in Instructions::ALL {
            let result = instructions.run(Everything(a, b));
            for i in 0..8 {
                let (a, b) = (a[i], b[i]);
                let expected = [
                    a + b,
                    a - b,
                    a * b,
                    a / b,
                    if a < b { a } else { b },
                    if a > b { a } else { b },
                    a.abs().sqrt(),
                    -a,
                    if a < b { a } else { b },
                    a.copysign(b),
                    Real::min(a.abs(), 1e300).normalising_power(),
                    if a.partial_cmp(&b).is_some_and(|order| order.is_ne()) { a } else { 5.0 },
                    f64::from((a.abs() as f32).sqrt()),
                ];
                for (row, value) in expected.iter().enumerate() {
                    let found = result[row][i];
                    let same = found.to_bits() == value.to_bits() || (found.is_nan() && value.is_nan());
                    assert!(same, "{instructions:?}, operation {row}, {a} and {b}: {found} instead of {value}");
                }
            }
            assert_eq!(result[13][0], 0.0);
        }
    }

    #[test]
    fn normalising_power_reaches_one() {
        for number in [1.0, 1.999, 0.75, 1e-300, 1e300, 2f64.powi(1022), f64::MIN_POSITIVE] {
            let scaled = number * number.normalising_power();
            assert!((1.0..2.0).contains(&scaled), "{number} {scaled}");
        }
        assert!(0.0f64.normalising_power().is_finite());
        assert!(f64::from_bits(1) * f64::from_bits(1).normalising_power() > 1e-16);
    }

    struct MultiplyAdd(f64, f64, f64);

    impl Kernel for MultiplyAdd {
        type Output = f64;
        #[inline(always)]
        fn run<L: Lanes>(self) -> f64 {
            L::splat(self.0).mul_add(L::splat(self.1), L::splat(self.2)).to_array()[7]
        }
    }

    #[test]
    fn multiply_add_is_fused_where_the_processor_fuses() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        for instructions in Instructions::ALL {
            let result = instructions.run(MultiplyAdd(a, b, -1.0));
            let fused = instructions.min(Instructions::detect()) != Instructions::Baseline;
            let expected = if fused { f64::mul_add(a, b, -1.0) } else { a * b - 1.0 };
            assert_eq!(result, expected, "{instructions:?}");
        }
    }

    #[test]
    fn sum_folds_halves() {
        let numbers = [1e16, 1.0, -1e16, 3.0, 5.0, 6.0, 7.0, 8.0];
        let expected = ((1e16 + 5.0) + (-1e16 + 7.0)) + ((1.0 + 6.0) + (3.0 + 8.0));
        assert_eq!(Portable::new(numbers).sum(), expected);
    }
}
