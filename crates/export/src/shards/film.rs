//! The shards of a run in its frames, for pictures.

use std::path::Path;

use craze_frame::{BodyFrame, Data, Frame, FrameFileError, Surface, names};
use craze_spatial::TriangleTree;

use super::animation::{Follower, Motion, Pace};
use super::{Outer, Shard, ShardReport, ShardSettings, write_shards};
use crate::ExportError;

/// The frames of a run with the shards of its last frame in place of the surfaces that the computation has.
pub struct ShardFilm {
    motion: Motion,
    settings: ShardSettings,
    /// For every shard the materials of its triangles, by their numbers in the body; empty for bodies of one material.
    materials: Vec<Vec<u32>>,
}

impl ShardFilm {
    /// Prepares the shards of the last of `frames`, which come in order of time; `outers` are as in [`export_shards`](super::export_shards).
    pub fn of<Frames>(frames: Frames, outers: &[Vec<Outer>], settings: &ShardSettings) -> Result<Self, ExportError>
    where
        Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
    {
        let motion = Motion::of(frames, outers, settings)?;
        let mut materials = Vec::new();
        for (body, broken) in motion.last.bodies.iter().zip(&motion.taken.bodies) {
            materials.extend(broken.shards.iter().map(|shard| materials_of(body, shard)));
        }
        Ok(ShardFilm { motion, settings: *settings, materials })
    }

    /// How many shards there are.
    pub fn count(&self) -> usize {
        self.motion.followers.len()
    }

    /// Writes `shards.glb`, as [`export_shards`](super::export_shards) of the last frame does.
    pub fn write_shards(&self, folder: &Path) -> Result<ShardReport, ExportError> {
        write_shards(&self.motion.last, &self.motion.taken, &self.settings, folder)
    }

    /// Writes `animation.glb`, as [`export_animation`](super::export_animation) does.
    pub fn write_animation(&self, pace: Pace, folder: &Path) -> Result<ShardReport, ExportError> {
        self.motion.write(&self.settings, pace, folder)
    }

    /// Puts the shards into one of the frames, `place` being its place among them. Bodies without shards stay as they are.
    pub fn show(&self, place: usize, frame: &mut Frame) {
        let shards = self.motion.taken.bodies.iter().flat_map(|broken| &broken.shards);
        let mut shown: Vec<Surface> = vec![Surface::default(); frame.bodies.len()];
        let mut marks: Vec<[Vec<u32>; 3]> = vec![Default::default(); frame.bodies.len()];
        let mut rest = vec![Vec::new(); frame.bodies.len()];
        for ((shard, follower), materials) in shards.zip(&self.motion.followers).zip(&self.materials) {
            let body = follower.body;
            let Some(pose) = pose(follower, place).filter(|_| body < shown.len()) else { continue };
            let (surface, part) = (&mut shown[body], &shard.shape.part);
            let first = surface.positions.len() as u32;
            let placed = part.positions.iter().map(|at| pose.turn * (at - shard.shape.centre) + pose.centre);
            surface.positions.extend(placed);
            surface.triangles.extend(part.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
            rest[body].extend_from_slice(&part.positions);
            let [pieces, cracks, kinds] = &mut marks[body];
            pieces.extend(part.triangles.iter().map(|_| pose.piece));
            cracks.extend(part.crack.iter().map(|&is_crack| u32::from(is_crack)));
            kinds.extend_from_slice(materials);
        }
        for (((body, mut surface), [pieces, cracks, kinds]), rest) in
            frame.bodies.iter_mut().zip(shown).zip(marks).zip(rest)
        {
            if surface.triangles.is_empty() {
                continue;
            }
            surface.vertex_attributes.set(names::REST, Data::Vector(rest));
            surface.face_attributes.set(names::PIECE, Data::Index(pieces));
            surface.face_attributes.set(names::CRACK, Data::Index(cracks));
            if kinds.len() == surface.triangles.len() {
                surface.face_attributes.set(names::MATERIAL, Data::Index(kinds));
            }
            body.surface = surface;
        }
    }
}

/// Where a shard is in the frame at this place among all.
fn pose(follower: &Follower, place: usize) -> Option<&super::animation::Pose> {
    follower.track.get(follower.track.len().checked_sub(place + 1)?)
}

/// The materials of a shard's triangles: those of what the computation has nearest. Empty for bodies of one material.
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
