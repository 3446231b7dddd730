//! Forces of all elements on all nodes: block by block, then node by node.

use crate::blocks::{Block, Layout};
use crate::kernel::{self, ForceRates, Local, Report};
use crate::model::Solid;
use crate::parallel::over_spans;
use crate::tuning::{MIN_VOLUME_KEPT, STRAIN_KEPT};
use craze_body::Node;
use craze_engine::{Failure, Step};
use craze_math::Vec3;
use craze_math::lanes::Instructions;
use std::cell::RefCell;

thread_local! {
    // One per thread: a step allocates nothing, and a block finds it in the first-level cache.
    static LOCAL: RefCell<Local> = const { RefCell::new(Local::new()) };
}

/// Partial sums of forces, and reports of the force passes.
#[derive(Default)]
pub(crate) struct Forces {
    /// One partial sum (N) per slot; see [`Layout`]. The fourth entry is that of [`Local::forces`].
    pub partial: Vec<[f64; 4]>,
    /// One report per block.
    pub reports: Vec<Report>,
    /// Whether reports and fourth entries are those of the last force pass, so that the failure
    /// prefilter may use them. False after an equilibrium, an implicit step, and a pass that left
    /// them out or wrote force rates over them.
    has_pulls: bool,
}

impl Forces {
    pub fn of(layout: &Layout) -> Forces {
        let mut forces = Forces::default();
        forces.fit(layout);
        forces
    }

    /// Resizes to nodes and elements that cracks have added.
    pub fn fit(&mut self, layout: &Layout) {
        self.partial.resize(layout.slot_nodes.len(), [0.0; 4]);
        self.reports.resize(layout.blocks.len(), Report::QUIET);
    }

    /// Invalidates the results of the step before.
    pub fn begin(&mut self) {
        self.has_pulls = false;
    }

    /// Returns true if the failure prefilter may use reports and fourth entries.
    pub fn has_pulls(&self) -> bool {
        self.has_pulls
    }

    /// Marks all blocks of an island that was woken as candidates for failure: their reports are
    /// from before rigid-body mode.
    pub fn suspect(&mut self, layout: &Layout, island: usize) {
        let blocks = layout.blocks.iter().zip(&mut self.reports).filter(|(block, _)| block.island == island);
        for (block, report) in blocks {
            report.largest_strain = f64::INFINITY;
            self.partial[block.slots.clone()].iter_mut().for_each(|part| part[3] = f64::INFINITY);
        }
    }

    /// Force on a node (N): its partial sums in the order of blocks.
    #[inline(always)]
    pub fn of_node(&self, layout: &Layout, node: usize) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for &slot in layout.slots_of(node) {
            let part = &self.partial[slot as usize];
            for axis in 0..4 {
                sum[axis] += part[axis];
            }
        }
        sum
    }

    pub fn bytes(&self) -> usize {
        self.partial.capacity() * 32 + self.reports.capacity() * size_of::<Report>()
    }
}

impl Solid {
    /// Sums internal forces (27) of the state into the partial sums; an inverted element or a
    /// number that is not finite is an error.
    #[cfg(test)]
    pub(crate) fn sum_forces(&mut self) -> Result<(), Failure> {
        self.sum_forces_of(true)
    }

    /// The same for a step. The bounds for the failure prefilter are computed only if a fracture
    /// check follows the step.
    pub(crate) fn sum_forces_for(&mut self, step: &Step) -> Result<(), Failure> {
        self.sum_forces_of(self.options.is_time_to_look(step.time, step.time + step.time_step))
    }

    fn sum_forces_of(&mut self, pulls: bool) -> Result<(), Failure> {
        self.scratch.forces.has_pulls = pulls;
        self.sweep_blocks(pulls, |kernel, report| *report = Instructions::detect().run(kernel));
        self.read_reports()
    }

    /// Sums rates of the internal forces (N/s) at the state and `accelerations` into the partial
    /// sums.
    pub(crate) fn sum_force_rates(&mut self) {
        let accelerations = std::mem::take(&mut self.scratch.accelerations);
        self.scratch.forces.has_pulls = false;
        self.sweep_blocks(false, |forces, _| {
            Instructions::detect().run(ForceRates { forces, accelerations: &accelerations })
        });
        self.scratch.accelerations = accelerations;
    }

    /// Runs a kernel on all blocks that are not in rigid-body mode.
    fn sweep_blocks(&mut self, pulls: bool, run: impl Fn(kernel::Forces, &mut Report) + Sync) {
        let Solid { layout, state, motions, laws, guards, scratch, .. } = self;
        let Forces { partial, reports, .. } = &mut scratch.forces;
        over_spans(
            &layout.blocks,
            partial,
            reports,
            &|block: &Block, partial: &mut [[f64; 4]], report: &mut Report| {
                if motions[block.island].is_asleep() {
                    return;
                }
                LOCAL.with_borrow_mut(|local| {
                    let kernel = kernel::Forces {
                        groups: &layout.groups[block.groups.clone()],
                        law: &laws[block.law],
                        guard: guards[block.law],
                        slots: &layout.slot_nodes[block.slots.clone()],
                        nodes: state,
                        pulls,
                        next_groups: &layout.groups[block.groups.end..],
                        next_slots: &layout.slot_nodes[block.room.end..],
                        local,
                        partial,
                    };
                    run(kernel, report);
                });
            },
        );
    }

    /// Stores the bounds of the next Δt, and searches for inverted elements.
    fn read_reports(&mut self) -> Result<(), Failure> {
        let (mut strain, mut stiffening) = (0.0f64, 0.0f64);
        for (block, report) in self.layout.blocks.iter().zip(&self.scratch.forces.reports) {
            if self.motions[block.island].is_asleep() {
                continue;
            }
            if !(report.lowest_ratio > 0.0 && report.witness.is_finite()) {
                return Err(self.find_bad_element(block, &self.state));
            }
            strain = strain.max(report.largest_strain);
            stiffening = stiffening.max(report.stiffening);
        }
        // Vibrations pass through zero strain every half period: the steps allowed there would
        // excite them.
        self.spectrum.strain = strain.sqrt().max(STRAIN_KEPT * self.spectrum.strain);
        self.spectrum.stiffening = stiffening.max(STRAIN_KEPT * self.spectrum.stiffening);
        Ok(())
    }

    /// The first element of a block that is inverted or not finite.
    fn find_bad_element(&self, block: &Block, nodes: &[Node]) -> Failure {
        for element in block.elements.clone() {
            if let Err(failure) = self.check_element(block, element, nodes) {
                return failure;
            }
        }
        Failure::NotFinite { node: self.layout.slot_nodes[block.slots.start] }
    }

    /// Refuses an element that is inverted or not finite, or that loses most of its volume from the
    /// state to these nodes: after an element is almost flat, no step is short enough.
    pub(crate) fn check_element(&self, block: &Block, element: usize, nodes: &[Node]) -> Result<(), Failure> {
        let corners = &self.mesh.elements()[element];
        if let Some(&node) = corners.iter().find(|&&node| !nodes[node as usize].is_finite()) {
            return Err(Failure::NotFinite { node });
        }
        let rest = self.layout.rest(block, element);
        let places = crate::blocks::corners_of(nodes, corners);
        let volume_ratio = rest.deformation(&places).determinant();
        let place = places.iter().sum::<Vec3>() / 4.0;
        let element = element as u32;
        if !(volume_ratio > 0.0) {
            return Err(Failure::Inverted { element, place, volume_ratio });
        }
        let before = rest.deformation(&crate::blocks::corners_of(&self.state, corners)).determinant();
        if volume_ratio < MIN_VOLUME_KEPT * before.min(1.0) {
            return Err(Failure::TooFast { element, place, change: 1.0 - volume_ratio / before });
        }
        Ok(())
    }
}
