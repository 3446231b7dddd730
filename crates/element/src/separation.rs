//! What pulls a node apart: §4.1 and §4.2 of O'Brien & Hodgins 1999.
//!
//! The forces of the elements at a node are divided into those of tension and those of compression. What of each set is
//! balanced by the rest of the set acts to separate the node, or to hold it together; what is not balanced moves it.

use crate::tetrahedron::{positive_part, positive_parts};
use craze_math::{Mat3, Vec3, symmetric_eigen};

/// Tensile component of a stress (Pa), (29); the compressive one (30) is what is left.
pub fn tensile_part(stress: &Mat3) -> Mat3 {
    positive_part(stress)
}

/// [`tensile_part`] of each stress, in place.
pub fn tensile_parts(stresses: &mut [Mat3]) {
    positive_parts(stresses);
}

/// m(a) of (28): the matrix with |a| as an eigenvalue along `a`, and zeros.
fn directed(a: &Vec3) -> Mat3 {
    let length = a.norm();
    if length > 0.0 { a * (a / length).transpose() } else { Mat3::zeros() }
}

/// The separation tensor of a node, force by force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Separation {
    /// Σ m(f) over the tensile and over the compressive forces (N).
    pulls: Mat3,
    pushes: Mat3,
    /// What is unbalanced of each (N).
    tensile: Vec3,
    compressive: Vec3,
}

impl Separation {
    /// Adds what an element does to the node: the force of its tension and that of its compression (N), (31).
    pub fn add(&mut self, tensile: &Vec3, compressive: &Vec3) {
        self.pulls += directed(tensile);
        self.pushes += directed(compressive);
        self.tensile += tensile;
        self.compressive += compressive;
    }

    /// A number (N) that no eigenvalue of the separation tensor exceeds, without an eigenvalue problem: what holds together is left out, and of
    /// m = tr/3 and the deviator D the largest eigenvalue is at most m + √(2/3)·|D|, which it is in uniaxial tension.
    pub fn bound(&self) -> f64 {
        let pulling = 0.5 * (self.pulls - directed(&self.tensile));
        let mean = pulling.trace() / 3.0;
        // A hair more, since sums are rounded.
        (mean + (2.0f64 / 3.0).sqrt() * (pulling - mean * Mat3::identity()).norm()) * (1.0 + 1e-12)
    }

    /// ζ of (32) (N). Its largest positive eigenvalue pulls the node apart, along the eigenvector.
    ///
    /// One thing is not as printed. Where compressive forces spread about the direction of their sum, as they do at every
    /// node of a loaded face, m(f⁻) − Σ m(f) has a positive eigenvalue along it (two unit pushes at 60° to it: ½), and a body
    /// that is only squeezed would break. Compression holds together or does nothing, so the negative part of that
    /// difference is taken; it is the difference itself wherever compression is balanced.
    pub fn tensor(&self) -> Mat3 {
        let holding = positive_part(&(self.pushes - directed(&self.compressive)));
        0.5 * (self.pulls - directed(&self.tensile) - holding)
    }
}

/// Area of a node (m²) across a unit `normal` at rest, ½·Σ vol·|n̂·∇N| over its elements (READINGS 2): what the eigenvalue of
/// the separation tensor is divided by to become a stress. In uniaxial tension along the normal that stress is exact on
/// every mesh. `gradients` are vol·∇N of the node (m²), one an element.
///
/// Where the elements lie so flat about the node that they have nearly nothing across the normal, a tenth of all
/// there is (½·Σ vol·|∇N|) counts instead: a force over no area would break everything.
pub fn area_across(normal: &Vec3, gradients: &[Vec3]) -> f64 {
    let across: f64 = gradients.iter().map(|gradient| normal.dot(gradient).abs()).sum();
    let all: f64 = gradients.iter().map(|gradient| gradient.norm()).sum();
    0.5 * across.max(LEAST_SHARE * all)
}

/// No more than the least that [`area_across`] can be for any normal (m²): |n̂·g| ≥ (n̂·g)²/|g| makes it at least half the smallest
/// eigenvalue of Σ g·gᵀ/|g|. Quick, but it may be half of it.
pub fn bound_of_area_across(gradients: &[Vec3]) -> f64 {
    let spread: Mat3 = gradients.iter().map(directed).sum();
    0.5 * symmetric_eigen(&spread).values[2].max(LEAST_SHARE * spread.trace())
}

/// The least that [`area_across`] can be for any normal (m²).
///
/// Σ|n̂·g| is the width along n̂ of the sum of the segments ±g/2, a zonotope. A polytope is thinnest across one of its faces, and
/// those of a zonotope lie along two of the segments: so all products of two gradients are tried as normals.
pub fn least_area_across(gradients: &[Vec3]) -> f64 {
    let all: f64 = gradients.iter().map(|gradient| gradient.norm()).sum();
    let mut least = f64::INFINITY;
    for (place, one) in gradients.iter().enumerate() {
        for other in &gradients[place + 1..] {
            let normal = one.cross(other);
            let length = normal.norm();
            // What is nearly parallel has no face of its own.
            if length > PARALLEL * one.norm() * other.norm() {
                let across: f64 = gradients.iter().map(|gradient| normal.dot(gradient).abs()).sum();
                least = least.min(across / length);
            }
        }
    }
    if least.is_finite() { 0.5 * least.max(LEAST_SHARE * all) } else { bound_of_area_across(gradients) }
}

/// Sine of the angle below which two gradients count as parallel.
const PARALLEL: f64 = 1e-9;

/// Least share of a node's area that counts across a normal; see [`area_across`].
pub const LEAST_SHARE: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    const PULL: f64 = 7.0;

    #[test]
    fn no_area_is_less_than_the_least_and_some_are_hardly_more() {
        let mut random = craze_math::Random::new(5);
        for count in [2, 3, 5, 12, 24] {
            for flatness in [1.0, 0.1, 1e-3] {
                let gradients: Vec<Vec3> = (0..count)
                    .map(|_| {
                        let gradient = random.number() * random.direction();
                        Vec3::new(gradient.x, gradient.y, flatness * gradient.z)
                    })
                    .collect();
                let least = least_area_across(&gradients);
                assert!(bound_of_area_across(&gradients) <= least * (1.0 + 1e-12), "{count} {flatness}");
                let areas: Vec<f64> = (0..20_000).map(|_| area_across(&random.direction(), &gradients)).collect();
                let found = areas.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(least <= found * (1.0 + 1e-12), "{least} {found}");
                assert!(flatness < 1.0 || count < 5 || found < 1.05 * least, "{count}: {least} {found}");
            }
        }
    }

    fn strongest(separation: &Separation) -> (f64, Vec3) {
        let eigen = symmetric_eigen(&separation.tensor());
        (eigen.values[0], eigen.vectors.column(0).into_owned())
    }

    #[test]
    fn opposed_pulls_separate_by_one_of_them() {
        let mut separation = Separation::default();
        separation.add(&Vec3::new(PULL, 0.0, 0.0), &Vec3::zeros());
        separation.add(&Vec3::new(-PULL, 0.0, 0.0), &Vec3::zeros());
        let (value, direction) = strongest(&separation);
        assert!((value - PULL).abs() < 1e-14 && (direction.x.abs() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn pushes_hold_together_and_one_sided_pulls_do_nothing() {
        let mut pushed = Separation::default();
        pushed.add(&Vec3::zeros(), &Vec3::new(PULL, 0.0, 0.0));
        pushed.add(&Vec3::zeros(), &Vec3::new(-PULL, 0.0, 0.0));
        assert!(symmetric_eigen(&pushed.tensor()).values[2] < -0.99 * PULL && strongest(&pushed).0 < 1e-14);
        let mut carried = Separation::default();
        for _ in 0..5 {
            carried.add(&Vec3::new(1.0, 2.0, -0.5), &Vec3::new(-0.3, 0.1, 0.2));
        }
        assert!(carried.tensor().norm() < 1e-14);
    }

    #[test]
    fn pushes_that_spread_never_separate() {
        let mut spread = Separation::default();
        for side in [-1.0, 1.0] {
            spread.add(&Vec3::zeros(), &Vec3::new(0.5, side * 0.75f64.sqrt(), 0.0));
        }
        assert!(strongest(&spread).0 < 1e-14);
    }

    #[test]
    fn the_tensor_turns_with_the_forces() {
        let turn = craze_math::Rotation::from_euler_angles(0.3, -1.1, 2.0).to_rotation_matrix().into_inner();
        let forces = [Vec3::new(1.0, 0.2, 0.1), Vec3::new(-0.7, 0.4, 0.0), Vec3::new(-0.2, -0.9, 0.3)];
        let (mut here, mut there) = (Separation::default(), Separation::default());
        for force in forces {
            let push = Vec3::new(force.y, force.z, force.x);
            here.add(&force, &push);
            there.add(&(turn * force), &(turn * push));
        }
        assert!((turn * here.tensor() * turn.transpose() - there.tensor()).norm() < 1e-14);
    }

    #[test]
    fn no_normal_has_less_than_the_least_area() {
        let gradients = [Vec3::new(1.0, 0.1, 0.0), Vec3::new(-0.2, 0.7, 0.3), Vec3::new(0.1, -0.5, 0.2)];
        for round in 0..1000 {
            let angle = f64::from(round);
            let normal = Vec3::new(angle.sin(), (1.7 * angle).cos(), (0.3 * angle).sin()).normalize();
            assert!(area_across(&normal, &gradients) >= least_area_across(&gradients) * (1.0 - 1e-12));
        }
    }

    #[test]
    fn no_eigenvalue_exceeds_the_bound_and_uniaxial_tension_reaches_it() {
        let mut random = craze_math::Random::new(5);
        let mut vector = || Vec3::from_fn(|_, _| random.signed());
        for count in 1..40 {
            let mut separation = Separation::default();
            for _ in 0..count {
                separation.add(&vector(), &vector());
            }
            assert!(strongest(&separation).0 <= separation.bound());
        }
        let mut separation = Separation::default();
        separation.add(&Vec3::new(0.0, 2.0, 0.0), &Vec3::zeros());
        separation.add(&Vec3::new(0.0, -2.0, 0.0), &Vec3::zeros());
        assert!((separation.bound() - 2.0).abs() < 1e-11);
    }

    #[test]
    fn many_tensile_parts_are_those_of_one_by_one() {
        let mut random = craze_math::Random::new(9);
        let stresses: Vec<Mat3> = (0..45)
            .map(|place| {
                let any = Mat3::from_fn(|_, _| random.signed());
                any + any.transpose() + f64::from(place % 5 - 2) * Mat3::identity()
            })
            .collect();
        let mut together = stresses.clone();
        tensile_parts(&mut together);
        assert!(together.iter().zip(&stresses).all(|(part, stress)| *part == tensile_part(stress)));
    }

    #[test]
    fn nothing_pulls_where_nothing_acts() {
        assert_eq!(Separation::default().tensor(), Mat3::zeros());
        assert_eq!(
            tensile_part(&Mat3::from_diagonal(&Vec3::new(2.0, -3.0, 0.0))),
            Mat3::from_diagonal(&Vec3::new(2.0, 0.0, 0.0))
        );
    }
}
