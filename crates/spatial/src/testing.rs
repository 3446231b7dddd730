//! Reproducible random input for tests.

use craze_math::{Random, Vec3};

use crate::aabb::Aabb;

/// Boxes of many sizes, some without volume or points.
pub(crate) fn random_boxes(count: usize, seed: u64) -> Vec<Aabb> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|index| {
            let (corner, size) = (random.vector(), random.vector().abs() * 0.2);
            let far = match index % 5 {
                0 => corner,
                1 => corner + Vec3::new(size.x, 0.0, size.z),
                _ => corner + size,
            };
            Aabb { min: corner, max: far }
        })
        .collect()
}

/// Random triangles, among them slivers, needles and points.
pub(crate) fn random_triangles(count: usize, seed: u64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for index in 0..count {
        let start = positions.len() as u32;
        let corner = random.vector();
        let (a, b) = (random.vector() * 0.3, random.vector() * 0.3);
        let ends = match index % 7 {
            0 => [corner, corner],
            1 => [corner + a, corner + a * 0.3],
            2 => [corner + a, corner + a * 0.5 + b * 1e-9],
            _ => [corner + a, corner + b],
        };
        positions.extend([corner, ends[0], ends[1]]);
        triangles.push([start, start + 1, start + 2]);
    }
    (positions, triangles)
}

/// A triangulated sphere about the origin, counterclockwise from outside: a subdivided octahedron.
pub(crate) fn sphere(radius: f64, levels: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    for (sx, sy, sz) in
        [(1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1), (-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1)]
    {
        let (x, y, z) = (Vec3::x() * f64::from(sx), Vec3::y() * f64::from(sy), Vec3::z() * f64::from(sz));
        faces.push(if sx * sy * sz > 0 { [x, y, z] } else { [x, z, y] });
    }
    for _ in 0..levels {
        let split = |[a, b, c]: [Vec3; 3]| {
            let (ab, bc, ca) = ((a + b).normalize(), (b + c).normalize(), (c + a).normalize());
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.into_iter().flat_map(split).collect();
    }
    let positions: Vec<Vec3> = faces.iter().flatten().map(|corner| corner * radius).collect();
    let triangles = (0..faces.len() as u32).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    (positions, triangles)
}
