//! Assignment of pieces to the solids of a body.
//!
//! Separate solids of a model break independently. A point outside the tetrahedra is assigned to
//! the nearest fragment, which across a gap could belong to another solid. So the surface of each
//! solid is cut only by the cracks between its own pieces.

use craze_frame::BodyFrame;
use craze_math::{DisjointSets, Vec3};
use craze_skin::{Contacts, Shards, SurfacePart, solids};
use craze_spatial::TriangleTree;

use super::cut_shards::SourceSurface;
use crate::tuning::MIN_OWN_AREA_RATIO;

pub(super) struct ClosedSurface {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

pub(super) struct Solid {
    pub surface: ClosedSurface,
    /// Its triangles in the input surface.
    sources: Vec<u32>,
    /// For every owner whether it may be a shard of this solid.
    pub counts: Vec<bool>,
}

impl Solid {
    /// Appends the fragments of this solid to those of the others.
    pub fn add_to(&self, cut: Shards, all: &mut Shards) {
        let first = all.positions.len() as u32;
        all.positions.extend(cut.positions);
        for mut shard in cut.shards {
            for SurfacePart { corners, source, .. } in &mut shard.outside {
                (*corners, *source) = (corners.map(|corner| first + corner), self.sources[*source as usize]);
            }
            shard.cracks.iter_mut().flatten().for_each(|corner| *corner += first);
            match all.shards.iter_mut().find(|other| other.label == shard.label) {
                Some(other) => {
                    other.outside.extend(shard.outside);
                    other.cracks.extend(shard.cracks);
                    other.volume += shard.volume;
                }
                None => all.shards.push(shard),
            }
        }
    }
}

/// The solids of a surface, with their owners.
pub(super) fn solids_of(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    input: &SourceSurface,
) -> Vec<Solid> {
    let parts = solids(&input.positions, &input.triangles);
    let assignment = (parts.len() > 1).then(|| assign_solids(body, rest, contacts, owners, input, &parts)).flatten();
    // A single solid may contain every owner.
    let assignment =
        assignment.unwrap_or_else(|| SolidAssignment { parts: vec![0; parts.len()], owners: vec![0; owners.len()] });
    let mut sources = vec![Vec::new(); parts.len()];
    for (part, &solid_index) in parts.iter().zip(&assignment.parts) {
        sources[solid_index].extend_from_slice(part);
    }
    let solid = |(solid_index, sources): (usize, Vec<u32>)| Solid {
        surface: surface_of(input, &sources),
        sources,
        counts: assignment.owners.iter().map(|owner| *owner == solid_index).collect(),
    };
    sources.into_iter().enumerate().filter(|(_, sources)| !sources.is_empty()).map(solid).collect()
}

/// Extracts some triangles with their vertices.
fn surface_of(input: &SourceSurface, sources: &[u32]) -> ClosedSurface {
    let mut numbers = vec![u32::MAX; input.positions.len()];
    let mut positions = Vec::new();
    let mut number = |vertex: u32| {
        let number = &mut numbers[vertex as usize];
        if *number == u32::MAX {
            *number = positions.len() as u32;
            positions.push(input.positions[vertex as usize]);
        }
        *number
    };
    let triangles = sources.iter().map(|&source| input.triangles[source as usize].map(&mut number)).collect();
    ClosedSurface { positions, triangles }
}

/// The solid of every part and owner, as the index of a part.
struct SolidAssignment {
    parts: Vec<usize>,
    owners: Vec<usize>,
}

/// Assigns connected groups of pieces to the part that most of their outside lies at. A part where
/// other pieces have the larger area, or none lie, is merged with the parts of those.
fn assign_solids(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    input: &SourceSurface,
    parts: &[Vec<u32>],
) -> Option<SolidAssignment> {
    let mut groups_of_pieces = DisjointSets::new(owners.len());
    contacts.areas().for_each(|([one, other], _)| groups_of_pieces.join(one, other));
    (0_u32..).zip(owners).for_each(|(piece, &owner)| groups_of_pieces.join(piece, owner));
    let mut part_of = vec![0; input.triangles.len()];
    for (part, triangles) in parts.iter().enumerate() {
        triangles.iter().for_each(|&triangle| part_of[triangle as usize] = part);
    }
    let tree = TriangleTree::new(&input.positions, &input.triangles).ok()?;
    let surface = &body.surface;
    let outside: Vec<usize> = (0..surface.triangles.len()).filter(|&triangle| !surface.is_crack(triangle)).collect();
    let corners: Vec<[u32; 3]> = outside.iter().map(|&triangle| surface.triangles[triangle]).collect();
    // Outside area (m²) of each group at each part.
    let mut areas = vec![vec![0.0; parts.len()]; owners.len()];
    for (&triangle, corners) in outside.iter().zip(&corners) {
        let [a, b, c] = corners.map(|corner| rest[corner as usize]);
        let near = tree.closest(&((a + b + c) / 3.0))?;
        let group = groups_of_pieces.root(surface.piece_of(triangle)) as usize;
        areas[group][part_of[near.triangle as usize]] += 0.5 * (b - a).cross(&(c - a)).norm();
    }
    let most = |areas: &Vec<f64>| {
        let most = areas.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
        most.filter(|(_, area)| **area > 0.0).map(|(part, _)| part)
    };
    let groups: Vec<Option<usize>> = areas.iter().map(most).collect();
    let bodies = TriangleTree::new(rest, &corners).ok()?;
    let mut joined = DisjointSets::new(parts.len());
    for (part, triangles) in parts.iter().enumerate() {
        let there = |is_own: bool| {
            let some = groups.iter().zip(&areas).filter(move |(solid_index, _)| !is_own || **solid_index == Some(part));
            some.map(|(_, areas)| areas[part]).sum::<f64>()
        };
        if there(true) > MIN_OWN_AREA_RATIO * there(false) {
            continue;
        }
        let vertex = input.triangles[*triangles.first()? as usize][0];
        let near = outside[bodies.closest(&input.positions[vertex as usize])?.triangle as usize];
        let near = groups_of_pieces.root(surface.piece_of(near)) as usize;
        for (_, solid_index) in
            groups.iter().enumerate().filter(|(group, _)| *group == near || areas[*group][part] > 0.0)
        {
            joined.join(part as u32, solid_index.unwrap_or(part) as u32);
        }
    }
    let solid_index = |part: usize| joined.root(part as u32) as usize;
    Some(SolidAssignment {
        parts: (0..parts.len()).map(solid_index).collect(),
        // Owners without outside area belong to the solid of their group.
        owners: owners
            .iter()
            .map(|&owner| groups[groups_of_pieces.root(owner) as usize].map_or(0, solid_index))
            .collect(),
    })
}
