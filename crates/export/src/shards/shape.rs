//! The surface of one shard at rest.

use craze_frame::{Bounds, Surface};
use craze_math::Vec3;

use super::contacts::{Contact, place};
use crate::parts::Part;

/// A shard's triangles at rest.
pub(super) struct Shape {
    /// Triangles with vertices at their rest positions (m). A vertex belongs to one fan of triangles only.
    pub part: Part,
    /// Whether every edge is passed exactly once in each direction: closed and manifold.
    pub closed: bool,
    /// Centre of mass at rest (m), the density being the same throughout; the middle of its box where the surface is not closed.
    pub centre: Vec3,
}

/// The shape of `triangles`, some triangles of `surface`, without the faces of the contacts in `glued`, at which the two sides are joined.
pub(super) fn shape(surface: &Surface, rest: &[Vec3], triangles: &[usize], glued: &[Contact]) -> Shape {
    let vertices = Glue::new(surface, rest, triangles, glued);
    let mut removed: Vec<usize> = glued.iter().flat_map(|contact| contact.triangles).collect();
    removed.sort_unstable();
    let kept: Vec<usize> =
        triangles.iter().copied().filter(|triangle| removed.binary_search(triangle).is_err()).collect();
    let corners: Vec<[u32; 3]> = kept
        .iter()
        .map(|&triangle| surface.triangles[triangle].map(|vertex| vertices.representative(vertex)))
        .collect();
    let fans = fans(&corners, |vertex| rest[vertex as usize]);
    let mut numbers = vec![u32::MAX; fans.len()];
    let mut part = Part {
        piece: triangles.first().map_or(0, |&triangle| surface.piece_of(triangle)),
        positions: Vec::new(),
        triangles: Vec::with_capacity(kept.len()),
        crack: kept.iter().map(|&triangle| surface.is_crack(triangle)).collect(),
    };
    for (triangle, corners) in corners.iter().enumerate() {
        part.triangles.push([0, 1, 2].map(|corner| {
            let number = &mut numbers[fans[3 * triangle + corner] as usize];
            if *number == u32::MAX {
                *number = part.positions.len() as u32;
                part.positions.push(rest[corners[corner] as usize]);
            }
            *number
        }));
    }
    let closed = is_manifold(&part.triangles);
    let centre = centre_of_mass(&part, closed);
    Shape { part, closed, centre }
}

/// Sets of things that were found to be one, each with its first member as representative.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Sets {
        Sets((0..count as u32).collect())
    }

    fn first(&self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            member = self.0[member as usize];
        }
        member
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other) as usize] = one.min(other);
        // Shorter ways for the next search.
        self.0[one as usize] = one.min(other);
    }
}

/// Vertices of some triangles, of which those on both sides of glued faces are one.
struct Glue {
    /// Vertices of the surface that the triangles use, ascending.
    used: Vec<u32>,
    sets: Sets,
}

impl Glue {
    fn new(surface: &Surface, rest: &[Vec3], triangles: &[usize], glued: &[Contact]) -> Glue {
        let mut used: Vec<u32> = triangles.iter().flat_map(|&triangle| surface.triangles[triangle]).collect();
        used.sort_unstable();
        used.dedup();
        let mut glue = Glue { sets: Sets::new(used.len()), used };
        for contact in glued {
            let [one, other] = contact.triangles.map(|triangle| surface.triangles[triangle]);
            for vertex in one {
                let at = place(&rest[vertex as usize]);
                if let Some(twin) = other.into_iter().find(|&twin| place(&rest[twin as usize]) == at) {
                    glue.sets.join(glue.local(vertex), glue.local(twin));
                }
            }
        }
        glue
    }

    fn local(&self, vertex: u32) -> u32 {
        self.used.partition_point(|&used| used < vertex) as u32
    }

    fn representative(&self, vertex: u32) -> u32 {
        self.used[self.sets.first(self.local(vertex)) as usize]
    }
}

/// One side of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Its vertices, the lower one first.
    edge: [u32; 2],
    /// Corners at the lower and at the higher vertex, and the third; corner k of triangle t is 3 t + k.
    corners: [u32; 3],
    /// Whether the triangle passes it from the lower vertex to the higher.
    is_forward: bool,
}

/// All sides, by edges.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for [start, end, third] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let is_forward = corners[start] < corners[end];
            let [low, high] = if is_forward { [start, end] } else { [end, start] };
            sides.push(Side {
                edge: [corners[low], corners[high]],
                corners: [low, high, third].map(|corner| (3 * triangle + corner) as u32),
                is_forward,
            });
        }
    }
    sides.sort_unstable();
    sides
}

/// Whether every edge is passed exactly once in each direction.
fn is_manifold(triangles: &[[u32; 3]]) -> bool {
    let once = |edge: &[Side]| edge.len() == 2 && edge[0].is_forward != edge[1].is_forward;
    sides(triangles).chunk_by(|one, other| one.edge == other.edge).all(once)
}

/// For every corner, the first corner of its fan: the corners of one vertex that hang together over edges. Where more than two
/// triangles meet at an edge, those hang together that have matter between them.
fn fans(triangles: &[[u32; 3]], position: impl Fn(u32) -> Vec3) -> Vec<u32> {
    let mut fans = Sets::new(3 * triangles.len());
    let vertex = |corner: u32| triangles[corner as usize / 3][corner as usize % 3];
    for edge in sides(triangles).chunk_by_mut(|one, other| one.edge == other.edge) {
        if edge.len() > 2 {
            let [low, high] = edge[0].edge.map(&position);
            let across = |side: &Side| position(vertex(side.corners[2])) - low;
            sort_around(&(high - low), edge, across);
        }
        for [one, other] in wedges(edge) {
            fans.join(one.corners[0], other.corners[0]);
            fans.join(one.corners[1], other.corners[1]);
        }
    }
    (0..3 * triangles.len() as u32).map(|corner| fans.first(corner)).collect()
}

/// Sorts triangles around their common edge by angle, counter-clockwise seen against `along` (m). Of two in one place, that comes
/// first which has its matter before it.
fn sort_around(along: &Vec3, sides: &mut [Side], across: impl Fn(&Side) -> Vec3) {
    let first = along.cross(&across(&sides[0]));
    let second = along.cross(&first);
    let angle = |side: &Side| {
        let outward = along.cross(&across(side));
        // Lengths cancel but for that of the edge.
        (second.dot(&outward)).atan2(first.dot(&outward) * along.norm())
    };
    sides.sort_by(|one, other| angle(one).total_cmp(&angle(other)).then(other.is_forward.cmp(&one.is_forward)));
}

/// Pairs of triangles around an edge with matter between them: it begins behind one that passes the edge backward and ends at one
/// that passes it forward, and it may do so past the end of the list.
fn wedges(around: &[Side]) -> Vec<[Side; 2]> {
    let mut begun: Vec<usize> = Vec::new();
    let mut done = vec![false; around.len()];
    let mut wedges = Vec::new();
    for index in (0..around.len()).chain(0..around.len()) {
        if done[index] || begun.contains(&index) {
            continue;
        }
        if !around[index].is_forward {
            begun.push(index);
        } else if let Some(begin) = begun.pop() {
            (done[begin], done[index]) = (true, true);
            wedges.push([around[begin], around[index]]);
        }
    }
    wedges
}

/// By the divergence theorem over the tetrahedra from a vertex of its own, so that far from the origin no digits are lost.
fn centre_of_mass(part: &Part, closed: bool) -> Vec3 {
    let Some(bounds) = Bounds::of(&part.positions) else { return Vec3::zeros() };
    let origin = part.positions[0];
    let (mut volume, mut moment) = (0.0, Vec3::zeros());
    for triangle in &part.triangles {
        let [a, b, c] = triangle.map(|vertex| part.positions[vertex as usize] - origin);
        let tetrahedron = a.dot(&b.cross(&c)) / 6.0;
        volume += tetrahedron;
        moment += 0.25 * tetrahedron * (a + b + c);
    }
    let centre = origin + moment / volume;
    if closed && bounds.contains(&centre) { centre } else { bounds.centre() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tetrahedra with outward faces.
    fn tetrahedra(rest: &[[f64; 3]], tetrahedra: &[[u32; 4]]) -> (Surface, Vec<Vec3>) {
        let faces = |&[a, b, c, d]: &[u32; 4]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]];
        let triangles = tetrahedra.iter().flat_map(faces).collect();
        let rest: Vec<Vec3> = rest.iter().copied().map(Vec3::from).collect();
        (Surface { positions: rest.clone(), triangles, ..Surface::default() }, rest)
    }

    fn shape_of((surface, rest): &(Surface, Vec<Vec3>)) -> Shape {
        let all: Vec<usize> = (0..surface.triangles.len()).collect();
        shape(surface, rest, &all, &[])
    }

    #[test]
    fn a_tetrahedron_is_closed_and_its_centre_is_the_mean_of_its_corners() {
        let tetrahedron =
            tetrahedra(&[[9.0, 9.0, 9.0], [10.0, 9.0, 9.0], [9.0, 10.0, 9.0], [9.0, 9.0, 10.0]], &[[0, 1, 2, 3]]);
        let shape = shape_of(&tetrahedron);
        assert!(shape.closed);
        assert!((shape.centre - Vec3::repeat(9.25)).norm() < 1e-12);
    }

    #[test]
    fn a_missing_or_a_turned_face_is_seen() {
        let mut open = tetrahedra(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], &[[0, 1, 2, 3]]);
        open.0.triangles[2].swap(0, 1);
        assert!(!shape_of(&open).closed);
        open.0.triangles.remove(2);
        let shape = shape_of(&open);
        assert!(!shape.closed);
        assert_eq!(shape.centre, Vec3::repeat(0.5));
    }

    #[test]
    fn a_vertex_where_two_parts_touch_becomes_two() {
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let back = [x, y, z].map(|axis| axis.map(|coordinate: f64| -coordinate));
        let pinched = tetrahedra(&[[0.0; 3], x, y, z, back[0], back[1], back[2]], &[[0, 1, 2, 3], [0, 5, 4, 6]]);
        let shape = shape_of(&pinched);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
    }

    #[test]
    fn an_edge_where_two_parts_touch_becomes_two() {
        let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [-1.0, 0.0, 0.5], [0.0, -1.0, 0.5]];
        let touching = tetrahedra(&points, &[[0, 2, 3, 1], [0, 4, 5, 1]]);
        let shape = shape_of(&touching);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
        // Every corner stayed with its own tetrahedron.
        for triangles in shape.part.triangles.chunks(4) {
            let mut vertices = triangles.concat();
            vertices.sort_unstable();
            vertices.dedup();
            assert_eq!(vertices.len(), 4);
        }
    }

    #[test]
    fn two_lips_in_one_place_stay_apart() {
        // Two tetrahedra side by side whose common face is open, but which share one edge of it.
        let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [-1.0, 0.5, 0.5], [0.0, 1.0, 0.5]];
        let lips = tetrahedra(&points, &[[0, 2, 3, 1], [0, 5, 4, 1]]);
        let shape = shape_of(&lips);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
    }
}
