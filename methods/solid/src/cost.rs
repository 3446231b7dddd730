//! What an explicit elastic step costs, counted: the roofline that benchmarks measure against.

use crate::blocks::{Block, Group};
use crate::model::Solid;
use crate::node::Node;
use craze_math::lanes::WIDTH;

/// Arithmetic and memory of one explicit step with damping, per element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// Additions and multiplications an element; a fused multiply-add counts as two.
    pub flops_per_element: f64,
    /// Bytes that must go to and from memory for an element where nothing fits into a cache: each datum once per pass that needs it.
    pub bytes_per_element: f64,
}

/// Additions and multiplications of the kernel for one element of an isotropic material.
const ELEMENT_FLOPS: f64 = {
    let edges = 2.0 * 9.0; // positions and velocities
    let gradients = 2.0 * 9.0 * 5.0; // F and Ḟ
    let strain = 6.0 * 6.0;
    let strain_rate = 3.0 * 6.0 + 3.0 * 12.0;
    let stress = 2.0 * 2.0 + 3.0 + 3.0 * 4.0 + 3.0 * 3.0 + 6.0;
    let determinant = 3.0 * 3.0 + 6.0;
    let forces = 2.0 * 9.0 * 5.0;
    let watch = 3.0 * 2.0 + 1.0 + 3.0 * 2.0 + 9.0 * 2.0 + 1.0;
    let sums = 9.0 + 12.0;
    edges + gradients + strain + strain_rate + stress + determinant + forces + watch + sums
};

/// Additions and multiplications of the integrator at one node, beside three for each partial sum.
const NODE_FLOPS: f64 = 3.0 * 4.0 + 3.0 * 4.0 + 6.0;

/// Arithmetic and memory of one explicit elastic step of this body, per element.
pub fn elastic_step_cost(solid: &Solid) -> StepCost {
    let layout = &solid.layout;
    let elements = solid.mesh.element_count() as f64;
    let (nodes, slots) = (solid.state.len() as f64 / elements, layout.slot_nodes.len() as f64 / elements);
    let record = size_of::<Node>() as f64;
    let constants =
        (layout.groups.len() * size_of::<Group>() + layout.blocks.len() * size_of::<Block>()) as f64 / elements;
    // Blocks read constants, their list of nodes and each node once; they write partial sums (which are first fetched, as
    // stores do). Nodes read partial sums with their list, their record, and write the prediction.
    let force_pass = constants + slots * 4.0 + nodes * record + slots * (32.0 + 32.0);
    let node_pass = slots * (32.0 + 4.0) + nodes * (4.0 + record + 2.0 * record);
    StepCost {
        flops_per_element: ELEMENT_FLOPS * (layout.groups.len() * WIDTH) as f64 / elements
            + nodes * NODE_FLOPS
            + 3.0 * slots,
        bytes_per_element: force_pass + node_pass,
    }
}
