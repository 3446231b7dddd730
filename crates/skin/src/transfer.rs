//! Texture coordinates, normals and materials of a model, put on another surface in its place.

use craze_math::{DisjointSets, Vec3};
use craze_spatial::TriangleTree;

/// What the corners of every triangle, and the triangle as a whole, carry; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corners {
    /// Texture coordinates (1).
    pub texture: Vec<[[f32; 2]; 3]>,
    /// Unit normals.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Number of the material of every triangle.
    pub materials: Vec<u32>,
}

impl Corners {
    /// Texture coordinates at a place of a triangle, given by weights of its corners.
    pub fn texture_at(&self, triangle: u32, weights: &[f64; 3]) -> Option<[f32; 2]> {
        self.texture.get(triangle as usize).map(|corners| mixed(corners, weights).map(|value| value as f32))
    }

    /// The unit normal at a place of a triangle.
    pub fn normal_at(&self, triangle: u32, weights: &[f64; 3]) -> Option<[f32; 3]> {
        let corners = self.normals.get(triangle as usize)?;
        let normal = Vec3::from(mixed(corners, weights)).try_normalize(1e-6)?;
        Some(normal.map(|value| value as f32).into())
    }
}

fn mixed<const N: usize>(corners: &[[f32; N]; 3], weights: &[f64; 3]) -> [f64; N] {
    std::array::from_fn(|axis| (0..3).map(|corner| weights[corner] * f64::from(corners[corner][axis])).sum())
}

/// What the triangles of a surface get from the nearest ones of a model.
///
/// All corners of a triangle take their texture coordinates from one chart, and the triangle its material, that of the place nearest to its middle, continued
/// beyond its border where needed, so that no picture is drawn across a seam.
pub fn transfer(
    model: (&[Vec3], &[[u32; 3]]),
    corners: &Corners,
    positions: &[Vec3],
    triangles: &[[u32; 3]],
) -> Option<Corners> {
    let tree = TriangleTree::new(model.0, model.1).ok()?;
    let charts = charts(model.1, &corners.texture);
    let mut got = Corners::default();
    for triangle in triangles {
        let places = triangle.map(|vertex| positions[vertex as usize]);
        let middle = (places[0] + places[1] + places[2]) / 3.0;
        let centre = tree.closest(&middle)?;
        let near = [0, 1, 2].map(|corner| tree.closest(&(places[corner] + 1e-3 * (middle - places[corner]))));
        let near = [near[0]?, near[1]?, near[2]?];
        if !corners.texture.is_empty() {
            let texture = [0, 1, 2].map(|corner| {
                let same = charts[near[corner].triangle as usize] == charts[centre.triangle as usize];
                let (source, weights) = match same {
                    true => (near[corner].triangle, near[corner].barycentric),
                    false => (centre.triangle, continued(model, centre.triangle, &places[corner])),
                };
                corners.texture_at(source, &weights).unwrap_or_default()
            });
            got.texture.push(texture);
        }
        got.materials.extend(corners.materials.get(centre.triangle as usize));
        if !corners.normals.is_empty() {
            let own = (places[1] - places[0]).cross(&(places[2] - places[0])).try_normalize(0.0);
            let own = own.unwrap_or_else(Vec3::y).map(|value| value as f32).into();
            let normals = near.map(|near| corners.normal_at(near.triangle, &near.barycentric).unwrap_or(own));
            got.normals.push(normals);
        }
    }
    Some(got)
}

/// Weights of a triangle's corners at a place that may lie beyond it.
fn continued((positions, triangles): (&[Vec3], &[[u32; 3]]), triangle: u32, place: &Vec3) -> [f64; 3] {
    let [a, b, c] = triangles[triangle as usize].map(|vertex| positions[vertex as usize]);
    let normal = (b - a).cross(&(c - a));
    let share = |from: Vec3, to: Vec3| (from - place).cross(&(to - place)).dot(&normal) / normal.norm_squared();
    let (first, second) = (share(b, c), share(c, a));
    if first.is_finite() && second.is_finite() { [first, second, 1.0 - first - second] } else { [1.0, 0.0, 0.0] }
}

/// For every triangle the first of its chart: triangles that have texture coordinates in common at a common edge.
fn charts(triangles: &[[u32; 3]], texture: &[[[f32; 2]; 3]]) -> Vec<u32> {
    let mut sets = DisjointSets::new(triangles.len());
    let mut edges: Vec<([u32; 2], [[u32; 2]; 2], u32)> = Vec::new();
    for ((corners, texture), index) in triangles.iter().zip(texture).zip(0..) {
        for [start, end] in [[0, 1], [1, 2], [2, 0]] {
            let [low, high] = if corners[start] < corners[end] { [start, end] } else { [end, start] };
            let places = [low, high].map(|corner| texture[corner].map(f32::to_bits));
            edges.push(([corners[low], corners[high]], places, index));
        }
    }
    edges.sort_unstable();
    for together in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        together.iter().for_each(|(_, _, triangle)| sets.join(together[0].2, *triangle));
    }
    (0..triangles.len() as u32).map(|triangle| sets.root(triangle)).collect()
}
