//! Bump mapping of crack faces: noise fixed to the material perturbs normals.

use craze_math::Vec3;

use crate::sampling::hash;
use crate::stage::Vec3f;

/// Size of the coarser noise, in radii of the subject (1).
const NOISE_SIZE: f32 = 0.035;
/// Strength of the perturbation (1).
const BUMP_STRENGTH: f64 = 0.16;

/// A unit normal perturbed by the noise at a position.
pub(crate) fn perturbed_normal(normal: &Vec3, position: &Vec3f) -> Vec3 {
    let coarse = position / NOISE_SIZE;
    let fine = coarse * 2.7;
    let slope = gradient(&coarse) + 0.6 * gradient(&fine);
    let across = slope - normal * slope.dot(normal);
    (normal - across * BUMP_STRENGTH).normalize()
}

/// Gradient of the noise by finite differences.
fn gradient(position: &Vec3f) -> Vec3 {
    const STEP: f32 = 0.25;
    let center = noise(position);
    Vec3::from_fn(|axis, _| {
        let mut beside = *position;
        beside[axis] += STEP;
        f64::from((noise(&beside) - center) / STEP)
    })
}

/// Value noise in −1…1 on the integer lattice, smoothly interpolated.
fn noise(position: &Vec3f) -> f32 {
    let cell = position.map(f32::floor);
    let t = (position - cell).map(|x| x * x * (3.0 - 2.0 * x));
    // Casts saturate, so extreme positions merely repeat a value.
    let [x, y, z] = [cell.x as i32, cell.y as i32, cell.z as i32];
    let at = |dx: i32, dy: i32, dz: i32| {
        let key = [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)];
        let bits = key.iter().fold(0x51ed_270b, |seed, &k| hash(seed ^ k as u32));
        bits as f32 / 2_147_483_648.0 - 1.0
    };
    let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
    let row = |dy, dz| mix(at(0, dy, dz), at(1, dy, dz), t.x);
    mix(mix(row(0, 0), row(1, 0), t.y), mix(row(0, 1), row(1, 1), t.y), t.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_across_cells_and_bounded() {
        for i in 0..200 {
            let position = Vec3f::new(i as f32 * 0.37 - 30.0, 1.5, i as f32 * -0.11);
            let edge = Vec3f::new(position.x.round(), position.y, position.z);
            let step = Vec3f::new(1e-3, 0.0, 0.0);
            assert!((noise(&(edge - step)) - noise(&(edge + step))).abs() < 1e-3);
            assert!(noise(&position).abs() <= 1.0);
        }
        assert!(noise(&Vec3f::repeat(1e30)).is_finite());
    }

    #[test]
    fn tilted_normals_stay_on_their_side() {
        for i in 0..200 {
            let position = Vec3f::new(i as f32 * 0.01, 0.3, 0.7);
            assert!(perturbed_normal(&Vec3::y(), &position).y > 0.8);
        }
    }
}
