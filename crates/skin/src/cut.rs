//! Mutual cutting of a closed surface and cracks into fragments.

use craze_frame::{fans, is_manifold};
use craze_math::{DisjointSets, Vec3};
use craze_spatial::WindingTree;

use crate::cracks::Cracks;
use crate::crossing::{Crossings, Mesh, Triangles, crossings};
use crate::error::SkinError;
use crate::triangulate::{Constraints, triangulate};

/// Largest relative difference between the fragments' volume and that of the surface (1): rounding
/// only.
const VOLUME_TOLERANCE: f64 = 1e-9;

/// A part of a surface triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePart {
    /// Vertices.
    pub corners: [u32; 3],
    /// The surface triangle that it is part of.
    pub source: u32,
    /// Barycentric weights of each corner in that triangle.
    pub weights: [[f64; 3]; 3],
}

/// A fragment with a closed surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutShard {
    /// Its label in the cracks.
    pub label: u32,
    /// Parts of the surface.
    pub outside: Vec<SurfacePart>,
    /// Crack faces.
    pub cracks: Vec<[u32; 3]>,
    /// Volume (m³).
    pub volume: f64,
}

/// All fragments over shared vertices, which are equal on both sides of a crack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shards {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Fragments by label. Those entirely outside the surface are omitted.
    pub shards: Vec<CutShard>,
}

/// A crack face inside the surface.
pub(crate) struct InnerFace {
    pub corners: [u32; 3],
    pub crack: u32,
}

/// Cuts a closed surface along cracks. `label_at` labels connected parts of it that no crack
/// touches, by one of their points (m).
pub fn cut(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    cracks: &Cracks,
    label_at: impl Fn(&Vec3) -> u32,
) -> Result<Shards, SkinError> {
    if !is_manifold(triangles) {
        return Err(SkinError::InvalidSurface);
    }
    let surface = Triangles { positions, triangles };
    let faces = Triangles { positions: &cracks.positions, triangles: &cracks.triangles };
    let crossings = crossings(surface, faces)?;
    let all = Vertices::new(surface, faces, &crossings);
    let outer = subdivide_triangles(surface, Mesh::Surface, &crossings, &all)?;
    let inner = subdivide_triangles(faces, Mesh::Crack, &crossings, &all)?;
    let labels = label_outside(&outer, &crossings, &all, cracks, label_at)?;
    let winding = WindingTree::new(positions, triangles).map_err(|_| SkinError::InvalidSurface)?;
    let kept = keep_inside(&inner, &crossings, &all, &winding)?;
    assemble(surface, cracks, &all, &outer, &labels, &kept)
}

/// Shared vertex numbering: vertices of the surface, of the cracks, then the crossings.
pub(crate) struct Vertices {
    pub positions: Vec<Vec3>,
    cracks: u32,
    crossings: u32,
}

impl Vertices {
    pub fn new(surface: Triangles<'_>, cracks: Triangles<'_>, crossings: &Crossings) -> Vertices {
        Vertices {
            positions: [surface.positions, cracks.positions, &crossings.positions].concat(),
            cracks: surface.positions.len() as u32,
            crossings: (surface.positions.len() + cracks.positions.len()) as u32,
        }
    }

    fn first(&self, of: Mesh) -> u32 {
        match of {
            Mesh::Surface => 0,
            Mesh::Crack => self.cracks,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct TrianglePart {
    pub corners: [u32; 3],
    pub source: u32,
}

/// Subdivides all triangles of a mesh along the intersections with the other.
pub(crate) fn subdivide_triangles(
    own: Triangles<'_>,
    of: Mesh,
    crossings: &Crossings,
    all: &Vertices,
) -> Result<Vec<TrianglePart>, SkinError> {
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
        .map(|segment| (if of == Mesh::Surface { segment.surface } else { segment.crack }, segment.ends))
        .collect();
    lines.sort_unstable();
    let mut parts = Vec::with_capacity(own.triangles.len() + 4 * lines.len());
    for (triangle, corners) in (0_u32..).zip(own.triangles) {
        let number = |crossing: u32| all.crossings + crossing;
        let sides = [[0, 1], [1, 2], [2, 0]].map(|[start, end]| {
            let [from, to] = [corners[start], corners[end]];
            let edge = [from.min(to), from.max(to)];
            let mut side: Vec<u32> = values_of(&on_edges, edge).map(number).collect();
            if from > to {
                side.reverse();
            }
            side
        });
        let inner = values_of(&within, triangle).map(number).collect();
        let segments = values_of(&lines, triangle).map(|ends| ends.map(number)).collect();
        let lines = Constraints { sides, inner, segments };
        let corners = corners.map(|corner| first + corner);
        let divided = triangulate(corners, &lines, |vertex| all.positions[vertex as usize])?;
        parts.extend(divided.into_iter().map(|corners| TrianglePart { corners, source: triangle }));
    }
    Ok(parts)
}

/// Values of a key in a sorted list.
fn values_of<K: Ord + Copy, V: Copy>(list: &[(K, V)], key: K) -> impl Iterator<Item = V> + '_ {
    let first = list.partition_point(|(other, _)| *other < key);
    list[first..].iter().take_while(move |(other, _)| *other == key).map(|(_, value)| *value)
}

/// Intersection segments as directed edges over shared vertices, ascending, with their crack
/// triangle.
fn cut_edges(crossings: &Crossings, all: &Vertices) -> Vec<([u32; 2], u32)> {
    let edge = |ends: [u32; 2]| ends.map(|end| all.crossings + end);
    let mut edges: Vec<_> = crossings.segments.iter().map(|segment| (edge(segment.ends), segment.crack)).collect();
    edges.sort_unstable();
    edges
}

/// Connected components of parts over edges that are not cut.
fn connected_regions(parts: &[TrianglePart], cuts: &[([u32; 2], u32)]) -> DisjointSets {
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

/// Assigns every part of the surface to a fragment.
fn label_outside(
    parts: &[TrianglePart],
    crossings: &Crossings,
    all: &Vertices,
    cracks: &Cracks,
    label_at: impl Fn(&Vec3) -> u32,
) -> Result<Vec<u32>, SkinError> {
    let cuts = cut_edges(crossings, all);
    let sets = connected_regions(parts, &cuts);
    let mut labels: Vec<Option<u32>> = vec![None; parts.len()];
    for (index, part) in (0_u32..).zip(parts) {
        let [a, b, c] = part.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // A part on the left of a segment lies behind the crack, one on its right in front.
            let left = values_of(&cuts, [from, to]).map(|crack| cracks.sides[crack as usize][0]);
            let right = values_of(&cuts, [to, from]).map(|crack| cracks.sides[crack as usize][1]);
            for label in left.chain(right) {
                let known = &mut labels[sets.root(index) as usize];
                if known.is_some_and(|known| known != label) {
                    return Err(SkinError::InconsistentLabels);
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

/// Parts of cracks inside the surface.
pub(crate) fn keep_inside(
    parts: &[TrianglePart],
    crossings: &Crossings,
    all: &Vertices,
    surface: &WindingTree,
) -> Result<Vec<InnerFace>, SkinError> {
    let cuts = cut_edges(crossings, all);
    let sets = connected_regions(parts, &cuts);
    let mut inside: Vec<Option<bool>> = vec![None; parts.len()];
    for (index, part) in (0_u32..).zip(parts) {
        let [a, b, c] = part.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // Seen from the front of the crack, outside is on the left; only segments of this very
            // crack triangle count.
            let own = |edge: [u32; 2]| values_of(&cuts, edge).any(|crack| crack == part.source);
            for is_inside in [own([from, to]).then_some(false), own([to, from]).then_some(true)].into_iter().flatten() {
                let known = &mut inside[sets.root(index) as usize];
                if known.is_some_and(|known| known != is_inside) {
                    return Err(SkinError::InconsistentLabels);
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
            kept.push(InnerFace { corners: part.corners, crack: part.source });
        }
    }
    Ok(kept)
}

/// Assembles the fragments and checks that they are closed and fill the surface.
fn assemble(
    surface: Triangles<'_>,
    cracks: &Cracks,
    all: &Vertices,
    outer: &[TrianglePart],
    labels: &[u32],
    inner: &[InnerFace],
) -> Result<Shards, SkinError> {
    let mut wanted: Vec<u32> = labels.iter().copied().chain(cracks.sides.iter().flatten().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut shards: Vec<CutShard> = wanted.iter().map(|&label| CutShard { label, ..CutShard::default() }).collect();
    let index = |label: u32| wanted.binary_search(&label).unwrap_or(0);
    for (part, &label) in outer.iter().zip(labels) {
        let weights = part.corners.map(|vertex| barycentric(surface, all, part.source, vertex));
        shards[index(label)].outside.push(SurfacePart { corners: part.corners, source: part.source, weights });
    }
    for face in inner {
        let [behind, before] = cracks.sides[face.crack as usize];
        let [a, b, c] = face.corners;
        shards[index(behind)].cracks.push([a, b, c]);
        shards[index(before)].cracks.push([a, c, b]);
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
        let vertex_fans: Vec<[u32; 3]> = corners.chunks_exact(3).map(|fan| [fan[0], fan[1], fan[2]]).collect();
        shard.volume = volume(&mut triangles.iter().copied());
        if !is_manifold(&vertex_fans) {
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

/// Barycentric weights of a vertex on a triangle: exact at its corners.
fn barycentric(surface: Triangles<'_>, all: &Vertices, triangle: u32, vertex: u32) -> [f64; 3] {
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
