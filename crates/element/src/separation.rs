//! Separation tensor of a node, §4.1 and §4.2 of O'Brien & Hodgins 1999.
//!
//! Element forces at a node are split into tensile and compressive parts. The balanced part of the
//! tensile forces acts to separate the node, the balanced part of the compressive forces opposes
//! it; the unbalanced parts accelerate the node.

use crate::tetrahedron::{positive_part, positive_parts};
use craze_math::{Mat3, Vec3, symmetric_eigen};

/// Tensile part of a stress (Pa), (29). The compressive part (30) is the remainder.
pub fn tensile_part(stress: &Mat3) -> Mat3 {
    positive_part(stress)
}

/// [`tensile_part`] of each stress, in place.
pub fn tensile_parts(stresses: &mut [Mat3]) {
    positive_parts(stresses);
}

/// m(a) of (28): the matrix with eigenvalue |a| along `a` and zero otherwise.
fn directed(a: &Vec3) -> Mat3 {
    let length = a.norm();
    if length > 0.0 { a * (a / length).transpose() } else { Mat3::zeros() }
}

/// Separation tensor of a node, accumulated over its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeparationTensor {
    /// Σ m(f) over the tensile and over the compressive forces (N).
    tensile_sum: Mat3,
    compressive_sum: Mat3,
    /// Sums of the tensile and of the compressive forces: their unbalanced parts (N).
    tensile: Vec3,
    compressive: Vec3,
}

impl SeparationTensor {
    /// Adds the tensile and the compressive force (N) of an element on the node, (31).
    pub fn add(&mut self, tensile: &Vec3, compressive: &Vec3) {
        self.tensile_sum += directed(tensile);
        self.compressive_sum += directed(compressive);
        self.tensile += tensile;
        self.compressive += compressive;
    }

    /// Upper bound (N) of the eigenvalues of the separation tensor, without an eigenvalue problem.
    /// The compressive part is omitted. With m = tr/3 and deviator D, the largest eigenvalue is at
    /// most m + √(2/3)·|D|, with equality in uniaxial tension.
    pub fn upper_bound(&self) -> f64 {
        let separating = 0.5 * (self.tensile_sum - directed(&self.tensile));
        let mean = separating.trace() / 3.0;
        // Covers the rounding of the sums.
        (mean + (2.0f64 / 3.0).sqrt() * (separating - mean * Mat3::identity()).norm()) * (1.0 + 1e-12)
    }

    /// ζ of (32) (N). The node separates along the eigenvector of the largest positive eigenvalue.
    ///
    /// Deviation from the paper: where compressive forces spread about the direction of their sum,
    /// as at every node of a loaded face, m(f⁻) − Σ m(f) has a positive eigenvalue along it (½ for
    /// two unit forces at 60° to it), and a body under pure compression would fracture. Compression
    /// must not separate, so only the negative part of that difference is used; it equals the
    /// difference wherever compression is balanced.
    pub fn tensor(&self) -> Mat3 {
        let opposing = positive_part(&(self.compressive_sum - directed(&self.compressive)));
        0.5 * (self.tensile_sum - directed(&self.tensile) - opposing)
    }
}

/// Area of a node (m²) across a unit `normal` at rest, ½·Σ vol·|n̂·∇N| over its elements (READINGS
/// 2). The eigenvalue of the separation tensor divided by it is a stress, exact on every mesh in
/// uniaxial tension along the normal. `gradients` are vol·∇N of the node (m²), one per element.
///
/// The area is at least [`MIN_AREA_FRACTION`] of ½·Σ vol·|∇N|: for elements nearly parallel to the
/// normal, force over a vanishing area would always exceed the strength.
pub fn separation_area(normal: &Vec3, gradients: &[Vec3]) -> f64 {
    let width: f64 = gradients.iter().map(|gradient| normal.dot(gradient).abs()).sum();
    let total: f64 = gradients.iter().map(|gradient| gradient.norm()).sum();
    0.5 * width.max(MIN_AREA_FRACTION * total)
}

/// Lower bound of [`separation_area`] over all normals (m²): from |n̂·g| ≥ (n̂·g)²/|g|, half the
/// smallest eigenvalue of Σ g·gᵀ/|g|. Cheap, but up to a factor of two below
/// [`min_separation_area`].
pub fn separation_area_bound(gradients: &[Vec3]) -> f64 {
    let spread: Mat3 = gradients.iter().map(directed).sum();
    0.5 * symmetric_eigen(&spread).values[2].max(MIN_AREA_FRACTION * spread.trace())
}

/// Minimum of [`separation_area`] over all normals (m²).
///
/// Σ|n̂·g| is the width along n̂ of the zonotope spanned by the segments ±g/2. The width of a
/// polytope is smallest across one of its faces, and a face of a zonotope contains two of its
/// segments, so the cross products of all pairs of gradients are tried as normals.
pub fn min_separation_area(gradients: &[Vec3]) -> f64 {
    let total: f64 = gradients.iter().map(|gradient| gradient.norm()).sum();
    let mut least = f64::INFINITY;
    for (index, one) in gradients.iter().enumerate() {
        for other in &gradients[index + 1..] {
            let normal = one.cross(other);
            let length = normal.norm();
            if length > PARALLEL_SINE * one.norm() * other.norm() {
                let width: f64 = gradients.iter().map(|gradient| normal.dot(gradient).abs()).sum();
                least = least.min(width / length);
            }
        }
    }
    if least.is_finite() { 0.5 * least.max(MIN_AREA_FRACTION * total) } else { separation_area_bound(gradients) }
}

/// Sine of the angle between two gradients below which they count as parallel.
const PARALLEL_SINE: f64 = 1e-9;

/// Lower limit of [`separation_area`], as a fraction of ½·Σ vol·|∇N|.
pub const MIN_AREA_FRACTION: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    const PULL: f64 = 7.0;

    #[test]
    fn no_area_is_below_the_minimum_and_some_reach_it() {
        let mut random = craze_math::Random::new(5);
        for count in [2, 3, 5, 12, 24] {
            for flatness in [1.0, 0.1, 1e-3] {
                let gradients: Vec<Vec3> = (0..count)
                    .map(|_| {
                        let gradient = random.number() * random.direction();
                        Vec3::new(gradient.x, gradient.y, flatness * gradient.z)
                    })
                    .collect();
                let least = min_separation_area(&gradients);
                assert!(separation_area_bound(&gradients) <= least * (1.0 + 1e-12), "{count} {flatness}");
                let areas: Vec<f64> = (0..20_000).map(|_| separation_area(&random.direction(), &gradients)).collect();
                let found = areas.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(least <= found * (1.0 + 1e-12), "{least} {found}");
                assert!(flatness < 1.0 || count < 5 || found < 1.05 * least, "{count}: {least} {found}");
            }
        }
    }

    fn largest_eigenpair(separation: &SeparationTensor) -> (f64, Vec3) {
        let eigen = symmetric_eigen(&separation.tensor());
        (eigen.values[0], eigen.vectors.column(0).into_owned())
    }

    #[test]
    fn opposed_tensile_forces_separate_by_one_of_them() {
        let mut separation = SeparationTensor::default();
        separation.add(&Vec3::new(PULL, 0.0, 0.0), &Vec3::zeros());
        separation.add(&Vec3::new(-PULL, 0.0, 0.0), &Vec3::zeros());
        let (value, direction) = largest_eigenpair(&separation);
        assert!((value - PULL).abs() < 1e-14 && (direction.x.abs() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn compression_opposes_separation_and_unbalanced_tension_has_no_effect() {
        let mut pushed = SeparationTensor::default();
        pushed.add(&Vec3::zeros(), &Vec3::new(PULL, 0.0, 0.0));
        pushed.add(&Vec3::zeros(), &Vec3::new(-PULL, 0.0, 0.0));
        assert!(symmetric_eigen(&pushed.tensor()).values[2] < -0.99 * PULL && largest_eigenpair(&pushed).0 < 1e-14);
        let mut carried = SeparationTensor::default();
        for _ in 0..5 {
            carried.add(&Vec3::new(1.0, 2.0, -0.5), &Vec3::new(-0.3, 0.1, 0.2));
        }
        assert!(carried.tensor().norm() < 1e-14);
    }

    #[test]
    fn spreading_compressive_forces_never_separate() {
        let mut spread = SeparationTensor::default();
        for side in [-1.0, 1.0] {
            spread.add(&Vec3::zeros(), &Vec3::new(0.5, side * 0.75f64.sqrt(), 0.0));
        }
        assert!(largest_eigenpair(&spread).0 < 1e-14);
    }

    #[test]
    fn the_tensor_rotates_with_the_forces() {
        let rotation = craze_math::Rotation::from_euler_angles(0.3, -1.1, 2.0).to_rotation_matrix().into_inner();
        let forces = [Vec3::new(1.0, 0.2, 0.1), Vec3::new(-0.7, 0.4, 0.0), Vec3::new(-0.2, -0.9, 0.3)];
        let (mut here, mut there) = (SeparationTensor::default(), SeparationTensor::default());
        for force in forces {
            let push = Vec3::new(force.y, force.z, force.x);
            here.add(&force, &push);
            there.add(&(rotation * force), &(rotation * push));
        }
        assert!((rotation * here.tensor() * rotation.transpose() - there.tensor()).norm() < 1e-14);
    }

    #[test]
    fn no_normal_has_an_area_below_the_bound() {
        let gradients = [Vec3::new(1.0, 0.1, 0.0), Vec3::new(-0.2, 0.7, 0.3), Vec3::new(0.1, -0.5, 0.2)];
        for round in 0..1000 {
            let angle = f64::from(round);
            let normal = Vec3::new(angle.sin(), (1.7 * angle).cos(), (0.3 * angle).sin()).normalize();
            assert!(separation_area(&normal, &gradients) >= min_separation_area(&gradients) * (1.0 - 1e-12));
        }
    }

    #[test]
    fn no_eigenvalue_exceeds_the_upper_bound_and_uniaxial_tension_reaches_it() {
        let mut random = craze_math::Random::new(5);
        let mut vector = || Vec3::from_fn(|_, _| random.signed());
        for count in 1..40 {
            let mut separation = SeparationTensor::default();
            for _ in 0..count {
                separation.add(&vector(), &vector());
            }
            assert!(largest_eigenpair(&separation).0 <= separation.upper_bound());
        }
        let mut separation = SeparationTensor::default();
        separation.add(&Vec3::new(0.0, 2.0, 0.0), &Vec3::zeros());
        separation.add(&Vec3::new(0.0, -2.0, 0.0), &Vec3::zeros());
        assert!((separation.upper_bound() - 2.0).abs() < 1e-11);
    }

    #[test]
    fn batched_tensile_parts_equal_single_ones() {
        let mut random = craze_math::Random::new(9);
        let stresses: Vec<Mat3> = (0..45)
            .map(|index| {
                let any = Mat3::from_fn(|_, _| random.signed());
                any + any.transpose() + f64::from(index % 5 - 2) * Mat3::identity()
            })
            .collect();
        let mut together = stresses.clone();
        tensile_parts(&mut together);
        assert!(together.iter().zip(&stresses).all(|(part, stress)| *part == tensile_part(stress)));
    }

    #[test]
    fn no_forces_give_a_zero_tensor() {
        assert_eq!(SeparationTensor::default().tensor(), Mat3::zeros());
        assert_eq!(
            tensile_part(&Mat3::from_diagonal(&Vec3::new(2.0, -3.0, 0.0))),
            Mat3::from_diagonal(&Vec3::new(2.0, 0.0, 0.0))
        );
    }
}
