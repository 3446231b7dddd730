//! Measures of a triangle in space. Nodes are in metres.

use crate::{Mat3, Vec3};

/// The unit normal times the area (m²). It points to the side from which the nodes are
/// counterclockwise.
pub fn area_vector(nodes: &[Vec3; 3]) -> Vec3 {
    (nodes[1] - nodes[0]).cross(&(nodes[2] - nodes[0])) / 2.0
}

/// The area (m²).
pub fn area(nodes: &[Vec3; 3]) -> f64 {
    area_vector(nodes).norm()
}

/// The unit normal; `None` for a triangle without area.
pub fn normal(nodes: &[Vec3; 3]) -> Option<Vec3> {
    // Normalised first: squares of very small or large areas would underflow or overflow.
    let vector = area_vector(nodes);
    let largest = vector.amax();
    (largest > 0.0 && largest.is_finite()).then(|| (vector / largest).normalize())
}

/// The centroid (m).
pub fn centroid(nodes: &[Vec3; 3]) -> Vec3 {
    (nodes[0] + nodes[1] + nodes[2]) / 3.0
}

/// Gradients of the three linear shape functions in the plane of the triangle (1/m); their sum is
/// zero. `None` for a triangle without area.
pub fn shape_gradients(nodes: &[Vec3; 3]) -> Option<[Vec3; 3]> {
    let (first, second, normal) = (nodes[1] - nodes[0], nodes[2] - nodes[0], normal(nodes)?);
    let inverse = Mat3::from_columns(&[first, second, normal]).try_inverse()?;
    let (a, b) = (inverse.row(0).transpose(), inverse.row(1).transpose());
    let finite = a.iter().chain(b.iter()).all(|entry| entry.is_finite());
    finite.then(|| [-(a + b), a, b])
}

/// ∫N_i N_j (m²) over a triangle of this area: A/12 off the diagonal, A/6 on it.
pub fn second_moments(area: f64) -> [[f64; 3]; 3] {
    let mut moments = [[area / 12.0; 3]; 3];
    for i in 0..3 {
        moments[i][i] = area / 6.0;
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_square_is_half_and_faces_its_reader() {
        let nodes = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        assert_eq!(area(&nodes), 0.5);
        assert_eq!(normal(&nodes), Some(Vec3::z()));
        assert_eq!(centroid(&nodes), Vec3::new(1.0 / 3.0, 1.0 / 3.0, 0.0));
        let tiny = nodes.map(|node| node * 1e-120);
        assert_eq!(normal(&tiny), Some(Vec3::z()));
    }

    #[test]
    fn gradients_reproduce_the_tangential_slope() {
        let mut numbers = crate::testing::Matrices::new(9);
        for _ in 0..1000 {
            let nodes = [(); 3].map(|()| numbers.vector());
            let slope = numbers.vector();
            if area(&nodes) < 1e-2 {
                continue;
            }
            let gradients = shape_gradients(&nodes).expect("has an area");
            let found: Vec3 = (0..3).map(|i| gradients[i] * slope.dot(&nodes[i])).sum();
            let normal = normal(&nodes).expect("has an area");
            let tangential = slope - normal * slope.dot(&normal);
            assert!((found - tangential).norm() < 1e-10, "{found} {tangential}");
        }
    }

    #[test]
    fn degenerate_triangles_have_no_normal_and_no_gradients() {
        for nodes in [[Vec3::x(); 3], [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0], [Vec3::repeat(f64::NAN); 3]] {
            assert_eq!(normal(&nodes), None);
            assert_eq!(shape_gradients(&nodes), None);
        }
    }
}
