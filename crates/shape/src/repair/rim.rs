//! The rim of an open surface, which determines the gradient of its winding number.
//!
//! Off the triangles the winding number is smooth, and by Stokes' theorem its gradient is the
//! Biot–Savart integral over the rim: 4π ∇w(p) = ∮ (x − p) × dx / |x − p|³.

use std::f64::consts::PI;

use craze_math::{Mat3, Vec3};
use craze_spatial::{Aabb, SpatialError, TriangleTree};

use super::edges::RimEdge;

/// The rim of a surface, directed as its triangles traverse it.
#[derive(Clone, Debug)]
pub(super) struct Rim {
    /// Ends (m) and multiplicity of each edge.
    edges: Vec<([Vec3; 2], f64)>,
    /// The edges as degenerate triangles, for distance queries.
    tree: TriangleTree,
    /// Length (m), counted with multiplicity.
    length: f64,
    /// Binary tree of edge clusters for the gradient of long rims; the first is the root.
    clusters: Vec<EdgeCluster>,
}

/// Edges in a ball, with the moments of their far field.
#[derive(Clone, Debug)]
struct EdgeCluster {
    /// Centre and radius (m) of the ball.
    centre: Vec3,
    radius: f64,
    /// Range of its edges in the rim.
    edges: std::ops::Range<usize>,
    /// The two child clusters; none for leaves.
    children: Option<[usize; 2]>,
    /// Σ d over the edge vectors d (m),
    sum: Vec3,
    /// and Σ (m − c) dᵀ with the edge midpoints m (m²).
    moment: Mat3,
}

/// Largest number of edges in a leaf cluster.
const MAX_LEAF_EDGES: usize = 8;
/// Longest rim whose gradient is summed over all edges, which takes a few microseconds.
const MAX_DIRECT_EDGES: usize = 256;
/// Distance (radii) from which a cluster's far field is used; its error is about a thousandth of
/// the gradient within holes.
const FAR_FIELD_RADII: f64 = 4.0;

impl Rim {
    pub fn new(positions: &[Vec3], rim: &[RimEdge]) -> Result<Self, SpatialError> {
        let at = |point: u32| positions[point as usize];
        let mut edges: Vec<([Vec3; 2], f64)> =
            rim.iter().map(|edge| ([at(edge.from), at(edge.to)], f64::from(edge.times))).collect();
        let length = edges.iter().map(|([from, to], times)| times * (to - from).norm()).sum();
        let lines: Vec<[u32; 3]> = rim.iter().map(|edge| [edge.from, edge.to, edge.to]).collect();
        let mut clusters = Vec::new();
        if edges.len() > MAX_DIRECT_EDGES {
            let count = edges.len();
            build_clusters(&mut edges, 0..count, &mut clusters);
        }
        Ok(Self { edges, tree: TriangleTree::new(positions, &lines)?, length, clusters })
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Gradient of the winding number (1/m) off the surface, for search directions; long rims have
    /// an error of about a thousandth.
    pub fn gradient(&self, point: &Vec3) -> Vec3 {
        let biot_savart =
            if self.clusters.is_empty() { self.direct_biot_savart(point) } else { self.biot_savart(0, point) };
        biot_savart / (4.0 * PI)
    }

    fn direct_biot_savart(&self, point: &Vec3) -> Vec3 {
        self.edges.iter().map(|(ends, times)| segment_biot_savart(ends, *times, point)).sum()
    }

    fn biot_savart(&self, index: usize, point: &Vec3) -> Vec3 {
        let build_clusters = &self.clusters[index];
        let offset = build_clusters.centre - point;
        let distance = offset.norm();
        if distance > FAR_FIELD_RADII * build_clusters.radius {
            return build_clusters.far_field(&offset, distance);
        }
        match build_clusters.children {
            Some([one, other]) => self.biot_savart(one, point) + self.biot_savart(other, point),
            None => self.edges[build_clusters.edges.clone()]
                .iter()
                .map(|(ends, times)| segment_biot_savart(ends, *times, point))
                .sum(),
        }
    }

    /// Radius (m) of a ball around the point in which the winding number changes by less than
    /// `change`, apart from jumps at triangles.
    ///
    /// At distance D from a rim of length L, the gradient within a radius ρ is at most L / (4π (D −
    /// ρ)²), so ρ solves ρ L = 4π · change · (D − ρ)².
    pub fn steady_radius(&self, point: &Vec3, change: f64) -> f64 {
        if self.is_empty() {
            return f64::INFINITY;
        }
        if !(change > 0.0) {
            return 0.0;
        }
        let Some(closest) = self.tree.closest(point) else { return 0.0 };
        let distance = closest.distance_squared.sqrt();
        // The smaller of two positive roots, without cancellation.
        let sum = 2.0 * distance + self.length / (4.0 * PI * change);
        2.0 * distance * distance / (sum + (sum * sum - 4.0 * distance * distance).max(0.0).sqrt())
    }
}

impl EdgeCluster {
    /// With x − p = r + m, to first order in m: r × d/|r|³ + m × d/|r|³ − 3 (r·m) r × d/|r|⁵.
    fn far_field(&self, offset: &Vec3, distance: f64) -> Vec3 {
        let moment = &self.moment;
        let twist = Vec3::new(
            moment[(1, 2)] - moment[(2, 1)],
            moment[(2, 0)] - moment[(0, 2)],
            moment[(0, 1)] - moment[(1, 0)],
        );
        let along = moment.tr_mul(offset);
        (offset.cross(&self.sum) + twist) / distance.powi(3) - offset.cross(&along) * (3.0 / distance.powi(5))
    }
}

/// Builds the clusters of a range of edges by median splits; returns their root.
fn build_clusters(
    edges: &mut [([Vec3; 2], f64)],
    range: std::ops::Range<usize>,
    clusters: &mut Vec<EdgeCluster>,
) -> usize {
    let own = &mut edges[range.clone()];
    let bounds = Aabb::from_points(own.iter().flat_map(|(ends, _)| ends));
    let centre = bounds.centre();
    let radius = own.iter().flat_map(|(ends, _)| ends).map(|end| (end - centre).norm()).fold(0.0, f64::max);
    let mut made =
        EdgeCluster { centre, radius, edges: range.clone(), children: None, sum: Vec3::zeros(), moment: Mat3::zeros() };
    for ([from, to], times) in own.iter() {
        let edge = (to - from) * *times;
        made.sum += edge;
        made.moment += ((from + to) * 0.5 - centre) * edge.transpose();
    }
    let axis = bounds.size().imax();
    own.sort_by(|one, other| (one.0[0][axis] + one.0[1][axis]).total_cmp(&(other.0[0][axis] + other.0[1][axis])));
    let index = clusters.len();
    clusters.push(made);
    if range.len() > MAX_LEAF_EDGES {
        let middle = range.start + range.len() / 2;
        let children = [range.start..middle, middle..range.end].map(|half| build_clusters(edges, half, clusters));
        clusters[index].children = Some(children);
    }
    index
}

/// ∫ (x − p) × dx / |x − p|³ over a segment, in closed form.
fn segment_biot_savart([from, to]: &[Vec3; 2], times: f64, point: &Vec3) -> Vec3 {
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

    /// A ball with every fifth triangle missing, and the centroids of the holes.
    fn perforated_ball() -> (TriangleSurface, Vec<Vec3>) {
        let mut perforated_ball = Sphere { radius: 1.0 }.surface(0.08).expect("a ball");
        let (kept, holes): (Vec<_>, Vec<_>) =
            perforated_ball.triangles.iter().zip(0..).partition(|(_, number)| number % 5 != 0);
        let middle = |(corners, _): &(&[u32; 3], i32)| perforated_ball.corners(corners).iter().sum::<Vec3>() / 3.0;
        let holes = holes.iter().map(middle).collect();
        perforated_ball.triangles = kept.into_iter().map(|(corners, _)| *corners).collect();
        (perforated_ball, holes)
    }

    #[test]
    fn the_clustered_gradient_of_many_holes_points_as_that_of_all_edges() {
        let (perforated_ball, holes) = perforated_ball();
        let rim = Rim::new(&perforated_ball.positions, &Edges::of(&perforated_ball.triangles).rim()).expect("sound");
        assert!(rim.edges.len() > 1000 && !rim.clusters.is_empty());
        let mut random = Random::new(4);
        for hole in holes {
            // Positions in the hole and up to its width above and below.
            let point = hole + random.direction() * (0.04 * random.number());
            let (found, all) = (rim.gradient(&point), rim.direct_biot_savart(&point) / (4.0 * PI));
            let angle = found.cross(&all).norm().atan2(found.dot(&all)).to_degrees();
            assert!(angle < 0.5 && (found.norm() / all.norm() - 1.0).abs() < 0.005, "{angle}° {found} {all}");
        }
    }

    #[test]
    fn the_surface_of_many_holes_is_found_exactly_along_the_gradient() {
        let (perforated_ball, holes) = perforated_ball();
        let (domain, _) = SurfaceDomain::new(&perforated_ball).expect("an inside");
        for hole in holes {
            let normal = domain.normal(&hole).expect("a direction");
            // Normals near closed small holes are radial.
            assert!(normal.dot(&hole.normalize()) > 0.9, "{normal} at {hole}");
            let met = crate::stuffing::project(&domain, &hole, &normal, 0.04).expect("the surface");
            assert!(domain.level(&met).abs() < 1e-4, "{} at {met}", domain.level(&met));
            // The level changes sign across the surface.
            let [inside, outside] = [-1e-6, 1e-6].map(|step| domain.contains(&(met + normal * step)));
            assert!(inside && !outside, "{met}");
            // The clearance of a point beside the surface does not reach it.
            for depth in [0.01, -0.01] {
                assert!(domain.clearance(&(met + normal * depth)) <= 0.01 + 1e-9);
            }
        }
    }
}
