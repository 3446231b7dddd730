//! Boundary loops of a sheet.

use craze_mesh::{TriMesh, VertexId};

/// Boundary loops, each from its lowest vertex, ascending. Where fans meet in a vertex, a loop
/// stays within one fan.
pub(super) fn rim_loops(mesh: &TriMesh) -> Vec<Vec<VertexId>> {
    let rim = mesh.boundary();
    let edges = &rim.edges;
    let mut order: Vec<u32> = (0..edges.len() as u32).collect();
    order.sort_unstable_by_key(|&edge| (edges[edge as usize][0], edge));
    let starts = |vertex: VertexId| {
        let first = order.partition_point(|&edge| edges[edge as usize][0] < vertex);
        order[first..].iter().copied().take_while(move |&edge| edges[edge as usize][0] == vertex)
    };
    // Rotates around the end of an edge to the next open edge.
    let next = |edge: u32| {
        let end = edges[edge as usize][1];
        let mut triangle = rim.facets[edge as usize].element;
        for _ in 0..mesh.elements_of(end).len() {
            let corners = mesh.points_of(triangle);
            let position = corners.iter().position(|&corner| corner == end)?;
            // The side that starts at `end` lies opposite the corner before it.
            match mesh.neighbour(triangle, (position + 2) % 3) {
                Some(behind) => triangle = behind,
                None => return starts(end).find(|&next| rim.facets[next as usize].element == triangle),
            }
        }
        None
    };
    let mut used = vec![false; edges.len()];
    let mut loops = Vec::new();
    for &first in &order {
        let mut vertices = Vec::new();
        let mut edge = Some(first);
        while let Some(here) = edge
            && !used[here as usize]
        {
            used[here as usize] = true;
            vertices.push(edges[here as usize][0]);
            edge = next(here);
        }
        if !vertices.is_empty() {
            loops.push(vertices);
        }
    }
    loops
}
