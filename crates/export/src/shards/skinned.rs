//! Shards whose outside is a closed surface, cut along the cracks.

use std::sync::Arc;

use craze_frame::{BodyFrame, fans};
use craze_math::Vec3;
use craze_skin::{Contacts, CornerAttributes, CrackDetail, Cracks, CutShard, FragmentLocator, Shards, SkinError, cut};

use super::shape::{Look, Shape};
use super::solids::{Closed, solids_of};
use crate::parts::Part;

/// Times that a cut is tried with cracks that lie a hair elsewhere.
const TRIES: u64 = 3;
/// Edge of the lattice that cracks are drawn anew on, in mean edges of the crack faces (1): these are parts of tetrahedra, and small.
const LATTICE: f64 = 2.0;
/// Share of its volume below which a shard asks for a finer lattice (1).
const LEAST: f64 = 0.5;
/// Times that a finer lattice is tried for the sake of shards that are thinner.
const FINER: i32 = 4;
/// How much finer each is (1).
const FINER_BY: f64 = 0.7;

/// A closed surface, in the place that a body had at rest, from which its shards can be cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outer {
    /// What it is, for a person: "the model's own triangles".
    pub name: String,
    /// Where its vertices are (m).
    pub positions: Vec<Vec3>,
    /// Closed and manifold, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// What its corners carry.
    pub corners: CornerAttributes,
    /// How its triangles look, by the numbers in [`CornerAttributes::materials`].
    pub paints: Vec<Paint>,
}

impl Outer {
    /// What it is and carries, for a person.
    pub(crate) fn told(&self) -> String {
        let mut told = self.name.clone();
        if !self.corners.texture.is_empty() {
            told += ", with texture coordinates";
        }
        if !self.corners.normals.is_empty() {
            told += ", with normals";
        }
        if !self.corners.materials.is_empty() {
            told += ", with materials";
        }
        told
    }

    /// Its paints; without pictures where nobody knows where they would lie.
    pub(crate) fn usable_paints(&self) -> Vec<Paint> {
        let mut paints = self.paints.clone();
        if self.corners.texture.is_empty() {
            paints.iter_mut().for_each(|paint| paint.picture = None);
        }
        paints
    }
}

/// How a part of a surface looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// Its name in the model.
    pub name: String,
    /// Base colour, linear red, green, blue and opacity (1); that of the body if there is none.
    pub colour: Option<[f32; 4]>,
    /// The picture that the colour is multiplied with.
    pub picture: Option<PaintPicture>,
}

/// A picture as it stands in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintPicture {
    /// `image/png` or `image/jpeg`, which are those that glTF knows.
    pub media_type: &'static str,
    /// The bytes of the file.
    pub bytes: Arc<[u8]>,
}

/// What was cut.
pub(super) struct Skinned {
    /// By owner: its shape and volume (m³); `None` for an owner that has no part of the surface's inside.
    pub shapes: Vec<Option<(Shape, f64)>>,
    /// How their outsides look, by the numbers that these have.
    pub paints: Vec<Paint>,
    /// How, for a person.
    pub told: String,
}

/// Cuts the first of `outers` that can be cut. Gives what was said against those before it.
pub(super) fn skinned(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    outers: &[Outer],
    grain: Option<&CrackDetail>,
) -> (Option<Skinned>, Vec<String>) {
    let mut said = Vec::new();
    for outer in outers {
        let (smooth, plain) = (CrackDetail::smooth(), "cracks of flat faces");
        let looks = [(grain, "rough cracks"), (Some(&smooth), "smooth cracks"), (None, plain)];
        for (look, told) in looks.into_iter().skip(usize::from(grain.is_none())) {
            match try_cut(body, rest, contacts, owners, outer, look) {
                Ok(shapes) => {
                    let told = format!("{}; {told}", outer.told());
                    return (Some(Skinned { shapes, paints: outer.usable_paints(), told }), said);
                }
                Err(error) => said.push(format!("{} with {told}: {error}", outer.name)),
            }
        }
    }
    (None, said)
}

fn try_cut(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    outer: &Outer,
    grain: Option<&CrackDetail>,
) -> Result<Vec<Option<(Shape, f64)>>, SkinError> {
    let mut volumes = vec![0.0; owners.len()];
    body.pieces.iter().zip(owners).for_each(|(piece, &owner)| volumes[owner as usize] += piece.volume);
    let mut shards = Shards::default();
    for solid in solids_of(body, rest, contacts, owners, outer) {
        let whose = FragmentLocator::filtered(&body.surface, rest, owners, |owner| solid.counts[owner as usize])?;
        let cut = cut_on_lattice(&solid.surface, &whose, &volumes, LATTICE * contacts.edge(), grain)?;
        solid.give(cut, &mut shards);
    }
    let mut shapes: Vec<Option<(Shape, f64)>> = (0..owners.len()).map(|_| None).collect();
    for shard in &shards.shards {
        shapes[shard.label as usize] = Some((shape(shard, &shards.positions, &outer.corners), shard.volume));
    }
    Ok(shapes)
}

/// Cuts a surface by cracks that are drawn anew on a lattice of this edge (m), or a finer one: what is thinner than its edges is lost, or hardly anything of
/// it left. `volumes` (m³) are those that the shards should have.
fn cut_on_lattice(
    outer: &Closed,
    whose: &FragmentLocator,
    volumes: &[f64],
    edge: f64,
    grain: Option<&CrackDetail>,
) -> Result<Shards, SkinError> {
    let label_at = |point: &Vec3| whose.locate(point);
    if whose.labels().count() < 2 {
        return cut(&outer.positions, &outer.triangles, &Cracks::default(), label_at);
    }
    let is_whole = |shards: &Shards| {
        let drawn = |label: u32| shards.shards.iter().find(|shard| shard.label == label).map_or(0.0, |it| it.volume);
        whose.labels().all(|label| drawn(label) >= LEAST * volumes[label as usize])
    };
    let mut finest = Err(SkinError::Degenerate);
    for finer in 0..=FINER {
        match cut_once(outer, whose, edge * FINER_BY.powi(finer), grain, finer == FINER) {
            Ok(None) => {}
            Ok(Some(shards)) => {
                let is_done = is_whole(&shards);
                finest = Ok(shards);
                if is_done {
                    break;
                }
            }
            // What a coarser lattice gave is better than nothing.
            Err(_) if finest.is_ok() => break,
            Err(error) => finest = Err(error),
        }
    }
    finest
}

/// The same on a lattice of this very edge (m); none where it has lost a shard and is not the last.
fn cut_once(
    outer: &Closed,
    whose: &FragmentLocator,
    edge: f64,
    grain: Option<&CrackDetail>,
    is_last: bool,
) -> Result<Option<Shards>, SkinError> {
    let label_at = |point: &Vec3| whose.locate(point);
    let mut cracks = Cracks::extract(&outer.positions, &outer.triangles, edge, label_at)?;
    if cracks.labels().len() < whose.labels().count() && !is_last {
        return Ok(None);
    }
    cracks.add_detail(grain)?;
    let mut shards = Err(SkinError::Degenerate);
    for seed in 1..=TRIES {
        cracks.perturb(seed);
        shards = cut(&outer.positions, &outer.triangles, &cracks, label_at);
        if shards != Err(SkinError::Degenerate) {
            break;
        }
    }
    shards.map(Some)
}

/// The shape of a shard, with a vertex for each fan of triangles.
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
    let look = Look { texture: texture.collect(), normals: normals.collect(), materials: materials.collect() };
    Shape::closed(part, look)
}
