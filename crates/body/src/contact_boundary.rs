//! Contact boundary of a tetrahedral body: its surface and the distance that it keeps.

use craze_mesh::TetMesh;

/// Half of the distance between surfaces in contact, relative to their mean edge: invisible, and
/// far above rounding.
pub const CONTACT_SKIN: f64 = 5e-4;

/// Half of the distance (m) that a body with these surface triangles keeps from others like it.
pub fn contact_skin(mesh: &TetMesh, triangles: impl Iterator<Item = [u32; 3]>) -> f64 {
    let position = |node: u32| mesh.positions()[node as usize];
    let around = |[a, b, c]: [u32; 3]| {
        [[a, b], [b, c], [c, a]].into_iter().map(|[from, to]| (position(to) - position(from)).norm()).sum::<f64>()
    };
    let (mut total, mut count) = (0.0, 0);
    triangles.for_each(|triangle| {
        total += around(triangle);
        count += 1;
    });
    CONTACT_SKIN * total / (3 * count.max(1)) as f64
}

/// The outward triangles of the surface of a mesh, and half of the distance (m) that a body of it
/// keeps from others like it.
pub fn contact_boundary(mesh: &TetMesh) -> (Vec<[u32; 3]>, f64) {
    let triangles: Vec<[u32; 3]> = mesh.boundary().triangles.iter().map(|corners| corners.map(|node| node.0)).collect();
    let skin = contact_skin(mesh, triangles.iter().copied());
    (triangles, skin)
}
