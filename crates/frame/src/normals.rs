//! Corner normals of a surface: smooth over gentle bends, sharp at creases.

use craze_math::Vec3;

/// Unit normal of each corner of each triangle.
///
/// The normal of a corner is the mean of the unit normals of those triangles at its vertex that are
/// in the same group and whose normal has a cosine of at least `crease_cosine` with that of the
/// corner's own triangle, each weighted by its angle at the vertex, so that the triangulation does
/// not show (Thürmer & Wüthrich 1998). `groups`, by triangle, separate surfaces that share vertices
/// but no normals, such as crack faces and outer faces. Triangles without area have no part in
/// other normals, and get zero normals where they are alone.
pub fn corner_normals<Group: PartialEq>(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    groups: &[Group],
    crease_cosine: f64,
) -> Vec<[Vec3; 3]> {
    let face_normals: Vec<Vec3> = triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
            (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
        })
        .collect();
    if crease_cosine >= 1.0 {
        return face_normals.iter().map(|&normal| [normal; 3]).collect();
    }
    let (starts, corners) = corners_of_vertices(positions.len(), triangles);
    let weighted: Vec<[Vec3; 3]> = triangles
        .iter()
        .zip(&face_normals)
        .map(|(triangle, normal)| std::array::from_fn(|corner| normal * corner_angle(positions, triangle, corner)))
        .collect();
    triangles
        .iter()
        .enumerate()
        .map(|(index, triangle)| {
            let own = face_normals[index];
            triangle.map(|vertex| {
                let around = &corners[starts[vertex as usize]..starts[vertex as usize + 1]];
                let mut sum = Vec3::zeros();
                for &(neighbour, corner) in around {
                    let neighbour = neighbour as usize;
                    if groups[neighbour] == groups[index] && face_normals[neighbour].dot(&own) >= crease_cosine {
                        sum += weighted[neighbour][corner as usize];
                    }
                }
                sum.try_normalize(0.0).unwrap_or(own)
            })
        })
        .collect()
}

/// For each vertex, the (triangle, corner) pairs at it: a start for each vertex into one list, in
/// the order of triangles.
fn corners_of_vertices(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<usize>, Vec<(u32, u8)>) {
    let mut starts = vec![0; vertices + 1];
    for &vertex in triangles.iter().flatten() {
        starts[vertex as usize + 1] += 1;
    }
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut corners = vec![(0, 0); 3 * triangles.len()];
    for (index, triangle) in triangles.iter().enumerate() {
        for (corner, &vertex) in triangle.iter().enumerate() {
            corners[next[vertex as usize]] = (index as u32, corner as u8);
            next[vertex as usize] += 1;
        }
    }
    (starts, corners)
}

fn corner_angle(positions: &[Vec3], triangle: &[u32; 3], corner: usize) -> f64 {
    let at = |k: usize| positions[triangle[(corner + k) % 3] as usize];
    let (first, second) = (at(1) - at(0), at(2) - at(0));
    first.cross(&second).norm().atan2(first.dot(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cos 30°.
    const CREASE: f64 = 0.866_025_403_784_438_6;

    /// Two unit squares that share an edge along z and meet at `angle` degrees.
    fn folded(angle: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (sin, cos) = angle.to_radians().sin_cos();
        let profile = [Vec3::new(-1.0, 0.0, 0.0), Vec3::zeros(), Vec3::new(cos, -sin, 0.0)];
        let positions = profile.iter().flat_map(|&p| [p, p + Vec3::z()]).collect();
        (positions, vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]])
    }

    #[test]
    fn gentle_folds_are_smooth_and_sharp_ones_are_not() {
        let (positions, triangles) = folded(20.0);
        let normals = corner_normals(&positions, &triangles, &[0; 4], CREASE);
        assert!((normals[0][2] - normals[3][0]).norm() < 1e-12);
        let flat = corner_normals(&positions, &triangles, &[0; 4], 1.0);
        assert!((flat[0][2] - Vec3::y()).norm() < 1e-12);
        let (positions, triangles) = folded(40.0);
        let normals = corner_normals(&positions, &triangles, &[0; 4], CREASE);
        assert!((normals[0][2] - Vec3::y()).norm() < 1e-12);
    }

    #[test]
    fn crack_faces_do_not_bend_the_shading_of_outer_faces() {
        let (positions, triangles) = folded(20.0);
        let normals = corner_normals(&positions, &triangles, &[0, 0, 1, 1], CREASE);
        assert!((normals[0][2] - Vec3::y()).norm() < 1e-12);
    }

    #[test]
    fn a_triangle_without_area_changes_no_normal() {
        let (positions, mut triangles) = folded(20.0);
        let before = corner_normals(&positions, &triangles, &[0; 4], CREASE);
        triangles.push([2, 3, 3]);
        let after = corner_normals(&positions, &triangles, &[0; 5], CREASE);
        assert_eq!(after[..4], before);
        assert_eq!(after[4], [Vec3::zeros(); 3]);
    }
}
