//! Separation of parts connected only through points or edges, for a manifold surface.

use craze_mesh::{NodeId, TetEditError, TetMesh};

/// Separates tetrahedra connected only through single points or edges; returns the number of these.
///
/// Separated edges are split, which may worsen angles. Where only the surface touches itself, as at
/// the end of a crack, nothing changes.
pub(super) fn separate(mesh: &mut TetMesh) -> Result<usize, TetEditError> {
    let mut nodes: Vec<NodeId> = mesh.boundary().triangles.into_iter().flatten().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut count = mesh.separate_at_points(&nodes)?.len();
    let mut edges: Vec<[NodeId; 2]> = (mesh.boundary().triangles.iter())
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    let pinched: Vec<[NodeId; 2]> =
        edges.chunk_by(|one, other| one == other).filter(|run| run.len() > 2).map(|run| run[0]).collect();
    for [start, end] in pinched {
        // Separating another edge may have changed this one.
        if mesh.pinched_edges(start).contains(&end) {
            mesh.separate_at_edge(start, end)?;
            count += 1;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;

    #[test]
    fn two_tetrahedra_that_share_a_node_or_an_edge_are_separated() {
        let positions = vec![
            Vec3::zeros(),
            Vec3::x(),
            Vec3::y(),
            Vec3::z(),
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 0.0, -1.0),
        ];
        let mut touching = TetMesh::from_parts(positions.clone(), vec![[0, 1, 2, 3], [0, 5, 4, 6]]).expect("a mesh");
        assert_eq!(separate(&mut touching), Ok(1));
        assert_eq!((touching.point_count(), separate(&mut touching)), (8, Ok(0)));
        let shared = vec![positions[0], positions[1], positions[2], positions[3], positions[5], positions[6]];
        let mut hinged = TetMesh::from_parts(shared, vec![[0, 1, 2, 3], [0, 1, 4, 5]]).expect("a mesh");
        assert!(separate(&mut hinged).expect("separated") > 0);
        hinged.validate().expect("valid");
        assert_eq!(hinged.point_count(), 8);
    }
}
