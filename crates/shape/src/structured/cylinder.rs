//! Structured tetrahedral mesh and surface of a cylinder: a triangulated disc, extruded in layers.

use std::f64::consts::PI;

use craze_math::Vec3;
use craze_mesh::TetMesh;

use crate::error::ShapeError;
use crate::structured::ball::oriented;
use crate::structured::prism;
use crate::surface::TriangleSurface;

/// A disc of concentric rings; ring k has 6k points, for nearly equilateral triangles.
struct Disc {
    /// x and z of the points for radius 1.
    points: Vec<[f64; 2]>,
    /// Oriented from x to z.
    triangles: Vec<[u32; 3]>,
    /// First point of the outermost ring, whose points are the last.
    rim: usize,
}

impl Disc {
    fn new(rings: usize) -> Self {
        let start = |ring: usize| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
        let mut points = vec![[0.0, 0.0]];
        for ring in 1..=rings {
            for k in 0..6 * ring {
                let angle = PI / 3.0 * k as f64 / ring as f64;
                let radius = ring as f64 / rings as f64;
                points.push([radius * angle.cos(), radius * angle.sin()]);
            }
        }
        let at = |ring: usize, k: usize| (start(ring) + if ring == 0 { 0 } else { k % (6 * ring) }) as u32;
        let mut triangles = Vec::with_capacity(6 * rings * rings);
        for ring in 1..=rings {
            for sixth in 0..6 {
                for k in 0..ring {
                    let (outer, inner) = (sixth * ring + k, sixth * (ring - 1) + k);
                    triangles.push([at(ring - 1, inner), at(ring, outer), at(ring, outer + 1)]);
                    if k + 1 < ring {
                        triangles.push([at(ring - 1, inner), at(ring, outer + 1), at(ring - 1, inner + 1)]);
                    }
                }
            }
        }
        Self { points, triangles, rim: start(rings) }
    }

    fn position(&self, point: usize, radius: f64, y: f64) -> Vec3 {
        let [x, z] = self.points[point];
        Vec3::new(radius * x, y, radius * z)
    }
}

/// A cylinder along the y axis with this many rings and layers.
pub(crate) fn tetrahedra(radius: f64, height: f64, rings: usize, layers: usize) -> Result<TetMesh, ShapeError> {
    let disc = Disc::new(rings);
    let count = disc.points.len();
    let mut positions = Vec::with_capacity(count * (layers + 1));
    for layer in 0..=layers {
        let y = height * (layer as f64 / layers as f64 - 0.5);
        positions.extend((0..count).map(|point| disc.position(point, radius, y)));
    }
    let mut elements = Vec::with_capacity(3 * disc.triangles.len() * layers);
    for layer in 0..layers {
        let (below, above) = ((layer * count) as u32, ((layer + 1) * count) as u32);
        for triangle in &disc.triangles {
            let mut sorted = *triangle;
            sorted.sort_unstable();
            elements.extend(prism(below, above, sorted).map(|corners| oriented(corners, &positions)));
        }
    }
    Ok(TetMesh::from_parts(positions, elements)?)
}

/// The closed surface of a cylinder along the y axis, with this many rings on its caps.
pub(crate) fn surface(radius: f64, height: f64, rings: usize) -> TriangleSurface {
    let disc = Disc::new(rings);
    let count = disc.points.len() as u32;
    let mut positions: Vec<Vec3> = Vec::with_capacity(2 * disc.points.len());
    for y in [-0.5 * height, 0.5 * height] {
        positions.extend((0..disc.points.len()).map(|point| disc.position(point, radius, y)));
    }
    let mut triangles = Vec::new();
    for &[a, b, c] in &disc.triangles {
        // From x to z is clockwise seen from above.
        triangles.push([a, b, c]);
        triangles.push([count + a, count + c, count + b]);
    }
    let rim = disc.rim as u32;
    for k in rim..count {
        let next = if k + 1 == count { rim } else { k + 1 };
        triangles.push([k, count + next, next]);
        triangles.push([k, count + k, count + next]);
    }
    TriangleSurface { positions, triangles }
}
