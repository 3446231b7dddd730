//! Repeatable random input for tests.

use craze_math::Vec3;

/// A small generator of numbers in [0, 1) (splitmix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point in the cube [-1, 1]³.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number()) * 2.0 - Vec3::repeat(1.0)
    }
}
