//! The rim of an open surface: all that the winding number's slope depends on.
//!
//! Away from the triangles the winding number is smooth, and by Stokes its gradient is an integral over the rim alone, the
//! law of Biot and Savart: 4π ∇w(p) = ∮ (x − p) × dx / |x − p|³.

use std::f64::consts::PI;

use craze_math::{Mat3, Vec3};
use craze_spatial::{Aabb, SpatialError, TriangleTree};

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
    /// Halves of the edges, and halves of those, for the gradient; the first holds all.
    bundles: Vec<Bundle>,
}

/// Edges in a ball, which from afar look like their sum.
#[derive(Clone, Debug)]
struct Bundle {
    /// Middle and radius (m) of the ball.
    centre: Vec3,
    radius: f64,
    /// Its edges are these of the rim.
    edges: std::ops::Range<usize>,
    /// The two bundles that it consists of; none for a few edges.
    halves: Option<[usize; 2]>,
    /// Σ d over its edges d (m),
    sum: Vec3,
    /// and Σ (m − c) dᵀ with their middles m (m²).
    moment: Mat3,
}

/// Edges of the smallest bundles.
const FEW: usize = 8;
/// Bundles are looked into from nearer than this many radii: what is left out is then about a thousandth of the gradient within holes,
/// where it is needed.
const NEAR: f64 = 4.0;

impl Rim {
    pub fn new(positions: &[Vec3], rim: &[RimEdge]) -> Result<Self, SpatialError> {
        let at = |point: u32| positions[point as usize];
        let mut edges: Vec<([Vec3; 2], f64)> =
            rim.iter().map(|edge| ([at(edge.from), at(edge.to)], f64::from(edge.times))).collect();
        let length = edges.iter().map(|([from, to], times)| times * (to - from).norm()).sum();
        let lines: Vec<[u32; 3]> = rim.iter().map(|edge| [edge.from, edge.to, edge.to]).collect();
        let mut bundles = Vec::new();
        if !edges.is_empty() {
            let count = edges.len();
            bundle(&mut edges, 0..count, &mut bundles);
        }
        Ok(Self { edges, tree: TriangleTree::new(positions, &lines)?, length, bundles })
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Gradient of the winding number (1/m) off the surface, but for about a thousandth of what it is within holes.
    pub fn gradient(&self, point: &Vec3) -> Vec3 {
        if self.bundles.is_empty() { Vec3::zeros() } else { self.pull(0, point) / (4.0 * PI) }
    }

    /// ∫ (x − p) × dx / |x − p|³ over a bundle.
    fn pull(&self, index: usize, point: &Vec3) -> Vec3 {
        let bundle = &self.bundles[index];
        let way = bundle.centre - point;
        let distance = way.norm();
        if distance > NEAR * bundle.radius {
            return bundle.far_pull(&way, distance);
        }
        match bundle.halves {
            Some([one, other]) => self.pull(one, point) + self.pull(other, point),
            None => self.edges[bundle.edges.clone()].iter().map(|(ends, times)| pull_of(ends, *times, point)).sum(),
        }
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

impl Bundle {
    /// With x − p = r + m, to first order in m: r × d/|r|³ + m × d/|r|³ − 3 (r·m) r × d/|r|⁵.
    fn far_pull(&self, way: &Vec3, distance: f64) -> Vec3 {
        let moment = &self.moment;
        let twist = Vec3::new(
            moment[(1, 2)] - moment[(2, 1)],
            moment[(2, 0)] - moment[(0, 2)],
            moment[(0, 1)] - moment[(1, 0)],
        );
        let along = moment.tr_mul(way);
        (way.cross(&self.sum) + twist) / distance.powi(3) - way.cross(&along) * (3.0 / distance.powi(5))
    }
}

/// Puts a range of edges into bundles, sorted along the longest side of their box; gives the number of the one that holds all.
fn bundle(edges: &mut [([Vec3; 2], f64)], range: std::ops::Range<usize>, bundles: &mut Vec<Bundle>) -> usize {
    let own = &mut edges[range.clone()];
    let bounds = Aabb::around(own.iter().flat_map(|(ends, _)| ends));
    let centre = bounds.centre();
    let radius = own.iter().flat_map(|(ends, _)| ends).map(|end| (end - centre).norm()).fold(0.0, f64::max);
    let mut made =
        Bundle { centre, radius, edges: range.clone(), halves: None, sum: Vec3::zeros(), moment: Mat3::zeros() };
    for ([from, to], times) in own.iter() {
        let edge = (to - from) * *times;
        made.sum += edge;
        made.moment += ((from + to) * 0.5 - centre) * edge.transpose();
    }
    let axis = bounds.size().imax();
    own.sort_by(|one, other| (one.0[0][axis] + one.0[1][axis]).total_cmp(&(other.0[0][axis] + other.0[1][axis])));
    let index = bundles.len();
    bundles.push(made);
    if range.len() > FEW {
        let middle = range.start + range.len() / 2;
        let halves = [range.start..middle, middle..range.end].map(|half| bundle(edges, half, bundles));
        bundles[index].halves = Some(halves);
    }
    index
}

/// ∫ (x − p) × dx / |x − p|³ over a segment that counts so often, in closed form.
fn pull_of([from, to]: &[Vec3; 2], times: f64, point: &Vec3) -> Vec3 {
    let (a, b) = (from - point, to - point);
    let (la, lb) = (a.norm(), b.norm());
    let denominator = la * lb * (la * lb + a.dot(&b));
    if denominator > 0.0 { a.cross(&b) * (times * (la + lb) / denominator) } else { Vec3::zeros() }
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
                assert!((slope[axis] - expected).abs() < 0.02 * slope.norm() + 1e-6, "{} {expected}", slope[axis]);
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

    #[test]
    fn many_holes_have_the_gradient_of_all_their_edges() {
        let mut sieve = Sphere { radius: 1.0 }.surface(0.08).expect("a ball");
        let mut number = 0;
        sieve.triangles.retain(|_| {
            number += 1;
            number % 5 != 0
        });
        let rim = Rim::new(&sieve.positions, &Edges::of(&sieve.triangles).rim()).expect("sound");
        assert!(rim.edges.len() > 1000);
        let mut random = Random::new(4);
        for _ in 0..300 {
            let point = random.direction() * (1.5 * random.number());
            let all: Vec3 =
                rim.edges.iter().map(|(ends, times)| pull_of(ends, *times, &point)).sum::<Vec3>() / (4.0 * PI);
            // Within a hole, 0.08 m wide, the gradient is about 12/m.
            let near = 0.01 * all.norm() + 0.02;
            assert!((rim.gradient(&point) - all).norm() < near, "{} {all}", rim.gradient(&point));
        }
    }
}
