//! Forces from the volume that two bodies share (O'Brien & Hodgins 1999, §3.3).
//!
//! All tetrahedra that overlap within a contact region are taken together before there is a force: volumes and area normals
//! are summed, then one force follows, in proportion to the volume and along the summed normal. Pairs that each had a force of
//! their own would push differently on finer meshes, since the normals of single pairs point in all directions.

use craze_math::tetrahedron::{centroid, shape_gradients};
use craze_math::{Vec3, overlap};
use craze_spatial::{Aabb, Bvh, SpatialError};

/// What two tetrahedra contribute to a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Places of the two in their lists.
    pub tetrahedra: [u32; 2],
    /// Volume that they have in common (m³).
    pub volume: f64,
    /// Its centroid (m).
    pub centroid: Vec3,
}

/// All that two groups of tetrahedra have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapRegion {
    /// Volume (m³).
    pub volume: f64,
    /// Centroid (m).
    pub centroid: Vec3,
    /// Outward normal times area of the first group's surface within the second (m²). Where an inner face of one lies exactly in the
    /// surface of the other, half of it is counted, though it is nobody's surface.
    pub area_normal: Vec3,
    /// What it is made of, in ascending order of the tetrahedra.
    pub shares: Vec<Share>,
}

impl OverlapRegion {
    /// The region between two groups of tetrahedra (m); none if they have nothing in common.
    pub fn between(first: &[[Vec3; 4]], second: &[[Vec3; 4]]) -> Result<Option<OverlapRegion>, SpatialError> {
        let boxes = |group: &[[Vec3; 4]]| group.iter().map(Aabb::around).collect::<Vec<_>>();
        let (here, there) = (boxes(first), boxes(second));
        let (tree, other) = (Bvh::build(&here)?, Bvh::build(&there)?);
        let mut pairs = Vec::new();
        tree.pairs(&here, &other, &there, |one, two| pairs.push([one, two]));
        // The sum must not depend on the order of the trees.
        pairs.sort_unstable();
        let mut region =
            OverlapRegion { volume: 0.0, centroid: Vec3::zeros(), area_normal: Vec3::zeros(), shares: Vec::new() };
        for [one, two] in pairs {
            let Some(common) = overlap::tetrahedra(&first[one as usize], &second[two as usize]) else { continue };
            region.volume += common.volume;
            region.centroid += common.volume * common.centroid;
            region.area_normal += common.area_normal;
            let (volume, centroid) = (common.volume, common.centroid);
            region.shares.push(Share { tetrahedra: [one, two], volume, centroid });
        }
        region.centroid /= region.volume;
        Ok((region.volume > 0.0).then_some(region))
    }

    /// Force on the first group (N), at the centroid; the second feels the opposite. `stiffness` is force a shared volume (N/m³). Zero
    /// where one group holds the other whole: then no direction leads out.
    pub fn force(&self, stiffness: f64) -> Vec3 {
        let outward = self.area_normal.try_normalize(0.0).unwrap_or_default();
        -stiffness * self.volume * outward
    }

    /// Calls with every force on a node (N): the group (0 or 1), the tetrahedron, which of its nodes, and the force. Each pair bears its
    /// share of the volume, at its own centroid, by the weights that this place has in each of the two: net force and
    /// moment are those of [`force`](Self::force) at the centroid on the first group, and the opposite on the second.
    pub fn distribute(
        &self,
        stiffness: f64,
        [first, second]: [&[[Vec3; 4]]; 2],
        mut push: impl FnMut(usize, u32, usize, Vec3),
    ) {
        let force = self.force(stiffness);
        for share in &self.shares {
            let part = share.volume / self.volume * force;
            for (group, (tetrahedra, sign)) in [(first, 1.0), (second, -1.0)].into_iter().enumerate() {
                let tetrahedron = share.tetrahedra[group];
                let weights = weights_at(&tetrahedra[tetrahedron as usize], &share.centroid);
                for (node, weight) in weights.into_iter().enumerate() {
                    push(group, tetrahedron, node, sign * weight * part);
                }
            }
        }
    }
}

/// Weights of a tetrahedron's nodes at a place: they sum to one and lead to it.
fn weights_at(nodes: &[Vec3; 4], place: &Vec3) -> [f64; 4] {
    let centre = centroid(nodes);
    match shape_gradients(nodes) {
        Some(gradients) => gradients.map(|gradient| 0.25 + gradient.dot(&(place - centre))),
        None => [0.25; 4],
    }
}
