//! The material point of a mesh that is closest to a position.

use craze_engine::MaterialPoint;
use craze_math::{Mat3, Vec3, tetrahedron};
use craze_mesh::{Id, SimplexMesh};

/// An element with barycentric coordinates: a triangle or a tetrahedron.
pub trait Barycentric {
    /// Barycentric coordinates of the point of the element that is closest to a position (m). A
    /// triangle's fourth is 0.
    fn closest(&self, position: &Vec3) -> [f64; 4];

    /// Barycentric coordinates of a position (m) in or, for a triangle, above the element; some are
    /// negative outside. `None` for a degenerate element.
    fn coordinates(&self, position: &Vec3) -> Option<[f64; 4]>;
}

impl Barycentric for [Vec3; 4] {
    fn closest(&self, position: &Vec3) -> [f64; 4] {
        let [a, b, c, d] = *self;
        if let Some(inverse) = Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse() {
            let inner = inverse * (position - a);
            let weights = [1.0 - inner.sum(), inner.x, inner.y, inner.z];
            if weights.iter().all(|weight| *weight >= 0.0) {
                return weights;
            }
        }
        let mut best = (f64::INFINITY, [1.0, 0.0, 0.0, 0.0]);
        for face in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
            let [u, v, w, _] = face.map(|corner| self[corner]).closest(position);
            let mut weights = [0.0; 4];
            for (corner, weight) in face.into_iter().zip([u, v, w]) {
                weights[corner] = weight;
            }
            let distance = (interpolate(self, &weights) - position).norm_squared();
            if distance < best.0 {
                best = (distance, weights);
            }
        }
        best.1
    }

    fn coordinates(&self, position: &Vec3) -> Option<[f64; 4]> {
        let inner = tetrahedron::inverse_edge_matrix(self)? * (position - self[0]);
        Some([1.0 - inner.sum(), inner.x, inner.y, inner.z])
    }
}

impl Barycentric for [Vec3; 3] {
    /// By the Voronoi regions of corners, edges and face (Ericson 2005, §5.1.5).
    fn closest(&self, position: &Vec3) -> [f64; 4] {
        let [a, b, c] = self;
        let (ab, ac, ap) = (b - a, c - a, position - a);
        let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return [1.0, 0.0, 0.0, 0.0];
        }
        let bp = position - b;
        let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
        if d3 >= 0.0 && d4 <= d3 {
            return [0.0, 1.0, 0.0, 0.0];
        }
        let cp = position - c;
        let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
        if d6 >= 0.0 && d5 <= d6 {
            return [0.0, 0.0, 1.0, 0.0];
        }
        let (along_ab, along_ac, along_bc) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
        if along_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            let share = d1 / (d1 - d3);
            return [1.0 - share, share, 0.0, 0.0];
        }
        if along_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            let share = d2 / (d2 - d6);
            return [1.0 - share, 0.0, share, 0.0];
        }
        if along_bc <= 0.0 && d4 >= d3 && d5 >= d6 {
            let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            return [0.0, 1.0 - share, share, 0.0];
        }
        let sum = along_ab + along_ac + along_bc;
        [along_bc / sum, along_ac / sum, along_ab / sum, 0.0]
    }

    fn coordinates(&self, position: &Vec3) -> Option<[f64; 4]> {
        let [a, b, c] = self;
        let normal = (b - a).cross(&(c - a));
        let square = normal.norm_squared();
        let part = |from: &Vec3, to: &Vec3| (to - from).cross(&(position - from)).dot(&normal) / square;
        let weights = [part(b, c), part(c, a), part(a, b), 0.0];
        weights.iter().all(|weight| weight.is_finite()).then_some(weights)
    }
}

/// The mean of values at the corners of an element with barycentric coordinates as weights.
pub fn interpolate(values: &[Vec3], weights: &[f64; 4]) -> Vec3 {
    values.iter().zip(weights).fold(Vec3::zeros(), |sum, (value, weight)| sum + *weight * value)
}

/// The material point closest to a position (m, in the frame of the mesh). Looks at every element:
/// probes are located once.
pub fn closest_point<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, position: &Vec3) -> MaterialPoint
where
    [Vec3; N]: Barycentric,
{
    let mut best = (f64::INFINITY, MaterialPoint { element: 0, weights: [1.0, 0.0, 0.0, 0.0] });
    for (element, corners) in (0u32..).zip(mesh.elements()) {
        let corners = corners.map(|corner| mesh.positions()[corner as usize]);
        let weights = corners.closest(position);
        let distance = (interpolate(&corners, &weights) - position).norm_squared();
        if distance < best.0 {
            best = (distance, MaterialPoint { element, weights });
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_mesh::{kuhn_box, kuhn_grid};

    fn position<P: Id, E: Id, const N: usize>(mesh: &SimplexMesh<P, E, N>, point: &MaterialPoint) -> Vec3 {
        let corners = mesh.elements()[point.element as usize].map(|corner| mesh.positions()[corner as usize]);
        interpolate(&corners, &point.weights)
    }

    #[test]
    fn positions_inside_are_found_exactly_and_positions_outside_on_the_surface() {
        let mesh = kuhn_box([2, 3, 2], Vec3::new(1.0, 1.5, 1.0)).unwrap();
        let inside = Vec3::new(0.31, 0.77, 0.62);
        for (given, expected) in [
            (inside, inside),
            (Vec3::new(0.3, 2.0, 0.4), Vec3::new(0.3, 1.5, 0.4)),
            (Vec3::new(-1.0, -1.0, 0.4), Vec3::new(0.0, 0.0, 0.4)),
            (Vec3::new(2.0, 3.0, -4.0), Vec3::new(1.0, 1.5, 0.0)),
        ] {
            assert!((position(&mesh, &closest_point(&mesh, &given)) - expected).norm() < 1e-14);
        }
    }

    #[test]
    fn a_sheet_is_searched_like_a_solid() {
        let mesh = kuhn_grid([3, 2], [1.5, 1.0]).unwrap();
        for given in [Vec3::new(0.4, 0.7, 0.2), Vec3::new(-0.3, 0.2, 0.0), Vec3::new(2.0, 2.0, -1.0)] {
            let expected = Vec3::new(given.x.clamp(0.0, 1.5), given.y.clamp(0.0, 1.0), 0.0);
            assert!((position(&mesh, &closest_point(&mesh, &given)) - expected).norm() < 1e-14);
        }
    }

    #[test]
    fn coordinates_interpolate_to_the_position() {
        let corners = [Vec3::new(0.1, 0.0, 0.2), Vec3::new(1.0, 0.3, 0.0), Vec3::new(0.2, 1.2, 0.1), Vec3::z()];
        let given = Vec3::new(0.7, -0.4, 0.3);
        let weights = corners.coordinates(&given).unwrap();
        assert!((interpolate(&corners, &weights) - given).norm() < 1e-14);
        let triangle = [corners[0], corners[1], corners[2]];
        let weights = triangle.coordinates(&given).unwrap();
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let apart = interpolate(&triangle, &weights) - given;
        assert!(apart.cross(&normal).norm() < 1e-14, "it is the foot of the perpendicular");
        assert_eq!([corners[0]; 3].coordinates(&given), None);
        assert_eq!([corners[0]; 4].coordinates(&given), None);
    }
}
