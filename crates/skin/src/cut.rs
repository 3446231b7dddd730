//! A closed surface and the cracks in it, cut by each other into shards.

use craze_frame::{fans, is_manifold};
use craze_math::{DisjointSets, Vec3};
use craze_spatial::WindingTree;

use crate::cracks::Cracks;
use crate::crossing::{Crossings, Of, Triangles, crossings};
use crate::divide::{Lines, divide};
use crate::error::SkinError;

/// How far the sum of the shards' volumes may be from that of the surface, as a share of it: rounding, and nothing else.
const VOLUME_TOLERANCE: f64 = 1e-9;

/// A part of a triangle of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// Its corners.
    pub corners: [u32; 3],
    /// The triangle of the surface that it is a part of.
    pub source: u32,
    /// For each corner, the weights of that triangle's corners.
    pub weights: [[f64; 3]; 3],
}

/// One shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutShard {
    /// Whose it is, by the numbers that the cracks were given.
    pub label: u32,
    /// Parts of the surface.
    pub outside: Vec<Outside>,
    /// Crack faces.
    pub cracks: Vec<[u32; 3]>,
    /// Volume (m³).
    pub volume: f64,
}

/// All shards, over common vertices: the two sides of a crack have the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shards {
    /// Where the vertices are (m).
    pub positions: Vec<Vec3>,
    /// The shards, by label. What lies outside the surface altogether is not among them.
    pub shards: Vec<CutShard>,
}

/// A crack face within the surface.
pub(crate) struct Inner {
    pub corners: [u32; 3],
    pub crack: u32,
}

/// Cuts a closed surface along cracks. Parts of it that no crack touches get the label that `label_at` gives a point of theirs.
pub fn cut(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    cracks: &Cracks,
    label_at: impl Fn(&Vec3) -> u32,
) -> Result<Shards, SkinError> {
    if !is_manifold(triangles) {
        return Err(SkinError::Surface);
    }
    let surface = Triangles { positions, triangles };
    let faces = Triangles { positions: &cracks.positions, triangles: &cracks.triangles };
    let crossings = crossings(surface, faces)?;
    let all = Vertices::of(surface, faces, &crossings);
    let outer = divided(surface, Of::Surface, &crossings, &all)?;
    let inner = divided(faces, Of::Crack, &crossings, &all)?;
    let labels = label_outside(&outer, &crossings, &all, cracks, label_at)?;
    let winding = WindingTree::new(positions, triangles).map_err(|_| SkinError::Surface)?;
    let kept = keep_inside(&inner, &crossings, &all, &winding)?;
    assemble(surface, cracks, &all, &outer, &labels, &kept)
}

/// Common numbers: first the vertices of the surface, then those of the cracks, then the crossings.
pub(crate) struct Vertices {
    pub positions: Vec<Vec3>,
    cracks: u32,
    crossings: u32,
}

impl Vertices {
    pub fn of(surface: Triangles<'_>, cracks: Triangles<'_>, crossings: &Crossings) -> Vertices {
        Vertices {
            positions: [surface.positions, cracks.positions, &crossings.positions].concat(),
            cracks: surface.positions.len() as u32,
            crossings: (surface.positions.len() + cracks.positions.len()) as u32,
        }
    }

    fn first(&self, of: Of) -> u32 {
        match of {
            Of::Surface => 0,
            Of::Crack => self.cracks,
        }
    }
}

/// A part of a triangle.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub corners: [u32; 3],
    pub source: u32,
}

/// All triangles of a set, divided where the other set passes through.
pub(crate) fn divided(
    own: Triangles<'_>,
    of: Of,
    crossings: &Crossings,
    all: &Vertices,
) -> Result<Vec<Part>, SkinError> {
    let first = all.first(of);
    let on_edges: Vec<([u32; 2], u32)> = {
        let own = crossings.points.iter().zip(0..).filter(|(point, _)| point.of == of);
        let mut on_edges: Vec<([u32; 2], u32)> = own.map(|(point, number)| (point.edge, number)).collect();
        on_edges.sort_by(|one, other| {
            let along = |number: u32| crossings.along[number as usize];
            one.0.cmp(&other.0).then(along(one.1).total_cmp(&along(other.1)))
        });
        on_edges
    };
    let mut within: Vec<(u32, u32)> = (0..crossings.points.len() as u32)
        .filter(|&number| crossings.points[number as usize].of != of)
        .map(|number| (crossings.points[number as usize].triangle, number))
        .collect();
    within.sort_unstable();
    let mut lines: Vec<(u32, [u32; 2])> = crossings
        .segments
        .iter()
        .map(|segment| (if of == Of::Surface { segment.surface } else { segment.crack }, segment.ends))
        .collect();
    lines.sort_unstable();
    let mut parts = Vec::with_capacity(own.triangles.len() + 4 * lines.len());
    for (triangle, corners) in (0_u32..).zip(own.triangles) {
        let number = |crossing: u32| all.crossings + crossing;
        let sides = [[0, 1], [1, 2], [2, 0]].map(|[start, end]| {
            let [from, to] = [corners[start], corners[end]];
            let edge = [from.min(to), from.max(to)];
            let mut side: Vec<u32> = of_key(&on_edges, edge).map(number).collect();
            if from > to {
                side.reverse();
            }
            side
        });
        let inner = of_key(&within, triangle).map(number).collect();
        let segments = of_key(&lines, triangle).map(|ends| ends.map(number)).collect();
        let lines = Lines { sides, inner, segments };
        let corners = corners.map(|corner| first + corner);
        let divided = divide(corners, &lines, |vertex| all.positions[vertex as usize])?;
        parts.extend(divided.into_iter().map(|corners| Part { corners, source: triangle }));
    }
    Ok(parts)
}

/// The values of a key in a sorted list.
fn of_key<K: Ord + Copy, V: Copy>(list: &[(K, V)], key: K) -> impl Iterator<Item = V> + '_ {
    let first = list.partition_point(|(other, _)| *other < key);
    list[first..].iter().take_while(move |(other, _)| *other == key).map(|(_, value)| *value)
}

/// The lines between surface and cracks as directed edges over common vertices, ascending, with their crack.
fn cut_edges(crossings: &Crossings, all: &Vertices) -> Vec<([u32; 2], u32)> {
    let edge = |ends: [u32; 2]| ends.map(|end| all.crossings + end);
    let mut edges: Vec<_> = crossings.segments.iter().map(|segment| (edge(segment.ends), segment.crack)).collect();
    edges.sort_unstable();
    edges
}

/// Parts that hang together over edges that are not cut.
fn regions(parts: &[Part], cuts: &[([u32; 2], u32)]) -> DisjointSets {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * parts.len());
    for (index, part) in (0_u32..).zip(parts) {
        let [a, b, c] = part.corners;
        edges.extend([[a, b], [b, c], [c, a]].map(|[from, to]| ([from.min(to), from.max(to)], index)));
    }
    edges.sort_unstable();
    let is_cut = |[from, to]: [u32; 2]| {
        [[from, to], [to, from]].into_iter().any(|edge| cuts.binary_search_by_key(&edge, |cut| cut.0).is_ok())
    };
    let mut sets = DisjointSets::new(parts.len());
    for together in edges.chunk_by(|one, other| one.0 == other.0) {
        if !is_cut(together[0].0) {
            together.iter().for_each(|(_, part)| sets.join(together[0].1, *part));
        }
    }
    sets
}

/// Says for every part of the surface whose it is.
fn label_outside(
    parts: &[Part],
    crossings: &Crossings,
    all: &Vertices,
    cracks: &Cracks,
    label_at: impl Fn(&Vec3) -> u32,
) -> Result<Vec<u32>, SkinError> {
    let cuts = cut_edges(crossings, all);
    let sets = regions(parts, &cuts);
    let mut labels: Vec<Option<u32>> = vec![None; parts.len()];
    for (index, part) in (0_u32..).zip(parts) {
        let [a, b, c] = part.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // A part on the left of a line lies behind the crack, one on its right before it.
            let left = of_key(&cuts, [from, to]).map(|crack| cracks.sides[crack as usize][0]);
            let right = of_key(&cuts, [to, from]).map(|crack| cracks.sides[crack as usize][1]);
            for label in left.chain(right) {
                let known = &mut labels[sets.root(index) as usize];
                if known.is_some_and(|known| known != label) {
                    return Err(SkinError::Disagreement);
                }
                *known = Some(label);
            }
        }
    }
    for (index, part) in (0_u32..).zip(parts) {
        let first = sets.root(index) as usize;
        labels[first].get_or_insert_with(|| label_at(&all.positions[part.corners[0] as usize]));
    }
    Ok((0..parts.len() as u32).filter_map(|index| labels[sets.root(index) as usize]).collect())
}

/// The parts of cracks that lie within the surface.
pub(crate) fn keep_inside(
    parts: &[Part],
    crossings: &Crossings,
    all: &Vertices,
    surface: &WindingTree,
) -> Result<Vec<Inner>, SkinError> {
    let cuts = cut_edges(crossings, all);
    let sets = regions(parts, &cuts);
    let mut inside: Vec<Option<bool>> = vec![None; parts.len()];
    for (index, part) in (0_u32..).zip(parts) {
        let [a, b, c] = part.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // Seen from before the crack, outside is on the left of a line. It is this crack's own line only.
            let own = |edge: [u32; 2]| of_key(&cuts, edge).any(|crack| crack == part.source);
            for is_inside in [own([from, to]).then_some(false), own([to, from]).then_some(true)].into_iter().flatten() {
                let known = &mut inside[sets.root(index) as usize];
                if known.is_some_and(|known| known != is_inside) {
                    return Err(SkinError::Disagreement);
                }
                *known = Some(is_inside);
            }
        }
    }
    let mut kept = Vec::new();
    for (index, part) in (0_u32..).zip(parts) {
        let at = || all.positions[part.corners[0] as usize];
        let is_inside = inside[sets.root(index) as usize].get_or_insert_with(|| surface.winding_number(&at()) > 0.5);
        if *is_inside {
            kept.push(Inner { corners: part.corners, crack: part.source });
        }
    }
    Ok(kept)
}

/// Puts the shards together and proves them closed.
fn assemble(
    surface: Triangles<'_>,
    cracks: &Cracks,
    all: &Vertices,
    outer: &[Part],
    labels: &[u32],
    inner: &[Inner],
) -> Result<Shards, SkinError> {
    let mut wanted: Vec<u32> = labels.iter().copied().chain(cracks.sides.iter().flatten().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut shards: Vec<CutShard> = wanted.iter().map(|&label| CutShard { label, ..CutShard::default() }).collect();
    let place = |label: u32| wanted.binary_search(&label).unwrap_or(0);
    for (part, &label) in outer.iter().zip(labels) {
        let weights = part.corners.map(|vertex| weights(surface, all, part.source, vertex));
        shards[place(label)].outside.push(Outside { corners: part.corners, source: part.source, weights });
    }
    for face in inner {
        let [behind, before] = cracks.sides[face.crack as usize];
        let [a, b, c] = face.corners;
        shards[place(behind)].cracks.push([a, b, c]);
        shards[place(before)].cracks.push([a, c, b]);
    }
    shards.retain(|shard| !(shard.outside.is_empty() && shard.cracks.is_empty()));
    let origin = all.positions.first().copied().unwrap_or_else(Vec3::zeros);
    let volume = |triangles: &mut dyn Iterator<Item = [u32; 3]>| -> f64 {
        let corner = |vertex: u32| all.positions[vertex as usize] - origin;
        triangles.map(|[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
    };
    for shard in &mut shards {
        let triangles: Vec<[u32; 3]> =
            shard.outside.iter().map(|part| part.corners).chain(shard.cracks.iter().copied()).collect();
        let corners = fans(&triangles, |vertex| all.positions[vertex as usize]);
        let parted: Vec<[u32; 3]> = corners.chunks_exact(3).map(|fan| [fan[0], fan[1], fan[2]]).collect();
        shard.volume = volume(&mut triangles.iter().copied());
        if !is_manifold(&parted) {
            return Err(SkinError::NotClosed { label: shard.label });
        }
    }
    let whole = volume(&mut surface.triangles.iter().copied());
    let sum: f64 = shards.iter().map(|shard| shard.volume).sum();
    if !((sum - whole).abs() <= VOLUME_TOLERANCE * whole.abs()) {
        return Err(SkinError::Volume { shards: sum, surface: whole });
    }
    Ok(Shards { positions: all.positions.clone(), shards })
}

/// Weights of a triangle's corners at a vertex on it: exact at its corners, to rounding elsewhere.
fn weights(surface: Triangles<'_>, all: &Vertices, triangle: u32, vertex: u32) -> [f64; 3] {
    let corners = surface.triangles[triangle as usize];
    if let Some(corner) = corners.iter().position(|corner| *corner == vertex) {
        let mut weights = [0.0; 3];
        weights[corner] = 1.0;
        return weights;
    }
    let position = all.positions[vertex as usize];
    let [a, b, c] = surface.corners(triangle);
    let normal = (b - a).cross(&(c - a));
    let share = |from: Vec3, to: Vec3| (from - position).cross(&(to - position)).dot(&normal) / normal.norm_squared();
    let (first, second) = (share(b, c).clamp(0.0, 1.0), share(c, a).clamp(0.0, 1.0));
    [first, second, (1.0 - first - second).max(0.0)]
}
