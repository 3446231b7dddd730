//! The surface of a solid: which nodes lie on it and how they hang together.

use craze_contact::ContactTriangles;
use craze_mesh::TetMesh;

/// Distance that surfaces keep from each other, as a share of their mean edge: out of sight, and far above rounding.
const SKIN: f64 = 5e-4;

/// Nodes and triangles of the boundary. It follows from the mesh alone.
#[derive(Debug, Default)]
pub(crate) struct SolidSurface {
    /// Nodes on it, ascending.
    pub nodes: Vec<u32>,
    /// Places in the list of nodes, outward, in the order of [`TetMesh::boundary`].
    pub triangles: Vec<[u32; 3]>,
    /// Distance that contact keeps from it (m).
    skin: f64,
    /// Counts the changes of the mesh.
    version: u64,
}

impl SolidSurface {
    pub fn of(mesh: &TetMesh, version: u64) -> Self {
        let boundary = mesh.boundary();
        let mut nodes: Vec<u32> = boundary.triangles.iter().flatten().map(|node| node.0).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut place_of = vec![u32::MAX; mesh.point_count()];
        for (place, &node) in nodes.iter().enumerate() {
            place_of[node as usize] = place as u32;
        }
        let triangles: Vec<[u32; 3]> =
            boundary.triangles.iter().map(|corners| corners.map(|node| place_of[node.index()])).collect();
        let position = |place: u32| mesh.positions()[nodes[place as usize] as usize];
        let around = |&[a, b, c]: &[u32; 3]| {
            [[a, b], [b, c], [c, a]].into_iter().map(|[from, to]| (position(to) - position(from)).norm()).sum::<f64>()
        };
        let total: f64 = triangles.iter().map(around).sum();
        let skin = SKIN * total / (3 * triangles.len().max(1)) as f64;
        Self { nodes, triangles, skin, version }
    }

    pub fn contact_triangles(&self) -> ContactTriangles<'_> {
        ContactTriangles {
            version: self.version,
            triangles: &self.triangles,
            is_closed: true,
            skin: self.skin,
            origins: &[],
        }
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * 4 + self.triangles.capacity() * 12
    }
}
