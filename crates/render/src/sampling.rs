//! Low-discrepancy random numbers, which reduce noise.
//!
//! Each pixel has a seed from its coordinates. Its samples are the first two dimensions of Sobol's
//! sequence, in which every first 2ⁿ points fill all boxes of volume 2⁻ⁿ once, with nested Owen
//! scrambling per pixel (A. Owen 1995; by hashing as in B. Burley, *Practical hash-based Owen
//! scrambling*, JCGT 2020).

use craze_math::Vec3;

/// Use of a pair of numbers. Each use is scrambled separately, which decorrelates them.
#[derive(Clone, Copy)]
pub(crate) enum SampleUse {
    /// Position in the pixel.
    Pixel = 1,
    /// Position on the lamp.
    Lamp = 2,
    /// Direction to the sky.
    Sky = 3,
    /// Direction of a reflection.
    Mirror = 4,
    /// Position on the lamp from the end of a sky ray.
    Bounce = 5,
}

#[derive(Clone, Copy)]
pub(crate) struct PixelSamples {
    seed: u32,
}

impl PixelSamples {
    /// Samples of the pixel at a column and row.
    pub fn new(column: u32, row: u32) -> PixelSamples {
        PixelSamples { seed: hash(column ^ hash(row ^ 0x6c07_8965)) }
    }

    /// The pair of numbers in 0…1 of the pixel's `index`-th ray for `purpose`.
    pub fn pair(self, index: u32, purpose: SampleUse) -> (f64, f64) {
        let seed = hash(self.seed ^ hash(purpose as u32));
        // Nested shuffling of the index keeps every first 2ⁿ points together.
        let index = scramble(index, seed);
        let first = scramble(index.reverse_bits(), seed ^ 0x3c6e_f372);
        let second = scramble(sobol_second(index), seed ^ 0xdaa6_6d2b);
        (unit(first), unit(second))
    }
}

/// Maps bits to a number in [0, 1).
fn unit(bits: u32) -> f64 {
    f64::from(bits) / 4_294_967_296.0
}

/// Bijective mixing by xor-shifts and odd factors.
pub(crate) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x9e37_79b1);
    x ^= x >> 13;
    x = x.wrapping_mul(0x85eb_ca77);
    x ^= x >> 16;
    x
}

/// Owen scrambling of a fraction: each bit flips by a hash of the higher bits.
///
/// On reversed bits, additions and xor with even multiples carry only from more to less significant
/// bits of the fraction.
fn scramble(x: u32, seed: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x2c1b_3c6c);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x297a_2d3a);
    x ^= x.wrapping_mul(0x5f35_6494);
    x.reverse_bits()
}

/// Second dimension of Sobol's sequence, whose generator matrix is Pascal's triangle modulo 2.
///
/// By Lucas's theorem binomial(k, j) is odd if the bits of j are among those of k, so each result
/// bit is a sum over supersets, computed by five exchanges with halved strides.
fn sobol_second(index: u32) -> u32 {
    let mut bits = index;
    bits ^= (bits >> 1) & 0x5555_5555;
    bits ^= (bits >> 2) & 0x3333_3333;
    bits ^= (bits >> 4) & 0x0f0f_0f0f;
    bits ^= (bits >> 8) & 0x00ff_00ff;
    bits ^= (bits >> 16) & 0x0000_ffff;
    bits.reverse_bits()
}

/// Two unit vectors perpendicular to a unit vector and each other.
pub(crate) fn tangents(normal: &Vec3) -> (Vec3, Vec3) {
    let helper = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::z() };
    let first = helper.cross(normal).normalize();
    (first, normal.cross(&first))
}

/// Area-preserving map of a pair to the unit disc (P. Shirley & K. Chiu, *A low distortion map
/// between disk and square*, 1997).
pub(crate) fn disc((u, v): (f64, f64)) -> (f64, f64) {
    let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    if x == 0.0 && y == 0.0 {
        return (0.0, 0.0);
    }
    let quarter = std::f64::consts::FRAC_PI_4;
    let (radius, angle) = if x.abs() > y.abs() { (x, quarter * (y / x)) } else { (y, quarter * (2.0 - x / y)) };
    (radius * angle.cos(), radius * angle.sin())
}

/// Cosine-weighted direction around a normal.
pub(crate) fn cosine_direction(normal: &Vec3, pair: (f64, f64)) -> Vec3 {
    let (x, y) = disc(pair);
    let (first, second) = tangents(normal);
    first * x + second * y + normal * (1.0 - x * x - y * y).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_samples_fill_every_box_of_one_sixteenth_once() {
        for seed in 0..50 {
            let samples = PixelSamples::new(seed, 3 * seed + 1);
            for (columns, rows) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
                let mut hits = vec![0; 16];
                for index in 0..16 {
                    let (u, v) = samples.pair(index, SampleUse::Sky);
                    hits[(u * f64::from(columns)) as usize + columns as usize * (v * f64::from(rows)) as usize] += 1;
                }
                assert_eq!(hits, vec![1; 16], "{columns} × {rows}");
            }
        }
    }

    #[test]
    fn second_dimension_follows_its_recurrence() {
        // Each direction number is the previous one, xor itself shifted by one.
        let mut direction = 1u32 << 31;
        for bit in 0..32 {
            assert_eq!(sobol_second(1 << bit), direction, "{bit}");
            direction ^= direction >> 1;
        }
    }

    #[test]
    fn uses_and_pixels_are_not_alike() {
        let a = PixelSamples::new(1, 2);
        let pairs =
            [a.pair(0, SampleUse::Sky), a.pair(0, SampleUse::Lamp), PixelSamples::new(2, 1).pair(0, SampleUse::Sky)];
        assert!(pairs[0] != pairs[1] && pairs[0] != pairs[2] && pairs[1] != pairs[2]);
    }

    #[test]
    fn cosine_directions_average_to_two_thirds_of_the_normal() {
        let normal = Vec3::new(0.48, -0.6, 0.64);
        let samples = PixelSamples::new(0, 0);
        let sum: Vec3 = (0..1024).map(|i| cosine_direction(&normal, samples.pair(i, SampleUse::Sky))).sum();
        assert!((sum / 1024.0 - normal * (2.0 / 3.0)).amax() < 2e-3);
    }
}
