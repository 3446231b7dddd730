//! Connectivity of surfaces: fans around vertices, and the test for closed manifolds.

use craze_math::{DisjointSets, Vec3};

/// A directed edge of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge {
    /// Its vertices, the lower one first.
    pub edge: [u32; 2],
    /// Corners at the lower and the higher vertex, and the third; corner k of triangle t is 3 t +
    /// k.
    pub corners: [u32; 3],
    /// True if the triangle traverses it from the lower vertex to the higher.
    pub is_forward: bool,
}

/// All half-edges, sorted by edge.
pub(crate) fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut half_edges = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for [start, end, third] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let is_forward = corners[start] < corners[end];
            let [low, high] = if is_forward { [start, end] } else { [end, start] };
            half_edges.push(HalfEdge {
                edge: [corners[low], corners[high]],
                corners: [low, high, third].map(|corner| (3 * triangle + corner) as u32),
                is_forward,
            });
        }
    }
    half_edges.sort_unstable();
    half_edges
}

/// Returns true if every edge is traversed exactly once in each direction. If each vertex has a
/// single [`fan`](fans), the surface is closed and manifold.
pub fn is_manifold(triangles: &[[u32; 3]]) -> bool {
    let once = |edge: &[HalfEdge]| edge.len() == 2 && edge[0].is_forward != edge[1].is_forward;
    half_edges(triangles).chunk_by(|one, other| one.edge == other.edge).all(once)
}

/// For every corner the first corner of its fan, that is of the corners of one vertex connected
/// over edges. Where more than two triangles share an edge, those with solid between them are
/// connected. Corner k of triangle t is 3 t + k.
pub fn fans(triangles: &[[u32; 3]], position: impl Fn(u32) -> Vec3) -> Vec<u32> {
    let mut fans = DisjointSets::new(3 * triangles.len());
    let vertex = |corner: u32| triangles[corner as usize / 3][corner as usize % 3];
    for edge in half_edges(triangles).chunk_by_mut(|one, other| one.edge == other.edge) {
        if edge.len() > 2 {
            let [low, high] = edge[0].edge.map(&position);
            let across = |half_edge: &HalfEdge| position(vertex(half_edge.corners[2])) - low;
            sort_around(&(high - low), edge, across);
        }
        for [one, other] in wedges(edge) {
            fans.join(one.corners[0], other.corners[0]);
            fans.join(one.corners[1], other.corners[1]);
        }
    }
    (0..3 * triangles.len() as u32).map(|corner| fans.root(corner)).collect()
}

/// For every corner of a sheet the first corner of its fan, as in [`fans`], and whether the edge
/// from it to the next corner of its triangle is on the border. Two triangles are connected by an
/// edge if no other triangle has it and they traverse it in opposite directions; all other edges
/// are borders of their triangles.
pub(crate) fn sheet_fans(triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<bool>) {
    let mut fans = DisjointSets::new(3 * triangles.len());
    let mut is_border = vec![true; 3 * triangles.len()];
    for edge in half_edges(triangles).chunk_by(|one, other| one.edge == other.edge) {
        if let [one, other] = edge
            && one.is_forward != other.is_forward
        {
            fans.join(one.corners[0], other.corners[0]);
            fans.join(one.corners[1], other.corners[1]);
            for half_edge in edge {
                is_border[half_edge.corners[usize::from(!half_edge.is_forward)] as usize] = false;
            }
        }
    }
    ((0..3 * triangles.len() as u32).map(|corner| fans.root(corner)).collect(), is_border)
}

/// Sorts triangles around their common edge by angle, counter-clockwise seen against `along` (m).
/// Of coincident ones the first has its solid in front.
fn sort_around(along: &Vec3, half_edges: &mut [HalfEdge], across: impl Fn(&HalfEdge) -> Vec3) {
    let first = along.cross(&across(&half_edges[0]));
    let second = along.cross(&first);
    let angle = |half_edge: &HalfEdge| {
        let outward = along.cross(&across(half_edge));
        // All lengths cancel except that of the edge.
        (second.dot(&outward)).atan2(first.dot(&outward) * along.norm())
    };
    half_edges.sort_by(|one, other| angle(one).total_cmp(&angle(other)).then(other.is_forward.cmp(&one.is_forward)));
}

/// Pairs of triangles around an edge with solid between them: from one that traverses the edge
/// backward to the next that traverses it forward, cyclically.
fn wedges(around: &[HalfEdge]) -> Vec<[HalfEdge; 2]> {
    let mut begun: Vec<usize> = Vec::new();
    let mut done = vec![false; around.len()];
    let mut wedges = Vec::new();
    for index in (0..around.len()).chain(0..around.len()) {
        if done[index] || begun.contains(&index) {
            continue;
        }
        if !around[index].is_forward {
            begun.push(index);
        } else if let Some(begin) = begun.pop() {
            (done[begin], done[index]) = (true, true);
            wedges.push([around[begin], around[index]]);
        }
    }
    wedges
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn missing_flipped_and_doubled_faces_are_not_manifold() {
        assert!(is_manifold(&TETRAHEDRON));
        assert!(!is_manifold(&TETRAHEDRON[1..]));
        let mut turned = TETRAHEDRON;
        turned[2].swap(0, 1);
        assert!(!is_manifold(&turned));
        let doubled = [TETRAHEDRON, TETRAHEDRON].concat();
        assert!(!is_manifold(&doubled));
    }

    #[test]
    fn two_tetrahedra_that_share_a_corner_have_two_fans_there() {
        let far = TETRAHEDRON.map(|corners| corners.map(|vertex| if vertex == 0 { 0 } else { vertex + 3 }));
        let triangles = [TETRAHEDRON, far].concat();
        let fans = fans(&triangles, |vertex| Vec3::repeat(f64::from(vertex)));
        let mut different = fans.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 8);
        let apart: Vec<[u32; 3]> = fans.chunks(3).map(|corners| [corners[0], corners[1], corners[2]]).collect();
        assert!(is_manifold(&apart));
    }
}
