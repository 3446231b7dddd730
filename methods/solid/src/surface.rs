//! The surface of a solid: which nodes lie on it and how they hang together.

use craze_contact::{ContactTetrahedra, ContactTriangles};
use craze_frame::names;
use craze_material::Material;
use craze_math::tetrahedron::volume;
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
    /// Elements with a face on it, ascending.
    outer: Vec<u32>,
    /// Distance that contact keeps from it (m).
    skin: f64,
    /// Young's modulus of the stiffest material (Pa).
    modulus: f64,
    /// Edge of a cube as large as the mesh (m).
    size: f64,
    /// Counts the changes of the mesh.
    version: u64,
    /// For every node of it, the place of the first that was one with it before a crack went through; empty in an unbroken body.
    origins: Vec<u32>,
}

impl SolidSurface {
    pub fn of(mesh: &TetMesh, materials: &[Material], version: u64) -> Self {
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
        let mut outer: Vec<u32> = boundary.facets.iter().map(|facet| facet.element.0).collect();
        outer.dedup();
        let position = |place: u32| mesh.positions()[nodes[place as usize] as usize];
        let around = |&[a, b, c]: &[u32; 3]| {
            [[a, b], [b, c], [c, a]].into_iter().map(|[from, to]| (position(to) - position(from)).norm()).sum::<f64>()
        };
        let total: f64 = triangles.iter().map(around).sum();
        let skin = SKIN * total / (3 * triangles.len().max(1)) as f64;
        let modulus = materials.iter().map(|material| material.elasticity.young()).fold(0.0, f64::max);
        let size = mesh.element_ids().map(|element| volume(&mesh.corners(element)).abs()).sum::<f64>().cbrt();
        let origins = if is_broken(mesh) { origins(mesh, &nodes) } else { Vec::new() };
        Self { nodes, triangles, outer, skin, modulus, size, version, origins }
    }

    pub fn contact_triangles(&self) -> ContactTriangles<'_> {
        ContactTriangles {
            version: self.version,
            triangles: &self.triangles,
            is_closed: true,
            skin: self.skin,
            origins: &self.origins,
        }
    }

    /// How often the mesh has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Makes this the surface that comes after the one of this version.
    pub fn follow(&mut self, version: u64) {
        self.version = version + 1;
    }

    pub fn contact_tetrahedra<'a>(&'a self, mesh: &'a TetMesh) -> ContactTetrahedra<'a> {
        let Self { version, modulus, size, skin, .. } = *self;
        let edge = skin / SKIN;
        ContactTetrahedra { version, tetrahedra: mesh.elements(), outer: &self.outer, modulus, size, edge }
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        (self.nodes.capacity() + self.origins.capacity() + self.outer.capacity()) * 4 + self.triangles.capacity() * 12
    }
}

fn is_broken(mesh: &TetMesh) -> bool {
    mesh.facet_attributes().labels(names::CRACK).is_some_and(|marks| marks.contains(&1))
}

/// Nodes that were one lie at the same place of the rest shape, to the bit: a crack copies it.
fn origins(mesh: &TetMesh, nodes: &[u32]) -> Vec<u32> {
    let place = |at: u32| mesh.positions()[nodes[at as usize] as usize].map(f64::to_bits);
    let mut sorted: Vec<([u64; 3], u32)> = (0..nodes.len() as u32).map(|at| (place(at).into(), at)).collect();
    sorted.sort_unstable();
    let mut origins = vec![0; nodes.len()];
    for together in sorted.chunk_by(|one, other| one.0 == other.0) {
        for (_, at) in together {
            origins[*at as usize] = together[0].1;
        }
    }
    origins
}
