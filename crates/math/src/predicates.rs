//! Exact orientation predicates (Shewchuk 1997, adaptive precision).
//!
//! The **sign** of each result is exact for the given coordinates, and zero means exactly zero, as
//! long as products of coordinates neither overflow nor underflow (magnitudes from about 1e-60 to
//! 1e60). The value is approximate. NaN input gives a meaningless result, never a panic.

use crate::Vec3;
use robust::{Coord, Coord3D};

fn plane([x, y]: [f64; 2]) -> Coord<f64> {
    Coord { x, y }
}

fn space(point: &Vec3) -> Coord3D<f64> {
    Coord3D { x: point.x, y: point.y, z: point.z }
}

/// Positive if a, b, c are counterclockwise, negative if clockwise, zero if collinear.
///
/// Approximately twice the signed area (m²).
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    robust::orient2d(plane(a), plane(b), plane(c))
}

/// Positive if (b − a)×(c − a)·(d − a) > 0, that is if d is on the side from which a, b, c are
/// counterclockwise; negative on the other side, zero if coplanar.
///
/// Approximately six times the signed volume (m³).
pub fn orient3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    // Shewchuk uses the opposite sign.
    -robust::orient3d(space(a), space(b), space(c), space(d))
}

/// Positive if d is inside the circle through a, b, c, negative outside, zero on it. a, b, c must
/// be counterclockwise; otherwise the sign is reversed.
pub fn in_circle(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> f64 {
    robust::incircle(plane(a), plane(b), plane(c), plane(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_follow_the_documented_convention() {
        let (o, x, y, z) = (Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z());
        assert_eq!(orient2d([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]), 1.0);
        assert_eq!(orient3d(&o, &x, &y, &z), (x - o).cross(&(y - o)).dot(&(z - o)));
        assert!(orient3d(&o, &y, &x, &z) < 0.0);
        assert!(in_circle([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]) > 0.0);
        assert!(in_circle([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 0.5]) < 0.0);
        assert_eq!(in_circle([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]), 0.0);
    }

    #[test]
    fn one_step_of_rounding_off_the_plane_is_seen() {
        // Coordinates on a grid, so that z = x + y holds exactly while products need more digits
        // than f64 has.
        let mut numbers = crate::testing::Matrices::new(11);
        let grid = (1u64 << 45) as f64;
        let mut on_plane = |size: f64| {
            let [x, y] = [(); 2].map(|()| (numbers.number() * size * grid).round() / grid);
            Vec3::new(x, y, x + y)
        };
        let mut missed_by_plain_arithmetic = 0;
        for _ in 0..1000 {
            let [mut a, mut b, c, d] = [on_plane(16.0), on_plane(16.0), on_plane(16.0), on_plane(1.0)];
            if orient2d([a.x, a.y], [b.x, b.y], [c.x, c.y]) < 0.0 {
                std::mem::swap(&mut a, &mut b);
            }
            let above = Vec3::new(d.x, d.y, d.z.next_up());
            let below = Vec3::new(d.x, d.y, d.z.next_down());
            assert_eq!(orient3d(&a, &b, &c, &d), 0.0);
            assert!(orient3d(&a, &b, &c, &above) > 0.0);
            assert!(orient3d(&a, &b, &c, &below) < 0.0);
            let plain = (b - a).cross(&(c - a)).dot(&(above - a));
            missed_by_plain_arithmetic += i32::from(plain <= 0.0);
        }
        assert!(missed_by_plain_arithmetic > 0, "the test is too easy to prove anything");
    }

    #[test]
    fn even_permutations_keep_the_sign_and_odd_ones_turn_it() {
        let mut numbers = crate::testing::Matrices::new(7);
        for _ in 0..1000 {
            let [a, b, c, d] = [(); 4].map(|()| numbers.vector());
            let sign = orient3d(&a, &b, &c, &d).signum();
            assert_eq!(orient3d(&b, &c, &a, &d).signum(), sign);
            assert_eq!(orient3d(&b, &a, &c, &d).signum(), -sign);
            assert_eq!(orient3d(&d, &c, &b, &a).signum(), sign);
        }
    }
}
