//! The rim of an open surface: all that the winding number's slope depends on.
//!
//! Away from the triangles the winding number is smooth, and by Stokes its gradient is an integral over the rim alone, the
//! law of Biot and Savart: 4π ∇w(p) = ∮ (x − p) × dx / |x − p|³.

use std::f64::consts::PI;

use craze_math::Vec3;
use craze_spatial::{SpatialError, TriangleTree};

use super::edges::RimEdge;

/// The rim of a surface, directed as its triangles run.
#[derive(Clone, Debug)]
pub(super) struct Rim {
    /// Ends (m) and how often the edge counts.
    edges: Vec<([Vec3; 2], f64)>,
    /// The edges as triangles without area, for the distance to them.
    tree: TriangleTree,
    /// Length (m), each edge as often as it counts.
    length: f64,
}

impl Rim {
    pub fn new(positions: &[Vec3], rim: &[RimEdge]) -> Result<Self, SpatialError> {
        let at = |point: u32| positions[point as usize];
        let edges: Vec<([Vec3; 2], f64)> =
            rim.iter().map(|edge| ([at(edge.from), at(edge.to)], f64::from(edge.times))).collect();
        let length = edges.iter().map(|([from, to], times)| times * (to - from).norm()).sum();
        let lines: Vec<[u32; 3]> = rim.iter().map(|edge| [edge.from, edge.to, edge.to]).collect();
        Ok(Self { edges, tree: TriangleTree::new(positions, &lines)?, length })
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Gradient of the winding number (1/m) off the surface.
    pub fn gradient(&self, point: &Vec3) -> Vec3 {
        let mut sum = Vec3::zeros();
        for ([from, to], times) in &self.edges {
            // ∫ (x − p) × dx / |x − p|³ over a segment, in closed form.
            let (a, b) = (from - point, to - point);
            let (la, lb) = (a.norm(), b.norm());
            let denominator = la * lb * (la * lb + a.dot(&b));
            if denominator > 0.0 {
                sum += a.cross(&b) * (times * (la + lb) / denominator);
            }
        }
        sum / (4.0 * PI)
    }

    /// Radius (m) of a ball around the point in which the winding number, but for jumps at triangles, changes by less than
    /// `change`.
    ///
    /// Within a radius ρ of a point that is D from the rim of length L the slope is at most L / (4π (D − ρ)²); so ρ solves
    /// ρ L = 4π · change · (D − ρ)².
    pub fn steady_radius(&self, point: &Vec3, change: f64) -> f64 {
        if self.is_empty() {
            return f64::INFINITY;
        }
        if !(change > 0.0) {
            return 0.0;
        }
        let Some(closest) = self.tree.closest(point) else { return 0.0 };
        let distance = closest.distance_squared.sqrt();
        // Both roots are positive; the smaller one, without cancellation, lies before the rim.
        let sum = 2.0 * distance + self.length / (4.0 * PI * change);
        2.0 * distance * distance / (sum + (sum * sum - 4.0 * distance * distance).max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{BuiltIn, Sphere};
    use crate::repair::edges::Edges;
    use craze_math::Random;
    use craze_spatial::winding_number_exact;

    #[test]
    fn the_gradient_is_that_of_the_winding_number_and_the_radius_holds() {
        let mut bowl = Sphere { radius: 1.0 }.surface(0.3).expect("a ball");
        let positions = bowl.positions.clone();
        bowl.triangles.retain(|t| positions[t[0] as usize].y < 0.2);
        let rim = Rim::new(&positions, &Edges::of(&bowl.triangles).rim()).expect("sound");
        let mut random = Random::new(3);
        let winding = |point: &Vec3| winding_number_exact(point, &positions, &bowl.triangles);
        for _ in 0..200 {
            let point = random.direction() * (0.8 * random.number());
            let slope = rim.gradient(&point);
            for axis in 0..3 {
                let step = Vec3::ith(axis, 1e-5);
                let expected = (winding(&(point + step)) - winding(&(point - step))) / 2e-5;
                assert!((slope[axis] - expected).abs() < 1e-6, "{} {expected}", slope[axis]);
            }
            let change = 0.02 + 0.4 * random.number();
            let radius = rim.steady_radius(&point, change);
            assert!(radius > 0.0);
            for _ in 0..20 {
                let other = point + random.direction() * radius;
                if other.norm() < 0.9 {
                    assert!((winding(&other) - winding(&point)).abs() <= change + 1e-12);
                }
            }
        }
    }
}
