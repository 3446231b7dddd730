//! Separation of triangles along edges.

use craze_math::DisjointSets;

/// Triangles with some points duplicated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparatedTriangles {
    /// The triangles in their old order, over the new points.
    pub triangles: Vec<[u32; 3]>,
    /// The old point of each new point. The old points come first, unchanged.
    pub origins: Vec<u32>,
}

/// Separates triangles except across edges that `joined` accepts (called with the lower point
/// first) and that exactly two triangles share; at each point, every disconnected group gets its
/// own copy.
///
/// Opens slits, and makes non-manifold edges manifold. O(n log n) in the number of triangles.
pub fn separate_along(points: usize, triangles: &[[u32; 3]], joined: impl Fn([u32; 2]) -> bool) -> SeparatedTriangles {
    let pairs = edge_sides(triangles).chunk_by(|one, other| one.0 == other.0).fold(Vec::new(), |mut pairs, run| {
        if let [one, other] = run
            && joined(one.0)
        {
            pairs.push([one.1, other.1]);
        }
        pairs
    });
    separate_except(points, triangles, &pairs)
}

/// [`separate_along`] with the pairs of sides (triangle · 3 + opposite corner) that stay connected.
/// Both sides of a pair have the same two points.
pub fn separate_except(points: usize, triangles: &[[u32; 3]], pairs: &[[u32; 2]]) -> SeparatedTriangles {
    let mut groups = DisjointSets::new(3 * triangles.len());
    for &[one, other] in pairs {
        let [one, other] = [one, other].map(|side| (side as usize / 3, side as usize % 3));
        for step in 1..3 {
            let corner = (one.1 + step) % 3;
            let point = triangles[one.0][corner];
            if let Some(twin) = triangles[other.0].iter().position(|&candidate| candidate == point) {
                groups.join((one.0 * 3 + corner) as u32, (other.0 * 3 + twin) as u32);
            }
        }
    }
    // The first group found at a point keeps it.
    let mut name = vec![u32::MAX; triangles.len() * 3];
    let mut used = vec![false; points];
    let mut origins: Vec<u32> = (0..points as u32).collect();
    let mut separated = triangles.to_vec();
    for triangle in 0..triangles.len() {
        for corner in 0..3 {
            let root = groups.root((triangle * 3 + corner) as u32) as usize;
            if name[root] == u32::MAX {
                let point = triangles[triangle][corner];
                name[root] = if used[point as usize] {
                    origins.push(point);
                    origins.len() as u32 - 1
                } else {
                    used[point as usize] = true;
                    point
                };
            }
            separated[triangle][corner] = name[root];
        }
    }
    SeparatedTriangles { triangles: separated, origins }
}

/// All sides (lower point first, triangle · 3 + opposite corner), sorted: sides of one edge are
/// adjacent.
pub fn edge_sides(triangles: &[[u32; 3]]) -> Vec<([u32; 2], u32)> {
    let mut sides = Vec::with_capacity(triangles.len() * 3);
    for (triangle, points) in triangles.iter().enumerate() {
        for corner in 0..3 {
            let [a, b] = [points[(corner + 1) % 3], points[(corner + 2) % 3]];
            sides.push(([a.min(b), a.max(b)], (triangle * 3 + corner) as u32));
        }
    }
    sides.sort_unstable();
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slit_has_two_faces_and_one_tip() {
        // Four triangles around point 0; the edge to point 1 is cut, and point 1 is on the
        // boundary.
        let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
        let separated = separate_along(5, &fan, |edge| edge != [0, 1]);
        assert_eq!(separated.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
        assert_eq!(separated.origins, [0, 1, 2, 3, 4, 1]);
    }

    #[test]
    fn triangles_at_a_non_manifold_edge_are_separated() {
        let book = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        let separated = separate_along(5, &book, |_| true);
        assert_eq!(separated.triangles, [[0, 1, 2], [5, 6, 3], [7, 8, 4]]);
        assert_eq!(separated.origins[5..], [1, 0, 0, 1]);
        let bound = separate_except(5, &book, &[[2, 8]]);
        assert_eq!(bound.triangles, [[0, 1, 2], [5, 6, 3], [0, 1, 4]]);
    }
}
