//! Points on concentric icospheres.
//!
//! Sphere r ≥ 1 has 10 r² + 2 points: the corners of an icosahedron, r − 1 points on each edge and
//! (r − 1)(r − 2)/2 inside each face. Points of consecutive spheres form lattices of tetrahedra.

use craze_math::Vec3;

/// Corners of an icosahedron: even permutations of (±1, ±golden ratio, 0), with 2 for the golden
/// ratio.
const CORNERS: [[i8; 3]; 12] = [
    [-1, 2, 0],
    [1, 2, 0],
    [-1, -2, 0],
    [1, -2, 0],
    [0, -1, 2],
    [0, 1, 2],
    [0, -1, -2],
    [0, 1, -2],
    [2, 0, -1],
    [2, 0, 1],
    [-2, 0, -1],
    [-2, 0, 1],
];

/// Faces, counter-clockwise seen from outside.
pub(crate) const FACES: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

pub(crate) fn point_count(r: usize) -> usize {
    if r == 0 { 1 } else { 10 * r * r + 2 }
}

/// Unit vector to a corner.
fn corner(index: usize) -> Vec3 {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let value = |c: i8| if c.abs() == 2 { golden.copysign(f64::from(c)) } else { f64::from(c) };
    let [x, y, z] = CORNERS[index];
    Vec3::new(value(x), value(y), value(z)).normalize()
}

fn edges() -> Vec<[usize; 2]> {
    let mut edges: Vec<[usize; 2]> =
        FACES.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).filter(|[from, to]| from < to).collect();
    edges.sort_unstable();
    edges
}

pub(crate) struct Icosphere {
    r: usize,
    edges: Vec<[usize; 2]>,
}

impl Icosphere {
    pub fn new(r: usize) -> Self {
        Self { r, edges: edges() }
    }

    /// Index of the point at these steps (sum r) toward the corners of a face.
    pub fn index(&self, face: usize, steps: [usize; 3]) -> usize {
        let r = self.r;
        let corners = FACES[face];
        let away: Vec<usize> = (0..3).filter(|&k| steps[k] > 0).collect();
        match away[..] {
            [] => 0,
            [k] => corners[k],
            [j, k] => {
                let (low, high) = if corners[j] < corners[k] { (j, k) } else { (k, j) };
                let wanted = [corners[low], corners[high]];
                // Every pair of corners of a face is an edge.
                let edge = self.edges.partition_point(|edge| *edge < wanted);
                12 + edge * (r - 1) + steps[high] - 1
            }
            _ => {
                // Rows of constant first step hold r − 1 − first points.
                let row = steps[0] - 1;
                let before = row * (r - 2) - row * row.saturating_sub(1) / 2;
                12 + 30 * (r - 1) + face * (r - 1) * (r - 2) / 2 + before + steps[1] - 1
            }
        }
    }

    /// Unit vectors of all points.
    pub fn directions(&self) -> Vec<Vec3> {
        let mut directions = vec![Vec3::zeros(); point_count(self.r)];
        if self.r == 0 {
            return directions;
        }
        for (face, corners) in FACES.iter().enumerate() {
            let [a, b, c] = corners.map(corner);
            for first in 0..=self.r {
                for second in 0..=self.r - first {
                    let third = self.r - first - second;
                    let sum = a * first as f64 + b * second as f64 + c * third as f64;
                    directions[self.index(face, [first, second, third])] = sum.normalize();
                }
            }
        }
        directions
    }

    /// Triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(20 * self.r * self.r);
        for face in 0..FACES.len() {
            for first in 0..self.r {
                for second in 0..self.r - first {
                    let third = self.r - 1 - first - second;
                    let at = |x: usize, y: usize, z: usize| self.index(face, [first + x, second + y, third + z]) as u32;
                    triangles.push([at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)]);
                    if third > 0 {
                        let third = third - 1;
                        let at =
                            |x: usize, y: usize, z: usize| self.index(face, [first + x, second + y, third + z]) as u32;
                        triangles.push([at(1, 1, 0), at(0, 1, 1), at(1, 0, 1)]);
                    }
                }
            }
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::TriangleSurface;

    #[test]
    fn spheres_are_closed_round_and_outward() {
        for r in 1..7 {
            let sphere = Icosphere::new(r);
            let surface = TriangleSurface::new(sphere.directions(), sphere.triangles()).expect("sound");
            assert_eq!(surface.triangles.len(), 20 * r * r);
            surface.check_closed().expect("closed");
            assert!(surface.positions.iter().all(|point| (point.norm() - 1.0).abs() < 1e-14));
            let ratio = surface.volume() / (4.0 / 3.0 * std::f64::consts::PI);
            assert!(ratio < 1.0 && ratio > 1.0 - 0.6 / (r * r) as f64, "{r}: {ratio}");
        }
    }

    #[test]
    fn every_point_has_one_index() {
        let sphere = Icosphere::new(5);
        let directions = sphere.directions();
        for (i, a) in directions.iter().enumerate() {
            assert!((a.norm() - 1.0).abs() < 1e-14);
            assert!(directions[..i].iter().all(|b| (a - b).norm() > 0.1));
        }
    }
}
