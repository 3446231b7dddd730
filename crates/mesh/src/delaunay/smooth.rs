//! Better triangles over the same rims: points move to the middle, edges flip to Delaunay.

use super::sizing::Sizing;
use crate::id::{TriangleId, VertexId};
use crate::mesh::TriMesh;
use crate::quality::triangle_quality;
use craze_math::Vec3;
use craze_math::predicates::in_circle;

/// Rounds of moving and flipping.
const ROUNDS: usize = 8;
/// A move may lower the smallest angle around a point as long as it stays above this (rad).
const GOOD_ANGLE: f64 = 0.61;

/// Moves all but the `fixed` first vertices and flips all edges but the constraints.
pub(super) fn smooth(mesh: &mut TriMesh, sizing: &Sizing, constraints: &[[u32; 2]], fixed: usize) {
    for _ in 0..ROUNDS {
        flip_to_delaunay(mesh, constraints, fixed);
        for vertex in fixed..mesh.point_count() {
            move_to_middle(mesh, sizing, VertexId(vertex as u32));
        }
    }
    flip_to_delaunay(mesh, constraints, fixed);
}

/// Moves a vertex towards the middle of the triangles around it, weighted by how many of the wanted size each would
/// hold, unless a triangle gets a worse shape by it.
fn move_to_middle(mesh: &mut TriMesh, sizing: &Sizing, vertex: VertexId) {
    let (mut middle, mut weights) = (Vec3::zeros(), 0.0);
    for triangle in mesh.elements_of(vertex) {
        let corners = mesh.corners(triangle);
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let size = sizing.at([centre.x, centre.y]) / sizing.edge();
        let weight = mesh.measure(triangle) / size.powi(4);
        middle += centre * weight;
        weights += weight;
    }
    let start = mesh.position(vertex);
    let wanted = middle / weights - start;
    // Most of a lattice is where it should be.
    if wanted.norm() < 1e-5 * sizing.at([start.x, start.y]) {
        return;
    }
    let before = smallest_angle(mesh, vertex);
    for part in [1.0, 0.5, 0.25] {
        if mesh.move_point(vertex, start + wanted * part).is_err() {
            continue;
        }
        if smallest_angle(mesh, vertex) >= before.min(GOOD_ANGLE) {
            return;
        }
        // Back to where it was is always allowed.
        if mesh.move_point(vertex, start).is_err() {
            return;
        }
    }
}

fn smallest_angle(mesh: &TriMesh, vertex: VertexId) -> f64 {
    let angle = |triangle| triangle_quality(&mesh.corners(triangle)).smallest_angle;
    mesh.elements_of(vertex).map(angle).fold(f64::INFINITY, f64::min)
}

/// Flips edges whose triangles' circles hold the other's point, over and over until none is left (Lawson 1977). Each
/// flip makes the triangulation strictly better, so that it ends; the bound on the rounds is for rounding.
fn flip_to_delaunay(mesh: &mut TriMesh, constraints: &[[u32; 2]], fixed: usize) {
    let mut waiting: Vec<u32> = (0..mesh.element_count() as u32).collect();
    let mut allowed = 20 * mesh.element_count();
    while let Some(triangle) = waiting.pop() {
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
            if constrained || allowed == 0 || mesh.flip_edge(start, end).is_err() {
                continue;
            }
            allowed -= 1;
            waiting.extend([triangle, behind.0]);
            break;
        }
    }
}
