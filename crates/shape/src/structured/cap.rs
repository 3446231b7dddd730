//! Tetrahedra of a thin bowl: rings on a cap of a sphere, stacked through the wall.
//!
//! Where a wall is as thin as the tetrahedra are to be, a background lattice has to be several times as fine to find it. Prisms from
//! one side of the wall to the other, cut into three each, are as good at any thickness.

use std::f64::consts::{PI, TAU};

use craze_math::Vec3;
use craze_mesh::TetMesh;

use crate::error::ShapeError;
use crate::structured::ball::oriented;
use crate::structured::{prism, steps};

/// A shell about the lower pole of a sphere about the origin, with a rounded rim.
pub(crate) struct Shell {
    /// Radius of the middle of the wall (m).
    pub(crate) radius: f64,
    /// Thickness of the wall (m).
    pub(crate) wall: f64,
    /// Angle at the centre from the pole to where the rim begins to round (rad).
    pub(crate) angle: f64,
}

/// Most layers of tetrahedra through the wall: with more of them it is no longer thin, and a lattice is as good.
const MOST_LAYERS: f64 = 4.0;

/// Layers up to which tetrahedra are no longer than asked for. Where there are more, they are about as thick as they are long: a third layer
/// of a wall of 2.1 edges would make steps as short as it is thin.
const NEVER_THICKER: f64 = 2.0;

impl Shell {
    /// How many layers of tetrahedra the wall has; `None` if there are too many for this way.
    pub(crate) fn layers(&self, edge: f64) -> Option<f64> {
        let layers = steps(self.wall, edge).min(NEVER_THICKER).max((self.wall / edge).round());
        (layers <= MOST_LAYERS).then_some(layers)
    }

    /// About how many tetrahedra there will be.
    pub(crate) fn count(&self, edge: f64, layers: f64) -> f64 {
        let area = TAU * self.radius * self.radius * (1.0 - self.angle.cos());
        3.0 * layers * area / (0.25 * 3f64.sqrt() * edge * edge)
    }

    /// The tetrahedra, of this volume (m³).
    pub(crate) fn tetrahedra(&self, edge: f64, layers: usize, volume: f64) -> Result<TetMesh, ShapeError> {
        // A rim of up to two layers is one ring drawn out.
        let rim = if layers > 2 { (PI / 8.0 * self.wall / (HIGH * edge)).floor().max(1.0) } else { 0.0 };
        let cap = Cap::new(self.radius, self.angle, edge, rim as usize);
        let (mut wall, mut mesh) = (self.wall, self.stacked(&cap, layers, self.wall)?);
        // Chords take away outside and add inside; as much thickness brings it back.
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
            let out = wall * rim(layer, layers);
            positions.extend(cap.points.iter().map(|&Point { polar, around, out: share }| {
                let (sine, cosine) = polar.sin_cos();
                let (z, x) = around.sin_cos();
                let place = radius * Vec3::new(sine * x, -cosine, sine * z);
                let along = Vec3::new(cosine * x, sine, cosine * z);
                if share == 0.0 { place } else { place + share * out * along }
            }));
        }
        let mut elements = Vec::with_capacity(3 * cap.triangles.len() * layers);
        for layer in 0..layers {
            let (inner, outer) = ((layer * count) as u32, ((layer + 1) * count) as u32);
            for triangle in &cap.triangles {
                // An order that favours no direction.
                let mut ordered = *triangle;
                ordered.sort_unstable_by_key(|point| (point + 1).wrapping_mul(0x9e37_79b1));
                elements.extend(prism(inner, outer, ordered).map(|corners| oriented(corners, &positions)));
            }
        }
        Ok(TetMesh::from_parts(positions, elements)?)
    }
}

/// How far out the rim is between two of so many layers, in thicknesses of the wall: on the half circle, and at its ends, where a layer would have
/// no thickness, as far as leaves its area.
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

/// Height of an equilateral triangle, in edges.
const HIGH: f64 = 0.866;

/// A point of a cap.
struct Point {
    /// Angle from the pole and around it (rad).
    polar: f64,
    around: f64,
    /// Share of the rim's width by which it lies beyond the cap.
    out: f64,
}

/// Triangles on a cap of a sphere: a pole and rings about it, the last of which lie in the rim.
struct Cap {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

impl Cap {
    /// A cap with rings of its own for the rim, or with its outermost ring drawn out.
    fn new(radius: f64, angle: f64, edge: f64, rim: usize) -> Self {
        // Rings are as far apart as equilateral triangles are high.
        let rings = steps(radius * angle, HIGH * edge) as usize;
        let mut points = vec![Point { polar: 0.0, around: 0.0, out: 0.0 }];
        let mut triangles = Vec::new();
        // First point and number of points of the ring before.
        let mut before = (0, 1);
        for ring in 1..=rings + rim {
            let polar = angle * (ring as f64 / rings as f64).min(1.0);
            let out = match rim {
                0 if ring == rings => 1.0,
                0 => 0.0,
                _ => ring.saturating_sub(rings) as f64 / rim as f64,
            };
            let count = (TAU * radius * polar.sin() / edge).round().max(5.0) as usize;
            let start = points.len();
            let turn = 0.5 * (ring % 2) as f64;
            points.extend((0..count).map(|k| Point { polar, around: TAU * (k as f64 + turn) / count as f64, out }));
            zip(&points, before, (start, count), &mut triangles);
            before = (start, count);
        }
        Self { points, triangles }
    }
}

/// Triangles between two rings, each given by its first point and their number: from a pair of points on to whichever next point is less far
/// around.
fn zip(
    points: &[Point],
    (first, inner_count): (usize, usize),
    (second, outer_count): (usize, usize),
    triangles: &mut Vec<[u32; 3]>,
) {
    let around = |start: usize, count: usize, k: usize| points[start + k % count].around + TAU * (k / count) as f64;
    let number = |start: usize, count: usize, k: usize| (start + k % count) as u32;
    // A pole has no side: it stays where it is.
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
    fn a_bowl_of_rings_is_closed_whole_and_well_shaped() {
        for angle in [0.4, 1.0, 1.5] {
            for edge in [0.008, 0.0095, 0.013, 0.02, 0.03, 0.05] {
                let shell = Shell { radius: 0.15, wall: 0.03, angle };
                let layers = shell.layers(edge).expect("few");
                let (half, rim) = (0.015, 0.15 * angle.sin() + 0.02 / PI * angle.cos());
                let volume = TAU * ((1.0 - angle.cos()) * (0.165f64.powi(3) - 0.135f64.powi(3)) / 3.0)
                    + TAU * rim * (0.5 * PI * half * half);
                let mesh = shell.tetrahedra(edge, layers as usize, volume).expect("a mesh");
                mesh.validate().expect("valid");
                assert!((mesh.total_measure() / volume - 1.0).abs() < 0.005, "{} of {volume}", mesh.total_measure());
                let surface = mesh.boundary().triangles;
                // A ball but for its shape: as many points and triangles as edges and two.
                let mut points: Vec<u32> = surface.iter().flatten().map(|node| node.0).collect();
                points.sort_unstable();
                points.dedup();
                assert_eq!(points.len() + surface.len(), 3 * surface.len() / 2 + 2);
                let angles = mesh.element_ids().map(|element| DihedralRange::of(&mesh.corners(element)));
                let worst = angles.fold(DihedralRange::default(), DihedralRange::joined);
                // Several layers are a little flatter at the rim than one.
                let flattest = if edge < 0.02 { 152.0 } else { 150.0 };
                assert!(worst.smallest > 15.0 && worst.largest < flattest, "{worst:?} at {angle}, {edge}");
            }
        }
        assert!(Shell { radius: 0.15, wall: 0.03, angle: 1.0 }.layers(0.004).is_none());
    }
}
