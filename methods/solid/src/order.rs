//! Bringing memory into order after cracks: at once as far as a step needs it, and wholly at the next frame boundary.

use crate::blocks::{Layout, order_for_speed};
use crate::flight::Flight;
use crate::forces::Forces;
use crate::integrate::ChunkReport;
use crate::laws::laws_of_elements;
use crate::limit::Spectrum;
use crate::model::Solid;
use crate::node::Node;
use crate::options::Integrator;
use crate::surface::SolidSurface;

impl Solid {
    /// Lays blocks, surface and bounds out anew after the mesh has changed. New nodes and elements stay where edits
    /// have put them, behind the others.
    pub(crate) fn lay_out_anew(&mut self) {
        // Elements too flat to compute with are never made: see `is_thick_enough`.
        let laws = laws_of_elements(&self.mesh, &self.material_of, self.first_height);
        let Ok(layout) = Layout::build(&self.mesh, &laws, &self.node_islands, self.pieces()) else { return };
        self.layout = layout;
        self.disordered = true;
        let masses: Vec<f64> = self.state.iter().map(Node::mass).collect();
        let spectrum = Spectrum::of(&self.mesh, &self.laws, &self.layout, &masses, &self.drag);
        let (strain, stiffening) = (self.spectrum.strain, self.spectrum.stiffening);
        self.spectrum = Spectrum { strain, stiffening, ..spectrum };
        self.smallest_height = self.spectrum.smallest_height;
        self.find_bounds_of_failure();
        self.prediction.clone_from(&self.state);
        self.surface = SolidSurface::of(&self.mesh, &self.materials, self.surface.version() + 1);
        self.scratch.forces = Forces::of(&self.layout);
        self.scratch.chunk_reports = vec![ChunkReport::default(); self.layout.chunks.len()];
        if self.options.integrator == Integrator::Taylor {
            self.scratch.accelerations = vec![[0.0; 4]; self.state.len()];
        }
        self.scratch.implicit = None;
        self.scratch.reach = None;
        self.balanced = Default::default();
        let reactions: Vec<_> = self.holds.regions.iter().map(|region| (region.id, region.reaction)).collect();
        self.read_holds();
        self.set_reactions(&reactions);
        self.holds.forget_placed();
    }

    /// At a frame boundary: renumbers everything for speed and makes islands of what has come apart. What comes out is the body that a
    /// checkpoint would bring back, so that a resumed run goes on with the same bits.
    pub(crate) fn put_in_order(&mut self) {
        self.refused.fill(false);
        if !self.disordered {
            return;
        }
        let (mut mesh, mut material_of) = (self.mesh.clone(), self.material_of.clone());
        let Ok(order) = order_for_speed(&mut mesh, &mut material_of, self.first_height) else { return };
        let mut old_islands = self.node_islands.clone();
        order.apply_to_points(&mut old_islands);
        let mut state = self.state.clone();
        order.apply_to_points(&mut state);
        let mut new_element = vec![0; order.elements.len()];
        for (new, &old) in order.elements.iter().enumerate() {
            new_element[old as usize] = new as u32;
        }
        let Ok(ordered) =
            Solid::at_rest(mesh, material_of, self.materials.clone(), self.options, self.placement, self.first_height)
        else {
            return;
        };
        let reactions: Vec<_> = self.holds.regions.iter().map(|region| (region.id, region.reaction)).collect();
        let old = std::mem::replace(self, ordered);
        for (node, old) in self.state.iter_mut().zip(&state) {
            node.set_position(&old.position());
            node.set_velocity(&old.velocity());
        }
        self.prediction.clone_from(&self.state);
        self.flights = (self.layout.islands.iter())
            .map(|island| {
                let before = &old.flights[old_islands[island.nodes.start] as usize];
                // A sleeper has not been split: it is the same island as before.
                if before.is_asleep() {
                    return before.clone();
                }
                Flight {
                    disturbed: before.disturbed,
                    careful: before.careful,
                    ..Flight::of(&self.state[island.nodes.clone()])
                }
            })
            .collect();
        self.followed = old.followed;
        for point in &mut self.followed {
            point.element = new_element[point.element as usize];
        }
        self.lineage = old.lineage;
        self.counts = old.counts;
        self.work = old.work;
        self.happened = old.happened;
        self.spectrum.strain = old.spectrum.strain;
        self.spectrum.stiffening = old.spectrum.stiffening;
        self.surface.follow(old.surface.version());
        self.scratch.time_step = old.scratch.time_step;
        self.read_holds();
        self.set_reactions(&reactions);
    }
}
