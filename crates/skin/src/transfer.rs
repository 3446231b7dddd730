//! Attribute transfer: texture coordinates, normals and materials of a model onto another surface.

use craze_math::{DisjointSets, Vec3};
use craze_spatial::TriangleTree;

/// Attributes of triangle corners and triangles; an empty list if absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CornerAttributes {
    /// Texture coordinates (1).
    pub texture: Vec<[[f32; 2]; 3]>,
    /// Unit normals.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Material index of every triangle.
    pub materials: Vec<u32>,
}

impl CornerAttributes {
    /// Texture coordinates at a point of a triangle, given by barycentric weights.
    pub fn texture_at(&self, triangle: u32, weights: &[f64; 3]) -> Option<[f32; 2]> {
        self.texture.get(triangle as usize).map(|corners| interpolate(corners, weights).map(|value| value as f32))
    }

    /// Unit normal at a point of a triangle, given by barycentric weights.
    pub fn normal_at(&self, triangle: u32, weights: &[f64; 3]) -> Option<[f32; 3]> {
        let corners = self.normals.get(triangle as usize)?;
        let normal = Vec3::from(interpolate(corners, weights)).try_normalize(1e-6)?;
        Some(normal.map(|value| value as f32).into())
    }
}

fn interpolate<const N: usize>(corners: &[[f32; N]; 3], weights: &[f64; 3]) -> [f64; N] {
    std::array::from_fn(|axis| (0..3).map(|corner| weights[corner] * f64::from(corners[corner][axis])).sum())
}

/// Attributes of a surface's triangles from the nearest triangles of a model.
///
/// A triangle takes its material, and the chart of all its texture coordinates, from the model
/// point nearest to its centroid. Coordinates are extrapolated beyond the chart's boundary where
/// needed, so that no triangle spans a seam.
pub fn transfer_attributes(
    model: (&[Vec3], &[[u32; 3]]),
    corners: &CornerAttributes,
    positions: &[Vec3],
    triangles: &[[u32; 3]],
) -> Option<CornerAttributes> {
    let tree = TriangleTree::new(model.0, model.1).ok()?;
    let charts = charts(model.1, &corners.texture);
    let mut result = CornerAttributes::default();
    for triangle in triangles {
        let points = triangle.map(|vertex| positions[vertex as usize]);
        let middle = (points[0] + points[1] + points[2]) / 3.0;
        let centre = tree.closest(&middle)?;
        let near = [0, 1, 2].map(|corner| tree.closest(&(points[corner] + 1e-3 * (middle - points[corner]))));
        let near = [near[0]?, near[1]?, near[2]?];
        if !corners.texture.is_empty() {
            let texture = [0, 1, 2].map(|corner| {
                let same = charts[near[corner].triangle as usize] == charts[centre.triangle as usize];
                let (source, weights) = match same {
                    true => (near[corner].triangle, near[corner].barycentric),
                    false => (centre.triangle, extrapolated_weights(model, centre.triangle, &points[corner])),
                };
                corners.texture_at(source, &weights).unwrap_or_default()
            });
            result.texture.push(texture);
        }
        result.materials.extend(corners.materials.get(centre.triangle as usize));
        if !corners.normals.is_empty() {
            let own = (points[1] - points[0]).cross(&(points[2] - points[0])).try_normalize(0.0);
            let own = own.unwrap_or_else(Vec3::y).map(|value| value as f32).into();
            let normals = near.map(|near| corners.normal_at(near.triangle, &near.barycentric).unwrap_or(own));
            result.normals.push(normals);
        }
    }
    Some(result)
}

/// Barycentric weights of a point that may lie outside the triangle.
fn extrapolated_weights((positions, triangles): (&[Vec3], &[[u32; 3]]), triangle: u32, point: &Vec3) -> [f64; 3] {
    let [a, b, c] = triangles[triangle as usize].map(|vertex| positions[vertex as usize]);
    let normal = (b - a).cross(&(c - a));
    let share = |from: Vec3, to: Vec3| (from - point).cross(&(to - point)).dot(&normal) / normal.norm_squared();
    let (first, second) = (share(b, c), share(c, a));
    if first.is_finite() && second.is_finite() { [first, second, 1.0 - first - second] } else { [1.0, 0.0, 0.0] }
}

/// The first triangle of every triangle's chart. Charts connect triangles that agree on texture
/// coordinates at a common edge.
fn charts(triangles: &[[u32; 3]], texture: &[[[f32; 2]; 3]]) -> Vec<u32> {
    let mut sets = DisjointSets::new(triangles.len());
    let mut edges: Vec<([u32; 2], [[u32; 2]; 2], u32)> = Vec::new();
    for ((corners, texture), index) in triangles.iter().zip(texture).zip(0..) {
        for [start, end] in [[0, 1], [1, 2], [2, 0]] {
            let [low, high] = if corners[start] < corners[end] { [start, end] } else { [end, start] };
            let points = [low, high].map(|corner| texture[corner].map(f32::to_bits));
            edges.push(([corners[low], corners[high]], points, index));
        }
    }
    edges.sort_unstable();
    for together in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        together.iter().for_each(|(_, _, triangle)| sets.join(together[0].2, *triangle));
    }
    (0..triangles.len() as u32).map(|triangle| sets.root(triangle)).collect()
}
