//! Conversion of welded triangles to an oriented manifold with boundary.

use craze_math::Vec3;
use craze_mesh::{TriMesh, TriMeshError, edge_sides, separate_except};

use crate::surface::TriangleSurface;

pub(super) struct Manifold {
    pub(super) mesh: TriMesh,
    /// Whether each triangle was flipped.
    pub(super) flipped: Vec<bool>,
    /// Edges of three or more triangles, and the position of the first (m).
    pub(super) shared_edges: usize,
    pub(super) first_shared: Option<Vec3>,
    /// Edges at which a non-orientable surface was cut, and the position of the first (m).
    pub(super) one_sided_edges: usize,
    pub(super) first_one_sided: Option<Vec3>,
}

/// Makes an oriented manifold of distinct triangles with positive area.
///
/// At edges of three or more triangles, the straightest pairs stay connected and the rest is
/// separated. Neighbours are flipped to agree; each patch keeps the orientation of most of its
/// area. A non-orientable surface is cut where its orientation conflicts. Parts connected only
/// through a vertex are separated.
pub(super) fn manifold(surface: &TriangleSurface) -> Result<Manifold, TriMeshError> {
    let mut connected = SidePairs::new(surface);
    let flipped = connected.orient(surface);
    let triangles: Vec<[u32; 3]> = surface
        .triangles
        .iter()
        .zip(&flipped)
        .map(|(&[a, b, c], &orient)| if orient { [a, c, b] } else { [a, b, c] })
        .collect();
    // Flipping swaps the second and the third corner.
    let flipped_side = |side: u32| match (flipped[side as usize / 3], side % 3) {
        (true, corner @ 1..) => side - corner + (3 - corner),
        _ => side,
    };
    let mut pairs: Vec<[u32; 2]> = connected.pairs.iter().map(|pair| pair.map(flipped_side)).collect();
    // A separated triangle may still share both ends through neighbours; then it is cut free. Each
    // round cuts at least one.
    let separated = loop {
        let separated = separate_except(surface.positions.len(), &triangles, &pairs);
        let mut partner = vec![u32::MAX; triangles.len() * 3];
        for &[one, other] in &pairs {
            (partner[one as usize], partner[other as usize]) = (other, one);
        }
        let mut cut = vec![false; triangles.len()];
        for run in edge_sides(&separated.triangles).chunk_by(|one, other| one.0 == other.0) {
            let first = run.iter().map(|side| side.1).find(|&side| partner[side as usize] != u32::MAX);
            let kept = first.map_or([run[0].1; 2], |side| [side, partner[side as usize]]);
            for (_, side) in run.iter().filter(|side| !kept.contains(&side.1)) {
                cut[*side as usize / 3] = true;
            }
        }
        if !cut.contains(&true) {
            break separated;
        }
        pairs.retain(|pair| !pair.iter().any(|&side| cut[side as usize / 3]));
    };
    let positions = separated.origins.iter().map(|&origin| surface.positions[origin as usize]).collect();
    Ok(Manifold {
        mesh: compact(positions, separated.triangles)?,
        flipped,
        shared_edges: connected.shared_edges,
        first_shared: connected.first_shared,
        one_sided_edges: connected.one_sided_edges,
        first_one_sided: connected.first_one_sided,
    })
}

/// Removes unused points.
fn compact(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Result<TriMesh, TriMeshError> {
    let mut new_index = vec![u32::MAX; positions.len()];
    triangles.iter().flatten().for_each(|&point| new_index[point as usize] = 0);
    let used: Vec<usize> = (0..positions.len()).filter(|&point| new_index[point] == 0).collect();
    used.iter().enumerate().for_each(|(index, &point)| new_index[point] = index as u32);
    triangles.iter_mut().flatten().for_each(|point| *point = new_index[*point as usize]);
    TriMesh::from_parts(used.iter().map(|&point| positions[point]).collect(), triangles)
}

/// Pairs of connected sides (triangle · 3 + opposite corner).
struct SidePairs {
    pairs: Vec<[u32; 2]>,
    shared_edges: usize,
    first_shared: Option<Vec3>,
    one_sided_edges: usize,
    first_one_sided: Option<Vec3>,
}

impl SidePairs {
    fn new(surface: &TriangleSurface) -> Self {
        let mut connected =
            Self { pairs: Vec::new(), shared_edges: 0, first_shared: None, one_sided_edges: 0, first_one_sided: None };
        for run in edge_sides(&surface.triangles).chunk_by(|one, other| one.0 == other.0) {
            match run {
                [_] => {}
                [one, other] => connected.pairs.push([one.1, other.1]),
                sides => {
                    connected.shared_edges += 1;
                    let [a, b] = run[0].0.map(|point| surface.positions[point as usize]);
                    connected.first_shared.get_or_insert((a + b) * 0.5);
                    connected.pair_straightest(surface, [a, b], &sides.iter().map(|side| side.1).collect::<Vec<_>>());
                }
            }
        }
        connected
    }

    /// Connects the triangles at an edge pairwise, the straightest first; pairs folded by more than
    /// a right angle stay separate.
    fn pair_straightest(&mut self, surface: &TriangleSurface, [a, b]: [Vec3; 2], sides: &[u32]) {
        let along = (b - a).normalize();
        let directions: Vec<Vec3> = (sides.iter())
            .map(|&side| {
                let apex = surface.positions[surface.triangles[side as usize / 3][side as usize % 3] as usize] - a;
                (apex - along * apex.dot(&along)).normalize()
            })
            .collect();
        let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
        for one in 0..sides.len() {
            for other in one + 1..sides.len() {
                let straightness = -directions[one].dot(&directions[other]);
                if straightness > 0.0 {
                    candidates.push((straightness, one, other));
                }
            }
        }
        candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        let mut paired = vec![false; sides.len()];
        for (_, one, other) in candidates {
            if !paired[one] && !paired[other] {
                (paired[one], paired[other]) = (true, true);
                self.pairs.push([sides[one], sides[other]]);
            }
        }
    }

    /// Whether each triangle has to be flipped; removes pairs that conflict.
    fn orient(&mut self, surface: &TriangleSurface) -> Vec<bool> {
        let count = surface.triangles.len();
        let forward = |side: u32| {
            let corners = surface.triangles[side as usize / 3];
            corners[(side as usize + 1) % 3] < corners[(side as usize + 2) % 3]
        };
        let mut around = vec![[u32::MAX; 3]; count];
        for &[one, other] in &self.pairs {
            around[one as usize / 3][one as usize % 3] = other;
            around[other as usize / 3][other as usize % 3] = one;
        }
        let mut flipped: Vec<Option<bool>> = vec![None; count];
        for start in 0..count {
            if flipped[start].is_some() {
                continue;
            }
            flipped[start] = Some(false);
            let mut members = vec![start];
            let (mut next, mut areas) = (0, [0.0; 2]);
            while let Some(&triangle) = members.get(next) {
                next += 1;
                let own = flipped[triangle] == Some(true);
                areas[usize::from(own)] += area(surface, triangle);
                for corner in 0..3 {
                    let behind = around[triangle][corner];
                    if behind != u32::MAX && flipped[behind as usize / 3].is_none() {
                        let clash = forward((triangle * 3 + corner) as u32) == forward(behind);
                        flipped[behind as usize / 3] = Some(own ^ clash);
                        members.push(behind as usize / 3);
                    }
                }
            }
            if areas[1] > areas[0] {
                members.iter().for_each(|&member| flipped[member] = flipped[member].map(|orient| !orient));
            }
        }
        let flipped: Vec<bool> = flipped.into_iter().map(|orient| orient == Some(true)).collect();
        let agrees = |&[one, other]: &[u32; 2]| {
            (forward(one) ^ flipped[one as usize / 3]) != (forward(other) ^ flipped[other as usize / 3])
        };
        for &[side, _] in self.pairs.iter().filter(|pair| !agrees(pair)) {
            let corners = surface.triangles[side as usize / 3];
            let ends = [1, 2].map(|step| surface.positions[corners[(side as usize + step) % 3] as usize]);
            self.one_sided_edges += 1;
            self.first_one_sided.get_or_insert((ends[0] + ends[1]) * 0.5);
        }
        self.pairs.retain(agrees);
        flipped
    }
}

fn area(surface: &TriangleSurface, triangle: usize) -> f64 {
    craze_math::triangle::area(&surface.corners(&surface.triangles[triangle]))
}
