//! Quality triangulation of a part of the plane: outline, holes, lines that must be edges, slits that must be open.
//!
//! The way from a [`PlaneDomain`] to triangles, a file a step:
//! 1. `chains`: the input is checked exactly, and its segments are divided to the asked edge length;
//! 2. `sizing`: where the input itself is finer (short segments, narrow gaps), the wanted edge length shrinks towards it;
//! 3. `fill`: constrained Delaunay triangulation (spade) of those points and a hexagonal lattice, and circumcentres where
//!    neither reaches;
//! 4. `smooth`: inner points move towards the middle of their triangles, edges are flipped back to Delaunay;
//! 5. `part`: slits open.
//!
//! Nothing is random and no hash map is iterated: the same input gives the same bits.

mod chains;
mod error;
mod fill;
mod part;
mod sizing;
mod smooth;

pub use error::{ChainName, DelaunayError};
pub use part::{Parted, edge_sides, part_along, part_except};

use crate::id::VertexId;
use crate::mesh::TriMesh;
use chains::Chains;
use craze_math::Vec3;

/// A point of the plane (m).
pub type Point = [f64; 2];

/// Most triangles that one triangulation makes.
const LIMIT: f64 = 1e7;

/// A part of the plane and the lines in it.
///
/// Outline and holes are closed: the last point is joined to the first; either direction will do. They may touch
/// neither each other nor themselves. Lines and slits run from point to point inside; where one meets another or a rim,
/// both need a point at the very same place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaneDomain {
    /// The outer rim (m).
    pub outline: Vec<Point>,
    /// Rims of holes (m).
    pub holes: Vec<Vec<Point>>,
    /// Lines that edges of triangles follow (m).
    pub lines: Vec<Vec<Point>>,
    /// Lines along which the triangles are not joined (m): each has two lips in the same place. A slit whose end lies
    /// inside is joined there, in its tip; one that ends on a rim is open there.
    pub slits: Vec<Vec<Point>>,
}

/// Triangles of a [`PlaneDomain`].
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulation {
    /// The triangles in the plane z = 0, counter-clockwise seen from +z.
    pub mesh: TriMesh,
    /// The edges that lie on the domain's lines, in ascending order.
    pub lines: Vec<[VertexId; 2]>,
}

/// Triangulates a domain with edges of about `edge` (m).
///
/// Every point of the domain is a vertex, every segment a row of edges of about the asked length; triangles are as
/// nearly equilateral as these allow. Where segments are shorter or lie closer together than `edge`, triangles are
/// smaller and grow away from there. The smallest angle is above 25° except at corners of the domain sharper than that
/// can give.
///
/// Refused, by name: coordinates that are no numbers, an outline or hole without area, chains that cross or touch, holes
/// outside the outline or inside each other, lines outside, an edge length that is not positive or would need more than
/// ten million triangles.
pub fn triangulate(domain: &PlaneDomain, edge: f64) -> Result<Triangulation, DelaunayError> {
    let chains = Chains::new(domain, edge)?;
    let filled = fill::fill(&chains)?;
    let mut mesh = filled.mesh;
    smooth::smooth(&mut mesh, &filled.sizing, &filled.constraints, filled.fixed);
    let area = mesh.total_measure();
    if !((area - chains.area).abs() <= 1e-6 * chains.area) {
        return Err(DelaunayError::Unfilled { expected: chains.area, found: area });
    }
    open(&mesh, &chains)
}

/// Parts the triangles along the slits and names the edges of the lines.
fn open(mesh: &TriMesh, chains: &Chains) -> Result<Triangulation, DelaunayError> {
    let lines = chains.edges_of(|name| matches!(name, ChainName::Line(_)));
    let slits = chains.edges_of(|name| matches!(name, ChainName::Slit(_)));
    let parted = part_along(mesh.point_count(), mesh.elements(), |edge| slits.binary_search(&edge).is_err());
    let positions: Vec<Vec3> = parted.origins.iter().map(|&origin| mesh.positions()[origin as usize]).collect();
    let mut found = Vec::new();
    for (old, new) in mesh.elements().iter().zip(&parted.triangles) {
        for corner in 0..3 {
            let ends = [corner, (corner + 1) % 3];
            let [a, b] = ends.map(|place| old[place]);
            if lines.binary_search(&[a.min(b), a.max(b)]).is_ok() {
                let [a, b] = ends.map(|place| new[place]);
                found.push([VertexId(a.min(b)), VertexId(a.max(b))]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(Triangulation { mesh: TriMesh::from_parts(positions, parted.triangles)?, lines: found })
}
