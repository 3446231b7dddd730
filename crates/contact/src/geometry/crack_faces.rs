//! CrackFaces of cracks: what lay together before a crack went through it.
//!
//! A crack that opens makes two points of one, at the same place, and two triangles that lie on each other and face each other. Their
//! distance says nothing about their sides, but the body does: it knows which points were one, and the outside of a closed surface is
//! the side of its own matter's far end. So crack_faces are in contact only where they move into each other's matter, and they are
//! never pushed farther apart than they are: to open a crack is the business of the body's own forces.

use crate::collisions::features::CollisionMesh;
use crate::distance::point_triangle;
use crate::geometry::Features;
use craze_math::Vec3;

/// How deep crack_faces of a crack may be in each other, in units of their surface's skin: what has just broken lies on itself, and is pressed together
/// harder than impulses can part in one step. With the skin of solids this is a hundredth of an edge, out of sight.
pub const MAX_CRACK_FACE_PENETRATION: f64 = 20.0;

/// No triangle.
const NONE: u32 = u32::MAX;

/// Which points of a surface were one, and which triangles lay on each other.
#[derive(Clone, Debug, Default)]
pub struct CrackFaces {
    /// For every point, the same number for all that were one; empty where nothing has broken.
    origins: Vec<u32>,
    /// Whether a point was one with another.
    is_parted: Vec<bool>,
    /// For every triangle, the one that lay on it before the two were parted.
    twins: Vec<u32>,
    /// Triangles around every point, one after another, and where each point's begin.
    stars: Vec<u32>,
    begins: Vec<u32>,
}

impl CrackFaces {
    /// From triangles and the origin of every point. A list of origins that does not fit the points counts as none.
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
            // More than two of the same origin are no crack_faces of one crack.
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

    /// Whether some of these points and some of those were one.
    pub fn share_origin(&self, these: &[u32], those: &[u32]) -> bool {
        let origin = |point: &u32| self.origins.get(*point as usize);
        these.iter().any(|one| origin(one).is_some() && those.iter().any(|other| origin(one) == origin(other)))
    }

    /// Whether a feature is part of a lip.
    fn is_on_crack_face(&self, points: &[u32]) -> bool {
        points.iter().any(|&point| self.is_parted.get(point as usize) == Some(&true))
    }

    /// Whether two features with these points are both parts of crack_faces.
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

    /// Whether a triangle is the lip across from a point. Where the crack has not slid, that is the one that lay on a triangle of the point's;
    /// elsewhere, one that a triangle of the point's faces.
    fn is_across(&self, point: u32, triangle: u32, surface: &CollisionMesh) -> bool {
        let triangles = &surface.tree.features.triangles;
        let twin = self.twins[triangle as usize];
        if twin != NONE && self.share_origin(&[point], &triangles[triangle as usize]) {
            return triangles[twin as usize].contains(&point);
        }
        let unit = |triangle: u32| normal(surface, triangle).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let outside = unit(triangle);
        self.around(point).iter().any(|&other| unit(other).dot(&outside) < FACING)
    }
}

/// Cosine between the normals of two triangles below which they face each other.
const FACING: f64 = -0.5;

/// Twice a triangle's area, along its outward normal (m²), at the start of the step.
fn normal(surface: &CollisionMesh, triangle: u32) -> Vec3 {
    let [a, b, c] =
        surface.tree.features.triangles[triangle as usize].map(|corner| surface.surface.points[corner as usize].start);
    (b - a).cross(&(c - a))
}

/// A part of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Point(u32),
    Edge(u32),
}

/// The outside at a point or an edge: normals of the triangles around it, each with the angle it has there (Bærentzen & Aanæs 2005); zero where
/// there is none.
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

/// The outside at an edge of a lip, at the mouth of the crack, too: normals of the triangles beside it that are crack_faces, or of both if none is.
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

/// Two features of one surface that are both parts of crack_faces.
#[derive(Clone, Copy)]
pub(crate) struct CrackFacePair<'a> {
    surface: &'a CollisionMesh<'a>,
    pair: CrackFeatures,
    /// Whether points of the two were one: then they lie where they lay before the crack.
    pub share_origin: bool,
}

#[derive(Clone, Copy)]
enum CrackFeatures {
    PointTriangle { point: u32, triangle: u32 },
    Edges([u32; 2]),
}

impl<'a> CrackFacePair<'a> {
    /// A point and a triangle of a surface, if they are crack_faces.
    pub fn point_triangle(surface: &'a CollisionMesh<'a>, point: u32, triangle: u32) -> Option<CrackFacePair<'a>> {
        let corners = &surface.tree.features.triangles[triangle as usize];
        CrackFacePair::of(surface, &[point], corners, CrackFeatures::PointTriangle { point, triangle })
    }

    /// Two edges of a surface, if they are crack_faces.
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

    /// Whether the second is the lip across from the first, or part of it.
    pub fn is_across(&self) -> bool {
        match self.pair {
            CrackFeatures::PointTriangle { point, triangle } => {
                self.surface.tree.features.crack_faces.is_across(point, triangle, self.surface)
            }
            CrackFeatures::Edges(edges) => {
                let [one, other] = edges.map(|edge| outward_of_crack_face(self.surface, edge));
                one.dot(&other) < FACING * one.norm() * other.norm()
            }
        }
    }

    /// Roughly where the outside of the second is, seen from the part of it that is closest to the first.
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

    /// Whether a triangle beside the second comes nearer to a point than a distance (m) at a share of the step: then that one answers, and
    /// what slides along a lip is not held up where one triangle ends and the next begins.
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
            other != triangle && !corners.contains(&point) && nearest() < (1.0 - NEARER) * distance
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

/// Share of a distance by which another is nearer for certain.
const NEARER: f64 = 1e-6;

/// Which part of the second feature is closest to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondPart {
    /// The inside of a triangle, or of an edge.
    All,
    /// A triangle's corner.
    Corner(usize),
    /// A triangle's side from this corner to the next.
    Side(usize),
}
