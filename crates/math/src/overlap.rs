//! Intersection of two tetrahedra.
//!
//! The surface of the intersection consists of the parts of each surface inside the other
//! tetrahedron: eight faces, each clipped by four planes. The divergence theorem gives volume and
//! centroid. The side of a plane that a corner is on is decided exactly. Each new corner is
//! interpolated from the inner end of its edge to the outer end, so the two faces at an edge
//! compute it with the same bits. Allocates nothing.

use crate::Vec3;
use crate::predicates::orient3d;

/// The intersection of two tetrahedra a and b (O'Brien & Hodgins 1999, §3.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Its volume (m³), positive.
    pub volume: f64,
    /// Its centroid (m).
    pub centroid: Vec3,
    /// Integral of the outward normal over the part of a's surface inside b (m²); the opposite
    /// holds for b's surface inside a. Equals the gradient of the volume with respect to a
    /// translation of a. Coincident faces count half. Zero if one contains the other.
    pub area_normal: Vec3,
}

/// Corners of the four faces, counterclockwise from outside; face k is opposite to node k.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Maximum corners of a clipped face: three, and one more per plane.
const MAX_CORNERS: usize = 7;
/// Bound on the rounding error of a corner's height above a plane, in units of the squared longest
/// side of the face times the distance of the corner.
const HEIGHT_ROUNDING: f64 = 1e-14;

/// The intersection of two tetrahedra of any orientation (m). `None` if they are disjoint or only
/// touch, if one is degenerate, or if coordinates are not finite.
pub fn tetrahedra(a: &[Vec3; 4], b: &[Vec3; 4]) -> Option<Overlap> {
    let (a, b) = (oriented(a)?, oriented(b)?);
    let (a_in_b, b_in_a) = (depths(&a, &b)?, depths(&b, &a)?);
    let origin = a[0];
    let (mut of_a, mut of_b) = (Sums::default(), Sums::default());
    add_faces(&a, &a_in_b, &origin, &mut of_a);
    add_faces(&b, &b_in_a, &origin, &mut of_b);
    let volume = of_a.volume + of_b.volume;
    let centroid = origin + (of_a.moment + of_b.moment) / (4.0 * volume);
    // Both are equal up to rounding; half the difference is symmetric in the two tetrahedra.
    let area_normal = (of_a.area - of_b.area) / 4.0;
    (volume > 0.0).then_some(Overlap { volume: volume / 6.0, centroid, area_normal })
}

/// The nodes in positive orientation; `None` if the volume is exactly zero or not finite.
fn oriented(nodes: &[Vec3; 4]) -> Option<[Vec3; 4]> {
    let [p, q, r, s] = *nodes;
    let sign = Plane::new(&[p, q, r]).side(&s);
    let finite = nodes.iter().all(|node| node.iter().all(|coordinate| coordinate.is_finite()));
    match sign {
        _ if !finite => None,
        sign if sign > 0.0 => Some(*nodes),
        sign if sign < 0.0 => Some([q, p, r, s]),
        _ => None,
    }
}

struct Plane<'a> {
    corners: &'a [Vec3; 3],
    normal: Vec3,
    longest: f64,
}

impl<'a> Plane<'a> {
    fn new(corners: &'a [Vec3; 3]) -> Self {
        let (first, second) = (corners[1] - corners[0], corners[2] - corners[0]);
        let longest = first.norm_squared().max(second.norm_squared());
        Self { corners, normal: first.cross(&second), longest }
    }

    /// Like [`orient3d`] of the corners and a point: six times the signed volume, exactly zero in
    /// the plane, positive on the side from which the corners are counterclockwise.
    fn side(&self, position: &Vec3) -> f64 {
        let offset = position - self.corners[0];
        let height = offset.dot(&self.normal);
        // NaN takes the exact path.
        if height.abs() > HEIGHT_ROUNDING * self.longest * offset.amax() {
            return height;
        }
        let [p, q, r] = self.corners;
        orient3d(p, q, r, position)
    }
}

/// Six times the signed volume between each corner and each face of the other tetrahedron, positive
/// inside. `None` if a face has no corner inside.
fn depths(corners: &[Vec3; 4], other: &[Vec3; 4]) -> Option<[[f64; 4]; 4]> {
    let mut depths = [[0.0; 4]; 4];
    for (face, nodes) in FACES.into_iter().enumerate() {
        let triangle = nodes.map(|node| other[node]);
        let plane = Plane::new(&triangle);
        let mut some = false;
        for (corner, depths) in corners.iter().zip(&mut depths) {
            depths[face] = -plane.side(corner);
            some |= depths[face] > 0.0;
        }
        if !some {
            return None;
        }
    }
    Some(depths)
}

#[derive(Clone, Copy)]
struct Corner {
    position: Vec3,
    /// Depth inside each plane of the other tetrahedron, each plane with its own scale; zero on it.
    depths: [f64; 4],
}

impl Corner {
    fn is_inside(&self, plane: usize) -> bool {
        self.depths[plane] >= 0.0
    }

    /// Intersection with the plane of the edge from an inner to an outer corner.
    fn crossing(inside: &Self, outside: &Self, plane: usize) -> Self {
        let (deep, high) = (inside.depths[plane], -outside.depths[plane]);
        let total = deep + high;
        let (near, far) = (high / total, deep / total);
        let mut depths = std::array::from_fn(|k| inside.depths[k] * near + outside.depths[k] * far);
        depths[plane] = 0.0;
        Self { position: inside.position * near + outside.position * far, depths }
    }
}

#[derive(Default)]
struct Sums {
    /// Six times the volume between the faces and the origin (m³).
    volume: f64,
    /// Twenty-four times its first moment (m⁴).
    moment: Vec3,
    /// Twice the integral of the normal (m²).
    area: Vec3,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, apex: &Vec3, from: &Vec3, to: &Vec3, share: f64) {
        let triangle = share * (from - apex).cross(&(to - apex));
        let part = apex.dot(&triangle);
        self.area += triangle;
        self.volume += part;
        self.moment += (apex + from + to) * part;
    }
}

/// Adds the parts of a tetrahedron's faces inside the other, relative to an origin.
fn add_faces(nodes: &[Vec3; 4], depths: &[[f64; 4]; 4], origin: &Vec3, sums: &mut Sums) {
    let seen = [nodes[0] - origin, nodes[1] - origin, nodes[2] - origin, nodes[3] - origin];
    // Bit k: outside of plane k; below: on plane k.
    let outside =
        [0, 1, 2, 3].map(|node: usize| (0..4).fold(0u8, |bits, k| bits | u8::from(depths[node][k] < 0.0) << k));
    let on = [0, 1, 2, 3].map(|node: usize| (0..4).fold(0u8, |bits, k| bits | u8::from(depths[node][k] == 0.0) << k));
    for [i, j, k] in FACES {
        if outside[i] & outside[j] & outside[k] != 0 {
            continue;
        }
        // A face of both tetrahedra is found twice.
        let share = if on[i] & on[j] & on[k] != 0 { 0.5 } else { 1.0 };
        let crossed = outside[i] | outside[j] | outside[k];
        if crossed == 0 {
            sums.add(&seen[i], &seen[j], &seen[k], share);
            continue;
        }
        let corner = |node: usize| Corner { position: seen[node], depths: depths[node] };
        let mut loops = [[corner(i); MAX_CORNERS]; 2];
        (loops[0][1], loops[0][2]) = (corner(j), corner(k));
        let [all, next] = &mut loops;
        let (mut all, mut next) = (all, next);
        let mut count = 3;
        for plane in (0..4).filter(|plane| crossed >> plane & 1 == 1) {
            count = clip(&all[..count], next, plane);
            std::mem::swap(&mut all, &mut next);
        }
        for pair in all[..count].windows(2).skip(1) {
            sums.add(&all[0].position, &pair[0].position, &pair[1].position, share);
        }
    }
}

/// The part of a polygon inside a plane; returns its number of corners.
#[inline(always)]
fn clip(polygon: &[Corner], clipped: &mut [Corner; MAX_CORNERS], plane: usize) -> usize {
    let mut count = 0;
    let mut push = |corner: Corner| {
        // A convex polygon gains at most one corner per plane; where rounding makes it non-convex,
        // the dropped edge is shorter than rounding.
        if count < MAX_CORNERS {
            clipped[count] = corner;
            count += 1;
        }
    };
    let Some(mut from) = polygon.last() else { return 0 };
    for to in polygon {
        match (from.is_inside(plane), to.is_inside(plane)) {
            (true, true) => push(*to),
            (true, false) => push(Corner::crossing(from, to, plane)),
            (false, true) => {
                push(Corner::crossing(to, from, plane));
                push(*to);
            }
            (false, false) => {}
        }
        from = to;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isometry, Rotation, testing::Matrices, tetrahedron};

    const CORNER: [Vec3; 4] =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

    fn cube(corner: Vec3, size: Vec3) -> [[Vec3; 4]; 6] {
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(|order| {
            let mut nodes = [corner; 4];
            for (i, axis) in order.into_iter().enumerate() {
                nodes[i + 1] = nodes[i];
                nodes[i + 1][axis] += size[axis];
            }
            nodes
        })
    }

    fn shifted(nodes: &[Vec3; 4], by: Vec3) -> [Vec3; 4] {
        nodes.map(|node| node + by)
    }

    #[test]
    fn boxes_of_tetrahedra_overlap_like_boxes() {
        for (position, size) in [
            (Vec3::new(0.5, 0.25, 0.75), Vec3::new(1.0, 2.0, 3.0)),
            (Vec3::new(0.5, 0.0, 0.0), Vec3::new(1.0, 1.0, 1.0)), // flush on four sides
            (Vec3::new(0.25, 0.25, 0.25), Vec3::new(0.5, 0.5, 0.5)), // inside
            (Vec3::new(0.3, -0.7, 0.1), Vec3::new(0.9, 1.1, 0.2)),
            (Vec3::zeros(), Vec3::repeat(1.0)), // identical
        ] {
            let (low, high) = (position.sup(&Vec3::zeros()), (position + size).inf(&Vec3::repeat(1.0)));
            let (expected, middle) = ((high - low).product(), (low + high) / 2.0);
            let (mut volume, mut moment) = (0.0, Vec3::zeros());
            for a in cube(Vec3::zeros(), Vec3::repeat(1.0)) {
                for b in cube(position, size) {
                    if let Some(overlap) = tetrahedra(&a, &b) {
                        volume += overlap.volume;
                        moment += overlap.centroid * overlap.volume;
                    }
                }
            }
            assert!((volume - expected).abs() < 1e-14, "{volume} {expected}");
            assert!((moment / volume - middle).norm() < 1e-14);
        }
    }

    #[test]
    fn area_normals_of_all_pairs_sum_to_that_of_the_boxes() {
        // The right end of one box lies in the other: inner faces cancel, the end face remains.
        let mut sum = Vec3::zeros();
        for a in cube(Vec3::zeros(), Vec3::repeat(1.0)) {
            for b in cube(Vec3::new(0.7, -0.5, -0.5), Vec3::repeat(2.0)) {
                sum += tetrahedra(&a, &b).map_or(Vec3::zeros(), |overlap| overlap.area_normal);
            }
        }
        assert!((sum - Vec3::x()).norm() < 1e-14, "{sum}");
    }

    #[test]
    fn a_corner_in_a_face_has_the_analytic_overlap() {
        // A corner pointing down below the face z = 0 of the other: a tip of height h.
        let h = 0.25;
        let below = [
            Vec3::new(-5.0, -5.0, 0.0),
            Vec3::new(5.0, -5.0, 0.0),
            Vec3::new(0.0, 9.0, 0.0),
            Vec3::new(0.0, 0.0, -7.0),
        ];
        let tip = [Vec3::zeros(), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0), Vec3::new(0.0, 0.0, 1.0)];
        let overlap = tetrahedra(&shifted(&tip, -Vec3::z() * h), &below).expect("overlap");
        assert!((overlap.volume - h * h * h / 6.0).abs() < 1e-16);
        assert!((overlap.centroid - Vec3::new(h / 4.0, h / 4.0, -h / 4.0)).norm() < 1e-15);
        assert!((overlap.area_normal + Vec3::z() * h * h / 2.0).norm() < 1e-15, "{overlap:?}");
    }

    #[test]
    fn identical_tetrahedra_share_all_and_have_no_normal() {
        let mut numbers = Matrices::new(31);
        for _ in 0..500 {
            let nodes = [(); 4].map(|()| numbers.vector());
            let volume = tetrahedron::volume(&nodes).abs();
            let overlap = tetrahedra(&nodes, &nodes).expect("not flat");
            assert!((overlap.volume - volume).abs() < 1e-15);
            assert!(volume < 1e-3 || (overlap.centroid - tetrahedron::centroid(&nodes)).norm() < 1e-11);
            assert!(overlap.area_normal.norm() < 1e-15);
            let [a, b, c, d] = nodes;
            let permuted = tetrahedra(&[b, a, c, d], &[c, d, b, a]).expect("not flat");
            assert!((permuted.volume - volume).abs() < 1e-15);
        }
    }

    #[test]
    fn neighbours_that_touch_share_nothing() {
        for (a, b) in [
            (CORNER, [CORNER[1], CORNER[2], CORNER[3], Vec3::repeat(1.0)]), // a face
            (CORNER, CORNER.map(|node| Vec3::new(node.x, -node.y, -node.z))), // an edge
            (CORNER, CORNER.map(|node| -node)),                             // a corner
            (CORNER, shifted(&CORNER, Vec3::x())),
            (CORNER, shifted(&CORNER, Vec3::repeat(3.0))),
        ] {
            assert_eq!(tetrahedra(&a, &b), None);
            assert_eq!(tetrahedra(&b, &a), None);
        }
        let all: Vec<_> = cube(Vec3::zeros(), Vec3::new(0.1, 0.7, 0.3)).into();
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| tetrahedra(a, b).is_none()));
        }
    }

    #[test]
    fn degenerate_tetrahedra_and_nan_share_nothing() {
        let flat = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()];
        assert_eq!(tetrahedra(&CORNER, &flat), None);
        assert_eq!(tetrahedra(&flat, &CORNER), None);
        assert_eq!(tetrahedra(&[Vec3::x(); 4], &CORNER), None);
        let mut broken = CORNER;
        broken[2].y = f64::NAN;
        assert_eq!(tetrahedra(&CORNER, &broken), None);
    }

    #[test]
    fn one_inside_the_other_is_shared_whole_without_a_normal() {
        let inner = CORNER.map(|node| node * 0.1 + Vec3::repeat(0.1));
        for overlap in [tetrahedra(&inner, &CORNER), tetrahedra(&CORNER, &inner)].map(|found| found.expect("inside")) {
            assert!((overlap.volume - 1e-3 / 6.0).abs() < 1e-17);
            assert!((overlap.centroid - Vec3::repeat(0.125)).norm() < 1e-14);
            assert!(overlap.area_normal.norm() < 1e-16);
        }
    }

    #[test]
    fn exchange_negates_the_normal_and_rigid_motion_changes_nothing() {
        let mut numbers = Matrices::new(32);
        let mut count = 0;
        for _ in 0..4000 {
            let [a, b] = [(); 2].map(|()| [(); 4].map(|()| numbers.vector()));
            let (Some(one), Some(other)) = (tetrahedra(&a, &b), tetrahedra(&b, &a)) else {
                assert!(tetrahedra(&a, &b).map_or(0.0, |overlap| overlap.volume) < 1e-15);
                assert!(tetrahedra(&b, &a).map_or(0.0, |overlap| overlap.volume) < 1e-15);
                continue;
            };
            count += 1;
            assert!((one.volume - other.volume).abs() < 1e-14);
            assert!((one.area_normal + other.area_normal).norm() < 1e-13, "{one:?} {other:?}");
            assert!(one.volume < 1e-6 || (one.centroid - other.centroid).norm() < 1e-8);
            let volumes = [a, b].map(|nodes| tetrahedron::volume(&nodes).abs());
            assert!(one.volume <= volumes[0].min(volumes[1]) + 1e-14);
            let pose = Isometry::from_parts(numbers.vector().into(), Rotation::new(numbers.vector() * 3.0));
            let [a, b] = [a, b].map(|nodes| nodes.map(|node| pose.transform_point(&node.into()).coords));
            let moved = tetrahedra(&a, &b).map_or(0.0, |overlap| overlap.volume);
            assert!((moved - one.volume).abs() < 1e-14);
            let small = tetrahedra(&a.map(|node| node * 1e-9), &b.map(|node| node * 1e-9));
            assert!((small.map_or(0.0, |overlap| overlap.volume) * 1e27 - one.volume).abs() < 1e-13);
        }
        assert!(count > 1000);
    }

    #[test]
    fn the_area_normal_is_how_the_volume_grows_with_a_shift() {
        let mut numbers = Matrices::new(33);
        for _ in 0..1000 {
            let [a, b] = [(); 2].map(|()| [(); 4].map(|()| numbers.vector()));
            let Some(overlap) = tetrahedra(&a, &b) else { continue };
            let step = 1e-6;
            for axis in 0..3 {
                let mut shift = Vec3::zeros();
                shift[axis] = step;
                let volume = |by| tetrahedra(&shifted(&a, by), &b).map_or(0.0, |overlap| overlap.volume);
                let slope = (volume(shift) - volume(-shift)) / (2.0 * step);
                assert!((slope - overlap.area_normal[axis]).abs() < 1e-5, "{slope} {overlap:?}");
            }
        }
    }
}
