//! Structured tetrahedral mesh of a thin bowl: rings on a spherical cap, stacked through the wall.
//!
//! A background lattice would have to be several times finer than such a wall. Prisms, divided into
//! three tetrahedra each, work at any thickness.

use std::f64::consts::{PI, TAU};

use craze_math::Vec3;
use craze_mesh::TetMesh;

use crate::error::ShapeError;
use crate::structured::ball::oriented;
use crate::structured::{prism, steps};

/// A spherical shell around the lower pole, centred at the origin, with a rounded rim.
pub(crate) struct CapShell {
    /// Radius of the mid-surface (m).
    pub(crate) radius: f64,
    /// Wall thickness (m).
    pub(crate) wall: f64,
    /// Polar angle at which the rim begins to round (rad).
    pub(crate) angle: f64,
}

/// Most layers through the wall; a lattice meshes thicker walls as well.
const MAX_LAYERS: f64 = 4.0;

/// Layers up to which they are at most `edge` thick; beyond, the number of edges is rounded, since
/// each layer adds a ring of short steps at the rim.
const MAX_LAYERS_WITHIN_EDGE: f64 = 2.0;

impl CapShell {
    /// Layers through the wall; `None` if there are too many.
    pub(crate) fn layers(&self, edge: f64) -> Option<f64> {
        let layers = steps(self.wall, edge).min(MAX_LAYERS_WITHIN_EDGE).max((self.wall / edge).round());
        (layers <= MAX_LAYERS).then_some(layers)
    }

    pub(crate) fn count(&self, edge: f64, layers: f64) -> f64 {
        let area = TAU * self.radius * self.radius * (1.0 - self.angle.cos());
        3.0 * layers * area / (0.25 * 3f64.sqrt() * edge * edge)
    }

    /// The tetrahedra, with this total volume (m³).
    pub(crate) fn tetrahedra(&self, edge: f64, layers: usize, volume: f64) -> Result<TetMesh, ShapeError> {
        // With up to two layers the rim is the last ring, moved outward.
        let rim = if layers > 2 { (PI / 8.0 * self.wall / (TRIANGLE_HEIGHT * edge)).floor().max(1.0) } else { 0.0 };
        let cap = Cap::new(self.radius, self.angle, edge, rim as usize);
        let (mut wall, mut mesh) = (self.wall, self.stacked(&cap, layers, self.wall)?);
        // Flat faces change the volume; the thickness is adjusted until it agrees.
        for _ in 0..12 {
            let ratio = volume / mesh.total_measure();
            if (ratio - 1.0).abs() < 1e-4 {
                break;
            }
            wall *= ratio;
            mesh = self.stacked(&cap, layers, wall)?;
        }
        Ok(mesh)
    }

    fn stacked(&self, cap: &Cap, layers: usize, wall: f64) -> Result<TetMesh, ShapeError> {
        let count = cap.points.len();
        let mut positions = Vec::with_capacity(count * (layers + 1));
        for layer in 0..=layers {
            let share = layer as f64 / layers as f64;
            let radius = self.radius + wall * (share - 0.5);
            let rim_width = wall * rim(layer, layers);
            positions.extend(cap.points.iter().map(|&Point { polar, around, rim_offset: share }| {
                let (sine, cosine) = polar.sin_cos();
                let (z, x) = around.sin_cos();
                let position = radius * Vec3::new(sine * x, -cosine, sine * z);
                let along = Vec3::new(cosine * x, sine, cosine * z);
                if share == 0.0 { position } else { position + share * rim_width * along }
            }));
        }
        let mut elements = Vec::with_capacity(3 * cap.triangles.len() * layers);
        for layer in 0..layers {
            let (inner, outer) = ((layer * count) as u32, ((layer + 1) * count) as u32);
            for triangle in &cap.triangles {
                // A pseudorandom order, to favour no direction.
                let mut ordered = *triangle;
                ordered.sort_unstable_by_key(|point| (point + 1).wrapping_mul(0x9e37_79b1));
                elements.extend(prism(inner, outer, ordered).map(|corners| oriented(corners, &positions)));
            }
        }
        Ok(TetMesh::from_parts(positions, elements)?)
    }
}

/// Extent of the rim at a layer, in wall thicknesses: on a half circle; the first and last layers,
/// which would degenerate, extend as far as keeps its area.
fn rim(layer: usize, layers: usize) -> f64 {
    let inside = |layer: usize| {
        let share = layer as f64 / layers as f64;
        (share * (1.0 - share)).sqrt()
    };
    match layer {
        _ if layer > 0 && layer < layers => inside(layer),
        _ => layers as f64 * PI / 8.0 - (1..layers).map(inside).sum::<f64>(),
    }
}

/// Height of an equilateral triangle in edges.
const TRIANGLE_HEIGHT: f64 = 0.866;

struct Point {
    /// Polar angle and azimuth (rad).
    polar: f64,
    around: f64,
    /// Position across the rim, 0 to 1.
    rim_offset: f64,
}

/// Triangulated spherical cap: a pole and rings, the last of which lie in the rim.
struct Cap {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

impl Cap {
    /// A cap with `rim` rings in the rim; if that is 0, the outermost ring moves outward.
    fn new(radius: f64, angle: f64, edge: f64, rim: usize) -> Self {
        // Ring distance equals the height of equilateral triangles.
        let rings = steps(radius * angle, TRIANGLE_HEIGHT * edge) as usize;
        let mut points = vec![Point { polar: 0.0, around: 0.0, rim_offset: 0.0 }];
        let mut triangles = Vec::new();
        let mut before = (0, 1);
        for ring in 1..=rings + rim {
            let polar = angle * (ring as f64 / rings as f64).min(1.0);
            let rim_offset = match rim {
                0 if ring == rings => 1.0,
                0 => 0.0,
                _ => ring.saturating_sub(rings) as f64 / rim as f64,
            };
            let count = (TAU * radius * polar.sin() / edge).round().max(5.0) as usize;
            let start = points.len();
            let turn = 0.5 * (ring % 2) as f64;
            points.extend((0..count).map(|k| Point {
                polar,
                around: TAU * (k as f64 + turn) / count as f64,
                rim_offset,
            }));
            triangulate_between_rings(&points, before, (start, count), &mut triangles);
            before = (start, count);
        }
        Self { points, triangles }
    }
}

/// Triangles between two rings (first point, number of points), by advancing on the ring whose next
/// point has the smaller azimuth.
fn triangulate_between_rings(
    points: &[Point],
    (first, inner_count): (usize, usize),
    (second, outer_count): (usize, usize),
    triangles: &mut Vec<[u32; 3]>,
) {
    let around = |start: usize, count: usize, k: usize| points[start + k % count].around + TAU * (k / count) as f64;
    let number = |start: usize, count: usize, k: usize| (start + k % count) as u32;
    // A pole has no steps.
    let inner_steps = if inner_count == 1 { 0 } else { inner_count };
    let (mut inner, mut outer) = (0, 0);
    while inner < inner_steps || outer < outer_count {
        let [a, b] = [number(first, inner_count, inner), number(second, outer_count, outer)];
        let is_outer_next = inner == inner_steps
            || (outer < outer_count && around(second, outer_count, outer + 1) <= around(first, inner_count, inner + 1));
        if is_outer_next {
            outer += 1;
            triangles.push([a, b, number(second, outer_count, outer)]);
        } else {
            inner += 1;
            triangles.push([a, b, number(first, inner_count, inner)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stuffing::DihedralRange;

    #[test]
    fn a_bowl_of_rings_is_closed_connected_and_well_shaped() {
        for angle in [0.4, 1.0, 1.5] {
            for edge in [0.008, 0.0095, 0.013, 0.02, 0.03, 0.05] {
                let shell = CapShell { radius: 0.15, wall: 0.03, angle };
                let layers = shell.layers(edge).expect("few");
                let (half, rim) = (0.015, 0.15 * angle.sin() + 0.02 / PI * angle.cos());
                let volume = TAU * ((1.0 - angle.cos()) * (0.165f64.powi(3) - 0.135f64.powi(3)) / 3.0)
                    + TAU * rim * (0.5 * PI * half * half);
                let mesh = shell.tetrahedra(edge, layers as usize, volume).expect("a mesh");
                mesh.validate().expect("valid");
                assert!((mesh.total_measure() / volume - 1.0).abs() < 0.005, "{} of {volume}", mesh.total_measure());
                let surface = mesh.boundary().triangles;
                // Topologically a ball: points + triangles = edges + 2.
                let mut points: Vec<u32> = surface.iter().flatten().map(|node| node.0).collect();
                points.sort_unstable();
                points.dedup();
                assert_eq!(points.len() + surface.len(), 3 * surface.len() / 2 + 2);
                let angles = mesh.element_ids().map(|element| DihedralRange::of(&mesh.corners(element)));
                let worst = angles.fold(DihedralRange::default(), DihedralRange::combined);
                // Several layers are slightly flatter at the rim than one.
                let flattest = if edge < 0.02 { 152.0 } else { 150.0 };
                assert!(worst.smallest > 15.0 && worst.largest < flattest, "{worst:?} at {angle}, {edge}");
            }
        }
        assert!(CapShell { radius: 0.15, wall: 0.03, angle: 1.0 }.layers(0.004).is_none());
    }
}
