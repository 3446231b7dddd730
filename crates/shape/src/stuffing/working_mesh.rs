//! A tetrahedral mesh with movable points and bounded dihedral angles.

use craze_math::Vec3;
use rayon::prelude::*;

use super::classification::CHUNK;
use super::crossing::root;
use super::quality::DihedralCosines;
use super::stencil::StencilMesh;
use crate::Domain;

/// Bounds of dihedral angles, as cosines.
#[derive(Clone, Copy, Debug)]
pub(super) struct AngleBounds {
    of_smallest: f64,
    of_largest: f64,
}

impl AngleBounds {
    /// 10.5° to 164.5°, for tetrahedra that touch no feature.
    pub(super) const REGULAR: Self = Self { of_smallest: 0.983_25, of_largest: -0.963_63 };
    /// 10° to 165°, guaranteed to users.
    pub(super) const GUARANTEED: Self = Self { of_smallest: 0.984_80, of_largest: -0.965_92 };
    /// 5.2° to 171.8°, for tetrahedra at features.
    pub(super) const AT_FEATURES: Self = Self { of_smallest: 0.995_88, of_largest: -0.989_78 };

    pub(super) fn contain(&self, cosines: DihedralCosines) -> bool {
        cosines.of_smallest < self.of_smallest && cosines.of_largest > self.of_largest
    }
}

/// Constraint on the motion of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointConstraint {
    /// Moves freely.
    Interior,
    /// Moves along the surface.
    Surface,
    /// Fixed on a crease or corner.
    Fixed,
}

/// Planned replacements of tetrahedra without common points.
#[derive(Default)]
pub(super) struct Edit {
    removed: Vec<u32>,
    added: Vec<[u32; 4]>,
    /// New points (m), numbered after the existing ones.
    pub(super) points: Vec<Vec3>,
    used: std::collections::BTreeSet<u32>,
    pub(super) changes: usize,
}

impl Edit {
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

/// A tetrahedral mesh under improvement.
pub(super) struct WorkingMesh<'a> {
    pub(super) domain: &'a dyn Domain,
    /// Nominal edge length (m), the scale of moves.
    pub(super) edge: f64,
    pub(super) positions: Vec<Vec3>,
    pub(super) tetrahedra: Vec<[u32; 4]>,
    pub(super) constraint: Vec<PointConstraint>,
    starts: Vec<u32>,
    stars: Vec<u32>,
}

impl<'a> WorkingMesh<'a> {
    pub(super) fn new(domain: &'a dyn Domain, edge: f64, filled: StencilMesh) -> Self {
        let StencilMesh { positions, on_surface, tetrahedra } = filled;
        let constraint = on_surface
            .iter()
            .map(|&on| if on { PointConstraint::Surface } else { PointConstraint::Interior })
            .collect();
        let mut working =
            Self { domain, edge, positions, tetrahedra, constraint, starts: Vec::new(), stars: Vec::new() };
        working.gather_stars();
        working
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

    /// Applies planned changes; new points are fixed.
    pub(super) fn replace(&mut self, edit: Edit) {
        let mut stays_within_bounds = vec![true; self.tetrahedra.len()];
        edit.removed.iter().for_each(|&index| stays_within_bounds[index as usize] = false);
        let mut kept = stays_within_bounds.iter();
        self.tetrahedra.retain(|_| kept.next() == Some(&true));
        self.tetrahedra.extend(edit.added);
        self.constraint.resize(self.constraint.len() + edit.points.len(), PointConstraint::Fixed);
        self.positions.extend(edit.points);
        self.gather_stars();
    }

    pub(super) fn common(&self, points: [u32; 2]) -> Vec<u32> {
        self.star(points[0])
            .iter()
            .copied()
            .filter(|&index| self.tetrahedra[index as usize].contains(&points[1]))
            .collect()
    }

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

    pub(super) fn is_snapped(&self, tetrahedron: u32) -> bool {
        self.tetrahedra[tetrahedron as usize]
            .iter()
            .any(|&corner| self.constraint[corner as usize] == PointConstraint::Fixed)
    }

    /// Moves a point onto a feature and fixes it, if its tetrahedra keep their bounds after
    /// smoothing of its neighbours. Otherwise nothing changes.
    pub(super) fn snap(&mut self, point: u32, to: Vec3, bounds: AngleBounds) -> bool {
        let around = self.neighbours(point);
        let old_positions: Vec<Vec3> = around.iter().map(|&other| self.positions[other as usize]).collect();
        let before = self.affected_tetrahedra(point, &around);
        let (position, constraint) = (self.positions[point as usize], self.constraint[point as usize]);
        self.positions[point as usize] = to;
        self.constraint[point as usize] = PointConstraint::Fixed;
        if self.smooth_until_within(&around, &before, bounds) {
            return true;
        }
        self.positions[point as usize] = position;
        self.constraint[point as usize] = constraint;
        for (&other, position) in around.iter().zip(old_positions) {
            self.positions[other as usize] = position;
        }
        false
    }

    /// Splits an edge at a new point on a feature, if the tetrahedra around keep their bounds after
    /// smoothing. Otherwise nothing changes.
    pub(super) fn split_and_smooth(&mut self, ends: [u32; 2], position: Vec3) -> bool {
        // Tried on a copy of the region: most attempts fail, and a change costs a pass over the
        // mesh.
        let mut region: Vec<u32> = self
            .common(ends)
            .iter()
            .flat_map(|&index| self.tetrahedra[index as usize])
            .flat_map(|point| self.star(point).iter().copied())
            .collect();
        region.sort_unstable();
        region.dedup();
        let (mut extract, points) = self.extract(&region);
        let local = ends.map(|end| points.binary_search(&end).unwrap_or_default() as u32);
        let middle = extract.split(local, position);
        let around = extract.neighbours(middle);
        let mut before = extract.affected_tetrahedra(middle, &around);
        // New tetrahedra have no previous angles.
        for (index, cosines) in &mut before {
            if extract.tetrahedra[*index as usize].contains(&middle) {
                *cosines = DihedralCosines { of_smallest: 0.0, of_largest: 0.0 };
            }
        }
        if !extract.smooth_until_within(&around, &before, AngleBounds::AT_FEATURES) {
            return false;
        }
        for (&point, position) in points.iter().zip(&extract.positions) {
            self.positions[point as usize] = *position;
        }
        self.split(ends, position);
        true
    }

    /// Splits an edge at a new point on a feature; returns its index.
    fn split(&mut self, ends: [u32; 2], position: Vec3) -> u32 {
        let middle = self.positions.len() as u32;
        let mut edit = Edit { points: vec![position], ..Edit::default() };
        let around = self.common(ends);
        let halves = around.iter().flat_map(|&index| {
            let corners = self.tetrahedra[index as usize];
            ends.map(|end| corners.map(|corner| if corner == end { middle } else { corner }))
        });
        edit.change(&[], &around, &halves.collect::<Vec<_>>());
        self.replace(edit);
        middle
    }

    /// A copy of some tetrahedra, with the original indices of its points.
    fn extract(&self, region: &[u32]) -> (Self, Vec<u32>) {
        let mut points: Vec<u32> = region.iter().flat_map(|&index| self.tetrahedra[index as usize]).collect();
        points.sort_unstable();
        points.dedup();
        let local_index = |corner: u32| points.binary_search(&corner).unwrap_or_default() as u32;
        let mut extract = Self {
            positions: points.iter().map(|&point| self.positions[point as usize]).collect(),
            constraint: points.iter().map(|&point| self.constraint[point as usize]).collect(),
            tetrahedra: region.iter().map(|&index| self.tetrahedra[index as usize].map(local_index)).collect(),
            starts: Vec::new(),
            stars: Vec::new(),
            ..*self
        };
        extract.gather_stars();
        (extract, points)
    }

    /// Moves a point by all or half of a vector or not at all, within the bounds.
    pub(super) fn shift(&mut self, point: u32, direction: Vec3) {
        let here = self.positions[point as usize];
        let before: Vec<DihedralCosines> =
            self.star(point).iter().map(|&index| DihedralCosines::of(&self.corners(index))).collect();
        for share in [1.0, 0.5] {
            self.positions[point as usize] = here + direction * share;
            let stays_within_bounds = self
                .star(point)
                .iter()
                .zip(&before)
                .all(|(&index, before)| self.stays_within_bounds(index, before, AngleBounds::AT_FEATURES));
            if stays_within_bounds {
                return;
            }
        }
        self.positions[point as usize] = here;
    }

    /// Whether a tetrahedron keeps the given bounds at features and the regular ones elsewhere, or
    /// is no worse than before.
    fn stays_within_bounds(&self, index: u32, before: &DihedralCosines, bounds: AngleBounds) -> bool {
        self.keeps_bounds(index, DihedralCosines::of(&self.corners(index)), before, bounds)
    }

    /// The same for given angles.
    pub(super) fn keeps_bounds(
        &self,
        index: u32,
        now: DihedralCosines,
        before: &DihedralCosines,
        bounds: AngleBounds,
    ) -> bool {
        let bounds = if self.is_snapped(index) { bounds } else { AngleBounds::REGULAR };
        let is_no_worse = now.of_smallest <= before.of_smallest && now.of_largest >= before.of_largest;
        bounds.contain(now) || (is_no_worse && now.of_smallest < 1.0 && !bounds.contain(*before))
    }

    /// Smooths points of tetrahedra beyond the regular bounds until no move helps; returns those
    /// that remain, possible where cell sizes change.
    pub(super) fn smooth_bad(&mut self) -> Vec<u32> {
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

    fn bad(&self) -> Vec<u32> {
        let is_bad = |index: &u32| {
            !AngleBounds::REGULAR.contain(DihedralCosines::of(&self.corners(*index))) && !self.is_snapped(*index)
        };
        (0..self.tetrahedra.len() as u32).into_par_iter().with_min_len(CHUNK).filter(is_bad).collect()
    }

    /// Whether a tetrahedron is flat or inverted.
    pub(super) fn is_flat(&self, tetrahedron: u32) -> bool {
        DihedralCosines::of(&self.corners(tetrahedron)).of_smallest >= 1.0
    }

    /// Tetrahedra at a point or its neighbours, with their angles.
    fn affected_tetrahedra(&self, point: u32, around: &[u32]) -> Vec<(u32, DihedralCosines)> {
        let mut affected_tetrahedra: Vec<u32> =
            around.iter().chain([&point]).flat_map(|&other| self.star(other)).copied().collect();
        affected_tetrahedra.sort_unstable();
        affected_tetrahedra.dedup();
        affected_tetrahedra.into_iter().map(|index| (index, DihedralCosines::of(&self.corners(index)))).collect()
    }

    /// Smooths points until all tetrahedra keep their bounds or nothing moves.
    fn smooth_until_within(&mut self, around: &[u32], before: &[(u32, DihedralCosines)], bounds: AngleBounds) -> bool {
        for _ in 0..5 {
            let stays_within_bounds =
                before.iter().all(|(index, before)| self.stays_within_bounds(*index, before, bounds));
            if stays_within_bounds {
                return true;
            }
            if around.iter().filter(|&&other| self.improve(other)).count() == 0 {
                return false;
            }
        }
        false
    }

    /// Badness of the worst tetrahedron at a point: the cosine of its smallest angle or negative
    /// cosine of its largest; above 1 if inverted.
    fn badness(&self, point: u32) -> f64 {
        let worst = |worst: f64, &index: &u32| worst.max(badness(&self.corners(index), self.edge));
        self.star(point).iter().fold(-1.0, worst)
    }

    /// Moves a point to improve its worst tetrahedron by pattern search; returns whether it moved.
    pub(super) fn improve(&mut self, point: u32) -> bool {
        let constraint = self.constraint[point as usize];
        if constraint == PointConstraint::Fixed {
            return false;
        }
        let mut worst = self.badness(point);
        let mut has_moved = false;
        let normal = if constraint == PointConstraint::Surface {
            self.domain.normal(&self.positions[point as usize])
        } else {
            None
        };
        if constraint == PointConstraint::Surface && normal.is_none() {
            return false;
        }
        for step_length in [0.16, 0.08, 0.04, 0.02, 0.01] {
            let here = self.positions[point as usize];
            let mut best: Option<(f64, Vec3)> = None;
            for direction in SEARCH_DIRECTIONS {
                let direction = Vec3::from(direction) * (step_length * self.edge);
                let target = here + normal.map_or(direction, |normal| direction - normal * direction.dot(&normal));
                self.positions[point as usize] = target;
                let tried = self.badness(point);
                if tried < best.map_or(worst, |(best, _)| best) - 1e-4 {
                    best = Some((tried, target));
                }
            }
            // Projection takes many queries: only for the best tangential position.
            if let (Some((_, tangential)), Some(normal)) = (best, normal) {
                best = project(self.domain, &tangential, &normal, 0.5 * step_length * self.edge).and_then(|target| {
                    self.positions[point as usize] = target;
                    let tried = self.badness(point);
                    (tried < worst - 1e-4).then_some((tried, target))
                });
            }
            self.positions[point as usize] = here;
            if let Some((found, target)) = best {
                self.positions[point as usize] = target;
                worst = found;
                has_moved = true;
            }
        }
        has_moved
    }
}

/// Search directions: toward the faces and corners of a cube.
const SEARCH_DIRECTIONS: [[f64; 3]; 14] = [
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
    let cosines = DihedralCosines::of(corners);
    if cosines.of_smallest < 1.0 {
        // 165° weighs as much as 10°.
        return cosines.of_smallest.max(-1.02 * cosines.of_largest);
    }
    let volume = craze_math::tetrahedron::volume(corners) / edge.powi(3);
    if volume.is_finite() { 1.1 - volume } else { f64::INFINITY }
}

/// The surface point on the line through `point` along `direction`, within `reach` (m) on both
/// sides; none if both ends have the same sign.
pub(crate) fn project(domain: &dyn Domain, point: &Vec3, direction: &Vec3, reach: f64) -> Option<Vec3> {
    let ends = [point - direction * reach, point + direction * reach];
    let inside = ends.map(|end| domain.contains(&end));
    (inside[0] != inside[1]).then(|| ends[0] + (ends[1] - ends[0]) * root(domain, &ends, inside[0]))
}
