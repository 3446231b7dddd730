//! Eight numbers at a time: the vector type that every hot kernel is written in, and the choice of instructions at run time.
//!
//! A kernel is an ordinary generic function over [`Lanes`]. [`Instructions::run`] compiles it once for each instruction
//! set and picks one when the program runs, so that one portable program is fast everywhere. Elementwise operations on
//! fixed arrays are what the compiler turns into vector instructions; nothing here names a processor's intrinsics.
//!
//! ```
//! use craze_math::lanes::{Arithmetic, Instructions, Kernel, Lanes};
//!
//! struct Axpy<'a> { scale: f64, x: &'a [[f64; 8]], y: &'a mut [[f64; 8]] }
//!
//! impl Kernel for Axpy<'_> {
//!     type Output = ();
//!     #[inline(always)] // so that the body is compiled inside each instruction set's function
//!     fn run<A: Arithmetic>(self) {
//!         let scale = Lanes::<A>::splat(self.scale);
//!         for (y, x) in self.y.iter_mut().zip(self.x) {
//!             *y = scale.mul_add(Lanes::new(*x), Lanes::new(*y)).to_array();
//!         }
//!     }
//! }
//!
//! let mut y = [[1.0; 8]];
//! Instructions::detect().run(Axpy { scale: 2.0, x: &[[3.0; 8]], y: &mut y });
//! assert_eq!(y, [[7.0; 8]]);
//! ```

use std::array;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// How many numbers [`Lanes`] holds by default: one 512-bit register of `f64`.
pub const WIDTH: usize = 8;

/// How a·b + c is rounded, the one operation in which instruction sets differ.
///
/// It is a type and not a value so that kernels are compiled for one choice: a fused operation without hardware for it is a
/// slow function call.
pub trait Arithmetic: Copy + Send + Sync + 'static {
    /// a·b + c.
    fn mul_add(a: f64, b: f64, c: f64) -> f64;
}

/// Product and sum rounded one after the other: the same bits on every processor.
#[derive(Clone, Copy, Debug)]
pub struct Separate;

/// Product and sum rounded once, by the fused instruction of the processor.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

impl Arithmetic for Separate {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

impl Arithmetic for Fused {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// `N` numbers that go through the same computation side by side.
#[repr(C, align(64))]
pub struct Lanes<A = Separate, const N: usize = WIDTH>([f64; N], PhantomData<A>);

/// The outcome of a comparison, lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask<const N: usize = WIDTH>([bool; N]);

// Written by hand: deriving would demand `A: Clone` and so on, which a marker has no use for.
impl<A, const N: usize> Clone for Lanes<A, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, const N: usize> Copy for Lanes<A, N> {}
impl<A, const N: usize> fmt::Debug for Lanes<A, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
impl<A, const N: usize> Default for Lanes<A, N> {
    #[inline(always)]
    fn default() -> Self {
        Self([0.0; N], PhantomData)
    }
}

impl<A: Arithmetic, const N: usize> Lanes<A, N> {
    /// Lanes holding these numbers.
    #[inline(always)]
    pub fn new(numbers: [f64; N]) -> Self {
        Self(numbers, PhantomData)
    }

    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(number: f64) -> Self {
        Self::new([number; N])
    }

    /// Lane `i` holds `number(i)`.
    #[inline(always)]
    pub fn from_fn(number: impl FnMut(usize) -> f64) -> Self {
        Self::new(array::from_fn(number))
    }

    /// The numbers.
    #[inline(always)]
    pub fn to_array(self) -> [f64; N] {
        self.0
    }

    /// The number in one lane. Panics if `lane >= N`.
    #[inline(always)]
    pub fn get(self, lane: usize) -> f64 {
        self.0[lane]
    }

    #[inline(always)]
    fn map(self, operation: impl Fn(f64) -> f64) -> Self {
        Self::from_fn(|i| operation(self.0[i]))
    }

    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self::from_fn(|i| operation(self.0[i], other.0[i]))
    }

    #[inline(always)]
    fn compare(self, other: Self, relation: impl Fn(f64, f64) -> bool) -> Mask<N> {
        Mask(array::from_fn(|i| relation(self.0[i], other.0[i])))
    }

    /// self·factor + addend, rounded as `A` says.
    #[inline(always)]
    pub fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self::from_fn(|i| A::mul_add(self.0[i], factor.0[i], addend.0[i]))
    }

    /// The square root; NaN for negative numbers.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// The magnitude.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// The magnitude of `self` with the sign of `sign`.
    #[inline(always)]
    pub fn copysign(self, sign: Self) -> Self {
        self.zip(sign, f64::copysign)
    }

    /// The smaller of the two; `other` where either is NaN (as the vector instruction does it).
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// The larger of the two; `other` where either is NaN (as the vector instruction does it).
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// Where `self < other`; false where either is NaN.
    #[inline(always)]
    pub fn less_than(self, other: Self) -> Mask<N> {
        self.compare(other, |a, b| a < b)
    }

    /// Where `self <= other`; false where either is NaN.
    #[inline(always)]
    pub fn at_most(self, other: Self) -> Mask<N> {
        self.compare(other, |a, b| a <= b)
    }

    /// The sum of all lanes in a fixed order: halves are folded onto each other, so that it is short and the same on every
    /// instruction set. `N` must be a power of two.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let mut numbers = self.0;
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                numbers[i] += numbers[i + half];
            }
            half /= 2;
        }
        numbers[0]
    }
}

impl<const N: usize> Mask<N> {
    /// `chosen` where the mask is set, `otherwise` elsewhere.
    #[inline(always)]
    pub fn select<A: Arithmetic>(self, chosen: Lanes<A, N>, otherwise: Lanes<A, N>) -> Lanes<A, N> {
        Lanes::from_fn(|i| if self.0[i] { chosen.0[i] } else { otherwise.0[i] })
    }

    /// Set where both are.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Mask(array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Set where either is.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Mask(array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Whether any lane is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(false, |any, &lane| any | lane)
    }

    /// The lanes one by one.
    #[inline(always)]
    pub fn to_array(self) -> [bool; N] {
        self.0
    }
}

macro_rules! elementwise {
    ($($operator:ident $function:ident $symbol:tt;)*) => {$(
        impl<A: Arithmetic, const N: usize> $operator for Lanes<A, N> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.zip(other, |a, b| a $symbol b)
            }
        }
    )*};
}
elementwise! { Add add +; Sub sub -; Mul mul *; Div div /; }

macro_rules! elementwise_assign {
    ($($operator:ident $function:ident $symbol:tt;)*) => {$(
        impl<A: Arithmetic, const N: usize> $operator for Lanes<A, N> {
            #[inline(always)]
            fn $function(&mut self, other: Self) {
                *self = *self $symbol other;
            }
        }
    )*};
}
elementwise_assign! { AddAssign add_assign +; SubAssign sub_assign -; MulAssign mul_assign *; }

impl<A: Arithmetic, const N: usize> Neg for Lanes<A, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

/// A computation that [`Instructions::run`] compiles for every instruction set.
pub trait Kernel {
    /// What it returns.
    type Output;

    /// The computation. Mark it, and all it calls in its loops, `#[inline(always)]`: only what is inlined is compiled for the
    /// instruction set.
    fn run<A: Arithmetic>(self) -> Self::Output;
}

/// The vector instructions a kernel is compiled for, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What every processor of the build target has (SSE2 on x86-64, NEON on ARM).
    Baseline,
    /// 256-bit vectors with fused multiply-add.
    Avx2Fma,
    /// 512-bit vectors with fused multiply-add.
    Avx512,
}

impl Instructions {
    /// All sets, from narrow to wide.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2Fma, Self::Avx512];

    /// The widest set that this processor has.
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

    /// Runs the kernel, compiled for this set; for the widest set that the processor has if it lacks this one.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.min(Self::detect()) {
            Self::Baseline => kernel.run::<Separate>(),
            // SAFETY: the set is no wider than `detect` found this processor to have, and these functions need nothing else.
            // The wide sets pay: see `wide_instructions_pay` in batch.rs.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Self::Avx2Fma => unsafe { run_avx2_fma(kernel) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Self::Avx512 => unsafe { run_avx512(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2Fma | Self::Avx512 => kernel.run::<Separate>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Fused>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Fused>()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything([f64; 8], [f64; 8]);

    impl Kernel for Everything {
        type Output = [[f64; 8]; 9];
        #[inline(always)]
        fn run<A: Arithmetic>(self) -> Self::Output {
            let (a, b) = (Lanes::<A>::new(self.0), Lanes::<A>::new(self.1));
            let chosen = a.less_than(b).select(a, b);
            [a + b, a - b, a * b, a / b, a.min(b), a.max(b), a.abs().sqrt(), -a, chosen].map(Lanes::to_array)
        }
    }

    #[test]
    fn every_instruction_set_rounds_elementary_operations_alike() {
        let a = [1.5, -2.25, 0.1, 1e300, -0.0, f64::INFINITY, 3.0, 7.7];
        let b = [0.3, 1.75, -0.7, 1e-300, 2.0, 1.0, 3.0, -9.1];
        let expected = Everything(a, b).run::<Separate>();
        for i in 0..8 {
            assert_eq!(expected[0][i], a[i] + b[i]);
            assert_eq!(expected[3][i], a[i] / b[i]);
            assert_eq!(expected[4][i], a[i].min(b[i]));
            assert_eq!(expected[8][i], if a[i] < b[i] { a[i] } else { b[i] });
        }
        for instructions in Instructions::ALL {
            let result = instructions.run(Everything(a, b));
            for (row, expected_row) in result.iter().zip(&expected) {
                assert_eq!(row.map(f64::to_bits), expected_row.map(f64::to_bits), "{instructions:?}");
            }
        }
    }

    struct MultiplyAdd(f64, f64, f64);

    impl Kernel for MultiplyAdd {
        type Output = f64;
        #[inline(always)]
        fn run<A: Arithmetic>(self) -> f64 {
            Lanes::<A>::splat(self.0).mul_add(Lanes::splat(self.1), Lanes::splat(self.2)).get(7)
        }
    }

    #[test]
    fn multiply_add_is_fused_where_the_processor_fuses() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        for instructions in Instructions::ALL {
            let result = instructions.run(MultiplyAdd(a, b, -1.0));
            let fused = instructions.min(Instructions::detect()) != Instructions::Baseline;
            let expected = if fused { a.mul_add(b, -1.0) } else { a * b - 1.0 };
            assert_eq!(result, expected, "{instructions:?}");
        }
    }

    #[test]
    fn sum_folds_halves() {
        let numbers = [1e16, 1.0, -1e16, 3.0, 5.0, 6.0, 7.0, 8.0];
        let expected = ((1e16 + 5.0) + (-1e16 + 7.0)) + ((1.0 + 6.0) + (3.0 + 8.0));
        assert_eq!(Lanes::<Separate>::new(numbers).sum(), expected);
    }

    #[test]
    fn masks_combine_and_treat_nan_as_unordered() {
        let a = Lanes::<Separate, 4>::new([1.0, f64::NAN, 3.0, 2.0]);
        let b = Lanes::<Separate, 4>::splat(2.0);
        let (less, at_most) = (a.less_than(b), a.at_most(b));
        assert_eq!(less.to_array(), [true, false, false, false]);
        assert_eq!(at_most.to_array(), [true, false, false, true]);
        assert_eq!(less.and(at_most), less);
        assert_eq!(less.or(at_most), at_most);
        assert!(less.any() && !b.less_than(b).any());
    }
}
