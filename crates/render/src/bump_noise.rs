//! The grain of broken matter: smooth noise fixed to the material, whose slope tilts normals a little.

use craze_math::Vec3;

use crate::sampling::hash;
use crate::stage::Vec3f;

/// Size of the coarser grain, in lengths of which the subject's radius is 1.
const SIZE: f32 = 0.035;
/// How far normals tilt.
const STRENGTH: f64 = 0.16;

/// A unit normal tilted by the grain at a place.
pub(crate) fn tilted(normal: &Vec3, place: &Vec3f) -> Vec3 {
    let coarse = place / SIZE;
    let fine = coarse * 2.7;
    let slope = gradient(&coarse) + 0.6 * gradient(&fine);
    let across = slope - normal * slope.dot(normal);
    (normal - across * STRENGTH).normalize()
}

/// Gradient of value noise by differences.
fn gradient(place: &Vec3f) -> Vec3 {
    const STEP: f32 = 0.25;
    let center = noise(place);
    Vec3::from_fn(|axis, _| {
        let mut beside = *place;
        beside[axis] += STEP;
        f64::from((noise(&beside) - center) / STEP)
    })
}

/// Random values at whole numbers, smooth between; from −1 to 1.
fn noise(place: &Vec3f) -> f32 {
    let cell = place.map(f32::floor);
    let t = (place - cell).map(|x| x * x * (3.0 - 2.0 * x));
    // Casts saturate, so that even absurd places only repeat a value.
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
            let place = Vec3f::new(i as f32 * 0.37 - 30.0, 1.5, i as f32 * -0.11);
            let edge = Vec3f::new(place.x.round(), place.y, place.z);
            let step = Vec3f::new(1e-3, 0.0, 0.0);
            assert!((noise(&(edge - step)) - noise(&(edge + step))).abs() < 1e-3);
            assert!(noise(&place).abs() <= 1.0);
        }
        assert!(noise(&Vec3f::repeat(1e30)).is_finite());
    }

    #[test]
    fn tilted_normals_stay_on_their_side() {
        for i in 0..200 {
            let place = Vec3f::new(i as f32 * 0.01, 0.3, 0.7);
            assert!(tilted(&Vec3::y(), &place).y > 0.8);
        }
    }
}
