//! The surface of one shard at rest.

use craze_frame::{Bounds, Surface, fans, is_manifold};
use craze_math::{DisjointSets, Vec3};

use super::contacts::{Contact, place};
use crate::dress::Worn;
use crate::parts::Part;

/// A shard's triangles at rest.
pub(super) struct Shape {
    /// Triangles with vertices at their rest positions (m). A vertex belongs to one fan of triangles only.
    pub part: Part,
    /// Whether every edge is passed exactly once in each direction: closed and manifold.
    pub closed: bool,
    /// What the corners of its outside carry; those come first among the triangles.
    pub look: Look,
    /// Centre of mass at rest (m), the density being the same throughout; the middle of its box where the surface is not closed.
    pub centre: Vec3,
}

/// What the first triangles and their corners carry; empty where there is none.
#[derive(Default)]
pub(super) struct Look {
    /// Texture coordinates (1), (0, 0) at the lower left.
    pub texture: Vec<[[f32; 2]; 3]>,
    /// Unit normals; `None` where they cancel.
    pub normals: Vec<[Option<[f32; 3]>; 3]>,
    /// Numbers of materials.
    pub materials: Vec<u32>,
}

impl Look {
    /// What these triangles carry, where all of them carry it.
    fn of<'worn>(worn: impl Iterator<Item = &'worn Worn> + Clone) -> Look {
        let texture: Option<Vec<_>> = worn.clone().map(|worn| worn.texture).collect();
        let materials: Option<Vec<_>> = worn.clone().map(|worn| worn.material).collect();
        Look {
            texture: texture.unwrap_or_default(),
            normals: worn.map(|worn| worn.normals).collect(),
            materials: materials.unwrap_or_default(),
        }
    }
}

impl Shape {
    /// A shape that is known to be closed and manifold.
    pub fn closed(part: Part, look: Look) -> Shape {
        let centre = centre_of_mass(&part, true);
        Shape { part, closed: true, look, centre }
    }
}

/// The shape of `triangles`, some triangles of `surface`, without the faces of the contacts in `glued`, at which the two sides are joined. `worn` is what the
/// triangles of the surface carry, if anything.
pub(super) fn shape(
    surface: &Surface,
    rest: &[Vec3],
    triangles: &[usize],
    glued: &[Contact],
    worn: Option<&[Worn]>,
) -> Shape {
    let vertices = Glue::new(surface, rest, triangles, glued);
    let mut removed: Vec<usize> = glued.iter().flat_map(|contact| contact.triangles).collect();
    removed.sort_unstable();
    let mut kept: Vec<usize> =
        triangles.iter().copied().filter(|triangle| removed.binary_search(triangle).is_err()).collect();
    if worn.is_some() {
        // The outside comes first.
        kept.sort_by_key(|&triangle| surface.is_crack(triangle));
    }
    let look = worn.map_or_else(Look::default, |worn| {
        let outside = kept.iter().filter(|&&triangle| !surface.is_crack(triangle));
        Look::of(outside.map(|&triangle| &worn[triangle]))
    });
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
        faces: Vec::new(),
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
    Shape { part, closed, look, centre }
}

/// Vertices of some triangles, of which those on both sides of glued faces are one.
struct Glue {
    /// Vertices of the surface that the triangles use, ascending.
    used: Vec<u32>,
    sets: DisjointSets,
}

impl Glue {
    fn new(surface: &Surface, rest: &[Vec3], triangles: &[usize], glued: &[Contact]) -> Glue {
        let mut used: Vec<u32> = triangles.iter().flat_map(|&triangle| surface.triangles[triangle]).collect();
        used.sort_unstable();
        used.dedup();
        let mut glue = Glue { sets: DisjointSets::new(used.len()), used };
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
        self.used[self.sets.root(self.local(vertex)) as usize]
    }
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
        shape(surface, rest, &all, &[], None)
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
