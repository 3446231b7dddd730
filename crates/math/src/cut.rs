//! Exact geometry of tetrahedra and triangles cut by a plane.
//!
//! The plane is given by its signed distances to the nodes. Each side is divided into simplices
//! whose volume fractions are products of edge fractions, without subtraction, so slivers keep full
//! relative accuracy. Integrals of shape functions over the parts are exact polynomials (needed by
//! the enriched elements of READINGS 29). All coordinates are barycentric; positions enter only
//! through the volume or area of the whole.

use crate::Vec3;

/// One side of a cut simplex with `N` nodes (4 for tetrahedra, 3 for triangles).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<const N: usize> {
    /// Volume (m³) or area (m²); zero if this side is empty.
    pub measure: f64,
    /// ∫N_i over the part, in the unit of `measure`; the sum is `measure`.
    pub first: [f64; N],
    /// ∫N_i N_j over the part, in the unit of `measure`; each row sums to ∫N_i.
    pub second: [[f64; N]; N],
}

/// Both sides of a cut simplex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut<const N: usize> {
    /// The side of positive distance. Nodes on the plane are assigned to it, which changes no
    /// integral.
    pub positive: Part<N>,
    /// The side of negative distance.
    pub negative: Part<N>,
}

impl<const N: usize> Part<N> {
    pub(crate) const EMPTY: Self = Self { measure: 0.0, first: [0.0; N], second: [[0.0; N]; N] };

    /// The centroid (m), given the nodes of the whole simplex; `None` for an empty part.
    pub fn centroid(&self, nodes: &[Vec3; N]) -> Option<Vec3> {
        let moment: Vec3 = nodes.iter().zip(&self.first).map(|(node, first)| node * *first).sum();
        (self.measure > 0.0).then(|| moment / self.measure)
    }

    /// Adds a simplex with this measure and these barycentric corners. The integral of a product of
    /// linear functions is M/(N(N+1))·(Σ f_a g_a + Σ f_a·Σ g_b) over the corners.
    pub(crate) fn add(&mut self, measure: f64, corners: [[f64; N]; N]) {
        self.measure += measure;
        let count = N as f64;
        for i in 0..N {
            let sum_i: f64 = corners.iter().map(|corner| corner[i]).sum();
            self.first[i] += measure * sum_i / count;
            for j in 0..N {
                let sum_j: f64 = corners.iter().map(|corner| corner[j]).sum();
                let mixed: f64 = corners.iter().map(|corner| corner[i] * corner[j]).sum();
                self.second[i][j] += measure * (mixed + sum_i * sum_j) / (count * (count + 1.0));
            }
        }
    }
}

struct Crossing<const N: usize> {
    point: [f64; N],
    /// Fraction of the edge length from the first node, and from the second; the sum is one.
    near: f64,
    far: f64,
}

impl<const N: usize> Crossing<N> {
    fn new(distances: &[f64; N], from: usize, to: usize) -> Self {
        let (a, b) = (distances[from].abs(), distances[to].abs());
        // Nodes on different sides have at least one non-zero distance. Halved against overflow.
        let total = a / 2.0 + b / 2.0;
        let (near, far) = (a / 2.0 / total, b / 2.0 / total);
        let mut point = [0.0; N];
        point[from] = far;
        point[to] = near;
        Self { point, near, far }
    }
}

fn corner<const N: usize>(node: usize) -> [f64; N] {
    let mut point = [0.0; N];
    point[node] = 1.0;
    point
}

/// The number of nodes on the positive side, and all node indices, positive ones first.
fn sides<const N: usize>(distances: &[f64; N]) -> (usize, [usize; N]) {
    let mut nodes = [0; N];
    let mut count = 0;
    for positive in [true, false] {
        for (node, &distance) in distances.iter().enumerate() {
            if (distance >= 0.0) == positive {
                nodes[count] = node;
                count += 1;
            }
        }
    }
    (distances.iter().filter(|&&distance| distance >= 0.0).count(), nodes)
}

fn uncut<const N: usize>(measure: f64) -> Part<N> {
    let mut part = Part::EMPTY;
    let mut corners = [[0.0; N]; N];
    for (node, point) in corners.iter_mut().enumerate() {
        point[node] = 1.0;
    }
    part.add(measure, corners);
    part
}

/// Cuts a tetrahedron of this volume (m³, absolute value) by the plane with these signed distances
/// to its nodes, in any unit. If all distances have one sign or are zero, one part is empty.
pub fn cut_tetrahedron(volume: f64, distances: &[f64; 4]) -> Cut<4> {
    let volume = volume.abs();
    let (count, nodes) = sides(distances);
    let mut cut = Cut { positive: Part::EMPTY, negative: Part::EMPTY };
    match count {
        0 => cut.negative = uncut(volume),
        4 => cut.positive = uncut(volume),
        1 => cut_tip(volume, distances, nodes, &mut cut.positive, &mut cut.negative),
        3 => cut_tip(volume, distances, [nodes[3], nodes[0], nodes[1], nodes[2]], &mut cut.negative, &mut cut.positive),
        _ => {
            let [a, b, c, d] = nodes;
            add_wedge(volume, distances, [a, b, c, d], &mut cut.positive);
            add_wedge(volume, distances, [c, d, a, b], &mut cut.negative);
        }
    }
    cut
}

/// Node a alone on its side: a tetrahedron at a, and the remaining prism as three tetrahedra.
fn cut_tip(volume: f64, distances: &[f64; 4], [a, b, c, d]: [usize; 4], tip: &mut Part<4>, rest: &mut Part<4>) {
    let [ab, ac, ad] = [b, c, d].map(|to| Crossing::new(distances, a, to));
    tip.add(volume * ab.near * ac.near * ad.near, [corner(a), ab.point, ac.point, ad.point]);
    rest.add(volume * ab.far, [ab.point, corner(b), corner(c), corner(d)]);
    rest.add(volume * ab.near * ac.far, [ab.point, ac.point, corner(c), corner(d)]);
    rest.add(volume * ab.near * ac.near * ad.far, [ab.point, ac.point, ad.point, corner(d)]);
}

/// Nodes a and b on one side, c and d on the other: the wedge at edge ab, as three tetrahedra.
fn add_wedge(volume: f64, distances: &[f64; 4], [a, b, c, d]: [usize; 4], part: &mut Part<4>) {
    let [ac, ad] = [c, d].map(|to| Crossing::new(distances, a, to));
    let [bc, bd] = [c, d].map(|to| Crossing::new(distances, b, to));
    part.add(volume * ac.near * ad.near, [corner(b), corner(a), ac.point, ad.point]);
    part.add(volume * bc.near * ac.far * ad.near, [corner(b), bc.point, ac.point, ad.point]);
    part.add(volume * bc.near * bd.near * ad.far, [corner(b), bc.point, bd.point, ad.point]);
}

/// Cuts a triangle of this area (m², absolute value) by the line with these signed distances to its
/// nodes, in any unit. If all distances have one sign or are zero, one part is empty.
pub fn cut_triangle(area: f64, distances: &[f64; 3]) -> Cut<3> {
    let area = area.abs();
    let (count, nodes) = sides(distances);
    let mut cut = Cut { positive: Part::EMPTY, negative: Part::EMPTY };
    let ([a, b, c], tip, rest) = match count {
        0 => {
            cut.negative = uncut(area);
            return cut;
        }
        3 => {
            cut.positive = uncut(area);
            return cut;
        }
        1 => (nodes, &mut cut.positive, &mut cut.negative),
        _ => ([nodes[2], nodes[0], nodes[1]], &mut cut.negative, &mut cut.positive),
    };
    let [ab, ac] = [b, c].map(|to| Crossing::new(distances, a, to));
    tip.add(area * ab.near * ac.near, [corner(a), ab.point, ac.point]);
    rest.add(area * ab.far, [ab.point, corner(b), corner(c)]);
    rest.add(area * ab.near * ac.far, [ab.point, ac.point, corner(c)]);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::Matrices, tetrahedron, triangle};
    use proptest::prelude::*;

    const CORNER: [Vec3; 4] =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-14
    }

    fn check_sums<const N: usize>(cut: &Cut<N>, whole: f64, moments: &[[f64; N]; N]) {
        let tolerance = 1e-13 * whole;
        assert!((cut.positive.measure + cut.negative.measure - whole).abs() <= tolerance, "{cut:?}");
        for part in [&cut.positive, &cut.negative] {
            assert!(part.measure >= 0.0);
            assert!((part.first.iter().sum::<f64>() - part.measure).abs() <= 1e-13 * part.measure, "{part:?}");
            for i in 0..N {
                assert!((part.second[i].iter().sum::<f64>() - part.first[i]).abs() <= 1e-13 * part.measure, "{part:?}");
            }
        }
        for i in 0..N {
            for j in 0..N {
                let sum = cut.positive.second[i][j] + cut.negative.second[i][j];
                assert!((sum - moments[i][j]).abs() <= tolerance, "{i} {j} {cut:?}");
            }
        }
    }

    /// The distance has one sign per side, so its integral over the parts gives ∫|distance|, and
    /// the centroids must agree.
    fn check_sides<const N: usize>(cut: &Cut<N>, distances: &[f64; N]) {
        for (part, sign) in [(&cut.positive, 1.0), (&cut.negative, -1.0)] {
            let integral: f64 = part.first.iter().zip(distances).map(|(first, distance)| first * distance).sum();
            assert!(integral * sign >= -1e-15, "{integral} {cut:?}");
            let square: f64 = (0..N)
                .flat_map(|i| (0..N).map(move |j| (i, j)))
                .map(|(i, j)| part.second[i][j] * distances[i] * distances[j])
                .sum();
            // Cauchy–Schwarz: (∫d)² ≤ M·∫d².
            assert!(integral * integral <= part.measure * square * (1.0 + 1e-9) + 1e-15, "{cut:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_whole(distances in proptest::array::uniform4(-1.0..1.0f64), zero in 0usize..8) {
            let mut distances = distances;
            if zero < 4 {
                distances[zero] = 0.0;
            }
            let cut = cut_tetrahedron(2.5, &distances);
            check_sums(&cut, 2.5, &tetrahedron::second_moments(2.5));
            check_sides(&cut, &distances);
            let three = [distances[0], distances[1], distances[2]];
            let cut = cut_triangle(0.7, &three);
            check_sums(&cut, 0.7, &triangle::second_moments(0.7));
            check_sides(&cut, &three);
        }

        #[test]
        fn flipping_the_plane_exchanges_the_parts(distances in proptest::array::uniform4(0.01..1.0f64), signs in 0u32..16) {
            let mut distances = distances;
            for (i, distance) in distances.iter_mut().enumerate() {
                *distance *= if signs >> i & 1 == 1 { 1.0 } else { -1.0 };
            }
            let (cut, flipped) = (cut_tetrahedron(1.0, &distances), cut_tetrahedron(1.0, &distances.map(|distance| -distance)));
            prop_assert!(near(cut.positive.measure, flipped.negative.measure));
            for i in 0..4 {
                for j in 0..4 {
                    prop_assert!(near(cut.positive.second[i][j], flipped.negative.second[i][j]));
                }
            }
        }
    }

    #[test]
    fn a_plane_across_one_corner_cuts_off_a_cubic_volume() {
        for height in [1e-12, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
            let volume = tetrahedron::volume(&CORNER);
            let cut = cut_tetrahedron(volume, &CORNER.map(|node| node.z - height));
            let expected = volume * (1.0 - height).powi(3);
            assert!((cut.positive.measure - expected).abs() <= 1e-14 * expected, "{cut:?}");
            let centroid = cut.positive.centroid(&CORNER).expect("not empty");
            assert!(near(centroid.z, height + (1.0 - height) / 4.0) && near(centroid.x, (1.0 - height) / 4.0));
            // ∫z² over a tetrahedron of height one above z = 0 is V/10; the tip follows by scaling
            // and shifting.
            let scale = 1.0 - height;
            let square = expected * (height * height + 2.0 * height * scale / 4.0 + scale * scale / 10.0);
            assert!((cut.positive.second[3][3] - square).abs() <= 1e-14, "{cut:?}");
        }
    }

    #[test]
    fn a_plane_between_opposite_edges_halves_the_tetrahedron() {
        let cut = cut_tetrahedron(1.0, &[1.0, 1.0, -1.0, -1.0]);
        assert!(near(cut.positive.measure, 0.5) && near(cut.negative.measure, 0.5));
        // The wedge at fraction t: the volume beyond is 1 − 3t² + 2t³.
        let t = 0.3;
        let cut = cut_tetrahedron(1.0, &[t, t, t - 1.0, t - 1.0]);
        assert!(near(cut.negative.measure, 1.0 - 3.0 * t * t + 2.0 * t * t * t), "{cut:?}");
    }

    #[test]
    fn cutting_a_part_again_agrees_with_finer_simplices() {
        // Splits the tetrahedron at an edge midpoint, cuts both halves by the same plane and maps
        // the moments back.
        let mut numbers = Matrices::new(10);
        for _ in 0..1000 {
            let distances = [(); 4].map(|()| numbers.number());
            let whole = cut_tetrahedron(1.0, &distances);
            let middle = (distances[0] + distances[1]) / 2.0;
            let halves = [
                (cut_tetrahedron(0.5, &[distances[0], middle, distances[2], distances[3]]), [[1.0, 0.0], [0.5, 0.5]]),
                (cut_tetrahedron(0.5, &[middle, distances[1], distances[2], distances[3]]), [[0.5, 0.5], [0.0, 1.0]]),
            ];
            let mut sum = [[0.0; 4]; 4];
            for (half, corners) in &halves {
                let mut map = [[0.0; 4]; 4];
                map[0][..2].copy_from_slice(&corners[0]);
                map[1][..2].copy_from_slice(&corners[1]);
                (map[2][2], map[3][3]) = (1.0, 1.0);
                for i in 0..4 {
                    for j in 0..4 {
                        for k in 0..4 {
                            for l in 0..4 {
                                sum[i][j] += map[k][i] * half.positive.second[k][l] * map[l][j];
                            }
                        }
                    }
                }
            }
            for i in 0..4 {
                for j in 0..4 {
                    assert!(near(sum[i][j], whole.positive.second[i][j]), "{distances:?}");
                }
            }
        }
    }

    #[test]
    fn triangles_are_cut_like_tetrahedra() {
        let cut = cut_triangle(0.5, &[-0.25, 0.75, -0.25]);
        assert!(near(cut.positive.measure, 0.5 * 0.75 * 0.75));
        let nodes = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let centroid = cut.positive.centroid(&nodes).expect("not empty");
        assert!(near(centroid.x, 0.25 + 0.25) && near(centroid.y, 0.25));
    }

    #[test]
    fn planes_that_miss_leave_one_part_empty() {
        let cut = cut_tetrahedron(-1.0, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((cut.positive.measure, cut.negative.measure), (1.0, 0.0));
        assert_eq!(cut.negative.centroid(&CORNER), None);
        let cut = cut_tetrahedron(1.0, &[0.0; 4]);
        assert_eq!((cut.positive.measure, cut.negative.measure), (1.0, 0.0));
        let touching = cut_tetrahedron(1.0, &[0.0, -1.0, -2.0, -3.0]);
        assert_eq!((touching.positive.measure, touching.negative.measure), (0.0, 1.0));
        let cut = cut_triangle(1.0, &[-1.0, -1.0, -1.0]);
        assert_eq!((cut.positive.measure, cut.negative.measure), (0.0, 1.0));
        let huge = cut_tetrahedron(1.0, &[f64::MAX, -f64::MAX, 1.0, -1.0]);
        check_sums(&huge, 1.0, &tetrahedron::second_moments(1.0));
    }
}
