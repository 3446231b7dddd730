//! The solids that a body consists of, each with the pieces that are its own.
//!
//! Solids of a model that do not touch break independently. Outside the tetrahedra the nearest fragment is located; across a
//! gap that would be the wrong side's. So the surface of each solid is cut by the cracks between its own pieces alone.

use craze_frame::{BodyFrame, Sets};
use craze_math::Vec3;
use craze_skin::{Contacts, Shards, SurfacePart, solids};
use craze_spatial::TriangleTree;

use super::skinned::Outer;

/// Share of what lies at a solid that must be of its own pieces (1): otherwise it is not clear whose it is.
const CLEAR: f64 = 0.5;

/// A closed surface.
pub(super) struct Closed {
    /// Where its vertices are (m).
    pub positions: Vec<Vec3>,
    /// Counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A solid of a body.
pub(super) struct Solid {
    /// Its surface.
    pub surface: Closed,
    /// The triangles of the whole surface that its own are.
    sources: Vec<u32>,
    /// For every owner, whether it may be a shard of this solid.
    pub counts: Vec<bool>,
}

impl Solid {
    /// Adds the shards that it was cut into to those of the other solids.
    pub fn give(&self, cut: Shards, all: &mut Shards) {
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

/// The solids of a surface, and whose they are.
pub(super) fn solids_of(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    outer: &Outer,
) -> Vec<Solid> {
    let parts = solids(&outer.positions, &outer.triangles);
    let homes = (parts.len() > 1).then(|| homes(body, rest, contacts, owners, outer, &parts)).flatten();
    // Everybody may have a share of what is one.
    let homes = homes.unwrap_or_else(|| Homes { parts: vec![0; parts.len()], owners: vec![0; owners.len()] });
    let mut sources = vec![Vec::new(); parts.len()];
    for (part, &home) in parts.iter().zip(&homes.parts) {
        sources[home].extend_from_slice(part);
    }
    let solid = |(home, sources): (usize, Vec<u32>)| Solid {
        surface: surface_of(outer, &sources),
        sources,
        counts: homes.owners.iter().map(|owner| *owner == home).collect(),
    };
    sources.into_iter().enumerate().filter(|(_, sources)| !sources.is_empty()).map(solid).collect()
}

/// The surface of some triangles, with their vertices alone.
fn surface_of(outer: &Outer, sources: &[u32]) -> Closed {
    let mut numbers = vec![u32::MAX; outer.positions.len()];
    let mut positions = Vec::new();
    let mut number = |vertex: u32| {
        let number = &mut numbers[vertex as usize];
        if *number == u32::MAX {
            *number = positions.len() as u32;
            positions.push(outer.positions[vertex as usize]);
        }
        *number
    };
    let triangles = sources.iter().map(|&source| outer.triangles[source as usize].map(&mut number)).collect();
    Closed { positions, triangles }
}

/// Where everything counts to, by the number of a part.
struct Homes {
    parts: Vec<usize>,
    owners: Vec<usize>,
}

/// Pieces that hung together before they broke count to the part that most of their outside lies at. A part that has no such pieces, or others for the most
/// part, is one with those that these count to.
fn homes(
    body: &BodyFrame,
    rest: &[Vec3],
    contacts: &Contacts,
    owners: &[u32],
    outer: &Outer,
    parts: &[Vec<u32>],
) -> Option<Homes> {
    let mut together = Sets::new(owners.len());
    contacts.areas().for_each(|([one, other], _)| together.join(one, other));
    (0_u32..).zip(owners).for_each(|(piece, &owner)| together.join(piece, owner));
    let mut part_of = vec![0; outer.triangles.len()];
    for (part, triangles) in parts.iter().enumerate() {
        triangles.iter().for_each(|&triangle| part_of[triangle as usize] = part);
    }
    let tree = TriangleTree::new(&outer.positions, &outer.triangles).ok()?;
    let surface = &body.surface;
    let outside: Vec<usize> = (0..surface.triangles.len()).filter(|&triangle| !surface.is_crack(triangle)).collect();
    let corners: Vec<[u32; 3]> = outside.iter().map(|&triangle| surface.triangles[triangle]).collect();
    // Area (m²) that each group of pieces has at each part.
    let mut areas = vec![vec![0.0; parts.len()]; owners.len()];
    for (&triangle, corners) in outside.iter().zip(&corners) {
        let [a, b, c] = corners.map(|corner| rest[corner as usize]);
        let near = tree.closest(&((a + b + c) / 3.0))?;
        let group = together.first(surface.piece_of(triangle)) as usize;
        areas[group][part_of[near.triangle as usize]] += 0.5 * (b - a).cross(&(c - a)).norm();
    }
    let most = |areas: &Vec<f64>| {
        let most = areas.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
        most.filter(|(_, area)| **area > 0.0).map(|(part, _)| part)
    };
    let groups: Vec<Option<usize>> = areas.iter().map(most).collect();
    let bodies = TriangleTree::new(rest, &corners).ok()?;
    let mut joined = Sets::new(parts.len());
    for (part, triangles) in parts.iter().enumerate() {
        let there = |is_own: bool| {
            let some = groups.iter().zip(&areas).filter(move |(home, _)| !is_own || **home == Some(part));
            some.map(|(_, areas)| areas[part]).sum::<f64>()
        };
        if there(true) > CLEAR * there(false) {
            continue;
        }
        let vertex = outer.triangles[*triangles.first()? as usize][0];
        let near = outside[bodies.closest(&outer.positions[vertex as usize])?.triangle as usize];
        let near = together.first(surface.piece_of(near)) as usize;
        for (_, home) in groups.iter().enumerate().filter(|(group, _)| *group == near || areas[*group][part] > 0.0) {
            joined.join(part as u32, home.unwrap_or(part) as u32);
        }
    }
    let home = |part: usize| joined.first(part as u32) as usize;
    Some(Homes {
        parts: (0..parts.len()).map(home).collect(),
        // What has no outside at all is within what it hung together with.
        owners: owners.iter().map(|&owner| groups[together.first(owner) as usize].map_or(0, home)).collect(),
    })
}
