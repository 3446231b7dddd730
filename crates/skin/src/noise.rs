//! Smooth random fields.

use craze_math::{Random, Vec3};

/// Gradient noise (Perlin 1985, with the fade of Perlin 2002): zero at integer coordinates,
/// wavelength about 1, values in ±1.
fn noise(point: &Vec3, seed: u64) -> f64 {
    let cell = point.map(f64::floor);
    let offset = point - cell;
    let fade = offset.map(|t| t * t * t * (t * (6.0 * t - 15.0) + 10.0));
    let mut sum = 0.0;
    for corner in 0..8_u32 {
        let corner = Vec3::new(f64::from(corner & 1), f64::from(corner >> 1 & 1), f64::from(corner >> 2));
        let weight: f64 = (0..3).map(|axis| if corner[axis] > 0.5 { fade[axis] } else { 1.0 - fade[axis] }).product();
        sum += weight * gradient(&(cell + corner), seed).dot(&(offset - corner));
    }
    sum
}

/// Random unit vector of a lattice point.
fn gradient(corner: &Vec3, seed: u64) -> Vec3 {
    let mut mixed = seed;
    for axis in 0..3 {
        mixed = Random::new(mixed ^ (corner[axis] as i64 as u64)).bits();
    }
    Random::new(mixed).direction()
}

/// Vector noise of four octaves: wavelengths 1, ½, ¼, ⅛ with amplitudes in the same ratio;
/// magnitude about ½.
pub(crate) fn fractal_noise(point: &Vec3, seed: u64) -> Vec3 {
    let mut sum = Vec3::zeros();
    let (mut frequency, mut amplitude) = (1.0, 1.0);
    for octave in 0..4 {
        let at = frequency * point;
        let field = |axis: u64| noise(&at, Random::new(seed ^ (4 * octave + axis) << 32).bits());
        sum += amplitude * Vec3::new(field(1), field(2), field(3));
        (frequency, amplitude) = (2.0 * frequency, 0.5 * amplitude);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_bounded_and_depends_on_the_seed() {
        let mut random = Random::new(7);
        let mut largest = 0.0_f64;
        for _ in 0..2000 {
            let point = 20.0 * random.direction() * random.number();
            let value = fractal_noise(&point, 3);
            let near = fractal_noise(&(point + 1e-6 * random.direction()), 3);
            assert!((value - near).norm() < 1e-4);
            assert!(value.norm() < 3.5);
            largest = largest.max(value.norm());
        }
        assert!(largest > 0.4);
        let point = Vec3::new(0.3, 0.6, 0.2);
        assert_ne!(fractal_noise(&point, 1), fractal_noise(&point, 2));
        assert_eq!(fractal_noise(&point, 1), fractal_noise(&point, 1));
    }
}
