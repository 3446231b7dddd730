//! `animation.glb`: the shards of the last frame moving as nodes, from the first frame on.
//!
//! A shard's motion is that of the rigid body that follows its own vertices best, as they were at rest and are in the frame. Before
//! it broke off, all shards of a piece move as that piece.

use std::collections::BTreeMap;
use std::path::Path;

use craze_frame::{BodyFrame, Frame, FrameFileError, names};
use craze_math::{Mat3, Rotation, Vec3, polar};

use super::contacts::place;
use super::{Outer, Shard, ShardReport, ShardSettings, Taken, encode, take, write};
use crate::ExportError;
use crate::document::{Document, Track};

/// Name of the file.
const FILE: &str = "animation.glb";

/// How much the turn of the piece around it counts beside a shard's own vertices, which may lie in a line.
const SUPPORT: f64 = 0.05;

/// Bits of a rest position.
type Place = [u64; 3];

/// A shard on its way back in time.
pub(super) struct Follower {
    pub body: usize,
    /// Where its own vertices were at rest, ascending.
    places: Vec<Place>,
    /// Centre of mass at rest (m).
    centre: Vec3,
    /// Number of the piece that it is, or was part of.
    piece: u32,
    /// Latest moment first.
    pub track: Vec<Pose>,
}

/// Where a shard is.
#[derive(Clone, Copy)]
pub(super) struct Pose {
    /// Its centre of mass (m).
    pub centre: Vec3,
    pub turn: Rotation,
    /// The piece that it is part of, by its place in the frame.
    pub piece: u32,
}

/// Writes `animation.glb` into `folder`: the shards of the last of `frames`, which come in order of time, with a key at each of them.
/// `outers` are as in [`export_shards`](super::export_shards).
pub fn export_animation<Frames>(
    frames: Frames,
    outers: &[Vec<Outer>],
    settings: &ShardSettings,
    folder: &Path,
) -> Result<ShardReport, ExportError>
where
    Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
{
    Motion::of(frames, outers, settings)?.write(settings, folder)
}

/// The shards of the last frame and how they came there.
pub(super) struct Motion {
    pub last: Frame,
    pub taken: Taken,
    /// In the order of the shards, body by body.
    pub followers: Vec<Follower>,
    /// Times of the frames (s), latest first.
    times: Vec<f64>,
}

impl Motion {
    pub fn of<Frames>(frames: Frames, outers: &[Vec<Outer>], settings: &ShardSettings) -> Result<Motion, ExportError>
    where
        Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
    {
        let mut backward = frames.rev();
        let last = backward.next().ok_or(ExportError::NoFrames)??;
        let taken = take(&last, outers, settings)?;
        let mut followers: Vec<Follower> = Vec::new();
        for (index, (body, broken)) in last.bodies.iter().zip(&taken.bodies).enumerate() {
            followers.extend(broken.shards.iter().map(|shard| follower(index, body, shard)));
        }
        let mut parents: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); last.bodies.len()];
        let mut times = vec![last.time];
        follow(&last, &mut followers, &mut parents);
        for frame in backward {
            let frame = frame?;
            frame.check().map_err(|cause| ExportError::Invalid { frame: frame.number, cause })?;
            if frame.bodies.len() != last.bodies.len() {
                return Err(ExportError::NoShards { frame: frame.number, reason: "its bodies are others".to_owned() });
            }
            follow(&frame, &mut followers, &mut parents);
            times.push(frame.time);
        }
        Ok(Motion { last, taken, followers, times })
    }

    /// Writes `animation.glb`.
    pub fn write(&self, settings: &ShardSettings, folder: &Path) -> Result<ShardReport, ExportError> {
        let Motion { last, taken, followers, times } = self;
        let mut document = Document::default();
        let laid = encode::lay_out(&mut document, last, &taken.bodies, settings.hull_vertices);
        let start = times.last().copied().unwrap_or(0.0);
        let times: Vec<f32> = times.iter().rev().map(|time| (time - start) as f32).collect();
        let tracks: Vec<Track> =
            laid.nodes.iter().zip(followers).map(|(&node, follower)| track(node, follower)).collect();
        document.animate(&times, &tracks);
        let bytes = encode::finish(document, last, laid.roots)?;
        write(FILE, &bytes, folder, taken, laid.summaries)
    }
}

fn follower(index: usize, body: &BodyFrame, shard: &Shard) -> Follower {
    let surface = &body.surface;
    let rest = surface.vertex_attributes.vectors(names::REST).unwrap_or(&[]);
    let own = |&triangle: &usize| {
        body.pieces.get(surface.piece_of(triangle) as usize).is_some_and(|piece| piece.id == shard.id)
    };
    let triangles = (0..surface.triangles.len()).filter(own);
    let mut places: Vec<Place> = triangles
        .flat_map(|triangle| surface.triangles[triangle])
        .filter_map(|vertex| rest.get(vertex as usize).map(place))
        .collect();
    places.sort_unstable();
    places.dedup();
    Follower { body: index, places, centre: shard.shape.centre, piece: shard.id, track: Vec::new() }
}

/// A vertex of a frame: where it was at rest, on which piece (by its number in the history), and which it is.
type Vertex = (Place, u32, usize);

/// Adds a frame to the tracks.
fn follow(frame: &Frame, followers: &mut [Follower], parents: &mut [BTreeMap<u32, u32>]) {
    for (index, body) in frame.bodies.iter().enumerate() {
        let surface = &body.surface;
        let Some(rest) = surface.vertex_attributes.vectors(names::REST) else { continue };
        let mut vertices: Vec<Vertex> = Vec::with_capacity(3 * surface.triangles.len());
        for (triangle, corners) in surface.triangles.iter().enumerate() {
            let Some(piece) = body.pieces.get(surface.piece_of(triangle) as usize) else { continue };
            vertices.extend(corners.map(|corner| (place(&rest[corner as usize]), piece.id, corner as usize)));
        }
        vertices.sort_unstable();
        vertices.dedup();
        let known = &mut parents[index];
        known.extend(body.pieces.iter().filter_map(|piece| Some((piece.id, piece.parent?))));
        let mut whole: BTreeMap<u32, Fit> = body.pieces.iter().map(|piece| (piece.id, Fit::default())).collect();
        for &(_, piece, vertex) in &vertices {
            if let Some(fit) = whole.get_mut(&piece) {
                fit.add(&rest[vertex], &surface.positions[vertex]);
            }
        }
        let mut own: Vec<&mut Follower> = followers.iter_mut().filter(|follower| follower.body == index).collect();
        for follower in &mut own {
            while !whole.contains_key(&follower.piece) {
                match known.get(&follower.piece) {
                    Some(&parent) => follower.piece = parent,
                    // A piece that came and went between two frames: what lies at its vertices is what it broke from.
                    None => follower.piece = at_vertices(&follower.places, &vertices).unwrap_or(body.pieces[0].id),
                }
            }
        }
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        own.iter().for_each(|follower| *shared.entry(follower.piece).or_default() += 1);
        for follower in own {
            let mut fit = Fit::default();
            for own in &follower.places {
                let first = vertices.partition_point(|vertex| (vertex.0, vertex.1) < (*own, follower.piece));
                if let Some(&(at, piece, vertex)) = vertices.get(first)
                    && at == *own
                    && piece == follower.piece
                {
                    fit.add(&rest[vertex], &surface.positions[vertex]);
                }
            }
            let around = &whole[&follower.piece];
            // Shards of one piece move as one, so that no seam shows where nothing has broken yet.
            let fit = if shared[&follower.piece] > 1 { *around } else { fit };
            let pose = fit.pose(&around.turn(&Mat3::zeros()), around);
            let (centre, turn) = (pose.0, pose.1);
            let moved = centre.1 + turn * (follower.centre - centre.0);
            let turn = quaternion(&turn, follower.track.last().map(|pose| &pose.turn));
            let piece = body.pieces.iter().position(|piece| piece.id == follower.piece).unwrap_or(0) as u32;
            follower.track.push(Pose { centre: moved, turn, piece });
        }
    }
}

/// The piece that most of these places lie on.
fn at_vertices(places: &[Place], vertices: &[Vertex]) -> Option<u32> {
    let mut votes: BTreeMap<u32, usize> = BTreeMap::new();
    for own in places {
        let first = vertices.partition_point(|vertex| vertex.0 < *own);
        for vertex in vertices[first..].iter().take_while(|vertex| vertex.0 == *own) {
            *votes.entry(vertex.1).or_default() += 1;
        }
    }
    votes.into_iter().max_by_key(|&(piece, count)| (count, std::cmp::Reverse(piece))).map(|(piece, _)| piece)
}

/// Sums over vertices from which the best rigid motion follows.
#[derive(Clone, Copy, Default)]
struct Fit {
    count: f64,
    rest: Vec3,
    now: Vec3,
    spread: Mat3,
    size: f64,
}

impl Fit {
    fn add(&mut self, rest: &Vec3, now: &Vec3) {
        self.count += 1.0;
        self.rest += rest;
        self.now += now;
        self.spread += now * rest.transpose();
        self.size += rest.norm_squared();
    }

    /// Rotation that takes rest to now best, with `support` (m²) added.
    fn turn(&self, support: &Mat3) -> Mat3 {
        if self.count == 0.0 {
            return Mat3::identity();
        }
        polar(&(self.spread - self.now * self.rest.transpose() / self.count + support)).rotation
    }

    /// The means at rest and now, and the turn; those of the piece around it where there are too few vertices.
    fn pose(&self, around: &Mat3, whole: &Fit) -> ((Vec3, Vec3), Mat3) {
        let fit = if self.count < 3.0 { whole } else { self };
        if fit.count == 0.0 {
            return ((Vec3::zeros(), Vec3::zeros()), Mat3::identity());
        }
        let extent = (fit.size - fit.rest.norm_squared() / fit.count).max(0.0);
        let turn = fit.turn(&(SUPPORT * extent * around));
        ((fit.rest / fit.count, fit.now / fit.count), turn)
    }
}

/// The quaternion of a rotation, of two the one nearer to the last.
fn quaternion(turn: &Mat3, last: Option<&Rotation>) -> Rotation {
    let axes = [0, 1, 2].map(|axis| turn.column(axis).into_owned());
    let rotation = Rotation::from_basis_unchecked(&axes);
    match last {
        Some(last) if last.coords.dot(&rotation.coords) < 0.0 => Rotation::new_unchecked(-rotation.into_inner()),
        _ => rotation,
    }
}

fn track(node: usize, follower: &Follower) -> Track {
    let places = follower.track.iter().rev().map(|pose| pose.centre.map(|coordinate| coordinate as f32).into());
    let turns = follower.track.iter().rev().map(|pose| {
        let [x, y, z, w] = pose.turn.coords.into();
        [x, y, z, w].map(|part: f64| part as f32)
    });
    Track { node, places: places.collect(), turns: turns.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_finds_the_motion_of_a_rigid_body() {
        let turn = Rotation::new(Vec3::new(0.3, -1.0, 0.5));
        let shift = Vec3::new(1.0, 2.0, 3.0);
        let mut fit = Fit::default();
        for rest in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.1, 1.0]].map(Vec3::from) {
            fit.add(&rest, &(turn * rest + shift));
        }
        let ((rest, now), found) = fit.pose(&turn.to_rotation_matrix().into_inner(), &fit);
        assert!((found - turn.to_rotation_matrix().into_inner()).norm() < 1e-12);
        assert!((now - (turn * rest + shift)).norm() < 1e-12);
        assert!((quaternion(&found, None).angle_to(&turn)).abs() < 1e-7);
    }

    #[test]
    fn too_few_vertices_move_as_what_is_around_them() {
        let turn = Rotation::new(Vec3::new(0.0, 1.0, 0.0));
        let (mut whole, mut few) = (Fit::default(), Fit::default());
        for rest in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.1, 1.0]].map(Vec3::from) {
            whole.add(&rest, &(turn * rest));
        }
        few.add(&Vec3::x(), &(turn * Vec3::x()));
        let (_, found) = few.pose(&whole.turn(&Mat3::zeros()), &whole);
        assert!((found - turn.to_rotation_matrix().into_inner()).norm() < 1e-12);
    }
}
