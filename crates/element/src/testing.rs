//! Finite differences for the elements of sheets.

use craze_math::{Mat3, Random, Vec3};

/// Random positions of `N` nodes around a shape.
pub struct Positions<const N: usize> {
    shape: [Vec3; N],
    distance: f64,
    random: Random,
}

impl<const N: usize> Positions<N> {
    /// Each coordinate is moved by up to `distance` (m).
    pub fn around(shape: [Vec3; N], distance: f64, seed: u64) -> Self {
        Positions { shape, distance, random: Random::new(seed) }
    }
}

impl<const N: usize> Iterator for Positions<N> {
    type Item = [Vec3; N];

    fn next(&mut self) -> Option<[Vec3; N]> {
        Some(self.shape.map(|position| position + self.distance * self.random.vector()))
    }
}

/// Largest difference between forces and the negative slope of the energy.
pub fn gradient_error<const N: usize>(
    positions: &[Vec3; N],
    energy: impl Fn(&[Vec3; N]) -> f64,
    forces: impl Fn(&[Vec3; N]) -> [Vec3; N],
) -> f64 {
    let forces = forces(positions);
    let mut largest: f64 = 0.0;
    for node in 0..N {
        for axis in 0..3 {
            let moved = |shift: f64| {
                let mut moved = *positions;
                moved[node][axis] += shift;
                energy(&moved)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            largest = largest.max((forces[node][axis] + slope).abs());
        }
    }
    largest
}

/// Asserts that blocks are symmetric, positive semidefinite on random motions, and free of forces
/// under translation.
pub fn check_stiffness<const N: usize>(blocks: &[[Mat3; N]; N]) {
    let size = blocks.iter().flatten().map(Mat3::norm).fold(0.0, f64::max);
    let mut random = Random::new(7);
    for i in 0..N {
        for j in 0..N {
            assert!((blocks[i][j] - blocks[j][i].transpose()).norm() <= 1e-12 * size);
        }
        let row: Mat3 = blocks[i].iter().sum();
        assert!(row.norm() <= 1e-11 * size, "translation");
    }
    for _ in 0..20 {
        let motion: [Vec3; N] = std::array::from_fn(|_| random.vector());
        let mut energy = 0.0;
        for i in 0..N {
            for j in 0..N {
                energy += motion[i].dot(&(blocks[i][j] * motion[j]));
            }
        }
        assert!(energy >= -1e-12 * size, "{energy}");
    }
}
