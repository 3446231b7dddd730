//! Shards of a run in its frames, for pictures.

use std::path::Path;

use craze_frame::{BodyFrame, Data, Frame, FrameFileError, Surface, names};
use craze_spatial::TriangleTree;

use super::animation::{Pace, ShardMotion, ShardTrack};
use super::{Shard, ShardReport, ShardSettings, SourceSurface, write_shards};
use crate::ExportError;

/// Frames of a run in which the shards of the last frame replace the surfaces of the simulation.
pub struct ShardSequence {
    motion: ShardMotion,
    settings: ShardSettings,
    /// Material indices of every shard's triangles; empty for bodies of one material.
    materials: Vec<Vec<u32>>,
}

impl ShardSequence {
    /// Builds from frames in order of time; shards are those of the last. `source_surfaces` is as
    /// in [`export_shards`](super::export_shards).
    pub fn new<Frames>(
        frames: Frames,
        source_surfaces: &[Vec<SourceSurface>],
        settings: &ShardSettings,
    ) -> Result<Self, ExportError>
    where
        Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
    {
        let motion = ShardMotion::new(frames, source_surfaces, settings)?;
        let mut materials = Vec::new();
        for (body, body_shards) in motion.last.bodies.iter().zip(&motion.collected.bodies) {
            materials.extend(body_shards.shards.iter().map(|shard| materials_of(body, shard)));
        }
        Ok(ShardSequence { motion, settings: *settings, materials })
    }

    /// Number of shards.
    pub fn count(&self) -> usize {
        self.motion.tracks.len()
    }

    /// Writes `shards.glb`, as [`export_shards`](super::export_shards) does for the last frame.
    pub fn write_shards(&self, folder: &Path) -> Result<ShardReport, ExportError> {
        write_shards(&self.motion.last, &self.motion.collected, &self.settings, folder)
    }

    /// Writes `animation.glb`, as [`export_animation`](super::export_animation) does.
    pub fn write_animation(&self, pace: Pace, folder: &Path) -> Result<ShardReport, ExportError> {
        self.motion.write(&self.settings, pace, folder)
    }

    /// Replaces the surfaces of the frame at `index` by the shards. Bodies without shards stay as
    /// they are.
    pub fn replace_surfaces(&self, index: usize, frame: &mut Frame) {
        let shards = self.motion.collected.bodies.iter().flat_map(|body_shards| &body_shards.shards);
        let mut shown: Vec<Surface> = vec![Surface::default(); frame.bodies.len()];
        let mut attributes: Vec<[Vec<u32>; 3]> = vec![Default::default(); frame.bodies.len()];
        let mut rest = vec![Vec::new(); frame.bodies.len()];
        for ((shard, track), materials) in shards.zip(&self.motion.tracks).zip(&self.materials) {
            let body = track.body;
            let Some(pose) = pose(track, index).filter(|_| body < shown.len()) else { continue };
            let (surface, part) = (&mut shown[body], &shard.shape.part);
            let first = surface.positions.len() as u32;
            let placed = part.positions.iter().map(|at| pose.rotation * (at - shard.shape.centre) + pose.centre);
            surface.positions.extend(placed);
            surface.triangles.extend(part.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
            rest[body].extend_from_slice(&part.positions);
            let [pieces, cracks, materials_of_body] = &mut attributes[body];
            pieces.extend(part.triangles.iter().map(|_| pose.piece));
            cracks.extend(part.crack.iter().map(|&is_crack| u32::from(is_crack)));
            materials_of_body.extend_from_slice(materials);
        }
        for (((body, mut surface), [pieces, cracks, materials_of_body]), rest) in
            frame.bodies.iter_mut().zip(shown).zip(attributes).zip(rest)
        {
            if surface.triangles.is_empty() {
                continue;
            }
            surface.vertex_attributes.set(names::REST, Data::Vector(rest));
            surface.face_attributes.set(names::PIECE, Data::Index(pieces));
            surface.face_attributes.set(names::CRACK, Data::Index(cracks));
            if materials_of_body.len() == surface.triangles.len() {
                surface.face_attributes.set(names::MATERIAL, Data::Index(materials_of_body));
            }
            body.surface = surface;
        }
    }
}

/// Pose of a shard in the frame at `index`.
fn pose(track: &ShardTrack, index: usize) -> Option<&super::animation::Pose> {
    track.poses.get(track.poses.len().checked_sub(index + 1)?)
}

/// Materials of a shard's triangles: those of the nearest triangles of the simulation. Empty for
/// bodies of one material.
pub(super) fn materials_of(body: &BodyFrame, shard: &Shard) -> Vec<u32> {
    let surface = &body.surface;
    let known = surface.face_attributes.indices(names::MATERIAL).filter(|_| body.materials.len() > 1);
    let rest = surface.vertex_attributes.vectors(names::REST);
    let (Some(known), Some(rest)) = (known, rest) else { return Vec::new() };
    let own = |&triangle: &usize| surface.piece_of(triangle) == shard.shape.part.piece;
    let near: Vec<usize> = (0..surface.triangles.len()).filter(own).collect();
    let triangles: Vec<[u32; 3]> = near.iter().map(|&triangle| surface.triangles[triangle]).collect();
    let Ok(tree) = TriangleTree::new(rest, &triangles) else { return Vec::new() };
    let part = &shard.shape.part;
    let material = |corners: &[u32; 3]| {
        let middle = corners.iter().map(|&corner| part.positions[corner as usize]).sum::<craze_math::Vec3>() / 3.0;
        tree.closest(&middle).map_or(0, |closest| known[near[closest.triangle as usize]])
    };
    part.triangles.iter().map(material).collect()
}
