//! Pieces of a body of clusters: components connected by shared particles.

use crate::model::Clusters;
use craze_body::lineage::largest;
use craze_math::DisjointSets;

/// A split to be reported: the piece that split, and the pieces that it became.
pub(crate) struct SplitReport {
    pub parent: u32,
    pub children: Vec<u32>,
}

impl Clusters {
    /// Number of a particle's piece.
    pub(crate) fn piece_of(&self, particle: usize) -> u32 {
        self.memberships.of(particle).first().map_or(0, |share| self.history[share.cluster as usize].piece)
    }

    /// Numbers of the present pieces, ascending.
    pub(crate) fn present_pieces(&self) -> Vec<u32> {
        let mut present: Vec<u32> = self.history.iter().map(|history| history.piece).collect();
        present.sort_unstable();
        present.dedup();
        present
    }

    /// Number of pieces.
    pub(crate) fn piece_count(&self) -> usize {
        // Every new piece has a new number: without splits there is only the first.
        if self.lineage.len() == 1 { 1 } else { self.present_pieces().len() }
    }

    /// Number of pieces above this share of the mass.
    pub(crate) fn pieces_above(&self, share: f64) -> usize {
        if self.lineage.len() == 1 {
            return 1;
        }
        let mut masses = vec![0.0; self.lineage.len()];
        for (particle, mass) in self.particles.masses.iter().enumerate() {
            masses[self.piece_of(particle) as usize] += mass;
        }
        let floor = share * self.whole.mass();
        masses.iter().filter(|&&mass| mass > floor).count()
    }

    /// For every cluster the lowest cluster of its component.
    pub(crate) fn components(&self) -> Vec<u32> {
        let clusters = self.history.len() as u32;
        let mut sets = DisjointSets::new(clusters as usize);
        for particle in 0..self.count() {
            let shares = self.memberships.of(particle);
            let Some((first, others)) = shares.split_first() else { continue };
            others.iter().for_each(|share| sets.join(first.cluster, share.cluster));
        }
        (0..clusters).map(|cluster| sets.root(cluster)).collect()
    }

    /// Numbers the pieces that splits have separated, and completes the reports. A piece that is
    /// connected keeps its number. Of one that is not, the heaviest part keeps it, and the others
    /// get new numbers with that piece as their parent. `of` are the
    /// [components](Clusters::components).
    pub(crate) fn name_pieces(&mut self, of: &[u32], splits: &mut [SplitReport]) {
        let clusters = of.len();
        let leaders: Vec<u32> = (0..clusters as u32).filter(|&cluster| of[cluster as usize] == cluster).collect();
        // For every piece its parts, by their leaders, and the one that keeps the number.
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); self.lineage.len()];
        for &leader in &leaders {
            parts[self.history[leader as usize].piece as usize].push(leader);
        }
        let masses = if parts.iter().any(|parts| parts.len() > 1) { self.masses_of(of) } else { Vec::new() };
        let mass = |leader: &u32| masses.get(*leader as usize).copied().unwrap_or(0.0);
        let keeps: Vec<Option<u32>> =
            parts.iter().map(|parts| parts.get(largest(parts.iter().map(mass))).copied()).collect();
        let mut number = vec![0; clusters];
        let mut children = vec![Vec::new(); parts.len()];
        for &leader in &leaders {
            let parent = self.history[leader as usize].piece;
            number[leader as usize] = parent;
            if keeps[parent as usize] != Some(leader) {
                number[leader as usize] = self.lineage.branch(parent);
            }
            children[parent as usize].push(number[leader as usize]);
        }
        for (history, leader) in self.history.iter_mut().zip(of) {
            history.piece = number[*leader as usize];
        }
        for children in &mut children {
            children.sort_unstable();
        }
        for split in splits {
            split.children.clone_from(&children[split.parent as usize]);
        }
    }
}

impl Clusters {
    /// Mass (kg) of every component, at its lowest cluster; zero elsewhere.
    fn masses_of(&self, of: &[u32]) -> Vec<f64> {
        let mut masses = vec![0.0; of.len()];
        for particle in 0..self.count() {
            if let Some(share) = self.memberships.of(particle).first() {
                masses[of[share.cluster as usize] as usize] += self.particles.masses[particle];
            }
        }
        masses
    }
}
