//! Memberships: the clusters of every particle, with weights, and the members of every cluster.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Membership of a particle in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    pub cluster: u32,
    /// w (1): Jones et al. 2016 (7). A particle's weights sum to one.
    pub weight: f64,
}

/// The clusters of every particle and the members of every cluster.
///
/// Shares are in one list, ordered by particle, which the hot passes stream. A duplicated particle
/// has its shares at the end of the list; the gap that it leaves is closed by the next
/// [`tidy`](Memberships::tidy).
#[derive(Clone, Debug, Default)]
pub(crate) struct Memberships {
    shares: Vec<Share>,
    /// Start and number of each particle's shares.
    ranges: Vec<[u32; 2]>,
    /// Members of each cluster, ascending.
    members: Vec<Vec<u32>>,
}

impl Memberships {
    /// Builds the lists from the shares of every particle.
    pub(crate) fn new(of_particles: impl IntoIterator<Item = Vec<Share>>, clusters: usize) -> Memberships {
        let mut all = Memberships { members: vec![Vec::new(); clusters], ..Memberships::default() };
        for shares in of_particles {
            all.add_particle(shares);
        }
        all
    }

    /// Number of clusters.
    pub(crate) fn clusters(&self) -> usize {
        self.members.len()
    }

    /// Number of memberships.
    pub(crate) fn count(&self) -> usize {
        self.ranges.iter().map(|range| range[1] as usize).sum()
    }

    /// The clusters of a particle.
    #[inline(always)]
    pub(crate) fn of(&self, particle: usize) -> &[Share] {
        let [start, count] = self.ranges[particle];
        &self.shares[start as usize..(start + count) as usize]
    }

    /// All shares, and the range of each particle, for the hot passes.
    #[inline(always)]
    pub(crate) fn stream(&self, particles: Range<usize>) -> (&[Share], &[[u32; 2]]) {
        (&self.shares, &self.ranges[particles])
    }

    /// The members of a cluster, ascending.
    pub(crate) fn members(&self, cluster: usize) -> &[u32] {
        &self.members[cluster]
    }

    /// Weight of a particle in a cluster; 0 if it is no member.
    pub(crate) fn weight(&self, particle: u32, cluster: u32) -> f64 {
        let share = self.of(particle as usize).iter().find(|share| share.cluster == cluster);
        share.map_or(0.0, |share| share.weight)
    }

    /// Adds a particle.
    pub(crate) fn add_particle(&mut self, shares: Vec<Share>) {
        let particle = self.ranges.len() as u32;
        for share in &shares {
            self.members[share.cluster as usize].push(particle);
        }
        self.ranges.push([self.shares.len() as u32, shares.len() as u32]);
        self.shares.extend(shares);
    }

    /// Adds a cluster, which takes over some of the members of another with their weights.
    pub(crate) fn divide_cluster(&mut self, cluster: u32, leaves: impl Fn(u32) -> bool) -> u32 {
        let new = self.members.len() as u32;
        let (gone, kept): (Vec<u32>, Vec<u32>) =
            self.members[cluster as usize].iter().copied().partition(|&member| leaves(member));
        for &member in &gone {
            for share in self.of_mut(member as usize).iter_mut().filter(|share| share.cluster == cluster) {
                share.cluster = new;
            }
        }
        self.members[cluster as usize] = kept;
        self.members.push(gone);
        new
    }

    /// Divides the clusters of a particle between itself and a new particle, which gets those for
    /// which `leaves` is true; weights of both sum to one afterwards. Each must keep at least one.
    pub(crate) fn split_particle(&mut self, particle: u32, leaves: impl Fn(u32) -> bool) -> u32 {
        let new = self.ranges.len() as u32;
        let (gone, kept): (Vec<Share>, Vec<Share>) =
            self.of(particle as usize).iter().copied().partition(|share| leaves(share.cluster));
        for share in &gone {
            let members = &mut self.members[share.cluster as usize];
            if let Ok(place) = members.binary_search(&particle) {
                members.remove(place);
            }
        }
        self.put(particle, kept);
        let mut gone = gone;
        normalise(&mut gone);
        self.add_particle(gone);
        new
    }

    /// Removes all members of a cluster. Their other weights sum to one afterwards; those without
    /// any are returned.
    pub(crate) fn empty_cluster(&mut self, cluster: u32) -> Vec<u32> {
        let members = std::mem::take(&mut self.members[cluster as usize]);
        let mut orphans = Vec::new();
        for member in members {
            let kept: Vec<Share> =
                self.of(member as usize).iter().copied().filter(|share| share.cluster != cluster).collect();
            if kept.is_empty() {
                orphans.push(member);
            }
            self.put(member, kept);
        }
        orphans
    }

    /// Replaces the shares of a particle by no more than it had; their weights sum to one
    /// afterwards.
    fn put(&mut self, particle: u32, mut shares: Vec<Share>) {
        normalise(&mut shares);
        let [start, _] = self.ranges[particle as usize];
        self.shares[start as usize..start as usize + shares.len()].copy_from_slice(&shares);
        self.ranges[particle as usize][1] = shares.len() as u32;
    }

    fn of_mut(&mut self, particle: usize) -> &mut [Share] {
        let [start, count] = self.ranges[particle];
        &mut self.shares[start as usize..(start + count) as usize]
    }

    /// Renumbers particles and clusters: each list has the new number, or `None` for those removed.
    /// The order is kept.
    pub(crate) fn renumber(&mut self, particles: &[Option<u32>], clusters: &[Option<u32>]) {
        let mut keep = particles.iter();
        self.ranges.retain(|_| keep.next().is_some_and(|number| number.is_some()));
        let mut keep = clusters.iter();
        self.members.retain(|_| keep.next().is_some_and(|number| number.is_some()));
        for share in &mut self.shares {
            share.cluster = clusters.get(share.cluster as usize).copied().flatten().unwrap_or(0);
        }
        for members in &mut self.members {
            *members = members.iter().filter_map(|&member| particles[member as usize]).collect();
        }
    }

    /// Closes the gaps that duplicated particles have left.
    pub(crate) fn tidy(&mut self) {
        let count = self.count();
        if count == self.shares.len() {
            return;
        }
        let mut shares = Vec::with_capacity(count);
        for range in &mut self.ranges {
            let [start, count] = *range;
            range[0] = shares.len() as u32;
            shares.extend_from_slice(&self.shares[start as usize..(start + count) as usize]);
        }
        self.shares = shares;
    }
}

/// Normalises weights to a sum of one.
fn normalise(shares: &mut [Share]) {
    let total: f64 = shares.iter().map(|share| share.weight).sum();
    shares.iter_mut().for_each(|share| share.weight /= total);
}
