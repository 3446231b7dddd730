//! Meshes, element matrices and thread pools for the tests of this crate.

use crate::block::BlockMatrix;
use crate::constraint::Constraints;
use crate::pattern::Pattern;
use craze_math::{Mat3, Vec3, tetrahedron};
use std::sync::Arc;

/// A unit cube of `cells`³ cells, six tetrahedra each.
pub fn box_mesh(cells: usize) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let side = cells + 1;
    let index = |x: usize, y: usize, z: usize| (x + side * (y + side * z)) as u32;
    let mut nodes = Vec::new();
    let mut elements = Vec::new();
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                nodes.push(Vec3::new(x as f64, y as f64, z as f64) / cells as f64);
            }
        }
    }
    // Six paths along the axes from one corner of the cell to the opposite one.
    let paths = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for z in 0..cells {
        for y in 0..cells {
            for x in 0..cells {
                for path in paths {
                    let mut corner = [x, y, z];
                    let mut element = [index(x, y, z); 4];
                    for (step, axis) in path.into_iter().enumerate() {
                        corner[axis] += 1;
                        element[step + 1] = index(corner[0], corner[1], corner[2]);
                    }
                    elements.push(element);
                }
            }
        }
    }
    (nodes, elements)
}

/// Element matrices of linear elasticity with λ = μ = 1 Pa: V·(λ gᵢ⊗gⱼ + μ gⱼ⊗gᵢ + μ gᵢ·gⱼ 1).
pub fn elastic_blocks(nodes: &[Vec3], elements: &[[u32; 4]]) -> Vec<Mat3> {
    let mut blocks = Vec::with_capacity(elements.len() * 16);
    for element in elements {
        let corners = element.map(|node| nodes[node as usize]);
        let gradients = tetrahedron::shape_gradients(&corners).expect("not flat");
        let volume = tetrahedron::volume(&corners).abs();
        for a in gradients {
            for b in gradients {
                blocks.push((a * b.transpose() + b * a.transpose() + Mat3::identity() * a.dot(&b)) * volume);
            }
        }
    }
    blocks
}

/// The stiffness of an elastic box clamped at z = 0, with constraints applied, and the constraints.
pub fn clamped_box(cells: usize) -> (BlockMatrix, Constraints) {
    let (nodes, elements) = box_mesh(cells);
    let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
    let mut matrix = BlockMatrix::zeros(pattern);
    matrix.assemble(&elastic_blocks(&nodes, &elements)).expect("right length");
    let constraints = Constraints::fixed(nodes.len(), (0..nodes.len()).filter(|&node| nodes[node].z == 0.0));
    matrix.constrain(&constraints).expect("right length");
    (matrix, constraints)
}

/// |right − matrix·x| / |right|.
pub fn residual_of(matrix: &BlockMatrix, x: &[Vec3], right: &[Vec3]) -> f64 {
    let mut product = vec![Vec3::zeros(); x.len()];
    matrix.multiply(x, &mut product).expect("right length");
    let error: f64 = product.iter().zip(right).map(|(product, right)| (product - right).norm_squared()).sum();
    let size: f64 = right.iter().map(Vec3::norm_squared).sum();
    (error / size).sqrt()
}

/// Runs a closure in a pool of this many threads.
pub fn in_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(run)
}
