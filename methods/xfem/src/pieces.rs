//! Pieces of a body: matter that shares degrees of freedom.

use crate::bridge::Bridge;
use crate::enrichment::Enrichment;
use crate::model::Xfem;
use crate::parts::Part;
use craze_body::{Lineage, lineage};
use craze_math::DisjointSets;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The piece of every degree of freedom, and their history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct DofPieces {
    /// All pieces that ever were.
    pub lineage: Lineage,
    of_dof: Vec<u32>,
}

/// The connected component of every degree of freedom, counted from 0, and their number.
fn components(enrichment: &Enrichment, bridges: &[Bridge]) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(enrichment.node_of.len());
    for part in &enrichment.parts {
        part.dofs[1..].iter().for_each(|&dof| sets.join(part.dofs[0], dof));
    }
    for Bridge { parts: [one, other], .. } in bridges {
        sets.join(enrichment.parts[*one as usize].dofs[0], enrichment.parts[*other as usize].dofs[0]);
    }
    sets.numbered()
}

impl DofPieces {
    /// The pieces of a body at rest.
    pub fn first(body: &Xfem) -> DofPieces {
        let (of_dof, count) = components(&body.enrichment, &body.bridges);
        DofPieces { lineage: Lineage::new(count), of_dof }
    }

    /// True if there is a piece with a history for each of so many degrees of freedom. What comes
    /// from a file may be anything.
    pub fn is_sound(&self, dofs: usize) -> bool {
        let count = self.lineage.len() as u32;
        self.of_dof.len() == dofs && self.lineage.is_sound() && self.of_dof.iter().all(|&piece| piece < count)
    }

    /// The piece of every degree of freedom.
    pub fn numbers(&self) -> &[u32] {
        &self.of_dof
    }

    /// The piece of a part.
    pub fn of(&self, part: &Part) -> u32 {
        self.of_dof[part.dofs[0] as usize]
    }

    /// Adds a degree of freedom of the same piece as another.
    pub fn add(&mut self, source: u32) {
        self.of_dof.push(self.of_dof[source as usize]);
    }

    /// Gives numbers to what has separated: the largest part of a piece keeps its number.
    pub fn separate(&mut self, enrichment: &Enrichment, bridges: &[Bridge], volume: impl Fn(&Part) -> f64) {
        let (found, count) = components(enrichment, bridges);
        let mut volumes = vec![0.0; count];
        for part in &enrichment.parts {
            volumes[found[part.dofs[0] as usize] as usize] += volume(part);
        }
        // Components of each piece, in the order of their first degree of freedom.
        let mut of_piece: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&piece, &component) in self.of_dof.iter().zip(&found) {
            let components = of_piece.entry(piece).or_default();
            if !components.contains(&component) {
                components.push(component);
            }
        }
        let mut numbers = vec![0; count];
        for (piece, components) in of_piece {
            let first = lineage::largest(components.iter().map(|&component| volumes[component as usize]));
            for (index, component) in components.into_iter().enumerate() {
                numbers[component as usize] = if index == first { piece } else { self.lineage.branch(piece) };
            }
        }
        for (piece, component) in self.of_dof.iter_mut().zip(found) {
            *piece = numbers[component as usize];
        }
    }

    /// The pieces that there are, ascending.
    pub fn present(&self) -> Vec<u32> {
        let mut present = self.of_dof.clone();
        present.sort_unstable();
        present.dedup();
        present
    }
}
