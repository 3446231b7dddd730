//! Fracture in equilibrium: which nodes split before the next balance.
//!
//! A split unloads its surroundings and loads what lies ahead, so only one node of each crack front
//! splits before forces are in balance again. Where nothing has broken yet, the strongest node of
//! the body alone starts a crack.

use crate::model::Solid;
use craze_frame::names;
use craze_mesh::NodeId;
use rayon::prelude::*;

/// Nodes per parallel chunk.
const NODES_PER_CHUNK: usize = 64;

impl Solid {
    /// The largest failure ratio of all nodes in the state, those that could not be split left out.
    pub(crate) fn largest_failure_ratio(&mut self) -> f64 {
        if let Some((_, failure)) = self.failing_nodes().first() {
            return failure.ratio;
        }
        if self.critical_stress == f64::INFINITY {
            return 0.0;
        }
        let ratio = |node: u32| {
            let is_candidate = !self.refused[node as usize] && self.critical_forces[node as usize].is_finite();
            let failure = if is_candidate { self.failure_state(NodeId(node)) } else { None };
            failure.map_or(0.0, |failure| failure.ratio)
        };
        let nodes = (0..self.state.len() as u32).into_par_iter().with_min_len(NODES_PER_CHUNK);
        // A maximum has the same bits in any order.
        nodes.map(ratio).reduce(|| 0.0, f64::max)
    }

    /// Splits the strongest failing node of each crack front, at most as many as a step may split;
    /// returns their number.
    pub(crate) fn split_strongest_of_fronts(&mut self) -> u64 {
        let failing: Vec<NodeId> = self.failing_nodes().into_iter().map(|(node, _)| node).collect();
        let budget = self.options.splits_a_step as usize;
        let mut splits = Vec::new();
        for (rank, front) in self.fronts(&failing).iter().enumerate() {
            let may_split = rank == 0 || front.iter().any(|&node| self.is_at_crack(node));
            if may_split && splits.len() < budget {
                // A node that cannot be split gives way to the next.
                front.iter().find_map(|&node| self.split_if_failing(node, &mut splits));
            }
        }
        let count = splits.len() as u64;
        if !splits.is_empty() {
            let changed = self.update_after_edits();
            self.separate_pieces(splits, &changed);
        }
        count
    }

    /// Groups of failing nodes that are connected by edges. The strongest comes first in each, and
    /// the group with the strongest comes first. `failing` begins with the strongest.
    fn fronts(&self, failing: &[NodeId]) -> Vec<Vec<NodeId>> {
        let mut ranks: Vec<(NodeId, usize)> = failing.iter().copied().zip(0..).collect();
        ranks.sort_unstable();
        let rank_of = |node: NodeId| ranks.binary_search_by_key(&node, |entry| entry.0).ok().map(|at| ranks[at].1);
        let mut is_grouped = vec![false; failing.len()];
        let mut groups = Vec::new();
        for first in 0..failing.len() {
            if std::mem::replace(&mut is_grouped[first], true) {
                continue;
            }
            let (mut group, mut next) = (vec![first], 0);
            while next < group.len() {
                let elements = self.mesh.elements_of(failing[group[next]]);
                for rank in elements.flat_map(|element| self.mesh.points_of(element)).filter_map(rank_of) {
                    if !std::mem::replace(&mut is_grouped[rank], true) {
                        group.push(rank);
                    }
                }
                next += 1;
            }
            group.sort_unstable();
            groups.push(group.into_iter().map(|rank| failing[rank]).collect());
        }
        groups
    }

    /// Returns true if a node lies on a crack face.
    fn is_at_crack(&self, node: NodeId) -> bool {
        let Some(marks) = self.mesh.facet_attributes().labels(names::CRACK) else { return false };
        self.mesh.elements_of(node).any(|element| {
            let corners = self.mesh.points_of(element);
            (0..4).any(|corner| corners[corner] != node && marks[4 * element.index() + corner] != 0)
        })
    }
}
