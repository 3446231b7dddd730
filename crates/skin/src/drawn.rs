//! The surface that a person drew, within tetrahedra that carry it.

use craze_frame::is_manifold;
use craze_math::{Mat3, Vec3};
use craze_spatial::{Aabb, Bvh, WindingTree};

use crate::error::SkinError;
use crate::parting::Background;

/// Rounds in which long edges are halved at most.
const ROUNDS: usize = 24;
/// Triangles at most: what would need more stays coarse.
const MOST_TRIANGLES: usize = 4_000_000;

/// A closed surface in which no edge is long, with the tetrahedron of a [`Background`] that each of its vertices lies in.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// As it was given.
    given: (Vec<Vec3>, Vec<[u32; 3]>),
    /// No edge is longer (m).
    longest: f64,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// For every triangle the given one that it is a part of.
    pub(crate) sources: Vec<u32>,
    /// The tetrahedron of every vertex.
    pub(crate) hosts: Vec<u32>,
    pub(crate) winding: WindingTree,
    is_inside: Vec<bool>,
}

impl Drawn {
    /// Prepares a closed manifold surface that the tetrahedra hold altogether. Triangles with edges longer than `longest` (m) are divided, so that they bend
    /// with what carries them.
    pub fn new(
        background: &Background,
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        longest: f64,
    ) -> Result<Drawn, SkinError> {
        let count = positions.len();
        let is_known = triangles.iter().flatten().all(|&vertex| (vertex as usize) < count);
        if !is_known || triangles.is_empty() || !is_manifold(&triangles) || !(longest > 0.0) {
            return Err(SkinError::Surface);
        }
        let winding = WindingTree::new(&positions, &triangles).map_err(|_| SkinError::Surface)?;
        let given = (positions, triangles);
        let (positions, triangles, sources) = refined(&given.0, &given.1, longest);
        let hosts = hosts(background, &positions)?;
        let is_inside = background.positions().iter().map(|place| winding.winding_number(place) > 0.5).collect();
        Ok(Drawn { given, longest, positions, triangles, sources, hosts, winding, is_inside })
    }

    /// The surface as it was given: positions (m) and triangles.
    pub fn given(&self) -> (&[Vec3], &[[u32; 3]]) {
        (&self.given.0, &self.given.1)
    }

    /// No edge is longer (m).
    pub fn longest(&self) -> f64 {
        self.longest
    }

    /// Whether a vertex of the background lies within the surface.
    pub fn is_inside(&self, vertex: usize) -> bool {
        self.is_inside[vertex]
    }
}

/// Halves all edges that are too long, again and again; gives positions, triangles and what they are parts of.
fn refined(positions: &[Vec3], triangles: &[[u32; 3]], longest: f64) -> (Vec<Vec3>, Vec<[u32; 3]>, Vec<u32>) {
    let (mut positions, mut triangles) = (positions.to_vec(), triangles.to_vec());
    let mut sources: Vec<u32> = (0..triangles.len() as u32).collect();
    for _ in 0..ROUNDS {
        let ascending = |one: u32, other: u32| [one.min(other), one.max(other)];
        let sides = |[a, b, c]: [u32; 3]| [ascending(a, b), ascending(b, c), ascending(c, a)];
        let length = |[from, to]: [u32; 2]| (positions[to as usize] - positions[from as usize]).norm();
        let mut long: Vec<[u32; 2]> = triangles.iter().flat_map(|corners| sides(*corners)).collect();
        long.retain(|edge| length(*edge) > longest);
        long.sort_unstable();
        long.dedup();
        if long.is_empty() || triangles.len() + 2 * long.len() > MOST_TRIANGLES {
            break;
        }
        let first = positions.len() as u32;
        let middles: Vec<Vec3> =
            long.iter().map(|&[from, to]| 0.5 * (positions[from as usize] + positions[to as usize])).collect();
        positions.extend(middles);
        let middle = |edge: [u32; 2]| long.binary_search(&edge).ok().map(|place| first + place as u32);
        let (mut next, mut origins) =
            (Vec::with_capacity(2 * triangles.len()), Vec::with_capacity(2 * triangles.len()));
        for (&corners, &source) in triangles.iter().zip(&sources) {
            let before = next.len();
            divide(corners, sides(corners).map(middle), &mut next);
            origins.extend((before..next.len()).map(|_| source));
        }
        (triangles, sources) = (next, origins);
    }
    (positions, triangles, sources)
}

/// Divides a triangle by the middles of some of its edges, the first of which goes from its first corner to its second.
fn divide(corners: [u32; 3], middles: [Option<u32>; 3], into: &mut Vec<[u32; 3]>) {
    let turned =
        |by: usize| ([0, 1, 2].map(|one| corners[(one + by) % 3]), [0, 1, 2].map(|one| middles[(one + by) % 3]));
    for by in 0..3 {
        let ([a, b, c], own) = turned(by);
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

/// The tetrahedron that each point (m) lies in.
fn hosts(background: &Background, points: &[Vec3]) -> Result<Vec<u32>, SkinError> {
    let tetrahedra = background.tetrahedra();
    let place = |vertex: u32| background.positions()[vertex as usize];
    let boxes: Vec<Aabb> = tetrahedra.iter().map(|corners| Aabb::from_points(&corners.map(place))).collect();
    let tree = Bvh::build(&boxes).map_err(|_| SkinError::Surface)?;
    let find = |point: &Vec3| {
        let mut best = (-1e-6, None);
        tree.within(point, 0.0, &boxes, |tetrahedron| {
            let least = weights(background, tetrahedron, point).into_iter().fold(f64::INFINITY, f64::min);
            if least > best.0 || (least == best.0 && Some(tetrahedron) < best.1) {
                best = (least, Some(tetrahedron));
            }
        });
        best.1.ok_or(SkinError::Surface)
    };
    points.iter().map(find).collect()
}

/// Weights of a tetrahedron's corners at a point (m), which sum to one.
pub(crate) fn weights(background: &Background, tetrahedron: u32, point: &Vec3) -> [f64; 4] {
    let [a, b, c, d] =
        background.tetrahedra()[tetrahedron as usize].map(|vertex| background.positions()[vertex as usize]);
    let edges = Mat3::from_columns(&[b - a, c - a, d - a]);
    let along = edges.try_inverse().map_or_else(|| Vec3::repeat(0.25), |inverse| inverse * (point - a));
    [1.0 - along.sum(), along.x, along.y, along.z]
}
