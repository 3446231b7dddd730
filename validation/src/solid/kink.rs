//! Test 18: where a crack turns that is sheared.
//!
//! A square about the tip of a slit, whose rim is held where the field of a tip alone would have it (Williams 1957, plane stress): K_I and K_II are
//! what the test says, without the size of a specimen coming in. An even stress along the crack is 0. Every round finds the balance and splits the
//! node that is pulled hardest. The lips and two elements beside them do not break: shear stretches one of them along itself, 2/1.15 times as much as anything ahead of the tip is
//! pulled at the same distance, but the answer is about the tip.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::{awake, elastic, hold_nodes, slit_plate, solid_at_rest, take_step};
use craze_engine::{EventKind, Method, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Random, Vec3};
use craze_mesh::{PointRule, TetMesh, Values};
use craze_solid::SolidOptions;

pub(crate) const TEST: Test = Test {
    number: 18,
    method: MethodLetter::Solid,
    title: "Kinks of a sheared crack",
    source: "Erdogan & Sih 1963",
    measure,
};

/// Edge of the elements about the tip (m), and how many of it they reach to each side.
const EDGE: f64 = 1e-3;
const FINE: usize = 14;
/// Half of the square's side (m).
const HALF: f64 = 0.08;
const YOUNG: f64 = 1e7;
/// √(K_I² + K_II²) (Pa·√m).
const INTENSITY: f64 = 100.0;
/// Small beside what pulls at a tip: the hardest pulled node fails in any case.
const STRENGTH: f64 = 100.0;
/// How far nodes are moved at random (edges): an even grid leads cracks along its lines.
const JITTER: f64 = 0.25;
/// Meshes that the mean is taken of.
const SEEDS: u64 = 4;
/// What the strength of the lips is multiplied by.
const UNBREAKABLE: f64 = 1e9;
/// Advances of the crack by an element.
const INCREMENTS: f64 = 10.0;
/// Rounds at most; a front of two nodes takes two for an element.
const ROUNDS: usize = 60;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let within = |value: f64| Expected::Absolute { value, tolerance: 5.0 };
    // What pulls at a node is a mean over its star, which reaches behind the tip: in shear alone the lip's own tension is in it, and cracks turn
    // farther than the 70.5° of a tip without size. So that number is told.
    let (seeds, kinds): (u64, &[_]) = match depth {
        Depth::Quick => (1, &[("inclined by 45°", 1.0, within(53.13))]),
        Depth::Full => (SEEDS, &[("inclined by 45°", 1.0, within(53.13)), ("pure mode II", 0.0, Expected::Told)]),
    };
    for (name, opening, expected) in kinds {
        let mut angles = Vec::new();
        for seed in 0..seeds {
            for shear in [1.0, -1.0] {
                angles.push(kink_of(*opening, shear, seed)?);
            }
        }
        let mean = angles.iter().sum::<f64>() / angles.len() as f64;
        let spread = angles.iter().map(|angle| (angle - mean).abs()).fold(0.0, f64::max);
        findings.compare(format!("mean kink of {} cracks, {name}", angles.len()), "°", mean, *expected);
        findings.compare(format!("the farthest from it, {name}"), "°", spread, Expected::Told);
    }
    Ok(())
}

/// Angle (degrees) of the chord of the first increments, to the side to which K_II of this sign turns a crack.
fn kink_of(opening: f64, shear: f64, seed: u64) -> Result<f64, ValidationError> {
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_young(YOUNG, 0.0)) };
    let options = SolidOptions { splits_a_step: 1, ..awake() };
    let lines = lines();
    let plate = slit_plate(&lines, &lines, EDGE, 0.0)?;
    let mut random = Random::new(seed);
    let moved = |place: &Vec3| {
        let shift = EDGE * JITTER * Vec3::new(random.signed(), random.signed(), 0.0);
        let is_free = place.xy().amax() < (FINE as f64 - 0.5) * EDGE && !(place.y == 0.0 && place.x <= 0.0);
        if is_free { place + shift } else { *place }
    };
    let positions = plate.positions().iter().map(moved).collect();
    let mut plate = TetMesh::from_parts(positions, plate.elements().to_vec())?;
    let is_lip = |place: &Vec3| place.x < -0.5 * EDGE && place.y.abs() < 2.5 * EDGE;
    let factor = |place: &Vec3| if is_lip(place) { UNBREAKABLE } else { 1.0 };
    let factors = plate.positions().iter().map(factor).collect();
    plate.point_attributes_mut().add(craze_solid::STRENGTH, PointRule::Interpolate, Values::Scalars(factors))?;
    let mut solid = solid_at_rest(plate, material, options)?;
    let share = INTENSITY / opening.hypot(shear);
    let placed = |place: &Vec3| place + tip_field(place, share * opening, share * shear);
    let rest = solid.mesh().positions();
    let is_held = |node: &usize| {
        let place = rest[*node];
        let at_rim = place.x.abs().max(place.y.abs()) > (1.0 - 1e-9) * HALF;
        // The two lips of the slit are at one place.
        at_rim && !(place.y == 0.0 && place.x < 0.0)
    };
    let rim: Vec<usize> = (0..rest.len()).filter(is_held).collect();
    let (_, loads) = hold_nodes(&mut solid, rim, placed)?;
    let mut end = Vec3::zeros();
    for _ in 0..ROUNDS {
        let balance = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
        solid.balance(&balance)?;
        let step = Step { time_step: 1e-3 * solid.time_step_limit(), ..balance };
        take_step(&mut solid, &step)?;
        let mut events = Vec::new();
        solid.fracture(&step, &mut events);
        for event in events {
            let EventKind::Split { place, .. } = event.kind else { continue };
            if place.xy().norm() > end.xy().norm() {
                end = place;
            }
        }
        if end.xy().norm() >= INCREMENTS * EDGE {
            return Ok((-shear * end.y).atan2(end.x).to_degrees());
        }
    }
    Err(ValidationError::NothingMeasured("ten increments of the crack"))
}

/// Displacement (m) about a tip at the origin whose crack lies at y = 0, x < 0, for these K (Pa·√m); without contraction across, κ = 3.
fn tip_field(place: &Vec3, first: f64, second: f64) -> Vec3 {
    let (shear_modulus, kappa) = (0.5 * YOUNG, 3.0);
    let root = (place.xy().norm() / std::f64::consts::TAU).sqrt() / (2.0 * shear_modulus);
    let half = 0.5 * place.y.atan2(place.x);
    let (sine, cosine) = half.sin_cos();
    let opened =
        Vec3::new(cosine * (kappa - 1.0 + 2.0 * sine * sine), sine * (kappa + 1.0 - 2.0 * cosine * cosine), 0.0);
    let sheared =
        Vec3::new(sine * (kappa + 1.0 + 2.0 * cosine * cosine), -cosine * (kappa - 1.0 - 2.0 * sine * sine), 0.0);
    root * (first * opened + second * sheared)
}

/// Places of grid lines (m), an edge apart about the tip and growing beyond.
fn lines() -> Vec<f64> {
    let mut half: Vec<f64> = (0..=FINE).map(|cell| cell as f64 * EDGE).collect();
    let mut step = EDGE;
    while let Some(last) = half.last().copied().filter(|last| *last < HALF) {
        step *= 1.35;
        let next = last + step;
        half.push(if next + 0.7 * step > HALF { HALF } else { next });
    }
    half.iter().skip(1).rev().map(|place| -place).chain(half.iter().copied()).collect()
}
