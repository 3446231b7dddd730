//! What two tetrahedra have in common.
//!
//! The first tetrahedron is clipped by the four planes of the second, face by face. Which side of a plane a corner is on is decided by
//! exact predicates; every new corner is computed once, from the end inside towards the end outside, so that faces which share an
//! edge share its new corner bit for bit and the polyhedron stays closed, whatever rounding does. Nothing is allocated.

use crate::Vec3;
use crate::predicates::orient3d;

/// The common part of two tetrahedra a and b (O'Brien & Hodgins 1999, §3.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Its volume (m³), positive.
    pub volume: f64,
    /// Its centroid (m).
    pub centroid: Vec3,
    /// Outward normal times area, summed over the part of a's surface that is inside b (m²); that of b's surface inside a is its
    /// opposite. It is also how the volume grows as a is shifted. Faces of both that coincide count half. Zero if one holds the other.
    pub area_normal: Vec3,
}

/// Corners of the four faces, seen counterclockwise from outside; face k is opposite to node k.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Faces of a clipped tetrahedron: its own four, and one a plane.
const FACE_COUNT: usize = 8;
/// Corners of one face. A face of a convex polyhedron with eight faces has seven at most; where rounding dents it by a hair, each
/// clip may add one or two.
const CORNER_COUNT: usize = 16;

/// The common part of two tetrahedra, whichever way they are oriented (m). `None` if they only touch or are apart, if one is flat, or if
/// coordinates are not finite.
pub fn tetrahedra(a: &[Vec3; 4], b: &[Vec3; 4]) -> Option<Overlap> {
    let (a, b) = (oriented(a)?, oriented(b)?);
    let planes = FACES.map(|face| face.map(|node| b[node]));
    // Six times the volume between each corner of a and each face of b: positive inside.
    let mut corners = a.map(|place| Corner { place, depths: [0.0; 4] });
    for corner in &mut corners {
        corner.depths = planes.map(|[p, q, r]| -orient3d(&p, &q, &r, &corner.place));
    }
    for plane in 0..4 {
        if corners.iter().all(|corner| corner.depths[plane] <= 0.0) {
            return None;
        }
    }
    let mut polyhedron = Polyhedron::new(&corners);
    for plane in 0..4 {
        polyhedron.clip(plane);
    }
    polyhedron.measure()
}

/// The nodes in the order of positive volume; `None` if it is exactly zero or not finite.
fn oriented(nodes: &[Vec3; 4]) -> Option<[Vec3; 4]> {
    let [p, q, r, s] = *nodes;
    let sign = orient3d(&p, &q, &r, &s);
    let finite = nodes.iter().all(|node| node.iter().all(|coordinate| coordinate.is_finite()));
    match sign {
        _ if !finite => None,
        sign if sign > 0.0 => Some(*nodes),
        sign if sign < 0.0 => Some([q, p, r, s]),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Corner {
    place: Vec3,
    /// How deep inside each plane of the other tetrahedron, on a scale of each plane's own; zero on the plane.
    depths: [f64; 4],
}

impl Corner {
    const NONE: Self = Self { place: Vec3::new(0.0, 0.0, 0.0), depths: [0.0; 4] };

    fn is_inside(&self, plane: usize) -> bool {
        self.depths[plane] >= 0.0
    }

    /// Where the edge from a corner inside to one outside meets the plane.
    fn crossing(inside: &Self, outside: &Self, plane: usize) -> Self {
        let (deep, high) = (inside.depths[plane], -outside.depths[plane]);
        let total = deep + high;
        let (near, far) = (high / total, deep / total);
        let mut depths = std::array::from_fn(|k| inside.depths[k] * near + outside.depths[k] * far);
        depths[plane] = 0.0;
        Self { place: inside.place * near + outside.place * far, depths }
    }
}

/// A face as a closed loop of edges, in no particular order of the edges: its sums do not need one.
#[derive(Clone, Copy)]
struct Face {
    edges: [[Corner; 2]; CORNER_COUNT],
    count: usize,
    /// How much of it belongs to the first tetrahedron's surface: one, none, or half where both surfaces coincide.
    share: f64,
}

impl Face {
    const NONE: Self = Self { edges: [[Corner::NONE; 2]; CORNER_COUNT], count: 0, share: 0.0 };

    fn push(&mut self, from: Corner, to: Corner) {
        // Never more in practice (see above); a lost edge is shorter than rounding.
        if self.count < CORNER_COUNT {
            self.edges[self.count] = [from, to];
            self.count += 1;
        }
    }
}

struct Polyhedron {
    faces: [Face; FACE_COUNT],
    count: usize,
}

impl Polyhedron {
    fn new(nodes: &[Corner; 4]) -> Self {
        let mut faces = [Face::NONE; FACE_COUNT];
        for (face, corners) in faces.iter_mut().zip(FACES) {
            for i in 0..3 {
                face.push(nodes[corners[i]], nodes[corners[(i + 1) % 3]]);
            }
            let coincides = (0..4).any(|plane| corners.iter().all(|&node| nodes[node].depths[plane] == 0.0));
            face.share = if coincides { 0.5 } else { 1.0 };
        }
        Self { faces, count: 4 }
    }

    /// Takes away what is outside of a plane and closes the hole with a new face.
    fn clip(&mut self, plane: usize) {
        let outside = |face: &Face| face.edges[..face.count].iter().any(|[from, _]| !from.is_inside(plane));
        if !self.faces[..self.count].iter().any(outside) {
            return;
        }
        let mut lid = Face::NONE;
        for face in &mut self.faces[..self.count] {
            let whole = *face;
            face.count = 0;
            let (mut left, mut entered) = (None, None);
            for [from, to] in &whole.edges[..whole.count] {
                match (from.is_inside(plane), to.is_inside(plane)) {
                    (true, true) => face.push(*from, *to),
                    (true, false) => {
                        let crossing = Corner::crossing(from, to, plane);
                        face.push(*from, crossing);
                        left = Some(crossing);
                    }
                    (false, true) => {
                        let crossing = Corner::crossing(to, from, plane);
                        face.push(crossing, *to);
                        entered = Some(crossing);
                    }
                    (false, false) => {}
                }
                if let (Some(out), Some(back)) = (left, entered) {
                    face.push(out, back);
                    lid.push(back, out);
                    (left, entered) = (None, None);
                }
            }
        }
        if lid.count > 0 && self.count < FACE_COUNT {
            self.faces[self.count] = lid;
            self.count += 1;
        }
    }

    /// Sums over the surface: with the divergence theorem they give volume and centroid.
    fn measure(&self) -> Option<Overlap> {
        let faces = &self.faces[..self.count];
        let origin = faces.iter().find(|face| face.count > 0)?.edges[0][0].place;
        let (mut volume, mut moment, mut area_normal, mut opposite) =
            (0.0, Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        for face in faces {
            let Some([[first, _], ..]) = face.edges.first_chunk::<1>() else { continue };
            let apex = first.place - origin;
            let mut area = Vec3::zeros();
            for [from, to] in &face.edges[..face.count] {
                let (from, to) = (from.place - origin, to.place - origin);
                let triangle = (from - apex).cross(&(to - apex));
                let part = apex.dot(&triangle);
                area += triangle;
                volume += part;
                moment += (apex + from + to) * part;
            }
            area_normal += area * face.share;
            opposite += area * (1.0 - face.share);
        }
        let centroid = origin + moment / (4.0 * volume);
        // Both sums are the same but for rounding; half of the difference is the same whichever tetrahedron comes first.
        (volume > 0.0).then(|| Overlap { volume: volume / 6.0, centroid, area_normal: (area_normal - opposite) / 4.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isometry, Rotation, testing::Matrices, tetrahedron};

    const CORNER: [Vec3; 4] =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

    /// The six tetrahedra of Kuhn's division of a box.
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
    fn boxes_of_tetrahedra_overlap_as_boxes_do() {
        for (place, size) in [
            (Vec3::new(0.5, 0.25, 0.75), Vec3::new(1.0, 2.0, 3.0)),
            (Vec3::new(0.5, 0.0, 0.0), Vec3::new(1.0, 1.0, 1.0)), // flush on four sides
            (Vec3::new(0.25, 0.25, 0.25), Vec3::new(0.5, 0.5, 0.5)), // inside
            (Vec3::new(0.3, -0.7, 0.1), Vec3::new(0.9, 1.1, 0.2)),
            (Vec3::zeros(), Vec3::repeat(1.0)), // identical
        ] {
            let (low, high) = (place.sup(&Vec3::zeros()), (place + size).inf(&Vec3::repeat(1.0)));
            let (expected, middle) = ((high - low).product(), (low + high) / 2.0);
            let (mut volume, mut moment) = (0.0, Vec3::zeros());
            for a in cube(Vec3::zeros(), Vec3::repeat(1.0)) {
                for b in cube(place, size) {
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
        // A box whose right end is in another's left one: inner faces cancel, and what is left is the end face.
        let mut sum = Vec3::zeros();
        for a in cube(Vec3::zeros(), Vec3::repeat(1.0)) {
            for b in cube(Vec3::new(0.7, -0.5, -0.5), Vec3::repeat(2.0)) {
                sum += tetrahedra(&a, &b).map_or(Vec3::zeros(), |overlap| overlap.area_normal);
            }
        }
        assert!((sum - Vec3::x()).norm() < 1e-14, "{sum}");
    }

    #[test]
    fn a_corner_in_a_face_is_known_in_full() {
        // The tip of one, pointing down, below the other's top face z = 0: a corner cut off at height h.
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
    fn identical_ones_share_all_and_have_no_normal() {
        let mut numbers = Matrices::new(31);
        for _ in 0..500 {
            let nodes = [(); 4].map(|()| numbers.vector());
            let volume = tetrahedron::volume(&nodes).abs();
            let overlap = tetrahedra(&nodes, &nodes).expect("not flat");
            assert!((overlap.volume - volume).abs() < 1e-15);
            assert!(volume < 1e-3 || (overlap.centroid - tetrahedron::centroid(&nodes)).norm() < 1e-11);
            assert!(overlap.area_normal.norm() < 1e-15);
            let [a, b, c, d] = nodes;
            let turned = tetrahedra(&[b, a, c, d], &[c, d, b, a]).expect("not flat");
            assert!((turned.volume - volume).abs() < 1e-15);
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
    fn flat_ones_and_what_is_no_number_share_nothing() {
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
    fn exchange_turns_the_normal_and_motion_carries_all_along() {
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
