//! Updates of layout, surface and bounds after cracks: locally after each step, and a renumbering
//! of everything at the next frame boundary.

use crate::blocks::order_for_speed;
use crate::integrate::ChunkReport;
use crate::laws::law_at;
use crate::limit::Spectrum;
use crate::model::Solid;
use crate::options::Integrator;
use craze_body::IslandMotion;
use craze_body::pieces::labels;
use craze_mesh::{TetEdit, TetMesh};

/// Changes of the mesh by cracks.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Elements that are new, have other nodes or a newly exposed face.
    pub elements: Vec<u32>,
    /// Nodes of such elements, before and after.
    pub nodes: Vec<u32>,
    /// New nodes that are copies, each with its original.
    pub copies: Vec<[u32; 2]>,
}

impl Changed {
    /// Records an edit that only adds nodes and elements.
    pub fn note(&mut self, mesh: &TetMesh, edit: &TetEdit) {
        self.elements.extend(edit.elements_added.iter().map(|added| added.element.0));
        self.elements.extend(edit.crack.iter().flatten().map(|facet| facet.element.0));
        for (number, placed) in edit.points_added.iter().enumerate() {
            self.nodes.extend(placed.from.iter().map(|(node, _)| node.0));
            // A crack through an edge creates two nodes at the same point of it.
            let twin = edit.points_added[..number].iter().find(|other| {
                mesh.position(other.point).map(f64::to_bits) == mesh.position(placed.point).map(f64::to_bits)
            });
            let single = placed.from.iter().find(|(_, weight)| *weight == 1.0).map(|(node, _)| node);
            if let Some(of) = single.or(twin.map(|twin| twin.point)) {
                self.copies.push([placed.point.0, of.0]);
            }
        }
    }

    /// Sorts all lists and removes duplicates.
    fn sort(&mut self, mesh: &TetMesh) {
        self.elements.sort_unstable();
        self.elements.dedup();
        self.nodes.extend(self.elements.iter().flat_map(|&element| mesh.elements()[element as usize]));
        self.nodes.sort_unstable();
        self.nodes.dedup();
    }
}

impl Solid {
    /// Updates blocks, surface and bounds around the elements that cracks have changed, at a cost
    /// proportional to their number. New nodes and elements stay behind the others. Returns the
    /// changed elements, ascending.
    pub(crate) fn update_after_edits(&mut self) -> Vec<u32> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort(&self.mesh);
        let Changed { elements, nodes, copies } = changed;
        self.disordered = true;
        let law = |element: usize| law_at(&self.mesh, &self.material_of, &self.full_heights, element);
        if self.layout.follow(&self.mesh, &elements, law, &self.node_islands).is_err() {
            self.rebuild_layout(&elements);
        }
        let lists = [elements.as_slice(), nodes.as_slice()];
        self.stiffnesses.follow(&self.mesh, &self.laws, &self.layout, &self.state, lists);
        let Spectrum { strain, stiffening, .. } = self.spectrum;
        self.spectrum = Spectrum { strain, stiffening, ..self.stiffnesses.spectrum() };
        self.smallest_height = self.spectrum.smallest_height;
        self.update_critical_loads(&nodes);
        // All other nodes are written at every step, or are the same in both.
        self.prediction.resize(self.state.len(), self.state[0]);
        for &node in &nodes {
            self.prediction[node as usize] = self.state[node as usize];
        }
        self.surface.follow_cracks(&self.mesh, &elements, &copies);
        self.scratch.forces.fit(&self.layout);
        self.scratch.chunk_reports.resize(self.layout.chunks.len(), ChunkReport::default());
        if self.options.integrator == Integrator::Taylor {
            self.scratch.accelerations.resize(self.state.len(), [0.0; 4]);
        }
        self.scratch.implicit = None;
        self.scratch.reach = None;
        self.equilibrium = Default::default();
        self.constraints.follow(&self.mesh, &nodes);
        elements
    }

    /// Rebuilds the layout: a changed element no longer fits into its block.
    fn rebuild_layout(&mut self, changed: &[u32]) {
        let law = |element: usize| law_at(&self.mesh, &self.material_of, &self.full_heights, element);
        // Flat elements are never created: see `is_thick_enough`.
        let made = self.layout.rebuild(&self.mesh, changed, law, &self.node_islands, labels(&self.mesh));
        if let Ok(layout) = made {
            self.layout = layout;
        }
    }

    /// Renumbers everything for speed at a frame boundary, and divides islands that cracks have
    /// separated. The result is the body that a checkpoint would restore, so that a resumed run has
    /// the same bits.
    pub(crate) fn renumber(&mut self) {
        self.refused.fill(false);
        if !self.disordered {
            return;
        }
        self.pieces.settle(&mut self.mesh);
        let (mut mesh, mut material_of) = (self.mesh.clone(), self.material_of.clone());
        let Ok(order) = order_for_speed(&mut mesh, &mut material_of) else { return };
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
        let reactions = self.constraints.reactions();
        let old = std::mem::replace(self, ordered);
        for (node, old) in self.state.iter_mut().zip(&state) {
            node.set_position(&old.position());
            node.set_velocity(&old.velocity());
        }
        self.prediction.clone_from(&self.state);
        self.motions = (self.layout.islands.iter())
            .map(|island| {
                let before = &old.motions[old_islands[island.nodes.start] as usize];
                // An island in rigid-body mode was not split: it is the same as before.
                if before.is_asleep() {
                    return before.clone();
                }
                IslandMotion {
                    disturbed: before.disturbed,
                    needs_short_steps: before.needs_short_steps,
                    ..IslandMotion::awake(&self.state[island.nodes.clone()])
                }
            })
            .collect();
        self.tracked = old.tracked;
        self.tracked.renumber(&new_element);
        // The history knows all pieces of the mesh.
        let _ = self.pieces.set_lineage(old.pieces.lineage);
        self.counts = old.counts;
        self.work = old.work;
        self.events = old.events;
        self.spectrum.strain = old.spectrum.strain;
        self.spectrum.stiffening = old.spectrum.stiffening;
        self.surface.follow(old.surface.version());
        self.scratch.time_step = old.scratch.time_step;
        self.read_constraints();
        self.constraints.set_reactions(&reactions);
    }
}
