//! Conserved quantities of a body.

use crate::model::Xfem;
use craze_element::Corotation;
use craze_engine::{Account, LARGE_PIECE};
use craze_math::Vec3;

impl Xfem {
    /// Mass, momenta and energies of the state, with the mass matrix of its equations.
    pub(crate) fn ledger(&self, gravity: &Vec3) -> Account {
        let mut account = Account {
            elements: self.mesh.element_count() as u64,
            nodes: self.enrichment.node_of.len() as u64,
            pieces: self.pieces.present().len() as u64,
            work: self.work,
            split_counts: self.counts,
            ..Account::default()
        };
        let mut volumes = vec![0.0; self.pieces.lineage.len()];
        for part in &self.enrichment.parts {
            let element = part.element as usize;
            let (mass, rest) = (self.mass_of_element(part.element), &self.rest[element]);
            let corners = self.corners(part, &self.state.positions);
            let velocities = part.dofs.map(|dof| self.state.velocities[dof as usize]);
            account.mass += mass * part.share;
            account.volume += rest.volume * part.share;
            volumes[self.pieces.of(part) as usize] += rest.volume * part.share;
            for i in 0..4 {
                account.momentum += mass * part.first[i] * velocities[i];
                account.potential -= mass * part.first[i] * gravity.dot(&corners[i]);
                for j in 0..4 {
                    let share = mass * self.mass_share(part, i, j);
                    account.angular_momentum += share * corners[i].cross(&velocities[j]);
                    account.kinetic += 0.5 * share * velocities[i].dot(&velocities[j]);
                }
            }
            if part.is_stiff {
                let strain = Corotation::of(&rest.deformation(&corners)).strain;
                let law = &self.laws[self.material_of[element] as usize];
                account.elastic += rest.volume * part.share * law.energy_density(&strain);
            }
        }
        let floor = LARGE_PIECE * account.volume;
        account.large_pieces = volumes.iter().filter(|&&volume| volume > floor).count() as u64;
        for bridge in &self.bridges {
            account.elastic += bridge.energy(&bridge.corners(self, &self.state.positions));
        }
        account
    }
}
