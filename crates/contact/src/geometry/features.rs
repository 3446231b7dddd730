//! The features of a surface: triangles, edges, and points without triangles.
//!
//! Each vertex and each edge is owned by one of its triangles, and a pair of triangles tests only
//! the features that it owns (Curtis et al. 2008): each pair of features is found once.

use crate::SurfacePoint;
use crate::geometry::CrackFaces;

/// The features of a surface of triangles, and of points without triangles.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Three points each.
    pub triangles: Vec<[u32; 3]>,
    /// Two points each, the smaller first; every edge once.
    pub edges: Vec<[u32; 2]>,
    /// Points without triangles.
    pub lone_points: Vec<u32>,
    /// Faces of cracks.
    pub crack_faces: CrackFaces,
    /// Edges from the first corner to the second, the second to the third and the third to the
    /// first.
    edges_of: Vec<[u32; 3]>,
    /// See [`Features::owned_parts`].
    owned: Vec<u8>,
    /// Triangles on the two sides of each edge; `u32::MAX` where there is none.
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

    /// The triangles on the two sides of an edge; the second is none on the boundary of an open
    /// surface.
    pub fn triangles_at(&self, edge: u32) -> (u32, Option<u32>) {
        let [first, second] = self.triangles_of_edge[edge as usize];
        (first, (second != u32::MAX).then_some(second))
    }

    /// Edges of a triangle from its first corner to the second, the second to the third and the
    /// third to the first.
    pub fn edges_of(&self, triangle: u32) -> [u32; 3] {
        self.edges_of[triangle as usize]
    }

    /// The parts that a triangle owns: bits 0–2 its corners, bits 3–5 its edges from the first
    /// corner to the second, the second to the third and the third to the first. Each part of the
    /// surface has one owner.
    pub fn owned_parts(&self, triangle: u32) -> u8 {
        self.owned[triangle as usize]
    }

    /// Mean length of the edges (m), with the diameters of points without triangles.
    pub fn mean_edge(&self, points: &[SurfacePoint]) -> f64 {
        let length = |edge: &[u32; 2]| {
            let [from, to] = edge.map(|end| points[end as usize].start);
            (to - from).norm()
        };
        let diameters = self.lone_points.iter().map(|&point| 2.0 * points[point as usize].radius);
        let total: f64 = self.edges.iter().map(length).chain(diameters).sum();
        total / (self.edges.len() + self.lone_points.len()).max(1) as f64
    }

    /// Number of primitives in the tree: triangles, then points without triangles.
    pub(crate) fn primitives(&self) -> usize {
        self.triangles.len() + self.lone_points.len()
    }

    pub(crate) fn corners(&self, primitive: usize) -> [u32; 3] {
        match self.triangles.get(primitive) {
            Some(corners) => *corners,
            None => [self.lone_points[primitive - self.triangles.len()]; 3],
        }
    }

    pub(crate) fn owned_points(&self, primitive: usize) -> impl Iterator<Item = u32> + use<> {
        let (corners, bits) = (self.corners(primitive), self.owned.get(primitive).map_or(1, |bits| bits & 7));
        (0..3).filter(move |corner| bits >> corner & 1 == 1).map(move |corner| corners[corner])
    }

    pub(crate) fn owned_edges(&self, triangle: usize) -> impl Iterator<Item = u32> + use<> {
        let (edges, bits) = (self.edges_of[triangle], self.owned[triangle] >> 3);
        (0..3).filter(move |side| bits >> side & 1 == 1).map(move |side| edges[side])
    }

    pub(crate) fn is_triangle(&self, primitive: usize) -> bool {
        primitive < self.triangles.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sheet;

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
}
