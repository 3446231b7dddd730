//! Stencils: the inside of a background tetrahedron as one to three tetrahedra.
//!
//! A cut face with two inside points is a trapezoid, which both its tetrahedra must split by the
//! same diagonal. It ends at the crossing of the longer edge, or by the parity of the coordinates
//! (Labelle & Shewchuk 2007 §3.3).

use craze_math::Vec3;
use rayon::prelude::*;

use super::background::Background;
use super::classification::CHUNK;
use super::crossing::edge;
use super::morton::{GridIndex, decode};
use super::warp::WarpedLattice;

/// Tetrahedra with contiguous point indices.
#[derive(Clone, Debug, Default)]
pub(super) struct StencilMesh {
    /// Positions (m): used background points, then crossings.
    pub(super) positions: Vec<Vec3>,
    /// Whether each point lies on the surface.
    pub(super) on_surface: Vec<bool>,
    /// Positively oriented tetrahedra.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

/// The tetrahedra inside the surface. `keeps` decides about those with all corners on it, which
/// fill a thin wall or a gap.
pub(super) fn fill(
    background: &Background,
    warped: &WarpedLattice,
    keeps: impl Fn(&[Vec3; 4]) -> bool + Sync,
) -> StencilMesh {
    let first_crossing = background.points.len() as u32;
    let edges: Vec<u64> = warped.crossings.iter().map(|crossing| crossing.edge()).collect();
    let stencils = Stencils { background, signs: &warped.signs, edges: &edges, first_crossing };
    let fill = |chunk: &[[u32; 4]]| {
        let mut found = Vec::with_capacity(chunk.len());
        for corners in chunk {
            if corners.iter().all(|&corner| warped.signs[corner as usize] == 0) {
                found.extend(Some(*corners).filter(|corners| keeps(&corners.map(|c| warped.positions[c as usize]))));
            } else {
                stencils.cut(corners, &mut found);
            }
        }
        found
    };
    let parts: Vec<Vec<[u32; 4]>> = background.tetrahedra.par_chunks(CHUNK).map(fill).collect();
    let mut tetrahedra = parts.concat();

    let mut number = vec![u32::MAX; background.points.len() + edges.len()];
    for &corner in tetrahedra.iter().flatten() {
        number[corner as usize] = 0;
    }
    let mut mesh = StencilMesh::default();
    for (index, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
        *number = mesh.positions.len() as u32;
        let crossing = index.checked_sub(background.points.len()).map(|index| warped.crossings[index]);
        mesh.on_surface.push(crossing.is_some() || warped.signs[index] == 0);
        mesh.positions.push(match crossing {
            Some(crossing) => {
                let [start, end] = crossing.ends.map(|end| warped.positions[end as usize]);
                start + (end - start) * crossing.share
            }
            None => warped.positions[index],
        });
    }
    tetrahedra
        .par_iter_mut()
        .with_min_len(CHUNK)
        .for_each(|corners| *corners = corners.map(|corner| number[corner as usize]));
    mesh.tetrahedra = tetrahedra;
    mesh
}

struct Stencils<'a> {
    background: &'a Background,
    signs: &'a [i8],
    edges: &'a [u64],
    /// Index of the first crossing, after the background points.
    first_crossing: u32,
}

impl Stencils<'_> {
    fn cut(&self, corners: &[u32; 4], found: &mut Vec<[u32; 4]>) {
        let mut inside = [0; 4];
        let mut outside = [0; 4];
        let mut on = [0; 4];
        let (mut insides, mut outsides, mut ons) = (0, 0, 0);
        for (slot, &corner) in corners.iter().enumerate() {
            let (list, count) = match self.signs[corner as usize] {
                1.. => (&mut inside, &mut insides),
                0 => (&mut on, &mut ons),
                _ => (&mut outside, &mut outsides),
            };
            list[*count] = slot;
            *count += 1;
        }
        let (inside, outside) = (&inside[..insides], &outside[..outsides]);
        let with_replaced = |replaced: &[(usize, u32)]| {
            let mut tetrahedron = *corners;
            replaced.iter().for_each(|&(slot, index)| tetrahedron[slot] = index);
            tetrahedron
        };
        let crossing = |p: usize, m: usize| self.crossing(corners[p], corners[m]);
        match *inside {
            [] => {}
            _ if outsides == 0 => found.push(*corners),
            [p] => {
                let mut tetrahedron = *corners;
                outside.iter().for_each(|&m| tetrahedron[m] = crossing(p, m));
                found.push(tetrahedron);
            }
            [p, q] if outsides == 1 => {
                let m = outside[0];
                let [at_p, at_q] = [crossing(p, m), crossing(q, m)];
                if self.diagonal_at_first(corners[p], corners[q], corners[m]) {
                    found.extend([with_replaced(&[(m, at_q)]), with_replaced(&[(q, at_q), (m, at_p)])]);
                } else {
                    found.extend([with_replaced(&[(m, at_p)]), with_replaced(&[(p, at_p), (m, at_q)])]);
                }
            }
            [p, q] => {
                let [m, n] = [outside[0], outside[1]];
                let base = [corners[p], crossing(p, m), crossing(p, n)];
                let top = [corners[q], crossing(q, m), crossing(q, n)];
                let first = self.diagonal_at_first(corners[p], corners[q], corners[m]);
                let last = !self.diagonal_at_first(corners[p], corners[q], corners[n]);
                // The face between the crossings is free; its diagonal avoids a cyclic triple.
                prism(base, top, [first, !(first && last), last], is_even([p, m, n, q]), found);
            }
            [p, q, r] => {
                let m = outside[0];
                let base = [p, q, r].map(|slot| corners[slot]);
                let top = [p, q, r].map(|slot| crossing(slot, m));
                let diagonals = [[0, 1], [1, 2], [2, 0]]
                    .map(|[one, other]: [usize; 2]| self.diagonal_at_first(base[one], base[other], corners[m]));
                prism(base, top, diagonals, is_even([p, q, r, m]), found);
            }
            _ => {}
        }
    }

    /// The crossing between an inside and an outside point.
    fn crossing(&self, inner: u32, outer: u32) -> u32 {
        self.first_crossing + self.edges.binary_search(&edge(inner, outer)).unwrap_or(0) as u32
    }

    /// Whether the diagonal of the trapezoid p, q, (crossing q–m), (crossing p–m) starts at p.
    fn diagonal_at_first(&self, p: u32, q: u32, m: u32) -> bool {
        let [from_p, from_q] = [p, q].map(|inner| {
            let [inner, outer] = [inner, m].map(|point| decode(self.background.points[point as usize]));
            [0, 1, 2].map(|axis| outer[axis] - inner[axis])
        });
        let square = |offset: GridIndex| offset.iter().map(|&c| i64::from(c).pow(2)).sum::<i64>();
        let is_odd = |offset: GridIndex| offset.iter().filter(|&&c| c > 0).count() % 2 == 1;
        match square(from_p).cmp(&square(from_q)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal if is_odd(from_p) != is_odd(from_q) => is_odd(from_p),
            std::cmp::Ordering::Equal => p < q,
        }
    }
}

/// Whether an order of 0 to 3 is an even permutation.
fn is_even(order: [usize; 4]) -> bool {
    let inversions = (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| order[j] > order[i]).count();
    inversions % 2 == 0
}

/// The three tetrahedra of a prism. `diagonals[i]`: side i, between edges i and i + 1, is split
/// from base i to top i + 1 rather than from base i + 1 to top i; all three alike is impossible.
/// `positive`: orientation of base and top 0.
fn prism(base: [u32; 3], top: [u32; 3], diagonals: [bool; 3], positive: bool, found: &mut Vec<[u32; 4]>) {
    // Edge x is the base end of both its diagonals, edge z the top end.
    let starts = |edge: usize| usize::from(diagonals[edge]) + usize::from(!diagonals[(edge + 2) % 3]);
    let Some(x) = (0..3).find(|&edge| starts(edge) == 2) else { return };
    let (y, z, flipped) =
        if starts((x + 1) % 3) == 1 { ((x + 1) % 3, (x + 2) % 3, false) } else { ((x + 2) % 3, (x + 1) % 3, true) };
    let tetrahedra =
        [[base[x], base[y], base[z], top[z]], [base[x], base[y], top[z], top[y]], [base[x], top[x], top[y], top[z]]];
    for mut tetrahedron in tetrahedra {
        if flipped == positive {
            tetrahedron.swap(2, 3);
        }
        found.push(tetrahedron);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stuffing::classification::Frame;
    use crate::stuffing::crossing::Crossing;
    use crate::stuffing::octree::Octree;
    use crate::stuffing::quality::DihedralRange;
    use crate::stuffing::testing::edge_uses;
    use crate::stuffing::warp::{ALPHA_LONG, ALPHA_SHORT, warp};
    use craze_math::Random;
    use craze_mesh::{TETRAHEDRON_EDGES, TetMesh};

    /// A cube of cells with random signs and crossings, surrounded by outside.
    fn random_mesh(random: &mut Random, draw: &dyn Fn(&mut Random) -> f64) -> StencilMesh {
        const CELLS: i32 = 7;
        let octants =
            (0..CELLS).flat_map(|x| (0..CELLS).flat_map(move |y| (0..CELLS).map(move |z| [x + 1, y + 1, z + 1])));
        let octree = Octree::of_leaves(octants.map(crate::stuffing::morton::encode).collect());
        let outermost = |point: u64| decode(point).iter().any(|&c| c <= 2 || c >= 2 * CELLS + 2);
        let share_inside = random.number();
        let signs: Vec<f64> = (0..4096).map(|_| random.number()).collect();
        let hash = |point: u64| (point.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
        let background = Background::with_signs(&octree, |point| {
            if !outermost(point) && signs[hash(point)] < share_inside { 1 } else { -1 }
        });
        let mut edges: Vec<u64> = (background.tetrahedra.iter())
            .flat_map(|corners| TETRAHEDRON_EDGES.map(|[a, b]| [corners[a], corners[b]]))
            .filter(|&[a, b]| background.signs[a as usize] != background.signs[b as usize])
            .map(|[a, b]| edge(a, b))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let crossings: Vec<Crossing> = edges
            .iter()
            .map(|&edge| Crossing { ends: [(edge >> 32) as u32, edge as u32], share: draw(random) })
            .collect();
        let warped = warp(&Frame::unit(), &background, &crossings);
        fill(&background, &warped, |_| false)
    }

    #[test]
    fn angles_stay_within_bounds_for_any_signs_and_crossings() {
        let mut random = Random::new(5);
        let (long, short) = (ALPHA_LONG, ALPHA_SHORT);
        let mut extremes = vec![0.0, 1e-9, 0.5, 1.0];
        for alpha in [long, short] {
            extremes.extend([alpha - 1e-6, alpha + 1e-6, 1.0 - alpha - 1e-6, 1.0 - alpha + 1e-6]);
        }
        let draws: [&dyn Fn(&mut Random) -> f64; 3] =
            [&|random| random.number(), &|random| extremes[(random.number() * 12.0) as usize], &|random| {
                0.24 + 0.52 * random.number()
            }];
        let mut range = DihedralRange::default();
        let mut count = 0;
        for round in 0..450 {
            let mesh = random_mesh(&mut random, draws[round % 3]);
            count += mesh.tetrahedra.len();
            range = range.combined(DihedralRange::of_all(&mesh.positions, &mesh.tetrahedra));
            if mesh.tetrahedra.is_empty() {
                continue;
            }
            let mesh = TetMesh::from_parts(mesh.positions, mesh.tetrahedra).expect("a mesh");
            let boundary = mesh.boundary();
            assert!(edge_uses(&boundary.triangles).all(|(forward, backward)| forward == backward), "not closed");
        }
        assert!(count > 300_000, "{count}");
        assert!(range.smallest > 10.0 && range.largest < 165.0, "{range:?}");
    }
}
