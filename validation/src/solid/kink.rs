//! Test 18: kink angle of a crack under shear.
//!
//! A straight crack in an infinite plate: the boundary of a rectangle around it is displaced
//! according to Westergaard's field (1939), so that K_I and K_II are prescribed and the crack
//! length is the only length scale. Tension at 45°, or pure shear; the uniform stress along the
//! crack is 0 in both. A quasi-static world finds the load of first failure, and splits the node
//! with the largest tension at every equilibrium. The crack faces and two elements next to them are made 10⁹ times
//! stronger: shear stretches one face along itself, with 2/1.15 times the tension ahead of the tip
//! at the same distance, but the test concerns the tip.
//!
//! Erdogan & Sih give the direction of largest hoop stress at an unkinked tip. A crack that follows
//! it step by step continues to turn: first towards the direction of zero K_II at its new tip
//! (Amestoy & Leblond 1992: 77.3° in pure shear, 57.0° in mixed mode), then back, normal to the far
//! tension. Ten steps of a thirtieth of half the crack length give chords of 71.3° and 53.4°
//! (boundary element computation of the same crack with Erdogan & Sih's rule at every step), hence
//! this length. A semi-infinite crack does not turn back, and its chord is that of zero K_II.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{awake, constrain_positions, elastic, run_to_split, slit_plate, solid_at_rest, world_of};
use craze_engine::Mode;
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Random, Vec3};
use craze_mesh::{PointRule, TetMesh, Values};
use nalgebra::Complex;
use std::ops::Range;

pub(crate) const TEST: Test = Test {
    number: 18,
    method: craze_methods::solid::KIND,
    title: "Kink angle of a crack under shear",
    source: "Erdogan & Sih 1963; Amestoy & Leblond 1992",
    conditions: "the crack faces and two elements next to them are made 10⁹ times stronger; the displacement of every boundary node is prescribed",
    measure,
};

/// Edge length of the elements at the tip (m), and their number to each side.
const EDGE: f64 = 1e-3;
const FINE_CELLS: usize = 14;
/// Distance of the boundary from either tip (m).
const MARGIN: f64 = 0.08;
/// Half the crack length (m): thirty elements.
const HALF_CRACK: f64 = 30.0 * EDGE;
/// Largest grid spacing (m).
const MAX_SPACING: f64 = 8.0 * EDGE;
const YOUNG: f64 = 1e7;
/// √(K_I² + K_II²) (Pa·√m).
const STRESS_INTENSITY: f64 = 100.0;
/// Reached at the tip well below the prescribed stress intensity (Pa).
const STRENGTH: f64 = 100.0;
/// Random displacement of nodes (edge lengths): a regular grid attracts cracks to its lines.
const JITTER: f64 = 0.25;
const MESHES: u64 = 4;
/// Strength factor of the crack faces and of two elements next to them.
const FACE_STRENGTH_FACTOR: f64 = 1e9;
/// Crack growth in elements.
const INCREMENTS: f64 = 10.0;
/// Maximum number of equilibria with splits; a front of two nodes needs two per element.
const MAX_STEPS: usize = 60;

/// A crack with two tips, or a semi-infinite crack.
#[derive(Clone, Copy, PartialEq)]
enum Crack {
    Finite,
    SemiInfinite,
}

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let kinds: &[_] = &[
        ("tension at 45°", Crack::Finite, 1.0, 53.13),
        ("shear", Crack::Finite, 0.0, 70.53),
        ("tension at 45°, semi-infinite", Crack::SemiInfinite, 1.0, 56.96),
        ("shear, semi-infinite", Crack::SemiInfinite, 0.0, 77.33),
    ];
    let (seeds, shears, kinds): (u64, &[f64], _) = match depth {
        Depth::Quick => (1, &[1.0], &kinds[..2]),
        Depth::Full => (MESHES, &[1.0, -1.0], kinds),
    };
    for (name, crack, opening, expected) in kinds {
        let mut angles = Vec::new();
        for seed in 0..seeds {
            for shear in shears {
                angles.push(kink_of(*crack, *opening, *shear, seed)?);
            }
        }
        let mean = angles.iter().sum::<f64>() / angles.len() as f64;
        let spread = angles.iter().map(|angle| (angle - mean).abs()).fold(0.0, f64::max);
        let within = Expected::Absolute { value: *expected, tolerance: 5.0 };
        findings.compare(format!("mean kink, {name}"), "°", mean, within);
        findings.compare(format!("largest deviation from the mean, {name}"), "°", spread, Expected::Reported);
    }
    Ok(())
}

/// Angle (degrees) of the chord of the first increments, positive to the side to which K_II of this
/// sign deflects a crack.
fn kink_of(crack: Crack, opening: f64, shear: f64, seed: u64) -> Result<f64, ValidationError> {
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_young(YOUNG, 0.0)) };
    let ahead = lines(MARGIN);
    let across = both_sides(&with_line_at(crack.behind(), lines(MARGIN + crack.behind())), &ahead);
    let up = both_sides(&ahead, &ahead);
    let plate = slit_plate(&across, &up, EDGE, crack.slit())?;
    let mut random = Random::new(seed);
    let moved = |position: &Vec3| {
        let shift = EDGE * JITTER * Vec3::new(random.signed(), random.signed(), 0.0);
        let is_free =
            position.xy().amax() < (FINE_CELLS as f64 - 0.5) * EDGE && !(position.y == 0.0 && position.x <= 0.0);
        if is_free { position + shift } else { *position }
    };
    let positions = plate.positions().iter().map(moved).collect();
    let mut plate = TetMesh::from_parts(positions, plate.elements().to_vec())?;
    let is_at_face = |position: &Vec3| position.x < -0.5 * EDGE && position.y.abs() < 2.5 * EDGE;
    let factor = |position: &Vec3| if is_at_face(position) { FACE_STRENGTH_FACTOR } else { 1.0 };
    let factors = plate.positions().iter().map(factor).collect();
    plate.point_attributes_mut().add(
        craze_methods::solid::STRENGTH,
        PointRule::Interpolate,
        Values::Scalars(factors),
    )?;
    let solid = solid_at_rest(plate, material, awake())?;
    let scale = STRESS_INTENSITY / opening.hypot(shear);
    let placed = |position: &Vec3| position + crack.displacement(position, scale * opening, scale * shear);
    let rest = solid.mesh().positions();
    let is_held = |position: &&Vec3| {
        let middle = -0.5 * crack.behind();
        let at_rim = (position.x - middle).abs() - middle.abs() > MARGIN - 1e-9 || position.y.abs() > MARGIN - 1e-9;
        // The two faces of a slit through the boundary have the same position.
        at_rim && !(position.y == 0.0 && position.x < 0.0)
    };
    let rim: Vec<Vec3> = rest.iter().filter(is_held).copied().collect();
    let mut world = world_of(solid, craze_methods::solid::load, 1.0, Mode::QuasiStatic { steps: 1 });
    constrain_positions(&mut world, rim, placed)?;
    let mut end = Vec3::zeros();
    for _ in 0..MAX_STEPS {
        let splits = run_to_split(&mut world)?.into_iter();
        end =
            splits.fold(end, |end, (position, _)| if position.xy().norm() > end.xy().norm() { position } else { end });
        if end.xy().norm() >= INCREMENTS * EDGE {
            return Ok((-shear * end.y).atan2(end.x).to_degrees());
        }
    }
    Err(ValidationError::NothingMeasured("ten increments of the crack"))
}

impl Crack {
    /// Length (m) of the plate behind the tip at the origin, without the margin.
    fn behind(self) -> f64 {
        match self {
            Crack::Finite => 2.0 * HALF_CRACK,
            Crack::SemiInfinite => 0.0,
        }
    }

    fn slit(self) -> Range<f64> {
        match self {
            Crack::Finite => -2.0 * HALF_CRACK..0.0,
            Crack::SemiInfinite => f64::NEG_INFINITY..0.0,
        }
    }

    /// Displacement (m) in an infinite plate with this crack, for these stress intensities (Pa·√m)
    /// at the tip at the origin; Poisson's ratio 0, κ = 3.
    ///
    /// Westergaard's function Z of modes I and II is σz/√(z² − a²) about the centre of a finite
    /// crack, K/√(2πz) about a single tip.
    fn displacement(self, position: &Vec3, first: f64, second: f64) -> Vec3 {
        let (shear_modulus, kappa) = (0.5 * YOUNG, 3.0);
        let tip = Complex::new(position.x, position.y);
        // Z and its integral, for K = 1.
        let (function, integral) = match self {
            Crack::Finite => {
                let stress = 1.0 / (std::f64::consts::PI * HALF_CRACK).sqrt();
                let middle = tip + HALF_CRACK;
                // √(z − a)·√(z + a), each with its branch cut along the negative axis: only the
                // crack is cut.
                let root = tip.sqrt() * (tip + 2.0 * HALF_CRACK).sqrt();
                (middle / root * stress, root * stress)
            }
            Crack::SemiInfinite => {
                let root = (tip * std::f64::consts::TAU).sqrt();
                (root.inv(), root * (1.0 / std::f64::consts::PI))
            }
        };
        let (y, less, more) = (position.y, 0.5 * (kappa - 1.0), 0.5 * (kappa + 1.0));
        let opened = Vec3::new(less * integral.re - y * function.im, more * integral.im - y * function.re, 0.0);
        let sheared = Vec3::new(more * integral.im + y * function.re, -less * integral.re - y * function.im, 0.0);
        (first * opened + second * sheared) / (2.0 * shear_modulus)
    }
}

/// Positions of grid lines (m) from the tip to `end`: uniform at first, then growing.
fn lines(end: f64) -> Vec<f64> {
    let mut positions: Vec<f64> = (0..=FINE_CELLS).map(|cell| cell as f64 * EDGE).collect();
    let mut step = EDGE;
    while let Some(last) = positions.last().copied().filter(|last| *last < end) {
        step = (1.35 * step).min(MAX_SPACING);
        let next = last + step;
        positions.push(if next + 0.7 * step > end { end } else { next });
    }
    positions
}

/// The lines with the nearest one moved to this position (m).
fn with_line_at(position: f64, mut lines: Vec<f64>) -> Vec<f64> {
    let distance = |line: &f64| (line - position).abs();
    if let Some(line) = lines.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        *line = position;
    }
    lines
}

fn both_sides(behind: &[f64], ahead: &[f64]) -> Vec<f64> {
    behind.iter().skip(1).rev().map(|position| -position).chain(ahead.iter().copied()).collect()
}
