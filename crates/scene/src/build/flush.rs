//! Bodies that are placed face to face, on each other or on obstacles, are separated by the contact
//! distance before they are built.

use super::body::Filled;
use super::rejected;
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_contact::PlacedSurface;
use craze_engine::Obstacle;
use craze_math::{Isometry, Vec3};
use craze_mesh::NodeId;

/// A solid's surface in the world.
struct Placed {
    /// The body in the list.
    body: usize,
    placement: Isometry,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    skin: f64,
}

/// Moves the faces of solids that lie flush on each other or on an obstacle inward, each by the
/// contact distance of its own body. Obstacles are not moved. Planes have no vertices that could
/// lie inside a face, so that bodies on them are left unchanged.
pub fn separate_flush_faces(
    document: &SceneDocument,
    bodies: &mut [Filled],
    obstacles: &[Obstacle],
) -> Result<(), SceneError> {
    let mut placed = Vec::new();
    for (body, filled) in bodies.iter_mut().enumerate() {
        let Some((mesh, placement, contact_boundary)) = filled.mesh(document) else { continue };
        let (triangles, skin) = contact_boundary(mesh);
        let put = |place: &Vec3| placement.transform_point(&(*place).into()).coords;
        placed.push(Placed { body, placement, positions: mesh.positions().iter().map(put).collect(), triangles, skin });
    }
    let solid: Vec<(Vec<Vec3>, &[[u32; 3]])> = (obstacles.iter())
        .filter(|obstacle| !obstacle.surface.triangles.is_empty())
        .map(|Obstacle { surface, place, .. }| {
            let put = |point: &Vec3| place.transform_point(&(*point).into()).coords;
            (surface.positions.iter().map(put).collect(), surface.triangles.as_slice())
        })
        .collect();
    let of_bodies = (placed.iter()).map(|Placed { positions, triangles, skin, .. }| PlacedSurface {
        positions,
        triangles,
        skin: *skin,
    });
    let of_obstacles = solid.iter().map(|(positions, triangles)| PlacedSurface { positions, triangles, skin: 0.0 });
    let surfaces: Vec<PlacedSurface> = of_bodies.chain(of_obstacles).collect();
    // Positions are finite wherever a scene or a model has been read.
    let found =
        craze_contact::separate_flush_faces(&surfaces).map_err(|error| rejected(document, "body", error, ""))?;
    for (of, displacements) in placed.iter().zip(found) {
        let Some((mesh, ..)) = bodies[of.body].mesh(document) else { continue };
        for (point, displacement) in displacements {
            let node = NodeId(point);
            let rest = mesh.position(node) + of.placement.rotation.inverse() * displacement;
            // A tetrahedron thinner than the displacement stays as it is: its body then starts in
            // contact.
            let _ = mesh.move_point(node, rest);
        }
    }
    Ok(())
}
