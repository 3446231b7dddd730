//! Surface of one shard at rest.

use craze_frame::{Bounds, Surface, fans, is_manifold};
use craze_math::{DisjointSets, Vec3};

use super::contacts::{Contact, position_bits};
use crate::attributes::TriangleAttributes;
use crate::parts::Part;

/// Surface of a shard at rest.
pub(super) struct Shape {
    /// Triangles over rest positions (m). A vertex belongs to one fan of triangles.
    pub part: Part,
    /// True if every edge is traversed exactly once in each direction: closed and manifold.
    pub closed: bool,
    /// Attributes of its outside triangles, which come first.
    pub attributes: ShardAttributes,
    /// Centre of mass at rest (m) for uniform density; centre of the bounding box if not closed.
    pub centre: Vec3,
}

/// Attributes of the first triangles and their corners; a list is empty if any is missing.
#[derive(Default)]
pub(super) struct ShardAttributes {
    /// Texture coordinates (1), (0, 0) at the lower left.
    pub texture: Vec<[[f32; 2]; 3]>,
    /// Unit normals; `None` where they cancel.
    pub normals: Vec<[Option<[f32; 3]>; 3]>,
    /// Material indices.
    pub materials: Vec<u32>,
}

impl ShardAttributes {
    /// Collects the attributes that all triangles have.
    fn common<'a>(triangle_attributes: impl Iterator<Item = &'a TriangleAttributes> + Clone) -> ShardAttributes {
        let texture: Option<Vec<_>> =
            triangle_attributes.clone().map(|triangle_attributes| triangle_attributes.texture).collect();
        let materials: Option<Vec<_>> =
            triangle_attributes.clone().map(|triangle_attributes| triangle_attributes.material).collect();
        ShardAttributes {
            texture: texture.unwrap_or_default(),
            normals: triangle_attributes.map(|triangle_attributes| triangle_attributes.normals).collect(),
            materials: materials.unwrap_or_default(),
        }
    }
}

impl Shape {
    /// A shape that is known to be closed and manifold.
    pub fn closed(part: Part, attributes: ShardAttributes) -> Shape {
        let centre = centre_of_mass(&part, true);
        Shape { part, closed: true, attributes, centre }
    }
}

/// Shape of some triangles of a surface without the contact faces in `joined`, across which their
/// vertices are merged. `attributes`: those of the surface's triangles.
pub(super) fn shape(
    surface: &Surface,
    rest: &[Vec3],
    triangles: &[usize],
    joined: &[Contact],
    triangle_attributes: Option<&[TriangleAttributes]>,
) -> Shape {
    let vertices = MergedVertices::new(surface, rest, triangles, joined);
    let mut removed: Vec<usize> = joined.iter().flat_map(|contact| contact.triangles).collect();
    removed.sort_unstable();
    let mut kept: Vec<usize> =
        triangles.iter().copied().filter(|triangle| removed.binary_search(triangle).is_err()).collect();
    if triangle_attributes.is_some() {
        // The outside comes first.
        kept.sort_by_key(|&triangle| surface.is_crack(triangle));
    }
    let attributes = triangle_attributes.map_or_else(ShardAttributes::default, |triangle_attributes| {
        let outside = kept.iter().filter(|&&triangle| !surface.is_crack(triangle));
        ShardAttributes::common(outside.map(|&triangle| &triangle_attributes[triangle]))
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
    Shape { part, closed, attributes, centre }
}

/// Vertices of some triangles, merged across joined faces.
struct MergedVertices {
    /// Vertices of the surface that the triangles use, ascending.
    used: Vec<u32>,
    sets: DisjointSets,
}

impl MergedVertices {
    fn new(surface: &Surface, rest: &[Vec3], triangles: &[usize], joined: &[Contact]) -> MergedVertices {
        let mut used: Vec<u32> = triangles.iter().flat_map(|&triangle| surface.triangles[triangle]).collect();
        used.sort_unstable();
        used.dedup();
        let mut merged = MergedVertices { sets: DisjointSets::new(used.len()), used };
        for contact in joined {
            let [one, other] = contact.triangles.map(|triangle| surface.triangles[triangle]);
            for vertex in one {
                let at = position_bits(&rest[vertex as usize]);
                if let Some(twin) = other.into_iter().find(|&twin| position_bits(&rest[twin as usize]) == at) {
                    merged.sets.join(merged.local(vertex), merged.local(twin));
                }
            }
        }
        merged
    }

    fn local(&self, vertex: u32) -> u32 {
        self.used.partition_point(|&used| used < vertex) as u32
    }

    fn representative(&self, vertex: u32) -> u32 {
        self.used[self.sets.root(self.local(vertex)) as usize]
    }
}

/// By the divergence theorem relative to a vertex, which avoids cancellation far from the origin.
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
    fn a_missing_or_flipped_face_is_detected() {
        let mut open = tetrahedra(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], &[[0, 1, 2, 3]]);
        open.0.triangles[2].swap(0, 1);
        assert!(!shape_of(&open).closed);
        open.0.triangles.remove(2);
        let shape = shape_of(&open);
        assert!(!shape.closed);
        assert_eq!(shape.centre, Vec3::repeat(0.5));
    }

    #[test]
    fn a_vertex_where_two_parts_touch_is_duplicated() {
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let back = [x, y, z].map(|axis| axis.map(|coordinate: f64| -coordinate));
        let pinched = tetrahedra(&[[0.0; 3], x, y, z, back[0], back[1], back[2]], &[[0, 1, 2, 3], [0, 5, 4, 6]]);
        let shape = shape_of(&pinched);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
    }

    #[test]
    fn an_edge_where_two_parts_touch_is_duplicated() {
        let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [-1.0, 0.0, 0.5], [0.0, -1.0, 0.5]];
        let touching = tetrahedra(&points, &[[0, 2, 3, 1], [0, 4, 5, 1]]);
        let shape = shape_of(&touching);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
        // Every corner stays with its own tetrahedron.
        for triangles in shape.part.triangles.chunks(4) {
            let mut vertices = triangles.concat();
            vertices.sort_unstable();
            vertices.dedup();
            assert_eq!(vertices.len(), 4);
        }
    }

    #[test]
    fn coincident_crack_faces_stay_separate() {
        // Adjacent tetrahedra with an open common face that share one edge of it.
        let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [-1.0, 0.5, 0.5], [0.0, 1.0, 0.5]];
        let faces = tetrahedra(&points, &[[0, 2, 3, 1], [0, 5, 4, 1]]);
        let shape = shape_of(&faces);
        assert!(shape.closed);
        assert_eq!(shape.part.positions.len(), 8);
    }
}
