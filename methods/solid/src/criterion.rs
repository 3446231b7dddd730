//! The fracture criterion: O'Brien & Hodgins 1999, §4.1 and §4.2, with READINGS 2.
//!
//! A node fails in the plane across the eigenvector of the largest eigenvalue ζ₁ of its separation
//! tensor (32). It fails if ζ₁ divided by the area across that plane exceeds the tensile strength,
//! or if ζ₁ itself exceeds the paper's toughness in newtons. [`FractureCriterion`] gives both the
//! exact value at a node and the bounds by which nodes and elements are rejected early, so that the
//! two always speak of the same criterion. [`SeparationLanes`] is the bound for eight nodes at
//! once.

use crate::kernel::dot;
use craze_element::{MIN_AREA_FRACTION, SeparationTensor, separation_area};
use craze_engine::FailureMeasure;
use craze_material::Strength;
use craze_math::columns::{Columns, Vector};
use craze_math::eigen::symmetric_eigen_of;
use craze_math::lanes::{Lanes, Mask, WIDTH};
use craze_math::{Mat3, Vec3, symmetric_eigen};

/// Margin relative to failure (1) by which a bound exceeds the value that it bounds:
/// [`SeparationLanes`] rounds differently from the exact evaluation.
const BOUND_MARGIN: f64 = 1e-5;
/// Rounding of the sums of forces at a node, relative to the sum of their norms.
const FORCE_ROUNDING: f64 = 1e-9;
/// Smallest gap between the two largest eigenvalues, relative to the sum of all forces, at which
/// the direction of the first is accurate enough to compute the area across it.
const EIGENVALUE_GAP: f64 = 1e-4;
/// Compressive forces below this fraction of the tensile ones are left out of a bound. Leaving them
/// out only increases it.
const NEGLIGIBLE_COMPRESSION: f64 = 1e-11;

/// State of a node relative to failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureState {
    /// Load divided by the strength of the material there: above one the node fails.
    pub ratio: f64,
    /// Separation stress, or separation force where the material has the paper's toughness in
    /// newtons.
    pub measure: FailureMeasure,
    /// Unit normal of the crack plane, in the world.
    pub normal: Vec3,
}

/// The strengths that decide at a node: those of the weakest material around it. Infinite where no
/// material has a strength of that kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FractureCriterion {
    /// Tensile strength (Pa).
    pub tensile: f64,
    /// Largest separation force (N): τ of §4.2.
    pub separation_force: f64,
}

impl FractureCriterion {
    /// Nothing fails.
    pub const UNBREAKABLE: Self = Self { tensile: f64::INFINITY, separation_force: f64::INFINITY };

    /// The criterion of the weaker of this material and another one. A material with a separation
    /// force ignores its tensile strength.
    pub fn or(self, strength: &Strength) -> Self {
        match (strength.separation_force, strength.tensile) {
            (Some(force), _) => Self { separation_force: self.separation_force.min(force), ..self },
            (None, Some(stress)) => Self { tensile: self.tensile.min(stress), ..self },
            (None, None) => self,
        }
    }

    pub fn is_breakable(&self) -> bool {
        self.tensile.is_finite() || self.separation_force.is_finite()
    }

    /// Exact state of a node; `None` if nothing separates it, or if its separation force is
    /// certainly less than `critical_force` (N).
    ///
    /// `deformation` is the mean deformation gradient F̄ around the node: a plane with the normal
    /// n̂ in the world had the normal F̄ᵀ·n̂ at rest. `gradients` are vol·∇N of the node, one per
    /// element (m²). `factor` multiplies the strengths at the node.
    pub fn evaluate(
        &self,
        separation: &SeparationTensor,
        deformation: &Mat3,
        gradients: &[Vec3],
        factor: f64,
        critical_force: f64,
    ) -> Option<FailureState> {
        if !self.is_breakable() || separation.upper_bound() < critical_force {
            return None;
        }
        let eigen = symmetric_eigen(&separation.tensor());
        let (force, normal) = (eigen.values[0], eigen.vectors.column(0).into_owned());
        if !(force > 0.0) {
            return None;
        }
        let at_rest = deformation.tr_mul(&normal).normalize();
        let stress = force / separation_area(&at_rest, gradients);
        let (by_stress, by_force) = (stress / (factor * self.tensile), force / (factor * self.separation_force));
        let (ratio, measure) = if by_stress >= by_force {
            (by_stress, FailureMeasure::Stress(stress))
        } else {
            (by_force, FailureMeasure::Force(force))
        };
        Some(FailureState { ratio, measure, normal })
    }

    /// Separation force (N) below which a node does not fail, if the area across its crack plane is
    /// at least `area` (m²).
    pub fn critical_force(&self, area: f64, factor: f64) -> f64 {
        factor * self.separation_force.min(self.tensile * area)
    }

    /// Stress (Pa) of the elements around a node below which it does not fail. `area` (m²) is
    /// ½·Σ vol·|∇N| of the node.
    ///
    /// ζ₁ is at most that area times the largest stress, and is divided by at least
    /// [`MIN_AREA_FRACTION`] of it.
    pub fn critical_stress(&self, area: f64, factor: f64) -> f64 {
        factor * (MIN_AREA_FRACTION * self.tensile).min(self.separation_force / area)
    }
}

/// The sums that the separation tensor (32) of eight nodes is made of. Symmetric tensors are
/// xx, yy, zz, yz, zx, xy.
pub(crate) struct SeparationLanes<L> {
    /// Σ m(f⁺) and Σ m(f⁻) over the tensile and the compressive forces (N).
    pub tensile: [L; 6],
    pub compressive: [L; 6],
    /// Σ f⁺ and Σ f⁻ (N).
    pub tensile_sum: [L; 3],
    pub compressive_sum: [L; 3],
    /// Σ vol·F of the elements (m³), column by column.
    pub deformation: [[L; 3]; 3],
}

/// What [`SeparationLanes::bound`] finds for eight nodes.
pub(crate) struct ForceBounds {
    /// Unit normal of the crack plane at rest.
    pub normal: [[f64; WIDTH]; 3],
    /// Upper bound of ζ₁ (N): 0 if the node certainly does not fail, infinite if the normal is
    /// uncertain.
    pub force: [f64; WIDTH],
}

impl<L: Lanes> SeparationLanes<L> {
    /// Upper bounds of the largest eigenvalue ζ₁ of (32) of nodes that could fail from the forces
    /// `critical` (N) on.
    #[inline(always)]
    pub fn bound(&self, critical: &[f64; WIDTH]) -> ForceBounds {
        let Self { tensile, compressive, tensile_sum, compressive_sum, deformation } = self;
        let (zero, half) = (L::splat(0.0), L::splat(0.5));
        let unbalanced = directed(tensile_sum);
        let mut tensor = [zero; 6];
        for i in 0..6 {
            tensor[i] = half * (tensile[i] - unbalanced[i]);
        }
        let tension = tensile[0] + tensile[1] + tensile[2];
        let compression = compressive[0] + compressive[1] + compressive[2];
        if (L::splat(NEGLIGIBLE_COMPRESSION) * tension).less_than(compression).any() {
            let unbalanced = directed(compressive_sum);
            let mut holding = [zero; 6];
            for i in 0..6 {
                holding[i] = compressive[i] - unbalanced[i];
            }
            let holding = positive_part(&holding);
            for i in 0..6 {
                tensor[i] = tensor[i] - half * holding[i];
            }
        }
        let eigen = symmetric_eigen_of(&columns_of(&tensor));
        let ([largest, second, _], normal) = (eigen.values.0, eigen.vectors.0[0].0);
        let at_rest = deformation.map(|column| dot(&column, &normal, zero));
        let inverse = L::splat(1.0) / dot(&at_rest, &at_rest, L::splat(f64::MIN_POSITIVE)).sqrt();
        let scale = tension + compression;
        let bound = largest.mul_add(L::splat(1.0 + BOUND_MARGIN), L::splat(FORCE_ROUNDING) * scale);
        let gap = (largest - second - L::splat(EIGENVALUE_GAP) * scale).to_array();
        let (bound, largest) = (bound.to_array(), largest.to_array());
        let mut force = [0.0; WIDTH];
        for lane in 0..WIDTH {
            force[lane] = if largest[lane] <= 0.0 || bound[lane] < critical[lane] {
                0.0
            } else if gap[lane] > 0.0 {
                bound[lane]
            } else {
                f64::INFINITY
            };
        }
        ForceBounds { normal: at_rest.map(|entry| (entry * inverse).to_array()), force }
    }
}

/// m(a) of (28), without a division by zero.
#[inline(always)]
pub(crate) fn directed<L: Lanes>(a: &[L; 3]) -> [L; 6] {
    let inverse = L::splat(1.0) / dot(a, a, L::splat(f64::MIN_POSITIVE)).sqrt();
    let [x, y, z] = [a[0] * inverse, a[1] * inverse, a[2] * inverse];
    [a[0] * x, a[1] * y, a[2] * z, a[1] * z, a[2] * x, a[0] * y]
}

#[inline(always)]
fn columns_of<L: Lanes>(s: &[L; 6]) -> Columns<L> {
    Columns([Vector([s[0], s[5], s[4]]), Vector([s[5], s[1], s[3]]), Vector([s[4], s[3], s[2]])])
}

/// The positive semidefinite part of symmetric tensors, (29).
#[inline(always)]
pub(crate) fn positive_part<L: Lanes>(tensor: &[L; 6]) -> [L; 6] {
    let zero = L::splat(0.0);
    let eigen = symmetric_eigen_of(&columns_of(tensor));
    let mut part = [zero; 6];
    for axis in 0..3 {
        let [x, y, z] = eigen.vectors.0[axis].0;
        let value = eigen.values.0[axis].max(zero);
        let (wx, wy, wz) = (value * x, value * y, value * z);
        let terms = [(wx, x), (wy, y), (wz, z), (wy, z), (wz, x), (wx, y)];
        for entry in 0..6 {
            part[entry] = terms[entry].0.mul_add(terms[entry].1, part[entry]);
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;
    use craze_math::lanes::{Instructions, Kernel};

    /// Forces, deformation and gradients of the elements around a node.
    #[derive(Clone, Default)]
    struct Star {
        forces: Vec<[Vec3; 2]>,
        gradients: Vec<Vec3>,
        deformation: Mat3,
    }

    impl Star {
        /// `kind` 0: any forces; 1: balanced; 2: nearly one line; 3: nearly all compression.
        fn random(random: &mut Random, kind: usize) -> Self {
            let count = 2 + random.below(23);
            let mut vector = || Vec3::from_fn(|_, _| random.signed());
            let mut star = Self {
                deformation: Mat3::identity() + 0.2 * Mat3::from_columns(&[vector(), vector(), vector()]),
                ..Self::default()
            };
            let line = vector();
            for index in 0..count {
                let (mut tensile, mut compressive) = (vector(), 0.4 * vector());
                match kind {
                    2 => tensile = tensile.x * line + 1e-4 * tensile,
                    3 => (tensile, compressive) = (1e-3 * tensile, compressive + line),
                    _ => {}
                }
                star.gradients.push(vector());
                star.forces.push([tensile, compressive]);
                if kind == 1 && index > 0 && index + 1 == count {
                    let [t, c] = star.forces.iter().fold([Vec3::zeros(); 2], |sum, [t, c]| [sum[0] + t, sum[1] + c]);
                    star.forces.push([-t, -c]);
                    star.gradients.push(vector());
                }
            }
            star
        }

        fn separation(&self) -> SeparationTensor {
            let mut separation = SeparationTensor::default();
            self.forces.iter().for_each(|[tensile, compressive]| separation.add(tensile, compressive));
            separation
        }

        fn evaluate(&self, criterion: &FractureCriterion, factor: f64) -> Option<FailureState> {
            criterion.evaluate(&self.separation(), &self.deformation, &self.gradients, factor, 0.0)
        }
    }

    /// The bounds of eight stars, summed as the prefilter does it.
    struct Bounds<'a>(&'a [Star], [f64; WIDTH]);

    impl Kernel for Bounds<'_> {
        type Output = ForceBounds;
        #[inline(always)]
        fn run<L: Lanes>(self) -> ForceBounds {
            let zero = L::splat(0.0);
            let of = |entry: &dyn Fn(&Star) -> f64| {
                let mut lanes = [0.0; WIDTH];
                self.0.iter().zip(&mut lanes).for_each(|(star, lane)| *lane = entry(star));
                L::new(lanes)
            };
            let mut sums = SeparationLanes {
                tensile: [zero; 6],
                compressive: [zero; 6],
                tensile_sum: [zero; 3],
                compressive_sum: [zero; 3],
                deformation: [[zero; 3]; 3],
            };
            let most = self.0.iter().map(|star| star.forces.len()).max().unwrap_or(0);
            for index in 0..most {
                let force = |set: usize| {
                    [0, 1, 2].map(|axis| of(&|star: &Star| star.forces.get(index).map_or(0.0, |pair| pair[set][axis])))
                };
                let (tensile, compressive) = (force(0), force(1));
                let (one, other) = (directed(&tensile), directed(&compressive));
                for i in 0..6 {
                    sums.tensile[i] = sums.tensile[i] + one[i];
                    sums.compressive[i] = sums.compressive[i] + other[i];
                }
                for axis in 0..3 {
                    sums.tensile_sum[axis] = sums.tensile_sum[axis] + tensile[axis];
                    sums.compressive_sum[axis] = sums.compressive_sum[axis] + compressive[axis];
                }
            }
            // Row j of the transposed product F̄ᵀ·n̂ is column j of F̄.
            sums.deformation =
                [0, 1, 2].map(|column| [0, 1, 2].map(|row| of(&|star: &Star| star.deformation[(row, column)])));
            sums.bound(&self.1)
        }
    }

    #[test]
    fn the_bound_of_eight_nodes_contains_the_exact_value() {
        let mut random = Random::new(11);
        let criteria = [
            FractureCriterion { tensile: 0.7, ..FractureCriterion::UNBREAKABLE },
            FractureCriterion { separation_force: 1.3, ..FractureCriterion::UNBREAKABLE },
            FractureCriterion { tensile: 0.7, separation_force: 1.3 },
        ];
        let (mut failing, mut tight, mut uncertain) = (0, 0, 0);
        for round in 0..600 {
            let stars: Vec<Star> = (0..WIDTH).map(|_| Star::random(&mut random, round % 4)).collect();
            let criterion = criteria[round % 3];
            let factor = 0.5 + random.number();
            let least =
                |star: &Star| criterion.critical_force(craze_element::min_separation_area(&star.gradients), factor);
            let critical: [f64; WIDTH] = std::array::from_fn(|lane| least(&stars[lane]));
            let bounds = Instructions::detect().run(Bounds(&stars, critical));
            for (lane, star) in stars.iter().enumerate() {
                let exact = star.evaluate(&criterion, factor);
                let fails = exact.is_some_and(|state| state.ratio > 1.0);
                failing += usize::from(fails);
                let force = bounds.force[lane];
                assert!(!fails || force > 0.0, "round {round}: a node that fails is rejected");
                if force.is_infinite() {
                    uncertain += 1;
                    continue;
                }
                if force == 0.0 {
                    continue;
                }
                let normal = Vec3::from_fn(|axis, _| bounds.normal[axis][lane]);
                let area = separation_area(&normal, &star.gradients);
                let bound = force / criterion.critical_force(area, factor);
                let ratio = exact.map_or(0.0, |state| state.ratio);
                assert!(bound >= ratio, "round {round}: bound {bound} < {ratio}");
                tight += usize::from(bound < 1.0001 * ratio);
            }
        }
        assert!(
            failing > 1000 && tight > 1000 && uncertain < 600,
            "{failing} fail, {tight} tight, {uncertain} uncertain"
        );
    }

    #[test]
    fn critical_loads_are_below_every_failure() {
        let mut random = Random::new(3);
        let mut failing = 0;
        for round in 0..2000 {
            let star = Star::random(&mut random, round % 4);
            let criterion = FractureCriterion { tensile: 0.7, separation_force: 2.0 };
            let Some(state) = star.evaluate(&criterion, 1.0).filter(|state| state.ratio > 1.0) else { continue };
            failing += 1;
            let force = match state.measure {
                FailureMeasure::Force(force) => force,
                FailureMeasure::Stress(stress) => {
                    let normal = star.deformation.tr_mul(&state.normal).normalize();
                    stress * separation_area(&normal, &star.gradients)
                }
                _ => unreachable!("the criterion knows no other measure"),
            };
            let least_area = craze_element::min_separation_area(&star.gradients);
            assert!(force * (1.0 + 1e-12) >= criterion.critical_force(least_area, 1.0));
            let exact =
                criterion.evaluate(&star.separation(), &star.deformation, &star.gradients, 1.0, force * 0.999_999);
            assert_eq!(exact, Some(state), "the quick bound keeps what reaches the critical force");
        }
        assert!(failing > 100, "{failing}");
    }

    #[test]
    fn the_weaker_material_decides() {
        let stress = |pascal| Strength { tensile: Some(pascal), ..Strength::default() };
        let force = |newtons| Strength { separation_force: Some(newtons), tensile: Some(1.0), ..Strength::default() };
        let criterion = FractureCriterion::UNBREAKABLE;
        assert!(!criterion.or(&Strength::default()).is_breakable());
        let criterion = criterion.or(&stress(5.0)).or(&stress(3.0)).or(&force(7.0)).or(&Strength::default());
        assert_eq!(criterion, FractureCriterion { tensile: 3.0, separation_force: 7.0 });
    }
}
