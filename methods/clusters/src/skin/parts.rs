//! Cut edges of a surface, and connectivity of the tetrahedra of each piece.

use super::shells::{Stray, stray_shells};
use super::{Cut, Skin};
use crate::model::Clusters;
use crate::tuning::{CLOSED_CRACK_STRETCH, MAX_CONNECTED_STRETCH};
use craze_math::{DisjointSets, Vec3};
use craze_skin::SplitSurface;
use rayon::prelude::*;

/// Smallest distance of a cut from the ends of its edge, as a share of its length (1).
const MIN_END_DISTANCE: f64 = 0.02;

/// Iterations in which parts of a piece that are connected only outside of a source surface go to
/// neighbouring pieces.
const MAX_SHELL_ROUNDS: usize = 8;

impl Clusters {
    /// The particle that each vertex is anchored to, and the separated surface. The tetrahedra of
    /// every piece are connected.
    pub(super) fn parted_skin(&self, skin: &Skin, positions: &[Vec3], pieces: &[u32]) -> (Vec<u32>, SplitSurface) {
        let mut anchors = self.anchors(skin);
        if skin.cuts.is_empty() && self.is_whole {
            return (anchors, skin.part(&[]));
        }
        self.give_to_pieces_without(skin, &mut anchors, pieces);
        let mut parted = skin.part(&self.one_a_piece(skin, &mut anchors, positions, pieces));
        for _ in 0..MAX_SHELL_ROUNDS {
            let strays = stray_shells(skin, &parted, |vertex| pieces[anchors[vertex as usize] as usize]);
            if strays.is_empty() {
                break;
            }
            for Stray { vertices, heir } in strays {
                let heir = anchors[heir as usize];
                vertices.iter().for_each(|&vertex| anchors[vertex as usize] = heir);
            }
            parted = skin.part(&self.one_a_piece(skin, &mut anchors, positions, pieces));
        }
        (anchors, parted)
    }

    /// Cut edges such that the tetrahedra of every piece are connected; anchors change where
    /// necessary.
    fn one_a_piece(&self, skin: &Skin, anchors: &mut [u32], positions: &[Vec3], pieces: &[u32]) -> Vec<Option<f64>> {
        loop {
            let mut parted = self.parted_edges(skin, anchors, positions, pieces);
            let parts = self.join_parts(skin, anchors, &mut parted, positions, pieces);
            // Every iteration leaves fewer parts.
            if !adopt_strays(skin, anchors, &parts, pieces) {
                return parted;
            }
        }
    }

    /// Joins parts of a piece whose particles are connected through copies with other sites:
    /// wherever the crack between them has not opened; if it has opened everywhere, at the edge
    /// that is stretched least. Returns the parts.
    fn join_parts(
        &self,
        skin: &Skin,
        anchors: &[u32],
        parted: &mut [Option<f64>],
        positions: &[Vec3],
        pieces: &[u32],
    ) -> DisjointSets {
        let edges = skin.background.edges();
        let mut parts = DisjointSets::new(anchors.len());
        for (ends, _) in edges.iter().zip(&*parted).filter(|(_, share)| share.is_none()) {
            parts.join(ends[0], ends[1]);
        }
        let spacing = self.particles.spacing;
        let stretch = |ends: &[u32; 2]| {
            let [one, other] = ends.map(|end| anchors[end as usize] as usize);
            let rest = (self.particles.rest[one] - self.particles.rest[other]).norm().max(spacing);
            (positions[one] - positions[other]).norm() / rest
        };
        let piece = |vertex: u32| pieces[anchors[vertex as usize] as usize];
        let mut between: Vec<(f64, usize)> = Vec::new();
        for (index, ends) in edges.iter().enumerate() {
            let is_within = piece(ends[0]) == piece(ends[1]) && parted[index].is_some();
            if is_within && parts.root(ends[0]) != parts.root(ends[1]) {
                between.push((stretch(ends), index));
            }
        }
        between.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (stretch, index) in between {
            let [one, other] = edges[index];
            if stretch <= CLOSED_CRACK_STRETCH || parts.root(one) != parts.root(other) {
                parts.join(one, other);
                parted[index] = None;
            }
        }
        parts
    }

    /// Positions of cuts on edges, from their lower vertex (1).
    fn parted_edges(&self, skin: &Skin, anchors: &[u32], positions: &[Vec3], pieces: &[u32]) -> Vec<Option<f64>> {
        let spacing = self.particles.spacing;
        let part = |ends: &[u32; 2]| {
            let [one, other] = ends.map(|end| anchors[end as usize]);
            let is_drawn_out = self.is_drawn_out(one, other, positions);
            if !is_drawn_out && self.hang_together(one, other) {
                return None;
            }
            let [low, high] = ends.map(|end| skin.background.positions()[end as usize] - self.particles.centre);
            let middle = 0.5 * (low + high);
            let is_cut = || {
                let passes = |cut: &Cut| cut.plane.height(&middle).abs() < spacing && cut.reaches(&middle, spacing);
                skin.cuts.iter().any(passes)
            };
            if !is_drawn_out && pieces[one as usize] == pieces[other as usize] && !is_cut() {
                return None;
            }
            let shares = skin.cuts.iter().filter_map(|cut| cut.between([&low, &high], spacing));
            let share = shares.min_by(|one, other| (one - 0.5).abs().total_cmp(&(other - 0.5).abs())).unwrap_or(0.5);
            Some(share.clamp(MIN_END_DISTANCE, 1.0 - MIN_END_DISTANCE))
        };
        skin.background.edges().par_iter().map(part).collect()
    }

    /// Returns true if two particles have a cluster in common.
    pub(super) fn hang_together(&self, one: u32, other: u32) -> bool {
        let others = self.memberships.of(other as usize);
        let is_common = |cluster: u32| others.iter().any(|share| share.cluster == cluster);
        one == other || self.memberships.of(one as usize).iter().any(|share| is_common(share.cluster))
    }

    /// Returns true if two particles are so far apart, relative to rest and plastic flow, that the
    /// edge between them is cut: a cluster spans empty space.
    pub(super) fn is_drawn_out(&self, one: u32, other: u32, positions: &[Vec3]) -> bool {
        let [one, other] = [one, other].map(|particle| particle as usize);
        let flown = |particle: usize| {
            let shares = self.memberships.of(particle).iter();
            let stretch = |cluster: u32| self.history[cluster as usize].plastic.norm_squared() / 3.0;
            shares.map(|share| share.weight * stretch(share.cluster)).sum::<f64>().max(1.0)
        };
        let rest = (self.particles.rest[one] - self.particles.rest[other]).norm_squared();
        let now = (positions[one] - positions[other]).norm_squared();
        let square =
            MAX_CONNECTED_STRETCH * MAX_CONNECTED_STRETCH * rest.max(self.particles.spacing * self.particles.spacing);
        now > square && now > square * flown(one).max(flown(other))
    }
}

/// Gives parts of a piece that are not connected with its largest part to a neighbouring piece;
/// returns true if there were any.
fn adopt_strays(skin: &Skin, anchors: &mut [u32], parts: &DisjointSets, pieces: &[u32]) -> bool {
    let edges = skin.background.edges();
    let firsts: Vec<u32> = (0..anchors.len() as u32).map(|vertex| parts.root(vertex)).collect();
    let mut sizes = vec![0usize; anchors.len()];
    // Vertices inside the body count more than all others.
    let size = |vertex: u32| if skin.is_inside(vertex) { anchors.len() } else { 1 };
    (0u32..).zip(&firsts).for_each(|(vertex, &first)| sizes[first as usize] += size(vertex));
    let piece = |vertex: u32| pieces[anchors[vertex as usize] as usize] as usize;
    let mut largest = vec![(0usize, u32::MAX); pieces.iter().max().map_or(0, |last| *last as usize + 1)];
    for first in (0..anchors.len() as u32).filter(|&first| firsts[first as usize] == first) {
        let own = &mut largest[piece(first)];
        if sizes[first as usize] > own.0 {
            *own = (sizes[first as usize], first);
        }
    }
    let is_stray = |first: u32| largest[piece(first)].1 != first;
    // Of the neighbours the one in the largest part; of several the first.
    let mut heirs = vec![(0usize, u32::MAX); anchors.len()];
    for &[one, other] in edges {
        for [from, to] in [[one, other], [other, one]] {
            let (stray, host) = (firsts[from as usize], firsts[to as usize]);
            if stray != host && is_stray(stray) && !is_stray(host) && sizes[host as usize] > heirs[stray as usize].0 {
                heirs[stray as usize] = (sizes[host as usize], to);
            }
        }
    }
    let heir = |first: &u32| (heirs[*first as usize].1 != u32::MAX).then(|| anchors[heirs[*first as usize].1 as usize]);
    let adopted: Vec<Option<u32>> = firsts.iter().map(heir).collect();
    for (anchor, adopted) in anchors.iter_mut().zip(&adopted) {
        *anchor = adopted.unwrap_or(*anchor);
    }
    adopted.iter().any(Option::is_some)
}
