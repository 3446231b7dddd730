//! Energy, forces and stiffness of the elements of a solid, for implicit steps and equilibrium.
//!
//! Beside the stored energy there is viscosity with the strain rate (ε − ε₀)/Δt, which makes the
//! viscous stress the gradient of ½Δt·ν:D:ν. The stored energy is not convex; its stiffness is
//! projected as [`Tetrahedron::stiffness`] says.

use crate::blocks::{Block, local_node};
use crate::model::Solid;
use crate::parallel::over_spans;
use craze_body::implicit::{ElasticModel, TimeStep};
use craze_element::{Tetrahedron, strain};
use craze_math::lanes::WIDTH;
use craze_math::{Mat3, Vec3};
use craze_solve::BlockMatrix;
use rayon::prelude::*;
use std::ops::Range;

/// The elements of a solid.
pub(crate) struct SolidElasticity<'a> {
    pub solid: &'a Solid,
    pub workspace: &'a mut Workspace,
}

/// Memory of the sums.
#[derive(Default)]
pub(crate) struct Workspace {
    partial: Vec<[f64; 4]>,
    energies: Vec<f64>,
    blocks: Vec<Mat3>,
}

impl SolidElasticity<'_> {
    /// Rest geometry, F, and the strain rate of the step so far (1/s; zero for equilibrium).
    fn gradients(
        &self,
        block: &Block,
        element: usize,
        x: &[Vec3],
        step: Option<&TimeStep>,
    ) -> (Tetrahedron, Mat3, Mat3) {
        let corners = &self.solid.mesh.elements()[element];
        let rest = self.solid.layout.rest(block, element);
        let deformation = rest.deformation(&corners.map(|corner| x[corner as usize]));
        let rate = match step {
            Some(step) => {
                let before = corners.map(|corner| self.solid.state[corner as usize].position());
                (strain(&deformation) - strain(&rest.deformation(&before))) / step.length
            }
            None => Mat3::zeros(),
        };
        (rest, deformation, rate)
    }

    fn is_awake(&self, block: &Block) -> bool {
        !self.solid.motions[block.island].is_asleep()
    }

    fn block_energy(&self, block: &Block, x: &[Vec3], step: Option<&TimeStep>) -> f64 {
        let guard = &self.solid.guards[block.law];
        let mut sum = 0.0;
        for element in block.elements.clone() {
            let law = &self.solid.laws[self.solid.layout.law(block, element)];
            let (rest, deformation, rate) = self.gradients(block, element, x, step);
            if !(deformation.determinant() > 0.0) {
                return f64::INFINITY;
            }
            sum += rest.energy(law, guard, &deformation);
            if let Some(step) = step {
                // ½Δt·S:Ė with the true rate Ė = ν/2.
                sum += 0.25 * step.length * rest.volume * law.viscous_stress(&rate).dot(&rate);
            }
        }
        sum
    }
}

impl ElasticModel for SolidElasticity<'_> {
    fn energy(&mut self, x: &[Vec3], step: Option<&TimeStep>) -> f64 {
        let mut energies = std::mem::take(&mut self.workspace.energies);
        let energy = |block: &Block| if self.is_awake(block) { self.block_energy(block, x, step) } else { 0.0 };
        self.solid.layout.blocks.par_iter().map(energy).collect_into_vec(&mut energies);
        let sum = energies.iter().sum();
        self.workspace.energies = energies;
        sum
    }

    fn subtract_forces(&mut self, x: &[Vec3], step: Option<&TimeStep>, gradient: &mut [Vec3]) {
        let layout = &self.solid.layout;
        let mut partial = std::mem::take(&mut self.workspace.partial);
        partial.resize(layout.slot_nodes.len(), [0.0; 4]);
        let mut reports = std::mem::take(&mut self.workspace.energies);
        reports.resize(layout.blocks.len(), 0.0);
        over_spans(&layout.blocks, &mut partial, &mut reports, &|block: &Block, partial: &mut [[f64; 4]], _| {
            partial.fill([0.0; 4]);
            if !self.is_awake(block) {
                return;
            }
            let guard = &self.solid.guards[block.law];
            for element in block.elements.clone() {
                let law = &self.solid.laws[layout.law(block, element)];
                let (rest, deformation, rate) = self.gradients(block, element, x, step);
                let stress =
                    law.elastic_stress(&strain(&deformation)) + law.viscous_stress(&rate) + guard.stress(&deformation);
                let offset = element - block.elements.start;
                let group = &layout.groups[block.groups.start + offset / WIDTH];
                for (corner, force) in rest.forces(&deformation, &stress).iter().enumerate() {
                    let sum = &mut partial[local_node(group.corners[offset % WIDTH], corner)];
                    for axis in 0..3 {
                        sum[axis] += force[axis];
                    }
                }
            }
        });
        for (node, gradient) in gradient.iter_mut().enumerate() {
            for &slot in layout.slots_of(node) {
                let [x, y, z, _] = partial[slot as usize];
                *gradient -= Vec3::new(x, y, z);
            }
        }
        self.workspace.partial = partial;
        self.workspace.energies = reports;
    }

    fn assemble(&mut self, x: &[Vec3], step: Option<&TimeStep>, stiffness: &mut BlockMatrix) {
        let Solid { layout, laws, guards, mesh, .. } = self.solid;
        let mut blocks = std::mem::take(&mut self.workspace.blocks);
        blocks.resize(16 * mesh.element_count(), Mat3::zeros());
        let inverse_time_step = step.map_or(0.0, |step| 1.0 / step.length);
        blocks.par_chunks_mut(16).enumerate().for_each(|(element, blocks)| {
            let block = layout.block_of(element);
            if !self.is_awake(block) {
                blocks.fill(Mat3::zeros());
                return;
            }
            let (law, guard) = (&laws[layout.law(block, element)], &guards[block.law]);
            let (rest, deformation, rate) = self.gradients(block, element, x, step);
            let stress =
                law.elastic_stress(&strain(&deformation)) + law.viscous_stress(&rate) + guard.stress(&deformation);
            let tangent = Tetrahedron::tangent(law, guard, &deformation, inverse_time_step);
            let stiffness = rest.stiffness(&deformation, &stress, &tangent);
            for i in 0..4 {
                for j in 0..4 {
                    blocks[4 * i + j] = stiffness[i][j];
                }
            }
        });
        // The pattern is that of the elements: nothing to refuse.
        let assembled = stiffness.assemble(&blocks);
        debug_assert!(assembled.is_ok());
        self.workspace.blocks = blocks;
    }

    fn awake_nodes(&self) -> impl Iterator<Item = Range<usize>> {
        let awake = self.solid.layout.chunks.iter().filter(|chunk| !self.solid.motions[chunk.island].is_asleep());
        awake.map(|chunk| chunk.nodes.clone())
    }
}
