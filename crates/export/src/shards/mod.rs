//! The pieces of a broken body as parts for other programs: in their rest shape, so that they fit together.

mod animation;
mod contacts;
mod dust;
mod encode;
mod shape;

use std::path::{Path, PathBuf};

use craze_frame::{BodyFrame, Frame, Surface, atomic_write, names};
use craze_math::Vec3;

use crate::{ExportError, Format, check};
pub use animation::export_animation;
use contacts::{Contact, contacts};
use shape::{Shape, shape};

/// Name of the file.
const FILE: &str = "shards.glb";

/// How shards are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardSettings {
    /// Pieces smaller than this share of their body's volume are merged into the neighbour with the largest contact area; 0 merges none.
    pub smallest: f64,
    /// Vertices of a convex hull at most; at least 4.
    pub hull_vertices: usize,
}

impl Default for ShardSettings {
    fn default() -> Self {
        ShardSettings { smallest: 0.0, hull_vertices: 32 }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardReport {
    /// The file.
    pub file: PathBuf,
    /// Its shards, body by body.
    pub shards: Vec<ShardSummary>,
    /// Pieces that were merged into others.
    pub merged: usize,
    /// What the frame holds and the file does not, each as a phrase with its reason, for a person.
    pub left_out: Vec<String>,
}

/// A shard in a few words.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSummary {
    /// Name of its node.
    pub name: String,
    /// Rest volume (m³).
    pub volume: f64,
    /// Whether its surface is closed and manifold: every edge is passed exactly once in each direction.
    pub closed: bool,
}

/// A piece, with the dust it took in.
struct Shard {
    /// Number in the body's history.
    id: u32,
    /// The piece it broke from.
    parent: Option<u32>,
    /// Rest volume (m³).
    volume: f64,
    /// Mass (kg).
    mass: f64,
    /// Numbers of the pieces that were merged into it.
    merged: Vec<u32>,
    /// Numbers of the shards it touched at rest, and the contact area (m²).
    neighbours: Vec<(u32, f64)>,
    shape: Shape,
}

/// Writes `shards.glb` into `folder`, which is created if needed: every piece of every body of the frame whose rest shape is known.
/// `docs/formats.md` says what it holds.
pub fn export_shards(frame: &Frame, settings: &ShardSettings, folder: &Path) -> Result<ShardReport, ExportError> {
    let Taken { bodies, left_out } = take(frame, settings)?;
    let (bytes, shards) = encode::encode(frame, &bodies, settings.hull_vertices)?;
    write(FILE, &bytes, folder, bodies, shards, left_out)
}

/// The shards of a frame, body by body, and what has none.
struct Taken {
    bodies: Vec<Vec<Shard>>,
    left_out: Vec<String>,
}

fn take(frame: &Frame, settings: &ShardSettings) -> Result<Taken, ExportError> {
    let number = frame.number;
    frame.check().map_err(|cause| ExportError::Invalid { frame: number, cause })?;
    let mut bodies = Vec::new();
    let mut left_out = Vec::new();
    for body in &frame.bodies {
        let owner = format!("body '{}'", body.name);
        if body.surface.triangles.is_empty() {
            left_out.push(format!("{owner}: it has no surface"));
            bodies.push(Vec::new());
            continue;
        }
        let Some(rest) = body.surface.vertex_attributes.vectors(names::REST) else {
            left_out.push(format!("{owner}: its frames do not say where its surface was at rest"));
            bodies.push(Vec::new());
            continue;
        };
        check::check_points(number, Format::Glb, &owner, "rest position", rest)?;
        bodies.push(shards(body, rest, settings.smallest));
    }
    if bodies.iter().all(Vec::is_empty) {
        let reason = if left_out.is_empty() { "it has no bodies".to_owned() } else { left_out.join("; ") };
        return Err(ExportError::NoShards { frame: number, reason });
    }
    Ok(Taken { bodies, left_out })
}

/// Writes a file of shards.
fn write(
    name: &str,
    bytes: &[u8],
    folder: &Path,
    bodies: Vec<Vec<Shard>>,
    shards: Vec<ShardSummary>,
    left_out: Vec<String>,
) -> Result<ShardReport, ExportError> {
    std::fs::create_dir_all(folder).map_err(|cause| ExportError::Folder { path: folder.to_owned(), cause })?;
    let file = folder.join(name);
    atomic_write(&file, bytes)?;
    let merged = bodies.iter().flatten().map(|shard| shard.merged.len()).sum();
    Ok(ShardReport { file, shards, merged, left_out })
}

/// The shards of a body, in the order of its pieces.
fn shards(body: &BodyFrame, rest: &[Vec3], smallest: f64) -> Vec<Shard> {
    let surface = &body.surface;
    let contacts = contacts(surface, rest);
    let pieces_of = |contact: &Contact| contact.triangles.map(|triangle| surface.piece_of(triangle));
    let volumes: Vec<f64> = body.pieces.iter().map(|piece| piece.volume).collect();
    let areas = contacts.iter().map(|contact| (pieces_of(contact), contact.area));
    let owners = dust::owners(&volumes, areas, smallest * volumes.iter().sum::<f64>());
    gather(body, rest, &contacts, &owners)
}

/// The shards of a body whose pieces count to `owners`.
fn gather(body: &BodyFrame, rest: &[Vec3], contacts: &[Contact], owners: &[u32]) -> Vec<Shard> {
    let surface = &body.surface;
    let pieces_of = |contact: &Contact| contact.triangles.map(|triangle| surface.piece_of(triangle));
    let owners_of = |contact: &Contact| pieces_of(contact).map(|piece| owners[piece as usize]);

    let mut glued = vec![Vec::new(); body.pieces.len()];
    let mut touching = Vec::new();
    for contact in contacts {
        let [one, other] = owners_of(contact);
        if one == other {
            glued[one as usize].push(*contact);
        } else {
            touching.extend([(one, other, contact.area), (other, one, contact.area)]);
        }
    }
    touching.sort_by_key(|&(one, other, _)| (one, other));
    let mut triangles = vec![Vec::new(); body.pieces.len()];
    for triangle in 0..surface.triangles.len() {
        triangles[owners[surface.piece_of(triangle) as usize] as usize].push(triangle);
    }
    let mut members = vec![Vec::new(); body.pieces.len()];
    for (piece, &owner) in (0_u32..).zip(owners) {
        members[owner as usize].push(piece);
    }
    let mut shards = Vec::new();
    for (index, triangles) in triangles.iter().enumerate().filter(|(_, triangles)| !triangles.is_empty()) {
        let members = || members[index].iter().map(|&piece| &body.pieces[piece as usize]);
        let from = touching.partition_point(|&(one, _, _)| (one as usize) < index);
        let to = touching.partition_point(|&(one, _, _)| one as usize <= index);
        let neighbours = touching[from..to]
            .chunk_by(|one, other| one.1 == other.1)
            .map(|faces| (body.pieces[faces[0].1 as usize].id, faces.iter().map(|(_, _, area)| area).sum()));
        shards.push(Shard {
            id: body.pieces[index].id,
            parent: body.pieces[index].parent,
            volume: members().map(|piece| piece.volume).sum(),
            mass: members().map(|piece| piece.mass).sum(),
            merged: members().map(|piece| piece.id).filter(|&id| id != body.pieces[index].id).collect(),
            neighbours: neighbours.collect(),
            shape: closed_shape(surface, rest, triangles, &glued[index]),
        });
    }
    shards
}

/// The shape with all the faces in `glued` closed again. Where a crack has cut one side further than the other that would leave holes: then only
/// those between different pieces, and of these only pieces that fit; what does not is a shell of its own that lies in its place.
fn closed_shape(surface: &Surface, rest: &[Vec3], triangles: &[usize], glued: &[Contact]) -> Shape {
    let first = shape(surface, rest, triangles, glued);
    if first.closed {
        return first;
    }
    let pieces = |contact: &Contact| {
        let [one, other] = contact.triangles.map(|triangle| surface.piece_of(triangle));
        [one.min(other), one.max(other)]
    };
    let mut between: Vec<Contact> =
        glued.iter().copied().filter(|contact| pieces(contact)[0] != pieces(contact)[1]).collect();
    let second = shape(surface, rest, triangles, &between);
    if second.closed {
        return second;
    }
    between.sort_by_key(pieces);
    let mut joined: Vec<Contact> = Vec::new();
    for pair in between.chunk_by(|one, other| pieces(one) == pieces(other)) {
        let before = joined.len();
        joined.extend_from_slice(pair);
        if !shape(surface, rest, triangles, &joined).closed {
            joined.truncate(before);
        }
    }
    shape(surface, rest, triangles, &joined)
}
