//! The surface of all parts: the boundary of the tetrahedra and both faces of every crack.
//!
//! A vertex is named by the degrees of freedom of the nodes that it lies between and the cracks
//! that meet in it: (edge, crack), (face, two cracks) or (element, three cracks). Parts of
//! neighbouring elements name it alike, so that the surface of every piece closes by construction.

use crate::model::{Motion, Xfem};
use crate::parts::{Part, are_connected, ascending};
use craze_body::contact_boundary;
use craze_math::Vec3;
use craze_math::cells::{CellSide, CellVertex};
use craze_mesh::TetId;
use std::collections::{BTreeMap, HashMap};

/// Barycentric coordinate below which a vertex does not depend on a node.
const NO_WEIGHT: f64 = 1e-9;

/// A vertex of the surface: a weighted sum of degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceVertex {
    /// Degrees of freedom; those without weight are left out.
    pub dofs: [u32; 4],
    /// Their weights (1).
    pub weights: [f64; 4],
    /// How many there are.
    pub count: usize,
    /// What is added to the sum (m): see [`Xfem::offset`].
    pub offset: Vec3,
    /// Position as placed at rest (m).
    pub rest: Vec3,
    /// A number that is the same for all vertices that cracks have made of one point.
    pub origin: u32,
}

/// A triangle's matter and whether a crack made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceTriangle {
    /// The part.
    pub part: u32,
    /// Whether it is a crack face.
    pub is_crack: bool,
}

/// The surface, rebuilt when a crack grows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BodySurface {
    pub vertices: Vec<SurfaceVertex>,
    pub triangles: Vec<[u32; 3]>,
    pub sources: Vec<SurfaceTriangle>,
    /// Origins of the vertices, for contact.
    pub origins: Vec<u32>,
    /// Half of the distance that surfaces in contact keep (m).
    pub skin: f64,
    /// Changes with the triangles.
    pub version: u64,
}

impl SurfaceVertex {
    /// Its degrees of freedom with their weights.
    pub fn entries(&self) -> impl Iterator<Item = (u32, f64)> + Clone + '_ {
        self.dofs[..self.count].iter().copied().zip(self.weights[..self.count].iter().copied())
    }

    /// Its position (m) for those of the degrees of freedom.
    pub fn position(&self, positions: &[Vec3]) -> Vec3 {
        self.entries().map(|(dof, weight)| weight * positions[dof as usize]).sum::<Vec3>() + self.offset
    }

    /// Its velocity (m/s).
    pub fn velocity(&self, motion: &Motion) -> Vec3 {
        self.entries().map(|(dof, weight)| weight * motion.velocities[dof as usize]).sum()
    }
}

/// What names a vertex: cracks, then degrees of freedom, ascending.
type Name = ([u32; 3], [u32; 4]);

/// Points of cracks on the edges of the tetrahedra: for the nodes of an edge in ascending order,
/// the weight of the second, and the cracks.
type EdgePoints = BTreeMap<[u32; 2], Vec<(f64, CellVertex)>>;

struct Builder<'a> {
    body: &'a Xfem,
    surface: BodySurface,
    names: HashMap<Name, u32>,
    origins: HashMap<Name, u32>,
    edge_points: EdgePoints,
}

impl BodySurface {
    /// The surface of a body.
    pub fn of(body: &Xfem) -> BodySurface {
        let version = body.history.len() as u64 + 1;
        let surface = BodySurface { version, skin: contact_boundary(&body.mesh).1, ..BodySurface::default() };
        let (names, origins) = (HashMap::new(), HashMap::new());
        let mut builder = Builder { body, surface, names, origins, edge_points: edge_points(body) };
        for (element, nodes) in (0..).zip(body.mesh.elements()) {
            let is_cut = !body.enrichment.cracks_in(element).is_empty();
            let order = ascending(nodes);
            for part in body.enrichment.parts_of(element) {
                for corner in 0..4 {
                    let is_outer = body.mesh.neighbour(TetId(element), corner).is_none();
                    if is_outer || is_cut && is_separated(body, part, corner) {
                        builder.add_face(part, &order, corner, !is_outer);
                    }
                }
                builder.add_crack_faces(part, &order);
            }
        }
        let mut surface = builder.surface;
        surface.origins = surface.vertices.iter().map(|vertex| vertex.origin).collect();
        surface
    }
}

/// True if no part on the other side of a face is connected to a part through it.
fn is_separated(body: &Xfem, part: u32, corner: usize) -> bool {
    let element = body.enrichment.parts[part as usize].element;
    let Some(neighbour) = body.mesh.neighbour(TetId(element), corner) else { return false };
    let one = body.enrichment.placed(&body.mesh, part);
    let connected = |other: u32| are_connected(one, body.enrichment.placed(&body.mesh, other));
    !body.enrichment.parts_of(neighbour.0).any(connected)
}

fn edge_points(body: &Xfem) -> EdgePoints {
    let mut points = EdgePoints::new();
    for (element, _) in body.enrichment.cut_elements() {
        let nodes = &body.mesh.elements()[element as usize];
        let order = ascending(nodes);
        for part in body.enrichment.parts_of(element) {
            let Some(cell) = &body.enrichment.parts[part as usize].cell else { continue };
            for vertex in &cell.vertices {
                let ranks: Vec<usize> = (0..4).filter(|rank| vertex.faces >> rank & 1 == 0).collect();
                if let [first, second] = ranks[..] {
                    let edge = [nodes[order[first]], nodes[order[second]]];
                    let known = points.entry(edge).or_default();
                    if !known.iter().any(|(_, other)| other.cuts == vertex.cuts) {
                        known.push((vertex.weights[second], *vertex));
                    }
                }
            }
        }
    }
    points
}

impl Builder<'_> {
    /// Adds the polygon of a part on the face opposite a corner.
    fn add_face(&mut self, number: u32, order: &[usize; 4], corner: usize, is_crack: bool) {
        let part = &self.body.enrichment.parts[number as usize];
        let rank = order.iter().position(|&other| other == corner).unwrap_or(0);
        let side = CellSide::Face(rank as u8);
        let whole;
        let cell = match &part.cell {
            Some(cell) => cell,
            None => {
                whole = craze_math::cells::Cell::tetrahedron();
                &whole
            }
        };
        for facet in cell.facets.iter().filter(|facet| facet.side == side) {
            let vertices: Vec<CellVertex> =
                facet.vertices.iter().map(|&vertex| cell.vertices[usize::from(vertex)]).collect();
            self.add_polygon(number, part, order, &vertices, is_crack);
        }
    }

    fn add_crack_faces(&mut self, number: u32, order: &[usize; 4]) {
        let part = &self.body.enrichment.parts[number as usize];
        let Some(cell) = &part.cell else { return };
        for facet in cell.facets.iter().filter(|facet| matches!(facet.side, CellSide::Cut(_))) {
            let vertices: Vec<CellVertex> =
                facet.vertices.iter().map(|&vertex| cell.vertices[usize::from(vertex)]).collect();
            self.add_polygon(number, part, order, &vertices, true);
        }
    }

    fn add_polygon(&mut self, number: u32, part: &Part, order: &[usize; 4], polygon: &[CellVertex], is_crack: bool) {
        let nodes = &self.body.mesh.elements()[part.element as usize];
        let mut around: Vec<u32> = Vec::with_capacity(polygon.len() + 2);
        for (index, vertex) in polygon.iter().enumerate() {
            let next = &polygon[(index + 1) % polygon.len()];
            around.push(self.vertex(part, order, vertex));
            for between in self.between(nodes, order, vertex, next) {
                let number = self.vertex(part, order, &between);
                around.push(number);
            }
        }
        around.dedup();
        if around.len() > 1 && around.first() == around.last() {
            around.pop();
        }
        // The cell has the nodes in ascending order, which may reverse the tetrahedron.
        if is_odd(order) {
            around.reverse();
        }
        for triangle in fan(&around, &self.surface.vertices) {
            self.surface.triangles.push(triangle);
            self.surface.sources.push(SurfaceTriangle { part: number, is_crack });
        }
    }

    /// Points of cracks of other elements on an edge of a polygon that lies on an edge of the
    /// tetrahedron, in order from one vertex to the next.
    fn between(&self, nodes: &[u32; 4], order: &[usize; 4], from: &CellVertex, to: &CellVertex) -> Vec<CellVertex> {
        let ranks: Vec<usize> = (0..4).filter(|rank| (from.faces & to.faces) >> rank & 1 == 0).collect();
        let [first, second] = ranks[..] else { return Vec::new() };
        let Some(points) = self.edge_points.get(&[nodes[order[first]], nodes[order[second]]]) else {
            return Vec::new();
        };
        let (start, end) = (from.weights[second], to.weights[second]);
        let inside = |at: f64| (at - start) * (at - end) < 0.0;
        let mut found: Vec<(f64, CellVertex)> = (points.iter().filter(|(at, _)| inside(*at)))
            .map(|(at, vertex)| {
                let mut weights = [0.0; 4];
                (weights[first], weights[second]) = (1.0 - at, *at);
                (*at, CellVertex { weights, faces: from.faces & to.faces, cuts: vertex.cuts })
            })
            .collect();
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        if start > end {
            found.reverse();
        }
        found.into_iter().map(|(_, vertex)| vertex).collect()
    }

    /// The number of a vertex of a part.
    fn vertex(&mut self, part: &Part, order: &[usize; 4], vertex: &CellVertex) -> u32 {
        let body = self.body;
        let nodes = &body.mesh.elements()[part.element as usize];
        let mut entries: Vec<(u32, u32, f64, usize)> = Vec::with_capacity(4);
        for (rank, &corner) in order.iter().enumerate() {
            if vertex.weights[rank] > NO_WEIGHT {
                entries.push((part.dofs[corner], nodes[corner], vertex.weights[rank], corner));
            }
        }
        // A vertex at a node is that node, whichever crack passes through it.
        let cuts = if entries.len() == 1 { [u32::MAX; 3] } else { vertex.cuts };
        entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
        let name = |of: fn(&(u32, u32, f64, usize)) -> u32| {
            let mut name = [u32::MAX; 4];
            name.iter_mut().zip(&entries).for_each(|(slot, entry)| *slot = of(entry));
            name
        };
        let mut by_node = name(|entry| entry.1);
        by_node.sort_unstable();
        let next = self.surface.vertices.len() as u32;
        let number = *self.names.entry((cuts, name(|entry| entry.0))).or_insert(next);
        if number < next {
            return number;
        }
        let origin = *self.origins.entry((cuts, by_node)).or_insert(next);
        let total: f64 = entries.iter().map(|entry| entry.2).sum();
        let mut added = SurfaceVertex {
            dofs: [0; 4],
            weights: [0.0; 4],
            count: entries.len(),
            offset: Vec3::zeros(),
            rest: Vec3::zeros(),
            origin,
        };
        for (slot, (dof, node, weight, corner)) in entries.into_iter().enumerate() {
            let weight = weight / total;
            (added.dofs[slot], added.weights[slot]) = (dof, weight);
            added.offset += weight * body.offset(part, corner);
            added.rest += weight * body.placed(&body.mesh.positions()[node as usize]);
        }
        self.surface.vertices.push(added);
        number
    }
}

/// True for an odd permutation.
fn is_odd(order: &[usize; 4]) -> bool {
    let inversions = (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| order[j] > order[i]);
    inversions.count() % 2 == 1
}

/// Triangles of a convex polygon, from the vertex that leaves the largest smallest triangle.
fn fan(around: &[u32], vertices: &[SurfaceVertex]) -> Vec<[u32; 3]> {
    let count = around.len();
    if count < 3 {
        return Vec::new();
    }
    let from =
        |apex: usize| (1..count - 1).map(move |index| [apex, (apex + index) % count, (apex + index + 1) % count]);
    let area = |triangle: [usize; 3]| {
        let [a, b, c] = triangle.map(|index| vertices[around[index] as usize].rest);
        (b - a).cross(&(c - a)).norm()
    };
    let mut best = (f64::NEG_INFINITY, 0);
    if count > 3 {
        for apex in 0..count {
            let smallest = from(apex).map(area).fold(f64::INFINITY, f64::min);
            if smallest > best.0 {
                best = (smallest, apex);
            }
        }
    }
    from(best.1).map(|triangle| triangle.map(|index| around[index])).collect()
}
