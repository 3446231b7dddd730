//! The material point nearest to a place.

use craze_engine::MaterialPoint;
use craze_math::{Mat3, Vec3};
use craze_mesh::TetMesh;

/// The point of the mesh nearest to `place` (m, in the mesh's own frame): inside a tetrahedron if one holds the place, else on the nearest
/// surface triangle. Looks at every element; probes are located once.
pub(crate) fn nearest(mesh: &TetMesh, place: &Vec3) -> MaterialPoint {
    let mut best = (f64::INFINITY, MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] });
    for (element, corners) in mesh.elements().iter().enumerate() {
        let corners = corners.map(|corner| mesh.positions()[corner as usize]);
        let weights = nearest_in_tetrahedron(&corners, place);
        let found = (0..4).fold(Vec3::zeros(), |sum, corner| sum + weights[corner] * corners[corner]);
        let distance = (found - place).norm_squared();
        if distance < best.0 {
            best = (distance, MaterialPoint { element: element as u32, weights });
        }
    }
    best.1
}

fn nearest_in_tetrahedron(corners: &[Vec3; 4], place: &Vec3) -> [f64; 4] {
    let [a, b, c, d] = *corners;
    if let Some(inverse) = Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse() {
        let inner = inverse * (place - a);
        let weights = [1.0 - inner.sum(), inner.x, inner.y, inner.z];
        if weights.iter().all(|weight| *weight >= 0.0) {
            return weights;
        }
    }
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0, 0.0]);
    for face in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
        let inner = nearest_in_triangle(&face.map(|corner| corners[corner]), place);
        let mut weights = [0.0; 4];
        for (corner, weight) in face.into_iter().zip(inner) {
            weights[corner] = weight;
        }
        let found = (0..4).fold(Vec3::zeros(), |sum, corner| sum + weights[corner] * corners[corner]);
        let distance = (found - place).norm_squared();
        if distance < best.0 {
            best = (distance, weights);
        }
    }
    best.1
}

/// Weights of the point of a triangle nearest to a place: by the regions of its corners, edges and inside (Ericson 2005, §5.1.5).
fn nearest_in_triangle([a, b, c]: &[Vec3; 3], place: &Vec3) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, place - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = place - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let cp = place - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let (along_ab, along_ac, along_bc) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
    if along_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let share = d1 / (d1 - d3);
        return [1.0 - share, share, 0.0];
    }
    if along_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let share = d2 / (d2 - d6);
        return [1.0 - share, 0.0, share];
    }
    if along_bc <= 0.0 && d4 >= d3 && d5 >= d6 {
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - share, share];
    }
    let sum = along_ab + along_ac + along_bc;
    [along_bc / sum, along_ac / sum, along_ab / sum]
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_mesh::kuhn_box;

    #[test]
    fn places_inside_are_found_exactly_and_places_outside_on_the_surface() {
        let mesh = kuhn_box([2, 3, 2], Vec3::new(1.0, 1.5, 1.0)).unwrap();
        let at = |point: &MaterialPoint| {
            let corners = mesh.elements()[point.element as usize];
            (0..4).fold(Vec3::zeros(), |sum, i| sum + point.weights[i] * mesh.positions()[corners[i] as usize])
        };
        let inside = Vec3::new(0.31, 0.77, 0.62);
        assert!((at(&nearest(&mesh, &inside)) - inside).norm() < 1e-14);
        for (outside, expected) in [
            (Vec3::new(0.3, 2.0, 0.4), Vec3::new(0.3, 1.5, 0.4)),
            (Vec3::new(-1.0, -1.0, 0.4), Vec3::new(0.0, 0.0, 0.4)),
            (Vec3::new(2.0, 3.0, -4.0), Vec3::new(1.0, 1.5, 0.0)),
        ] {
            assert!((at(&nearest(&mesh, &outside)) - expected).norm() < 1e-14);
        }
    }
}
