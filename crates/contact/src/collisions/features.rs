//! Collisions between features of two surfaces: point–triangle, edge–edge and point–point pairs
//! that come too close in a step.
//!
//! Features that are close at the start are kept apart along the line between them. Features that
//! are far apart are followed along their path by continuous collision detection, and are kept
//! apart along the normal of their first meeting, so that nothing passes through anything however
//! long the step is. Where features touch to the bit, the outward normal of the closed surface
//! tells their sides, and they collide only once they move inward. Faces of a crack (see
//! [`CrackFaces`](crate::CrackFaces)) keep whatever distance they have.

use super::{Collision, PointSum};
use crate::candidates::nearer;
use crate::distance::{EdgesPart, TrianglePart};
use crate::friction::ContactMaterial;
use crate::geometry::{CrackFacePair, SecondPart};
use crate::tolerances::{
    CLOSED_CRACK_DISTANCE, CRACK_FACE_PENETRATION_LEFT, CROSSING_RESERVE, FAST_APPROACH_SKIN_SHARE,
    MAX_CRACK_FACE_PENETRATION, MAX_TANGENTIAL_MOTION, MIN_COSINE_TO_OUTWARD, PARALLEL_EDGES_SINE_SQUARED,
    POSITION_ROUNDING, SAME_NORMAL_SQUARED, SINGLE_POINT_WEIGHT, TOUCHING_DISTANCE, min_distance_left,
};
use crate::{Candidate, Candidates, ContactSurface, SurfacePoint, SurfaceTree};
use crate::{ccd, distance};
use craze_math::Vec3;
use rayon::prelude::*;

/// Shorter lists of candidates are searched by one thread.
const SEQUENTIAL_CANDIDATES: usize = 4096;

/// The surface of a body or obstacle in collision detection.
#[derive(Clone, Copy, Debug)]
pub struct CollisionMesh<'a> {
    /// Its points, with state and prediction.
    pub surface: &'a ContactSurface,
    /// Its features.
    pub tree: &'a SurfaceTree,
    /// True if matter lies behind its triangles.
    pub is_closed: bool,
    /// Distance (m) that it keeps in addition to the radii of its points.
    pub skin: f64,
}

/// What to detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// Everything that comes closer than the contact distance.
    Proximity,
    /// Only what would pass through each other: the last check before a step is accepted.
    Crossings,
}

/// Finds the collisions among candidates of two surfaces that have approached by at most `approach`
/// (m) since the candidates were found, in ascending order of their features. For a surface with
/// itself `second` is the same mesh.
pub fn find_collisions(
    [first, second]: [&CollisionMesh; 2],
    candidates: &Candidates,
    approach: f64,
    detection: Detection,
    material: ContactMaterial,
    found: &mut Vec<Collision<PointSum>>,
) {
    let skin = first.skin + second.skin;
    let reach = first.tree.radius() + second.tree.radius() + skin + approach;
    let start = found.len();
    let own = std::ptr::eq(first.tree, second.tree).then_some(second);
    search(
        nearer(&candidates.point_triangle, reach),
        found,
        |&Candidate { features: [point, triangle], normal, .. }| {
            let corners = second.tree.features.triangles[triangle as usize];
            let crack_faces = own.and_then(|surface| CrackFacePair::point_triangle(surface, point, triangle));
            let pair = Pair { crack_faces, ..Pair::point_triangle(first, point, second, triangle, skin) };
            pair.collide(normal, second.is_closed, detection).map(|gap| gap.between([[point; 3], corners], material))
        },
    );
    search(
        nearer(&candidates.triangle_point, reach),
        found,
        |&Candidate { features: [triangle, point], normal, .. }| {
            let corners = first.tree.features.triangles[triangle as usize];
            let pair = Pair::point_triangle(second, point, first, triangle, skin);
            pair.collide(normal, first.is_closed, detection)
                .map(|gap| gap.between([[point; 3], corners], material).swapped())
        },
    );
    search(nearer(&candidates.edge_edge, reach), found, |&Candidate { features: [edge, other], normal, .. }| {
        let (a, b) = (first.tree.features.edges[edge as usize], second.tree.features.edges[other as usize]);
        let crack_faces = own.and_then(|surface| CrackFacePair::edges(surface, [edge, other]));
        let pair = Pair { crack_faces, ..Pair::edge_edge(first, a, second, b, skin) };
        // Two edges that touch tell no sides, unless they are on crack faces; their ends and the
        // triangles at them do.
        pair.collide(normal, second.is_closed && crack_faces.is_some(), detection)
            .map(|gap| gap.between([[a[0], a[1], a[1]], [b[0], b[1], b[1]]], material))
    });
    search(nearer(&candidates.point_point, reach), found, |&Candidate { features: [point, other], normal, .. }| {
        let pair = Pair::point_point(first, point, second, other, skin);
        pair.collide(normal, false, detection).map(|gap| gap.between([[point; 3], [other; 3]], material))
    });
    if detection == Detection::Proximity {
        drop_repeated(found, start);
    } else {
        // Candidates are in the order of their distance when they were found, on which the result
        // must not depend.
        found[start..].sort_by_key(points_of);
    }
}

/// The points of both sides, by which collisions are sorted.
fn points_of(collision: &Collision<PointSum>) -> [[u32; 3]; 2] {
    [collision.sides[0].points, collision.sides[1].points]
}

/// Searches candidates, long lists on all threads; collisions come in the order of their
/// candidates.
fn search(
    candidates: &[Candidate],
    found: &mut Vec<Collision<PointSum>>,
    collide: impl Fn(&Candidate) -> Option<Collision<PointSum>> + Sync,
) {
    if candidates.len() < SEQUENTIAL_CANDIDATES {
        found.extend(candidates.iter().filter_map(&collide));
        return;
    }
    let part = |part: &[Candidate]| part.iter().filter_map(&collide).collect();
    let parts: Vec<Vec<Collision<PointSum>>> = candidates.par_chunks(SEQUENTIAL_CANDIDATES / 4).map(part).collect();
    found.extend(parts.into_iter().flatten());
}

/// Keeps the nearest of equivalent collisions: a corner that approaches a face collides with every
/// triangle and every edge around the point where it does.
fn drop_repeated(found: &mut Vec<Collision<PointSum>>, start: usize) {
    found[start..].sort_by(|one, other| {
        let nearest = || one.gap_at_start.total_cmp(&other.gap_at_start);
        corner(one).cmp(&corner(other)).then_with(nearest).then_with(|| points_of(one).cmp(&points_of(other)))
    });
    let mut kept = start;
    for next in start..found.len() {
        let collision = found[next];
        let its_corner = corner(&collision);
        let same = |other: &&Collision<PointSum>| its_corner.is_some() && corner(other) == its_corner;
        let repeats =
            |other: &Collision<PointSum>| (other.normal - collision.normal).norm_squared() < SAME_NORMAL_SQUARED;
        if !found[start..kept].iter().rev().take_while(same).any(repeats) {
            found[kept] = collision;
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// The side that consists of almost a single point, and that point.
fn corner(collision: &Collision<PointSum>) -> Option<(usize, u32)> {
    let of_side = |side: usize| {
        let sum = &collision.sides[side];
        let place = sum.weights.iter().position(|&weight| weight >= SINGLE_POINT_WEIGHT);
        place.map(|place| (side, sum.points[place]))
    };
    of_side(0).or_else(|| of_side(1))
}

/// Which features a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    PointTriangle,
    EdgeEdge,
    PointPoint,
}

/// Two moving features: four points, of which a point–point pair uses the first and the second.
struct Pair<'a> {
    kind: Kind,
    /// Set if both are on crack faces.
    crack_faces: Option<CrackFacePair<'a>>,
    start: [Vec3; 4],
    end: [Vec3; 4],
    /// Corners (bits 0–2) and edges (bits 3–5) that the triangle owns.
    owned: u8,
    /// Sum of the skins (m).
    skin: f64,
    /// Contact distance: skins and radii (m).
    thickness: f64,
    /// Part of it that is the radius of an obstacle, the centre of which is the point (m).
    solid: f64,
}

/// Two features at the start of the step.
struct Near {
    /// Weights of the four points, those of the second feature negative: they lead from its closest
    /// point to the first's.
    weights: [f64; 4],
    /// Unit vector from the second's closest point to the first's.
    normal: Vec3,
    /// Distance (m).
    distance: f64,
    /// Part of the second feature that is closest.
    part: SecondPart,
    /// True if a point is closest to the inside of a triangle.
    on_face: bool,
    /// True if this pair owns the parts that are closest: a corner is closest to a point with all
    /// triangles around it, and the ends of two edges are also found as points.
    is_own: bool,
}

/// Position of a feature relative to the opposite crack face.
#[derive(Clone, Copy, Debug)]
enum CrackFaceSide {
    /// The two only share a corner or an edge.
    Apart,
    /// Above or below it.
    Across {
        /// Unit normal out of the face.
        normal: Vec3,
        /// Distance along it (m), negative inside.
        signed: f64,
    },
}

/// How two features are to be kept apart: weights of up to three points of each.
struct Gap {
    weights: [[f64; 3]; 2],
    point: Vec3,
    normal: Vec3,
    gap_at_start: f64,
    gap_at_end: f64,
}

impl<'a> Pair<'a> {
    fn new(kind: Kind, points: [&SurfacePoint; 4], skin: f64, radius: f64) -> Pair<'a> {
        let (start, end) = (points.map(|point| point.start), points.map(|point| point.end));
        Pair { kind, crack_faces: None, start, end, owned: 0, skin, thickness: skin + radius, solid: 0.0 }
    }

    fn point_triangle(of: &CollisionMesh, point: u32, on: &CollisionMesh, triangle: u32, skin: f64) -> Pair<'a> {
        let point = &of.surface.points[point as usize];
        let [a, b, c] = on.tree.features.triangles[triangle as usize].map(|corner| &on.surface.points[corner as usize]);
        let radius = point.radius + a.radius.max(b.radius).max(c.radius);
        let owned = on.tree.features.owned_parts(triangle);
        let solid = if point.inverse_mass > 0.0 { 0.0 } else { point.radius };
        Pair { owned, solid, ..Pair::new(Kind::PointTriangle, [point, a, b, c], skin, radius) }
    }

    fn edge_edge(first: &CollisionMesh, a: [u32; 2], second: &CollisionMesh, b: [u32; 2], skin: f64) -> Pair<'a> {
        let [p, q] = a.map(|end| &first.surface.points[end as usize]);
        let [r, s] = b.map(|end| &second.surface.points[end as usize]);
        Pair::new(Kind::EdgeEdge, [p, q, r, s], skin, p.radius.max(q.radius) + r.radius.max(s.radius))
    }

    fn point_point(first: &CollisionMesh, a: u32, second: &CollisionMesh, b: u32, skin: f64) -> Pair<'a> {
        let (p, q) = (&first.surface.points[a as usize], &second.surface.points[b as usize]);
        Pair::new(Kind::PointPoint, [p, q, q, q], skin, p.radius + q.radius)
    }

    /// `normal` is roughly the unit vector from the second feature to the first when the candidate
    /// was found.
    fn collide(&self, normal: [f32; 3], second_is_closed: bool, detection: Detection) -> Option<Gap> {
        let motion: [Vec3; 4] = std::array::from_fn(|k| self.end[k] - self.start[k]);
        // However the features rotate, their distance shrinks by no more than two of their points
        // approach.
        let (first, second) = motion.split_at(if self.kind == Kind::EdgeEdge { 2 } else { 1 });
        let motions = first.iter().flat_map(|one| second.iter().map(move |other| (one - other).norm_squared()));
        let longest = motions.fold(0.0, f64::max);
        // Most candidates end here, at a tenth of the cost of a distance.
        let beyond = self.apart_along(normal) - self.thickness;
        if beyond > 0.0 && beyond * beyond > longest {
            return None;
        }
        let near = self.near();
        let least_distance = near.distance - longest.sqrt();
        // Written so that positions which are not numbers count as far: the check of the prediction
        // reports them.
        if !(least_distance <= self.thickness) {
            return None;
        }
        let crack_faces =
            self.crack_faces.filter(|_| near.distance <= self.thickness.max(self.crack_face_penetration()));
        if let Some(side) =
            crack_faces.and_then(|crack_faces| self.side_of_crack_face(&crack_faces, &near, second_is_closed))
        {
            return self.collide_crack_faces(&side, &near, &motion, detection);
        }
        let touching = near.distance <= TOUCHING_DISTANCE * self.thickness;
        if touching {
            return self.collide_nearby(&near, &motion, second_is_closed);
        }
        let is_near = near.distance <= self.near_zone(&near, &motion);
        if detection == Detection::Proximity && is_near {
            if !near.is_own {
                return None;
            }
            let met = self.collide_nearby(&near, &motion, second_is_closed);
            if met.is_some() {
                return met;
            }
        }
        let left = self.distance_left(near.distance);
        // A resting contact is slightly closer than the contact distance: its features must be able
        // to separate, too.
        let ahead = self.thickness - FAST_APPROACH_SKIN_SHARE * self.skin;
        let kept = if detection == Detection::Proximity && !is_near { ahead } else { left };
        if least_distance > kept {
            return None;
        }
        let impact = self.impact(kept)?;
        if self.crack_faces.is_some_and(|crack_faces| self.slides_by(&crack_faces, &impact)) {
            return None;
        }
        // See [`CROSSING_RESERVE`].
        let spare =
            if detection == Detection::Crossings { CROSSING_RESERVE * (near.distance - kept).max(0.0) } else { 0.0 };
        self.kept_apart(&impact.weights, impact.normal, kept + spare)
    }

    /// A lower bound of the distance at the start (m): the gap along a vector that is at most
    /// slightly longer than one.
    fn apart_along(&self, normal: [f32; 3]) -> f64 {
        let normal = Vec3::from(normal.map(f64::from));
        let along: [f64; 4] = std::array::from_fn(|k| normal.dot(&(self.start[k] - self.start[0])));
        let (first, second) = along.split_at(if self.kind == Kind::EdgeEdge { 2 } else { 1 });
        let least = first.iter().copied().fold(f64::INFINITY, f64::min);
        let (most, size) = second.iter().fold((f64::NEG_INFINITY, 0.0), |(most, size): (f64, f64), &place| {
            (most.max(place), size.max(place.abs()))
        });
        // The vector has single precision, and sums are rounded.
        (least - most) * (1.0 - 1e-6) - 1e-12 * size
    }

    /// Distance (m) that must be left throughout the step, of that at the start (m).
    fn distance_left(&self, distance: f64) -> f64 {
        // A point that starts inside is brought out gently.
        let solid = if distance > self.solid { self.solid } else { 0.0 };
        let (clear, kept) = (distance - solid, self.thickness - solid);
        solid + min_distance_left(clear, kept)
    }

    /// Distance (m) up to which the line between the two is the normal of the collision. Above a
    /// face that normal stays as the point moves on. Beside an edge or a corner it rotates, and
    /// must not hold up a point that slides over it.
    fn near_zone(&self, near: &Near, motion: &[Vec3; 4]) -> f64 {
        let approach: Vec3 = (0..4).map(|k| near.weights[k] * motion[k]).sum();
        let tangential = (approach - approach.dot(&near.normal) * near.normal).norm();
        let stays = near.on_face || tangential <= MAX_TANGENTIAL_MOTION * self.thickness;
        if stays { 2.0 * self.thickness } else { self.thickness }
    }

    /// Keeps features that are close at the start apart along the line between them.
    fn collide_nearby(&self, near: &Near, motion: &[Vec3; 4], second_is_closed: bool) -> Option<Gap> {
        let touching = near.distance <= TOUCHING_DISTANCE * self.thickness;
        // A ball on a plate that is thinner than its radius is close to the far face, too, and not
        // below it.
        let beneath = near.on_face && near.distance <= self.skin;
        // The outward normal of a closed surface decides the side; a slight penetration is undone.
        let outside = if second_is_closed && (touching || beneath) { self.face_normal() } else { None };
        let (normal, signed) = match outside {
            Some(outside) => (outside, signed_distance(&self.start, &near.weights, &outside)),
            None if touching => return None,
            None => (near.normal, near.distance),
        };
        let gap_at_start = match signed {
            // Crack faces that have not moved keep the distance that they have.
            distance if touching || (self.share_origin() && distance >= 0.0) => (distance - self.thickness).max(0.0),
            depth if depth < 0.0 => depth,
            distance => distance - self.thickness,
        };
        let gap_at_end = gap_at_start + signed_distance(motion, &near.weights, &normal);
        (gap_at_end < 0.0).then(|| self.gap(&near.weights, normal, gap_at_start, gap_at_end))
    }

    /// The side of the opposite crack face on which the first feature is; none where the distance
    /// itself tells it.
    fn side_of_crack_face(
        &self,
        crack_faces: &CrackFacePair,
        near: &Near,
        second_is_closed: bool,
    ) -> Option<CrackFaceSide> {
        let closed = near.distance <= CLOSED_CRACK_DISTANCE * self.thickness;
        if !second_is_closed {
            return closed.then_some(CrackFaceSide::Apart);
        }
        let outside = crack_faces.outside(near.part);
        let along = near.normal.dot(&outside);
        let signed = if along < 0.0 { -near.distance } else { near.distance };
        let across = |normal: Vec3, signed: f64| CrackFaceSide::Across { normal, signed };
        // Penetrating crack faces lie directly below each other: they separate there and nowhere
        // else.
        if !closed && signed < 0.0 && crack_faces.has_nearer(near.part, near.distance, 0.0) {
            return Some(CrackFaceSide::Apart);
        }
        let side = match (self.kind, near.part) {
            (Kind::EdgeEdge, _)
                if !near.is_own || along.abs() < MIN_COSINE_TO_OUTWARD * outside.norm() || !crack_faces.is_across() =>
            {
                return closed.then_some(CrackFaceSide::Apart);
            }
            (Kind::EdgeEdge, _) => across(near.normal * along.signum(), signed),
            (_, SecondPart::All) if !self.at_corner(near) || crack_faces.is_across() => {
                across(self.face_normal()?, signed)
            }
            (_, SecondPart::Corner(_) | SecondPart::Side(_)) if !closed => {
                if !near.is_own || crack_faces.has_nearer(near.part, near.distance, 0.0) {
                    return Some(CrackFaceSide::Apart);
                }
                across(near.normal * along.signum(), signed)
            }
            _ if crack_faces.is_across() => across(self.face_normal()?, 0.0),
            _ => CrackFaceSide::Apart,
        };
        (closed || signed < 0.0).then_some(side)
    }

    /// True if crack faces only slide past each other here: then another pair owns the contact.
    fn slides_by(&self, crack_faces: &CrackFacePair, impact: &ccd::Impact) -> bool {
        let at_end = |weights: &[f64]| weights.iter().any(|weight| weight.abs() >= SINGLE_POINT_WEIGHT);
        match self.kind {
            // An edge that meets an end of another one is a point that meets a triangle.
            Kind::EdgeEdge => at_end(&impact.weights[..2]) || at_end(&impact.weights[2..]),
            _ => {
                let part = second_part(&impact.weights);
                crack_faces.has_nearer(part, impact.distance, impact.time)
            }
        }
    }

    /// Allowed penetration of crack faces (m); both surfaces have half of the skin.
    fn crack_face_penetration(&self) -> f64 {
        0.5 * MAX_CRACK_FACE_PENETRATION * self.skin
    }

    fn share_origin(&self) -> bool {
        self.crack_faces.is_some_and(|crack_faces| crack_faces.share_origin)
    }

    /// True if a point is above a corner of a triangle, up to rounding.
    fn at_corner(&self, near: &Near) -> bool {
        near.weights[1..].iter().any(|weight| -weight >= SINGLE_POINT_WEIGHT)
    }

    /// Faces of a closed crack must not penetrate deeper.
    fn collide_crack_faces(
        &self,
        side: &CrackFaceSide,
        near: &Near,
        motion: &[Vec3; 4],
        detection: Detection,
    ) -> Option<Gap> {
        let CrackFaceSide::Across { normal, signed } = *side else { return None };
        let gap_at_start = if signed < -TOUCHING_DISTANCE * self.thickness { signed } else { 0.0 };
        let gap_at_end = gap_at_start + signed_distance(motion, &near.weights, &normal);
        // A deep penetration is undone gently: here it must only not grow.
        let allowed = if detection == Detection::Proximity {
            0.0
        } else {
            gap_at_start.min(-CRACK_FACE_PENETRATION_LEFT * self.crack_face_penetration())
        };
        (gap_at_end < allowed).then(|| self.gap(&near.weights, normal, gap_at_start, gap_at_end))
    }

    /// True for two parallel edges: the ends of their common stretch keep them apart.
    fn is_parallel(&self) -> bool {
        let [p, q, r, s] = self.start;
        let (first, second) = (q - p, s - r);
        let across = first.cross(&second).norm_squared();
        self.kind == Kind::EdgeEdge
            && across <= PARALLEL_EDGES_SINE_SQUARED * first.norm_squared() * second.norm_squared()
    }

    fn near(&self) -> Near {
        let [p, q, r, s] = self.start;
        match self.kind {
            Kind::PointTriangle => {
                let distance::Proximity { part, weights, normal, distance } = distance::point_triangle(&p, &[q, r, s]);
                let is_own = match part {
                    TrianglePart::Face => true,
                    TrianglePart::Corner(corner) => self.owned >> corner & 1 == 1,
                    // The edge opposite to a corner starts at the next corner.
                    TrianglePart::Edge(corner) => self.owned >> (3 + (corner + 1) % 3) & 1 == 1,
                };
                let second = match part {
                    TrianglePart::Face => SecondPart::All,
                    TrianglePart::Corner(corner) => SecondPart::Corner(corner as usize),
                    TrianglePart::Edge(corner) => SecondPart::Side((corner as usize + 1) % 3),
                };
                Near { weights, normal, distance, part: second, on_face: part == TrianglePart::Face, is_own }
            }
            Kind::EdgeEdge => {
                let distance::Proximity { part, weights, normal, distance } = distance::edge_edge(&[p, q], &[r, s]);
                let is_own = part == EdgesPart::Between && !self.is_parallel();
                Near { weights, normal, distance, part: SecondPart::All, on_face: false, is_own }
            }
            Kind::PointPoint => {
                let distance::Proximity { normal, distance, .. } = distance::point_point(&p, &q);
                let (weights, part) = ([1.0, -1.0, 0.0, 0.0], SecondPart::All);
                Near { weights, normal, distance, part, on_face: false, is_own: true }
            }
        }
    }

    fn impact(&self, separation: f64) -> Option<ccd::Impact> {
        match self.kind {
            Kind::EdgeEdge => ccd::edge_edge(&self.start, &self.end, separation),
            // Two points are a point and a degenerate triangle.
            Kind::PointTriangle | Kind::PointPoint => ccd::point_triangle(&self.start, &self.end, separation),
        }
    }

    /// Keeps a distance (m) along the normal of an impact; none if the end is far enough along it.
    fn kept_apart(&self, weights: &[f64; 4], normal: Vec3, kept: f64) -> Option<Gap> {
        let gap_at_start = (signed_distance(&self.start, weights, &normal) - kept).max(0.0);
        let gap_at_end = signed_distance(&self.end, weights, &normal) - kept;
        // After an impulse positions are exact up to their last digits: no shorter step would bring
        // them closer.
        let size = self.end.iter().map(|position| position.amax()).fold(kept, f64::max);
        (gap_at_end < -POSITION_ROUNDING * size).then(|| self.gap(weights, normal, gap_at_start, gap_at_end))
    }

    fn face_normal(&self) -> Option<Vec3> {
        let [_, a, b, c] = self.start;
        (b - a).cross(&(c - a)).try_normalize(0.0)
    }

    fn gap(&self, weights: &[f64; 4], normal: Vec3, gap_at_start: f64, gap_at_end: f64) -> Gap {
        let [p, q, r, s] = *weights;
        let [first, second] = match self.kind {
            Kind::PointTriangle => [[1.0, 0.0, 0.0], [-q, -r, -s]],
            Kind::EdgeEdge => [[p, q, 0.0], [-r, -s, 0.0]],
            Kind::PointPoint => [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        };
        // On the second feature: the first may be the centre of a large ball.
        let [_, on, to, across] = self.end;
        let point = match self.kind {
            Kind::PointTriangle => -(q * on + r * to + s * across),
            Kind::EdgeEdge => -(r * to + s * across),
            Kind::PointPoint => on,
        };
        Gap { weights: [first, second], point, normal, gap_at_start, gap_at_end }
    }
}

/// The part of a triangle on which a point with these weights lies; the first is that of the other
/// point, those of the corners are negative.
fn second_part(weights: &[f64; 4]) -> SecondPart {
    let bears = |k: usize| weights[k + 1] < 0.0;
    match [bears(0), bears(1), bears(2)] {
        [true, true, false] => SecondPart::Side(0),
        [false, true, true] => SecondPart::Side(1),
        [true, false, true] => SecondPart::Side(2),
        [true, false, false] => SecondPart::Corner(0),
        [false, true, false] => SecondPart::Corner(1),
        [false, false, true] => SecondPart::Corner(2),
        _ => SecondPart::All,
    }
}

/// Distance along a normal from the second feature's point to the first's (m).
fn signed_distance(positions: &[Vec3; 4], weights: &[f64; 4], normal: &Vec3) -> f64 {
    // Weights sum to zero: relative to one of the positions, those far from the origin lose no
    // digits.
    let term = |k: usize| weights[k] * (positions[k] - positions[0]).dot(normal);
    term(1) + term(2) + term(3)
}

impl Gap {
    fn between(self, points: [[u32; 3]; 2], material: ContactMaterial) -> Collision<PointSum> {
        let Gap { weights, point, normal, gap_at_start, gap_at_end } = self;
        let sides = [PointSum::new(points[0], weights[0]), PointSum::new(points[1], weights[1])];
        Collision { sides, point, normal, gap_at_start, gap_at_end, material, applied: None }
    }
}
