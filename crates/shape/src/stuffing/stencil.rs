//! Stencils: what of a background tetrahedron lies inside, as one to three tetrahedra.
//!
//! Where the surface cuts two edges of a face that has two points inside, a trapezoid is left of the face, and the tetrahedra on both
//! sides must halve it alike. Its diagonal ends at the crossing of the longer edge; if both edges are as long, the parity of the
//! coordinates decides (Labelle & Shewchuk 2007 §3.3).

use craze_math::Vec3;
use rayon::prelude::*;

use super::background::Background;
use super::crossing::edge;
use super::key::{Place, decode};
use super::survey::CHUNK;
use super::warp::Warped;

/// Tetrahedra over places, numbered without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// Places (m): background points that are in use, then crossings.
    pub(super) positions: Vec<Vec3>,
    /// Whether the place lies on the surface.
    pub(super) on_surface: Vec<bool>,
    /// Positive tetrahedra.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

/// The tetrahedra inside of the surface.
///
/// A tetrahedron with all corners on the surface fills a wall, or lies outside, in a hollow: `keeps` decides by its corners.
pub(super) fn fill(background: &Background, warped: &Warped, keeps: impl Fn(&[Vec3; 4]) -> bool + Sync) -> Filled {
    let places = background.points.len() as u32;
    let edges: Vec<u64> = warped.crossings.iter().map(|crossing| crossing.edge()).collect();
    let stencils = Stencils { background, signs: &warped.signs, edges: &edges, places };
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
    let mut filled = Filled::default();
    for (place, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
        *number = filled.positions.len() as u32;
        let crossing = place.checked_sub(background.points.len()).map(|index| warped.crossings[index]);
        filled.on_surface.push(crossing.is_some() || warped.signs[place] == 0);
        filled.positions.push(match crossing {
            Some(crossing) => {
                let [start, end] = crossing.ends.map(|end| warped.positions[end as usize]);
                start + (end - start) * crossing.share
            }
            None => warped.positions[place],
        });
    }
    tetrahedra
        .par_iter_mut()
        .with_min_len(CHUNK)
        .for_each(|corners| *corners = corners.map(|corner| number[corner as usize]));
    filled.tetrahedra = tetrahedra;
    filled
}

struct Stencils<'a> {
    background: &'a Background,
    signs: &'a [i8],
    edges: &'a [u64],
    /// Crossings are numbered from here.
    places: u32,
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
        let with = |replaced: &[(usize, u32)]| {
            let mut tetrahedron = *corners;
            replaced.iter().for_each(|&(slot, place)| tetrahedron[slot] = place);
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
                    found.extend([with(&[(m, at_q)]), with(&[(q, at_q), (m, at_p)])]);
                } else {
                    found.extend([with(&[(m, at_p)]), with(&[(p, at_p), (m, at_q)])]);
                }
            }
            [p, q] => {
                let [m, n] = [outside[0], outside[1]];
                let base = [corners[p], crossing(p, m), crossing(p, n)];
                let top = [corners[q], crossing(q, m), crossing(q, n)];
                let first = self.diagonal_at_first(corners[p], corners[q], corners[m]);
                let last = !self.diagonal_at_first(corners[p], corners[q], corners[n]);
                // The face between the crossings belongs to this tetrahedron alone: its diagonal keeps the three from running
                // in a circle.
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

    /// The place where the edge from an inner to an outer point is cut.
    fn crossing(&self, inner: u32, outer: u32) -> u32 {
        self.places + self.edges.binary_search(&edge(inner, outer)).unwrap_or(0) as u32
    }

    /// Whether the diagonal of the trapezoid p, q, (crossing q–m), (crossing p–m) starts at p rather than at q.
    fn diagonal_at_first(&self, p: u32, q: u32, m: u32) -> bool {
        let [from_p, from_q] = [p, q].map(|inner| {
            let [inner, outer] = [inner, m].map(|point| decode(self.background.points[point as usize]));
            [0, 1, 2].map(|axis| outer[axis] - inner[axis])
        });
        let square = |way: Place| way.iter().map(|&c| i64::from(c).pow(2)).sum::<i64>();
        let is_odd = |way: Place| way.iter().filter(|&&c| c > 0).count() % 2 == 1;
        match square(from_p).cmp(&square(from_q)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal if is_odd(from_p) != is_odd(from_q) => is_odd(from_p),
            std::cmp::Ordering::Equal => p < q,
        }
    }
}

/// Whether an order of the numbers 0 to 3 is an even permutation.
fn is_even(order: [usize; 4]) -> bool {
    let inversions = (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| order[j] > order[i]).count();
    inversions % 2 == 0
}

/// Three tetrahedra of a prism. `diagonals[i]` says whether side i, between edges i and i + 1, is halved from base i to top i + 1
/// rather than from base i + 1 to top i; all three alike is impossible. `positive` says whether base and top 0 are so oriented.
fn prism(base: [u32; 3], top: [u32; 3], diagonals: [bool; 3], positive: bool, found: &mut Vec<[u32; 4]>) {
    // Edge x starts both of its diagonals in the base, edge z ends both in the top.
    let starts = |edge: usize| usize::from(diagonals[edge]) + usize::from(!diagonals[(edge + 2) % 3]);
    let Some(x) = (0..3).find(|&edge| starts(edge) == 2) else { return };
    let (y, z, turned) =
        if starts((x + 1) % 3) == 1 { ((x + 1) % 3, (x + 2) % 3, false) } else { ((x + 2) % 3, (x + 1) % 3, true) };
    let tetrahedra =
        [[base[x], base[y], base[z], top[z]], [base[x], base[y], top[z], top[y]], [base[x], top[x], top[y], top[z]]];
    for mut tetrahedron in tetrahedra {
        if turned == positive {
            tetrahedron.swap(2, 3);
        }
        found.push(tetrahedron);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stuffing::crossing::Crossing;
    use crate::stuffing::octree::Octree;
    use crate::stuffing::quality::DihedralRange;
    use crate::stuffing::survey::Frame;
    use crate::stuffing::testing::edge_uses;
    use crate::stuffing::warp::{ALPHA_LONG, ALPHA_SHORT, warp};
    use craze_math::Random;
    use craze_mesh::{TETRAHEDRON_EDGES, TetMesh};

    /// A cube of lattice cells whose signs and crossings are drawn at random; its outermost points lie outside.
    fn drawn(random: &mut Random, draw: &dyn Fn(&mut Random) -> f64) -> Filled {
        const CELLS: i32 = 7;
        let places =
            (0..CELLS).flat_map(|x| (0..CELLS).flat_map(move |y| (0..CELLS).map(move |z| [x + 1, y + 1, z + 1])));
        let octree = Octree::of_leaves(places.map(crate::stuffing::key::encode).collect());
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
    fn whatever_the_signs_and_crossings_all_angles_stay_within_bounds() {
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
            let filled = drawn(&mut random, draws[round % 3]);
            count += filled.tetrahedra.len();
            range = range.joined(DihedralRange::of_all(&filled.positions, &filled.tetrahedra));
            if filled.tetrahedra.is_empty() {
                continue;
            }
            let mesh = TetMesh::from_parts(filled.positions, filled.tetrahedra).expect("a mesh");
            let boundary = mesh.boundary();
            assert!(edge_uses(&boundary.triangles).all(|(forward, backward)| forward == backward), "not closed");
        }
        assert!(count > 300_000, "{count}");
        assert!(range.smallest > 10.0 && range.largest < 165.0, "{range:?}");
    }
}
