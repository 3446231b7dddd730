//! Ray casting against triangles, or against primitives tested by the caller: nearest or any hit.
//!
//! Boxes are tested in `f32` with conservative rounding (after Ize 2013), triangles in `f64` by the
//! watertight test of Woop, Benthin & Wald 2013: a ray through an edge shared by two triangles hits
//! one of them.

use craze_math::Vec3;

use crate::bvh::{Bvh, MAX_DEPTH, Node, rounded_down, rounded_up};
use crate::triangles::TriangleTree;

/// A ray with a parameter interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Its start (m).
    pub origin: Vec3,
    /// Its direction, any non-zero length. Distances are in units of this length.
    pub direction: Vec3,
    /// Nearer hits are ignored.
    pub near: f64,
    /// Farther hits are ignored.
    pub far: f64,
}

/// Intersection of a ray with a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray, in lengths of its direction.
    pub distance: f64,
    /// The triangle.
    pub triangle: u32,
    /// Barycentric weights of the hit point; the sum is one.
    pub barycentric: [f64; 3],
}

impl Ray {
    /// The half-line from a point.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, near: 0.0, far: f64::INFINITY }
    }

    /// The point at a distance along the ray.
    pub fn at(&self, distance: f64) -> Vec3 {
        self.origin + self.direction * distance
    }
}

impl TriangleTree {
    /// The nearest hit within the ray's interval, from either side; among equally near ones the
    /// first in tree order.
    ///
    /// Triangles without area are never hit. A ray with a direction of zero or NaN hits nothing.
    pub fn cast(&self, ray: &Ray) -> Option<Hit> {
        let slabs = self.bvh.enter_root(ray)?;
        let shear = Shear::new(ray)?;
        let mut nearest = None;
        let mut far = ray.far;
        self.bvh.walk(&slabs, far, |k, limit| {
            if let Some((distance, barycentric)) = shear.intersect(&self.corners[k], ray.near, far) {
                far = distance;
                *limit = far_limit(far);
                nearest = Some(Hit { distance, triangle: self.bvh.order[k], barycentric });
            }
            Flow::Continue
        });
        nearest
    }

    /// Any hit within the ray's interval, deterministic but not necessarily the nearest; faster
    /// than [`cast`](Self::cast).
    pub fn cast_any(&self, ray: &Ray) -> Option<Hit> {
        let slabs = self.bvh.enter_root(ray)?;
        let shear = Shear::new(ray)?;
        let mut hit = None;
        self.bvh.walk(&slabs, ray.far, |k, _| match shear.intersect(&self.corners[k], ray.near, ray.far) {
            Some((distance, barycentric)) => {
                hit = Some(Hit { distance, triangle: self.bvh.order[k], barycentric });
                Flow::Stop
            }
            None => Flow::Continue,
        });
        hit
    }
}

impl Bvh {
    /// The first primitive hit and its distance, for primitives other than triangles. `intersect`
    /// returns the distance at which the ray hits a primitive, if below a limit.
    pub fn cast(&self, ray: &Ray, mut intersect: impl FnMut(u32, f64) -> Option<f64>) -> Option<(u32, f64)> {
        let slabs = self.enter_root(ray)?;
        let mut nearest = None;
        let mut far = ray.far;
        self.walk(&slabs, far, |k, limit| {
            if let Some(distance) = intersect(self.order[k], far) {
                far = distance;
                *limit = far_limit(far);
                nearest = Some((self.order[k], distance));
            }
            Flow::Continue
        });
        nearest
    }

    /// Any primitive hit, deterministic but not necessarily the nearest; faster than
    /// [`cast`](Self::cast).
    pub fn cast_any(&self, ray: &Ray, mut intersect: impl FnMut(u32, f64) -> Option<f64>) -> Option<(u32, f64)> {
        let slabs = self.enter_root(ray)?;
        let mut hit = None;
        self.walk(&slabs, ray.far, |k, _| match intersect(self.order[k], ray.far) {
            Some(distance) => {
                hit = Some((self.order[k], distance));
                Flow::Stop
            }
            None => Flow::Continue,
        });
        hit
    }

    /// Prepares the ray for box tests; `None` if it misses the root, as most rays of an image do.
    #[inline]
    fn enter_root(&self, ray: &Ray) -> Option<Slabs> {
        let root = self.nodes.first()?;
        let slabs = Slabs::new(ray);
        slabs.enter(root, far_limit(ray.far)).map(|_| slabs)
    }

    /// Visits primitives, as indices in leaf order, in boxes that the ray hits, near boxes first.
    #[inline(always)]
    fn walk(&self, slabs: &Slabs, far: f64, mut visit: impl FnMut(usize, &mut f32) -> Flow) {
        let Some(root) = self.nodes.first() else { return };
        let mut limit = far_limit(far);
        let mut stack = [(0_u32, 0.0_f32); MAX_DEPTH + 1];
        let mut height = 0;
        let mut node = root;
        loop {
            if node.is_leaf() {
                for k in node.range() {
                    if let Flow::Stop = visit(k, &mut limit) {
                        return;
                    }
                }
            } else {
                let first = node.first as usize;
                let (left, right) = (&self.nodes[first], &self.nodes[first + 1]);
                match (slabs.enter(left, limit), slabs.enter(right, limit)) {
                    (Some(to_left), Some(to_right)) => {
                        let left_first = to_left <= to_right;
                        stack[height] = if left_first { (first as u32 + 1, to_right) } else { (first as u32, to_left) };
                        height += 1;
                        node = if left_first { left } else { right };
                        continue;
                    }
                    (Some(_), None) => {
                        node = left;
                        continue;
                    }
                    (None, Some(_)) => {
                        node = right;
                        continue;
                    }
                    (None, None) => {}
                }
            }
            // Boxes on the stack may be beyond a hit found since.
            loop {
                if height == 0 {
                    return;
                }
                height -= 1;
                let (waiting, entry) = stack[height];
                if entry <= limit {
                    node = &self.nodes[waiting as usize];
                    break;
                }
            }
        }
    }
}

enum Flow {
    Continue,
    Stop,
}

/// Relative error of a slab distance: four roundings of half an ulp on each side of the comparison,
/// with a margin.
const SLAB_ROUNDING: f32 = 1.0 + 8.0 * f32::EPSILON;

fn far_limit(far: f64) -> f32 {
    rounded_up(far) * SLAB_ROUNDING
}

/// The ray prepared for box tests: `f32`, with the origin rounded both ways, as its error is
/// absolute.
struct Slabs {
    origin_near: [f32; 3],
    origin_far: [f32; 3],
    inverse: [f32; 3],
    backward: [usize; 3],
    near: f32,
}

impl Slabs {
    fn new(ray: &Ray) -> Self {
        let (low, high) = (ray.origin.map(rounded_down), ray.origin.map(rounded_up));
        let inverse = ray.direction.map(|d| (1.0 / d) as f32);
        let backward = [0, 1, 2].map(|axis| inverse[axis].is_sign_negative());
        Self {
            // Makes the entry earlier and the exit later.
            origin_near: [0, 1, 2].map(|axis| if backward[axis] { low[axis] } else { high[axis] }),
            origin_far: [0, 1, 2].map(|axis| if backward[axis] { high[axis] } else { low[axis] }),
            inverse: inverse.into(),
            backward: backward.map(usize::from),
            near: rounded_down(ray.near.max(0.0)),
        }
    }

    /// Distance at which the ray enters a box; `None` if it misses.
    #[inline(always)]
    fn enter(&self, node: &Node, limit: f32) -> Option<f32> {
        let sides = [&node.min, &node.max];
        let (mut enter, mut leave) = (self.near, limit);
        for axis in 0..3 {
            let near_side = sides[self.backward[axis]][axis];
            let far_side = sides[1 - self.backward[axis]][axis];
            let to_near = (near_side - self.origin_near[axis]) * self.inverse[axis];
            let to_far = (far_side - self.origin_far[axis]) * self.inverse[axis];
            // 0·∞, for a side parallel to the ray, is NaN: the comparison keeps the old bound.
            enter = if to_near > enter { to_near } else { enter };
            leave = if to_far < leave { to_far } else { leave };
        }
        (enter <= leave * SLAB_ROUNDING).then_some(enter)
    }
}

/// The ray prepared for triangle tests: axes permuted and sheared so that it points along z.
struct Shear {
    origin: Vec3,
    axes: [usize; 3],
    shear: [f64; 3],
}

impl Shear {
    fn new(ray: &Ray) -> Option<Self> {
        let z = ray.direction.iamax();
        let length = ray.direction[z];
        // A sum is finite only if all its terms are.
        if !(length.abs() > 0.0 && (ray.direction.sum() + ray.origin.sum()).is_finite()) {
            return None;
        }
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let shear = [ray.direction[x] / length, ray.direction[y] / length, 1.0 / length];
        Some(Self { origin: ray.origin, axes: [x, y, z], shear })
    }

    /// Distance and barycentric weights, if the ray hits the triangle in \[near, far\].
    #[inline(always)]
    fn intersect(&self, corners: &[Vec3; 3], near: f64, far: f64) -> Option<(f64, [f64; 3])> {
        let [x, y, z] = self.axes;
        let flatten = |corner: &Vec3| {
            let p = corner - self.origin;
            [p[x] - self.shear[0] * p[z], p[y] - self.shear[1] * p[z], p[z]]
        };
        let flat = [flatten(&corners[0]), flatten(&corners[1]), flatten(&corners[2])];
        // Each edge function is the exact negative of that in the neighbouring triangle:
        // watertight.
        let edge = |a: [f64; 3], b: [f64; 3]| a[0] * b[1] - a[1] * b[0];
        let weights = [edge(flat[2], flat[1]), edge(flat[0], flat[2]), edge(flat[1], flat[0])];
        let negative = (weights[0] < 0.0) | (weights[1] < 0.0) | (weights[2] < 0.0);
        let positive = (weights[0] > 0.0) | (weights[1] > 0.0) | (weights[2] > 0.0);
        if negative && positive {
            return None;
        }
        let sum = weights[0] + weights[1] + weights[2];
        if sum == 0.0 {
            return None;
        }
        let depth = weights[0] * flat[0][2] + weights[1] * flat[1][2] + weights[2] * flat[2][2];
        let distance = depth * self.shear[2] / sum;
        (distance >= near && distance <= far)
            .then(|| (distance, [weights[0] / sum, weights[1] / sum, weights[2] / sum]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use crate::testing::{random_triangles, sphere};
    use craze_math::Random;
    use proptest::prelude::*;

    fn brute_force(positions: &[Vec3], triangles: &[[u32; 3]], ray: &Ray) -> Option<f64> {
        let shear = Shear::new(ray)?;
        let hits =
            triangles.iter().filter_map(|t| shear.intersect(&t.map(|p| positions[p as usize]), ray.near, ray.far));
        hits.map(|(distance, _)| distance).min_by(f64::total_cmp)
    }

    proptest! {
        #[test]
        fn nearest_hit_equals_brute_force(seed in 0_u64..10_000, count in 0_usize..150, kind in 0..4) {
            let (positions, triangles) = random_triangles(count, seed);
            let tree = TriangleTree::new(&positions, &triangles).expect("sound");
            let mut random = Random::new(seed + 77);
            for _ in 0..30 {
                let origin = random.vector() * 1.5;
                let direction = match kind {
                    0 => Vec3::y() * if random.number() < 0.5 { -1.0 } else { 1.0 },
                    1 => Vec3::new(random.number() - 0.5, 0.0, 1e-30),
                    // Aimed at a corner or edge, where rounding decides.
                    2 if count > 0 => positions[(random.number() * positions.len() as f64) as usize] - origin,
                    _ => random.vector(),
                };
                let ray = Ray { near: 0.05, far: 0.5 + 3.0 * random.number(), ..Ray::new(origin, direction) };
                let expected = brute_force(&positions, &triangles, &ray);
                let hit = tree.cast(&ray);
                prop_assert_eq!(hit.map(|hit| hit.distance), expected);
                prop_assert_eq!(tree.cast_any(&ray).is_some(), expected.is_some());
                if let Some(hit) = hit {
                    let corners = triangles[hit.triangle as usize].map(|p| positions[p as usize]);
                    let point: Vec3 = (0..3).map(|k| corners[k] * hit.barycentric[k]).sum();
                    // The weights of a sliver amplify rounding; the distance is checked above.
                    if (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm() > 1e-6 {
                        prop_assert!((point - ray.at(hit.distance)).norm() < 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn rays_from_the_centre_never_slip_through_edges_or_corners() {
        let (positions, triangles) = sphere(1.0, 3);
        let tree = TriangleTree::new(&positions, &triangles).expect("sound");
        for t in &triangles {
            let [a, b, c] = t.map(|p| positions[p as usize]);
            for target in [a, b, c, (a + b) * 0.5, (b + c) * 0.5, a * 0.3 + c * 0.7, (a + b + c) / 3.0] {
                assert!(tree.cast(&Ray::new(Vec3::zeros(), target)).is_some(), "{target:?}");
            }
        }
    }

    #[test]
    fn no_hit_is_lost_to_single_precision_far_from_the_origin() {
        let offset = Vec3::new(1e5, -3e4, 7e4);
        let (positions, triangles) = sphere(0.01, 2);
        let moved: Vec<Vec3> = positions.iter().map(|point| point + offset).collect();
        let tree = TriangleTree::new(&moved, &triangles).expect("sound");
        let mut random = Random::new(5);
        for _ in 0..1000 {
            let direction = random.vector();
            let ray = Ray::new(offset + direction.normalize(), -direction);
            assert!(tree.cast(&ray).is_some());
        }
    }

    #[test]
    fn spheres_tested_by_the_caller_are_hit_as_in_brute_force() {
        let mut random = Random::new(11);
        let balls: Vec<(Vec3, f64)> = (0..200).map(|_| (random.vector(), 0.1 * random.number())).collect();
        let boxes: Vec<Aabb> =
            balls.iter().map(|(c, r)| Aabb { min: c.add_scalar(-r), max: c.add_scalar(*r) }).collect();
        let bvh = Bvh::build(&boxes).expect("sound");
        let mut hit = 0;
        for _ in 0..500 {
            let ray = Ray::new(random.vector() * 2.0, random.vector());
            let intersect = |ball: u32, far: f64| {
                let (centre, radius) = balls[ball as usize];
                let (offset, length) = (centre - ray.origin, ray.direction.norm());
                let along = offset.dot(&ray.direction) / length;
                let half = (radius * radius - offset.norm_squared() + along * along).sqrt();
                Some((along - half) / length).filter(|&distance| distance > 0.0 && distance <= far)
            };
            let expected = (0..200).filter_map(|ball| intersect(ball, f64::INFINITY)).min_by(f64::total_cmp);
            assert_eq!(bvh.cast(&ray, intersect).map(|(_, distance)| distance), expected);
            let any = bvh.cast_any(&ray, intersect);
            assert_eq!(any.is_some(), expected.is_some());
            hit += usize::from(any.is_some_and(|(ball, distance)| intersect(ball, f64::INFINITY) == Some(distance)));
        }
        assert!(hit > 20, "{hit}");
    }

    #[test]
    fn invalid_rays_hit_nothing() {
        let (positions, triangles) = sphere(1.0, 1);
        let tree = TriangleTree::new(&positions, &triangles).expect("sound");
        for direction in [Vec3::zeros(), Vec3::repeat(f64::NAN), Vec3::new(f64::INFINITY, 0.0, 0.0)] {
            assert_eq!(tree.cast(&Ray::new(Vec3::zeros(), direction)), None);
        }
        let behind = Ray { near: 0.0, far: 0.5, ..Ray::new(Vec3::zeros(), Vec3::x()) };
        assert!(tree.cast_any(&behind).is_none());
        assert_eq!(TriangleTree::default().cast(&Ray::new(Vec3::zeros(), Vec3::x())), None);
    }
}
