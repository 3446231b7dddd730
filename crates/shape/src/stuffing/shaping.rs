//! A mesh whose points may move as long as no tetrahedron turns bad.

use craze_math::Vec3;
use rayon::prelude::*;

use super::crossing::root;
use super::quality::Cosines;
use super::stencil::Filled;
use super::survey::CHUNK;
use crate::Domain;

/// Bounds that dihedral angles must keep, as cosines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    of_smallest: f64,
    of_largest: f64,
}

impl Guard {
    /// 10.5° to 164.5°: all tetrahedra but those snapped to features stay within.
    pub(super) const STRONG: Self = Self { of_smallest: 0.983_25, of_largest: -0.963_63 };
    /// 10° to 165°: what is promised.
    pub(super) const PROMISED: Self = Self { of_smallest: 0.984_80, of_largest: -0.965_92 };
    /// 5.2° to 171.8°: what snapping may do to the tetrahedra at a feature.
    pub(super) const WEAK: Self = Self { of_smallest: 0.995_88, of_largest: -0.989_78 };

    pub(super) fn holds(&self, cosines: Cosines) -> bool {
        cosines.of_smallest < self.of_smallest && cosines.of_largest > self.of_largest
    }
}

/// Where a point may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freedom {
    /// Anywhere.
    Inner,
    /// Along the surface.
    Surface,
    /// Nowhere: it lies on a crease or corner.
    Fixed,
}

/// A planned change of tetrahedra, in places that have no point in common.
#[derive(Default)]
pub(super) struct Edit {
    removed: Vec<u32>,
    added: Vec<[u32; 4]>,
    /// New points (m), numbered after the old ones.
    pub(super) points: Vec<Vec3>,
    used: std::collections::BTreeSet<u32>,
    pub(super) changes: usize,
}

impl Edit {
    /// Whether no change planned so far has any of the points.
    pub(super) fn is_free(&self, points: &[u32]) -> bool {
        points.iter().all(|point| !self.used.contains(point))
    }

    /// Plans to replace tetrahedra around these points.
    pub(super) fn change(&mut self, points: &[u32], removed: &[u32], added: &[[u32; 4]]) {
        self.used.extend(points);
        self.removed.extend(removed);
        self.added.extend(added);
        self.changes += 1;
    }
}

/// Tetrahedra whose points are moved one at a time.
pub(super) struct Shaping<'a> {
    pub(super) domain: &'a dyn Domain,
    /// Edge length (m) that moves are measured by.
    pub(super) edge: f64,
    pub(super) positions: Vec<Vec3>,
    pub(super) tetrahedra: Vec<[u32; 4]>,
    pub(super) freedom: Vec<Freedom>,
    starts: Vec<u32>,
    stars: Vec<u32>,
}

impl<'a> Shaping<'a> {
    pub(super) fn new(domain: &'a dyn Domain, edge: f64, filled: Filled) -> Self {
        let Filled { positions, on_surface, tetrahedra } = filled;
        let freedom = on_surface.iter().map(|&on| if on { Freedom::Surface } else { Freedom::Inner }).collect();
        let mut shaping = Self { domain, edge, positions, tetrahedra, freedom, starts: Vec::new(), stars: Vec::new() };
        shaping.gather_stars();
        shaping
    }

    fn gather_stars(&mut self) {
        let mut starts = vec![0u32; self.positions.len() + 1];
        self.tetrahedra.iter().flatten().for_each(|&corner| starts[corner as usize + 1] += 1);
        for point in 0..self.positions.len() {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut stars = vec![0; 4 * self.tetrahedra.len()];
        for (index, corners) in (0..).zip(&self.tetrahedra) {
            for &corner in corners {
                stars[next[corner as usize] as usize] = index;
                next[corner as usize] += 1;
            }
        }
        (self.starts, self.stars) = (starts, stars);
    }

    /// Makes a planned change; new points lie on features.
    pub(super) fn replace(&mut self, edit: Edit) {
        let mut is_kept = vec![true; self.tetrahedra.len()];
        edit.removed.iter().for_each(|&index| is_kept[index as usize] = false);
        let mut kept = is_kept.iter();
        self.tetrahedra.retain(|_| kept.next() == Some(&true));
        self.tetrahedra.extend(edit.added);
        self.freedom.resize(self.freedom.len() + edit.points.len(), Freedom::Fixed);
        self.positions.extend(edit.points);
        self.gather_stars();
    }

    /// Tetrahedra that have both points.
    pub(super) fn common(&self, points: [u32; 2]) -> Vec<u32> {
        self.star(points[0])
            .iter()
            .copied()
            .filter(|&index| self.tetrahedra[index as usize].contains(&points[1]))
            .collect()
    }

    /// The tetrahedra at a point.
    pub(super) fn star(&self, point: u32) -> &[u32] {
        &self.stars[self.starts[point as usize] as usize..self.starts[point as usize + 1] as usize]
    }

    pub(super) fn corners(&self, tetrahedron: u32) -> [Vec3; 4] {
        self.tetrahedra[tetrahedron as usize].map(|corner| self.positions[corner as usize])
    }

    /// Points that share a tetrahedron with this one, sorted.
    fn neighbours(&self, point: u32) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .star(point)
            .iter()
            .flat_map(|&index| self.tetrahedra[index as usize])
            .filter(|&other| other != point)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a tetrahedron touches a feature.
    pub(super) fn is_snapped(&self, tetrahedron: u32) -> bool {
        self.tetrahedra[tetrahedron as usize].iter().any(|&corner| self.freedom[corner as usize] == Freedom::Fixed)
    }

    /// Moves a point onto a feature and fixes it there, if its tetrahedra, helped by moves of its neighbours, keep the guard; those
    /// away from features always keep the strong one. Nothing has changed if not.
    pub(super) fn snap(&mut self, point: u32, to: Vec3, guard: Guard) -> bool {
        let around = self.neighbours(point);
        let places: Vec<Vec3> = around.iter().map(|&other| self.positions[other as usize]).collect();
        let before = self.touched(point, &around);
        let (place, freedom) = (self.positions[point as usize], self.freedom[point as usize]);
        self.positions[point as usize] = to;
        self.freedom[point as usize] = Freedom::Fixed;
        if self.settle(&around, &before, guard) {
            return true;
        }
        self.positions[point as usize] = place;
        self.freedom[point as usize] = freedom;
        for (&other, place) in around.iter().zip(places) {
            self.positions[other as usize] = place;
        }
        false
    }

    /// Halves an edge by a new point on a feature, if the tetrahedra around, helped by moves, keep the weak guard. Nothing has
    /// changed if not.
    pub(super) fn split_and_smooth(&mut self, ends: [u32; 2], place: Vec3) -> bool {
        // Tried on the part of the mesh that can move: most tries fail, and each change costs a pass over all that is there.
        let mut region: Vec<u32> = self
            .common(ends)
            .iter()
            .flat_map(|&index| self.tetrahedra[index as usize])
            .flat_map(|point| self.star(point).iter().copied())
            .collect();
        region.sort_unstable();
        region.dedup();
        let (mut part, points) = self.part(&region);
        let local = ends.map(|end| points.binary_search(&end).unwrap_or_default() as u32);
        let middle = part.split(local, place);
        let around = part.neighbours(middle);
        let mut before = part.touched(middle, &around);
        // New tetrahedra have no past to excuse them.
        for (index, cosines) in &mut before {
            if part.tetrahedra[*index as usize].contains(&middle) {
                *cosines = Cosines { of_smallest: 0.0, of_largest: 0.0 };
            }
        }
        if !part.settle(&around, &before, Guard::WEAK) {
            return false;
        }
        for (&point, place) in points.iter().zip(&part.positions) {
            self.positions[point as usize] = *place;
        }
        self.split(ends, place);
        true
    }

    /// Halves an edge by a new point on a feature; returns its number.
    fn split(&mut self, ends: [u32; 2], place: Vec3) -> u32 {
        let middle = self.positions.len() as u32;
        let mut edit = Edit { points: vec![place], ..Edit::default() };
        let around = self.common(ends);
        let halves = around.iter().flat_map(|&index| {
            let corners = self.tetrahedra[index as usize];
            ends.map(|end| corners.map(|corner| if corner == end { middle } else { corner }))
        });
        edit.change(&[], &around, &halves.collect::<Vec<_>>());
        self.replace(edit);
        middle
    }

    /// Some of the tetrahedra as a mesh of their own, with the old numbers of its points.
    fn part(&self, region: &[u32]) -> (Self, Vec<u32>) {
        let mut points: Vec<u32> = region.iter().flat_map(|&index| self.tetrahedra[index as usize]).collect();
        points.sort_unstable();
        points.dedup();
        let number = |corner: u32| points.binary_search(&corner).unwrap_or_default() as u32;
        let mut part = Self {
            positions: points.iter().map(|&point| self.positions[point as usize]).collect(),
            freedom: points.iter().map(|&point| self.freedom[point as usize]).collect(),
            tetrahedra: region.iter().map(|&index| self.tetrahedra[index as usize].map(number)).collect(),
            starts: Vec::new(),
            stars: Vec::new(),
            ..*self
        };
        part.gather_stars();
        (part, points)
    }

    /// Moves a point by as much of a way as its tetrahedra bear: all of it, half or none.
    pub(super) fn shift(&mut self, point: u32, way: Vec3) {
        let here = self.positions[point as usize];
        let before: Vec<Cosines> = self.star(point).iter().map(|&index| Cosines::of(&self.corners(index))).collect();
        for share in [1.0, 0.5] {
            self.positions[point as usize] = here + way * share;
            let is_kept =
                self.star(point).iter().zip(&before).all(|(&index, before)| self.is_kept(index, before, Guard::WEAK));
            if is_kept {
                return;
            }
        }
        self.positions[point as usize] = here;
    }

    /// Whether a tetrahedron keeps the guard at features and the strong one elsewhere; what was bad before may stay as bad.
    fn is_kept(&self, index: u32, before: &Cosines, guard: Guard) -> bool {
        self.keeps(index, Cosines::of(&self.corners(index)), before, guard)
    }

    /// Whether a tetrahedron would be [kept](Self::is_kept) with other angles.
    pub(super) fn keeps(&self, index: u32, now: Cosines, before: &Cosines, guard: Guard) -> bool {
        let guard = if self.is_snapped(index) { guard } else { Guard::STRONG };
        let is_no_worse = now.of_smallest <= before.of_smallest && now.of_largest >= before.of_largest;
        guard.holds(now) || (is_no_worse && now.of_smallest < 1.0 && !guard.holds(*before))
    }

    /// Moves points of tetrahedra beyond the strong guard until all are within, or no move helps; returns those that are not. A lattice
    /// whose cells change size at the surface needs it.
    pub(super) fn mend(&mut self) -> Vec<u32> {
        for _ in 0..8 {
            let bad = self.bad();
            let mut points: Vec<u32> = bad.iter().flat_map(|&index| self.tetrahedra[index as usize]).collect();
            points.sort_unstable();
            points.dedup();
            if points.iter().filter(|&&point| self.improve(point)).count() == 0 {
                return bad;
            }
        }
        self.bad()
    }

    /// Tetrahedra away from features that do not keep the strong guard.
    fn bad(&self) -> Vec<u32> {
        let is_bad = |index: &u32| !Guard::STRONG.holds(Cosines::of(&self.corners(*index))) && !self.is_snapped(*index);
        (0..self.tetrahedra.len() as u32).into_par_iter().with_min_len(CHUNK).filter(is_bad).collect()
    }

    /// Whether a tetrahedron has no volume, or is inside out.
    pub(super) fn is_flat(&self, tetrahedron: u32) -> bool {
        Cosines::of(&self.corners(tetrahedron)).of_smallest >= 1.0
    }

    /// Tetrahedra at a point or at those around it, with their angles.
    fn touched(&self, point: u32, around: &[u32]) -> Vec<(u32, Cosines)> {
        let mut touched: Vec<u32> =
            around.iter().chain([&point]).flat_map(|&other| self.star(other)).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().map(|index| (index, Cosines::of(&self.corners(index)))).collect()
    }

    /// Moves points until all tetrahedra are [kept](Self::is_kept), or none moves any more.
    fn settle(&mut self, around: &[u32], before: &[(u32, Cosines)], guard: Guard) -> bool {
        for _ in 0..5 {
            let is_kept = before.iter().all(|(index, before)| self.is_kept(*index, before, guard));
            if is_kept {
                return true;
            }
            if around.iter().filter(|&&other| self.improve(other)).count() == 0 {
                return false;
            }
        }
        false
    }

    /// How bad the worst tetrahedron at a point is: the cosine of its smallest or the negated one of its largest angle, and more
    /// than one for an inverted one.
    fn badness(&self, point: u32) -> f64 {
        let worst = |worst: f64, &index: &u32| worst.max(badness(&self.corners(index), self.edge));
        self.star(point).iter().fold(-1.0, worst)
    }

    /// Moves a point to where its worst tetrahedron is best, among a few places at shrinking distances; says whether it moved.
    pub(super) fn improve(&mut self, point: u32) -> bool {
        let freedom = self.freedom[point as usize];
        if freedom == Freedom::Fixed {
            return false;
        }
        let mut worst = self.badness(point);
        let mut has_moved = false;
        let normal =
            if freedom == Freedom::Surface { self.domain.normal(&self.positions[point as usize]) } else { None };
        if freedom == Freedom::Surface && normal.is_none() {
            return false;
        }
        for reach in [0.16, 0.08, 0.04, 0.02, 0.01] {
            let here = self.positions[point as usize];
            let mut best: Option<(f64, Vec3)> = None;
            for way in WAYS {
                let way = Vec3::from(way) * (reach * self.edge);
                let there = here + normal.map_or(way, |normal| way - normal * way.dot(&normal));
                self.positions[point as usize] = there;
                let tried = self.badness(point);
                if tried < best.map_or(worst, |(best, _)| best) - 1e-4 {
                    best = Some((tried, there));
                }
            }
            // Only the best place of the tangent plane is brought back to the surface, which takes many questions to the domain.
            if let (Some((_, tangential)), Some(normal)) = (best, normal) {
                best = project(self.domain, &tangential, &normal, 0.5 * reach * self.edge).and_then(|there| {
                    self.positions[point as usize] = there;
                    let tried = self.badness(point);
                    (tried < worst - 1e-4).then_some((tried, there))
                });
            }
            self.positions[point as usize] = here;
            if let Some((found, there)) = best {
                self.positions[point as usize] = there;
                worst = found;
                has_moved = true;
            }
        }
        has_moved
    }
}

/// Ways to try, not aligned with the lattice's symmetry planes only: towards faces and corners of a cube.
const WAYS: [[f64; 3]; 14] = [
    [1.0, 0.0, 0.0],
    [-1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, -1.0],
    [0.6, 0.6, 0.6],
    [-0.6, 0.6, 0.6],
    [0.6, -0.6, 0.6],
    [0.6, 0.6, -0.6],
    [-0.6, -0.6, 0.6],
    [-0.6, 0.6, -0.6],
    [0.6, -0.6, -0.6],
    [-0.6, -0.6, -0.6],
];

fn badness(corners: &[Vec3; 4], edge: f64) -> f64 {
    let cosines = Cosines::of(corners);
    if cosines.of_smallest < 1.0 {
        // 165° weighs as much as 10°.
        return cosines.of_smallest.max(-1.02 * cosines.of_largest);
    }
    let volume = craze_math::tetrahedron::volume(corners) / edge.powi(3);
    if volume.is_finite() { 1.1 - volume } else { f64::INFINITY }
}

/// The surface's point on the line through `point` along `direction`, within `reach` (m) on both sides; none if the level
/// has the same sign there.
pub(crate) fn project(domain: &dyn Domain, point: &Vec3, direction: &Vec3, reach: f64) -> Option<Vec3> {
    let ends = [point - direction * reach, point + direction * reach];
    let inside = ends.map(|end| domain.contains(&end));
    (inside[0] != inside[1]).then(|| ends[0] + (ends[1] - ends[0]) * root(domain, &ends, inside[0]))
}
