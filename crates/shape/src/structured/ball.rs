//! Structured tetrahedral mesh of a ball: concentric icospheres connected by tetrahedra.
//!
//! Each of the 20 wedges over an icosahedron's faces is subdivided parallel to its faces and
//! projected onto spheres; angles stay bounded. Rejected: warping a cube, which flattens elements
//! at its edges without bound.

use craze_math::Vec3;
use craze_mesh::{TetMesh, tetrahedron_quality};

use crate::error::ShapeError;
use crate::structured::icosphere::{FACES, Icosphere, point_count};

pub(crate) fn tetrahedra(radius: f64, layers: usize) -> Result<TetMesh, ShapeError> {
    let spheres: Vec<Icosphere> = (0..=layers).map(Icosphere::new).collect();
    let mut starts = vec![0];
    let mut positions: Vec<Vec3> = Vec::new();
    for (r, sphere) in spheres.iter().enumerate() {
        let scale = radius * r as f64 / layers as f64;
        positions.extend(sphere.directions().iter().map(|direction| direction * scale));
        starts.push(starts[r] + point_count(r));
    }
    let mut elements = Vec::with_capacity(20 * layers.pow(3));
    for face in 0..FACES.len() {
        // Steps toward the three corners of the face; the remainder leads to the centre.
        let node = |[a, b, c]: [usize; 3]| (starts[a + b + c] + spheres[a + b + c].index(face, [a, b, c])) as u32;
        for a in 0..layers {
            for b in 0..layers - a {
                for c in 0..layers - a - b {
                    append_cell([a, b, c], layers, &node, &positions, &mut elements);
                }
            }
        }
    }
    Ok(TetMesh::from_parts(positions, elements)?)
}

/// The tetrahedron, octahedron and inverted tetrahedron that start at a lattice point, as far as
/// they fit.
fn append_cell(
    [a, b, c]: [usize; 3],
    layers: usize,
    node: &impl Fn([usize; 3]) -> u32,
    positions: &[Vec3],
    elements: &mut Vec<[u32; 4]>,
) {
    let at = |x: usize, y: usize, z: usize| node([a + x, b + y, c + z]);
    let room = layers - a - b - c;
    elements.push(oriented([at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)], positions));
    if room >= 2 {
        // Pairs of opposite corners.
        let diagonals = [[at(1, 0, 0), at(0, 1, 1)], [at(0, 1, 0), at(1, 0, 1)], [at(0, 0, 1), at(1, 1, 0)]];
        let halves = [0, 1, 2].map(|which| around_diagonal(diagonals, which, positions));
        let worst = |four: &[[u32; 4]; 4]| {
            let ratio = |tet: &[u32; 4]| tetrahedron_quality(&tet.map(|n| positions[n as usize])).radius_ratio;
            four.iter().map(ratio).fold(f64::INFINITY, f64::min)
        };
        // The first of equally good diagonals, whatever the rounding.
        let mut best = 0;
        for which in 1..3 {
            if worst(&halves[which]) > worst(&halves[best]) + 1e-9 {
                best = which;
            }
        }
        elements.extend(halves[best]);
    }
    if room >= 3 {
        elements.push(oriented([at(1, 1, 1), at(0, 1, 1), at(1, 0, 1), at(1, 1, 0)], positions));
    }
}

/// An octahedron as four tetrahedra around a diagonal.
fn around_diagonal(diagonals: [[u32; 2]; 3], which: usize, positions: &[Vec3]) -> [[u32; 4]; 4] {
    let [from, to] = diagonals[which];
    let ([p, q], [r, s]) = (diagonals[(which + 1) % 3], diagonals[(which + 2) % 3]);
    [[p, r], [r, q], [q, s], [s, p]].map(|[one, other]| oriented([from, to, one, other], positions))
}

/// Reorders the corners for positive volume.
pub(crate) fn oriented(mut corners: [u32; 4], positions: &[Vec3]) -> [u32; 4] {
    let [a, b, c, d] = corners.map(|n| positions[n as usize]);
    if (b - a).cross(&(c - a)).dot(&(d - a)) < 0.0 {
        corners.swap(2, 3);
    }
    corners
}
