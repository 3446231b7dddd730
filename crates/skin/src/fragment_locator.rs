//! Point location in a broken body.

use craze_frame::Surface;
use craze_math::Vec3;
use craze_spatial::{Aabb, TriangleTree, WindingTree};

use crate::error::SkinError;

/// Locates the fragment that contains a rest-space point, or that is nearest to it.
#[derive(Debug)]
pub struct FragmentLocator {
    /// Label, bounding box and surface of every fragment.
    shards: Vec<(u32, Aabb, WindingTree)>,
    /// The original surface of the body, with the fragment of each triangle.
    outside: TriangleTree,
    outside_labels: Vec<u32>,
}

impl FragmentLocator {
    /// Builds from the surface of a broken body. `rest`: rest positions of its vertices (m);
    /// `owners`: the fragment of every piece.
    pub fn new(surface: &Surface, rest: &[Vec3], owners: &[u32]) -> Result<FragmentLocator, SkinError> {
        FragmentLocator::filtered(surface, rest, owners, |_| true)
    }

    /// Like [`new`](Self::new), for the fragments that `counts` accepts only.
    pub fn filtered(
        surface: &Surface,
        rest: &[Vec3],
        owners: &[u32],
        counts: impl Fn(u32) -> bool,
    ) -> Result<FragmentLocator, SkinError> {
        let label = |triangle: usize| owners.get(surface.piece_of(triangle) as usize).copied();
        let mut by_label: Vec<(u32, [u32; 3])> = Vec::with_capacity(surface.triangles.len());
        let (mut outside, mut outside_labels) = (Vec::new(), Vec::new());
        for (triangle, &corners) in surface.triangles.iter().enumerate() {
            let label = label(triangle).ok_or(SkinError::InvalidSurface)?;
            if !counts(label) {
                continue;
            }
            by_label.push((label, corners));
            if !surface.is_crack(triangle) {
                outside.push(corners);
                outside_labels.push(label);
            }
        }
        by_label.sort_by_key(|(label, _)| *label);
        let mut shards = Vec::new();
        for own in by_label.chunk_by(|one, other| one.0 == other.0) {
            let triangles: Vec<[u32; 3]> = own.iter().map(|(_, corners)| *corners).collect();
            let corners: Vec<Vec3> = triangles.iter().flatten().map(|&vertex| rest[vertex as usize]).collect();
            let tree = WindingTree::new(rest, &triangles).map_err(|_| SkinError::InvalidSurface)?;
            shards.push((own[0].0, Aabb::from_points(&corners), tree));
        }
        let outside = TriangleTree::new(rest, &outside).map_err(|_| SkinError::InvalidSurface)?;
        Ok(FragmentLocator { shards, outside, outside_labels })
    }

    /// The fragment that contains a point (m); outside the body, the one whose original surface is
    /// nearest.
    pub fn locate(&self, point: &Vec3) -> u32 {
        let around = self.shards.iter().filter(|(_, extent, _)| extent.contains(point));
        let within = around.map(|(label, _, tree)| (*label, tree.winding_number(point)));
        let most = within.max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((label, _)) = most.filter(|(_, winding)| *winding > 0.5) {
            return label;
        }
        self.outside.closest(point).map_or(0, |near| self.outside_labels[near.triangle as usize])
    }

    /// Labels of the fragments, ascending.
    pub fn labels(&self) -> impl Iterator<Item = u32> + '_ {
        self.shards.iter().map(|(label, _, _)| *label)
    }
}
