//! Meshes of prisms: a triangulated section in layers.

use std::f64::consts::TAU;

use craze_math::{Random, Vec3};
use craze_mesh::{InnerPoints, PlaneDomain, TetMesh, Triangulation, triangulate_with};

use crate::error::{ShapeError, check_count};
use crate::meshing::{Meshing, Pattern};
use crate::structured::{prism, steps};

/// Distance of random points from each other, relative to the edge length. Smoothing evens it out.
const RANDOM_DISTANCE: f64 = 0.72;

/// Candidates for random points per point of a full section.
const CANDIDATES: f64 = 40.0;

/// Shear of a square lattice, so that all its diagonals rise alike.
const SHEAR: f64 = 1e-3;

/// Tetrahedra of a prism along an axis (0–2) with this section and length (m), in layers of equal
/// height. The coordinates of the section are those of the next two axes in cyclic order.
pub(crate) fn tetrahedra(
    section: &PlaneDomain,
    axis: usize,
    length: f64,
    edge: f64,
    meshing: &Meshing,
) -> Result<TetMesh, ShapeError> {
    let (low, high) = bounds(section);
    let area = (high[0] - low[0]) * (high[1] - low[1]);
    let layers = steps(length, edge);
    check_count("edge", edge, "tetrahedra", 6.0 * area / (edge * edge) * layers)?;
    let Triangulation { mesh: mut triangles, .. } = match meshing.pattern {
        Pattern::Lattice => {
            let points = lattice(low, high, edge, meshing.turn[axis].to_radians());
            triangulate_with(section, edge, InnerPoints::Fixed(&points))?
        }
        Pattern::Unstructured => {
            let points = random_points(low, high, edge, u64::from(meshing.seed));
            triangulate_with(section, edge, InnerPoints::Smoothed(&points))?
        }
    };
    if meshing.jitter > 0.0 {
        triangles.jitter_inner_points(meshing.jitter_of(0), &[Vec3::x(), Vec3::y()]);
    }
    let layers = layers as usize;
    let count = triangles.point_count() as u32;
    let mut positions = Vec::with_capacity(triangles.point_count() * (layers + 1));
    for layer in 0..=layers {
        let height = length * (layer as f64 / layers as f64 - 0.5);
        positions.extend(triangles.positions().iter().map(|point| {
            let mut position = Vec3::zeros();
            position[axis] = height;
            position[(axis + 1) % 3] = point.x;
            position[(axis + 2) % 3] = point.y;
            position
        }));
    }
    let mut elements = Vec::with_capacity(3 * triangles.element_count() * layers);
    for layer in 0..layers as u32 {
        for corners in triangles.elements() {
            let mut sorted = *corners;
            sorted.sort_unstable();
            let tetrahedra = prism(layer * count, (layer + 1) * count, sorted);
            elements.extend(tetrahedra.map(|corners| super::ball::oriented(corners, &positions)));
        }
    }
    Ok(TetMesh::from_parts(positions, elements)?)
}

/// Bounding rectangle of a section (m).
fn bounds(section: &PlaneDomain) -> ([f64; 2], [f64; 2]) {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in &section.outline {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    (low, high)
}

/// Points of a square lattice turned by an angle (rad) about the middle of a rectangle, of which one
/// lies there.
fn lattice(low: [f64; 2], high: [f64; 2], edge: f64, turn: f64) -> Vec<[f64; 2]> {
    let [x, y] = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
    let half = 0.5 * (high[0] - low[0]).hypot(high[1] - low[1]);
    let most = (half / edge).ceil() as i64 + 1;
    let (sine, cosine) = turn.sin_cos();
    let mut points = Vec::new();
    for row in -most..=most {
        for column in -most..=most {
            let (u, v) = (edge * (column as f64 + SHEAR * row as f64), edge * row as f64);
            points.push([x + cosine * u - sine * v, y + sine * u + cosine * v]);
        }
    }
    points
}

/// Random points of a rectangle, no two nearer to each other than a share of the edge length.
fn random_points(low: [f64; 2], high: [f64; 2], edge: f64, seed: u64) -> Vec<[f64; 2]> {
    let distance = RANDOM_DISTANCE * edge;
    let cells = [0, 1].map(|axis: usize| ((high[axis] - low[axis]) / distance).ceil().max(1.0) as usize);
    let mut grid: Vec<Vec<[f64; 2]>> = vec![Vec::new(); cells[0] * cells[1]];
    let mut random = Random::new(seed ^ TAU.to_bits());
    let mut points = Vec::new();
    let candidates = CANDIDATES * cells[0] as f64 * cells[1] as f64;
    for _ in 0..candidates as usize {
        let point = [0, 1].map(|axis| low[axis] + (high[axis] - low[axis]) * random.number());
        let cell = [0, 1].map(|axis| (((point[axis] - low[axis]) / distance) as usize).min(cells[axis] - 1));
        let mut around = (cell[0].saturating_sub(1)..=(cell[0] + 1).min(cells[0] - 1))
            .flat_map(|x| (cell[1].saturating_sub(1)..=(cell[1] + 1).min(cells[1] - 1)).map(move |y| x + y * cells[0]));
        let is_near = |other: &[f64; 2]| (other[0] - point[0]).hypot(other[1] - point[1]) < distance;
        if !around.any(|index| grid[index].iter().any(is_near)) {
            grid[cell[0] + cell[1] * cells[0]].push(point);
            points.push(point);
        }
    }
    points
}

/// A circle (m) in segments of at most `edge`.
pub(crate) fn circle(center: [f64; 2], radius: f64, edge: f64) -> Vec<[f64; 2]> {
    let count = steps(TAU * radius, edge).max(8.0);
    let at = |k: usize| {
        let (sine, cosine) = (TAU * k as f64 / count).sin_cos();
        [center[0] + radius * cosine, center[1] + radius * sine]
    };
    (0..count as usize).map(at).collect()
}
