//! The pieces of a broken body in their rest shape, where they fit together, as parts for other
//! programs.

mod animation;
mod contacts;
mod cut_shards;
mod encode;
mod merge_small_pieces;
mod sequence;
mod shape;
mod solids;

use std::path::{Path, PathBuf};

use craze_frame::{BodyFrame, Fault, Frame, Surface, atomic_write, names};
use craze_math::Vec3;
use craze_skin::{Contacts, CrackDetail};

use crate::attributes::{Pose, TriangleAttributes, own, transferred};
use crate::looks::Inside;
use crate::tuning::MAX_RECUTS;
use crate::{ExportError, Format, check};
pub use animation::{Pace, export_animation};
use contacts::{Contact, contacts};
use cut_shards::{CutBody, cut_shards};
pub use cut_shards::{Paint, PaintPicture, SourceSurface};
pub(crate) use encode::material;
use merge_small_pieces::merge_small_pieces;
pub use sequence::ShardSequence;
use shape::{Shape, shape};

const FILE: &str = "shards.glb";

/// Settings of shard export.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardSettings {
    /// Pieces below this share of their body's volume are merged into the neighbour with the
    /// largest contact area (1); 0 merges none.
    pub min_volume_fraction: f64,
    /// Most shards per body; beyond it the smallest are merged as well.
    pub max_shards: usize,
    /// Most vertices of a convex hull; at least 4.
    pub hull_vertices: usize,
    /// Detail of crack faces; `None` keeps flat facets.
    pub crack_detail: Option<CrackDetail>,
}

impl Default for ShardSettings {
    fn default() -> Self {
        ShardSettings {
            min_volume_fraction: 0.0,
            max_shards: usize::MAX,
            hull_vertices: 32,
            crack_detail: Some(CrackDetail::default()),
        }
    }
}

/// Result of a shard export.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardReport {
    /// The file.
    pub file: PathBuf,
    /// Its shards, body by body.
    pub shards: Vec<ShardSummary>,
    /// Duration of the animation (s); `None` without one.
    pub length: Option<f64>,
    /// Number of pieces merged into others.
    pub merged: usize,
    /// For each body a line on what the outside of its shards is, and why better surfaces could not
    /// be cut.
    pub outside_notes: Vec<String>,
    /// Content of the frame that the file does not hold, each a phrase with its reason.
    pub left_out: Vec<String>,
}

/// Summary of a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSummary {
    /// Node name.
    pub name: String,
    /// Rest volume (m³).
    pub volume: f64,
    /// True if every edge is traversed exactly once in each direction, over the vertices of the
    /// file.
    pub closed: bool,
    /// Faults of the surface with coincident vertices merged, at rest positions in the world.
    /// Tunnels may be the model's own.
    pub faults: Vec<Fault>,
}

impl ShardSummary {
    /// Returns true if the surface is closed and manifold, also with coincident vertices merged.
    pub fn is_manifold(&self) -> bool {
        self.closed && !self.faults.iter().any(|fault| fault.kind.is_not_manifold())
    }
}

/// A piece with the pieces merged into it.
struct Shard {
    /// Number of the piece in the body's history.
    id: u32,
    /// Number of the piece that it split from.
    parent: Option<u32>,
    /// Rest volume (m³).
    volume: f64,
    /// Mass (kg).
    mass: f64,
    /// Numbers of the merged pieces.
    merged: Vec<u32>,
    /// Numbers of the shards it touches at rest, with contact area (m²).
    neighbours: Vec<(u32, f64)>,
    shape: Shape,
}

/// Writes `shards.glb` into `folder`, which is created if needed: all pieces of all bodies with a
/// known rest shape.
///
/// `source_surfaces` lists for every body the closed surfaces to cut its shards from, in order of
/// preference. If none can be cut, shards have the faces of the tetrahedra. Shards of a sheet are
/// its pieces with their thickness. All shards of a body
/// are cut from the same surface, so they fit together. `docs/formats.md` describes the file.
pub fn export_shards(
    frame: &Frame,
    source_surfaces: &[Vec<SourceSurface>],
    settings: &ShardSettings,
    folder: &Path,
) -> Result<ShardReport, ExportError> {
    let frame = &thickened(frame.clone())?;
    write_shards(frame, &collect_shards(frame, source_surfaces, settings)?, settings, folder)
}

fn write_shards(
    frame: &Frame,
    collected: &CollectedShards,
    settings: &ShardSettings,
    folder: &Path,
) -> Result<ShardReport, ExportError> {
    let (bytes, shards) = encode::encode(frame, &collected.bodies, settings.hull_vertices)?;
    write(FILE, &bytes, folder, collected, shards)
}

/// Checks a frame and replaces its sheets by closed surfaces: shards are closed.
fn thickened(frame: Frame) -> Result<Frame, ExportError> {
    let number = frame.number;
    frame.check().map_err(|cause| ExportError::Invalid { frame: number, cause })?;
    frame.thickened().map_err(|cause| ExportError::Sheet { frame: number, cause })
}

/// Shards of a body, and the materials of their outsides.
#[derive(Default)]
struct BodyShards {
    shards: Vec<Shard>,
    paints: Vec<Paint>,
    inside: Inside,
}

/// Shards of a frame, body by body.
struct CollectedShards {
    bodies: Vec<BodyShards>,
    outside_notes: Vec<String>,
    left_out: Vec<String>,
}

fn collect_shards(
    frame: &Frame,
    source_surfaces: &[Vec<SourceSurface>],
    settings: &ShardSettings,
) -> Result<CollectedShards, ExportError> {
    let number = frame.number;
    let mut bodies = Vec::new();
    let (mut outside_notes, mut left_out) = (Vec::new(), Vec::new());
    for (index, body) in frame.bodies.iter().enumerate() {
        let owner = format!("body '{}'", body.name);
        if body.surface.triangles.is_empty() {
            left_out.push(format!("{owner}: it has no surface"));
            bodies.push(BodyShards::default());
            continue;
        }
        let Some(rest) = body.surface.vertex_attributes.vectors(names::REST) else {
            left_out.push(format!("{owner}: its frames have no rest positions"));
            bodies.push(BodyShards::default());
            continue;
        };
        check::check_points(number, Format::Glb, &owner, "rest position", rest)?;
        // The model of a sheet encloses nothing that could be cut.
        let is_sheet = body.surface.face_attributes.get(names::SIDE).is_some();
        let source_surfaces = source_surfaces.get(index).filter(|_| !is_sheet).map_or(&[][..], Vec::as_slice);
        bodies.push(shards(body, rest, source_surfaces, settings, &mut outside_notes));
    }
    if bodies.iter().all(|body| body.shards.is_empty()) {
        let reason = if left_out.is_empty() { "it has no bodies".to_owned() } else { left_out.join("; ") };
        return Err(ExportError::NoShards { frame: number, reason });
    }
    Ok(CollectedShards { bodies, outside_notes, left_out })
}

fn write(
    name: &str,
    bytes: &[u8],
    folder: &Path,
    collected: &CollectedShards,
    shards: Vec<ShardSummary>,
) -> Result<ShardReport, ExportError> {
    std::fs::create_dir_all(folder).map_err(|cause| ExportError::Folder { path: folder.to_owned(), cause })?;
    let file = folder.join(name);
    atomic_write(&file, bytes)?;
    let CollectedShards { bodies, outside_notes, left_out } = collected;
    let (outside_notes, left_out) = (outside_notes.clone(), left_out.clone());
    let merged = bodies.iter().flat_map(|body| &body.shards).map(|shard| shard.merged.len()).sum();
    Ok(ShardReport { file, shards, length: None, merged, outside_notes, left_out })
}

/// Shards of a body, in the order of its pieces.
fn shards(
    body: &BodyFrame,
    rest: &[Vec3],
    source_surfaces: &[SourceSurface],
    settings: &ShardSettings,
    outside_notes: &mut Vec<String>,
) -> BodyShards {
    let touching = Contacts::new(&body.surface, rest);
    let mut volumes: Vec<f64> = body.pieces.iter().map(|piece| piece.volume).collect();
    // Shards of zero volume are always merged.
    let min_volume = (settings.min_volume_fraction * volumes.iter().sum::<f64>()).max(f64::MIN_POSITIVE);
    let mut owners = merge_small_pieces(&volumes, touching.areas(), min_volume, settings.max_shards);
    // A surface built from the model's triangles needs no cutting.
    let mut with_attributes =
        source_surfaces.iter().filter_map(|source| Some((source, transferred(&body.surface, source, Pose::Rest)?)));
    if let Some((source, attributes)) = with_attributes.next() {
        outside_notes.push(format!("{}: the outside is {}", body.name, source.description()));
        let shapes = shapes_of_frame(&body.surface, rest, &volumes, &owners, Some(&attributes));
        let shards = assemble(body, &touching, &owners, shapes);
        return BodyShards { shards, paints: source.usable_paints(), inside: Inside::of(source) };
    }
    let cut_by =
        |owners: &[u32]| cut_shards(body, rest, &touching, owners, source_surfaces, settings.crack_detail.as_ref());
    let (mut cut, mut failures) = cut_by(&owners);
    for _ in 0..MAX_RECUTS {
        let Some(shapes) = cut.as_ref().map(|cut| &cut.shapes) else { break };
        if !update_small_volumes(shapes, &owners, min_volume, &mut volumes) {
            break;
        }
        let merged = merge_small_pieces(&volumes, touching.areas(), min_volume, settings.max_shards);
        // Nothing to merge with: keep the earlier cut.
        if merged == owners {
            break;
        }
        let (recut, reasons) = cut_by(&merged);
        if recut.is_none() {
            break;
        }
        (owners, cut, failures) = (merged, recut, reasons);
    }
    outside_notes.extend(failures.iter().map(|reason| format!("{}: not {reason}", body.name)));
    if !source_surfaces.is_empty() {
        let description = cut.as_ref().map_or("faces of the tetrahedra", |cut| cut.description.as_str());
        outside_notes.push(format!("{}: the outside is {description}", body.name));
    }
    let (shapes, paints, inside) = match cut {
        Some(CutBody { shapes, source, .. }) => (shapes, source.usable_paints(), Inside::of(source)),
        None => {
            let volumes: Vec<f64> = body.pieces.iter().map(|piece| piece.volume).collect();
            // Normals of the frame are not those at rest.
            let without_normals =
                |attributes: TriangleAttributes| TriangleAttributes { normals: [None; 3], ..attributes };
            let own = own(&body.surface).map(|all| all.into_iter().map(without_normals).collect::<Vec<_>>());
            let paint = |name: &String| Paint { name: name.clone(), ..Paint::default() };
            let paints = body.surface.slots.iter().map(paint).collect();
            (shapes_of_frame(&body.surface, rest, &volumes, &owners, own.as_deref()), paints, Inside::AsBody)
        }
    };
    BodyShards { shards: assemble(body, &touching, &owners, shapes), paints, inside }
}

/// Sets the volumes (m³) of pieces to those of their cut shards where these are below `min_volume`
/// (m³). Returns true if there are any.
fn update_small_volumes(shapes: &[Option<(Shape, f64)>], owners: &[u32], min_volume: f64, volumes: &mut [f64]) -> bool {
    let mut is_any = false;
    for (piece, &owner) in owners.iter().enumerate() {
        let cut = shapes[owner as usize].as_ref().map_or(0.0, |(_, volume)| *volume);
        if cut < min_volume {
            volumes[piece] = if piece == owner as usize { cut } else { 0.0 };
            is_any = true;
        }
    }
    is_any
}

/// Shapes from the faces of the pieces, by owner, with volumes (m³). `attributes`: those of the
/// surface's triangles.
fn shapes_of_frame(
    surface: &Surface,
    rest: &[Vec3],
    volumes: &[f64],
    owners: &[u32],
    attributes: Option<&[TriangleAttributes]>,
) -> Vec<Option<(Shape, f64)>> {
    let mut joined = vec![Vec::new(); owners.len()];
    for contact in contacts(surface, rest) {
        let [one, other] = contact.triangles.map(|triangle| owners[surface.piece_of(triangle) as usize]);
        if one == other {
            joined[one as usize].push(contact);
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
        (!own.is_empty()).then(|| (closed_shape(surface, rest, own, &joined[owner], attributes), sums[owner]))
    };
    (0..owners.len()).map(shape).collect()
}

/// Assembles the shards of a body from the shapes and volumes (m³) of its owners.
fn assemble(body: &BodyFrame, contacts: &Contacts, owners: &[u32], shapes: Vec<Option<(Shape, f64)>>) -> Vec<Shard> {
    let mut touching = Vec::new();
    for (pieces, area) in contacts.areas() {
        let [one, other] = pieces.map(|piece| owners[piece as usize]);
        // A shard without shape lies outside the surface.
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
            // Density is that of the tetrahedra.
            mass: if volume == matter { mass } else { mass / matter * volume },
            merged: members().map(|piece| piece.id).filter(|&id| id != body.pieces[index].id).collect(),
            neighbours: neighbours.collect(),
            shape,
        });
    }
    shards
}

/// Shape with the faces in `joined` closed again. If a crack is split further on one side, that
/// leaves holes: then only faces between different pieces are joined, and of these only piece pairs
/// that stay closed; the others remain separate shells.
fn closed_shape(
    surface: &Surface,
    rest: &[Vec3],
    triangles: &[usize],
    joined: &[Contact],
    attributes: Option<&[TriangleAttributes]>,
) -> Shape {
    let first = shape(surface, rest, triangles, joined, attributes);
    if first.closed {
        return first;
    }
    let pieces = |contact: &Contact| {
        let [one, other] = contact.triangles.map(|triangle| surface.piece_of(triangle));
        [one.min(other), one.max(other)]
    };
    let mut between: Vec<Contact> =
        joined.iter().copied().filter(|contact| pieces(contact)[0] != pieces(contact)[1]).collect();
    let second = shape(surface, rest, triangles, &between, attributes);
    if second.closed {
        return second;
    }
    between.sort_by_key(pieces);
    let mut fitting: Vec<Contact> = Vec::new();
    for pair in between.chunk_by(|one, other| pieces(one) == pieces(other)) {
        let before = fitting.len();
        fitting.extend_from_slice(pair);
        if !shape(surface, rest, triangles, &fitting, attributes).closed {
            fitting.truncate(before);
        }
    }
    shape(surface, rest, triangles, &fitting, attributes)
}
