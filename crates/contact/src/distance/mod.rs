//! Distances of pairs of primitives, and their closest points.
//!
//! | pair | vertices | parts |
//! |---|---|---|
//! | [`point_point`] | point, point | |
//! | [`point_edge`] | point, edge's ends | [`EdgePart`] |
//! | [`point_triangle`] | point, triangle's corners | [`TrianglePart`] |
//! | [`edge_edge`] | first edge's ends, second edge's ends | [`EdgesPart`] |
//!
//! Edges without length and triangles without area degenerate to points and edges. Coordinates may
//! have any size with finite differences.

pub(crate) mod nearest;

use self::nearest::{Nearest, Part};
use craze_math::Vec3;

/// Closest points of two primitives with `N` vertices in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity<P, const N: usize> {
    /// Which parts are closest.
    pub part: P,
    /// Weights of the vertices, those of the second primitive negative: Σ weight·vertex leads from
    /// the second's closest point to the first's. The first's sum to 1, the second's to −1.
    pub weights: [f64; N],
    /// Unit vector from the second's closest point to the first's. Where they touch, the normal of
    /// the triangle or of the plane that two edges span; zero where there is none.
    pub normal: Vec3,
    /// Distance (m).
    pub distance: f64,
}

impl<P, const N: usize> Proximity<P, N> {
    /// Gradient of the distance with respect to each vertex (no unit): weight times normal, since
    /// at the closest points the derivative with respect to the weights vanishes. It is unique
    /// wherever the closest points are, and one of several otherwise (parallel edges, an origin
    /// between them).
    pub fn gradient(&self) -> [Vec3; N] {
        self.weights.map(|weight| self.normal * weight)
    }
}

/// Part of an edge that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgePart {
    /// One of its ends.
    End(u8),
    /// A point between them.
    Between,
}

/// Part of a triangle that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrianglePart {
    /// One of its corners.
    Corner(u8),
    /// The edge opposite to this corner.
    Edge(u8),
    /// The foot of the perpendicular.
    Face,
}

/// Parts of two edges that are closest to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgesPart {
    /// An end of the first and an end of the second.
    Ends(u8, u8),
    /// An end of the first and a point between the second's ends.
    FirstEnd(u8),
    /// An end of the second and a point between the first's ends.
    SecondEnd(u8),
    /// Points between the ends of both. Parallel edges that face each other count here too: the
    /// middle of their common stretch.
    Between,
}

/// Distance of two points.
pub fn point_point(first: &Vec3, second: &Vec3) -> Proximity<(), 2> {
    let difference = first - second;
    // Scaled to about one first, so that squares neither vanish nor overflow.
    let largest = difference.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return Proximity { part: (), weights: [1.0, -1.0], normal: Vec3::zeros(), distance: largest };
    }
    let scaled = difference / largest;
    let norm = scaled.norm();
    Proximity { part: (), weights: [1.0, -1.0], normal: scaled / norm, distance: norm * largest }
}

/// Distance of a point from an edge.
pub fn point_edge(point: &Vec3, edge: &[Vec3; 2]) -> Proximity<EdgePart, 3> {
    let Nearest { part, weights: [a, b], normal, distance } = nearest::segment(&edge.map(|end| point - end));
    let part = match part {
        Part::Corner(end) => EdgePart::End(end),
        Part::Side(_) | Part::Inside => EdgePart::Between,
    };
    Proximity { part, weights: [1.0, -a, -b], normal, distance }
}

/// Distance of a point from a triangle.
pub fn point_triangle(point: &Vec3, triangle: &[Vec3; 3]) -> Proximity<TrianglePart, 4> {
    let [a, b, c] = triangle;
    let Nearest { part, weights: [a, b, c], normal, distance } = nearest::triangle(&[point - a, point - b, point - c]);
    let part = match part {
        Part::Corner(corner) => TrianglePart::Corner(corner),
        Part::Side(edge) => TrianglePart::Edge(edge),
        Part::Inside => TrianglePart::Face,
    };
    Proximity { part, weights: [1.0, -a, -b, -c], normal, distance }
}

/// Distance of two edges.
pub fn edge_edge(first: &[Vec3; 2], second: &[Vec3; 2]) -> Proximity<EdgesPart, 4> {
    let Nearest { part, weights, normal, distance } = nearest::parallelogram(&differences(first, second));
    let part = match part {
        Part::Corner(0) => EdgesPart::Ends(0, 0),
        Part::Corner(1) => EdgesPart::Ends(1, 0),
        Part::Corner(2) => EdgesPart::Ends(1, 1),
        Part::Corner(_) => EdgesPart::Ends(0, 1),
        Part::Side(0) => EdgesPart::SecondEnd(0),
        Part::Side(1) => EdgesPart::FirstEnd(1),
        Part::Side(2) => EdgesPart::SecondEnd(1),
        Part::Side(_) => EdgesPart::FirstEnd(0),
        Part::Inside => EdgesPart::Between,
    };
    Proximity { part, weights: edge_weights(&weights), normal, distance }
}

/// Corners of the parallelogram of all differences between two edges.
pub(super) fn differences(first: &[Vec3; 2], second: &[Vec3; 2]) -> [Vec3; 4] {
    [first[0] - second[0], first[1] - second[0], first[1] - second[1], first[0] - second[1]]
}

/// Weights of the four ends, from those of the parallelogram's corners.
pub(super) fn edge_weights(corners: &[f64; 4]) -> [f64; 4] {
    [corners[0] + corners[3], corners[1] + corners[2], -(corners[0] + corners[1]), -(corners[2] + corners[3])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;
    use craze_math::{Isometry, Rotation};

    const CORNER: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

    fn point(random: &mut Random) -> Vec3 {
        Vec3::new(random.signed(), random.signed(), random.signed())
    }

    fn difference<P, const N: usize>(proximity: &Proximity<P, N>, vertices: [Vec3; N]) -> Vec3 {
        (0..N).map(|i| vertices[i] * proximity.weights[i]).sum()
    }

    #[test]
    fn a_point_finds_the_part_of_the_triangle_that_it_faces() {
        for (point, part, distance, normal) in [
            (Vec3::new(0.25, 0.25, 2.0), TrianglePart::Face, 2.0, Vec3::z()),
            (Vec3::new(0.25, 0.25, -3.0), TrianglePart::Face, 3.0, -Vec3::z()),
            (Vec3::new(0.25, 0.25, 0.0), TrianglePart::Face, 0.0, Vec3::z()),
            (Vec3::new(0.5, -2.0, 0.0), TrianglePart::Edge(2), 2.0, -Vec3::y()),
            (Vec3::new(-2.0, 0.5, 0.0), TrianglePart::Edge(1), 2.0, -Vec3::x()),
            (Vec3::new(1.0, 1.0, 0.0), TrianglePart::Edge(0), 0.5f64.sqrt(), Vec3::new(1.0, 1.0, 0.0).normalize()),
            (Vec3::new(-3.0, -4.0, 0.0), TrianglePart::Corner(0), 5.0, Vec3::new(-0.6, -0.8, 0.0)),
            (Vec3::new(3.0, 0.0, 0.0), TrianglePart::Corner(1), 2.0, Vec3::x()),
            (Vec3::new(0.0, 2.0, 0.0), TrianglePart::Corner(2), 1.0, Vec3::y()),
        ] {
            let found = point_triangle(&point, &CORNER);
            assert_eq!(found.part, part, "{point}");
            assert!((found.distance - distance).abs() < 1e-15 && (found.normal - normal).norm() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn two_edges_find_the_parts_that_they_face() {
        let first = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
        for (second, part, distance) in [
            ([Vec3::new(0.0, 1.0, -1.0), Vec3::new(0.0, 1.0, 1.0)], EdgesPart::Between, 1.0),
            ([Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0)], EdgesPart::Between, 0.0),
            ([Vec3::new(0.5, 2.0, 0.0), Vec3::new(0.5, 5.0, 0.0)], EdgesPart::SecondEnd(0), 2.0),
            ([Vec3::new(3.0, 0.0, -1.0), Vec3::new(3.0, 0.0, 1.0)], EdgesPart::FirstEnd(1), 2.0),
            ([Vec3::new(-9.0, 7.0, 0.0), Vec3::new(-4.0, 4.0, 0.0)], EdgesPart::Ends(0, 1), 5.0),
            ([Vec3::new(0.0, 3.0, 0.0), Vec3::new(9.0, 3.0, 0.0)], EdgesPart::Between, 3.0), // parallel
            ([Vec3::new(4.0, 4.0, 0.0), Vec3::new(9.0, 4.0, 0.0)], EdgesPart::Ends(1, 0), 5.0), // parallel, not facing
            ([Vec3::new(3.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0)], EdgesPart::Ends(1, 1), 1.0), // on one line
            ([Vec3::new(0.5, 2.0, 0.0); 2], EdgesPart::SecondEnd(0), 2.0),
        ] {
            let found = edge_edge(&first, &second);
            assert_eq!(found.part, part, "{second:?}");
            assert!((found.distance - distance).abs() < 1e-15, "{found:?}");
        }
        let facing = edge_edge(&first, &[Vec3::new(0.0, 3.0, 0.0), Vec3::new(9.0, 3.0, 0.0)]);
        assert!((facing.weights[1] - 0.75).abs() < 1e-15, "the middle of what faces each other");
        assert_eq!(facing.normal, -Vec3::y());
    }

    #[test]
    fn a_point_beside_an_edge_or_a_point() {
        let edge = [Vec3::zeros(), Vec3::x() * 4.0];
        let found = point_edge(&Vec3::new(1.0, 2.0, 0.0), &edge);
        assert_eq!((found.part, found.weights, found.distance), (EdgePart::Between, [1.0, -0.75, -0.25], 2.0));
        assert_eq!(point_edge(&Vec3::new(7.0, 4.0, 0.0), &edge).part, EdgePart::End(1));
        assert_eq!(point_edge(&Vec3::new(7.0, 4.0, 0.0), &edge).distance, 5.0);
        let found = point_point(&(Vec3::new(3.0, 0.0, 4.0) * 1e-200), &Vec3::zeros());
        assert!((found.distance / 5e-200 - 1.0).abs() < 1e-15 && (found.normal.x - 0.6).abs() < 1e-15);
        assert_eq!(point_point(&Vec3::x(), &Vec3::x()).normal, Vec3::zeros());
    }

    #[test]
    fn what_has_no_area_or_length_counts_as_what_is_left_of_it() {
        let point = Vec3::new(0.3, 2.0, -1.0);
        let edge = [Vec3::new(-1.0, 0.2, 0.1), Vec3::new(2.0, -0.4, 0.7)];
        let whole = point_edge(&point, &edge).distance;
        for share in [0.0, 0.3, 1.0] {
            let flat = [edge[0], edge[1], edge[0] + (edge[1] - edge[0]) * share];
            for turn in 0..3 {
                let triangle = [flat[turn], flat[(turn + 1) % 3], flat[(turn + 2) % 3]];
                assert!((point_triangle(&point, &triangle).distance - whole).abs() < 1e-15);
            }
            // Almost flat: a height far below the rounding of its corners' products.
            let sliver = [edge[0], edge[1], flat[2] + Vec3::y() * 1e-17];
            assert!((point_triangle(&point, &sliver).distance - whole).abs() < 1e-15);
        }
        assert!((edge_edge(&[point; 2], &edge).distance - whole).abs() < 1e-15);
        assert!((edge_edge(&edge, &[point; 2]).distance - whole).abs() < 1e-15);
        assert!((point_triangle(&point, &[edge[0]; 3]).distance - (point - edge[0]).norm()).abs() < 1e-15);
        assert!((edge_edge(&[point; 2], &[edge[0]; 2]).distance - (point - edge[0]).norm()).abs() < 1e-15);
        assert_eq!(point_triangle(&point, &[point; 3]).distance, 0.0);
        let nothing = point_triangle(&Vec3::repeat(f64::NAN), &CORNER);
        assert!(!(nothing.distance > 0.0), "no panic is all that is asked");
    }

    /// Pairs of every kind: random, flat, nearly parallel, slivers.
    fn pairs(seed: u64) -> impl Iterator<Item = [Vec3; 4]> {
        let mut random = Random::new(seed);
        (0..3000).map(move |count| {
            let random = &mut random;
            let mut vertices: [Vec3; 4] = std::array::from_fn(|_| point(random));
            let small = 10f64.powf(-16.0 * random.number());
            match count % 6 {
                0 => vertices[3] = vertices[2] + (vertices[1] - vertices[0]) * random.number() + point(random) * small,
                1 => vertices[3] = vertices[1] + (vertices[2] - vertices[1]) * random.number() + point(random) * small,
                2 => vertices[0] = (vertices[1] + vertices[2] + vertices[3]) / 3.0 + point(random) * small,
                3 => vertices[3] = vertices[2] + point(random) * small,
                _ => {}
            }
            vertices
        })
    }

    #[test]
    fn no_other_pair_of_points_is_nearer() {
        let random = &mut Random::new(5);
        for vertices in pairs(1) {
            let [a, b, c, d] = vertices;
            let triangle = point_triangle(&a, &[b, c, d]);
            let edges = edge_edge(&[a, b], &[c, d]);
            let (to_triangle, between) = (difference(&triangle, vertices), difference(&edges, vertices));
            assert!((to_triangle.norm() - triangle.distance).abs() < 1e-14, "{triangle:?}");
            assert!((between.norm() - edges.distance).abs() < 1e-14, "{edges:?}");
            assert!(triangle.weights[1..].iter().all(|&weight| weight <= 0.0));
            assert!((triangle.weights.iter().sum::<f64>()).abs() < 1e-15);
            assert!((edges.weights.iter().sum::<f64>()).abs() < 1e-15);
            for _ in 0..50 {
                let (mut u, mut v) = (random.number(), random.number());
                let pair = (a + (b - a) * u) - (c + (d - c) * v);
                assert!(pair.norm() >= edges.distance - 1e-15, "{edges:?}");
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let pair = a - (b + (c - b) * u + (d - b) * v);
                assert!(pair.norm() >= triangle.distance - 1e-15, "{triangle:?}");
            }
            // The plane through the nearest point keeps everything on its far side: no other point
            // can be nearer.
            for corner in [b, c, d] {
                let low = triangle.normal.dot(&(a - corner)) - triangle.distance;
                assert!(triangle.distance < 1e-6 || low > -1e-8, "{low:e} {triangle:?}");
            }
            for corner in [a - c, a - d, b - c, b - d] {
                let low = edges.normal.dot(&corner) - edges.distance;
                assert!(edges.distance < 1e-6 || low > -1e-8, "{low:e} {edges:?}");
            }
        }
    }

    #[test]
    fn order_of_vertices_and_primitives_does_not_matter() {
        for [a, b, c, d] in pairs(2) {
            let (one, other) = (edge_edge(&[a, b], &[c, d]), edge_edge(&[d, c], &[a, b]));
            assert!((one.distance - other.distance).abs() < 1e-14);
            let (one, other) = (point_triangle(&a, &[b, c, d]), point_triangle(&a, &[d, b, c]));
            assert!((one.distance - other.distance).abs() < 1e-14);
        }
    }

    #[test]
    fn moving_turning_and_scaling_both_changes_only_the_scale() {
        let random = &mut Random::new(7);
        for vertices in pairs(3) {
            let [a, b, c, d] = vertices;
            let (triangle, edges) = (point_triangle(&a, &[b, c, d]), edge_edge(&[a, b], &[c, d]));
            let pose = Isometry::from_parts(point(random).into(), Rotation::new(point(random) * 3.0));
            let moved = vertices.map(|vertex| pose.transform_point(&vertex.into()).coords);
            let turned = (
                point_triangle(&moved[0], &[moved[1], moved[2], moved[3]]),
                edge_edge(&[moved[0], moved[1]], &[moved[2], moved[3]]),
            );
            assert!((turned.0.distance - triangle.distance).abs() < 1e-14);
            assert!((turned.1.distance - edges.distance).abs() < 1e-14);
            for exponent in [-500, -300, -30, 20, 300] {
                let scale = 2f64.powi(exponent);
                let [a, b, c, d] = vertices.map(|vertex| vertex * scale);
                let (scaled, of_edges) = (point_triangle(&a, &[b, c, d]), edge_edge(&[a, b], &[c, d]));
                assert!((scaled.distance / scale - triangle.distance).abs() < 1e-14, "2^{exponent} {triangle:?}");
                assert!((of_edges.distance / scale - edges.distance).abs() < 1e-14, "2^{exponent} {edges:?}");
                if exponent.abs() < 100 {
                    assert_eq!((scaled.weights, scaled.part), (triangle.weights, triangle.part));
                    assert_eq!((of_edges.weights, of_edges.part), (edges.weights, edges.part));
                }
            }
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        const STEP: f64 = 1e-6;
        for (count, vertices) in pairs(4).enumerate() {
            let triangle = |[a, b, c, d]: [Vec3; 4]| point_triangle(&a, &[b, c, d]);
            let edges = |[a, b, c, d]: [Vec3; 4]| edge_edge(&[a, b], &[c, d]);
            // Where it has none: triangles without height, and parallel edges.
            let area = (vertices[2] - vertices[1]).cross(&(vertices[3] - vertices[1])).norm();
            let sine = (vertices[1] - vertices[0]).cross(&(vertices[3] - vertices[2])).norm();
            for vertex in 0..4 {
                for axis in 0..3 {
                    let (mut more, mut less) = (vertices, vertices);
                    more[vertex][axis] += STEP;
                    less[vertex][axis] -= STEP;
                    let here = triangle(vertices);
                    if here.distance > 1e-2 && area > 1e-2 {
                        let slope = (triangle(more).distance - triangle(less).distance) / (2.0 * STEP);
                        assert!((slope - here.gradient()[vertex][axis]).abs() < 1e-3, "{count} {here:?}");
                    }
                    let here = edges(vertices);
                    if here.distance > 1e-2 && sine > 1e-2 {
                        let slope = (edges(more).distance - edges(less).distance) / (2.0 * STEP);
                        assert!((slope - here.gradient()[vertex][axis]).abs() < 1e-3, "{count} {here:?}");
                    }
                }
            }
        }
    }
}
