//! Union-find.

/// Disjoint sets of the members 0..n (Tarjan 1975, with path halving). The root of a set is its
/// smallest member, independent of the order of joins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// `count` sets of one member each.
    pub fn new(count: usize) -> DisjointSets {
        DisjointSets { parent: (0..count as u32).collect() }
    }

    /// The smallest member of a member's set.
    #[inline]
    pub fn root(&self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            member = self.parent[member as usize];
        }
        member
    }

    /// Joins the sets of two members.
    #[inline]
    pub fn join(&mut self, one: u32, other: u32) {
        let [one, other] = [one, other].map(|member| self.halve(member));
        self.parent[one.max(other) as usize] = one.min(other);
    }

    /// Makes every path to a root one step long, before many calls of [`root`](DisjointSets::root).
    pub fn flatten(&mut self) {
        for member in 0..self.parent.len() {
            // A parent is smaller than its children, so its own path is flat already.
            self.parent[member] = self.parent[self.parent[member] as usize];
        }
    }

    /// The number of each member's set, counted from 0 in the order of roots, and the number of
    /// sets.
    pub fn numbered(&self) -> (Vec<u32>, usize) {
        let mut numbers = vec![0; self.parent.len()];
        let mut count = 0;
        for (member, &parent) in self.parent.iter().enumerate() {
            numbers[member] = if parent as usize == member {
                count += 1;
                count - 1
            } else {
                numbers[parent as usize]
            };
        }
        (numbers, count as usize)
    }

    /// The root of a member's set; every second member of the path is linked to its grandparent.
    fn halve(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let parent = self.parent[member as usize];
            self.parent[member as usize] = self.parent[parent as usize];
            member = parent;
        }
        member
    }
}

#[cfg(test)]
mod tests {
    use super::DisjointSets;
    use crate::Random;

    #[test]
    fn sets_are_those_of_a_flood_fill() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let count = 1 + random.below(60);
            let pairs: Vec<[u32; 2]> =
                (0..random.below(count + 1)).map(|_| [(); 2].map(|()| random.below(count) as u32)).collect();
            let mut sets = DisjointSets::new(count);
            for &[one, other] in &pairs {
                sets.join(one, other);
                assert_eq!(sets.root(one), sets.root(other));
            }
            let mut roots: Vec<u32> = (0..count as u32).collect();
            // Relaxation until nothing changes: the smallest member reaches all of its set.
            while pairs.iter().fold(false, |changed, &[one, other]| {
                let smallest = roots[one as usize].min(roots[other as usize]);
                let before = [roots[one as usize], roots[other as usize]];
                (roots[one as usize], roots[other as usize]) = (smallest, smallest);
                changed | (before != [smallest; 2])
            }) {}
            let mut sorted = roots.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let (numbers, sets_found) = sets.numbered();
            assert_eq!(sets_found, sorted.len());
            for member in 0..count {
                assert_eq!(sorted[numbers[member] as usize], roots[member]);
            }
            sets.flatten();
            assert!((0..count as u32).all(|member| sets.root(member) == roots[member as usize]));
        }
    }
}
