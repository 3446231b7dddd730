//! Signed distance of an ellipsoid.

use craze_math::Vec3;

/// Signed distance (m) of the ellipsoid at the origin with these half-axes (m), negative inside;
/// exact to rounding.
///
/// The closest point x satisfies xᵢ (t + rᵢ²) = rᵢ² pᵢ, where t > −min rᵢ² is the root of F(t) = Σ
/// (rᵢ pᵢ / (t + rᵢ²))² − 1 (Eberly, Distance from a point to an ellipse, an ellipsoid, or a
/// hyperellipsoid, 2013). F is convex and decreasing, so Newton's method from F ≥ 0 does not
/// overshoot.
pub(super) fn distance(point: &Vec3, radii: &Vec3) -> f64 {
    let p = point.abs();
    let squares = radii.component_mul(radii);
    let scaled = radii.component_mul(&p);
    let smallest = squares.min();
    // One term is 1 here, so F ≥ 0.
    let start = (0..3).map(|axis| scaled[axis] - squares[axis]).fold(f64::NEG_INFINITY, f64::max);
    let mut t = start;
    if t <= -smallest {
        return distance_from_focal_region(&p, &squares, smallest);
    }
    // Far from the root, t + min rᵢ² grows by half of itself per step; only NaN needs 200 steps.
    for _ in 0..200 {
        let ratio = Vec3::from_fn(|axis, _| scaled[axis] / (t + squares[axis]));
        let value = ratio.norm_squared() - 1.0;
        let slope: f64 = (0..3).map(|axis| -2.0 * ratio[axis] * ratio[axis] / (t + squares[axis])).sum();
        let step = value / slope;
        // Below the rounding error of t.
        if !(step.abs() > 1e-15 * (t.abs() + smallest)) {
            break;
        }
        t -= step;
    }
    let nearest = Vec3::from_fn(|axis, _| squares[axis] * p[axis] / (t + squares[axis]));
    (p - nearest).norm() * if t < 0.0 { -1.0 } else { 1.0 }
}

/// Distance of a point in the plane normal to the shortest axis that has two closest points, mirror
/// images in that plane.
fn distance_from_focal_region(p: &Vec3, squares: &Vec3, smallest: f64) -> f64 {
    let mut nearest = Vec3::zeros();
    let mut left = 1.0;
    for axis in 0..3 {
        if squares[axis] > smallest {
            nearest[axis] = squares[axis] * p[axis] / (squares[axis] - smallest);
            left -= nearest[axis] * nearest[axis] / squares[axis];
        }
    }
    let out = smallest * left.max(0.0);
    -((p - nearest).norm_squared() + out).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_axes_and_the_centre_are_exact() {
        let round = Vec3::repeat(0.4);
        assert!((distance(&Vec3::new(0.3, 0.4, 1.2), &round) - 0.9).abs() < 1e-14);
        assert!((distance(&Vec3::zeros(), &round) + 0.4).abs() < 1e-14);
        let radii = Vec3::new(1.0, 0.5, 2.0);
        assert!((distance(&Vec3::new(0.0, 3.0, 0.0), &radii) - 2.5).abs() < 1e-14);
        assert!((distance(&Vec3::new(0.0, 0.0, -2.5), &radii) - 0.5).abs() < 1e-14);
        assert!((distance(&Vec3::zeros(), &radii) + 0.5).abs() < 1e-14);
        // The centre of curvature at the end of the long axis is 2 − 0.5²/2 = 1.875 from the
        // centre.
        assert!((distance(&Vec3::new(0.0, 0.0, 1.9), &radii) + 0.1).abs() < 1e-14);
    }

    #[test]
    fn the_distance_agrees_with_sampled_surface_points() {
        let radii = Vec3::new(0.3, 0.7, 0.2);
        let points: Vec<Vec3> = (0..400)
            .flat_map(|i| (0..400).map(move |j| (f64::from(i) / 399.0, f64::from(j) / 400.0)))
            .map(|(u, v)| (u * std::f64::consts::PI, v * std::f64::consts::TAU))
            .map(|(u, v)| radii.component_mul(&Vec3::new(u.sin() * v.cos(), u.cos(), u.sin() * v.sin())))
            .collect();
        for k in 0..60 {
            let a = f64::from(k);
            let point = Vec3::new((a * 0.61).sin() * 0.4, (a * 0.37).cos() * 0.9, (a * 1.7).sin() * 0.3);
            let nearest = points.iter().map(|other| (other - point).norm()).fold(f64::INFINITY, f64::min);
            let inside = point.component_div(&radii).norm() < 1.0;
            let found = distance(&point, &radii);
            assert_eq!(found < 0.0, inside, "{point}");
            // Sample points are 4 mm or less from any point of the surface.
            let excess = nearest * nearest - found * found;
            assert!(found.abs() <= nearest + 1e-12 && excess < 0.004 * 0.004 * 2.0, "{point}: {found} {nearest}");
        }
    }
}
