//! The watch over energies: matter does not gain more than is done to it.

use crate::tuning::{NEGLIGIBLE_ENERGY, RUNAWAY_ENERGY_RATIO};
use crate::{Account, World, WorldError};
use serde::{Deserialize, Serialize};

/// The books of every body at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watch {
    start: Vec<Account>,
}

impl Watch {
    pub fn new(world: &World) -> Watch {
        let start = world.bodies.iter().map(|body| body.method.account(&world.settings.gravity));
        Watch { start: start.collect() }
    }

    pub fn same_bodies(&self, other: &Watch) -> bool {
        self.start.len() == other.start.len()
    }

    /// Looks whether any body has gained energy that no work accounts for.
    pub fn look(&self, world: &World) -> Result<(), WorldError> {
        for (index, (body, start)) in world.bodies.iter().zip(&self.start).enumerate() {
            let now = body.method.account(&world.settings.gravity);
            let gained = now.energy() - start.energy() - now.work;
            let in_play = start.kinetic
                + start.elastic
                + now.work.abs()
                + (now.potential - start.potential).abs()
                + NEGLIGIBLE_ENERGY * now.mass;
            // Written so that NaN counts as a runaway.
            if !(gained <= RUNAWAY_ENERGY_RATIO * in_play) {
                let (body, squeezed_by) = (body.name.clone(), world.squeezing(index));
                return Err(WorldError::Runaway { body, time: world.time, gained, squeezed_by });
            }
        }
        Ok(())
    }
}
