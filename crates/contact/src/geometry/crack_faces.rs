//! Crack faces: points and triangles that a crack has made of one.
//!
//! A crack makes two points of one, at the same position, and two triangles that lie on each other
//! and face each other. Their distance does not tell their sides, but the body does: it knows which
//! points were one, and the outward normal of a closed surface points away from its own matter.
//! Crack faces therefore collide only where they move into each other's matter, and contact never
//! pushes them farther apart than they are: opening a crack is left to the body's own forces.

use crate::collisions::features::CollisionMesh;
use crate::distance::point_triangle;
use crate::geometry::Features;
use crate::tolerances::{FACING_COSINE, SHORTER_DISTANCE};
use craze_math::Vec3;

/// No triangle.
const NONE: u32 = u32::MAX;

/// Which points of a surface were one, and which triangles lay on each other.
#[derive(Clone, Debug, Default)]
pub struct CrackFaces {
    /// A number for each point that is the same for all that were one; empty where nothing has
    /// broken.
    origins: Vec<u32>,
    /// True for a point that was one with another.
    is_parted: Vec<bool>,
    /// The triangle that lay on each triangle before the crack.
    twins: Vec<u32>,
    /// Triangles around all points, one point after another, and where those of each point begin.
    stars: Vec<u32>,
    begins: Vec<u32>,
}

impl CrackFaces {
    /// From triangles and the origins of points. Origins of another number than the points count as
    /// none.
    pub fn new(triangles: &[[u32; 3]], origins: &[u32], points: usize) -> CrackFaces {
        if origins.len() != points || points == 0 {
            return CrackFaces::default();
        }
        let mut by_origin: Vec<([u32; 3], u32)> = triangles
            .iter()
            .zip(0..)
            .map(|(corners, triangle)| {
                let mut from = corners.map(|corner| origins[corner as usize]);
                from.sort_unstable();
                (from, triangle)
            })
            .collect();
        by_origin.sort_unstable();
        let mut twins = vec![NONE; triangles.len()];
        for group in by_origin.chunk_by(|one, other| one.0 == other.0) {
            // More than two triangles of the same origin are not the two faces of one crack.
            if let [(_, one), (_, other)] = *group {
                (twins[one as usize], twins[other as usize]) = (other, one);
            }
        }
        let mut around: Vec<[u32; 2]> = triangles
            .iter()
            .zip(0..)
            .flat_map(|(corners, triangle)| corners.map(|corner| [corner, triangle]))
            .collect();
        around.sort_unstable();
        let mut sorted = origins.to_vec();
        sorted.sort_unstable();
        let count = |origin: u32| {
            sorted.partition_point(|&other| other <= origin) - sorted.partition_point(|&other| other < origin)
        };
        let begin = |point: u32| around.partition_point(|entry| entry[0] < point) as u32;
        CrackFaces {
            origins: origins.to_vec(),
            is_parted: origins.iter().map(|&origin| count(origin) > 1).collect(),
            twins,
            begins: (0..=points as u32).map(begin).collect(),
            stars: around.iter().map(|entry| entry[1]).collect(),
        }
    }

    /// True if one of these points and one of those were one.
    pub fn share_origin(&self, these: &[u32], those: &[u32]) -> bool {
        let origin = |point: &u32| self.origins.get(*point as usize);
        these.iter().any(|one| origin(one).is_some() && those.iter().any(|other| origin(one) == origin(other)))
    }

    /// True if a feature is on a crack face.
    fn is_on_crack_face(&self, points: &[u32]) -> bool {
        points.iter().any(|&point| self.is_parted.get(point as usize) == Some(&true))
    }

    /// True if two features with these points are both on crack faces.
    pub fn are_crack_faces(&self, these: &[u32], those: &[u32]) -> bool {
        self.is_on_crack_face(these) && self.is_on_crack_face(those)
    }

    /// The triangles around a point.
    fn around(&self, point: u32) -> &[u32] {
        match self.begins.get(point as usize..point as usize + 2) {
            Some(&[begin, end]) => &self.stars[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// True if a triangle is on the crack face opposite to a point. Where the crack has not slid,
    /// that is the triangle that lay on one of the point's triangles; elsewhere, one that faces one
    /// of these.
    fn is_across(&self, point: u32, triangle: u32, surface: &CollisionMesh) -> bool {
        let triangles = &surface.tree.features.triangles;
        let twin = self.twins[triangle as usize];
        if twin != NONE && self.share_origin(&[point], &triangles[triangle as usize]) {
            return triangles[twin as usize].contains(&point);
        }
        let unit = |triangle: u32| normal(surface, triangle).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let outside = unit(triangle);
        self.around(point).iter().any(|&other| unit(other).dot(&outside) < FACING_COSINE)
    }
}

/// Outward normal of a triangle at the start of the step, of twice its area (m²).
fn normal(surface: &CollisionMesh, triangle: u32) -> Vec3 {
    let [a, b, c] =
        surface.tree.features.triangles[triangle as usize].map(|corner| surface.surface.points[corner as usize].start);
    (b - a).cross(&(c - a))
}

/// A point or an edge of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Point(u32),
    Edge(u32),
}

/// Outward direction at a point or an edge: normals of the triangles around it, weighted by angle
/// (Bærentzen & Aanæs 2005); zero where there is none.
pub(crate) fn outside(surface: &CollisionMesh, part: Part) -> Vec3 {
    let features: &Features = &surface.tree.features;
    let unit = |triangle: u32| normal(surface, triangle).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    match part {
        Part::Edge(edge) => {
            let (first, second) = features.triangles_at(edge);
            unit(first) + second.map_or_else(Vec3::zeros, unit)
        }
        Part::Point(point) => {
            let angle = |triangle: u32| {
                let corners = features.triangles[triangle as usize];
                let place = |k: usize| surface.surface.points[corners[k % 3] as usize].start;
                let own = corners.iter().position(|&corner| corner == point).unwrap_or(0);
                (place(own + 1) - place(own)).angle(&(place(own + 2) - place(own)))
            };
            features.crack_faces.around(point).iter().map(|&triangle| angle(triangle) * unit(triangle)).sum()
        }
    }
}

/// Outward direction at an edge of a crack face, also at the mouth of the crack: the sum of the
/// normals of the adjacent triangles that are on crack faces, or of both if none is.
fn outward_of_crack_face(surface: &CollisionMesh, edge: u32) -> Vec3 {
    let features = &surface.tree.features;
    let (first, second) = features.triangles_at(edge);
    let is_on_crack_face = |triangle: u32| {
        let crack_faces = &features.crack_faces;
        let is_parted = |corner: &u32| crack_faces.is_on_crack_face(std::slice::from_ref(corner));
        crack_faces.twins[triangle as usize] != NONE || features.triangles[triangle as usize].iter().all(is_parted)
    };
    match second {
        Some(second) if is_on_crack_face(first) != is_on_crack_face(second) => {
            let lip = if is_on_crack_face(first) { first } else { second };
            normal(surface, lip).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
        }
        _ => outside(surface, Part::Edge(edge)),
    }
}

/// Two features of one surface that are both on crack faces.
#[derive(Clone, Copy)]
pub(crate) struct CrackFacePair<'a> {
    surface: &'a CollisionMesh<'a>,
    pair: CrackFeatures,
    /// True if points of the two were one: then they are where they were before the crack.
    pub share_origin: bool,
}

#[derive(Clone, Copy)]
enum CrackFeatures {
    PointTriangle { point: u32, triangle: u32 },
    Edges([u32; 2]),
}

impl<'a> CrackFacePair<'a> {
    /// A point and a triangle of a surface, if both are on crack faces.
    pub fn point_triangle(surface: &'a CollisionMesh<'a>, point: u32, triangle: u32) -> Option<CrackFacePair<'a>> {
        let corners = &surface.tree.features.triangles[triangle as usize];
        CrackFacePair::of(surface, &[point], corners, CrackFeatures::PointTriangle { point, triangle })
    }

    /// Two edges of a surface, if both are on crack faces.
    pub fn edges(surface: &'a CollisionMesh<'a>, edges: [u32; 2]) -> Option<CrackFacePair<'a>> {
        let [one, other] = edges.map(|edge| surface.tree.features.edges[edge as usize]);
        CrackFacePair::of(surface, &one, &other, CrackFeatures::Edges(edges))
    }

    fn of(
        surface: &'a CollisionMesh<'a>,
        these: &[u32],
        those: &[u32],
        pair: CrackFeatures,
    ) -> Option<CrackFacePair<'a>> {
        let crack_faces = &surface.tree.features.crack_faces;
        crack_faces.are_crack_faces(these, those).then(|| CrackFacePair {
            surface,
            pair,
            share_origin: crack_faces.share_origin(these, those),
        })
    }

    /// True if the second is on the crack face opposite to the first.
    pub fn is_across(&self) -> bool {
        match self.pair {
            CrackFeatures::PointTriangle { point, triangle } => {
                self.surface.tree.features.crack_faces.is_across(point, triangle, self.surface)
            }
            CrackFeatures::Edges(edges) => {
                let [one, other] = edges.map(|edge| outward_of_crack_face(self.surface, edge));
                one.dot(&other) < FACING_COSINE * one.norm() * other.norm()
            }
        }
    }

    /// Approximate outward direction of the second, at the part of it that is closest to the first.
    pub fn outside(&self, part: SecondPart) -> Vec3 {
        let features = &self.surface.tree.features;
        match self.pair {
            CrackFeatures::PointTriangle { triangle, .. } => match part {
                SecondPart::All => normal(self.surface, triangle),
                SecondPart::Corner(k) => outside(self.surface, Part::Point(features.triangles[triangle as usize][k])),
                SecondPart::Side(k) => outside(self.surface, Part::Edge(features.edges_of(triangle)[k])),
            },
            CrackFeatures::Edges([first, second]) => {
                outward_of_crack_face(self.surface, second) - outward_of_crack_face(self.surface, first)
            }
        }
    }

    /// True if a triangle adjacent to the second is closer to a point than a distance (m) at a
    /// share of the step: then that one collides, and sliding along a crack face is not held up
    /// where one triangle ends and the next begins.
    pub fn has_nearer(&self, part: SecondPart, distance: f64, share: f64) -> bool {
        let features = &self.surface.tree.features;
        let CrackFeatures::PointTriangle { point, triangle } = self.pair else { return false };
        let at = |point: u32| {
            let point = &self.surface.surface.points[point as usize];
            point.start + share * (point.end - point.start)
        };
        let place = at(point);
        let is_nearer = |&other: &u32| {
            let corners = features.triangles[other as usize];
            let nearest = || point_triangle(&place, &corners.map(at)).distance;
            other != triangle && !corners.contains(&point) && nearest() < (1.0 - SHORTER_DISTANCE) * distance
        };
        match part {
            SecondPart::All => {
                let corners = features.triangles[triangle as usize];
                corners.iter().any(|&corner| features.crack_faces.around(corner).iter().any(is_nearer))
            }
            SecondPart::Corner(k) => {
                let corner = features.triangles[triangle as usize][k];
                features.crack_faces.around(corner).iter().any(is_nearer)
            }
            SecondPart::Side(k) => {
                let (first, second) = features.triangles_at(features.edges_of(triangle)[k]);
                is_nearer(&first) || second.as_ref().is_some_and(is_nearer)
            }
        }
    }
}

/// Part of the second feature that is closest to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondPart {
    /// The inside of a triangle, or of an edge.
    All,
    /// A triangle's corner.
    Corner(usize),
    /// A triangle's side from this corner to the next.
    Side(usize),
}
