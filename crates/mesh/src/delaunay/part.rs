//! Triangles that let go of each other along edges.

use craze_math::DisjointSets;

/// Triangles over points of which some have been doubled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// The triangles, in their old order, over the new points.
    pub triangles: Vec<[u32; 3]>,
    /// The old point that each new point is or was split from. The first as many as there were are the old points
    /// themselves.
    pub origins: Vec<u32>,
}

/// Lets triangles stay joined only across the edges that `joined` accepts (asked with the lower point first), and only
/// if exactly two triangles have the edge; around each point, what is no longer joined gets a point of its own.
///
/// This opens slits, and makes a manifold of triangles that meet in books. Time n log n in the number of triangles.
pub fn part_along(points: usize, triangles: &[[u32; 3]], joined: impl Fn([u32; 2]) -> bool) -> Parted {
    let pairs = edge_sides(triangles).chunk_by(|one, other| one.0 == other.0).fold(Vec::new(), |mut pairs, run| {
        if let [one, other] = run
            && joined(one.0)
        {
            pairs.push([one.1, other.1]);
        }
        pairs
    });
    part_except(points, triangles, &pairs)
}

/// The same, with the pairs of sides (triangle · 3 + opposite corner) that stay joined. Each pair has the same two points.
pub fn part_except(points: usize, triangles: &[[u32; 3]], pairs: &[[u32; 2]]) -> Parted {
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
    // The first group that is met at a point keeps it.
    let mut name = vec![u32::MAX; triangles.len() * 3];
    let mut taken = vec![false; points];
    let mut origins: Vec<u32> = (0..points as u32).collect();
    let mut parted = triangles.to_vec();
    for triangle in 0..triangles.len() {
        for corner in 0..3 {
            let root = groups.root((triangle * 3 + corner) as u32) as usize;
            if name[root] == u32::MAX {
                let point = triangles[triangle][corner];
                name[root] = if taken[point as usize] {
                    origins.push(point);
                    origins.len() as u32 - 1
                } else {
                    taken[point as usize] = true;
                    point
                };
            }
            parted[triangle][corner] = name[root];
        }
    }
    Parted { triangles: parted, origins }
}

/// All sides (lower point first, triangle · 3 + opposite corner), sorted so that those of one edge are neighbours.
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
    fn a_slit_has_two_lips_and_one_tip() {
        // Four triangles around point 0; the edge to point 1 is cut, and point 1 lies on the rim.
        let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
        let parted = part_along(5, &fan, |edge| edge != [0, 1]);
        assert_eq!(parted.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
        assert_eq!(parted.origins, [0, 1, 2, 3, 4, 1]);
    }

    #[test]
    fn pages_of_a_book_come_apart() {
        let book = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        let parted = part_along(5, &book, |_| true);
        assert_eq!(parted.triangles, [[0, 1, 2], [5, 6, 3], [7, 8, 4]]);
        assert_eq!(parted.origins[5..], [1, 0, 0, 1]);
        let bound = part_except(5, &book, &[[2, 8]]);
        assert_eq!(bound.triangles, [[0, 1, 2], [5, 6, 3], [0, 1, 4]]);
    }
}
