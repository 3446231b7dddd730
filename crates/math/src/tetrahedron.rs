//! Measures of a tetrahedron. Nodes are in metres.

use crate::predicates::orient3d;
use crate::{Mat3, Vec3};

/// The edge matrix (m): its columns are the edges from node 0 to nodes 1, 2 and 3.
pub fn edge_matrix(nodes: &[Vec3; 4]) -> Mat3 {
    Mat3::from_columns(&[nodes[1] - nodes[0], nodes[2] - nodes[0], nodes[3] - nodes[0]])
}

/// The signed volume (m³): positive if node 3 is on the side from which 0, 1, 2 are
/// counterclockwise.
pub fn volume(nodes: &[Vec3; 4]) -> f64 {
    edge_matrix(nodes).determinant() / 6.0
}

/// The centroid (m).
pub fn centroid(nodes: &[Vec3; 4]) -> Vec3 {
    (nodes[0] + nodes[1] + nodes[2] + nodes[3]) / 4.0
}

/// The smallest of the four heights (m): three times the volume over the largest face area.
/// Negative if inverted.
pub fn smallest_height(nodes: &[Vec3; 4]) -> f64 {
    let [a, b, c, d] = nodes;
    let (ab, ac, ad, bc, bd) = (b - a, c - a, d - a, c - b, d - b);
    let doubled = [ab.cross(&ac), ac.cross(&ad), ad.cross(&ab), bc.cross(&bd)].map(|normal| normal.norm_squared());
    ab.cross(&ac).dot(&ad) / doubled.into_iter().fold(f64::MIN_POSITIVE, f64::max).sqrt()
}

/// The inverse of the edge matrix (1/m); its rows are the gradients of shape functions 1, 2 and 3.
/// `None` if the tetrahedron is degenerate or an entry is not finite.
pub fn inverse_edge_matrix(nodes: &[Vec3; 4]) -> Option<Mat3> {
    edge_matrix(nodes).try_inverse().filter(|inverse| inverse.iter().all(|entry| entry.is_finite()))
}

/// Gradients of the four linear shape functions (1/m); their sum is zero. `None` if the tetrahedron
/// is degenerate.
pub fn shape_gradients(nodes: &[Vec3; 4]) -> Option<[Vec3; 4]> {
    let inverse = inverse_edge_matrix(nodes)?;
    let [a, b, c] = [0, 1, 2].map(|row| inverse.row(row).transpose());
    Some([-(a + b + c), a, b, c])
}

/// ∫N_i N_j (m³) over a tetrahedron of this volume: V/20 off the diagonal, V/10 on it.
pub fn second_moments(volume: f64) -> [[f64; 4]; 4] {
    let mut moments = [[volume / 20.0; 4]; 4];
    for i in 0..4 {
        moments[i][i] = volume / 10.0;
    }
    moments
}

/// Barycentric weights of a point inside or on the tetrahedron of either orientation: none
/// negative, with sum one. `None` if the point is outside (exact test), the tetrahedron degenerate,
/// or a coordinate not finite.
pub fn weights_inside(nodes: &[Vec3; 4], point: &Vec3) -> Option<[f64; 4]> {
    let [a, b, c, d] = nodes;
    let volumes =
        [orient3d(b, d, c, point), orient3d(a, c, d, point), orient3d(a, d, b, point), orient3d(a, b, c, point)];
    let sign = orient3d(a, b, c, d).signum();
    let sum: f64 = volumes.iter().sum();
    let inside = sum != 0.0 && sum.is_finite() && volumes.iter().all(|volume| volume * sign >= 0.0);
    inside.then(|| volumes.map(|volume| volume / sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_height_stands_on_the_largest_face() {
        let corners = [Vec3::zeros(), 3.0 * Vec3::x(), 2.0 * Vec3::y(), Vec3::new(0.2, 0.3, 0.5)];
        let steepest = shape_gradients(&corners).unwrap().iter().map(|gradient| gradient.norm()).fold(0.0, f64::max);
        assert!((smallest_height(&corners) - 1.0 / steepest).abs() < 1e-15);
        let [a, b, c, d] = corners;
        assert_eq!(smallest_height(&[b, a, c, d]), -smallest_height(&corners));
        assert_eq!(smallest_height(&[a; 4]), 0.0);
    }

    #[test]
    fn a_point_is_inside_where_its_weights_say_so() {
        let mut numbers = crate::testing::Matrices::new(21);
        let (mut inside, mut outside) = (0, 0);
        for _ in 0..5000 {
            let nodes = [(); 4].map(|()| numbers.vector());
            let point = numbers.vector() * 0.5;
            let reversed = [nodes[1], nodes[0], nodes[2], nodes[3]];
            assert_eq!(weights_inside(&nodes, &point).is_some(), weights_inside(&reversed, &point).is_some());
            let solved = edge_matrix(&nodes).lu().solve(&(point - nodes[0])).expect("not flat");
            let least = solved.min().min(1.0 - solved.sum());
            match weights_inside(&nodes, &point) {
                Some(weights) => {
                    inside += 1;
                    let position: Vec3 = (0..4).map(|i| nodes[i] * weights[i]).sum();
                    assert!((position - point).norm() < 1e-11 && weights.iter().all(|&weight| weight >= 0.0));
                    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15 && least > -1e-9);
                }
                None => {
                    outside += 1;
                    assert!(least < 1e-9);
                }
            }
        }
        assert!(inside > 100 && outside > 100);
    }

    #[test]
    fn nodes_edges_and_faces_are_inside_exactly() {
        let nodes = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        for (i, node) in nodes.iter().enumerate() {
            let mut expected = [0.0; 4];
            expected[i] = 1.0;
            assert_eq!(weights_inside(&nodes, node), Some(expected));
        }
        assert_eq!(weights_inside(&nodes, &Vec3::new(0.25, 0.5, 0.0)), Some([0.25, 0.25, 0.5, 0.0]));
        assert_eq!(weights_inside(&nodes, &Vec3::new(0.25, 0.5, -1e-300)), None);
        assert_eq!(weights_inside(&nodes, &Vec3::new(0.25, f64::NAN, 0.1)), None);
        assert_eq!(weights_inside(&[Vec3::x(); 4], &Vec3::x()), None);
    }

    #[test]
    fn the_corner_of_a_cube_is_a_sixth() {
        let nodes = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        assert_eq!(volume(&nodes), 1.0 / 6.0);
        assert_eq!(volume(&[nodes[1], nodes[0], nodes[2], nodes[3]]), -1.0 / 6.0);
        assert_eq!(centroid(&nodes), Vec3::repeat(0.25));
    }

    #[test]
    fn gradients_reproduce_linear_fields() {
        let mut numbers = crate::testing::Matrices::new(8);
        for _ in 0..1000 {
            let nodes = [(); 4].map(|()| numbers.vector());
            let (slope, offset) = (numbers.vector(), numbers.number());
            if volume(&nodes).abs() < 1e-3 {
                continue;
            }
            let gradients = shape_gradients(&nodes).expect("not flat");
            let found: Vec3 = (0..4).map(|i| gradients[i] * (slope.dot(&nodes[i]) + offset)).sum();
            assert!((found - slope).norm() < 1e-11, "{found} {slope}");
        }
    }

    #[test]
    fn flat_tetrahedra_have_no_gradients() {
        assert_eq!(shape_gradients(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()]), None);
        assert_eq!(shape_gradients(&[Vec3::zeros(); 4]), None);
        assert_eq!(shape_gradients(&[Vec3::repeat(f64::NAN); 4]), None);
    }

    #[test]
    fn second_moments_sum_to_the_volume() {
        let sum: f64 = second_moments(3.0).iter().flatten().sum();
        assert!((sum - 3.0).abs() < 1e-14);
    }
}
