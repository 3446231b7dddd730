//! A solid whose points have parted: closed surfaces, with lips where they did.
//!
//! Some edges of a mesh of tetrahedra are parted, each at a place within it. What of a tetrahedron still hangs together over edges that are
//! not is a *part* of it, and parts of neighbours hang together where they have a vertex of their common face. The surface of
//! what hangs together is made of the outer faces, divided where their edges are parted, and of lips within tetrahedra of several parts: cones from a point
//! in the middle over the lines in which the lips meet the faces. How a face is divided follows from its own three edges, so that neighbours agree
//! and every surface closes; a crack ends at faces whose other tetrahedron is whole.

use craze_frame::fans;
use craze_math::{Mat3, Vec3};

use crate::error::SkinError;

/// Edges of a tetrahedron by its corners,
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// its faces, counter-clockwise from outside,
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// and the edges that face's sides are: the first from its first corner to its second.
pub(crate) const SIDES: [[usize; 3]; 4] = [[3, 5, 4], [2, 5, 1], [0, 4, 2], [1, 3, 0]];

/// No point yet.
const NONE: u32 = u32::MAX;

/// A mesh of tetrahedra with what parting it asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Background {
    positions: Vec<Vec3>,
    tetrahedra: Vec<[u32; 4]>,
    /// Ascending, the lower vertex first.
    edges: Vec<[u32; 2]>,
    /// Edges of each tetrahedron, as in [`EDGES`].
    pub(crate) edges_of: Vec<[u32; 6]>,
    /// Faces of each tetrahedron, as in [`FACES`].
    pub(crate) faces_of: Vec<[u32; 4]>,
    pub(crate) face_count: usize,
    /// Outer faces: tetrahedron and which of its faces.
    outside: Vec<(u32, u8)>,
}

/// Where a vertex of the mesh is, and how its surroundings are deformed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// m.
    pub position: Vec3,
    /// Deformation gradient (1).
    pub deformation: Mat3,
}

/// A point of a parted surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartedPoint {
    /// Where it is at rest (m).
    pub rest: Vec3,
    /// Vertices of the mesh that carry it, with weights that sum to one; those without weight do not count.
    pub carriers: [(u32, f64); 4],
}

/// Surfaces of what hangs together, closed each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parted {
    /// Their points.
    pub points: Vec<PartedPoint>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// For every triangle a vertex of the mesh in the matter behind it.
    pub owners: Vec<u32>,
    /// For every triangle whether it is a lip.
    pub cracks: Vec<bool>,
    /// For every triangle the one of the drawn surface that it is a part of, where there is one; 0 for lips.
    pub sources: Vec<u32>,
    /// For every triangle of a drawn surface's parts that is a lip, a vertex of the mesh in the matter beyond it; `u32::MAX` for others.
    pub beyond: Vec<u32>,
}

impl Background {
    /// Prepares positively oriented tetrahedra; every face belongs to two of them or to one.
    pub fn new(positions: Vec<Vec3>, tetrahedra: Vec<[u32; 4]>) -> Result<Background, SkinError> {
        let count = positions.len();
        if count >= NONE as usize || tetrahedra.iter().flatten().any(|&vertex| vertex as usize >= count) {
            return Err(SkinError::Surface);
        }
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(6 * tetrahedra.len());
        let mut faces: Vec<([u32; 3], u32, u8)> = Vec::with_capacity(4 * tetrahedra.len());
        for (tetrahedron, corners) in (0u32..).zip(&tetrahedra) {
            edges.extend(EDGES.map(|ends| ascending(ends.map(|end| corners[end]))));
            for (face, own) in (0u8..).zip(FACES) {
                faces.push((ascending(own.map(|corner| corners[corner])), tetrahedron, face));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        faces.sort_unstable();
        let edges_of = tetrahedra
            .iter()
            .map(|corners| EDGES.map(|ends| place(&edges, &ascending(ends.map(|end| corners[end])))))
            .collect();
        let mut faces_of = vec![[0; 4]; tetrahedra.len()];
        let (mut outside, mut face_count) = (Vec::new(), 0);
        for same in faces.chunk_by(|one, other| one.0 == other.0) {
            if same.len() > 2 {
                return Err(SkinError::Surface);
            }
            for &(_, tetrahedron, face) in same {
                faces_of[tetrahedron as usize][face as usize] = face_count as u32;
            }
            if let [(_, tetrahedron, face)] = same {
                outside.push((*tetrahedron, *face));
            }
            face_count += 1;
        }
        outside.sort_unstable();
        Ok(Background { positions, tetrahedra, edges, edges_of, faces_of, face_count, outside })
    }

    /// Where the vertices are at rest (m).
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Vertices of the tetrahedra.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// All edges, ascending, the lower vertex first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Parts the solid. `parted` says for every edge how far from its lower vertex it is parted (above 0, below 1), if it is.
    pub fn part(&self, parted: &[Option<f64>]) -> Parted {
        let mut cutting = Cutting::new(self, parted);
        cutting.outside();
        cutting.lips();
        cutting.finish()
    }
}

impl Parted {
    /// Where the points are (m), by where the vertices of the mesh are.
    pub fn carried(&self, background: &Background, carried: &[Carried]) -> Vec<Vec3> {
        let carry = |point: &PartedPoint| {
            let own = point.carriers.iter().filter(|carrier| carrier.1 > 0.0);
            own.map(|&(vertex, weight)| {
                let Carried { position, deformation } = carried[vertex as usize];
                weight * (position + deformation * (point.rest - background.positions[vertex as usize]))
            })
            .sum()
        };
        self.points.iter().map(carry).collect()
    }
}

fn ascending<const N: usize>(mut vertices: [u32; N]) -> [u32; N] {
    vertices.sort_unstable();
    vertices
}

fn place(edges: &[[u32; 2]], edge: &[u32; 2]) -> u32 {
    edges.partition_point(|other| other < edge) as u32
}

/// What is known while a solid is parted.
pub(crate) struct Cutting<'a> {
    pub of: &'a Background,
    pub parted: &'a [Option<f64>],
    /// For every tetrahedron the first corner of the part that each corner is in.
    pub parts: Vec<[u8; 4]>,
    /// Whether the two sides of a parted edge hang together nowhere around it.
    is_open: Vec<bool>,
    /// Points of vertices, of both sides of edges, and of the corners' sides of faces.
    vertex_points: Vec<u32>,
    edge_points: Vec<[u32; 2]>,
    face_points: Vec<[u32; 3]>,
    /// For faces with three parted edges, which of their ascending vertices hang together beside it: the first of each.
    face_parts: Vec<[u8; 3]>,
    result: Parted,
}

impl<'a> Cutting<'a> {
    pub(crate) fn new(of: &'a Background, parted: &'a [Option<f64>]) -> Cutting<'a> {
        let is_parted = |edge: u32| parted.get(edge as usize).is_some_and(Option::is_some);
        let divide = |edges: &[u32; 6]| {
            let mut parts = [0u8, 1, 2, 3];
            for (ends, _) in EDGES.iter().zip(edges).filter(|(_, edge)| !is_parted(**edge)) {
                join(&mut parts, *ends);
            }
            parts
        };
        let mut parts: Vec<[u8; 4]> = of.edges_of.iter().map(divide).collect();
        let mut is_open = vec![true; of.edges.len()];
        for (edges, parts) in of.edges_of.iter().zip(&parts) {
            for (&[one, other], &edge) in EDGES.iter().zip(edges) {
                is_open[edge as usize] &= parts[one] != parts[other];
            }
        }
        // A tetrahedron that is parted while all around it hangs together is a bubble that opens nowhere.
        for (edges, parts) in of.edges_of.iter().zip(&mut parts) {
            if *parts != [0; 4] && !edges.iter().any(|&edge| is_parted(edge) && is_open[edge as usize]) {
                *parts = [0; 4];
            }
        }
        let mut face_parts = vec![[0u8, 1, 2]; of.face_count];
        for ((corners, parts), faces) in of.tetrahedra.iter().zip(&parts).zip(&of.faces_of) {
            for (own, &face) in FACES.iter().zip(faces) {
                let vertices = ascending(own.map(|corner| corners[corner]));
                let part = |vertex: u32| corners.iter().position(|&own| own == vertex).map_or(0, |own| parts[own]);
                for [one, other] in [[0, 1], [0, 2], [1, 2]] {
                    if part(vertices[one]) == part(vertices[other]) {
                        join(&mut face_parts[face as usize], [one, other]);
                    }
                }
            }
        }
        Cutting {
            of,
            parted,
            parts,
            is_open,
            vertex_points: vec![NONE; of.positions.len()],
            edge_points: vec![[NONE; 2]; of.edges.len()],
            face_points: vec![[NONE; 3]; of.face_count],
            face_parts,
            result: Parted::default(),
        }
    }

    pub(crate) fn is_parted(&self, edge: u32) -> bool {
        self.parted.get(edge as usize).is_some_and(Option::is_some)
    }

    fn add(&mut self, rest: Vec3, vertices: &[u32]) -> u32 {
        let mut carriers = [(0, 0.0); 4];
        for (carrier, &vertex) in carriers.iter_mut().zip(vertices) {
            *carrier = (vertex, 1.0 / vertices.len() as f64);
        }
        self.result.points.push(PartedPoint { rest, carriers });
        self.result.points.len() as u32 - 1
    }

    fn vertex(&mut self, vertex: u32) -> u32 {
        if self.vertex_points[vertex as usize] == NONE {
            self.vertex_points[vertex as usize] = self.add(self.of.positions[vertex as usize], &[vertex]);
        }
        self.vertex_points[vertex as usize]
    }

    /// Where an edge is parted (m).
    pub(crate) fn edge_place(&self, edge: u32) -> Vec3 {
        let [low, high] = self.of.edges[edge as usize].map(|vertex| self.of.positions[vertex as usize]);
        low + self.parted[edge as usize].unwrap_or(0.5) * (high - low)
    }

    /// The point of a parted edge on the side of one of its vertices.
    fn edge(&mut self, edge: u32, on: u32) -> u32 {
        let [low, high] = self.of.edges[edge as usize];
        let side = usize::from(on == high);
        if self.edge_points[edge as usize][side] == NONE {
            let rest = self.edge_place(edge);
            if self.is_open[edge as usize] {
                self.edge_points[edge as usize][side] = self.add(rest, &[on]);
            } else {
                let point = self.add(rest, &[]);
                let share = self.parted[edge as usize].unwrap_or(0.5);
                let carriers = &mut self.result.points[point as usize].carriers;
                (carriers[0], carriers[1]) = ((low, 1.0 - share), (high, share));
                self.edge_points[edge as usize] = [point; 2];
            }
        }
        self.edge_points[edge as usize][side]
    }

    /// The point within a face whose three edges are parted, on the side of one of its vertices.
    fn face(&mut self, face: u32, tetrahedron: u32, own: usize, on: u32) -> u32 {
        let corners = &self.of.tetrahedra[tetrahedron as usize];
        let vertices = ascending(FACES[own].map(|corner| corners[corner]));
        let parts = self.face_parts[face as usize];
        let side = parts[vertices.iter().position(|&vertex| vertex == on).unwrap_or(0)];
        if self.face_points[face as usize][side as usize] == NONE {
            let edges = SIDES[own].map(|edge| self.of.edges_of[tetrahedron as usize][edge]);
            let rest = edges.iter().map(|&edge| self.edge_place(edge)).sum::<Vec3>() / 3.0;
            let together: Vec<u32> = (0..3).filter(|&one| parts[one] == side).map(|one| vertices[one]).collect();
            self.face_points[face as usize][side as usize] = self.add(rest, &together);
        }
        self.face_points[face as usize][side as usize]
    }

    fn push(&mut self, triangle: [u32; 3], owner: u32, crack: bool) {
        self.result.triangles.push(triangle);
        self.result.owners.push(owner);
        self.result.cracks.push(crack);
    }

    /// Outer faces, divided by which of their edges are parted.
    fn outside(&mut self) {
        for &(tetrahedron, own) in &self.of.outside {
            let own = own as usize;
            let corners = FACES[own].map(|corner| self.of.tetrahedra[tetrahedron as usize][corner]);
            let edges = SIDES[own].map(|edge| self.of.edges_of[tetrahedron as usize][edge]);
            let is_parted = edges.map(|edge| self.is_parted(edge));
            let whole = corners.map(|vertex| self.vertex(vertex));
            // Turned so that what is special comes first.
            let turned = |by: usize| [0, 1, 2].map(|index| (index + by) % 3);
            match is_parted.iter().filter(|parted| **parted).count() {
                0 => self.push(whole, corners[0], false),
                1 => {
                    let [a, b, c] = turned(is_parted.iter().position(|parted| *parted).unwrap_or(0));
                    let middle = self.edge(edges[a], corners[a]);
                    self.push([whole[a], middle, whole[c]], corners[a], false);
                    self.push([middle, whole[b], whole[c]], corners[a], false);
                }
                2 => {
                    // The edge that is not parted is opposite to the vertex that is alone.
                    let [b, c, a] = turned(is_parted.iter().position(|parted| !*parted).unwrap_or(0));
                    let [near, far] = [self.edge(edges[a], corners[a]), self.edge(edges[c], corners[a])];
                    self.push([whole[a], near, far], corners[a], false);
                    let [near, far] = [self.edge(edges[a], corners[b]), self.edge(edges[c], corners[c])];
                    self.push([near, whole[b], whole[c]], corners[b], false);
                    self.push([near, whole[c], far], corners[b], false);
                }
                _ => {
                    let face = self.of.faces_of[tetrahedron as usize][own];
                    for [a, _, c] in [turned(0), turned(1), turned(2)] {
                        let middle = self.face(face, tetrahedron, own, corners[a]);
                        let [next, last] = [self.edge(edges[a], corners[a]), self.edge(edges[c], corners[a])];
                        self.push([whole[a], next, middle], corners[a], false);
                        self.push([whole[a], middle, last], corners[a], false);
                    }
                }
            }
        }
    }

    /// Lips within tetrahedra of several parts.
    fn lips(&mut self) {
        for tetrahedron in 0..self.of.tetrahedra.len() {
            if self.parts[tetrahedron] != [0; 4] {
                self.lips_within(tetrahedron);
            }
        }
    }

    fn lips_within(&mut self, tetrahedron: usize) {
        let (corners, parts) = (self.of.tetrahedra[tetrahedron], self.parts[tetrahedron]);
        let all = self.of.edges_of[tetrahedron];
        let apart = EDGES.iter().zip(all).filter(|([one, other], _)| parts[*one] != parts[*other]);
        let places: Vec<Vec3> = apart.map(|(_, edge)| self.edge_place(edge)).collect();
        let middle = places.iter().sum::<Vec3>() / places.len() as f64;
        let mut middles = [NONE; 4];
        for part in 0..4 {
            let together: Vec<u32> = (0..4).filter(|&corner| parts[corner] == part).map(|own| corners[own]).collect();
            if !together.is_empty() {
                middles[part as usize] = self.add(middle, &together);
            }
        }
        for own in 0..4 {
            let edges = SIDES[own].map(|edge| all[edge]);
            let is_parted = edges.map(|edge| self.is_parted(edge));
            let vertex = |index: usize| corners[FACES[own][index]];
            let part = |index: usize| parts[FACES[own][index]] as usize;
            match is_parted.iter().filter(|parted| **parted).count() {
                2 => {
                    let whole = is_parted.iter().position(|parted| !*parted).unwrap_or(0);
                    let [b, c, a] = [0, 1, 2].map(|index| (index + whole) % 3);
                    if part(a) != part(b) {
                        let [near, far] = [self.edge(edges[a], vertex(a)), self.edge(edges[c], vertex(a))];
                        self.push([far, near, middles[part(a)]], vertex(a), true);
                        let [near, far] = [self.edge(edges[a], vertex(b)), self.edge(edges[c], vertex(c))];
                        self.push([near, far, middles[part(b)]], vertex(b), true);
                    }
                }
                3 => {
                    let face = self.of.faces_of[tetrahedron][own];
                    for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                        if part(a) != part(b) {
                            let [inner, outer] =
                                [a, b].map(|one| self.face(face, tetrahedron as u32, own, vertex(one)));
                            let [near, far] = [a, b].map(|one| self.edge(edges[a], vertex(one)));
                            self.push([inner, near, middles[part(a)]], vertex(a), true);
                            self.push([far, outer, middles[part(b)]], vertex(b), true);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Gives every fan of triangles a point of its own, so that what only touches does not hang together.
    fn finish(self) -> Parted {
        let Parted { points, triangles, owners, cracks, .. } = self.result;
        let fans = fans(&triangles, |point| points[point as usize].rest);
        let mut numbers = vec![NONE; fans.len()];
        let mut apart = Vec::with_capacity(points.len());
        let mut number = |corner: usize, point: u32| {
            let number = &mut numbers[fans[corner] as usize];
            if *number == NONE {
                *number = apart.len() as u32;
                apart.push(points[point as usize]);
            }
            *number
        };
        let triangles = triangles
            .iter()
            .enumerate()
            .map(|(triangle, corners)| [0, 1, 2].map(|corner| number(3 * triangle + corner, corners[corner])))
            .collect();
        let mut parted = Parted { points: apart, triangles, owners, cracks, ..Parted::default() };
        parted.ease();
        parted
    }
}

impl Parted {
    /// Gives sheets of the surface that touch in an edge edges of their own.
    pub(crate) fn ease(&mut self) {
        while self.ease_edges() {}
    }

    /// Where sheets of the surface touch in an edge and both its ends are theirs, all but one get a point of their own in its middle; whether there
    /// is more to do. Every round leaves fewer such edges: new ones have a new point.
    fn ease_edges(&mut self) -> bool {
        let mut sides: Vec<([u32; 2], bool, u32)> = Vec::with_capacity(3 * self.triangles.len());
        for (triangle, &[a, b, c]) in (0u32..).zip(&self.triangles) {
            sides.extend([[a, b], [b, c], [c, a]].map(|[from, to]| (ascending([from, to]), from < to, triangle)));
        }
        sides.sort_unstable();
        let mut is_done = vec![true; self.triangles.len()];
        let mut is_left = false;
        for edge in sides.chunk_by(|one, other| one.0 == other.0).filter(|edge| edge.len() > 2) {
            let forward = edge.partition_point(|side| !side.1);
            let pairs = edge[..forward].iter().zip(&edge[forward..]).skip(1);
            for pair in pairs.map(|(one, other)| [one.2, other.2]) {
                // A triangle is divided once a round: its other edges are not where they were.
                if pair.iter().any(|&triangle| !is_done[triangle as usize]) {
                    is_left = true;
                    continue;
                }
                let middle = self.points.len() as u32;
                self.points.push(PartedPoint::between(edge[0].0.map(|end| self.points[end as usize])));
                for triangle in pair {
                    is_done[triangle as usize] = false;
                    self.divide(triangle as usize, edge[0].0, middle);
                }
            }
        }
        is_left
    }

    /// Divides a triangle by a point of one of its edges.
    fn divide(&mut self, triangle: usize, edge: [u32; 2], middle: u32) {
        let corners = self.triangles[triangle];
        let apex = (0..3).find(|&corner| !edge.contains(&corners[corner])).unwrap_or(0);
        let [top, from, to] = [0, 1, 2].map(|turn| corners[(apex + turn) % 3]);
        self.triangles[triangle] = [top, from, middle];
        self.triangles.push([top, middle, to]);
        self.owners.push(self.owners[triangle]);
        self.cracks.push(self.cracks[triangle]);
        self.sources.extend(self.sources.get(triangle).copied());
        self.beyond.extend(self.beyond.get(triangle).copied());
    }
}

impl PartedPoint {
    /// The point in the middle of two, carried by the four vertices with most weight.
    fn between(ends: [PartedPoint; 2]) -> PartedPoint {
        let mut all: Vec<(u32, f64)> = ends.iter().flat_map(|end| end.carriers).filter(|one| one.1 > 0.0).collect();
        all.sort_by_key(|one| one.0);
        let mut merged: Vec<(u32, f64)> = all
            .chunk_by(|one, other| one.0 == other.0)
            .map(|same| (same[0].0, same.iter().map(|one| one.1).sum()))
            .collect();
        merged.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        merged.truncate(4);
        let sum: f64 = merged.iter().map(|one| one.1).sum();
        let mut carriers = [(0, 0.0); 4];
        carriers.iter_mut().zip(&merged).for_each(|(carrier, one)| *carrier = (one.0, one.1 / sum));
        PartedPoint { rest: 0.5 * (ends[0].rest + ends[1].rest), carriers }
    }
}

/// Makes one part of those of two corners; the first corner of a part names it.
fn join<const N: usize>(parts: &mut [u8; N], [one, other]: [usize; 2]) {
    let (from, to) = (parts[one].max(parts[other]), parts[one].min(parts[other]));
    parts.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
}

#[cfg(test)]
mod tests;
