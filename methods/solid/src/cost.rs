//! Cost of an explicit elastic step, counted from the data: the roofline of benchmarks.

use crate::blocks::{Block, Group};
use crate::model::Solid;
use craze_body::Node;
use craze_math::lanes::WIDTH;

/// Arithmetic and memory of one explicit step with damping, per element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// Additions and multiplications per element; a fused multiply-add counts as two.
    pub flops_per_element: f64,
    /// Bytes per element that must be moved to and from memory if nothing fits into a cache: each
    /// datum once per pass that needs it.
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

/// Additions and multiplications of the integrator per node, beside three per partial sum.
const NODE_FLOPS: f64 = 3.0 * 4.0 + 3.0 * 4.0 + 6.0;

/// Arithmetic and memory of one explicit elastic step of this body, per element.
pub fn elastic_step_cost(solid: &Solid) -> StepCost {
    let (layout, elements) = (&solid.layout, solid.mesh.element_count() as f64);
    // Used slots, without those reserved for nodes that cracks may add: these are never touched.
    let count = |of: fn(&Block) -> usize| layout.blocks.iter().map(of).sum::<usize>() as f64;
    let (slots, groups) = (count(|block| block.slots.len()), count(|block| block.groups.len()));
    let (blocks, nodes) = (layout.blocks.len() as f64, solid.state.len() as f64);
    StepCost {
        flops_per_element: (ELEMENT_FLOPS * groups * WIDTH as f64 + nodes * NODE_FLOPS + 3.0 * slots) / elements,
        bytes_per_element: (streams(groups, blocks, slots, nodes) + drag_bytes(solid)) / elements,
    }
}

/// Bytes that the two passes of a step stream, without drag.
fn streams(groups: f64, blocks: f64, slots: f64, nodes: f64) -> f64 {
    let [group, block, node] = [size_of::<Group>(), size_of::<Block>(), size_of::<Node>()].map(|size| size as f64);
    let number = size_of::<u32>() as f64;
    let partial = size_of::<[f64; 4]>() as f64;
    // A block reads its constants, the list of its nodes and each node once, and writes a partial
    // sum per slot. Written memory is fetched first.
    let force_pass = groups * group + blocks * block + slots * number + nodes * node + slots * 2.0 * partial;
    // A node reads the range of its slots (two numbers), the slots, its partial sums and its
    // record, and writes its prediction.
    let node_pass = nodes * 2.0 * number + slots * (number + partial) + nodes * (node + 2.0 * node);
    force_pass + node_pass
}

/// Bytes of the drag of all nodes, which a body without mass-proportional damping does not have.
fn drag_bytes(solid: &Solid) -> f64 {
    size_of_val(solid.drag.as_slice()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Integrator;
    use crate::testing::{awake, damped, solid};
    use std::collections::BTreeSet;

    #[test]
    fn bytes_that_move_are_those_of_nodes_that_elements_have() {
        let solid = solid([16, 16, 16], 0.0, damped(), awake(Integrator::Symplectic));
        let mesh = solid.mesh();
        // Counted from the mesh: every block's nodes, without the layout's own list of them.
        let slots_of = |block: &Block| {
            let corners = mesh.elements()[block.elements.clone()].iter().flatten();
            corners.copied().collect::<BTreeSet<u32>>().len()
        };
        let slots: usize = solid.layout.blocks.iter().map(slots_of).sum();
        let lanes: usize = solid.layout.blocks.iter().map(|block| block.elements.len().div_ceil(WIDTH) * WIDTH).sum();
        let (nodes, elements) = (mesh.point_count() as f64, mesh.element_count() as f64);
        // Eleven numbers of 8 bytes a lane, 104 bytes a slot, 264 a node; a little for each block.
        let expected = (88.0 * lanes as f64 + 104.0 * slots as f64 + 264.0 * nodes) / elements;
        let counted = elastic_step_cost(&solid).bytes_per_element;
        assert!((counted - expected).abs() < 0.2, "{counted} instead of {expected}");
        // With the room for what cracks add it was 241.
        assert!(counted < 180.0, "{counted}");
    }
}
