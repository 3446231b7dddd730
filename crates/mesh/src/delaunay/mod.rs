//! Quality triangulation of a plane domain with holes, constrained lines and open slits.
//!
//! Steps, one per file:
//! 1. `chains`: checks the input exactly and divides its segments to the target edge length;
//! 2. `sizing`: reduces the target edge length near short segments and narrow gaps;
//! 3. `fill`: constrained Delaunay triangulation (spade) of those points, a hexagonal lattice, and
//!    circumcentres elsewhere;
//! 4. `smooth`: moves inner points towards the centroid of their triangles and restores the
//!    Delaunay property by flips;
//! 5. `separate`: opens the slits.
//!
//! Deterministic: no random numbers, no iteration over hash maps.

mod chains;
mod error;
mod fill;
mod separate;
mod sizing;
mod smooth;

pub use error::{ChainName, DelaunayError};
pub use separate::{SeparatedTriangles, edge_sides, separate_along, separate_except};

use crate::id::VertexId;
use crate::mesh::TriMesh;
use chains::Chains;
use craze_math::Vec3;

/// A point in the plane (m).
pub type Point = [f64; 2];

/// A domain in the plane.
///
/// Outline and holes are closed (the last point connects to the first), in either direction, and
/// must not touch each other or themselves. Lines and slits are inside; where one meets another or
/// the boundary, both need a point with the same coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaneDomain {
    /// The outer boundary (m).
    pub outline: Vec<Point>,
    /// Boundaries of holes (m).
    pub holes: Vec<Vec<Point>>,
    /// Lines that become edges of triangles (m).
    pub lines: Vec<Vec<Point>>,
    /// Lines along which the triangles are disconnected (m), with duplicated points on both faces.
    /// A slit that ends inside is connected at its tip; one that ends on the boundary is open
    /// there.
    pub slits: Vec<Vec<Point>>,
}

/// Triangulation of a [`PlaneDomain`].
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulation {
    /// The triangles in the plane z = 0, counterclockwise seen from +z.
    pub mesh: TriMesh,
    /// The edges on the lines of the domain, ascending.
    pub lines: Vec<[VertexId; 2]>,
}

/// Triangulates a domain with edges of about `edge` (m).
///
/// Every point of the domain becomes a vertex, every segment a sequence of edges of about the
/// target length. Where segments are shorter or closer together than `edge`, triangles are smaller
/// and grow with the distance. The smallest angle is above 25° except at corners of the domain that
/// do not allow it.
///
/// Fails for coordinates that are not finite, an outline or hole without area, chains that cross or
/// touch, holes outside the outline or inside each other, lines outside, an edge length that is not
/// positive, and more than ten million triangles.
pub fn triangulate(domain: &PlaneDomain, edge: f64) -> Result<Triangulation, DelaunayError> {
    fill_and_smooth(&Chains::new(domain, edge)?, None)
}

/// Inner points of a triangulation (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InnerPoints<'a> {
    /// Points that stay where they are.
    Fixed(&'a [Point]),
    /// Points that are smoothed.
    Smoothed(&'a [Point]),
}

/// [`triangulate`] with these inner points in place of a hexagonal lattice. Points outside of the
/// domain and points closer to its boundary than half an edge are left out.
pub fn triangulate_with(domain: &PlaneDomain, edge: f64, inner: InnerPoints) -> Result<Triangulation, DelaunayError> {
    fill_and_smooth(&Chains::new(domain, edge)?, Some(inner))
}

fn fill_and_smooth(chains: &Chains, inner: Option<InnerPoints>) -> Result<Triangulation, DelaunayError> {
    let filled = fill::fill(chains, inner)?;
    let mut mesh = filled.mesh;
    smooth::smooth(&mut mesh, &filled.sizing, &filled.constraints, filled.fixed);
    let area = mesh.total_measure();
    if !((area - chains.area).abs() <= 1e-6 * chains.area) {
        return Err(DelaunayError::Unfilled { expected: chains.area, found: area });
    }
    open_slits(&mesh, chains)
}

fn open_slits(mesh: &TriMesh, chains: &Chains) -> Result<Triangulation, DelaunayError> {
    let lines = chains.edges_of(|name| matches!(name, ChainName::Line(_)));
    let slits = chains.edges_of(|name| matches!(name, ChainName::Slit(_)));
    let separated = separate_along(mesh.point_count(), mesh.elements(), |edge| slits.binary_search(&edge).is_err());
    let positions: Vec<Vec3> = separated.origins.iter().map(|&origin| mesh.positions()[origin as usize]).collect();
    let mut found = Vec::new();
    for (old, new) in mesh.elements().iter().zip(&separated.triangles) {
        for first in 0..3 {
            let ends = [first, (first + 1) % 3];
            let [a, b] = ends.map(|corner| old[corner]);
            if lines.binary_search(&[a.min(b), a.max(b)]).is_ok() {
                let [a, b] = ends.map(|corner| new[corner]);
                found.push([VertexId(a.min(b)), VertexId(a.max(b))]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(Triangulation { mesh: TriMesh::from_parts(positions, separated.triangles)?, lines: found })
}
