//! Vector registers of x86-64: one of 512 bits, or two of 256 bits.
//!
//! Soundness of the `unsafe` code: the intrinsics only require a processor that supports them. The
//! types are private and used only by kernels called from [`run_avx2_fma`] or [`run_avx512`], whose
//! contract is that processor. Registers and arrays of the same size have no invalid values.
#![allow(unsafe_code)]

use super::{Kernel, Lanes, Mask, Real, WIDTH};
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[target_feature(enable = "avx2,fma")]
pub(super) fn run_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Two256>()
}

#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl")]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<One512>()
}

#[derive(Clone, Copy)]
struct One512(__m512d);

#[derive(Clone, Copy)]
struct Mask512(__mmask8);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Two256(__m256d, __m256d);

#[derive(Clone, Copy)]
struct Mask256(__m256d, __m256d);

macro_rules! operators {
    ($($operator:ident $function:ident $wide:ident $half:ident;)*) => {$(
        impl $operator for One512 {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(unsafe { $wide(self.0, other.0) })
            }
        }
        impl $operator for Two256 {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(unsafe { $half(self.0, other.0) }, unsafe { $half(self.1, other.1) })
            }
        }
    )*};
}
operators! {
    Add add _mm512_add_pd _mm256_add_pd;
    Sub sub _mm512_sub_pd _mm256_sub_pd;
    Mul mul _mm512_mul_pd _mm256_mul_pd;
    Div div _mm512_div_pd _mm256_div_pd;
}

impl Neg for One512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
    }
}

impl Neg for Two256 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let sign = unsafe { _mm256_set1_pd(-0.0) };
        Self(unsafe { _mm256_xor_pd(self.0, sign) }, unsafe { _mm256_xor_pd(self.1, sign) })
    }
}

impl Mask for Mask512 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
}

impl Mask for Mask256 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(unsafe { _mm256_and_pd(self.0, other.0) }, unsafe { _mm256_and_pd(self.1, other.1) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(unsafe { _mm256_or_pd(self.0, other.0) }, unsafe { _mm256_or_pd(self.1, other.1) })
    }
    #[inline(always)]
    fn any(self) -> bool {
        unsafe { _mm256_movemask_pd(_mm256_or_pd(self.0, self.1)) != 0 }
    }
}

impl Real for One512 {
    type Mask = Mask512;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self(unsafe { _mm512_set1_pd(number) })
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(unsafe { _mm512_fmadd_pd(self.0, factor.0, addend.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn rough_sqrt(self) -> Self {
        Self(unsafe { _mm512_cvtps_pd(_mm256_sqrt_ps(_mm512_cvtpd_ps(self.0))) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm512_andnot_pd(_mm512_set1_pd(-0.0), self.0) })
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let bit = unsafe { _mm512_set1_pd(-0.0) };
        Self(unsafe { _mm512_or_pd(_mm512_andnot_pd(bit, self.0), _mm512_and_pd(bit, sign.0)) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(unsafe { _mm512_min_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm512_max_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> Mask512 {
        Mask512(unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: Mask512, chosen: Self, otherwise: Self) -> Self {
        Self(unsafe { _mm512_mask_blend_pd(mask.0, otherwise.0, chosen.0) })
    }
    #[inline(always)]
    fn normalising_power(self) -> Self {
        unsafe {
            let exponent = _mm512_and_si512(_mm512_castpd_si512(self.0), _mm512_set1_epi64(0x7ff << 52));
            Self(_mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(2046 << 52), exponent)))
        }
    }
}

impl Lanes for One512 {
    #[inline(always)]
    fn new(numbers: [f64; WIDTH]) -> Self {
        Self(unsafe { _mm512_loadu_pd(numbers.as_ptr()) })
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        unsafe { transmute(self.0) }
    }

    /// Three rounds of exchanges between two rows each: single numbers within pairs, then pairs
    /// twice.
    #[inline(always)]
    fn transpose(rows: &[Self; WIDTH]) -> [Self; WIDTH] {
        let singles = |a: Self, b: Self| unsafe { (_mm512_unpacklo_pd(a.0, b.0), _mm512_unpackhi_pd(a.0, b.0)) };
        let pairs = |a, b| unsafe {
            (_mm512_shuffle_f64x2::<0b10_00_10_00>(a, b), _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b))
        };
        let (a, b) = singles(rows[0], rows[1]);
        let (c, d) = singles(rows[2], rows[3]);
        let (e, f) = singles(rows[4], rows[5]);
        let (g, h) = singles(rows[6], rows[7]);
        let (a, c) = pairs(a, c);
        let (b, d) = pairs(b, d);
        let (e, g) = pairs(e, g);
        let (f, h) = pairs(f, h);
        let (first, fifth) = pairs(a, e);
        let (second, sixth) = pairs(b, f);
        let (third, seventh) = pairs(c, g);
        let (fourth, eighth) = pairs(d, h);
        [Self(first), Self(second), Self(third), Self(fourth), Self(fifth), Self(sixth), Self(seventh), Self(eighth)]
    }
}

impl Two256 {
    #[inline(always)]
    unsafe fn power_of_half(half: __m256d) -> __m256d {
        unsafe {
            let exponent = _mm256_and_si256(_mm256_castpd_si256(half), _mm256_set1_epi64x(0x7ff << 52));
            _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(2046 << 52), exponent))
        }
    }
}

impl Real for Two256 {
    type Mask = Mask256;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self(unsafe { _mm256_set1_pd(number) }, unsafe { _mm256_set1_pd(number) })
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(unsafe { _mm256_fmadd_pd(self.0, factor.0, addend.0) }, unsafe {
            _mm256_fmadd_pd(self.1, factor.1, addend.1)
        })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_pd(self.0) }, unsafe { _mm256_sqrt_pd(self.1) })
    }
    #[inline(always)]
    fn rough_sqrt(self) -> Self {
        let rough = |part| unsafe { _mm256_cvtps_pd(_mm_sqrt_ps(_mm256_cvtpd_ps(part))) };
        Self(rough(self.0), rough(self.1))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = unsafe { _mm256_set1_pd(-0.0) };
        Self(unsafe { _mm256_andnot_pd(sign, self.0) }, unsafe { _mm256_andnot_pd(sign, self.1) })
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let magnitude = self.abs();
        unsafe {
            let bit = _mm256_set1_pd(-0.0);
            Self(
                _mm256_or_pd(magnitude.0, _mm256_and_pd(bit, sign.0)),
                _mm256_or_pd(magnitude.1, _mm256_and_pd(bit, sign.1)),
            )
        }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(unsafe { _mm256_min_pd(self.0, other.0) }, unsafe { _mm256_min_pd(self.1, other.1) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm256_max_pd(self.0, other.0) }, unsafe { _mm256_max_pd(self.1, other.1) })
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> Mask256 {
        Mask256(unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0) }, unsafe {
            _mm256_cmp_pd::<_CMP_LT_OQ>(self.1, other.1)
        })
    }
    #[inline(always)]
    fn select(mask: Mask256, chosen: Self, otherwise: Self) -> Self {
        Self(unsafe { _mm256_blendv_pd(otherwise.0, chosen.0, mask.0) }, unsafe {
            _mm256_blendv_pd(otherwise.1, chosen.1, mask.1)
        })
    }
    #[inline(always)]
    fn normalising_power(self) -> Self {
        Self(unsafe { Self::power_of_half(self.0) }, unsafe { Self::power_of_half(self.1) })
    }
}

impl Lanes for Two256 {
    #[inline(always)]
    fn new(numbers: [f64; WIDTH]) -> Self {
        unsafe { transmute(numbers) }
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        unsafe { transmute(self) }
    }
}
