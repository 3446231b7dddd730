//! Cutting of shards from a closed surface along the cracks.

use std::sync::Arc;

use craze_frame::{BodyFrame, fans};
use craze_math::Vec3;
use craze_skin::{Contacts, CornerAttributes, CrackDetail, Cracks, CutShard, FragmentLocator, Shards, SkinError, cut};

use super::shape::{Shape, ShardAttributes};
use super::solids::{ClosedSurface, solids_of};
use crate::parts::Part;
use crate::tuning::{LATTICE_EDGE_RATIO, MAX_CUT_TRIES, MAX_REFINEMENTS, MIN_VOLUME_RATIO, REFINEMENT_FACTOR};

/// A closed surface at the rest position of a body, from which its shards can be cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceSurface {
    /// Description for reports, such as "the model's own triangles".
    pub name: String,
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Closed and manifold, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Attributes of its corners and triangles.
    pub corners: CornerAttributes,
    /// Materials by the indices in [`CornerAttributes::materials`].
    pub paints: Vec<Paint>,
}

impl SourceSurface {
    /// Name and attributes, for reports.
    pub(crate) fn description(&self) -> String {
        let mut description = self.name.clone();
        if !self.corners.texture.is_empty() {
            description += ", with texture coordinates";
        }
        if !self.corners.normals.is_empty() {
            description += ", with normals";
        }
        if !self.corners.materials.is_empty() {
            description += ", with materials";
        }
        description
    }

    /// Materials, without pictures if there are no texture coordinates.
    pub(crate) fn usable_paints(&self) -> Vec<Paint> {
        let mut paints = self.paints.clone();
        if self.corners.texture.is_empty() {
            paints.iter_mut().for_each(|paint| paint.picture = None);
        }
        paints
    }
}

/// A material of an imported model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// Name in the model.
    pub name: String,
    /// Base colour, linear red, green, blue and opacity (1); `None`: that of the body.
    pub colour: Option<[f32; 4]>,
    /// Picture that the colour is multiplied with.
    pub picture: Option<PaintPicture>,
}

/// An encoded picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintPicture {
    /// `image/png` or `image/jpeg`, the types that glTF supports.
    pub media_type: &'static str,
    /// Bytes of the file.
    pub bytes: Arc<[u8]>,
}

/// Shards cut from a source surface.
pub(super) struct CutBody<'a> {
    /// By owner: shape and volume (m³); `None` if no part of the surface's inside belongs to the
    /// owner.
    pub shapes: Vec<Option<(Shape, f64)>>,
    /// Surface that was cut.
    pub source: &'a SourceSurface,
    /// Description for reports.
    pub description: String,
}

/// Cuts the first source surface that can be cut. Also returns why earlier ones could not.
pub(super) fn cut_shards<'a>(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    source_surfaces: &'a [SourceSurface],
    detail: Option<&CrackDetail>,
) -> (Option<CutBody<'a>>, Vec<String>) {
    let mut failures = Vec::new();
    for source in source_surfaces {
        let (smooth, plain) = (CrackDetail::smooth(), "cracks of flat faces");
        let variants = [(detail, "rough cracks"), (Some(&smooth), "smooth cracks"), (None, plain)];
        for (variant, description) in variants.into_iter().skip(usize::from(detail.is_none())) {
            match try_cut(body, rest, contacts, owners, source, variant) {
                Ok(shapes) => {
                    let description = format!("{}; {description}", source.description());
                    return (Some(CutBody { shapes, source, description }), failures);
                }
                Err(error) => failures.push(format!("{} with {description}: {error}", source.name)),
            }
        }
    }
    (None, failures)
}

fn try_cut(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    source: &SourceSurface,
    detail: Option<&CrackDetail>,
) -> Result<Vec<Option<(Shape, f64)>>, SkinError> {
    let mut volumes = vec![0.0; owners.len()];
    body.pieces.iter().zip(owners).for_each(|(piece, &owner)| volumes[owner as usize] += piece.volume);
    let mut shards = Shards::default();
    for solid in solids_of(body, rest, contacts, owners, source) {
        let locator = FragmentLocator::filtered(&body.surface, rest, owners, |owner| solid.counts[owner as usize])?;
        let cut = cut_on_lattice(&solid.surface, &locator, &volumes, LATTICE_EDGE_RATIO * contacts.edge(), detail)?;
        solid.add_to(cut, &mut shards);
    }
    let mut shapes: Vec<Option<(Shape, f64)>> = (0..owners.len()).map(|_| None).collect();
    for shard in &shards.shards {
        shapes[shard.label as usize] = Some((shape(shard, &shards.positions, &source.corners), shard.volume));
    }
    Ok(shapes)
}

/// Cuts a surface by cracks extracted on a lattice with this edge (m), or on finer ones if shards
/// lose too much of their `volumes` (m³): those thinner than an edge vanish.
fn cut_on_lattice(
    source: &ClosedSurface,
    locator: &FragmentLocator,
    volumes: &[f64],
    edge: f64,
    detail: Option<&CrackDetail>,
) -> Result<Shards, SkinError> {
    let label_at = |point: &Vec3| locator.locate(point);
    if locator.labels().count() < 2 {
        return cut(&source.positions, &source.triangles, &Cracks::default(), label_at);
    }
    let is_whole = |shards: &Shards| {
        let volume_of =
            |label: u32| shards.shards.iter().find(|shard| shard.label == label).map_or(0.0, |it| it.volume);
        locator.labels().all(|label| volume_of(label) >= MIN_VOLUME_RATIO * volumes[label as usize])
    };
    let mut best = Err(SkinError::Degenerate);
    for refinement in 0..=MAX_REFINEMENTS {
        match cut_once(
            source,
            locator,
            edge * REFINEMENT_FACTOR.powi(refinement),
            detail,
            refinement == MAX_REFINEMENTS,
        ) {
            Ok(None) => {}
            Ok(Some(shards)) => {
                let is_done = is_whole(&shards);
                best = Ok(shards);
                if is_done {
                    break;
                }
            }
            // Keep the result of the coarser lattice.
            Err(_) if best.is_ok() => break,
            Err(error) => best = Err(error),
        }
    }
    best
}

/// Cuts once on a lattice with this edge (m). `None` if a fragment is lost, unless `is_last`.
fn cut_once(
    source: &ClosedSurface,
    locator: &FragmentLocator,
    edge: f64,
    detail: Option<&CrackDetail>,
    is_last: bool,
) -> Result<Option<Shards>, SkinError> {
    let label_at = |point: &Vec3| locator.locate(point);
    let mut cracks = Cracks::extract(&source.positions, &source.triangles, edge, label_at)?;
    if cracks.labels().len() < locator.labels().count() && !is_last {
        return Ok(None);
    }
    cracks.add_detail(detail)?;
    let mut shards = Err(SkinError::Degenerate);
    for seed in 1..=MAX_CUT_TRIES {
        cracks.perturb(seed);
        shards = cut(&source.positions, &source.triangles, &cracks, label_at);
        if shards != Err(SkinError::Degenerate) {
            break;
        }
    }
    shards.map(Some)
}

/// Shape of a shard, with a vertex per fan of triangles.
fn shape(shard: &CutShard, positions: &[Vec3], corners: &CornerAttributes) -> Shape {
    let triangles: Vec<[u32; 3]> =
        shard.outside.iter().map(|part| part.corners).chain(shard.cracks.iter().copied()).collect();
    let fans = fans(&triangles, |vertex| positions[vertex as usize]);
    let mut numbers = vec![u32::MAX; fans.len()];
    let mut part = Part {
        piece: shard.label,
        positions: Vec::new(),
        triangles: Vec::with_capacity(triangles.len()),
        crack: (0..triangles.len()).map(|triangle| triangle >= shard.outside.len()).collect(),
        faces: Vec::new(),
    };
    for (triangle, corners) in triangles.iter().enumerate() {
        part.triangles.push([0, 1, 2].map(|corner| {
            let number = &mut numbers[fans[3 * triangle + corner] as usize];
            if *number == u32::MAX {
                *number = part.positions.len() as u32;
                part.positions.push(positions[corners[corner] as usize]);
            }
            *number
        }));
    }
    let texture = shard.outside.iter().filter_map(|part| {
        let [a, b, c] = part.weights.each_ref().map(|weights| corners.texture_at(part.source, weights));
        Some([a?, b?, c?])
    });
    let normals = shard
        .outside
        .iter()
        .filter(|_| !corners.normals.is_empty())
        .map(|part| part.weights.each_ref().map(|weights| corners.normal_at(part.source, weights)));
    let materials = shard.outside.iter().filter_map(|part| corners.materials.get(part.source as usize).copied());
    let attributes =
        ShardAttributes { texture: texture.collect(), normals: normals.collect(), materials: materials.collect() };
    Shape::closed(part, attributes)
}
