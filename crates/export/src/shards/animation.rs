//! `animation.glb`: the shards of the last frame as moving nodes over all frames.
//!
//! A shard moves as the rigid body that fits its own vertices best, from rest to the frame. Before
//! it separates, all shards of a piece move with that piece, as long as it moves rigidly.

use std::collections::BTreeMap;
use std::path::Path;

use craze_frame::{BodyFrame, Frame, FrameFileError, Piece, names};
use craze_math::{Mat3, Rotation, Vec3, polar};
use craze_spatial::WindingTree;

use super::contacts::position_bits;
use super::{
    CollectedShards, Shard, ShardReport, ShardSettings, SourceSurface, collect_shards, encode, thickened, write,
};
use crate::ExportError;
use crate::document::{Document, Track};
use crate::tuning::{DEVIATION_RANGE, FRAMES_PER_SECOND, PIECE_ROTATION_WEIGHT};

const FILE: &str = "animation.glb";

/// Factors by which simulated time may be stretched (1): keys stay distinct in single precision.
const STRETCH_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// Timing of an animation's keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Seconds per simulated second; `None`: one key per frame.
    stretch: Option<f64>,
}

impl Pace {
    /// One key per frame at 24 frames per second, whatever the simulated time between frames, so
    /// that impacts of milliseconds are visible.
    pub fn per_frame() -> Pace {
        Pace { stretch: None }
    }

    /// Simulated time, stretched by `factor` (1). `None` for factors outside 0.001 to 1,000,000.
    pub fn stretched(factor: f64) -> Option<Pace> {
        STRETCH_RANGE.contains(&factor).then_some(Pace { stretch: Some(factor) })
    }

    /// Time of the key (s) of a frame that follows the first by `frames` and `seconds`.
    fn time_of(self, frames: u32, seconds: f64) -> f64 {
        self.stretch.map_or(f64::from(frames) / FRAMES_PER_SECOND, |factor| factor * seconds)
    }
}

type PositionBits = [u64; 3];

/// Motion of a shard, built from the last frame to the first.
pub(super) struct ShardTrack {
    pub body: usize,
    /// Rest positions of its own vertices, ascending.
    rest_positions: Vec<PositionBits>,
    /// Centre of mass at rest (m).
    centre: Vec3,
    /// Number of the piece that the shard is, or was part of.
    piece: u32,
    /// Poses, latest first.
    pub poses: Vec<Pose>,
}

#[derive(Clone, Copy)]
pub(super) struct Pose {
    /// Centre of mass (m).
    pub centre: Vec3,
    pub rotation: Rotation,
    /// Index in the frame of the piece that the shard is part of.
    pub piece: u32,
}

/// Writes `animation.glb` into `folder`: the shards of the last of `frames`, which are in order of
/// time, with a key per frame. `source_surfaces` is as in [`export_shards`](super::export_shards).
pub fn export_animation<Frames>(
    frames: Frames,
    source_surfaces: &[Vec<SourceSurface>],
    settings: &ShardSettings,
    pace: Pace,
    folder: &Path,
) -> Result<ShardReport, ExportError>
where
    Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
{
    ShardMotion::new(frames, source_surfaces, settings)?.write(settings, pace, folder)
}

/// Shards of the last frame with their motion.
pub(super) struct ShardMotion {
    pub last: Frame,
    pub collected: CollectedShards,
    /// Tracks of the shards, body by body.
    pub tracks: Vec<ShardTrack>,
    /// Numbers and times (s) of the frames, latest first.
    times: Vec<(u32, f64)>,
}

impl ShardMotion {
    pub fn new<Frames>(
        frames: Frames,
        source_surfaces: &[Vec<SourceSurface>],
        settings: &ShardSettings,
    ) -> Result<ShardMotion, ExportError>
    where
        Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
    {
        let mut backward = frames.rev();
        let last = thickened(backward.next().ok_or(ExportError::NoFrames)??)?;
        let collected = collect_shards(&last, source_surfaces, settings)?;
        let mut tracks: Vec<ShardTrack> = Vec::new();
        for (index, (body, body_shards)) in last.bodies.iter().zip(&collected.bodies).enumerate() {
            tracks.extend(body_shards.shards.iter().map(|shard| shard_track(index, body, shard)));
        }
        let mut parents: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); last.bodies.len()];
        let mut times = vec![(last.number, last.time)];
        add_frame(&last, &mut tracks, &mut parents);
        for frame in backward {
            let frame = thickened(frame?)?;
            if frame.bodies.len() != last.bodies.len() {
                return Err(ExportError::NoShards { frame: frame.number, reason: "its bodies are others".to_owned() });
            }
            add_frame(&frame, &mut tracks, &mut parents);
            times.push((frame.number, frame.time));
        }
        Ok(ShardMotion { last, collected, tracks, times })
    }

    pub fn write(&self, settings: &ShardSettings, pace: Pace, folder: &Path) -> Result<ShardReport, ExportError> {
        let ShardMotion { last, collected, tracks, times } = self;
        let mut document = Document::default();
        let layout = encode::lay_out(&mut document, last, &collected.bodies, settings.hull_vertices);
        let (first, start) = times.last().copied().unwrap_or_default();
        let time_of = |&(number, time): &(u32, f64)| pace.time_of(number.saturating_sub(first), time - start);
        let times: Vec<f32> = times.iter().rev().map(|frame| time_of(frame) as f32).collect();
        let node_tracks: Vec<Track> =
            layout.nodes.iter().zip(tracks).map(|(&node, shard)| node_track(node, shard)).collect();
        document.animate(&times, &node_tracks);
        let bytes = encode::finish(document, last, layout.roots)?;
        let report = write(FILE, &bytes, folder, collected, layout.summaries)?;
        Ok(ShardReport { length: times.last().map(|&end| f64::from(end)), ..report })
    }
}

fn shard_track(index: usize, body: &BodyFrame, shard: &Shard) -> ShardTrack {
    let surface = &body.surface;
    let rest = surface.vertex_attributes.vectors(names::REST).unwrap_or(&[]);
    let own = |&triangle: &usize| {
        body.pieces.get(surface.piece_of(triangle) as usize).is_some_and(|piece| piece.id == shard.id)
    };
    let triangles = (0..surface.triangles.len()).filter(own);
    let mut rest_positions: Vec<PositionBits> = triangles
        .flat_map(|triangle| surface.triangles[triangle])
        .filter_map(|vertex| rest.get(vertex as usize).map(position_bits))
        .collect();
    rest_positions.sort_unstable();
    rest_positions.dedup();
    ShardTrack { body: index, rest_positions, centre: shard.shape.centre, piece: shard.id, poses: Vec::new() }
}

/// Vertex of a frame: bits of its rest position, number of its piece, index.
type Vertex = (PositionBits, u32, usize);

/// Appends a frame's poses to the tracks.
fn add_frame(frame: &Frame, tracks: &mut [ShardTrack], parents: &mut [BTreeMap<u32, u32>]) {
    for (index, body) in frame.bodies.iter().enumerate() {
        let surface = &body.surface;
        let Some(rest) = surface.vertex_attributes.vectors(names::REST) else { continue };
        let mut vertices: Vec<Vertex> = Vec::with_capacity(3 * surface.triangles.len());
        for (triangle, corners) in surface.triangles.iter().enumerate() {
            let Some(piece) = body.pieces.get(surface.piece_of(triangle) as usize) else { continue };
            vertices.extend(corners.map(|corner| (position_bits(&rest[corner as usize]), piece.id, corner as usize)));
        }
        vertices.sort_unstable();
        vertices.dedup();
        let known = &mut parents[index];
        known.extend(body.pieces.iter().filter_map(|piece| Some((piece.id, piece.parent?))));
        let mut whole: BTreeMap<u32, RigidFit> =
            body.pieces.iter().map(|piece| (piece.id, RigidFit::default())).collect();
        for &(_, piece, vertex) in &vertices {
            if let Some(fit) = whole.get_mut(&piece) {
                fit.add(&rest[vertex], &surface.positions[vertex]);
            }
        }
        let mut own: Vec<&mut ShardTrack> = tracks.iter_mut().filter(|track| track.body == index).collect();
        for track in &mut own {
            while !whole.contains_key(&track.piece) {
                match known.get(&track.piece) {
                    Some(&parent) => track.piece = parent,
                    // The piece appeared and vanished between two frames: locate the shard by its
                    // vertices.
                    None => track.piece = containing_piece(track, body, rest, &vertices).unwrap_or(body.pieces[0].id),
                }
            }
        }
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        own.iter().for_each(|track| *shared.entry(track.piece).or_default() += 1);
        for track in own {
            let mut fit = RigidFit::default();
            for own in &track.rest_positions {
                let first = vertices.partition_point(|vertex| (vertex.0, vertex.1) < (*own, track.piece));
                if let Some(&(at, piece, vertex)) = vertices.get(first)
                    && at == *own
                    && piece == track.piece
                {
                    fit.add(&rest[vertex], &surface.positions[vertex]);
                }
            }
            let around = &whole[&track.piece];
            let (moved, rotation) = match shared[&track.piece] {
                1 => fit.transform(around, &track.centre),
                // Shards of one piece move together, so that no gap opens before the split.
                _ => fit.transform_with_piece(around, &track.centre),
            };
            let rotation = nearer(rotation, track.poses.last().map(|pose| &pose.rotation));
            let piece = body.pieces.iter().position(|piece| piece.id == track.piece).unwrap_or(0) as u32;
            track.poses.push(Pose { centre: moved, rotation, piece });
        }
    }
}

/// Number of the piece that contains a shard.
fn containing_piece(shard: &ShardTrack, body: &BodyFrame, rest: &[Vec3], vertices: &[Vertex]) -> Option<u32> {
    // Votes of vertices that belong to one piece only, and of all: on crack faces both sides have a
    // vertex.
    let mut votes: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for own in &shard.rest_positions {
        let first = vertices.partition_point(|vertex| vertex.0 < *own);
        let count = vertices[first..].partition_point(|vertex| vertex.0 == *own);
        let here = &vertices[first..first + count];
        let is_alone = here.iter().all(|vertex| vertex.1 == here[0].1);
        for vertex in here {
            let [alone, all] = votes.entry(vertex.1).or_default();
            (*alone, *all) = (*alone + usize::from(is_alone), *all + 1);
        }
    }
    let by_votes = |which: usize| {
        let most = votes.iter().max_by_key(|(piece, counts)| (counts[which], std::cmp::Reverse(**piece)));
        most.filter(|(_, counts)| counts[which] > 0).map(|(&piece, _)| piece)
    };
    // Before any of its faces was exposed, the shard's centre of mass lay inside its piece, unless
    // the shard is strongly bent.
    let around = || {
        let winding = |piece: &Piece| {
            let own = |&triangle: &usize| {
                body.pieces.get(body.surface.piece_of(triangle) as usize).is_some_and(|other| other.id == piece.id)
            };
            let own = (0..body.surface.triangles.len()).filter(own);
            let triangles: Vec<[u32; 3]> = own.map(|triangle| body.surface.triangles[triangle]).collect();
            WindingTree::new(rest, &triangles).map_or(0.0, |tree| tree.winding_number(&shard.centre))
        };
        let most =
            body.pieces.iter().map(|piece| (winding(piece), piece.id)).max_by(|one, other| one.0.total_cmp(&other.0));
        most.filter(|(winding, _)| *winding > 0.5).map(|(_, piece)| piece)
    };
    by_votes(0).or_else(around).or_else(|| by_votes(1))
}

/// Sums over vertices for the best rigid motion.
#[derive(Clone, Copy, Default)]
struct RigidFit {
    count: f64,
    rest: Vec3,
    now: Vec3,
    covariance: Mat3,
    size: f64,
}

impl RigidFit {
    fn add(&mut self, rest: &Vec3, now: &Vec3) {
        self.count += 1.0;
        self.rest += rest;
        self.now += now;
        self.covariance += now * rest.transpose();
        self.size += rest.norm_squared();
    }

    /// Best-fit rotation from rest, with `regularisation` (m²) added.
    fn rotation(&self, regularisation: &Mat3) -> Mat3 {
        if self.count == 0.0 {
            return Mat3::identity();
        }
        polar(&(self.covariance - self.now * self.rest.transpose() / self.count + regularisation)).rotation
    }

    /// Transforms a rest point (m) with the vertices; with those of the piece if they are too few.
    fn transform(&self, whole: &RigidFit, point: &Vec3) -> (Vec3, Rotation) {
        let ((rest, now), rotation) = self.pose(&whole.rotation(&Mat3::zeros()), whole);
        (now + rotation * (point - rest), quaternion(&rotation))
    }

    /// Like [`transform`](Self::transform) for the piece, blended to the shard's own motion by its
    /// deviation ([`DEVIATION_RANGE`]).
    fn transform_with_piece(&self, whole: &RigidFit, point: &Vec3) -> (Vec3, Rotation) {
        let [(own, own_turn), (along, rotation)] = [self, whole].map(|fit| fit.transform(whole, point));
        let size = self.extent().sqrt() / self.count.max(1.0).sqrt();
        let deviation = (own - along).norm().max(size * own_turn.angle_to(&rotation));
        let share = ((deviation - DEVIATION_RANGE[0] * size) / ((DEVIATION_RANGE[1] - DEVIATION_RANGE[0]) * size))
            .clamp(0.0, 1.0);
        // Negated so that coincident vertices (size 0) follow the piece.
        if !(share > 0.0) {
            return (along, rotation);
        }
        let between = rotation.try_slerp(&own_turn, share, 1e-9).unwrap_or(own_turn);
        (along.lerp(&own, share), between)
    }

    /// Sum of squared distances from the mean at rest (m²).
    fn extent(&self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.size - self.rest.norm_squared() / self.count).max(0.0) }
    }

    /// Means at rest and now, and the rotation; those of the piece if there are too few vertices.
    fn pose(&self, around: &Mat3, whole: &RigidFit) -> ((Vec3, Vec3), Mat3) {
        let fit = if self.count < 3.0 { whole } else { self };
        if fit.count == 0.0 {
            return ((Vec3::zeros(), Vec3::zeros()), Mat3::identity());
        }
        let rotation = fit.rotation(&(PIECE_ROTATION_WEIGHT * fit.extent() * around));
        ((fit.rest / fit.count, fit.now / fit.count), rotation)
    }
}

fn quaternion(rotation: &Mat3) -> Rotation {
    Rotation::from_basis_unchecked(&[0, 1, 2].map(|axis| rotation.column(axis).into_owned()))
}

/// Of a rotation's two quaternions the one nearer to the previous.
fn nearer(rotation: Rotation, last: Option<&Rotation>) -> Rotation {
    match last {
        Some(last) if last.coords.dot(&rotation.coords) < 0.0 => Rotation::new_unchecked(-rotation.into_inner()),
        _ => rotation,
    }
}

fn node_track(node: usize, track: &ShardTrack) -> Track {
    let positions = track.poses.iter().rev().map(|pose| pose.centre.map(|coordinate| coordinate as f32).into());
    let rotations = track.poses.iter().rev().map(|pose| {
        let [x, y, z, w] = pose.rotation.coords.into();
        [x, y, z, w].map(|part: f64| part as f32)
    });
    Track { node, positions: positions.collect(), rotations: rotations.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::{Data, Surface};

    #[test]
    fn a_fit_finds_the_motion_of_a_rigid_body() {
        let rotation = Rotation::new(Vec3::new(0.3, -1.0, 0.5));
        let shift = Vec3::new(1.0, 2.0, 3.0);
        let mut fit = RigidFit::default();
        for rest in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.1, 1.0]].map(Vec3::from) {
            fit.add(&rest, &(rotation * rest + shift));
        }
        let ((rest, now), found) = fit.pose(&rotation.to_rotation_matrix().into_inner(), &fit);
        assert!((found - rotation.to_rotation_matrix().into_inner()).norm() < 1e-12);
        assert!((now - (rotation * rest + shift)).norm() < 1e-12);
        assert!((quaternion(&found).angle_to(&rotation)).abs() < 1e-7);
    }

    #[test]
    fn a_shard_follows_its_piece_until_it_deviates() {
        let corners = |at: f64| {
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
                .map(|corner| Vec3::from(corner) + at * Vec3::x())
        };
        for (swing, follows) in [(0.01, true), (1.5, false)] {
            // Two tetrahedra with a weak connection: the second rotates.
            let (mut whole, mut part) = (RigidFit::default(), RigidFit::default());
            let rotation = Rotation::new(Vec3::new(0.0, swing, 0.0));
            for corner in corners(0.0) {
                (0..20).for_each(|_| whole.add(&corner, &corner));
            }
            for corner in corners(2.0) {
                whole.add(&corner, &(rotation * corner));
                part.add(&corner, &(rotation * corner));
            }
            let middle = part.rest / part.count;
            let [(own, own_turn), (along, _)] = [part, whole].map(|fit| fit.transform(&whole, &middle));
            assert!((own - rotation * middle).norm() < 1e-9 && own_turn.angle_to(&rotation) < 0.3);
            let (position, _) = part.transform_with_piece(&whole, &middle);
            assert!((position - if follows { along } else { own }).norm() < 1e-9, "{position} at {swing}");
        }
    }

    #[test]
    fn too_few_vertices_move_with_their_piece() {
        let rotation = Rotation::new(Vec3::new(0.0, 1.0, 0.0));
        let (mut whole, mut few) = (RigidFit::default(), RigidFit::default());
        for rest in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.1, 1.0]].map(Vec3::from) {
            whole.add(&rest, &(rotation * rest));
        }
        few.add(&Vec3::x(), &(rotation * Vec3::x()));
        let (_, found) = few.pose(&whole.rotation(&Mat3::zeros()), &whole);
        assert!((found - rotation.to_rotation_matrix().into_inner()).norm() < 1e-12);
    }

    #[test]
    fn an_enclosed_shard_belongs_to_the_piece_around_it() {
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]].map(Vec3::from);
        let rest: Vec<Vec3> =
            [0.0, 10.0].iter().flat_map(|at| corners.map(|corner| corner + *at * Vec3::x())).collect();
        let mut surface = Surface { positions: rest.clone(), ..Surface::default() };
        surface.triangles =
            [0, 4].iter().flat_map(|first| faces.map(|face| face.map(|corner| first + corner))).collect();
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 0, 0, 1, 1, 1, 1]));
        let pieces = [7, 9]
            .map(|id| Piece { id, volume: 4.5, mass: 1.0, parent: None, pose: craze_frame::Pose::default() })
            .to_vec();
        let body = BodyFrame { surface, pieces, ..BodyFrame::default() };
        let mut shard = ShardTrack {
            body: 0,
            rest_positions: Vec::new(),
            centre: Vec3::new(10.5, 0.5, 0.5),
            piece: 12,
            poses: Vec::new(),
        };
        assert_eq!(containing_piece(&shard, &body, &rest, &[]), Some(9));
        // A vertex of one piece only takes precedence.
        let vertices = [(position_bits(&corners[0]), 7, 0)];
        shard.rest_positions.push(vertices[0].0);
        assert_eq!(containing_piece(&shard, &body, &rest, &vertices), Some(7));
    }
}
