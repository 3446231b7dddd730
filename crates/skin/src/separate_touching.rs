//! Separation of surface parts that touch in a vertex or an edge.

use craze_math::Vec3;

use crate::tuning::TOUCHING_SEPARATION;

/// Moves coincident vertices of a closed surface (triangles counter-clockwise from outside) inward
/// by 1e-6 of their shortest edge. Boundaries of tetrahedra touch themselves in vertices and edges;
/// a crack through such a point would leave the adjacency of the two parts ambiguous.
pub fn separate_touching(positions: &mut [Vec3], triangles: &[[u32; 3]]) {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    // Adding 0 makes −0 and 0 equal.
    let key = |vertex: u32| positions[vertex as usize].map(|value| (value + 0.0).to_bits());
    order.sort_by_key(|&vertex| <[u64; 3]>::from(key(vertex)));
    let mut touches = vec![false; positions.len()];
    for same in order.chunk_by(|&one, &other| key(one) == key(other)).filter(|same| same.len() > 1) {
        same.iter().for_each(|&vertex| touches[vertex as usize] = true);
    }
    let mut inward = vec![(Vec3::zeros(), f64::INFINITY); positions.len()];
    for triangle in triangles {
        let points = triangle.map(|vertex| positions[vertex as usize]);
        let normal =
            (points[1] - points[0]).cross(&(points[2] - points[0])).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        for corner in 0..3 {
            let [next, last] = [1, 2].map(|step| points[(corner + step) % 3] - points[corner]);
            let (sum, edge) = &mut inward[triangle[corner] as usize];
            // Angle weights: independent of how a flat part is triangulated.
            *sum -= next.angle(&last) * normal;
            *edge = edge.min(next.norm()).min(last.norm());
        }
    }
    for (index, position) in positions.iter_mut().enumerate().filter(|(index, _)| touches[*index]) {
        let (direction, edge) = inward[index];
        *position +=
            direction.try_normalize(0.0).map_or_else(Vec3::zeros, |direction| TOUCHING_SEPARATION * edge * direction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tetrahedra that share an edge geometrically, each with its own vertices.
    #[test]
    fn parts_that_touch_in_an_edge_are_separated_and_other_vertices_stay() {
        let [low, high] = [Vec3::zeros(), Vec3::y()];
        let mut positions = vec![
            low,
            high,
            Vec3::new(1.0, 0.0, 0.5),
            Vec3::new(1.0, 0.0, -0.5),
            low,
            high,
            Vec3::new(-1.0, 0.0, -0.5),
            Vec3::new(-1.0, 0.0, 0.5),
        ];
        let faces = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, b, d], [b, c, d], [a, d, c]];
        let triangles = [faces([0, 1, 2, 3]), faces([4, 5, 6, 7])].concat();
        for tetrahedron in [[0, 1, 2, 3], [4, 5, 6, 7]] {
            let [a, b, c, d] = tetrahedron.map(|vertex: usize| positions[vertex]);
            assert!((b - a).cross(&(c - a)).dot(&(d - a)) > 0.0);
        }
        let before = positions.clone();
        separate_touching(&mut positions, &triangles);
        for vertex in [0, 1] {
            assert!(positions[vertex].x > 1e-7 && positions[vertex + 4].x < -1e-7);
            assert!((positions[vertex] - before[vertex]).norm() < 2e-6);
        }
        for vertex in [2, 3, 6, 7] {
            assert_eq!(positions[vertex], before[vertex]);
        }
    }
}
