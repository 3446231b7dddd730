//! Splitting a tetrahedral mesh along cut edges into closed surfaces.
//!
//! Some edges carry a cut point. Corners of a tetrahedron that are connected by uncut edges form a
//! *component*; components of neighbours are connected where they share a vertex of the common
//! face. The surface of a connected solid consists of the boundary faces, subdivided at cut edges,
//! and of crack faces inside tetrahedra with several components: cones from an interior point over
//! the lines in which the cracks meet the faces. The subdivision of a face depends only on its own
//! edges, so neighbours agree and every surface is closed; a crack ends at faces whose other
//! tetrahedron has one component.

use craze_frame::fans;
use craze_math::{Mat3, Vec3};

use crate::error::SkinError;

pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Faces of a tetrahedron, counter-clockwise from outside.
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Edges of each face: the first runs from its first corner to its second.
pub(crate) const SIDES: [[usize; 3]; 4] = [[3, 5, 4], [2, 5, 1], [0, 4, 2], [1, 3, 0]];

/// Marks a point that does not exist yet.
const NONE: u32 = u32::MAX;

/// A tetrahedral mesh with the adjacency that splitting needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackgroundMesh {
    positions: Vec<Vec3>,
    tetrahedra: Vec<[u32; 4]>,
    /// Ascending, the lower vertex first.
    edges: Vec<[u32; 2]>,
    /// Edges of each tetrahedron, as in [`EDGES`].
    pub(crate) edges_of: Vec<[u32; 6]>,
    /// Faces of each tetrahedron, as in [`FACES`].
    pub(crate) faces_of: Vec<[u32; 4]>,
    pub(crate) face_count: usize,
    /// Boundary faces: tetrahedron and local face.
    boundary: Vec<(u32, u8)>,
}

/// Position and deformation gradient of a mesh vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexMotion {
    /// Position (m).
    pub position: Vec3,
    /// Deformation gradient (1).
    pub deformation: Mat3,
}

/// A point of a split surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitPoint {
    /// Rest position (m).
    pub rest: Vec3,
    /// Interpolating mesh vertices with weights that sum to one; entries of zero weight are unused.
    pub weights: [(u32, f64); 4],
}

/// Closed surfaces of the connected solids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SplitSurface {
    /// Points of the surfaces.
    pub points: Vec<SplitPoint>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// For every triangle a mesh vertex in the solid behind it.
    pub owners: Vec<u32>,
    /// True for crack faces.
    pub cracks: Vec<bool>,
    /// For every triangle of an embedded surface its input triangle; 0 for crack faces.
    pub sources: Vec<u32>,
    /// For every crack face of an embedded surface a mesh vertex in the solid on the other side;
    /// `u32::MAX` for other triangles.
    pub beyond: Vec<u32>,
}

impl BackgroundMesh {
    /// Builds from positively oriented tetrahedra. A face may belong to at most two of them.
    pub fn new(positions: Vec<Vec3>, tetrahedra: Vec<[u32; 4]>) -> Result<BackgroundMesh, SkinError> {
        let count = positions.len();
        if count >= NONE as usize || tetrahedra.iter().flatten().any(|&vertex| vertex as usize >= count) {
            return Err(SkinError::InvalidSurface);
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
            .map(|corners| EDGES.map(|ends| edge_index(&edges, &ascending(ends.map(|end| corners[end])))))
            .collect();
        let mut faces_of = vec![[0; 4]; tetrahedra.len()];
        let (mut boundary, mut face_count) = (Vec::new(), 0);
        for same in faces.chunk_by(|one, other| one.0 == other.0) {
            if same.len() > 2 {
                return Err(SkinError::InvalidSurface);
            }
            for &(_, tetrahedron, face) in same {
                faces_of[tetrahedron as usize][face as usize] = face_count as u32;
            }
            if let [(_, tetrahedron, face)] = same {
                boundary.push((*tetrahedron, *face));
            }
            face_count += 1;
        }
        boundary.sort_unstable();
        Ok(BackgroundMesh { positions, tetrahedra, edges, edges_of, faces_of, face_count, boundary })
    }

    /// Rest positions of the vertices (m).
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
    /// Splits the solid. `cuts` gives for every cut edge the position of its cut point from the
    /// lower vertex, as a fraction in (0, 1).
    pub fn split(&self, cuts: &[Option<f64>]) -> SplitSurface {
        let mut splitter = Splitter::new(self, cuts);
        splitter.boundary();
        splitter.crack_faces();
        splitter.finish()
    }
}

impl SplitSurface {
    /// Deformed positions of the points (m).
    pub fn deformed(&self, mesh: &BackgroundMesh, motions: &[VertexMotion]) -> Vec<Vec3> {
        let deform = |point: &SplitPoint| {
            let own = point.weights.iter().filter(|weight| weight.1 > 0.0);
            own.map(|&(vertex, weight)| {
                let VertexMotion { position, deformation } = motions[vertex as usize];
                weight * (position + deformation * (point.rest - mesh.positions[vertex as usize]))
            })
            .sum()
        };
        self.points.iter().map(deform).collect()
    }
}

fn ascending<const N: usize>(mut vertices: [u32; N]) -> [u32; N] {
    vertices.sort_unstable();
    vertices
}

fn edge_index(edges: &[[u32; 2]], edge: &[u32; 2]) -> u32 {
    edges.partition_point(|other| other < edge) as u32
}

/// State of a split in progress.
pub(crate) struct Splitter<'a> {
    pub of: &'a BackgroundMesh,
    pub cuts: &'a [Option<f64>],
    /// For every tetrahedron the component of each corner, numbered by its first corner.
    pub parts: Vec<[u8; 4]>,
    /// True if no tetrahedron around a cut edge connects its ends.
    is_open: Vec<bool>,
    /// Points of vertices, of both sides of edges, and of the corners' sides of faces.
    vertex_points: Vec<u32>,
    edge_points: Vec<[u32; 2]>,
    face_points: Vec<[u32; 3]>,
    /// For faces with three cut edges, which of their ascending vertices an adjacent tetrahedron
    /// connects, numbered by the first.
    face_parts: Vec<[u8; 3]>,
    result: SplitSurface,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(of: &'a BackgroundMesh, cuts: &'a [Option<f64>]) -> Splitter<'a> {
        let is_cut = |edge: u32| cuts.get(edge as usize).is_some_and(Option::is_some);
        let divide = |edges: &[u32; 6]| {
            let mut parts = [0u8, 1, 2, 3];
            for (ends, _) in EDGES.iter().zip(edges).filter(|(_, edge)| !is_cut(**edge)) {
                merge(&mut parts, *ends);
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
        // Inside a tetrahedron whose edges are all connected around it, a split would only open a
        // closed bubble.
        for (edges, parts) in of.edges_of.iter().zip(&mut parts) {
            if *parts != [0; 4] && !edges.iter().any(|&edge| is_cut(edge) && is_open[edge as usize]) {
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
                        merge(&mut face_parts[face as usize], [one, other]);
                    }
                }
            }
        }
        Splitter {
            of,
            cuts,
            parts,
            is_open,
            vertex_points: vec![NONE; of.positions.len()],
            edge_points: vec![[NONE; 2]; of.edges.len()],
            face_points: vec![[NONE; 3]; of.face_count],
            face_parts,
            result: SplitSurface::default(),
        }
    }

    pub(crate) fn is_cut(&self, edge: u32) -> bool {
        self.cuts.get(edge as usize).is_some_and(Option::is_some)
    }

    fn add(&mut self, rest: Vec3, vertices: &[u32]) -> u32 {
        let mut weights = [(0, 0.0); 4];
        for (weight, &vertex) in weights.iter_mut().zip(vertices) {
            *weight = (vertex, 1.0 / vertices.len() as f64);
        }
        self.result.points.push(SplitPoint { rest, weights });
        self.result.points.len() as u32 - 1
    }

    fn vertex(&mut self, vertex: u32) -> u32 {
        if self.vertex_points[vertex as usize] == NONE {
            self.vertex_points[vertex as usize] = self.add(self.of.positions[vertex as usize], &[vertex]);
        }
        self.vertex_points[vertex as usize]
    }

    /// Cut point of an edge (m).
    pub(crate) fn cut_point(&self, edge: u32) -> Vec3 {
        let [low, high] = self.of.edges[edge as usize].map(|vertex| self.of.positions[vertex as usize]);
        low + self.cuts[edge as usize].unwrap_or(0.5) * (high - low)
    }

    /// Point of a cut edge on the side of one of its vertices.
    fn edge(&mut self, edge: u32, on: u32) -> u32 {
        let [low, high] = self.of.edges[edge as usize];
        let side = usize::from(on == high);
        if self.edge_points[edge as usize][side] == NONE {
            let rest = self.cut_point(edge);
            if self.is_open[edge as usize] {
                self.edge_points[edge as usize][side] = self.add(rest, &[on]);
            } else {
                let point = self.add(rest, &[]);
                let share = self.cuts[edge as usize].unwrap_or(0.5);
                let weights = &mut self.result.points[point as usize].weights;
                (weights[0], weights[1]) = ((low, 1.0 - share), (high, share));
                self.edge_points[edge as usize] = [point; 2];
            }
        }
        self.edge_points[edge as usize][side]
    }

    /// Interior point of a face with three cut edges, on the side of one of its vertices.
    fn face(&mut self, face: u32, tetrahedron: u32, own: usize, on: u32) -> u32 {
        let corners = &self.of.tetrahedra[tetrahedron as usize];
        let vertices = ascending(FACES[own].map(|corner| corners[corner]));
        let parts = self.face_parts[face as usize];
        let side = parts[vertices.iter().position(|&vertex| vertex == on).unwrap_or(0)];
        if self.face_points[face as usize][side as usize] == NONE {
            let edges = SIDES[own].map(|edge| self.of.edges_of[tetrahedron as usize][edge]);
            let rest = edges.iter().map(|&edge| self.cut_point(edge)).sum::<Vec3>() / 3.0;
            let connected: Vec<u32> = (0..3).filter(|&one| parts[one] == side).map(|one| vertices[one]).collect();
            self.face_points[face as usize][side as usize] = self.add(rest, &connected);
        }
        self.face_points[face as usize][side as usize]
    }

    fn push(&mut self, triangle: [u32; 3], owner: u32, crack: bool) {
        self.result.triangles.push(triangle);
        self.result.owners.push(owner);
        self.result.cracks.push(crack);
    }

    /// Adds the boundary faces, subdivided by their cut edges.
    fn boundary(&mut self) {
        for &(tetrahedron, own) in &self.of.boundary {
            let own = own as usize;
            let corners = FACES[own].map(|corner| self.of.tetrahedra[tetrahedron as usize][corner]);
            let edges = SIDES[own].map(|edge| self.of.edges_of[tetrahedron as usize][edge]);
            let is_cut = edges.map(|edge| self.is_cut(edge));
            let whole = corners.map(|vertex| self.vertex(vertex));
            // Rotated so that the exceptional edge comes first.
            let rotated = |by: usize| [0, 1, 2].map(|index| (index + by) % 3);
            match is_cut.iter().filter(|cut| **cut).count() {
                0 => self.push(whole, corners[0], false),
                1 => {
                    let [a, b, c] = rotated(is_cut.iter().position(|cut| *cut).unwrap_or(0));
                    let middle = self.edge(edges[a], corners[a]);
                    self.push([whole[a], middle, whole[c]], corners[a], false);
                    self.push([middle, whole[b], whole[c]], corners[a], false);
                }
                2 => {
                    // The uncut edge is opposite to the isolated vertex.
                    let [b, c, a] = rotated(is_cut.iter().position(|cut| !*cut).unwrap_or(0));
                    let [near, far] = [self.edge(edges[a], corners[a]), self.edge(edges[c], corners[a])];
                    self.push([whole[a], near, far], corners[a], false);
                    let [near, far] = [self.edge(edges[a], corners[b]), self.edge(edges[c], corners[c])];
                    self.push([near, whole[b], whole[c]], corners[b], false);
                    self.push([near, whole[c], far], corners[b], false);
                }
                _ => {
                    let face = self.of.faces_of[tetrahedron as usize][own];
                    for [a, _, c] in [rotated(0), rotated(1), rotated(2)] {
                        let middle = self.face(face, tetrahedron, own, corners[a]);
                        let [next, last] = [self.edge(edges[a], corners[a]), self.edge(edges[c], corners[a])];
                        self.push([whole[a], next, middle], corners[a], false);
                        self.push([whole[a], middle, last], corners[a], false);
                    }
                }
            }
        }
    }

    /// Adds the crack faces inside tetrahedra with several components.
    fn crack_faces(&mut self) {
        for tetrahedron in 0..self.of.tetrahedra.len() {
            if self.parts[tetrahedron] != [0; 4] {
                self.crack_faces_within(tetrahedron);
            }
        }
    }

    fn crack_faces_within(&mut self, tetrahedron: usize) {
        let (corners, parts) = (self.of.tetrahedra[tetrahedron], self.parts[tetrahedron]);
        let all = self.of.edges_of[tetrahedron];
        let apart = EDGES.iter().zip(all).filter(|([one, other], _)| parts[*one] != parts[*other]);
        let points: Vec<Vec3> = apart.map(|(_, edge)| self.cut_point(edge)).collect();
        let middle = points.iter().sum::<Vec3>() / points.len() as f64;
        let mut middles = [NONE; 4];
        for part in 0..4 {
            let connected: Vec<u32> = (0..4).filter(|&corner| parts[corner] == part).map(|own| corners[own]).collect();
            if !connected.is_empty() {
                middles[part as usize] = self.add(middle, &connected);
            }
        }
        for own in 0..4 {
            let edges = SIDES[own].map(|edge| all[edge]);
            let is_cut = edges.map(|edge| self.is_cut(edge));
            let vertex = |index: usize| corners[FACES[own][index]];
            let part = |index: usize| parts[FACES[own][index]] as usize;
            match is_cut.iter().filter(|cut| **cut).count() {
                2 => {
                    let whole = is_cut.iter().position(|cut| !*cut).unwrap_or(0);
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

    /// Duplicates points until every fan of triangles has its own, so that fans that only touch are
    /// not connected.
    fn finish(self) -> SplitSurface {
        let SplitSurface { points, triangles, owners, cracks, .. } = self.result;
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
        let mut surface = SplitSurface { points: apart, triangles, owners, cracks, ..SplitSurface::default() };
        surface.separate_edges();
        surface
    }
}

impl SplitSurface {
    /// Gives sheets that touch in an edge their own edges.
    pub(crate) fn separate_edges(&mut self) {
        while self.separate_edges_once() {}
    }

    /// Divides all but one of the sheets that share an edge at a new midpoint. Returns true if
    /// edges are left: each round leaves fewer, since new edges have a new point.
    fn separate_edges_once(&mut self) -> bool {
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
                // One division per triangle and round: its edges have changed.
                if pair.iter().any(|&triangle| !is_done[triangle as usize]) {
                    is_left = true;
                    continue;
                }
                let middle = self.points.len() as u32;
                self.points.push(SplitPoint::midpoint(edge[0].0.map(|end| self.points[end as usize])));
                for triangle in pair {
                    is_done[triangle as usize] = false;
                    self.divide(triangle as usize, edge[0].0, middle);
                }
            }
        }
        is_left
    }

    /// Divides a triangle at a point of one of its edges.
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

impl SplitPoint {
    /// Midpoint of two points, interpolated by the four vertices of largest weight.
    fn midpoint(ends: [SplitPoint; 2]) -> SplitPoint {
        let mut all: Vec<(u32, f64)> = ends.iter().flat_map(|end| end.weights).filter(|one| one.1 > 0.0).collect();
        all.sort_by_key(|one| one.0);
        let mut merged: Vec<(u32, f64)> = all
            .chunk_by(|one, other| one.0 == other.0)
            .map(|same| (same[0].0, same.iter().map(|one| one.1).sum()))
            .collect();
        merged.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        merged.truncate(4);
        let sum: f64 = merged.iter().map(|one| one.1).sum();
        let mut weights = [(0, 0.0); 4];
        weights.iter_mut().zip(&merged).for_each(|(weight, one)| *weight = (one.0, one.1 / sum));
        SplitPoint { rest: 0.5 * (ends[0].rest + ends[1].rest), weights }
    }
}

/// Merges the components of two corners; the first corner numbers the component.
fn merge<const N: usize>(parts: &mut [u8; N], [one, other]: [usize; 2]) {
    let (from, to) = (parts[one].max(parts[other]), parts[one].min(parts[other]));
    parts.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
}

#[cfg(test)]
mod tests;
