//! Gather of node records into lanes of elements, and scatter of lanes of forces to nodes.
//!
//! A record is one vector register. Eight of them, one per element, are transposed into registers
//! of one coordinate for eight elements: a third of the instructions that single loads would take.

use crate::blocks::{BLOCK_NODES, Group, local_node};
use craze_math::lanes::{Lanes, WIDTH};

/// Three vectors of three lanes: \[vector\]\[axis\].
pub(crate) type Three<L> = [[L; 3]; 3];

/// Edges from the first corner to the others, and their rates.
#[inline(always)]
pub(crate) fn gather<L: Lanes>(group: &Group, nodes: &[[f64; 8]; BLOCK_NODES]) -> (Three<L>, Three<L>) {
    let zero = L::splat(0.0);
    let mut rows = [[zero; WIDTH]; 3];
    for lane in 0..WIDTH {
        let corners = group.corners[lane];
        let first = L::new(nodes[local_node(corners, 0)]);
        for corner in 0..3 {
            rows[corner][lane] = L::new(nodes[local_node(corners, corner + 1)]) - first;
        }
    }
    let (mut edges, mut rates) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for corner in 0..3 {
        let [x, y, z, _, vx, vy, vz, _] = L::transpose(&rows[corner]);
        edges[corner] = [x, y, z];
        rates[corner] = [vx, vy, vz];
    }
    (edges, rates)
}

/// The same for accelerations.
#[inline(always)]
pub(crate) fn gather_accelerations<L: Lanes>(group: &Group, accelerations: &[[f64; 4]; BLOCK_NODES]) -> Three<L> {
    let mut numbers = [[[0.0; WIDTH]; 3]; 3];
    for lane in 0..WIDTH {
        let corners = group.corners[lane];
        let first = accelerations[local_node(corners, 0)];
        for corner in 0..3 {
            let other = accelerations[local_node(corners, corner + 1)];
            for axis in 0..3 {
                numbers[corner][axis][lane] = other[axis] - first[axis];
            }
        }
    }
    let mut edges = [[L::splat(0.0); 3]; 3];
    for corner in 0..3 {
        for axis in 0..3 {
            edges[corner][axis] = L::new(numbers[corner][axis]);
        }
    }
    edges
}

/// Adds the forces on corners 1, 2, 3 to their nodes, and the opposite of their sum to corner 0;
/// and a number per corner to the fourth entry of its node.
#[inline(always)]
pub(crate) fn scatter<L: Lanes>(
    group: &Group,
    pulls: &Three<L>,
    fourth: &[L; 4],
    forces: &mut [[f64; 4]; BLOCK_NODES],
) {
    let [a, b, c] = *pulls;
    let mut first = [L::splat(0.0); 3];
    for axis in 0..3 {
        first[axis] = -(a[axis] + b[axis] + c[axis]);
    }
    let front = L::transpose(&[first[0], first[1], first[2], fourth[0], a[0], a[1], a[2], fourth[1]]);
    let back = L::transpose(&[b[0], b[1], b[2], fourth[2], c[0], c[1], c[2], fourth[3]]);
    for lane in 0..WIDTH {
        let corners = group.corners[lane];
        let (front, back) = (front[lane].to_array(), back[lane].to_array());
        add(&mut forces[local_node(corners, 0)], &front, 0);
        add(&mut forces[local_node(corners, 1)], &front, 4);
        add(&mut forces[local_node(corners, 2)], &back, 0);
        add(&mut forces[local_node(corners, 3)], &back, 4);
    }
}

#[inline(always)]
fn add(force: &mut [f64; 4], pulls: &[f64; 8], start: usize) {
    for axis in 0..4 {
        force[axis] += pulls[start + axis];
    }
}
