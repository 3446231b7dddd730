//! Generalised winding numbers of triangle surfaces (Jacobson et al. 2013).
//!
//! The winding number is 1 inside a closed surface that is counterclockwise from outside, 0
//! outside, and in between for a surface with holes. Far clusters of triangles contribute by the
//! Taylor expansion of their dipoles to second order (Barill et al. 2018 §3), near triangles by
//! their solid angles.

use std::f64::consts::PI;

use craze_math::{Mat3, Vec3};

use crate::bvh::{MAX_DEPTH, Node, rounded_up};
use crate::error::SpatialError;
use crate::triangles::TriangleTree;
use crate::tuning::FAR_RADII;

/// A triangle tree with the moments of each subtree.
///
/// The data needed at each step of the descent is 24 contiguous bytes per node; moments are read
/// for far clusters only. Both are `f32` in coordinates centred and scaled to the surface, which
/// halves the memory traffic.
#[derive(Clone, Debug)]
pub struct WindingTree {
    tree: TriangleTree,
    /// Centre of the bounding box (m).
    centre: Vec3,
    /// Reciprocal of half the longest side of the box (1/m).
    scale: f64,
    nodes: Vec<ClusterNode>,
    moments: Vec<Moments>,
}

#[derive(Clone, Copy, Debug)]
struct ClusterNode {
    /// Its area-weighted centre, rounded.
    centre: [f32; 3],
    /// Square of the distance beyond which the expansion is used, rounded up.
    far_squared: f32,
    /// First of two adjacent children, or of the triangles in leaf order.
    first: u32,
    /// Number of triangles; 0 in an inner node.
    count: u32,
}

/// Multipole moments of a cluster; δ is the offset from its centre, n the unit normal.
#[derive(Clone, Copy, Debug)]
struct Moments {
    /// ∫ n dA.
    dipole: [f32; 3],
    /// ∫ n ⊗ δ dA, symmetric trace-free part: xx, yy, zz, xy, xz, yz, the last three doubled.
    quadrupole: [f32; 6],
    /// ∫ n ⊗ δ ⊗ δ dA, symmetric trace-free part: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz,
    /// each times the number of its permutations.
    octupole: [f32; 10],
}

impl Moments {
    /// 4π times the winding number of the cluster for the offset from the point to its centre.
    ///
    /// With f(d) = d/|d|³, harmonic, ∂f = −3 d⊗d/r⁵ and ∂²f = 15 d⊗d⊗d/r⁷ up to traces, which
    /// vanish against trace-free moments.
    #[inline(always)]
    fn evaluate(&self, offset: &Vec3, square: f64) -> f64 {
        let inverse_square = 1.0 / square;
        let inverse_cube = inverse_square * inverse_square.sqrt();
        let [x, y, z] = [offset.x, offset.y, offset.z];
        let [xx, yy, zz] = [x * x, y * y, z * z];
        let [nx, ny, nz] = self.dipole.map(f64::from);
        let m = self.quadrupole.map(f64::from);
        let s = self.octupole.map(f64::from);
        let first = nx * x + ny * y + nz * z;
        let second = m[0] * xx + m[1] * yy + m[2] * zz + m[3] * x * y + m[4] * x * z + m[5] * y * z;
        let third = x * (xx * s[0] + yy * s[5] + zz * s[7])
            + y * (yy * s[1] + xx * s[3] + zz * s[8])
            + z * (zz * s[2] + xx * s[4] + yy * s[6] + x * y * s[9]);
        inverse_cube * (first + inverse_square * (7.5 * third * inverse_square - 3.0 * second))
    }
}

impl WindingTree {
    /// Largest error of [`winding_number`](Self::winding_number) measured on all kinds of surfaces;
    /// not a proven bound.
    pub const ERROR: f64 = 0.01;

    /// Builds the tree; fails like [`TriangleTree::new`]. Without triangles the winding number is
    /// 0.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SpatialError> {
        Ok(Self::from_tree(TriangleTree::new(positions, triangles)?))
    }

    /// Computes the moments for a tree.
    pub fn from_tree(tree: TriangleTree) -> Self {
        let bounds = tree.bvh.bounds();
        let half = if tree.is_empty() { 0.0 } else { bounds.size().max() * 0.5 };
        let scale = if half > 0.0 { 1.0 / half } else { 1.0 };
        let centre = if tree.is_empty() { Vec3::zeros() } else { bounds.centre() };
        let (nodes, moments) = clusters(&tree, &centre, scale);
        Self { tree, centre, scale, nodes, moments }
    }

    /// The triangle tree.
    pub fn triangles(&self) -> &TriangleTree {
        &self.tree
    }

    /// The winding number of a point, within about [`ERROR`](Self::ERROR) of
    /// [`winding_number_exact`]; O(log n).
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let mut sum = 0.0;
        let mut near = SolidAngles::new();
        self.walk(
            point,
            |cluster, offset, square| sum += self.moments[cluster].evaluate(offset, square),
            |corners| corners.iter().for_each(|corners| near.add(point, corners)),
        );
        (sum + near.total()) / (4.0 * PI)
    }

    /// Number of clusters and triangles that [`winding_number`](Self::winding_number) evaluates for
    /// a point: its cost. Long triangles across a surface, as in damaged files, are near to every
    /// point.
    pub fn evaluation_count(&self, point: &Vec3) -> usize {
        let (mut clusters, mut triangles) = (0, 0);
        if !self.nodes.is_empty() {
            self.walk(point, |_, _, _| clusters += 1, |corners| triangles += corners.len());
        }
        clusters + triangles
    }

    /// Visits the clusters far enough from a point for the expansion, and the corners of the other
    /// triangles.
    #[inline(always)]
    fn walk(&self, point: &Vec3, mut far: impl FnMut(usize, &Vec3, f64), mut near: impl FnMut(&[[Vec3; 3]])) {
        let scaled = (point - self.centre) * self.scale;
        let mut stack = [0_u32; MAX_DEPTH + 1];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let index = stack[height] as usize;
            let node = &self.nodes[index];
            let offset = Vec3::from(node.centre.map(f64::from)) - scaled;
            let square = offset.norm_squared();
            if square > f64::from(node.far_squared) {
                far(index, &offset, square);
            } else if node.count > 0 {
                let start = node.first as usize;
                near(&self.tree.corners[start..start + node.count as usize]);
            } else {
                stack[height] = node.first + 1;
                stack[height + 1] = node.first;
                height += 2;
            }
        }
    }
}

/// Nodes and moments of all subtrees, in node order of the tree.
fn clusters(tree: &TriangleTree, centre: &Vec3, scale: f64) -> (Vec<ClusterNode>, Vec<Moments>) {
    let nodes = &tree.bvh.nodes;
    let scaled: Vec<[Vec3; 3]> = tree.corners.iter().map(|t| t.map(|corner| (corner - centre) * scale)).collect();
    let mut spans = vec![(0, 0); nodes.len()];
    let mut sums = vec![(Vec3::zeros(), 0.0); nodes.len()];
    // Children are behind their parents, and the triangles of a subtree are contiguous.
    for (index, node) in nodes.iter().enumerate().rev() {
        if node.is_leaf() {
            spans[index] = (node.range().start, node.range().end);
            for corners in &scaled[node.range()] {
                let area = area_vector(corners).norm();
                sums[index].0 += (corners[0] + corners[1] + corners[2]) * (area / 3.0);
                sums[index].1 += area;
            }
        } else {
            let (left, right) = (node.first as usize, node.first as usize + 1);
            spans[index] = (spans[left].0, spans[right].1);
            sums[index] = (sums[left].0 + sums[right].0, sums[left].1 + sums[right].1);
        }
    }
    let one = |(index, node): (usize, &Node)| {
        let members = &scaled[spans[index].0..spans[index].1];
        let (weighted, area) = sums[index];
        // Without area all moments are zero for any centre.
        let cluster_centre = if area > 0.0 { weighted / area } else { members[0][0] };
        let cluster_centre = cluster_centre.map(|value| value as f32);
        let (radius_squared, moments) = moments(&cluster_centre.map(f64::from), members);
        let far_squared = rounded_up(FAR_RADII * FAR_RADII * radius_squared);
        (ClusterNode { centre: cluster_centre.into(), far_squared, first: node.first, count: node.count }, moments)
    };
    nodes.iter().enumerate().map(one).unzip()
}

fn area_vector([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a)) * 0.5
}

/// Squared distance from a centre to the farthest corner, and the moments about the centre.
fn moments(centre: &Vec3, triangles: &[[Vec3; 3]]) -> (f64, Moments) {
    let mut radius_squared = 0.0_f64;
    let mut dipole = Vec3::zeros();
    let mut first = Mat3::zeros();
    let mut second = [Mat3::zeros(); 3];
    for corners in triangles {
        let normal = area_vector(corners);
        let offsets = corners.map(|corner| corner - centre);
        radius_squared = offsets.iter().map(Vec3::norm_squared).fold(radius_squared, f64::max);
        let sum = offsets[0] + offsets[1] + offsets[2];
        dipole += normal;
        first += normal * sum.transpose() / 3.0;
        // ∫ δ δᵀ over a triangle is area/12 · (Σ c cᵀ + s sᵀ), s the sum of its corners c.
        let spread = offsets.iter().fold(sum * sum.transpose(), |all, c| all + c * c.transpose()) / 12.0;
        for j in 0..3 {
            second[j] += spread * normal[j];
        }
    }
    let third = first.trace() / 3.0;
    let m = |j: usize, k: usize| first[(j, k)] + first[(k, j)];
    let symmetric = |j: usize, k: usize, l: usize| (second[j][(k, l)] + second[k][(j, l)] + second[l][(j, k)]) / 3.0;
    let trace = Vec3::from_fn(|j, _| symmetric(j, 0, 0) + symmetric(j, 1, 1) + symmetric(j, 2, 2)) / 5.0;
    let s = |j: usize, k: usize, l: usize| {
        let part = |one, other, left: usize| if one == other { trace[left] } else { 0.0 };
        symmetric(j, k, l) - part(j, k, l) - part(k, l, j) - part(l, j, k)
    };
    let quadrupole = [0.5 * m(0, 0) - third, 0.5 * m(1, 1) - third, 0.5 * m(2, 2) - third, m(0, 1), m(0, 2), m(1, 2)];
    let octupole = [
        s(0, 0, 0),
        s(1, 1, 1),
        s(2, 2, 2),
        3.0 * s(0, 0, 1),
        3.0 * s(0, 0, 2),
        3.0 * s(1, 1, 0),
        3.0 * s(1, 1, 2),
        3.0 * s(2, 2, 0),
        3.0 * s(2, 2, 1),
        6.0 * s(0, 1, 2),
    ];
    let moments = Moments {
        dipole: dipole.map(|value| value as f32).into(),
        quadrupole: quadrupole.map(|value| value as f32),
        octupole: octupole.map(|value| value as f32),
    };
    (radius_squared, moments)
}

/// A sum of solid angles with a single arc tangent: half angles add up as arguments of a product of
/// complex numbers.
struct SolidAngles {
    real: f64,
    imaginary: f64,
    /// Signed number of times the argument passed π.
    turns: f64,
}

impl SolidAngles {
    fn new() -> Self {
        Self { real: 1.0, imaginary: 0.0, turns: 0.0 }
    }

    fn add(&mut self, point: &Vec3, corners: &[Vec3; 3]) {
        let (volume, denominator) = half_angle(point, corners);
        let size = volume.abs() + denominator.abs();
        // A point at a corner of the triangle contributes zero.
        if !(size > 0.0) {
            return;
        }
        let (sine, cosine) = (volume / size, denominator / size);
        let real = self.real * cosine - self.imaginary * sine;
        let imaginary = self.real * sine + self.imaginary * cosine;
        // Less than half a turn was added: a sign change in the left half-plane crosses ±π.
        if sine > 0.0 && self.imaginary >= 0.0 && imaginary < 0.0 {
            self.turns += 1.0;
        } else if sine < 0.0 && self.imaginary < 0.0 && imaginary >= 0.0 {
            self.turns -= 1.0;
        }
        // Each factor shrinks the product by at most √2; rescaled to avoid underflow.
        let scale = real.abs() + imaginary.abs();
        let grow = if scale < 1e-100 { 1e100 } else { 1.0 };
        (self.real, self.imaginary) = (real * grow, imaginary * grow);
    }

    /// The sum (sr).
    fn total(&self) -> f64 {
        2.0 * (self.imaginary.atan2(self.real) + 2.0 * PI * self.turns)
    }
}

/// The winding number summed over all triangles: the reference for [`WindingTree`]. Point indices
/// must be valid.
pub fn winding_number_exact(point: &Vec3, positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let angle = |t: &[u32; 3]| solid_angle(point, &t.map(|p| positions[p as usize]));
    triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

/// The signed solid angle (sr) of a triangle seen from a point, positive from behind (van Oosterom
/// & Strackee 1983).
///
/// Zero in the triangle's plane outside the triangle. On the triangle the angle is discontinuous:
/// the result is the value of either side, or 0 at a corner.
pub fn solid_angle(point: &Vec3, corners: &[Vec3; 3]) -> f64 {
    let (volume, denominator) = half_angle(point, corners);
    2.0 * volume.atan2(denominator)
}

/// Sine and cosine of half the solid angle, both times the same positive factor.
fn half_angle(point: &Vec3, corners: &[Vec3; 3]) -> (f64, f64) {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    (volume, denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sphere;
    use craze_math::Random;

    #[test]
    fn one_inside_and_zero_outside_a_closed_surface() {
        let (positions, triangles) = sphere(1.0, 3);
        for (point, expected) in [
            (Vec3::zeros(), 1.0),
            (Vec3::new(0.3, -0.5, 0.6), 1.0),
            (Vec3::new(2.0, 0.1, 0.0), 0.0),
            (Vec3::new(0.0, -1.01, 0.0), 0.0),
        ] {
            assert!((winding_number_exact(&point, &positions, &triangles) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn tree_agrees_with_the_sum_over_all_triangles() {
        let (positions, triangles) = sphere(1.0, 4);
        // An open hemisphere.
        let open: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| positions[t[0] as usize].y > 0.0).collect();
        let mut random = Random::new(3);
        for surface in [&triangles, &open] {
            let tree = WindingTree::new(&positions, surface).expect("sound");
            let mut worst = 0.0_f64;
            for _ in 0..2000 {
                let point = random.vector() * 1.5;
                let exact = winding_number_exact(&point, &positions, surface);
                worst = worst.max((tree.winding_number(&point) - exact).abs());
            }
            assert!(worst < WindingTree::ERROR, "{worst}");
        }
    }

    #[test]
    fn queries_are_cheap_for_small_triangles_and_expensive_for_long_ones() {
        let (positions, triangles) = sphere(1.0, 4);
        let tree = WindingTree::new(&positions, &triangles).expect("sound");
        assert_eq!(tree.evaluation_count(&Vec3::new(50.0, 0.0, 0.0)), 1);
        let sound = tree.evaluation_count(&Vec3::new(0.0, 0.9, 0.0));
        assert!(20 * sound < triangles.len() && sound > 8, "{sound}");
        // Corners scrambled: no cluster is far from any point.
        let count = positions.len() as u32;
        let tangled = triangles.iter().map(|[a, b, c]| [*a, (b * 7) % count, (c * 13) % count]).collect::<Vec<_>>();
        let tangled =
            WindingTree::new(&positions, &tangled).expect("triangles").evaluation_count(&Vec3::new(0.0, 0.9, 0.0));
        assert!(2 * tangled > triangles.len(), "{tangled}");
        assert_eq!(WindingTree::new(&[], &[]).expect("nothing").evaluation_count(&Vec3::zeros()), 0);
    }

    #[test]
    fn a_product_of_complex_numbers_sums_solid_angles() {
        let (positions, triangles) = crate::testing::random_triangles(300, 5);
        let mut random = Random::new(8);
        for count in [1, 2, 7, 300] {
            for _ in 0..200 {
                let point = random.vector() * 0.5;
                let mut angles = SolidAngles::new();
                let mut expected = 0.0;
                for triangle in &triangles[..count] {
                    let corners = triangle.map(|p| positions[p as usize]);
                    angles.add(&point, &corners);
                    expected += solid_angle(&point, &corners);
                }
                assert!((angles.total() - expected).abs() < 1e-10, "{} {expected}", angles.total());
            }
        }
    }

    #[test]
    fn layers_around_a_point_add_up_beyond_one_turn() {
        let (positions, triangles) = sphere(1.0, 2);
        let layers = [triangles.clone(), triangles.clone(), triangles].concat();
        let tree = WindingTree::new(&positions, &layers).expect("sound");
        assert!((tree.winding_number(&Vec3::new(0.1, 0.2, 0.3)) - 3.0).abs() < WindingTree::ERROR);
        let inward: Vec<[u32; 3]> = layers.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let tree = WindingTree::new(&positions, &inward).expect("sound");
        assert!((tree.winding_number(&Vec3::new(0.1, 0.2, 0.3)) + 3.0).abs() < WindingTree::ERROR);
    }

    #[test]
    fn size_and_position_of_a_surface_do_not_matter() {
        let (positions, triangles) = sphere(1.0, 3);
        let mut random = Random::new(4);
        for (size, shift) in [(1e-9, 0.0), (1e12, 0.0), (1e-3, 1e3)] {
            let moved: Vec<Vec3> = positions.iter().map(|p| p * size + Vec3::repeat(shift)).collect();
            let tree = WindingTree::new(&moved, &triangles).expect("sound");
            for _ in 0..100 {
                let point = random.vector() * 1.3;
                let expected = if point.norm() < 0.97 {
                    1.0
                } else if point.norm() > 1.03 {
                    0.0
                } else {
                    continue;
                };
                let seen = tree.winding_number(&(point * size + Vec3::repeat(shift)));
                assert!((seen - expected).abs() < WindingTree::ERROR, "{size}: {seen}");
            }
        }
    }

    #[test]
    fn zero_area_and_no_triangles_have_winding_number_zero() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        let tree = WindingTree::new(&positions, &[[0, 1, 2], [0, 0, 0]]).expect("sound");
        assert!(tree.winding_number(&Vec3::new(0.3, 1.0, 0.2)).abs() < 1e-15);
        assert_eq!(WindingTree::new(&[], &[]).expect("sound").winding_number(&Vec3::zeros()), 0.0);
    }
}
