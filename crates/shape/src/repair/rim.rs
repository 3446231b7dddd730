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
    /// Halves of the edges, and halves of those, for the gradient of long rims; the first holds all.
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
/// The gradient of rims of no more edges is summed over all of them: so many take a few microseconds.
const EXACT: usize = 256;
/// Bundles of longer rims are looked into from nearer than this many radii: what is left out is then about a thousandth of the gradient
/// within holes, where it is needed.
const NEAR: f64 = 4.0;

impl Rim {
    pub fn new(positions: &[Vec3], rim: &[RimEdge]) -> Result<Self, SpatialError> {
        let at = |point: u32| positions[point as usize];
        let mut edges: Vec<([Vec3; 2], f64)> =
            rim.iter().map(|edge| ([at(edge.from), at(edge.to)], f64::from(edge.times))).collect();
        let length = edges.iter().map(|([from, to], times)| times * (to - from).norm()).sum();
        let lines: Vec<[u32; 3]> = rim.iter().map(|edge| [edge.from, edge.to, edge.to]).collect();
        let mut bundles = Vec::new();
        if edges.len() > EXACT {
            let count = edges.len();
            bundle(&mut edges, 0..count, &mut bundles);
        }
        Ok(Self { edges, tree: TriangleTree::new(positions, &lines)?, length, bundles })
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Gradient of the winding number (1/m) off the surface; that of rims of very many edges but for about a thousandth of what it is within
    /// holes. Only its direction is used, to look along for the surface: where that is, the winding number itself decides.
    pub fn gradient(&self, point: &Vec3) -> Vec3 {
        let pull = if self.bundles.is_empty() { self.full_pull(point) } else { self.pull(0, point) };
        pull / (4.0 * PI)
    }

    /// ∫ (x − p) × dx / |x − p|³ over all edges.
    fn full_pull(&self, point: &Vec3) -> Vec3 {
        self.edges.iter().map(|(ends, times)| pull_of(ends, *times, point)).sum()
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
    let bounds = Aabb::from_points(own.iter().flat_map(|(ends, _)| ends));
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
    use crate::Domain;
    use crate::catalogue::{BuiltIn, Sphere};
    use crate::repair::SurfaceDomain;
    use crate::repair::edges::Edges;
    use crate::surface::TriangleSurface;
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

    /// A ball of whose triangles every fifth is missing, and the middles of the holes.
    fn sieve() -> (TriangleSurface, Vec<Vec3>) {
        let mut sieve = Sphere { radius: 1.0 }.surface(0.08).expect("a ball");
        let (kept, holes): (Vec<_>, Vec<_>) = sieve.triangles.iter().zip(0..).partition(|(_, number)| number % 5 != 0);
        let middle = |(corners, _): &(&[u32; 3], i32)| sieve.corners(corners).iter().sum::<Vec3>() / 3.0;
        let holes = holes.iter().map(middle).collect();
        sieve.triangles = kept.into_iter().map(|(corners, _)| *corners).collect();
        (sieve, holes)
    }

    #[test]
    fn the_gradient_of_many_holes_points_where_that_of_all_edges_does() {
        let (sieve, holes) = sieve();
        let rim = Rim::new(&sieve.positions, &Edges::of(&sieve.triangles).rim()).expect("sound");
        assert!(rim.edges.len() > 1000 && !rim.bundles.is_empty());
        let mut random = Random::new(4);
        for hole in holes {
            // Anywhere in the hole and as far above and below as it is wide.
            let point = hole + random.direction() * (0.04 * random.number());
            let (found, all) = (rim.gradient(&point), rim.full_pull(&point) / (4.0 * PI));
            let angle = found.cross(&all).norm().atan2(found.dot(&all)).to_degrees();
            assert!(angle < 0.5 && (found.norm() / all.norm() - 1.0).abs() < 0.005, "{angle}° {found} {all}");
        }
    }

    #[test]
    fn along_the_gradient_the_surface_of_many_holes_is_met_exactly() {
        let (sieve, holes) = sieve();
        let (domain, _) = SurfaceDomain::new(&sieve).expect("an inside");
        for hole in holes {
            let normal = domain.normal(&hole).expect("a direction");
            // A ball has its normals along its radii: so has the level that closes small holes.
            assert!(normal.dot(&hole.normalize()) > 0.9, "{normal} at {hole}");
            let met = crate::stuffing::project(&domain, &hole, &normal, 0.04).expect("the surface");
            assert!(domain.level(&met).abs() < 1e-4, "{} at {met}", domain.level(&met));
            // On both sides of it the level has its signs, at once.
            let [inside, outside] = [-1e-6, 1e-6].map(|step| domain.contains(&(met + normal * step)));
            assert!(inside && !outside, "{met}");
            // And a ball of the clearance around a point beside it does not reach it.
            for depth in [0.01, -0.01] {
                assert!(domain.clearance(&(met + normal * depth)) <= 0.01 + 1e-9);
            }
        }
    }
}
