//! A surface embedded in a background mesh, which deforms it.

use craze_frame::is_manifold;
use craze_math::{Mat3, Vec3};
use craze_spatial::{Aabb, Bvh, WindingTree};

use crate::error::SkinError;
use crate::split::BackgroundMesh;
use crate::tuning::MAX_EMBEDDED_TRIANGLES;

const MAX_HALVING_ROUNDS: usize = 24;

/// A closed surface with short edges and, for each vertex, the tetrahedron of a [`BackgroundMesh`]
/// that contains it.
#[derive(Clone, Debug)]
pub struct EmbeddedSurface {
    /// Input positions and triangles, before edges were halved.
    input: (Vec<Vec3>, Vec<[u32; 3]>),
    /// Longest edge (m).
    max_edge: f64,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The input triangle of every triangle.
    pub(crate) sources: Vec<u32>,
    /// The tetrahedron that contains each vertex.
    pub(crate) hosts: Vec<u32>,
    pub(crate) winding: WindingTree,
    is_inside: Vec<bool>,
}

impl EmbeddedSurface {
    /// Embeds a closed manifold surface, which must lie within the tetrahedra. Edges longer than
    /// `max_edge` (m) are halved, so that the surface can bend.
    pub fn new(
        mesh: &BackgroundMesh,
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        max_edge: f64,
    ) -> Result<EmbeddedSurface, SkinError> {
        let count = positions.len();
        let is_known = triangles.iter().flatten().all(|&vertex| (vertex as usize) < count);
        if !is_known || triangles.is_empty() || !is_manifold(&triangles) || !(max_edge > 0.0) {
            return Err(SkinError::InvalidSurface);
        }
        let winding = WindingTree::new(&positions, &triangles).map_err(|_| SkinError::InvalidSurface)?;
        let input = (positions, triangles);
        let (positions, triangles, sources) = halve_long_edges(&input.0, &input.1, max_edge);
        let hosts = hosts(mesh, &positions)?;
        let is_inside = mesh.positions().iter().map(|position| winding.winding_number(position) > 0.5).collect();
        Ok(EmbeddedSurface { input, max_edge, positions, triangles, sources, hosts, winding, is_inside })
    }

    /// Input positions (m) and triangles.
    pub fn input(&self) -> (&[Vec3], &[[u32; 3]]) {
        (&self.input.0, &self.input.1)
    }

    /// Longest edge (m).
    pub fn max_edge(&self) -> f64 {
        self.max_edge
    }

    /// Returns true if a vertex of the background mesh lies inside the surface.
    pub fn is_inside(&self, vertex: usize) -> bool {
        self.is_inside[vertex]
    }
}

/// Halves edges longer than `max_edge` (m) repeatedly. Returns positions, triangles and the input
/// triangle of each.
fn halve_long_edges(positions: &[Vec3], triangles: &[[u32; 3]], max_edge: f64) -> (Vec<Vec3>, Vec<[u32; 3]>, Vec<u32>) {
    let (mut positions, mut triangles) = (positions.to_vec(), triangles.to_vec());
    let mut sources: Vec<u32> = (0..triangles.len() as u32).collect();
    for _ in 0..MAX_HALVING_ROUNDS {
        let ascending = |one: u32, other: u32| [one.min(other), one.max(other)];
        let sides = |[a, b, c]: [u32; 3]| [ascending(a, b), ascending(b, c), ascending(c, a)];
        let length = |[from, to]: [u32; 2]| (positions[to as usize] - positions[from as usize]).norm();
        let mut long: Vec<[u32; 2]> = triangles.iter().flat_map(|corners| sides(*corners)).collect();
        long.retain(|edge| length(*edge) > max_edge);
        long.sort_unstable();
        long.dedup();
        if long.is_empty() || triangles.len() + 2 * long.len() > MAX_EMBEDDED_TRIANGLES {
            break;
        }
        let first = positions.len() as u32;
        let middles: Vec<Vec3> =
            long.iter().map(|&[from, to]| 0.5 * (positions[from as usize] + positions[to as usize])).collect();
        positions.extend(middles);
        let middle = |edge: [u32; 2]| long.binary_search(&edge).ok().map(|index| first + index as u32);
        let (mut next, mut origins) =
            (Vec::with_capacity(2 * triangles.len()), Vec::with_capacity(2 * triangles.len()));
        for (&corners, &source) in triangles.iter().zip(&sources) {
            let before = next.len();
            subdivide(corners, sides(corners).map(middle), &mut next);
            origins.extend((before..next.len()).map(|_| source));
        }
        (triangles, sources) = (next, origins);
    }
    (positions, triangles, sources)
}

/// Divides a triangle at the midpoints of some of its edges; edge k starts at corner k.
fn subdivide(corners: [u32; 3], middles: [Option<u32>; 3], into: &mut Vec<[u32; 3]>) {
    let rotated =
        |by: usize| ([0, 1, 2].map(|one| corners[(one + by) % 3]), [0, 1, 2].map(|one| middles[(one + by) % 3]));
    for by in 0..3 {
        let ([a, b, c], own) = rotated(by);
        match own {
            [Some(ab), Some(bc), Some(ca)] => into.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]),
            [Some(ab), Some(bc), None] => into.extend([[ab, b, bc], [a, ab, bc], [a, bc, c]]),
            [Some(ab), None, None] => into.extend([[a, ab, c], [ab, b, c]]),
            [None, None, None] => into.push(corners),
            _ => continue,
        }
        return;
    }
}

/// The tetrahedron that contains each point (m).
fn hosts(mesh: &BackgroundMesh, points: &[Vec3]) -> Result<Vec<u32>, SkinError> {
    let tetrahedra = mesh.tetrahedra();
    let position = |vertex: u32| mesh.positions()[vertex as usize];
    let boxes: Vec<Aabb> = tetrahedra.iter().map(|corners| Aabb::from_points(&corners.map(position))).collect();
    let tree = Bvh::build(&boxes).map_err(|_| SkinError::InvalidSurface)?;
    let find = |point: &Vec3| {
        let mut best = (-1e-6, None);
        tree.within(point, 0.0, &boxes, |tetrahedron| {
            let least = barycentric(mesh, tetrahedron, point).into_iter().fold(f64::INFINITY, f64::min);
            if least > best.0 || (least == best.0 && Some(tetrahedron) < best.1) {
                best = (least, Some(tetrahedron));
            }
        });
        best.1.ok_or(SkinError::InvalidSurface)
    };
    points.iter().map(find).collect()
}

/// Barycentric weights of a point (m).
pub(crate) fn barycentric(mesh: &BackgroundMesh, tetrahedron: u32, point: &Vec3) -> [f64; 4] {
    let [a, b, c, d] = mesh.tetrahedra()[tetrahedron as usize].map(|vertex| mesh.positions()[vertex as usize]);
    let edges = Mat3::from_columns(&[b - a, c - a, d - a]);
    let along = edges.try_inverse().map_or_else(|| Vec3::repeat(0.25), |inverse| inverse * (point - a));
    [1.0 - along.sum(), along.x, along.y, along.z]
}
