//! Closest points on triangles and segments.

use craze_math::Vec3;

use crate::bvh::{MAX_DEPTH, Node};
use crate::triangles::TriangleTree;

/// The closest point of a set of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Its position (m).
    pub point: Vec3,
    /// Squared distance to the query point (m²).
    pub distance_squared: f64,
    /// Its triangle; among equally near ones the first in tree order.
    pub triangle: u32,
    /// Barycentric weights of the triangle's corners, none negative, with sum one.
    pub barycentric: [f64; 3],
}

impl TriangleTree {
    /// The closest point of all triangles; `None` for an empty set or a query point with NaN.
    pub fn closest(&self, point: &Vec3) -> Option<Closest> {
        self.closest_within(point, f64::INFINITY)
    }

    /// The closest point, if nearer than `distance` (m).
    pub fn closest_within(&self, point: &Vec3, distance: f64) -> Option<Closest> {
        self.closest_index_within(point, distance).map(|(_, closest)| closest)
    }

    pub(crate) fn closest_index_within(&self, point: &Vec3, distance: f64) -> Option<(usize, Closest)> {
        let root = self.bvh.nodes.first()?;
        let mut limit = distance * distance;
        let mut nearest = None;
        let mut stack = [(0_u32, 0.0_f64); MAX_DEPTH + 1];
        stack[0] = (0, node_distance_squared(root, point));
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (index, lower_bound) = stack[height];
            // Skips NaN too.
            if lower_bound.partial_cmp(&limit) != Some(std::cmp::Ordering::Less) {
                continue;
            }
            let node = &self.bvh.nodes[index as usize];
            if node.is_leaf() {
                for k in node.range() {
                    let (candidate, barycentric) = closest_on_triangle(point, &self.corners[k]);
                    let distance_squared = (candidate - point).norm_squared();
                    if distance_squared < limit {
                        limit = distance_squared;
                        let triangle = self.bvh.order[k];
                        nearest = Some((k, Closest { point: candidate, distance_squared, triangle, barycentric }));
                    }
                }
            } else {
                let first = node.first;
                let to = |child: u32| (child, node_distance_squared(&self.bvh.nodes[child as usize], point));
                let (left, right) = (to(first), to(first + 1));
                let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
                stack[height] = far;
                stack[height + 1] = near;
                height += 2;
            }
        }
        nearest
    }
}

fn node_distance_squared(node: &Node, point: &Vec3) -> f64 {
    let along = |axis: usize| {
        let (below, above) = (f64::from(node.min[axis]) - point[axis], point[axis] - f64::from(node.max[axis]));
        let outside = if below > above { below } else { above };
        if outside < 0.0 { 0.0 } else { outside * outside }
    };
    along(0) + along(1) + along(2)
}

/// The closest point of a triangle and its barycentric weights. A triangle without area is treated
/// as its edges.
pub fn closest_on_triangle(point: &Vec3, corners: &[Vec3; 3]) -> (Vec3, [f64; 3]) {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square > 0.0 {
        let weight = |from: &Vec3, to: &Vec3| (to - from).cross(&(point - from)).dot(&normal) / square;
        let weights = [weight(b, c), weight(c, a), weight(a, b)];
        if weights.iter().all(|&weight| weight >= 0.0) {
            // Orthogonal projection; the sum of the weights is one up to rounding.
            let sum = weights[0] + weights[1] + weights[2];
            let weights = weights.map(|weight| weight / sum);
            return (a * weights[0] + b * weights[1] + c * weights[2], weights);
        }
    }
    let edges = [(a, b, [0, 1]), (b, c, [1, 2]), (c, a, [2, 0])];
    let mut best = (*a, [1.0, 0.0, 0.0]);
    let mut least = f64::INFINITY;
    for (from, to, ends) in edges {
        let (candidate, parameter) = closest_on_segment(point, from, to);
        let distance_squared = (candidate - point).norm_squared();
        if distance_squared < least {
            least = distance_squared;
            let mut weights = [0.0; 3];
            weights[ends[0]] = 1.0 - parameter;
            weights[ends[1]] = parameter;
            best = (candidate, weights);
        }
    }
    best
}

/// The closest point of a segment and its parameter from 0 to 1; the start for a segment of length
/// zero.
pub fn closest_on_segment(point: &Vec3, from: &Vec3, to: &Vec3) -> (Vec3, f64) {
    let along = to - from;
    let square = along.norm_squared();
    if square <= 0.0 {
        return (*from, 0.0);
    }
    let parameter = ((point - from).dot(&along) / square).clamp(0.0, 1.0);
    (from + along * parameter, parameter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_triangles;
    use craze_math::Random;
    use proptest::prelude::*;

    #[test]
    fn closest_point_of_a_triangle_beats_every_sample() {
        let mut random = Random::new(9);
        let (positions, triangles) = random_triangles(200, 21);
        for t in &triangles {
            let corners = t.map(|p| positions[p as usize]);
            let point = random.vector();
            let (closest, weights) = closest_on_triangle(&point, &corners);
            assert!(weights.iter().all(|&w| w >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let rebuilt: Vec3 = (0..3).map(|k| corners[k] * weights[k]).sum();
            assert!((rebuilt - closest).norm() < 1e-12);
            let best = (closest - point).norm();
            let mut least = f64::INFINITY;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let sample = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                    least = least.min((sample - point).norm());
                }
            }
            assert!(best <= least + 1e-12, "{best} is farther than {least}");
            assert!(best >= least - 0.02, "{best} is nearer than the triangle at {least}");
        }
    }

    proptest! {
        #[test]
        fn closest_point_is_that_of_brute_force(seed in 0_u64..10_000, count in 0_usize..150) {
            let (positions, triangles) = random_triangles(count, seed);
            let tree = TriangleTree::new(&positions, &triangles).expect("sound");
            let mut random = Random::new(seed + 1);
            for _ in 0..20 {
                let point = random.vector() * 2.0;
                let distance = |t: &[u32; 3]| {
                    (closest_on_triangle(&point, &t.map(|p| positions[p as usize])).0 - point).norm_squared()
                };
                let expected = triangles.iter().map(distance).min_by(f64::total_cmp);
                prop_assert_eq!(tree.closest(&point).map(|closest| closest.distance_squared), expected);
                if let Some(expected) = expected {
                    let reach = expected.sqrt();
                    prop_assert!(tree.closest_within(&point, reach * 0.999).is_none());
                    prop_assert!(tree.closest_within(&point, reach * 1.001 + 1e-300).is_some());
                }
            }
        }
    }

    #[test]
    fn a_point_with_nan_has_no_closest_point() {
        let (positions, triangles) = random_triangles(10, 1);
        let tree = TriangleTree::new(&positions, &triangles).expect("sound");
        assert_eq!(tree.closest(&Vec3::repeat(f64::NAN)), None);
    }
}
