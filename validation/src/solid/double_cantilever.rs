//! Test 20: energy release rate of a double cantilever.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, slit_plate, solid_at_rest};
use craze_engine::{Attachable, Effect, HoldId, Load, Method, QuasiStatic, Region, Step};
use craze_material::Elasticity;
use craze_math::{Isometry, Vec3};

pub(crate) const TEST: Test = Test {
    number: 20,
    method: craze_methods::solid::KIND,
    title: "Slender double cantilever, arms ten times as long as high",
    source: "beam theory",
    conditions: "no crack grows: the released energy is the difference between two meshes",
    measure,
};

/// Crack length, arm height, width and total length (m).
const CRACK_LENGTH: f64 = 0.1;
const HEIGHT: f64 = 0.01;
const WIDTH: f64 = 0.002;
const LENGTH: f64 = 0.15;
const YOUNG: f64 = 1e7;
/// Load on each arm (N): bends it by a hundredth of its height.
const LOAD: f64 = 5e-6;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    // Linear tetrahedra are stiff in bending: 5 % too stiff with eight through the height of a
    // beam, 1 % with sixteen.
    let (cells, held) = match depth {
        Depth::Quick => (8, false),
        Depth::Full => (16, true),
    };
    let cell = 2.0 * HEIGHT / cells as f64;
    let [shorter, longer] =
        [CRACK_LENGTH - 2.0 * cell, CRACK_LENGTH + 2.0 * cell].map(|crack| compliance(cells, crack));
    let released = 0.5 * LOAD * LOAD / WIDTH * (longer? - shorter?) / (4.0 * cell);
    let inertia = HEIGHT.powi(3);
    let known =
        12.0 * (LOAD * CRACK_LENGTH / WIDTH).powi(2) / (YOUNG * inertia) * (1.0 + 0.67 * HEIGHT / CRACK_LENGTH).powi(2);
    let expected = if held { Expected::Relative { value: known, tolerance: 0.1 } } else { Expected::Reported };
    findings.compare(format!("energy released, {cells} elements through an arm"), "J/m²", released, expected);
    findings.compare("energy released over beam theory", "", released / known, Expected::Reported);
    Ok(())
}

/// Opening of the arms per newton (m/N): twice the elastic energy in equilibrium over the squared
/// load.
fn compliance(cells: usize, crack: f64) -> Result<f64, ValidationError> {
    let half: Vec<f64> = (0..=cells).map(|cell| HEIGHT * cell as f64 / cells as f64).collect();
    let up: Vec<f64> = half.iter().skip(1).rev().map(|y| -y).chain(half.iter().copied()).collect();
    let columns = (LENGTH / (2.0 * HEIGHT) * cells as f64).round() as usize;
    let across: Vec<f64> = (0..=columns).map(|column| LENGTH * column as f64 / columns as f64).collect();
    let mesh = slit_plate(&across, &up, WIDTH, f64::NEG_INFINITY..crack)?;
    let mut solid = solid_at_rest(mesh, elastic(1000.0, Elasticity::from_young(YOUNG, 0.0)), awake())?;
    let slice = |x: f64, low: f64, high: f64| Region::Box {
        from: Vec3::new(x - 1e-9, low, -1.0),
        to: Vec3::new(x + 1e-9, high, 1.0),
    };
    let mut loads = Vec::new();
    for (number, region, effect) in [
        (0, slice(LENGTH, -1.0, 1.0), Effect::Place(Isometry::identity())),
        (1, slice(0.0, 0.4 * HEIGHT, HEIGHT), Effect::Force(LOAD * Vec3::y())),
        (2, slice(0.0, -HEIGHT, -0.4 * HEIGHT), Effect::Force(-LOAD * Vec3::y())),
    ] {
        let hold = HoldId(number);
        solid.attach(hold, &region).ok_or(ValidationError::NothingMeasured("the arms"))?;
        loads.push(Load { hold, effect });
    }
    let step = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
    solid.balance(&step)?;
    Ok(2.0 * solid.account(&Vec3::zeros()).elastic / (LOAD * LOAD))
}
