//! A drawn surface cut where what carries it has parted.
//!
//! Lips are as in [`parting`](crate::parting), each once with a part of its tetrahedron on either side. The drawn surface is cut by them and they by it,
//! by exact predicates; what of them lies outside goes. What is left hangs together around edges: two sides of faces are neighbours where there is matter
//! between them and nothing else. So no label is needed, cracks may cross each other and end anywhere, and every surface is closed.

use craze_frame::is_manifold;
use craze_math::{DisjointSets, Random, Vec3};

use crate::crossing::{Of, Triangles, crossings};
use crate::cut::{Vertices, divided, keep_inside};
use crate::drawn::{Drawn, weights};
use crate::error::SkinError;
use crate::lips::{Lips, lips, middle_of};
use crate::parting::{Background, Cutting, FACES, Parted, PartedPoint, SIDES};

/// Times that a cut is tried with lips that lie a hair elsewhere,
const TRIES: u32 = 6;
/// the first hair, in edges (1),
const HAIR: f64 = 1e-7;
/// and how much longer each next one is (1).
const LONGER: f64 = 8.0;

/// One side of a face.
#[derive(Clone, Copy)]
struct Face {
    corners: [u32; 3],
    of: Origin,
}

/// What a face is a side of.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// The drawn surface: a triangle of it.
    Drawn(u32),
    /// A lip, seen from before it (1) or from behind (0).
    Lip { lip: u32, side: usize },
}

impl Background {
    /// Parts what a drawn surface encloses; `parted` is as in [`Background::part`]. The outside is the drawn surface, of which [`Parted::sources`] tells the
    /// triangles. Where points lie so exactly in each other's planes that sides cannot be told, edges are parted a hair elsewhere.
    pub fn part_within(&self, parted: &[Option<f64>], drawn: &Drawn) -> Result<Parted, SkinError> {
        let mut tried = self.try_part(parted, drawn);
        let mut hair = HAIR;
        for seed in 0..TRIES {
            if tried.is_ok() {
                break;
            }
            let mut random = Random::new(u64::from(seed) + 1);
            let moved: Vec<Option<f64>> = parted
                .iter()
                .map(|share| share.map(|share| (share + hair * random.signed()).clamp(1e-3, 1.0 - 1e-3)))
                .collect();
            tried = self.try_part(&moved, drawn);
            hair *= LONGER;
        }
        tried
    }

    fn try_part(&self, parted: &[Option<f64>], drawn: &Drawn) -> Result<Parted, SkinError> {
        let cutting = Cutting::new(self, parted);
        let lips = lips(self, &cutting);
        let faces = faces(drawn, &lips)?;
        let fans = fans(&faces.list, &faces.positions, &lips)?;
        assemble(self, &cutting, drawn, &lips, &faces, &fans)
    }
}

/// Sides of all faces that are left, over common vertices: those of the drawn surface first, then those of the lips and the crossings.
struct Faces {
    positions: Vec<Vec3>,
    list: Vec<Face>,
}

fn faces(drawn: &Drawn, lips: &Lips) -> Result<Faces, SkinError> {
    let surface = Triangles { positions: &drawn.positions, triangles: &drawn.triangles };
    let inner = Triangles { positions: &lips.positions, triangles: &lips.triangles };
    if lips.triangles.is_empty() {
        let whole = |(corners, number): (&[u32; 3], u32)| Face { corners: *corners, of: Origin::Drawn(number) };
        let list = drawn.triangles.iter().zip(0..).map(whole).collect();
        return Ok(Faces { positions: drawn.positions.clone(), list });
    }
    let crossings = crossings(surface, inner)?;
    let all = Vertices::of(surface, inner, &crossings);
    let outside = divided(surface, Of::Surface, &crossings, &all)?;
    let inside = divided(inner, Of::Crack, &crossings, &all)?;
    let inside = keep_inside(&inside, &crossings, &all, &drawn.winding)?;
    let mut list: Vec<Face> =
        outside.iter().map(|part| Face { corners: part.corners, of: Origin::Drawn(part.source) }).collect();
    for part in inside {
        let [a, b, c] = part.corners;
        list.push(Face { corners: [a, b, c], of: Origin::Lip { lip: part.crack, side: 0 } });
        list.push(Face { corners: [a, c, b], of: Origin::Lip { lip: part.crack, side: 1 } });
    }
    Ok(Faces { positions: all.positions, list })
}

/// A face at an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Its vertices, the lower one first.
    edge: [u32; 2],
    /// Whether the face passes it from the lower vertex to the higher.
    is_forward: bool,
    face: u32,
    /// Corners of the face at the lower and the higher vertex.
    ends: [u8; 2],
}

/// For every corner (3 a face) the first of those that it is one vertex with.
fn fans(faces: &[Face], positions: &[Vec3], lips: &Lips) -> Result<DisjointSets, SkinError> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * faces.len());
    for (face, number) in faces.iter().zip(0..) {
        for [start, end] in [[0u8, 1], [1, 2], [2, 0]] {
            let [from, to] = [start, end].map(|corner| face.corners[corner as usize]);
            let is_forward = from < to;
            let ends = if is_forward { [start, end] } else { [end, start] };
            sides.push(Side { edge: [from.min(to), from.max(to)], is_forward, face: number, ends });
        }
    }
    sides.sort_unstable();
    let mut fans = DisjointSets::new(3 * faces.len());
    for edge in sides.chunk_by(|one, other| one.edge == other.edge) {
        for [one, other] in pairs(edge, faces, positions, lips)? {
            for end in 0..2 {
                fans.join(3 * one.face + u32::from(one.ends[end]), 3 * other.face + u32::from(other.ends[end]));
            }
        }
    }
    Ok(fans)
}

/// Pairs of faces at an edge that have matter between them and nothing else.
fn pairs(edge: &[Side], faces: &[Face], positions: &[Vec3], lips: &Lips) -> Result<Vec<[Side; 2]>, SkinError> {
    let (backward, forward) = edge.split_at(edge.partition_point(|side| !side.is_forward));
    if backward.len() != forward.len() {
        return Err(SkinError::Disagreement);
    }
    if let ([one], [other]) = (backward, forward) {
        return Ok(vec![[*one, *other]]);
    }
    let origin = |side: &Side| faces[side.face as usize].of;
    let is_drawn = |side: &Side| matches!(origin(side), Origin::Drawn(_));
    if edge.iter().any(is_drawn) {
        // A lip ends at the drawn surface: what is on its left there is its left side's neighbour.
        let other = |sides: &[Side]| sides.iter().copied().find(|side| !is_drawn(side));
        let own = |sides: &[Side]| sides.iter().copied().find(is_drawn);
        return match (own(backward), own(forward), other(backward), other(forward)) {
            (Some(one), Some(next), Some(behind), Some(before)) if edge.len() == 4 => {
                Ok(vec![[one, before], [behind, next]])
            }
            _ => Err(SkinError::Disagreement),
        };
    }
    let lip = |side: &Side| match origin(side) {
        Origin::Lip { lip, side } => (lip, side),
        Origin::Drawn(number) => (number, 0),
    };
    let first = lip(&edge[0]).0;
    if edge.iter().all(|side| lip(side).0 == first) {
        // Within a lip: each side goes on with itself.
        let next = |side: &Side| forward.iter().copied().find(|other| lip(other).1 == lip(side).1);
        let both = backward.iter().map(|side| Some([*side, next(side)?]));
        return both.collect::<Option<Vec<_>>>().ok_or(SkinError::Disagreement);
    }
    // Lips around an edge: matter goes from one that passes it backward to the next that passes it forward.
    let [low, high] = edge[0].edge.map(|vertex| positions[vertex as usize]);
    let along = high - low;
    let middle = |lip: u32| {
        lips.triangles[lip as usize].map(|vertex| lips.positions[vertex as usize]).iter().sum::<Vec3>() / 3.0
    };
    let start = along.cross(&(middle(first) - low));
    let across = along.cross(&start);
    let angle = |side: &Side| {
        let outward = along.cross(&(middle(lip(side).0) - low));
        across.dot(&outward).atan2(start.dot(&outward) * along.norm())
    };
    let around = |sides: &[Side]| {
        let mut sides: Vec<(f64, Side)> = sides.iter().map(|side| (angle(side), *side)).collect();
        sides.sort_by(|one, other| one.0.total_cmp(&other.0));
        sides
    };
    let (backward, forward) = (around(backward), around(forward));
    let is_same = backward.iter().zip(&forward).all(|(one, other)| lip(&one.1).0 == lip(&other.1).0);
    if !is_same {
        return Err(SkinError::Disagreement);
    }
    let count = backward.len();
    Ok((0..count).map(|index| [backward[index].1, forward[(index + 1) % count].1]).collect())
}

/// What is known of a vertex while it is put together.
#[derive(Clone, Copy)]
struct Knot {
    number: u32,
    /// The first tetrahedron of lips that it lies on, and which of its corners are in the parts around it.
    host: Option<(u32, [bool; 4])>,
}

fn assemble(
    background: &Background,
    cutting: &Cutting<'_>,
    drawn: &Drawn,
    lips: &Lips,
    faces: &Faces,
    fans: &DisjointSets,
) -> Result<Parted, SkinError> {
    let list = &faces.list;
    let mut knots = vec![Knot { number: u32::MAX, host: None }; 3 * list.len()];
    for (face, index) in list.iter().zip(0..) {
        let Origin::Lip { lip, side } = face.of else { continue };
        let (tetrahedron, parts) = lips.sides[lip as usize];
        let own = cutting.parts[tetrahedron as usize].map(|part| part == parts[side]);
        for corner in 0..3 {
            let host = &mut knots[fans.root(3 * index + corner) as usize].host;
            match host {
                Some((known, _)) if *known < tetrahedron => {}
                Some((known, held)) if *known == tetrahedron => {
                    held.iter_mut().zip(own).for_each(|(held, own)| *held |= own);
                }
                _ => *host = Some((tetrahedron, own)),
            }
        }
    }
    let mut parted = Parted::default();
    let mut certain: Vec<Option<u32>> = Vec::with_capacity(list.len());
    for (face, index) in list.iter().zip(0u32..) {
        let mut corners = [0; 3];
        for corner in 0..3 {
            let knot = &mut knots[fans.root(3 * index + corner as u32) as usize];
            if knot.number == u32::MAX {
                let vertex = face.corners[corner];
                let rest = faces.positions[vertex as usize];
                let host = match knot.host {
                    Some(host) => host,
                    None => host_of(cutting, drawn, vertex, &rest).ok_or(SkinError::Disagreement)?,
                };
                knot.number = parted.points.len() as u32;
                parted.points.push(PartedPoint { rest, carriers: carriers(background, host, &rest) });
            }
            corners[corner] = knot.number;
        }
        parted.triangles.push(corners);
        let vertex_of = |lip: u32, side: usize| {
            let (tetrahedron, parts) = lips.sides[lip as usize];
            let corner = cutting.parts[tetrahedron as usize].iter().position(|part| *part == parts[side]).unwrap_or(0);
            background.tetrahedra()[tetrahedron as usize][corner]
        };
        // Lips know for certain in what matter they end.
        let (is_crack, source, own, beyond) = match face.of {
            Origin::Drawn(triangle) => (false, drawn.sources[triangle as usize], None, u32::MAX),
            Origin::Lip { lip, side } => (true, 0, Some(vertex_of(lip, side)), vertex_of(lip, 1 - side)),
        };
        parted.cracks.push(is_crack);
        parted.sources.push(source);
        parted.beyond.push(beyond);
        certain.push(own);
    }
    parted.owners = owners(&parted, &certain);
    parted.ease();
    if is_manifold(&parted.triangles) { Ok(parted) } else { Err(SkinError::Disagreement) }
}

/// For every triangle a vertex of the background in the matter behind it: the same for all of a surface.
fn owners(parted: &Parted, certain: &[Option<u32>]) -> Vec<u32> {
    let mut sets = DisjointSets::new(parted.points.len());
    for &[a, b, c] in &parted.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut owners: Vec<Option<u32>> = vec![None; parted.points.len()];
    for (corners, certain) in parted.triangles.iter().zip(certain).filter(|(_, certain)| certain.is_some()) {
        let owner = &mut owners[sets.root(corners[0]) as usize];
        *owner = owner.or(*certain);
    }
    let of = |corners: &[u32; 3]| {
        let first = sets.root(corners[0]) as usize;
        owners[first].unwrap_or(parted.points[first].carriers[0].0)
    };
    parted.triangles.iter().map(of).collect()
}

/// The tetrahedron of a vertex of the drawn surface that lies on no lip, and the corners of the part that it lies in.
fn host_of(cutting: &Cutting<'_>, drawn: &Drawn, vertex: u32, rest: &Vec3) -> Option<(u32, [bool; 4])> {
    let tetrahedron = *drawn.hosts.get(vertex as usize)?;
    let parts = cutting.parts[tetrahedron as usize];
    if parts == [0; 4] {
        return Some((tetrahedron, [true; 4]));
    }
    let corner = nearest_corner(cutting, tetrahedron, rest);
    Some((tetrahedron, parts.map(|part| part == parts[corner])))
}

/// The corner of a tetrahedron of several parts in whose part a point (m) lies: that of the place on the faces which the point hides, seen from where the lips
/// meet.
fn nearest_corner(cutting: &Cutting<'_>, tetrahedron: u32, point: &Vec3) -> usize {
    let background = cutting.of;
    let eye = weights(background, tetrahedron, &middle_of(cutting, tetrahedron as usize));
    let here = weights(background, tetrahedron, point);
    let reach = |face: usize| {
        let falls = eye[face] - here[face];
        if falls > 0.0 { eye[face] / falls } else { f64::INFINITY }
    };
    // Face k is opposite to corner k.
    let own = (0..4).min_by(|one, other| reach(*one).total_cmp(&reach(*other))).unwrap_or(0);
    let far = reach(own).min(f64::MAX);
    let seen: [f64; 4] = std::array::from_fn(|corner| eye[corner] + far * (here[corner] - eye[corner]));
    let corners = FACES[own];
    let vertices = corners.map(|corner| background.tetrahedra()[tetrahedron as usize][corner]);
    let edges = SIDES[own].map(|edge| background.edges_of[tetrahedron as usize][edge]);
    // How far from the first corner of side k its two ends come apart, in weights of its second.
    let share = |side: usize| {
        let along = cutting.parted[edges[side] as usize].unwrap_or(0.5);
        if vertices[side] < vertices[(side + 1) % 3] { along } else { 1.0 - along }
    };
    let is_parted = edges.map(|edge| cutting.is_parted(edge));
    let weight = |index: usize| seen[corners[index % 3]];
    match is_parted.iter().filter(|parted| **parted).count() {
        2 => {
            let whole = is_parted.iter().position(|parted| !*parted).unwrap_or(0);
            let [b, c, a] = [0, 1, 2].map(|index| (index + whole) % 3);
            let is_alone = weight(b) / share(a) + weight(c) / (1.0 - share(c)) < 1.0;
            corners[if is_alone { a } else { b }]
        }
        3 => {
            // Places in the face by the weights of corners 1 and 2.
            let flat = [0, 1, 2].map(|side| {
                let mut place = [0.0; 3];
                place[side] = 1.0 - share(side);
                place[(side + 1) % 3] = share(side);
                [place[1], place[2]]
            });
            let centre = [0, 1].map(|axis| (flat[0][axis] + flat[1][axis] + flat[2][axis]) / 3.0);
            let turn = |to: [f64; 2]| {
                let (x, y) = (to[0] - centre[0], to[1] - centre[1]);
                x * (weight(2) - centre[1]) - y * (weight(1) - centre[0])
            };
            // Corner k lies between the lines to the places on side k − 1 and side k, counter-clockwise.
            let found = (0..3).find(|&corner| turn(flat[(corner + 2) % 3]) >= 0.0 && turn(flat[corner]) < 0.0);
            corners[found.unwrap_or(0)]
        }
        _ => corners[0],
    }
}

/// The corners that carry a point (m), by its weights among those of its part.
fn carriers(background: &Background, (tetrahedron, held): (u32, [bool; 4]), rest: &Vec3) -> [(u32, f64); 4] {
    let own = weights(background, tetrahedron, rest);
    let corners = background.tetrahedra()[tetrahedron as usize];
    let mut carriers: [(u32, f64); 4] =
        std::array::from_fn(|corner| (corners[corner], if held[corner] { own[corner].max(1e-9) } else { 0.0 }));
    let sum: f64 = carriers.iter().map(|carrier| carrier.1).sum();
    carriers.iter_mut().for_each(|carrier| carrier.1 /= sum);
    carriers.sort_by(|one, other| other.1.total_cmp(&one.1));
    carriers
}

#[cfg(test)]
mod tests;
