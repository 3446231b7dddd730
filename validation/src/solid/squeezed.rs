//! Test 15: what is only squeezed, or only carried along, does not break.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::{JITTER, awake, elastic, finite_step, free_step, hold_nodes, solid_at_rest};
use craze_engine::{Method, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::Vec3;
use craze_mesh::kuhn_box_jittered;
use craze_solid::Solid;

pub(crate) const TEST: Test = Test {
    number: 15,
    method: MethodLetter::Solid,
    title: "Compression at 50 times the strength, and rigid acceleration",
    source: "balance",
    conditions: "the squeezed state is set, not loaded; steps are half as long as the body bears",
    measure,
};

const STRENGTH: f64 = 1e4;
const MU: f64 = 1e7;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let steps = match depth {
        Depth::Quick => 200,
        Depth::Full => 2000,
    };
    findings.compare("splits between platens", "", squeezed(steps)?, Expected::Zero { limit: 0.0 });
    findings.compare("splits at 1000 g", "", accelerated(steps)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

fn block() -> Result<Solid, ValidationError> {
    let mesh = kuhn_box_jittered([4, 5, 4], Vec3::new(0.4, 0.5, 0.4), JITTER)?;
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_lame(0.0, MU)) };
    solid_at_rest(mesh, material, awake())
}

/// Splits of a block that platens have pressed together along y until the nominal stress μ·(s − s³) is 50 strengths.
fn squeezed(steps: u32) -> Result<f64, ValidationError> {
    let mut solid = block()?;
    let mut s = 1.0;
    for _ in 0..30 {
        s -= (MU * (s * s * s - s) + 50.0 * STRENGTH) / (MU * (3.0 * s * s - 1.0));
    }
    let pressed = move |place: &Vec3| Vec3::new(place.x, s * place.y, place.z);
    let rest = solid.mesh().positions().to_vec();
    let ends = (0..rest.len()).filter(|&node| rest[node].y < 1e-9 || rest[node].y > 0.5 - 1e-9);
    let (_, loads) = hold_nodes(&mut solid, ends.collect::<Vec<_>>(), pressed)?;
    let places: Vec<Vec3> = rest.iter().map(pressed).collect();
    solid.set_state(&places, &vec![Vec3::zeros(); places.len()]);
    let step = Step { loads: &loads, ..free_step(0.5 * finite_step(&solid)) };
    run(&mut solid, &step, steps)
}

/// Splits of a block in the field of a thousand g that nothing keeps from falling.
fn accelerated(steps: u32) -> Result<f64, ValidationError> {
    let mut solid = block()?;
    let step = Step { gravity: Vec3::new(0.0, -9810.0, 0.0), ..free_step(0.5 * finite_step(&solid)) };
    run(&mut solid, &step, steps)
}

fn run(solid: &mut Solid, step: &Step, steps: u32) -> Result<f64, ValidationError> {
    for _ in 0..steps {
        crate::setup::take_step(solid, step)?;
    }
    Ok(solid.split_counts().splits as f64)
}
