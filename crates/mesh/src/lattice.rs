//! Regular meshes of boxes and rectangles.

use crate::error::MeshError;
use crate::id::{Id, NodeId, TetId, TriangleId, VertexId};
use crate::mesh::{TetMesh, TriMesh};
use craze_math::{Random, Vec3};
use thiserror::Error;

/// Why a lattice cannot be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum LatticeError<P: Id, E: Id> {
    /// An axis without cells.
    #[error("a lattice needs at least one cell along each axis, not {counts:?}")]
    Empty { counts: Vec<usize> },
    /// The cells form no mesh: too many, or a size that is not positive.
    #[error(transparent)]
    Mesh(#[from] MeshError<P, E>),
}

/// Random displacement of the inner points of a lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Maximum displacement along each axis as a fraction of the spacing; up to 0.15 keeps every
    /// Kuhn tetrahedron positive.
    pub amount: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// A box from the origin to `size` (m), in cells of six tetrahedra that share a diagonal (Kuhn,
/// Freudenthal). Cells conform, and every inner node has 24 tetrahedra.
///
/// Nodes are numbered along x first, then y, then z.
pub fn kuhn_box(counts: [usize; 3], size: Vec3) -> Result<TetMesh, LatticeError<NodeId, TetId>> {
    kuhn_box_jittered(counts, size, Jitter { amount: 0.0, seed: 0 })
}

/// [`kuhn_box`] with randomly displaced inner nodes, reproducible by seed.
pub fn kuhn_box_jittered(
    counts: [usize; 3],
    size: Vec3,
    jitter: Jitter,
) -> Result<TetMesh, LatticeError<NodeId, TetId>> {
    let [nodes, cells] = lattice_size(counts)?;
    if counts.contains(&0) {
        return Err(LatticeError::Empty { counts: counts.to_vec() });
    }
    let [nx, ny, nz] = counts;
    let mut random = Random::new(jitter.seed);
    let mut positions = Vec::with_capacity(nodes);
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                let inner = [(x, nx), (y, ny), (z, nz)].iter().all(|&(index, count)| index > 0 && index < count);
                let amplitude = if inner { jitter.amount } else { 0.0 };
                let mut coordinate = |index: usize, count: usize, length: f64| {
                    length * (index as f64 + amplitude * random.signed()) / count as f64
                };
                positions.push(Vec3::new(
                    coordinate(x, nx, size.x),
                    coordinate(y, ny, size.y),
                    coordinate(z, nz, size.z),
                ));
            }
        }
    }
    let strides = [1, nx + 1, (nx + 1) * (ny + 1)];
    // The six paths from a cell's lowest corner to its highest, one axis at a time. Tetrahedra of
    // odd permutations are reversed.
    const AXIS_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
    let mut tetrahedra = Vec::with_capacity(cells * 6);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let low = x + y * strides[1] + z * strides[2];
                for (index, axes) in AXIS_ORDERS.iter().enumerate() {
                    let first = low + strides[axes[0]];
                    let second = first + strides[axes[1]];
                    let high = second + strides[axes[2]];
                    let [first, second] = if index < 3 { [first, second] } else { [second, first] };
                    tetrahedra.push([low, first, second, high].map(|node| node as u32));
                }
            }
        }
    }
    Ok(TetMesh::from_parts(positions, tetrahedra)?)
}

/// A rectangle from the origin to `size` (m) in the plane z = 0, facing +z, in cells of two
/// triangles that share the diagonal from the lowest corner.
///
/// Vertices are numbered along x first, then y.
pub fn kuhn_grid(counts: [usize; 2], size: [f64; 2]) -> Result<TriMesh, LatticeError<VertexId, TriangleId>> {
    kuhn_grid_jittered(counts, size, Jitter { amount: 0.0, seed: 0 })
}

/// [`kuhn_grid`] with inner vertices randomly displaced in the plane, reproducible by seed.
pub fn kuhn_grid_jittered(
    counts: [usize; 2],
    size: [f64; 2],
    jitter: Jitter,
) -> Result<TriMesh, LatticeError<VertexId, TriangleId>> {
    let [nx, ny] = counts;
    let [vertices, cells] = lattice_size([nx, ny, 0])?;
    if counts.contains(&0) {
        return Err(LatticeError::Empty { counts: counts.to_vec() });
    }
    let mut random = Random::new(jitter.seed);
    let mut positions = Vec::with_capacity(vertices);
    for y in 0..=ny {
        for x in 0..=nx {
            let inner = x > 0 && x < nx && y > 0 && y < ny;
            let amplitude = if inner { jitter.amount } else { 0.0 };
            let mut coordinate = |index: usize, count: usize, length: f64| {
                length * (index as f64 + amplitude * random.signed()) / count as f64
            };
            positions.push(Vec3::new(coordinate(x, nx, size[0]), coordinate(y, ny, size[1]), 0.0));
        }
    }
    let mut triangles = Vec::with_capacity(cells * 2);
    for y in 0..ny {
        for x in 0..nx {
            let low = x + y * (nx + 1);
            let high = low + nx + 2;
            triangles.push([low, low + 1, high].map(|vertex| vertex as u32));
            triangles.push([low, high, low + nx + 1].map(|vertex| vertex as u32));
        }
    }
    Ok(TriMesh::from_parts(positions, triangles)?)
}

/// Numbers of points and cells; fails before anything is allocated.
fn lattice_size<P: Id, E: Id>(counts: [usize; 3]) -> Result<[usize; 2], LatticeError<P, E>> {
    let product = |extra: usize| {
        counts.iter().try_fold(1usize, |product, &count| product.checked_mul(count.checked_add(extra)?.max(1)))
    };
    match (product(1), product(0)) {
        (Some(points), Some(cells)) if points <= crate::mesh::MAX_COUNT && cells <= crate::mesh::MAX_COUNT / 6 => {
            Ok([points, cells])
        }
        _ => Err(MeshError::TooMany {
            points: product(1).unwrap_or(usize::MAX),
            elements: product(0).unwrap_or(usize::MAX),
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kuhn_box_fills_its_box_and_is_one_piece() {
        let mesh = kuhn_box([3, 4, 5], Vec3::new(0.3, 0.8, 1.5)).unwrap();
        assert_eq!((mesh.point_count(), mesh.element_count()), (120, 360));
        mesh.validate().unwrap();
        assert!((mesh.total_measure() - 0.36).abs() < 1e-14);
        assert_eq!(mesh.pieces().count, 1);
        assert_eq!(mesh.boundary().triangles.len(), 4 * (12 + 15 + 20));
        assert!(mesh.point_ids().map(|node| mesh.elements_of(node).len()).max() == Some(24));
    }

    #[test]
    fn jitter_keeps_all_tetrahedra_positive() {
        for seed in 0..20 {
            let mesh = kuhn_box_jittered([6, 6, 6], Vec3::repeat(1.0), Jitter { amount: 0.15, seed }).unwrap();
            assert!((mesh.total_measure() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_kuhn_grid_fills_its_rectangle_and_faces_up() {
        let mesh = kuhn_grid([7, 3], [1.4, 0.3]).unwrap();
        assert_eq!((mesh.point_count(), mesh.element_count()), (32, 42));
        assert!((mesh.total_measure() - 0.42).abs() < 1e-14);
        assert_eq!(mesh.boundary().edges.len(), 20);
        for triangle in mesh.element_ids() {
            assert!(craze_math::triangle::area_vector(&mesh.corners(triangle)).z > 0.0);
        }
    }

    #[test]
    fn invalid_lattices_are_rejected() {
        assert!(matches!(kuhn_box([0, 1, 1], Vec3::repeat(1.0)), Err(LatticeError::Empty { .. })));
        assert!(matches!(kuhn_grid([usize::MAX, 2], [1.0, 1.0]), Err(LatticeError::Mesh(MeshError::TooMany { .. }))));
        assert!(matches!(kuhn_box([1, 1, 1], Vec3::new(1.0, -1.0, 1.0)), Err(LatticeError::Mesh(_))));
        assert!(kuhn_grid([1, 1], [f64::NAN, 1.0]).is_err());
    }
}
