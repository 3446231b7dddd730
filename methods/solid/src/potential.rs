//! The energy whose minimum is the end of an implicit step, or the balance of forces.
//!
//! For backward Euler: ½·Σ m·|x − x̃|²/Δt² with x̃ = x₀ + Δt·v₀ + Δt²·g, the stored energy of all elements, the work of loads,
//! springs of contacts, and two terms of the motion so far: drag, and viscosity with the strain rate (ε − ε₀)/Δt, which makes the viscous stress
//! the gradient of ½Δt·ν:D:ν. All but the stored energy are convex; that is projected as [`Tetrahedron::stiffness`] says.

use crate::blocks::{Block, Layout, local_node};
use crate::flight::Flight;
use crate::parallel::over_spans;
use craze_body::Node;
use craze_contact::ContactSpring;
use craze_element::{CollapseGuard, Law, Tetrahedron, strain};
use craze_math::lanes::WIDTH;
use craze_math::{Mat3, Vec3};
use craze_solve::{BlockMatrix, Objective};
use rayon::prelude::*;

/// The energy of a body.
pub(crate) struct Potential<'a> {
    pub layout: &'a Layout,
    pub elements: &'a [[u32; 4]],
    pub laws: &'a [Law],
    pub guards: &'a [CollapseGuard],
    pub flights: &'a [Flight],
    /// Where the nodes start.
    pub start: &'a [Node],
    /// Drag on each node (1/s), or empty.
    pub drag: &'a [f64],
    /// Loads (N).
    pub external: &'a [Vec3],
    pub contacts: &'a [ContactSpring],
    /// Δt (s) and gravity (m/s²); `None` for statics, where gravity is a load.
    pub motion: Option<(f64, Vec3)>,
    pub memory: &'a mut Memory,
}

/// Memory of the sums.
#[derive(Default)]
pub(crate) struct Memory {
    partial: Vec<[f64; 4]>,
    energies: Vec<f64>,
    blocks: Vec<Mat3>,
}

impl Potential<'_> {
    fn inverse_time_step(&self) -> f64 {
        self.motion.map_or(0.0, |(time_step, _)| 1.0 / time_step)
    }

    fn places<'x>(&self, x: &'x [Vec3], element: usize) -> [Vec3; 4] {
        let corners: &'x [Vec3] = x;
        self.elements[element].map(|corner| corners[corner as usize])
    }

    /// F, and the strain rate of the step so far (zero in statics).
    fn gradients(&self, block: &Block, element: usize, x: &[Vec3]) -> (Tetrahedron, Mat3, Mat3) {
        let rest = self.layout.rest(block, element);
        let deformation = rest.deformation(&self.places(x, element));
        let rate = match self.motion {
            Some((time_step, _)) => {
                let before = self.elements[element].map(|corner| self.start[corner as usize].position());
                (strain(&deformation) - strain(&rest.deformation(&before))) / time_step
            }
            None => Mat3::zeros(),
        };
        (rest, deformation, rate)
    }

    fn block_energy(&self, block: &Block, x: &[Vec3]) -> f64 {
        let guard = &self.guards[block.law];
        let mut sum = 0.0;
        for element in block.elements.clone() {
            let law = &self.laws[self.layout.law(block, element)];
            let (rest, deformation, rate) = self.gradients(block, element, x);
            if !(deformation.determinant() > 0.0) {
                return f64::INFINITY;
            }
            sum += rest.energy(law, guard, &deformation);
            if let Some((time_step, _)) = self.motion {
                // ½Δt·S:Ė with the true rate Ė = ν/2.
                sum += 0.25 * time_step * rest.volume * law.viscous_stress(&rate).dot(&rate);
            }
        }
        sum
    }

    /// Adds the energy, gradient and stiffness that nodes have by themselves: calls `each` with the node, its distance from where it would like
    /// to be (m) and the stiffness of that wish (N/m).
    fn each_wish(&self, x: &[Vec3], mut each: impl FnMut(usize, Vec3, f64)) {
        let Some((time_step, gravity)) = self.motion else { return };
        for chunk in &self.layout.chunks {
            if self.flights[chunk.island].is_asleep() {
                continue;
            }
            for node in chunk.nodes.clone() {
                let start = &self.start[node];
                let wanted = start.position() + time_step * (start.velocity() + time_step * gravity);
                each(node, x[node] - wanted, start.mass() / (time_step * time_step));
                if let Some(&drag) = self.drag.get(node) {
                    each(node, x[node] - start.position(), start.mass() * drag / time_step);
                }
            }
        }
    }
}

impl Objective for Potential<'_> {
    fn energy(&mut self, x: &[Vec3]) -> f64 {
        let mut energies = std::mem::take(&mut self.memory.energies);
        let awake = |block: &Block| !self.flights[block.island].is_asleep();
        let energy = |block: &Block| if awake(block) { self.block_energy(block, x) } else { 0.0 };
        self.layout.blocks.par_iter().map(energy).collect_into_vec(&mut energies);
        let mut sum: f64 = energies.iter().sum();
        self.memory.energies = energies;
        self.each_wish(x, |_, away, stiffness| sum += 0.5 * stiffness * away.norm_squared());
        for (force, place) in self.external.iter().zip(x) {
            sum -= force.dot(place);
        }
        for contact in self.contacts {
            sum += contact.energy(&contact.position(|node| x[node]));
        }
        sum
    }

    fn gradient(&mut self, x: &[Vec3], out: &mut [Vec3]) {
        let mut partial = std::mem::take(&mut self.memory.partial);
        partial.resize(self.layout.slot_nodes.len(), [0.0; 4]);
        let mut reports = std::mem::take(&mut self.memory.energies);
        reports.resize(self.layout.blocks.len(), 0.0);
        over_spans(&self.layout.blocks, &mut partial, &mut reports, &|block: &Block, partial: &mut [[f64; 4]], _| {
            partial.fill([0.0; 4]);
            if self.flights[block.island].is_asleep() {
                return;
            }
            let guard = &self.guards[block.law];
            for element in block.elements.clone() {
                let law = &self.laws[self.layout.law(block, element)];
                let (rest, deformation, rate) = self.gradients(block, element, x);
                let stress =
                    law.elastic_stress(&strain(&deformation)) + law.viscous_stress(&rate) + guard.stress(&deformation);
                let place = element - block.elements.start;
                let group = &self.layout.groups[block.groups.start + place / WIDTH];
                for (corner, force) in rest.forces(&deformation, &stress).iter().enumerate() {
                    let sum = &mut partial[local_node(group.corners[place % WIDTH], corner)];
                    for axis in 0..3 {
                        sum[axis] += force[axis];
                    }
                }
            }
        });
        for (node, out) in out.iter_mut().enumerate() {
            *out = -self.external.get(node).copied().unwrap_or_else(Vec3::zeros);
            for &slot in self.layout.slots_of(node) {
                let [x, y, z, _] = partial[slot as usize];
                *out -= Vec3::new(x, y, z);
            }
        }
        self.memory.partial = partial;
        self.memory.energies = reports;
        self.each_wish(x, |node, away, stiffness| out[node] += stiffness * away);
        for contact in self.contacts {
            let force = contact.force(&contact.position(|node| x[node]));
            contact.dofs().for_each(|(node, weight)| out[node] -= weight * force);
        }
    }

    fn hessian(&mut self, x: &[Vec3], out: &mut BlockMatrix) {
        let mut blocks = std::mem::take(&mut self.memory.blocks);
        blocks.resize(16 * self.elements.len(), Mat3::zeros());
        let inverse_time_step = self.inverse_time_step();
        blocks.par_chunks_mut(16).enumerate().for_each(|(element, blocks)| {
            let block = self.layout.block_of(element);
            if self.flights[block.island].is_asleep() {
                blocks.fill(Mat3::zeros());
                return;
            }
            let (law, guard) = (&self.laws[self.layout.law(block, element)], &self.guards[block.law]);
            let (rest, deformation, rate) = self.gradients(block, element, x);
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
        let assembled = out.assemble(&blocks);
        debug_assert!(assembled.is_ok());
        self.memory.blocks = blocks;
        self.each_wish(x, |node, _, stiffness| *out.diagonal_mut(node) += Mat3::from_diagonal_element(stiffness));
        for contact in self.contacts {
            for (row, weight) in contact.dofs() {
                for (column, other) in contact.dofs() {
                    // The nodes of a face or an edge share an element: their blocks are in the pattern.
                    if let Some(block) = out.block_mut(row, column) {
                        *block += weight * other * contact.stiffness;
                    }
                }
            }
        }
    }
}
