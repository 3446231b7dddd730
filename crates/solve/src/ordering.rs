//! Fill-reducing node order by nested dissection (George 1973).
//!
//! A set of nodes is split by a small separator, which is numbered last; both sides are split
//! again. The difference of graph distances to two pivots is a coordinate along the line between
//! them, and its median bisects the set. All pairs of a few distant pivots are tried; the smallest
//! separator is refined. The order depends on the pattern only.

use crate::pattern::Pattern;
use crate::tuning::{MAX_DISSECTION_LEAF, PIVOTS, SEPARATOR_REFINEMENTS};

/// The part of the current set that a node is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Outside,
    First,
    Second,
    Separator,
}

struct Dissection<'a> {
    pattern: &'a Pattern,
    side: Vec<Side>,
    /// Graph distance of each node to each pivot.
    distances: [Vec<i32>; PIVOTS],
    /// Smallest distance to a pivot so far.
    nearest: Vec<i32>,
    queue: Vec<u32>,
    best: Vec<Side>,
    coordinates: Vec<i32>,
}

const UNREACHED: i32 = -1;

pub(crate) fn nested_dissection(pattern: &Pattern) -> Vec<u32> {
    let nodes = pattern.nodes();
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    let mut dissection = Dissection {
        pattern,
        side: vec![Side::Outside; nodes],
        distances: std::array::from_fn(|_| vec![UNREACHED; nodes]),
        nearest: vec![0; nodes],
        queue: Vec::with_capacity(nodes),
        best: Vec::with_capacity(nodes),
        coordinates: Vec::with_capacity(nodes),
    };
    let mut sets = Vec::new();
    sets.push(0..nodes);
    while let Some(range) = sets.pop() {
        let set = &mut order[range.clone()];
        if set.len() <= MAX_DISSECTION_LEAF {
            set.sort_unstable_by_key(|&node| (pattern.row_columns(node as usize).len(), node));
        } else if let Some((first, second)) = dissection.split(set) {
            sets.push(range.start..range.start + first);
            sets.push(range.start + first..range.start + first + second);
        }
    }
    order
}

impl Dissection<'_> {
    /// Sorts the set into first side, second side and separator, and returns the sizes of the
    /// sides; `None` if it is too dense to split.
    fn split(&mut self, set: &mut [u32]) -> Option<(usize, usize)> {
        for &node in set.iter() {
            self.side[node as usize] = Side::Second;
        }
        self.search(set, 0, set[0]);
        let found = if self.queue.len() < set.len() {
            // Disconnected: the reached component and the rest need no separator.
            for &node in &self.queue {
                self.side[node as usize] = Side::First;
            }
            Some(())
        } else {
            self.bisect(set)
        };
        let rank = |side: Side| match side {
            Side::First => 0,
            Side::Second => 1,
            Side::Separator | Side::Outside => 2,
        };
        set.sort_unstable_by_key(|&node| (rank(self.side[node as usize]), node));
        let count = |wanted| set.iter().filter(|&&node| self.side[node as usize] == wanted).count();
        let sizes = (count(Side::First), count(Side::Second));
        for &node in set.iter() {
            self.side[node as usize] = Side::Outside;
        }
        found.filter(|()| sizes.0 > 0 && sizes.1 > 0).map(|()| sizes)
    }

    /// Breadth-first search through the set: distances to one pivot, and the queue in their order.
    fn search(&mut self, set: &[u32], pivot: usize, start: u32) {
        let distances = &mut self.distances[pivot];
        for &node in set {
            distances[node as usize] = UNREACHED;
        }
        self.queue.clear();
        self.queue.push(start);
        distances[start as usize] = 0;
        let mut next = 0;
        while next < self.queue.len() {
            let node = self.queue[next];
            next += 1;
            let distance = distances[node as usize] + 1;
            for &other in self.pattern.row_columns(node as usize) {
                if self.side[other as usize] != Side::Outside && distances[other as usize] == UNREACHED {
                    distances[other as usize] = distance;
                    self.queue.push(other);
                }
            }
        }
    }

    /// Bisects a connected set. `None` if no pair of pivots gives two sides.
    fn bisect(&mut self, set: &[u32]) -> Option<()> {
        // Farthest-point sampling: each pivot is farthest from those before it.
        let mut start = *self.queue.last()?;
        for &node in set {
            self.nearest[node as usize] = i32::MAX;
        }
        for pivot in 0..PIVOTS {
            self.search(set, pivot, start);
            for &node in set {
                let distance = self.distances[pivot][node as usize];
                self.nearest[node as usize] = self.nearest[node as usize].min(distance);
            }
            start = *set.iter().max_by_key(|&&node| (self.nearest[node as usize], node))?;
        }
        let mut best = f64::INFINITY;
        for a in 0..PIVOTS {
            for b in 0..a {
                if let Some(cost) = self.separate(set, a, b).filter(|&cost| cost < best) {
                    best = cost;
                    self.best.clear();
                    self.best.extend(set.iter().map(|&node| self.side[node as usize]));
                }
            }
        }
        if best == f64::INFINITY {
            return None;
        }
        for (&node, &side) in set.iter().zip(&self.best) {
            self.side[node as usize] = side;
        }
        for _ in 0..SEPARATOR_REFINEMENTS {
            self.refine_separator(set);
        }
        Some(())
    }

    /// Separates the set across the line between two pivots; returns the cost, or `None` if a side
    /// is empty.
    fn separate(&mut self, set: &[u32], a: usize, b: usize) -> Option<f64> {
        let coordinate =
            |distances: &[Vec<i32>; PIVOTS], node: u32| distances[a][node as usize] - distances[b][node as usize];
        self.coordinates.clear();
        self.coordinates.extend(set.iter().map(|&node| coordinate(&self.distances, node)));
        let middle = set.len() / 2;
        let (_, &mut median, _) = self.coordinates.select_nth_unstable(middle);
        // The bound at the median or the next one, whichever divides more evenly.
        let below = self.coordinates.iter().filter(|&&value| value < median).count();
        let upto = self.coordinates.iter().filter(|&&value| value <= median).count();
        let bound = if middle - below <= upto - middle { median } else { median + 1 };
        for &node in set {
            let first = coordinate(&self.distances, node) < bound;
            self.side[node as usize] = if first { Side::First } else { Side::Second };
        }
        // The boundary of the larger side becomes the separator, which balances the sides.
        let firsts = set.iter().filter(|&&node| self.side[node as usize] == Side::First).count();
        let (from, other) =
            if 2 * firsts > set.len() { (Side::First, Side::Second) } else { (Side::Second, Side::First) };
        let mut separator_size = 0;
        for &node in set {
            let columns = self.pattern.row_columns(node as usize);
            if self.side[node as usize] == from && columns.iter().any(|&next| self.side[next as usize] == other) {
                self.side[node as usize] = Side::Separator;
                separator_size += 1;
            }
        }
        let mut sizes = [firsts, set.len() - firsts];
        sizes[usize::from(from == Side::Second)] -= separator_size;
        let imbalance = sizes[0].max(sizes[1]) as f64 / set.len() as f64 - 0.5;
        let cost = separator_size as f64 * (1.0 + 16.0 * imbalance * imbalance);
        (sizes[0] > 0 && sizes[1] > 0).then_some(cost)
    }

    /// Moves nodes out of the separator where that shrinks it, or keeps its size and balances the
    /// sides.
    fn refine_separator(&mut self, set: &[u32]) {
        let count = |side| set.iter().filter(|&&node| self.side[node as usize] == side).count();
        let mut sizes = [count(Side::First), count(Side::Second)];
        for &node in set {
            if self.side[node as usize] != Side::Separator {
                continue;
            }
            let mut neighbours = [0, 0];
            let mut last = [node, node];
            for &other in self.pattern.row_columns(node as usize) {
                match self.side[other as usize] {
                    Side::First => (neighbours[0], last[0]) = (neighbours[0] + 1, other),
                    Side::Second => (neighbours[1], last[1]) = (neighbours[1] + 1, other),
                    Side::Separator | Side::Outside => {}
                }
            }
            // A node that joins one side draws its neighbours on the other side into the separator.
            let smaller_side = usize::from(sizes[0] > sizes[1]);
            for to in [smaller_side, 1 - smaller_side] {
                let from = 1 - to;
                let shrinks = neighbours[from] == 0;
                let balances = neighbours[from] == 1 && sizes[to] + 1 < sizes[from];
                if shrinks || balances {
                    self.side[node as usize] = [Side::First, Side::Second][to];
                    sizes[to] += 1;
                    if balances {
                        self.side[last[from] as usize] = Side::Separator;
                        sizes[from] -= 1;
                    }
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::box_mesh;

    fn is_permutation(order: &[u32], nodes: usize) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..nodes as u32)
    }

    #[test]
    fn every_node_occurs_once_whatever_the_graph() {
        let (nodes, elements) = box_mesh(6);
        let path: Vec<[u32; 2]> = (0..999).map(|i| [i, i + 1]).collect();
        let star: Vec<[u32; 2]> = (1..500).map(|i| [0, i]).collect();
        let clique: Vec<[u32; 2]> = (0..60).flat_map(|i| (0..i).map(move |j| [i, j])).collect();
        let islands: Vec<[u32; 2]> = (0..400).step_by(2).map(|i| [i, i + 1]).collect();
        for pattern in [
            Pattern::from_elements(nodes.len(), &elements),
            Pattern::from_elements(1000, &path),
            Pattern::from_elements(500, &star),
            Pattern::from_elements(60, &clique),
            Pattern::from_elements(401, &islands),
            Pattern::from_elements::<2>(100, &[]),
            Pattern::from_elements::<2>(0, &[]),
        ] {
            let pattern = pattern.expect("valid");
            assert!(is_permutation(&nested_dissection(&pattern), pattern.nodes()));
        }
    }

    #[test]
    fn the_last_nodes_of_a_box_separate_it() {
        let (nodes, elements) = box_mesh(10);
        let pattern = Pattern::from_elements(nodes.len(), &elements).expect("valid");
        let order = nested_dissection(&pattern);
        // Without the separator at the end (about one layer of 121 nodes), components have at most
        // 70 % of the nodes.
        let kept = nodes.len() - 180;
        let mut component = vec![usize::MAX; nodes.len()];
        let mut largest = 0;
        for &start in &order[..kept] {
            if component[start as usize] != usize::MAX {
                continue;
            }
            let mut stack = vec![start];
            component[start as usize] = start as usize;
            let mut size = 0;
            while let Some(node) = stack.pop() {
                size += 1;
                for &other in pattern.row_columns(node as usize) {
                    if component[other as usize] == usize::MAX && order[..kept].contains(&other) {
                        component[other as usize] = start as usize;
                        stack.push(other);
                    }
                }
            }
            largest = largest.max(size);
        }
        assert!(largest * 10 < nodes.len() * 7, "{largest} of {}", nodes.len());
    }
}
