//! Splitting an embedded surface along the cut edges of its background mesh.
//!
//! Crack faces are built as in [`split`](crate::split), each with one component of its tetrahedron
//! on either side. The embedded surface and the crack faces cut each other by exact predicates, and
//! crack faces outside are dropped. Connectivity follows from the order of faces around edges: two
//! face sides are neighbours if only solid lies between them. It needs no labels, so cracks may
//! cross and end anywhere, and every surface is closed.

use craze_frame::is_manifold;
use craze_math::{DisjointSets, Random, Vec3};

use crate::crack_faces::{CrackFaces, crack_faces, cut_centroid};
use crate::crossing::{Mesh, Triangles, crossings};
use crate::cut::{Vertices, keep_inside, subdivide_triangles};
use crate::embedded_surface::{EmbeddedSurface, barycentric};
use crate::error::SkinError;
use crate::split::{BackgroundMesh, FACES, SIDES, SplitPoint, SplitSurface, Splitter};
use crate::tuning::{CUT_PERTURBATION, MAX_PERTURBED_TRIES, PERTURBATION_GROWTH};

/// One side of a face.
#[derive(Clone, Copy)]
struct Face {
    corners: [u32; 3],
    of: Origin,
}

/// What a face is a side of.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// A triangle of the embedded surface.
    Surface(u32),
    /// A crack face, seen from the front (1) or from behind (0).
    Crack { crack: u32, side: usize },
}

impl BackgroundMesh {
    /// Splits the solid that an embedded surface encloses. `cuts` is as in
    /// [`BackgroundMesh::split`]; [`SplitSurface::sources`] gives the input triangles. If points
    /// are coplanar, the cut points are perturbed and the split is tried again.
    pub fn split_embedded(&self, cuts: &[Option<f64>], embedded: &EmbeddedSurface) -> Result<SplitSurface, SkinError> {
        let mut tried = self.try_split_embedded(cuts, embedded);
        let mut perturbation = CUT_PERTURBATION;
        for seed in 0..MAX_PERTURBED_TRIES {
            if tried.is_ok() {
                break;
            }
            let mut random = Random::new(u64::from(seed) + 1);
            let moved: Vec<Option<f64>> = cuts
                .iter()
                .map(|share| share.map(|share| (share + perturbation * random.signed()).clamp(1e-3, 1.0 - 1e-3)))
                .collect();
            tried = self.try_split_embedded(&moved, embedded);
            perturbation *= PERTURBATION_GROWTH;
        }
        tried
    }

    fn try_split_embedded(&self, cuts: &[Option<f64>], embedded: &EmbeddedSurface) -> Result<SplitSurface, SkinError> {
        let splitter = Splitter::new(self, cuts);
        let cracks = crack_faces(self, &splitter);
        let faces = faces(embedded, &cracks)?;
        let fans = fans(&faces.list, &faces.positions, &cracks)?;
        assemble(self, &splitter, embedded, &cracks, &faces, &fans)
    }
}

/// Sides of all remaining faces over shared vertices: of the embedded surface, the crack faces,
/// then the crossings.
struct Faces {
    positions: Vec<Vec3>,
    list: Vec<Face>,
}

fn faces(embedded: &EmbeddedSurface, cracks: &CrackFaces) -> Result<Faces, SkinError> {
    let surface = Triangles { positions: &embedded.positions, triangles: &embedded.triangles };
    let inner = Triangles { positions: &cracks.positions, triangles: &cracks.triangles };
    if cracks.triangles.is_empty() {
        let whole = |(corners, number): (&[u32; 3], u32)| Face { corners: *corners, of: Origin::Surface(number) };
        let list = embedded.triangles.iter().zip(0..).map(whole).collect();
        return Ok(Faces { positions: embedded.positions.clone(), list });
    }
    let crossings = crossings(surface, inner)?;
    let all = Vertices::new(surface, inner, &crossings);
    let outside = subdivide_triangles(surface, Mesh::Surface, &crossings, &all)?;
    let inside = subdivide_triangles(inner, Mesh::Crack, &crossings, &all)?;
    let inside = keep_inside(&inside, &crossings, &all, &embedded.winding)?;
    let mut list: Vec<Face> =
        outside.iter().map(|part| Face { corners: part.corners, of: Origin::Surface(part.source) }).collect();
    for part in inside {
        let [a, b, c] = part.corners;
        list.push(Face { corners: [a, b, c], of: Origin::Crack { crack: part.crack, side: 0 } });
        list.push(Face { corners: [a, c, b], of: Origin::Crack { crack: part.crack, side: 1 } });
    }
    Ok(Faces { positions: all.positions, list })
}

/// A face at an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Vertices of the edge, the lower one first.
    edge: [u32; 2],
    /// True if the face traverses the edge from the lower vertex to the higher.
    is_forward: bool,
    face: u32,
    /// Local corners of the face at the lower and the higher vertex.
    ends: [u8; 2],
}

/// Union-find over face corners (3 per face): corners in one set share a vertex.
fn fans(faces: &[Face], positions: &[Vec3], cracks: &CrackFaces) -> Result<DisjointSets, SkinError> {
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
        for [one, other] in pairs(edge, faces, positions, cracks)? {
            for end in 0..2 {
                fans.join(3 * one.face + u32::from(one.ends[end]), 3 * other.face + u32::from(other.ends[end]));
            }
        }
    }
    Ok(fans)
}

/// Pairs of faces at an edge with only solid between them.
fn pairs(edge: &[Side], faces: &[Face], positions: &[Vec3], cracks: &CrackFaces) -> Result<Vec<[Side; 2]>, SkinError> {
    let (backward, forward) = edge.split_at(edge.partition_point(|side| !side.is_forward));
    if backward.len() != forward.len() {
        return Err(SkinError::InconsistentLabels);
    }
    if let ([one], [other]) = (backward, forward) {
        return Ok(vec![[*one, *other]]);
    }
    let origin = |side: &Side| faces[side.face as usize].of;
    let is_on_surface = |side: &Side| matches!(origin(side), Origin::Surface(_));
    if edge.iter().any(is_on_surface) {
        // A crack face ends at the embedded surface: the part on its left is the neighbour of its
        // left side.
        let other = |sides: &[Side]| sides.iter().copied().find(|side| !is_on_surface(side));
        let own = |sides: &[Side]| sides.iter().copied().find(is_on_surface);
        return match (own(backward), own(forward), other(backward), other(forward)) {
            (Some(one), Some(next), Some(behind), Some(before)) if edge.len() == 4 => {
                Ok(vec![[one, before], [behind, next]])
            }
            _ => Err(SkinError::InconsistentLabels),
        };
    }
    let crack = |side: &Side| match origin(side) {
        Origin::Crack { crack, side } => (crack, side),
        Origin::Surface(number) => (number, 0),
    };
    let first = crack(&edge[0]).0;
    if edge.iter().all(|side| crack(side).0 == first) {
        // Within one crack face each side continues on its own side.
        let next = |side: &Side| forward.iter().copied().find(|other| crack(other).1 == crack(side).1);
        let both = backward.iter().map(|side| Some([*side, next(side)?]));
        return both.collect::<Option<Vec<_>>>().ok_or(SkinError::InconsistentLabels);
    }
    // Crack faces around an edge: solid lies between one that traverses it backward and the next
    // that traverses it forward.
    let [low, high] = edge[0].edge.map(|vertex| positions[vertex as usize]);
    let along = high - low;
    let middle = |crack: u32| {
        cracks.triangles[crack as usize].map(|vertex| cracks.positions[vertex as usize]).iter().sum::<Vec3>() / 3.0
    };
    let start = along.cross(&(middle(first) - low));
    let across = along.cross(&start);
    let angle = |side: &Side| {
        let outward = along.cross(&(middle(crack(side).0) - low));
        across.dot(&outward).atan2(start.dot(&outward) * along.norm())
    };
    let around = |sides: &[Side]| {
        let mut sides: Vec<(f64, Side)> = sides.iter().map(|side| (angle(side), *side)).collect();
        sides.sort_by(|one, other| one.0.total_cmp(&other.0));
        sides
    };
    let (backward, forward) = (around(backward), around(forward));
    let is_same = backward.iter().zip(&forward).all(|(one, other)| crack(&one.1).0 == crack(&other.1).0);
    if !is_same {
        return Err(SkinError::InconsistentLabels);
    }
    let count = backward.len();
    Ok((0..count).map(|index| [backward[index].1, forward[(index + 1) % count].1]).collect())
}

/// A vertex during assembly.
#[derive(Clone, Copy)]
struct VertexRecord {
    number: u32,
    /// The first tetrahedron of an adjacent crack face, and which of its corners are in the
    /// components around the vertex.
    host: Option<(u32, [bool; 4])>,
}

fn assemble(
    mesh: &BackgroundMesh,
    splitter: &Splitter<'_>,
    embedded: &EmbeddedSurface,
    cracks: &CrackFaces,
    faces: &Faces,
    fans: &DisjointSets,
) -> Result<SplitSurface, SkinError> {
    let list = &faces.list;
    let mut vertices = vec![VertexRecord { number: u32::MAX, host: None }; 3 * list.len()];
    for (face, index) in list.iter().zip(0..) {
        let Origin::Crack { crack, side } = face.of else { continue };
        let (tetrahedron, parts) = cracks.sides[crack as usize];
        let own = splitter.parts[tetrahedron as usize].map(|part| part == parts[side]);
        for corner in 0..3 {
            let host = &mut vertices[fans.root(3 * index + corner) as usize].host;
            match host {
                Some((known, _)) if *known < tetrahedron => {}
                Some((known, held)) if *known == tetrahedron => {
                    held.iter_mut().zip(own).for_each(|(held, own)| *held |= own);
                }
                _ => *host = Some((tetrahedron, own)),
            }
        }
    }
    let mut surface = SplitSurface::default();
    let mut certain: Vec<Option<u32>> = Vec::with_capacity(list.len());
    for (face, index) in list.iter().zip(0u32..) {
        let mut corners = [0; 3];
        for corner in 0..3 {
            let vertex_record = &mut vertices[fans.root(3 * index + corner as u32) as usize];
            if vertex_record.number == u32::MAX {
                let vertex = face.corners[corner];
                let rest = faces.positions[vertex as usize];
                let host = match vertex_record.host {
                    Some(host) => host,
                    None => host_of(splitter, embedded, vertex, &rest).ok_or(SkinError::InconsistentLabels)?,
                };
                vertex_record.number = surface.points.len() as u32;
                surface.points.push(SplitPoint { rest, weights: restricted_weights(mesh, host, &rest) });
            }
            corners[corner] = vertex_record.number;
        }
        surface.triangles.push(corners);
        let vertex_of = |crack: u32, side: usize| {
            let (tetrahedron, parts) = cracks.sides[crack as usize];
            let corner = splitter.parts[tetrahedron as usize].iter().position(|part| *part == parts[side]).unwrap_or(0);
            mesh.tetrahedra()[tetrahedron as usize][corner]
        };
        // A crack face knows the mesh vertices of both its sides exactly.
        let (is_crack, source, own, beyond) = match face.of {
            Origin::Surface(triangle) => (false, embedded.sources[triangle as usize], None, u32::MAX),
            Origin::Crack { crack, side } => (true, 0, Some(vertex_of(crack, side)), vertex_of(crack, 1 - side)),
        };
        surface.cracks.push(is_crack);
        surface.sources.push(source);
        surface.beyond.push(beyond);
        certain.push(own);
    }
    surface.owners = owners(&surface, &certain);
    surface.separate_edges();
    if is_manifold(&surface.triangles) { Ok(surface) } else { Err(SkinError::InconsistentLabels) }
}

/// For every triangle a mesh vertex in the solid behind it, equal for all triangles of a connected
/// surface.
fn owners(surface: &SplitSurface, certain: &[Option<u32>]) -> Vec<u32> {
    let mut sets = DisjointSets::new(surface.points.len());
    for &[a, b, c] in &surface.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut owners: Vec<Option<u32>> = vec![None; surface.points.len()];
    for (corners, certain) in surface.triangles.iter().zip(certain).filter(|(_, certain)| certain.is_some()) {
        let owner = &mut owners[sets.root(corners[0]) as usize];
        *owner = owner.or(*certain);
    }
    let of = |corners: &[u32; 3]| {
        let first = sets.root(corners[0]) as usize;
        owners[first].unwrap_or(surface.points[first].weights[0].0)
    };
    surface.triangles.iter().map(of).collect()
}

/// The tetrahedron of a surface vertex that lies on no crack face, and the corners of its
/// component.
fn host_of(splitter: &Splitter<'_>, embedded: &EmbeddedSurface, vertex: u32, rest: &Vec3) -> Option<(u32, [bool; 4])> {
    let tetrahedron = *embedded.hosts.get(vertex as usize)?;
    let parts = splitter.parts[tetrahedron as usize];
    if parts == [0; 4] {
        return Some((tetrahedron, [true; 4]));
    }
    let corner = nearest_corner(splitter, tetrahedron, rest);
    Some((tetrahedron, parts.map(|part| part == parts[corner])))
}

/// The corner whose component contains a point (m) of a split tetrahedron: the point is projected
/// from the cut centroid onto the faces, where the components are bounded by straight lines.
fn nearest_corner(splitter: &Splitter<'_>, tetrahedron: u32, point: &Vec3) -> usize {
    let mesh = splitter.of;
    let eye = barycentric(mesh, tetrahedron, &cut_centroid(splitter, tetrahedron as usize));
    let here = barycentric(mesh, tetrahedron, point);
    let reach = |face: usize| {
        let falls = eye[face] - here[face];
        if falls > 0.0 { eye[face] / falls } else { f64::INFINITY }
    };
    // Face k is opposite to corner k.
    let own = (0..4).min_by(|one, other| reach(*one).total_cmp(&reach(*other))).unwrap_or(0);
    let far = reach(own).min(f64::MAX);
    let seen: [f64; 4] = std::array::from_fn(|corner| eye[corner] + far * (here[corner] - eye[corner]));
    let corners = FACES[own];
    let vertices = corners.map(|corner| mesh.tetrahedra()[tetrahedron as usize][corner]);
    let edges = SIDES[own].map(|edge| mesh.edges_of[tetrahedron as usize][edge]);
    // Cut point of side k, as a weight of its second corner.
    let share = |side: usize| {
        let along = splitter.cuts[edges[side] as usize].unwrap_or(0.5);
        if vertices[side] < vertices[(side + 1) % 3] { along } else { 1.0 - along }
    };
    let is_cut = edges.map(|edge| splitter.is_cut(edge));
    let weight = |index: usize| seen[corners[index % 3]];
    match is_cut.iter().filter(|cut| **cut).count() {
        2 => {
            let whole = is_cut.iter().position(|cut| !*cut).unwrap_or(0);
            let [b, c, a] = [0, 1, 2].map(|index| (index + whole) % 3);
            let is_alone = weight(b) / share(a) + weight(c) / (1.0 - share(c)) < 1.0;
            corners[if is_alone { a } else { b }]
        }
        3 => {
            // Points of the face by the weights of corners 1 and 2.
            let flat = [0, 1, 2].map(|side| {
                let mut point = [0.0; 3];
                point[side] = 1.0 - share(side);
                point[(side + 1) % 3] = share(side);
                [point[1], point[2]]
            });
            let centre = [0, 1].map(|axis| (flat[0][axis] + flat[1][axis] + flat[2][axis]) / 3.0);
            let turn = |to: [f64; 2]| {
                let (x, y) = (to[0] - centre[0], to[1] - centre[1]);
                x * (weight(2) - centre[1]) - y * (weight(1) - centre[0])
            };
            // Corner k lies between the lines to the cut points of sides k − 1 and k,
            // counter-clockwise.
            let found = (0..3).find(|&corner| turn(flat[(corner + 2) % 3]) >= 0.0 && turn(flat[corner]) < 0.0);
            corners[found.unwrap_or(0)]
        }
        _ => corners[0],
    }
}

/// Interpolation weights of a point (m), restricted to the corners of its component.
fn restricted_weights(mesh: &BackgroundMesh, (tetrahedron, held): (u32, [bool; 4]), rest: &Vec3) -> [(u32, f64); 4] {
    let own = barycentric(mesh, tetrahedron, rest);
    let corners = mesh.tetrahedra()[tetrahedron as usize];
    let mut weights: [(u32, f64); 4] =
        std::array::from_fn(|corner| (corners[corner], if held[corner] { own[corner].max(1e-9) } else { 0.0 }));
    let sum: f64 = weights.iter().map(|weight| weight.1).sum();
    weights.iter_mut().for_each(|weight| weight.1 /= sum);
    weights.sort_by(|one, other| other.1.total_cmp(&one.1));
    weights
}

#[cfg(test)]
mod tests;
