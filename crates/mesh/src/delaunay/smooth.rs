//! Smoothing: moves points towards the centroid and flips edges to Delaunay.

use super::sizing::Sizing;
use crate::id::{TriangleId, VertexId};
use crate::mesh::TriMesh;
use crate::quality::triangle_quality;
use crate::tuning::{GOOD_ANGLE, SMOOTHING_ROUNDS};
use craze_math::Vec3;
use craze_math::predicates::in_circle;

pub(super) fn smooth(mesh: &mut TriMesh, sizing: &Sizing, constraints: &[[u32; 2]], fixed: usize) {
    for _ in 0..SMOOTHING_ROUNDS {
        flip_to_delaunay(mesh, constraints, fixed);
        for vertex in fixed..mesh.point_count() {
            move_to_centroid(mesh, sizing, VertexId(vertex as u32));
        }
    }
    flip_to_delaunay(mesh, constraints, fixed);
}

/// Moves a vertex towards the weighted centroid of its triangles, with weights by area relative to
/// the local target size, unless a triangle would get a worse shape.
fn move_to_centroid(mesh: &mut TriMesh, sizing: &Sizing, vertex: VertexId) {
    let (mut centroid, mut weights) = (Vec3::zeros(), 0.0);
    for triangle in mesh.elements_of(vertex) {
        let corners = mesh.corners(triangle);
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let size = sizing.at([centre.x, centre.y]) / sizing.edge();
        let weight = mesh.measure(triangle) / size.powi(4);
        centroid += centre * weight;
        weights += weight;
    }
    let start = mesh.position(vertex);
    let displacement = centroid / weights - start;
    // Most lattice points are already in place.
    if displacement.norm() < 1e-5 * sizing.at([start.x, start.y]) {
        return;
    }
    let before = smallest_angle(mesh, vertex);
    for part in [1.0, 0.5, 0.25] {
        if mesh.move_point(vertex, start + displacement * part).is_err() {
            continue;
        }
        if smallest_angle(mesh, vertex) >= before.min(GOOD_ANGLE) {
            return;
        }
        // Moving back is always valid.
        if mesh.move_point(vertex, start).is_err() {
            return;
        }
    }
}

fn smallest_angle(mesh: &TriMesh, vertex: VertexId) -> f64 {
    let angle = |triangle| triangle_quality(&mesh.corners(triangle)).smallest_angle;
    mesh.elements_of(vertex).map(angle).fold(f64::INFINITY, f64::min)
}

/// Flips edges until all are locally Delaunay (Lawson 1977). Each flip improves the triangulation,
/// so this terminates; the limit covers rounding.
fn flip_to_delaunay(mesh: &mut TriMesh, constraints: &[[u32; 2]], fixed: usize) {
    let mut stack: Vec<u32> = (0..mesh.element_count() as u32).collect();
    let mut remaining_flips = 20 * mesh.element_count();
    while let Some(triangle) = stack.pop() {
        for corner in 0..3 {
            let Some(behind) = mesh.neighbour(TriangleId(triangle), corner) else { continue };
            let corners = mesh.points_of(TriangleId(triangle));
            let [apex, start, end] = [0, 1, 2].map(|step| corners[(corner + step) % 3]);
            let Some(far) = mesh.points_of(behind).into_iter().find(|&other| other != start && other != end) else {
                continue;
            };
            let flat = |vertex: VertexId| [mesh.position(vertex).x, mesh.position(vertex).y];
            if !(in_circle(flat(apex), flat(start), flat(end), flat(far)) > 0.0) {
                continue;
            }
            let key = [start.0.min(end.0), start.0.max(end.0)];
            let constrained = (key[1] as usize) < fixed && constraints.binary_search(&key).is_ok();
            if constrained || remaining_flips == 0 || mesh.flip_edge(start, end).is_err() {
                continue;
            }
            remaining_flips -= 1;
            stack.extend([triangle, behind.0]);
            break;
        }
    }
}
