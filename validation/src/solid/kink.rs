//! Test 18: where a crack turns that is sheared.
//!
//! A straight crack in a plate without end: the rim of a rectangle about it is held where Westergaard's field (1939) has it, so that K_I
//! and K_II are what the test says and no size but the crack's comes in. Pulled at 45° to it, or sheared along it; an even stress along the crack is
//! 0 in both. Every load step of a quasi-static world finds the balance and splits the node that is pulled hardest. The crack faces and two
//! elements beside them are made 10⁹ times stronger, so that they do not break: shear stretches one of them along itself, 2/1.15 times as much as
//! anything ahead of the tip is pulled at the same distance, but the answer is about the tip.
//!
//! Erdogan & Sih give the direction in which an unturned tip is pulled hardest across it. A crack that follows it step by step goes on turning: at
//! first towards the direction in which nothing shears its new tip (Amestoy & Leblond 1992: 77.3° for shear alone, 57.0° for both at once), then
//! back across the far pull. Ten steps of a thirtieth of half the crack make chords of 71.3° and 53.4° (a boundary element computation of the same
//! crack that turns by Erdogan & Sih's rule at every step), which is why this length was taken; for a crack without end there is no way back, and
//! the chord is that of the unsheared tip.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::{awake, elastic, hold_places, run_frames, slit_plate, solid_at_rest, take_splits, world_of};
use craze_engine::Mode;
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Random, Vec3};
use craze_mesh::{PointRule, TetMesh, Values};
use craze_solid::SolidOptions;
use nalgebra::Complex;
use std::ops::Range;

pub(crate) const TEST: Test = Test {
    number: 18,
    method: MethodLetter::Solid,
    title: "Kinks of a sheared crack",
    source: "Erdogan & Sih 1963; Amestoy & Leblond 1992",
    conditions: "the crack faces and two elements beside them are made 10⁹ times stronger; one node splits in each load step; the strength is far below what pulls at the tip",
    measure,
};

/// Edge of the elements about the tip (m), and how many of it they reach to each side.
const EDGE: f64 = 1e-3;
const FINE: usize = 14;
/// How far the rim is from the tip, and from the other one (m).
const HALF: f64 = 0.08;
/// Half of the crack's length (m): thirty elements.
const HALF_CRACK: f64 = 30.0 * EDGE;
/// The longest step between grid lines (m).
const LONGEST: f64 = 8.0 * EDGE;
const YOUNG: f64 = 1e7;
/// √(K_I² + K_II²) (Pa·√m).
const INTENSITY: f64 = 100.0;
/// Small beside what pulls at a tip: the hardest pulled node fails in any case.
const STRENGTH: f64 = 100.0;
/// How far nodes are moved at random (edges): an even grid leads cracks along its lines.
const JITTER: f64 = 0.25;
/// Meshes that the mean is taken of.
const SEEDS: u64 = 4;
/// What the strength of the crack faces, and of two elements beside them, is multiplied by.
const UNBREAKABLE: f64 = 1e9;
/// Advances of the crack by an element.
const INCREMENTS: f64 = 10.0;
/// Load steps at most; a front of two nodes takes two for an element.
const MOST_STEPS: usize = 60;

/// A crack with two ends, or one whose other end is infinitely far.
#[derive(Clone, Copy, PartialEq)]
enum Crack {
    Finite,
    Endless,
}

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let kinds: &[_] = &[
        ("pulled at 45°", Crack::Finite, 1.0, 53.13),
        ("sheared", Crack::Finite, 0.0, 70.53),
        ("pulled at 45°, without end", Crack::Endless, 1.0, 56.96),
        ("sheared, without end", Crack::Endless, 0.0, 77.33),
    ];
    let (seeds, shears, kinds): (u64, &[f64], _) = match depth {
        Depth::Quick => (1, &[1.0], &kinds[..2]),
        Depth::Full => (SEEDS, &[1.0, -1.0], kinds),
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
        findings.compare(format!("the farthest from it, {name}"), "°", spread, Expected::Told);
    }
    Ok(())
}

/// Angle (degrees) of the chord of the first increments, to the side to which K_II of this sign turns a crack.
fn kink_of(crack: Crack, opening: f64, shear: f64, seed: u64) -> Result<f64, ValidationError> {
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_young(YOUNG, 0.0)) };
    let options = SolidOptions { splits_a_step: 1, ..awake() };
    let ahead = lines(HALF);
    let across = both_sides(&with_line_at(crack.behind(), lines(HALF + crack.behind())), &ahead);
    let up = both_sides(&ahead, &ahead);
    let plate = slit_plate(&across, &up, EDGE, crack.slit())?;
    let mut random = Random::new(seed);
    let moved = |place: &Vec3| {
        let shift = EDGE * JITTER * Vec3::new(random.signed(), random.signed(), 0.0);
        let is_free = place.xy().amax() < (FINE as f64 - 0.5) * EDGE && !(place.y == 0.0 && place.x <= 0.0);
        if is_free { place + shift } else { *place }
    };
    let positions = plate.positions().iter().map(moved).collect();
    let mut plate = TetMesh::from_parts(positions, plate.elements().to_vec())?;
    let is_at_face = |place: &Vec3| place.x < -0.5 * EDGE && place.y.abs() < 2.5 * EDGE;
    let factor = |place: &Vec3| if is_at_face(place) { UNBREAKABLE } else { 1.0 };
    let factors = plate.positions().iter().map(factor).collect();
    plate.point_attributes_mut().add(craze_solid::STRENGTH, PointRule::Interpolate, Values::Scalars(factors))?;
    let solid = solid_at_rest(plate, material, options)?;
    let share = INTENSITY / opening.hypot(shear);
    let placed = |place: &Vec3| place + crack.displacement(place, share * opening, share * shear);
    let rest = solid.mesh().positions();
    let is_held = |place: &&Vec3| {
        let middle = -0.5 * crack.behind();
        let at_rim = (place.x - middle).abs() - middle.abs() > HALF - 1e-9 || place.y.abs() > HALF - 1e-9;
        // The two faces of a slit that goes through the edge are at one place.
        at_rim && !(place.y == 0.0 && place.x < 0.0)
    };
    let rim: Vec<Vec3> = rest.iter().filter(is_held).copied().collect();
    let mut world = world_of(solid, craze_solid::load, 1.0, Mode::QuasiStatic { steps: 1 });
    hold_places(&mut world, rim, placed)?;
    let mut end = Vec3::zeros();
    for _ in 0..MOST_STEPS {
        run_frames(&mut world, 1)?;
        let splits = take_splits(&mut world).into_iter();
        end = splits.fold(end, |end, (place, _)| if place.xy().norm() > end.xy().norm() { place } else { end });
        if end.xy().norm() >= INCREMENTS * EDGE {
            return Ok((-shear * end.y).atan2(end.x).to_degrees());
        }
    }
    Err(ValidationError::NothingMeasured("ten increments of the crack"))
}

impl Crack {
    /// How far (m) the plate goes on behind the tip at the origin before its rim has as much room as elsewhere.
    fn behind(self) -> f64 {
        match self {
            Crack::Finite => 2.0 * HALF_CRACK,
            Crack::Endless => 0.0,
        }
    }

    fn slit(self) -> Range<f64> {
        match self {
            Crack::Finite => -2.0 * HALF_CRACK..0.0,
            Crack::Endless => f64::NEG_INFINITY..0.0,
        }
    }

    /// Displacement (m) in a plate that is one with this crack, for these K (Pa·√m) at its tip at the origin; without contraction across, κ = 3.
    ///
    /// Westergaard's function Z of mode I and II is σz/√(z² − a²) about the middle of a crack, K/√(2πz) about a tip alone.
    fn displacement(self, place: &Vec3, first: f64, second: f64) -> Vec3 {
        let (shear_modulus, kappa) = (0.5 * YOUNG, 3.0);
        let tip = Complex::new(place.x, place.y);
        // Z and its integral, for K = 1.
        let (function, integral) = match self {
            Crack::Finite => {
                let stress = 1.0 / (std::f64::consts::PI * HALF_CRACK).sqrt();
                let middle = tip + HALF_CRACK;
                // √(z − a)·√(z + a), each cut along the negative axis: together only the crack is cut.
                let root = tip.sqrt() * (tip + 2.0 * HALF_CRACK).sqrt();
                (middle / root * stress, root * stress)
            }
            Crack::Endless => {
                let root = (tip * std::f64::consts::TAU).sqrt();
                (root.inv(), root * (1.0 / std::f64::consts::PI))
            }
        };
        let (y, less, more) = (place.y, 0.5 * (kappa - 1.0), 0.5 * (kappa + 1.0));
        let opened = Vec3::new(less * integral.re - y * function.im, more * integral.im - y * function.re, 0.0);
        let sheared = Vec3::new(more * integral.im + y * function.re, -less * integral.re - y * function.im, 0.0);
        (first * opened + second * sheared) / (2.0 * shear_modulus)
    }
}

/// Places of grid lines (m) from the tip to here: an edge apart at first, growing beyond.
fn lines(end: f64) -> Vec<f64> {
    let mut places: Vec<f64> = (0..=FINE).map(|cell| cell as f64 * EDGE).collect();
    let mut step = EDGE;
    while let Some(last) = places.last().copied().filter(|last| *last < end) {
        step = (1.35 * step).min(LONGEST);
        let next = last + step;
        places.push(if next + 0.7 * step > end { end } else { next });
    }
    places
}

/// The lines with the nearest one moved to this place (m).
fn with_line_at(place: f64, mut lines: Vec<f64>) -> Vec<f64> {
    let distance = |line: &f64| (line - place).abs();
    if let Some(line) = lines.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        *line = place;
    }
    lines
}

/// Lines to both sides of the tip, in order.
fn both_sides(behind: &[f64], ahead: &[f64]) -> Vec<f64> {
    behind.iter().skip(1).rev().map(|place| -place).chain(ahead.iter().copied()).collect()
}
