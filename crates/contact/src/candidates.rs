//! Candidates: pairs of features of two surfaces that could meet before they have moved by their
//! margins.
//!
//! The search runs on all threads, and candidates are sorted by distance afterwards: they depend
//! neither on the tree nor on the number of threads.

use crate::broad_phase::SurfaceTree;
use crate::distance;
use crate::tolerances::CANDIDATE_DISTANCE_ROUNDING;
use craze_math::Vec3;
use craze_spatial::Aabb;
use rayon::prelude::*;

/// Number of candidates below which one thread sorts them.
const SEQUENTIAL_CANDIDATES: usize = 4096;

/// Two features and their distance when they were found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// A feature of the first surface and one of the second.
    pub features: [u32; 2],
    /// Distance of the two (m), radii not counted.
    pub distance: f64,
    /// The unit vector from the second to the first in single precision: their gap along it is a
    /// lower bound of their distance.
    pub normal: [f32; 3],
}

/// Features of two surfaces (or twice the same one) that could meet, each pair once, the nearest
/// first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// A point of the first surface and a triangle of the second.
    pub point_triangle: Vec<Candidate>,
    /// A triangle of the first surface and a point of the second; empty for a surface with itself.
    pub triangle_point: Vec<Candidate>,
    /// An edge of each.
    pub edge_edge: Vec<Candidate>,
    /// A point without a triangle of each.
    pub point_point: Vec<Candidate>,
}

impl Candidates {
    /// Finds the candidates between two surfaces.
    pub fn between(&mut self, first: &SurfaceTree, second: &SurfaceTree) {
        let (a, b) = (&first.features, &second.features);
        let near = Near { first, second, limit: CANDIDATE_DISTANCE_ROUNDING * (first.reach + second.reach) };
        let turned = Near { first: second, second: first, ..near };
        let parts = first.tree.par_pairs(&first.boxes, &second.tree, &second.boxes, |found: &mut Self, p, q| {
            let (p, q) = (p as usize, q as usize);
            if b.is_triangle(q) {
                for point in a.owned_points(p) {
                    add(&mut found.point_triangle, [point, q as u32], near.point_triangle(point, q as u32));
                }
            }
            if a.is_triangle(p) {
                for point in b.owned_points(q) {
                    add(&mut found.triangle_point, [p as u32, point], turned.point_triangle(point, p as u32));
                }
            }
            match (a.is_triangle(p), b.is_triangle(q)) {
                (true, true) => {
                    for edge in a.owned_edges(p) {
                        for other in b.owned_edges(q) {
                            add(&mut found.edge_edge, [edge, other], near.edge_edge(edge, other));
                        }
                    }
                }
                (false, false) => {
                    let [one, other] = [a.corners(p)[0], b.corners(q)[0]];
                    add(&mut found.point_point, [one, other], near.point_point(one, other));
                }
                _ => {}
            }
        });
        self.join(parts);
    }

    /// Finds the candidates of a surface with itself, without those that share a point.
    pub fn within(&mut self, surface: &SurfaceTree) {
        let features = &surface.features;
        let near = Near { first: surface, second: surface, limit: CANDIDATE_DISTANCE_ROUNDING * 2.0 * surface.reach };
        let parts = surface.tree.par_self_pairs(&surface.boxes, |found: &mut Self, p, q| {
            let (p, q) = (p as usize, q as usize);
            for (one, other) in [(p, q), (q, p)].into_iter().filter(|pair| features.is_triangle(pair.1)) {
                let corners = features.triangles[other];
                for point in features.owned_points(one).filter(|point| !corners.contains(point)) {
                    let distance = near.point_triangle(point, other as u32);
                    add(&mut found.point_triangle, [point, other as u32], distance);
                }
            }
            match (features.is_triangle(p), features.is_triangle(q)) {
                (true, true) => {
                    for edge in features.owned_edges(p) {
                        let [from, to] = features.edges[edge as usize];
                        let apart = |other: &u32| {
                            let ends = features.edges[*other as usize];
                            !ends.contains(&from) && !ends.contains(&to)
                        };
                        for other in features.owned_edges(q).filter(apart) {
                            let pair = [edge.min(other), edge.max(other)];
                            add(&mut found.edge_edge, pair, near.edge_edge(pair[0], pair[1]));
                        }
                    }
                }
                (false, false) => {
                    let [one, other] = [p, q].map(|primitive| features.corners(primitive)[0]);
                    let pair = [one.min(other), one.max(other)];
                    add(&mut found.point_point, pair, near.point_point(pair[0], pair[1]));
                }
                _ => {}
            }
        });
        self.join(parts);
    }

    /// Joins the parts of a search.
    fn join(&mut self, parts: Vec<Self>) {
        self.lists().into_iter().for_each(Vec::clear);
        for mut part in parts {
            for (all, list) in self.lists().into_iter().zip(part.lists()) {
                all.append(list);
            }
        }
        self.sort();
    }

    fn lists(&mut self) -> [&mut Vec<Candidate>; 4] {
        let Self { point_triangle, triangle_point, edge_edge, point_point } = self;
        [point_triangle, triangle_point, edge_edge, point_point]
    }

    /// Sorts by distance level, then by features, so that those that are close to each other lie
    /// close in memory. The result must not depend on the order of the tree, which changes where it
    /// is refitted or rebuilt.
    fn sort(&mut self) {
        let order = |one: &Candidate, other: &Candidate| {
            level(one.distance).cmp(&level(other.distance)).then(one.features.cmp(&other.features))
        };
        for list in self.lists() {
            if list.len() < SEQUENTIAL_CANDIDATES {
                list.sort_unstable_by(order);
            } else {
                list.par_sort_unstable_by(order);
            }
        }
    }
}

/// Level of a distance (m, not negative): four levels from one power of two to the next.
fn level(distance: f64) -> u64 {
    distance.to_bits() >> 50
}

/// The candidates that can have come within a distance (m): those up to it, and a few that are
/// barely farther.
pub(crate) fn nearer(list: &[Candidate], distance: f64) -> &[Candidate] {
    let farthest = level(distance.max(0.0));
    &list[..list.partition_point(|candidate| level(candidate.distance) <= farthest)]
}

fn add(list: &mut Vec<Candidate>, features: [u32; 2], near: Option<(f64, Vec3)>) {
    list.extend(near.map(|(distance, normal)| Candidate {
        features,
        distance,
        normal: normal.map(|n| n as f32).into(),
    }));
}

/// Distances and directions of features at the positions for which the boxes were computed; none
/// beyond a limit.
#[derive(Clone, Copy)]
struct Near<'a> {
    first: &'a SurfaceTree,
    second: &'a SurfaceTree,
    /// Sum of the reaches of both trees (m).
    limit: f64,
}

impl Near<'_> {
    fn point_triangle(&self, point: u32, triangle: u32) -> Option<(f64, Vec3)> {
        let place = &self.first.anchors[point as usize];
        // Boxes of both have been grown; swept ones have no limit.
        let reach = self.first.reach;
        let bounds = &self.second.boxes[triangle as usize];
        let outside = |axis: usize| place[axis] < bounds.min[axis] - reach || place[axis] > bounds.max[axis] + reach;
        if (0..3).any(outside) {
            return None;
        }
        let corners = self.second.features.triangles[triangle as usize];
        let corners = corners.map(|corner| self.second.anchors[corner as usize]);
        let near = distance::point_triangle(place, &corners);
        self.within(near.distance, near.normal)
    }

    fn edge_edge(&self, edge: u32, other: u32) -> Option<(f64, Vec3)> {
        let ends = self.first.features.edges[edge as usize].map(|end| self.first.anchors[end as usize]);
        let others = self.second.features.edges[other as usize].map(|end| self.second.anchors[end as usize]);
        if !Aabb::from_points(&ends).grown(self.limit).overlaps(&Aabb::from_points(&others)) {
            return None;
        }
        let near = distance::edge_edge(&ends, &others);
        self.within(near.distance, near.normal)
    }

    fn point_point(&self, point: u32, other: u32) -> Option<(f64, Vec3)> {
        let (one, two): (Vec3, Vec3) = (self.first.anchors[point as usize], self.second.anchors[other as usize]);
        let way = one - two;
        let distance = way.norm();
        self.within(distance, way / distance)
    }

    fn within(&self, distance: f64, normal: Vec3) -> Option<(f64, Vec3)> {
        (distance <= self.limit).then_some((distance, normal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{resting, sheet};
    use crate::{ContactTriangles, Features, Motion};
    use proptest::prelude::*;

    fn tree(points: &[Vec3], triangles: &[[u32; 3]], margin: f64) -> SurfaceTree {
        let mut tree = SurfaceTree::default();
        tree.follow(&ContactTriangles { version: 1, triangles, ..ContactTriangles::default() }, points.len());
        tree.refresh(&resting(points), 0.0, margin).expect("sound points");
        tree
    }

    /// All pairs that the search must find, by brute force.
    fn brute(first: &SurfaceTree, second: &SurfaceTree, limit: f64) -> Candidates {
        let is_same = std::ptr::eq(first, second);
        let near = Near { first, second, limit };
        let turned = Near { first: second, second: first, limit };
        let mut all = Candidates::default();
        let count = |tree: &SurfaceTree| {
            let Features { triangles, edges, .. } = &tree.features;
            (tree.anchors.len() as u32, triangles.len() as u32, edges.len() as u32)
        };
        let ((points, triangles, edges), (other_points, other_triangles, other_edges)) = (count(first), count(second));
        let holds = |tree: &SurfaceTree, triangle: u32, point: u32| {
            is_same && tree.features.triangles[triangle as usize].contains(&point)
        };
        for point in 0..points {
            for triangle in (0..other_triangles).filter(|&triangle| !holds(second, triangle, point)) {
                add(&mut all.point_triangle, [point, triangle], near.point_triangle(point, triangle));
            }
        }
        for triangle in (0..triangles).filter(|_| !is_same) {
            for point in 0..other_points {
                add(&mut all.triangle_point, [triangle, point], turned.point_triangle(point, triangle));
            }
        }
        let meet = |edge: u32, other: u32| {
            let ends = second.features.edges[other as usize];
            is_same && (edge >= other || first.features.edges[edge as usize].iter().any(|end| ends.contains(end)))
        };
        for edge in 0..edges {
            for other in (0..other_edges).filter(|&other| !meet(edge, other)) {
                add(&mut all.edge_edge, [edge, other], near.edge_edge(edge, other));
            }
        }
        for &point in &first.features.lone_points {
            for &other in second.features.lone_points.iter().filter(|&&other| !is_same || point < other) {
                add(&mut all.point_point, [point, other], near.point_point(point, other));
            }
        }
        all.sort();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn candidates_are_those_of_brute_force(wave in -0.3..0.3f64, height in -0.2..0.2f64, margin in 0.001..0.1f64) {
            let (points, triangles) = sheet(6, 0.0, wave);
            let (others, other_triangles) = sheet(5, height, -0.1);
            let (first, second) = (tree(&points, &triangles, margin), tree(&others, &other_triangles, margin));
            let mut candidates = Candidates::default();
            candidates.between(&first, &second);
            prop_assert_eq!(&candidates, &brute(&first, &second, CANDIDATE_DISTANCE_ROUNDING * 2.0 * margin));
            candidates.within(&first);
            prop_assert_eq!(&candidates, &brute(&first, &first, CANDIDATE_DISTANCE_ROUNDING * 2.0 * margin));
        }

        #[test]
        fn so_they_are_after_deforming_and_after_triangles_have_come_and_gone(
            seed in 0_u64..1000, margin in 0.001..0.05f64, rounds in 1_u64..5,
        ) {
            let mut random = craze_math::Random::new(seed);
            let (mut points, mut triangles) = sheet(8, 0.0, 0.1);
            let (others, other_triangles) = sheet(5, 0.03, -0.1);
            let (mut moving, fixed) = (tree(&points, &triangles, margin), tree(&others, &other_triangles, margin));
            for round in 0..rounds {
                let mut number = || 2.0 * random.number() - 1.0;
                for point in &mut points {
                    *point += 0.1 * Vec3::new(number(), number(), number());
                }
                // Some triangles are removed, some separated, and their points may be left without
                // triangles.
                triangles.retain(|_| number() < 0.8);
                for triangle in 0..triangles.len() / 10 {
                    let corners = triangles[triangle].map(|corner| points[corner as usize] + Vec3::repeat(0.02 * number()));
                    let first = points.len() as u32;
                    points.extend(corners);
                    let place = ((number() + 1.0) * 0.5 * triangles.len() as f64) as usize;
                    triangles.insert(place, [first, first + 1, first + 2]);
                }
                let shown = ContactTriangles { version: round + 2, triangles: &triangles, ..ContactTriangles::default() };
                moving.follow(&shown, points.len());
                moving.refresh(&resting(&points), 0.0, margin).expect("sound points");
                moving.tree.validate(&moving.boxes).expect("a valid tree");
                let mut candidates = Candidates::default();
                candidates.within(&moving);
                prop_assert_eq!(&candidates, &brute(&moving, &moving, CANDIDATE_DISTANCE_ROUNDING * 2.0 * margin));
                candidates.between(&moving, &fixed);
                prop_assert_eq!(&candidates, &brute(&moving, &fixed, CANDIDATE_DISTANCE_ROUNDING * 2.0 * margin));
            }
        }
    }

    #[test]
    fn a_large_search_gives_the_same_for_any_number_of_threads() {
        let (points, triangles) = sheet(40, 0.0, 0.4);
        let crumpled: Vec<Vec3> = points.iter().map(|p| Vec3::new((9.0 * p.x).sin(), p.y, (8.0 * p.z).cos())).collect();
        let search = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut candidates = Candidates::default();
                candidates.within(&tree(&crumpled, &triangles, 0.02));
                candidates
            })
        };
        let one = search(1);
        assert!(one.edge_edge.len() > SEQUENTIAL_CANDIDATES, "{}", one.edge_edge.len());
        assert!(one == search(3));
    }

    #[test]
    fn candidates_do_not_depend_on_how_the_tree_came_about() {
        let (mut points, triangles) = sheet(8, 0.0, 0.05);
        let mut moved = tree(&points, &triangles, 0.05);
        for point in &mut points {
            *point += Vec3::new(0.0, 0.05 * point.x, -0.1 * point.z);
        }
        let motion = moved.motion(points.iter().copied()).expect("the same points");
        assert!(motion.spread > 0.05 && motion.approach(&motion) == 2.0 * motion.spread);
        moved.refresh(&resting(&points), 0.0, 0.05).expect("sound points");
        assert_eq!(moved.motion(points.iter().copied()), Some(Motion { drift: Vec3::zeros(), spread: 0.0 }));
        let (mut refitted, mut built) = (Candidates::default(), Candidates::default());
        refitted.within(&moved);
        built.within(&tree(&points, &triangles, 0.05));
        assert_eq!(refitted, built);
        assert!(!built.edge_edge.is_empty());
    }
}
