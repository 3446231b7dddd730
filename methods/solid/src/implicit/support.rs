//! Equilibrium of pieces that nothing holds.
//!
//! Such a piece is in equilibrium only if the loads on it balance each other. A piece that broke off
//! under loads that do not would fly away; it relaxes where it is instead, without loads. Supports
//! that allow every deformation keep either from drifting.

use crate::model::Solid;
use craze_body::pieces::labels;
use craze_math::Vec3;
use craze_solve::Constraints;

/// Net force and moment, relative to the sum of the magnitudes of the forces, up to which loads
/// balance each other.
const UNBALANCED_SHARE: f64 = 1e-3;

/// Loads on a piece that nothing holds.
#[derive(Clone, Default)]
struct Piece {
    nodes: Vec<u32>,
    is_held: bool,
}

impl Solid {
    /// Adds supports to pieces of which no node has a prescribed position, and removes loads (N)
    /// that cannot be in balance. The unbroken body keeps its loads: that they have no equilibrium
    /// is a mistake of the scene.
    pub(super) fn support_free_pieces(&self, constraints: &mut Constraints, loads: &mut [Vec3]) {
        for piece in self.pieces_by_nodes().iter().filter(|piece| !piece.is_held) {
            if !self.is_balanced(&piece.nodes, loads) {
                if self.counts.splits == 0 {
                    continue;
                }
                piece.nodes.iter().for_each(|&node| loads[node as usize] = Vec3::zeros());
            }
            self.support(&piece.nodes, constraints);
        }
    }

    fn pieces_by_nodes(&self) -> Vec<Piece> {
        let labels = labels(&self.mesh);
        let mut pieces = vec![Piece::default(); labels.iter().max().map_or(0, |&last| last as usize + 1)];
        for node in self.mesh.point_ids() {
            let Some(element) = self.mesh.elements_of(node).next() else { continue };
            let piece = &mut pieces[labels[element.index()] as usize];
            piece.is_held |= self.constraints.is_placed(node.index());
            piece.nodes.push(node.0);
        }
        pieces.retain(|piece| !piece.nodes.is_empty());
        pieces
    }

    fn is_balanced(&self, nodes: &[u32], loads: &[Vec3]) -> bool {
        let position = |node: &u32| self.state[*node as usize].position();
        let center = nodes.iter().map(position).sum::<Vec3>() / nodes.len() as f64;
        let (mut force, mut moment, mut all, mut size) = (Vec3::zeros(), Vec3::zeros(), 0.0, 0.0f64);
        for node in nodes {
            let (load, arm) = (loads[*node as usize], position(node) - center);
            force += load;
            moment += arm.cross(&load);
            all += load.norm();
            size = size.max(arm.norm());
        }
        force.norm() <= UNBALANCED_SHARE * all && moment.norm() <= UNBALANCED_SHARE * all * size
    }

    /// Removes the six rigid motions: one node is fixed, a distant one moves along the line between
    /// them, and one off this line in the plane of the three.
    fn support(&self, nodes: &[u32], constraints: &mut Constraints) {
        let position = |node: u32| self.state[node as usize].position();
        let farthest = |distance: &dyn Fn(&Vec3) -> f64| {
            let far = |one: &&u32, other: &&u32| distance(&position(**one)).total_cmp(&distance(&position(**other)));
            nodes.iter().max_by(far).copied()
        };
        let Some(&first) = nodes.first() else { return };
        let origin = position(first);
        let Some(second) = farthest(&|place| (place - origin).norm()) else { return };
        let line = (position(second) - origin).normalize();
        let Some(third) = farthest(&|place| (place - origin).cross(&line).norm()) else { return };
        constraints.fix(first as usize);
        constraints.restrict_to_line(second as usize, line);
        constraints.restrict_to_plane(third as usize, line.cross(&(position(third) - origin)));
    }
}
