//! Generalised winding numbers: how often a surface, even a torn one, winds around a point.
//!
//! Inside a closed surface seen from outside counter-clockwise it is 1, outside 0, and for a surface with holes something
//! between (Jacobson et al. 2013). Far triangles enter together as one dipole (Barill et al. 2018, (13)).

use std::f64::consts::PI;

use craze_math::Vec3;

use crate::bvh::MAX_DEPTH;
use crate::error::SpatialError;
use crate::triangles::TriangleTree;

/// A cluster of triangles is far when its centre is this many radii away (β of Barill et al. 2018 §3).
const FAR: f64 = 2.0;

/// Triangles with the dipole of every subtree.
#[derive(Clone, Debug)]
pub struct WindingTree {
    tree: TriangleTree,
    dipoles: Vec<Dipole>,
}

/// What a cluster of triangles looks like from afar.
#[derive(Clone, Copy, Debug)]
struct Dipole {
    /// Area-weighted centre (m).
    centre: Vec3,
    /// Sum of area times unit normal (m²).
    area_normal: Vec3,
    /// Farthest corner from the centre (m).
    radius: f64,
}

impl WindingTree {
    /// Builds the tree; refuses what [`TriangleTree::new`] refuses. No triangles wind around nothing.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SpatialError> {
        Ok(Self::from_tree(TriangleTree::new(positions, triangles)?))
    }

    /// Adds dipoles to a tree.
    pub fn from_tree(tree: TriangleTree) -> Self {
        let dipoles = dipoles(&tree);
        Self { tree, dipoles }
    }

    /// The tree of the triangles.
    pub fn triangles(&self) -> &TriangleTree {
        &self.tree
    }

    /// The winding number around a point (1), within about 0.05 of [`winding_number_exact`]; O(log n).
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        if self.dipoles.is_empty() {
            return 0.0;
        }
        let bvh = &self.tree.bvh;
        let mut sum = 0.0;
        let mut stack = [0_u32; MAX_DEPTH + 1];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let index = stack[height] as usize;
            let (node, dipole) = (&bvh.nodes[index], &self.dipoles[index]);
            let away = dipole.centre - point;
            let square = away.norm_squared();
            if square > (FAR * dipole.radius).powi(2) {
                sum += dipole.area_normal.dot(&away) / (square * square.sqrt());
            } else if node.is_leaf() {
                sum += self.tree.corners[node.range()].iter().map(|corners| solid_angle(point, corners)).sum::<f64>();
            } else {
                stack[height] = node.first + 1;
                stack[height + 1] = node.first;
                height += 2;
            }
        }
        sum / (4.0 * PI)
    }
}

fn dipoles(tree: &TriangleTree) -> Vec<Dipole> {
    let nodes = &tree.bvh.nodes;
    let zero = Dipole { centre: Vec3::zeros(), area_normal: Vec3::zeros(), radius: 0.0 };
    let mut dipoles = vec![zero; nodes.len()];
    let mut areas = vec![0.0; nodes.len()];
    for index in (0..nodes.len()).rev() {
        let node = &nodes[index];
        let mut weighted = Vec3::zeros();
        let mut area_normal = Vec3::zeros();
        let mut area = 0.0;
        if node.is_leaf() {
            for [a, b, c] in &tree.corners[node.range()] {
                let normal = (b - a).cross(&(c - a)) * 0.5;
                let size = normal.norm();
                weighted += (a + b + c) * (size / 3.0);
                area_normal += normal;
                area += size;
            }
        } else {
            let first = node.first as usize;
            for child in [first, first + 1] {
                weighted += dipoles[child].centre * areas[child];
                area_normal += dipoles[child].area_normal;
                area += areas[child];
            }
        }
        let bounds = node.bounds();
        let centre = if area > 0.0 { weighted / area } else { bounds.centre() };
        // The box's farthest corner bounds all triangles' corners.
        let radius = (bounds.max - centre).abs().sup(&(centre - bounds.min).abs()).norm();
        dipoles[index] = Dipole { centre, area_normal, radius };
        areas[index] = area;
    }
    dipoles
}

/// The winding number by summing over all triangles: the reference for [`WindingTree`]. Numbers of points must exist.
pub fn winding_number_exact(point: &Vec3, positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let angle = |t: &[u32; 3]| solid_angle(point, &t.map(|p| positions[p as usize]));
    triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

/// The solid angle (sr) at which a point sees a triangle, positive from behind it (van Oosterom & Strackee 1983).
///
/// A point in the triangle's plane sees 0 from outside it; on the triangle itself the angle jumps, and either side's value,
/// or 0 at a corner, may come back.
pub fn solid_angle(point: &Vec3, corners: &[Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, sphere};

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
        // The lower half is missing: an open bowl.
        let open: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| positions[t[0] as usize].y > 0.0).collect();
        let mut random = Random(3);
        for surface in [&triangles, &open] {
            let tree = WindingTree::new(&positions, surface).expect("sound");
            let mut worst = 0.0_f64;
            for _ in 0..2000 {
                let point = random.point() * 1.5;
                let exact = winding_number_exact(&point, &positions, surface);
                worst = worst.max((tree.winding_number(&point) - exact).abs());
            }
            assert!(worst < 0.05, "{worst}");
        }
    }

    #[test]
    fn zero_area_and_no_triangles_wind_around_nothing() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        let tree = WindingTree::new(&positions, &[[0, 1, 2], [0, 0, 0]]).expect("sound");
        assert!(tree.winding_number(&Vec3::new(0.3, 1.0, 0.2)).abs() < 1e-15);
        assert_eq!(WindingTree::new(&[], &[]).expect("sound").winding_number(&Vec3::zeros()), 0.0);
    }
}
