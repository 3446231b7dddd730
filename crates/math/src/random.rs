//! Random numbers with the same sequence on every platform.

use crate::Vec3;

/// SplitMix64 (Steele, Lea & Flood 2014) with 64 bits of state, for sampling and jitter. Not
/// cryptographic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number in \[0, 1).
    pub fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in \[−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.number() - 1.0
    }

    /// A vector with entries from −1 up to, but not including, 1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// An integer below `count`, which must not be 0. The bias of count/2⁶⁴ is negligible here.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A unit vector, uniform over the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let (height, angle) = (self.signed(), std::f64::consts::TAU * self.number());
        let across = (1.0 - height * height).sqrt();
        Vec3::new(across * angle.cos(), across * angle.sin(), height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_publication() {
        // First outputs of the reference implementation for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(
            [(); 3].map(|()| random.bits()),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut random = Random::new(1);
        let mut bins = [0; 10];
        for _ in 0..100_000 {
            bins[random.below(10)] += 1;
        }
        assert!(bins.iter().all(|&count| (9_600..10_400).contains(&count)), "{bins:?}");
        let mean: Vec3 = (0..100_000).map(|_| random.direction()).sum::<Vec3>() / 1e5;
        assert!(mean.norm() < 0.01);
        assert!((0..1000).all(|_| (random.direction().norm() - 1.0).abs() < 1e-12));
    }
}
