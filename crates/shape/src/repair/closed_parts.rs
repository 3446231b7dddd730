//! Parts that are closed before any point is welded.

use std::collections::HashMap;

use craze_math::DisjointSets;

use super::edges::Edges;

/// The part of each point: parts of different numbers must not be welded to each other.
///
/// A part is a set of triangles connected through shared points. If each of its edges is traversed
/// equally often in both directions, it is closed and keeps its own points, also where they coincide
/// with those of others: welding would join two bodies that only touch. All other triangles form one
/// part, whose points are welded by position. Two parts with a coincident triangle or quadrilateral,
/// such as doubled models and stacked boxes, become one, so that it is recognised as a copy or a wall.
///
/// `triangles` are source numbers with points, `first` is the first point that coincides with each.
pub(super) fn of_points(triangles: &[(u32, [u32; 3])], first: &[u32]) -> Vec<u32> {
    let points = first.len();
    let mut sets = DisjointSets::new(points);
    for (_, [a, b, c]) in triangles {
        sets.join(*a, *b);
        sets.join(*b, *c);
    }
    let (component, count) = sets.numbered();
    let corners: Vec<[u32; 3]> = triangles.iter().map(|(_, t)| *t).collect();
    let mut closed = vec![true; count];
    let edges = Edges::of(&corners);
    for side in edges.open_sides() {
        closed[component[side.low as usize] as usize] = false;
    }
    // Number `count` stands for all open components.
    let part_of = |point: u32| {
        let own = component[point as usize];
        if closed[own as usize] { own } else { count as u32 }
    };
    // Corners of triangles and of quadrilaterals, whichever diagonal divides them. A triangle repeats
    // its last corner.
    let quadrilaterals = edges.iter().filter(|sides| sides.len() == 2).map(|sides| {
        let [one, other] = [0, 1].map(|side| corners[sides[side].face as usize]);
        let apex = other.into_iter().find(|point| !one.contains(point)).unwrap_or(one[2]);
        [one[0], one[1], one[2], apex]
    });
    let mut parts = DisjointSets::new(count + 1);
    let mut known: HashMap<[u32; 4], u32> = HashMap::with_capacity(3 * triangles.len());
    for polygon in corners.iter().map(|&[a, b, c]| [a, b, c, c]).chain(quadrilaterals) {
        let mut key = polygon.map(|point| first[point as usize]);
        key.sort_unstable();
        let own = part_of(polygon[0]);
        let other = *known.entry(key).or_insert(own);
        parts.join(own, other);
    }
    let (number, _) = parts.numbered();
    (0..points as u32).map(|point| number[part_of(point) as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    /// Tetrahedra over consecutive points.
    fn apart(count: u32) -> Vec<(u32, [u32; 3])> {
        (0..count).flat_map(|k| TETRAHEDRON.map(|t| (0, t.map(|point| point + 4 * k)))).collect()
    }

    #[test]
    fn closed_parts_that_share_an_edge_stay_apart() {
        let part = of_points(&apart(2), &[0, 1, 2, 3, 0, 1, 6, 7]);
        assert_ne!(part[0], part[4]);
        assert!(part[..4].iter().all(|p| *p == part[0]) && part[4..].iter().all(|p| *p == part[4]));
    }

    #[test]
    fn closed_parts_that_share_a_face_are_one() {
        let part = of_points(&apart(2), &[0, 1, 2, 3, 0, 1, 2, 7]);
        assert!(part.iter().all(|p| *p == part[0]));
    }

    #[test]
    fn open_parts_are_one_and_closed_ones_are_not_theirs() {
        let mut triangles = apart(3);
        triangles.remove(0);
        triangles.remove(3);
        let part = of_points(&triangles, &(0..12).collect::<Vec<_>>());
        assert_eq!(part[0], part[4]);
        assert_ne!(part[0], part[8]);
    }
}
