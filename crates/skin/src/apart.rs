//! Surfaces that touch themselves, brought a hair apart.

use craze_math::Vec3;

/// How far vertices in one place are brought apart, in the shortest edge at each (1): nobody sees it, and predicates do.
const HAIR: f64 = 1e-6;

/// Moves vertices of a closed surface that lie in the same place a hair inward, each into the matter of its own triangles (counterclockwise
/// seen from outside). A surface of tetrahedra touches itself where two parts of it meet in a vertex or an edge; a crack that
/// passes there would meet both in one point, and who is next to whom could not be told.
pub fn part_touching(positions: &mut [Vec3], triangles: &[[u32; 3]]) {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    // Adding 0 makes −0 and 0 one.
    let key = |vertex: u32| positions[vertex as usize].map(|value| (value + 0.0).to_bits());
    order.sort_by_key(|&vertex| <[u64; 3]>::from(key(vertex)));
    let mut touches = vec![false; positions.len()];
    for same in order.chunk_by(|&one, &other| key(one) == key(other)).filter(|same| same.len() > 1) {
        same.iter().for_each(|&vertex| touches[vertex as usize] = true);
    }
    let mut inward = vec![(Vec3::zeros(), f64::INFINITY); positions.len()];
    for triangle in triangles {
        let places = triangle.map(|vertex| positions[vertex as usize]);
        let normal =
            (places[1] - places[0]).cross(&(places[2] - places[0])).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        for corner in 0..3 {
            let [next, last] = [1, 2].map(|step| places[(corner + step) % 3] - places[corner]);
            let (sum, edge) = &mut inward[triangle[corner] as usize];
            // By angle, so that it does not matter how a flat part is divided into triangles.
            *sum -= next.angle(&last) * normal;
            *edge = edge.min(next.norm()).min(last.norm());
        }
    }
    for (index, position) in positions.iter_mut().enumerate().filter(|(index, _)| touches[*index]) {
        let (way, edge) = inward[index];
        *position += way.try_normalize(0.0).map_or_else(Vec3::zeros, |way| HAIR * edge * way);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tetrahedra that touch in an edge, each with vertices of its own.
    #[test]
    fn what_touches_in_an_edge_is_parted_and_all_else_stays() {
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
        part_touching(&mut positions, &triangles);
        for vertex in [0, 1] {
            assert!(positions[vertex].x > 1e-7 && positions[vertex + 4].x < -1e-7);
            assert!((positions[vertex] - before[vertex]).norm() < 2e-6);
        }
        for vertex in [2, 3, 6, 7] {
            assert_eq!(positions[vertex], before[vertex]);
        }
    }
}
