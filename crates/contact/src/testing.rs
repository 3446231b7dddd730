//! Surfaces for tests.

use crate::SurfacePoint;
use craze_math::Vec3;

/// A square sheet of 2·n² triangles in the xz plane, bent by a wave.
pub(crate) fn sheet(n: u32, height: f64, wave: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let place = |i: u32, k: u32| {
        let (x, z) = (f64::from(i) / f64::from(n), f64::from(k) / f64::from(n));
        Vec3::new(x, height + wave * (7.0 * x).sin() * (5.0 * z).cos(), z)
    };
    let points = (0..=n).flat_map(|k| (0..=n).map(move |i| place(i, k))).collect();
    let corner = |i: u32, k: u32| k * (n + 1) + i;
    let cells = (0..n).flat_map(|k| (0..n).map(move |i| (i, k)));
    let triangles = cells.flat_map(|(i, k)| {
        let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
        [[a, c, b], [a, d, c]]
    });
    (points, triangles.collect())
}

/// Points at rest.
pub(crate) fn resting(places: &[Vec3]) -> Vec<SurfacePoint> {
    let still = Vec3::zeros();
    let point = |(dof, &place): (usize, &Vec3)| SurfacePoint {
        dof: dof as u32,
        start: place,
        start_velocity: still,
        end: place,
        velocity: still,
        inverse_mass: 1.0,
        radius: 0.0,
    };
    places.iter().enumerate().map(point).collect()
}
