//! Test matrices for the property tests of this crate.

use crate::{Mat3, Random, Vec3};

/// A reproducible stream of matrices: random, near-singular, inverted, of rank one and zero,
/// symmetric, nearly diagonal, with equal singular values, graded, huge and tiny.
pub struct Matrices {
    random: Random,
    count: u64,
}

impl Matrices {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), count: 0 }
    }

    /// A number in \[−1, 1).
    pub fn number(&mut self) -> f64 {
        self.random.signed()
    }

    pub fn vector(&mut self) -> Vec3 {
        self.random.vector()
    }

    fn dense(&mut self) -> Mat3 {
        Mat3::from_columns(&[self.vector(), self.vector(), self.vector()])
    }

    fn rotation(&mut self) -> Mat3 {
        crate::Rotation::new(self.vector() * 3.0).to_rotation_matrix().into_inner()
    }
}

impl Iterator for Matrices {
    type Item = Mat3;

    fn next(&mut self) -> Option<Mat3> {
        self.count += 1;
        let (u, v) = (self.rotation(), self.rotation());
        let noise = 10f64.powf(-9.0 + 9.0 * self.number());
        let values = self.vector();
        Some(match self.count % 16 {
            0 => self.dense() * 1e150,
            1 => self.dense() * 1e-150,
            2 => self.vector() * self.vector().transpose(),
            3 => self.vector() * self.vector().transpose() + self.dense() * noise,
            4 => u * Mat3::from_diagonal(&Vec3::new(1.0, values.y, values.z * noise)) * v,
            5 => u * Mat3::from_diagonal(&Vec3::new(1.0, noise, noise * noise)) * v,
            6 => u * Mat3::from_diagonal(&Vec3::new(values.x, values.x, values.z)) * v,
            7 => u * Mat3::from_diagonal(&Vec3::new(values.x, values.y, -values.y)) * v,
            8 => u + self.dense() * noise,
            9 => -u,
            10 => Mat3::from_diagonal(&values) + self.dense() * noise,
            11 => u * Mat3::from_diagonal(&values) * u.transpose(),
            12 if self.count % 1024 < 16 => Mat3::zeros(),
            13 => self.dense().map(|entry| (entry * 2.0).round()),
            14 => self.dense().map(|entry| entry * 10f64.powf(60.0 * noise)),
            _ => self.dense(),
        })
    }
}

/// Largest magnitude of the entries; NaN if any is NaN.
pub fn largest_entry(matrix: &Mat3) -> f64 {
    matrix.iter().fold(0.0, |most: f64, entry| if entry.is_nan() { f64::NAN } else { most.max(entry.abs()) })
}
