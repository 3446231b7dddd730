//! Broad phase: which features of two surfaces could meet soon.
//!
//! Candidates are found with a margin and stay good for as long as nothing has moved farther than that, so that bodies which take
//! ten thousand steps a second search for them a hundred times. Every vertex and every edge belongs to one of its
//! triangles, and a pair of triangles answers for the features it owns (Curtis et al. 2008): each candidate is found once.

use crate::lips::Lips;
use crate::narrow::distance;
use crate::surface::{ContactTriangles, SurfacePoint};
use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, SpatialError};

/// The features of a surface of triangles, and of points that belong to none.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Three points each.
    pub triangles: Vec<[u32; 3]>,
    /// Two points each, the smaller first; every edge once.
    pub edges: Vec<[u32; 2]>,
    /// Points of no triangle.
    pub lone_points: Vec<u32>,
    /// What has been parted by cracks.
    pub lips: Lips,
    /// Edges from the first corner to the second, the second to the third and the third to the first.
    edges_of: Vec<[u32; 3]>,
    /// See [`Features::owned_parts`].
    owned: Vec<u8>,
    /// Triangles on the two sides of every edge; `u32::MAX` where there is none.
    triangles_of_edge: Vec<[u32; 2]>,
}

impl Features {
    /// The features of triangles over `points` points.
    pub fn new(triangles: &[[u32; 3]], points: usize) -> Features {
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                sides.push(([from.min(to), from.max(to)], 4 * triangle as u32 + side as u32));
            }
        }
        sides.sort_unstable();
        let mut features = Features {
            triangles: triangles.to_vec(),
            edges_of: vec![[0; 3]; triangles.len()],
            owned: vec![0; triangles.len()],
            ..Features::default()
        };
        for group in sides.chunk_by(|one, other| one.0 == other.0) {
            let edge = features.edges.len() as u32;
            features.edges.push(group[0].0);
            let place = |k: usize| (group[k].1 / 4) as usize;
            features.owned[place(0)] |= 8 << (group[0].1 % 4);
            for (_, code) in group {
                features.edges_of[(code / 4) as usize][(code % 4) as usize] = edge;
            }
            let second = if group.len() > 1 { place(1) as u32 } else { u32::MAX };
            features.triangles_of_edge.push([place(0) as u32, second]);
        }
        let mut seen = vec![false; points];
        for (triangle, corners) in triangles.iter().enumerate() {
            for (corner, &point) in corners.iter().enumerate() {
                if !std::mem::replace(&mut seen[point as usize], true) {
                    features.owned[triangle] |= 1 << corner;
                }
            }
        }
        features.lone_points = (0..points as u32).filter(|&point| !seen[point as usize]).collect();
        features
    }

    /// The triangles on the two sides of an edge; the second is none at the rim of an open surface.
    pub fn triangles_at(&self, edge: u32) -> (u32, Option<u32>) {
        let [first, second] = self.triangles_of_edge[edge as usize];
        (first, (second != u32::MAX).then_some(second))
    }

    /// Edges of a triangle from its first corner to the second, the second to the third and the third to the first.
    pub fn edges_of(&self, triangle: u32) -> [u32; 3] {
        self.edges_of[triangle as usize]
    }

    /// What a triangle answers for, so that each part of the surface has one that does: bits 0–2 its corners, bits 3–5 its edges from
    /// the first corner to the second, the second to the third and the third to the first.
    pub fn owned_parts(&self, triangle: u32) -> u8 {
        self.owned[triangle as usize]
    }

    /// Mean length of the edges (m), of lone points their mean diameter.
    pub fn mean_edge(&self, points: &[SurfacePoint]) -> f64 {
        let length = |edge: &[u32; 2]| {
            let [from, to] = edge.map(|end| points[end as usize].start);
            (to - from).norm()
        };
        let diameters = self.lone_points.iter().map(|&point| 2.0 * points[point as usize].radius);
        let total: f64 = self.edges.iter().map(length).chain(diameters).sum();
        total / (self.edges.len() + self.lone_points.len()).max(1) as f64
    }

    /// Triangles and lone points together: what the tree holds.
    fn primitives(&self) -> usize {
        self.triangles.len() + self.lone_points.len()
    }

    fn corners(&self, primitive: usize) -> [u32; 3] {
        match self.triangles.get(primitive) {
            Some(corners) => *corners,
            None => [self.lone_points[primitive - self.triangles.len()]; 3],
        }
    }

    fn owned_points(&self, primitive: usize) -> impl Iterator<Item = u32> + use<> {
        let (corners, bits) = (self.corners(primitive), self.owned.get(primitive).map_or(1, |bits| bits & 7));
        (0..3).filter(move |corner| bits >> corner & 1 == 1).map(move |corner| corners[corner])
    }

    fn owned_edges(&self, triangle: usize) -> impl Iterator<Item = u32> + use<> {
        let (edges, bits) = (self.edges_of[triangle], self.owned[triangle] >> 3);
        (0..3).filter(move |side| bits >> side & 1 == 1).map(move |side| edges[side])
    }

    fn is_triangle(&self, primitive: usize) -> bool {
        primitive < self.triangles.len()
    }
}

/// A surface in a tree, with boxes that hold it until it has moved by a margin.
#[derive(Debug, Default)]
pub struct SurfaceTree {
    /// Its features.
    pub features: Features,
    version: Option<u64>,
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// Where the points were when the boxes were made (m).
    anchors: Vec<Vec3>,
    /// By how much the boxes are larger than what they hold (m).
    margin: f64,
    /// Counts how often the boxes were made, so that others know when their candidates are old.
    generation: u64,
    /// Sum of the boxes' areas when the tree was built: a refitted tree that has grown far beyond it is built anew.
    built_area: f64,
}

/// How a surface has moved as a whole and in itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Mean way of its points (m).
    pub drift: Vec3,
    /// Farthest that any point has come from where the drift alone would have taken it (m).
    pub spread: f64,
}

impl Motion {
    /// By how much two surfaces can have come closer at most (m): what moves along with the other comes no closer.
    pub fn approach(&self, other: &Motion) -> f64 {
        self.spread + other.spread + (self.drift - other.drift).norm()
    }
}

/// Growth of a refitted tree's boxes beyond which it is built anew.
const DECAY: f64 = 2.0;

impl SurfaceTree {
    /// Takes over the triangles if they have changed.
    pub fn follow(&mut self, triangles: &ContactTriangles, points: usize) {
        if self.version != Some(triangles.version) || self.anchors.len() != points {
            self.features = Features::new(triangles.triangles, points);
            self.features.lips = Lips::new(triangles.triangles, triangles.origins, points);
            self.version = Some(triangles.version);
            self.anchors.clear();
            self.tree = Bvh::default();
        }
    }

    /// How the points have moved since the boxes were made; none if they are other points.
    pub fn motion(&self, places: impl ExactSizeIterator<Item = Vec3> + Clone) -> Option<Motion> {
        if places.len() != self.anchors.len() || self.boxes.is_empty() {
            return None;
        }
        let ways = places.zip(&self.anchors).map(|(place, anchor)| place - anchor);
        let drift = ways.clone().sum::<Vec3>() / self.anchors.len() as f64;
        let spread = ways.map(|way| (way - drift).norm_squared()).fold(0.0, f64::max).sqrt();
        Some(Motion { drift, spread })
    }

    /// Makes the boxes anew around where the points start, each with its radius and the skin (m), with a margin (m) on all sides.
    pub fn refresh(&mut self, points: &[SurfacePoint], skin: f64, margin: f64) -> Result<(), SpatialError> {
        self.anchors.clear();
        self.anchors.extend(points.iter().map(|point| point.start));
        self.margin = margin;
        self.generation += 1;
        self.boxes.clear();
        self.boxes.extend((0..self.features.primitives()).map(|primitive| {
            let corners = self.features.corners(primitive).map(|point| &points[point as usize]);
            let radius = corners.iter().map(|corner| corner.radius).fold(0.0, f64::max);
            Aabb::around(corners.iter().map(|corner| &corner.start)).grown(radius + skin + margin)
        }));
        let area: f64 = self.boxes.iter().map(Aabb::half_area).sum();
        if self.tree.len() == self.boxes.len() && area < DECAY * self.built_area {
            self.tree.refit(&self.boxes)
        } else {
            self.built_area = area;
            self.tree = Bvh::build(&self.boxes)?;
            Ok(())
        }
    }

    /// Makes the boxes anew around the whole way of the points from start to end, grown by a reach (m): candidates found with them are all
    /// that come within twice the reach in this very step, and none beside.
    pub fn sweep(&mut self, points: &[SurfacePoint], reach: f64) -> Result<(), SpatialError> {
        self.refresh(points, reach, 0.0)?;
        for (primitive, bounds) in self.boxes.iter_mut().enumerate() {
            let corners = self.features.corners(primitive).map(|point| &points[point as usize]);
            let radius = corners.iter().map(|corner| corner.radius).fold(0.0, f64::max);
            let ends = Aabb::around(corners.iter().map(|corner| &corner.end)).grown(radius + reach);
            *bounds = bounds.union(&ends);
        }
        self.tree = Bvh::build(&self.boxes)?;
        self.built_area = self.boxes.iter().map(Aabb::half_area).sum();
        Ok(())
    }

    /// By how much the boxes are larger than what they hold (m).
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Changes whenever the boxes are made anew.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// A box around everything, margin included.
    pub fn bounds(&self) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, one| all.union(one))
    }
}

/// Two features and how far apart they were when they were found (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// A feature of the first surface and one of the second.
    pub features: [u32; 2],
    /// Distance of the two (m), radii not counted.
    pub distance: f64,
}

/// Features of two surfaces (or twice the same one) that could meet, each pair once, the nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// A point of the first surface and a triangle of the second.
    pub point_triangle: Vec<Candidate>,
    /// A triangle of the first surface and a point of the second; empty for a surface with itself.
    pub triangle_point: Vec<Candidate>,
    /// An edge of each.
    pub edge_edge: Vec<Candidate>,
    /// A lone point of each.
    pub point_point: Vec<Candidate>,
}

impl Candidates {
    /// Finds the candidates between two surfaces.
    pub fn between(&mut self, first: &SurfaceTree, second: &SurfaceTree) {
        self.clear();
        let (a, b) = (&first.features, &second.features);
        let (here, there) = (Places(first), Places(second));
        first.tree.pairs(&first.boxes, &second.tree, &second.boxes, |p, q| {
            let (p, q) = (p as usize, q as usize);
            if b.is_triangle(q) {
                for point in a.owned_points(p) {
                    add(&mut self.point_triangle, [point, q as u32], here.to_triangle(point, &there, q as u32));
                }
            }
            if a.is_triangle(p) {
                for point in b.owned_points(q) {
                    add(&mut self.triangle_point, [p as u32, point], there.to_triangle(point, &here, p as u32));
                }
            }
            match (a.is_triangle(p), b.is_triangle(q)) {
                (true, true) => {
                    for edge in a.owned_edges(p) {
                        for other in b.owned_edges(q) {
                            add(&mut self.edge_edge, [edge, other], here.to_edge(edge, &there, other));
                        }
                    }
                }
                (false, false) => {
                    let [one, other] = [a.corners(p)[0], b.corners(q)[0]];
                    add(&mut self.point_point, [one, other], here.to_point(one, &there, other));
                }
                _ => {}
            }
        });
        self.sort();
    }

    /// Finds the candidates of a surface with itself, without those that share a point.
    pub fn within(&mut self, surface: &SurfaceTree) {
        self.clear();
        let (features, places) = (&surface.features, Places(surface));
        surface.tree.self_pairs(&surface.boxes, |p, q| {
            let (p, q) = (p as usize, q as usize);
            for (one, other) in [(p, q), (q, p)].into_iter().filter(|pair| features.is_triangle(pair.1)) {
                let corners = features.triangles[other];
                for point in features.owned_points(one).filter(|point| !corners.contains(point)) {
                    let distance = places.to_triangle(point, &places, other as u32);
                    add(&mut self.point_triangle, [point, other as u32], distance);
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
                            add(&mut self.edge_edge, pair, places.to_edge(edge, &places, other));
                        }
                    }
                }
                (false, false) => {
                    let [one, other] = [p, q].map(|primitive| features.corners(primitive)[0]);
                    add(&mut self.point_point, [one.min(other), one.max(other)], places.to_point(one, &places, other));
                }
                _ => {}
            }
        });
        self.sort();
    }

    fn lists(&mut self) -> [&mut Vec<Candidate>; 4] {
        let Self { point_triangle, triangle_point, edge_edge, point_point } = self;
        [point_triangle, triangle_point, edge_edge, point_point]
    }

    fn clear(&mut self) {
        self.lists().into_iter().for_each(Vec::clear);
    }

    /// Puts the nearest first. The order of the tree must not be seen in the
    /// result: it changes where the tree is refitted or built anew.
    fn sort(&mut self) {
        for list in self.lists() {
            list.sort_unstable_by(|one, other| {
                one.distance.total_cmp(&other.distance).then(one.features.cmp(&other.features))
            });
        }
    }
}

/// The candidates that can have come within a distance (m): those that were at most so far apart.
pub(crate) fn nearer(list: &[Candidate], distance: f64) -> &[Candidate] {
    &list[..list.partition_point(|candidate| candidate.distance <= distance)]
}

fn add(list: &mut Vec<Candidate>, features: [u32; 2], distance: f64) {
    list.push(Candidate { features, distance });
}

/// The features of a surface where they were when its boxes were made.
struct Places<'a>(&'a SurfaceTree);

impl Places<'_> {
    fn point(&self, point: u32) -> Vec3 {
        self.0.anchors[point as usize]
    }

    fn to_triangle(&self, point: u32, other: &Places, triangle: u32) -> f64 {
        let corners = other.0.features.triangles[triangle as usize].map(|corner| other.point(corner));
        distance::point_triangle(&self.point(point), &corners).distance
    }

    fn to_edge(&self, edge: u32, other: &Places, second: u32) -> f64 {
        let ends = self.0.features.edges[edge as usize].map(|end| self.point(end));
        distance::edge_edge(&ends, &other.0.features.edges[second as usize].map(|end| other.point(end))).distance
    }

    fn to_point(&self, point: u32, other: &Places, second: u32) -> f64 {
        (self.point(point) - other.point(second)).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A square sheet of 2·n² triangles in the xz plane, bent by a wave.
    fn sheet(n: u32, height: f64, wave: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let place = |i: u32, k: u32| {
            let (x, z) = (f64::from(i) / f64::from(n), f64::from(k) / f64::from(n));
            Vec3::new(x, height + wave * (7.0 * x).sin() * (5.0 * z).cos(), z)
        };
        let points = (0..=n).flat_map(|k| (0..=n).map(move |i| place(i, k))).collect();
        let corner = |i: u32, k: u32| k * (n + 1) + i;
        let cells = (0..n).flat_map(|k| (0..n).map(move |i| (i, k)));
        let triangles = cells.flat_map(|(i, k)| {
            let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
            [[a, c, b], [a, d, c]]
        });
        (points, triangles.collect())
    }

    fn tree(points: &[Vec3], triangles: &[[u32; 3]], margin: f64) -> SurfaceTree {
        let mut tree = SurfaceTree::default();
        tree.follow(&ContactTriangles { version: 1, triangles, ..ContactTriangles::default() }, points.len());
        tree.refresh(&resting(points), 0.0, margin).expect("sound points");
        tree
    }

    fn resting(places: &[Vec3]) -> Vec<SurfacePoint> {
        let still = Vec3::zeros();
        let point = |&place: &Vec3| SurfacePoint {
            freedom: 0,
            start: place,
            start_velocity: still,
            end: place,
            velocity: still,
            inverse_mass: 1.0,
            radius: 0.0,
        };
        places.iter().map(point).collect()
    }

    fn boxes(points: &[Vec3], features: &[Vec<u32>], margin: f64) -> Vec<Aabb> {
        features
            .iter()
            .map(|feature| Aabb::around(feature.iter().map(|&point| &points[point as usize])).grown(margin))
            .collect()
    }

    /// All pairs of features whose boxes overlap.
    fn brute(first: &[Aabb], second: &[Aabb]) -> Vec<[u32; 2]> {
        let indices = (0..first.len()).flat_map(|p| (0..second.len()).map(move |q| (p, q)));
        indices.filter(|&(p, q)| first[p].overlaps(&second[q])).map(|(p, q)| [p as u32, q as u32]).collect()
    }

    fn pairs(candidates: &[Candidate]) -> Vec<[u32; 2]> {
        let mut pairs: Vec<_> = candidates.iter().map(|candidate| candidate.features).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn every_feature_has_one_owner() {
        let (points, triangles) = sheet(5, 0.0, 0.0);
        let features = Features::new(&triangles, points.len() + 2);
        assert_eq!(features.edges.len(), 3 * 25 + 10, "Euler: V − E + F = 1");
        assert_eq!(features.lone_points, [36, 37]);
        let mut owners = vec![0; points.len() + 2];
        for primitive in 0..features.primitives() {
            features.owned_points(primitive).for_each(|point| owners[point as usize] += 1);
        }
        assert_eq!(owners, vec![1; points.len() + 2]);
        let mut owners = vec![0; features.edges.len()];
        for triangle in 0..triangles.len() {
            features.owned_edges(triangle).for_each(|edge| owners[edge as usize] += 1);
        }
        assert_eq!(owners, vec![1; features.edges.len()]);
        let rim = (0..features.edges.len() as u32).filter(|&edge| features.triangles_at(edge).1.is_none()).count();
        assert_eq!(rim, 20);
    }

    proptest! {
        #[test]
        fn no_pair_that_could_meet_is_missed(wave in -0.3..0.3f64, height in -0.2..0.2f64, margin in 0.001..0.1f64) {
            let (points, triangles) = sheet(6, 0.0, wave);
            let (others, other_triangles) = sheet(5, height, -0.1);
            let (first, second) = (tree(&points, &triangles, margin), tree(&others, &other_triangles, margin));
            let mut candidates = Candidates::default();
            candidates.between(&first, &second);

            let vertex_boxes = |points: &[Vec3]| boxes(points, &(0..points.len() as u32).map(|p| vec![p]).collect::<Vec<_>>(), margin);
            let edge_boxes = |tree: &SurfaceTree, points: &[Vec3]| {
                boxes(points, &tree.features.edges.iter().map(|edge| edge.to_vec()).collect::<Vec<_>>(), margin)
            };
            let has_all = |found: &[Candidate], needed: Vec<[u32; 2]>| {
                let found = pairs(found);
                needed.iter().all(|pair| found.binary_search(pair).is_ok())
            };
            let once = |found: &[Candidate]| pairs(found).windows(2).all(|pair| pair[0] < pair[1]);
            prop_assert!(has_all(&candidates.point_triangle, brute(&vertex_boxes(&points), &second.boxes)));
            prop_assert!(has_all(&candidates.triangle_point, brute(&first.boxes, &vertex_boxes(&others))));
            prop_assert!(has_all(&candidates.edge_edge, brute(&edge_boxes(&first, &points), &edge_boxes(&second, &others))));
            prop_assert!(once(&candidates.point_triangle) && once(&candidates.triangle_point) && once(&candidates.edge_edge));
        }

        #[test]
        fn a_surface_meets_itself_but_not_its_neighbours(wave in -0.5..0.5f64, margin in 0.001..0.2f64) {
            let (points, triangles) = sheet(6, 0.0, wave);
            let tree = tree(&points, &triangles, margin);
            let mut candidates = Candidates::default();
            candidates.within(&tree);
            let vertices = boxes(&points, &(0..points.len() as u32).map(|p| vec![p]).collect::<Vec<_>>(), margin);
            let mut needed = brute(&vertices, &tree.boxes);
            needed.retain(|[point, triangle]| !triangles[*triangle as usize].contains(point));
            let (points_found, edges_found) = (pairs(&candidates.point_triangle), pairs(&candidates.edge_edge));
            prop_assert!(needed.iter().all(|pair| points_found.binary_search(pair).is_ok()));
            let edges = boxes(&points, &tree.features.edges.iter().map(|edge| edge.to_vec()).collect::<Vec<_>>(), margin);
            let mut needed = brute(&edges, &edges);
            needed.retain(|[one, other]| {
                let ends = tree.features.edges[*other as usize];
                one < other && !tree.features.edges[*one as usize].iter().any(|end| ends.contains(end))
            });
            prop_assert!(needed.iter().all(|pair| edges_found.binary_search(pair).is_ok()));
            prop_assert!(points_found.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(edges_found.windows(2).all(|pair| pair[0] < pair[1]));
        }
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
