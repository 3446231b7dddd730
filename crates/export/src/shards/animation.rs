//! `animation.glb`: the shards of the last frame moving as nodes, from the first frame on.
//!
//! A shard's motion is that of the rigid body that follows its own vertices best, as they were at rest and are in the frame. Before
//! it broke off, all shards of a piece move as that piece, as long as it moves as one.

use std::collections::BTreeMap;
use std::path::Path;

use craze_frame::{BodyFrame, Frame, FrameFileError, Piece, names};
use craze_math::{Mat3, Rotation, Vec3, polar};
use craze_spatial::WindingTree;

use super::contacts::place;
use super::{Outer, Shard, ShardReport, ShardSettings, Taken, encode, take, write};
use crate::ExportError;
use crate::document::{Document, Track};

/// Name of the file.
const FILE: &str = "animation.glb";

/// Frames per second of an animation, unless it is to follow the simulated time: what most animation programs start with.
const RATE: f64 = 24.0;

/// Factors by which simulated time may be stretched: keys stay apart in single precision.
const SLOW: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// When the keys of an animation come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// How many seconds a simulated second takes.
    slow: Option<f64>,
}

impl Pace {
    /// A key per frame, 24 frames per second, whatever time passes between frames in the simulation: an impact that is over in milliseconds can be seen.
    pub fn per_frame() -> Pace {
        Pace { slow: None }
    }

    /// Simulated time, `factor` times as long (1): 1 is real time. None for factors outside 0.001 to 1,000,000.
    pub fn slowed(factor: f64) -> Option<Pace> {
        SLOW.contains(&factor).then_some(Pace { slow: Some(factor) })
    }

    /// When a frame is shown (s) that comes so many frames and seconds after the first.
    fn time_of(self, frames: u32, seconds: f64) -> f64 {
        self.slow.map_or(f64::from(frames) / RATE, |factor| factor * seconds)
    }
}

/// How much the turn of the piece around it counts beside a shard's own vertices, which may lie in a line.
const SUPPORT: f64 = 0.05;

/// How far a shard may be from where the piece that it is part of would have it, in its own size (1): up to the first it moves as the piece,
/// beyond the second as it does itself. Parts of a piece that hang by a thread go their own ways long before they part.
const ASTRAY: [f64; 2] = [0.05, 0.15];

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
/// `pace` says when the keys come. `outers` are as in [`export_shards`](super::export_shards).
pub fn export_animation<Frames>(
    frames: Frames,
    outers: &[Vec<Outer>],
    settings: &ShardSettings,
    pace: Pace,
    folder: &Path,
) -> Result<ShardReport, ExportError>
where
    Frames: DoubleEndedIterator<Item = Result<Frame, FrameFileError>>,
{
    Motion::of(frames, outers, settings)?.write(settings, pace, folder)
}

/// The shards of the last frame and how they came there.
pub(super) struct Motion {
    pub last: Frame,
    pub taken: Taken,
    /// In the order of the shards, body by body.
    pub followers: Vec<Follower>,
    /// Numbers and simulated times (s) of the frames, latest first.
    times: Vec<(u32, f64)>,
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
        let mut times = vec![(last.number, last.time)];
        follow(&last, &mut followers, &mut parents);
        for frame in backward {
            let frame = frame?;
            frame.check().map_err(|cause| ExportError::Invalid { frame: frame.number, cause })?;
            if frame.bodies.len() != last.bodies.len() {
                return Err(ExportError::NoShards { frame: frame.number, reason: "its bodies are others".to_owned() });
            }
            follow(&frame, &mut followers, &mut parents);
            times.push((frame.number, frame.time));
        }
        Ok(Motion { last, taken, followers, times })
    }

    /// Writes `animation.glb`.
    pub fn write(&self, settings: &ShardSettings, pace: Pace, folder: &Path) -> Result<ShardReport, ExportError> {
        let Motion { last, taken, followers, times } = self;
        let mut document = Document::default();
        let laid = encode::lay_out(&mut document, last, &taken.bodies, settings.hull_vertices);
        let (first, start) = times.last().copied().unwrap_or_default();
        let time_of = |&(number, time): &(u32, f64)| pace.time_of(number.saturating_sub(first), time - start);
        let times: Vec<f32> = times.iter().rev().map(|frame| time_of(frame) as f32).collect();
        let tracks: Vec<Track> =
            laid.nodes.iter().zip(followers).map(|(&node, follower)| track(node, follower)).collect();
        document.animate(&times, &tracks);
        let bytes = encode::finish(document, last, laid.roots)?;
        let report = write(FILE, &bytes, folder, taken, laid.summaries)?;
        Ok(ShardReport { length: times.last().map(|&end| f64::from(end)), ..report })
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
                    None => follower.piece = holder(follower, body, rest, &vertices).unwrap_or(body.pieces[0].id),
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
            let (moved, turn) = match shared[&follower.piece] {
                1 => fit.carry(around, &follower.centre),
                // Shards of one piece move as one, so that no seam shows where nothing has broken yet.
                _ => fit.carry_along(around, &follower.centre),
            };
            let turn = nearer(turn, follower.track.last().map(|pose| &pose.turn));
            let piece = body.pieces.iter().position(|piece| piece.id == follower.piece).unwrap_or(0) as u32;
            follower.track.push(Pose { centre: moved, turn, piece });
        }
    }
}

/// The piece that a shard is part of, by its number in the history.
fn holder(shard: &Follower, body: &BodyFrame, rest: &[Vec3], vertices: &[Vertex]) -> Option<u32> {
    // Votes of places that are one piece's alone, and of all: on the faces of a crack both sides have a vertex.
    let mut votes: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for own in &shard.places {
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
    // Before its first face was bare, a shard lay within the piece that it was part of, unless it is bent about its middle.
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

    /// Where a point at rest (m) is carried to by what the vertices do, and how it is turned; by what those of the piece around do where there are too few.
    fn carry(&self, whole: &Fit, point: &Vec3) -> (Vec3, Rotation) {
        let ((rest, now), turn) = self.pose(&whole.turn(&Mat3::zeros()), whole);
        (now + turn * (point - rest), quaternion(&turn))
    }

    /// The same as the piece around does it, unless the vertices have gone [`ASTRAY`].
    fn carry_along(&self, whole: &Fit, point: &Vec3) -> (Vec3, Rotation) {
        let [(own, own_turn), (along, turn)] = [self, whole].map(|fit| fit.carry(whole, point));
        let size = self.extent().sqrt() / self.count.max(1.0).sqrt();
        let astray = (own - along).norm().max(size * own_turn.angle_to(&turn));
        let share = ((astray - ASTRAY[0] * size) / ((ASTRAY[1] - ASTRAY[0]) * size)).clamp(0.0, 1.0);
        // Written so that vertices in one place, whose size is 0, go along.
        if !(share > 0.0) {
            return (along, turn);
        }
        let between = turn.try_slerp(&own_turn, share, 1e-9).unwrap_or(own_turn);
        (along.lerp(&own, share), between)
    }

    /// Sum of the squared distances from the mean at rest (m²).
    fn extent(&self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.size - self.rest.norm_squared() / self.count).max(0.0) }
    }

    /// The means at rest and now, and the turn; those of the piece around it where there are too few vertices.
    fn pose(&self, around: &Mat3, whole: &Fit) -> ((Vec3, Vec3), Mat3) {
        let fit = if self.count < 3.0 { whole } else { self };
        if fit.count == 0.0 {
            return ((Vec3::zeros(), Vec3::zeros()), Mat3::identity());
        }
        let turn = fit.turn(&(SUPPORT * fit.extent() * around));
        ((fit.rest / fit.count, fit.now / fit.count), turn)
    }
}

/// The quaternion of a rotation.
fn quaternion(turn: &Mat3) -> Rotation {
    Rotation::from_basis_unchecked(&[0, 1, 2].map(|axis| turn.column(axis).into_owned()))
}

/// Of the two quaternions of a rotation the one nearer to the last.
fn nearer(rotation: Rotation, last: Option<&Rotation>) -> Rotation {
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
    use craze_frame::{Data, Surface};

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
        assert!((quaternion(&found).angle_to(&turn)).abs() < 1e-7);
    }

    #[test]
    fn a_part_of_a_piece_goes_along_with_it_until_it_goes_astray() {
        let corners = |at: f64| {
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
                .map(|corner| Vec3::from(corner) + at * Vec3::x())
        };
        for (swing, follows) in [(0.01, true), (1.5, false)] {
            // Two tetrahedra that hang together by a thread: the second one swings.
            let (mut whole, mut part) = (Fit::default(), Fit::default());
            let turn = Rotation::new(Vec3::new(0.0, swing, 0.0));
            for corner in corners(0.0) {
                (0..20).for_each(|_| whole.add(&corner, &corner));
            }
            for corner in corners(2.0) {
                whole.add(&corner, &(turn * corner));
                part.add(&corner, &(turn * corner));
            }
            let middle = part.rest / part.count;
            let [(own, own_turn), (along, _)] = [part, whole].map(|fit| fit.carry(&whole, &middle));
            assert!((own - turn * middle).norm() < 1e-9 && own_turn.angle_to(&turn) < 0.3);
            let (place, _) = part.carry_along(&whole, &middle);
            assert!((place - if follows { along } else { own }).norm() < 1e-9, "{place} at {swing}");
        }
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

    #[test]
    fn a_shard_that_was_all_inside_belongs_to_the_piece_around_it() {
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
        let mut shard =
            Follower { body: 0, places: Vec::new(), centre: Vec3::new(10.5, 0.5, 0.5), piece: 12, track: Vec::new() };
        assert_eq!(holder(&shard, &body, &rest, &[]), Some(9));
        // A place that is one piece's alone says more.
        let vertices = [(place(&corners[0]), 7, 0)];
        shard.places.push(vertices[0].0);
        assert_eq!(holder(&shard, &body, &rest, &vertices), Some(7));
    }
}
