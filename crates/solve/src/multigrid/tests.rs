//! Iteration counts and bits of multigrid.

use super::*;
use crate::cholesky::Cholesky;
use crate::constraint::Constraints;
use crate::pattern::Pattern;
use crate::pcg::{Pcg, PcgReport, PcgSettings};
use crate::symbolic::Symbolic;
use crate::testing::{box_mesh, elastic_blocks, in_threads, residual_of};
use std::sync::Arc;
use std::time::Instant;

/// A box of these cells, stretched by these factors and clamped at z = 0: matrix, positions, and a
/// load.
fn system(cells: usize, stretch: [f64; 3]) -> (BlockMatrix, Vec<Vec3>, Vec<Vec3>) {
    let (nodes, elements) = box_mesh(cells);
    let mut random = craze_math::Random::new(4);
    let jitter = 0.15 / cells as f64;
    let nodes: Vec<Vec3> =
        nodes.iter().map(|node| (node + jitter * random.vector()).component_mul(&Vec3::from(stretch))).collect();
    let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
    let mut matrix = BlockMatrix::zeros(pattern);
    matrix.assemble(&elastic_blocks(&nodes, &elements)).expect("right length");
    let is_clamped = |node: &usize| nodes[*node].z < 0.5 * stretch[2] / cells as f64;
    let constraints = Constraints::fixed(nodes.len(), (0..nodes.len()).filter(is_clamped));
    matrix.constrain(&constraints).expect("right length");
    let mut right = vec![Vec3::new(0.3, -1.0, 0.1); nodes.len()];
    constraints.project(&mut right);
    (matrix, nodes, right)
}

fn solve(matrix: &BlockMatrix, positions: &[Vec3], right: &[Vec3]) -> (PcgReport, Vec<Vec3>, Multigrid) {
    let mut multigrid = Multigrid::new(matrix, positions).expect("positive definite");
    let mut pcg = Pcg::new(PcgSettings { tolerance: 1e-10, max_iterations: 200 });
    let mut x = vec![Vec3::zeros(); right.len()];
    let precondition = |r: &[Vec3], z: &mut [Vec3]| multigrid.precondition(r, z);
    let report = pcg.solve_preconditioned(matrix, precondition, right, &mut x).expect("positive definite");
    (report, x, multigrid)
}

#[test]
fn iterations_hardly_grow_with_the_mesh() {
    let mut iterations = Vec::new();
    for cells in [6, 12, 24] {
        let (matrix, positions, right) = system(cells, [1.0, 1.0, 1.0]);
        let start = Instant::now();
        let (report, x, multigrid) = solve(&matrix, &positions, &right);
        println!(
            "{} nodes: {} iterations, {} levels, complexity {:.2}, {:?}",
            right.len(),
            report.iterations,
            multigrid.levels(),
            multigrid.operator_complexity(),
            start.elapsed()
        );
        assert!(residual_of(&matrix, &x, &right) < 1e-9);
        iterations.push(report.iterations);
    }
    // Conjugate gradients without it take twice as many for half the edge.
    assert!(iterations[2] as f64 <= 1.3 * iterations[1] as f64, "{iterations:?}");
    assert!(iterations[2] <= 40, "{iterations:?}");
}

#[test]
fn slender_and_flat_bodies_are_solved() {
    for stretch in [[0.1, 0.1, 1.0], [3.0, 3.0, 0.1]] {
        let (matrix, positions, right) = system(10, stretch);
        let (report, x, _) = solve(&matrix, &positions, &right);
        println!("{stretch:?}: {} iterations", report.iterations);
        assert!(residual_of(&matrix, &x, &right) < 1e-9 && report.iterations < 120, "{report:?}");
    }
}

#[test]
fn the_solution_is_that_of_the_factorisation() {
    let (matrix, positions, right) = system(8, [1.0, 2.0, 1.0]);
    let (_, x, _) = solve(&matrix, &positions, &right);
    let mut cholesky = Cholesky::new(Arc::new(Symbolic::analyse(matrix.pattern())));
    cholesky.factorise(&matrix).expect("positive definite");
    let mut direct = vec![Vec3::zeros(); right.len()];
    cholesky.solve(&right, &mut direct).expect("factorised");
    let size = direct.iter().map(|entry| entry.amax()).fold(0.0, f64::max);
    assert!(x.iter().zip(&direct).all(|(a, b)| (a - b).amax() < 1e-8 * size));
}

#[test]
fn a_cycle_is_symmetric_and_has_the_same_bits_for_any_number_of_threads() {
    let (matrix, positions, _) = system(9, [1.0, 1.0, 1.0]);
    let mut random = craze_math::Random::new(8);
    let mut vectors: [Vec<Vec3>; 2] = [(); 2].map(|()| positions.iter().map(|_| random.vector()).collect());
    let run = || {
        let mut multigrid = Multigrid::new(&matrix, &positions).expect("positive definite");
        [0, 1].map(|index| {
            let mut z = vec![Vec3::zeros(); positions.len()];
            multigrid.precondition(&vectors[index], &mut z);
            z
        })
    };
    let images = in_threads(1, run);
    assert!(images == in_threads(2, run) && images == in_threads(3, run));
    let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum::<f64>();
    let (one, other) = (dot(&vectors[0], &images[1]), dot(&vectors[1], &images[0]));
    let size = dot(&images[0], &images[0]).sqrt() * dot(&vectors[1], &vectors[1]).sqrt();
    assert!((one - other).abs() < 1e-12 * size, "{one} {other}");
    assert!(dot(&vectors[0], &images[0]) > 0.0);
    vectors[0].clear();
}

#[test]
fn pieces_single_elements_and_lone_nodes_are_solved_together() {
    let (nodes, elements) = box_mesh(6);
    let count = nodes.len() as u32;
    let mut positions = nodes.clone();
    positions.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(5.0)]);
    let mut elements = elements;
    elements.push([count, count + 1, count + 2, count + 3]);
    let pattern = Arc::new(Pattern::from_elements(positions.len(), &elements).expect("valid"));
    let mut matrix = BlockMatrix::zeros(pattern);
    matrix.assemble(&elastic_blocks(&positions, &elements)).expect("right length");
    matrix.add_to_diagonal(0.01);
    let right = vec![Vec3::new(1.0, 2.0, -1.0); positions.len()];
    let (report, x, _) = solve(&matrix, &positions, &right);
    assert!(residual_of(&matrix, &x, &right) < 1e-9, "{report:?}");
}
