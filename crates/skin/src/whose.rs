//! Whose every place in a broken body was.

use craze_frame::Surface;
use craze_math::Vec3;
use craze_spatial::{Aabb, TriangleTree, WindingTree};

use crate::error::SkinError;

/// Tells for every point, where a body was at rest and around it, which shard it belongs to.
#[derive(Debug)]
pub struct Whose {
    /// Label, extent and surface of every shard.
    shards: Vec<(u32, Aabb, WindingTree)>,
    /// The old surface of the body, and whose its triangles are.
    outside: TriangleTree,
    outside_labels: Vec<u32>,
}

impl Whose {
    /// Prepares the surface of a broken body, whose vertices were at `rest` (m) before it broke; `owners` are the shards that its pieces count to.
    pub fn of(surface: &Surface, rest: &[Vec3], owners: &[u32]) -> Result<Whose, SkinError> {
        Whose::among(surface, rest, owners, |_| true)
    }

    /// The same for the shards that `counts` is true for alone, as if there were no others.
    pub fn among(
        surface: &Surface,
        rest: &[Vec3],
        owners: &[u32],
        counts: impl Fn(u32) -> bool,
    ) -> Result<Whose, SkinError> {
        let label = |triangle: usize| owners.get(surface.piece_of(triangle) as usize).copied();
        let mut by_label: Vec<(u32, [u32; 3])> = Vec::with_capacity(surface.triangles.len());
        let (mut outside, mut outside_labels) = (Vec::new(), Vec::new());
        for (triangle, &corners) in surface.triangles.iter().enumerate() {
            let label = label(triangle).ok_or(SkinError::Surface)?;
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
            let tree = WindingTree::new(rest, &triangles).map_err(|_| SkinError::Surface)?;
            shards.push((own[0].0, Aabb::from_points(&corners), tree));
        }
        let outside = TriangleTree::new(rest, &outside).map_err(|_| SkinError::Surface)?;
        Ok(Whose { shards, outside, outside_labels })
    }

    /// The shard that a point (m) lies in; beyond the body, the one whose old surface is nearest.
    pub fn at(&self, point: &Vec3) -> u32 {
        let around = self.shards.iter().filter(|(_, extent, _)| extent.contains(point));
        let within = around.map(|(label, _, tree)| (*label, tree.winding_number(point)));
        let most = within.max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((label, _)) = most.filter(|(_, winding)| *winding > 0.5) {
            return label;
        }
        self.outside.closest(point).map_or(0, |near| self.outside_labels[near.triangle as usize])
    }

    /// The shards' labels, ascending.
    pub fn labels(&self) -> impl Iterator<Item = u32> + '_ {
        self.shards.iter().map(|(label, _, _)| *label)
    }
}
