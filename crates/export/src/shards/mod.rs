//! The pieces of a broken body as parts for other programs: in their rest shape, so that they fit together.

mod animation;
mod contacts;
mod dust;
mod encode;
mod film;
mod shape;
mod skinned;
mod solids;

use std::path::{Path, PathBuf};

use craze_frame::{BodyFrame, Fault, Frame, Surface, atomic_write, names};
use craze_math::Vec3;
use craze_skin::{Contacts, CrackDetail};

use crate::dress::{At, Worn, dress};
use crate::{ExportError, Format, check};
pub use animation::{Pace, export_animation};
use contacts::{Contact, contacts};
pub(crate) use encode::material;
pub use film::ShardFilm;
use shape::{Shape, shape};
pub use skinned::{Outer, Paint, PaintPicture};
use skinned::{Skinned, skinned};

/// Name of the file.
const FILE: &str = "shards.glb";

/// Times that shards are drawn anew because some have come out as dust.
const REDRAWN: usize = 3;

/// How shards are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardSettings {
    /// Pieces smaller than this share of their body's volume are merged into the neighbour with the largest contact area; 0 merges none.
    pub smallest: f64,
    /// Shards of a body at most: beyond that the smallest are merged as well.
    pub most: usize,
    /// Vertices of a convex hull at most; at least 4.
    pub hull_vertices: usize,
    /// What makes crack faces look like broken matter; without it they are the faces of the tetrahedra.
    pub grain: Option<CrackDetail>,
}

impl Default for ShardSettings {
    fn default() -> Self {
        ShardSettings { smallest: 0.0, most: usize::MAX, hull_vertices: 32, grain: Some(CrackDetail::default()) }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardReport {
    /// The file.
    pub file: PathBuf,
    /// Its shards, body by body.
    pub shards: Vec<ShardSummary>,
    /// How long the animation is (s); none where nothing moves.
    pub length: Option<f64>,
    /// Pieces that were merged into others.
    pub merged: usize,
    /// What the outside of each body's shards is, and why it is not what one might want, each as a line for a person.
    pub skins: Vec<String>,
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
    /// Whether every edge is passed exactly once in each direction, with the vertices that the file has.
    pub closed: bool,
    /// What is wrong with its surface where vertices at equal positions are one, kind by kind; places are at rest, in the world. Tunnels may be
    /// those of the model.
    pub faults: Vec<Fault>,
}

impl ShardSummary {
    /// Whether it is closed and manifold, also where vertices at equal positions are one.
    pub fn is_manifold(&self) -> bool {
        self.closed && !self.faults.iter().any(|fault| fault.kind.is_not_manifold())
    }
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
///
/// `outers` has, for every body, the closed surfaces that its shards may be cut from, the best first; where there is none or none can be cut,
/// shards have the faces of the tetrahedra. All shards of a body are made in the same way, so that they fit together.
/// `docs/formats.md` says what it holds.
pub fn export_shards(
    frame: &Frame,
    outers: &[Vec<Outer>],
    settings: &ShardSettings,
    folder: &Path,
) -> Result<ShardReport, ExportError> {
    write_shards(frame, &take(frame, outers, settings)?, settings, folder)
}

fn write_shards(
    frame: &Frame,
    taken: &Taken,
    settings: &ShardSettings,
    folder: &Path,
) -> Result<ShardReport, ExportError> {
    let (bytes, shards) = encode::encode(frame, &taken.bodies, settings.hull_vertices)?;
    write(FILE, &bytes, folder, taken, shards)
}

/// The shards of a body, and how their outsides look.
#[derive(Default)]
struct Broken {
    shards: Vec<Shard>,
    paints: Vec<Paint>,
}

/// The shards of a frame, body by body, and what has none.
struct Taken {
    bodies: Vec<Broken>,
    skins: Vec<String>,
    left_out: Vec<String>,
}

fn take(frame: &Frame, outers: &[Vec<Outer>], settings: &ShardSettings) -> Result<Taken, ExportError> {
    let number = frame.number;
    frame.check().map_err(|cause| ExportError::Invalid { frame: number, cause })?;
    let mut bodies = Vec::new();
    let (mut skins, mut left_out) = (Vec::new(), Vec::new());
    for (index, body) in frame.bodies.iter().enumerate() {
        let owner = format!("body '{}'", body.name);
        if body.surface.triangles.is_empty() {
            left_out.push(format!("{owner}: it has no surface"));
            bodies.push(Broken::default());
            continue;
        }
        let Some(rest) = body.surface.vertex_attributes.vectors(names::REST) else {
            left_out.push(format!("{owner}: its frames do not say where its surface was at rest"));
            bodies.push(Broken::default());
            continue;
        };
        check::check_points(number, Format::Glb, &owner, "rest position", rest)?;
        let outers = outers.get(index).map_or(&[][..], Vec::as_slice);
        bodies.push(shards(body, rest, outers, settings, &mut skins));
    }
    if bodies.iter().all(|body| body.shards.is_empty()) {
        let reason = if left_out.is_empty() { "it has no bodies".to_owned() } else { left_out.join("; ") };
        return Err(ExportError::NoShards { frame: number, reason });
    }
    Ok(Taken { bodies, skins, left_out })
}

/// Writes a file of shards.
fn write(
    name: &str,
    bytes: &[u8],
    folder: &Path,
    taken: &Taken,
    shards: Vec<ShardSummary>,
) -> Result<ShardReport, ExportError> {
    std::fs::create_dir_all(folder).map_err(|cause| ExportError::Folder { path: folder.to_owned(), cause })?;
    let file = folder.join(name);
    atomic_write(&file, bytes)?;
    let Taken { bodies, skins, left_out } = taken;
    let (skins, left_out) = (skins.clone(), left_out.clone());
    let merged = bodies.iter().flat_map(|body| &body.shards).map(|shard| shard.merged.len()).sum();
    Ok(ShardReport { file, shards, length: None, merged, skins, left_out })
}

/// The shards of a body, in the order of its pieces.
fn shards(
    body: &BodyFrame,
    rest: &[Vec3],
    outers: &[Outer],
    settings: &ShardSettings,
    skins: &mut Vec<String>,
) -> Broken {
    let touching = Contacts::new(&body.surface, rest);
    let mut volumes: Vec<f64> = body.pieces.iter().map(|piece| piece.volume).collect();
    // What drawing loses altogether is merged whatever was asked for.
    let smallest = (settings.smallest * volumes.iter().sum::<f64>()).max(f64::MIN_POSITIVE);
    let mut owners = dust::owners(&volumes, touching.areas(), smallest, settings.most);
    // A surface that is made of the model's own triangles need not be cut again.
    let mut dressed = outers.iter().filter_map(|outer| Some((outer, dress(&body.surface, outer, At::Rest)?)));
    if let Some((outer, worn)) = dressed.next() {
        skins.push(format!("{}: the outside is {}", body.name, outer.told()));
        let shapes = shapes_of_frame(&body.surface, rest, &volumes, &owners, Some(&worn));
        return Broken { shards: gather(body, &touching, &owners, shapes), paints: outer.usable_paints() };
    }
    let cut = |owners: &[u32]| skinned(body, rest, &touching, owners, outers, settings.grain.as_ref());
    let (mut skinned, mut said) = cut(&owners);
    for _ in 0..REDRAWN {
        let Some(shapes) = skinned.as_ref().map(|skinned| &skinned.shapes) else { break };
        if !shrunk_to_dust(shapes, &owners, smallest, &mut volumes) {
            break;
        }
        let merged = dust::owners(&volumes, touching.areas(), smallest, settings.most);
        // Dust that touches nothing stays, and what was cut before is better than nothing.
        if merged == owners {
            break;
        }
        let (anew, why) = cut(&merged);
        if anew.is_none() {
            break;
        }
        (owners, skinned, said) = (merged, anew, why);
    }
    skins.extend(said.iter().map(|why| format!("{}: not {why}", body.name)));
    if !outers.is_empty() {
        let told = skinned.as_ref().map_or("faces of the tetrahedra", |skinned| skinned.told.as_str());
        skins.push(format!("{}: the outside is {told}", body.name));
    }
    let (shapes, paints) = match skinned {
        Some(Skinned { shapes, paints, .. }) => (shapes, paints),
        None => {
            let volumes: Vec<f64> = body.pieces.iter().map(|piece| piece.volume).collect();
            (shapes_of_frame(&body.surface, rest, &volumes, &owners, None), Vec::new())
        }
    };
    Broken { shards: gather(body, &touching, &owners, shapes), paints }
}

/// Whether drawing the cracks anew has left shards smaller than `smallest` (m³), or nothing at all of them; `volumes` (m³) of their pieces say so then.
fn shrunk_to_dust(shapes: &[Option<(Shape, f64)>], owners: &[u32], smallest: f64, volumes: &mut [f64]) -> bool {
    let mut is_any = false;
    for (piece, &owner) in owners.iter().enumerate() {
        let drawn = shapes[owner as usize].as_ref().map_or(0.0, |(_, volume)| *volume);
        if drawn < smallest {
            volumes[piece] = if piece == owner as usize { drawn } else { 0.0 };
            is_any = true;
        }
    }
    is_any
}

/// Shapes made of the faces that the pieces have, by owner, with their volumes (m³). `worn` is what these carry.
fn shapes_of_frame(
    surface: &Surface,
    rest: &[Vec3],
    volumes: &[f64],
    owners: &[u32],
    worn: Option<&[Worn]>,
) -> Vec<Option<(Shape, f64)>> {
    let mut glued = vec![Vec::new(); owners.len()];
    for contact in contacts(surface, rest) {
        let [one, other] = contact.triangles.map(|triangle| owners[surface.piece_of(triangle) as usize]);
        if one == other {
            glued[one as usize].push(contact);
        }
    }
    let mut triangles = vec![Vec::new(); owners.len()];
    for triangle in 0..surface.triangles.len() {
        triangles[owners[surface.piece_of(triangle) as usize] as usize].push(triangle);
    }
    let mut sums = vec![0.0; owners.len()];
    for (volume, &owner) in volumes.iter().zip(owners) {
        sums[owner as usize] += volume;
    }
    let shape = |owner: usize| {
        let own = &triangles[owner];
        (!own.is_empty()).then(|| (closed_shape(surface, rest, own, &glued[owner], worn), sums[owner]))
    };
    (0..owners.len()).map(shape).collect()
}

/// The shards of a body whose pieces count to `owners` and have these shapes and volumes (m³).
fn gather(body: &BodyFrame, contacts: &Contacts, owners: &[u32], shapes: Vec<Option<(Shape, f64)>>) -> Vec<Shard> {
    let mut touching = Vec::new();
    for (pieces, area) in contacts.areas() {
        let [one, other] = pieces.map(|piece| owners[piece as usize]);
        // A shard without shape lies outside the surface and touches nothing.
        if one != other && shapes[one as usize].is_some() && shapes[other as usize].is_some() {
            touching.extend([(one, other, area), (other, one, area)]);
        }
    }
    touching.sort_by_key(|&(one, other, _)| (one, other));
    let mut members = vec![Vec::new(); body.pieces.len()];
    for (piece, &owner) in (0_u32..).zip(owners) {
        members[owner as usize].push(piece);
    }
    let mut shards = Vec::new();
    for (index, shape) in shapes.into_iter().enumerate() {
        let Some((shape, volume)) = shape else { continue };
        let members = || members[index].iter().map(|&piece| &body.pieces[piece as usize]);
        let from = touching.partition_point(|&(one, _, _)| (one as usize) < index);
        let to = touching.partition_point(|&(one, _, _)| one as usize <= index);
        let neighbours = touching[from..to]
            .chunk_by(|one, other| one.1 == other.1)
            .map(|faces| (body.pieces[faces[0].1 as usize].id, faces.iter().map(|(_, _, area)| area).sum()));
        let (matter, mass) = members().fold((0.0, 0.0), |sum, piece| (sum.0 + piece.volume, sum.1 + piece.mass));
        shards.push(Shard {
            id: body.pieces[index].id,
            parent: body.pieces[index].parent,
            volume,
            // As dense as its tetrahedra are.
            mass: if volume == matter { mass } else { mass / matter * volume },
            merged: members().map(|piece| piece.id).filter(|&id| id != body.pieces[index].id).collect(),
            neighbours: neighbours.collect(),
            shape,
        });
    }
    shards
}

/// The shape with all the faces in `glued` closed again. Where a crack has cut one side further than the other that would leave holes: then only
/// those between different pieces, and of these only pieces that fit; what does not is a shell of its own that lies in its place.
fn closed_shape(
    surface: &Surface,
    rest: &[Vec3],
    triangles: &[usize],
    glued: &[Contact],
    worn: Option<&[Worn]>,
) -> Shape {
    let first = shape(surface, rest, triangles, glued, worn);
    if first.closed {
        return first;
    }
    let pieces = |contact: &Contact| {
        let [one, other] = contact.triangles.map(|triangle| surface.piece_of(triangle));
        [one.min(other), one.max(other)]
    };
    let mut between: Vec<Contact> =
        glued.iter().copied().filter(|contact| pieces(contact)[0] != pieces(contact)[1]).collect();
    let second = shape(surface, rest, triangles, &between, worn);
    if second.closed {
        return second;
    }
    between.sort_by_key(pieces);
    let mut joined: Vec<Contact> = Vec::new();
    for pair in between.chunk_by(|one, other| pieces(one) == pieces(other)) {
        let before = joined.len();
        joined.extend_from_slice(pair);
        if !shape(surface, rest, triangles, &joined, worn).closed {
            joined.truncate(before);
        }
    }
    shape(surface, rest, triangles, &joined, worn)
}
