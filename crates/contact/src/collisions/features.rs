//! Which features of two surfaces come too close in a step.
//!
//! Features that are near at the start are kept apart along the line between them. Features that are far apart are followed along
//! their way: where they would meet, they are kept apart along the normal of that moment, so that nothing jumps through
//! anything however long the step. What touches to the bit is told apart by the outside of the closed surface, and is in contact only
//! once it moves inward. CrackFaces of a crack (see [`CrackFaces`](crate::CrackFaces)) keep whatever distance they have.

use crate::candidates::nearer;
use crate::distance::{EdgesPart, TrianglePart};
use crate::geometry::{CrackFacePair, MAX_CRACK_FACE_PENETRATION, SecondPart};
use crate::{Candidate, Candidates, ContactSurface, SurfacePoint, SurfaceTree};
use crate::{ccd, distance};
use craze_math::Vec3;
use rayon::prelude::*;

/// Distance below which two surfaces count as touching, in units of the distance they keep: the line between them then says
/// nothing about their sides.
const TOUCHING: f64 = 1e-6;

/// Share of the distance at the start that must be left on the way for a step to count as free of collisions.
const LEFT_ON_THE_WAY: f64 = 0.1;

/// Distance, in units of the distance to keep, below which almost all of it must be left: or what is pressed together would come
/// closer tenfold at every step, until nothing told its sides any more.
const CLOSE: f64 = 0.02;

/// What must be left then.
const LEFT_WHEN_CLOSE: f64 = 0.9;

/// Share of the way that features may come nearer which those that would pass through each other do not get (1).
const SPARE: f64 = 0.3;

/// How far two features may move past each other in a step, in units of the distance to keep, for the line between them to hold.
const STRAIGHT: f64 = 0.5;

/// Share of the skins that what comes from afar may use up.
const SLACK: f64 = 0.5;

/// Squared difference of two unit normals below which they are the same.
const SAME_NORMAL: f64 = 1e-4;

/// Weight from which on a single point stands for a side.
const ALMOST_ALL: f64 = 0.99;

/// Squared sine of the angle below which two edges count as parallel: their ends keep them apart then.
const PARALLEL: f64 = 1e-4;

/// Distance, in units of the distance to keep, up to which crack_faces of a crack count as closed: their outsides alone tell their sides.
pub(crate) const CLOSED_CRACK: f64 = 0.01;

/// How deep crack_faces may be in each other at the end of a step, in units of how deep they may be at all: their outsides bring them back.
const CRACK_FACE_OVERLAP: f64 = 0.5;

/// Cosine of the angle to the outside below which the line between two edges tells no side.
const ASIDE: f64 = 0.3;

/// Rounding of a place after a push, in units of its coordinates (1).
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Shorter lists of candidates are looked at by one thread.
const FEW: usize = 4096;

/// A body's surface as it takes part.
#[derive(Clone, Copy, Debug)]
pub struct CollisionMesh<'a> {
    /// Its points, with state and prediction.
    pub surface: &'a ContactSurface,
    /// Its features.
    pub tree: &'a SurfaceTree,
    /// Whether matter lies behind its triangles.
    pub is_closed: bool,
    /// Distance (m) it keeps on top of its points' radii.
    pub skin: f64,
}

/// Two features that come too close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Up to three points of each of the two surfaces, ascending; unused places repeat the first.
    pub points: [[u32; 3]; 2],
    /// Their weights; each side's sum to one, unused places have weight 0.
    pub weights: [[f64; 3]; 2],
    /// Where (m).
    pub place: Vec3,
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// What is left of the distance to keep at the start of the step (m), negative where they are too close.
    pub gap_at_start: f64,
    /// The same at the predicted end (m).
    pub gap_at_end: f64,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// Everything that comes closer than the distance to keep.
    Proximity,
    /// Only what would pass through each other: the last look before a step is taken.
    Crossings,
}

/// Finds the meetings among candidates of two surfaces that have come closer by at most `approach` (m) since the candidates were
/// found, in ascending order of their features. For a surface with itself `second` is the same participant.
pub fn meet(
    [first, second]: [&CollisionMesh; 2],
    candidates: &Candidates,
    approach: f64,
    look: Detection,
    found: &mut Vec<Meeting>,
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
            pair.meet(normal, second.is_closed, look).map(|met| met.between([[point; 3], corners]))
        },
    );
    search(
        nearer(&candidates.triangle_point, reach),
        found,
        |&Candidate { features: [triangle, point], normal, .. }| {
            let corners = first.tree.features.triangles[triangle as usize];
            let pair = Pair::point_triangle(second, point, first, triangle, skin);
            pair.meet(normal, first.is_closed, look).map(|met| met.between([[point; 3], corners]).swapped())
        },
    );
    search(nearer(&candidates.edge_edge, reach), found, |&Candidate { features: [edge, other], normal, .. }| {
        let (a, b) = (first.tree.features.edges[edge as usize], second.tree.features.edges[other as usize]);
        let crack_faces = own.and_then(|surface| CrackFacePair::edges(surface, [edge, other]));
        let pair = Pair { crack_faces, ..Pair::edge_edge(first, a, second, b, skin) };
        // Two edges that touch have no sides, unless they are crack_faces of a crack; their ends and the triangles behind them have.
        pair.meet(normal, second.is_closed && crack_faces.is_some(), look)
            .map(|met| met.between([[a[0], a[1], a[1]], [b[0], b[1], b[1]]]))
    });
    search(nearer(&candidates.point_point, reach), found, |&Candidate { features: [point, other], normal, .. }| {
        let pair = Pair::point_point(first, point, second, other, skin);
        pair.meet(normal, false, look).map(|met| met.between([[point; 3], [other; 3]]))
    });
    if look == Detection::Proximity {
        drop_repeated(found, start);
    } else {
        // Candidates go by their distance when they were found, which must not be seen in the order of the answer.
        found[start..].sort_by_key(|meeting| meeting.points);
    }
}

/// Looks at candidates, long lists on all threads; meetings come in the order of their candidates.
fn search(candidates: &[Candidate], found: &mut Vec<Meeting>, meet: impl Fn(&Candidate) -> Option<Meeting> + Sync) {
    if candidates.len() < FEW {
        found.extend(candidates.iter().filter_map(&meet));
        return;
    }
    let part = |part: &[Candidate]| part.iter().filter_map(&meet).collect();
    let parts: Vec<Vec<Meeting>> = candidates.par_chunks(FEW / 4).map(part).collect();
    found.extend(parts.into_iter().flatten());
}

/// Keeps the nearest of what says the same: a corner that comes close to a face is found with every triangle and every edge
/// around the place.
fn drop_repeated(found: &mut Vec<Meeting>, start: usize) {
    found[start..].sort_by(|one, other| {
        let nearest = || one.gap_at_start.total_cmp(&other.gap_at_start);
        one.corner().cmp(&other.corner()).then_with(nearest).then_with(|| one.points.cmp(&other.points))
    });
    let mut kept = start;
    for next in start..found.len() {
        let meeting = found[next];
        let corner = meeting.corner();
        let same = |other: &&Meeting| corner.is_some() && other.corner() == corner;
        let repeats = |other: &Meeting| (other.normal - meeting.normal).norm_squared() < SAME_NORMAL;
        if !found[start..kept].iter().rev().take_while(same).any(repeats) {
            found[kept] = meeting;
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// Which features a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    PointTriangle,
    EdgeEdge,
    PointPoint,
}

/// Two features on their way: four points, of which a pair of points uses the first and the second.
struct Pair<'a> {
    kind: Kind,
    /// What the two were to each other before a crack parted them.
    crack_faces: Option<CrackFacePair<'a>>,
    start: [Vec3; 4],
    end: [Vec3; 4],
    /// Corners (bits 0–2) and edges (bits 3–5) for which the triangle answers.
    owned: u8,
    /// Part of the distance to keep that the skins make up (m).
    skin: f64,
    /// Distance to keep, skins and radii (m).
    thickness: f64,
    /// Part of it within which a point that nothing can move, the middle of a ball, is all matter (m).
    solid: f64,
}

/// Two features at the start of the step.
struct Near {
    /// Weights of the four points, those of the second feature negative: they lead from its closest point to the first's.
    weights: [f64; 4],
    /// Unit vector from the second's closest point to the first's.
    normal: Vec3,
    /// Distance (m).
    distance: f64,
    /// Part of the second feature that is closest.
    part: SecondPart,
    /// Whether a point is closest to the inside of a triangle.
    on_face: bool,
    /// Whether this pair answers for the parts that are closest: a corner is closest to a point with all triangles around it, and two
    /// edges whose ends are closest say nothing that those ends do not say.
    is_own: bool,
}

/// Where a feature is, seen from the lip across.
#[derive(Clone, Copy, Debug)]
enum CrackFaceSide {
    /// Nowhere: the two only have a corner or an edge in common.
    Apart,
    /// Over it, or beneath.
    Across {
        /// Unit normal out of the lip.
        normal: Vec3,
        /// Distance along it (m), negative inside.
        signed: f64,
    },
}

/// How two features are to be kept apart.
struct Met {
    weights: [[f64; 3]; 2],
    place: Vec3,
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

    /// `normal` is roughly the unit vector from the second feature to the first, or was.
    fn meet(&self, normal: [f32; 3], second_is_closed: bool, look: Detection) -> Option<Met> {
        let motion: [Vec3; 4] = std::array::from_fn(|k| self.end[k] - self.start[k]);
        // However the features turn, the distance shrinks by no more than two of their points come closer.
        let (first, second) = motion.split_at(if self.kind == Kind::EdgeEdge { 2 } else { 1 });
        let ways = first.iter().flat_map(|one| second.iter().map(move |other| (one - other).norm_squared()));
        let longest = ways.fold(0.0, f64::max);
        // Most candidates are done with here: this costs a tenth of their distance.
        let beyond = self.apart_along(normal) - self.thickness;
        if beyond > 0.0 && beyond * beyond > longest {
            return None;
        }
        let near = self.near();
        let nearest_on_the_way = near.distance - longest.sqrt();
        // Written so that places which are not numbers count as far: the check of the prediction names them.
        if !(nearest_on_the_way <= self.thickness) {
            return None;
        }
        let crack_faces =
            self.crack_faces.filter(|_| near.distance <= self.thickness.max(self.crack_face_penetration()));
        if let Some(side) =
            crack_faces.and_then(|crack_faces| self.side_of_crack_face(&crack_faces, &near, second_is_closed))
        {
            return self.meet_crack_face(&side, &near, &motion, look);
        }
        let touching = near.distance <= TOUCHING * self.thickness;
        if touching {
            return self.meet_nearby(&near, &motion, second_is_closed);
        }
        let is_near = near.distance <= self.near_zone(&near, &motion);
        if look == Detection::Proximity && is_near {
            if !near.is_own {
                return None;
            }
            let met = self.meet_nearby(&near, &motion, second_is_closed);
            if met.is_some() {
                return met;
            }
        }
        let left = self.left_on_the_way(near.distance);
        // What rests on a surface is a hair nearer than the distance to keep: it must find its way free, too.
        let ahead = self.thickness - SLACK * self.skin;
        let kept = if look == Detection::Proximity && !is_near { ahead } else { left };
        if nearest_on_the_way > kept {
            return None;
        }
        let impact = self.impact(kept)?;
        if self.crack_faces.is_some_and(|crack_faces| self.slides_by(&crack_faces, &impact)) {
            return None;
        }
        // A push puts right the places that met first, and others of features that turn come a little nearer than these: there has to be something left for
        // them, or every look would find another such place.
        let spare = if look == Detection::Crossings { SPARE * (near.distance - kept).max(0.0) } else { 0.0 };
        self.kept_apart(&impact.weights, impact.normal, kept + spare)
    }

    /// A lower bound of the distance at the start (m): how far apart the two are along a vector hardly longer than one.
    fn apart_along(&self, normal: [f32; 3]) -> f64 {
        let normal = Vec3::from(normal.map(f64::from));
        let along: [f64; 4] = std::array::from_fn(|k| normal.dot(&(self.start[k] - self.start[0])));
        let (first, second) = along.split_at(if self.kind == Kind::EdgeEdge { 2 } else { 1 });
        let least = first.iter().copied().fold(f64::INFINITY, f64::min);
        let (most, size) = second.iter().fold((f64::NEG_INFINITY, 0.0), |(most, size): (f64, f64), &place| {
            (most.max(place), size.max(place.abs()))
        });
        // The vector has the digits of single precision, and sums are rounded.
        (least - most) * (1.0 - 1e-6) - 1e-12 * size
    }

    /// What must be left on the way of a distance at the start (m).
    fn left_on_the_way(&self, distance: f64) -> f64 {
        // What is inside already comes out gently.
        let solid = if distance > self.solid { self.solid } else { 0.0 };
        let (clear, kept) = (distance - solid, self.thickness - solid);
        let share = if clear < CLOSE * kept { LEFT_WHEN_CLOSE } else { LEFT_ON_THE_WAY };
        solid + share * clear.min(kept)
    }

    /// Distance (m) up to which the line between the two says how they are to be kept apart. Above a face it stays what it is as the
    /// point moves on; beside an edge or a corner it turns, and a point that passes over it, as all do that slide, must not be held
    /// up by it.
    fn near_zone(&self, near: &Near, motion: &[Vec3; 4]) -> f64 {
        let way: Vec3 = (0..4).map(|k| near.weights[k] * motion[k]).sum();
        let aside = (way - way.dot(&near.normal) * near.normal).norm();
        let stays = near.on_face || aside <= STRAIGHT * self.thickness;
        if stays { 2.0 * self.thickness } else { self.thickness }
    }

    /// Features that are near at the start are kept apart along the line between them.
    fn meet_nearby(&self, near: &Near, motion: &[Vec3; 4], second_is_closed: bool) -> Option<Met> {
        let touching = near.distance <= TOUCHING * self.thickness;
        // A ball on a plate thinner than its radius is within reach of the far face, too, and not beneath it.
        let beneath = near.on_face && near.distance <= self.skin;
        // The outside of a closed surface decides the side; what is entered by a hair is brought out again.
        let outside = if second_is_closed && (touching || beneath) { self.face_normal() } else { None };
        let (normal, signed) = match outside {
            Some(outside) => (outside, signed_distance(&self.start, &near.weights, &outside)),
            None if touching => return None,
            None => (near.normal, near.distance),
        };
        let gap_at_start = match signed {
            // CrackFaces that lie where they lay keep what distance they have.
            distance if touching || (self.share_origin() && distance >= 0.0) => (distance - self.thickness).max(0.0),
            depth if depth < 0.0 => depth,
            distance => distance - self.thickness,
        };
        let gap_at_end = gap_at_start + signed_distance(motion, &near.weights, &normal);
        (gap_at_end < 0.0).then(|| self.met(&near.weights, normal, gap_at_start, gap_at_end))
    }

    /// On which side of a lip its crack_faces is; none where the distance itself tells that.
    fn side_of_crack_face(
        &self,
        crack_faces: &CrackFacePair,
        near: &Near,
        second_is_closed: bool,
    ) -> Option<CrackFaceSide> {
        let closed = near.distance <= CLOSED_CRACK * self.thickness;
        if !second_is_closed {
            return closed.then_some(CrackFaceSide::Apart);
        }
        let outside = crack_faces.outside(near.part);
        let along = near.normal.dot(&outside);
        let signed = if along < 0.0 { -near.distance } else { near.distance };
        let told = |normal: Vec3, signed: f64| CrackFaceSide::Across { normal, signed };
        // Whatever is in the one lip is just beneath the other: nowhere else shall it come out.
        if !closed && signed < 0.0 && crack_faces.has_nearer(near.part, near.distance, 0.0) {
            return Some(CrackFaceSide::Apart);
        }
        let side = match (self.kind, near.part) {
            (Kind::EdgeEdge, _) if !near.is_own || along.abs() < ASIDE * outside.norm() || !crack_faces.is_across() => {
                return closed.then_some(CrackFaceSide::Apart);
            }
            (Kind::EdgeEdge, _) => told(near.normal * along.signum(), signed),
            (_, SecondPart::All) if !self.at_corner(near) || crack_faces.is_across() => {
                told(self.face_normal()?, signed)
            }
            (_, SecondPart::Corner(_) | SecondPart::Side(_)) if !closed => {
                if !near.is_own || crack_faces.has_nearer(near.part, near.distance, 0.0) {
                    return Some(CrackFaceSide::Apart);
                }
                told(near.normal * along.signum(), signed)
            }
            _ if crack_faces.is_across() => told(self.face_normal()?, 0.0),
            _ => CrackFaceSide::Apart,
        };
        (closed || signed < 0.0).then_some(side)
    }

    /// Whether parts of crack_faces that lie on each other only slide past each other: then others answer for them.
    fn slides_by(&self, crack_faces: &CrackFacePair, impact: &ccd::Impact) -> bool {
        let at_end = |weights: &[f64]| weights.iter().any(|weight| weight.abs() >= ALMOST_ALL);
        match self.kind {
            // An edge that meets an end of another is a point that meets a triangle.
            Kind::EdgeEdge => at_end(&impact.weights[..2]) || at_end(&impact.weights[2..]),
            _ => {
                let part = second_part(&impact.weights);
                crack_faces.has_nearer(part, impact.distance, impact.time)
            }
        }
    }

    /// How deep crack_faces may be in each other (m); both surfaces have half of the skin.
    fn crack_face_penetration(&self) -> f64 {
        0.5 * MAX_CRACK_FACE_PENETRATION * self.skin
    }

    fn share_origin(&self) -> bool {
        self.crack_faces.is_some_and(|crack_faces| crack_faces.share_origin)
    }

    /// Whether a point is over a corner of a triangle, up to rounding.
    fn at_corner(&self, near: &Near) -> bool {
        near.weights[1..].iter().any(|weight| -weight >= ALMOST_ALL)
    }

    /// CrackFaces of a crack that is closed: they must not go deeper into each other.
    fn meet_crack_face(&self, side: &CrackFaceSide, near: &Near, motion: &[Vec3; 4], look: Detection) -> Option<Met> {
        let CrackFaceSide::Across { normal, signed } = *side else { return None };
        let gap_at_start = if signed < -TOUCHING * self.thickness { signed } else { 0.0 };
        let gap_at_end = gap_at_start + signed_distance(motion, &near.weights, &normal);
        // What is deep already comes out gently: it must only not go deeper.
        let allowed = if look == Detection::Proximity {
            0.0
        } else {
            gap_at_start.min(-CRACK_FACE_OVERLAP * self.crack_face_penetration())
        };
        (gap_at_end < allowed).then(|| self.met(&near.weights, normal, gap_at_start, gap_at_end))
    }

    /// Whether these are two edges along the same line: then the ends of their common stretch keep them apart.
    fn is_parallel(&self) -> bool {
        let [p, q, r, s] = self.start;
        let (first, second) = (q - p, s - r);
        let across = first.cross(&second).norm_squared();
        self.kind == Kind::EdgeEdge && across <= PARALLEL * first.norm_squared() * second.norm_squared()
    }

    fn near(&self) -> Near {
        let [p, q, r, s] = self.start;
        match self.kind {
            Kind::PointTriangle => {
                let distance::Proximity { part, weights, normal, distance } = distance::point_triangle(&p, &[q, r, s]);
                let is_own = match part {
                    TrianglePart::Face => true,
                    TrianglePart::Corner(corner) => self.owned >> corner & 1 == 1,
                    // The edge opposite to a corner starts at the next one.
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
            // Two points are a point and a triangle without extent.
            Kind::PointTriangle | Kind::PointPoint => ccd::point_triangle(&self.start, &self.end, separation),
        }
    }

    /// Kept apart by a distance (m) along the normal of an impact; none if the end is far enough along it.
    fn kept_apart(&self, weights: &[f64; 4], normal: Vec3, kept: f64) -> Option<Met> {
        let gap_at_start = (signed_distance(&self.start, weights, &normal) - kept).max(0.0);
        let gap_at_end = signed_distance(&self.end, weights, &normal) - kept;
        // What has been pushed to where it should be is there up to the last digits of its place: no shorter step would find it nearer.
        let size = self.end.iter().map(|place| place.amax()).fold(kept, f64::max);
        (gap_at_end < -ROUNDING * size).then(|| self.met(weights, normal, gap_at_start, gap_at_end))
    }

    fn face_normal(&self) -> Option<Vec3> {
        let [_, a, b, c] = self.start;
        (b - a).cross(&(c - a)).try_normalize(0.0)
    }

    fn met(&self, weights: &[f64; 4], normal: Vec3, gap_at_start: f64, gap_at_end: f64) -> Met {
        let [p, q, r, s] = *weights;
        let [first, second] = match self.kind {
            Kind::PointTriangle => [[1.0, 0.0, 0.0], [-q, -r, -s]],
            Kind::EdgeEdge => [[p, q, 0.0], [-r, -s, 0.0]],
            Kind::PointPoint => [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        };
        // On the second feature: the first may be the centre of a large ball.
        let [_, on, to, across] = self.end;
        let place = match self.kind {
            Kind::PointTriangle => -(q * on + r * to + s * across),
            Kind::EdgeEdge => -(r * to + s * across),
            Kind::PointPoint => on,
        };
        Met { weights: [first, second], place, normal, gap_at_start, gap_at_end }
    }
}

/// The part of a triangle that has these weights, those of its corners negative, after the point's.
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

/// The way along a normal from the second feature's point to the first's (m).
fn signed_distance(places: &[Vec3; 4], weights: &[f64; 4], normal: &Vec3) -> f64 {
    // Weights sum to zero: seen from one of the places, far-off ones lose no digits.
    let seen = |k: usize| weights[k] * (places[k] - places[0]).dot(normal);
    seen(1) + seen(2) + seen(3)
}

impl Met {
    fn between(self, points: [[u32; 3]; 2]) -> Meeting {
        let Met { weights, place, normal, gap_at_start, gap_at_end } = self;
        let [(first, u), (second, v)] = [put_in_order(points[0], weights[0]), put_in_order(points[1], weights[1])];
        Meeting { points: [first, second], weights: [u, v], place, normal, gap_at_start, gap_at_end }
    }
}

/// Points that bear on a side, ascending, with their weights; unused places repeat the first, with weight 0. Thus the same side reads the
/// same, whatever feature it was found with.
fn put_in_order(points: [u32; 3], weights: [f64; 3]) -> ([u32; 3], [f64; 3]) {
    let mut list = [(u32::MAX, 0.0); 3];
    for (place, entry) in points.into_iter().zip(weights).filter(|entry| entry.1 != 0.0).enumerate() {
        list[place] = entry;
    }
    list.sort_unstable_by_key(|entry| entry.0);
    let first = list[0].0;
    (list.map(|entry| if entry.1 == 0.0 { first } else { entry.0 }), list.map(|entry| entry.1))
}

impl Meeting {
    /// The side and the point that is there almost alone, if any.
    fn corner(&self) -> Option<(usize, u32)> {
        let alone = |side: usize| self.weights[side].iter().position(|&weight| weight >= ALMOST_ALL);
        let corner = |side: usize| alone(side).map(|place| (side, self.points[side][place]));
        corner(0).or_else(|| corner(1))
    }

    fn swapped(self) -> Meeting {
        let ([a, b], [u, v]) = (self.points, self.weights);
        Meeting { points: [b, a], weights: [v, u], normal: -self.normal, ..self }
    }
}
