//! Ledger of a solid: mass, momenta, energies and counts.

use crate::blocks::{Block, corners_of};
use crate::model::Solid;
use craze_body::RigidMotion;
use craze_body::ledger::add_nodes;
use craze_engine::{Account, LARGE_PIECE};
use craze_math::Vec3;
use rayon::prelude::*;

impl Solid {
    /// True elastic energy of a block in the state (J). Rigid-body mode does not change it.
    fn elastic_energy(&self, block: &Block) -> f64 {
        let (law, guard) = (&self.laws[block.law], &self.guards[block.law]);
        let energy = |element: usize| {
            let rest = self.layout.rest(block, element);
            let places = corners_of(&self.state, &self.mesh.elements()[element]);
            rest.energy(law, guard, &rest.deformation(&places))
        };
        block.elements.clone().map(energy).sum()
    }

    pub(crate) fn ledger(&self, gravity: &Vec3) -> Account {
        let mut account = Account {
            volume: self.mesh.total_measure(),
            work: self.work,
            elements: self.mesh.element_count() as u64,
            nodes: self.mesh.point_count() as u64,
            pieces: self.pieces.present(&self.mesh).0.len() as u64,
            large_pieces: self.pieces.count_above(LARGE_PIECE) as u64,
            split_counts: self.counts,
            ..Account::default()
        };
        // Every block on its own, then in order: the same bits on any threads.
        let energies: Vec<f64> = self.layout.blocks.par_iter().map(|block| self.elastic_energy(block)).collect();
        account.elastic = energies.iter().sum();
        for chunk in &self.layout.chunks {
            let map = self.motions[chunk.island].rigid.as_ref().map(RigidMotion::map);
            add_nodes(&mut account, &self.state[chunk.nodes.clone()], map.as_ref(), gravity);
        }
        account
    }
}
