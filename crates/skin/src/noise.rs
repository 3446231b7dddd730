//! Smooth random fields in space.

use craze_math::{Random, Vec3};

/// Gradient noise (Perlin 1985, with the fade of Perlin 2002): zero at whole coordinates, waves about 1 long, values within ±1.
fn noise(place: &Vec3, seed: u64) -> f64 {
    let cell = place.map(f64::floor);
    let offset = place - cell;
    let fade = offset.map(|t| t * t * t * (t * (6.0 * t - 15.0) + 10.0));
    let mut sum = 0.0;
    for corner in 0..8_u32 {
        let corner = Vec3::new(f64::from(corner & 1), f64::from(corner >> 1 & 1), f64::from(corner >> 2));
        let weight: f64 = (0..3).map(|axis| if corner[axis] > 0.5 { fade[axis] } else { 1.0 - fade[axis] }).product();
        sum += weight * gradient(&(cell + corner), seed).dot(&(offset - corner));
    }
    sum
}

/// A direction for each point of the grid.
fn gradient(corner: &Vec3, seed: u64) -> Vec3 {
    let mut mixed = seed;
    for axis in 0..3 {
        mixed = Random::new(mixed ^ (corner[axis] as i64 as u64)).bits();
    }
    Random::new(mixed).direction()
}

/// A vector field whose waves are 1 long and half, a quarter and an eighth of that, each half as high; values of about ½.
pub(crate) fn grain(place: &Vec3, seed: u64) -> Vec3 {
    let mut sum = Vec3::zeros();
    let (mut frequency, mut height) = (1.0, 1.0);
    for octave in 0..4 {
        let at = frequency * place;
        let field = |axis: u64| noise(&at, Random::new(seed ^ (4 * octave + axis) << 32).bits());
        sum += height * Vec3::new(field(1), field(2), field(3));
        (frequency, height) = (2.0 * frequency, 0.5 * height);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_smooth_bounded_seeded_and_not_flat() {
        let mut random = Random::new(7);
        let mut largest = 0.0_f64;
        for _ in 0..2000 {
            let place = 20.0 * random.direction() * random.number();
            let value = grain(&place, 3);
            let near = grain(&(place + 1e-6 * random.direction()), 3);
            assert!((value - near).norm() < 1e-4);
            assert!(value.norm() < 3.5);
            largest = largest.max(value.norm());
        }
        assert!(largest > 0.4);
        let place = Vec3::new(0.3, 0.6, 0.2);
        assert_ne!(grain(&place, 1), grain(&place, 2));
        assert_eq!(grain(&place, 1), grain(&place, 1));
    }
}
